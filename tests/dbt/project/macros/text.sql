{#- Of a model dbt makes the text alone. -#}
{% materialization text, default %}
{% call statement('main') %}
select 1 as nothing
{% endcall %}
{{ return({'relations': []}) }}
{% endmaterialization %}
