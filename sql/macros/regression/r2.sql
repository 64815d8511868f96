{#-
title: Coefficient of determination, R²
formula: 1 − Σ w(y − ŷ)² / Σ w(y − ȳ)²
frame: none
truth: number
score: number
range: below 1, 0 is as good as the mean, higher is better
undefined: NULL when the labels are constant
oracle: sklearn.metrics.r2_score
source: scikit-learn user guide, section 3.4.6
names: {scikit-learn: "r2_score"}
example: {label: [3.0, -0.5, 2.0, 7.0], score: [2.5, 0.0, 2.0, 8.0], result: 0.9486}
-#}
{#- Two passes: the mean first. Sums of squares taken in one would lose the digits of labels far from 0. -#}
{%- macro r2__query(m, rows_from, keys) -%}
select
    {{ sqlmetrics.lines(keys + ['1 - sum(weight * (label - score) * (label - score)) / nullif(sum(weight * (label - mean_label) * (label - mean_label)), 0) as ' ~ sqlmetrics.identifier(m.as)]) }}
from (
    select
        {{ (keys + ['label', 'score', 'weight']) | join(',\n        ') }},
        case when lowest_label = highest_label then label else label_sum / nullif(weight_sum, 0) end as mean_label
    from (
        select
            {{ (keys + [
                'label',
                'score',
                'weight',
                'min(case when weight > 0 then label end) ' ~ sqlmetrics.over(keys) ~ ' as lowest_label',
                'max(case when weight > 0 then label end) ' ~ sqlmetrics.over(keys) ~ ' as highest_label',
                'sum(weight * label) ' ~ sqlmetrics.over(keys) ~ ' as label_sum',
                'sum(weight) ' ~ sqlmetrics.over(keys) ~ ' as weight_sum',
            ]) | join(',\n            ') }}
        from {{ rows_from | replace('\n', '\n        ') }}
    ) as labels_with_sums
) as labels_with_mean
{{- sqlmetrics.group_by(keys) }}
{%- endmacro -%}
