{#-
title: Intent-aware expected reciprocal rank
answers: [varied, top]
formula: mean over the subtopics of Σ Rᵢ/i · Π over the items above of (1 − Rⱼ), R = (2^label − 1) / 2^max_label, then the mean over groups
frame: subtopic_items
label_type: relevance
score: number
roles: {item: required, subtopic: required}
uses: [log_continuation]
lower: 0
upper: 1
better: higher
undefined: NULL for a group without any relevant item, see empty; NULL without groups
oracle: ERR-IA of ndeval (its formula); by hand
source: Chapelle, Ji, Liao, Velipasaoglu, Lai and Wu, Information Retrieval 14 (2011); ndeval of the TREC Web Track
notes: Each row is an item and one subtopic for which it was judged. An item counts once in the list and needs at least one row. An item without a relevant subtopic has a row with label 0 or without a subtopic. With judgments, these rows are in judgments, and the data has one row per item. Equal scores are ordered by tie_key, by default the item, descending (in pyndeval ascending). All subtopics with a relevant item are equally likely. ndeval and ir_measures have two grades and divide by the best possible list, whose items are relevant for each subtopic (`normalized_by='ideal'`).
parameters:
  k: frame
  max_label: frame
  normalized_by:
    default: nothing
    choices: {nothing: the plain value, ideal: 'the value of k items (64 without k) with the highest grade for every subtopic'}
    doc: the divisor of the value
    used_by: {ideal: 'ndeval, ir_measures'}
  relevant_at: frame
  missing: frame
  empty: frame
names: {ir_measures: "ERR_IA"}
example: {group: [1, 1, 1, 1], item: [a, b, b, c], subtopic: [x, x, y, y], label: [1, 1, 1, 0], score: [3, 2, 2, 1], result: 0.4375}
-#}
{#- Beyond rank 64 the best list adds less than the last bit: at most half the users pass each item. -#}
{%- macro err_ia__per_group(m) -%}
{%- set stops_here = sqlmetrics.stop_probability('label', m.max_label) -%}
{%- set value = sqlmetrics.sum_within(stops_here ~ ' * exp(greatest(log_continuation, -700)) / item_rank', 'item_rank', m.k) -%}
{%- if m.normalized_by == 'nothing' -%}
{{ value }}
{%- else -%}
{%- set goes_on = 1 / 2 ** m.max_label -%}
{%- set best = namespace(value=0, left=1 - goes_on) -%}
{%- for place in range(1, (64 if m.k is none or m.k > 64 else m.k) + 1) -%}
{%- set best.value = best.value + best.left / place -%}
{%- set best.left = best.left * goes_on -%}
{%- endfor -%}
{{ value }} / {{ sqlmetrics.to_double(sqlmetrics.number(best.value)) }}
{%- endif -%}
{%- endmacro -%}
