{#-
title: Normalized Gini coefficient
answers: [order, explained]
formula: G(ŷ) / G(y), where G(x) = Σ w·y·(2·F(x) − 1), F(x) the share of the weight below x, ties half
frame: paired_ranks
uses: [label_above_lowest]
label_type: number
score: number
lower: -1
upper: 1
better: higher
scale: 0 is chance
undefined: NULL without rows or with a constant label
oracle: the sums over all pairs of rows, by numpy
source: Frees, Meyers and Cummings, JASA 106 (2011); the value of customers, Wang, Liu and Miao, arXiv 1912.07753
notes: Measures whether the rows with the largest labels rank on top. With labels of 0 and 1 it is 2·AUC − 1. Rows of equal scores count by the mean of all their orders, so the order of the rows does not matter, unlike in common implementations of `gini_normalized`.
example: {label: [0.0, 10.0, 30.0, 5.0], score: [1.0, 3.0, 2.0, 2.0], result: 0.3158}
-#}
{#- If only one label has weight, labels are constant; its sum of ranks would be 0 except for rounding errors. -#}
{%- macro normalized_gini__value(m) -%}
case
    when max(case when weight > 0 then label_above_lowest end) > 0
        then sum(label_above_lowest * score_rank_sum) / nullif(sum(label_above_lowest * weight * label_rank), 0)
end
{%- endmacro -%}
