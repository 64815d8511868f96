{#- The whole statement: the steps before the frames, a chain of steps per frame, and a row per slice.

    q.title        the metrics, for the header line.
    q.relation     the table, subquery or file scan, as SQL.  q.input: a query that becomes a materialized step with this name.
    q.materialized materialize the rows, if reading them again costs more.
    q.by           slice columns [{name, column or sql}].  q.groupings [{id, name, columns}].  q.models [{name, column or sql}].
    q.against      none, or the second relation of a comparison {relation, input, by, columns}: `models` are the relations.
    q.columns      canonical column -> the user's column or expression, for all columns that some metric reads.
    q.derived      the canonical columns that some frame reads.
    q.required     the columns that every metric needs: rows without one of them are dropped.
    q.metrics      each with its name, result columns, frames, parameters and `requires`.
    q.shape        one of known_shapes(), or none for the default of the dialect.  q.countable: rows have no weights.
    q.whole_columns  the canonical columns with integer types, so without NaN.
    q.round        the number of decimal places of the values, or none.
    q.problems     the rules for values [{column, keeps, …}].  q.checks: drop rows that break one, and count all rows, so that
                   the runner detects dropped rows. -#}
{%- macro query(q) -%}
{{ sqlmetrics.give_line_breaks(sqlmetrics.composed(q)) }}
{%- endmacro -%}

{#- The same for use in another statement: the user's line breaks are still signs, so indents do not change them. -#}
{%- macro composed(q) -%}
{%- set frames = sqlmetrics.frames_of(q) -%}
{%- set slicing = sqlmetrics.slicing_in(q, frames) -%}
{%- set reads_negatives = q.interval_options is not none or q.comparison is not none or frames | selectattr('reads_negatives') | list != [] -%}
{%- set steps = sqlmetrics.source_steps(dict(q, reads_negatives=reads_negatives), slicing) -%}
{%- for f in frames -%}
{%- for step in sqlmetrics.frame_steps(f, slicing.rows_from, slicing['keys']) -%}
{%- do steps.append(dict(step, materialized=step.materialized or (f.reread and step.name == f.cte))) -%}
{%- endfor -%}
{%- endfor -%}
{%- set steps = sqlmetrics.shared_steps(steps) -%}
{%- set ending = sqlmetrics.ending(q, frames, slicing) -%}
{{ sqlmetrics.comment_lines(q.title) }}
{{ sqlmetrics.written(steps + ending.steps, ending['select']) }}
{%- endmacro -%}

{#- How frames group by slice. `names` are the slice columns in the statement, `shown` in the result, and `keys` the columns that frames
    group by. Slices are numbered if windows sort by them or several frames are joined; otherwise the columns themselves group. Models
    without slices have numbers already. -#}
{%- macro slicing_in(q, frames) -%}
{%- set names = sqlmetrics.slice_columns(q) -%}
{%- set unpivoted = (q.comparison is none or q.row_ids or q.refuses) if q.models else (q.groupings and q.diagnostics) -%}
{%- set several = q.groupings or q.models or q.diagnostics or q.interval_options is not none or q.comparison is not none or q.table or q.per_group or sqlmetrics.metrics_with_steps(q.metrics) or frames | length > 1 -%}
{%- set numbered = true if names and (several or not frames[0].groups_by_columns) else false -%}
{{ return({
    'numbered': numbered,
    'names': names,
    'shown': sqlmetrics.shown_slices(q.by),
    'keys': ['slice_id'] if numbered else names,
    'read_from': 'unpivoted_models' if unpivoted else 'source',
    'rows_from': 'rows_with_slice_id' if numbered and names != ['model_id'] else 'valid_rows',
}) }}
{%- endmacro -%}

{#- Names of the slices in the result. -#}
{%- macro shown_slices(entries) -%}
{%- set shown = [] -%}
{%- for entry in entries -%}{%- do shown.append(sqlmetrics.identifier(entry.name)) -%}{%- endfor -%}
{{ return(shown) }}
{%- endmacro -%}

{%- macro slice_columns(q) -%}
{{ return((['grouping_id'] if q.groupings else []) + sqlmetrics.names_of_slices(q.by) + (['model_id'] if q.models else [])) }}
{%- endmacro -%}

{%- macro names_of_slices(entries) -%}{{ return(sqlmetrics.for_each(range(1, entries | length + 1) | map('string'), 'slice_{0}')) }}{%- endmacro -%}
