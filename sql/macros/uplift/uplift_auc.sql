{#-
title: Area under the uplift curve
answers: [uplift]
formula: (A − R) / (P − R), A the area under the uplift curve (Yₜ / Nₜ − Y_c / N_c)·(Nₜ + N_c) over the rows by descending score, R that of the straight line to its end, P that of a perfect order
frame: treated_areas
label_type: binary
score: number
roles: {treatment: required}
better: higher
scale: 0 is a random order
undefined: NULL without treated rows, without others, or where no order is better than another
oracle: uplift_auc_score of scikit-uplift, its formula in numpy
source: Devriendt, Guns and Verbeke, arXiv 2002.05897; normalised as in scikit-uplift
notes: The score is the predicted uplift. The label is whether the row responded, and treatment whether it was treated, at random. As in scikit-uplift, a perfect order puts treated responders first, then untreated rows without a response.
names: {scikit-uplift: "uplift_auc_score"}
example: {label: [1, 0, 0, 1], score: [0.4, 0.1, 0.2, 0.3], treatment: [1, 1, 0, 0], result: 0.5556}
-#}
{#- The third kind of rows in a perfect order is the larger of untreated responders and treated rows without a response. -#}
{%- macro uplift_auc__value(m) -%}
{%- set end = '(treated_rate - control_rate)' -%}
{%- set second = 'case when treated_positives > 0 then treated_positives + control_negatives else 0 end' -%}
{%- set rates = {
    'control_positives': 'case when treated_positives > 0 then 1 else 0 end - control_rate',
    'treated_negatives': 'treated_rate',
} -%}
{%- set perfect -%}
treated_positives * treated_positives / 2
            + control_negatives / 2
            * (treated_positives + {{ second }})
            + case
                when control_positives > treated_negatives
{%- for next, other in {'control_positives': 'treated_negatives', 'treated_negatives': 'control_positives'}.items() %}
                {{ '    then' if loop.first else 'else' }} {{ next }} / 2
                    * ({{ second }})
                    + (control_positives + treated_negatives) * (treated_positives + {{ next }} + control_negatives) / 2
                    * ({{ rates[next] }})
                    + {{ other }} * {{ end }} / 2
{%- endfor %}
            end
{%- endset -%}
{%- set alike = '(treated_positives = 0 and control_positives = 0)
            or (treated_negatives = 0 and control_positives = 0)
            or (treated_positives = 0 and control_negatives = 0 and control_positives > treated_negatives)' -%}
{{ sqlmetrics.share_of_perfect_gain('uplift', perfect, alike, end) }}
{%- endmacro -%}
