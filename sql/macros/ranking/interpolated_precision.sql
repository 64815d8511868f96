{#-
title: Interpolated precision at a recall
answers: [top, found]
formula: mean over groups of the highest precision at any place where ⌊recall·R + 0.9⌋ relevant items or more are found, 0 without one
frame: ranked_items
label_type: relevance
score: number
uses: [hits, relevant_total, gaining_items]
lower: 0
upper: 1
better: higher
undefined: NULL for a group without any relevant item, see empty; NULL without groups
oracle: trec_eval iprec_at_recall
source: Manning, Raghavan and Schütze, Introduction to Information Retrieval, section 8.4; trec_eval, m_iprec_at_recall.c
parameters:
  recall: {type: number, required: true, minimum: 0, maximum: 1, doc: 'the precision is taken at this recall or above'}
  ties: [worst, best, key]
  relevant_at: frame
  negative: frame
  precision_of_scores: frame
  missing: frame
  empty: frame
names: {trec_eval: "iprec_at_recall_K"}
example: {label: [1, 0, 0, 1, 1], score: [5, 4, 3, 2, 1], group: [1, 1, 1, 1, 1], call: "interpolated_precision(recall=0.5)", result: 0.6}
-#}
{%- macro interpolated_precision__per_group(m) -%}
{%- set reaches_recall = 'item_rank is not null and hits >= floor(' ~ sqlmetrics.number(m.recall) ~ ' * relevant_total + 0.9)' -%}
{{ sqlmetrics.when_any_relevant('coalesce(max(case when ' ~ reaches_recall ~ ' then hits / item_rank end), 0)') }}
{%- endmacro -%}
