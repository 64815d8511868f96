{#- Bootstrap intervals with Poisson weights (Hanley and MacGibbon, Computer Methods and Programs in Biomedicine 83, 2006; Chamandy
    and others, 2012). In each replicate a cluster counts 0, 1, 2 … times, drawn from the Poisson distribution of mean 1. The interval
    ends at two quantiles of the replicates' values. Their standard deviation is the standard error.

    A replicate is one more grouping key. The method depends on the metric:
    - sums, for functions of sums over rows or groups: the sums of each cluster are multiplied by its draws.
    - areas, for the ROC AUC of unweighted rows: draws are added up in the order of the score, which is computed once.
    - rows, for all others: the frame reads each row once per replicate that draws it, with the draw as its weight. -#}
{%- macro errors_by_bootstrap(q, frames, slicing) -%}
{%- set replicates = sqlmetrics.replicate_steps(q, frames, slicing) -%}
{#- Counts have no interval: a call for counts alone draws nothing. -#}
{%- if not replicates.metrics -%}
{{ return({'steps': [], 'joined': [], 'errors': {}}) }}
{%- endif -%}
{%- set errors = {} -%}
{%- for m in replicates.metrics -%}
{%- do errors.update({m.as: {
    'low': 'bootstrapped.low_' ~ m.number,
    'high': 'bootstrapped.high_' ~ m.number,
    'se': 'bootstrapped.standard_error_' ~ m.number,
    'clusters': 'bootstrapped.clusters_' ~ m.number,
    'tail': none,
}}) -%}
{%- endfor -%}
{%- set quantiles = sqlmetrics.step('replicate_quantiles', sqlmetrics.quantiles_of_replicates(q, slicing['keys'] + ['metric_id'], 'replicate_values'), 'quantiles of the values') -%}
{%- set bootstrapped = sqlmetrics.step('bootstrapped', sqlmetrics.quantiles_of_slices(slicing['keys'], replicates.metrics), 'one per slice') -%}
{{ return({'steps': sqlmetrics.steps_with_readers(replicates.steps, [quantiles, bootstrapped]), 'joined': ['bootstrapped'], 'errors': errors}) }}
{%- endmacro -%}

{%- macro errors_of_contrasts_by_bootstrap(q, frames, slicing) -%}
{%- set replicates = sqlmetrics.replicate_steps(q, frames, slicing) -%}
{%- set errors -%}
select
    counted.slice_id as slice_id,
    counted.metric_id as metric_id,
    {{ sqlmetrics.to_double('counted.clusters') }} as clusters,
    nullif({{ sqlmetrics.to_double('counted.clusters') }} - 1, 0) as degrees_of_freedom,
    case when counted.clusters > 1 then summary.standard_error end as standard_error,
{%- if sqlmetrics.has_ideals(q) %}
    case when counted.clusters > 1 then summary.standard_error_of_distance end as standard_error_of_distance,
{%- endif %}
    summary.low as low,
    summary.high as high
from clusters_drawn as counted
left join replicate_quantiles as summary
    on counted.slice_id = summary.slice_id
    and counted.metric_id = summary.metric_id
{%- endset -%}
{%- set steps = [
    sqlmetrics.step('replicate_differences', sqlmetrics.differences_of_replicates(q), 'difference of both sides in each replicate'),
    sqlmetrics.step('replicate_quantiles', sqlmetrics.quantiles_of_replicates(q, ['slice_id', 'metric_id'], 'replicate_differences'), 'quantiles of the differences'),
] -%}
{{ return({'steps': sqlmetrics.steps_with_readers(replicates.steps, steps, errors), 'body': errors}) }}
{%- endmacro -%}

{#- Steps up to `replicate_values` and `clusters_drawn`. -#}
{%- macro replicate_steps(q, frames, slicing) -%}
{%- set keys = slicing['keys'] -%}
{%- set parts = sqlmetrics.replicated_parts(q, frames, slicing) -%}
{%- set draws = sqlmetrics.draw_steps(q, sqlmetrics.distinct(parts | map(attribute='clusters') | list)) -%}
{%- set steps = sqlmetrics.flat(parts | map(attribute='cluster_steps')) + draws + sqlmetrics.flat(parts | map(attribute='steps')) -%}
{%- set values -%}
{%- for part in parts -%}
{{ '\nunion all\n' if not loop.first }}
{%- for item in part['values'] -%}
{{ '\nunion all\n' if not loop.first }}{{ sqlmetrics.one_per_metric(keys + ['replicate'], item.from, {'value': item['columns']}) }}
{%- endfor -%}
{%- endfor -%}
{%- endset -%}
{%- set counts -%}
{%- for part in parts -%}
{{ '\nunion all\n' if not loop.first -}}
{{ sqlmetrics.one_per_metric(keys, sqlmetrics.counted_clusters(part, keys), {'clusters': sqlmetrics.numbered_columns(part.metrics, 'clusters')}) }}
{%- endfor -%}
{%- endset -%}
{{ return({'metrics': sqlmetrics.flat(parts | map(attribute='metrics')), 'steps': steps + [
    sqlmetrics.step('replicate_values', values, 'one per slice, metric and replicate', materialized=true),
    sqlmetrics.step('clusters_drawn', counts, 'one per slice and metric', materialized=true),
]}) }}
{%- endmacro -%}

{#- Frames share steps. Those with one reader are not materialized. -#}
{%- macro steps_with_readers(steps, last, ending='') -%}
{%- set steps = sqlmetrics.shared_steps(steps) -%}
{%- set names = sqlmetrics.names_of(steps) -%}
{%- set read = sqlmetrics.steps_read_by((steps + last) | map(attribute='body') | join('\n') ~ '\n' ~ ending, names) -%}
{%- set steps_read = [] -%}
{%- for step in steps -%}{%- do steps_read.append(dict(step, materialized=step.materialized and read.count(step.name) > 1)) -%}{%- endfor -%}
{{ return(steps_read + last) }}
{%- endmacro -%}

{%- macro replicated_parts(q, frames, slicing) -%}
{%- set names = q.metrics | map(attribute='as') | list -%}
{%- set parts = [] -%}
{%- set by_rows = [] -%}
{%- for f in frames -%}
{%- set ways = {'sums': [], 'areas': [], 'rows': by_rows} -%}
{%- for m in f.metrics if m.interval -%}
{%- set number = sqlmetrics.position_of(m.as, names) -%}
{%- set sums = sqlmetrics.sums_of(m, f, 'm' ~ number) -%}
{%- set way = 'sums' if sums and f.unit is not none else 'areas' if m.has_influence and sqlmetrics.knows_every_score(f) and not f.weighted else 'rows' -%}
{%- if way == 'rows' and f.judged -%}
{%- do sqlmetrics.raise_error(none, 'confidence: ' ~ m.as ~ ' has no interval with judgments; remove the metric or ⟨confidence⟩') -%}
{%- endif -%}
{%- do ways[way].append(dict(m, number=number, sums=sums)) -%}
{%- endfor -%}
{%- do parts.extend(
    ([sqlmetrics.replicates_of_sums(q, f, slicing, ways.sums)] if ways.sums else [])
    + ([sqlmetrics.replicates_of_areas(q, f, slicing, ways.areas)] if ways.areas else [])
) -%}
{%- endfor -%}
{{ return(parts + (sqlmetrics.replicates_of_rows(q, slicing, names, by_rows | map(attribute='as') | list) if by_rows else [])) }}
{%- endmacro -%}

{%- macro numbered_columns(metrics, name) -%}
{%- set columns = {} -%}
{%- for m in metrics -%}{%- do columns.update({m.number: name ~ '_' ~ m.number}) -%}{%- endfor -%}
{{ return(columns) }}
{%- endmacro -%}

{#- The sums of each cluster times its draws. A mean over groups drops groups without a value; sums over rows use every row. -#}
{%- macro replicates_of_sums(q, f, slicing, metrics) -%}
{%- set keys = slicing['keys'] -%}
{%- set units = f.cte ~ '_in_clusters' -%}
{%- set sums = sqlmetrics.all_sums(metrics) -%}
{%- set replicates = f.cte ~ '_in_replicates' -%}
{%- set steps -%}
{{ sqlmetrics.cte(replicates, 'one per replicate') }}
select
    {{ sqlmetrics.select_list(sqlmetrics.keys_of('clusters', keys) + ['draws.replicate as replicate']) }}
{%- for name in sums %},
    sum(draws.resample_count * clusters.{{ name }}) as resampled_{{ name }}
{%- endfor %}
from {{ units }} as clusters
inner join draws_of_clusters as draws on clusters.cluster_name = draws.cluster_name
{{- sqlmetrics.group_by(sqlmetrics.keys_alone('clusters', keys) + ['draws.replicate']) }}
{{ sqlmetrics.cte(f.cte ~ '_values', 'values in each replicate') }}
select
    {{ sqlmetrics.select_list(keys + ['replicate']) }}
{%- for m in metrics %},
    {{ sqlmetrics.to_double(sqlmetrics.indented(sqlmetrics.metric_of_named_sums(m, 'resampled_'))) }} as value_{{ m.number }}
{%- endfor %}
from {{ replicates }}
{%- endset -%}
{{ return({
    'cluster_steps': sqlmetrics.contributions(q, f, slicing, units, sums, texts=true),
    'clusters': units,
    'steps': sqlmetrics.steps_in(steps),
    'metrics': metrics,
    'values': [{'from': f.cte ~ '_values', 'columns': sqlmetrics.numbered_columns(metrics, 'value')}],
    'counted': {'from': units, 'where': '', 'unit': f.unit},
}) }}
{%- endmacro -%}

{#- The ROC AUC is 1 minus the share of pairs with the negative above the positive, where ties count half. A positive that is tied
    with negatives takes two ranks, before and after them, with half its weight each. Ranks are computed once. Running sums over
    them, for eight replicates per row, add up the draws of the negatives above. -#}
{%- macro replicates_of_areas(q, f, slicing, metrics) -%}
{%- set keys = slicing['keys'] -%}
{%- set ordered = 'ordered_scores' ~ f.suffix -%}
{%- set pairs = f.cte ~ '_in_digests' -%}
{%- set replicates = f.cte ~ '_in_replicates' -%}
{%- set steps -%}
{{ sqlmetrics.cte(ordered, 'rows ranked by score, with tied positives in two halves') }}
{{ sqlmetrics.ordered_scores(f, keys) }}
{{ sqlmetrics.cte(pairs, 'pairs with the negative above the positive, eight replicates per row') }}
{{ sqlmetrics.misplaced_pairs(ordered, keys) }}
{#- Inputs of the AUC formula of `thresholds`, with all rows of a replicate at one threshold. #}
{{ sqlmetrics.cte(replicates, 'one per replicate') }}
select
    {{ sqlmetrics.select_list(keys + ['replicate', 'pos', 'neg', 'misplaced / nullif(pos, 0) + neg / 2 as false_positives']) }}
from (
    {{ sqlmetrics.indented(sqlmetrics.one_per_replicate(q, keys, pairs, ['misplaced', 'pos', 'neg'])) }}
) as pairs
{{ sqlmetrics.cte(f.cte ~ '_values', 'values in each replicate') }}
select
    {{ sqlmetrics.select_list(keys + ['replicate']) }}
{%- for m in metrics %},
    {{ sqlmetrics.to_double(sqlmetrics.indented(sqlmetrics.metric_value(dict(m, frame='thresholds'), m.name))) }} as value_{{ m.number }}
{%- endfor %}
from {{ replicates }}
{{- sqlmetrics.group_by(keys + ['replicate']) }}
{%- endset -%}
{{ return({
    'cluster_steps': [sqlmetrics.named_rows_step(q, slicing, materialized=true)],
    'clusters': 'named_rows',
    'steps': sqlmetrics.steps_in(steps),
    'metrics': metrics,
    'values': [{'from': f.cte ~ '_values', 'columns': sqlmetrics.numbered_columns(metrics, 'value')}],
    'counted': {'from': 'named_rows', 'where': f.where, 'unit': none},
}) }}
{%- endmacro -%}

{%- macro ordered_scores(f, keys) -%}
select
    {{ sqlmetrics.select_list(keys + ['cluster_name']) }},
    case when is_tied = 1 then pos / 2 else pos end as pos,
    row_number() {{ sqlmetrics.over(keys, 'score desc, side asc, pos desc') }} as row_rank
from (
    select
        {{ (keys + ['cluster_name', 'pos', 'score']) | join(',\n        ') }},
        case when pos = 1 then max(neg) {{ sqlmetrics.over(keys + ['score']) }} else 0 end as is_tied
    from named_rows
    {{- sqlmetrics.indented(f.where) }}
) as scored_rows
cross join {{ sqlmetrics.numbers(2, 'side', 'sides') }}
where side = 1 or is_tied = 1
{%- endmacro -%}

{%- macro misplaced_pairs(ordered, keys) -%}
{%- set from_above = sqlmetrics.over(keys + ['digest_number'], 'row_rank asc rows unbounded preceding') -%}
select
    {{ sqlmetrics.select_list(keys + ['digest_number']) }}
{%- for number in range(1, 9) %},
    sum(pos * resample_count_{{ number }} * negatives_above_{{ number }}) as misplaced_{{ number }},
    sum(pos * resample_count_{{ number }}) as pos_{{ number }},
    {{ sqlmetrics.to_double('sum(case when pos = 0 then resample_count_' ~ number ~ ' else 0 end)') }} as neg_{{ number }}
{%- endfor %}
from (
    select
        {{ (sqlmetrics.keys_of('scores', keys) + ['draws.digest_number as digest_number', 'scores.pos as pos']) | join(',\n        ') }}
{%- for number in range(1, 9) %},
        draws.resample_count_{{ number }} as resample_count_{{ number }},
        {{ sqlmetrics.to_double('\n            sum(case when pos = 0 then resample_count_' ~ number ~ ' else 0 end)\n            ' ~ from_above) }} as negatives_above_{{ number }}
{%- endfor %}
    from {{ ordered }} as scores
    inner join draws on scores.cluster_name = draws.cluster_name
) as running_sums
{{- sqlmetrics.group_by(keys + ['digest_number']) }}
{%- endmacro -%}

{#- Rows once per replicate that draws them. Lists are unweighted, so each list is copied once per draw. -#}
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
    {{ sqlmetrics.select_list(sqlmetrics.keys_of('clusters', keys) + ['draws.replicate as replicate']) }}
{%- for column in sqlmetrics.derived_columns(q.derived) %},
{%- if of_groups and column == 'group_id' %}
    {{ sqlmetrics.name_of_cluster(q, 'clusters.group_id', 'group_id') }} || ':' || cast(copies.copy as {{ sqlmetrics.type_text() }}) as group_id
{%- else %}
    clusters.{{ column }}{{ ' * draws.resample_count' if column in ['pos', 'neg', 'weight'] }} as {{ column }}
{%- endif -%}
{%- endfor %}
from {{ named }} as clusters
inner join draws_of_clusters as draws on clusters.cluster_name = draws.cluster_name
{%- if of_groups %}
inner join {{ sqlmetrics.numbers(8, 'copy', 'copies') }} on copies.copy <= draws.resample_count
{%- endif %}
where draws.resample_count > 0
{%- endset -%}
{%- set of_replicates = {'keys': keys + ['replicate'], 'rows_from': resampled} -%}
{%- set metric_steps = sqlmetrics.metric_steps(f, [], of_replicates) -%}
{%- set values = [] -%}
{%- for step in metric_steps -%}
{%- set columns = {} -%}
{%- for m in f.metrics if m.cte ~ '_metrics' == step.name -%}{%- do columns.update({m.number: sqlmetrics.to_double(sqlmetrics.identifier(m.as))}) -%}{%- endfor -%}
{%- do values.append({'from': step.name, 'columns': columns}) -%}
{%- endfor -%}
{{ return({
    'cluster_steps': [sqlmetrics.named_rows_step(q, slicing, of, materialized=true)],
    'clusters': named,
    'steps': [sqlmetrics.step(resampled, resampled_rows, 'rows repeated for every replicate that draws them', materialized=true)]
        + sqlmetrics.frame_steps(f, resampled, of_replicates['keys']) + metric_steps,
    'metrics': f.metrics,
    'values': values,
    'counted': {'from': named, 'where': f.where, 'unit': none},
}) }}
{%- endmacro -%}

{#- Quantiles interpolate linearly between sorted values, the default of numpy and R. Replicates with an undefined value are dropped.
    If more than one in twenty are dropped, there is no interval. -#}
{%- macro quantiles_of_replicates(q, keys, from) -%}
{%- set measures = ['value', 'distance'] if q.comparison is not none and sqlmetrics.has_ideals(q) else ['value'] -%}
select
    {{ sqlmetrics.select_list(keys) }}
{%- for name, tail in {'low': q.interval_options.tail, 'high': 1 - q.interval_options.tail}.items() %},
    sum(value * greatest(1 - abs(value_rank - 1 - (value_count - 1) * {{ sqlmetrics.number(tail) }}), 0)) as {{ name }}
{%- endfor %}
{%- for measure in measures %},
    sqrt(sum({{ sqlmetrics.square('(' ~ measure ~ ' - mean_' ~ measure ~ ')') }}) / nullif(max(value_count) - 1, 0))
        as standard_error{{ '_of_distance' if measure == 'distance' }}
{%- endfor %}
from (
    select
        {{ (keys + measures) | join(',\n        ') }},
        {{ sqlmetrics.to_double('row_number() ' ~ sqlmetrics.over(keys, 'value asc')) }} as value_rank,
        {{ sqlmetrics.to_double('count(*) ' ~ sqlmetrics.over(keys)) }} as value_count
{%- for measure in measures %},
        avg({{ measure }}) {{ sqlmetrics.over(keys) }} as mean_{{ measure }}
{%- endfor %}
    from {{ from }}
    where {{ sqlmetrics.is_finite('value') }}
) as values_in_order
{{- sqlmetrics.group_by(keys) }}
having count(*) >= {{ 0.95 * q.interval_options.replicates }}
{%- endmacro -%}

{#- The errors of all metrics as columns, per slice. -#}
{%- macro quantiles_of_slices(keys, metrics) -%}
select
    {{- sqlmetrics.leading(sqlmetrics.keys_of('counted', keys)) }}
{%- for m in metrics %}
{%- for end in ['low', 'high', 'standard_error'] %}
    max(case when counted.metric_id = {{ m.number }} and counted.clusters > 1 then summary.{{ end }} end) as {{ end }}_{{ m.number }},
{%- endfor %}
    cast(max(case when counted.metric_id = {{ m.number }} then counted.clusters end) as bigint) as clusters_{{ m.number }}{{ ',' if not loop.last }}
{%- endfor %}
from clusters_drawn as counted
left join replicate_quantiles as summary{{ sqlmetrics.on('counted', 'summary', keys + ['metric_id']) }}
{{- sqlmetrics.group_by(sqlmetrics.keys_alone('counted', keys)) }}
{%- endmacro -%}

{#- Unpivots columns to one row per metric: name -> {number of the metric: column}. -#}
{%- macro one_per_metric(keys, from, columns) -%}
select
    {{ sqlmetrics.select_list(keys + ['metric_id']) }}
{%- for name, cases in columns.items() %},
    case metric_id
{%- for number, column in cases.items() %}
        when {{ number }} then {{ column }}
{%- endfor %}
    end as {{ name }}
{%- endfor %}
from {{ from }}
cross join (
{%- for number in (columns.values() | list)[0] %}
    select {{ number }} as metric_id
{%- if not loop.last %}
    union all
{%- endif -%}
{%- endfor %}
) as metrics
{%- endmacro -%}

{#- Counts clusters with a nonzero sum for means over groups, else all clusters. -#}
{%- macro counted_clusters(part, keys) -%}
(
    select
        {{- sqlmetrics.leading(keys, depth=2) -}}
{%- for m in part.metrics %}
{%- if part.counted.unit == 'group' %}
        count(case when {{ sqlmetrics.for_each(m.sums | map(attribute='name'), '{0} <> 0') | join(' or ') }} then 1 end)
{%- else %}
        count({{ '*' if part.counted.unit == 'row' else 'distinct cluster_name' }})
{%- endif %} as clusters_{{ m.number }}{{ ',' if not loop.last }}
{%- endfor %}
    from {{ part.counted.from }}
    {{- sqlmetrics.indented(part.counted.where) }}
    {{- sqlmetrics.indented(sqlmetrics.group_by(keys)) }}
) as counted_clusters
{%- endmacro -%}

{#- Difference of both sides and, for a metric with a best value, of their distances from it. -#}
{%- macro differences_of_replicates(q) -%}
select
    slice_id,
    metric_id,
    (value - baseline_value){{ sqlmetrics.per_baseline(q) }} as value,
    {{ 'abs(value - ideal) - abs(baseline_value - ideal)' if sqlmetrics.has_ideals(q) else sqlmetrics.to_double('null') }} as distance
from (
    select
        contrasts.slice_id as slice_id,
        contrasts.metric_id as metric_id,
        models.replicate as replicate,
{%- if sqlmetrics.has_ideals(q) %}
        max(ideal) as ideal,
{%- endif %}
        max(case when side = 1 then models.value end) as value,
        max(case when side = 2 then models.value end) as baseline_value
    {{ sqlmetrics.indented(sqlmetrics.from_both_sides('replicate_values', 'models')) }}
        and contrasts.metric_id = models.metric_id
    group by contrasts.slice_id, contrasts.metric_id, models.replicate
) as values_of_both
{%- endmacro -%}
