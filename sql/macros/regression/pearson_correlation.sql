{#-
title: Pearson's correlation coefficient
answers: [explained]
formula: Σ w(y − ȳ)(ŷ − m) / √(Σ w(y − ȳ)² · Σ w(ŷ − m)²), m the mean of ŷ
frame: centred_rows
uses: [mean_score]
label_type: number
score: number
lower: -1
upper: 1
better: higher
scale: 0 is no linear relation
undefined: NULL when the labels or the predictions are constant
oracle: scipy.stats.pearsonr
source: Pearson, Philosophical Transactions of the Royal Society A 187 (1896)
notes: A constant offset or factor of the predictions does not change the correlation; `concordance_correlation` and `r2` penalize it.
names: {scipy: "pearsonr"}
example: {label: [3.0, -0.5, 2.0, 7.0], score: [2.5, 0.0, 2.0, 8.0], result: 0.9849}
-#}
{%- macro pearson_correlation__value(m) -%}
{{ sqlmetrics.sum_of_products(m) }}
    / (
        sqrt(nullif({{ sqlmetrics.sum_around_mean(m, 'label', 'mean_label') }}, 0))
        * sqrt(nullif({{ sqlmetrics.sum_around_mean(m, 'score', 'mean_score') }}, 0))
    )
{%- endmacro -%}

{%- macro pearson_correlation__at_fixed_ranks(m) -%}
{{ sqlmetrics.sum_of_products_at_fixed_means(m) }}
    / (
        sqrt(nullif({{ sqlmetrics.sum_around_fixed_mean(m, 'label', 'mean_label') }}, 0))
        * sqrt(nullif({{ sqlmetrics.sum_around_fixed_mean(m, 'score', 'mean_score') }}, 0))
    )
{%- endmacro -%}
