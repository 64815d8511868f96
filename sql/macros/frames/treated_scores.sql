{#-
title: treated scores
rows: one per distinct score, with what the treatment gained down to it
totals: max(weight_of_all)
columns: score, share (of the weight, at this score), cumulative_share (at this score or above), qini and uplift (the gain down to this score), qini_above and uplift_above (before it) and qini_of_all and uplift_of_all (at the end), in shares of all rows, treated_positives, treated_negatives, control_positives and control_negatives (the shares of the four kinds of rows among all), weight_through (at this score or above), weight_of_all, row_count and, where a metric uses them (arms), share_above (of the weight, before this score) and of either arm (treated, control) its rows and its positives at this score in shares of all rows (treated_rows, treated_responses), the share of its weight at this score (treated_share) and before it (treated_share_above)
-#}

{#- In shares of all rows, because products of weights may be too large for a double; of rows that weigh nothing they are 0. -#}
{%- macro treated_scores(f, rows_from, keys) -%}
{%- set distinct = 'distinct_treated_scores' ~ f.suffix -%}
{%- set summed = dict(f, cte='treated_sums' ~ f.suffix, rows='one per distinct score, with the sums over the higher ones') -%}
{%- set measures = {
    'weight': 'pos + neg',
    'treated': 'treatment * (pos + neg)',
    'control': '(1 - treatment) * (pos + neg)',
    'treated_positives': 'treatment * pos',
    'control_positives': '(1 - treatment) * pos',
    'treated_negatives': 'treatment * neg',
    'control_negatives': '(1 - treatment) * neg',
} -%}
{%- set names = {} -%}
{%- set sums_at_scores = [] -%}
{%- set running = [] -%}
{%- for measure, value in measures.items() -%}
{%- do sums_at_scores.append('sum(' ~ value ~ ') as ' ~ measure) -%}
{%- do names.update({measure: measure}) -%}
{%- for reach, ending in {'before': '_above', 'here': '_through', 'all': '_in_all'}.items() if reach == 'all' or 'negatives' not in measure -%}
{%- do running.append({'measure': measure, 'reach': reach, 'as': measure ~ ending}) -%}
{%- endfor -%}
{%- endfor -%}
{%- set carried = ['score', 'weight', 'treated', 'control', 'treated_positives', 'control_positives', 'row_count']
    + (['treated_negatives', 'control_negatives'] if f.two_level else []) -%}
{{ sqlmetrics.cte(distinct, 'one per distinct score') }}
{{ sqlmetrics.sums_by(keys + ['score'], sums_at_scores, rows_from, f.where) }}
{{ sqlmetrics.ctes(sqlmetrics.running_sums(summed, distinct, keys, 'score', ' desc', carried, names, running)) }}
{{ sqlmetrics.cte(f.cte, f.rows) }}
select
    {{- sqlmetrics.leading(keys + ['score']) }}
    coalesce(weight / nullif(weight_in_all, 0), 0) as share,
    coalesce(weight_through / nullif(weight_in_all, 0), 0) as cumulative_share,
{%- for ending, name in {'_through': '', '_above': '_above'}.items() %}
    coalesce(treated_positives{{ ending }} / nullif(weight_in_all, 0)
        - coalesce(control_positives{{ ending }} / nullif(control{{ ending }}, 0), 0) * (treated{{ ending }} / nullif(weight_in_all, 0)), 0) as qini{{ name }},
    (coalesce(treated_positives{{ ending }} / nullif(treated{{ ending }}, 0), 0) - coalesce(control_positives{{ ending }} / nullif(control{{ ending }}, 0), 0))
        * coalesce(weight{{ ending }} / nullif(weight_in_all, 0), 0) as uplift{{ name }},
{%- endfor %}
{%- for name in ['treated_positives', 'treated_negatives', 'control_positives', 'control_negatives'] %}
    {{ name }}_in_all / nullif(weight_in_all, 0) as {{ name }},
{%- endfor %}
    treated_positives_in_all / nullif(weight_in_all, 0)
        - control_positives_in_all / nullif(control_in_all, 0) * (treated_in_all / nullif(weight_in_all, 0)) as qini_of_all,
    treated_positives_in_all / nullif(treated_in_all, 0) - control_positives_in_all / nullif(control_in_all, 0) as uplift_of_all,
{%- if 'arms' in f.uses %}
    coalesce(weight_above / nullif(weight_in_all, 0), 0) as share_above,
{%- for arm in ['treated', 'control'] %}
    coalesce({{ arm }} / nullif(weight_in_all, 0), 0) as {{ arm }}_rows,
    coalesce({{ arm }}_positives / nullif(weight_in_all, 0), 0) as {{ arm }}_responses,
    coalesce({{ arm }} / nullif({{ arm }}_in_all, 0), 0) as {{ arm }}_share,
    coalesce({{ arm }}_above / nullif({{ arm }}_in_all, 0), 0) as {{ arm }}_share_above,
{%- endfor %}
{%- endif %}
    weight_through,
    weight_in_all as weight_of_all,
    row_count
from {{ summed.cte }}
{%- endmacro -%}

{#- An area of gains above the straight line, as a share of that of a perfect order, under whose points the area is `perfect`. Where no
    order differs from the line (`alike`) there is no share. -#}
{%- macro share_of_perfect_gain(curve, perfect, alike) -%}
(sum(share * ({{ curve }}_above + {{ curve }})) / 2 - max({{ curve }}_of_all) / 2)
/ nullif(max(case
    when treated_positives + treated_negatives > 0
        and control_positives + control_negatives > 0
        and not ({{ alike }})
        then {{ perfect }}
            - {{ curve }}_of_all / 2
end), 0)
{%- endmacro -%}

{#- The points of a curve in weights, the first of which chooses nobody. -#}
{%- macro gain_rows(curve, f, keys) -%}
select
    {{ sqlmetrics.select_list(keys + ['score as threshold', 'weight_through as targeted']) }},
    {{ curve }} * weight_of_all as incremental_gain,
    {{ curve }}_of_all * cumulative_share * weight_of_all as random_gain
from {{ f.cte }}
union all
select distinct
    {{ sqlmetrics.select_list(keys + [sqlmetrics.infinity() ~ ' as threshold']) }},
    {{ sqlmetrics.to_double('0') }} as targeted,
    {{ sqlmetrics.to_double('0') }} as incremental_gain,
    {{ sqlmetrics.to_double('0') }} as random_gain
from {{ f.cte }}
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
