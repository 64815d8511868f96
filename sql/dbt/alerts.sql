{#- The failures that the tests of this package stored in a project, as one table. Run it after the tests. It includes tests that ran
    with `store_failures: true`. -#}
{%- macro alerts() -%}
{%- if execute -%}
{%- set columns = ['test', 'metric', 'slice', 'value', 'low', 'high', 'bound', 'reason', 'checked_at'] -%}
{%- set selects = [] -%}
{%- for node in graph.nodes.values() if node.resource_type == 'test' and node.test_metadata and node.test_metadata.namespace == 'sqlmetrics' -%}
{%- set stored = adapter.get_relation(node.database, node.schema, node.alias) -%}
{%- if stored is not none -%}{%- do selects.append('select\n    ' ~ columns | join(',\n    ') ~ '\nfrom ' ~ stored) -%}{%- endif -%}
{%- endfor -%}
{%- set none_stored = sqlmetrics.judged_slices(sqlmetrics.to_text('null'), sqlmetrics.to_double('null'), [], [['1 = 0', none, sqlmetrics.to_text('null')]], sqlmetrics.from_single_row()) -%}
{{ selects | join('\nunion all\n') or sqlmetrics.failing_rows('', '', [], none_stored) }}
{%- endif -%}
{%- endmacro -%}
