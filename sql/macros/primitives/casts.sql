{#- The only places where the name of a type is written. -#}

{%- macro type_double() -%}
{{ adapter.dispatch('sqlmetrics_type_double', 'sqlmetrics')() }}
{%- endmacro -%}

{%- macro default__sqlmetrics_type_double() -%}
double
{%- endmacro -%}

{%- macro type_text() -%}
{{ adapter.dispatch('sqlmetrics_type_text', 'sqlmetrics')() }}
{%- endmacro -%}

{%- macro default__sqlmetrics_type_text() -%}
varchar
{%- endmacro -%}

{%- macro to_double(expression) -%}
cast({{ expression }} as {{ sqlmetrics.type_double() }})
{%- endmacro -%}

{%- macro to_text(expression) -%}
cast({{ expression }} as {{ sqlmetrics.type_text() }})
{%- endmacro -%}

{#- Whether a cast of a text to a number succeeds. -#}
{%- macro is_numeric_text(text) -%}
{{ adapter.dispatch('sqlmetrics_is_numeric_text', 'sqlmetrics')(text) }}
{%- endmacro -%}

{%- macro default__sqlmetrics_is_numeric_text(text) -%}
try_cast({{ text }} as {{ sqlmetrics.type_double() }}) is not null
{%- endmacro -%}

{#- What two relations are joined on: ClickHouse joins no whole number with a double. -#}
{%- macro joined_key(expression) -%}
{{ adapter.dispatch('sqlmetrics_joined_key', 'sqlmetrics')(expression) }}
{%- endmacro -%}

{%- macro default__sqlmetrics_joined_key(expression) -%}
{{ expression }}
{%- endmacro -%}

{#- A truth column may be boolean, and PostgreSQL has no cast from boolean to double. -#}
{%- macro label_to_double(expression) -%}
{{ adapter.dispatch('sqlmetrics_label_to_double', 'sqlmetrics')(expression) }}
{%- endmacro -%}

{%- macro default__sqlmetrics_label_to_double(expression) -%}
{{ sqlmetrics.to_double(expression) }}
{%- endmacro -%}

{%- macro label_through_text(expression) -%}
{%- set text = 'cast(' ~ expression ~ ' as ' ~ sqlmetrics.type_text() ~ ')' -%}
{{ sqlmetrics.to_double('case ' ~ text ~ " when 'true' then '1' when 'false' then '0' else " ~ text ~ ' end') }}
{%- endmacro -%}

{#- Counts and 0/1 columns travel through sorts as small integers: the narrower the rows, the faster the sort. -#}
{%- macro truth_to_double(condition) -%}
{{ adapter.dispatch('sqlmetrics_truth_to_double', 'sqlmetrics')(condition) }}
{%- endmacro -%}

{%- macro default__sqlmetrics_truth_to_double(condition) -%}
case when {{ condition }} then 1 else 0 end
{%- endmacro -%}

{%- macro to_tinyint(expression) -%}
{{ adapter.dispatch('sqlmetrics_to_tinyint', 'sqlmetrics')(expression) }}
{%- endmacro -%}

{%- macro default__sqlmetrics_to_tinyint(expression) -%}
cast({{ expression }} as tinyint)
{%- endmacro -%}

{#- The number of a step, of which there are so many, as a whole number. -#}
{%- macro to_step(expression, steps) -%}
{{ adapter.dispatch('sqlmetrics_to_step', 'sqlmetrics')(expression, steps) }}
{%- endmacro -%}

{%- macro default__sqlmetrics_to_step(expression, steps) -%}
cast({{ expression }} as integer)
{%- endmacro -%}

{#- As a 32-bit number; what is too large for one is infinite, as in C, not an error. What is nearer to the largest than to the
    power of two that would follow it is not too large. -#}
{%- macro single_precision(expression) -%}
{{ adapter.dispatch('sqlmetrics_single_precision', 'sqlmetrics')(expression) }}
{%- endmacro -%}

{%- macro default__sqlmetrics_single_precision(expression) -%}
cast(case
    when {{ expression }} >= 3.4028235677973366e38 then {{ sqlmetrics.infinity() }}
    when {{ expression }} <= -3.4028235677973366e38 then -{{ sqlmetrics.infinity() }}
    else {{ expression }}
end as real)
{%- endmacro -%}

{%- macro refuse_single_precision(title) -%}
{{ sqlmetrics.refuse(none, title ~ " has no 32-bit numbers, as which precision_of_scores='single' (so in the preset trec_eval) compares scores; give the metric precision_of_scores='double'") }}
{%- endmacro -%}
