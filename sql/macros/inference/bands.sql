{#- Standard errors for the rows of a table, for each column that is a ratio of sums.

    The head of a metric lists these sums over rows of the log under `intervals`. The scope of a sum is `local` (this row of the
    table), `cumulative` (rows up to this one, as on a curve) or `total` (the slice). The influence of a cluster on a ratio is Σ cᵢ·sᵢ
    over its sums s, with the derivatives c of the ratio. The sum of squares over clusters is Σ cᵢ·cⱼ·Mᵢⱼ with Mᵢⱼ = Σ sᵢ·sⱼ. The
    query aggregates clusters to these products, as increments per row of the table. On a curve, an increment is sᵢ·sⱼ through this
    row minus sᵢ·sⱼ before it, and 0 where the cluster has no rows. So the work grows with rows, not with clusters times points.

    `row_key` links a row of the log to its row of the table: a threshold, a bin or a class. -#}
{%- macro bands_of_table(q, m, f, slicing) -%}
{%- set keys = slicing['keys'] -%}
{%- set cluster = ['cluster_id'] if q.interval_options.cluster is not none else [] -%}
{%- set direction = ' desc' if m.bands.order == 'desc' else ' asc' -%}
{%- set cells = sqlmetrics.macro_of_metric(m.name ~ '__cells')(m, f, slicing.rows_from, keys, cluster) -%}
{%- set keyed = sqlmetrics.steps_read_by(cells, [m.name ~ '_row_keys']) | length > 0 -%}
{%- set wanted = sqlmetrics.products_of_bands(m, cluster | length > 0) -%}
{%- set units -%}
select
    {{ sqlmetrics.select_list(keys + cluster + ['row_key']) }}
{%- for of, name in wanted.part_of.items() %},
    {{ sqlmetrics.to_double('sum(' ~ of ~ ')' if cluster else of) }} as {{ name }}
{%- endfor %}
from {{ m.name }}_rows
{{- sqlmetrics.group_by(keys + cluster + ['row_key']) if cluster }}
{%- endset -%}
{%- set products = m.name ~ '_products' -%}
{%- set summed = dict(f, cte=m.name ~ '_cumulative', rows='sums and products, cumulative or in total') -%}
{%- set carried = ['row_key'] + wanted.local + (['row_count'] + wanted.measures.values() | list if f.two_level else []) -%}
{%- set from = summed.cte if wanted.sums else products -%}
{%- set errors = sqlmetrics.with_half_width(q, keys + ['row_key'], wanted.ratios, sqlmetrics.errors_of_ratios(keys, from, wanted), ['clusters']) -%}
{%- set row_keys = sqlmetrics.row_keys_of_cells(m, f, slicing.rows_from, keys) if keyed -%}
{%- set sums = sqlmetrics.running_sums(summed, products, keys, 'row_key', direction, carried, wanted.measures, wanted.sums) if wanted.sums else [] -%}
{{ return({'joined': m.name ~ '_errors', 'keyed': keyed, 'ratios': wanted.ratios, 'steps': (
    [sqlmetrics.step(m.name ~ '_row_keys', row_keys, 'candidate rows of the table for each cell of scores', materialized=true)] if keyed else []
) + [
    sqlmetrics.step(m.name ~ '_rows', cells, 'rows of the log, each with its row of the table'),
    sqlmetrics.step(m.name ~ '_units', units, 'contributions of clusters per table row' if cluster else 'contributions of each log row', materialized=cluster | length > 0),
    sqlmetrics.step(products, sqlmetrics.products_of_rows(m, keys, cluster, wanted, direction), 'sums and products, one per row of the table', materialized=true),
] + sums + [
    sqlmetrics.step(m.name ~ '_errors', errors, 'one per row of the table: standard errors of its columns'),
]}) }}
{%- endmacro -%}

{#- `part_of` maps expressions to columns of units. `items` are the sums of a row of the table: {as, of: the contribution of a unit,
    scope, measure}. Items of the same measure are added up once. `local` lists sums of a single row, `measures` and `sums` those that
    accumulate over rows. Columns with the same ratio, as tpr and recall, share it. -#}
{%- macro products_of_bands(m, clustered) -%}
{%- set sums = m.bands.sums -%}
{%- set part_of = {} -%}
{%- set ratios = [] -%}
{%- set items = [] -%}
{%- set banded = m.bands.ratios | selectattr('column', 'in', m.banded) | list -%}
{%- for ratio in banded -%}
{%- set columns = banded | selectattr('over', 'equalto', ratio.over) | selectattr('under', 'equalto', ratio.under) | map(attribute='column') | list -%}
{%- if ratio.column == columns[0] -%}
{%- set members = ratio.over + ratio.under -%}
{%- for name in members if sums[name].of not in part_of -%}{%- do part_of.update({sums[name].of: name ~ '_part'}) -%}{%- endfor -%}
{%- set added = sqlmetrics.sums_and_products(ratio, sums, part_of, clustered) -%}
{%- for item in added if item.as not in items | map(attribute='as') -%}
{%- set same = items | rejectattr('scope', 'equalto', 'local') | selectattr('of', 'equalto', item.of) | map(attribute='as') | list -%}
{%- do items.append(dict(item, measure=(same + [item.as])[0])) -%}
{%- endfor -%}
{%- do ratios.append(dict(ratio, columns=columns, number=ratios | length + 1, members=members, counted=added[-1].as)) -%}
{%- endif -%}
{%- endfor -%}
{%- set sums_of_rows = items | rejectattr('scope', 'equalto', 'local') | list -%}
{%- set measures = {} -%}
{%- for item in sums_of_rows -%}{%- do measures.update({item.measure: item.measure ~ '_added'}) -%}{%- endfor -%}
{%- set local = items | selectattr('scope', 'equalto', 'local') | map(attribute='as') | list -%}
{{ return({'ratios': ratios, 'part_of': part_of, 'items': items, 'local': local, 'measures': measures, 'sums': sums_of_rows}) }}
{%- endmacro -%}

{#- Contributions of a unit to the sums of a ratio, to their products, and last to the number of units. -#}
{%- macro sums_and_products(ratio, sums, part_of, clustered) -%}
{%- set members = ratio.over + ratio.under -%}
{%- set items = [] -%}
{%- for name in members -%}{%- do items.append({'as': name, 'scope': sums[name].scope, 'of': part_of[sums[name].of]}) -%}{%- endfor -%}
{%- for first in members -%}
{%- for second in members[loop.index0:] -%}
{%- set ends = [sums[first].scope, sums[second].scope] -%}
{%- do items.append({
    'as': sqlmetrics.name_of_product(first, second),
    'scope': 'local' if 'local' in ends else 'cumulative' if 'cumulative' in ends else 'total',
    'of': sqlmetrics.product_of_unit(part_of[sums[first].of], part_of[sums[second].of], ends, clustered),
}) -%}
{%- endfor -%}
{%- endfor -%}
{%- set under = ratio.under[0] -%}
{%- if ratio.under | length == 1 -%}
{#- A cluster counts once, at its first nonzero row of the table. -#}
{%- set part, scope = part_of[sums[under].of], sums[under].scope -%}
{%- set is_first = ' and ' ~ part ~ '_cumulative = ' ~ part if clustered and scope != 'local' -%}
{{ return(items + [{'as': 'units_with_' ~ under, 'scope': scope, 'of': 'case when ' ~ part ~ ' <> 0' ~ is_first ~ ' then 1 else 0 end'}]) }}
{%- elif items[:members | length] | rejectattr('scope', 'equalto', 'local') | list -%}
{{ return(items + [{'as': 'total_units', 'scope': 'total', 'of': 'is_first_of_unit'}]) }}
{%- endif -%}
{{ return(items + [{'as': 'local_units', 'scope': 'local', 'of': 'has_something'}]) }}
{%- endmacro -%}

{%- macro name_of_product(first, second) -%}{{ [first, second] | sort | join('_times_') }}{%- endmacro -%}

{#- Increment of the product of two sums by a unit. An unclustered row is in one row of the table, without earlier sums. -#}
{%- macro product_of_unit(first, second, scopes, clustered) -%}
{%- if clustered and scopes == ['cumulative', 'cumulative'] -%}
{{ return(first ~ '_cumulative * ' ~ second ~ '_cumulative\n        - (' ~ first ~ '_cumulative - ' ~ first ~ ') * (' ~ second ~ '_cumulative - ' ~ second ~ ')') }}
{%- elif not clustered or scopes == ['local', 'local'] -%}
{{ return(first ~ ' * ' ~ second) }}
{%- elif scopes[1] == 'local' or scopes == ['total', 'cumulative'] -%}
{{ return(first ~ '_' ~ scopes[0] ~ ' * ' ~ second) }}
{%- endif -%}
{{ return(first ~ ' * ' ~ second ~ '_' ~ scopes[1]) }}
{%- endmacro -%}

{#- Running sums need every row of the table, so `union all` adds those without units. Rows without weight are not units. -#}
{%- macro products_of_rows(m, keys, cluster, wanted, direction) -%}
{%- set parts = wanted.part_of.values() | list -%}
{%- set has_something = parts | join(' <> 0 or ') ~ ' <> 0' -%}
{%- set flags = ['is_first_of_unit', 'has_something'] | select('in', wanted['items'] | map(attribute='of') | list) | list -%}
{%- set by_cluster = sqlmetrics.over(keys + cluster, 'row_key' ~ direction ~ ' rows unbounded preceding') -%}
select
    {{ sqlmetrics.select_list(keys + ['row_key']) }},
{%- for item in wanted['items'] if item.scope == 'local' or item.as == item.measure %}
    sum({{ item.of }}) as {{ item.as if item.scope == 'local' else wanted.measures[item.measure] }},
{%- endfor %}
    count(*) as row_count
from (
    select
        {{ (keys + ['row_key'] + parts) | join(',\n        ') }}
{%- if cluster and wanted.sums %}
{%- for part in parts %},
        sum({{ part }}) {{ by_cluster }} as {{ part }}_cumulative,
        sum({{ part }}) {{ sqlmetrics.over(keys + cluster) }} as {{ part }}_total
{%- endfor %}
{%- endif %}
{%- for flag in flags %},
{%- if flag == 'is_first_of_unit' and cluster %}
        case
            when row_number() {{ sqlmetrics.over(keys + cluster, 'row_key' ~ direction) }} = 1
                and max(case when {{ has_something }} then 1 else 0 end)
                    {{ sqlmetrics.over(keys + cluster) }} = 1 then 1
            else 0
        end as is_first_of_unit
{%- else %}
        case when {{ has_something }} then 1 else 0 end as {{ flag }}
{%- endif %}
{%- endfor %}
    from {{ m.name }}_units
{%- if wanted.sums %}
    union all
    select
        {{ (keys + [m.bands.row_key]) | join(',\n        ') }}
{%- for part in parts %},
        {{ sqlmetrics.to_double('0') }}
{%- if cluster %},
        {{ sqlmetrics.to_double('0') }},
        {{ sqlmetrics.to_double('0') }}
{%- endif %}
{%- endfor %}
{%- for flag in flags %},
        0
{%- endfor %}
    from {{ m.name }}
    where {{ m.bands.row_key }} is not null
{%- endif %}
) as units_of_rows
{{- sqlmetrics.group_by(keys + ['row_key']) }}
{%- endmacro -%}

{#- Delta method: derivatives of each ratio, combined with the products to a standard error. -#}
{%- macro errors_of_ratios(keys, from, wanted) -%}
select
    {{ sqlmetrics.select_list(keys + ['row_key']) }}
{%- for ratio in wanted.ratios %}
{%- set n = ratio.number %},
    clusters_{{ n }},
    degrees_of_freedom_{{ n }},
    case
        when squares_{{ n }} > 1e-14 * size_{{ n }} then sqrt(squares_{{ n }} * clusters_{{ n }} / degrees_of_freedom_{{ n }})
        when degrees_of_freedom_{{ n }} > 0 and squares_{{ n }} is not null then 0
    end as standard_error_{{ n }}
{%- endfor %}
from (
    select
        {{ (keys + ['row_key']) | join(',\n        ') }}
{%- for ratio in wanted.ratios %}
{%- set n = ratio.number %}
{%- set clusters = sqlmetrics.to_double(ratio.counted) %},
        {{ clusters }} as clusters_{{ n }},
        nullif({{ clusters }} - 1, 0) as degrees_of_freedom_{{ n }},
{%- for first in ratio.members %}
{%- set i = loop.index %}
{%- for second in ratio.members[loop.index0:] %}
        {{ '+ ' if i > 1 or not loop.first }}{{ '2 * ' if not loop.first }}slope_{{ n }}_{{ i }} * slope_{{ n }}_{{ i + loop.index0 }} * {{ sqlmetrics.name_of_product(first, second) }}
{%- endfor %}
{%- endfor %} as squares_{{ n }},
{%- for name in ratio.members %}
        {{ '+ ' if not loop.first }}slope_{{ n }}_{{ loop.index }} * slope_{{ n }}_{{ loop.index }} * {{ name }}_times_{{ name }}
{%- endfor %} as size_{{ n }}
{%- endfor %}
    from (
        select
            {{ from }}.*
{%- for ratio in wanted.ratios %}
{%- for name in ratio.members %},
            {{ sqlmetrics.derivative_of_ratio(ratio, name) }} as slope_{{ ratio.number }}_{{ loop.index }}
{%- endfor %}
{%- endfor %}
        from {{ from }}
    ) as slopes
) as squares
{%- endmacro -%}

{#- Derivative of a ratio of products by one of its sums. -#}
{%- macro derivative_of_ratio(ratio, name) -%}
{%- set over = ratio.over | reject('equalto', name) | list -%}
{%- set under = ratio.under | join(' * ') ~ ('' if name in ratio.over else ' * ' ~ name) -%}
{{ '' if name in ratio.over else '-' }}({{ over | join(' * ') if over else '1.0' }}) / nullif({{ under }}, 0)
{%- endmacro -%}

{#- Interval columns of a table column. The first row of a curve calls no row positive, so it is exact. -#}
{%- macro band_items(q, m, bands, column) -%}
{%- for ratio in bands.ratios if column.name in ratio.columns -%}
{%- set error = {
    'se': bands.joined ~ '.standard_error_' ~ ratio.number,
    'half_width': bands.joined ~ '.half_width_' ~ ratio.number,
    'min_nonzero_clusters': bands.joined ~ '.clusters_' ~ ratio.number if ratio.under | length == 1 else none,
    'tail': q.interval_options.tail,
} -%}
{%- set banded = {'range': [none if column.name in m.bands.below_zero else 0, none if column.name in m.bands.beyond_one else 1], 'interval': m.banded[column.name]} -%}
{{ return(sqlmetrics.interval_items(banded, m.name ~ '.' ~ column.name, error, known=m.name ~ '.' ~ m.bands.row_key ~ ' is null' if m.bands.order == 'desc' else none)) }}
{%- endfor -%}
{{ return([]) }}
{%- endmacro -%}
