{#- A metric inside a query of the user's own, over rows that are no table. -#}
{{ config(materialized='view') }}
with clicks as (
    {{ sqlmetrics.auc(ref('only_phones'), label='clicked', score='pctr', by=['day']) }}
)
select
    day,
    auc
from clicks
where auc is not null
