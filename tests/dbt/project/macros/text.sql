{#- dbt only compiles the model. -#}
{% materialization text, default %}
{% call statement('main') %}
select 1 as nothing
{% endcall %}
{{ return({'relations': []}) }}
{% endmaterialization %}
