{{ config(materialized='view') }}
-- A view for the tests of the state, for the same reason.
select * from {{ ref('daily_scores') }}
