{{ config(materialized='view') }}
-- Where the tests of the state stand, for the same reason.
select * from {{ ref('daily_scores') }}
