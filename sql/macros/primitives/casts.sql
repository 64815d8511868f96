{%- macro to_double(expression) -%}cast({{ expression }} as {{ sqlmetrics.type_double() }}){%- endmacro -%}
{%- macro to_text(expression) -%}cast({{ expression }} as {{ sqlmetrics.type_text() }}){%- endmacro -%}
{%- macro infinity() -%}{{ sqlmetrics.to_double("'Infinity'") }}{%- endmacro -%}

{#- Casts a label through a string, for the table of a dialect. -#}
{%- macro label_through_text(text, double) -%}
cast(case cast({0} as {{ text }}) when 'true' then '1' when 'false' then '0' else cast({0} as {{ text }}) end as {{ double }})
{%- endmacro -%}

{#- A step number as the smallest integer type for `steps`. -#}
{%- macro to_step(expression, steps) -%}
cast({{ expression }} as {{ sqlmetrics.dialect_table().type_of_few_steps if steps <= 65536 else 'integer' }})
{%- endmacro -%}

{#- Casts to a 32-bit float. As in C, overflow is infinite, not an error. The bound is halfway between the largest float and the next
    power of two. -#}
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
