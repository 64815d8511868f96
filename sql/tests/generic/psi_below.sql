{#- The scores of one part of a score_state are like those of another, in every slice: the population stability index does not exceed
    max_value (see score_drift; below 0.1 is usually called stable, above 0.25 shifted). A slice with fewer than min_rows rows in
    either part fails. -#}
{% test psi_below(model, max_value=0.2, current=none, reference=none, reference_relation=none, by=none, bins=10, eps=0.0001, min_rows=1) -%}
{%- if execute -%}
{{ sqlmetrics.failures_of_drift('psi_below', model, 'psi', max_value, current, reference, reference_relation, by, bins, eps, min_rows) }}
{%- endif -%}
{%- endtest %}
