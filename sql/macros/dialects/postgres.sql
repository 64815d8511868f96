{#-
title: PostgreSQL
tested: true
-#}

{%- macro postgres__sqlmetrics_type_double() -%}
double precision
{%- endmacro -%}

{%- macro postgres__sqlmetrics_type_text() -%}
text
{%- endmacro -%}

{%- macro postgres__sqlmetrics_label_to_double(expression) -%}
{#- The text of a number of four bytes has fewer digits than it is, and is that number again in four bytes only. -#}
{%- set text = 'cast(' ~ expression ~ ' as text)' -%}
case when pg_typeof({{ expression }}) = 'real'::regtype then cast(cast({{ text }} as real) as double precision) else {{ sqlmetrics.label_through_text(expression) }} end
{%- endmacro -%}

{%- macro postgres__sqlmetrics_is_numeric_text(text) -%}
{{ text }} ~* '^\s*([-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)(e[-+]?[0-9]+)?|nan|[-+]?inf(inity)?)\s*$'
{%- endmacro -%}

{%- macro postgres__sqlmetrics_to_tinyint(expression) -%}
cast({{ expression }} as smallint)
{%- endmacro -%}

{#- PostgreSQL stores a step that is read twice too, and then knows no longer how many rows and values to expect: it sorts
    where it could have counted in a hash table. Only the log itself is sooner read again: five groupings of six metrics took
    twelve times as long with all steps folded. One that is read once it folds into its reader, and writes a column out
    wherever that names it: of a few steps with polynomials it made three million letters, and compiled them for minutes. -#}
{%- macro postgres__sqlmetrics_cte_hint(step, times_read) -%}
{{ 'materialized ' if step.stored else 'not materialized ' if step.log and times_read > 1 }}
{%- endmacro -%}

{%- macro postgres__sqlmetrics_stores_steps() -%}
{{ return(true) }}
{%- endmacro -%}

{%- macro postgres__sqlmetrics_not_folded() -%}
{{ return('\noffset 0') }}
{%- endmacro -%}

{#- What a backslash means between plain quotes is a setting there, between these it is not. -#}
{%- macro postgres__sqlmetrics_text_literal(value) -%}
{{ 'E' ~ sqlmetrics.backslashed_text(value) if '\\' in value else sqlmetrics.default__sqlmetrics_text_literal(value) }}
{%- endmacro -%}

{%- macro postgres__sqlmetrics_is_number(expression) -%}
{{ expression }} is not null
    and {{ expression }} <> cast('NaN' as double precision)
{%- endmacro -%}

{%- macro postgres__sqlmetrics_square(expression) -%}
case when abs({{ expression }}) < 1e-150 then 0 else {{ expression }} * {{ expression }} end
{%- endmacro -%}

{%- macro postgres__sqlmetrics_product(expression, other) -%}
case when abs({{ expression }}) < 1e-150 or abs({{ other }}) < 1e-150 then 0 else {{ expression }} * {{ other }} end
{%- endmacro -%}

{%- macro postgres__sqlmetrics_series(count, name) -%}
select {{ name }} from generate_series(0, {{ count - 1 }}) as {{ name }}
{%- endmacro -%}

{#- There a join on `is not distinct from` compares every row with every slice. Two arrays are equal when their elements are,
    NULL with NULL, and they have a hash. An array that is NULL or empty adds no element; a second equality would make the planner
    think that hashing is dear. -#}
{%- macro postgres__sqlmetrics_same_value(value, other) -%}
(array[{{ value }}] = array[{{ other }}] and ({{ value }} is null) is not distinct from ({{ other }} is null))
{%- endmacro -%}

{#- The planner expects a tenth as many slices as rows, and sorts all rows on disk for a merge; of a range of numbers it expects a
    two hundredth of them. -#}
{%- macro postgres__sqlmetrics_that_slices_are_few() -%}
{{ return(['slices.slice_id between 1 and 1000000000']) }}
{%- endmacro -%}

{#- It rounds a double to whole numbers only. -#}
{%- macro postgres__sqlmetrics_rounded(value, digits) -%}
{{ return('cast(round(cast(' ~ value ~ ' as numeric), ' ~ digits ~ ') as double precision)') }}
{%- endmacro -%}

{#- Texts by their bytes, as the other engines sort them: a server may sort in a language. Of other types equal values may have two texts
    (0 and -0, 1.0 and 1.00). -#}
{%- macro postgres__sqlmetrics_key_order(expression, direction) -%}
{%- set is_text = 'pg_typeof(' ~ expression ~ ") in ('text'::regtype, 'varchar'::regtype, 'char'::regtype, 'bpchar'::regtype, 'name'::regtype)" -%}
{{ return('case when ' ~ is_text ~ ' then null else ' ~ expression ~ ' end ' ~ direction ~ ' nulls last, case when ' ~ is_text ~ ' then cast(' ~ expression ~ ' as text) end collate "C" ' ~ direction ~ ' nulls last') }}
{%- endmacro -%}

{%- macro postgres__sqlmetrics_can_recurse() -%}
{{ return(true) }}
{%- endmacro -%}

{#- No function ends a statement: the message is what cannot be read as a boolean. -#}
{%- macro postgres__sqlmetrics_raised_condition(message) -%}
cast({{ message }} as boolean)
{%- endmacro -%}
