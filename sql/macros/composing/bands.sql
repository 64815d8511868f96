{#- How sure the columns of a table are: a standard error for each row and each column that is a ratio of sums.

    A file says under `intervals` of which sums over the rows of the log its columns are made, and how far each sum reaches: what
    belongs to the table's own row (`own`), this and the rows of the table before it (`here`, as the points of a curve), or the
    whole slice (`all`). The influence of a cluster on a ratio is Σ cᵢ·sᵢ over its own sums s, with the derivatives c of the ratio,
    so that the sum of its squares over clusters is Σ cᵢ·cⱼ·Mᵢⱼ with Mᵢⱼ = Σ sᵢ·sⱼ. Only these products are kept of the clusters.
    Of a curve they are added up from point to point: at each the product of a cluster grows by sᵢ·sⱼ after it less sᵢ·sⱼ before it,
    and that is nothing but where the cluster has rows. So the work is that of the rows, not of clusters times points.

    `mark` is by which a row of the log finds its row of the table: a threshold, a bin or a class. -#}
{%- macro bands_of_table(q, m, f, slicing) -%}
{%- set keys = slicing['keys'] -%}
{%- set cluster = ['cluster_id'] if q.certainty.cluster is not none else [] -%}
{%- set direction = ' desc' if m.bands.order == 'desc' else ' asc' -%}
{%- set marks = m.name ~ '_marks' -%}
{%- set rows = m.name ~ '_rows' -%}
{%- set units = m.name ~ '_units' -%}
{%- set reached = m.name ~ '_units_reached' if cluster else units -%}
{%- set products = m.name ~ '_products' -%}
{%- set in_order = m.name ~ '_up_to_here' -%}
{%- set wholes = m.name ~ '_wholes' -%}
{%- set errors = m.name ~ '_errors' -%}
{%- set wanted = sqlmetrics.sums_of_bands(m) -%}
{%- set parts = [] -%}
{%- for name, sum in wanted.sums.items() if sum.part not in parts -%}{%- do parts.append(sum.part) -%}{%- endfor -%}
{%- set steps = [] -%}

{%- set cells = sqlmetrics.metric_cells(m, f, slicing.rows_from, keys, cluster) -%}
{%- set marked = sqlmetrics.steps_read_by(cells, [marks]) | length > 0 -%}
{%- if marked -%}
{%- do steps.append(sqlmetrics.step(marks, sqlmetrics.marks_of_cells(m, f, slicing.rows_from, keys), 'the rows of the table that the scores of a cell can belong to', stored=true)) -%}
{%- endif -%}
{%- do steps.append(sqlmetrics.step(rows, cells, 'of each row of the log, to which row of the table it belongs')) -%}

{%- set added = [] -%}
{%- for part in parts -%}
{%- set of = wanted.measures[part] -%}
{%- do added.append(sqlmetrics.to_double('sum(' ~ of ~ ')' if cluster else of) ~ ' as ' ~ part ~ '_part') -%}
{%- endfor -%}
{%- set sums_of_units -%}
select
    {{ sqlmetrics.lines(keys + cluster + ['mark'] + added) }}
from {{ rows }}
{{- sqlmetrics.group_by(keys + cluster + ['mark']) if cluster }}
{%- endset -%}
{%- do steps.append(sqlmetrics.step(units, sums_of_units, 'the sums of each cluster in each row of the table' if cluster else 'the sums of each row of the log', stored=cluster | length > 0)) -%}

{%- set carried = ['mark'] -%}
{%- set zeros = [m.bands.mark ~ (' as mark' if m.bands.mark != 'mark' else '')] -%}
{%- set reaching = keys + ['mark'] -%}
{%- for part in parts -%}
{%- do reaching.append(part ~ '_part') -%}
{%- do carried.append(part ~ '_part') -%}
{%- do zeros.append(sqlmetrics.to_double('0') ~ ' as ' ~ part ~ '_part') -%}
{%- if cluster and wanted.wide -%}
{%- do reaching.append('sum(' ~ part ~ '_part) ' ~ sqlmetrics.over(keys + cluster, 'mark' ~ direction ~ ' rows unbounded preceding') ~ ' as ' ~ part ~ '_here') -%}
{%- do reaching.append('sum(' ~ part ~ '_part) ' ~ sqlmetrics.over(keys + cluster) ~ ' as ' ~ part ~ '_all') -%}
{%- for end in ['_here', '_all'] -%}
{%- do carried.append(part ~ end) -%}
{%- do zeros.append(sqlmetrics.to_double('0') ~ ' as ' ~ part ~ end) -%}
{%- endfor -%}
{%- endif -%}
{%- endfor -%}
{%- if cluster and wanted.wide -%}
{%- set sums_reached -%}
select
    {{ sqlmetrics.lines(reaching) }}
from {{ units }}
{%- endset -%}
{%- do steps.append(sqlmetrics.step(reached, sums_reached, 'these, with what the cluster has up to here and in all')) -%}
{%- endif -%}

{%- set multiplied = keys + ['mark'] -%}
{%- for name, sum in wanted.sums.items() if sum.reach != 'all' -%}
{%- do multiplied.append('sum(' ~ sum.part ~ '_part) as ' ~ name ~ ('_added' if sum.reach == 'here' else '')) -%}
{%- endfor -%}
{%- for pair in wanted.pairs if not pair.whole -%}
{%- do multiplied.append('sum(' ~ sqlmetrics.product_in_unit(wanted.sums[pair.first], wanted.sums[pair.second], cluster and wanted.wide) ~ ') as ' ~ pair.name ~ ('_added' if pair.cumulated else '')) -%}
{%- endfor -%}
{#- Of whole slices: of clusters what they have in all, of rows of their own what these add up to in each row of the table. -#}
{%- set of_slices = [] -%}
{%- set of_units = [] -%}
{%- for part in parts -%}{%- do of_units.append('sum(' ~ part ~ '_part) as ' ~ part ~ '_of_unit') -%}{%- endfor -%}
{%- for name, sum in wanted.sums.items() if sum.reach == 'all' -%}
{%- do of_slices.append('sum(' ~ (sum.part ~ '_of_unit' if cluster else name ~ '_added') ~ ') as ' ~ name) -%}
{%- if not cluster -%}{%- do multiplied.append('sum(' ~ sum.part ~ '_part) as ' ~ name ~ '_added') -%}{%- endif -%}
{%- endfor -%}
{#- A cluster is counted up to a row of the table where it first has something. -#}
{%- for name in wanted.counted -%}
{%- set sum = wanted.sums[name] -%}
{%- set first_there = sum.part ~ '_part <> 0' ~ (' and ' ~ sum.part ~ '_here = ' ~ sum.part ~ '_part' if sum.reach == 'here' and cluster else '') -%}
{%- if sum.reach == 'all' -%}
{%- do of_slices.append(sqlmetrics.to_double('sum(' ~ ('case when ' ~ sum.part ~ '_of_unit <> 0 then 1 else 0 end' if cluster else 'units_with_' ~ name ~ '_added') ~ ')') ~ ' as units_with_' ~ name) -%}
{%- endif -%}
{%- if sum.reach != 'all' or not cluster -%}
{%- do multiplied.append(sqlmetrics.to_double('sum(case when ' ~ first_there ~ ' then 1 else 0 end)') ~ ' as units_with_' ~ name ~ ('' if sum.reach == 'own' else '_added')) -%}
{%- endif -%}
{%- endfor -%}
{%- for pair in wanted.pairs if pair.whole -%}
{%- set first = wanted.sums[pair.first].part -%}
{%- set second = wanted.sums[pair.second].part -%}
{%- do of_slices.append('sum(' ~ (first ~ '_of_unit * ' ~ second ~ '_of_unit' if cluster else pair.name ~ '_added') ~ ') as ' ~ pair.name) -%}
{%- if not cluster -%}{%- do multiplied.append('sum(' ~ first ~ '_part * ' ~ second ~ '_part) as ' ~ pair.name ~ '_added') -%}{%- endif -%}
{%- endfor -%}
{#- Rows without weight are none. -#}
{%- set adds_something = [] -%}
{%- set has_something = [] -%}
{%- for part in parts -%}
{%- do adds_something.append(part ~ '_part <> 0') -%}
{%- do has_something.append(part ~ '_of_unit <> 0') -%}
{%- endfor -%}
{%- set source_of_products = reached if wanted.wide else units -%}
{%- set products_of_rows -%}
select
    {{ sqlmetrics.lines(multiplied + [sqlmetrics.to_double('sum(unit)') ~ ' as own_units', 'count(*) as row_count']) }}
from (
    select
        {{ (keys + carried + ['case when ' ~ adds_something | join(' or ') ~ ' then 1 else 0 end as unit']) | join(',\n        ') }}
    from {{ source_of_products }}
{%- if wanted.cumulated %}
    union all
    select
        {{ (keys + zeros + ['0 as unit']) | join(',\n        ') }}
    from {{ m.name }}
    where {{ m.bands.mark }} is not null
{%- endif %}
) as units_of_rows
{{- sqlmetrics.group_by(keys + ['mark']) }}
{%- endset -%}
{%- do steps.append(sqlmetrics.step(products, products_of_rows, 'what their sums and products add up to in each row of the table', stored=wanted.wide and not cluster)) -%}

{%- if wanted.cumulated -%}
{%- set kept = ['mark', 'own_units'] -%}
{%- set measures = {} -%}
{%- set sums = [] -%}
{%- for name, sum in wanted.sums.items() if sum.reach == 'own' -%}{%- do kept.append(name) -%}{%- endfor -%}
{%- for name in wanted.counted if wanted.sums[name].reach == 'own' -%}{%- do kept.append('units_with_' ~ name) -%}{%- endfor -%}
{%- for pair in wanted.pairs if not pair.whole and not pair.cumulated -%}{%- do kept.append(pair.name) -%}{%- endfor -%}
{%- for name in wanted.cumulated -%}
{%- do measures.update({name: name ~ '_added'}) -%}
{%- do kept.append(name ~ '_added') -%}
{%- do sums.append({'measure': name, 'reach': 'here', 'as': name}) -%}
{%- endfor -%}
{%- do steps.extend(sqlmetrics.running_sums(dict(f, cte=in_order, rows='these, up to each row of the table'), products, keys, 'mark', direction, kept + ['row_count'], measures, sums)) -%}
{%- endif -%}

{%- if wanted.wide -%}
{%- set whole_slices -%}
select
    {{ sqlmetrics.lines(keys + of_slices + [(sqlmetrics.to_double('sum(case when ' ~ has_something | join(' or ') ~ ' then 1 else 0 end)') if cluster else 'sum(own_units)') ~ ' as all_units']) }}
{%- if cluster %}
from (
    select
        {{ (keys + of_units) | join(',\n        ') }}
    from {{ units }}
    {{- sqlmetrics.indented(sqlmetrics.group_by(keys + cluster)) }}
) as whole_units
{%- else %}
from {{ products }}
{%- endif %}
{{- sqlmetrics.group_by(keys) }}
{%- endset -%}
{%- do steps.append(sqlmetrics.step(wholes, whole_slices, 'the sums and products of whole clusters' if cluster else 'the sums and products of whole slices')) -%}
{%- endif -%}

{%- set places = in_order if wanted.cumulated else products -%}
{%- set joined = sqlmetrics.keys_of('places', keys) + ['places.mark as mark'] -%}
{%- set known = keys + ['mark'] -%}
{%- for name, sum in wanted.sums.items() -%}
{%- do joined.append(('wholes.' if sum.reach == 'all' else 'places.') ~ name ~ ' as ' ~ name) -%}
{%- do known.append(name) -%}
{%- if name in wanted.counted -%}
{%- do joined.append(('wholes.' if sum.reach == 'all' else 'places.') ~ 'units_with_' ~ name ~ ' as units_with_' ~ name) -%}
{%- do known.append('units_with_' ~ name) -%}
{%- endif -%}
{%- endfor -%}
{%- for pair in wanted.pairs -%}
{%- do joined.append(('wholes.' if pair.whole else 'places.') ~ pair.name ~ ' as ' ~ pair.name) -%}
{%- do known.append(pair.name) -%}
{%- endfor -%}
{%- do joined.append('places.own_units as own_units') -%}
{%- do known.append('own_units') -%}
{%- if wanted.wide -%}
{%- do joined.append('wholes.all_units as all_units') -%}
{%- do known.append('all_units') -%}
{%- endif -%}
{%- set derivatives = [] -%}
{%- set spreads = keys + ['mark'] -%}
{%- set squared = keys + ['mark'] -%}
{%- set numbered = [] -%}
{%- for ratio in wanted.ratios -%}
{%- set number = loop.index -%}
{%- set members = ratio.over + ratio.under -%}
{%- for name in members -%}
{%- do derivatives.append(sqlmetrics.derivative_of_ratio(ratio, name) ~ ' as slope_' ~ number ~ '_' ~ loop.index) -%}
{%- endfor -%}
{%- set terms = [] -%}
{%- set sizes = [] -%}
{%- for pair in wanted.pairs if pair.first in members and pair.second in members -%}
{%- set slopes = 'slope_' ~ number ~ '_' ~ (sqlmetrics.position_of(pair.first, members)) ~ ' * slope_' ~ number ~ '_' ~ (sqlmetrics.position_of(pair.second, members)) ~ ' * ' ~ pair.name -%}
{%- do terms.append(slopes if pair.first == pair.second else '2 * ' ~ slopes) -%}
{%- if pair.first == pair.second -%}{%- do sizes.append(slopes) -%}{%- endif -%}
{%- endfor -%}
{%- set count = 'units_with_' ~ ratio.under[0] if ratio.under | length == 1 else 'all_units' if ratio.wide else 'own_units' -%}
{%- do squared.extend([
    count ~ ' as clusters_' ~ number,
    'nullif(' ~ count ~ ' - 1, 0) as degrees_' ~ number,
    terms | join(' + ') ~ ' as squares_' ~ number,
    sizes | join(' + ') ~ ' as size_' ~ number,
]) -%}
{%- do spreads.extend([
    'clusters_' ~ number,
    'degrees_' ~ number,
    'case when squares_' ~ number ~ ' > 1e-14 * size_' ~ number ~ ' then sqrt(squares_' ~ number ~ ' * clusters_' ~ number ~ ' / degrees_' ~ number ~ ') when degrees_' ~ number ~ ' > 0 and squares_' ~ number ~ ' is not null then 0 end as error_' ~ number,
]) -%}
{%- do numbered.append({'number': number}) -%}
{%- endfor -%}
{%- set same = sqlmetrics.same_keys('places', 'wholes', keys) -%}
{%- set spread -%}
select
    {{ sqlmetrics.lines(spreads) }}
from (
    select
        {{ squared | join(',\n        ') }}
    from (
        select
            {{ (known + derivatives) | join(',\n            ') }}
        from (
            select
                {{ joined | join(',\n                ') }}
            from {{ places }} as places
{%- if wanted.wide %}
            inner join {{ wholes }} as wholes
                on {{ same | join('\n                and ') if same else '1 = 1' }}
{%- endif %}
        ) as sums_and_products
    ) as slopes
) as squares
{%- endset -%}
{%- do steps.append(sqlmetrics.step(errors, sqlmetrics.with_reach(q, keys + ['mark'], numbered, spread), 'one per row of the table: what clusters do to its columns, squared and added up')) -%}
{{ return({'steps': steps, 'joined': errors, 'marked': marked, 'ratios': wanted.ratios, 'from_nothing': wanted.cumulated | length > 0}) }}
{%- endmacro -%}

{#- Of the columns of a table that get an interval: the sums that they are made of, each with the measure whose parts it adds up,
    and the products of two of them; `counted`: those of which a column is a part, of which it is known how many units have any. -#}
{%- macro sums_of_bands(m) -%}
{%- set ratios = [] -%}
{%- set sums = {} -%}
{%- set measures = {} -%}
{%- set pairs = [] -%}
{%- set named = [] -%}
{%- set cumulated = [] -%}
{%- set counted = [] -%}
{%- set wide = [] -%}
{%- for ratio in m.bands.ratios if ratio.column in m.banded -%}
{%- set beyond = [] -%}
{%- for name in ratio.over + ratio.under -%}
{%- set declared = m.bands.sums[name] -%}
{%- if declared.reach != 'own' -%}{%- do beyond.append(name) -%}{%- endif -%}
{%- if name not in sums -%}
{%- set same = [] -%}
{%- for part, of in measures.items() if of == declared.of -%}{%- do same.append(part) -%}{%- endfor -%}
{%- if not same -%}{%- do measures.update({name: declared.of}) -%}{%- endif -%}
{%- do sums.update({name: {'part': same[0] if same else name, 'reach': declared.reach}}) -%}
{%- if declared.reach == 'here' -%}{%- do cumulated.append(name) -%}{%- endif -%}
{%- endif -%}
{%- endfor -%}
{%- if ratio.under | length == 1 and ratio.under[0] not in counted -%}
{%- do counted.append(ratio.under[0]) -%}
{%- if sums[ratio.under[0]].reach == 'here' -%}{%- do cumulated.append('units_with_' ~ ratio.under[0]) -%}{%- endif -%}
{%- endif -%}
{%- do wide.extend(beyond) -%}
{%- do ratios.append(dict(ratio, wide=beyond | length > 0)) -%}
{%- endfor -%}
{%- for ratio in ratios -%}
{%- set members = ratio.over + ratio.under -%}
{%- for first in sums if first in members -%}
{%- for second in sums if second in members -%}
{%- set name = first ~ '_times_' ~ second -%}
{%- if name not in named and second ~ '_times_' ~ first not in named -%}
{%- set reaches = [sums[first].reach, sums[second].reach] -%}
{%- set adds_up = 'here' in reaches and 'own' not in reaches -%}
{%- do named.append(name) -%}
{%- do pairs.append({'name': name, 'first': first, 'second': second, 'whole': reaches == ['all', 'all'], 'cumulated': adds_up}) -%}
{%- if adds_up -%}{%- do cumulated.append(name) -%}{%- endif -%}
{%- endif -%}
{%- endfor -%}
{%- endfor -%}
{%- endfor -%}
{{ return({'ratios': ratios, 'sums': sums, 'measures': measures, 'pairs': pairs, 'cumulated': cumulated, 'counted': counted, 'wide': wide | length > 0}) }}
{%- endmacro -%}

{#- What a unit adds to the product of two sums in a row of the table. Rows of their own have one part, and nothing before it. -#}
{%- macro product_in_unit(first, second, clustered) -%}
{%- set ends = {'own': '_part', 'here': '_here', 'all': '_all'} if clustered else {'own': '_part', 'here': '_part', 'all': '_part'} -%}
{%- if clustered and first.reach == 'here' and second.reach == 'here' -%}
{{ return(first.part ~ '_here * ' ~ second.part ~ '_here - (' ~ first.part ~ '_here - ' ~ first.part ~ '_part) * (' ~ second.part ~ '_here - ' ~ second.part ~ '_part)') }}
{%- elif first.reach == 'here' and second.reach == 'all' -%}
{{ return(first.part ~ '_part * ' ~ second.part ~ ends['all']) }}
{%- elif first.reach == 'all' and second.reach == 'here' -%}
{{ return(first.part ~ ends['all'] ~ ' * ' ~ second.part ~ '_part') }}
{%- endif -%}
{{ return(first.part ~ ends[first.reach] ~ ' * ' ~ second.part ~ ends[second.reach]) }}
{%- endmacro -%}

{#- How fast a ratio of products of sums moves with one of them. -#}
{%- macro derivative_of_ratio(ratio, name) -%}
{%- set over = [] -%}
{%- for other in ratio.over if other != name -%}{%- do over.append(other) -%}{%- endfor -%}
{%- if name in ratio.over -%}
{{ return((over or ['1.0']) | join(' * ') ~ ' / nullif(' ~ ratio.under | join(' * ') ~ ', 0)') }}
{%- endif -%}
{{ return('-(' ~ over | join(' * ') ~ ') / nullif(' ~ (ratio.under + [name]) | join(' * ') ~ ', 0)') }}
{%- endmacro -%}

{#- What stands beside a column of a table. The first row of a curve, where nothing is called, is known. -#}
{%- macro band_items(q, m, bands, column) -%}
{%- set items = [] -%}
{%- for ratio in bands.ratios -%}
{%- if ratio.column == column.name -%}
{%- set number = loop.index -%}
{%- set error = bands.joined ~ '.error_' ~ number -%}
{%- set reach = bands.joined ~ '.reach_' ~ number -%}
{%- set known = m.name ~ '.' ~ m.bands.mark ~ ' is null' if bands.from_nothing else none -%}
{%- set range = [0, none if column.name in m.bands.beyond_one else 1] -%}
{%- set found = {'reach': reach, 'se': error, 'tail': q.certainty.tail} -%}
{%- if ratio.under | length == 1 -%}{%- do found.update({'scarcest': bands.joined ~ '.clusters_' ~ number}) -%}{%- endif -%}
{%- do items.extend(sqlmetrics.interval_items({'range': range, 'interval': m.banded[column.name]}, m.name ~ '.' ~ column.name, found, known=known)) -%}
{%- endif -%}
{%- endfor -%}
{{ return(items) }}
{%- endmacro -%}
