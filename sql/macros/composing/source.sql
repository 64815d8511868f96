{#- The steps before any frame. `source` is the only one that names the user's columns: it casts them and gives them the
    canonical names that everything after it uses. -#}

{%- macro source_steps(q, slicing) -%}
{%- set steps = sqlmetrics.input_steps(q) -%}
{%- do steps.append(sqlmetrics.source_step(q, q.stored)) -%}
{%- if slicing.read_from == 'compared' -%}{%- do steps.append(sqlmetrics.compared_step(q)) -%}{%- endif -%}
{%- do steps.append(sqlmetrics.observations_step(q, slicing.names, slicing.read_from)) -%}
{%- if slicing.numbered -%}
{%- do steps.append(sqlmetrics.step('slices', sqlmetrics.slices(q, slicing.names), 'one per slice', stored=true)) -%}
{%- do steps.append(sqlmetrics.step('sliced', sqlmetrics.sliced(slicing.names, q.derived), 'the rows that count, by the number of their slice')) -%}
{%- endif -%}
{{ return(steps) }}
{%- endmacro -%}

{#- The queries that were given as data, each once, and the further relations. -#}
{%- macro input_steps(q) -%}
{{ return(sqlmetrics.inputs_of_rows(q, relations=q.relations)) }}
{%- endmacro -%}

{#- Those of the rows alone, with what is looked up for each, or with other relations too. All queries are before all steps of ours:
    they may read tables that are called like these. -#}
{%- macro inputs_of_rows(q, stored=true, relations=none) -%}
{%- set looked_up = sqlmetrics.looked_up_in(q) -%}
{%- set names = looked_up + [] -%}
{%- for name in relations or {} if name not in looked_up -%}{%- do names.append(name) -%}{%- endfor -%}
{%- set steps = sqlmetrics.input_step(q, stored) + (sqlmetrics.input_step(q.against, stored) if q.against is not none else []) -%}
{%- for name in names -%}{%- do steps.extend(sqlmetrics.input_step(q.relations[name])) -%}{%- endfor -%}
{%- for name in names -%}{%- do steps.append(sqlmetrics.relation_step(name, q.relations[name])) -%}{%- endfor -%}
{{ return(steps) }}
{%- endmacro -%}

{#- The further relations in which columns of the rows are looked up. -#}
{%- macro looked_up_in(q) -%}
{%- set names = [] -%}
{%- for column, role in q['columns'].items() if role.looked_up is defined -%}{%- do names.append(role.looked_up) -%}{%- endfor -%}
{{ return(names) }}
{%- endmacro -%}

{%- macro input_step(given, stored=true) -%}
{{ return([sqlmetrics.step(given.relation, sqlmetrics.keep_line_breaks(given.input), 'the query that was given', stored=stored)] if given.input else []) }}
{%- endmacro -%}

{%- macro source_step(q, stored) -%}
{{ return(sqlmetrics.step('source', sqlmetrics.source_rows(q), 'the columns that are read, under the names that all steps use', stored=stored, log=true)) }}
{%- endmacro -%}

{%- macro compared_step(q) -%}
{{ return(sqlmetrics.step('compared', sqlmetrics.compared(q), 'each row once for every grouping and model', stored=q.row_ids)) }}
{%- endmacro -%}

{%- macro observations_step(q, keys, read_from) -%}
{{ return(sqlmetrics.step('observations', sqlmetrics.observations(q, keys, read_from), 'the rows that count')) }}
{%- endmacro -%}

{#- Whether every metric takes the label for a number, so that it cannot be boolean. -#}
{%- macro labels_are_numbers(q) -%}
{%- for m in q.metrics if m.truth != 'number' -%}{{ return(false) }}{%- endfor -%}
{{ return(true) }}
{%- endmacro -%}

{#- Canonical columns, their role and how they are read from it. -#}
{%- macro source_column(q, column, role) -%}
{%- if role.computed_by is defined -%}
{{ sqlmetrics.indented(sqlmetrics.computed_column(role)) }}
{%- else -%}
{%- set sql = sqlmetrics.sql_of(role) -%}
{%- set is_number = role.is_number is defined or (column == 'label' and sqlmetrics.labels_are_numbers(q)) -%}
{%- if column in ['label', 'prediction', 'won', 'reward', 'treatment'] and not is_number -%}
{{ sqlmetrics.indented(sqlmetrics.one_zero(sqlmetrics.label_to_double(sql))) }}
{%- elif column == 'cluster_id' or column in sqlmetrics.id_columns() or column.startswith('category_') -%}
{{ sql }}
{%- elif column == 'negated_rank' -%}
-{{ sqlmetrics.to_double(sql) }}
{%- else -%}
{{ sqlmetrics.one_zero(sqlmetrics.to_double(sql)) }}
{%- endif -%}
{%- endif -%}
{%- endmacro -%}

{#- The relations of which the rows are read: one, or two that are compared. -#}
{%- macro sides_of(q) -%}
{{ return([q] if q.against is none else [q, q.against]) }}
{%- endmacro -%}

{#- The scores that are models; where two relations are compared, these are, and each has the score of its rows. -#}
{%- macro scored_models(q) -%}
{{ return(q.models if q.against is none else []) }}
{%- endmacro -%}

{%- macro source_rows(q) -%}
{%- for side in sqlmetrics.sides_of(q) -%}
{{ sqlmetrics.source_of_side(q, side, loop.index) }}
{%- if not loop.last %}
union all
{% endif -%}
{%- endfor -%}
{%- endmacro -%}

{%- macro source_of_side(q, side, number) -%}
{%- set columns = {'model_id': number} if q.against is not none else {} -%}
{%- for entry in side.by -%}
{%- do columns.update({'slice_' ~ loop.index: sqlmetrics.sql_of(entry)}) -%}
{%- endfor -%}
{%- set joined = {} -%}
{%- for column, role in side['columns'].items() -%}
{%- if role.looked_up is defined -%}
{%- do joined.update({column: role}) -%}
{%- do columns.update({role.by: sqlmetrics.joined_key(sqlmetrics.sql_of(role.parts[role.by]))}) -%}
{%- else -%}
{%- do columns.update({sqlmetrics.source_name(column): sqlmetrics.source_column(q, column, role)}) -%}
{%- endif -%}
{%- endfor -%}
{%- for model in sqlmetrics.scored_models(q) -%}
{%- do columns.update({'score_' ~ loop.index: sqlmetrics.one_zero(sqlmetrics.to_double(sqlmetrics.sql_of(model)))}) -%}
{%- endfor -%}
{%- set items = [] -%}
{%- for name, text in columns.items() -%}{%- do items.append(text ~ ' as ' ~ name) -%}{%- endfor -%}
{%- set rows -%}
select
    {{ sqlmetrics.lines(items) }}
from {{ sqlmetrics.keep_line_breaks(side.relation ~ '') }}
{%- if side.where %}
where {{ sqlmetrics.chosen_rows(side.where) }}
{%- endif -%}
{%- endset -%}
{{ sqlmetrics.with_looked_up(rows, columns, joined) if joined else rows }}
{%- endmacro -%}

{#- The rows with the columns that a further relation tells. Around them, because the words of the user's own expressions mean
    the user's own columns. -#}
{%- macro with_looked_up(rows, columns, joined) -%}
{%- set keys = {} -%}
{%- set told = [] -%}
{%- for column, role in joined.items() -%}
{%- set step = sqlmetrics.lookups()[role.looked_up].step -%}
{%- do keys.update({step: role.by}) -%}
{%- do told.append(step ~ '.' ~ column) -%}
{%- endfor -%}
{%- set items = [] -%}
{%- for name in columns if name not in keys.values() -%}{%- do items.append('given_rows.' ~ name) -%}{%- endfor -%}
{#- Few rows are looked up, in every task of the log: joined by their keys, the rows would all go to a few tasks. -#}
select{{ sqlmetrics.broadcast(keys | join(', ')) }}
    {{ sqlmetrics.lines(items + told) }}
from (
    {{ sqlmetrics.indented(rows) }}
) as given_rows
{%- for step, key in keys.items() %}
left join {{ step }}
    on {{ step }}.{{ key }} = given_rows.{{ key }}
{%- endfor -%}
{%- endmacro -%}

{#- Several groupings or several models in one call: each row once for every grouping and model it counts in. -#}
{%- macro compared(q) -%}
{%- set items = [] -%}
{%- if q.groupings -%}
{%- do items.append('groupings.grouping_id') -%}
{%- endif -%}
{%- for entry in q.by -%}
{%- set slice = 'slice_' ~ loop.index -%}
{%- set position = loop.index -%}
{%- if q.groupings -%}
{%- set ids = [] -%}
{%- for grouping in q.groupings if position in grouping.columns -%}
{%- do ids.append(grouping.id) -%}
{%- endfor -%}
{%- do items.append('case when groupings.grouping_id in (' ~ ids | join(', ') ~ ') then source.' ~ slice ~ ' end as ' ~ slice) -%}
{%- else -%}
{%- do items.append('source.' ~ slice) -%}
{%- endif -%}
{%- endfor -%}
{%- set models = sqlmetrics.scored_models(q) -%}
{%- if q.against is not none -%}
{%- do items.append('source.model_id') -%}
{%- elif models -%}
{%- do items.append('models.model_id') -%}
{%- set cases = [] -%}
{%- for model in models -%}
{%- do cases.append('when ' ~ loop.index ~ ' then source.score_' ~ loop.index) -%}
{%- endfor -%}
{%- do items.append('case models.model_id ' ~ cases | join(' ') ~ ' end as score') -%}
{%- endif -%}
{%- for column in q.columns -%}
{%- do items.append('source.' ~ ('score' if column == 'negated_rank' else column)) -%}
{%- endfor -%}
{%- if q.row_ids -%}{%- do items.append('source.row_id') -%}{%- endif -%}
select
    {{ sqlmetrics.lines(items) }}
from {{ sqlmetrics.indented(sqlmetrics.numbered_source(q)) if q.row_ids else 'source' }}
{%- if q.groupings %}
cross join (
    {{ sqlmetrics.indented(sqlmetrics.numbers(q.groupings | length, 'grouping_id')) }}
) as groupings
{%- endif -%}
{%- if models %}
cross join (
    {{ sqlmetrics.indented(sqlmetrics.numbers(models | length, 'model_id')) }}
) as models
{%- endif -%}
{#- Models are compared on the rows that all of them score. -#}
{%- if q.comparison is not none and models -%}
{%- set scores = [] -%}
{%- for model in models -%}{%- do scores.append(sqlmetrics.is_number('source.score_' ~ loop.index) | replace('\n    ', ' ')) -%}{%- endfor %}
where {{ scores | join('\n    and ') }}
{%- endif -%}
{%- endmacro -%}

{#- A row is known again by its place, which follows from what is in it: rows of which all is the same do not differ. Models come by
    their names, so that it is the same whichever is named first. -#}
{%- macro numbered_source(q) -%}
{%- set columns = ['model_id'] if q.against is not none else [] -%}
{%- set scores = [] -%}
{%- for model in sqlmetrics.scored_models(q) -%}{%- do scores.append({'name': model.name, 'column': 'score_' ~ loop.index}) -%}{%- endfor -%}
{%- for score in scores | sort(attribute='name', case_sensitive=true) -%}{%- do columns.append(score.column) -%}{%- endfor -%}
{%- for column in q.columns -%}{%- do columns.append(sqlmetrics.source_name(column)) -%}{%- endfor -%}
{%- for entry in q.by -%}{%- do columns.append('slice_' ~ loop.index) -%}{%- endfor -%}
(
select
    {{ (columns + ['row_number() ' ~ sqlmetrics.over([], sqlmetrics.order_of_rows(columns)) ~ ' as row_id']) | join(',\n    ') }}
from source
) as source
{%- endmacro -%}

{#- One order of rows for every engine: of what is no number, by its bytes. -#}
{%- macro order_of_rows(columns) -%}
{%- set order = [] -%}
{%- for column in columns -%}
{%- set is_key = column in sqlmetrics.id_columns() + ['cluster_id'] or column.startswith('slice_') -%}
{%- do order.append(sqlmetrics.key_order(column, 'asc') if is_key else column ~ ' asc nulls last') -%}
{%- endfor -%}
{{ return(order | join(', ')) }}
{%- endmacro -%}

{%- macro numbers(count, name) -%}
{%- for number in range(1, count + 1) -%}
select {{ number }} as {{ name }}
{%- if not loop.last %}
union all
{% endif -%}
{%- endfor -%}
{%- endmacro -%}

{#- What is compared with its like alone, and never computed with. -#}
{%- macro id_columns() -%}
{{ return(['label_class', 'predicted_class', 'group_id', 'item_id', 'field_id', 'tie_key', 'subtopic_id', 'position']) }}
{%- endmacro -%}

{#- A value counts as given when it is neither NULL nor NaN. Columns of whole numbers hold no NaN. -#}
{%- macro is_given(columns, whole=[]) -%}
{%- set conditions = [] -%}
{%- for column in columns -%}
{%- if column in whole or column in sqlmetrics.id_columns() -%}
{%- do conditions.append(column ~ ' is not null') -%}
{%- else -%}
{%- do conditions.append(sqlmetrics.is_number(column)) -%}
{%- endif -%}
{%- endfor -%}
{{ conditions | join('\n    and ') }}
{%- endmacro -%}

{#- The condition by which a value keeps a rule. How the texts of a list are written, and what is missing, the dialect knows. -#}
{%- macro keeps(rule) -%}
{%- if rule.allowed is defined -%}
{%- set values = [] -%}
{%- for value in rule.allowed -%}{%- do values.append(sqlmetrics.literal(value)) -%}{%- endfor -%}
{{ rule.column }} in ({{ values | join(', ') }})
{%- elif rule.beside is defined -%}
({{ rule.keeps }} or {{ sqlmetrics.fails(sqlmetrics.is_number(rule.beside) | replace('\n    ', ' ')) }})
{%- else -%}
{{ rule.keeps }}
{%- endif -%}
{%- endmacro -%}

{#- The rows that are used: every metric's columns are given and keep their rules. Where not every metric needs the column, a
    missing value is no reason to leave the row out. -#}
{%- macro used_rows(q, required) -%}
{%- if q.refuses -%}
{{ return('\nwhere ' ~ sqlmetrics.used_or_refused(q, required)) }}
{%- endif -%}
{%- set conditions = [] -%}
{%- set ruled = [] -%}
{%- for rule in q.problems if q.checks -%}
{%- if rule.column in required -%}
{#- A range that a column of whole numbers keeps, it keeps with no NULL. -#}
{%- if rule.column in q.whole_columns -%}{%- do ruled.append(rule.column) -%}{%- endif -%}
{%- do conditions.append(sqlmetrics.keeps(rule)) -%}
{%- else -%}
{%- set given = sqlmetrics.is_given([rule.column], q.whole_columns) | replace('\n    ', ' ') -%}
{%- do conditions.append('(not (' ~ given ~ ') or ' ~ sqlmetrics.keeps(rule) ~ ')') -%}
{%- endif -%}
{%- endfor -%}
{%- set plain = [] -%}
{%- for column in required if column not in ruled -%}{%- do plain.append(column) -%}{%- endfor -%}
{%- if plain -%}{%- set conditions = [sqlmetrics.is_given(plain, q.whole_columns)] + conditions -%}{%- endif -%}
{{ '\nwhere ' ~ conditions | join('\n    and ') if conditions }}
{%- endmacro -%}

{#- The same where nothing looks at the values before or after the statement: a row that breaks a rule ends it with an error. -#}
{%- macro used_or_refused(q, required) -%}
{{ adapter.dispatch('sqlmetrics_used_or_refused', 'sqlmetrics')(q, required) }}
{%- endmacro -%}

{%- macro default__sqlmetrics_used_or_refused(q, required) -%}
{%- set whens = [] -%}
{%- if required -%}
{%- do whens.append('when ' ~ sqlmetrics.fails(sqlmetrics.is_given(required, q.whole_columns) | replace('\n    ', ' ')) ~ ' then false') -%}
{%- endif -%}
{%- for rule in q.problems -%}
{%- set broken = sqlmetrics.fails(sqlmetrics.keeps(rule)) -%}
{%- if rule.column not in required -%}
{%- set broken = sqlmetrics.is_given([rule.column], q.whole_columns) | replace('\n    ', ' ') ~ ' and ' ~ broken -%}
{%- endif -%}
{%- set role = sqlmetrics.column_roles().get(rule.column, rule.column) -%}
{%- set words = sqlmetrics.text_literal(role ~ ': ') ~ ' || cast(' ~ rule.column ~ ' as ' ~ sqlmetrics.type_text() ~ ') || ' ~ sqlmetrics.text_literal(' ' ~ rule.words) -%}
{%- do whens.append('when ' ~ broken ~ ' then ' ~ sqlmetrics.raised_condition(words)) -%}
{%- endfor -%}
{{ 'case\n        ' ~ (whens + ['else true']) | join('\n        ') ~ '\n    end' }}
{%- endmacro -%}

{#- The rows that count, with the truth in the form that the metrics are written over: weights of the positive and of the
    negative truth (pos, neg), or a number, a grade or a class with its weight. -#}
{%- macro observations(q, keys, rows_from) -%}
{%- set columns = [] -%}
{%- for column in q.columns -%}{%- do columns.append(sqlmetrics.source_name(column)) -%}{%- endfor -%}
{%- if sqlmetrics.scored_models(q) -%}{%- do columns.append('score') -%}{%- endif -%}
{%- if q.row_ids -%}{%- do columns.append('row_id') -%}{%- endif -%}
{%- set weighted = 'weight' in columns -%}
{%- set items = keys | list -%}
{#- NaN would be the sum of all labels where some metric does without. -#}
{%- set label = 'label' if 'label' in q.required else '(case when ' ~ sqlmetrics.is_given(['label'], q.whole_columns) | replace('\n    ', ' ') ~ ' then label end)' -%}
{%- if 'is_positive' in q.derived -%}
{%- do items.append(sqlmetrics.to_tinyint(label) ~ ' as is_positive') -%}
{%- endif -%}
{%- if 'pos' in q.derived -%}
{%- if 'total' in columns -%}
{%- do items.extend(['positives as pos', 'total - positives as neg']) -%}
{%- else -%}
{%- set per_row = ' * weight' if weighted else '' -%}
{%- do items.extend([label ~ per_row ~ ' as pos', ('(1 - ' ~ label ~ ')' if weighted else '1 - ' ~ label) ~ per_row ~ ' as neg']) -%}
{%- endif -%}
{%- endif -%}
{%- if 'weight' in q.derived and not weighted -%}
{%- do items.append(sqlmetrics.to_double('1') ~ ' as weight') -%}
{%- endif -%}
{%- for column in columns if column in q.derived -%}{%- do items.append(column) -%}{%- endfor -%}
select
    {{ sqlmetrics.lines(items) }}
from {{ rows_from }}
{{- sqlmetrics.used_rows(q, q.required) }}
{%- endmacro -%}

{#- One row per slice. A dense integer takes the place of the slice columns from here on: sorting ten million rows inside
    groups of a text column takes four times as long as inside groups of an integer. -#}
{%- macro slices(q, keys) -%}
{%- set order = [] -%}
{%- for key in keys -%}
{%- do order.append(key ~ ' asc nulls last') -%}
{%- endfor -%}
{%- set own = sqlmetrics.slices_of_rows(q, keys) -%}
select
    {{ sqlmetrics.lines(keys) }},
    cast(row_number() over (order by {{ order | join(', ') }}) as integer) as slice_id
{%- if own == keys and not q.fixed_slices %}
from observations
{{- sqlmetrics.group_by(keys) }}
{%- elif own %}
from (
    select distinct
        {{ own | join(',\n        ') }}
    from observations
{%- for fixed in q.fixed_slices %}
    {{ sqlmetrics.union_distinct() }}
    select
        {{ fixed[:own | length] | join(',\n        ') }}
{%- endfor %}
) as distinct_slices
{%- endif %}
{%- if own != keys %}
{{ 'cross join' if own else 'from' }} (
    {{ sqlmetrics.indented(sqlmetrics.numbers(2 if q.against is not none else q.fixed_slices | length, 'model_id')) }}
) as models
{%- endif -%}
{%- endmacro -%}

{#- The slice columns whose values the rows tell. A slice that only one of two relations has is one of the other too, without
    rows; models are known without a look at them. -#}
{%- macro slices_of_rows(q, keys) -%}
{{ return(keys[:-1] if q.against is not none or keys == ['model_id'] else keys) }}
{%- endmacro -%}

{#- The canonical columns that frames read. -#}
{%- macro derived_columns(derived) -%}
{%- set columns = ['pos', 'neg'] if 'pos' in derived else [] -%}
{%- for column in derived if column != 'pos' -%}{%- do columns.append(column) -%}{%- endfor -%}
{{ return(columns) }}
{%- endmacro -%}

{#- Some planners need conditions that hold for every slice to hash the slices. -#}
{%- macro sliced(keys, derived) -%}
{%- set items = ['slices.slice_id'] -%}
{%- for column in sqlmetrics.derived_columns(derived) -%}{%- do items.append('observations.' ~ column) -%}{%- endfor -%}
{%- set conditions = [] -%}
{%- for key in keys -%}
{%- do conditions.append(sqlmetrics.same_value('observations.' ~ key, 'slices.' ~ key)) -%}
{%- endfor -%}
{%- do conditions.extend(sqlmetrics.dialect_table().that_slices_are_few) -%}
select{{ sqlmetrics.broadcast('slices') }}
    {{ sqlmetrics.lines(items) }}
from observations
inner join slices
    on {{ conditions | join('\n    and ') }}
{%- endmacro -%}
