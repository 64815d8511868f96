{#- Bootstrap intervals with Poisson weights (Hanley and MacGibbon, Computer Methods and Programs in Biomedicine 83, 2006;
    Chamandy and others, 2012): in each replicate a cluster counts 0, 1, 2 … times, drawn from the Poisson distribution of mean 1.
    The interval ends at two quantiles of the replicates' values, and their standard deviation is the standard error.

    A replicate is one more grouping key. How its value is computed depends on the metric:
    - sums: where the value is a function of sums over rows or groups, the sums of each cluster times its draws are added up;
    - areas: the area under the ROC curve of unweighted rows adds up draws in the order of the score, which is computed once;
    - rows, for all others: the frame gets the rows once for every replicate that draws them, with the draw as their weight. -#}
{%- macro errors_by_bootstrap(q, frames, slicing) -%}
{%- set names = sqlmetrics.names_in_result(q.metrics) -%}
{%- set parts = [] -%}
{%- set by_rows = [] -%}
{%- for f in frames -%}
{%- set by_sums = [] -%}
{%- set by_areas = [] -%}
{%- for m in f.metrics if m.interval -%}
{%- set number = sqlmetrics.position_of(m.as, names) -%}
{%- set sums = sqlmetrics.sums_of(m, f, 'm' ~ number) -%}
{%- if sums and f.unit is not none -%}
{%- do by_sums.append(dict(m, number=number, sums=sums)) -%}
{%- elif m.has_influence and sqlmetrics.knows_every_score(f) and not f.weighted -%}
{%- do by_areas.append(dict(m, number=number)) -%}
{%- elif f.judged -%}
{%- do sqlmetrics.refuse(none, 'confidence: ' ~ m.as ~ ' has no interval with judgments; leave it out of this call') -%}
{%- else -%}
{%- do by_rows.append(m.as) -%}
{%- endif -%}
{%- endfor -%}
{%- if by_sums -%}{%- do parts.append(sqlmetrics.replicates_of_sums(q, f, slicing, by_sums)) -%}{%- endif -%}
{%- if by_areas -%}{%- do parts.append(sqlmetrics.replicates_of_areas(q, f, slicing, by_areas)) -%}{%- endif -%}
{%- endfor -%}
{%- if by_rows -%}{%- do parts.extend(sqlmetrics.replicates_of_rows(q, slicing, names, by_rows)) -%}{%- endif -%}
{#- Counts that stand alone have no interval, and nothing is drawn for them. -#}
{%- if not parts -%}{{ return({'steps': [], 'joined': [], 'errors': {}}) }}{%- endif -%}
{%- set steps = [] -%}
{%- set sources = [] -%}
{%- for part in parts -%}
{%- do steps.extend(part.cluster_steps) -%}
{%- if part.clusters not in sources -%}{%- do sources.append(part.clusters) -%}{%- endif -%}
{%- endfor -%}
{%- do steps.extend(sqlmetrics.draw_steps(q, sources)) -%}
{%- for part in parts -%}{%- do steps.extend(part.steps) -%}{%- endfor -%}
{%- set spread = sqlmetrics.spread_of_replicates(q, slicing, parts) -%}
{#- Frames share steps. Those that one step reads need not be materialized, and draws_of_clusters may have no reader. -#}
{%- set steps = sqlmetrics.shared_steps(steps) -%}
{%- set names = sqlmetrics.step_names(steps) -%}
{%- set read = [] -%}
{%- for step in steps + spread.steps -%}{%- do read.extend(sqlmetrics.steps_read_by(step.body, names)) -%}{%- endfor -%}
{%- set all_steps = [] -%}
{%- for step in steps if step.name in read -%}{%- do all_steps.append(dict(step, stored=step.stored and read.count(step.name) > 1)) -%}{%- endfor -%}
{{ return({'steps': all_steps + spread.steps, 'joined': ['bootstrapped'], 'errors': spread.errors}) }}
{%- endmacro -%}

{#- For each metric its value in a replicate, as value_1, value_2 … -#}
{%- macro values_of_replicates(metrics, keys, from, values) -%}
select
    {{ sqlmetrics.lines(keys + ['replicate']) }}
{%- for m in metrics %},
    {{ sqlmetrics.indented(values[m.as]) }} as value_{{ m.number }}
{%- endfor %}
from {{ from }}
{%- endmacro -%}

{#- The sums of each cluster, times its draws. -#}
{%- macro replicates_of_sums(q, f, slicing, metrics) -%}
{%- set keys = slicing['keys'] -%}
{%- set units = f.cte ~ '_in_clusters' -%}
{%- set sums = {} -%}
{%- set counts = {} -%}
{%- set values = {} -%}
{%- for m in metrics -%}
{%- set parts = [] -%}
{%- for column in m.sums -%}
{%- do sums.update({column.name: column.value}) -%}
{%- do parts.append(column.name ~ ' <> 0') -%}
{%- endfor -%}
{#- A group without a value of its own has no part in the mean; a row has one in whatever is made of rows. -#}
{%- do counts.update({m.as: 'count(case when ' ~ parts | join(' or ') ~ ' then 1 end)' if f.unit == 'group' else 'count(*)'}) -%}
{%- do values.update({m.as: sqlmetrics.metric_value(dict(m, state=[], state_name='m' ~ m.number, written_as='drawn_'), m.name)}) -%}
{%- endfor -%}
{%- set resampled_sums -%}
select
    {{ sqlmetrics.lines(sqlmetrics.keys_of('clusters', keys) + ['draws.replicate as replicate']) }}
{%- for name in sums %},
    sum(draws.drawn * clusters.{{ name }}) as drawn_{{ name }}
{%- endfor %}
from {{ units }} as clusters
inner join draws_of_clusters as draws
    on clusters.cluster_name = draws.cluster_name
group by
    {{ sqlmetrics.lines(sqlmetrics.keys_alone('clusters', keys) + ['draws.replicate']) }}
{%- endset -%}
{%- set replicates = f.cte ~ '_in_replicates' -%}
{%- set values_step = f.cte ~ '_values' -%}
{{ return({
    'cluster_steps': sqlmetrics.named_sums_steps(q, f, slicing, units, sums),
    'clusters': units,
    'steps': [
        sqlmetrics.step(replicates, resampled_sums, 'one per replicate'),
        sqlmetrics.step(values_step, sqlmetrics.values_of_replicates(metrics, keys, replicates, values), 'the values in each replicate'),
    ],
    'values': [{'step': values_step, 'metrics': metrics}],
    'counts': {'from': units, 'where': '', 'of': counts},
}) }}
{%- endmacro -%}

{#- The sums of each cluster with its name. A group lies in one cluster, or is one. -#}
{%- macro named_sums_steps(q, f, slicing, units, sums) -%}
{%- set rows = sqlmetrics.rows_of(f, slicing) -%}
{%- set alone = sqlmetrics.clusters_are_groups(q, f) -%}
{%- set of_groups = none if f.unit != 'group' or alone else sqlmetrics.clusters_of_groups(f, slicing) -%}
{%- set name = 'cluster_name' -%}
{%- if f.unit == 'group' -%}
{%- set name = sqlmetrics.name_of_cluster(q, 'group_id' if alone else 'own_cluster', 'group_id' if alone else 'cluster_id') -%}
{%- endif -%}
{%- set from = rows.step if f.unit == 'group' else 'named_rows' -%}
{%- set sums_of_clusters -%}
select
    {{ sqlmetrics.lines(slicing['keys'] + [name ~ (' as cluster_name' if f.unit == 'group' else '')]) }}
{%- for column, value in sums.items() %},
    {{ sqlmetrics.to_double('coalesce(sum(' ~ sqlmetrics.indented(value) ~ '), 0)') }} as {{ column }}
{%- endfor %}
from {{ from }}{{ ' as grouped' if f.unit == 'group' }}
{%- if of_groups %}
left join {{ of_groups.step.name }} as clusters
    on {{ of_groups.same }}
{%- endif -%}
{{- f.where if f.unit != 'group' }}
{{- sqlmetrics.group_by(slicing['keys'] + [name]) }}
{%- endset -%}
{%- set first = [of_groups.step] if of_groups else [sqlmetrics.named_rows_step(q, slicing, stored=true)] if f.unit != 'group' else [] -%}
{{ return(first + [sqlmetrics.step(units, sums_of_clusters, 'one per cluster', stored=true)]) }}
{%- endmacro -%}

{#- The area under the ROC curve is 1 minus the share of pairs in which a negative has a higher score than a positive, and half of
    those with equal scores. A positive whose score negatives share takes two places, before and behind these, by half each. The
    places are computed once. A running sum over them, for eight replicates in a row, adds up the draws of the negatives above. -#}
{%- macro replicates_of_areas(q, f, slicing, metrics) -%}
{%- set keys = slicing['keys'] -%}
{%- set places = 'places' ~ f.suffix ~ '_of_scores' -%}
{%- set pairs = f.cte ~ '_in_digests' -%}
{%- set replicates = f.cte ~ '_in_replicates' -%}
{%- set values_step = f.cte ~ '_values' -%}
{#- The formula of the frame of thresholds, with all positives at one threshold, which as many negatives reach. -#}
{%- set one_threshold -%}
select
    {{ sqlmetrics.lines(keys + ['replicate', 'pos', 'neg', 'misplaced / nullif(pos, 0) + neg / 2 as false_positives']) }}
from (
    {{ sqlmetrics.indented(sqlmetrics.one_per_replicate(q, keys, pairs, ['misplaced', 'pos', 'neg'])) }}
) as pairs
{%- endset -%}
{%- set values = {} -%}
{%- for m in metrics -%}{%- do values.update({m.as: sqlmetrics.metric_value(dict(m, frame='thresholds'), m.name)}) -%}{%- endfor -%}
{%- set values_of_areas = sqlmetrics.values_of_replicates(metrics, keys, replicates, values) ~ sqlmetrics.group_by(keys + ['replicate']) -%}
{{ return({
    'cluster_steps': [sqlmetrics.named_rows_step(q, slicing, stored=true)],
    'clusters': 'named_rows',
    'steps': [
        sqlmetrics.step(places, sqlmetrics.places_of_scores(f, keys), 'the rows in the order of the score'),
        sqlmetrics.step(pairs, sqlmetrics.misplaced_pairs(places, keys), 'pairs with the negative above, eight replicates in a row'),
        sqlmetrics.step(replicates, one_threshold, 'one per replicate'),
        sqlmetrics.step(values_step, values_of_areas, 'the values in each replicate'),
    ],
    'values': [{'step': values_step, 'metrics': metrics}],
    'counts': {'from': 'named_rows', 'where': f.where, 'of': {}},
}) }}
{%- endmacro -%}

{%- macro places_of_scores(f, keys) -%}
select
    {{ sqlmetrics.lines(keys + ['cluster_name']) }},
    case when is_tied = 1 then pos / 2 else pos end as pos,
    row_number() {{ sqlmetrics.over(keys, 'score desc, side asc, pos desc') }} as place
from (
    select
        {{ (keys + ['cluster_name', 'pos', 'score']) | join(',\n        ') }},
        case when pos = 1 then max(neg) {{ sqlmetrics.over(keys + ['score']) }} else 0 end as is_tied
    from named_rows
    {{- sqlmetrics.indented(f.where) }}
) as scored_rows
cross join (
    {{ sqlmetrics.indented(sqlmetrics.numbers(2, 'side')) }}
) as sides
where side = 1 or is_tied = 1
{%- endmacro -%}

{%- macro misplaced_pairs(places, keys) -%}
{%- set from_above = sqlmetrics.over(keys + ['digest_number'], 'place asc rows unbounded preceding') -%}
select
    {{ sqlmetrics.lines(keys + ['digest_number']) }}
{%- for number in range(1, 9) %},
    sum(pos * drawn_{{ number }} * negatives_above_{{ number }}) as misplaced_{{ number }},
    sum(pos * drawn_{{ number }}) as pos_{{ number }},
    {{ sqlmetrics.to_double('sum(case when pos = 0 then drawn_' ~ number ~ ' else 0 end)') }} as neg_{{ number }}
{%- endfor %}
from (
    select
        {{ (sqlmetrics.keys_of('scores', keys) + ['draws.digest_number as digest_number', 'scores.pos as pos']) | join(',\n        ') }}
{%- for number in range(1, 9) %},
        draws.drawn_{{ number }} as drawn_{{ number }},
        {{ sqlmetrics.to_double('sum(case when pos = 0 then drawn_' ~ number ~ ' else 0 end) ' ~ from_above) }} as negatives_above_{{ number }}
{%- endfor %}
    from {{ places }} as scores
    inner join draws
        on scores.cluster_name = draws.cluster_name
) as running_sums
{{- sqlmetrics.group_by(keys + ['digest_number']) }}
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
{%- set resampled = dict(f, cte=f.cte ~ '_resampled', suffix=f.suffix ~ '_resampled', metrics=metrics, diagnostics=[]) -%}
{%- do parts.append(sqlmetrics.replicates_of_frame(q, resampled, slicing)) -%}
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
{%- set resampled_rows -%}
select
    {{ sqlmetrics.lines(sqlmetrics.keys_of('clusters', keys) + ['draws.replicate as replicate']) }}
{%- for column in sqlmetrics.derived_columns(q.derived) %},
{%- if of_groups and column == 'group_id' %}
    {{ sqlmetrics.name_of_cluster(q, 'clusters.group_id', 'group_id') }} || ':' || cast(copies.copy as {{ sqlmetrics.type_text() }}) as group_id
{%- else %}
    clusters.{{ column }}{{ ' * draws.drawn' if column in ['pos', 'neg', 'weight'] }} as {{ column }}
{%- endif -%}
{%- endfor %}
from {{ named }} as clusters
inner join draws_of_clusters as draws
    on clusters.cluster_name = draws.cluster_name
{%- if of_groups %}
inner join (
    {{ sqlmetrics.indented(sqlmetrics.numbers(8, 'copy')) }}
) as copies
    on copies.copy <= draws.drawn
{%- endif %}
where draws.drawn > 0
{%- endset -%}
{%- set of_replicates = {'keys': keys + ['replicate'], 'rows_from': resampled} -%}
{%- set steps = [
    sqlmetrics.step(resampled, resampled_rows, 'the rows once for every replicate that draws them', stored=true),
] + sqlmetrics.frame_steps(f, resampled, of_replicates['keys']) -%}
{%- set values = [] -%}
{%- for step in sqlmetrics.metric_steps(f, [], of_replicates) -%}
{%- set metrics = [] -%}
{%- for m in f.metrics if m.cte ~ '_metrics' == step.name -%}{%- do metrics.append(m) -%}{%- endfor -%}
{%- set columns = {} -%}
{%- for m in metrics -%}{%- do columns.update({m.as: sqlmetrics.identifier(m.as)}) -%}{%- endfor -%}
{%- set values_step = step.name | replace('_metrics', '_values') -%}
{%- set values_of_step = sqlmetrics.values_of_replicates(metrics, keys, step.name, columns) -%}
{%- do steps.extend([step, sqlmetrics.step(values_step, values_of_step, 'the values in each replicate')]) -%}
{%- do values.append({'step': values_step, 'metrics': metrics}) -%}
{%- endfor -%}
{{ return({
    'cluster_steps': [sqlmetrics.named_rows_step(q, slicing, of, stored=true)],
    'clusters': named,
    'steps': steps,
    'values': values,
    'counts': {'from': named, 'where': f.where, 'of': {}},
}) }}
{%- endmacro -%}

{#- From the values to the ends of an interval and a standard error, for each slice and metric; in a comparison for each pair. -#}
{%- macro spread_of_replicates(q, slicing, parts) -%}
{%- set keys = slicing['keys'] -%}
{%- set of_pairs = q.comparison is not none -%}
{%- set metrics = [] -%}
{%- set values = [] -%}
{%- set values_from = [] -%}
{%- set counts = [] -%}
{%- set counts_from = [] -%}
{%- for part in parts -%}
{%- set counted = [] -%}
{%- for item in part['values'] -%}
{%- do counted.extend(item.metrics) -%}
{%- do values.append(sqlmetrics.one_per_metric(item.metrics, keys + ['replicate'], item.step, 'value')) -%}
{%- do values_from.append(item.step) -%}
{%- endfor -%}
{%- do metrics.extend(counted) -%}
{%- set counted_clusters = sqlmetrics.counted_clusters(counted, keys, part.counts) -%}
{%- do counts.append(sqlmetrics.one_per_metric(counted, keys, counted_clusters, 'clusters')) -%}
{%- do counts_from.append(part.counts.from) -%}
{%- endfor -%}
{%- set steps = [
    sqlmetrics.step('replicate_values', values | join('\nunion all\n'), 'one per slice, metric and replicate'),
    sqlmetrics.step('clusters_drawn', counts | join('\nunion all\n'), 'one per slice and metric'),
] -%}
{%- if of_pairs -%}
{%- set differences = sqlmetrics.differences_of_replicates(q, metrics) -%}
{%- do steps.append(sqlmetrics.step('replicate_differences', differences, 'how far two models are apart in each')) -%}
{%- endif -%}
{%- set from = 'replicate_differences' if of_pairs else 'replicate_values' -%}
{%- set spread = sqlmetrics.quantiles_of_replicates(q, keys + ['metric_id'], from) -%}
{%- do steps.append(sqlmetrics.step('replicate_spread', spread, 'how far the values lie apart', stored=of_pairs)) -%}
{%- set numbers = [] -%}
{%- set errors = {} -%}
{%- for m in metrics -%}
{%- set has_ideal = of_pairs and m.best_value is not none -%}
{%- do numbers.append({'number': m.number}) -%}
{%- if has_ideal -%}{%- do numbers.append({'number': m.number ~ '_of_distance'}) -%}{%- endif -%}
{%- set own = {'by_clusters': true} if has_ideal else {} -%}
{%- for key in ['se', 'clusters'] + (['reach', 'degrees'] if of_pairs else ['low', 'high']) -%}
{%- do own.update({key: 'bootstrapped.' ~ (key if key != 'se' else 'error') ~ '_' ~ m.number}) -%}
{%- endfor -%}
{%- do errors.update({m.as: own}) -%}
{%- endfor -%}
{%- set by_slices = sqlmetrics.spread_of_slices(q, keys, metrics) -%}
{%- if of_pairs -%}{%- set by_slices = sqlmetrics.with_reach(q, keys, numbers, by_slices) -%}{%- endif -%}
{%- do steps.append(sqlmetrics.step('bootstrapped', by_slices, 'one per slice')) -%}
{{ return({'steps': steps, 'errors': errors}) }}
{%- endmacro -%}

{#- The quantiles are those of numpy's and R's default, on a straight line between two values in order. A replicate in which the value
    is undefined is left out. If more than one in twenty are, there is no interval. -#}
{%- macro quantiles_of_replicates(q, keys, from) -%}
{%- set measures = ['value', 'distance'] if q.comparison is not none else ['value'] -%}
select
    {{ sqlmetrics.lines(keys) }}
{%- for name, tail in {'low': q.certainty.tail, 'high': 1 - q.certainty.tail}.items() %},
    sum(value * greatest(1 - abs(place - 1 - (values_there - 1) * {{ sqlmetrics.number(tail) }}), 0)) as {{ name }}
{%- endfor %}
{%- for measure in measures %},
    sqrt(sum({{ sqlmetrics.square('(' ~ measure ~ ' - mean_' ~ measure ~ ')') }}) / nullif(max(values_there) - 1, 0))
        as error{{ '_of_distance' if measure == 'distance' }}
{%- endfor %}
from (
    select
        {{ (keys + measures) | join(',\n        ') }},
        {{ sqlmetrics.to_double('row_number() ' ~ sqlmetrics.over(keys, 'value asc')) }} as place,
        {{ sqlmetrics.to_double('count(*) ' ~ sqlmetrics.over(keys)) }} as values_there
{%- for measure in measures %},
        avg({{ measure }}) {{ sqlmetrics.over(keys) }} as mean_{{ measure }}
{%- endfor %}
    from {{ from }}
    where {{ sqlmetrics.is_finite('value') }}
) as values_in_order
{{- sqlmetrics.group_by(keys) }}
having count(*) >= {{ 0.95 * q.certainty.replicates }}
{%- endmacro -%}

{#- The errors of all metrics as the columns of one step. -#}
{%- macro spread_of_slices(q, keys, metrics) -%}
{%- set ends = ['low', 'high', 'error'] if q.comparison is none else ['error'] -%}
select
    {{ sqlmetrics.lines(sqlmetrics.keys_of('counted', keys)) }}{{ ',' if keys }}
{%- for m in metrics %}
{%- set has_ideal = q.comparison is not none and m.best_value is not none %}
{%- set if_own = 'max(case when counted.metric_id = ' ~ m.number ~ ' then ' %}
{%- for of in (['', '_of_distance'] if has_ideal else ['']) %}
{%- for end in ends %}
    max(case when counted.metric_id = {{ m.number }} and counted.clusters > 1 then spread.{{ end ~ of }} end) as {{ end }}_{{ m.number ~ of }},
{%- endfor %}
{%- if q.comparison is not none %}
    nullif({{ if_own ~ sqlmetrics.to_double('counted.clusters') }} end) - 1, 0) as degrees_{{ m.number ~ of }},
{%- endif %}
    cast({{ if_own }}counted.clusters end) as bigint) as clusters_{{ m.number ~ of }}{{ ',' if not loop.last }}
{%- endfor %}{{ ',' if not loop.last }}
{%- endfor %}
from clusters_drawn as counted
left join replicate_spread as spread
    on {{ sqlmetrics.same_keys('counted', 'spread', keys + ['metric_id']) | join('\n    and ') }}
{{- sqlmetrics.group_by(sqlmetrics.keys_alone('counted', keys)) }}
{%- endmacro -%}

{#- Columns of metrics, value_1, value_2 …, as one row per metric. -#}
{%- macro one_per_metric(metrics, keys, from, name) -%}
select
    {{ sqlmetrics.lines(keys + ['metric_id']) }},
    case metric_id
{%- for m in metrics %}
        when {{ m.number }} then {{ sqlmetrics.to_double(name ~ '_' ~ m.number) if name == 'value' else name ~ '_' ~ m.number }}
{%- endfor %}
    end as {{ name }}
from {{ from }}
cross join (
{%- for m in metrics %}
    select {{ m.number }} as metric_id
{%- if not loop.last %}
    union all
{%- endif -%}
{%- endfor %}
) as metrics
{%- endmacro -%}

{#- How many clusters there are: those that have a part in a mean over groups, or all. -#}
{%- macro counted_clusters(metrics, keys, counts) -%}
(
    select
{%- for key in keys %}
        {{ key }},
{%- endfor -%}
{%- for m in metrics %}
        {{ counts.of[m.as] if m.as in counts.of else 'count(distinct cluster_name)' }} as clusters_{{ m.number }}{{ ',' if not loop.last }}
{%- endfor %}
    from {{ counts.from }}
    {{- sqlmetrics.indented(counts.where) }}
    {{- sqlmetrics.indented(sqlmetrics.group_by(keys)) }}
) as counted_clusters
{%- endmacro -%}

{#- The difference of two models and, where a metric has an ideal value, how much farther from it the one is than the other. -#}
{%- macro differences_of_replicates(q, metrics) -%}
{%- set distances = {} -%}
{%- for m in metrics if m.best_value is not none -%}
{%- do distances.update({m.number: 'abs(value - ' ~ m.best_value ~ ') - abs(baseline_value - ' ~ m.best_value ~ ')'}) -%}
{%- endfor -%}
select
    slice_id,
    metric_id,
    (value - baseline_value){{ ' / nullif(abs(baseline_value), 0)' if q.comparison.relative }} as value,
    {{ sqlmetrics.indented(sqlmetrics.by_metric(q, distances)) }} as distance
from (
    select
        pairs.slice_id as slice_id,
        models.metric_id as metric_id,
        models.replicate as replicate,
        max(case when pairs.slice_id = models.slice_id then models.value end) as value,
        max(case when pairs.baseline_id = models.slice_id then models.value end) as baseline_value
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
    inner join replicate_values as models
        on pairs.member_id = models.slice_id
    group by
        pairs.slice_id,
        models.metric_id,
        models.replicate
) as values_of_both
{%- endmacro -%}
