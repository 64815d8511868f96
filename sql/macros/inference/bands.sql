{#- How sure the columns of a table are: a standard error for each row and each column that is a ratio of sums.

    A file says under `intervals` of which sums over the rows of the log its columns are made, and how far each sum reaches: what
    belongs to the table's own row (`own`), this and the rows of the table before it (`here`, as the points of a curve), or the
    whole slice (`all`). The influence of a cluster on a ratio is Σ cᵢ·sᵢ over its own sums s, with the derivatives c of the ratio,
    so that the sum of its squares over clusters is Σ cᵢ·cⱼ·Mᵢⱼ with Mᵢⱼ = Σ sᵢ·sⱼ. Of the clusters only these products stay, and of
    these what each row of the table adds: of a curve that is sᵢ·sⱼ after it less sᵢ·sⱼ before it, which is nothing but where the
    cluster has rows. So the work is that of the rows, not of clusters times points.

    `mark` is by which a row of the log finds its row of the table: a threshold, a bin or a class. -#}
{%- macro bands_of_table(q, m, f, slicing) -%}
{%- set keys = slicing['keys'] -%}
{%- set cluster = ['cluster_id'] if q.interval_options.cluster is not none else [] -%}
{%- set direction = ' desc' if m.bands.order == 'desc' else ' asc' -%}
{%- set cells = sqlmetrics.metric_cells(m, f, slicing.rows_from, keys, cluster) -%}
{%- set marked = sqlmetrics.steps_read_by(cells, [m.name ~ '_marks']) | length > 0 -%}
{%- set wanted = sqlmetrics.products_of_bands(m, cluster | length > 0) -%}
{%- set steps = [] -%}
{%- if marked -%}
{%- set marks = sqlmetrics.marks_of_cells(m, f, slicing.rows_from, keys) -%}
{%- do steps.append(sqlmetrics.step(m.name ~ '_marks', marks, 'the rows of the table that the scores of a cell can belong to', stored=true)) -%}
{%- endif -%}
{%- do steps.append(sqlmetrics.step(m.name ~ '_rows', cells, 'of each row of the log, to which row of the table it belongs')) -%}
{%- set units -%}
select
    {{ sqlmetrics.select_list(keys + cluster + ['mark']) }}
{%- for name, of in wanted.parts.items() %},
    {{ sqlmetrics.to_double('sum(' ~ of ~ ')' if cluster else of) }} as {{ name }}
{%- endfor %}
from {{ m.name }}_rows
{{- sqlmetrics.group_by(keys + cluster + ['mark']) if cluster }}
{%- endset -%}
{%- do steps.append(sqlmetrics.step(m.name ~ '_units', units, 'what each cluster adds to a row of the table' if cluster else 'what each row of the log adds', stored=cluster | length > 0)) -%}
{%- do steps.append(sqlmetrics.step(m.name ~ '_products', sqlmetrics.products_of_rows(m, keys, cluster, wanted, direction), 'sums and products of these, by row of the table', stored=true)) -%}
{%- set from = m.name ~ '_products' -%}
{%- if wanted.sums -%}
{%- set from = m.name ~ '_up_to_here' -%}
{%- set summed = dict(f, cte=from, rows='these, as far as each reaches') -%}
{%- set carried = ['mark'] + wanted.own + (['row_count'] + wanted.measures.values() | list if f.two_level else []) -%}
{%- do steps.extend(sqlmetrics.running_sums(summed, m.name ~ '_products', keys, 'mark', direction, carried, wanted.measures, wanted.sums)) -%}
{%- endif -%}
{%- set errors = sqlmetrics.with_half_width(q, keys + ['mark'], wanted.ratios, sqlmetrics.errors_of_ratios(keys, from, wanted)) -%}
{%- do steps.append(sqlmetrics.step(m.name ~ '_errors', errors, 'one per row of the table: what clusters do to its columns, squared and added up')) -%}
{{ return({'steps': steps, 'joined': m.name ~ '_errors', 'marked': marked, 'ratios': wanted.ratios}) }}
{%- endmacro -%}

{#- What the columns with an interval are made of. `parts` are the columns of units, one per measure; `items` the columns of a row of
    the table, name -> what a unit adds to it; `own` those that a row has to itself, `measures` and `sums` those added up over rows.
    Columns that are one ratio, as tpr and recall, share it, and sums of the same are one measure. -#}
{%- macro products_of_bands(m, clustered) -%}
{%- set sums = m.bands.sums -%}
{%- set part_of = {} -%}
{%- set ratios = [] -%}
{%- set columns_of = {} -%}
{%- set added = [] -%}
{%- for ratio in m.bands.ratios if ratio.column in m.banded -%}
{%- set members = ratio.over + ratio.under -%}
{%- set columns = columns_of.setdefault((ratio.over, ratio.under) | string, []) -%}
{%- do columns.append(ratio.column) -%}
{%- set reaches = [] -%}
{%- for name in members -%}
{%- do reaches.append(sums[name].reach) -%}
{%- do added.append([name, sums[name].reach, part_of.setdefault(sums[name].of, name ~ '_part')]) -%}
{%- endfor -%}
{%- set pairs = [] -%}
{%- for first in members -%}
{%- for second in members[loop.index0:] -%}
{%- set name = ([first, second] | sort) | join('_times_') -%}
{%- set ends = [sums[first].reach, sums[second].reach] -%}
{%- do pairs.append([first, second, name]) -%}
{%- do added.append([name, 'own' if 'own' in ends else 'here' if 'here' in ends else 'all', sqlmetrics.product_of_unit(part_of[sums[first].of], part_of[sums[second].of], ends, clustered)]) -%}
{%- endfor -%}
{%- endfor -%}
{%- set under = sums[ratio.under[0]] -%}
{%- if ratio.under | length == 1 -%}
{#- A cluster is counted where it first has something of the whole. -#}
{%- set part = part_of[under.of] -%}
{%- set counted = 'units_with_' ~ ratio.under[0] -%}
{%- do added.append([counted, under.reach, 'case when ' ~ part ~ ' <> 0' ~ (' and ' ~ part ~ '_here = ' ~ part if clustered and under.reach != 'own') ~ ' then 1 else 0 end']) -%}
{%- else -%}
{%- set reach = 'own' if reaches.count('own') == reaches | length else 'all' -%}
{%- set counted = reach ~ '_units' -%}
{%- do added.append([counted, reach, 'is_first_of_unit' if reach == 'all' else 'has_something']) -%}
{%- endif -%}
{%- if columns | length == 1 -%}
{%- do ratios.append(dict(ratio, columns=columns, number=ratios | length + 1, members=members, pairs=pairs, counted=counted)) -%}
{%- endif -%}
{%- endfor -%}
{%- set wanted = {'ratios': ratios, 'parts': {}, 'items': {}, 'columns': [], 'own': [], 'measures': {}, 'sums': []} -%}
{%- for of, part in part_of.items() -%}{%- do wanted.parts.update({part: of}) -%}{%- endfor -%}
{%- set measure_of = {} -%}
{%- for name, reach, of in added if name not in wanted.columns -%}
{%- do wanted.columns.append(name) -%}
{%- if reach == 'own' -%}
{%- do wanted.own.append(name) -%}
{%- do wanted['items'].update({name: of}) -%}
{%- else -%}
{%- set measure = measure_of.setdefault(of, name) -%}
{%- do wanted['items'].update({measure ~ '_added': of}) -%}
{%- do wanted.measures.update({measure: measure ~ '_added'}) -%}
{%- do wanted.sums.append({'measure': measure, 'reach': reach, 'as': name}) -%}
{%- endif -%}
{%- endfor -%}
{{ return(wanted) }}
{%- endmacro -%}

{#- What a unit adds to the product of two sums in a row of the table. Rows of their own have one part, and nothing before it. -#}
{%- macro product_of_unit(first, second, reaches, clustered) -%}
{%- if clustered and reaches == ['here', 'here'] -%}
{{ return(first ~ '_here * ' ~ second ~ '_here\n        - (' ~ first ~ '_here - ' ~ first ~ ') * (' ~ second ~ '_here - ' ~ second ~ ')') }}
{%- elif not clustered or reaches == ['own', 'own'] -%}
{{ return(first ~ ' * ' ~ second) }}
{%- elif reaches[1] == 'own' or reaches == ['all', 'here'] -%}
{{ return(first ~ '_' ~ reaches[0] ~ ' * ' ~ second) }}
{%- endif -%}
{{ return(first ~ ' * ' ~ second ~ '_' ~ reaches[1]) }}
{%- endmacro -%}

{#- The rows of the table without any unit are there too, where sums go from row to row. Rows without weight are no units. -#}
{%- macro products_of_rows(m, keys, cluster, wanted, direction) -%}
{%- set has_something = wanted.parts | join(' <> 0 or ') ~ ' <> 0' -%}
{%- set flags = [] -%}
{%- for flag in ['is_first_of_unit', 'has_something'] if flag in wanted['items'].values() -%}{%- do flags.append(flag) -%}{%- endfor -%}
{%- set by_cluster = sqlmetrics.over(keys + cluster, 'mark' ~ direction ~ ' rows unbounded preceding') -%}
select
    {{ sqlmetrics.select_list(keys + ['mark']) }},
{%- for name, of in wanted['items'].items() %}
    sum({{ of }}) as {{ name }},
{%- endfor %}
    count(*) as row_count
from (
    select
        {{ (keys + ['mark'] + wanted.parts | list) | join(',\n        ') }}
{%- if cluster and wanted.sums %}
{%- for part in wanted.parts %},
        sum({{ part }}) {{ by_cluster }} as {{ part }}_here,
        sum({{ part }}) {{ sqlmetrics.over(keys + cluster) }} as {{ part }}_all
{%- endfor %}
{%- endif %}
{%- for flag in flags %},
{%- if flag == 'is_first_of_unit' and cluster %}
        case
            when row_number() {{ sqlmetrics.over(keys + cluster, 'mark' ~ direction) }} = 1
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
        {{ (keys + [m.bands.mark]) | join(',\n        ') }}
{%- for part in wanted.parts %},
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
    where {{ m.bands.mark }} is not null
{%- endif %}
) as units_of_rows
{{- sqlmetrics.group_by(keys + ['mark']) }}
{%- endmacro -%}

{#- How fast a ratio of products of sums moves with each, and the sum of the squares of what clusters do. -#}
{%- macro errors_of_ratios(keys, from, wanted) -%}
select
    {{ sqlmetrics.select_list(keys + ['mark']) }}
{%- for ratio in wanted.ratios %}
{%- set n = ratio.number %},
    clusters_{{ n }},
    degrees_of_freedom_{{ n }},
    case
        when squares_{{ n }} > 1e-14 * size_{{ n }} then sqrt(squares_{{ n }} * clusters_{{ n }} / degrees_of_freedom_{{ n }})
        when degrees_of_freedom_{{ n }} > 0 and squares_{{ n }} is not null then 0
    end as error_{{ n }}
{%- endfor %}
from (
    select
        {{ (keys + ['mark']) | join(',\n        ') }}
{%- for ratio in wanted.ratios %}
{%- set n = ratio.number %}
{%- set clusters = sqlmetrics.to_double(ratio.counted) %},
        {{ clusters }} as clusters_{{ n }},
        nullif({{ clusters }} - 1, 0) as degrees_of_freedom_{{ n }},
{%- for first, second, product in ratio.pairs %}
        {{ '+ ' if not loop.first }}{{ '2 * ' if first != second }}slope_{{ n }}_{{ sqlmetrics.position_of(first, ratio.members) }} * slope_{{ n }}_{{ sqlmetrics.position_of(second, ratio.members) }} * {{ product }}
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

{#- How fast a ratio of products of sums moves with one of them. -#}
{%- macro derivative_of_ratio(ratio, name) -%}
{%- set over = ratio.over | reject('equalto', name) | list -%}
{%- set under = ratio.under | join(' * ') ~ ('' if name in ratio.over else ' * ' ~ name) -%}
{{ '' if name in ratio.over else '-' }}({{ over | join(' * ') if over else '1.0' }}) / nullif({{ under }}, 0)
{%- endmacro -%}

{#- What stands beside a column of a table. The first row of a curve, where nothing is called, is known. -#}
{%- macro band_items(q, m, bands, column) -%}
{%- set items = [] -%}
{%- for ratio in bands.ratios if column.name in ratio.columns -%}
{%- set error = {
    'se': bands.joined ~ '.error_' ~ ratio.number,
    'half_width': bands.joined ~ '.half_width_' ~ ratio.number,
    'min_nonzero_clusters': bands.joined ~ '.clusters_' ~ ratio.number if ratio.under | length == 1 else none,
    'tail': q.interval_options.tail,
} -%}
{%- set banded = {'range': [none if column.name in m.bands.below_zero else 0, none if column.name in m.bands.beyond_one else 1], 'interval': m.banded[column.name]} -%}
{%- do items.extend(sqlmetrics.interval_items(banded, m.name ~ '.' ~ column.name, error, known=m.name ~ '.' ~ m.bands.mark ~ ' is null' if m.bands.order == 'desc' else none)) -%}
{%- endfor -%}
{{ return(items) }}
{%- endmacro -%}
