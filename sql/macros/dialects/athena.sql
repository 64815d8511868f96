{#-
title: Athena
-#}

{#- Athena is Trino, but dbt looks for its table under its own name. -#}
{%- macro athena__sqlmetrics_dialect_table() -%}{{ return(sqlmetrics.trino__sqlmetrics_dialect_table()) }}{%- endmacro -%}
