{#- Further relations that are read as they are: the step that reads each, the columns that together identify its rows, those that are
    numbers with their names from there on, and the words for a row that is there twice. `group_id` and `item_id` are what the call
    calls so, other columns have the names that they have here. -#}
{%- macro lookups() -%}
{{ return({
    'judgments': {'step': 'sqlmetrics_all_judgments', 'rows': 'one per judgment', 'keys': ['group_id', 'item_id', 'subtopic_id'],
        'numbers': {'label': 'label'}},
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

{#- The name of the step that reads a further relation. -#}
{%- macro name_of_relation_step(name) -%}
{{ return('sqlmetrics_all_similarities' if name == 'similarity' else sqlmetrics.lookups()[name].step) }}
{%- endmacro -%}

{#- A further relation, under canonical names. What was never seen has no popularity. -#}
{%- macro relation_step(name, relation) -%}
{%- if name == 'similarity' -%}{{ return(sqlmetrics.similarities_step(relation)) }}{%- endif -%}
{%- set lookup = sqlmetrics.lookups()[name] -%}
{%- set rows -%}
select{{ ' distinct' if name == 'catalog' }}
{%- for column, sql in sqlmetrics.keys_looked_up(name, relation).items() %}
    {{ sqlmetrics.joined_key(sql) if column == 'position' else sql }} as {{ column }}{{ ',' if lookup.numbers or not loop.last }}
{%- endfor %}
{%- for column, sql in sqlmetrics.numbers_looked_up(name, relation).items() %}
    {{ sql }} as {{ lookup.numbers[column] }}{{ ',' if not loop.last }}
{%- endfor %}
from {{ relation.relation }}
where {{ sqlmetrics.has_values(name, relation) }}
{{- '\n    and ' ~ sqlmetrics.identifier('count') ~ ' > 0' if name == 'popularity' }}
{%- endset -%}
{{ return(sqlmetrics.step(lookup.step, rows, lookup.rows, stored=name in ['judgments', 'catalog'])) }}
{%- endmacro -%}

{#- The columns of a further relation as SQL. Judgments are of subtopics where the call has them. -#}
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
{%- set sql = sqlmetrics.sql_of(relation['columns'].get(column, column)) -%}
{%- do numbers.update({column: sqlmetrics.indented(sqlmetrics.label_to_double(sql)) if column == 'label' else sqlmetrics.to_double(sql)}) -%}
{%- endfor -%}
{{ return(numbers) }}
{%- endmacro -%}

{#- A row counts when it has all its columns, and its numbers are none of NaN. -#}
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
{{ return(sqlmetrics.step('sqlmetrics_all_similarities', similarities, 'one per pair and direction, so that it is found whichever item comes first', stored=true)) }}
{%- endmacro -%}

{#- From where pairs are read, each in both directions. Items are as they stand there, or in the form in which those of the data are read. -#}
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
group by
    item_a,
    item_b
{%- endmacro -%}
