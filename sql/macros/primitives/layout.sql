{#- One named step of a statement, as a value: its text, and what a row of it is in a line. `stored` keeps its rows for all readers;
    `log` marks the step that reads the log itself, `recursive` one that reads itself. -#}
{%- macro step(name, body, comment='', stored=false, log=false, recursive=false) -%}
{{ return({'name': name, 'body': body | trim, 'comment': comment, 'stored': stored, 'log': log, 'recursive': recursive}) }}
{%- endmacro -%}

{#- The text of a frame is its steps: each is a head, by `cte`, and its SQL. Steps from elsewhere are written into it by `ctes`. -#}
{%- macro cte(name, comment='', stored=false, recursive=false) -%}
{{ ['\ue00b' ~ name, comment, 'stored' if stored else '', 'recursive' if recursive else '', ''] | join('\ue00c') }}
{%- endmacro -%}

{%- macro ctes(steps) -%}
{%- for step in steps -%}{{ sqlmetrics.cte(step.name, step.comment, step.stored, step.recursive) ~ step.body }}{%- endfor -%}
{%- endmacro -%}

{%- macro steps_in(text) -%}
{%- set steps = [] -%}
{%- for part in text.split('\ue00b')[1:] -%}
{%- set items = part.split('\ue00c') -%}
{%- do steps.append(sqlmetrics.step(items[0], items[4], items[1], stored=items[2] == 'stored', recursive=items[3] == 'recursive')) -%}
{%- endfor -%}
{{ return(steps) }}
{%- endmacro -%}

{#- The rows of a step added up, with their number: one per combination of `values`, which may be expressions with names. -#}
{%- macro sums_by(values, sums, from, where='', row_count='count(*)') -%}
select
    {{ sqlmetrics.select_list(values + sums) }},
    {{ row_count }} as row_count
from {{ from }}
{{- where }}
{{- '\ngroup by' if values }}
{%- for value in values %}
    {{ value.split(' as ')[0] }}{{ ',' if not loop.last }}
{%- endfor %}
{%- endmacro -%}

{#- Steps that several frames have in common are there once, where the first of them needs them. -#}
{%- macro shared_steps(steps) -%}
{%- set stored = steps | selectattr('stored') | map(attribute='name') | list -%}
{%- set shared = {} -%}
{%- for step in steps -%}
{%- do shared.setdefault(step.name, dict(step, stored=step.name in stored)) -%}
{%- if shared[step.name].body != step.body -%}{%- do sqlmetrics.raise_error(none, 'two steps of one name: ' ~ step.name) -%}{%- endif -%}
{%- endfor -%}
{{ return(shared.values() | list) }}
{%- endmacro -%}

{#- A statement: steps, and the select over them. Line breaks of the user's are still kept as signs: `give_line_breaks` is
    for whoever has the whole text. -#}
{%- macro written(steps, ending) -%}
{{ sqlmetrics.written_steps(steps, ending) }}
{{ ending }}
{{- sqlmetrics.statement_end() }}
{%- endmacro -%}

{#- The same in brackets, as a part of another statement. -#}
{%- macro written_inside(steps, ending) -%}
(
    {{ sqlmetrics.indented(sqlmetrics.written_steps(steps, ending)) }}
    {{ sqlmetrics.indented(ending) }}
)
{%- endmacro -%}

{%- macro written_steps(steps, ending) -%}
{%- set times_read = sqlmetrics.times_read(steps, ending) -%}
with
{%- for step in steps if step.recursive -%}{{ ' recursive' if loop.first }}{%- endfor -%}
{%- for step in steps %}
{{ step.name }} as {{ sqlmetrics.cte_hint(step, times_read.get(step.name, 0)) }}(
    {{ sqlmetrics.indented(sqlmetrics.comment_lines(step.comment) ~ '\n') if step.comment }}{{ sqlmetrics.indented(step.body) }}
){{ ',' if not loop.last }}
{%- endfor -%}
{%- endmacro -%}

{#- Whether the engine is to keep the rows of a step or to fold it into its readers. Trino reads the log for each reader. -#}
{%- macro cte_hint(step, times_read) -%}
{%- set table = sqlmetrics.dialect_table() -%}
{%- if table.rereads_steps and step.log and times_read > 10 -%}
/* Trino reads the log here {{ times_read }} times: query a table that holds these columns and rows */{{ ' ' }}
{%- elif table.folded_steps is not none -%}
{{ 'materialized ' if step.stored else 'not materialized ' if times_read > 1 and (step.log or table.folded_steps == 'all') }}
{%- endif -%}
{%- endmacro -%}

{#- How often each step would be worked out if none but those stored were kept: what a folded step reads is read once for
    each of its own readers. -#}
{%- macro times_read(steps, ending) -%}
{%- set keeps_stored = sqlmetrics.dialect_table().folded_steps is not none -%}
{%- set names = sqlmetrics.names_of(steps) -%}
{%- set times = {} -%}
{%- for step in [sqlmetrics.step('', ending)] + steps | reverse | list -%}
{%- set own = 1 if loop.first or (step.stored and keeps_stored) else times.get(step.name, 0) -%}
{%- for name in sqlmetrics.steps_read_by(step.body, names) -%}{%- do times.update({name: times.get(name, 0) + own}) -%}{%- endfor -%}
{%- endfor -%}
{{ return(times) }}
{%- endmacro -%}

{#- The steps that a text reads, each as often as it does: the names after `from` and `join`. -#}
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

{#- Jinja's own `indent` would also reach into a name or a string of the user's that holds a line break. Such breaks are
    kept as a sign that no SQL has, until the statement is whole. -#}
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
{%- macro over(keys, order_by=none) -%}
{%- set partition = 'partition by ' ~ sqlmetrics.partition_keys(keys) if keys else '' -%}
{%- set order = 'order by ' ~ order_by if order_by else '' -%}
{%- if order and (partition ~ order) | length > 88 and (partition or '\n' in order or order | length > 110) -%}
over (
        {{- '\n        ' ~ partition if partition }}
        {{ order }}
    )
{%- else -%}
over ({{ partition }}{{ ' ' if partition and order }}{{ order }})
{%- endif -%}
{%- endmacro -%}

{#- What rows are ordered by: on a line, or each on its own where one is long. -#}
{%- macro in_order(items) -%}{{ items | join(',\n            ' if items | join | length > 85 else ', ') }}{%- endmacro -%}

{#- The keys of a window, each of a type by which the dialect can partition. -#}
{%- macro partition_keys(keys) -%}
{%- set casts = sqlmetrics.dialect_table().partition_casts -%}
{%- for key in keys -%}
{%- set type = casts.get(key.split('.')[-1]) -%}
{{ ', ' if not loop.first }}{{ 'cast(' ~ key ~ ' as ' ~ type ~ ')' if type else key }}
{%- endfor -%}
{%- endmacro -%}

{#- For each name the text with {0} replaced by it, as a list. -#}
{%- macro for_each(names, text) -%}
{%- set texts = [] -%}
{%- for name in names -%}{%- do texts.append(text | replace('{0}', name)) -%}{%- endfor -%}
{{ return(texts) }}
{%- endmacro -%}

{#- The keys as one of several steps has them, and the conditions under which two steps have the same. -#}
{%- macro keys_of(step, keys) -%}{{ return(sqlmetrics.for_each(keys, step ~ '.{0} as {0}')) }}{%- endmacro -%}

{%- macro keys_alone(step, keys) -%}{{ return(sqlmetrics.for_each(keys, step ~ '.{0}')) }}{%- endmacro -%}

{%- macro same_keys(step, other, keys) -%}{{ return(sqlmetrics.for_each(keys, step ~ '.{0} = ' ~ other ~ '.{0}')) }}{%- endmacro -%}

{#- The same of slices, which may be NULL. -#}
{%- macro same_slices(step, other, slices) -%}
{%- for name in slices -%}
{{ '\n    and ' if not loop.first }}{{ sqlmetrics.same_value(step ~ '.' ~ name, other ~ '.' ~ name) }}
{%- else -%}
1 = 1
{%- endfor -%}
{%- endmacro -%}

{%- macro group_by(keys) -%}{{ '\ngroup by\n    ' ~ sqlmetrics.select_list(keys) if keys }}{%- endmacro -%}

{#- Columns that others follow, each on a line of its own, and conditions that others follow; nothing where there are no keys. -#}
{%- macro leading(columns, step='', depth=1) -%}
{%- for name in columns -%}{{ '\n' ~ '    ' * depth ~ (step ~ '.' ~ name ~ ' as ' ~ name if step else name) ~ ',' }}{%- endfor -%}
{%- endmacro -%}

{#- A branch of a case, on two lines where it is long. -#}
{%- macro when(condition, value) -%}
when {{ condition }}{{ '\n        ' if (condition ~ value) | length > 126 else ' ' }}then {{ value }}
{%- endmacro -%}

{#- A case by the values of a column; `cases` are texts by them. -#}
{%- macro case_of(column, cases) -%}
case {{ column }}
{%- for value, text in cases.items() %}
    when {{ value }} then {{ text }}
{%- endfor %}
end
{%- endmacro -%}

{#- One more column, where a condition holds; its SQL is written in any case. -#}
{%- macro also(condition, column) -%}{{ ',\n    ' ~ column if condition }}{%- endmacro -%}

{%- macro matching(step, other, keys, depth=1) -%}
{%- for key in keys -%}{{ step ~ '.' ~ key ~ ' = ' ~ other ~ '.' ~ key ~ '\n' ~ '    ' * depth ~ 'and ' }}{%- endfor -%}
{%- endmacro -%}
