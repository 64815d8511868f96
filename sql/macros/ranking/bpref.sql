{#-
title: Binary preference
answers: [found]
formula: 1/R · Σ over relevant returned items of 1 − min(n, R) / min(R, N), n the judged non-relevant above it, N all of them
frame: ranked_items
label_type: relevance
score: number
uses: [relevant_total, nonrelevant, gaining_items]
lower: 0
upper: 1
better: higher
undefined: NULL for a group without any relevant item, see empty; NULL without groups
oracle: trec_eval bpref
source: Buckley and Voorhees, SIGIR 2004
parameters:
  ties: [worst, best, key]
  relevant_at: frame
  negative: frame
  precision_of_scores: frame
  missing: frame
  empty: frame
names: {trec_eval: "bpref"}
example: {label: [1, 0, 0, 1], score: [4, 3, 2, 1], group: [1, 1, 1, 1], call: bpref, result: 0.5}
-#}
{%- macro bpref__per_group(m) -%}
{%- set lost = 'least(nonrelevant_above, relevant_total) / nullif(least(relevant_total, nonrelevant_total), 0)' -%}
{{ sqlmetrics.safe_divide('sum(case\n        when relevant = 1 and item_rank is not null\n            then 1 - coalesce(' ~ lost ~ ', 0)\n        else 0\n    end)', 'sum(relevant)') }}
{%- endmacro -%}
