{#-
title: Geometric mean average precision
answers: [top]
formula: exp of the mean over groups of ln max(average precision, least)
frame: ranked_items
label_type: relevance
score: number
uses: [hits, gaining_items]
lower: 0
upper: 1
better: higher
undefined: NULL for a group without any relevant item, see empty; NULL without groups
oracle: trec_eval map of each query, and its geometric mean by numpy
source: Robertson, CIKM 2006; trec_eval, m_gm_map.c
notes: The worst queries count most. The value of a single group is its average precision.
parameters:
  least: {type: number, default: 1.0e-5, minimum: 1.0e-300, maximum: 1, doc: 'the lower bound of an average precision, so that one value of 0 does not make the mean 0', used_by: {1.0e-5: trec_eval}}
  ties: [worst, best, key]
  relevant_at: frame
  negative: frame
  precision_of_scores: frame
  missing: frame
  empty: frame
names: {trec_eval: "gm_map"}
example: {label: [1, 0, 0, 1], score: [2, 1, 2, 1], group: [1, 1, 2, 2], result: 0.7071}
-#}
{%- macro gm_map__per_group(m) -%}
{{ sqlmetrics.safe_divide(sqlmetrics.sum_within('relevant * hits / item_rank', 'item_rank', none), 'sum(relevant)') }}
{%- endmacro -%}

{%- macro gm_map__value(m) -%}
{%- set value = sqlmetrics.value_of_group(m) -%}
{%- set logarithm = 'case when ' ~ value ~ ' is not null\n        then ln(greatest(' ~ value ~ ', ' ~ sqlmetrics.number(m.least) ~ ')) end' -%}
exp({{ sqlmetrics.mean_of_group_values(m, logarithm) }})
{%- endmacro -%}
