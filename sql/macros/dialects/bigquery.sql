{#-
title: BigQuery
-#}

{%- macro bigquery__sqlmetrics_type_double() -%}
float64
{%- endmacro -%}

{%- macro bigquery__sqlmetrics_type_text() -%}
string
{%- endmacro -%}

{%- macro bigquery__sqlmetrics_label_to_double(expression) -%}
{{ sqlmetrics.label_through_text(expression) }}
{%- endmacro -%}

{%- macro bigquery__sqlmetrics_quoted_identifier(name) -%}
`{{ sqlmetrics.keep_line_breaks(name | replace('\\', '\\\\') | replace('`', '\\`')) }}`
{%- endmacro -%}

{%- macro bigquery__sqlmetrics_text_literal(value) -%}
{{ sqlmetrics.backslashed_text(value) }}
{%- endmacro -%}

{%- macro bigquery__sqlmetrics_is_numeric_text(text) -%}
safe_cast({{ text }} as float64) is not null
{%- endmacro -%}

{%- macro bigquery__sqlmetrics_is_number(expression) -%}
{{ expression }} is not null
    and not is_nan({{ expression }})
{%- endmacro -%}

{%- macro bigquery__sqlmetrics_series(count, name) -%}
select {{ name }} from unnest(generate_array(0, {{ count - 1 }})) as {{ name }}
{%- endmacro -%}

{%- macro bigquery__sqlmetrics_union_distinct() -%}
union distinct
{%- endmacro -%}

{%- macro bigquery__sqlmetrics_text_digest(text) -%}
to_hex(md5({{ text }}))
{%- endmacro -%}

{%- macro bigquery__sqlmetrics_text_position(text, whole) -%}
strpos({{ whole }}, {{ text }})
{%- endmacro -%}

{%- macro bigquery__sqlmetrics_raised(message) -%}
error({{ message }})
{%- endmacro -%}
