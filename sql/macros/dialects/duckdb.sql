{#-
title: DuckDB
tested: true
-#}

{#- Unusual entries:

    boolean_to_double no branch: twelve metrics by device took a sixth less time.
    type_of_few_steps a small type permits counting in an array, within the setting perfect_ht_threshold.
    folded_steps      a step with two readers would be materialized with its rows. Reading the narrow columns again is 1.3 times cheaper
                      for an AUC by slice (10 million rows).
    optimization_fence  DuckDB 2.0 tries to aggregate below a join, and expands all columns for that: 2.2 of the 2.5 s of 36 intervals of
                      slices with few rows. An offset prevents that, and costs nothing at run time.
    is_number         Parquet statistics ignore NaN, unless DuckDB wrote the file. DuckDB 2.0 evaluates `isnan`, comparisons and
                      `isfinite` by them: if all other values are equal, even `isfinite(x) or isinf(x)`. It does not evaluate
                      `is true` by them.
    fails             if all strings in a Parquet file are equal except for NULL, a scan filter of DuckDB 2.0 on `is null` returns
                      every row. Conditions on `is true` are not scan filters. -#}
{%- macro duckdb__sqlmetrics_dialect_table() -%}
{{ return(dict(
    sqlmetrics.default__sqlmetrics_dialect_table(),
    type_of_few_steps='usmallint',
    type_of_few_slices='utinyint',
    boolean_to_double='cast({0} as double)',
    is_number='(isfinite({0}) or isinf({0})) is true',
    fails='({0}) is not true',
    raised='cast(error({0}) as double)',
    can_recurse=true,
    sorts_groups_by_hash=true,
    guards_null_conditions=true,
    folded_steps='all',
    optimization_fence='\noffset 0',
    number_digest='md5_number({0})',
)) }}
{%- endmacro -%}
