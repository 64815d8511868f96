{#-
title: Novelty- and rank-biased precision
answers: [varied, top]
formula: (1 − (1 − alpha)·p) · mean over the subtopics of Σ over the items i that are relevant for it of p^(i − 1) · (1 − alpha)^c, c the relevant items above, then the mean over groups
frame: subtopic_items
label_type: relevance
score: number
roles: {item: required, subtopic: required}
uses: [relevant_above]
lower: 0
upper: 1
better: higher
undefined: NULL for a group without any relevant item, see empty; NULL without groups
oracle: NRBP of ndeval (its formula)
source: Clarke, Kolla and Vechtomova, ICTIR 2009; ndeval of the TREC Web Track
notes: Each row is an item and one subtopic for which it was judged. An item counts once in the list and needs at least one row. An item without a relevant subtopic has a row with label 0 or without a subtopic. With judgments, these rows are in judgments, and the data has one row per item. Equal scores are ordered by tie_key, by default the item, descending (in pyndeval ascending). All subtopics with a relevant item are equally likely.
parameters:
  alpha: frame
  p: {type: number, default: 0.5, minimum: 0, maximum: 1, doc: 'the probability that a user continues to the next item, called β in the source'}
  relevant_at: frame
  missing: frame
  empty: frame
names: {ir_measures: "NRBP", ndeval: "NRBP"}
example: {group: [1, 1, 1, 1], item: [a, b, b, c], subtopic: [x, x, y, y], label: [1, 1, 1, 0], score: [3, 2, 2, 1], result: 0.6562}
-#}
{%- macro nrbp__per_group(m) -%}
{%- set goes_on = sqlmetrics.to_double(sqlmetrics.number(m.p)) -%}
{%- set left = sqlmetrics.remaining_share(m.alpha) -%}
(1 - {{ left }} * {{ goes_on }}) * sum(case
    when item_rank is not null
        and {{ sqlmetrics.logarithm_of_power(goes_on, '(item_rank - 1)') }}
            + {{ sqlmetrics.logarithm_of_power(left, 'relevant_above') }} > -700
        then relevant * power({{ goes_on }}, item_rank - 1) * power({{ left }}, relevant_above)
    else 0
end)
{%- endmacro -%}
