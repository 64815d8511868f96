{#- One named step of a statement, as a value: its text, and what a row of it is in a line. `stored` keeps its rows for all readers; `log` marks the step that reads the log itself, `recursive` one
    that reads itself. -#}
{%- macro step(name, body, comment='', stored=false, log=false, recursive=false) -%}
{{ return({'name': name, 'body': body | trim, 'comment': comment, 'stored': stored, 'log': log, 'recursive': recursive}) }}
{%- endmacro -%}

{#- Steps that several frames have in common are there once, where the first of them needs them. -#}
{%- macro shared_steps(steps) -%}
{%- set stored = {} -%}
{%- set bodies = {} -%}
{%- for step in steps -%}
{%- do stored.update({step.name: step.stored or stored.get(step.name, false)}) -%}
{%- if bodies.setdefault(step.name, step.body) != step.body -%}{%- do sqlmetrics.refuse(none, 'two steps of one name: ' ~ step.name) -%}{%- endif -%}
{%- endfor -%}
{%- set names = [] -%}
{%- set found = [] -%}
{%- for step in steps if step.name not in names -%}
{%- do names.append(step.name) -%}
{%- do found.append(dict(step, stored=stored[step.name])) -%}
{%- endfor -%}
{{ return(found) }}
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
with{{ ' recursive' if sqlmetrics.any_recursive(steps) }}
{%- for step in steps %}
{{ sqlmetrics.written_step(step, times_read[step.name]) }}{{ ',' if not loop.last }}
{%- endfor -%}
{%- endmacro -%}

{%- macro any_recursive(steps) -%}
{%- for step in steps if step.recursive -%}{{ return(true) }}{%- endfor -%}
{{ return(false) }}
{%- endmacro -%}

{%- macro written_step(step, times_read) -%}
{{ step.name }} as {{ sqlmetrics.cte_hint(step, times_read) }}(
    {{ sqlmetrics.indented(sqlmetrics.comment_lines(step.comment) ~ '\n') if step.comment }}{{ sqlmetrics.indented(step.body) }}
)
{%- endmacro -%}

{#- How often each step would be worked out if none but those stored were kept: what a folded step reads is read once for
    each of its own readers. -#}
{%- macro times_read(steps, ending) -%}
{%- set times = {} -%}
{%- for step in steps -%}{%- do times.update({step.name: 0}) -%}{%- endfor -%}
{%- for name in sqlmetrics.steps_read_by(ending, times) -%}{%- do times.update({name: times[name] + 1}) -%}{%- endfor -%}
{%- for step in steps | reverse -%}
{%- set own = 1 if step.stored and sqlmetrics.stores_steps() else times[step.name] -%}
{%- for name in sqlmetrics.steps_read_by(step.body, times) -%}{%- do times.update({name: times[name] + own}) -%}{%- endfor -%}
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
{%- macro indented(text) -%}
{{ text | replace('\n', '\n    ') }}
{%- endmacro -%}

{%- macro keep_line_breaks(text) -%}
{{ text | replace('\n', '\ue00a') }}
{%- endmacro -%}

{%- macro give_line_breaks(text) -%}
{{ text | replace('\ue00a', '\n') }}
{%- endmacro -%}

{#- What tells the engine whether to keep the rows of a step or to fold it into its readers. -#}
{%- macro cte_hint(step, times_read) -%}
{{ adapter.dispatch('sqlmetrics_cte_hint', 'sqlmetrics')(step, times_read) }}
{%- endmacro -%}

{%- macro default__sqlmetrics_cte_hint(step, times_read) -%}
{%- endmacro -%}

{#- Whether a step that is read often is worked out once. -#}
{%- macro stores_steps() -%}
{{ return(adapter.dispatch('sqlmetrics_stores_steps', 'sqlmetrics')()) }}
{%- endmacro -%}

{%- macro default__sqlmetrics_stores_steps() -%}
{{ return(false) }}
{%- endmacro -%}

{#- What ends a query of few rows that is not to be folded into what it is joined to. -#}
{%- macro kept_apart() -%}
{{ return(adapter.dispatch('sqlmetrics_kept_apart', 'sqlmetrics')()) }}
{%- endmacro -%}

{%- macro default__sqlmetrics_kept_apart() -%}
{{ return('') }}
{%- endmacro -%}

{#- The same where columns are named so often that an engine may not do it at any price, even one that mostly does well so. -#}
{%- macro not_folded() -%}
{{ return(adapter.dispatch('sqlmetrics_not_folded', 'sqlmetrics')()) }}
{%- endmacro -%}

{%- macro default__sqlmetrics_not_folded() -%}
{{ return('') }}
{%- endmacro -%}

{#- Columns of a select, from name -> SQL. -#}
{%- macro selected(columns) -%}
{%- set items = [] -%}
{%- for name, sql in columns.items() -%}{%- do items.append(name if sql == name else sql ~ ' as ' ~ name) -%}{%- endfor -%}
{{ return(items) }}
{%- endmacro -%}

{%- macro lines(items) -%}
{{ items | join(',\n    ') }}
{%- endmacro -%}

{#- `over (…)` of a window: keys may be empty. -#}
{%- macro over(keys, order_by=none) -%}
over (
{%- if keys %}partition by {{ sqlmetrics.partition_keys(keys) | join(', ') }}{% endif -%}
{%- if keys and order_by %} {% endif -%}
{%- if order_by %}order by {{ order_by }}{% endif -%}
)
{%- endmacro -%}

{#- The keys of a window, each of a type by which the dialect can partition. -#}
{%- macro partition_keys(keys) -%}
{{ return(adapter.dispatch('sqlmetrics_partition_keys', 'sqlmetrics')(keys)) }}
{%- endmacro -%}

{%- macro default__sqlmetrics_partition_keys(keys) -%}
{{ return(keys) }}
{%- endmacro -%}

{#- The keys as one of several steps has them, and the conditions under which two steps have the same. -#}
{%- macro keys_of(step, keys) -%}
{%- set items = [] -%}
{%- for key in keys -%}{%- do items.append(step ~ '.' ~ key ~ ' as ' ~ key) -%}{%- endfor -%}
{{ return(items) }}
{%- endmacro -%}

{%- macro keys_alone(step, keys) -%}
{%- set items = [] -%}
{%- for key in keys -%}{%- do items.append(step ~ '.' ~ key) -%}{%- endfor -%}
{{ return(items) }}
{%- endmacro -%}

{%- macro same_keys(step, other, keys) -%}
{%- set conditions = [] -%}
{%- for key in keys -%}{%- do conditions.append(step ~ '.' ~ key ~ ' = ' ~ other ~ '.' ~ key) -%}{%- endfor -%}
{{ return(conditions) }}
{%- endmacro -%}

{#- Columns that others follow, each on a line of its own, and conditions that others follow; nothing where there are no keys. -#}
{%- macro leading(columns, step='', depth=1) -%}
{%- for name in columns -%}{{ '\n' ~ '    ' * depth ~ (step ~ '.' ~ name ~ ' as ' ~ name if step else name) ~ ',' }}{%- endfor -%}
{%- endmacro -%}

{%- macro matching(step, other, keys, depth=1) -%}
{%- for key in keys -%}{{ step ~ '.' ~ key ~ ' = ' ~ other ~ '.' ~ key ~ '\n' ~ '    ' * depth ~ 'and ' }}{%- endfor -%}
{%- endmacro -%}

{%- macro group_by(keys) -%}
{%- if keys %}
group by
    {{ sqlmetrics.lines(keys) }}
{%- endif -%}
{%- endmacro -%}
