{#-
title: Recall at k
answers: [found]
formula: relevant items among the first k / all relevant items, then the mean over groups
frame: ranked_items
label_type: relevance
score: number
uses: [gaining_items]
group_columns: {average=micro: [hits, listed, relevant]}
lower: 0
upper: 1
better: higher
undefined: NULL for a group without any relevant item, see empty; NULL without groups
oracle: trec_eval recall; ranx recall
source: Manning, Raghavan and Schütze, Introduction to Information Retrieval, section 8.4
parameters:
  k: {type: integer, required: true, minimum: 1, doc: how many items from the top}
  average:
    default: macro
    choices: {macro: the mean over groups, micro: 'hits of all groups / relevant items of all groups'}
    doc: how the groups are combined
  ties: frame
  relevant_at: frame
  negative: frame
  precision_of_scores: frame
  missing: frame
  empty: frame
names: {trec_eval: "recall_K"}
example: {label: [1, 0, 0, 1], score: [4, 3, 2, 1], group: [1, 1, 1, 1], call: recall@2, result: 0.5}
-#}
{%- macro recall_at_k__per_group(m) -%}
{%- if m.average == 'macro' -%}
{{ sqlmetrics.safe_divide(sqlmetrics.sum_within(sqlmetrics.relevance(m), 'item_rank', m.k), 'sum(relevant)') }}
{%- else -%}
{{ sqlmetrics.counts_at_k(m, m.column) }}
{%- endif -%}
{%- endmacro -%}

{%- macro recall_at_k__value(m) -%}
{{ sqlmetrics.mean_over_groups(m) if m.average == 'macro' else sqlmetrics.pooled(m, 'hits', ['relevant']) }}
{%- endmacro -%}
