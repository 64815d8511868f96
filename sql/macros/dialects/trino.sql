{#-
title: Trino
-#}

{%- macro trino__sqlmetrics_is_number(expression) -%}
{{ expression }} is not null
    and not is_nan({{ expression }})
{%- endmacro -%}

{%- macro trino__sqlmetrics_series(count, name) -%}
select {{ name }} from unnest(sequence(0, {{ count - 1 }})) as numbers({{ name }})
{%- endmacro -%}

{%- macro trino__sqlmetrics_text_digest(text) -%}
lower(to_hex(md5(to_utf8({{ text }}))))
{%- endmacro -%}

{%- macro trino__sqlmetrics_raised(message) -%}
fail({{ message }})
{%- endmacro -%}
