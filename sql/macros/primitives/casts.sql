{#- Types and casts: the only places where the name of a type is written are these and the tables of dialects. -#}

{%- macro type_double() -%}{{ sqlmetrics.dialect_table().type_double }}{%- endmacro -%}

{%- macro type_text() -%}{{ sqlmetrics.dialect_table().type_text }}{%- endmacro -%}

{%- macro to_double(expression) -%}cast({{ expression }} as {{ sqlmetrics.type_double() }}){%- endmacro -%}

{%- macro to_text(expression) -%}cast({{ expression }} as {{ sqlmetrics.type_text() }}){%- endmacro -%}

{#- Whether a cast of a text to a number succeeds. -#}
{%- macro is_numeric_text(text) -%}{{ sqlmetrics.dialect_text('is_numeric_text', text) }}{%- endmacro -%}

{#- What two relations are joined on: ClickHouse joins no whole number with a double. -#}
{%- macro joined_key(expression) -%}{{ sqlmetrics.dialect_text('joined_key', expression) }}{%- endmacro -%}

{#- A label may be boolean, and PostgreSQL has no cast from boolean to double. -#}
{%- macro label_to_double(expression) -%}{{ sqlmetrics.dialect_text('label_to_double', expression) }}{%- endmacro -%}

{#- For the table of a dialect: the cast by way of a text. -#}
{%- macro label_through_text(text, double) -%}
cast(case cast({0} as {{ text }}) when 'true' then '1' when 'false' then '0' else cast({0} as {{ text }}) end as {{ double }})
{%- endmacro -%}

{%- macro truth_to_double(condition) -%}{{ sqlmetrics.dialect_text('truth_to_double', condition) }}{%- endmacro -%}

{#- Counts and 0/1 columns travel through sorts as small integers: the narrower the rows, the faster the sort. -#}
{%- macro to_tinyint(expression) -%}{{ sqlmetrics.dialect_text('to_tinyint', expression) }}{%- endmacro -%}

{#- The number of a step, of which there are so many, as a whole number. -#}
{%- macro to_step(expression, steps) -%}
cast({{ expression }} as {{ sqlmetrics.dialect_table().type_of_few_steps if steps <= 65536 else 'integer' }})
{%- endmacro -%}

{#- As a 32-bit number; what is too large for one is infinite, as in C, not an error. What is nearer to the largest than to the
    power of two that would follow it is not too large. -#}
{%- macro single_precision(expression) -%}
{%- if not sqlmetrics.dialect_table().has_single_precision -%}
{%- do sqlmetrics.refuse(none, "this dialect has no 32-bit numbers, as which precision_of_scores='single' (so in the preset trec_eval) compares scores; give the metric precision_of_scores='double'") -%}
{%- endif -%}
cast(case when {{ expression }} >= 3.4028235677973366e38 then {{ sqlmetrics.infinity() }} when {{ expression }} <= -3.4028235677973366e38 then -{{ sqlmetrics.infinity() }} else {{ expression }} end as real)
{%- endmacro -%}
