{#- Whether group_inspection has something to look at. -#}
{%- macro groups_are_inspected(q) -%}
{{ return(q.relations or 'item_id' in q.columns or 'group_weight' in q.columns or sqlmetrics.largest_groups(q) or sqlmetrics.groups_lie_in_clusters(q)) }}
{%- endmacro -%}

{#- Whether some metric is made of groups, each of which is in a cluster that is another column. -#}
{%- macro groups_lie_in_clusters(q) -%}
{%- if 'group_id' not in q.columns or q.certainty is none or q.certainty.cluster is none or q.certainty.cluster == q.roles['group'] -%}
{{ return(false) }}
{%- endif -%}
{%- for m in q.metrics if 'group_id' in m.requires -%}
{{ return(true) }}
{%- endfor -%}
{{ return(false) }}
{%- endmacro -%}

{#- How large a group may be for each metric that has a bound. -#}
{%- macro largest_groups(q) -%}
{%- set sizes = [] -%}
{%- for m in q.metrics if m.max_group_size is defined -%}{%- do sizes.append(m.max_group_size) -%}{%- endfor -%}
{{ return(sizes) }}
{%- endmacro -%}

{#- What no row shows by itself: an item judged or listed twice, a pair or a group's weight with two values, an item of two places, a group too large
    for pairs. The runner raises an error for each row, but for those of kind 'missing', which it warns of. -#}
{%- macro group_inspection(q) -%}
{%- set inspected = sqlmetrics.inspected_groups(q) -%}
{{ sqlmetrics.give_line_breaks(sqlmetrics.written(inspected.steps, inspected['select'])) }}
{% endmacro -%}

{#- The same as steps and their ending, for a statement that does more with it. -#}
{%- macro inspected_groups(q) -%}
{%- set steps = [] -%}
{%- set parts = [] -%}
{%- for name, relation in q.relations.items() -%}
{%- do parts.extend(sqlmetrics.inspections_of_relation(name, relation)) -%}
{%- endfor -%}
{#- Lists and pairs are made inside a slice and for one model, so that is where items are compared and groups measured. -#}
{%- set from = 'compared' if q.groupings or q.models else 'source' -%}
{%- set group_keys = sqlmetrics.slice_columns(q) + ['group_id'] -%}
{%- set found = sqlmetrics.inspections_of_rows(q, from, group_keys) -%}
{%- do steps.extend(sqlmetrics.inputs_of_rows(q if found or sqlmetrics.looked_up_in(q) else dict(q, input=none, against=none), relations=q.relations)) -%}
{%- if found -%}
{%- do steps.append(sqlmetrics.source_step(q, q.stored)) -%}
{%- if from == 'compared' -%}{%- do steps.append(sqlmetrics.compared_step(q)) -%}{%- endif -%}
{%- endif -%}
{%- set parts = parts + found -%}
{%- if not parts -%}
{%- do parts.append({'select': "select '' as kind, '' as relation, 0 as row_count, '' as words, '' as example " ~ sqlmetrics.from_single_row() ~ ' where 1 = 0'}) -%}
{%- endif -%}
{%- set texts = [] -%}
{%- for part in parts -%}
{%- do texts.append(part['select']) -%}
{%- endfor -%}
{{ return({'steps': steps, 'select': texts | join('\nunion all\n')}) }}
{%- endmacro -%}

{%- macro inspections_of_relation(name, relation) -%}
{%- if name == 'judgments' -%}
{%- set subtopic = ['subtopic_id'] if relation['columns'].subtopic_id is defined else [] -%}
{%- set parts = [sqlmetrics.repeated_values('judgments', 'sqlmetrics_all_judgments', ['group_id', 'item_id'] + subtopic, 'holds two judgments of one item ' ~ ('for one subtopic of a group' if subtopic else 'in a group'))] -%}
{%- for problem in relation.problems -%}
{%- set broken = 'sqlmetrics_all_judgments\nwhere not (' ~ sqlmetrics.keeps(problem) ~ ')' -%}
{%- do parts.append(sqlmetrics.inspection_of('judgments', problem.words, 'item_id', broken)) -%}
{%- endfor -%}
{{ return(parts + [sqlmetrics.missing_rows(name, relation, sqlmetrics.judgment_given(relation))]) }}
{%- elif name == 'popularity' -%}
{%- set count = sqlmetrics.identifier('count') -%}
{%- set broken -%}
{{ relation.relation }}
where {{ sqlmetrics.count_given(relation) }}
    and not ({{ count }} >= 0 and {{ sqlmetrics.is_finite(sqlmetrics.to_double(count)) }})
{%- endset -%}
{{ return([
    sqlmetrics.repeated_values('popularity', 'sqlmetrics_all_counts', ['item_id'], 'holds two counts of one item'),
    sqlmetrics.inspection_of('popularity', 'holds a count that is negative or infinite', count, broken),
    sqlmetrics.missing_rows(name, relation, sqlmetrics.count_given(relation)),
]) }}
{%- elif name == 'similarity' -%}
{%- set contradictions -%}
select
    item_a,
    item_b
from (
    {{ sqlmetrics.indented(sqlmetrics.both_directions(relation)) }}
) as both_directions
where {{ sqlmetrics.pair_given() }}
group by
    item_a,
    item_b
having min(similarity) <> max(similarity)
{%- endset -%}
{%- set infinite -%}
{{ relation.relation }}
where {{ sqlmetrics.pair_given() }}
    and not ({{ sqlmetrics.is_finite(sqlmetrics.to_double('similarity')) }})
{%- endset -%}
{{ return([
    sqlmetrics.inspection_of('similarity', 'holds an infinite value', 'item_a', infinite),
    sqlmetrics.inspection_of('similarity', 'holds two values for one pair', 'item_a', sqlmetrics.bracketed(contradictions, 'contradictions')),
    sqlmetrics.missing_rows(name, relation, sqlmetrics.pair_given()),
]) }}
{%- elif name in sqlmetrics.lookups() -%}
{%- set lookup = sqlmetrics.lookups()[name] -%}
{{ return(
    [sqlmetrics.repeated_values(name, lookup.step, lookup['keys'], lookup.twice)]
    + (sqlmetrics.inspections_of_vectors(name, lookup) if name == 'embeddings' else [])
    + [sqlmetrics.missing_rows(name, relation, sqlmetrics.looked_up(lookup, relation))]
) }}
{%- endif -%}
{{ return([]) }}
{%- endmacro -%}

{#- Every component of a vector must be finite, and one of them not 0: else it has no direction. -#}
{%- macro inspections_of_vectors(name, lookup) -%}
{%- set infinite -%}
{{ lookup.step }}
where not ({{ sqlmetrics.is_finite('component') }})
{%- endset -%}
{%- set without_direction -%}
select
    item_id
from {{ lookup.step }}
group by
    item_id
having max(abs(component)) = 0
{%- endset -%}
{{ return([
    sqlmetrics.inspection_of(name, 'holds an infinite value', 'item_id', infinite),
    sqlmetrics.inspection_of(name, 'holds a vector of zeros, which has no direction', 'item_id', sqlmetrics.bracketed(without_direction, 'vectors_of_zeros')),
]) }}
{%- endmacro -%}

{%- macro inspections_of_rows(q, from, group_keys) -%}
{%- set parts = [] -%}
{%- set sizes = sqlmetrics.largest_groups(q) -%}
{%- if sizes -%}
{%- set large_groups -%}
select
    {{ sqlmetrics.lines(group_keys + ['count(*) as cells']) }}
from (
    select distinct
        {{ (group_keys + ['score', 'label']) | join(',\n        ') }}
    from {{ from }}
    where {{ sqlmetrics.is_given(['label', 'score', 'group_id']) | indent(4) }}
) as cells
{{- sqlmetrics.group_by(group_keys) }}
having count(*) > {{ sizes | min }}
{%- endset -%}
{%- set words = 'has more than ' ~ sizes | min ~ ' distinct pairs of score and label; max_group_size allows more, at a cost that grows with their square' -%}
{%- do parts.append(sqlmetrics.inspection_of('group', words, 'group_id', sqlmetrics.bracketed(large_groups, 'large_groups'))) -%}
{%- endif -%}
{%- if 'group_weight' in q.columns and 'group_id' in q.columns -%}
{%- set needed = q.required | list -%}
{%- for column in ['group_id', 'group_weight'] if column not in needed -%}{%- do needed.append(column) -%}{%- endfor -%}
{%- set groups_of_two_weights -%}
select
    {{ sqlmetrics.lines(group_keys) }}
from {{ from }}
where {{ sqlmetrics.is_given(needed, q.whole_columns) }}
{%- for problem in q.problems if problem.column == 'group_weight' %}
    and {{ sqlmetrics.keeps(problem) }}
{%- endfor %}
{{- sqlmetrics.group_by(group_keys) }}
having min(group_weight) <> max(group_weight)
{%- endset -%}
{%- do parts.append(sqlmetrics.inspection_of('group_weight', 'has two values in one group', 'group_id', sqlmetrics.bracketed(groups_of_two_weights, 'groups_of_two_weights'))) -%}
{%- endif -%}
{%- if sqlmetrics.groups_lie_in_clusters(q) -%}
{%- set groups_of_two_clusters -%}
select
    {{ sqlmetrics.lines(group_keys) }}
from (
    select distinct
        {{ (group_keys + ['cluster_id']) | join(',\n        ') }}
    from {{ from }}
    where {{ sqlmetrics.is_given(q.required + (['group_id'] if 'group_id' not in q.required else []), q.whole_columns) | indent(4) }}
) as clusters_of_groups
{{- sqlmetrics.group_by(group_keys) }}
having count(*) > 1
{%- endset -%}
{%- set words = 'has two values in one group, which is made of rows that belong together; cluster by the group, or by what holds whole groups' -%}
{%- do parts.append(sqlmetrics.inspection_of('cluster', words, 'group_id', sqlmetrics.bracketed(groups_of_two_clusters, 'groups_of_two_clusters'))) -%}
{%- endif -%}
{%- if sqlmetrics.items_are_rows(q) -%}
{%- do parts.append(sqlmetrics.repeated_values('data', from, group_keys + ['item_id'], 'holds one item twice in a group')) -%}
{%- endif -%}
{%- if 'subtopic_id' in q.columns -%}
{%- do parts.append(sqlmetrics.repeated_values('data', from, group_keys + ['item_id', 'subtopic_id'], 'holds one item twice for one subtopic of a group')) -%}
{%- for column in ['score'] + (['tie_key'] if q.columns.tie_key is defined and q.columns.tie_key != q.columns.item_id else []) -%}
{%- do parts.append(sqlmetrics.items_of_two_values(q, from, group_keys, column)) -%}
{%- endfor -%}
{%- endif -%}
{{ return(parts) }}
{%- endmacro -%}

{#- Whether some metric takes a row for an item: beside a subtopic each item has as many rows as subtopics. -#}
{%- macro items_are_rows(q) -%}
{%- set readers = [] -%}
{%- for m in q.metrics if 'subtopic_id' not in m.requires and ('item_id' in m.requires or ('group_id' in m.requires and 'subtopic_id' in q.columns)) -%}
{%- do readers.append(m.as) -%}
{%- endfor -%}
{{ return('item_id' in q.columns and (readers or 'subtopic_id' not in q.columns)) }}
{%- endmacro -%}

{#- An item has one place in a list, however many subtopics it is judged for. -#}
{%- macro items_of_two_values(q, from, group_keys, column) -%}
{%- set items -%}
select
    {{ sqlmetrics.lines(group_keys + ['item_id']) }}
from {{ from }}
where {{ sqlmetrics.is_given(['group_id', 'item_id', 'subtopic_id', column], q.whole_columns) }}
{{- sqlmetrics.group_by(group_keys + ['item_id']) }}
having count(distinct {{ column }}) > 1
{%- endset -%}
{{ return(sqlmetrics.inspection_of('rank' if column == 'score' and 'negated_rank' in q.columns else column, 'has two values for one item in a group', 'item_id', sqlmetrics.bracketed(items, 'items_of_two_values'))) }}
{%- endmacro -%}

{%- macro bracketed(query, name) -%}
(
    {{ sqlmetrics.indented(query | trim) }}
) as {{ name }}
{%- endmacro -%}

{#- One row if there is any in `from`: what is wrong, in how many rows, and one of them. -#}
{%- macro inspection_of(relation, words, example, from, row_count='count(*)') -%}
{%- set found -%}
select
    'broken' as kind,
    '{{ relation }}' as relation,
    cast({{ row_count }} as bigint) as row_count,
    {{ sqlmetrics.text_literal(words) }} as words,
    min(cast({{ example }} as {{ sqlmetrics.type_text() }})) as example
from {{ from }}
having count(*) > 0
{%- endset -%}
{{ return({'select': found}) }}
{%- endmacro -%}

{%- macro repeated_values(relation, from, columns, words) -%}
{%- set keys = [] -%}
{%- for column in ['group_id', 'item_id', 'subtopic_id', 'position'] if column in columns -%}{%- do keys.append(column) -%}{%- endfor -%}
{%- set repeated -%}
select
    {{ sqlmetrics.lines(columns + ['count(*) as copies']) }}
from {{ from }}
where {{ sqlmetrics.is_given(keys) }}
{{- sqlmetrics.group_by(columns) }}
having count(*) > 1
{%- endset -%}
{{ return(sqlmetrics.inspection_of(relation, words, 'item_id' if 'item_id' in columns else keys[0], sqlmetrics.bracketed(repeated, 'repeated'), 'sum(copies)')) }}
{%- endmacro -%}

{#- The rows of a further relation in which a value is missing. -#}
{%- macro missing_rows(name, relation, given) -%}
{%- set missing -%}
select
    'missing' as kind,
    '{{ name }}' as relation,
    cast(count(*) as bigint) as row_count,
    '' as words,
    '' as example
from {{ relation.relation }}
where {{ sqlmetrics.fails('\n    ' ~ given ~ '\n') }}
having count(*) > 0
{%- endset -%}
{{ return({'select': missing}) }}
{%- endmacro -%}
