{#- Intervals of metrics that are functions of sums over the rows of a frame which are sums over rows of the log themselves: over
    classes, or the values of a field.

    One more row of the log moves some columns of one row of the frame, or of a few: those that the frame names as `moved`. What that
    does to the metric is the same for all rows of the log that are counted alike, so it is found once for each column of each row
    of the frame, and looked up by the rows of the log, whose influences are then added up by cluster.

    - <frame>_slopes: by how much each sum moves with each column of a row of the frame. Both are moved five millionths up and down, at
      which the error of the quotient, and that of rounding, are near 2e-11.
    - <frame>_gradients: by how much the value moves with each sum, found in the same way.
    - <frame>_pulls: the products of both, added up: what one more of a column does to the value.

    A column that is 0 moves nothing: where a class has no value (nothing was called so) there is no direction in which it could move. -#}
{%- macro errors_by_parts(q, f, slicing, metrics) -%}
{%- set keys = slicing['keys'] -%}
{%- set slopes = f.cte ~ '_slopes' -%}
{%- set totals = f.cte ~ '_in_all' -%}
{%- set gradients = f.cte ~ '_gradients' -%}
{%- set pulls = f.cte ~ '_pulls' -%}
{%- set units = f.cte ~ '_in_clusters' -%}
{%- set errors = f.cte ~ '_errors' -%}
{%- set sums = {} -%}
{%- for m in metrics -%}
{%- for column in m.sums -%}{%- do sums.update({column.name: column.value}) -%}{%- endfor -%}
{%- endfor -%}
{%- set metrics = sqlmetrics.metrics_with_moved_columns(f, metrics) -%}
{%- set columns = [] -%}
{%- for column in f.moved -%}
{%- for m in metrics if column in m.moved and column not in columns -%}{%- do columns.append(column) -%}{%- endfor -%}
{%- endfor -%}
{%- set added = [] -%}
{%- for name, value in sums.items() -%}{%- do added.extend(['coalesce(sum(' ~ value ~ '), 0) as all_' ~ name, 'coalesce(sum(abs(' ~ value ~ ')), 0) as size_of_' ~ name]) -%}{%- endfor -%}
{%- set sums_of_all -%}
select
    {{ sqlmetrics.lines(keys + added) }}
from {{ f.cte }}
{{- sqlmetrics.group_by(keys) }}
{%- endset -%}
{%- set items = sqlmetrics.keys_of('slopes', keys) -%}
{%- for column in f.held -%}{%- do items.append('slopes.' ~ column ~ ' as own_' ~ column) -%}{%- endfor -%}
{%- for m in metrics -%}
{%- set products = [] -%}
{%- for column in m.sums -%}{%- do products.append('gradient_' ~ m.number ~ '_' ~ loop.index ~ ' * ' ~ column.name) -%}{%- endfor -%}
{%- for column in m.moved -%}
{%- do items.append('sum(case when moved_column = ' ~ sqlmetrics.position_of(column, columns) ~ ' then case when amount = 0 then 0 else (' ~ products | join(' + ') ~ ') / nullif(amount, 0) end end) as pull_' ~ m.number ~ '_' ~ column) -%}
{%- endfor -%}
{%- endfor -%}
{%- set same = sqlmetrics.same_keys('slopes', 'gradients', keys) -%}
{%- set pulls_of_rows -%}
select{{ sqlmetrics.broadcast('gradients') }}
    {{ sqlmetrics.lines(items) }}
from {{ slopes }} as slopes
inner join {{ gradients }} as gradients
    on {{ same | join('\n    and ') if same else '1 = 1' }}
{{- sqlmetrics.group_by(sqlmetrics.keys_alone('slopes', keys + f.held)) }}
{%- endset -%}
{%- set rows = sqlmetrics.frame_moved(f, metrics, keys) -%}
{%- set joined = [] -%}
{%- for one in rows.joined -%}
{%- do joined.append(one.as) -%}
{%- endfor -%}
{%- set clustered = q.certainty.cluster is not none -%}
{%- set named = ['scored.' ~ sqlmetrics.cluster_column(q, f) ~ ' as cluster_name'] if sqlmetrics.clusters_are_named(q, f) else [] -%}
{%- set items = [] -%}
{%- set found = {} -%}
{%- for m in metrics -%}
{%- set influence = rows.influences[m.number] -%}
{%- set part = 'case when ' ~ sqlmetrics.has_weight(q, 'scored.') ~ ' then 1 end' if f.weighted else '1' -%}
{%- do items.extend([('sum(' ~ influence ~ ')' if clustered else influence) ~ ' as influence_' ~ m.number, ('max(' ~ part ~ ')' if clustered and f.weighted else part) ~ ' as part_' ~ m.number]) -%}
{%- do found.update({m.as: sqlmetrics.errors_of_clusters(errors, m)}) -%}
{%- endfor -%}
{%- set influences_of_clusters -%}
select{{ sqlmetrics.broadcast(joined | join(', ')) }}
    {{ sqlmetrics.lines(sqlmetrics.keys_of('scored', keys) + named + items) }}
from {{ slicing.rows_from }} as scored
{%- for one in rows.joined %}
inner join {{ one.step }} as {{ one.as }}
    on {{ (sqlmetrics.same_keys('scored', one.as, keys) + one.same) | join('\n    and ') }}
{%- endfor %}
{{- f.where }}
{{- sqlmetrics.group_by(sqlmetrics.keys_alone('scored', keys + ['cluster_id'])) if clustered }}
{%- endset -%}
{%- set all_influences -%}
select
    {{ sqlmetrics.lines(sqlmetrics.names_of_influences(keys, named, metrics)) }}
from {{ units }}
{%- endset -%}
{{ return({
    'steps': [
        sqlmetrics.step(slopes, sqlmetrics.slopes_of_sums(f, keys, columns, sums), f.rows ~ ', and column of it: what that adds to the sums'),
        sqlmetrics.step(totals, sums_of_all, 'the sums of all, and those of what is added up in them, whatever its sign'),
        sqlmetrics.step(gradients, sqlmetrics.gradients_of_values(totals, keys, metrics, sums), 'by how much the values move with each sum'),
        sqlmetrics.step(pulls, pulls_of_rows, f.rows ~ ': what one more of each column does to the values', stored=true),
    ] + rows.steps + [
        sqlmetrics.step(units, influences_of_clusters, 'one per cluster: what its rows do together' if clustered else 'the rows, with what each does', stored=clustered),
    ] + sqlmetrics.error_steps(q, errors, metrics, all_influences, keys, named=['cluster_name'] if named else []),
    'joined': [errors],
    'errors': found,
}) }}
{%- endmacro -%}

{%- macro metrics_with_moved_columns(f, metrics) -%}
{%- set found = [] -%}
{%- for m in metrics -%}
{%- set values = [] -%}
{%- for column in m.sums -%}{%- do values.append(column.value) -%}{%- endfor -%}
{%- set moved = [] -%}
{%- for column in f.moved if column in values | join(' ') -%}{%- do moved.append(column) -%}{%- endfor -%}
{%- do found.append(dict(m, moved=moved)) -%}
{%- endfor -%}
{{ return(found) }}
{%- endmacro -%}

{#- The rows of a frame once for each of its columns, and what of the sums moves with that: relative to it, so that what is 0 stays
    so. -#}
{%- macro slopes_of_sums(f, keys, columns, sums) -%}
{%- set told = keys + f.held + ['moved_column'] -%}
{%- set own = [] -%}
{%- set amounts = [] -%}
{%- set moved = [] -%}
{%- set added = [] -%}
{%- for column in columns -%}
{%- do own.append(column ~ ' as own_' ~ column) -%}
{%- do amounts.append('when ' ~ loop.index ~ ' then own_' ~ column) -%}
{%- do moved.append('own_' ~ column ~ ' * (case when moved_column = ' ~ loop.index ~ ' then 1 + direction * 5e-6 else 1 end) as ' ~ column) -%}
{%- endfor -%}
{%- for name, value in sums.items() -%}{%- do added.append('sum(direction * coalesce(' ~ value ~ ', 0)) / 1e-5 as ' ~ name) -%}{%- endfor -%}
select
    {{ sqlmetrics.lines(told + ['max(own_amount) as amount'] + added) }}
from (
    select
        {{ (keys + f.held + ['moved_column', 'direction', 'case moved_column ' ~ amounts | join(' ') ~ ' end as own_amount'] + moved) | join(',\n        ') }}
    from (
        select
            {{ (keys + f.held + own) | join(',\n            ') }}
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
{{- sqlmetrics.group_by(told) }}
{%- endmacro -%}

{#- Each sum is moved by a part of what is added up in it: the sum itself may be 0 but for its last bits. -#}
{%- macro gradients_of_values(totals, keys, metrics, sums) -%}
{%- set up_and_down = [] -%}
{%- set names = sums | list -%}
{%- for name in names -%}
{%- for way, sign in {'up': '+', 'down': '-'}.items() -%}
{%- do up_and_down.append('all_' ~ name ~ ' ' ~ sign ~ ' (case when moved_sum = ' ~ sqlmetrics.position_of(name, names) ~ ' then 5e-6 else 0 end) * size_of_' ~ name ~ ' as ' ~ way ~ '_' ~ name) -%}
{%- endfor -%}
{%- endfor -%}
{%- set gradients = [] -%}
{%- for m in metrics -%}
{%- set value = {} -%}
{%- for way in ['up_', 'down_'] -%}
{%- do value.update({way: sqlmetrics.metric_of_sums(dict(m, state=[], state_name='m' ~ m.number, written_as=way))}) -%}
{%- endfor -%}
{%- for column in m.sums -%}
{%- do gradients.append('sum(case when moved_sum = ' ~ sqlmetrics.position_of(column.name, names) ~ ' then case when size_of_' ~ column.name ~ ' = 0 then 0 else ((' ~ value['up_'] ~ ') - (' ~ value['down_'] ~ ')) / nullif(1e-5 * size_of_' ~ column.name ~ ', 0) end end) as gradient_' ~ m.number ~ '_' ~ loop.index) -%}
{%- endfor -%}
{%- endfor -%}
{%- set sizes = [] -%}
{%- for name in names -%}{%- do sizes.append('size_of_' ~ name) -%}{%- endfor -%}
select
    {{ sqlmetrics.lines(keys + gradients) }}
from (
    select
        {{ (keys + ['moved_sum'] + sizes + up_and_down) | join(',\n        ') }}
    from {{ totals }}
    cross join (
        {{ sqlmetrics.indented(sqlmetrics.indented(sqlmetrics.numbers(names | length, 'moved_sum'))) }}
    ) as moved_sums
) as sums_moved
{{- sqlmetrics.group_by(keys) }}
{%- endmacro -%}

{%- macro names_of_influences(keys, named, metrics) -%}
{%- set items = keys + (['cluster_name'] if named else []) -%}
{%- for m in metrics -%}{%- do items.extend(['influence_' ~ m.number, 'part_' ~ m.number]) -%}{%- endfor -%}
{{ return(items) }}
{%- endmacro -%}

{#- What one more of a column does to a metric, by the step that is joined as `step` in `step.column`; nothing where it does not read
    the column. -#}
{%- macro pull(m, column) -%}
{%- set step, name = column.split('.') -%}
{{ return(step ~ '.pull_' ~ m.number ~ '_' ~ name if name in m.moved else '0') }}
{%- endmacro -%}
