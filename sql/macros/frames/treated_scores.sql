{#-
title: treated scores
rows: one per distinct score, with what the treatment gained down to it
totals: max(weight_of_all)
columns: score, share (of the weight, at this score), share_through (at this score or above), qini and uplift (the gain down to this score) and qini_above and uplift_above (before it), in shares of all rows, treated_positives, treated_negatives, control_positives and control_negatives (the shares of the four kinds of rows among all), weight_through (at this score or above), weight_of_all, row_count and, where a metric uses them (arms), share_above (of the weight, before this score) and of either arm (treated, control) its rows and its positives at this score in shares of all rows (treated_rows, treated_responses), the share of its weight at this score (treated_share) and before it (treated_share_above)
-#}

{#- In shares of all rows, because products of weights may be too large for a double; of rows that weigh nothing they are 0. -#}
{%- macro treated_scores(f, rows_from, keys) -%}
{%- set distinct = 'distinct_treated_scores' ~ f.suffix -%}
{%- set summed = 'treated_sums' ~ f.suffix -%}
{%- set measures = {} -%}
{%- set columns = [] -%}
{%- set sums = [] -%}
{%- for name, expression in {
    'treated_positives': 'treatment * pos',
    'treated_negatives': 'treatment * neg',
    'control_positives': '(1 - treatment) * pos',
    'control_negatives': '(1 - treatment) * neg',
}.items() -%}
{%- do columns.append('sum(' ~ expression ~ ') as ' ~ name ~ '_here') -%}
{%- do measures.update({name: name ~ '_here'}) -%}
{%- for reach, ending in {'before': '_above', 'here': '_through', 'all': '_in_all'}.items() -%}
{%- do sums.append({'measure': name, 'reach': reach, 'as': name ~ ending}) -%}
{%- endfor -%}
{%- endfor -%}
{%- set distinct_scores -%}
select
    {{ sqlmetrics.lines(keys + ['score'] + columns + ['count(*) as row_count']) }}
from {{ rows_from }}
{{- f.where }}
{{- sqlmetrics.group_by(keys + ['score']) }}
{%- endset -%}
{%- set all = sqlmetrics.weight_of('_in_all', ['treated', 'control']) -%}
{%- set items = [
    'score',
    'coalesce(' ~ sqlmetrics.weight_of('_here', ['treated', 'control']) ~ ' / nullif(' ~ all ~ ', 0), 0) as share',
    'coalesce(' ~ sqlmetrics.weight_of('_through', ['treated', 'control']) ~ ' / nullif(' ~ all ~ ', 0), 0) as share_through',
    sqlmetrics.qini_gain('_through', all) ~ ' as qini',
    sqlmetrics.qini_gain('_above', all) ~ ' as qini_above',
    sqlmetrics.uplift_gain('_through', all) ~ ' as uplift',
    sqlmetrics.uplift_gain('_above', all) ~ ' as uplift_above',
] -%}
{%- for name in measures -%}{%- do items.append(name ~ '_in_all / nullif(' ~ all ~ ', 0) as ' ~ name) -%}{%- endfor -%}
{%- if 'arms' in f.uses -%}
{%- do items.append('coalesce(' ~ sqlmetrics.weight_of('_above', ['treated', 'control']) ~ ' / nullif(' ~ all ~ ', 0), 0) as share_above') -%}
{%- for arm in ['treated', 'control'] -%}
{%- set whole = 'nullif(' ~ sqlmetrics.weight_of('_in_all', [arm]) ~ ', 0)' -%}
{%- do items.extend([
    'coalesce(' ~ sqlmetrics.weight_of('_here', [arm]) ~ ' / nullif(' ~ all ~ ', 0), 0) as ' ~ arm ~ '_rows',
    'coalesce(' ~ arm ~ '_positives_here / nullif(' ~ all ~ ', 0), 0) as ' ~ arm ~ '_responses',
    'coalesce(' ~ sqlmetrics.weight_of('_here', [arm]) ~ ' / ' ~ whole ~ ', 0) as ' ~ arm ~ '_share',
    'coalesce(' ~ sqlmetrics.weight_of('_above', [arm]) ~ ' / ' ~ whole ~ ', 0) as ' ~ arm ~ '_share_above',
]) -%}
{%- endfor -%}
{%- endif -%}
{%- set treated_scores -%}
select
    {{ sqlmetrics.lines(keys + items + [sqlmetrics.weight_of('_through', ['treated', 'control']) ~ ' as weight_through', all ~ ' as weight_of_all', 'row_count']) }}
from {{ summed }}
{%- endset -%}
{{ return(
    [sqlmetrics.step(distinct, distinct_scores, 'one per distinct score')]
    + sqlmetrics.running_sums(dict(f, cte=summed, rows='one per distinct score, with the sums over the higher ones'), distinct, keys, 'score', ' desc', ['score'] + measures.values() | list + ['row_count'], measures, sums)
    + [sqlmetrics.step(f.cte, treated_scores, f.rows)]
) }}
{%- endmacro -%}

{%- macro weight_of(ending, arms) -%}
{%- set parts = [] -%}
{%- for arm in arms -%}{%- do parts.extend([arm ~ '_positives' ~ ending, arm ~ '_negatives' ~ ending]) -%}{%- endfor -%}
({{ parts | join(' + ') }})
{%- endmacro -%}

{#- The positives that the treatment brought among those treated, if the others tell what they would have done without it. -#}
{%- macro qini_gain(ending, all) -%}
{%- set treated = sqlmetrics.weight_of(ending, ['treated']) -%}
{%- set control = sqlmetrics.weight_of(ending, ['control']) -%}
coalesce(treated_positives{{ ending }} / nullif({{ all }}, 0) - coalesce(control_positives{{ ending }} / nullif({{ control }}, 0), 0) * ({{ treated }} / nullif({{ all }}, 0)), 0)
{%- endmacro -%}

{#- The difference of the two rates, for all down to here. -#}
{%- macro uplift_gain(ending, all) -%}
{%- set treated = sqlmetrics.weight_of(ending, ['treated']) -%}
{%- set control = sqlmetrics.weight_of(ending, ['control']) -%}
(coalesce(treated_positives{{ ending }} / nullif({{ treated }}, 0), 0) - coalesce(control_positives{{ ending }} / nullif({{ control }}, 0), 0)) * coalesce(({{ treated }} + {{ control }}) / nullif({{ all }}, 0), 0)
{%- endmacro -%}

{#- An area of gains between the straight line to the end and a perfect order, as a share: `perfect` is the area under the
    points of that order. Where no order differs from the line there is no share; `alike` says so where sums of shares would be
    0 but for their last bits. -#}
{%- macro share_of_perfect_gain(curve, last, perfect, alike) -%}
{%- set two_arms = 'treated_positives + treated_negatives > 0 and control_positives + control_negatives > 0' -%}
{{ sqlmetrics.safe_divide(
    '(sum(share * (' ~ curve ~ '_above + ' ~ curve ~ ')) / 2 - max(' ~ last ~ ') / 2)',
    'max(case when ' ~ two_arms ~ ' and not (' ~ alike ~ ') then ' ~ perfect ~ ' - (' ~ last ~ ') / 2 end)',
) }}
{%- endmacro -%}

{#- The points of a curve in weights, the first of which chooses nobody. -#}
{%- macro gain_rows(curve, last, f, keys) -%}
select
    {{ sqlmetrics.lines(keys + [
        'score as threshold',
        'weight_through as targeted',
        curve ~ ' * weight_of_all as incremental_gain',
        '(' ~ last ~ ') * share_through * weight_of_all as random_gain',
    ]) }}
from {{ f.cte }}
union all
select distinct
    {{ sqlmetrics.lines(keys + [
        sqlmetrics.infinity() ~ ' as threshold',
        sqlmetrics.to_double('0') ~ ' as targeted',
        sqlmetrics.to_double('0') ~ ' as incremental_gain',
        sqlmetrics.to_double('0') ~ ' as random_gain',
    ]) }}
from {{ f.cte }}
{%- endmacro -%}

{#- What the curves end at. -#}
{%- macro qini_of_all() -%}
treated_positives - control_positives / nullif(control_positives + control_negatives, 0) * (treated_positives + treated_negatives)
{%- endmacro -%}

{%- macro uplift_of_all() -%}
treated_positives / nullif(treated_positives + treated_negatives, 0) - control_positives / nullif(control_positives + control_negatives, 0)
{%- endmacro -%}

{#- How much of a score belongs to the highest scores that hold so large a share of the weight: all of it, a part, or nothing,
    which must not hang on the last bits of sums of weights. -#}
{%- macro part_in_top(share, above, here) -%}
{%- set whole = sqlmetrics.to_double(sqlmetrics.number(share)) -%}
{%- set left = whole ~ ' - ' ~ above -%}
case when {{ whole }} >= 1 then 1 when {{ left }} <= 1e-9 then 0 when {{ left }} >= {{ here }} then 1 else ({{ left }}) / nullif({{ here }}, 0) end
{%- endmacro -%}
