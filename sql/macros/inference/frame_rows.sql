{#- Influences on metrics that sum over rows of a frame, such as classes or values of a field. These rows are sums over rows of the
    log. A row of the log changes the columns in `perturbed` for one row of the frame, or a few. The effect on the metric is the same for
    all rows of the log that are counted alike. So it is computed once per column and row of the frame, joined to the rows of the log,
    and summed by cluster.

    - <frame>_jacobian: the change of each sum by each column of a row of the frame, from a relative step of 5e-6 up and down.
    - <frame>_perturbed: the totals, perturbed up and down by these changes.
    - <frame>_derivatives: the partial derivative of the value by each column.

    A column of 0 has no influence: a class without predictions has no value, and so no direction to move. -#}
{%- macro influences_by_frame_rows(q, f, slicing, metrics) -%}
{%- set keys = slicing['keys'] -%}
{%- set sums = sqlmetrics.all_sums(metrics) -%}
{%- set perturbing = [] -%}
{%- for m in metrics -%}{%- do perturbing.append(dict(m, perturbed=f.perturbed | select('in', m.sums | map(attribute='value') | join(' ')) | list)) -%}{%- endfor -%}
{%- set metrics = perturbing -%}
{%- set columns = f.perturbed | select('in', sums.values() | join(' ')) | list -%}
{%- set steps -%}
{{ sqlmetrics.cte(f.cte ~ '_jacobian', f.rows ~ ' and column of it: change of the sums') }}
{{ sqlmetrics.jacobian_of_sums(f, keys, columns, sums) }}
{{ sqlmetrics.cte(f.cte ~ '_totals', 'totals, and sums of absolute values') }}
select
    {{- sqlmetrics.leading(keys) }}
{%- for name, value in sums.items() %}
    coalesce(sum({{ value }}), 0) as all_{{ name }},
    coalesce(sum(abs({{ value }})), 0) as size_of_{{ name }}{{ ',' if not loop.last }}
{%- endfor %}
from {{ f.cte }}
{{- sqlmetrics.group_by(keys) }}
{{ sqlmetrics.cte(f.cte ~ '_perturbed', 'the totals, perturbed up and down by each column') }}
{{ sqlmetrics.perturbed_sums(keys, f.identifiers + ['perturbed_column', 'amount'], sums, f.cte ~ '_jacobian', f.cte ~ '_totals') }}
{{ sqlmetrics.cte(f.cte ~ '_derivatives', f.rows ~ ': partial derivatives of the values by each column', materialized=true) }}
{{ sqlmetrics.derivatives_of_columns(f, keys, columns, metrics) }}
{%- endset -%}
{%- set rows = sqlmetrics.frame_perturbed(f, metrics, keys) -%}
{%- set clustered = q.interval_options.cluster is not none -%}
{%- set named = sqlmetrics.clusters_are_named(q, f) -%}
{%- set joined = rows.joined | map(attribute='as') | list -%}
{%- set units -%}
select{{ sqlmetrics.broadcast(joined | join(', ')) }}
    {{- sqlmetrics.leading(sqlmetrics.keys_of('scored', keys)) }}
{%- if named %}
    scored.{{ sqlmetrics.cluster_column(q, f) }} as cluster_name,
{%- endif %}
{%- for m in metrics %}
{%- set part = 'case when ' ~ sqlmetrics.has_weight(q, 'scored.') ~ ' then 1 end' if f.weighted else '1' %}
    {{ 'sum' if clustered }}({{ rows.influences[m.number] }}) as influence_{{ m.number }},
    {{ 'max' if clustered }}({{ part }}) as part_{{ m.number }}{{ ',' if not loop.last }}
{%- endfor %}
from {{ slicing.rows_from }} as scored
{%- for looked_up in rows.joined %}
inner join {{ looked_up.step }} as {{ looked_up.as }}{{ sqlmetrics.on('scored', looked_up.as, keys, looked_up.same) }}
{%- endfor %}
{{- f.where }}
{{- sqlmetrics.group_by(sqlmetrics.keys_alone('scored', keys + ['cluster_id'])) if clustered }}
{%- endset -%}
{{ return([{
    'name': f.cte,
    'steps': sqlmetrics.steps_in(steps) + rows.steps,
    'influences': units,
    'metrics': metrics,
    'corrected': false,
    'named': named,
    'joined': [],
}]) }}
{%- endmacro -%}

{%- macro derivatives_of_columns(f, keys, columns, metrics) -%}
select
    {{- sqlmetrics.leading(keys) }}
{%- for column in f.identifiers %}
    {{ column }} as own_{{ column }},
{%- endfor %}
{%- for m in metrics %}
{%- set last = loop.last %}
{%- for column in m.perturbed %}
    sum(case when perturbed_column = {{ sqlmetrics.position_of(column, columns) }} then influence_{{ m.number }} / nullif(amount, 0) else 0 end) as derivative_{{ m.number }}_{{ column }}
    {{- ',' if not (last and loop.last) }}
{%- endfor %}
{%- endfor %}
from (
    select
        {{- sqlmetrics.leading(keys + f.identifiers, depth=2) }}
        perturbed_column,
        amount
{%- for m in metrics %},
        {{ sqlmetrics.indented(sqlmetrics.indented(sqlmetrics.influence_of_perturbed_sums(m))) }} as influence_{{ m.number }}
{%- endfor %}
    from {{ f.cte }}_perturbed
) as influences_of_columns
{{- sqlmetrics.group_by(keys + f.identifiers) }}
{%- endmacro -%}

{#- Rows of a frame, repeated per column, with the change of each sum. The step is relative to the column, so that 0 stays 0. -#}
{%- macro jacobian_of_sums(f, keys, columns, sums) -%}
{%- set carried = keys + f.identifiers + ['perturbed_column'] -%}
select
    {{- sqlmetrics.leading(carried) }}
    max(own_amount) as amount
{%- for name, value in sums.items() %},
    sum(direction * coalesce({{ value }}, 0)) / 1e-5 as {{ name }}
{%- endfor %}
from (
    select
        {{- sqlmetrics.leading(carried + ['direction'], depth=2) }}
{%- for column in columns %}
        own_{{ column }} * (case when perturbed_column = {{ loop.index }} then 1 + direction * 5e-6 else 1 end) as {{ column }},
{%- endfor %}
        case perturbed_column
{%- for column in columns %}
            when {{ loop.index }} then own_{{ column }}
{%- endfor %}
        end as own_amount
    from (
        select
            {{- sqlmetrics.leading(keys + f.identifiers, depth=3) }}
{%- for column in columns %}
            {{ column }} as own_{{ column }}{{ ',' if not loop.last }}
{%- endfor %}
        from {{ f.cte }}
    ) as own_columns
    cross join {{ sqlmetrics.indented(sqlmetrics.numbers(columns | length, 'perturbed_column', 'perturbed_columns')) }}
    cross join (
        select -1 as direction
        union all
        select 1 as direction
    ) as directions
) as perturbed_columns_of_rows
{{- sqlmetrics.group_by(carried) }}
{%- endmacro -%}

{#- Partial derivative of a metric by `column`, written as `step.column` of a joined step. It is 0 if the metric does not read the
    column. -#}
{%- macro derivative(m, column) -%}
{%- set step, name = column.split('.') -%}
{{ return(step ~ '.derivative_' ~ m.number ~ '_' ~ name if name in m.perturbed else '0') }}
{%- endmacro -%}
