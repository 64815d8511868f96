{#- On DuckDB and Spark the log is a parquet file outside the database; elsewhere the same rows are a seed. -#}
{%- if target.type == 'duckdb' -%}
{%- set log = source('logs', 'impressions') -%}
{%- elif target.type == 'spark' -%}
{%- set log = 'parquet.`data/impressions.parquet`' -%}
{%- else -%}
{%- set log = ref('impressions_seed') -%}
{%- endif -%}
select
    day,
    device,
    user_id,
    clicked,
    grade,
    pctr,
    pctr_b
from {{ log }}
