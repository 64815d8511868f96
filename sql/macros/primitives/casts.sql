{%- macro to_double(expression) -%}cast({{ expression }} as {{ sqlmetrics.type_double() }}){%- endmacro -%}
{%- macro to_text(expression) -%}cast({{ expression }} as {{ sqlmetrics.type_text() }}){%- endmacro -%}
{%- macro infinity() -%}{{ sqlmetrics.to_double("'Infinity'") }}{%- endmacro -%}

{#- For the table of a dialect: the cast of a label by way of a text. -#}
{%- macro label_through_text(text, double) -%}
cast(case cast({0} as {{ text }}) when 'true' then '1' when 'false' then '0' else cast({0} as {{ text }}) end as {{ double }})
{%- endmacro -%}

{#- The number of a step, of which there are so many, as a whole number. -#}
{%- macro to_step(expression, steps) -%}
cast({{ expression }} as {{ sqlmetrics.dialect_table().type_of_few_steps if steps <= 65536 else 'integer' }})
{%- endmacro -%}

{#- As a 32-bit number; what is too large for one is infinite, as in C, not an error. What is nearer to the largest than to the
    power of two that would follow it is not too large. -#}
{%- macro single_precision(expression) -%}
{%- if not sqlmetrics.dialect_table().has_single_precision -%}
{%- do sqlmetrics.raise_error(none, "precision_of_scores='single', as in the preset trec_eval, needs 32-bit numbers, which this dialect does not have; pass precision_of_scores='double'") -%}
{%- endif -%}
cast(case
    when {{ expression }} >= 3.4028235677973366e38 then {{ sqlmetrics.infinity() }}
    when {{ expression }} <= -3.4028235677973366e38 then -{{ sqlmetrics.infinity() }}
    else {{ expression }}
end as real)
{%- endmacro -%}
