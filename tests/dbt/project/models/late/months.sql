{#- States of the late rows, with the number of parts, of keys, and of vanished parts. -#}
{{ config(enabled=target.type != 'spark', materialized='view') }}
{%- for name in ['late_by_day', 'late_by_key', 'late_by_batch'] %}
select
    '{{ name }}' as strategy,
    month.*,
    parts.*
from (
{{ sqlmetrics.state_metrics(ref(name), binned=true) }}
) as month
cross join (
    select count(*) as parts, count(distinct state_key) as state_keys, count(*) - count(nullif(row_count, 0)) as vanished
    from {{ ref(name) }}
) as parts
{{ 'union all' if not loop.last }}
{%- endfor %}
