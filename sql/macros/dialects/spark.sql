{#-
title: Spark
tested: true
-#}

{#- Spark replaces `${name}` by a setting or an environment variable before it parses a statement, also in identifiers and strings. A
    backslash prevents that in strings. Each partition of a window is one task, and a window without a partition is a single task. -#}
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
