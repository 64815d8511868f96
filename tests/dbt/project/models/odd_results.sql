{{ config(materialized='view') }}
{% for label in ['Is Clicked', 'CLICKED', 'select'] %}
select
    '{{ label }}' as label_column,
    {{ sqlmetrics.identifier("the user's Device") }} as device,
    {{ sqlmetrics.identifier("LogLoss") }} as log_loss,
    n,
    auc,
    gauc,
    f1
from (
{{ sqlmetrics.evaluate(
    ref('odd_names'),
    metrics=['auc', 'gauc', 'f1', {'name': 'log_loss', 'as': 'LogLoss'}],
    label=label, score='p "CTR"', group='User`s Id', by=["the user's Device"],
) }}
) as result_{{ loop.index }}
{{ 'union all' if not loop.last }}
{% endfor %}
