{#-
title: ranked items
rows: one per returned item of a group
columns: group_id, label (graded relevance), relevant (0 or 1), item_rank and, where a metric uses them, ideal_rank and hits (relevant items down to here)
parameters:
  ties:
    default: worst
    choices:
      worst: the least relevant of equal scores comes first
      best: the most relevant of equal scores comes first
      key: equal scores are ordered by the role tie_key, descending
      average: the mean over all orders of the equal scores (metrics linear in the gain)
    doc: the order of items with equal scores
  relevant_at: {type: number, default: 1, doc: an item is relevant when its label is at least this}
metric_parameters:
  k: {type: integer, default: null, minimum: 1, doc: how many items from the top; the whole list by default}
  gain:
    default: exp
    choices: {exp: 2^label − 1, linear: the label itself}
    doc: what an item of a grade is worth
    used_by: {exp: LightGBM, linear: 'scikit-learn, trec_eval'}
  discount:
    default: log2
    choices: {log2: 1/log2(i + 1), classic: '1 for the first item, then 1/log2(i)'}
    doc: how a gain shrinks with its place i
    used_by: {log2: 'scikit-learn, trec_eval, LightGBM', classic: 'Järvelin and Kekäläinen 2002'}
  empty:
    default: skip
    choices: {skip: left out of the mean, zero: counts as 0, one: counts as 1}
    doc: what a group without any relevant item counts as
    used_by: {zero: 'scikit-learn, trec_eval', one: 'LightGBM (ndcg, map)'}
-#}

{%- macro ranked_items(f, rows_from, keys) -%}
{%- set group_keys = keys + ['group_id'] -%}
{%- set order = 'score desc' -%}
{%- if f.params.ties == 'best' -%}
{%- set order = 'score desc, label desc' -%}
{%- elif f.params.ties == 'key' -%}
{%- set order = 'score desc, tie_key desc nulls last, label' -%}
{%- else -%}
{%- set order = 'score desc, label' -%}
{%- endif -%}
{%- set relevant = 'case when label >= ' ~ sqlmetrics.number(f.params.relevant_at) ~ ' then 1 else 0 end' -%}
{%- set carried = ['label'] + (['group_weight'] if f.group_weight else []) + (['bad_rows'] if f.checks else []) -%}
{%- set items = group_keys + carried + [sqlmetrics.to_double(relevant) ~ ' as relevant'] -%}
{%- if f.params.ties == 'average' -%}
{%- set tied = sqlmetrics.over(group_keys + ['score']) -%}
{%- set _ = items.append('avg(label) ' ~ tied ~ ' as mean_label') -%}
{%- set _ = items.append('avg(power(2, label) - 1) ' ~ tied ~ ' as mean_exp_gain') -%}
{%- set _ = items.append('avg(' ~ sqlmetrics.to_double(relevant) ~ ') ' ~ tied ~ ' as mean_relevant') -%}
{%- endif -%}
{%- set by_score = sqlmetrics.over(group_keys, order) -%}
{%- set _ = items.append('row_number() ' ~ by_score ~ ' as item_rank') -%}
{%- if 'ideal_rank' in f.uses -%}
{%- set _ = items.append('row_number() ' ~ sqlmetrics.over(group_keys, 'label desc') ~ ' as ideal_rank') -%}
{%- endif -%}
{%- if 'hits' in f.uses -%}
{%- set _ = items.append(sqlmetrics.to_double('sum(' ~ relevant ~ ') ' ~ sqlmetrics.over(group_keys, order ~ ' rows unbounded preceding')) ~ ' as hits') -%}
{%- endif -%}
{%- set ranked_items -%}
select
    {{ sqlmetrics.lines(items) }}
from {{ rows_from }}
{{- f.where }}
{%- endset -%}
{%- set values = [] -%}
{%- for m in f.metrics -%}
{%- for column in m.group_columns -%}
{%- set _ = values.append(sqlmetrics.indented(sqlmetrics.metric_per_group(m, column.name)) ~ ' as ' ~ sqlmetrics.identifier(column.as)) -%}
{%- endfor -%}
{%- endfor -%}
{%- set group_values -%}
select
    {{ sqlmetrics.lines(group_keys + (['max(group_weight) as group_weight'] if f.group_weight else []) + values) }},
    {{ sqlmetrics.row_totals(f, 'count(*)') }}
from ranked_items{{ f.suffix }}
{{- sqlmetrics.group_by(group_keys) }}
{%- endset -%}
{{ sqlmetrics.cte('ranked_items' ~ f.suffix, ranked_items) }},
{{ sqlmetrics.cte(f.cte, group_values) }}
{%- endmacro -%}

{#- Only groups with something to find have a value; what the others count as is decided in the mean. -#}
{%- macro when_any_relevant(value) -%}
case when sum(relevant) > 0 then {{ value }} end
{%- endmacro -%}

{%- macro within(rank, k) -%}
{{ rank ~ ' <= ' ~ k if k is not none else '' }}
{%- endmacro -%}

{#- The sum of `value` over the first k of a ranking (all of it without k). -#}
{%- macro sum_within(value, rank, k) -%}
{%- if k is none -%}
sum({{ value }})
{%- else -%}
sum(case when {{ rank }} <= {{ k }} then {{ value }} else 0 end)
{%- endif -%}
{%- endmacro -%}

{#- What an item adds to the sum, and by how much its place lowers it. -#}
{%- macro gain(m) -%}
{%- if m.ties == 'average' -%}
{{ 'mean_exp_gain' if m.gain == 'exp' else 'mean_label' }}
{%- else -%}
{{ sqlmetrics.own_gain(m) }}
{%- endif -%}
{%- endmacro -%}

{%- macro own_gain(m) -%}
{{ '(power(2, label) - 1)' if m.gain == 'exp' else 'label' }}
{%- endmacro -%}

{%- macro relevance(m) -%}
{{ 'mean_relevant' if m.ties == 'average' else 'relevant' }}
{%- endmacro -%}

{%- macro discount(m, rank) -%}
{%- if m.discount == 'log2' -%}
{{ 'ln(2) / ln(' ~ rank ~ ' + 1)' }}
{%- else -%}
{{ 'case when ' ~ rank ~ ' = 1 then 1 else ln(2) / ln(' ~ rank ~ ') end' }}
{%- endif -%}
{%- endmacro -%}

{%- macro discounted_gain(m) -%}
{{ sqlmetrics.sum_within(sqlmetrics.gain(m) ~ ' * ' ~ sqlmetrics.discount(m, 'item_rank'), 'item_rank', m.k) }}
{%- endmacro -%}

{%- macro ideal_discounted_gain(m, k) -%}
{{ sqlmetrics.sum_within(sqlmetrics.own_gain(m) ~ ' * ' ~ sqlmetrics.discount(m, 'ideal_rank'), 'ideal_rank', k) }}
{%- endmacro -%}

{#- The mean over groups. -#}
{%- macro mean_over_groups(m) -%}
{%- set value = sqlmetrics.identifier(m.group_columns[0].as) -%}
{%- if m.empty == 'zero' -%}
{%- set value = 'coalesce(' ~ value ~ ', 0)' -%}
{%- elif m.empty == 'one' -%}
{%- set value = 'coalesce(' ~ value ~ ', 1)' -%}
{%- endif -%}
{%- if m.group_weight -%}
sum(group_weight * {{ value }}) / nullif(sum(case when {{ value }} is not null then group_weight end), 0)
{%- else -%}
avg({{ value }})
{%- endif -%}
{%- endmacro -%}
