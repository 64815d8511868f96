{#-
title: Redshift
parent: postgres
-#}

{#- Redshift runs generate_series on its leader node only, without joins to tables. No cast supports both booleans and numbers: a
    boolean label is `= cast(clicked as integer)`. Cumulative sums do not include tied rows. Strings sort by bytes. Equal hashes make
    the join of slices a hash join. Reserved words: https://docs.aws.amazon.com/redshift/latest/dg/r_pg_keywords.html -#}
{%- macro redshift__sqlmetrics_dialect_table() -%}
{{ return(dict(
    sqlmetrics.postgres__sqlmetrics_dialect_table(),
    type_text='varchar',
    label_to_double='cast({0} as double precision)',
    rounded='round({0}, {1})',
    series=none,
    key_order='{0} {1} nulls last',
    same_value='coalesce(fnv_hash({0}), 0) = coalesce(fnv_hash({1}), 0)\n    and ({0} = {1} or ({0} is null and {1} is null))',
    can_recurse=false,
    default_shape='distinct',
    folded_steps=none,
    that_slices_are_few=[],
    text_escapes={'\\': '\\\\', "'": "''"},
    prefix_of_backslashed_texts=none,
    reserved_words='
aes128 aes256 all allowoverwrite analyse analyze and any array as asc authorization az64 backup between binary blanksasnull
both bytedict bzip2 case cast check collate column constraint create credentials cross current_date current_time
current_timestamp current_user current_user_id default deferrable deflate defrag delta delta32k desc disable distinct do
else emptyasnull enable encode encrypt encryption end except explicit false for foreign freeze from full globaldict256
globaldict64k grant group gzip having identity ignore ilike in initially inner intersect interval into is isnull join
language leading left like limit localtime localtimestamp lun luns lzo lzop minus mostly16 mostly32 mostly8 natural new not
notnull null nulls off offline offset oid old on only open or order outer overlaps parallel partition percent permissions
pivot placing primary raw readratio recover references rejectlog resort respect restore right select session_user similar
snapshot some sysdate system table tag tdes text255 text32k then timestamp to top trailing true truncatecolumns union unique
unnest unpivot user using verbose wallet when where with without',
)) }}
{%- endmacro -%}
