{#- Whether group_inspection has something to check. -#}
{%- macro groups_are_inspected(q) -%}
{{ return(q.relations or 'item_id' in q.columns or 'group_weight' in q.columns or sqlmetrics.largest_groups(q) or sqlmetrics.groups_lie_in_clusters(q)) }}
{%- endmacro -%}

{#- Whether a metric uses groups while the clusters are another column. -#}
{%- macro groups_lie_in_clusters(q) -%}
{%- set options = q.interval_options if 'group_id' in q.columns else none -%}
{{ return(options is not none and options.cluster is not none and options.cluster != q.roles['group']) }}
{%- endmacro -%}

{#- Maximum group sizes of the metrics with a bound. -#}
{%- macro largest_groups(q) -%}
{{ return(q.metrics | selectattr('max_group_size', 'defined') | map(attribute='max_group_size') | list) }}
{%- endmacro -%}

{#- Checks across rows: items judged or listed twice, pairs or group weights with two values, items at two places, groups too large
    for pairs. The runner raises an error for each row, or a warning for finding 'missing'. -#}
{%- macro group_inspection(q) -%}
{%- set inspected = sqlmetrics.inspected_groups(q) -%}
{{ sqlmetrics.give_line_breaks(sqlmetrics.written(inspected.steps, inspected['select'])) }}
{% endmacro -%}

{#- The same as steps and final select, for a longer statement. -#}
{%- macro inspected_groups(q) -%}
{#- Lists and pairs belong to one slice and one model, so items and group sizes are checked there. -#}
{%- set from = 'unpivoted_models' if q.groupings or q.models else 'source' -%}
{%- set parts = [] -%}
{%- for name, relation in q.relations.items() if name != 'catalog' -%}{%- do parts.append(sqlmetrics.inspections_of_relation(name, relation)) -%}{%- endfor -%}
{%- set of_rows = sqlmetrics.inspections_of_rows(q, from, sqlmetrics.slice_columns(q) + ['group_id']) -%}
{%- set inputs = sqlmetrics.inputs_of_rows(q if of_rows or sqlmetrics.looked_up_in(q) else dict(q, input=none, against=none), relations=q.relations) -%}
{%- set rows = [sqlmetrics.source_step(q, q.materialized)] + ([sqlmetrics.unpivoted_models_step(q)] if from == 'unpivoted_models' else []) if of_rows else [] -%}
{%- set rows_of_items = sqlmetrics.steps_to_repeated_items(from) if 'subtopic_id' in q.columns else [] -%}
{%- set nothing = "select '' as finding, '' as relation, 0 as row_count, '' as message, '' as example " ~ sqlmetrics.from_single_row() ~ ' where 1 = 0' -%}
{{ return({'steps': inputs + rows + rows_of_items, 'select': (parts + of_rows or [nothing]) | join('\nunion all\n')}) }}
{%- endmacro -%}

{#- If most items have one subtopic, few rows remain to compare. -#}
{%- macro steps_to_repeated_items(from) -%}
{%- set items -%}
select
    group_id,
    item_id
from source
where {{ sqlmetrics.is_present(['group_id', 'item_id', 'subtopic_id']) }}
group by group_id, item_id
having count(*) > 1
{%- endset -%}
{%- set rows -%}
select
    {{ from }}.*
from {{ from }}
inner join repeated_items{{ sqlmetrics.on(from, 'repeated_items', ['group_id', 'item_id']) }}
{%- endset -%}
{{ return([
    sqlmetrics.step('repeated_items', items, 'items with several rows in a group'),
    sqlmetrics.step('rows_of_repeated_items', rows, 'rows of the repeated items', materialized=true),
]) }}
{%- endmacro -%}

{#- Rows with a missing value come last. -#}
{%- macro inspections_of_relation(name, relation) -%}
{%- set step = sqlmetrics.name_of_relation_step(name) -%}
{%- set present = sqlmetrics.has_values(name, relation) -%}
{%- set in_relation = relation.relation ~ '\nwhere ' ~ present ~ '\n    and not (' -%}
{%- if name != 'similarity' -%}
{%- set keys = sqlmetrics.keys_looked_up(name, relation) | list -%}
{%- set twice = 'holds two judgments of one item for one subtopic of a group' if 'subtopic_id' in keys else sqlmetrics.lookups()[name].twice -%}
{{ sqlmetrics.repeated_values(name, step, keys, twice) }}
union all
{% endif -%}
{%- for problem in relation.problems -%}
{{ sqlmetrics.inspection_of(name, 'holds a label that ' ~ problem.message, 'item_id', step ~ '\nwhere not (' ~ sqlmetrics.keeps(problem) ~ ')') }}
union all
{% endfor -%}
{%- if name == 'popularity' -%}
{%- set count = sqlmetrics.identifier('count') -%}
{%- set broken = count ~ ' >= 0 and ' ~ sqlmetrics.is_finite(sqlmetrics.to_double(count)) -%}
{{ sqlmetrics.inspection_of(name, 'holds a count that is negative or infinite', count, in_relation ~ broken ~ ')') }}
union all
{% elif name == 'similarity' -%}
{{ sqlmetrics.inspection_of(name, 'holds an infinite value', 'item_a', in_relation ~ sqlmetrics.is_finite(sqlmetrics.to_double('similarity')) ~ ')') }}
union all
{% set contradictions = 'select\n    item_a,\n    item_b\n' ~ sqlmetrics.pairs_in_both_directions(relation) ~ '\nhaving min(similarity) <> max(similarity)' -%}
{{ sqlmetrics.inspection_of(name, 'holds two values for one pair', 'item_a', sqlmetrics.bracketed(contradictions, 'contradictions')) }}
union all
{% elif name == 'embeddings' -%}
{#- Components must be finite, and one of them nonzero: a zero vector has no direction. -#}
{{ sqlmetrics.inspection_of(name, 'holds an infinite value', 'item_id', step ~ '\nwhere not (' ~ sqlmetrics.is_finite('component') ~ ')') }}
union all
{% set zeros = 'select\n    item_id\nfrom ' ~ step ~ '\ngroup by\n    item_id\nhaving max(abs(component)) = 0' -%}
{{ sqlmetrics.inspection_of(name, 'holds a vector of zeros, which has no direction', 'item_id', sqlmetrics.bracketed(zeros, 'vectors_of_zeros')) }}
union all
{% endif -%}
select
    'missing' as finding,
    '{{ name }}' as relation,
    cast(count(*) as bigint) as row_count,
    '' as message,
    '' as example
from {{ relation.relation }}
where {{ sqlmetrics.fails('\n    ' ~ present ~ '\n') }}
having count(*) > 0
{%- endmacro -%}

{#- Inspections of the rows as a list, which may be empty. An item has one place in a list, for all of its subtopics. -#}
{%- macro inspections_of_rows(q, from, group_keys) -%}
{%- set items, subtopics, ids = group_keys + ['item_id'], group_keys + ['item_id', 'subtopic_id'], ['group_id', 'item_id', 'subtopic_id'] -%}
{%- set of_subtopics, rows, rank = 'subtopic_id' in q.columns, 'rows_of_repeated_items', 'rank' if 'negated_rank' in q.columns else 'score' -%}
{%- set item_message = 'has two values for one item in a group' -%}
{%- set clusters_differ = 'count(distinct cluster_id) + max(case when cluster_id is null then 1 else 0 end) > 1' -%}
{%- set cluster_message = 'has two values in one group, which is made of rows that belong together; cluster by the group, or by what holds whole groups' -%}
{{ return([
    sqlmetrics.inspection_of_sizes(q, from, group_keys) if sqlmetrics.largest_groups(q) else '',
    sqlmetrics.inspection_of_two_values(
        q, 'group_weight', 'has two values in one group', from, group_keys, q.required + ['group_id', 'group_weight'],
        'min(group_weight) <> max(group_weight)', q.problems | selectattr('column', 'equalto', 'group_weight')
    ) if 'group_weight' in q.columns and 'group_id' in q.columns else '',
    sqlmetrics.inspection_of_two_values(q, 'cluster', cluster_message, from, group_keys, q.required + ['group_id'], clusters_differ)
        if sqlmetrics.groups_lie_in_clusters(q) else '',
    sqlmetrics.repeated_values('data', from, items, 'holds one item twice in a group') if sqlmetrics.items_are_rows(q) else '',
    sqlmetrics.repeated_values('data', rows, subtopics, 'holds one item twice for one subtopic of a group') if of_subtopics else '',
    sqlmetrics.inspection_of_two_values(q, rank, item_message, rows, items, ids + ['score'], 'min(score) <> max(score)') if of_subtopics else '',
    sqlmetrics.inspection_of_two_values(q, 'tie_key', item_message, rows, items, ids + ['tie_key'], 'min(tie_key) <> max(tie_key)')
        if of_subtopics and q.columns.tie_key is defined and q.columns.tie_key != q.columns.item_id else '',
] | select | list) }}
{%- endmacro -%}

{%- macro inspection_of_sizes(q, from, group_keys) -%}
{%- set most = sqlmetrics.largest_groups(q) | min -%}
{#- A group has at least as many rows as distinct pairs, and rows are cheaper to count. -#}
{%- set present = sqlmetrics.is_present(['label', 'score', 'group_id']) -%}
{%- set large_groups -%}
select
    {{ sqlmetrics.select_list(group_keys + ['count(*) as cells']) }}
from (
    select distinct
        {{ (group_keys + ['score', 'label']) | join(',\n        ') }}
    from {{ from }}
    where {{ present | indent(4) }}
        and group_id in (
            select group_id
            from {{ from }}
            where {{ present | indent(12) }}
            group by group_id
            having count(*) > {{ most }}
        )
) as cells
{{- sqlmetrics.group_by(group_keys) }}
having count(*) > {{ most }}
{%- endset -%}
{%- set message = 'has more than ' ~ most ~ ' distinct pairs of score and label; max_group_size allows more, at a cost that grows with their square' -%}
{{ sqlmetrics.inspection_of('group', message, 'group_id', sqlmetrics.bracketed(large_groups, 'large_groups')) }}
{%- endmacro -%}

{#- Groups or items with two values, in rows that have all `columns` and keep the `rules`. -#}
{%- macro inspection_of_two_values(q, shown, message, from, keys, columns, having, rules=[]) -%}
{%- set two_values -%}
select
    {{ sqlmetrics.select_list(keys) }}
from {{ from }}
where {{ sqlmetrics.is_present(sqlmetrics.distinct(columns), q.whole_columns) }}
{%- for rule in rules %}
    and {{ sqlmetrics.keeps(rule) }}
{%- endfor %}
{{- sqlmetrics.group_by(keys) }}
having {{ having }}
{%- endset -%}
{{ sqlmetrics.inspection_of(shown, message, keys[-1], sqlmetrics.bracketed(two_values, 'contradictions')) }}
{%- endmacro -%}

{#- Whether a metric takes one row per item. With subtopics, an item has one row per subtopic. -#}
{%- macro items_are_rows(q) -%}
{%- if 'item_id' not in q.columns or 'subtopic_id' not in q.columns -%}{{ return('item_id' in q.columns) }}{%- endif -%}
{%- for m in q.metrics if 'subtopic_id' not in m.requires and ('item_id' in m.requires or 'group_id' in m.requires) -%}{{ return(true) }}{%- endfor -%}
{{ return(false) }}
{%- endmacro -%}

{%- macro bracketed(query, name) -%}
(
    {{ sqlmetrics.indented(query | trim) }}
) as {{ name }}
{%- endmacro -%}

{#- One row if `from` has any: the problem, the number of rows and an example. -#}
{%- macro inspection_of(relation, message, example, from, row_count='count(*)') -%}
select
    'broken' as finding,
    '{{ relation }}' as relation,
    cast({{ row_count }} as bigint) as row_count,
    {{ sqlmetrics.text_literal(message) }} as message,
    min(cast({{ example }} as {{ sqlmetrics.type_text() }})) as example
from {{ from }}
having count(*) > 0
{%- endmacro -%}

{%- macro repeated_values(relation, from, columns, message) -%}
{%- set keys = ['group_id', 'item_id', 'subtopic_id', 'position'] | select('in', columns) | list -%}
{%- set repeated -%}
select
    {{ sqlmetrics.select_list(columns + ['count(*) as copies']) }}
from {{ from }}
where {{ sqlmetrics.is_present(keys) }}
{{- sqlmetrics.group_by(columns) }}
having count(*) > 1
{%- endset -%}
{{ sqlmetrics.inspection_of(relation, message, 'item_id' if 'item_id' in columns else keys[0], sqlmetrics.bracketed(repeated, 'repeated'), 'sum(copies)') }}
{%- endmacro -%}
