{{ config(materialized='view') }}
{{ sqlmetrics.evaluate(
    ref('impressions'), metrics=var('additive_lists'), score='pctr', item='ad', by=['device'],
    group="= user_id || ' ' || cast(day as " ~ sqlmetrics.type_text() ~ ")", catalog=ref('catalog'), popularity=ref('popularity'),
) }}
