{#- A metric inside a query of the user, over a CTE. -#}
{{ config(materialized='view') }}
with clicks as (
    {{ sqlmetrics.auc(ref('only_phones'), label='clicked', score='pctr', by=['day']) }}
)
select
    day,
    auc
from clicks
where auc is not null
