{#-
title: Coefficient of determination, R²
answers: [explained]
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
{#- Two passes: the mean first. Sums of squares taken in one would lose the digits of labels far from 0. A join, because windows
    over all rows took eight times as long on DuckDB (five million rows, no slices), and are one task on Spark. -#}
{%- macro r2__query(m, rows_from, keys) -%}
{%- set label = 'case when weight > 0 then label end' -%}
{%- set mean = 'case when min(' ~ label ~ ') = max(' ~ label ~ ') then min(' ~ label ~ ') else sum(weight * label) / nullif(sum(weight), 0) end' -%}
{%- set own = [] -%}
{%- for key in keys -%}{%- do own.append('used.' ~ key) -%}{%- endfor -%}
{%- set named = sqlmetrics.keys_of('used', keys) -%}
{%- set same = sqlmetrics.same_keys('used', 'means', keys) -%}
select{{ sqlmetrics.broadcast('means') }}
    {{ sqlmetrics.lines(named + ['1 - sum(weight * ' ~ sqlmetrics.square('(label - score)') ~ ') / nullif(sum(weight * ' ~ sqlmetrics.square('(label - mean_label)') ~ '), 0) as ' ~ sqlmetrics.identifier(m.as)]) }}
from (
    select
        {{ (keys + ['label', 'score', 'weight']) | join(',\n        ') }}
    from {{ rows_from | replace('\n', '\n    ') }}
) as used
inner join (
    select
        {{ (keys + [mean ~ ' as mean_label']) | join(',\n        ') }}
    from {{ rows_from | replace('\n', '\n    ') }}
    {{- sqlmetrics.group_by(keys) | replace('\n', '\n    ') }}
) as means
    on {{ same | join('\n    and ') if same else '1 = 1' }}
{{- sqlmetrics.group_by(own) }}
{%- endmacro -%}
