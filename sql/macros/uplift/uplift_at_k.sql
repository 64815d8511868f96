{#-
title: Uplift at k
answers: [uplift, top_share]
formula: Yₜ / Nₜ − Y_c / N_c over the rows of the highest scores that hold the share of all weight; by_group over the highest of the treated and the highest of the others
frame: treated_scores
label_type: binary
score: number
roles: {treatment: required}
lower: -1
upper: 1
better: higher
scale: 0 is no effect
undefined: NULL without treated rows or without others among the highest scores
oracle: uplift_at_k of scikit-uplift, its formula in numpy
source: scikit-uplift, uplift_at_k
notes: The score is the predicted uplift. The label is whether the row responded, and treatment whether it was treated, at random. At the score that completes the share, rows count with a part of their weight, so the order of equal scores does not matter. scikit-uplift rounds down to whole rows and keeps the data's order of equal scores.
parameters:
  share: {type: number, default: 0.3, minimum: 0, maximum: 1, doc: 'the share of the weight to target, highest scores first'}
  strategy:
    default: overall
    choices: {overall: the share of all rows, by_group: the same share of the treated and of the others}
    doc: the base of the share
names: {scikit-uplift: "uplift_at_k"}
example: {label: [1, 0, 0, 1], score: [0.4, 0.3, 0.2, 0.1], treatment: [1, 0, 1, 0], call: uplift_at_k(share=0.5), result: 1.0}
-#}
{%- macro uplift_at_k__value(m) -%}
{%- set rates = [] -%}
{%- for arm in ['treated', 'control'] -%}
{%- set part = sqlmetrics.part_in_top(m.share, 'share_above', 'share') if m.strategy == 'overall' else sqlmetrics.part_in_top(m.share, arm ~ '_share_above', arm ~ '_share') -%}
{%- do rates.append('sum(' ~ arm ~ '_positives * ' ~ part ~ ')\n/ nullif(sum(' ~ arm ~ ' * ' ~ part ~ '), 0)') -%}
{%- endfor -%}
{{ rates | join('\n- ') }}
{%- endmacro -%}
