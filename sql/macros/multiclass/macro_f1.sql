{#-
title: Macro F1
answers: [better, classes]
formula: mean over classes of 2·TP / (2·TP + FP + FN)
frame: class_counts
label_type: class
score: class
lower: 0
upper: 1
better: higher
undefined: NULL without rows; a class whose rows all have weight 0 counts as 0, as in scikit-learn
oracle: sklearn.metrics.f1_score(average='macro')
source: scikit-learn user guide, section 3.4.4; Opitz and Burst, arXiv 1911.03347, on the two forms
parameters:
  form:
    default: mean_f1
    choices: {mean_f1: the mean of the F1 of every class, f1_of_means: the harmonic mean of macro precision and macro recall}
    doc: which of two common definitions
names: {scikit-learn: "f1_score(average='macro')"}
example: {label: [a, a, b, c], prediction: [a, b, b, c], result: 0.7778}
-#}
{%- macro macro_f1__value(m) -%}
{%- if m.form == 'mean_f1' -%}
{{ sqlmetrics.mean_of(m, 'coalesce(2 * tp / nullif(2 * tp + fp + fn, 0), 0)') }}
{%- else -%}
{%- set precision = sqlmetrics.mean_of(m, 'coalesce(tp / nullif(tp + fp, 0), 0)') -%}
{%- set recall = sqlmetrics.mean_of(m, 'coalesce(tp / nullif(tp + fn, 0), 0)') -%}
coalesce(
    2 * {{ precision }} * {{ recall }}
    / nullif({{ precision }} + {{ recall }}, 0),
    case when {{ sqlmetrics.sum_of(m, '1') }} > 0 then 0 end
)
{%- endif -%}
{%- endmacro -%}
