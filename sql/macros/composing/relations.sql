{#- Further relations that are looked up as they are: the step that reads each, the columns that together tell its rows apart,
    those that are numbers with their names from there on, the words for a row that is there twice, and whether each row of the
    data looks up its own (`of_rows`), before lists are made. `group_id` and `item_id` are what the call calls so, other columns
    have the names that they have here. -#}
{%- macro lookups() -%}
{{ return({
    'history': {
        'step': 'sqlmetrics_all_histories',
        'rows': 'one per item that a group had before',
        'keys': ['group_id', 'item_id'],
        'numbers': {},
        'twice': 'holds one item twice in a group',
    },
    'item_categories': {
        'step': 'sqlmetrics_all_categories',
        'rows': 'one per item and category of it',
        'keys': ['item_id', 'category'],
        'numbers': {},
        'twice': 'holds one category of an item twice',
    },
    'expected_items': {
        'step': 'sqlmetrics_all_expected',
        'rows': 'one per item that is no surprise',
        'keys': ['item_id'],
        'numbers': {},
        'twice': 'holds one item twice',
    },
    'embeddings': {
        'step': 'sqlmetrics_all_components',
        'rows': 'one per item and dimension of its vector',
        'keys': ['item_id', 'dimension'],
        'numbers': {'value': 'component'},
        'twice': 'holds one dimension of an item twice',
    },
    'propensities': {
        'step': 'sqlmetrics_all_propensities',
        'rows': 'one per place',
        'keys': ['position'],
        'numbers': {'propensity': 'propensity'},
        'of_rows': true,
        'twice': 'holds one position twice',
    },
}) }}
{%- endmacro -%}

{#- The name of the step that reads a further relation. -#}
{%- macro name_of_relation_step(name) -%}
{%- set own = {'judgments': 'sqlmetrics_all_judgments', 'catalog': 'sqlmetrics_all_items', 'popularity': 'sqlmetrics_all_counts', 'similarity': 'sqlmetrics_all_similarities'} -%}
{{ return(own[name] if name in own else sqlmetrics.lookups()[name].step) }}
{%- endmacro -%}

{%- macro lookup_step(lookup, relation) -%}
{%- set columns = [] -%}
{%- for column in lookup['keys'] -%}
{%- set key = sqlmetrics.sql_of(relation['columns'][column]) -%}
{%- do columns.append((sqlmetrics.joined_key(key) if lookup.of_rows is defined else key) ~ ' as ' ~ column) -%}
{%- endfor -%}
{%- for column, name in lookup.numbers.items() -%}{%- do columns.append(sqlmetrics.to_double(sqlmetrics.sql_of(relation['columns'][column])) ~ ' as ' ~ name) -%}{%- endfor -%}
{%- set rows -%}
select
    {{ sqlmetrics.lines(columns) }}
from {{ relation.relation }}
where {{ sqlmetrics.looked_up(lookup, relation) }}
{%- endset -%}
{{ return(sqlmetrics.step(lookup.step, rows, lookup.rows, stored=true)) }}
{%- endmacro -%}

{#- The further relations, under canonical names: what some metrics read beside the rows. -#}
{%- macro relation_step(name, relation) -%}
{%- set step = sqlmetrics.name_of_relation_step(name) -%}
{%- if name == 'judgments' -%}
{%- set judgments -%}
select
    {{ sqlmetrics.sql_of(relation['columns'].group_id) }} as group_id,
    {{ sqlmetrics.sql_of(relation['columns'].item_id) }} as item_id,
{%- if relation['columns'].subtopic_id is defined %}
    {{ sqlmetrics.sql_of(relation['columns'].subtopic_id) }} as subtopic_id,
{%- endif %}
    {{ sqlmetrics.indented(sqlmetrics.label_to_double(sqlmetrics.sql_of(relation['columns'].label))) }} as label
from {{ relation.relation }}
where {{ sqlmetrics.judgment_given(relation) }}
{%- endset -%}
{{ return(sqlmetrics.step(step, judgments, 'one per judgment', stored=true)) }}
{%- elif name == 'catalog' -%}
{%- set items -%}
select distinct
    {{ sqlmetrics.sql_of(relation['columns'].item_id) }} as item_id
from {{ relation.relation }}
where {{ sqlmetrics.sql_of(relation['columns'].item_id) }} is not null
{%- endset -%}
{{ return(sqlmetrics.step(step, items, 'one per item of the catalogue', stored=true)) }}
{%- elif name == 'popularity' -%}
{%- set counts -%}
select
    {{ sqlmetrics.sql_of(relation['columns'].item_id) }} as item_id,
    {{ sqlmetrics.to_double(sqlmetrics.identifier('count')) }} as seen
from {{ relation.relation }}
where {{ sqlmetrics.count_given(relation) }}
    and {{ sqlmetrics.identifier('count') }} > 0
{%- endset -%}
{{ return(sqlmetrics.step(step, counts, 'one per item that was seen', stored=true)) }}
{%- elif name in sqlmetrics.lookups() -%}
{{ return(sqlmetrics.lookup_step(sqlmetrics.lookups()[name], relation)) }}
{%- endif -%}
{%- set similarities -%}
select
    item_a,
    item_b,
    max({{ sqlmetrics.to_double('similarity') }}) as similarity
from (
    {{ sqlmetrics.indented(sqlmetrics.both_directions(relation)) }}
) as both_directions
where {{ sqlmetrics.pair_given() }}
group by
    item_a,
    item_b
{%- endset -%}
{{ return(sqlmetrics.step(step, similarities, 'one per pair and direction, so that it is found whichever item comes first', stored=true)) }}
{%- endmacro -%}

{%- macro both_directions(relation) -%}
{%- set item_a = sqlmetrics.item_of_pair(relation, 'item_a') -%}
{%- set item_b = sqlmetrics.item_of_pair(relation, 'item_b') -%}
select
    {{ item_a }},
    {{ item_b }},
    similarity
from {{ relation.relation }}
union all
select
    {{ item_b }},
    {{ item_a }},
    similarity
from {{ relation.relation }}
{%- endmacro -%}

{#- As it stands there, or in the form in which the items of the data are read. -#}
{%- macro item_of_pair(relation, name) -%}
{{ sqlmetrics.sql_of(relation['columns'][name]) ~ ' as ' ~ name if relation['columns'][name] is defined else name }}
{%- endmacro -%}

{#- A row counts when it has all its columns, and its numbers are none of NaN. -#}
{%- macro looked_up(lookup, relation) -%}
{%- set conditions = [] -%}
{%- for column in lookup['keys'] -%}{%- do conditions.append(sqlmetrics.sql_of(relation['columns'][column]) ~ ' is not null') -%}{%- endfor -%}
{%- for column in lookup.numbers -%}{%- do conditions.append(sqlmetrics.is_number(sqlmetrics.to_double(sqlmetrics.sql_of(relation['columns'][column])))) -%}{%- endfor -%}
{{ conditions | join('\n    and ') }}
{%- endmacro -%}

{#- A judgment counts when it names a group, an item and, where some are read, a subtopic, and has a label that is neither NULL nor NaN. -#}
{%- macro judgment_given(relation) -%}
{{ sqlmetrics.sql_of(relation['columns'].group_id) }} is not null
    and {{ sqlmetrics.sql_of(relation['columns'].item_id) }} is not null
{%- if relation['columns'].subtopic_id is defined %}
    and {{ sqlmetrics.sql_of(relation['columns'].subtopic_id) }} is not null
{%- endif %}
    and {{ sqlmetrics.is_number(sqlmetrics.indented(sqlmetrics.label_to_double(sqlmetrics.sql_of(relation['columns'].label)))) }}
{%- endmacro -%}

{#- A count counts when it names an item, a similarity when it names two, and either when it is neither NULL nor NaN. -#}
{%- macro count_given(relation) -%}
{{ sqlmetrics.sql_of(relation['columns'].item_id) }} is not null
    and {{ sqlmetrics.is_number(sqlmetrics.to_double(sqlmetrics.identifier('count'))) }}
{%- endmacro -%}

{%- macro pair_given() -%}
item_a is not null
    and item_b is not null
    and {{ sqlmetrics.is_number(sqlmetrics.to_double('similarity')) }}
{%- endmacro -%}
