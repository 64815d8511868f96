{{ config(materialized='ephemeral') }}
select * from {{ ref('impressions') }} where device = 'phone'
