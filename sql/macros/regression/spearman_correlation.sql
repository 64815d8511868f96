{#-
title: Spearman's rank correlation coefficient
answers: [order, explained]
formula: Pearson's coefficient of the ranks of y and of ŷ, equal values by their mean rank
frame: paired_ranks
label_type: number
score: number
lower: -1
upper: 1
better: higher
scale: 0 is no relation
undefined: NULL when the labels or the predictions are constant
oracle: scipy.stats.spearmanr
source: Spearman, American Journal of Psychology 15 (1904)
notes: Monotonic transformations of the predictions do not change the value. A weight is the number of copies of a row. `kendall_tau` ranks inside each group, like the list that a user sees.
names: {scipy: "spearmanr"}
example: {label: [3.0, -0.5, 2.0, 7.0], score: [2.5, 0.0, 3.0, 8.0], result: 0.8}
-#}
{%- macro spearman_correlation__value(m) -%}
sum(label_rank * score_rank_sum)
    / (
        sqrt(nullif(sum(weight * label_rank * label_rank), 0))
        * sqrt(nullif(sum(score_rank_squares), 0))
    )
{%- endmacro -%}
