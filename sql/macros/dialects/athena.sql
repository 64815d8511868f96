{#-
title: Athena
-#}

{#- Athena is Trino, but dbt dispatches by its own name. -#}
{%- macro athena__sqlmetrics_dialect_table() -%}{{ return(sqlmetrics.trino__sqlmetrics_dialect_table()) }}{%- endmacro -%}
