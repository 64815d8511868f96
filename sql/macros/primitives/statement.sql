{#- Settings that give a statement the same meaning in every engine. -#}
{%- macro statement_end() -%}
{%- set settings = sqlmetrics.dialect_table().settings -%}
{{ '\nsettings\n    ' ~ settings | join(',\n    ') if settings }}
{%- endmacro -%}

{#- A value that ends the statement with an error. The message must contain a column, since engines evaluate constants early. Without a
    function for it, a cast of the message to a number, or in a condition to a boolean, fails. -#}
{%- macro raised(message) -%}
{{ sqlmetrics.to_double(message) if sqlmetrics.dialect_table().raised is none else sqlmetrics.dialect_text('raised', message) }}
{%- endmacro -%}

{%- macro raised_condition(message) -%}
cast({{ message if sqlmetrics.dialect_table().raised is none else sqlmetrics.dialect_text('raised', message) }} as boolean)
{%- endmacro -%}

{#- A source for a row of constants with a condition: GoogleSQL rejects WHERE without FROM. -#}
{%- macro from_single_row() -%}from (select 1 as single) as single_row{%- endmacro -%}
