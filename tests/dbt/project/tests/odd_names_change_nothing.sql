with plain as (
{{ sqlmetrics.evaluate(
    ref('impressions'), metrics=['auc', 'gauc', 'f1', 'log_loss'], label='clicked', score='pctr', group='user_id', by='device',
) }}
)
select odd_results.*
from {{ ref('odd_results') }} as odd_results
left join plain
    on odd_results.device is not distinct from plain.device
where plain.n is null
    or odd_results.n <> plain.n
{%- for metric in ['auc', 'gauc', 'f1', 'log_loss'] %}
    or coalesce(abs(odd_results.{{ metric }} - plain.{{ metric }}), 1) > 1e-12
{%- endfor %}
union all
select *
from {{ ref('odd_results') }}
where (select count(*) from {{ ref('odd_results') }}) <> 12
