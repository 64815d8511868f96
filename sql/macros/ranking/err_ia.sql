{#-
title: Intent-aware expected reciprocal rank
answers: [varied, top]
formula: mean over the subtopics of Σ Rᵢ/i · Π over the items above of (1 − Rⱼ), R = (2^label − 1) / 2^max_label, then the mean over groups
frame: subtopic_items
truth: relevance
score: number
roles: {item: required, subtopic: required}
uses: [log_go_on]
lower: 0
upper: 1
better: higher
undefined: NULL for a group without any relevant item, see empty; NULL without groups
oracle: ERR-IA of ndeval (its formula); by hand
source: Chapelle, Ji, Liao, Velipasaoglu, Lai and Wu, Information Retrieval 14 (2011); ndeval of the TREC Web Track
notes: A row is an item of a list and one of the subtopics for which it was judged; an item counts once in the list, whatever the number of its rows, and needs one row at least (of label 0, or without a subtopic, if it is for none). Where judgments are given, these rows are theirs, and the data have a row for each item of a list. Equal scores are ordered by tie_key, by default the item, descending (in pyndeval ascending). All subtopics with a relevant item are as likely. ndeval and ir_measures have two grades and divide by the best list there could be, of items that are relevant for each subtopic (`normalized_by='ideal'`).
parameters:
  k: frame
  max_label: frame
  normalized_by:
    default: nothing
    choices: {nothing: the value as it is, ideal: 'that of k items, without k of 64, which have the highest grade for every subtopic'}
    doc: what the value is divided by
    used_by: {ideal: 'ndeval, ir_measures'}
  relevant_at: frame
  missing: frame
  empty: frame
names: {ir_measures: "ERR_IA"}
example: {group: [1, 1, 1, 1], item: [a, b, b, c], subtopic: [x, x, y, y], label: [1, 1, 1, 0], score: [3, 2, 2, 1], result: 0.4375}
-#}
{#- From the 64th place on a best list adds less than the last bit: of a user each item leaves half at most. -#}
{%- macro err_ia__per_group(m) -%}
{%- set stops_here = sqlmetrics.chance_to_stop('label', m.max_label) -%}
{%- set value = sqlmetrics.sum_within(stops_here ~ ' * exp(greatest(log_go_on, -700)) / item_rank', 'item_rank', m.k) -%}
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
