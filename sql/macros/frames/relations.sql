{#- The further relations, under canonical names: what some metrics read beside the rows. -#}
{%- macro relation_step(name, relation) -%}
{%- if name == 'judgments' -%}
{%- set judgments -%}
select
    {{ sqlmetrics.sql_of(relation.columns.group_id) }} as group_id,
    {{ sqlmetrics.sql_of(relation.columns.item_id) }} as item_id,
    {{ sqlmetrics.label_to_double(sqlmetrics.sql_of(relation.columns.label)) }} as label
from {{ relation.relation }}
where {{ sqlmetrics.judgment_given(relation) }}
{%- endset -%}
{{ sqlmetrics.cte('all_judgments', judgments, stored=true) }}
{%- elif name == 'catalog' -%}
{%- set items -%}
select distinct
    {{ sqlmetrics.sql_of(relation.columns.item_id) }} as item_id
from {{ relation.relation }}
where {{ sqlmetrics.sql_of(relation.columns.item_id) }} is not null
{%- endset -%}
{{ sqlmetrics.cte('all_items', items, stored=true) }}
{%- elif name == 'popularity' -%}
{%- set counts -%}
select
    {{ sqlmetrics.sql_of(relation.columns.item_id) }} as item_id,
    {{ sqlmetrics.to_double(sqlmetrics.identifier('count')) }} as seen
from {{ relation.relation }}
where {{ sqlmetrics.count_given(relation) }}
    and {{ sqlmetrics.identifier('count') }} > 0
{%- endset -%}
{{ sqlmetrics.cte('all_counts', counts, stored=true) }}
{%- else -%}
{#- Each pair once, in both directions, so that a list's pairs find it whichever item comes first. -#}
{%- set pairs -%}
select
    item_a,
    item_b,
    max({{ sqlmetrics.to_double('similarity') }}) as similarity
from (
    select item_a, item_b, similarity from {{ relation.relation }}
    union all
    select item_b, item_a, similarity from {{ relation.relation }}
) as both_directions
where {{ sqlmetrics.pair_given() }}
group by
    item_a,
    item_b
{%- endset -%}
{{ sqlmetrics.cte('all_similarities', pairs, stored=true) }}
{%- endif -%}
{%- endmacro -%}

{#- A judgment counts when it names a group and an item and has a label that is neither NULL nor NaN. -#}
{%- macro judgment_given(relation) -%}
{{ sqlmetrics.sql_of(relation.columns.group_id) }} is not null
    and {{ sqlmetrics.sql_of(relation.columns.item_id) }} is not null
    and {{ sqlmetrics.is_number(sqlmetrics.label_to_double(sqlmetrics.sql_of(relation.columns.label))) }}
{%- endmacro -%}

{#- A count counts when it names an item, a similarity when it names two, and either when it is neither NULL nor NaN. -#}
{%- macro count_given(relation) -%}
{{ sqlmetrics.sql_of(relation.columns.item_id) }} is not null
    and {{ sqlmetrics.is_number(sqlmetrics.to_double(sqlmetrics.identifier('count'))) }}
{%- endmacro -%}

{%- macro pair_given() -%}
item_a is not null
    and item_b is not null
    and {{ sqlmetrics.is_number(sqlmetrics.to_double('similarity')) }}
{%- endmacro -%}

{#- The rows of a further relation in which a value is missing. -#}
{%- macro missing_rows(name, relation, given) -%}
select
    'missing' as kind,
    '{{ name }}' as relation,
    count(*) as row_count,
    '' as words,
    '' as example
from {{ relation.relation }}
where not (
    {{ given }}
)
having count(*) > 0
{%- endmacro -%}

{#- What no row shows by itself: an item judged or listed twice, a pair or a group's weight with two values, a group too large for pairs. The runner raises an
    error for each row, but for those of kind 'missing', which it warns of. -#}
{%- macro group_inspection(q) -%}
{%- set steps = [] -%}
{%- if q.input -%}{%- set _ = steps.append(sqlmetrics.cte(q.relation, sqlmetrics.keep_line_breaks(q.input), stored=true)) -%}{%- endif -%}
{%- set parts = [] -%}
{%- for name, relation in q.relations.items() -%}
{%- if relation.input -%}{%- set _ = steps.append(sqlmetrics.cte(relation.relation, sqlmetrics.keep_line_breaks(relation.input), stored=true)) -%}{%- endif -%}
{%- set _ = steps.append(sqlmetrics.relation_step(name, relation)) -%}
{%- if name == 'judgments' -%}
{%- set _ = parts.append(sqlmetrics.repeated_values('judgments', 'all_judgments', ['group_id', 'item_id'], 'holds two judgments of one item in a group', 'item_id')) -%}
{%- for problem in relation.problems -%}
{%- set part -%}
select
    'broken' as kind,
    'judgments' as relation,
    count(*) as row_count,
    {{ sqlmetrics.text_literal(problem.words) }} as words,
    min(cast(item_id as {{ sqlmetrics.type_text() }})) as example
from all_judgments
where not ({{ sqlmetrics.keeps(problem) }})
having count(*) > 0
{%- endset -%}
{%- set _ = parts.append(part) -%}
{%- endfor -%}
{%- set _ = parts.append(sqlmetrics.missing_rows(name, relation, sqlmetrics.judgment_given(relation))) -%}
{%- elif name == 'popularity' -%}
{%- set _ = parts.append(sqlmetrics.repeated_values('popularity', 'all_counts', ['item_id'], 'holds two counts of one item', 'item_id')) -%}
{%- set part -%}
select
    'broken' as kind,
    'popularity' as relation,
    count(*) as row_count,
    'holds a count that is negative or infinite' as words,
    min(cast({{ sqlmetrics.identifier('count') }} as {{ sqlmetrics.type_text() }})) as example
from {{ relation.relation }}
where {{ sqlmetrics.count_given(relation) }}
    and not ({{ sqlmetrics.identifier('count') }} >= 0 and {{ sqlmetrics.is_finite(sqlmetrics.to_double(sqlmetrics.identifier('count'))) }})
having count(*) > 0
{%- endset -%}
{%- set _ = parts.append(part) -%}
{%- set _ = parts.append(sqlmetrics.missing_rows(name, relation, sqlmetrics.count_given(relation))) -%}
{%- elif name == 'similarity' -%}
{%- set part -%}
select
    'broken' as kind,
    'similarity' as relation,
    count(*) as row_count,
    'holds two values for one pair' as words,
    min(cast(item_a as {{ sqlmetrics.type_text() }})) as example
from (
    select
        item_a,
        item_b
    from (
        select item_a, item_b, similarity from {{ relation.relation }}
        union all
        select item_b, item_a, similarity from {{ relation.relation }}
    ) as both_directions
    where {{ sqlmetrics.pair_given() }}
    group by
        item_a,
        item_b
    having min(similarity) <> max(similarity)
) as contradictions
having count(*) > 0
{%- endset -%}
{%- set _ = parts.append(part) -%}
{%- set _ = parts.append(sqlmetrics.missing_rows(name, relation, sqlmetrics.pair_given())) -%}
{%- endif -%}
{%- endfor -%}
{%- set sizes = [] -%}
{%- for m in q.metrics if m.max_group_size is defined -%}{%- set _ = sizes.append(m.max_group_size) -%}{%- endfor -%}
{#- Lists and pairs are made inside a slice and for one model, so that is where items are compared and groups measured. -#}
{%- set list_keys = ['grouping_id'] if q.groupings else [] -%}
{%- for entry in q.by -%}{%- set _ = list_keys.append('slice_' ~ loop.index) -%}{%- endfor -%}
{%- set list_keys = list_keys + (['model_id'] if q.models else []) + ['group_id'] -%}
{%- set from = 'compared' if q.groupings or q.models else 'source' -%}
{%- set weighted_groups = 'group_weight' in q.columns and 'group_id' in q.columns -%}
{%- if 'item_id' in q.columns or sizes or weighted_groups -%}
{%- set _ = steps.append(sqlmetrics.cte('source', sqlmetrics.source(q))) -%}
{%- if from == 'compared' -%}{%- set _ = steps.append(sqlmetrics.cte('compared', sqlmetrics.compared(q))) -%}{%- endif -%}
{%- endif -%}
{%- if sizes -%}
{%- set part -%}
select
    'broken' as kind,
    'group' as relation,
    cast(count(*) as bigint) as row_count,
    'has more than {{ sizes | min }} distinct pairs of score and label; max_group_size allows more, at a cost that grows with their square' as words,
    min(cast(group_id as {{ sqlmetrics.type_text() }})) as example
from (
    select
        {{ (list_keys + ['count(*) as cells']) | join(',\n        ') }}
    from (
        select distinct
            {{ (list_keys + ['score', 'label']) | join(',\n            ') }}
        from {{ from }}
        where {{ sqlmetrics.is_given(['label', 'score', 'group_id']) | indent(8) }}
    ) as cells
    group by
        {{ list_keys | join(',\n        ') }}
    having count(*) > {{ sizes | min }}
) as large_groups
having count(*) > 0
{%- endset -%}
{%- set _ = parts.append(part) -%}
{%- endif -%}
{%- if weighted_groups -%}
{%- set needed = q.required | list -%}
{%- for column in ['group_id', 'group_weight'] if column not in needed -%}{%- set _ = needed.append(column) -%}{%- endfor -%}
{%- set part -%}
select
    'broken' as kind,
    'group_weight' as relation,
    cast(count(*) as bigint) as row_count,
    'has two values in one group' as words,
    min(cast(group_id as {{ sqlmetrics.type_text() }})) as example
from (
    select
        {{ list_keys | join(',\n        ') }}
    from {{ from }}
    where {{ sqlmetrics.is_given(needed, q.whole_columns) | indent(4) }}
{%- for problem in q.problems if problem.column == 'group_weight' %}
        and {{ sqlmetrics.keeps(problem) }}
{%- endfor %}
    group by
        {{ list_keys | join(',\n        ') }}
    having min(group_weight) <> max(group_weight)
) as groups_of_two_weights
having count(*) > 0
{%- endset -%}
{%- set _ = parts.append(part) -%}
{%- endif -%}
{%- if 'item_id' in q.columns -%}
{%- set _ = parts.append(sqlmetrics.repeated_values('data', from, list_keys + ['item_id'], 'holds one item twice in a group', 'item_id')) -%}
{%- endif -%}
{%- if not parts -%}
{%- set _ = parts.append("select '' as kind, '' as relation, 0 as row_count, '' as words, '' as example where 1 = 0") -%}
{%- endif -%}
{{ sqlmetrics.give_line_breaks('with\n' ~ steps | join(',\n') ~ '\n' ~ parts | join('\nunion all\n') ~ sqlmetrics.statement_end()) }}
{% endmacro -%}

{%- macro repeated_values(relation, from, columns, words, shown) -%}
select
    'broken' as kind,
    '{{ relation }}' as relation,
    cast(sum(copies) as bigint) as row_count,
    '{{ words }}' as words,
    min(cast({{ shown }} as {{ sqlmetrics.type_text() }})) as example
from (
    select
        {{ (columns + ['count(*) as copies']) | join(',\n        ') }}
    from {{ from }}
    where {{ sqlmetrics.is_given(['group_id', 'item_id'] if 'group_id' in columns else ['item_id']) | indent(4) }}
    group by
        {{ columns | join(',\n        ') }}
    having count(*) > 1
) as repeated
having count(*) > 0
{%- endmacro -%}
