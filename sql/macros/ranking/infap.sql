{#-
title: Inferred average precision
answers: [found]
formula: 1/R · Σ over relevant returned items of (1 + n·(r + ε) / (r + s + 2ε)) / i, above place i n pooled, r relevant and s judged non-relevant items
frame: ranked_items
label_type: relevance
score: number
uses: [hits, nonrelevant, unjudged, gaining_items]
lower: 0
upper: 1
better: higher
undefined: NULL for a group without any relevant item, see empty; NULL without groups
oracle: trec_eval infAP
source: Yilmaz and Aslam, CIKM 2006; trec_eval, m_infap.c
notes: For judgments of a random sample of the pool. A negative label (negative='zero') marks an item that was pooled and not judged; an item without a label was not pooled. ε is 0.00001, as in trec_eval.
parameters:
  ties: [worst, best, key]
  relevant_at: frame
  negative: frame
  precision_of_scores: frame
  missing: frame
  empty: frame
names: {trec_eval: "infAP"}
example: {label: [1, 0, 0, 1], score: [4, 3, 2, 1], group: [1, 1, 1, 1], call: infap, result: 0.75}
-#}
{%- macro infap__per_group(m) -%}
{%- set pooled = '(hits - 1 + nonrelevant_above' ~ (' + unjudged_above' if m.negative == 'zero' else '') ~ ')' -%}
{%- set rate = '(hits - 1 + 0.00001) / (hits - 1 + nonrelevant_above + 0.00002)' -%}
{{ sqlmetrics.safe_divide('sum(case\n        when relevant = 1 and item_rank is not null\n            then (1 + ' ~ pooled ~ ' * ' ~ rate ~ ') / item_rank\n        else 0\n    end)', 'sum(relevant)') }}
{%- endmacro -%}
