{#-
title: Redshift
parent: postgres
-#}

{%- macro redshift__sqlmetrics_type_text() -%}
varchar
{%- endmacro -%}

{%- macro redshift__sqlmetrics_cte_hint(step, times_read) -%}
{%- endmacro -%}

{%- macro redshift__sqlmetrics_text_literal(value) -%}
{{ sqlmetrics.default__sqlmetrics_text_literal(value | replace('\\', '\\\\')) }}
{%- endmacro -%}

{#- Redshift has generate_series on its leader node only, where no table can be joined to it. -#}
{%- macro redshift__sqlmetrics_series(count, name) -%}
select number - 1 as {{ name }} from (
    {{ sqlmetrics.indented(sqlmetrics.numbers(count, 'number')) }}
) as counted
{%- endmacro -%}

{%- macro redshift__sqlmetrics_same_value(value, other) -%}
({{ value }} = {{ other }} or ({{ value }} is null and {{ other }} is null))
{%- endmacro -%}

{#- Redshift has no running sum that takes in the rows of equal order. -#}
{%- macro redshift__sqlmetrics_default_shape() -%}
distinct
{%- endmacro -%}

{%- macro redshift__sqlmetrics_rounded(value, digits) -%}
{{ return('round(' ~ value ~ ', ' ~ digits ~ ')') }}
{%- endmacro -%}

{%- macro redshift__sqlmetrics_label_to_double(expression) -%}
{{ sqlmetrics.label_through_text(expression) }}
{%- endmacro -%}

{#- Redshift sorts texts by their bytes, and has no other names for that. -#}
{%- macro redshift__sqlmetrics_key_order(expression, direction) -%}
{{ return(sqlmetrics.default__sqlmetrics_key_order(expression, direction)) }}
{%- endmacro -%}

{%- macro redshift__sqlmetrics_can_recurse() -%}
{{ return(false) }}
{%- endmacro -%}
