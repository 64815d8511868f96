{#- The steps before the frames. Only `source` names the user's columns: it casts them and gives them canonical names. -#}

{%- macro source_steps(q, slicing) -%}
{%- set are_models = slicing.names == ['model_id'] -%}
{%- set grouped = q.groupings and slicing.read_from == 'source' -%}
{%- set models = sqlmetrics.scored_models(q) if slicing.read_from == 'source' else [] -%}
{%- set keys = ['model_id as slice_id'] if are_models else sqlmetrics.slices_of_groupings(q) + (['model_id'] if q.models else []) if grouped else slicing.names -%}
{%- set read_from = slicing.read_from ~ (sqlmetrics.once_per_grouping(q) if grouped) ~ sqlmetrics.once_per_model(models) -%}
{{ return(
    sqlmetrics.input_steps(q) + [sqlmetrics.source_step(q, q.materialized)]
    + ([sqlmetrics.unpivoted_models_step(q)] if slicing.read_from == 'unpivoted_models' else [])
    + [sqlmetrics.valid_rows_step(q, keys, read_from, (', once per grouping' if grouped) ~ (', once per model' if models), models)]
    + (sqlmetrics.slices_steps(q, slicing.names) if slicing.numbered else [])
) }}
{%- endmacro -%}

{#- The numbered slices, and the rows with these numbers. -#}
{%- macro slices_steps(q, names, rows='valid rows') -%}
{{ return([
    sqlmetrics.step('slices', sqlmetrics.slices(q, names), 'one per slice', materialized=true),
    sqlmetrics.step('rows_with_slice_id', sqlmetrics.rows_with_slice_id(names), rows ~ ' with the number of their slice'),
]) }}
{%- endmacro -%}

{#- The input queries, each once, and the additional relations. -#}
{%- macro input_steps(q) -%}{{ return(sqlmetrics.inputs_of_rows(q, relations=q.relations)) }}{%- endmacro -%}

{#- The same for the relations joined to the rows, and optionally others. Input queries precede all other steps, since they may read
    tables with the names of steps. -#}
{%- macro inputs_of_rows(q, materialized=true, relations=none) -%}
{%- set names = sqlmetrics.distinct(sqlmetrics.looked_up_in(q) + (relations or {}) | list) -%}
{%- set steps = sqlmetrics.input_step(q, materialized) + (sqlmetrics.input_step(q.against, materialized) if q.against is not none else []) -%}
{%- for name in names -%}{%- do steps.extend(sqlmetrics.input_step(q.relations[name])) -%}{%- endfor -%}
{%- for name in names -%}{%- do steps.append(sqlmetrics.relation_step(name, q.relations[name])) -%}{%- endfor -%}
{{ return(steps) }}
{%- endmacro -%}

{#- Additional relations that are joined to the rows. -#}
{%- macro looked_up_in(q) -%}
{{ return(q['columns'].values() | selectattr('looked_up', 'defined') | map(attribute='looked_up') | list) }}
{%- endmacro -%}

{%- macro input_step(input_relation, materialized=true) -%}
{{ return([sqlmetrics.step(input_relation.relation, sqlmetrics.keep_line_breaks(input_relation.input), 'the input query', materialized=materialized)] if input_relation.input else []) }}
{%- endmacro -%}

{#- The rows of one relation, or of two that are compared. -#}
{%- macro source_step(q, materialized) -%}
{%- set rows -%}
{%- for side in ([q] if q.against is none else [q, q.against]) -%}
{{ sqlmetrics.source_of_side(q, side, loop.index) }}
{%- if not loop.last %}
union all
{% endif -%}
{%- endfor -%}
{%- endset -%}
{{ return(sqlmetrics.step('source', rows, 'input columns under canonical names', materialized=materialized, log=true)) }}
{%- endmacro -%}

{%- macro source_of_side(q, side, number) -%}
{%- set columns = dict({'model_id': number} if q.against is not none else {}, **sqlmetrics.sql_of_slices(side.by)) -%}
{%- set joined = {} -%}
{%- for column, role in side['columns'].items() -%}
{%- if role.looked_up is defined -%}
{%- do joined.update({column: role}) -%}
{%- do columns.update({role.by: sqlmetrics.dialect_text('joined_key', sqlmetrics.sql_of(role.parts[role.by]))}) -%}
{%- else -%}
{%- do columns.update({sqlmetrics.source_name(column): sqlmetrics.source_column(q, column, role)}) -%}
{%- endif -%}
{%- endfor -%}
{%- for model in sqlmetrics.scored_models(q) -%}
{%- do columns.update({'score_' ~ loop.index: sqlmetrics.normalize_negative_zero(sqlmetrics.to_double(sqlmetrics.sql_of(model)))}) -%}
{%- endfor -%}
{%- set rows -%}
select
{%- for name, text in columns.items() %}
    {{ text }} as {{ name }}{{ ',' if not loop.last }}
{%- endfor %}
from {{ sqlmetrics.keep_line_breaks(side.relation ~ '') }}
{{- '\nwhere ' ~ sqlmetrics.chosen_rows(side.where) if side.where }}
{%- endset -%}
{{ sqlmetrics.with_looked_up(rows, columns, joined) if joined else rows }}
{%- endmacro -%}

{%- macro sql_of_slices(entries) -%}
{%- set slices = {} -%}
{%- for entry in entries -%}{%- do slices.update({'slice_' ~ loop.index: sqlmetrics.sql_of(entry)}) -%}{%- endfor -%}
{{ return(slices) }}
{%- endmacro -%}

{#- Joins columns of an additional relation to the rows. The rows are a subquery, so that the user's expressions refer to the user's
    columns only. The relation is small and is broadcast: a shuffle by its keys would send all rows to a few tasks. -#}
{%- macro with_looked_up(rows, columns, joined) -%}
{%- set keys = {} -%}
{%- for role in joined.values() -%}{%- do keys.update({sqlmetrics.lookups()[role.looked_up].step: role.by}) -%}{%- endfor -%}
select{{ sqlmetrics.broadcast(keys | join(', ')) }}
    {{- sqlmetrics.leading(sqlmetrics.for_each(columns | reject('in', keys.values()), 'input_rows.{0}')) }}
{%- for column, role in joined.items() %}
    {{ sqlmetrics.lookups()[role.looked_up].step }}.{{ column }}{{ ',' if not loop.last }}
{%- endfor %}
from (
    {{ sqlmetrics.indented(rows) }}
) as input_rows
{%- for step, key in keys.items() %}
left join {{ step }} on {{ step }}.{{ key }} = input_rows.{{ key }}
{%- endfor -%}
{%- endmacro -%}

{#- Reads a canonical column from its role. A label cannot be boolean if every metric reads it as a number. -#}
{%- macro source_column(q, column, role) -%}
{%- set sql = none if role.computed_by is defined else sqlmetrics.sql_of(role) -%}
{%- set is_number = role.is_number is defined or (column == 'label' and not q.metrics | rejectattr('label_type', 'equalto', 'number') | list) -%}
{%- if sql is none -%}
{{ sqlmetrics.indented(sqlmetrics.macro_of_metric(role.computed_by ~ '__computed')(role)) }}
{%- elif column == 'cluster_id' or column in sqlmetrics.id_columns() or column.startswith('category_') -%}
{{ sql }}
{%- elif column == 'negated_rank' -%}
-{{ sqlmetrics.to_double(sql) }}
{%- elif column in ['label', 'prediction', 'won', 'reward', 'treatment'] and not is_number -%}
{{ sqlmetrics.indented(sqlmetrics.normalize_negative_zero(sqlmetrics.label_to_double(sql))) }}
{%- else -%}
{{ sqlmetrics.normalize_negative_zero(sqlmetrics.to_double(sql)) }}
{%- endif -%}
{%- endmacro -%}

{#- The scores that are models. In a comparison of two relations, the relations are the models. -#}
{%- macro scored_models(q) -%}{{ return(q.models if q.against is none else []) }}{%- endmacro -%}

{#- For several models, or groupings whose rows diagnostics count. A comparison uses rows that all models score. -#}
{%- macro unpivoted_models_step(q) -%}
{%- set models = sqlmetrics.scored_models(q) -%}
{%- set columns = ['model_id'] if q.against is not none else [] -%}
{%- set rows -%}
select
    {{- sqlmetrics.leading(sqlmetrics.slices_of_groupings(q)) }}
{%- if models %}
    models.model_id,
    {{ sqlmetrics.score_of_model(models) }},
{%- endif %}
    {{ sqlmetrics.select_list(sqlmetrics.for_each(columns + sqlmetrics.source_names(q.columns) + (['row_id'] if q.row_ids else []), 'source.{0}')) }}
from {{ sqlmetrics.numbered_source(q) if q.row_ids else 'source' }}
{{- sqlmetrics.once_per_grouping(q) }}
{{- sqlmetrics.once_per_model(models) }}
{{- '\nwhere ' ~ sqlmetrics.is_present(sqlmetrics.scores_of(models)) if models and q.comparison is not none }}
{%- endset -%}
{{ return(sqlmetrics.step('unpivoted_models', rows, 'each row once per grouping and model', materialized=q.row_ids)) }}
{%- endmacro -%}

{%- macro once_per_grouping(q) -%}
{{ '\ncross join ' ~ sqlmetrics.numbers(q.groupings | length, 'grouping_id', 'groupings') if q.groupings }}
{%- endmacro -%}

{%- macro once_per_model(models) -%}
{{ '\ncross join ' ~ sqlmetrics.numbers(models | length, 'model_id', 'models') if models }}
{%- endmacro -%}

{%- macro scores_of(models) -%}{{ return(sqlmetrics.for_each(range(1, models | length + 1) | map('string'), 'score_{0}')) }}{%- endmacro -%}

{%- macro score_of_model(models) -%}
case models.model_id{% for score in sqlmetrics.scores_of(models) %} when {{ loop.index }} then source.{{ score }}{% endfor %} end as score
{%- endmacro -%}

{#- The slice columns of `source`. With groupings, a column is NULL in those that do not have it. -#}
{%- macro slices_of_groupings(q) -%}
{%- set slices = ['groupings.grouping_id'] if q.groupings else [] -%}
{%- for name in sqlmetrics.names_of_slices(q.by) -%}
{%- set position = loop.index -%}
{%- set ids -%}
{%- for grouping in q.groupings if position in grouping.columns -%}{{ ', ' if not loop.first }}{{ grouping.id }}{%- endfor -%}
{%- endset -%}
{%- do slices.append('case when groupings.grouping_id in (' ~ ids ~ ') then source.' ~ name ~ ' end as ' ~ name if q.groupings else 'source.' ~ name) -%}
{%- endfor -%}
{{ return(slices) }}
{%- endmacro -%}

{#- `row_id` numbers rows by their contents, to pair them across models; equal rows are interchangeable. Scores are sorted by name, so
    that the order of the models does not matter. -#}
{%- macro numbered_source(q) -%}
{%- set scores = [] -%}
{%- for model in sqlmetrics.scored_models(q) -%}{%- do scores.append({'name': model.name, 'column': 'score_' ~ loop.index}) -%}{%- endfor -%}
{%- set scores = scores | sort(attribute='name', case_sensitive=true) | map(attribute='column') | list -%}
{%- set columns = (['model_id'] if q.against is not none else []) + scores + sqlmetrics.source_names(q.columns) + sqlmetrics.names_of_slices(q.by) -%}
(
    select
        {{ columns | join(',\n        ') }},
        row_number() {{ sqlmetrics.over([], sqlmetrics.order_of_rows(columns)) }} as row_id
    from source
) as source
{%- endmacro -%}

{#- The same order of rows in every engine: strings sort by their bytes. -#}
{%- macro order_of_rows(columns) -%}
{%- set order = [] -%}
{%- for column in columns -%}
{%- set is_key = column in sqlmetrics.id_columns() + ['cluster_id'] or column.startswith('slice_') -%}
{%- do order.append(sqlmetrics.key_order(column, 'asc') if is_key else column ~ ' asc nulls last') -%}
{%- endfor -%}
{{ return(sqlmetrics.in_order(order)) }}
{%- endmacro -%}

{#- Columns that are compared, not computed with. -#}
{%- macro id_columns() -%}
{{ return(['label_class', 'predicted_class', 'group_id', 'item_id', 'field_id', 'tie_key', 'subtopic_id', 'position']) }}
{%- endmacro -%}

{#- A value is given if it is neither NULL nor NaN. Integer columns have no NaN. -#}
{%- macro is_present(columns, whole=[]) -%}
{%- for column in columns -%}
{{ '\n    and ' if not loop.first }}
{{- column ~ ' is not null' if column in whole or column in sqlmetrics.id_columns() else sqlmetrics.is_number(column) }}
{%- endfor -%}
{%- endmacro -%}

{#- The condition of a rule. The dialect writes string literals and the test for missing values. -#}
{%- macro keeps(rule) -%}
{%- if rule.allowed is defined -%}
{{ rule.column }} in (
{%- for value in rule.allowed -%}{{ sqlmetrics.literal(value) }}{{ ', ' if not loop.last }}{%- endfor -%}
)
{%- elif rule.other_column is defined -%}
({{ rule.keeps }} or {{ sqlmetrics.fails(sqlmetrics.is_number(rule.other_column) | replace('\n    ', ' ')) }})
{%- else -%}
{{ rule.keeps }}
{%- endif -%}
{%- endmacro -%}

{#- Valid rows have every column that all metrics need, and values that keep their rules. Other columns may be missing. A range
    condition on an integer column also excludes NULL. -#}
{%- macro used_rows(q, required, models) -%}
{%- if q.refuses -%}
{{ return('\nwhere ' ~ sqlmetrics.used_or_refused(q, required)) }}
{%- endif -%}
{%- set problems = q.problems if q.checks else [] -%}
{%- set ruled = problems | map(attribute='column') | select('in', q.whole_columns) | list -%}
{%- set conditions = [] -%}
{%- for rule in problems -%}
{%- set present = sqlmetrics.is_present([rule.column], q.whole_columns) | replace('\n    ', ' ') -%}
{%- do conditions.append(sqlmetrics.keeps(rule) if rule.column in required else '(not (' ~ present ~ ') or ' ~ sqlmetrics.keeps(rule) ~ ')') -%}
{%- endfor -%}
{#- A comparison uses the rows that all models score; the step before has selected them, unless the models are joined here. -#}
{%- set scored = ['score'] if q.comparison is not none and sqlmetrics.scored_models(q) else [] -%}
{%- set plain = required | reject('in', ruled + scored) | list + sqlmetrics.scores_of(models) -%}
{%- set conditions = ([sqlmetrics.is_present(plain, q.whole_columns)] if plain else []) + conditions -%}
{{ '\nwhere ' ~ conditions | join('\n    and ') if conditions }}
{%- endmacro -%}

{#- The same for statements without a separate check of values: a row that breaks a rule raises an error. -#}
{%- macro used_or_refused(q, required) -%}{{ adapter.dispatch('sqlmetrics_used_or_refused', 'sqlmetrics')(q, required) }}{%- endmacro -%}

{%- macro default__sqlmetrics_used_or_refused(q, required) -%}
case
{%- if required %}
        when {{ sqlmetrics.fails('\n            ' ~ sqlmetrics.indented(sqlmetrics.indented(sqlmetrics.is_present(required, q.whole_columns))) ~ '\n        ') }} then false
{%- endif %}
{%- for rule in q.problems %}
{%- set present = sqlmetrics.is_present([rule.column], q.whole_columns) | replace('\n    ', ' ') %}
{%- set role = sqlmetrics.text_literal(sqlmetrics.column_roles().get(rule.column, rule.column) ~ ': ') %}
{%- set message = role ~ ' || ' ~ sqlmetrics.to_text(rule.column) ~ '\n                || ' ~ sqlmetrics.text_literal(' ' ~ rule.message) %}
        when {{ present ~ ' and ' if rule.column not in required }}{{ sqlmetrics.fails(sqlmetrics.keeps(rule)) }}
            then {{ sqlmetrics.raised_condition(message) }}
{%- endfor %}
        else true
    end
{%- endmacro -%}

{#- Valid rows with labels as the metrics need them: weights of positive and negative labels (`pos`, `neg`), or a number, grade or class
    with its weight. -#}
{%- macro valid_rows_step(q, keys, read_from, further_comment='', models=[]) -%}
{%- set columns = sqlmetrics.source_names(q.columns) + (['score'] if sqlmetrics.scored_models(q) and not models else []) + (['row_id'] if q.row_ids else []) -%}
{%- set weighted = 'weight' in columns -%}
{#- If a metric needs no label, a NaN label would make the sums NaN. -#}
{%- set label = 'label' if 'label' in q.required else '(case when ' ~ sqlmetrics.is_present(['label'], q.whole_columns) | replace('\n    ', ' ') ~ ' then label end)' -%}
{%- set sides = ['positives as pos', 'total - positives as neg'] if 'total' in columns
    else [label ~ ' * weight as pos', '(1 - ' ~ label ~ ') * weight as neg'] if weighted else [label ~ ' as pos', '1 - ' ~ label ~ ' as neg'] -%}
{%- set made = ((sides if q.reads_negatives else sides[:1]) if 'pos' in q.derived else [])
    + ([sqlmetrics.to_double('1') ~ ' as weight'] if 'weight' in q.derived and not weighted else []) -%}
{%- set rows -%}
select
    {{ sqlmetrics.select_list(keys + made + columns | select('in', q.derived) | list + ([sqlmetrics.score_of_model(models)] if models else [])) }}
from {{ read_from }}
{{- sqlmetrics.used_rows(q, q.required, models) }}
{%- endset -%}
{{ return(sqlmetrics.step('valid_rows', rows, 'rows without missing values' ~ further_comment)) }}
{%- endmacro -%}

{#- A slice of one byte and a score fit in the twelve bytes that DuckDB sorts fastest. -#}
{%- macro type_of_slice_ids(q) -%}{{ sqlmetrics.dialect_table().type_of_few_slices if q.few_slices else 'integer' }}{%- endmacro -%}

{#- One row per slice. From here on a dense integer replaces the slice columns: sorting ten million rows within string keys takes four
    times as long as within integers. A slice of one of two relations exists in the other too, without rows. Models are known without
    reading rows. -#}
{%- macro slices(q, keys) -%}
{%- set own = keys[:-1] if q.against is not none or keys == ['model_id'] else keys -%}
select
    {{ sqlmetrics.select_list(keys) }},
{%- if keys == ['model_id'] %}
    model_id as slice_id
{%- else %}
    cast(row_number() {{ sqlmetrics.over([], sqlmetrics.in_order(sqlmetrics.for_each(keys, '{0} asc nulls last'))) }} as {{ sqlmetrics.type_of_slice_ids(q) }}) as slice_id
{%- endif %}
{%- if own == keys and not q.fixed_slices %}
from valid_rows
{{- sqlmetrics.group_by(keys) }}
{%- elif own %}
from (
    select distinct
        {{ own | join(',\n        ') }}
    from valid_rows
{%- for fixed in q.fixed_slices %}
    {{ sqlmetrics.union_distinct() }}
    select
        {{ fixed[:own | length] | join(',\n        ') }}
{%- endfor %}
) as distinct_slices
{%- endif %}
{%- if own != keys %}
{{ 'cross join' if own else 'from' }} {{ sqlmetrics.numbers(2 if q.against is not none else q.fixed_slices | length, 'model_id', 'models') }}
{%- endif -%}
{%- endmacro -%}

{%- macro derived_columns(derived) -%}
{{ return((['pos', 'neg'] if 'pos' in derived else []) + derived | reject('equalto', 'pos') | list) }}
{%- endmacro -%}

{#- Some planners hash the slices only with conditions that are always true. -#}
{%- macro rows_with_slice_id(keys) -%}
select{{ sqlmetrics.broadcast('slices') }} slices.slice_id, valid_rows.*
from valid_rows
inner join slices{{ sqlmetrics.on_conditions(sqlmetrics.same_slices('valid_rows', 'slices', keys) + sqlmetrics.dialect_table().that_slices_are_few) }}
{%- endmacro -%}
