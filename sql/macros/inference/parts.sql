{#- Metrics that are functions of sums over the rows of a frame, which are sums over rows of the log themselves: over classes, or the
    values of a field. One more row of the log moves some columns of a row of the frame, or of a few: those that the frame names as
    `moved`. What that does to the metric is the same for all rows of the log that are counted alike, so it is worked out once for
    each column of each row of the frame, and looked up by the rows of the log, whose influences are added up by cluster.

    - <frame>_slopes: by how much each sum moves with each column of a row of the frame, which is moved five millionths up and down
    - <frame>_moved: the sums of all, with a little more and a little less of that
    - <frame>_pulls: what one more of each column does to the value

    A column that is 0 moves nothing: where a class has no value (nothing was called so) there is no direction in which it could move. -#}
{%- macro influences_by_parts(q, f, slicing, metrics) -%}
{%- set keys = slicing['keys'] -%}
{%- set sums = sqlmetrics.all_sums(metrics) -%}
{%- set metrics = sqlmetrics.metrics_with_moved_columns(f, metrics) -%}
{%- set columns = f.moved | select('in', sums.values() | join(' ')) | list -%}
{%- set steps -%}
{{ sqlmetrics.cte(f.cte ~ '_slopes', f.rows ~ ', and column of it: what that adds to the sums') }}
{{ sqlmetrics.slopes_of_sums(f, keys, columns, sums) }}
{{ sqlmetrics.cte(f.cte ~ '_totals', 'the sums of all, and those of what is added up in them, whatever its sign') }}
select
    {{- sqlmetrics.leading(keys) }}
{%- for name, value in sums.items() %}
    coalesce(sum({{ value }}), 0) as all_{{ name }},
    coalesce(sum(abs({{ value }})), 0) as size_of_{{ name }}{{ ',' if not loop.last }}
{%- endfor %}
from {{ f.cte }}
{{- sqlmetrics.group_by(keys) }}
{{ sqlmetrics.cte(f.cte ~ '_moved', 'these, with a little more and a little less of each column') }}
{{ sqlmetrics.perturbed_sums(keys, f.held + ['moved_column', 'amount'], sums, f.cte ~ '_slopes', f.cte ~ '_totals') }}
{{ sqlmetrics.cte(f.cte ~ '_pulls', f.rows ~ ': what one more of each column does to the values', stored=true) }}
{{ sqlmetrics.pulls_of_columns(f, keys, columns, metrics) }}
{%- endset -%}
{%- set rows = sqlmetrics.frame_moved(f, metrics, keys) -%}
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
inner join {{ looked_up.step }} as {{ looked_up.as }}
    on {{ (sqlmetrics.same_keys('scored', looked_up.as, keys) + looked_up.same) | join('\n    and ') }}
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

{%- macro pulls_of_columns(f, keys, columns, metrics) -%}
select
    {{- sqlmetrics.leading(keys) }}
{%- for column in f.held %}
    {{ column }} as own_{{ column }},
{%- endfor %}
{%- for m in metrics %}
{%- set last = loop.last %}
{%- for column in m.moved %}
    sum(case when moved_column = {{ sqlmetrics.position_of(column, columns) }} then influence_{{ m.number }} / nullif(amount, 0) else 0 end) as pull_{{ m.number }}_{{ column }}
    {{- ',' if not (last and loop.last) }}
{%- endfor %}
{%- endfor %}
from (
    select
        {{- sqlmetrics.leading(keys + f.held, depth=2) }}
        moved_column,
        amount
{%- for m in metrics %},
        {{ sqlmetrics.indented(sqlmetrics.indented(sqlmetrics.influence_of_moved_sums(m))) }} as influence_{{ m.number }}
{%- endfor %}
    from {{ f.cte }}_moved
) as influences_of_columns
{{- sqlmetrics.group_by(keys + f.held) }}
{%- endmacro -%}

{%- macro metrics_with_moved_columns(f, metrics) -%}
{%- set found = [] -%}
{%- for m in metrics -%}
{%- do found.append(dict(m, moved=f.moved | select('in', m.sums | map(attribute='value') | join(' ')) | list)) -%}
{%- endfor -%}
{{ return(found) }}
{%- endmacro -%}

{#- The rows of a frame once for each of its columns, and what of the sums moves with that: relative to it, so that what is 0 stays
    so. -#}
{%- macro slopes_of_sums(f, keys, columns, sums) -%}
{%- set carried = keys + f.held + ['moved_column'] -%}
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
        own_{{ column }} * (case when moved_column = {{ loop.index }} then 1 + direction * 5e-6 else 1 end) as {{ column }},
{%- endfor %}
        case moved_column
{%- for column in columns %}
            when {{ loop.index }} then own_{{ column }}
{%- endfor %}
        end as own_amount
    from (
        select
            {{- sqlmetrics.leading(keys + f.held, depth=3) }}
{%- for column in columns %}
            {{ column }} as own_{{ column }}{{ ',' if not loop.last }}
{%- endfor %}
        from {{ f.cte }}
    ) as own_columns
    cross join (
        {{ sqlmetrics.indented(sqlmetrics.indented(sqlmetrics.numbers(columns | length, 'moved_column'))) }}
    ) as moved_columns
    cross join (
        select -1 as direction
        union all
        select 1 as direction
    ) as directions
) as moved_columns_of_rows
{{- sqlmetrics.group_by(carried) }}
{%- endmacro -%}

{#- What one more of a column does to a metric, by the step that is joined as `step` in `step.column`; nothing where it does not read
    the column. -#}
{%- macro pull(m, column) -%}
{%- set step, name = column.split('.') -%}
{{ return(step ~ '.pull_' ~ m.number ~ '_' ~ name if name in m.moved else '0') }}
{%- endmacro -%}
