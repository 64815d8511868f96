{#-
title: Trino
-#}

{%- macro trino__sqlmetrics_is_number(expression) -%}
{{ expression }} is not null
    and not is_nan({{ expression }})
{%- endmacro -%}

{%- macro trino__sqlmetrics_series(count, name) -%}
select {{ name }} from unnest(sequence(0, {{ count - 1 }})) as numbers({{ name }})
{%- endmacro -%}

{%- macro trino__sqlmetrics_text_digest(text) -%}
lower(to_hex(md5(to_utf8({{ text }}))))
{%- endmacro -%}

{%- macro trino__sqlmetrics_raised(message) -%}
fail({{ message }})
{%- endmacro -%}

{#- https://trino.io/docs/current/language/reserved.html -#}
{%- macro trino__sqlmetrics_reserved_words() -%}
alter and as between by case cast constraint create cross cube current_catalog current_date current_path current_role
current_schema current_time current_timestamp current_user deallocate delete describe distinct drop else end escape except
execute exists extract false for from full group grouping having in inner insert intersect into is join json_array
json_exists json_object json_query json_table json_value left like listagg localtime localtimestamp natural normalize not
null on or order outer prepare recursive right rollup select skip table then trim true uescape union unnest using values
when where with
{%- endmacro -%}

{#- Each WITH is worked out where it is read. -#}
{%- macro trino__sqlmetrics_cte_hint(step, times_read) -%}
{{ '/* Trino reads the log here ' ~ times_read ~ ' times: query a table that holds these columns and rows */ ' if step.log and times_read > 10 }}
{%- endmacro -%}
