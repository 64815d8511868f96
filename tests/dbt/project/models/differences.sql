{#- Every value in long form beside what scikit-learn (or scipy, or numpy) says of the same rows. -#}
with found as (
    {% for model in ['binary', 'ranking', 'regression', 'classes'] -%}
    {%- set outer_loop = loop -%}
    {%- for metric in var(model) %}
    select
        '{{ model }}' as family,
        '{{ metric }}' as metric,
        case when {{ adapter.quote('grouping') }} = 'overall' then 'overall' else coalesce(device, 'none') end as slice,
        cast({{ metric if metric != 'precision' else adapter.quote('precision') }} as {{ sqlmetrics.type_double() }}) as value
    from {{ ref(model) }}
    {{ 'union all' if not (loop.last and outer_loop.last) }}
    {%- endfor %}
    {%- endfor %}
)
select
    expected.family,
    expected.metric,
    expected.slice,
    expected.expected,
    found.value,
    abs(found.value - expected.expected) / greatest(1, abs(expected.expected)) as difference
from {{ ref('expected') }} as expected
left join found
    on expected.family = found.family
    and expected.metric = found.metric
    and expected.slice = found.slice
