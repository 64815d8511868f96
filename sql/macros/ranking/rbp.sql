{#-
title: Rank-biased precision
answers: [top]
formula: (1 − p)·Σ gain(relᵢ)·p^(i − 1), then the mean over groups
frame: ranked_items
label_type: relevance
score: number
uses: [gaining_items]
lower: 0
upper: 1
better: higher
undefined: NULL for a group without any relevant item, or with gain='linear' without any gain (labels of 0), see empty; NULL without groups
oracle: by hand
source: Moffat and Zobel, TOIS 27(1), 2008
parameters:
  p: {type: number, default: 0.8, minimum: 0, maximum: 1, doc: the probability that the reader continues to the next item}
  gain:
    default: binary
    choices: {binary: 1 for a relevant item, linear: 'label / max_label, which is 1 by default'}
    doc: the gain of an item by its grade
  max_label: frame
  ties: [worst, best, key]
  relevant_at: frame
  negative: frame
  precision_of_scores: frame
  missing: frame
  empty: frame
example: {label: [1, 0, 0, 1], score: [4, 3, 2, 1], group: [1, 1, 1, 1], call: rbp, result: 0.3024}
-#}
{%- macro rbp__per_group(m) -%}
{%- set discount = sqlmetrics.power_of_rank(sqlmetrics.to_double(sqlmetrics.number(m.p)), 'item_rank - 1') -%}
{%- set grade = 'relevant' if m.gain == 'binary' else 'label' -%}
{%- set highest = sqlmetrics.to_double(sqlmetrics.number(m.max_label)) -%}
{%- set gain = grade ~ (' / nullif(' ~ highest ~ ', 0)' if m.gain == 'linear' and m.max_label is not none else '') -%}
{{ sqlmetrics.when_any_gain(grade, '(1 - ' ~ sqlmetrics.number(m.p) ~ ') * ' ~ sqlmetrics.sum_within(gain ~ ' * ' ~ discount, 'item_rank', none)) }}
{%- endmacro -%}
