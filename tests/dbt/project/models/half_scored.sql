{#- A new model that scores no phones, beside a champion that is bad at phones: over all rows of each, the new one looks better. -#}
select
    device,
    user_id,
    clicked,
    grade,
    2 * pctr as twice_pctr,
    pctr,
    case when device = 'phone' then 1 - pctr else pctr end as champion,
    case when device = 'phone' then null else pctr_b end as live
from {{ ref('impressions') }}
