{#-
title: Compatibility with the ideal list
answers: [top]
formula: Σ p^(d − 1)·X(d) / d over Σ p^(d − 1)·min(d, R) / d, X(d) the items among the first d of the list and of the ideal one, which has the R relevant items; then the mean over groups
frame: list_overlaps
label_type: relevance
score: number
lower: 0
upper: 1
better: higher
undefined: NULL for a group without any relevant item, see empty; NULL without groups
oracle: ir_measures Compat, its formula by numpy
source: Clarke, Vtyurina and Smucker, TOIS 39(3), 2021
notes: "The rank-biased overlap with the relevant items in the order of their grades, as a share of its maximum. In the ideal list, items of one grade have the order of the list itself. Both sums end with the longer list; only the order of grades matters, not their gain."
parameters:
  p: {type: number, default: 0.95, minimum: 0.001, maximum: 0.999, doc: the probability that the reader continues to the next item}
  ties: frame
  relevant_at: {type: number, default: 1, doc: an item is relevant if its label is at least this}
  missing: frame
  empty: frame
names: {ir_measures: "Compat"}
example: {label: [3, 2, 0, 1], score: [4, 2, 3, 1], group: [1, 1, 1, 1], result: 0.778}
-#}
{%- macro compatibility__per_group(m) -%}
{%- set p = sqlmetrics.to_double(sqlmetrics.number(m.p)) -%}
{%- set relevant = sqlmetrics.to_double('second_length') -%}
{%- set longer = sqlmetrics.weights_below_both(m, 'least') -%}
(
    {{ sqlmetrics.overlap_column(m, 'weights') }}
    - {{ sqlmetrics.overlap_column(m, 'overlap') }} * {{ longer }}
)
    / nullif(
        (1 - {{ sqlmetrics.power_of_rank(p, relevant) }})
            / (1 - {{ p }})
        + {{ relevant }} * (
            {{ sqlmetrics.weights_below(m, 'second') }}
            - {{ longer | indent(8) }}
        ),
        0
    )
{%- endmacro -%}
