{#-
title: Snowflake
-#}

{%- macro snowflake__sqlmetrics_label_to_double(expression) -%}
{{ sqlmetrics.label_through_text(expression) }}
{%- endmacro -%}

{%- macro snowflake__sqlmetrics_text_literal(value) -%}
{{ sqlmetrics.backslashed_text(value) }}
{%- endmacro -%}

{%- macro snowflake__sqlmetrics_is_number(expression) -%}
{{ expression }} is not null
    and {{ expression }} <> cast('NaN' as double)
{%- endmacro -%}

{%- macro snowflake__sqlmetrics_series(count, name) -%}
select row_number() over (order by seq4() asc) - 1 as {{ name }} from table(generator(rowcount => {{ count }}))
{%- endmacro -%}

{#- No function ends a statement: the message is what cannot be read as a boolean. -#}
{%- macro snowflake__sqlmetrics_raised_condition(message) -%}
cast({{ message }} as boolean)
{%- endmacro -%}
