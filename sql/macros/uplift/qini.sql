{#-
title: Qini coefficient
answers: [uplift]
formula: (A − R) / (P − R), A the area under the Qini curve Yₜ − Y_c·Nₜ / N_c over the rows by descending score, R that of the straight line to its end, P that of a perfect order
frame: treated_areas
label_type: binary
score: number
roles: {treatment: required}
better: higher
scale: 0 is a random order
undefined: NULL without treated rows, without others, or where no order is better than another
oracle: qini_auc_score of scikit-uplift, its formula in numpy
source: Radcliffe, Direct Marketing Analytics Journal 3 (2007); normalised as in scikit-uplift
notes: The score is the predicted uplift. The label is whether the row responded, and treatment whether it was treated, at random. A perfect order puts treated responders first and untreated responders last.
names: {scikit-uplift: "qini_auc_score"}
example: {label: [1, 0, 0, 1], score: [0.4, 0.1, 0.3, 0.2], treatment: [1, 1, 0, 0], result: 0.8333}
-#}
{%- macro qini__value(m) -%}
{%- set end = '(treated_positives - control_rate * (treated_positives + treated_negatives))' -%}
{%- set perfect -%}
treated_positives * treated_positives / 2
            + (treated_negatives + control_negatives) * treated_positives
            + control_positives * (treated_positives + {{ end }}) / 2
{%- endset -%}
{{ sqlmetrics.share_of_perfect_gain('qini', perfect, 'control_positives = 0 and (treated_positives = 0 or treated_negatives + control_negatives = 0)', end) }}
{%- endmacro -%}
