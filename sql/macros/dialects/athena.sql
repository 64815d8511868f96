{#-
title: Athena
-#}

{#- Athena is Trino, but dbt looks for its macros under its own name. -#}
{%- macro athena__sqlmetrics_is_number(expression) -%}
{{ sqlmetrics.trino__sqlmetrics_is_number(expression) }}
{%- endmacro -%}

{%- macro athena__sqlmetrics_series(count, name) -%}
{{ sqlmetrics.trino__sqlmetrics_series(count, name) }}
{%- endmacro -%}

{%- macro athena__sqlmetrics_text_digest(text) -%}
{{ sqlmetrics.trino__sqlmetrics_text_digest(text) }}
{%- endmacro -%}

{%- macro athena__sqlmetrics_raised(message) -%}
{{ sqlmetrics.trino__sqlmetrics_raised(message) }}
{%- endmacro -%}

{%- macro athena__sqlmetrics_reserved_words() -%}
{{ sqlmetrics.trino__sqlmetrics_reserved_words() }}
{%- endmacro -%}

{%- macro athena__sqlmetrics_cte_hint(step, times_read) -%}
{{ sqlmetrics.trino__sqlmetrics_cte_hint(step, times_read) }}
{%- endmacro -%}
