{#-
title: Trino
-#}

{%- macro trino__is_number(expression) -%}
{{ expression }} is not null
    and not is_nan({{ expression }})
{%- endmacro -%}

{%- macro trino__series(count, name) -%}
select {{ name }} from unnest(sequence(0, {{ count - 1 }})) as numbers({{ name }})
{%- endmacro -%}

{%- macro trino__text_digest(text) -%}
lower(to_hex(md5(to_utf8({{ text }}))))
{%- endmacro -%}

{%- macro trino__raised(message) -%}
fail({{ message }})
{%- endmacro -%}
