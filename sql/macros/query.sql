{#- The whole statement: the steps before any frame, one chain of steps per frame, and the row per slice.

    q.title        what is computed, for the header line
    q.relation     the table, sub-query or file scan, as SQL;  q.input: a query to be named once and stored
    q.stored       the rows are read once and kept: reading them again costs more than keeping them
    q.by           slice columns [{name, column or sql}];  q.groupings [{id, name, columns}];  q.models [{name, column or sql}]
    q.against      none, or the second of two relations that are compared {relation, input, by, columns}: `models` are these
    q.columns      canonical column -> the user's column or expression, for everything that some metric reads
    q.derived      the canonical columns that some frame reads
    q.required     the columns that every metric needs: a row without one of them is not used
    q.metrics      each with its name, result columns, frames, parameters and `requires`
    q.shape        one of known_shapes(), or none for that of the dialect;  q.countable: rows are counted, not weighed
    q.whole_columns  the canonical columns of which the types say that they hold whole numbers, so no NaN
    q.round        to how many digits behind the point the values are told, or none
    q.problems     the rules that values must keep [{column, keeps, …}];  q.checks: leave out the rows that break one,
                   and count all rows, so that the runner sees that some are missing
-#}
{%- macro query(q) -%}
{{ sqlmetrics.give_line_breaks(sqlmetrics.composed(q)) }}
{%- endmacro -%}

{#- The same for a statement that does more with it: line breaks of the user's are still signs, which no indent moves. -#}
{%- macro composed(q) -%}
{%- set frames = sqlmetrics.frames_of(q) -%}
{%- set slicing = sqlmetrics.slicing_in(q, frames) -%}
{%- if sqlmetrics.are_only_ranked(q, frames) -%}
{%- set q = dict(q, derived=sqlmetrics.derived_of_ranks(q.derived)) -%}
{%- set frames = sqlmetrics.ranked_alone(frames) -%}
{%- endif -%}
{%- set steps = sqlmetrics.source_steps(q, slicing) -%}
{%- for f in frames -%}
{%- for step in sqlmetrics.frame_steps(f, slicing.rows_from, slicing['keys']) -%}
{%- do steps.append(dict(step, stored=step.stored or (f.kept and step.name == f.cte))) -%}
{%- endfor -%}
{%- endfor -%}
{%- set steps = sqlmetrics.shared_steps(steps) -%}
{%- set ending = sqlmetrics.ending(q, frames, slicing) -%}
{{ sqlmetrics.comment_lines(q.title) }}
{{ sqlmetrics.written(steps + ending.steps, ending['select']) }}
{%- endmacro -%}

{#- How the rows are told apart by slice. `names`: the slices' columns in the statement; `shown`: in the result; `keys`: what the
    frames group by. Slices are numbered where windows are sorted by them or several frames must meet; else the columns
    themselves group. Models without slices have numbers already. -#}
{%- macro slicing_in(q, frames) -%}
{%- set names = sqlmetrics.slice_columns(q) -%}
{%- set several = q.groupings or q.models or q.diagnostics or q.interval_options is not none or q.comparison is not none or q.table or q.per_group or sqlmetrics.metrics_with_steps(q.metrics) or frames | length > 1 -%}
{%- set numbered = true if names and (several or not frames[0].groups_by_columns) else false -%}
{%- set shown = [] -%}
{%- for entry in q.by -%}{%- do shown.append(sqlmetrics.identifier(entry.name)) -%}{%- endfor -%}
{{ return({
    'numbered': numbered,
    'names': names,
    'shown': shown,
    'keys': ['slice_id'] if numbered else names,
    'read_from': 'unpivoted_models' if q.groupings or q.models else 'source',
    'rows_from': 'rows_with_slice_id' if numbered and names != ['model_id'] else 'valid_rows',
}) }}
{%- endmacro -%}

{%- macro slice_columns(q) -%}
{{ return((['grouping_id'] if q.groupings else []) + sqlmetrics.names_of_slices(q.by) + (['model_id'] if q.models else [])) }}
{%- endmacro -%}

{%- macro names_of_slices(entries) -%}{{ return(sqlmetrics.for_each(range(1, entries | length + 1) | map('string'), 'slice_{0}')) }}{%- endmacro -%}
