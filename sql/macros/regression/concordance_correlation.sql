{#-
title: Concordance correlation coefficient
answers: [explained, bias]
formula: 2·Σ w(y − ȳ)(ŷ − m) / (Σ w(y − ȳ)² + Σ w(ŷ − m)² + Σ w·(ȳ − m)²), m the mean of ŷ
frame: centred_rows
uses: [mean_score]
label_type: number
score: number
lower: -1
upper: 1
better: higher
scale: 1 is equal everywhere
undefined: NULL when the labels and the predictions are the same constant
oracle: numpy by Lin's equation
source: Lin, Biometrics 45 (1989)
notes: Pearson's coefficient times a penalty for predictions with a bias or a different spread. Variances are divided by the number of rows, as Lin does; tools that divide by one less differ for few rows with a bias.
example: {label: [3.0, -0.5, 2.0, 7.0], score: [2.5, 0.0, 2.0, 8.0], result: 0.9768}
-#}
{#- The denominator is Σ w(y − ŷ)² plus the numerator. It loses no digits: where the numerator is negative, the first term is at least
    twice its size. -#}
{%- macro concordance_correlation__value(m) -%}
{%- set joint = sqlmetrics.sum_of_products(m) -%}
2 * {{ joint }}
    / nullif(
        {{ sqlmetrics.sum_of(m, 'weight * ' ~ sqlmetrics.square('(label - score)')) }}
        + 2 * {{ joint }},
        0
    )
{%- endmacro -%}

{%- macro concordance_correlation__at_fixed_ranks(m) -%}
{%- set joint = sqlmetrics.sum_of_products_at_fixed_means(m) -%}
2 * {{ joint }}
    / nullif(
        {{ sqlmetrics.sum_of(m, 'weight * ' ~ sqlmetrics.square('(label - score)')) }}
        + 2 * {{ joint }},
        0
    )
{%- endmacro -%}
