{#-
title: Isotonic calibration (CORP reliability diagram)
answers: [calibrated]
formula: the blocks of isotonic regression of the label on the score, each with its scores and its rate of positives
frame: recalibrated_scores
label_type: binary
score: number
table: true
columns: [block, lower, upper, rows, weight, mean_score, rate]
order: [block]
scale: rates 0 to 1, each above that of the block before
undefined: scores without any weight are block 0, whose rate and mean_score are NULL
oracle: sklearn.isotonic.IsotonicRegression
source: Dimitriadis, Gneiting and Jordan, PNAS 118 (2021)
notes: 'A calibration diagram without a number of bins to choose. It is also a recalibration table: a score from lower to upper maps to the rate. There are no scores between two blocks; scikit-learn interpolates linearly there.'
names: {sklearn.isotonic: "IsotonicRegression", reliabilitydiag: "reliabilitydiag", model-diagnostics: "plot_reliability_diagram"}
example: {label: [0, 1, 0, 1], score: [0.1, 0.4, 0.6, 0.8], column: rate, result: [0.0, 0.5, 1.0]}
-#}
{%- macro isotonic_calibration__table(m, f, keys) -%}
{%- set rising = sqlmetrics.over(keys, 'case when rate is null then 0 else 1 end asc, rate asc rows unbounded preceding') -%}
select
    {{ sqlmetrics.select_list(keys) ~ ',\n    ' if keys }}cast(
        sum(case when rate is null then 0 else 1 end)
        {{ rising }} as bigint
    ) as block,
    lowest_score as {{ sqlmetrics.identifier('lower') }},
    highest_score as {{ sqlmetrics.identifier('upper') }},
    {{ sqlmetrics.rows_of_table(m) }},
    pos + neg as weight,
    {{ sqlmetrics.safe_divide('score_sum', '(pos + neg)') }} as mean_score,
    rate
from (
    select
        {{ (keys + ['rate']) | join(',\n        ') }},
        min(score) as lowest_score,
        max(score) as highest_score,
        sum(row_count) as row_count,
        sum(pos) as pos,
        sum(neg) as neg,
        sum((pos + neg) * score) as score_sum
    from {{ f.cte }}
    {{- sqlmetrics.group_by(keys + ['rate']) | indent(4) }}
) as blocks
{%- endmacro -%}
