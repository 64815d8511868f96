{#- Intervals from samples of the clusters: the bootstrap with Poisson weights.

    In each replicate a cluster counts 0, 1, 2 … times, drawn from the Poisson distribution of mean 1, independently of all others
    (Hanley and MacGibbon, Computer Methods and Programs in Biomedicine 83, 2006; Chamandy and others, 2012). A draw is four
    digits of the md5 of one text of cluster, digest and seed, so that it is the same on every engine and for every model and
    slice, and no two clusters or replicates share more than chance: a digest holds the draws of eight replicates. The interval
    goes from the one quantile of the replicates' values to the other, the standard error is their standard deviation.

    No replicate reads the log again. What a replicate asks of a metric is one of three things:
    - 'sums': where the value is a function of sums over units, each cluster's sums times its draws are added up;
    - 'ranks': for the area under the ROC curve of rows that count one each, all replicates go through one sort (see below);
    - 'rows', for all others: the rows are taken once for every replicate that draws them, with the draw as their weight, and the
      replicate is one more key of the frame. -#}
{%- macro errors_by_bootstrap(q, frames, slicing) -%}
{%- set names = sqlmetrics.names_in_result(q.metrics) -%}
{%- set parts = [] -%}
{%- set by_rows = [] -%}
{%- for f in frames -%}
{%- set by_sums = [] -%}
{%- set by_ranks = [] -%}
{%- for m in f.metrics if m.interval -%}
{%- set number = sqlmetrics.position_of(m.as, names) -%}
{%- set sums = sqlmetrics.sums_of(m, f, 'm' ~ number) -%}
{%- if sums and f.unit is not none -%}
{%- do by_sums.append(dict(m, number=number, sums=sums)) -%}
{%- elif m.has_influence and sqlmetrics.replicates_by_ranks(f) -%}
{%- do by_ranks.append(dict(m, number=number)) -%}
{%- else -%}
{%- if f.judged -%}
{%- do sqlmetrics.refuse(none, 'confidence: ' ~ m.as ~ ' has no interval with judgments; leave it out of this call') -%}
{%- endif -%}
{%- do by_rows.append(m.as) -%}
{%- endif -%}
{%- endfor -%}
{%- if by_sums -%}{%- do parts.append(sqlmetrics.replicates_of_sums(q, f, slicing, by_sums)) -%}{%- endif -%}
{%- if by_ranks -%}{%- do parts.append(sqlmetrics.replicates_of_ranks(q, f, slicing, by_ranks)) -%}{%- endif -%}
{%- endfor -%}
{%- if by_rows -%}{%- do parts.extend(sqlmetrics.replicates_of_rows(q, slicing, names, by_rows)) -%}{%- endif -%}
{#- Counts that stand alone have no interval, and nothing is drawn for them. -#}
{%- if not parts -%}{{ return({'ahead': [], 'steps': [], 'joined': [], 'errors': {}, 'values': []}) }}{%- endif -%}
{%- set named = [] -%}
{%- set units = [] -%}
{%- set later = [] -%}
{%- set drawn_for = [] -%}
{%- set read_by_frames = [] -%}
{%- for part in parts -%}
{%- do read_by_frames.extend(part.ahead) -%}
{%- do named.extend(part.named) -%}
{%- do units.extend(part.units) -%}
{%- do later.extend(part.steps) -%}
{%- if part.clusters is not none and part.clusters not in drawn_for -%}{%- do drawn_for.append(part.clusters) -%}{%- endif -%}
{%- endfor -%}
{%- set draws = [] if not drawn_for else [
    sqlmetrics.step('digests', sqlmetrics.digests_of_clusters(q, drawn_for), 'of each cluster a digest for every eight replicates', drawn_for),
    sqlmetrics.step('draws', sqlmetrics.draws_of_digests(), 'how often each is drawn', ['digests'], stored=true),
] -%}
{%- set spread = sqlmetrics.spread_of_replicates(q, slicing, parts, names) -%}
{%- set ahead = [] -%}
{%- set steps = [] -%}
{%- for step in sqlmetrics.steps_once(named + units + draws + later + spread.steps) -%}
{%- do (ahead if step.name in read_by_frames else steps).append(step) -%}
{%- endfor -%}
{{ return({
    'ahead': ahead,
    'steps': steps,
    'joined': ['bootstrapped'],
    'errors': spread.errors,
    'values': [],
}) }}
{%- endmacro -%}

{#- Where each row counts one, whether its score is one of many or of few. -#}
{%- macro replicates_by_ranks(f) -%}
{{ return(sqlmetrics.stores_steps() and f.name in ['packed_scores', 'ranked_scores', 'thresholds'] and not f.weighted and not sqlmetrics.counts_in_steps(f.params)) }}
{%- endmacro -%}

{#- Steps that several frames ask for are there once, and stored only where more than one step reads them. -#}
{%- macro steps_once(steps) -%}
{%- set kept = sqlmetrics.shared_steps(steps) -%}
{%- set reads = [] -%}
{%- for step in kept -%}{%- do reads.extend(step.reads) -%}{%- endfor -%}
{%- set found = [] -%}
{%- for step in kept -%}
{%- set readers = [] -%}
{%- for name in reads if name == step.name -%}{%- do readers.append(name) -%}{%- endfor -%}
{%- do found.append(dict(step, stored=step.stored and readers | length > 1)) -%}
{%- endfor -%}
{{ return(found) }}
{%- endmacro -%}

{#- Without clusters, rows that are no groups of the frame may make up groups all the same: a list, or the ratings of an item.
    Their steps have names that end so. -#}
{%- macro of_groups(q, f) -%}
{{ return('_of_groups' if q.certainty is not none and q.certainty.cluster is none and sqlmetrics.is_made_of_groups(f) else '') }}
{%- endmacro -%}

{#- What tells the buckets of a frame that leaves rows out from those of all rows: a bucket without any row that it uses would add a value
    and a degree of freedom. -#}
{%- macro of_rows_used(q, f) -%}
{{ return(sqlmetrics.of_groups(q, f) ~ ('_of_' ~ f.name ~ f.suffix if f.where else '')) }}
{%- endmacro -%}

{%- macro is_made_of_groups(f) -%}
{{ return('group_id' in f.requires and f.unit != 'group') }}
{%- endmacro -%}

{#- How a cluster is called: by its name, and where rows or groups are clusters of their own, by the place of the row among all, or
    by the group. -#}
{%- macro named_rows_step(q, slicing, of='', stored=false) -%}
{%- set keys = slicing['keys'] -%}
{%- set columns = sqlmetrics.derived_columns(q.derived) -%}
{%- set row = 'row_id' if q.comparison is not none and q.row_ids else 'row_number() ' ~ sqlmetrics.over(keys, sqlmetrics.order_of_rows(columns)) -%}
{%- set of_row = 'cast(' ~ row ~ ' as ' ~ sqlmetrics.type_text() ~ ')' -%}
{#- A row of its own is in one slice. -#}
{%- if q.comparison is not none and q.comparison.gaps -%}{%- set of_row = 'cast(slice_id as ' ~ sqlmetrics.type_text() ~ ") || ':' || " ~ of_row -%}{%- endif -%}
{%- set of_column = sqlmetrics.name_of_cluster(q, 'group_id' if of else 'cluster_id', 'group_id' if of else 'cluster_id') -%}
{%- set named_rows -%}
select
    {{ sqlmetrics.lines(keys + columns + [(of_row if q.certainty.cluster is none and not of else of_column) ~ ' as cluster_name']) }}
from {{ slicing.rows_from }}
{%- endset -%}
{{ return(sqlmetrics.step('named_rows' ~ of, named_rows, 'the rows that count, with the name of their cluster', [slicing.rows_from], stored=stored)) }}
{%- endmacro -%}

{%- macro digests_of_clusters(q, steps) -%}
select
    cluster_name,
    digest_number,
    {{ sqlmetrics.digest_of_draws('cluster_name || words_of_digest') }} as digest
from (
{%- for step in steps %}
    select{{ ' distinct' if steps | length == 1 }}
        cluster_name
    from {{ step }}
{%- if not loop.last %}
    {{ sqlmetrics.union_distinct() }}
{%- endif -%}
{%- endfor %}
) as clusters
cross join (
    select
        digest_number,
        ':' || cast(digest_number as {{ sqlmetrics.type_text() }}) || ':{{ q.certainty.seed }}' as words_of_digest
    from (
        {{ sqlmetrics.indented(sqlmetrics.indented(sqlmetrics.series(sqlmetrics.count_of_digests(q.certainty.replicates), 'digest_number'))) }}
    ) as numbers
) as words
{{- sqlmetrics.not_folded() }}
{%- endmacro -%}

{%- macro draws_per_digest() -%}
{{ return(8) }}
{%- endmacro -%}

{%- macro count_of_digests(draws) -%}
{{ return((draws + sqlmetrics.draws_per_digest() - 1) // sqlmetrics.draws_per_digest()) }}
{%- endmacro -%}

{#- The replicate that a draw is for, counted from 1: so many travel together, of which `part` numbers those that do. -#}
{%- macro number_of_replicate(part, draws) -%}
{{ return('(' ~ (part ~ ' * ' ~ draws ~ ' + ' if part else '') ~ 'draw + 1)') }}
{%- endmacro -%}

{#- The Poisson distribution of mean 1, in units of 2⁻¹⁶, in which its mean is 1 without a rest: a count is drawn where the digits
    lie below its end. What four digits cannot tell apart is a count of nine or more, once in a million draws. -#}
{%- macro drawn_by_digits(digits, times=1) -%}
{%- set ends = ['5e2d', 'bc5b', 'eb71', 'fb24', 'ff10', 'ffd9', 'fffb', 'ffff'] -%}
{%- set cases = [] -%}
{%- for end in ends -%}{%- do cases.append('when ' ~ digits ~ ' < ' ~ sqlmetrics.digits_as_compared(end) ~ ' then ' ~ loop.index0 * times) -%}{%- endfor -%}
{{ return('case ' ~ cases | join(' ') ~ ' else ' ~ sqlmetrics.most_drawn() * times ~ ' end') }}
{%- endmacro -%}

{%- macro most_drawn() -%}
{{ return(8) }}
{%- endmacro -%}

{%- macro draws_of_digests() -%}
{%- set items = [] -%}
{%- set digits = [] -%}
{%- for number in range(1, sqlmetrics.draws_per_digest() + 1) -%}
{%- do items.append(sqlmetrics.to_tinyint(sqlmetrics.drawn_by_digits('digits_' ~ number)) ~ ' as drawn_' ~ number) -%}
{%- do digits.append(sqlmetrics.digits_of_digest('digest', number) ~ ' as digits_' ~ number) -%}
{%- endfor -%}
select
    {{ sqlmetrics.lines(['cluster_name', 'digest_number'] + items) }}
from (
    select
        {{ (['cluster_name', 'digest_number'] + digits) | join(',\n        ') }}
    from digests
    {{- sqlmetrics.indented(sqlmetrics.not_folded()) }}
) as digits_of_digests
{%- endmacro -%}

{#- One column per draw turned into one row per replicate: `columns`: name -> prefix of its columns. -#}
{%- macro one_per_replicate(q, keys, from, columns, draws, number, further=[]) -%}
{%- set items = keys + [number ~ ' as replicate'] -%}
{%- for name, prefix in columns.items() -%}
{%- set cases = [] -%}
{%- for draw in range(draws) -%}{%- do cases.append('when ' ~ draw ~ ' then ' ~ prefix ~ (draw + 1)) -%}{%- endfor -%}
{%- do items.append('case draw ' ~ cases | join(' ') ~ ' end as ' ~ name) -%}
{%- endfor -%}
select
    {{ sqlmetrics.lines(items + further) }}
from {{ from }}
cross join (
    {{ sqlmetrics.indented(sqlmetrics.series(draws, 'draw')) }}
) as draws_of_each
where {{ number }} <= {{ q.certainty.replicates }}
{%- endmacro -%}

{#- Of each metric its value in a replicate, as value_1, value_2 … -#}
{%- macro values_of_replicates(metrics, keys, from, values) -%}
{%- set items = [] -%}
{%- for m in metrics -%}{%- do items.append(sqlmetrics.indented(values[m.as]) ~ ' as value_' ~ m.number) -%}{%- endfor -%}
select
    {{ sqlmetrics.lines(keys + ['replicate'] + items) }}
from {{ from }}
{%- endmacro -%}

{#- The sums of each cluster, times its draws. -#}
{%- macro replicates_of_sums(q, f, slicing, metrics) -%}
{%- set keys = slicing['keys'] -%}
{%- set rows = sqlmetrics.rows_of(f, slicing) -%}
{%- set sums = {} -%}
{%- for m in metrics -%}
{%- for column in m.sums -%}{%- do sums.update({column.name: column.value}) -%}{%- endfor -%}
{%- endfor -%}
{%- set added = [] -%}
{%- set drawn = [] -%}
{%- set columns = {} -%}
{%- for name, value in sums.items() -%}
{%- do added.append(sqlmetrics.to_double('coalesce(sum(' ~ sqlmetrics.indented(value) ~ '), 0)') ~ ' as ' ~ name) -%}
{%- for number in range(1, sqlmetrics.draws_per_digest() + 1) -%}{%- do drawn.append('sum(draws.drawn_' ~ number ~ ' * clusters.' ~ name ~ ') as ' ~ name ~ '_in_' ~ number) -%}{%- endfor -%}
{%- do columns.update({'drawn_' ~ name: name ~ '_in_'}) -%}
{%- endfor -%}
{%- set units = f.cte ~ '_in_clusters' -%}
{%- set by_group = f.unit == 'group' -%}
{%- set unit_steps = [] -%}
{%- set named = [] -%}
{%- if not by_group -%}
{%- do named.append(sqlmetrics.named_rows_step(q, slicing, stored=true)) -%}
{%- set sums_of_clusters -%}
select
    {{ sqlmetrics.lines(keys + ['cluster_name'] + added) }}
from named_rows
{{- f.where }}
{{- sqlmetrics.group_by(keys + ['cluster_name']) }}
{%- endset -%}
{%- do unit_steps.append(sqlmetrics.step(units, sums_of_clusters, 'one per cluster', ['named_rows'], stored=true)) -%}
{%- else -%}
{#- A group lies in one cluster, or is one. -#}
{%- set alone = sqlmetrics.clusters_are_groups(q, f) -%}
{%- set of_groups = sqlmetrics.clusters_of_groups(f, slicing) -%}
{%- set name = sqlmetrics.name_of_cluster(q, 'group_id' if alone else 'own_cluster', 'group_id' if alone else 'cluster_id') -%}
{%- set sums_of_clusters -%}
select
    {{ sqlmetrics.lines(keys + [name ~ ' as cluster_name'] + added) }}
from {{ rows.step }} as grouped
{%- if not alone %}
left join {{ of_groups.step.name }} as clusters
    on {{ of_groups.same }}
{%- endif -%}
{{- sqlmetrics.group_by(keys + [name]) }}
{%- endset -%}
{%- if not alone -%}{%- do unit_steps.append(of_groups.step) -%}{%- endif -%}
{%- do unit_steps.append(sqlmetrics.step(units, sums_of_clusters, 'one per cluster', [rows.step] + ([] if alone else [of_groups.step.name]), stored=true)) -%}
{%- endif -%}
{%- set drawn_sums -%}
select
    {{ sqlmetrics.lines(sqlmetrics.keys_of('clusters', keys) + ['draws.digest_number as digest_number'] + drawn) }}
from {{ units }} as clusters
inner join draws
    on clusters.cluster_name = draws.cluster_name
group by
    {{ sqlmetrics.lines(sqlmetrics.keys_alone('clusters', keys) + ['draws.digest_number']) }}
{%- endset -%}
{%- set counts = {} -%}
{%- set values = {} -%}
{%- for m in metrics -%}
{%- do values.update({m.as: sqlmetrics.metric_value(dict(m, state=[], state_name='m' ~ m.number, written_as='drawn_'), m.name)}) -%}
{#- A group without a value of its own has no part in the mean; a row has one in whatever is made of rows. -#}
{%- set parts = [] -%}
{%- for column in m.sums -%}{%- do parts.append(column.name ~ ' <> 0') -%}{%- endfor -%}
{%- do counts.update({m.as: 'count(case when ' ~ parts | join(' or ') ~ ' then 1 end)' if by_group else 'count(*)'}) -%}
{%- endfor -%}
{%- set all_drawn = f.cte ~ '_drawn' -%}
{%- set replicates = f.cte ~ '_in_replicates' -%}
{%- set values_step = f.cte ~ '_values' -%}
{{ return({
    'named': named,
    'clusters': units,
    'units': unit_steps,
    'ahead': [],
    'steps': [
        sqlmetrics.step(all_drawn, drawn_sums, 'the sums of eight replicates in a row', [units, 'draws']),
        sqlmetrics.step(replicates, sqlmetrics.one_per_replicate(q, keys, all_drawn, columns, sqlmetrics.draws_per_digest(), sqlmetrics.number_of_replicate('digest_number', sqlmetrics.draws_per_digest())), 'one per replicate', [all_drawn]),
        sqlmetrics.step(values_step, sqlmetrics.values_of_replicates(metrics, keys, replicates, values), 'the values in each replicate', [replicates]),
    ],
    'values': [{'step': values_step, 'metrics': metrics}],
    'counts': {'from': units, 'where': '', 'of': counts, 'metrics': metrics},
}) }}
{%- endmacro -%}

{%- macro keys_alone(step, keys) -%}
{%- set items = [] -%}
{%- for key in keys -%}{%- do items.append(step ~ '.' ~ key) -%}{%- endfor -%}
{{ return(items) }}
{%- endmacro -%}

{#- The rows once for every replicate that draws them; of lists, which count as they are, each list as often as it is drawn. -#}
{%- macro replicates_of_rows(q, slicing, names, wanted) -%}
{%- set weighed = [] -%}
{%- for m in q.metrics -%}{%- do weighed.append(m if 'weight' in m.requires else dict(m, requires=m.requires + ['weight'])) -%}{%- endfor -%}
{%- set required = q.required if 'weight' in q.columns else q.required + ['weight'] -%}
{%- set parts = [] -%}
{%- for f in sqlmetrics.frames_of(dict(q, countable=false, diagnostics=false, metrics=weighed, required=required)) -%}
{%- set metrics = [] -%}
{%- for m in f.metrics if m.as in wanted -%}
{%- do metrics.append(dict(m, cte=m.cte ~ '_resampled', number=sqlmetrics.position_of(m.as, names))) -%}
{%- endfor -%}
{%- if metrics -%}
{%- do parts.append(sqlmetrics.replicates_of_frame(q, dict(f, cte=f.cte ~ '_resampled', suffix=f.suffix ~ '_resampled', metrics=metrics, diagnostics=[]), slicing)) -%}
{%- endif -%}
{%- endfor -%}
{{ return(parts) }}
{%- endmacro -%}

{%- macro replicates_of_frame(q, f, slicing) -%}
{%- set keys = slicing['keys'] -%}
{%- set of_groups = sqlmetrics.is_made_of_groups(f) -%}
{%- set of = sqlmetrics.of_groups(q, f) -%}
{%- set named = 'named_rows' ~ of -%}
{%- set resampled = 'resampled_groups' if of_groups else 'resampled_rows' -%}
{%- set items = sqlmetrics.keys_of('clusters', keys) + ['draws_of_clusters.replicate as replicate'] -%}
{%- for column in sqlmetrics.derived_columns(q.derived) -%}
{%- if of_groups and column == 'group_id' -%}
{%- do items.append(sqlmetrics.name_of_cluster(q, 'clusters.group_id', 'group_id') ~ " || ':' || cast(copies.copy as " ~ sqlmetrics.type_text() ~ ") as group_id") -%}
{%- elif column in ['pos', 'neg', 'weight'] -%}
{%- do items.append('clusters.' ~ column ~ ' * draws_of_clusters.drawn as ' ~ column) -%}
{%- else -%}
{%- do items.append('clusters.' ~ column ~ ' as ' ~ column) -%}
{%- endif -%}
{%- endfor -%}
{%- set resampled_rows -%}
select
    {{ sqlmetrics.lines(items) }}
from {{ named }} as clusters
inner join draws_of_clusters
    on clusters.cluster_name = draws_of_clusters.cluster_name
{%- if of_groups %}
inner join (
    {{ sqlmetrics.indented(sqlmetrics.numbers(sqlmetrics.most_drawn(), 'copy')) }}
) as copies
    on copies.copy <= draws_of_clusters.drawn
{%- endif -%}
{%- endset -%}
{%- set draws_of_clusters -%}
select
    cluster_name,
    replicate,
    drawn
from (
    {{ sqlmetrics.indented(sqlmetrics.one_per_replicate(q, ['cluster_name'], 'draws', {'drawn': 'drawn_'}, sqlmetrics.draws_per_digest(), sqlmetrics.number_of_replicate('digest_number', sqlmetrics.draws_per_digest()))) }}
) as draws_of_all
where drawn > 0
{%- endset -%}
{%- set of_replicates = {'keys': keys + ['replicate'], 'rows_from': resampled} -%}
{%- set steps = [
    sqlmetrics.step('draws_of_clusters', draws_of_clusters, 'one per cluster and replicate that draws it', ['draws']),
    sqlmetrics.step(resampled, resampled_rows, 'the rows once for every replicate that draws them', [named, 'draws_of_clusters'], stored=true),
] + sqlmetrics.frame_steps(f, resampled, of_replicates['keys']) -%}
{%- set values = [] -%}
{%- for step in sqlmetrics.metric_steps(f, [], of_replicates) -%}
{%- set own = [] -%}
{%- set given = {} -%}
{%- for m in f.metrics if m.cte ~ '_metrics' == step.name -%}
{%- do own.append(m) -%}
{%- do given.update({m.as: sqlmetrics.identifier(m.as)}) -%}
{%- endfor -%}
{%- do steps.append(step) -%}
{%- do steps.append(sqlmetrics.step(step.name | replace('_metrics', '_values'), sqlmetrics.values_of_replicates(own, keys, step.name, given), 'the values in each replicate', [step.name])) -%}
{%- do values.append({'step': step.name | replace('_metrics', '_values'), 'metrics': own}) -%}
{%- endfor -%}
{{ return({
    'named': [sqlmetrics.named_rows_step(q, slicing, of, stored=true)],
    'clusters': named,
    'units': [],
    'ahead': [],
    'steps': steps,
    'values': values,
    'counts': {'from': named, 'where': f.where, 'of': {}, 'metrics': f.metrics},
}) }}
{%- endmacro -%}

{#- The area under the ROC curve in all replicates from one sort.

    What it takes is, of every replicate, how often a negative stands above a positive. The rows in the order of the score are put
    in blocks of 193, and those of one side that follow each other in a block are a run: a pair is counted where its two come
    together, inside of a block, between the eight blocks of a node, or between the eight nodes of one above, as the sum of one
    side's draws times the other's. Above these there is a running sum over the highest nodes, of which there is one for 12,352
    rows. The few rows of one side make few runs, so that blocks hold many rows. Of equal scores the negatives come first, and
    half of their pairs are taken away again.

    Per row the draws of five replicates travel in one double, as the digits of a number to the base of 1,552: those of 193 rows,
    drawn eight times at most, stay below it, and five digits below 2⁵³. So the sums are exact, whatever their order. What takes
    the time is to find them, row by row: so a cluster has one row of them, as wide as 200 replicates, and more replicates are
    further chunks. -#}
{%- macro replicates_of_ranks(q, f, slicing, metrics) -%}
{%- set keys = slicing['keys'] -%}
{%- set size = sqlmetrics.chunks_of_draws(q) -%}
{%- set width = size.columns -%}
{%- set draws = size.draws -%}
{%- set chunk_keys = keys + (['chunk'] if size.chunks > 1 else []) -%}
{%- set cluster = sqlmetrics.key_of_clusters(q) -%}
{%- set placed = 'placed_scores' ~ f.suffix -%}
{%- set tied = 'tied_scores' ~ f.suffix -%}
{%- set clusters = 'clusters_of' ~ f.suffix ~ '_scores' -%}
{%- set packed = 'packed_draws' ~ f.suffix -%}
{%- set runs = 'runs' ~ f.suffix ~ '_of_scores' -%}
{%- set above = 'negatives_above' ~ f.suffix ~ '_in_blocks' -%}
{%- set inside = 'pairs_of_' ~ runs -%}
{%- set sides = 'sides' ~ f.suffix ~ '_of_ties' -%}
{%- set ties = 'pairs_of_' ~ tied -%}
{%- set levels = ['blocks' ~ f.suffix ~ '_of_runs', 'nodes' ~ f.suffix ~ '_of_blocks', 'highest_nodes' ~ f.suffix] -%}
{%- set steps = [
    sqlmetrics.step(placed, sqlmetrics.scores_in_order(f, keys, cluster), 'the place of every row in the order of the score', ['named_rows'], stored=true),
    sqlmetrics.step(tied, sqlmetrics.scores_of_both_sides(placed, keys), 'the scores that both sides have', [placed]),
    sqlmetrics.step(clusters, sqlmetrics.clusters_of_rows(placed, keys, cluster), 'one per cluster' ~ (' of a slice' if keys), [placed], stored=true),
    sqlmetrics.step(packed, sqlmetrics.packed_draws(q, size, cluster, clusters, keys), 'of each cluster the draws, those of five replicates as one number', [clusters]),
    sqlmetrics.step(runs, sqlmetrics.runs_of_draws(placed, tied, packed, keys, chunk_keys, width, cluster), 'one per run', [placed, tied, packed], stored=true),
] + ([
    sqlmetrics.step(f.cte, sqlmetrics.values_of_places(placed, runs, keys, size), 'the same of the rows themselves, one per slice', [placed, runs]),
] if f.by_draws else []) + [
    sqlmetrics.step(above, sqlmetrics.negatives_above_in_blocks(runs, chunk_keys, width), 'of each run of positives the negatives above it in its block', [runs, runs]),
    sqlmetrics.step(inside, sqlmetrics.pairs_inside_blocks(runs, above, chunk_keys, width), 'pairs inside of blocks', [runs, above]),
    sqlmetrics.step(sides, sqlmetrics.sides_of_ties(runs, chunk_keys, width), 'one per score that both sides have, and side', [runs], stored=true),
    sqlmetrics.step(ties, sqlmetrics.pairs_of_sides(sides, chunk_keys, 'tie', draws), 'half of the pairs of equal scores, to be taken away', [sides, sides]),
    sqlmetrics.step(levels[0], sqlmetrics.blocks_of_runs(runs, chunk_keys, width), 'one per block and side', [runs], stored=true),
] -%}
{%- set counted = [inside, ties] -%}
{%- for level in levels[:2] -%}
{%- set pairs = 'pairs_of_' ~ level -%}
{%- do steps.append(sqlmetrics.step(pairs, sqlmetrics.pairs_of_sides(level, chunk_keys, 'node', draws, 'cell'), 'pairs between these, inside one above', [level, level])) -%}
{%- do steps.append(sqlmetrics.step(levels[loop.index], sqlmetrics.nodes_above(level, chunk_keys, draws), 'one per node and side', [level], stored=not loop.last)) -%}
{%- do counted.append(pairs) -%}
{%- endfor -%}
{%- set highest = 'pairs_of_' ~ levels[2] -%}
{%- set number = sqlmetrics.number_of_replicate('chunk' if size.chunks > 1 else none, draws) -%}
{%- set of_highest = sqlmetrics.pairs_of_highest_nodes(q, levels[2], keys, draws, number) -%}
{%- do steps.append(sqlmetrics.step(highest, of_highest, 'pairs between these, and how many rows of each side there are', [levels[2]])) -%}
{%- set all_pairs = 'pairs_of_all' ~ f.suffix -%}
{%- set none_of_it = sqlmetrics.to_double('0') -%}
{%- set pairs_of_all -%}
select
    {{ sqlmetrics.lines(keys + ['replicate', 'sum(misplaced) as misplaced', 'sum(pos) as pos', 'sum(neg) as neg']) }}
from (
{%- for step in counted %}
    {{ sqlmetrics.indented(sqlmetrics.one_per_replicate(q, keys, step, {'misplaced': 'misplaced_'}, draws, number, [none_of_it ~ ' as pos', none_of_it ~ ' as neg'])) }}
    union all
{%- endfor %}
    select
        {{ (keys + ['replicate', 'misplaced', 'pos', 'neg']) | join(',\n        ') }}
    from {{ highest }}
) as pairs_of_levels
{{- sqlmetrics.group_by(keys + ['replicate']) }}
{%- endset -%}
{%- do steps.append(sqlmetrics.step(all_pairs, pairs_of_all, 'all of these, one per replicate', counted + [highest])) -%}
{#- The formula of the frame of thresholds, where all positives stand at one: as many negatives are above it as above these. -#}
{%- set replicates = f.cte ~ '_in_replicates' -%}
{%- set one_threshold -%}
select
    {{ sqlmetrics.lines(keys + ['replicate', 'pos', 'neg', 'misplaced / nullif(pos, 0) + neg / 2 as false_positives']) }}
from {{ all_pairs }}
{%- endset -%}
{%- do steps.append(sqlmetrics.step(replicates, one_threshold, 'with how many negatives are above a positive', [all_pairs])) -%}
{%- set values = {} -%}
{%- for m in metrics -%}
{%- do values.update({m.as: sqlmetrics.metric_value(dict(m, frame='thresholds'), m.name)}) -%}
{%- endfor -%}
{%- set counts = {} -%}
{%- for m in metrics -%}{%- do counts.update({m.as: 'count(*)'}) -%}{%- endfor -%}
{%- set values_step = f.cte ~ '_values' -%}
{%- set values_of_areas = sqlmetrics.values_of_replicates(metrics, keys, replicates, values) ~ sqlmetrics.group_by(keys + ['replicate']) -%}
{%- do steps.append(sqlmetrics.step(values_step, values_of_areas, 'the values in each replicate', [replicates])) -%}
{{ return({
    'named': [sqlmetrics.named_rows_step(q, slicing)],
    'clusters': none,
    'units': [],
    'steps': steps,
    'ahead': ['named_rows', placed, tied, clusters, packed, runs, f.cte] if f.by_draws else [],
    'values': [{'step': values_step, 'metrics': metrics}],
    'counts': {'from': clusters, 'where': '', 'of': counts, 'metrics': metrics},
}) }}
{%- endmacro -%}

{#- How many draws travel together: with more than a chunk, each is as wide as all others and has whole digests. -#}
{%- macro chunks_of_draws(q) -%}
{%- set per_column = sqlmetrics.powers_of_packing() | length -%}
{%- set chunks = (q.certainty.replicates + 199) // 200 -%}
{%- set draws_of_each = (q.certainty.replicates + chunks - 1) // chunks -%}
{%- set step = per_column if chunks == 1 else per_column * sqlmetrics.draws_per_digest() -%}
{%- set draws = (draws_of_each + step - 1) // step * step -%}
{{ return({
    'chunks': chunks,
    'draws': draws,
    'columns': draws // per_column,
    'digests': sqlmetrics.count_of_digests(draws),
}) }}
{%- endmacro -%}

{%- macro base_of_packing() -%}
{{ return(1552) }}
{%- endmacro -%}

{%- macro powers_of_packing() -%}
{%- set powers = [] -%}
{%- for power in range(5) -%}{%- do powers.append(sqlmetrics.base_of_packing() ** power) -%}{%- endfor -%}
{{ return(powers) }}
{%- endmacro -%}

{#- What rows are joined by to the draws of their cluster: whole numbers are found sooner than their texts. -#}
{%- macro key_of_clusters(q) -%}
{{ return('cluster_id' if q.certainty.cluster is not none and 'cluster_id' in q.whole_columns and sqlmetrics.finds_unknown_keys() else 'cluster_name') }}
{%- endmacro -%}

{#- From the highest score down; of each row also how many of the other side are above it. -#}
{%- macro scores_in_order(f, keys, cluster) -%}
{%- set by_score = sqlmetrics.over(keys, 'score desc, pos asc') -%}
{%- set down_to_here = sqlmetrics.over(keys, 'score desc, pos asc rows unbounded preceding') -%}
select
    {{ sqlmetrics.lines(keys + [cluster, 'pos', 'score', 'place']) }},
    case when pos = 1 then place - positives else positives end as others_above,
    case when pos = 0 and next_pos = 1 and next_score = score then 1 else 0 end as is_tied
from (
    select
        {{ (keys + [
            cluster,
            'pos',
            'score',
            'row_number() ' ~ by_score ~ ' as place',
            'cast(sum(pos) ' ~ down_to_here ~ ' as bigint) as positives',
            'lead(pos) ' ~ by_score ~ ' as next_pos',
            'lead(score) ' ~ by_score ~ ' as next_score',
        ]) | join(',\n        ') }}
    from (
        select
            {{ (keys + [cluster, sqlmetrics.to_tinyint('pos') ~ ' as pos', 'score']) | join(',\n            ') }}
        from named_rows
        {{- sqlmetrics.indented(sqlmetrics.indented(f.where)) }}
    ) as labelled_rows
) as ranked_rows
{%- endmacro -%}

{%- macro block_of_place(place) -%}
{{ return('cast(floor((' ~ place ~ ' - 1) / ' ~ (sqlmetrics.base_of_packing() - 1) // sqlmetrics.most_drawn() ~ ') as bigint)') }}
{%- endmacro -%}

{#- Where the last negative of a score stands before its first positive. -#}
{%- macro scores_of_both_sides(placed, keys) -%}
select
    {{ sqlmetrics.lines(keys + ['score', 'place as tie']) }}
from {{ placed }}
where is_tied = 1
{%- endmacro -%}

{%- macro clusters_of_rows(placed, keys, cluster) -%}
select distinct
    {{ sqlmetrics.lines(keys + [cluster]) }}
from {{ placed }}
{%- endmacro -%}

{#- The draws are those of the step `draws`, side by side. -#}
{%- macro packed_draws(q, size, cluster, clusters, keys) -%}
{%- set per_digest = sqlmetrics.draws_per_digest() -%}
{%- set powers = sqlmetrics.powers_of_packing() -%}
{%- set chunk = ['chunk'] if size.chunks > 1 else [] -%}
{%- set digests = [] -%}
{%- for number in range(size.digests) -%}
{%- set words = "':" ~ number ~ ':' ~ q.certainty.seed ~ "'" -%}
{%- if chunk -%}{%- set words = "':' || cast(chunk * " ~ size.digests ~ ' + ' ~ number ~ ' as ' ~ sqlmetrics.type_text() ~ ") || ':" ~ q.certainty.seed ~ "'" -%}{%- endif -%}
{%- do digests.append(sqlmetrics.digest_of_draws('cluster_name || ' ~ words) ~ ' as digest_' ~ (number + 1)) -%}
{%- endfor -%}
{%- set digits = [] -%}
{%- for draw in range(size.draws) -%}
{%- do digits.append(sqlmetrics.digits_of_digest('digest_' ~ (draw // per_digest + 1), draw % per_digest + 1) ~ ' as digits_' ~ (draw + 1)) -%}
{%- endfor -%}
{%- set columns = [] -%}
{%- for column in range(size.columns) -%}
{%- set parts = [] -%}
{%- for power in powers -%}
{%- do parts.append(sqlmetrics.drawn_by_digits('digits_' ~ (column * (powers | length) + loop.index), power)) -%}
{%- endfor -%}
{%- do columns.append(sqlmetrics.to_double(parts | join(' + ')) ~ ' as packed_' ~ (column + 1)) -%}
{%- endfor -%}
{%- set named = [cluster, sqlmetrics.name_of_cluster(q, 'cluster_id', 'cluster_id') ~ ' as cluster_name'] if cluster == 'cluster_id' else [cluster] -%}
select
    {{ sqlmetrics.lines([cluster] + chunk + columns) }}
from (
    select
        {{ ([cluster] + chunk + digits) | join(',\n        ') }}
    from (
        select
            {{ ([cluster] + chunk + digests) | join(',\n            ') }}
        from (
            select
                {{ named | join(',\n                ') }}
{%- if keys %}
            from (
                select distinct
                    {{ cluster }}
                from {{ clusters }}
            ) as clusters_of_slices
{%- else %}
            from {{ clusters }}
{%- endif %}
        ) as clusters
{%- if chunk %}
        cross join (
            {{ sqlmetrics.indented(sqlmetrics.indented(sqlmetrics.indented(sqlmetrics.series(size.chunks, 'chunk')))) }}
        ) as chunks
{%- endif %}
        {{- sqlmetrics.indented(sqlmetrics.indented(sqlmetrics.expected_like_others('cluster_name'))) }}
        {{- sqlmetrics.indented(sqlmetrics.indented(sqlmetrics.not_folded())) }}
    ) as digests_of_clusters
    {{- sqlmetrics.indented(sqlmetrics.not_folded()) }}
) as digits_of_clusters
{%- endmacro -%}

{#- The draw (1 to 5) that is packed in a column, or the sum of such. -#}
{%- macro unpacked(column, draw) -%}
{%- set powers = sqlmetrics.powers_of_packing() -%}
{%- set from_here = 'floor(' ~ column ~ ' / ' ~ powers[draw - 1] ~ ')' if draw > 1 else column -%}
{{ return(from_here if draw == powers | length else '(' ~ from_here ~ ' - ' ~ sqlmetrics.base_of_packing() ~ ' * floor(' ~ column ~ ' / ' ~ powers[draw] ~ '))') }}
{%- endmacro -%}

{#- The draws that are packed in columns, in their order. -#}
{%- macro unpacked_draws(width, prefix='packed_') -%}
{%- set draws = [] -%}
{%- for number in range(1, width + 1) -%}
{%- for power in sqlmetrics.powers_of_packing() -%}{%- do draws.append(sqlmetrics.unpacked(prefix ~ number, loop.index)) -%}{%- endfor -%}
{%- endfor -%}
{{ return(draws) }}
{%- endmacro -%}

{#- A run is known by its block and by how many of the other side are above it, which is the same all along it: neither ever falls,
    so that their sum is of one run of its side. -#}
{%- macro runs_of_draws(placed, tied, packed, keys, chunk_keys, width, cluster) -%}
{%- set same = sqlmetrics.same_keys('scores', 'tied', keys) + ['scores.score = tied.score'] -%}
{%- set of_draws = sqlmetrics.keys_of('draws', chunk_keys[keys | length:]) -%}
{%- set run = '2 * (scores.others_above + ' ~ sqlmetrics.block_of_place('scores.place') ~ ') + scores.pos' -%}
select
    {{ sqlmetrics.lines(chunk_keys + [
        sqlmetrics.block_of_place('first_place') ~ ' as block',
        sqlmetrics.to_tinyint('run - 2 * floor(run / 2)') ~ ' as pos',
        'tie',
        'first_place',
        'row_count',
    ] + sqlmetrics.numbered('packed_', width)) }}
from (
    select
        {{ (sqlmetrics.keys_of('scores', keys) + of_draws + [
            run ~ ' as run',
            'tied.tie as tie',
            'min(scores.place) as first_place',
            'count(*) as row_count',
        ] + sqlmetrics.sums_of_numbered('packed_', width, 'draws.')) | join(',\n        ') }}
    from {{ placed }} as scores
    inner join {{ packed }} as draws
        on {{ sqlmetrics.same_value('scores.cluster_id', 'draws.cluster_id') if cluster == 'cluster_id' else 'scores.cluster_name = draws.cluster_name' }}
    left join {{ tied }} as tied
        on {{ same | join('\n        and ') }}
    group by
        {{ (sqlmetrics.keys_alone('scores', keys) + sqlmetrics.keys_alone('draws', chunk_keys[keys | length:]) + [run, 'tied.tie']) | join(',\n        ') }}
) as added_runs
{%- endmacro -%}

{#- What packed scores are, of the places that are there anyway: of equal scores, half of the pairs is taken away again. -#}
{%- macro values_of_places(placed, runs, keys, size) -%}
select
    {{ sqlmetrics.lines(sqlmetrics.keys_of('places', keys) + [
        'places.pos as pos',
        'places.row_count - places.pos as neg',
        'places.row_count as row_count',
        'places.misplaced - coalesce(ties.pairs, 0) / 2 as negatives_above',
    ]) }}
from (
    select
        {{ (keys + [
            sqlmetrics.to_double('sum(pos)') ~ ' as pos',
            sqlmetrics.to_double('count(*)') ~ ' as row_count',
            sqlmetrics.to_double('sum(case when pos = 1 then others_above else 0 end)') ~ ' as misplaced',
        ]) | join(',\n        ') }}
    from {{ placed }}
    {{- sqlmetrics.indented(sqlmetrics.group_by(keys)) }}
) as places
left join (
    select
        {{ (keys + ['sum(positives * negatives) as pairs']) | join(',\n        ') }}
    from (
        select
            {{ (keys + [
                sqlmetrics.to_double('sum(case when pos = 1 then row_count else 0 end)') ~ ' as positives',
                sqlmetrics.to_double('sum(case when pos = 1 then 0 else row_count end)') ~ ' as negatives',
            ]) | join(',\n            ') }}
        from {{ runs }}
        where tie is not null
{%- if size.chunks > 1 %}
            and chunk = 0
{%- endif %}
        {{- sqlmetrics.indented(sqlmetrics.indented(sqlmetrics.group_by(keys + ['tie']))) }}
    ) as counted_ties
    {{- sqlmetrics.indented(sqlmetrics.group_by(keys)) }}
) as ties
    on {{ sqlmetrics.same_keys('places', 'ties', keys) | join('\n    and ') or '1 = 1' }}
{%- endmacro -%}

{#- Added up as they are packed: a block has no more rows than a digit may count. -#}
{%- macro negatives_above_in_blocks(runs, keys, width) -%}
{%- set above = [] -%}
{%- for number in range(1, width + 1) -%}{%- do above.append('sum(negatives.packed_' ~ number ~ ') as above_' ~ number) -%}{%- endfor -%}
select
    {{ sqlmetrics.lines(sqlmetrics.keys_of('positives', keys) + ['positives.first_place as first_place'] + above) }}
{{ sqlmetrics.both_sides(runs, keys + ['block'], 'first_place') }}
group by
    {{ sqlmetrics.lines(sqlmetrics.keys_alone('positives', keys + ['first_place'])) }}
{%- endmacro -%}

{%- macro pairs_inside_blocks(runs, above, keys, width) -%}
{%- set negatives = sqlmetrics.unpacked_draws(width, 'above_') -%}
{%- set sums = [] -%}
{%- for drawn in sqlmetrics.unpacked_draws(width) -%}{%- do sums.append('sum(' ~ drawn ~ ' * ' ~ negatives[loop.index0] ~ ') as misplaced_' ~ loop.index) -%}{%- endfor -%}
select
    {{ sqlmetrics.lines(sqlmetrics.keys_of('positives', keys) + sums) }}
from {{ runs }} as positives
inner join {{ above }} as negatives
    on {{ sqlmetrics.same_keys('positives', 'negatives', keys + ['first_place']) | join('\n    and ') }}
{{- sqlmetrics.group_by(sqlmetrics.keys_alone('positives', keys)) }}
{%- endmacro -%}

{%- macro sides_of_ties(runs, keys, width) -%}
{%- set sums = [] -%}
{%- for drawn in sqlmetrics.unpacked_draws(width) -%}{%- do sums.append('sum(' ~ drawn ~ ') as drawn_' ~ loop.index) -%}{%- endfor -%}
select
    {{ sqlmetrics.lines(keys + ['tie', 'pos'] + sums) }}
from {{ runs }}
where tie is not null
{{- sqlmetrics.group_by(keys + ['tie', 'pos']) }}
{%- endmacro -%}

{#- Added up as they are packed, and then taken apart: a block holds no more rows of one side than a run may. -#}
{%- macro blocks_of_runs(runs, keys, width) -%}
{%- set draws = [] -%}
{%- for drawn in sqlmetrics.unpacked_draws(width) -%}{%- do draws.append(drawn ~ ' as drawn_' ~ loop.index) -%}{%- endfor -%}
select
    {{ sqlmetrics.lines(keys + ['cast(floor(block / 8) as bigint) as node', 'block as cell', 'pos'] + draws) }}
from (
    select
        {{ (keys + ['block', 'pos'] + sqlmetrics.sums_of_numbered('packed_', width)) | join(',\n        ') }}
    from {{ runs }}
    {{- sqlmetrics.indented(sqlmetrics.group_by(keys + ['block', 'pos'])) }}
) as sides_of_blocks
{%- endmacro -%}

{#- The positives of something, each beside the negatives that are of the same keys, and above it where a column tells that. -#}
{%- macro both_sides(from, keys, place=none) -%}
{%- set above = [] if place is none else ['negatives.' ~ place ~ ' < positives.' ~ place] -%}
from {{ from }} as positives
inner join {{ from }} as negatives
    on {{ (sqlmetrics.same_keys('positives', 'negatives', keys) + above) | join('\n    and ') }}
where positives.pos = 1
    and negatives.pos = 0
{%- endmacro -%}

{#- How often a negative stands above a positive within one node: the sums of the products of the draws of both. Within one tie
    there is no place, and half of these is taken away. -#}
{%- macro pairs_of_sides(from, keys, within, draws, place=none) -%}
{%- set sums = [] -%}
{%- for number in range(1, draws + 1) -%}
{%- set pairs = 'sum(positives.drawn_' ~ number ~ ' * negatives.drawn_' ~ number ~ ')' -%}
{%- do sums.append(('-' ~ pairs ~ ' / 2' if place is none else pairs) ~ ' as misplaced_' ~ number) -%}
{%- endfor -%}
select
    {{ sqlmetrics.lines(sqlmetrics.keys_of('positives', keys) + sums) }}
{{ sqlmetrics.both_sides(from, keys + [within], place) }}
{{- sqlmetrics.group_by(sqlmetrics.keys_alone('positives', keys)) }}
{%- endmacro -%}

{%- macro nodes_above(level, keys, draws) -%}
select
    {{ sqlmetrics.lines(keys + ['cast(floor(cell / 8) as bigint) as node', 'cell', 'pos'] + sqlmetrics.sums_of_numbered('drawn_', draws)) }}
from (
    select
        {{ (keys + ['node as cell', 'pos']) | join(',\n        ') }},
        {{ sqlmetrics.numbered('drawn_', draws) | join(',\n        ') }}
    from {{ level }}
) as cells_below
{{- sqlmetrics.group_by(keys + ['cell', 'pos']) }}
{%- endmacro -%}

{%- macro numbered(prefix, count) -%}
{%- set names = [] -%}
{%- for number in range(1, count + 1) -%}{%- do names.append(prefix ~ number) -%}{%- endfor -%}
{{ return(names) }}
{%- endmacro -%}

{#- The sums of such columns, under their names. -#}
{%- macro sums_of_numbered(prefix, count, of='') -%}
{%- set sums = [] -%}
{%- for name in sqlmetrics.numbered(prefix, count) -%}{%- do sums.append('sum(' ~ of ~ name ~ ') as ' ~ name) -%}{%- endfor -%}
{{ return(sums) }}
{%- endmacro -%}

{#- Of these there are so few that replicates are rows already. -#}
{%- macro pairs_of_highest_nodes(q, level, keys, draws, number) -%}
{%- set before = sqlmetrics.over(keys + ['replicate'], 'cell asc rows between unbounded preceding and 1 preceding') -%}
select
    {{ sqlmetrics.lines(keys + ['replicate', 'sum(positives * negatives_above) as misplaced', 'sum(positives) as pos', 'sum(negatives) as neg']) }}
from (
    select
        {{ (keys + ['replicate', 'positives', 'negatives', 'coalesce(sum(negatives) ' ~ before ~ ', 0) as negatives_above']) | join(',\n        ') }}
    from (
        select
            {{ (keys + [
                'replicate',
                'cell',
                'sum(case when pos = 1 then drawn else 0 end) as positives',
                'sum(case when pos = 1 then 0 else drawn end) as negatives',
            ]) | join(',\n            ') }}
        from (
            {{ sqlmetrics.indented(sqlmetrics.indented(sqlmetrics.indented(sqlmetrics.one_per_replicate(q, keys + ['cell', 'pos'], level, {'drawn': 'drawn_'}, draws, number)))) }}
        ) as nodes_in_replicates
        {{- sqlmetrics.indented(sqlmetrics.indented(sqlmetrics.group_by(keys + ['replicate', 'cell']))) }}
    ) as nodes_with_both
) as nodes_in_order
{{- sqlmetrics.group_by(keys + ['replicate']) }}
{%- endmacro -%}

{#- From the values to the ends of an interval and a standard error: for each slice and metric, of a comparison for each pair. The
    quantiles are those of numpy's and R's default, on a straight line between two values in order. A replicate in which the value
    is undefined is left out; of more than one in twenty, there is no interval. -#}
{%- macro spread_of_replicates(q, slicing, parts, names) -%}
{%- set keys = slicing['keys'] -%}
{%- set steps = [] -%}
{%- set read = [] -%}
{%- set values = [] -%}
{%- set counts = [] -%}
{%- set counted = [] -%}
{%- set counted_alike = [] -%}
{%- set metrics = [] -%}
{%- for part in parts -%}
{%- for one in part['values'] -%}
{%- do read.append(one.step) -%}
{%- do metrics.extend(one.metrics) -%}
{%- do values.append(sqlmetrics.one_per_metric(one.metrics, keys + ['replicate'], one.step, 'value')) -%}
{%- endfor -%}
{#- Rows and lists count their clusters alike, whatever the frame, but for those that a frame leaves out. -#}
{%- set kept = part.counts.from ~ part.counts.where -%}
{%- if kept not in counted_alike -%}
{%- set alike = [] -%}
{%- for other in parts if other.counts.from ~ other.counts.where == kept -%}{%- do alike.extend(other.counts.metrics) -%}{%- endfor -%}
{%- do counted_alike.append(kept) -%}
{%- do counted.append(part.counts.from) -%}
{%- set counts_of_clusters -%}
(
    select
        {{ (keys + sqlmetrics.clusters_of(alike, part.counts.of)) | join(',\n        ') }}
    from {{ part.counts.from }}
    {{- sqlmetrics.indented(part.counts.where) }}
    {{- sqlmetrics.indented(sqlmetrics.group_by(keys)) }}
) as counted_clusters
{%- endset -%}
{%- do counts.append(sqlmetrics.one_per_metric(alike, keys, counts_of_clusters, 'clusters')) -%}
{%- endif -%}
{%- endfor -%}
{%- set of_pairs = q.comparison is not none -%}
{%- do steps.append(sqlmetrics.step('replicate_values', values | join('\nunion all\n'), 'one per slice, metric and replicate', read)) -%}
{%- do steps.append(sqlmetrics.step('clusters_drawn', counts | join('\nunion all\n'), 'one per slice and metric', counted)) -%}
{%- if of_pairs -%}
{%- do steps.append(sqlmetrics.step('replicate_differences', sqlmetrics.differences_of_replicates(q, metrics, names | length), 'the difference of two models in each replicate', ['replicate_values', 'model_pairs'])) -%}
{%- endif -%}
{%- set every = keys + ['metric_id'] -%}
{%- set whole = sqlmetrics.over(every) -%}
{%- set h = '(values_there - 1) * ' ~ sqlmetrics.number(q.certainty.tail) -%}
{%- set from_above = '(values_there - 1) * ' ~ sqlmetrics.number(1 - q.certainty.tail) -%}
{%- set ends = [] -%}
{%- for name, position in {'low': h, 'high': from_above}.items() -%}
{%- do ends.append('sum(value * greatest(1 - abs(place - 1 - ' ~ position ~ '), 0)) as ' ~ name) -%}
{%- endfor -%}
{%- set spread -%}
select
    {{ sqlmetrics.lines(every + ends) }},
    sqrt(sum({{ sqlmetrics.square('(value - mean_value)') }}) / nullif(max(values_there) - 1, 0)) as error
from (
    select
        {{ (every + [
            'value',
            sqlmetrics.to_double('row_number() ' ~ sqlmetrics.over(every, 'value asc')) ~ ' as place',
            sqlmetrics.to_double('count(*) ' ~ whole) ~ ' as values_there',
            'avg(value) ' ~ whole ~ ' as mean_value',
        ]) | join(',\n        ') }}
    from {{ 'replicate_differences' if of_pairs else 'replicate_values' }}
    where {{ sqlmetrics.is_finite('value') }}
) as values_in_order
{{- sqlmetrics.group_by(every) }}
having count(*) >= {{ 0.95 * q.certainty.replicates }}
{%- endset -%}
{%- do steps.append(sqlmetrics.step('replicate_spread', spread, 'how far the values lie apart', ['replicate_differences' if of_pairs else 'replicate_values'], stored=of_pairs)) -%}
{%- set items = [] -%}
{%- set errors = {} -%}
{%- for m in metrics -%}
{%- set number = m.number -%}
{%- set there = 'case when spread.metric_id = ' ~ number ~ ' and counted.clusters > 1 then ' -%}
{%- if not of_pairs -%}
{%- for name in ['low', 'high'] -%}{%- do items.append('max(' ~ there ~ name ~ ' end) as ' ~ name ~ '_' ~ number) -%}{%- endfor -%}
{%- endif -%}
{%- do items.append('max(' ~ there ~ 'error end) as error_' ~ number) -%}
{%- do items.append('cast(max(case when counted.metric_id = ' ~ number ~ ' then counted.clusters end) as bigint) as clusters_' ~ number) -%}
{%- if of_pairs -%}
{%- set degrees = 'nullif(max(case when counted.metric_id = ' ~ number ~ ' then ' ~ sqlmetrics.to_double('counted.clusters') ~ ' end) - 1, 0) as degrees_' ~ number -%}
{%- do items.append(degrees) -%}
{%- endif -%}
{%- set found = {'se': 'bootstrapped.error_' ~ number, 'clusters': 'bootstrapped.clusters_' ~ number} -%}
{%- if of_pairs -%}
{%- do found.update({'reach': 'bootstrapped.reach_' ~ number, 'degrees': 'bootstrapped.degrees_' ~ number}) -%}
{%- if sqlmetrics.ideal_of(m) is not none -%}
{%- do items.append('max(case when spread.metric_id = ' ~ (number + names | length) ~ ' and counted.clusters > 1 then error end) as error_' ~ number ~ '_of_distance') -%}
{%- do items.append('cast(max(case when counted.metric_id = ' ~ number ~ ' then counted.clusters end) as bigint) as clusters_' ~ number ~ '_of_distance') -%}
{%- do items.append(degrees ~ '_of_distance') -%}
{%- do found.update({'by_clusters': true}) -%}
{%- endif -%}
{%- else -%}
{%- do found.update({'low': 'bootstrapped.low_' ~ number, 'high': 'bootstrapped.high_' ~ number}) -%}
{%- endif -%}
{%- do errors.update({m.as: found}) -%}
{%- endfor -%}
{%- set same = sqlmetrics.same_keys('counted', 'spread', keys) + ['counted.metric_id = ' ~ ('case when spread.metric_id > ' ~ names | length ~ ' then spread.metric_id - ' ~ names | length ~ ' else spread.metric_id end' if of_pairs else 'spread.metric_id')] -%}
{%- set by_slices -%}
select
    {{ sqlmetrics.lines(sqlmetrics.keys_of('counted', keys) + items) }}
from clusters_drawn as counted
left join replicate_spread as spread
    on {{ same | join('\n    and ') }}
{{- sqlmetrics.group_by(sqlmetrics.keys_alone('counted', keys)) }}
{%- endset -%}
{%- do steps.append(sqlmetrics.step('bootstrapped', sqlmetrics.with_reach(q, keys, sqlmetrics.with_distances(metrics), by_slices) if of_pairs else by_slices, 'one per slice', ['clusters_drawn', 'replicate_spread'])) -%}
{{ return({'steps': steps, 'errors': errors}) }}
{%- endmacro -%}

{#- Columns of metrics, value_1, value_2 …, turned into rows. -#}
{%- macro one_per_metric(metrics, keys, from, name) -%}
{%- set cases = [] -%}
{%- set ids = [] -%}
{%- for m in metrics -%}
{%- do cases.append('when ' ~ m.number ~ ' then ' ~ (sqlmetrics.to_double(name ~ '_' ~ m.number) if name == 'value' else name ~ '_' ~ m.number)) -%}
{%- do ids.append('select ' ~ m.number ~ ' as metric_id') -%}
{%- endfor -%}
select
    {{ sqlmetrics.lines(keys + ['metric_id', 'case metric_id ' ~ cases | join(' ') ~ ' end as ' ~ name]) }}
from {{ from }}
cross join (
    {{ ids | join('\n    union all\n    ') }}
) as metrics
{%- endmacro -%}

{#- How many clusters there are: those that have a part in a mean over groups, or all. -#}
{%- macro clusters_of(metrics, counts) -%}
{%- set items = [] -%}
{%- for m in metrics -%}{%- do items.append((counts[m.as] if m.as in counts else 'count(distinct cluster_name)') ~ ' as clusters_' ~ m.number) -%}{%- endfor -%}
{{ return(items) }}
{%- endmacro -%}

{#- Each metric, and again by the distance of its values from what is best, where it has that. -#}
{%- macro with_distances(metrics) -%}
{%- set all = [] -%}
{%- for m in metrics -%}
{%- do all.append({'number': m.number}) -%}
{%- if sqlmetrics.ideal_of(m) is not none -%}{%- do all.append({'number': m.number ~ '_of_distance'}) -%}{%- endif -%}
{%- endfor -%}
{{ return(all) }}
{%- endmacro -%}

{#- The distances from what is best have numbers of their own, behind those of the metrics. -#}
{%- macro differences_of_replicates(q, metrics, count) -%}
{%- set difference = '(value - baseline_value)' ~ (' / nullif(abs(baseline_value), 0)' if q.comparison.relative else '') -%}
{%- set ideals = [] -%}
{%- for m in metrics if sqlmetrics.ideal_of(m) is not none -%}{%- do ideals.append('when ' ~ m.number ~ ' then ' ~ sqlmetrics.ideal_of(m)) -%}{%- endfor -%}
{%- set ideal = 'case metric_id ' ~ ideals | join(' ') ~ ' end' -%}
select
    slice_id,
{%- if ideals %}
    metric_id + kind * {{ count }} as metric_id,
    case kind when 0 then {{ difference }} else abs(value - {{ ideal }}) - abs(baseline_value - {{ ideal }}) end as value
{%- else %}
    metric_id,
    {{ difference }} as value
{%- endif %}
from (
    select
        pairs.slice_id as slice_id,
        found.metric_id as metric_id,
        found.replicate as replicate,
        max(case when pairs.slice_id = found.slice_id then found.value end) as value,
        max(case when pairs.baseline_id = found.slice_id then found.value end) as baseline_value
    from (
        select
            slice_id,
            baseline_id,
            case side when 1 then slice_id else baseline_id end as member_id
        from model_pairs
        cross join (
            {{ sqlmetrics.indented(sqlmetrics.indented(sqlmetrics.indented(sqlmetrics.numbers(2, 'side')))) }}
        ) as sides
    ) as pairs
    inner join replicate_values as found
        on pairs.member_id = found.slice_id
    group by
        pairs.slice_id,
        found.metric_id,
        found.replicate
) as values_of_both
{%- if ideals %}
cross join (
    select 0 as kind
    union all
    select 1 as kind
) as kinds
{%- endif -%}
{%- endmacro -%}
