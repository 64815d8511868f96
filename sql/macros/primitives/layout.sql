{#- A named step of a statement, with its comment. `materialized` stores it for all readers, `log` marks the step that reads the log,
    and `recursive` a step that reads itself. -#}
{%- macro step(name, body, comment='', materialized=false, log=false, recursive=false) -%}
{{ return({'name': name, 'body': body | trim, 'comment': comment, 'materialized': materialized, 'log': log, 'recursive': recursive}) }}
{%- endmacro -%}

{#- A frame is text: the head of each step by `cte`, then its SQL. `ctes` writes steps of other macros into it. -#}
{%- macro cte(name, comment='', materialized=false, recursive=false) -%}
{{ ['\ue00b' ~ name, comment, 'materialized' if materialized else '', 'recursive' if recursive else '', ''] | join('\ue00c') }}
{%- endmacro -%}

{%- macro ctes(steps) -%}
{%- for step in steps -%}{{ sqlmetrics.cte(step.name, step.comment, step.materialized, step.recursive) ~ step.body }}{%- endfor -%}
{%- endmacro -%}

{%- macro steps_in(text) -%}
{%- set steps = [] -%}
{%- for part in text.split('\ue00b')[1:] -%}
{%- set items = part.split('\ue00c') -%}
{%- do steps.append(sqlmetrics.step(items[0], items[4], items[1], materialized=items[2] == 'materialized', recursive=items[3] == 'recursive')) -%}
{%- endfor -%}
{{ return(steps) }}
{%- endmacro -%}

{#- Sums and row count per combination of `values`, which may be expressions with aliases. -#}
{%- macro sums_by(values, sums, from, where='', row_count='count(*)') -%}
select
    {{ sqlmetrics.select_list(values + sums) }},
    {{ row_count }} as row_count
from {{ from }}
{{- where }}
{%- set keys = [] -%}
{%- for value in values -%}{%- do keys.append(value.split(' as ')[0]) -%}{%- endfor -%}
{{- sqlmetrics.group_by(keys) }}
{%- endmacro -%}

{#- Steps that several frames share appear once, before their first reader. -#}
{%- macro shared_steps(steps) -%}
{%- set materialized = steps | selectattr('materialized') | map(attribute='name') | list -%}
{%- set shared = {} -%}
{%- for step in steps -%}
{%- do shared.setdefault(step.name, dict(step, materialized=step.name in materialized)) -%}
{%- if shared[step.name].body != step.body -%}{%- do sqlmetrics.raise_error(none, 'two steps of one name: ' ~ step.name) -%}{%- endif -%}
{%- endfor -%}
{{ return(shared.values() | list) }}
{%- endmacro -%}

{#- A statement of steps and a select. Line breaks of the user's text are still signs, which `give_line_breaks` replaces in the whole
    text. -#}
{%- macro written(steps, ending) -%}
{{ sqlmetrics.written_steps(steps, ending) }}
{{ ending }}
{{- sqlmetrics.statement_end() }}
{%- endmacro -%}

{#- The same as a subquery in brackets. -#}
{%- macro written_inside(steps, ending) -%}
(
    {{ sqlmetrics.indented(sqlmetrics.written_steps(steps, ending)) }}
    {{ sqlmetrics.indented(ending) }}
)
{%- endmacro -%}

{%- macro written_steps(steps, ending) -%}
{%- set times_read = sqlmetrics.times_read(steps, ending) -%}
{%- set steps = steps | selectattr('name', 'in', times_read) | list -%}
{{ 'with' if steps }}{{ ' recursive' if steps | selectattr('recursive') | list }}
{%- for step in steps %}
{{ step.name }} as {{ sqlmetrics.cte_hint(step, times_read[step.name]) }}(
    {{ sqlmetrics.indented(sqlmetrics.comment_lines(step.comment) ~ '\n') if step.comment }}{{ sqlmetrics.indented(step.body) }}
){{ ',' if not loop.last }}
{%- endfor -%}
{%- endmacro -%}

{#- The hint to materialize a step or to inline it. Trino reads the log once per reader. -#}
{%- macro cte_hint(step, times_read) -%}
{%- set table = sqlmetrics.dialect_table() -%}
{%- if table.rereads_steps and step.log and times_read > 10 -%}
/* Trino reads the log here {{ times_read }} times: query a table that holds these columns and rows */{{ ' ' }}
{%- elif table.folded_steps is not none -%}
{{ 'materialized ' if step.materialized else 'not materialized ' if times_read > 1 and (step.log or table.folded_steps == 'all') }}
{%- endif -%}
{%- endmacro -%}

{#- How often each step is evaluated: a materialized one once, an inlined one once per reader. Steps that nothing reads are not written. -#}
{%- macro times_read(steps, ending) -%}
{%- set keeps_materialized = sqlmetrics.dialect_table().folded_steps is not none -%}
{%- set names = sqlmetrics.names_of(steps) -%}
{%- set times = {} -%}
{%- for step in [sqlmetrics.step('', ending)] + steps | reverse | list -%}
{%- set own = 1 if loop.first or (step.name in times and step.materialized and keeps_materialized) else times.get(step.name, 0) -%}
{%- for name in (sqlmetrics.steps_read_by(step.body, names) if own else []) -%}{%- do times.update({name: times.get(name, 0) + own}) -%}{%- endfor -%}
{%- endfor -%}
{{ return(times) }}
{%- endmacro -%}

{#- The steps after `from` and `join` in a text, with repetitions. -#}
{%- macro steps_read_by(text, names) -%}
{%- set reads = [] -%}
{%- for keyword in ['from ', 'join '] -%}
{%- for part in text.split(keyword)[1:] -%}
{%- set name = (part ~ ' ').split()[0].rstrip('),') -%}
{%- if name in names -%}{%- do reads.append(name) -%}{%- endif -%}
{%- endfor -%}
{%- endfor -%}
{{ return(reads) }}
{%- endmacro -%}

{#- Jinja's `indent` would also change line breaks inside the user's names and strings. These are a private character until the
    statement is complete. -#}
{%- macro indented(text) -%}{{ text | replace('\n', '\n    ') }}{%- endmacro -%}
{%- macro keep_line_breaks(text) -%}{{ text | replace('\n', '\ue00a') }}{%- endmacro -%}
{%- macro give_line_breaks(text) -%}{{ text | replace('\ue00a', '\n') }}{%- endmacro -%}

{#- Columns of a select, from name -> SQL. -#}
{%- macro selected(columns) -%}
{%- set items = [] -%}
{%- for name, sql in columns.items() -%}{%- do items.append(name if sql == name else sql ~ ' as ' ~ name) -%}{%- endfor -%}
{{ return(items) }}
{%- endmacro -%}

{%- macro select_list(items) -%}{{ items | join(',\n    ') }}{%- endmacro -%}

{#- `over (…)` of a window: keys may be empty. -#}
{%- macro over(keys, order_by=none, broken=false) -%}
{%- set partition = 'partition by ' ~ sqlmetrics.partition_keys(keys) if keys else '' -%}
{%- set order = 'order by ' ~ order_by if order_by else '' -%}
{%- if broken or (order and (partition ~ order) | length > 83 and (partition or '\n' in order or order | length > 110)) -%}
over (
        {{- '\n        ' ~ partition if partition }}
        {{ order }}
    )
{%- else -%}
over ({{ partition }}{{ ' ' if partition and order }}{{ order }})
{%- endif -%}
{%- endmacro -%}

{#- `order by` items on one line, or one per line if they are long. -#}
{%- macro in_order(items) -%}{{ items | join(',\n            ' if items | join | length > 85 else ', ') }}{%- endmacro -%}

{#- Partition keys, cast to types that the dialect can partition by. -#}
{%- macro partition_keys(keys) -%}
{%- set casts = sqlmetrics.dialect_table().partition_casts -%}
{%- for key in keys -%}
{%- set type = casts.get(key.split('.')[-1]) -%}
{{ ', ' if not loop.first }}{{ 'cast(' ~ key ~ ' as ' ~ type ~ ')' if type else key }}
{%- endfor -%}
{%- endmacro -%}

{#- The text once per name, with {0} replaced by the name. -#}
{%- macro for_each(names, text) -%}
{%- set texts = [] -%}
{%- for name in names -%}{%- do texts.append(text | replace('{0}', name)) -%}{%- endfor -%}
{{ return(texts) }}
{%- endmacro -%}

{#- Keys with the prefix of a step, and conditions for equal keys of two steps. -#}
{%- macro keys_of(step, keys) -%}{{ return(sqlmetrics.for_each(keys, step ~ '.{0} as {0}')) }}{%- endmacro -%}

{%- macro keys_alone(step, keys) -%}{{ return(sqlmetrics.for_each(keys, step ~ '.{0}')) }}{%- endmacro -%}

{%- macro same_keys(step, other, keys) -%}{{ return(sqlmetrics.for_each(keys, step ~ '.{0} = ' ~ other ~ '.{0}')) }}{%- endmacro -%}

{#- The same for slices, possibly NULL. -#}
{%- macro same_slices(step, other, slices) -%}
{{ return(sqlmetrics.for_each(slices, sqlmetrics.same_value(step ~ '.{0}', other ~ '.{0}'))) }}
{%- endmacro -%}

{#- The condition of a join: on the line of the join, or on lines of their own if there are several. -#}
{%- macro on(step, other, keys, conditions=[], depth=1) -%}
{{ sqlmetrics.on_conditions(sqlmetrics.same_keys(step, other, keys) + conditions, depth) }}
{%- endmacro -%}

{%- macro on_conditions(conditions, depth=1) -%}
{%- set line = '\n' ~ '    ' * depth if conditions | length > 1 else ' ' -%}
{{ line ~ 'on ' ~ (conditions | join(line ~ 'and ') or '1 = 1') }}
{%- endmacro -%}

{%- macro group_by(keys) -%}{{ sqlmetrics.by_keys('group by', keys) }}{%- endmacro -%}

{#- A clause over keys: on one line if they are short. -#}
{%- macro by_keys(clause, keys) -%}
{{ '\n' ~ clause ~ (' ' ~ keys | join(', ') if keys | join | length < 90 else '\n    ' ~ sqlmetrics.select_list(keys)) if keys }}
{%- endmacro -%}

{#- Columns before others, each on its own line with a comma; empty without columns. -#}
{%- macro leading(columns, step='', depth=1) -%}
{%- for name in columns -%}{{ '\n' ~ '    ' * depth ~ (step ~ '.' ~ name ~ ' as ' ~ name if step else name) ~ ',' }}{%- endfor -%}
{%- endmacro -%}

{#- A case branch, on two lines if it is long. -#}
{%- macro when(condition, value) -%}
when {{ condition }}{{ '\n        ' if (condition ~ value) | length > 126 else ' ' }}then {{ value }}
{%- endmacro -%}

{#- One more column under a condition; its SQL is built in both cases. -#}
{%- macro also(condition, column) -%}{{ ',\n    ' ~ column if condition }}{%- endmacro -%}
