{#- What a statement needs at its end to mean the same as elsewhere. -#}
{%- macro statement_end() -%}
{%- set settings = sqlmetrics.dialect_table().settings -%}
{{ '\nsettings\n    ' ~ settings | join(',\n    ') if settings }}
{%- endmacro -%}

{#- A value that ends the statement with a message, which must be made of some column: an engine works constants out beforehand.
    Where there is no function for it, the message is what cannot be read as a number, or, in a condition, as a boolean. -#}
{%- macro raised(message) -%}
{{ sqlmetrics.to_double(message) if sqlmetrics.dialect_table().raised is none else sqlmetrics.dialect_text('raised', message) }}
{%- endmacro -%}

{%- macro raised_condition(message) -%}
cast({{ message if sqlmetrics.dialect_table().raised is none else sqlmetrics.dialect_text('raised', message) }} as boolean)
{%- endmacro -%}

{#- What a row of constants is read from where a condition decides whether it is there: GoogleSQL takes no WHERE without FROM. -#}
{%- macro from_single_row() -%}from (select 1 as single) as single_row{%- endmacro -%}
