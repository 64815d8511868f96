{#- Additional relations: the step that reads each, its key columns, its number columns with their canonical names, and the error for
    duplicate keys. The call names the columns of `group_id` and `item_id`; other columns have fixed names. -#}
{%- macro lookups() -%}
{{ return({
    'judgments': {'step': 'sqlmetrics_all_judgments', 'rows': 'one per judgment', 'keys': ['group_id', 'item_id', 'subtopic_id'],
        'numbers': {'label': 'label'}, 'twice': 'holds two judgments of one item in a group'},
    'catalog': {'step': 'sqlmetrics_all_items', 'rows': 'one per item of the catalogue', 'keys': ['item_id'],
        'numbers': {}},
    'popularity': {'step': 'sqlmetrics_all_counts', 'rows': 'one per item that was seen', 'keys': ['item_id'],
        'numbers': {'count': 'seen'}, 'twice': 'holds two counts of one item'},
    'history': {'step': 'sqlmetrics_all_histories', 'rows': 'one per item that a group had before', 'keys': ['group_id', 'item_id'],
        'numbers': {}, 'twice': 'holds one item twice in a group'},
    'item_categories': {'step': 'sqlmetrics_all_categories', 'rows': 'one per item and category of it', 'keys': ['item_id', 'category'],
        'numbers': {}, 'twice': 'holds one category of an item twice'},
    'expected_items': {'step': 'sqlmetrics_all_expected', 'rows': 'one per item that is no surprise', 'keys': ['item_id'],
        'numbers': {}, 'twice': 'holds one item twice'},
    'embeddings': {'step': 'sqlmetrics_all_components', 'rows': 'one per item and dimension of its vector', 'keys': ['item_id', 'dimension'],
        'numbers': {'value': 'component'}, 'twice': 'holds one dimension of an item twice'},
    'propensities': {'step': 'sqlmetrics_all_propensities', 'rows': 'one per place', 'keys': ['position'],
        'numbers': {'propensity': 'propensity'}, 'twice': 'holds one position twice'},
}) }}
{%- endmacro -%}

{%- macro name_of_relation_step(name) -%}
{{ return('sqlmetrics_all_similarities' if name == 'similarity' else sqlmetrics.lookups()[name].step) }}
{%- endmacro -%}

{#- An additional relation with canonical names. `popularity` drops counts of 0. -#}
{%- macro relation_step(name, relation) -%}
{%- if name == 'similarity' -%}{{ return(sqlmetrics.similarities_step(relation)) }}{%- endif -%}
{%- set lookup = sqlmetrics.lookups()[name] -%}
{%- set rows -%}
select{{ ' distinct' if name == 'catalog' }}
{%- for column, sql in sqlmetrics.keys_looked_up(name, relation).items() %}
    {{ sqlmetrics.dialect_text('joined_key', sql) if column == 'position' else sql }} as {{ column }}{{ ',' if lookup.numbers or not loop.last }}
{%- endfor %}
{%- for column, sql in sqlmetrics.numbers_looked_up(name, relation).items() %}
    {{ sql }} as {{ lookup.numbers[column] }}{{ ',' if not loop.last }}
{%- endfor %}
from {{ relation.relation }}
where {{ sqlmetrics.has_values(name, relation) }}
{{- '\n    and ' ~ sqlmetrics.identifier('count') ~ ' > 0' if name == 'popularity' }}
{%- endset -%}
{{ return(sqlmetrics.step(lookup.step, rows, lookup.rows, materialized=name in ['judgments', 'catalog'])) }}
{%- endmacro -%}

{#- Key columns as SQL. Judgments have a subtopic if the call does. -#}
{%- macro keys_looked_up(name, relation) -%}
{%- set keys = {} -%}
{%- for column in sqlmetrics.lookups()[name]['keys'] if column != 'subtopic_id' or relation['columns'].subtopic_id is defined -%}
{%- do keys.update({column: sqlmetrics.sql_of(relation['columns'][column])}) -%}
{%- endfor -%}
{{ return(keys) }}
{%- endmacro -%}

{%- macro numbers_looked_up(name, relation) -%}
{%- set numbers = {} -%}
{%- for column in sqlmetrics.lookups()[name].numbers -%}
{%- set sql = sqlmetrics.sql_of(relation['columns'].get(column, {'column': column})) -%}
{%- do numbers.update({column: sqlmetrics.indented(sqlmetrics.label_to_double(sql)) if column == 'label' else sqlmetrics.to_double(sql)}) -%}
{%- endfor -%}
{{ return(numbers) }}
{%- endmacro -%}

{#- A row is valid if no column is NULL and no number is NaN. -#}
{%- macro has_values(name, relation) -%}
{%- if name == 'similarity' -%}{{ return('item_a is not null\n    and item_b is not null\n    and ' ~ sqlmetrics.is_number(sqlmetrics.to_double('similarity'))) }}{%- endif -%}
{{ sqlmetrics.for_each(sqlmetrics.keys_looked_up(name, relation).values(), '{0} is not null') | join('\n    and ') }}
{%- for sql in sqlmetrics.numbers_looked_up(name, relation).values() %}
    and {{ sqlmetrics.is_number(sql) }}
{%- endfor -%}
{%- endmacro -%}

{%- macro similarities_step(relation) -%}
{%- set similarities -%}
select
    item_a,
    item_b,
    max({{ sqlmetrics.to_double('similarity') }}) as similarity
{{ sqlmetrics.pairs_in_both_directions(relation) }}
{%- endset -%}
{{ return(sqlmetrics.step('sqlmetrics_all_similarities', similarities, 'one per pair and direction', materialized=true)) }}
{%- endmacro -%}

{#- Pairs in both directions, with the item columns as they are or as `columns` maps them. -#}
{%- macro pairs_in_both_directions(relation) -%}
from (
{%- for pair in [['item_a', 'item_b'], ['item_b', 'item_a']] %}
    select
{%- for name in pair %}
        {{ sqlmetrics.sql_of(relation['columns'][name]) ~ ' as ' ~ name if relation['columns'][name] is defined else name }},
{%- endfor %}
        similarity
    from {{ relation.relation }}
    {{- '\n    union all' if not loop.last }}
{%- endfor %}
) as both_directions
where {{ sqlmetrics.has_values('similarity', relation) }}
group by item_a, item_b
{%- endmacro -%}
