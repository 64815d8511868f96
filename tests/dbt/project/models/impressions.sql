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
    {{ '1 - pctr' if var('decayed') else 'pctr' }} as pctr,
    pctr_b,
    y,
    y_hat,
    class_name,
    said,
    called,
    ad,
    doc,
    campaign,
    views,
    clicks,
    mass,
    tail,
    taken,
    place,
    earned,
    logged,
    shown_at,
    chosen,
    hoped,
    hoped_of_all,
    treated,
    lasted,
    aspect,
    low,
    high,
    p_cat,
    p_dog,
    p_bird
from {{ log }}
