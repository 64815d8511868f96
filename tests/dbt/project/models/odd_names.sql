{#- Names that need quotes or contain them, and labels of three types. -#}
{{ config(materialized='view') }}
select
    clicked as {{ sqlmetrics.identifier('Is Clicked') }},
    clicked = 1 as {{ sqlmetrics.identifier('CLICKED') }},
    cast(clicked as {{ dbt.type_numeric() }}) as {{ sqlmetrics.identifier('select') }},
    pctr as {{ sqlmetrics.identifier('p "CTR"') }},
    user_id as {{ sqlmetrics.identifier('User`s Id') }},
    device as {{ sqlmetrics.identifier("the user's Device") }}
from {{ ref('impressions') }}
