{#-
title: DuckDB
tested: true
-#}

{#- Where an entry is unusual:

    truth_to_double   no branch: twelve metrics by device took a sixth less time
    type_of_few_steps with a type as small as this the engine can count in an array, where its setting perfect_ht_threshold allows
    folded_steps      a step that is read twice would be stored, rows and all; reading the narrow columns again is 1.3 x cheaper on an AUC by
                      slice (10 million rows)
    optimization_fence        DuckDB 2.0 tries to add up below a join, and writes all columns out for that: 2.2 of the 2.5 s of 36 intervals of
                      slices of a few rows. It does not look through an offset, of which nothing is left when it runs
    is_number         the statistics of a parquet file leave NaN out, unless DuckDB wrote it, and DuckDB 2.0 answers `isnan`, comparisons and
                      `isfinite` from them: of a column whose other values are all equal, even `isfinite(x) or isinf(x)`. What it does
                      not answer so is whether that `is true`
    fails             of a parquet file whose texts are all equal, but for NULL, DuckDB 2.0 takes every row for one that `is null`, where it
                      looks for them while it reads; it does not while it reads where it looks for what `is true` -#}
{%- macro duckdb__sqlmetrics_dialect_table() -%}
{{ return(dict(
    sqlmetrics.default__sqlmetrics_dialect_table(),
    type_of_few_steps='usmallint',
    truth_to_double='cast({0} as double)',
    is_number='(isfinite({0}) or isinf({0})) is true',
    fails='({0}) is not true',
    raised='cast(error({0}) as double)',
    can_recurse=true,
    sorts_groups_by_hash=true,
    guards_null_conditions=true,
    folded_steps='all',
    optimization_fence='\noffset 0',
)) }}
{%- endmacro -%}

{#- A number is cut faster than a text, and one of 64 bits faster than one of 128. The first byte of the digest is its last here. -#}
{%- macro duckdb__sqlmetrics_digest_of_draws(text) -%}
md5_number({{ text }})
{%- endmacro -%}

{%- macro duckdb__sqlmetrics_digits_of_digest(digest, number) -%}
{%- set half = 'cast(' ~ digest ~ (' & 18446744073709551615' if number < 5 else ' >> 64') ~ ' as ubigint)' -%}
({{ half }} >> {{ 16 * ((number - 1) % 4) }}) & 65535
{%- endmacro -%}

{%- macro duckdb__sqlmetrics_digits_as_compared(digits) -%}
{{ digits | int(base=16) }}
{%- endmacro -%}
