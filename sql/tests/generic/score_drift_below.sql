{#- The scores of one part of a score_state are like those of another, in every slice: the largest distance of their distribution
    functions does not exceed max_value (see score_drift). A slice with fewer than min_rows rows in either part fails. -#}
{% test score_drift_below(model, max_value=0.1, current=none, reference=none, reference_relation=none, by=none, min_rows=1) -%}
{%- if execute -%}
{{ sqlmetrics.failures_of_drift('score_drift_below', model, 'score_distance', max_value, current, reference, reference_relation, by, 10, 0.0001, min_rows) }}
{%- endif -%}
{%- endtest %}
