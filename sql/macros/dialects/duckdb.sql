{#-
title: DuckDB
tested: true
-#}

{#- No branch: twelve metrics by device took a sixth less time. -#}
{%- macro duckdb__sqlmetrics_truth_to_double(condition) -%}
cast({{ condition }} as double)
{%- endmacro -%}

{#- With a type as small as this the engine can count in an array, where its setting perfect_ht_threshold allows. -#}
{%- macro duckdb__sqlmetrics_to_step(expression, steps) -%}
cast({{ expression }} as {{ 'usmallint' if steps <= 65536 else 'integer' }})
{%- endmacro -%}

{#- DuckDB would store a step that is read twice, rows and all, before going on; reading the narrow columns again is 1.3 x
    cheaper on an AUC by slice (10 million rows), so there such a step is folded into its readers. -#}
{%- macro duckdb__sqlmetrics_cte_hint(step, times_read) -%}
{{ 'materialized ' if step.stored else 'not materialized ' if times_read > 1 }}
{%- endmacro -%}

{%- macro duckdb__sqlmetrics_stores_steps() -%}
{{ return(true) }}
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

{%- macro duckdb__sqlmetrics_sorts_groups_by_hash() -%}
{{ return(true) }}
{%- endmacro -%}

{#- DuckDB 2.0 tries to add up below a join, and writes all columns out for that: 2.2 of the 2.5 s of 36 intervals of slices
    of a few rows. It does not look through an offset, of which nothing is left when it runs. -#}
{%- macro duckdb__sqlmetrics_kept_apart() -%}
{{ return('\noffset 0') }}
{%- endmacro -%}

{#- The statistics of a parquet file leave NaN out, unless DuckDB wrote it, and DuckDB 2.0 answers `isnan`, comparisons and
    `isfinite` from them: of a column whose other values are all equal, even `isfinite(x) or isinf(x)`. What it does not
    answer so is whether that `is true`. -#}
{%- macro duckdb__sqlmetrics_is_number(expression) -%}
(isfinite({{ expression }}) or isinf({{ expression }})) is true
{%- endmacro -%}

{#- Of a parquet file whose texts are all equal, but for NULL, DuckDB 2.0 takes every row for one that `is null`, where it
    looks for them while it reads; it does not while it reads where it looks for what `is true`. -#}
{%- macro duckdb__sqlmetrics_fails(condition) -%}
({{ condition }}) is not true
{%- endmacro -%}

{#- The same of a condition of the user's that gives NULL a meaning. All others the engine may answer while it reads. -#}
{%- macro duckdb__sqlmetrics_chosen_rows(condition) -%}
{%- set found = [] -%}
{%- for word in ['null', 'coalesce', 'distinct', 'concat', 'greatest', 'least'] if word in condition | lower -%}
{%- do found.append(word) -%}
{%- endfor -%}
{%- set chosen = sqlmetrics.expression(condition) -%}
{{ 'case when ' ~ chosen ~ ' then 1 else 0 end = 1' if found else chosen }}
{%- endmacro -%}

{%- macro duckdb__sqlmetrics_raised(message) -%}
cast(error({{ message }}) as double)
{%- endmacro -%}

{%- macro duckdb__sqlmetrics_can_recurse() -%}
{{ return(true) }}
{%- endmacro -%}
