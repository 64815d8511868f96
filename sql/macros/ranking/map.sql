{#-
title: Mean average precision
answers: [better, top]
formula: mean over groups of Σ precision at the place of each relevant item / the denominator
frame: ranked_items
label_type: relevance
score: number
uses: [hits, gaining_items]
lower: 0
upper: 1
better: higher
undefined: NULL for a group without any relevant item, see empty; NULL without groups
oracle: trec_eval map, map_cut; LightGBM map
source: Manning, Raghavan and Schütze, Introduction to Information Retrieval, section 8.4
parameters:
  k: frame
  denominator:
    default: relevant
    choices:
      relevant: all relevant items of the group
      min: the smaller of k and the relevant items
      hits: the relevant items among the first k; 0 without one
    doc: what the sum of precisions is divided by
    presets: {trec_eval: relevant, lightgbm: min, spark: min}
    used_by: {relevant: trec_eval, min: 'LightGBM, Spark'}
  ties: [worst, best, key]
  relevant_at: frame
  negative: frame
  precision_of_scores: frame
  missing: frame
  empty:
    default: skip
    choices: {skip: dropped from the mean, zero: counts as 0, one: counts as 1}
    doc: what a group without any relevant item counts as
    presets: {sklearn: zero, trec_eval: zero, lightgbm: one, spark: zero}
    used_by: {zero: 'trec_eval, Spark', one: LightGBM}
names: {trec_eval: "map, map_cut_K", LightGBM: "map@K"}
example: {label: [1, 0, 0, 1, 1, 1], score: [6, 5, 4, 3, 2, 1], group: [1, 1, 1, 1, 1, 1], result: 0.6917}
-#}
{%- macro map__per_group(m) -%}
{%- set precisions = sqlmetrics.sum_within('relevant * hits / item_rank', 'item_rank', m.k) -%}
{%- if m.denominator == 'hits' -%}
{{ sqlmetrics.when_any_relevant('coalesce(' ~ precisions ~ ' / nullif(' ~ sqlmetrics.sum_within('relevant', 'item_rank', m.k) ~ ', 0), 0)') }}
{%- elif m.denominator == 'min' and m.k is not none -%}
{{ sqlmetrics.safe_divide(precisions, 'least(sum(relevant), ' ~ m.k ~ ')') }}
{%- else -%}
{{ sqlmetrics.safe_divide(precisions, 'sum(relevant)') }}
{%- endif -%}
{%- endmacro -%}
