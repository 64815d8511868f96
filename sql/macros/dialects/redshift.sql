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

{#- Equal hashes make it a hash join; the rest decides. -#}
{%- macro redshift__sqlmetrics_same_value(value, other) -%}
coalesce(fnv_hash({{ value }}), 0) = coalesce(fnv_hash({{ other }}), 0)
    and ({{ value }} = {{ other }} or ({{ value }} is null and {{ other }} is null))
{%- endmacro -%}

{%- macro redshift__sqlmetrics_that_slices_are_few() -%}
{{ return([]) }}
{%- endmacro -%}

{#- Redshift has no running sum that takes in the rows of equal order. -#}
{%- macro redshift__sqlmetrics_default_shape() -%}
distinct
{%- endmacro -%}

{%- macro redshift__sqlmetrics_rounded(value, digits) -%}
{{ return('round(' ~ value ~ ', ' ~ digits ~ ')') }}
{%- endmacro -%}

{#- No cast takes both a boolean and a number: a boolean label is `= cast(clicked as integer)`. -#}
{%- macro redshift__sqlmetrics_label_to_double(expression) -%}
{{ sqlmetrics.to_double(expression) }}
{%- endmacro -%}

{#- Redshift sorts texts by their bytes, and has no other names for that. -#}
{%- macro redshift__sqlmetrics_key_order(expression, direction) -%}
{{ return(sqlmetrics.default__sqlmetrics_key_order(expression, direction)) }}
{%- endmacro -%}

{%- macro redshift__sqlmetrics_can_recurse() -%}
{{ return(false) }}
{%- endmacro -%}

{#- https://docs.aws.amazon.com/redshift/latest/dg/r_pg_keywords.html -#}
{%- macro redshift__sqlmetrics_reserved_words() -%}
aes128 aes256 all allowoverwrite analyse analyze and any array as asc authorization az64 backup between binary blanksasnull
both bytedict bzip2 case cast check collate column constraint create credentials cross current_date current_time
current_timestamp current_user current_user_id default deferrable deflate defrag delta delta32k desc disable distinct do
else emptyasnull enable encode encrypt encryption end except explicit false for foreign freeze from full globaldict256
globaldict64k grant group gzip having identity ignore ilike in initially inner intersect interval into is isnull join
language leading left like limit localtime localtimestamp lun luns lzo lzop minus mostly16 mostly32 mostly8 natural new not
notnull null nulls off offline offset oid old on only open or order outer overlaps parallel partition percent permissions
pivot placing primary raw readratio recover references rejectlog resort respect restore right select session_user similar
snapshot some sysdate system table tag tdes text255 text32k then timestamp to top trailing true truncatecolumns union unique
unnest unpivot user using verbose wallet when where with without
{%- endmacro -%}
