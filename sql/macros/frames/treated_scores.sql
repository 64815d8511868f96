{#-
title: treated scores
rows: one per distinct score, or row of the log, of treated rows and others
totals: sum(treated + control)
columns: treated and control (the weight of either arm at this score), treated_positives and control_positives (that of its responses), row_count, share and share_above (of all weight, at this score and above it) and the same of either arm (treated_share, treated_share_above, control_share, control_share_above); of rows that are ranked, a row has the shares of its own arm
-#}

{#- In shares, because products of weights may exceed a double; without any weight they are 0. -#}
{%- macro treated_scores(f, rows_from, keys) -%}
{{ sqlmetrics.treated_rows(f, rows_from, keys) }}
{{ sqlmetrics.treated_shares_of_ranks(f, keys) if f.ranked else sqlmetrics.treated_shares_of_sums(f, keys) }}
{%- endmacro -%}

{#- First step of uplift frames: narrow rows for the sort, or sums per distinct score. -#}
{%- macro treated_rows(f, rows_from, keys, name='treated_rows', materialized=true) -%}
{%- if f.ranked -%}
{{ sqlmetrics.cte(name ~ f.suffix, 'columns for the ranking', materialized=materialized) }}
select
    {{- sqlmetrics.leading(keys + ['score']) }}
    {{ sqlmetrics.to_tinyint('treatment') }} as treated,
    {{ sqlmetrics.to_tinyint('pos') }} as is_positive
from {{ rows_from }}
{{- f.where }}
{%- else -%}
{{ sqlmetrics.cte(name ~ f.suffix, 'one per distinct score') }}
select
    {{- sqlmetrics.leading(keys + ['score']) }}
    sum(pos + neg) as weight,
    sum(treatment * (pos + neg)) as treated,
    sum((1 - treatment) * (pos + neg)) as control,
    sum(treatment * pos) as treated_positives,
    sum(treatment * neg) as treated_negatives,
    sum((1 - treatment) * pos) as control_positives,
    sum((1 - treatment) * neg) as control_negatives,
    count(*) as row_count
from {{ rows_from }}
{{- f.where }}
{{- sqlmetrics.group_by(keys + ['score']) }}
{%- endif -%}
{%- endmacro -%}

{#- The step `name` with running sums of measures; `endings` has the endings of columns. -#}
{%- macro treated_sums(f, name, from, keys, value, direction, measures, endings, carried=['row_count']) -%}
{%- set sums, names = [], {} -%}
{%- for measure in measures -%}
{%- do names.update({measure: measure}) -%}
{%- for scope, ending in endings.items() -%}{%- do sums.append({'measure': measure, 'scope': scope, 'as': measure ~ ending}) -%}{%- endfor -%}
{%- endfor -%}
{%- set summed = dict(f, cte=name, rows='running sums from the highest score down') -%}
{{ sqlmetrics.ctes(sqlmetrics.running_sums(summed, from, keys, value, direction, [value] + carried, names, sums)) }}
{%- endmacro -%}

{%- macro treated_shares_of_sums(f, keys) -%}
{%- set measures = ['weight', 'treated', 'control'] -%}
{%- set endings = {'before': '_above', 'total': '_total'} -%}
{%- set carried = ['row_count', 'treated_positives', 'control_positives'] + measures -%}
{{ sqlmetrics.treated_sums(f, 'treated_sums' ~ f.suffix, 'treated_rows' ~ f.suffix, keys, 'score', ' desc', measures, endings, carried) }}
{{ sqlmetrics.cte(f.cte, f.rows) }}
select
    {{- sqlmetrics.leading(keys + carried) }}
{%- for measure, prefix in {'weight': '', 'treated': 'treated_', 'control': 'control_'}.items() %}
    coalesce({{ measure }} / nullif({{ measure }}_total, 0), 0) as {{ prefix }}share,
    coalesce({{ measure }}_above / nullif({{ measure }}_total, 0), 0) as {{ prefix }}share_above{{ ',' if not loop.last }}
{%- endfor %}
from treated_sums{{ f.suffix }}
{%- endmacro -%}

{#- One row per row of the log, for logs with few ties. -#}
{%- macro treated_shares_of_ranks(f, keys) -%}
{%- set by_score = sqlmetrics.over(keys, 'score desc') -%}
{%- set in_arm = sqlmetrics.over(keys + ['treated'], 'score desc') -%}
{{ sqlmetrics.treated_totals(f, keys) }}
{{ sqlmetrics.cte('treated_ranks' ~ f.suffix, 'ranks by score, overall and in each arm') }}
select
    {{- sqlmetrics.leading(keys + ['treated', 'is_positive']) }}
    {{ sqlmetrics.to_double('rank() ' ~ by_score ~ ' - 1') }} as rows_above,
    cume_dist() {{ by_score }} as cumulative_share,
    {{ sqlmetrics.to_double('rank() ' ~ in_arm ~ ' - 1') }} as arm_above,
    count(*) {{ sqlmetrics.over(keys + ['treated']) }} as rows_of_arm,
    cume_dist() {{ in_arm }} as cumulative_share_of_arm
from treated_rows{{ f.suffix }}
{{ sqlmetrics.cte(f.cte, f.rows) }}
select{{ sqlmetrics.broadcast('totals') }}
    {{- sqlmetrics.leading(keys, 'ranked') }}
    1 as row_count,
    {{ sqlmetrics.to_double('treated') }} as treated,
    {{ sqlmetrics.to_double('1 - treated') }} as control,
    {{ sqlmetrics.to_double('treated * is_positive') }} as treated_positives,
    {{ sqlmetrics.to_double('(1 - treated) * is_positive') }} as control_positives,
    cumulative_share - rows_above / nullif(weight_total, 0) as share,
    rows_above / nullif(weight_total, 0) as share_above
{%- for arm in ['treated', 'control'] %},
    cumulative_share_of_arm - arm_above / nullif(rows_of_arm, 0) as {{ arm }}_share,
    arm_above / nullif(rows_of_arm, 0) as {{ arm }}_share_above
{%- endfor %}
from treated_ranks{{ f.suffix }} as ranked
{{ sqlmetrics.join_of_treated_totals(f, keys, 'ranked') }}
{%- endmacro -%}

{%- macro treated_totals(f, keys, counts={'weight': 'count(*)'}) -%}
{%- set items = [] -%}
{%- for name, count in counts.items() -%}{%- do items.append(sqlmetrics.to_double(count) ~ ' as ' ~ name ~ '_total') -%}{%- endfor -%}
{{ sqlmetrics.cte('treated_totals' ~ f.suffix, 'one per slice') }}
select
    {{ sqlmetrics.select_list(keys + items) }}
from treated_rows{{ f.suffix }}
{{- sqlmetrics.group_by(keys) }}
{%- endmacro -%}

{%- macro join_of_treated_totals(f, keys, rows) -%}
{{ 'inner' if keys else 'cross' }} join treated_totals{{ f.suffix }} as totals{{ sqlmetrics.on(rows, 'totals', keys) if keys }}
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
