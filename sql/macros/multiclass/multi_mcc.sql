{#-
title: Matthews correlation coefficient of several classes
answers: [classes, rare]
formula: (n·Σ TP − Σ tₖ·pₖ) / √((n² − Σ pₖ²)(n² − Σ tₖ²)), tₖ and pₖ the rows and the calls of a class
frame: class_counts
uses: [totals]
truth: class
score: class
range: -1 to 1, 0 is chance, higher is better
undefined: NULL when all labels, or all calls, are of one class (zero_division takes its place)
oracle: sklearn.metrics.matthews_corrcoef
source: Gorodkin, Computational Biology and Chemistry 28 (2004)
parameters:
  zero_division: {type: number, default: null, minimum: 0, maximum: 1, doc: the value of an undefined quotient; NULL by default, presets: {sklearn: 0}, used_by: {0: scikit-learn}}
names: {scikit-learn: "matthews_corrcoef (multi-class)"}
example: {label: [a, a, b, c], prediction: [a, b, b, c], result: 0.7}
-#}
{#- In shares of the weight: the square of a weight may be too large or too small for a double. -#}
{%- macro multi_mcc__value(m) -%}
{%- set rows_of_class = '((tp + fn) / nullif(weight_of_all, 0))' -%}
{%- set calls_of_class = '((tp + fp) / nullif(weight_of_all, 0))' -%}
{%- set together = sqlmetrics.sum_of(m, 'tp / nullif(weight_of_all, 0)') ~ ' - ' ~ sqlmetrics.sum_of(m, rows_of_class ~ ' * ' ~ calls_of_class) -%}
{%- set spread = {} -%}
{%- for of_class in [rows_of_class, calls_of_class] -%}
{#- Whether there is one class is counted: a difference of sums of weights would be 0 but for its last bits. -#}
{%- do spread.update({of_class: 'case when ' ~ sqlmetrics.sum_of(m, 'case when ' ~ of_class ~ ' > 0 then 1 else 0 end') ~ ' > 1 then sqrt(greatest(1 - ' ~ sqlmetrics.sum_of(m, of_class ~ ' * ' ~ of_class) ~ ', 0)) end'}) -%}
{%- endfor -%}
{%- set value = sqlmetrics.safe_divide('(' ~ together ~ ')', '(' ~ spread[rows_of_class] ~ ' * ' ~ spread[calls_of_class] ~ ')') -%}
{{ value if m.zero_division is none else 'coalesce(' ~ value ~ ', ' ~ sqlmetrics.number(m.zero_division) ~ ')' }}
{%- endmacro -%}
