{#-
title: Spark
tested: true
-#}

{%- macro spark__sqlmetrics_type_text() -%}
string
{%- endmacro -%}

{#- Spark replaces `${name}` before it reads a statement, inside a quoted name too, where nothing escapes it. -#}
{%- macro spark__sqlmetrics_quoted_identifier(name) -%}
{%- if '${' in name -%}
{{ sqlmetrics.refuse(none, "the name '" ~ name ~ "' holds '${', which Spark replaces by a variable wherever it stands; rename the column in a query") }}
{%- endif -%}
`{{ sqlmetrics.keep_line_breaks(name | replace('`', '``')) }}`
{%- endmacro -%}

{#- Spark replaces `${name}` by a setting or a variable of the environment before it reads a statement, texts and all. -#}
{%- macro spark__sqlmetrics_text_literal(value) -%}
{{ sqlmetrics.backslashed_text(value) | replace('${', '$\\{') }}
{%- endmacro -%}

{%- macro spark__sqlmetrics_series(count, name) -%}
select {{ name }} from range({{ count }}) as numbers({{ name }})
{%- endmacro -%}

{#- Spark gives each partition of a window to one task, and a window without a partition to a single one. -#}
{%- macro spark__sqlmetrics_default_shape() -%}
two_level
{%- endmacro -%}

{%- macro spark__sqlmetrics_broadcast(step) -%}
{{ ' /*+ broadcast(' ~ step ~ ') */' }}
{%- endmacro -%}

{%- macro spark__sqlmetrics_raised(message) -%}
raise_error({{ message }})
{%- endmacro -%}
