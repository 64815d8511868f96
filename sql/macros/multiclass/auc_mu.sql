{#-
title: AUC mu
answers: [classes, order]
formula: mean over the pairs of classes of the AUC of one against the other by the difference of their scores
frame: scored_class_pairs
label_type: class
lower: 0
upper: 1
better: higher
scale: 0.5 is chance
undefined: NULL when a class of `scores` has no row, or is the only one
oracle: auc_mu of LightGBM
source: Kleiman and Page, ICML 2019, with all confusions as bad as each other
parameters:
  scores: {type: columns, required: true, doc: the column of each class's probability}
notes: A label without a column is an error. A pair of classes is ranked by both of their scores at once; multi_auc with ovo ranks it by one of them at a time. LightGBM uses differences of its raw scores, which are not proportional to those of its probabilities. To reproduce its value, pass raw scores, scaled to 0 to 1 by one factor and offset for all classes. Differences are exact doubles; LightGBM treats 0.5 − 0.2 and 0.4 − 0.1 as equal, although they differ by 6e-17.
names: {LightGBM: "auc_mu"}
example: {label: [cat, dog, dog, cat], p_cat: [0.6, 0.2, 0.5, 0.4], p_dog: [0.3, 0.7, 0.65, 0.6], call: "auc_mu(scores={'cat': 'p_cat', 'dog': 'p_dog'})", result: 0.75}
-#}
{%- macro auc_mu__value(m) -%}
{%- set classes = m.class_scores | length -%}
case
    when count(*) = {{ classes * (classes - 1) // 2 }} and min(weight_of_first) > 0 and min(weight_of_second) > 0
        then avg(area)
end
{%- endmacro -%}
