{#-
title: Spark
tested: true
-#}

{#- Spark replaces `${name}` by a setting or a variable of the environment before it reads a statement, names and texts included; in a
    text a backslash prevents that. It gives each partition of a window to one task, and a window without a partition to a single one. -#}
{%- macro spark__sqlmetrics_dialect_table() -%}
{{ return(dict(
    sqlmetrics.default__sqlmetrics_dialect_table(),
    type_text='string',
    series='select {1} from range({0}) as numbers({1})',
    default_shape='two_level',
    broadcast=' /*+ broadcast({0}) */',
    raised='raise_error({0})',
    quote='`',
    quote_escapes={'`': '``'},
    text_escapes={'\\': '\\\\', "'": "\\'", '${': '$\\{'},
    replaces_variables=true,
)) }}
{%- endmacro -%}
