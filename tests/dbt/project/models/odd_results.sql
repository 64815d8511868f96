{{ config(materialized='view') }}
{% for label in ['Is Clicked', 'CLICKED', 'select'] %}
select '{{ label }}' as label_column, {{ adapter.quote("the user's Device") }} as device, n, auc from (
{{ sqlmetrics.auc(ref('odd_names'), label=label, score='p CTR', by=["the user's Device"]) }}
) as result_{{ loop.index }}
{{ 'union all' if not loop.last }}
{% endfor %}
