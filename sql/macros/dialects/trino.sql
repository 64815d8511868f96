{#-
title: Trino
-#}

{#- Each WITH is evaluated once per reader. Reserved words: https://trino.io/docs/current/language/reserved.html -#}
{%- macro trino__sqlmetrics_dialect_table() -%}
{{ return(dict(
    sqlmetrics.default__sqlmetrics_dialect_table(),
    is_number='{0} is not null\n    and not is_nan({0})',
    series='select {1} from unnest(sequence(0, {last})) as numbers({1})',
    text_digest='lower(to_hex(md5(to_utf8({0}))))',
    raised='fail({0})',
    rereads_steps=true,
    reserved_words='
alter and as between by case cast constraint create cross cube current_catalog current_date current_path current_role
current_schema current_time current_timestamp current_user deallocate delete describe distinct drop else end escape except
execute exists extract false for from full group grouping having in inner insert intersect into is join json_array
json_exists json_object json_query json_table json_value left like listagg localtime localtimestamp natural normalize not
null on or order outer prepare recursive right rollup select skip table then trim true uescape union unnest using values
when where with',
)) }}
{%- endmacro -%}
