{#- The steps before any frame. `source` is the only one that names the user's columns: it casts them and gives them the
    canonical names that everything after it uses. -#}

{#- Canonical columns, their role and how they are read from it. -#}
{%- macro source_column(column, role) -%}
{%- if role.computed_by is defined -%}
{{ sqlmetrics.computed_column(role) }}
{%- else -%}
{%- set sql = sqlmetrics.sql_of(role) -%}
{%- if column in ['label', 'prediction', 'won'] and role.is_number is not defined -%}
{{ sqlmetrics.label_to_double(sql) }}
{%- elif column in ['label_class', 'predicted_class', 'group_id', 'item_id', 'field_id', 'tie_key'] -%}
{{ sql }}
{%- elif column == 'negated_rank' -%}
-{{ sqlmetrics.to_double(sql) }}
{%- else -%}
{{ sqlmetrics.to_double(sql) }}
{%- endif -%}
{%- endif -%}
{%- endmacro -%}

{%- macro source(q) -%}
{%- set items = [] -%}
{%- for entry in q.by -%}
{%- set _ = items.append(sqlmetrics.sql_of(entry) ~ ' as slice_' ~ loop.index) -%}
{%- endfor -%}
{%- for column, role in q.columns.items() -%}
{%- set _ = items.append(sqlmetrics.source_column(column, role) ~ ' as ' ~ ('score' if column == 'negated_rank' else column)) -%}
{%- endfor -%}
{%- for model in q.models -%}
{%- set _ = items.append(sqlmetrics.to_double(sqlmetrics.sql_of(model)) ~ ' as score_' ~ loop.index) -%}
{%- endfor -%}
select
    {{ sqlmetrics.lines(items) }}
from {{ sqlmetrics.keep_line_breaks(q.relation ~ '') }}
{%- if q.where %}
where {{ sqlmetrics.expression(q.where) }}
{%- endif -%}
{%- endmacro -%}

{#- Several groupings or several models in one call: each row once for every grouping and model it counts in. -#}
{%- macro compared(q) -%}
{%- set items = [] -%}
{%- if q.groupings -%}
{%- set _ = items.append('groupings.grouping_id') -%}
{%- endif -%}
{%- for entry in q.by -%}
{%- set slice = 'slice_' ~ loop.index -%}
{%- set position = loop.index -%}
{%- if q.groupings -%}
{%- set ids = [] -%}
{%- for grouping in q.groupings if position in grouping.columns -%}
{%- set _ = ids.append(grouping.id) -%}
{%- endfor -%}
{%- set _ = items.append('case when groupings.grouping_id in (' ~ ids | join(', ') ~ ') then source.' ~ slice ~ ' end as ' ~ slice) -%}
{%- else -%}
{%- set _ = items.append('source.' ~ slice) -%}
{%- endif -%}
{%- endfor -%}
{%- if q.models -%}
{%- set _ = items.append('models.model_id') -%}
{%- set cases = [] -%}
{%- for model in q.models -%}
{%- set _ = cases.append('when ' ~ loop.index ~ ' then source.score_' ~ loop.index) -%}
{%- endfor -%}
{%- set _ = items.append('case models.model_id ' ~ cases | join(' ') ~ ' end as score') -%}
{%- endif -%}
{%- for column in q.columns -%}
{%- set _ = items.append('source.' ~ ('score' if column == 'negated_rank' else column)) -%}
{%- endfor -%}
select
    {{ sqlmetrics.lines(items) }}
from source
{%- if q.groupings %}
cross join (
    {{ sqlmetrics.indented(sqlmetrics.numbers(q.groupings | length, 'grouping_id')) }}
) as groupings
{%- endif -%}
{%- if q.models %}
cross join (
    {{ sqlmetrics.indented(sqlmetrics.numbers(q.models | length, 'model_id')) }}
) as models
{%- endif -%}
{%- endmacro -%}

{%- macro numbers(count, name) -%}
{%- for number in range(1, count + 1) -%}
select {{ number }} as {{ name }}
{%- if not loop.last %}
union all
{% endif -%}
{%- endfor -%}
{%- endmacro -%}

{#- A value counts as given when it is neither NULL nor NaN. Columns of whole numbers hold no NaN. -#}
{%- macro is_given(columns, whole=[]) -%}
{%- set conditions = [] -%}
{%- for column in columns -%}
{%- if column in whole or column in ['label_class', 'predicted_class', 'group_id', 'item_id', 'field_id', 'tie_key'] -%}
{%- set _ = conditions.append(column ~ ' is not null') -%}
{%- else -%}
{%- set _ = conditions.append(sqlmetrics.is_number(column)) -%}
{%- endif -%}
{%- endfor -%}
{{ conditions | join('\n    and ') }}
{%- endmacro -%}

{#- The condition by which a value keeps a rule. How the texts of a list are written, the dialect knows. -#}
{%- macro keeps(rule) -%}
{%- if rule.allowed is defined -%}
{%- set values = [] -%}
{%- for value in rule.allowed -%}{%- set _ = values.append(sqlmetrics.literal(value)) -%}{%- endfor -%}
{{ rule.column }} in ({{ values | join(', ') }})
{%- else -%}
{{ rule.keeps }}
{%- endif -%}
{%- endmacro -%}

{#- The rows that are used: every metric's columns are given and keep their rules. Where not every metric needs the column, a
    missing value is no reason to leave the row out. -#}
{%- macro used_rows(q, required) -%}
{%- set conditions = [] -%}
{%- set ruled = [] -%}
{%- for rule in q.problems if q.checks -%}
{%- if rule.column in required -%}
{#- A range that a column of whole numbers keeps, it keeps with no NULL. -#}
{%- if rule.column in q.whole_columns -%}{%- set _ = ruled.append(rule.column) -%}{%- endif -%}
{%- set _ = conditions.append(sqlmetrics.keeps(rule)) -%}
{%- else -%}
{%- set given = sqlmetrics.is_given([rule.column], q.whole_columns) | replace('\n    ', ' ') -%}
{%- set _ = conditions.append('(not (' ~ given ~ ') or ' ~ sqlmetrics.keeps(rule) ~ ')') -%}
{%- endif -%}
{%- endfor -%}
{%- set plain = [] -%}
{%- for column in required if column not in ruled -%}{%- set _ = plain.append(column) -%}{%- endfor -%}
{%- if plain -%}{%- set conditions = [sqlmetrics.is_given(plain, q.whole_columns)] + conditions -%}{%- endif -%}
{{ '\nwhere ' ~ conditions | join('\n    and ') if conditions }}
{%- endmacro -%}

{#- The rows that count, with the truth in the form that the metrics are written over: weights of the positive and of the
    negative truth (pos, neg), or a number, a grade or a class with its weight. -#}
{%- macro observations(q, keys, columns, required, rows_from) -%}
{%- set items = keys | list -%}
{%- set weighted = 'weight' in columns -%}
{%- if 'pos' in q.derived -%}
{%- if 'total' in columns -%}
{%- set _ = items.append('positives as pos') -%}
{%- set _ = items.append('total - positives as neg') -%}
{%- elif weighted -%}
{%- set _ = items.append('label * weight as pos') -%}
{%- set _ = items.append('(1 - label) * weight as neg') -%}
{%- else -%}
{%- set _ = items.append('label as pos') -%}
{%- set _ = items.append('1 - label as neg') -%}
{%- endif -%}
{%- endif -%}
{%- if 'weight' in q.derived and not weighted -%}
{%- set _ = items.append(sqlmetrics.to_double('1') ~ ' as weight') -%}
{%- endif -%}
{%- for column in columns -%}
{%- if column in q.derived -%}
{%- set _ = items.append(column) -%}
{%- endif -%}
{%- endfor -%}
select
    {{ sqlmetrics.lines(items) }}
from {{ rows_from }}
{{- sqlmetrics.used_rows(q, required) }}
{%- endmacro -%}

{#- One row per slice. A dense integer takes the place of the slice columns from here on: sorting ten million rows inside
    groups of a text column takes four times as long as inside groups of an integer. -#}
{%- macro slices(q, keys) -%}
{%- set order = [] -%}
{%- for key in keys -%}
{%- set _ = order.append(key ~ ' nulls last') -%}
{%- endfor -%}
select
    {{ sqlmetrics.lines(keys) }},
    cast(row_number() over (order by {{ order | join(', ') }}) as integer) as slice_id
from (
    select distinct
        {{ keys | join(',\n        ') }}
    from observations
{%- for fixed in q.fixed_slices %}
    {{ sqlmetrics.union_distinct() }}
    select
        {{ fixed | join(',\n        ') }}
{%- endfor %}
) as distinct_slices
{%- endmacro -%}

{%- macro sliced(keys, columns) -%}
{%- set items = ['slices.slice_id'] -%}
{%- for column in columns -%}
{%- set _ = items.append('observations.' ~ column) -%}
{%- endfor -%}
{%- set conditions = [] -%}
{%- for key in keys -%}
{%- set _ = conditions.append(sqlmetrics.same_value('observations.' ~ key, 'slices.' ~ key)) -%}
{%- endfor -%}
select{{ sqlmetrics.broadcast('slices') }}
    {{ sqlmetrics.lines(items) }}
from observations
inner join slices
    on {{ conditions | join('\n    and ') }}
{%- endmacro -%}

{#- How many of the first rows there are, and how many scores among them. -#}
{%- macro first_scores(q, count) -%}
{%- set steps = [] -%}
{%- if q.input -%}{%- set _ = steps.append(sqlmetrics.cte(q.relation, sqlmetrics.keep_line_breaks(q.input))) -%}{%- endif -%}
{%- set _ = steps.append(sqlmetrics.cte('source', sqlmetrics.source(q))) -%}
{{ sqlmetrics.give_line_breaks('with\n' ~ steps | join(',\n')) }}
select
    count(*) as looked_at,
    count(distinct score) as scores
from (
    select
        {{ 'score_1 as score' if q.models else 'score' }}
    from source
    where {{ 'score_1' if q.models else 'score' }} is not null
    limit {{ count }}
) as first_rows
{{- sqlmetrics.statement_end() }}
{%- endmacro -%}

{#- What is wrong with the input, for an error or a warning: per rule the rows that break it, per needed column the rows
    in which it is missing. The runner asks only after the statement itself has told that there is something to ask. -#}
{%- macro inspection(q) -%}
{{ sqlmetrics.inspected_values(q) }}
order by position
{{- sqlmetrics.statement_end() }}
{% endmacro -%}

{%- macro inspected_values(q) -%}
{%- set steps = [] -%}
{%- if q.input -%}{%- do steps.append(sqlmetrics.cte(q.relation, sqlmetrics.keep_line_breaks(q.input), stored=true)) -%}{%- endif -%}
{%- do steps.append(sqlmetrics.cte('source', sqlmetrics.source(q))) -%}
{%- set alone = {'by': [], 'groupings': [], 'models': q.models, 'columns': q.columns} -%}
{%- if q.models -%}{%- do steps.append(sqlmetrics.cte('compared', sqlmetrics.compared(alone))) -%}{%- endif -%}
{%- set from = 'compared' if q.models else 'source' -%}
{%- set names = [] -%}
{%- for model in q.models -%}
{%- do names.append('when ' ~ loop.index ~ ' then ' ~ sqlmetrics.text_literal(model.name)) -%}
{%- endfor -%}
{%- set model = 'case model_id ' ~ names | join(' ') ~ ' end' if names else "''" -%}
{%- set parts = [] -%}
{%- for problem in q.problems -%}
{%- set position = loop.index0 -%}
{%- set part -%}
select
    'broken' as kind,
    {{ position }} as position,
    '{{ problem.column }}' as column_name,
    {{ model }} as model,
    count(*) as row_count,
    min(cast({{ problem.column }} as {{ sqlmetrics.type_text() }})) as example
from {{ from }}
where {{ sqlmetrics.is_given(q.required, q.whole_columns) if q.required else '1 = 1' }}
    and {{ sqlmetrics.is_given([problem.column], q.whole_columns) | replace('\n    ', ' ') }}
    and not ({{ sqlmetrics.keeps(problem) }})
{{- '\ngroup by model_id' if q.models }}
having count(*) > 0
{%- endset -%}
{%- do parts.append(part) -%}
{%- endfor -%}
{%- set needed = [] -%}
{%- for m in q.metrics -%}
{%- for column in m.requires if column not in needed -%}{%- do needed.append(column) -%}{%- endfor -%}
{%- endfor -%}
{%- for column in needed -%}
{%- set position = q.problems | length + loop.index0 -%}
{%- set part -%}
select
    'missing' as kind,
    {{ position }} as position,
    '{{ column }}' as column_name,
    {{ model if column == 'score' else "''" }} as model,
    count(*) as row_count,
    cast(null as {{ sqlmetrics.type_text() }}) as example
from {{ from if column == 'score' else 'source' }}
where not ({{ sqlmetrics.is_given([column], q.whole_columns) | replace('\n    ', ' ') }})
{{- '\ngroup by model_id' if q.models and column == 'score' }}
having count(*) > 0
{%- endset -%}
{%- do parts.append(part) -%}
{%- endfor -%}
{{ sqlmetrics.give_line_breaks('with\n' ~ steps | join(',\n') ~ '\n' ~ parts | join('\nunion all\n')) }}
{%- endmacro -%}

{#- Whether group_inspection has something to look at. -#}
{%- macro groups_are_inspected(q) -%}
{%- set sizes = [] -%}
{%- for m in q.metrics if m.max_group_size is defined -%}{%- do sizes.append(m.max_group_size) -%}{%- endfor -%}
{{ return(q.relations or 'item_id' in q.columns or 'group_weight' in q.columns or sizes) }}
{%- endmacro -%}
