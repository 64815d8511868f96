{#-
title: treated scores
rows: one per distinct score, or row of the log, with the gain of the treatment down to it
totals: max(weight_of_all)
columns: score, share (of the weight, at this score), qini and uplift (the gain down to this score), qini_above and uplift_above (before it) and qini_of_all and uplift_of_all (at the end), in shares of all rows, treated_positives, treated_negatives, control_positives and control_negatives (the shares of the four kinds of rows among all), weight_through (at this score or above), weight_of_all, row_count and, where a metric uses them (arms), share_above (of the weight, before this score) and of either arm (treated, control) its rows and its positives at this score in shares of all rows (treated_rows, treated_responses), the share of its weight at this score (treated_share) and before it (treated_share_above); where rows are ranked one by one, the last row of a score has its gains and row_count, the first the gains before it, and a row the shares of its own arm
-#}

{#- In shares of all rows, because products of weights may be too large for a double; of rows that weigh nothing they are 0. -#}
{%- macro treated_scores(f, rows_from, keys) -%}
{%- set of_all = ' / nullif(weight_in_all, 0)' -%}
{{ sqlmetrics.treated_ranks(f, rows_from, keys) if f.ranked else sqlmetrics.treated_sums(f, rows_from, keys) }}
{{ sqlmetrics.cte(f.cte, f.rows) }}
select
    {{- sqlmetrics.leading(keys + ['score', 'row_count', 'weight_through']) }}
    weight_in_all as weight_of_all,
    coalesce(weight{{ of_all }}, 0) as share,
{%- for ending, name in {'_through': '', '_above': '_above'}.items() %}
    coalesce(treated_positives{{ ending ~ of_all }}
        - coalesce(control_positives{{ ending }} / nullif(control{{ ending }}, 0), 0) * (treated{{ ending ~ of_all }}), 0) as qini{{ name }},
    (coalesce(treated_positives{{ ending }} / nullif(treated{{ ending }}, 0), 0) - coalesce(control_positives{{ ending }} / nullif(control{{ ending }}, 0), 0))
        * coalesce(weight{{ ending ~ of_all }}, 0) as uplift{{ name }},
{%- endfor %}
{%- for arm in ['treated', 'control'] %}
{%- if 'arms' in f.uses %}
    coalesce({{ arm ~ of_all }}, 0) as {{ arm }}_rows,
    coalesce({{ arm }}_positives{{ of_all }}, 0) as {{ arm }}_responses,
{%- for ending in ['', '_above'] %}
    coalesce({{ 'of_arm' ~ ending if f.ranked else arm ~ ending ~ ' / nullif(' ~ arm ~ '_in_all, 0)' }}, 0) as {{ arm }}_share{{ ending }},
{%- endfor %}
{%- endif %}
{%- for label in ['positives', 'negatives'] %}
    {{ arm ~ '_' ~ label }}_in_all{{ of_all }} as {{ arm ~ '_' ~ label }},
{%- endfor %}
{%- endfor %}
    {{- '\n    coalesce(weight_above' ~ of_all ~ ', 0) as share_above,' if 'arms' in f.uses }}
    treated_positives_in_all{{ of_all }}
        - control_positives_in_all / nullif(control_in_all, 0) * (treated_in_all{{ of_all }}) as qini_of_all,
    treated_positives_in_all / nullif(treated_in_all, 0) - control_positives_in_all / nullif(control_in_all, 0) as uplift_of_all
from treated_sums{{ f.suffix }}
{%- endmacro -%}

{#- Of one row per distinct score. -#}
{%- macro treated_sums(f, rows_from, keys) -%}
{%- set measures = {
    'weight': 'pos + neg',
    'treated': 'treatment * (pos + neg)',
    'control': '(1 - treatment) * (pos + neg)',
    'treated_positives': 'treatment * pos',
    'control_positives': '(1 - treatment) * pos',
    'treated_negatives': 'treatment * neg',
    'control_negatives': '(1 - treatment) * neg',
} -%}
{%- set summed = dict(f, cte='treated_sums' ~ f.suffix, rows='the same, with the sums over the higher ones') -%}
{%- set names = {} -%}
{%- set running = [] -%}
{%- for measure in measures -%}
{%- do names.update({measure: measure}) -%}
{%- for reach, ending in {'before': '_above', 'here': '_through', 'all': '_in_all'}.items() if reach == 'all' or 'negatives' not in measure -%}
{%- do running.append({'measure': measure, 'reach': reach, 'as': measure ~ ending}) -%}
{%- endfor -%}
{%- endfor -%}
{{ sqlmetrics.cte('treated_rows' ~ f.suffix, 'one per distinct score') }}
select
    {{- sqlmetrics.leading(keys + ['score']) }}
{%- for measure, value in measures.items() %}
    sum({{ value }}) as {{ measure }},
{%- endfor %}
    count(*) as row_count
from {{ rows_from }}
{{- f.where }}
{{- sqlmetrics.group_by(keys + ['score']) }}
{{ sqlmetrics.ctes(sqlmetrics.running_sums(summed, 'treated_rows' ~ f.suffix, keys, 'score', ' desc', ['score', 'row_count'] + names | list, names, running)) }}
{%- endmacro -%}

{#- Of one row per row, in one sort, where hardly two rows share a score. Counts go row by row, so that the first row of a score knows what is
    above it and the last what is down to it; the others have no responses there, and so no gains. -#}
{%- macro treated_ranks(f, rows_from, keys) -%}
{%- set counts = ['treated', 'treated_positives', 'control_positives'] -%}
{%- set by_score = sqlmetrics.over(keys, 'score desc') -%}
{%- set in_arm = sqlmetrics.over(keys + ['treated'], 'score desc') -%}
{%- set to_here = sqlmetrics.over(keys, 'score desc rows unbounded preceding') -%}
{%- set through = 'round(cumulative_share * weight_in_all)' -%}
{{ sqlmetrics.cte('treated_rows' ~ f.suffix, 'what is sorted', stored=true) }}
select
    {{- sqlmetrics.leading(keys + ['score']) }}
    {{ sqlmetrics.to_tinyint('treatment') }} as treated,
    {{ sqlmetrics.to_tinyint('treatment * pos') }} as treated_positives,
    {{ sqlmetrics.to_tinyint('(1 - treatment) * pos') }} as control_positives
from {{ rows_from }}
{{- f.where }}
{{ sqlmetrics.cte('treated_totals' ~ f.suffix, 'one per slice') }}
select
    {{- sqlmetrics.leading(keys) }}
{%- for count in counts %}
    {{ sqlmetrics.to_double('sum(' ~ count ~ ')') }} as {{ count }}_in_all,
{%- endfor %}
    {{ sqlmetrics.to_double('count(*)') }} as weight_in_all
from treated_rows{{ f.suffix }}
{{- sqlmetrics.group_by(keys) }}
{{ sqlmetrics.cte('treated_ranks' ~ f.suffix, 'the same, with the counts down to each') }}
select
    {{- sqlmetrics.leading(keys + ['score'] + counts) }}
    {{ sqlmetrics.to_double('row_number() ' ~ by_score) }} as place,
    {{ sqlmetrics.to_double('rank() ' ~ by_score ~ ' - 1') }} as weight_above,
    cume_dist() {{ by_score }} as cumulative_share,
{%- if 'arms' in f.uses %}
    {{ sqlmetrics.to_double('rank() ' ~ in_arm ~ ' - 1') }} as arm_above,
    count(*) {{ sqlmetrics.over(keys + ['treated']) }} as rows_of_arm,
    cume_dist() {{ in_arm }} as of_arm_through,
{%- endif %}
{%- for count in counts %}
    sum({{ count }}) {{ to_here }} as {{ count }}_to_here{{ ',' if not loop.last }}
{%- endfor %}
from treated_rows{{ f.suffix }}
{{ sqlmetrics.cte('treated_sums' ~ f.suffix, 'the same of either arm') }}
select{{ sqlmetrics.broadcast('totals') }}
    {{- sqlmetrics.leading(keys, 'ranked') }}
    {{- sqlmetrics.leading(['score', 'weight_above', 'weight_in_all', 'treated', 'treated_in_all']) }}
    {{ through }} - weight_above as weight,
    {{ through }} as weight_through,
    case when place = {{ through }} then place - weight_above else 0 end as row_count,
    {{ sqlmetrics.to_double('treated_to_here') }} as treated_through,
    {{ sqlmetrics.to_double('treated_to_here - treated') }} as treated_above,
    1 - treated as control,
    place - treated_to_here as control_through,
    place - 1 - (treated_to_here - treated) as control_above,
    weight_in_all - treated_in_all as control_in_all,
{%- if 'arms' in f.uses %}
    arm_above / nullif(rows_of_arm, 0) as of_arm_above,
    of_arm_through - arm_above / nullif(rows_of_arm, 0) as of_arm,
{%- endif %}
{%- for arm, total in {'treated': 'treated_in_all', 'control': 'weight_in_all - treated_in_all'}.items() %}
    {{ arm }}_positives,
    {{ arm }}_positives_in_all,
    {{ total }} - {{ arm }}_positives_in_all as {{ arm }}_negatives_in_all,
    case when place = weight_above + 1 then {{ sqlmetrics.to_double(arm ~ '_positives_to_here - ' ~ arm ~ '_positives') }} end as {{ arm }}_positives_above,
    case when place = {{ through }} then {{ sqlmetrics.to_double(arm ~ '_positives_to_here') }} end as {{ arm }}_positives_through{{ ',' if loop.first }}
{%- endfor %}
from treated_ranks{{ f.suffix }} as ranked
{{ 'inner' if keys else 'cross' }} join treated_totals{{ f.suffix }} as totals
{{- '\n    on ' ~ sqlmetrics.same_keys('ranked', 'totals', keys) | join('\n    and ') if keys }}
{%- endmacro -%}

{#- An area of gains above the straight line, as a share of that of a perfect order, under whose points the area is `perfect`. Where no
    order differs from the line (`alike`) there is no share. These are made of totals, which are the same in all rows. -#}
{%- macro share_of_perfect_gain(curve, perfect, alike) -%}
{%- set best = namespace(gain='case
    when treated_positives + treated_negatives > 0
        and control_positives + control_negatives > 0
        and not (' ~ alike ~ ')
        then ' ~ perfect ~ '
            - ' ~ curve ~ '_of_all / 2
end') -%}
{%- for total in ['treated_positives', 'treated_negatives', 'control_positives', 'control_negatives', curve ~ '_of_all'] -%}
{%- set best.gain = best.gain | replace(total, 'max(' ~ total ~ ')') -%}
{%- endfor -%}
(sum(share * ({{ curve }}_above + {{ curve }})) / 2 - max({{ curve }}_of_all) / 2)
/ nullif({{ best.gain }}, 0)
{%- endmacro -%}

{#- The points of a curve in weights, the first of which chooses nobody. -#}
{%- macro gain_rows(curve, f, keys) -%}
select
    {{ sqlmetrics.select_list(keys + ['score as threshold', 'weight_through as targeted']) }},
    {{ curve }} * weight_of_all as incremental_gain,
    {{ curve }}_of_all * weight_through as random_gain
from {{ f.cte }}
where row_count > 0
union all
select
    {{ sqlmetrics.select_list(keys + [sqlmetrics.infinity() ~ ' as threshold'] + sqlmetrics.for_each(['targeted', 'incremental_gain', 'random_gain'], sqlmetrics.to_double('0') ~ ' as {0}')) }}
from treated_rows{{ f.suffix }}
{{- sqlmetrics.group_by(keys) if keys else '\nhaving count(*) > 0' }}
{%- endmacro -%}

{#- The part of a score that is among the highest scores with this share of the weight; not by the last bits of sums of weights. -#}
{%- macro part_in_top(share, above, here) -%}
{%- set whole = sqlmetrics.to_double(sqlmetrics.number(share)) -%}
case
    when {{ whole }} >= 1 then 1
    when {{ whole }} - {{ above }} <= 1e-9 then 0
    when {{ whole }} - {{ above }} >= {{ here }} then 1
    else ({{ whole }} - {{ above }}) / nullif({{ here }}, 0)
end
{%- endmacro -%}
