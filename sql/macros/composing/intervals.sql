{#- How sure the values of a frame are: a standard error for each metric, and beside each value the ends of its interval.

    One idea: the influence of a unit is how fast the value moves with its weight, and the sum of the squares of what clusters of
    units do is the variance of the value, C / (C - 1) · Σ e². A unit is a row, or a group where the metric is made of groups.
    - 'sums': the value is a function of sums over units, as its file writes it with `sum_of` and the like. The sums are moved a
      little in the direction of each cluster, to both sides, and half the difference is its influence: no derivative has to
      be written down. Of each sum five millionths are moved at most, at which the error of the quotient, and that of
      rounding, are both near 2e-11: of what is added up, without its signs. Of a sum of errors that cancel five millionths
      are nothing, and the other sums, of this metric or of one beside it, would not move.
    - 'cut': the value is the largest of all thresholds, as its file says with `height`. Where it is largest it does not move with
      the threshold, so that its influence is that of the value at this one (Danskin, 1967): with `at_cut`, a function of sums.
    - 'held': the value hangs on where each row stands among all. What a row finds there is held, and the value is a function of sums
      over it that moves with a row as the value itself does, as its file says with `held`.
    - 'parts': the value is a function of sums over classes, or over whatever else a row of the frame is that rows of the log move:
      see parts.sql.
    - 'influence': the metric's file says it, in a macro of that name.
    - 'jackknife', for all others: the clusters are put in twenty buckets, and the value is taken without each in turn. -#}
{%- macro interval_steps(q, f, slicing) -%}
{%- set by_sums = [] -%}
{%- set by_cut = [] -%}
{%- set by_held = [] -%}
{%- set by_parts = [] -%}
{%- set by_influence = [] -%}
{%- set by_buckets = [] -%}
{%- set names = sqlmetrics.names_in_result(q.metrics) -%}
{%- for m in f.metrics if m.interval -%}
{%- set number = sqlmetrics.position_of(m.as, names) -%}
{%- set sums = sqlmetrics.sums_of(m, f, 'm' ~ number) -%}
{%- set way = sqlmetrics.interval_way(m, f, sums) -%}
{%- if way == 'sums' -%}
{%- do by_sums.append(dict(m, number=number, sums=sums)) -%}
{%- elif way == 'parts' -%}
{%- do by_parts.append(dict(m, number=number, sums=sums)) -%}
{%- elif way == 'cut' -%}
{%- do by_cut.append(sqlmetrics.metric_with_sums(m, number)) -%}
{%- elif way == 'held' -%}
{%- do by_held.append(sqlmetrics.metric_with_sums(m, number)) -%}
{%- elif way == 'influence' -%}
{%- do by_influence.append(dict(m, number=number)) -%}
{%- else -%}
{%- do by_buckets.append(dict(m, number=number)) -%}
{%- endif -%}
{%- endfor -%}
{%- set found = {'steps': [], 'joined': [], 'errors': {}} -%}
{%- for part in [
    sqlmetrics.errors_by_sums(q, f, slicing, by_sums) if by_sums else none,
    sqlmetrics.errors_by_cut(q, f, slicing, by_cut) if by_cut else none,
    sqlmetrics.errors_by_held(q, f, slicing, by_held) if by_held else none,
    sqlmetrics.errors_by_parts(q, f, slicing, by_parts) if by_parts else none,
    sqlmetrics.errors_by_influence(q, f, slicing, by_influence) if by_influence else none,
    sqlmetrics.errors_by_buckets(q, f, slicing, by_buckets) if by_buckets else none,
] if part is not none -%}
{%- do found.steps.extend(part.steps) -%}
{%- do found.joined.extend(part.joined) -%}
{%- do found.errors.update(part.errors) -%}
{%- endfor -%}
{{ return(found) }}
{%- endmacro -%}

{%- macro interval_way(m, f, sums) -%}
{%- if sums -%}
{{ return('sums' if f.unit is not none else 'parts') }}
{%- elif m.has_influence and sqlmetrics.knows_every_score(f) -%}
{{ return('influence') }}
{%- elif m.has_held and sqlmetrics.holds_rows(f) -%}
{{ return('held') }}
{%- elif m.has_cut -%}
{{ return('cut') }}
{%- endif -%}
{{ return('buckets') }}
{%- endmacro -%}

{#- Whether a row can be told what it finds at its place. -#}
{%- macro holds_rows(f) -%}
{{ return(sqlmetrics.knows_every_score(f) or sqlmetrics.stands_beside_rows(f) or f.name == 'logistic_fit' or (f.name == 'score_bins' and f.params.binning == 'width')) }}
{%- endmacro -%}

{#- Not where steps have taken the place of scores. -#}
{%- macro knows_every_score(f) -%}
{{ return(f.name == 'ranked_scores' or (f.name == 'thresholds' and not sqlmetrics.counts_in_steps(f.params))) }}
{%- endmacro -%}

{#- Where each row of the log stands beside what it is compared with, the same for all rows of the slice. -#}
{%- macro stands_beside_rows(f) -%}
{{ return(f.name in ['centred_rows', 'quantile_rows']) }}
{%- endmacro -%}

{#- How the interval of the metric of a call of one is made, and of what its units are: for the catalogue. -#}
{%- macro interval_way_of_call(q) -%}
{%- set f = sqlmetrics.frames_of(q)[0] -%}
{%- set way = sqlmetrics.interval_way(f.metrics[0], f, sqlmetrics.sums_of(f.metrics[0], f, 'm1')) -%}
{{ return([way, f.unit]) }}
{%- endmacro -%}

{#- The sums that a metric is a function of, if it is: all that it takes of the rows it takes through `sum_of`. The rows are those of
    the log, or groups, or what rows of the log move; how many of these there are does not move with their weights. -#}
{%- macro sums_of(m, f, name) -%}
{%- if m.query or (f.unit is none and not f.moved) -%}
{{ return([]) }}
{%- endif -%}
{%- set noted = dict(m, state=[], state_name=name, written_as='moved_') -%}
{%- set value = sqlmetrics.metric_value(noted, m.name) -%}
{%- for column in noted.state if column.aggregate != 'sum' -%}
{{ return([]) }}
{%- endfor -%}
{%- for aggregate in ['sum(', 'count(', 'avg(', 'min(', 'max('] if aggregate in value -%}
{{ return([]) }}
{%- endfor -%}
{%- for column in noted.state if f.unit is none and 'row_count' in column.value -%}
{{ return([]) }}
{%- endfor -%}
{{ return(noted.state) }}
{%- endmacro -%}

{#- Where the step of errors has what it knows of a metric. -#}
{%- macro errors_of_clusters(errors, m) -%}
{{ return({
    'se': errors ~ '.error_' ~ m.number,
    'clusters': errors ~ '.clusters_' ~ m.number,
    'by_clusters': true,
    'degrees': errors ~ '.degrees_' ~ m.number,
    'of_models': errors ~ '_of_models',
    'reach': errors ~ '.reach_' ~ m.number,
    'least': errors ~ '.least_error_' ~ m.number,
}) }}
{%- endmacro -%}

{%- macro errors_by_sums(q, f, slicing, metrics) -%}
{%- set keys = slicing['keys'] -%}
{%- set units = f.cte ~ '_in_clusters' -%}
{%- set totals = f.cte ~ '_in_all' -%}
{%- set moved = f.cte ~ '_moved' -%}
{%- set errors = f.cte ~ '_errors' -%}
{%- set sums = {} -%}
{%- for m in metrics -%}
{%- for column in m.sums -%}{%- do sums.update({column.name: column.value}) -%}{%- endfor -%}
{%- endfor -%}
{%- set named = ['cluster_name'] if sqlmetrics.clusters_are_named(q, f) else [] -%}
{%- set clustered = sqlmetrics.sums_in_clusters(q, f, slicing, units, sums) -%}
{%- set added = [] -%}
{%- set both = sqlmetrics.keys_of('clusters', keys + named) -%}
{%- set shares = ['0'] -%}
{%- set up_and_down = [] -%}
{%- set same = sqlmetrics.same_keys('clusters', 'totals', keys) -%}
{%- for m in metrics -%}
{#- Where the sums are shares of one whole, all clusters are behind the value, however few of them are behind one of these. -#}
{%- set of_whole = 'shares_of_all' in m.uses -%}
{%- set counts = [] -%}
{%- for column in m.sums -%}
{#- A sum that is nothing is of no cluster, and tells nothing. -#}
{%- set count = 'count(case when ' ~ column.name ~ ' <> 0 then 1 end)' -%}
{%- do counts.append(count if of_whole else 'coalesce(nullif(' ~ count ~ ', 0), 9007199254740992)') -%}
{%- endfor -%}
{%- set behind = sqlmetrics.greatest_of(counts, '\n        ') if of_whole else sqlmetrics.least_of(counts, '\n        ') -%}
{%- do added.append(sqlmetrics.to_double(behind) ~ ' as scarcest_' ~ m.number) -%}
{%- endfor -%}
{%- for name in sums -%}
{%- do added.extend(['sum(' ~ name ~ ') as all_' ~ name, 'sum(abs(' ~ name ~ ')) as size_of_' ~ name]) -%}
{%- do both.extend([name, 'all_' ~ name]) -%}
{%- do shares.append('coalesce(abs(' ~ name ~ ') / nullif(size_of_' ~ name ~ ', 0), 0)') -%}
{%- do up_and_down.append('all_' ~ name ~ ' + ' ~ name ~ ' * step as up_' ~ name) -%}
{%- do up_and_down.append('all_' ~ name ~ ' - ' ~ name ~ ' * step as down_' ~ name) -%}
{%- do up_and_down.append('all_' ~ name ~ ' - ' ~ name ~ ' as left_' ~ name) -%}
{%- endfor -%}
{%- set all_clusters -%}
select
    {{ sqlmetrics.lines(keys + added) }}
from {{ units }}
{{- sqlmetrics.group_by(keys) }}
{%- endset -%}
{%- set moved_sums -%}
select
    {{ sqlmetrics.lines(keys + named + ['step'] + up_and_down) }}
from (
    select{{ sqlmetrics.broadcast('totals') }}
        {{ (both + ['-- at most five millionths of any sum are moved\n        coalesce(5e-6 / nullif(greatest(\n            ' ~ shares | join(',\n            ') ~ '\n        ), 0), 1) as step']) | join(',\n        ') }}
    from {{ units }} as clusters
    inner join {{ totals }} as totals
        on {{ same | join('\n        and ') if same else '1 = 1' }}
) as shares_of_clusters
{{- sqlmetrics.kept_apart() if keys }}
{%- endset -%}
{%- set influences = [] -%}
{%- set found = {} -%}
{%- for m in metrics -%}
{%- set value = {} -%}
{%- for way in ['up_', 'down_', 'left_'] -%}
{%- set moved_metric = dict(m, state=[], state_name='m' ~ m.number, written_as=way) -%}
{%- do value.update({way: sqlmetrics.metric_of_sums(moved_metric)}) -%}
{%- endfor -%}
{%- do influences.append('(\n    (' ~ sqlmetrics.indented(value['up_']) ~ ')\n    - (' ~ sqlmetrics.indented(value['down_']) ~ ')\n) / (2 * step) as influence_' ~ m.number) -%}
{#- What adds nothing to any sum has no part in the value: a group without one of its own, a negative in a recall. Only the cluster
    that has all of a sum can be the one without which there is no value. -#}
{%- set parts = [] -%}
{%- for column in m.sums -%}{%- do parts.append('up_' ~ column.name ~ ' <> down_' ~ column.name) -%}{%- endfor -%}
{%- do influences.append('-- 2: the cluster has all of a sum, and without it there is no value\ncase\n    when step < 5.0000001e-6 and (' ~ value['left_'] ~ ') is null then 2\n    when ' ~ parts | join('\n        or ') ~ ' then 1\nend as part_' ~ m.number) -%}
{%- do found.update({m.as: dict(sqlmetrics.errors_of_clusters(errors, m), scarcest=totals ~ '.scarcest_' ~ m.number, tail=q.certainty.tail)}) -%}
{%- endfor -%}
{%- set influences_of_clusters -%}
select
    {{ sqlmetrics.indented((keys + named + influences) | join(',\n')) }}
from {{ moved }}
{%- endset -%}
{{ return({
    'steps': clustered + [
        sqlmetrics.step(totals, all_clusters, 'the sums of all clusters'),
        sqlmetrics.step(moved, moved_sums, 'these, with a little more and a little less of each cluster'),
    ] + sqlmetrics.error_steps(q, errors, metrics, influences_of_clusters, keys, named=named),
    'joined': [errors] + ([totals] if q.comparison is none else []),
    'errors': found,
}) }}
{%- endmacro -%}

{#- Metrics that are the largest of all thresholds: the rows are told by the one at which each is reached. -#}
{%- macro errors_by_cut(q, f, slicing, metrics) -%}
{%- set keys = slicing['keys'] -%}
{%- set rows = f.cte ~ '_at_cuts' -%}
{%- set steps = [] -%}
{%- set joins = [] -%}
{%- set called = [] -%}
{%- set cuts = [] -%}
{%- for m in metrics -%}
{%- set cut = f.cte ~ '_cut_' ~ m.number -%}
{%- set height = sqlmetrics.metric_height(m) -%}
{#- Values of weights that are equal but for the last bits of their sums are equal: the same threshold on every engine. -#}
{%- if f.weighted -%}{%- set height = 'floor((' ~ height ~ ') * 1e12 + 0.5)' -%}{%- endif -%}
{%- set same_slice = sqlmetrics.same_keys('heights', 'highest', keys) -%}
{%- set heights -%}
select
    {{ sqlmetrics.lines(keys + ['score', sqlmetrics.indented(height) ~ ' as height']) }}
from {{ f.cte }}
{%- endset -%}
{%- set highest -%}
select
    {{ sqlmetrics.lines(keys + ['max(height) as highest_height']) }}
from {{ cut }}_heights
{{- sqlmetrics.group_by(keys) }}
{%- endset -%}
{%- set best_score -%}
select{{ sqlmetrics.broadcast('highest') }}
    {{ sqlmetrics.lines(sqlmetrics.keys_of('heights', keys) + ['max(heights.score) as cut_' ~ m.number]) }}
from {{ cut }}_heights as heights
inner join {{ cut }}_highest as highest
    on {{ (same_slice + ['heights.height = highest.highest_height']) | join('\n    and ') }}
{{- sqlmetrics.group_by(sqlmetrics.keys_alone('heights', keys)) }}
{%- endset -%}
{%- set same = sqlmetrics.same_keys('scored', cut, keys) -%}
{%- do steps.extend([
    sqlmetrics.step(cut ~ '_heights', heights, 'the value at every threshold'),
    sqlmetrics.step(cut ~ '_highest', highest, 'one per slice'),
    sqlmetrics.step(cut, best_score, 'the highest score at which it is largest'),
]) -%}
{%- do cuts.append(cut) -%}
{%- do joins.append('inner join ' ~ cut ~ '\n    on ' ~ (same | join('\n    and ') if same else '1 = 1')) -%}
{%- do called.append('case when scored.score >= cut_' ~ m.number ~ ' then 1 else 0 end as called_' ~ m.number) -%}
{%- endfor -%}
{%- set rows_at_cuts -%}
select{{ sqlmetrics.broadcast(cuts | join(', ')) }}
    {{ sqlmetrics.lines(sqlmetrics.keys_of('scored', keys) + sqlmetrics.carried_by_rows(q) + ['pos', 'neg'] + called) }}
from {{ slicing.rows_from }} as scored
{{ joins | join('\n') }}
{{- f.where }}
{%- endset -%}
{%- do steps.append(sqlmetrics.step(rows, rows_at_cuts, 'the rows, called positive at that score and above')) -%}
{%- set found = sqlmetrics.errors_by_sums(q, dict(f, cte=rows, own_step=true, unit='row'), slicing, metrics) -%}
{{ return({'steps': steps + found.steps, 'joined': found.joined, 'errors': found.errors}) }}
{%- endmacro -%}

{#- Whether one of the metrics has its interval in a way that its file has a macro for: `has_cut`, `has_held` or `has_influence`. -#}
{%- macro has_interval_by(q, metrics, way) -%}
{%- for m in metrics if q.certainty is not none and q.certainty.replicates is none and m[way] and m.interval -%}
{{ return(true) }}
{%- endfor -%}
{{ return(false) }}
{%- endmacro -%}

{#- What tells whose a row is: its cluster; in a comparison of models without clusters, itself. -#}
{%- macro carried_by_rows(q) -%}
{{ return(['cluster_id'] if q.certainty.cluster is not none else ['row_id'] if q.row_ids else []) }}
{%- endmacro -%}

{#- The metric as a function of sums over rows, which may be those at its threshold, or hold what they find at their place. -#}
{%- macro metric_of_sums(m) -%}
{%- if m.has_cut -%}
{{ return(sqlmetrics.metric_at_cut(m)) }}
{%- elif m.has_held -%}
{{ return(sqlmetrics.metric_held(m)) }}
{%- endif -%}
{{ return(sqlmetrics.metric_value(m, m.name)) }}
{%- endmacro -%}

{%- macro metric_with_sums(m, number) -%}
{%- set noted = dict(m, number=number, state=[], state_name='m' ~ number, written_as='moved_') -%}
{%- do sqlmetrics.metric_of_sums(noted) -%}
{{ return(dict(m, number=number, sums=noted.state)) }}
{%- endmacro -%}

{%- macro true_positives_at_cut(m) -%}
{{ sqlmetrics.sum_of(m, 'pos * called_' ~ m.number) }}
{%- endmacro -%}

{%- macro false_positives_at_cut(m) -%}
{{ sqlmetrics.sum_of(m, 'neg * called_' ~ m.number) }}
{%- endmacro -%}

{#- Metrics of which every row holds what it finds at its place. -#}
{%- macro errors_by_held(q, f, slicing, metrics) -%}
{%- set rows = f.cte ~ '_held' -%}
{%- set carried = sqlmetrics.carried_by_rows(q) -%}
{%- if f.name == 'score_bins' -%}
{%- set steps = sqlmetrics.gaps_of_bins_held(f, rows, slicing, carried) -%}
{%- elif sqlmetrics.stands_beside_rows(f) -%}
{#- What they stand beside is there already, for the value. -#}
{%- set steps = sqlmetrics.frame_steps(dict(f, cte=rows, carried=carried + ['label', 'score', 'weight']), slicing.rows_from, slicing['keys'])[-1:] -%}
{%- elif f.name == 'logistic_fit' -%}
{%- set steps = sqlmetrics.parts_of_fit_held(f, rows, slicing, carried) -%}
{%- elif f.name == 'ranked_scores' -%}
{%- set steps = sqlmetrics.precisions_of_ranks_held(f, rows, slicing['keys'], carried) -%}
{%- else -%}
{%- set steps = sqlmetrics.precisions_of_scores_held(f, rows, slicing, carried) -%}
{%- endif -%}
{%- set found = sqlmetrics.errors_by_sums(q, dict(f, cte=rows, own_step=true, unit='row'), slicing, metrics) -%}
{{ return({'steps': steps + found.steps, 'joined': found.joined, 'errors': found.errors}) }}
{%- endmacro -%}

{#- Of each bin, by how much the rate of positives is above the mean score. A bin that is right but for the last bits of its sums
    is neither above nor below, and bins that are equal but for these are equal: on every engine. -#}
{%- macro gaps_of_bins_held(f, name, slicing, carried) -%}
{%- set keys = slicing['keys'] -%}
{%- set gaps = f.cte ~ '_gaps' -%}
{%- set same = sqlmetrics.same_keys('binned', 'gaps', keys) -%}
{%- set gaps_of_bins -%}
select
    {{ sqlmetrics.lines(keys + ['bin', 'bin_gap']) }},
    case when bin_gap > 1e-12 then 1 when bin_gap < -1e-12 then -1 else 0 end as direction,
    case when row_number() {{ sqlmetrics.over(keys, 'coalesce(floor(abs(bin_gap) * 1e12 + 0.5), -1) desc, bin asc') }} = 1 then 1 else 0 end as is_worst
from (
    select
        {{ (keys + ['bin', '(pos - score_sum) / nullif(pos + neg, 0) as bin_gap']) | join(',\n        ') }}
    from {{ f.cte }}
) as bins
{%- endset -%}
{%- set rows -%}
select{{ sqlmetrics.broadcast('gaps') }}
    {{ sqlmetrics.lines(sqlmetrics.keys_of('binned', keys + carried + ['pos', 'neg', 'score']) + sqlmetrics.keys_of('gaps', ['bin_gap', 'direction', 'is_worst'])) }}
from (
    {{ sqlmetrics.indented(sqlmetrics.bins_of_equal_width(f, slicing.rows_from, keys, carried)) }}
) as binned
inner join {{ gaps }} as gaps
    on {{ (same + ['binned.bin = gaps.bin']) | join('\n    and ') }}
{%- endset -%}
{{ return([
    sqlmetrics.step(gaps, gaps_of_bins, 'one per bin'),
    sqlmetrics.step(name, rows, 'the rows, with how far their bin is off'),
]) }}
{%- endmacro -%}

{#- One more positive at or above a positive raises the precision at this one, one more negative lowers it: every row holds the
    precision at its own score, and what it does to those at and below it, `gained` if it is a positive, and `lost` if not. The
    latter hang on the positives at and below alone, of which there are few in a log of clicks: by their number a row finds it
    without another sort. -#}
{%- macro precisions_of_ranks_held(f, name, keys, carried) -%}
{%- set counted = f.cte ~ '_in_slices' -%}
{%- set precise = f.cte ~ '_precise' -%}
{%- set from_below = f.cte ~ '_from_below' -%}
{%- set through = 'nullif(rows_through, 0)' -%}
{%- set upwards = sqlmetrics.over(keys, 'positives_from_here asc rows unbounded preceding') -%}
{%- set same_slice = sqlmetrics.same_keys('positives', 'counted', keys) -%}
{%- set same = sqlmetrics.same_keys('ranked', 'precisions', keys) -%}
{%- set rows_of_all -%}
select
    {{ sqlmetrics.lines(keys + [sqlmetrics.to_double('count(*)') ~ ' as rows_of_all']) }}
from {{ f.cte }}
{{- sqlmetrics.group_by(keys) }}
{%- endset -%}
{%- set precisions -%}
select
    {{ sqlmetrics.lines(sqlmetrics.keys_of('positives', keys + ['positives_from_here', 'pos', 'true_positives']) + [
        'floor(positives.share_through * counted.rows_of_all + 0.5) as rows_through',
    ]) }}
from (
    select
        {{ (keys + [
            'positives_from_here',
            'sum(pos) as pos',
            'max(true_positives) as true_positives',
            'max(share_through) as share_through',
        ]) | join(',\n        ') }}
    from {{ f.cte }}
    where pos = 1
    group by
        {{ (keys + ['positives_from_here']) | join(',\n        ') }}
) as positives
inner join {{ counted }} as counted
    on {{ same_slice | join('\n    and ') if same_slice else '1 = 1' }}
{%- endset -%}
{%- set sums_from_below -%}
select
    {{ sqlmetrics.lines(keys + [
        'positives_from_here',
        'true_positives / ' ~ through ~ ' as precision_here',
        'sum(pos / ' ~ through ~ ' * (1 - true_positives / ' ~ through ~ ')) ' ~ upwards ~ ' as gained',
        'sum(pos / ' ~ through ~ ' * (true_positives / ' ~ through ~ ')) ' ~ upwards ~ ' as lost',
    ]) }}
from {{ precise }}
{%- endset -%}
{%- set rows -%}
select
    {{ sqlmetrics.lines(sqlmetrics.keys_of('ranked', keys + carried + ['pos', 'neg']) + [
        'coalesce(precisions.precision_here, 0) as precision_here',
        'coalesce(precisions.gained, 0) as gained',
        'coalesce(precisions.lost, 0) as lost',
    ]) }}
from {{ f.cte }} as ranked
left join {{ from_below }} as precisions
    on {{ (same + ['ranked.positives_from_here = precisions.positives_from_here']) | join('\n    and ') }}
{%- endset -%}
{{ return([
    sqlmetrics.step(counted, rows_of_all, 'one per slice'),
    sqlmetrics.step(precise, precisions, 'one per distinct score of positives, by how many are at and below it'),
    sqlmetrics.step(from_below, sums_from_below, 'the same, with what one more row there does to all at and below'),
    sqlmetrics.step(name, rows, 'the rows, with the precision at their scores, and what they do to those at and below'),
]) }}
{%- endmacro -%}

{#- The same where scores are counted: of each score once. -#}
{%- macro precisions_of_scores_held(f, name, slicing, carried) -%}
{%- set keys = slicing['keys'] -%}
{%- set precise = f.cte ~ '_precise' -%}
{%- set from_below = f.cte ~ '_from_below' -%}
{%- set through = 'nullif(true_positives + false_positives, 0)' -%}
{%- set precisions -%}
select
    {{ sqlmetrics.lines(keys + [
        'score',
        'row_count',
        'true_positives / ' ~ through ~ ' as precision_here',
        'pos / ' ~ through ~ ' * (false_positives / ' ~ through ~ ') as gained_here',
        'pos / ' ~ through ~ ' * (true_positives / ' ~ through ~ ') as lost_here',
    ]) }}
from {{ f.cte }}
{%- endset -%}
{%- set same = sqlmetrics.same_keys('scored', 'precisions', keys) -%}
{%- set rows -%}
select
    {{ sqlmetrics.lines(sqlmetrics.keys_of('scored', keys + carried + ['pos', 'neg']) + sqlmetrics.keys_of('precisions', ['precision_here', 'gained', 'lost'])) }}
from {{ slicing.rows_from }} as scored
inner join {{ from_below }} as precisions
    on {{ (same + ['scored.score = precisions.score']) | join('\n    and ') }}
{{- f.where }}
{%- endset -%}
{%- set sums = [{'measure': 'gained', 'reach': 'here', 'as': 'gained'}, {'measure': 'lost', 'reach': 'here', 'as': 'lost'}] -%}
{{ return([sqlmetrics.step(precise, precisions, 'the precision at every score, and what one more row above it does to it', stored=true)]
    + sqlmetrics.running_sums(dict(f, cte=from_below, rows='one per distinct score, with what one more row there does to all at and below'), precise, keys, 'score', ' asc', ['score', 'row_count', 'precision_here', 'gained_here', 'lost_here'], {'gained': 'gained_here', 'lost': 'lost_here'}, sums)
    + [sqlmetrics.step(name, rows, 'the rows, with what they find at their scores')]) }}
{%- endmacro -%}

{#- From the influences of clusters to a standard error per slice; of a comparison, to one per pair of models. -#}
{%- macro error_steps(q, errors, metrics, influences, keys, corrected=false, named=[]) -%}
{%- if q.comparison is not none -%}
{{ return(sqlmetrics.error_steps_of_pairs(q, errors, metrics, influences, corrected, named)) }}
{%- endif -%}
{%- set spread -%}
select
    {{ sqlmetrics.lines(keys + sqlmetrics.spread_of_influences(metrics, corrected)) }}
from (
    {{ sqlmetrics.indented(influences) }}
) as influences
{{- sqlmetrics.group_by(keys) }}
{%- endset -%}
{{ return([sqlmetrics.step(errors, sqlmetrics.with_reach(q, keys, metrics, spread), 'one per slice: what clusters do to the values, squared and added up')]) }}
{%- endmacro -%}

{#- How far an interval reaches to either side: as many standard errors as Student's t asks for with so few clusters. `known` are
    what it hands on of each metric besides. -#}
{%- macro with_reach(q, keys, metrics, spread, known=none) -%}
{%- set known = sqlmetrics.known_of_clusters(q) if known is none else known -%}
{%- set items = keys | list -%}
{%- for m in metrics -%}
{%- for name in known -%}{%- do items.append(name ~ '_' ~ m.number) -%}{%- endfor -%}
{%- set reach = sqlmetrics.indented(sqlmetrics.student_quantile(q.certainty.normal, 'degrees_' ~ m.number)) -%}
{%- do items.extend(['degrees_' ~ m.number, 'error_' ~ m.number, 'error_' ~ m.number ~ ' * ' ~ reach ~ ' as reach_' ~ m.number]) -%}
{%- endfor -%}
select
    {{ sqlmetrics.lines(items) }}
from (
    {{ sqlmetrics.indented(spread) }}
) as spread
{%- endmacro -%}

{%- macro known_of_clusters(q) -%}
{{ return(['clusters'] + (['shared_clusters', 'least_error'] if sqlmetrics.of_two_samples(q) else [])) }}
{%- endmacro -%}

{#- The variance is C / (C - 1) · Σ e², unless the influences are corrected already, as those of two samples are. Where there is no
    value without one of the clusters (its part is 2), nothing tells what another one in its place would do. -#}
{%- macro spread_of_influences(metrics, corrected=false) -%}
{%- set items = [] -%}
{%- for m in metrics -%}
{%- set influence = 'influence_' ~ m.number -%}
{%- set count = 'count(part_' ~ m.number ~ ')' -%}
{%- do items.append('cast(' ~ count ~ ' as bigint) as clusters_' ~ m.number) -%}
{%- set correction = '' if corrected else ' * ' ~ count ~ ' / nullif(' ~ sqlmetrics.to_double(count) ~ ' - 1, 0)' -%}
{%- do items.append((sqlmetrics.to_double('null') if corrected else 'nullif(' ~ sqlmetrics.to_double(count) ~ ' - 1, 0)') ~ ' as degrees_' ~ m.number) -%}
{%- do items.append('case\n        when max(part_' ~ m.number ~ ') = 1\n            then sqrt(sum(' ~ influence ~ ' * ' ~ influence ~ ')' ~ correction ~ ')\n    end as error_' ~ m.number) -%}
{%- endfor -%}
{{ return(items) }}
{%- endmacro -%}

{#- The sums of each cluster; without clusters, of each unit. -#}
{%- macro sums_in_clusters(q, f, slicing, name, sums) -%}
{%- set keys = slicing['keys'] -%}
{%- set rows = sqlmetrics.rows_of(f, slicing) -%}
{%- set alone = [] -%}
{%- set added = [] -%}
{%- for column, value in sums.items() -%}
{%- do alone.append(sqlmetrics.to_double('coalesce(' ~ sqlmetrics.indented(value) ~ ', 0)') ~ ' as ' ~ column) -%}
{%- do added.append(sqlmetrics.to_double('coalesce(sum(' ~ sqlmetrics.indented(value) ~ '), 0)') ~ ' as ' ~ column) -%}
{%- endfor -%}
{%- set named = [] -%}
{%- if sqlmetrics.clusters_are_named(q, f) -%}
{%- do named.append(sqlmetrics.cluster_column(q, f) ~ ' as cluster_name') -%}
{%- endif -%}
{%- if q.certainty.cluster is none or sqlmetrics.clusters_are_groups(q, f) -%}
{%- set units -%}
select
    {{ sqlmetrics.lines(keys + named + alone) }}
from {{ rows.step }}
{{- rows.where }}
{%- endset -%}
{{ return([sqlmetrics.step(name, units, 'what the sums of a ' ~ f.unit ~ ' are')]) }}
{%- elif f.unit == 'row' -%}
{%- set clusters -%}
select
    {{ sqlmetrics.lines(keys + named + added) }}
from {{ rows.step }}
{{- rows.where }}
{{- sqlmetrics.group_by(keys + ['cluster_id']) }}
{%- endset -%}
{{ return([sqlmetrics.step(name, clusters, 'one per cluster', stored=true)]) }}
{%- endif -%}
{%- set of_groups = sqlmetrics.clusters_of_groups(f, slicing) -%}
{%- set clusters -%}
select
    {{ sqlmetrics.lines(keys + (['own_cluster as cluster_name'] if named else []) + added) }}
from {{ rows.step }} as grouped
left join {{ of_groups.step.name }} as clusters
    on {{ of_groups.same }}
{{- sqlmetrics.group_by(keys + ['own_cluster']) }}
{%- endset -%}
{{ return([of_groups.step, sqlmetrics.step(name, clusters, 'one per cluster', stored=true)]) }}
{%- endmacro -%}

{#- The cluster of each group, which lies in one, as own_cluster; and how a group of the frame, `grouped`, finds it in `clusters`. -#}
{%- macro clusters_of_groups(f, slicing) -%}
{%- set keys = slicing['keys'] + ['group_id'] -%}
{%- set own = [] -%}
{%- set same = [] -%}
{%- for key in keys -%}
{%- do own.append(key ~ ' as own_' ~ key) -%}
{%- do same.append('grouped.' ~ key ~ ' = clusters.own_' ~ key) -%}
{%- endfor -%}
{%- set of_groups -%}
select
    {{ sqlmetrics.lines(own) }},
    max(cluster_id) as own_cluster
from {{ slicing.rows_from }}
{{- f.where }}
{{- sqlmetrics.group_by(keys) }}
{%- endset -%}
{{ return({'step': sqlmetrics.step(f.cte ~ '_clusters', of_groups, 'one per group'), 'same': same | join('\n    and ')}) }}
{%- endmacro -%}

{#- The text of a cluster by which draws, buckets and digests know it; one without a value is a cluster too. Where `column` is known
    to hold fractions, whole ones are written like whole numbers: 12.0 is 12 on another day, and on another engine. -#}
{%- macro name_of_cluster(q, cluster, column) -%}
{%- set text = 'cast(' ~ cluster ~ ' as ' ~ sqlmetrics.type_text() ~ ')' -%}
{%- if column in q.columns and q.columns[column].is_number is defined and column not in q.whole_columns -%}
{%- set text = 'case when ' ~ cluster ~ ' = floor(' ~ cluster ~ ') and abs(' ~ cluster ~ ') < 1e15 then cast(cast(' ~ cluster ~ ' as bigint) as ' ~ sqlmetrics.type_text() ~ ') else ' ~ text ~ ' end' -%}
{%- endif -%}
{{ return('coalesce(' ~ text ~ ", 'rows without a cluster')") }}
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
{{ return(sqlmetrics.step('named_rows' ~ of, named_rows, 'the rows that count, with the name of their cluster', stored=stored)) }}
{%- endmacro -%}

{#- Where the metric's file says the influence of a cluster: over the shares that it has of the positives and of the negatives, over
    pairs_won (of all pairs of the two classes those that its positives win, ties by half, and those that its negatives lose), and
    area, the chance that a positive has the higher score. -#}
{%- macro errors_by_influence(q, f, slicing, metrics) -%}
{%- set keys = slicing['keys'] -%}
{%- set cluster = ['cluster_id'] if q.certainty.cluster is not none else [] -%}
{%- set named = ['cluster_name'] if sqlmetrics.clusters_are_named(q, f) else [] -%}
{%- set names = [sqlmetrics.carried_by_rows(q)[0] ~ ' as cluster_name'] if named else [] -%}
{#- Rows of their own are two samples, positives and negatives, and each has its own C / (C - 1), as DeLong has it. -#}
{%- set two_samples = not cluster and not f.weighted -%}
{%- set clusters = f.cte ~ '_pairs' -%}
{%- set totals = f.cte ~ '_pairs_in_all' -%}
{%- set errors = f.cte ~ '_pairs_errors' -%}
{%- set shares = sqlmetrics.shares_by_ranks() if f.name == 'ranked_scores' else sqlmetrics.shares_by_scores(f) -%}
{%- set pairs -%}
select
{%- for column in sqlmetrics.keys_of('scored', keys) + names %}
    {{ column }},
{%- endfor %}
{%- if two_samples %}
    sqrt(case when scored.pos = 1 then positives / nullif(positives - 1, 0) else negatives / nullif(negatives - 1, 0) end) as own_sample,
{%- endif %}
{%- for name, share in shares.items() %}
    {{ ('sum(' ~ sqlmetrics.indented(share) ~ ')' if cluster else sqlmetrics.indented(share)) }} as {{ name }}{{ ',' if not loop.last }}
{%- endfor %}
{%- if f.name == 'ranked_scores' %}
from {{ f.cte }} as scored
{%- else %}
from {{ slicing.rows_from }} as scored
inner join {{ f.cte }} as scores
    on {{ (sqlmetrics.same_keys('scored', 'scores', keys) + ['scored.score = scores.score']) | join('\n    and ') }}
{{- f.where }}
{%- endif %}
{{- sqlmetrics.group_by(sqlmetrics.keys_alone('scored', keys) + cluster) if cluster }}
{%- endset -%}
{%- set pairs_in_all -%}
select
{%- for key in keys %}
    {{ key }},
{%- endfor %}
    sum(pairs_won) / 2 as area,
    {{ sqlmetrics.to_double(sqlmetrics.least_of(['count(case when share_of_positives > 0 then 1 end)', 'count(case when share_of_negatives > 0 then 1 end)'], '\n        ')) }} as scarcest
from {{ clusters }}
{{- sqlmetrics.group_by(keys) }}
{%- endset -%}
{%- set same = sqlmetrics.same_keys('clusters', 'totals', keys) -%}
{%- set items = sqlmetrics.keys_of('clusters', keys) + named -%}
{%- set found = {} -%}
{%- for m in metrics -%}
{%- set influence = sqlmetrics.metric_influence(m) -%}
{%- do items.append(('(' ~ influence ~ ') * own_sample' if two_samples else influence) ~ ' as influence_' ~ m.number) -%}
{%- do items.append('case\n    when share_of_positives = 0 and share_of_negatives = 0 then null\n    when scarcest > 1 then 1\n    else 2\nend as part_' ~ m.number) -%}
{%- do found.update({m.as: dict(sqlmetrics.errors_of_clusters(errors, m), scarcest=totals ~ '.scarcest', tail=q.certainty.tail)}) -%}
{%- endfor -%}
{%- set influences -%}
select{{ sqlmetrics.broadcast('totals') }}
    {{ sqlmetrics.indented(items | join(',\n')) }}
from {{ clusters }} as clusters
inner join {{ totals }} as totals
    on {{ same | join('\n    and ') if same else '1 = 1' }}
{%- endset -%}
{{ return({
    'steps': [
        sqlmetrics.step(clusters, pairs, 'one per ' ~ ('cluster' if cluster else 'row') ~ ': of all pairs of the two classes, those that it wins', stored=true),
        sqlmetrics.step(totals, pairs_in_all, 'one per slice'),
    ] + sqlmetrics.error_steps(q, errors, metrics, influences, keys, two_samples, named),
    'joined': [errors] + ([totals] if q.comparison is none else []),
    'errors': found,
}) }}
{%- endmacro -%}

{#- Of a row, its share of its class and of the pairs, from the ranks of which the value itself is made. Of positives above a row,
    half of its equals counted, there are half of all and half of what is more down to here than from here on; of rows, the mean of those
    above and those above or equal, and what is no positive is a negative. -#}
{%- macro shares_by_ranks() -%}
{{ return({
    'share_of_positives': 'pos / nullif(positives, 0)',
    'share_of_negatives': 'neg / nullif(negatives, 0)',
    'pairs_won': '(\n    pos * (2 * negatives + positives + true_positives - positives_from_here)\n    - pos * (rows_above + share_through * (positives + negatives))\n    + neg * (positives + true_positives - positives_from_here)\n) / nullif(2 * positives * negatives, 0)',
}) }}
{%- endmacro -%}

{#- The same of rows with weights, or where ranks are dear: what is above and below each distinct score is known, each added up from its
    own end. Products of weights may be too large or too small for doubles, and their squares sooner: shares come first. -#}
{%- macro shares_by_scores(f) -%}
{%- set negatives_below = 'true_negatives' if f.weighted else '(negatives - false_positives)' -%}
{%- set positives_above = 'true_positives_above' if f.weighted else '(true_positives - scores.pos)' -%}
{{ return({
    'share_of_positives': 'scored.pos / nullif(positives, 0)',
    'share_of_negatives': 'scored.neg / nullif(negatives, 0)',
    'pairs_won': 'scored.pos / nullif(positives, 0) * ((' ~ negatives_below ~ ' + scores.neg / 2) / nullif(negatives, 0))\n    + scored.neg / nullif(negatives, 0) * ((' ~ positives_above ~ ' + scores.pos / 2) / nullif(positives, 0))',
}) }}
{%- endmacro -%}

{#- The value without each of twenty buckets of clusters, and from these its variance, (B - 1) / B · Σ (v - mean)². -#}
{%- macro errors_by_buckets(q, f, slicing, metrics) -%}
{%- if f.judged -%}
{%- do sqlmetrics.refuse(none, 'confidence: ' ~ metrics[0].as ~ ' has no interval with judgments; leave it out of this call') -%}
{%- endif -%}
{%- set keys = slicing['keys'] -%}
{%- set own = [] -%}
{%- for m in metrics -%}{%- do own.append(dict(m, cte=m.cte ~ '_without_buckets')) -%}{%- endfor -%}
{#- What the others use is not worked out again for every bucket. -#}
{%- set without = dict(f, cte=f.cte ~ '_without_buckets', suffix=f.suffix ~ '_without_buckets', uses=sqlmetrics.uses_of(metrics), metrics=own, diagnostics=[], cuts=false, placed=none) -%}
{%- set of = sqlmetrics.of_rows_used(q, f) -%}
{%- set clusters = 'clusters_in_buckets' ~ of -%}
{%- set replicated = {'keys': keys + ['bucket_left_out'], 'rows_from': 'without_buckets' ~ of} -%}
{%- set steps = sqlmetrics.frame_steps(without, replicated.rows_from, replicated['keys']) -%}
{%- set of_pairs = q.comparison is not none -%}
{%- set sides = sqlmetrics.of_two_samples(q) -%}
{%- set values = [] -%}
{#- A pair reads the values of both its models, each of which is dear. -#}
{%- for step in sqlmetrics.metric_steps(without, [], replicated) -%}{%- do values.append(dict(step, stored=step.stored or of_pairs)) -%}{%- endfor -%}
{%- set joined = [] -%}
{%- set found = {} -%}
{%- set spreads = [] -%}
{%- for step in values -%}
{%- set errors = step.name ~ '_errors' -%}
{%- set inner = [] -%}
{%- set outer = [] -%}
{%- set reaching = [] -%}
{%- for m in own if m.cte ~ '_metrics' == step.name -%}
{%- set value = sqlmetrics.identifier(m.as) -%}
{%- do inner.append(value ~ ' as value_' ~ m.number) -%}
{%- do inner.append('avg(' ~ value ~ ') ' ~ sqlmetrics.over(keys) ~ ' as mean_' ~ m.number) -%}
{%- do outer.extend(sqlmetrics.spread_of_buckets(m.number, 'count(own_' ~ m.number ~ ')' if q.comparison is not none and q.comparison.gaps else 'count(*)')) -%}
{%- if sides -%}{%- do outer.append(sqlmetrics.least_spread_of_sides(m.number)) -%}{%- endif -%}
{%- do reaching.append(m) -%}
{%- do found.update({m.as: {
    'se': errors ~ '.error_' ~ m.number,
    'clusters': clusters ~ '.clusters',
    'degrees': errors ~ '.degrees_' ~ m.number,
    'of_models': errors ~ '_of_models' if q.certainty.cluster is not none else none,
    'reach': errors ~ '.reach_' ~ m.number,
    'least': 'case when ' ~ clusters ~ '.shared_clusters = 0 then ' ~ errors ~ '.least_error_' ~ m.number ~ ' else ' ~ errors ~ '.error_' ~ m.number ~ ' end',
}}) -%}
{%- endfor -%}
{%- set own_values -%}
select
    {{ sqlmetrics.lines(keys + inner) }}
from {{ step.name }}
{%- endset -%}
{%- set spread -%}
select
    {{ sqlmetrics.lines(keys + outer) }}
from (
    {{ sqlmetrics.indented(sqlmetrics.pairs_in_buckets(q, step.name, own, 'bucketed' ~ of) if of_pairs else own_values) }}
) as values_and_means
{{- sqlmetrics.group_by(keys) }}
{%- endset -%}
{%- do spreads.append(sqlmetrics.step(errors, sqlmetrics.with_reach(q, keys, reaching, spread, ['least_error'] if sides else []), 'one per slice: how far apart the values without a bucket lie')) -%}
{#- Rows that are clusters of their own have other names, and so other buckets, where models are not compared. -#}
{%- if of_pairs and q.comparison.own_intervals and q.certainty.cluster is not none -%}
{%- set spread_of_models -%}
select
    {{ sqlmetrics.lines(keys + outer) }}
from (
    {{ sqlmetrics.indented(own_values) }}
) as values_and_means
{{- sqlmetrics.group_by(keys) }}
{%- endset -%}
{%- do spreads.append(sqlmetrics.errors_of_models_step(q, errors, reaching, spread_of_models, [])) -%}
{%- endif -%}
{%- do joined.append(errors) -%}
{%- endfor -%}
{{ return({'steps': steps + values + spreads, 'joined': joined + [clusters], 'errors': found}) }}
{%- endmacro -%}

{#- From the values without a bucket and their mean, the standard error, where each of them is defined. -#}
{%- macro spread_of_buckets(number, count='count(*)') -%}
{%- set distance = '(value_' ~ number ~ ' - mean_' ~ number ~ ')' -%}
{{ return([
    'case\n        when count(value_' ~ number ~ ') = ' ~ count ~ ' and ' ~ count ~ ' > 1\n            then sqrt(sum(' ~ distance ~ ' * ' ~ distance ~ ') * (' ~ count ~ ' - 1) / ' ~ count ~ ')\n    end as error_' ~ number,
    'nullif(' ~ sqlmetrics.to_double(count ~ ' - 1') ~ ', 0) as degrees_' ~ number,
]) }}
{%- endmacro -%}

{#- Of rows that may weigh nothing, whether they do not: those are no part of any value, and of no cluster. -#}
{%- macro has_weight(q, of='') -%}
{{ return(of ~ 'weight > 0' if 'weight' in q.derived else of ~ 'pos + ' ~ of ~ 'neg > 0') }}
{%- endmacro -%}

{#- The bucket, from 0, of what has this digest: the same on every engine and every day. -#}
{%- macro bucket_of(digest, buckets) -%}
{%- set digits = [] -%}
{%- for place in [1, 2, 3] -%}
{%- do digits.append('(' ~ sqlmetrics.text_position('substr(' ~ digest ~ ', ' ~ place ~ ', 1)', "'0123456789abcdef'") ~ ' - 1) * ' ~ [256, 16, 1][place - 1]) -%}
{%- endfor -%}
floor(({{ digits | join(' + ') }}) * {{ sqlmetrics.to_double(buckets) }} / 4096)
{%- endmacro -%}

{#- The rows once for every bucket but their own. A cluster's bucket follows from its name, the same on every engine; a row of
    its own has its place among all rows for a name. -#}
{%- macro bucket_steps(q, f, slicing, weighty) -%}
{%- set keys = slicing['keys'] -%}
{%- set named = 'named_rows' ~ sqlmetrics.of_groups(q, f) -%}
{%- set of = sqlmetrics.of_rows_used(q, f) -%}
{%- set in_buckets = 'bucketed' ~ of -%}
{%- set columns = sqlmetrics.derived_columns(q.derived) -%}
{%- set bucketed -%}
select
    {{ sqlmetrics.lines(keys + columns + ['cluster_name', sqlmetrics.bucket_of('digest', '20') ~ ' as bucket']) }}
from (
    select
        {{ (keys + columns + ['cluster_name', sqlmetrics.text_digest('cluster_name') ~ ' as digest']) | join(',\n        ') }}
    from {{ named }}
    {{- sqlmetrics.indented(f.where) }}
    {{- '\n    ' ~ ('and ' if f.where else 'where ') ~ sqlmetrics.has_weight(q) if weighty }}
) as digested
{%- endset -%}
{%- set buckets -%}
{%- if sqlmetrics.of_two_samples(q) -%}
{{ sqlmetrics.buckets_of_either(q, in_buckets) }}
{%- else -%}
select distinct
    {{ sqlmetrics.lines(keys + ['bucket as bucket_left_out']) }}
from {{ in_buckets }}
{%- endif -%}
{%- endset -%}
{%- set clusters -%}
{%- if sqlmetrics.of_two_samples(q) -%}
{{ sqlmetrics.clusters_of_either(q, in_buckets) }}
{%- else -%}
select
    {{ sqlmetrics.lines(keys + ['count(distinct cluster_name) as clusters']) }}
from {{ in_buckets }}
{{- sqlmetrics.group_by(keys) }}
{%- endif -%}
{%- endset -%}
{%- set pairs = [sqlmetrics.step_of_pairs(q)] if sqlmetrics.of_two_samples(q) else [] -%}
{%- set same = sqlmetrics.same_keys('bucketed', 'buckets', keys) -%}
{%- set without_buckets -%}
select
    {{ sqlmetrics.lines(sqlmetrics.keys_of('bucketed', keys) + ['bucket_left_out'] + columns) }}
from {{ in_buckets }} as bucketed
inner join buckets{{ of }} as buckets
    on {{ (same + ['bucketed.bucket <> buckets.bucket_left_out']) | join('\n    and ') }}
{%- endset -%}
{{ return([
    sqlmetrics.named_rows_step(q, slicing, sqlmetrics.of_groups(q, f)),
    sqlmetrics.step(in_buckets, bucketed, 'each in one of twenty buckets of clusters', stored=true),
    sqlmetrics.step('buckets' ~ of, buckets, 'the buckets that hold a row'),
    sqlmetrics.step('clusters_in_buckets' ~ of, clusters, 'one per slice'),
    sqlmetrics.step('without_buckets' ~ of, without_buckets, 'the rows once for every bucket but their own'),
]) }}
{%- endmacro -%}

{#- Whether no two clusters differ, but for the rounding of what they do to the value: `error` is in the units of `scale`. -#}
{%- macro is_of_one_kind(error, scale) -%}
{{ error }} <= 1e-10 * {{ scale }}
{%- endmacro -%}

{#- An end of an interval: no value lies beyond what the metric can be. -#}
{%- macro end_of_interval(m, end, value, reach) -%}
{%- set sign, bound, beyond = ['-', m.range[0], '<'] if end == 'low' else ['+', m.range[1], '>'] -%}
{%- if bound is not none %}
    when {{ value }} {{ sign }} {{ reach }} {{ beyond }} {{ bound }} then {{ bound }}
{%- endif %}
    else {{ value }} {{ sign }} {{ reach }}
{%- endmacro -%}

{#- The same where clusters are all of one kind, which says nothing of how they vary. At an end of what the metric can be it says how
    many there may be of another kind: with C clusters of one kind, a part of at most 1 - tail^(1 / C), the bound of Clopper and
    Pearson (1934), and these can be no farther off than the other end. Where a metric is made of more than one sum, C is the
    number of clusters behind the scarcest. -#}
{%- macro end_of_one_kind(m, end, value, error) -%}
{%- set one_kind = sqlmetrics.is_of_one_kind(error.se, 'abs(' ~ value ~ ')') -%}
{%- if error.scarcest is defined and error.tail is not none and m.range[0] is not none and m.range[1] is not none -%}
{%- set own, other = m.range if end == 'low' else m.range | reverse | list -%}
{%- set width = m.range[1] - m.range[0] -%}
{%- set near = ') <= 1e-10' ~ (' * ' ~ width if width != 1 else '') %}
    when {{ one_kind }} and {{ error.scarcest }} <= 1 then null
    when {{ one_kind }} and abs({{ value }}{{ sqlmetrics.less(own) }}{{ near }} then {{ own }}
    when {{ one_kind }} and abs({{ value }}{{ sqlmetrics.less(other) }}{{ near }}
        then {{ other ~ (' - ' if end == 'low' else ' + ') if other != 0 or end == 'low' }}{{ width ~ ' * ' if width != 1 }}(1 - exp(ln({{ sqlmetrics.number(error.tail) }}) / {{ error.scarcest }}))
{%- endif %}
    when {{ one_kind }} then null
{%- endmacro -%}

{%- macro less(number) -%}
{{ '' if number == 0 else ' - ' ~ number if number > 0 else ' + ' ~ -number }}
{%- endmacro -%}

{#- What stands beside a value in the result; `known`: where it is known without any cluster. -#}
{%- macro interval_items(m, value, error, digits=none, known=none) -%}
{%- set items = [] -%}
{%- set if_known = '' if known is none else '\n    when ' ~ known ~ ' then ' ~ value -%}
{%- for end in ['low', 'high'] -%}
{%- set reached = '\n    else ' ~ sqlmetrics.end_that_holds(value, error[end], end) if error.low is defined else sqlmetrics.end_of_interval(m, end, value, error.reach) -%}
{%- set reached = 'case' ~ if_known ~ sqlmetrics.end_of_one_kind(m, end, value, error) ~ reached ~ '\nend' -%}
{%- do items.append(sqlmetrics.rounded(sqlmetrics.indented(reached), digits) ~ ' as ' ~ sqlmetrics.identifier(m.interval[end])) -%}
{%- endfor -%}
{%- if m.interval.se is defined -%}
{%- set seen = 'case ' ~ ('' if known is none else 'when ' ~ known ~ ' then 0 * ' ~ value ~ ' ') ~ 'when ' ~ error.se ~ ' > 1e-10 * abs(' ~ value ~ ') then ' ~ error.se ~ ' end' -%}
{%- do items.append(sqlmetrics.rounded(seen, digits) ~ ' as ' ~ sqlmetrics.identifier(m.interval.se)) -%}
{%- endif -%}
{%- if m.interval.clusters is defined -%}{%- do items.append('coalesce(' ~ error.clusters ~ ', 0) as ' ~ sqlmetrics.identifier(m.interval.clusters)) -%}{%- endif -%}
{{ return(items) }}
{%- endmacro -%}

{#- The percentiles of samples may all lie on one side of a value that is biased; an interval holds its value. -#}
{%- macro end_that_holds(value, reached, end) -%}
{{ 'case when ' ~ value ~ ' is not null and ' ~ reached ~ ' is not null then ' ~ {'low': 'least', 'high': 'greatest'}[end] ~ '(' ~ reached ~ ', ' ~ value ~ ') end' }}
{%- endmacro -%}
