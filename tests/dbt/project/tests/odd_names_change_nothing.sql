select odd_results.*
from {{ ref('odd_results') }} as odd_results
left join {{ ref('binary') }} as plain
    on plain.{{ adapter.quote('grouping') }} = 'device'
    and odd_results.device is not distinct from plain.device
where plain.auc is null
    or abs(odd_results.auc - plain.auc) > 1e-12
