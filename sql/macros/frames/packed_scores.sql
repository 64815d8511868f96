{#-
title: packed scores
rows: one per slice, and, where intervals are asked for, cluster
state: scores
counts: sum(row_count)
columns: pos, neg, negatives_above (over the positives, the negatives with a higher score, those with the same by half), row_count; of clusters positives_above, too (over the negatives), and only what the two tell together
-#}

{#- The ranks of DuckDB's at two thirds of their price. What is sorted has eight bytes and nothing beside it: the slice and a
    cell of the score, of which there are 2⁴⁷ in all slices together, and the truth as the last bit. So the negatives of a cell
    come first, as if they were below its positives. That is put right where a cell holds both, which is rare where scores
    differ: those are read again and ranked by their scores. Columns of four and of two bytes, because a value of eight has a
    key of nine, for NULL, and DuckDB sorts a key of sixteen at twice the price.

    A window without an order counts the rows as they come out of the sort, which takes less time than a window that sorts.
    DuckDB documents that it keeps their order; should a row ever come out of its place, the statement ends with an error.

    It counts in one thread. Sums by cluster take as long as the sort, so for these the cells are sorted in two halves, each
    counted and added up in a thread of its own; the places of the upper half begin behind the lower one. And a row tells one
    number: of a positive the negatives below it, of a negative, taken off, the positives below it. An influence wants no more,
    and each sum of a cluster costs as much as a twentieth of the sort. -#}
{%- macro packed_scores(f, rows_from, keys) -%}
{%- if f.two_level -%}
{{ return(sqlmetrics.sums_of_ranks_in_cells(f, rows_from, keys)) }}
{%- endif -%}
{%- if not f.tied_models and not (f.placed and f.models_apart) -%}
{{ return(sqlmetrics.packed_ranks(f, f.cte, rows_from, keys)) }}
{%- endif -%}
{%- set steps = [] -%}
{%- set ends = [] -%}
{%- set read = [] -%}
{%- for part in sqlmetrics.parts_of_models(f, rows_from, keys) -%}
{%- set g = dict(f, where='', suffix=f.suffix ~ part.suffix, ranged_scores=part.ranged_scores) -%}
{%- set ranks = sqlmetrics.counts_of_scores(g, part.rows.name, part['keys']) if part.tied else sqlmetrics.packed_ranks(g, 'packed_ranks' ~ g.suffix, part.rows.name, part['keys']) -%}
{%- do steps.extend([part.rows] + ranks) -%}
{%- do ends.append({'slice': part.slice, 'cte': ranks[-1].name}) -%}
{%- do read.append(ranks[-1].name) -%}
{%- endfor -%}
{%- set packed_scores -%}
{%- for end in ends -%}
select
    {{ sqlmetrics.lines([end.slice] + (f.placed or []) + ['pos', 'neg', 'row_count', 'negatives_above'] + (['positives_above'] if f.placed else [])) }}
from {{ end.cte }}
{%- if not loop.last %}
union all
{% endif -%}
{%- endfor -%}
{%- endset -%}
{{ return(steps + [sqlmetrics.step(f.cte, packed_scores, 'one per slice' ~ (' and cluster' if f.placed else ''), read)]) }}
{%- endmacro -%}

{#- The same of a cluster's tasks, none of which sees all rows: every row is sent once, to its cell, where it is ranked. What a cell
    has is one row, and what lies above it is added up over cells. All rows of one score are of one cell. -#}
{%- macro sums_of_ranks_in_cells(f, rows_from, keys) -%}
{%- set labelled = 'labelled_scores' ~ f.suffix -%}
{%- set in_cells = 'scores_in_cells' ~ f.suffix -%}
{%- set ranks = 'ranks_in_cells' ~ f.suffix -%}
{%- set cells = 'sums_of_cells' ~ f.suffix -%}
{%- set cell_keys = keys + ['cell'] -%}
{%- set by_score = sqlmetrics.over(cell_keys, 'score desc') -%}
{%- set above = sqlmetrics.over(keys, 'cell desc rows between unbounded preceding and 1 preceding') -%}
{%- set scores_in_cells -%}
select
    {{ sqlmetrics.lines(keys + ['pos', 'score', sqlmetrics.indented(sqlmetrics.cell_of('score')) ~ ' as cell']) }}
from {{ labelled }}
{%- endset -%}
{%- set ranks_in_cells -%}
select
    {{ sqlmetrics.lines(cell_keys + [
        'pos',
        'rank() ' ~ by_score ~ ' - 1 as rows_above',
        'count(*) ' ~ by_score ~ ' as rows_through',
    ]) }}
from {{ in_cells }}
{%- endset -%}
{%- set sums_of_cells -%}
select
    {{ sqlmetrics.lines(cell_keys + [
        'count(*) as row_count',
        sqlmetrics.to_double('sum(pos)') ~ ' as pos',
        sqlmetrics.to_double('count(*) - sum(pos)') ~ ' as neg',
        'sum(case when pos = 1 then ' ~ sqlmetrics.to_double('rows_above + rows_through') ~ ' else 0 end) / 2 - ' ~ sqlmetrics.square(sqlmetrics.to_double('sum(pos)')) ~ ' / 2 as negatives_above',
    ]) }}
from {{ ranks }}
{{- sqlmetrics.group_by(cell_keys) }}
{%- endset -%}
{%- set packed_scores -%}
select
    {{ sqlmetrics.lines(keys + [
        'sum(pos) as pos',
        'sum(neg) as neg',
        'sum(row_count) as row_count',
        'sum(negatives_above + pos * negatives_of_cells_above) as negatives_above',
    ]) }}
from (
    select
        {{ (keys + [
            'row_count',
            'pos',
            'neg',
            'negatives_above',
            'coalesce(sum(neg) ' ~ above ~ ', 0) as negatives_of_cells_above',
        ]) | join(',\n        ') }}
    from {{ cells }}
) as cells_in_order
{{- sqlmetrics.group_by(keys) }}
{%- endset -%}
{{ return([
    sqlmetrics.labelled_scores_step(f, labelled, rows_from, keys),
    sqlmetrics.step(in_cells, scores_in_cells, 'the cell of every row', [labelled]),
    sqlmetrics.step(ranks, ranks_in_cells, 'the rank of a row in its cell', [in_cells]),
    sqlmetrics.step(cells, sums_of_cells, 'one per cell', [ranks]),
    sqlmetrics.step(f.cte, packed_scores, 'one per slice', [cells]),
]) }}
{%- endmacro -%}

{#- Of models of few scores (`tied_models` has their numbers) the rows of each score are counted, which takes no sort; packed, each of
    their cells would be a mixed one. Where models are all the slices there are, each goes its own way: what clusters have of one
    slice the engine adds up in an array. -#}
{%- macro parts_of_models(f, rows_from, keys) -%}
{%- set parts = [] -%}
{%- for number in f.models_apart -%}
{%- do parts.append({
    'suffix': '_of_model_' ~ number,
    'keys': [],
    'slice': number ~ ' as ' ~ keys[0],
    'tied': number in f.tied_models,
    'ranged_scores': ['score_' ~ number],
    'rows': sqlmetrics.rows_of_models(f, 'observations', [], 'rows_of_model_' ~ number, 'model_id = ' ~ number, 'the rows that count, of a model', []),
}) -%}
{%- endfor -%}
{%- if parts -%}
{{ return(parts) }}
{%- endif -%}
{%- set tied = '(select slice_id from slices where model_id in (' ~ f.tied_models | join(', ') ~ '))' -%}
{{ return([
    {'suffix': '', 'keys': keys, 'slice': keys[0], 'tied': false, 'ranged_scores': f.ranged_scores,
     'rows': sqlmetrics.rows_of_models(f, rows_from, keys, 'rows_of_many_scores', keys[0] ~ ' not in ' ~ tied, 'the rows of models whose scores differ', ['slices'])},
    {'suffix': '', 'keys': keys, 'slice': keys[0], 'tied': true, 'ranged_scores': [],
     'rows': sqlmetrics.rows_of_models(f, rows_from, keys, 'rows_of_few_scores', keys[0] ~ ' in ' ~ tied, 'the rows of models of few scores', ['slices'])},
]) }}
{%- endmacro -%}

{%- macro rows_of_models(f, rows_from, keys, name, condition, title, reads) -%}
{%- set rows_of_models -%}
select
    {{ sqlmetrics.lines(keys + (f.placed or []) + ['pos', 'score']) }}
from {{ rows_from }}
{{- f.where }}
{{ 'and' if f.where else 'where' }} {{ condition }}
{%- endset -%}
{{ return(sqlmetrics.step(name ~ f.suffix, rows_of_models, title, [rows_from] + reads)) }}
{%- endmacro -%}

{%- macro counts_of_scores(f, rows_from, keys) -%}
{%- set scores = 'counts_of_scores' ~ f.suffix -%}
{%- set places = 'places_of_scores' ~ f.suffix -%}
{%- set counted = 'counted_scores' ~ f.suffix -%}
{%- set carried = f.placed or [] -%}
{%- set named = [] -%}
{%- for key in keys + carried -%}{%- do named.append('scored.' ~ key) -%}{%- endfor -%}
{%- set from_above = sqlmetrics.over(keys, 'score desc rows unbounded preceding') -%}
{%- set counts_of_scores -%}
select
    {{ sqlmetrics.lines(keys + [
        'score',
        'sum(pos) as pos',
        'count(*) - sum(pos) as neg',
        'count(*) as row_count',
    ]) }}
from {{ rows_from }}
{{- sqlmetrics.group_by(keys + ['score']) }}
{%- endset -%}
{%- set places_of_scores -%}
select
    {{ sqlmetrics.lines(keys + [
        'score',
        'pos',
        'neg',
        'row_count',
        'sum(neg) ' ~ from_above ~ ' - neg / 2 as negatives_above',
        'sum(pos) ' ~ from_above ~ ' - pos / 2 as positives_above',
    ]) }}
from {{ scores }}
{%- endset -%}
{%- set of_clusters -%}
select
    {{ sqlmetrics.lines(sqlmetrics.keys_of('scored', keys + carried) + [
        'sum(scored.pos) as pos',
        'count(*) - sum(scored.pos) as neg',
        'count(*) as row_count',
        'sum(scored.pos * scores.negatives_above) as negatives_above',
        'sum((1 - scored.pos) * scores.positives_above) as positives_above',
    ]) }}
from {{ rows_from }} as scored
inner join {{ places }} as scores
    on {{ (sqlmetrics.same_keys('scored', 'scores', keys) + ['scored.score = scores.score']) | join('\n    and ') }}
group by
    {{ sqlmetrics.lines(named) }}
{%- endset -%}
{%- set of_slices -%}
select
    {{ sqlmetrics.lines(keys + [
        'sum(pos) as pos',
        'sum(neg) as neg',
        'cast(sum(row_count) as bigint) as row_count',
        'sum(pos * negatives_above) as negatives_above',
    ]) }}
from {{ places }}
{%- if keys %}
{{- sqlmetrics.group_by(keys) }}
{%- else %}
having count(*) > 0
{%- endif %}
{%- endset -%}
{{ return([
    sqlmetrics.step(scores, counts_of_scores, 'one per distinct score', [rows_from]),
    sqlmetrics.step(places, places_of_scores, 'one per distinct score, with what is above it, what it shares by half', [scores], stored=carried | length > 0),
    sqlmetrics.step(counted, of_clusters if carried else of_slices, 'one per slice' ~ (' and cluster' if carried else ''), [rows_from, places] if carried else [places]),
]) }}
{%- endmacro -%}

{%- macro packed_ranks(f, cte, rows_from, keys) -%}
{%- set range = 'packed_range' ~ f.suffix -%}
{%- set packed = 'packed_rows' ~ f.suffix -%}
{%- set lower = 'lower_half' ~ f.suffix -%}
{%- set sorted = 'sorted_rows' ~ f.suffix -%}
{%- set sums = 'sums_of_places' ~ f.suffix -%}
{%- set mixed = 'mixed_cells' ~ f.suffix -%}
{%- set rows_of_mixed = 'mixed_rows' ~ f.suffix -%}
{%- set carried = f.placed or [] -%}
{%- set ranks = dict(f, cte='mixed_ranks' ~ f.suffix, suffix='_mixed' ~ f.suffix, rows='one per row of such a cell', where='', uses=['totals', 'positives_around'] if carried else [], params={}, ranked=false) -%}
{%- set corrected = 'mixed_pairs' ~ f.suffix -%}
{#- Rows and positives of clusters are counted in one number of sixteen bytes, positives above so many bits: a sum less for each row. -#}
{%- set bits_of_rows = 40 -%}
{%- set sorted_rows -%}
{%- for half in (['lower', 'upper'] if carried else ['']) -%}
{%- set place, positives_to_here = 'row_number() over ()', 'count(*) filter (packed_key & 1 = 1) over (rows between unbounded preceding and current row)' -%}
{%- set behind = half == 'upper' -%}
select
    {{ sqlmetrics.lines(carried + ['packed_key'] + ([] if carried else [place ~ ' as place']) + [
        'lag(packed_key) over () as key_before',
    ] + ([
        sqlmetrics.to_double('(packed_key & 1) * ' ~ ('(lower_rows + ' ~ place ~ ')' if behind else place) ~ (' - lower_positives' if behind) ~ ' - ' ~ positives_to_here) ~ ' as balance',
    ] if carried else [])) }}
from ({{ sqlmetrics.keys_in_order(packed, carried, ('' if behind else 'not ') ~ 'is_upper' if carried else '') | indent(4) }}) as in_order
{%- if behind %}
cross join {{ lower }}
{%- elif carried %}
union all
{% endif -%}
{%- endfor -%}
{%- endset -%}
{#- Every row is counted: a condition would be asked of the rows as they are made, too. -#}
{%- set lower_half -%}
select
    count(*) filter (not is_upper) as lower_rows,
    count(*) filter (not is_upper and low & 1 = 1) as lower_positives
from {{ packed }}
{%- endset -%}
{#- Where nothing is asked of single rows, only positives are read, and the end of each slice, which counts as one: of a log of
    clicks few rows come that far. Of clusters every row is counted, and each question that is asked of it takes a fiftieth of
    the time: what came out of its order stands among the cells of both sides, as one that there is not. -#}
{%- set slice = ['packed_key // (2 * cells) + 1 as ' ~ keys[0]] if keys else [] -%}
{%- set sums_of_places -%}
select
    {{ sqlmetrics.lines(slice + carried + ([
        'sum(1 + (packed_key & 1) * ' ~ 2 ** bits_of_rows ~ ') as rows_and_positives',
        'sum(balance) as balance',
        'list(case when packed_key < key_before then -1 else packed_key >> 1 end) filter (packed_key <> key_before and packed_key <= key_before + (packed_key & 1)) as mixed_cells',
    ] if carried else [
        'max(place) as end_of_slice',
        'count(*) filter (packed_key & 1 = 1) - 1 as positives',
        'sum(place) filter (packed_key & 1 = 1) - max(place) as places_of_positives',
        'count(*) filter (packed_key < key_before) as out_of_place',
        'list(packed_key >> 1) filter (packed_key - key_before = 1 and packed_key & 1 = 1) as mixed_cells',
    ])) }}
from {{ sorted }}
{%- if keys %}
cross join {{ range }}
{%- endif %}
{%- if not carried %}
where packed_key & 1 = 1
    or packed_key < key_before
{%- endif %}
{%- if keys or carried %}
{{- sqlmetrics.group_by((['1'] if keys else []) + carried) }}
{%- endif %}
{%- endset -%}
{%- set sums_of_clusters -%}
select
    {{ sqlmetrics.lines(keys + carried + [
        'cast(rows_and_positives & ' ~ (2 ** bits_of_rows - 1) ~ ' as bigint) as row_count',
        'cast(rows_and_positives >> ' ~ bits_of_rows ~ ' as bigint) as positives',
        'balance',
        'mixed_cells',
    ]) }}
from (
    {{ sums_of_places | indent(4) }}
) as counted
{%- endset -%}
{%- set mixed_cells -%}
select
    unnest(mixed_cells) as cell
from {{ sums }}
{%- endset -%}
{%- set mixed_pairs -%}
{%- if carried -%}
select
    {{ sqlmetrics.lines(keys + carried + [
        'sum(pos * (rows_above - positives_above_less_below + share_through * (positives + negatives) - positives) / 2) as negatives_above',
        'sum(neg * (positives_above_less_below - positives) / 2) as positives_above',
    ]) }}
from {{ ranks.cte }}
{{- sqlmetrics.group_by(keys + carried) }}
{%- else -%}
select
    {{ sqlmetrics.lines(keys + ['sum(negatives_above) as negatives_above']) }}
from (
    select
        {{ (keys + ['cell', (sqlmetrics.negatives_above() | indent(8)) ~ ' as negatives_above']) | join(',\n        ') }}
    from {{ ranks.cte }}
    group by
        {{ (keys + ['cell']) | join(',\n        ') }}
) as mixed
{{- sqlmetrics.group_by(keys) }}
{%- endif -%}
{%- endset -%}
{%- set packed_scores = sqlmetrics.packed_clusters(f, sums, corrected, keys) if carried else sqlmetrics.packed_slices(sums, corrected, keys) -%}
{%- set halves = [sqlmetrics.step(lower, lower_half, 'what is below the upper half', [packed], stored=true)] if carried else [] -%}
{{ return(sqlmetrics.packed_rows(f, rows_from, keys, ends=not carried) + halves + [
    sqlmetrics.step(sorted, sorted_rows, 'one per row, by slice, cell and truth', [packed, packed, lower] if carried else [packed]),
    sqlmetrics.step(sums, sums_of_clusters if carried else sums_of_places, 'one per slice' ~ (' and cluster' if carried else ''), [sorted] + ([range] if keys else []), stored=true),
    sqlmetrics.step(mixed, mixed_cells, 'cells with positives and negatives', [sums]),
    sqlmetrics.step(rows_of_mixed, sqlmetrics.rows_in_cells(f, rows_from, keys, sqlmetrics.one_of_cells(mixed)), 'the rows in such cells', [rows_from, range, mixed]),
] + sqlmetrics.ranked_scores(ranks, rows_of_mixed, keys + ['cell']) + [
    sqlmetrics.step(corrected, mixed_pairs, 'the negatives of such a cell that are above its positives after all', [ranks.cte]),
    sqlmetrics.step(cte, packed_scores, 'one per slice' ~ (' and cluster' if carried else ''), [sums, corrected] + ([sums] if carried else [])),
]) }}
{%- endmacro -%}

{#- The same sort for what is read off at the scores of positives. Of the rows as they come out of it the positives are kept, of
    which there are few in a log of clicks, and where a slice begins and ends. A positive that shares its cell is placed by
    its score, as above. The score of one that does not, where a metric wants to know it, is that of the only row of its cell. The
    other rows are one, the end of the curve. -#}
{%- macro thresholds_of_packed_scores(f, rows_from, keys) -%}
{%- set range = 'packed_range' ~ f.suffix -%}
{%- set kept = 'kept_rows' ~ f.suffix -%}
{%- set totals = 'totals_of_places' ~ f.suffix -%}
{%- set shared = 'shared_cells' ~ f.suffix -%}
{%- set rows_of_shared = 'rows_of_shared_cells' ~ f.suffix -%}
{%- set inside = 'scores_in_cells' ~ f.suffix -%}
{%- set placed = 'scores_of_positives' ~ f.suffix -%}
{%- set ranks = dict(f, cte=inside, suffix='_in_cells' ~ f.suffix, rows='one per distinct score of such a cell', where='', uses=[]) -%}
{%- set with_score = 'score' in f.uses -%}
{%- set slice = 'packed_key // (2 * cells)' -%}
{%- set kept_rows -%}
select
    {{ sqlmetrics.lines(([slice ~ ' + 1 as ' ~ keys[0]] if keys else []) + [
        'packed_key >> 1 as cell',
        'packed_key & 1 as pos',
        'place',
        'sum(packed_key & 1) over (order by place asc rows between unbounded preceding and current row) as positives_to_here',
        '(packed_key >> 1 = key_before >> 1 or packed_key >> 1 = key_after >> 1) is true as is_shared',
        '(packed_key < key_before) is true as is_out_of_place',
    ]) }}
from (
    select
        packed_key,
        row_number() over () as place,
        lag(packed_key) over () as key_before,
        lead(packed_key) over () as key_after
    from ({{ sqlmetrics.keys_in_order('packed_rows' ~ f.suffix, []) | indent(8) }}    ) as in_order
) as in_order
{%- if keys %}
cross join {{ range }}
{%- endif %}
where packed_key & 1 = 1
    or packed_key < key_before
    or key_before is null
    or key_after is null
{%- if keys %}
    or {{ slice }} <> key_before // (2 * cells)
    or {{ slice }} <> key_after // (2 * cells)
{%- endif %}
{%- endset -%}
{%- set totals_of_places -%}
select
    {{ sqlmetrics.lines(keys + ['row_count', 'positives']) }},
    {{ sqlmetrics.if_in_order('positives_through', 'out_of_place') | indent(4) }} as positives_through,
    last_place - positives_through as negatives_through
from (
    select
        {{ (keys + [
            'max(place) as last_place',
            'max(place) - min(place) + 1 as row_count',
            'sum(pos) as positives',
            'max(positives_to_here) as positives_through',
            'count(*) filter (is_out_of_place) as out_of_place',
        ]) | join(',\n        ') }}
    from {{ kept }}
    {{ (sqlmetrics.group_by(keys) if keys else '\nhaving count(*) > 0') | indent(4) | trim }}
) as counted
{%- endset -%}
{%- set shared_cells -%}
select
    cell,
    max(positives_to_here) as positives_to_here,
    max(place - positives_to_here) as negatives_to_here
from {{ kept }}
where pos = 1
    and is_shared
group by
    cell
{%- endset -%}
{%- set scores_of_positives -%}
select
    {{ sqlmetrics.lines(sqlmetrics.keys_of(inside, keys) + (['score'] if with_score else []) + [
        'pos',
        'neg',
        'positives_to_here - true_positives as positives_below',
        'negatives_to_here - false_positives as negatives_below',
    ]) }}
from {{ inside }}
inner join {{ shared }}
    on {{ inside }}.cell = {{ shared }}.cell
where pos > 0
union all
select
    {{ sqlmetrics.lines(sqlmetrics.keys_of('kept', keys) + (['positives.score'] if with_score else []) + [
        '1 as pos',
        '0 as neg',
        'positives_to_here - 1 as positives_below',
        'place - positives_to_here as negatives_below',
    ]) }}
from {{ kept }} as kept
{%- if with_score %}
inner join (
    {{ sqlmetrics.rows_in_cells(f, rows_from, keys, 'pos = 1') | indent(4) }}
) as positives
    on kept.cell = positives.cell
{%- endif %}
where kept.pos = 1
    and not is_shared
{%- endset -%}
{%- set positives = sqlmetrics.to_double('positives') -%}
{%- set negatives = sqlmetrics.to_double('row_count - positives') -%}
{%- set here = [
    sqlmetrics.to_double('pos') ~ ' as pos',
    sqlmetrics.to_double('neg') ~ ' as neg',
    sqlmetrics.to_double('positives_through - positives_below') ~ ' as true_positives',
    sqlmetrics.to_double('negatives_through - negatives_below') ~ ' as false_positives',
] -%}
{%- set end = [
    sqlmetrics.to_double('0') ~ ' as pos',
    sqlmetrics.to_double('row_count - positives - coalesce(negatives_placed, 0)') ~ ' as neg',
    positives ~ ' as true_positives',
    negatives ~ ' as false_positives',
] -%}
{%- if 'above' in f.uses -%}
{%- do here.append(sqlmetrics.to_double('positives_through - positives_below - pos') ~ ' as true_positives_above') -%}
{%- do here.append(sqlmetrics.to_double('negatives_through - negatives_below - neg') ~ ' as false_positives_above') -%}
{%- do end.append(positives ~ ' as true_positives_above') -%}
{%- do end.append(sqlmetrics.to_double('coalesce(negatives_placed, 0)') ~ ' as false_positives_above') -%}
{%- endif -%}
{%- set thresholds -%}
select
    {{ sqlmetrics.lines(sqlmetrics.keys_of('placed', keys) + (['score'] if with_score else []) + here + [
        positives ~ ' as positives',
        negatives ~ ' as negatives',
        'cast(pos + neg as bigint) as row_count',
    ]) }}
from {{ placed }} as placed
{%- if keys %}
inner join {{ totals }} as totals
    on {{ sqlmetrics.same_keys('placed', 'totals', keys) | join('\n    and ') }}
{%- else %}
cross join {{ totals }} as totals
{%- endif %}
union all
select
    {{ sqlmetrics.lines(sqlmetrics.keys_of('totals', keys) + ([sqlmetrics.to_double('null') ~ ' as score'] if with_score else []) + end + [
        positives ~ ' as positives',
        negatives ~ ' as negatives',
        'cast(row_count - positives - coalesce(negatives_placed, 0) as bigint) as row_count',
    ]) }}
from {{ totals }} as totals
left join (
    select
        {{ (keys + ['sum(neg) as negatives_placed']) | join(',\n        ') }}
    from {{ placed }}
    {{- sqlmetrics.group_by(keys) | indent(4) }}
) as placed
    on {{ sqlmetrics.same_keys('totals', 'placed', keys) | join('\n    and ') if keys else '1 = 1' }}
{%- endset -%}
{{ return(sqlmetrics.packed_rows(f, rows_from, keys) + [
    sqlmetrics.step(kept, kept_rows, 'one per positive, and the first and the last row of a slice', ['packed_rows' ~ f.suffix] + ([range] if keys else []), stored=true),
    sqlmetrics.step(totals, totals_of_places, 'one per slice; what is up to its last row counts the lower slices, too', [kept], stored=true),
    sqlmetrics.step(shared, shared_cells, 'cells of positives that hold other rows too, with what is in them and below', [kept], stored=true),
    sqlmetrics.step(rows_of_shared, sqlmetrics.rows_in_cells(f, rows_from, keys, sqlmetrics.one_of_cells(shared)), 'the rows in such cells', [rows_from, range, shared]),
] + sqlmetrics.thresholds_of_ranks(ranks, rows_of_shared, keys + ['cell']) + [
    sqlmetrics.step(placed, scores_of_positives, 'one per distinct score of positives, with what is below it', [inside, shared, kept] + ([rows_from, range] if with_score else []), stored=true),
    sqlmetrics.step(f.cte, thresholds, 'one per distinct score of positives, and one for all other rows', [placed, placed, totals, totals]),
]) }}
{%- endmacro -%}

{#- Where the cells are, and the rows as two numbers; with `ends`, behind those of each slice one more. -#}
{%- macro packed_rows(f, rows_from, keys, ends=false) -%}
{%- set range = 'packed_range' ~ f.suffix -%}
{%- set middle = 'middle_of_cells' ~ f.suffix -%}
{%- set carried = f.placed or [] -%}
{%- set middle_of_cells -%}
select
    quantile_disc(cell, 0.5) as middle_cell
from (
    select
        cast({{ sqlmetrics.packed_cell(keys) | indent(8) }} as bigint) as cell
    from {{ rows_from }}
    cross join {{ range }}
    {{- f.where | indent(4) }}
    limit 100000
) as first_rows
{%- endset -%}
{%- set packed_rows -%}
select
    {{ sqlmetrics.lines([
        'cast(packed_key >> 16 as uinteger) as high',
        'cast(packed_key & 65535 as usmallint) as low',
    ] + (['packed_key >> 1 >= middle_cell as is_upper'] if carried else []) + carried) }}
from (
    select
        {{ (carried + ['']) | join(',\n        ') }}cast({{ sqlmetrics.packed_cell(keys) | indent(8) }} * 2 + pos as bigint) as packed_key
    from {{ rows_from }}
    cross join {{ range }}
    {{- f.where | indent(4) }}
) as packed
{%- if carried %}
cross join {{ middle }}
{%- endif %}
{%- if ends %}
union all
select
    cast(end_key >> 16 as uinteger) as high,
    cast(end_key & 65535 as usmallint) as low
from (
    select
        {{ keys[0] ~ ' * cells * 2 - 1' if keys else 'cells * 2 - 1' }} as end_key
    from {{ range }}
    {%- if keys %}
    cross join slices
    {%- endif %}
) as ends
{%- endif %}
{%- endset -%}
{%- set halves = [sqlmetrics.step(middle, middle_of_cells, 'where the rows are cut into two halves, or nearly', [rows_from, range], stored=true)] if carried else [] -%}
{%- set finite = sqlmetrics.finite_ends('ends_of_cells' ~ f.suffix, f.ranged_scores) -%}
{{ return(finite.steps + [
    sqlmetrics.step(range, sqlmetrics.packed_range(finite.query, keys), 'where the cells begin, and how many of them a slice has', finite.reads + (['slices'] if keys else []), stored=true),
] + halves + [
    sqlmetrics.step('packed_rows' ~ f.suffix, packed_rows, 'what is sorted', [rows_from, range] + ([middle] if carried else []) + (['slices'] if ends and keys else []), stored=carried | length > 0),
]) }}
{%- endmacro -%}

{#- Put together again, whoever reads them has them in the order of the sort. -#}
{%- macro keys_in_order(packed, carried, condition='') %}
select
    {{ (carried + ['cast(high as bigint) << 16 | low as packed_key']) | join(',\n    ') }}
from (
    select
        {{ (carried + ['high', 'low']) | join(',\n        ') }}
    from {{ packed }}
    {%- if condition %}
    where {{ condition }}
    {%- endif %}
    order by
        high asc,
        low asc
) as in_order
{% endmacro -%}

{#- Some rows, read again with their scores and cells. -#}
{%- macro rows_in_cells(f, rows_from, keys, condition) -%}
{%- set carried = f.placed or [] -%}
select
    {{ sqlmetrics.lines(keys + carried + ['cell', 'pos', 'score']) }}
from (
    select
        {{ (keys + carried + ['pos', 'score', 'cast(' ~ sqlmetrics.packed_cell(keys) | indent(8) ~ ' as bigint) as cell']) | join(',\n        ') }}
    from {{ rows_from }}
    cross join packed_range{{ f.suffix }}
    {{- f.where | indent(4) }}
) as rows_in_cells
where {{ condition }}
{%- endmacro -%}

{%- macro one_of_cells(cells) -%}
{{ return('cell in (select cell from ' ~ cells ~ ')') }}
{%- endmacro -%}

{#- The places of P positives hold the places of each other, P·(P + 1)/2 in all; the others are of negatives below them. Places
    count from the lowest score of the first slice: those of a slice begin behind the end of the one before. -#}
{%- macro packed_slices(sums, corrected, keys) -%}
{%- set positives = sqlmetrics.to_double('positives') -%}
{%- set begin = 'coalesce(lag(end_of_slice) over (order by ' ~ keys[0] ~ ' asc), 0)' if keys else '0' -%}
select
    {{ sqlmetrics.lines(sqlmetrics.keys_of('places', keys) + [
        positives ~ ' as pos',
        sqlmetrics.to_double('row_count - positives') ~ ' as neg',
        'row_count',
    ]) }},
    {{ sqlmetrics.if_in_order(positives ~ ' * (row_count - positives) - (' ~ sqlmetrics.to_double('places_of_positives') ~ ' - ' ~ positives ~ ' * (positives + 1) / 2) + coalesce(negatives_above, 0)', 'out_of_place') | indent(4) }} as negatives_above
from (
    select
        {{ (keys + [
            'positives',
            'end_of_slice - begin_of_slice - 1 as row_count',
            'places_of_positives - positives * begin_of_slice as places_of_positives',
            'out_of_place',
        ]) | join(',\n        ') }}
    from (
        select
            {{ (keys + [
                'positives',
                'places_of_positives',
                'out_of_place',
                'end_of_slice',
                begin ~ ' as begin_of_slice',
            ]) | join(',\n            ') }}
        from {{ sums }}
    ) as ends_of_slices
) as places
{%- if keys %}
left join {{ corrected }}
    on {{ sqlmetrics.same_keys('places', corrected, keys) | join('\n    and ') }}
{%- else %}
cross join {{ corrected }}
{%- endif %}
where row_count > 0
{%- endmacro -%}

{#- The same of each cluster. What its rows have won is the negatives below its positives and the positives above its negatives:
    all positives but those below, of which the balance is less already. Those of lower slices are below too. Which of the two
    is how much, neither a value nor an influence asks: each is told half of both. -#}
{%- macro packed_clusters(f, sums, corrected, keys) -%}
{%- set cluster = f.placed[0] -%}
{%- set same = sqlmetrics.same_keys('clusters', 'totals', keys) -%}
{%- set same_cluster = sqlmetrics.same_keys('clusters', 'mixed', keys) + [sqlmetrics.same_value('clusters.' ~ cluster, 'mixed.' ~ cluster)] -%}
{%- set lower = ' over (order by ' ~ keys | join(' asc, ') ~ ' asc) - sum(' -%}
{%- set positives = sqlmetrics.to_double('clusters.positives') -%}
{%- set negatives = sqlmetrics.to_double('clusters.row_count - clusters.positives') -%}
{%- set won = '(balance + ' ~ negatives ~ ' * positives_of_all' ~ (' + ' ~ negatives ~ ' * positives_of_lower - ' ~ positives ~ ' * negatives_of_lower' if keys else '') ~ ')' -%}
select
    {{ sqlmetrics.lines(sqlmetrics.keys_of('clusters', keys) + [
        'clusters.' ~ cluster,
        positives ~ ' as pos',
        negatives ~ ' as neg',
        'clusters.row_count',
        sqlmetrics.if_in_order(positives ~ ' * negatives_of_all - ' ~ won ~ ' / 2 + coalesce(mixed.negatives_above, 0)', 'out_of_place_of_all') | indent(4) ~ ' as negatives_above',
        won ~ ' / 2 + coalesce(mixed.positives_above, 0) as positives_above',
    ]) }}
from {{ sums }} as clusters
inner join (
    select
        {{ (keys + [
            'sum(positives) as positives_of_all',
            'sum(row_count - positives) as negatives_of_all',
            'count(*) filter (list_contains(mixed_cells, -1)) as out_of_place_of_all',
        ] + ([
            'sum(sum(positives))' ~ lower ~ 'positives) as positives_of_lower',
            'sum(sum(row_count - positives))' ~ lower ~ 'row_count - positives) as negatives_of_lower',
        ] if keys else [])) | join(',\n        ') }}
    from {{ sums }}
    {{- sqlmetrics.group_by(keys) | indent(4) }}
) as totals
    on {{ same | join('\n    and ') if same else '1 = 1' }}
left join {{ corrected }} as mixed
    on {{ same_cluster | join('\n    and ') }}
{%- endmacro -%}

{%- macro if_in_order(value, out_of_place) -%}
case
    when {{ out_of_place }} = 0
        then {{ value }}
    else {{ sqlmetrics.raised("'packed scores came out of their order in ' || " ~ out_of_place ~ " || ' places: shape=''rows'' does without it'") }}
end
{%- endmacro -%}

{#- Slices are numbered from 1. Whatever the range is, a higher score is in no lower cell, and none in the last one. In doubles,
    which hold these whole numbers: to ask each product and sum of integers whether it is too large took a twentieth of the
    time of a whole auc. -#}
{%- macro packed_cell(keys) -%}
{{ '((' ~ keys[0] ~ ' - 1) * ' ~ sqlmetrics.to_double('cells') ~ ' + ' if keys -}}
trunc(case
    when score * 0.5 > lowest and score * 0.5 < highest then (score * 0.5 - lowest) * cells_per_unit
    when score * 0.5 >= highest then {{ sqlmetrics.to_double('cells - 2') }}
    else {{ sqlmetrics.to_double('0') }}
end)
{{- ')' if keys }}
{%- endmacro -%}

{#- Which cells there are decides about the price alone: the range is that of all rows, whether they count or not. Halves, because
    the difference of two doubles may be infinite. -#}
{%- macro packed_range(finite_ends, keys) -%}
select
    lowest,
    highest,
    cells,
    least(coalesce((cells - 3) / nullif(highest - lowest, 0), 1), 1.7976931348623157e308) as cells_per_unit
from (
    select
        coalesce(lowest * 0.5, 0) as lowest,
        coalesce(highest * 0.5, 0) as highest,
        {{ '140737488355328 // nullif((select count(*) from slices), 0)' if keys else '140737488355328' }} as cells
    from {{ finite_ends | indent(4) }} as found
) as ends
{%- endmacro -%}
