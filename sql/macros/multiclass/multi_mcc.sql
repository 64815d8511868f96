{#-
title: Matthews correlation coefficient of several classes
answers: [classes, rare]
formula: (n·Σ TP − Σ tₖ·pₖ) / √((n² − Σ pₖ²)(n² − Σ tₖ²)), tₖ and pₖ the rows and the calls of a class
frame: class_counts
uses: [totals]
label_type: class
score: class
lower: -1
upper: 1
better: higher
scale: 0 is chance
undefined: NULL when all labels, or all predictions, are of one class (zero_division replaces it)
oracle: sklearn.metrics.matthews_corrcoef
source: Gorodkin, Computational Biology and Chemistry 28 (2004)
parameters:
  zero_division: {type: number, default: null, minimum: 0, maximum: 1, doc: the value of an undefined quotient; NULL by default, presets: {sklearn: 0}, used_by: {0: scikit-learn}}
names: {scikit-learn: "matthews_corrcoef (multi-class)"}
example: {label: [a, a, b, c], prediction: [a, b, b, c], result: 0.7}
-#}
{%- macro multi_mcc__value(m) -%}
{%- set factors = {} -%}
{%- for other in ['fn', 'fp'] -%}
{#- Counts the classes: a difference of sums of weights would be 0 except for rounding errors. -#}
{%- do factors.update({other: 'case\n        when ' ~ sqlmetrics.sum_of(m, 'case when tp + ' ~ other ~ ' > 0 then 1 else 0 end') ~ ' > 1\n            then sqrt(greatest(' ~ sqlmetrics.disagreement_by_chance(m, other, other) ~ ', 0))\n    end'}) -%}
{%- endfor -%}
{%- set value = sqlmetrics.safe_divide('(' ~ sqlmetrics.agreement_beyond_chance(m) ~ ')', '(\n    ' ~ factors.fn ~ '\n    * ' ~ factors.fp ~ '\n    )') -%}
{{ value if m.zero_division is none else 'coalesce(' ~ value ~ ', ' ~ sqlmetrics.number(m.zero_division) ~ ')' }}
{%- endmacro -%}
