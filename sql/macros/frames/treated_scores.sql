{#-
title: treated scores
rows: one per distinct score, or row of the log, of treated rows and others
totals: sum(treated + control)
columns: treated and control (the weight of either arm at this score), treated_positives and control_positives (that of its responses), row_count, share and share_above (of all weight, at this score and above it) and the same of either arm (treated_share, treated_share_above, control_share, control_share_above); of rows that are ranked, a row has the shares of its own arm
-#}

{#- In shares, because products of weights may exceed a double; without any weight they are 0. -#}
{%- macro treated_scores(f, rows_from, keys) -%}
{{ sqlmetrics.treated_rows(f, rows_from, keys, materialized=f.ranked) }}
{%- if f.ranked %}
{%- set by_score = sqlmetrics.over(keys, 'score desc') -%}
{%- set in_arm = sqlmetrics.over(keys + ['treated'], 'score desc') -%}
{{ sqlmetrics.cte('treated_ranks' ~ f.suffix, 'ranks by score, overall and in each arm') }}
select
    {{- sqlmetrics.leading(keys + ['treated', 'is_positive']) }}
    {{ sqlmetrics.to_double('rank() ' ~ by_score ~ ' - 1') }} as rows_above,
    cume_dist() {{ by_score }} as cumulative_share,
    {{ sqlmetrics.to_double('rank() ' ~ in_arm ~ ' - 1') }} as arm_above,
    count(*) {{ sqlmetrics.over(keys + ['treated']) }} as rows_of_arm,
    cume_dist() {{ in_arm }} as cumulative_share_of_arm
from {{ f.cte }}_rows
{{ sqlmetrics.cte(f.cte, f.rows) }}
select{{ sqlmetrics.broadcast('totals') }}
    {{- sqlmetrics.leading(keys, 'ranked') }}
    1 as row_count,
    {{ sqlmetrics.to_double('treated') }} as treated,
    {{ sqlmetrics.to_double('1 - treated') }} as control,
    {{ sqlmetrics.to_double('treated * is_positive') }} as treated_positives,
    {{ sqlmetrics.to_double('(1 - treated) * is_positive') }} as control_positives,
    cumulative_share - rows_above / nullif(rows_of_all, 0) as share,
    rows_above / nullif(rows_of_all, 0) as share_above
{%- for arm in ['treated', 'control'] %},
    cumulative_share_of_arm - arm_above / nullif(rows_of_arm, 0) as {{ arm }}_share,
    arm_above / nullif(rows_of_arm, 0) as {{ arm }}_share_above
{%- endfor %}
from treated_ranks{{ f.suffix }} as ranked
inner join (
    select
        {{- sqlmetrics.leading(keys, depth=2) }}
        {{ sqlmetrics.to_double('count(*)') }} as rows_of_all
    from {{ f.cte }}_rows
    {{- sqlmetrics.indented(sqlmetrics.group_by(keys)) }}
) as totals{{ sqlmetrics.on('ranked', 'totals', keys) }}
{%- else %}
{%- set measures = ['weight', 'treated', 'control'] -%}
{%- set endings = {'before': '_above', 'total': '_total'} -%}
{%- set carried = ['row_count', 'treated_positives', 'control_positives'] + measures -%}
{{ sqlmetrics.treated_sums(f, 'treated_sums' ~ f.suffix, f.cte ~ '_rows', keys, 'score', ' desc', measures, endings, carried) }}
{{ sqlmetrics.cte(f.cte, f.rows) }}
select
    {{- sqlmetrics.leading(keys + carried) }}
{%- for measure, prefix in {'weight': '', 'treated': 'treated_', 'control': 'control_'}.items() %}
    coalesce({{ measure }} / nullif({{ measure }}_total, 0), 0) as {{ prefix }}share,
    coalesce({{ measure }}_above / nullif({{ measure }}_total, 0), 0) as {{ prefix }}share_above{{ ',' if not loop.last }}
{%- endfor %}
from treated_sums{{ f.suffix }}
{%- endif -%}
{%- endmacro -%}

{#- First step of uplift frames: narrow rows for the sort, or sums per distinct score. -#}
{%- macro treated_rows(f, rows_from, keys, materialized=false) -%}
{%- if f.ranked -%}
{{ sqlmetrics.cte(f.cte ~ '_rows', 'columns for the ranking', materialized=materialized) }}
select
    {{- sqlmetrics.leading(keys + ['score']) }}
    {{ sqlmetrics.to_tinyint('treatment') }} as treated,
    {{ sqlmetrics.to_tinyint('pos') }} as is_positive
from {{ rows_from }}
{{- f.where }}
{%- else -%}
{%- set sums = sqlmetrics.selected({
    'weight': 'sum(pos + neg)',
    'treated': 'sum(treatment * (pos + neg))',
    'control': 'sum((1 - treatment) * (pos + neg))',
    'treated_positives': 'sum(treatment * pos)',
    'treated_negatives': 'sum(treatment * neg)',
    'control_positives': 'sum((1 - treatment) * pos)',
    'control_negatives': 'sum((1 - treatment) * neg)',
}) -%}
{{ sqlmetrics.cte(f.cte ~ '_rows', 'one per distinct score', materialized=materialized) }}
{{ sqlmetrics.sums_by(keys + ['score'], sums, rows_from, f.where) }}
{%- endif -%}
{%- endmacro -%}

{#- The step `name` with running sums of measures; `endings` maps scopes to endings of columns. -#}
{%- macro treated_sums(f, name, from, keys, value, direction, measures, endings, carried=['row_count']) -%}
{%- set sums = {} -%}
{%- for measure in measures -%}
{%- for scope, ending in endings.items() -%}{%- do sums.update({measure ~ ending: [measure, scope]}) -%}{%- endfor -%}
{%- endfor -%}
{{ sqlmetrics.sums_in_order(f, name, 'running sums from the highest score down', from, keys, value, direction, [value] + carried, sums) }}
{%- endmacro -%}

{#- The part of a score in the top `share` of the weight, with a tolerance for rounding of sums. -#}
{%- macro part_in_top(share, above, here) -%}
{%- set whole = sqlmetrics.to_double(sqlmetrics.number(share)) -%}
case
    when {{ whole }} >= 1 then 1
    when {{ whole }} - {{ above }} <= 1e-9 then 0
    when {{ whole }} - {{ above }} >= {{ here }} then 1
    else ({{ whole }} - {{ above }}) / nullif({{ here }}, 0)
end
{%- endmacro -%}
