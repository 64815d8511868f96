{#-
title: quantile rows
rows: one per row of the log, beside the quantile of the labels of its slice
counts: count(*)
stateless: the quantile of all labels does not follow from those of the parts
columns: label, score, weight, best_constant (of all numbers the one whose pinball loss is least)
parameters:
  alpha: {type: number, default: 0.5, minimum: 0.001, maximum: 0.999, doc: the quantile that is predicted}
metric_parameters:
  force_finite: {type: boolean, default: false, doc: 'return 1 (exact predictions) or 0 (others) for a constant label, instead of NULL', presets: {sklearn: true}, used_by: {true: scikit-learn}}
-#}

{#- The lowest label at which the share alpha of the weight is reached. Where it is reached to the last digit, any number up to the
    next label is as good, and has the same loss: nothing hangs on the last bits of a sum. -#}
{%- macro quantile_rows(f, rows_from, keys) -%}
{%- set distinct = 'distinct_labels' ~ f.suffix -%}
{%- set reached = 'reached_labels' ~ f.suffix -%}
{%- set quantiles = 'quantiles' ~ f.suffix -%}
{%- set share = sqlmetrics.to_double(sqlmetrics.number(f.params.alpha)) -%}
{%- set distinct_labels -%}
select
    {{ sqlmetrics.lines(keys + ['label', 'sum(weight) as weight', 'count(*) as row_count']) }}
from {{ rows_from }}
{{- f.where }}
{{- sqlmetrics.group_by(keys + ['label']) }}
{%- endset -%}
{%- set quantiles_of_slices -%}
select
    {{ sqlmetrics.lines(keys + ['min(case when reached >= ' ~ share ~ ' * total and weight > 0 then label end) as best_constant']) }}
from {{ reached }}
{{- sqlmetrics.group_by(keys) }}
{%- endset -%}
{#- An interval needs what tells whose a row is. -#}
{%- set carried = f.carried if f.carried is defined else ['label', 'score', 'weight'] -%}
{%- set quantile_rows -%}
select{{ sqlmetrics.broadcast('quantiles') }}
    {{ sqlmetrics.lines(sqlmetrics.keys_of('used', keys) + carried + ['best_constant']) }}
from {{ rows_from }} as used
inner join {{ quantiles }} as quantiles
    on {{ sqlmetrics.same_keys('used', 'quantiles', keys) | join('\n    and ') or '1 = 1' }}
{{- f.where }}
{%- endset -%}
{%- set sums = [{'measure': 'weight', 'reach': 'here', 'as': 'reached'}, {'measure': 'weight', 'reach': 'all', 'as': 'total'}] -%}
{{ return([
    sqlmetrics.step(distinct, distinct_labels, 'one per distinct label'),
] + sqlmetrics.running_sums(dict(f, cte=reached, rows='these, with the weight up to each'), distinct, keys, 'label', ' asc', ['label', 'weight', 'row_count'], {'weight': 'weight'}, sums) + [
    sqlmetrics.step(quantiles, quantiles_of_slices, 'one per slice'),
    sqlmetrics.step(f.cte, quantile_rows, f.rows),
]) }}
{%- endmacro -%}
