{#-
title: treated areas
rows: one per slice, with the areas between the curves of uplift and the straight lines to their ends
totals: sum(weight_of_all)
columns: row_count, weight_of_all, qini_area and uplift_area (of the curves above the line, both axes in shares of all weight), treated_positives, treated_negatives, control_positives and control_negatives (the shares of the four kinds of rows among all), treated_rate and control_rate (of responses)
-#}

{#- Summation by parts avoids running sums of both arms. N and n are the shares of all weight at or above a score, and above it. Δr_t and
    Δr_c are the changes of the response rate of each arm at a score. The uplift area above the line is Σ N·n·(Δr_c − Δr_t) / 2 over the
    scores. The Qini area is Σ y·(1 − N − n) / 2 + Σ N·n·Δr_c / 2; y is the share of responses of both arms. Equal scores share N and n, so
    their rows count one by one, in any order. -#}
{%- macro treated_areas(f, rows_from, keys) -%}
{%- set per_row = ' / nullif(count(*), 0)' if f.ranked else '' -%}
{%- set of_total = ' / nullif(sum(weight), 0)' -%}
{{ sqlmetrics.treated_rows(f, rows_from, keys) }}
{%- if f.ranked %}
{#- Per row, in rows. Shares order the rows of an arm like scores, and leave fewer columns to sort. #}
{%- set by_score = sqlmetrics.over(keys, 'score desc') -%}
{%- set in_arm = sqlmetrics.over(keys + ['treated'], 'cumulative_share asc') -%}
{%- set running = sqlmetrics.over(keys + ['treated'], 'cumulative_share asc rows unbounded preceding') -%}
{{ sqlmetrics.cte('overall_ranks' ~ f.suffix, 'ranks by score over both arms') }}
select
    {{- sqlmetrics.leading(keys + ['treated', 'is_positive']) }}
    {{ sqlmetrics.to_double('rank() ' ~ by_score ~ ' - 1') }} as weight_above,
    cume_dist() {{ by_score }} as cumulative_share
from {{ f.cte }}_rows
{{ sqlmetrics.cte('arm_ranks' ~ f.suffix, 'ranks, with the cumulative rows and responses of their arm') }}
select
    {{- sqlmetrics.leading(keys + ['treated', 'is_positive', 'weight_above', 'cumulative_share']) }}
    {{ sqlmetrics.to_double('row_number() ' ~ in_arm) }} as arm_rank,
    {{ sqlmetrics.to_double('sum(is_positive) ' ~ running) }} as arm_positives
from overall_ranks{{ f.suffix }}
{%- set rate_before = 'coalesce((arm_positives - is_positive) / nullif(arm_rank - 1, 0), 0)' -%}
{%- set change = '((is_positive - ' ~ rate_before ~ ') / nullif(arm_rank, 0))' %}
{{ sqlmetrics.cte('treated_rates' ~ f.suffix, 'change of the response rate of its arm at each row') }}
select
    {{- sqlmetrics.leading(keys) }}
    1 as row_count,
    {{ sqlmetrics.to_double('1') }} as weight,
    {{ sqlmetrics.to_double('is_positive') }} as positives,
    {{ sqlmetrics.to_double('treated * is_positive') }} as treated_positives,
    {{ sqlmetrics.to_double('treated * (1 - is_positive)') }} as treated_negatives,
    {{ sqlmetrics.to_double('(1 - treated) * is_positive') }} as control_positives,
    {{ sqlmetrics.to_double('(1 - treated) * (1 - is_positive)') }} as control_negatives,
    weight_above,
    cumulative_share,
    treated * {{ change }} as treated_change,
    (1 - treated) * {{ change }} as control_change
from arm_ranks{{ f.suffix }}
{%- else %}
{#- Per distinct score, in shares of all weight, because products of weights may exceed a double. #}
{%- set measures = ['weight', 'treated', 'control', 'treated_positives', 'control_positives'] -%}
{%- set columns = ['row_count', 'weight', 'treated_positives', 'treated_negatives', 'control_positives', 'control_negatives'] -%}
{%- set endings = {'before': '_above', 'cumulative': '_cumulative', 'total': '_total'} -%}
{{ sqlmetrics.treated_sums(f, 'sums_of_arms' ~ f.suffix, f.cte ~ '_rows', keys, 'score', ' desc', measures, endings, columns + ['treated', 'control']) }}
{{ sqlmetrics.cte('treated_rates' ~ f.suffix, 'changes of the response rates at each score') }}
select
    {{- sqlmetrics.leading(keys + columns) }}
    treated_positives + control_positives as positives,
    weight_above / nullif(weight_total, 0) as weight_above,
    weight_cumulative / nullif(weight_total, 0) as cumulative_share
{%- for arm in ['treated', 'control'] %},
    coalesce({{ arm }}_positives_cumulative / nullif({{ arm }}_cumulative, 0), 0)
        - coalesce({{ arm }}_positives_above / nullif({{ arm }}_above, 0), 0) as {{ arm }}_change
{%- endfor %}
from sums_of_arms{{ f.suffix }}
{%- endif %}
{{ sqlmetrics.cte(f.cte, f.rows) }}
select
    {{- sqlmetrics.leading(keys) }}
    sum(row_count) as row_count,
    sum(weight) as weight_of_all,
{%- for measure in ['treated_positives', 'treated_negatives', 'control_positives', 'control_negatives'] %}
    sum({{ measure }}){{ of_total }} as {{ measure }},
{%- endfor %}
{%- for arm in ['treated', 'control'] %}
    sum({{ arm }}_positives) / nullif(sum({{ arm }}_positives + {{ arm }}_negatives), 0) as {{ arm }}_rate,
{%- endfor %}
    (sum(positives * (1 - cumulative_share)) - sum(positives * weight_above){{ per_row }}){{ of_total }} / 2
        + sum(weight_above * cumulative_share * control_change){{ per_row }} / 2 as qini_area,
    sum(weight_above * cumulative_share * (control_change - treated_change)){{ per_row }} / 2 as uplift_area
from treated_rates{{ f.suffix }}
{{- sqlmetrics.group_by(keys) }}
{%- endmacro -%}

{#- The area of gains above the line as a share of that of a perfect order (`perfect`, under its points). If no order differs from the line
    (`alike`), the share is NULL; `end` is the end of the line. -#}
{%- macro share_of_perfect_gain(curve, perfect, alike, end) -%}
max({{ curve }}_area / nullif(case
    when treated_positives + treated_negatives > 0
        and control_positives + control_negatives > 0
        and not ({{ alike }})
        then {{ perfect }}
            - {{ end }} / 2
end, 0))
{%- endmacro -%}
