{#- What the four macros of states share. -#}

{#- The statement of a state: one row per slice and `further` key, with the columns of the state. -#}
{%- macro written_state(macro, q, further, columns, steps) -%}
{%- if q.groupings or q.models -%}
{%- do sqlmetrics.refuse(macro, 'by is one list of columns, and score one column') -%}
{%- endif -%}
{%- set taken = ['row_count'] + (further.values() | list) + (columns | list) -%}
{%- set names = sqlmetrics.slice_columns(q) -%}
{%- set items = [] -%}
{%- for entry in q.by -%}
{%- if entry.name | lower in taken -%}
{%- do sqlmetrics.refuse(macro, "by: '" ~ entry.name ~ "' is the name of a column of every state; name it as in by=['my_name = " ~ entry.name ~ "']") -%}
{%- endif -%}
{%- do items.append('slice_' ~ loop.index ~ ' as ' ~ sqlmetrics.identifier(entry.name)) -%}
{%- endfor -%}
{%- for key, shown in further.items() -%}{%- do items.append(key ~ ' as ' ~ shown) -%}{%- endfor -%}
{%- do items.append('count(*) as row_count') -%}
{%- for name, value in columns.items() -%}{%- do items.append(value ~ ' as ' ~ name) -%}{%- endfor -%}
{%- set rows_from = steps[-1].name if steps else 'observations' -%}
{%- set ending -%}
select
    {{ sqlmetrics.lines(items) }}
from {{ rows_from }}
{{- sqlmetrics.group_by(names + (further | list)) }}
{%- endset -%}
-- state of {{ sqlmetrics.comment_text(q.title) }}
{{ sqlmetrics.give_line_breaks(sqlmetrics.written(
    sqlmetrics.source_steps(q, {'names': names, 'numbered': false, 'read_from': 'source'}) + steps, {'select': ending, 'reads': [rows_from]}
)) }}
{%- endmacro -%}

{#- What the metrics keep of a part of the rows, name -> aggregate. -#}
{%- macro columns_of_state(macro, metrics) -%}
{%- set columns = {} -%}
{%- for m in metrics -%}
{%- if m.requires != metrics[0].requires -%}
{%- do sqlmetrics.refuse(macro, m.as ~ ' and ' ~ metrics[0].as ~ ' count different rows: give each a state of its own') -%}
{%- endif -%}
{%- for column in sqlmetrics.state_of(macro, m).state -%}
{%- do columns.update({column.name: column.aggregate ~ '(' ~ sqlmetrics.indented(column.value) ~ ')'}) -%}
{%- endfor -%}
{%- endfor -%}
{{ return(columns) }}
{%- endmacro -%}

{#- The slices of a call that reads a state. -#}
{%- macro slicing_of_state(macro, relation, example, by, where) -%}
{%- if relation is none or not (relation | string).strip() -%}
{%- do sqlmetrics.refuse(macro, 'relation must be given, as in relation=' ~ example) -%}
{%- endif -%}
{%- if where is not none and (where is not string or not where.strip()) -%}
{%- do sqlmetrics.refuse(macro, 'where must be an SQL condition') -%}
{%- endif -%}
{%- set slicing = sqlmetrics.slicing_of(macro, by) -%}
{%- if slicing.groupings -%}
{%- do sqlmetrics.refuse(macro, 'by is one list of columns') -%}
{%- endif -%}
{%- set names = [] -%}
{%- set read = [] -%}
{%- set shown = [] -%}
{%- for entry in slicing.entries -%}
{%- do names.append('slice_' ~ loop.index) -%}
{%- do read.append(sqlmetrics.sql_of(entry) ~ ' as slice_' ~ loop.index) -%}
{%- do shown.append(sqlmetrics.identifier(entry.name)) -%}
{%- endfor -%}
{{ return({'names': names, 'read': read, 'shown': shown, 'slicing': slicing}) }}
{%- endmacro -%}

{%- macro states_step(relation, slicing, columns, where) -%}
{%- set states -%}
select
    {{ sqlmetrics.lines(slicing.read + columns) }}
from {{ sqlmetrics.named_relation(relation | string) }}
{%- if where is not none %}
where {{ sqlmetrics.expression(where) }}
{%- endif -%}
{%- endset -%}
{{ return(sqlmetrics.step('states', states, 'the parts that are added up')) }}
{%- endmacro -%}

{%- macro written_metrics_of_state(relation, slicing, steps, metrics) -%}
{%- set items = [] -%}
{%- for name in slicing.names -%}{%- do items.append(name ~ ' as ' ~ slicing.shown[loop.index0]) -%}{%- endfor -%}
{%- do items.append('cast(coalesce(sum(row_count), 0) as bigint) as n') -%}
{%- do items.extend(sqlmetrics.frame_aggregates({'metrics': metrics, 'diagnostics': []})) -%}
{%- set ending -%}
select
    {{ sqlmetrics.lines(items) }}
from {{ steps[-1].name }}
{{- sqlmetrics.group_by(slicing.names) }}
{{- sqlmetrics.order_by(slicing.shown) }}
{%- endset -%}
-- metrics from the state {{ sqlmetrics.comment_text(relation | string) }}
{{ sqlmetrics.give_line_breaks(sqlmetrics.written(steps, {'select': ending, 'reads': [steps[-1].name]})) }}
{%- endmacro -%}

{#- A metric with the columns that it needs in a state: its value, written once, notes them. -#}
{%- macro state_of(macro, m) -%}
{%- if not sqlmetrics.is_word(m.as) -%}
{%- do sqlmetrics.refuse(macro, "metrics: in a state 'as' must be a simple word, not '" ~ m.as ~ "'") -%}
{%- endif -%}
{%- set noted = dict(m, state=[]) -%}
{%- if m.frames | list == ['rows'] and m.has_value -%}
{%- for column in m['columns'] -%}{%- set value = sqlmetrics.metric_value(noted, column.name) -%}{%- endfor -%}
{%- endif -%}
{%- if not noted.state -%}
{%- do sqlmetrics.refuse(macro, m.name ~ ' is no quotient of sums over the rows; score_state keeps what the metrics of a click need') -%}
{%- endif -%}
{{ return(noted) }}
{%- endmacro -%}
