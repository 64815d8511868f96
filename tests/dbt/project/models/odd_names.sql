{#- Names that must be quoted, and truths of three types. -#}
{{ config(materialized='view') }}
select
    clicked as {{ adapter.quote('Is Clicked') }},
    clicked = 1 as {{ adapter.quote('CLICKED') }},
    cast(clicked as {{ dbt.type_numeric() }}) as {{ adapter.quote('select') }},
    pctr as {{ adapter.quote('p CTR') }},
    device as {{ adapter.quote("the user's Device") }}
from {{ ref('impressions') }}
