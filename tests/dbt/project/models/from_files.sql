{#- Python wrote the state of each day into a file. -#}
{{ config(enabled=target.type == 'duckdb') }}
{{ sqlmetrics.state_metrics(source('files', 'day'), by=['device'], confidence=0.95) }}
