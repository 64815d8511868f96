-- March on two devices: 4,000 impressions a day, drawn by hash, so that they are the same everywhere. With
-- `--vars 'decays_on: 2026-03-30'` the scores of phones get much worse from that day on. With
-- `--vars 'late_rows: true'` late rows of the first day arrive.
with numbers as (
    select
        i,
        date '2026-03-01' + (i // 4000)::integer as day,
        case when hash('device:' || i) % 2 = 0 then 'phone' else 'desktop' end as device,
        'u' || (hash('user:' || i) % 3000) as user_id,
        hash('dice:' || i) / 18446744073709551616.0 as dice,
        -- the sum of three uniform numbers is nearly normal
        2 * ((hash('s1:' || i) / 2.0 + hash('s2:' || i) / 2.0 + hash('s3:' || i) / 2.0) / 9223372036854775808.0 - 1.5) as signal,
        2 * ((hash('n1:' || i) / 2.0 + hash('n2:' || i) / 2.0 + hash('n3:' || i) / 2.0) / 9223372036854775808.0 - 1.5) as noise
    from range(120000) as t(i)
),
scored as (
    select
        *,
        case
            when device = 'phone' and day >= date '{{ var('decays_on', '9999-01-01') }}' then 0.6 * signal + 0.8 * noise
            else signal
        end as seen
    from numbers
)
select
    day,
    device,
    user_id,
    case when dice < 1 / (1 + exp(0.9 - signal)) then 1 else 0 end as clicked,
    1 / (1 + exp(0.9 - seen)) as pctr
from scored
{%- if not var('late_rows', false) %}
where i % 4000 >= 40 or day > date '2026-03-01'
{%- endif %}
