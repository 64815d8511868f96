{#- A comparison of models: a row per slice, metric and model, with how far it is from the baseline, and how sure that is.

    Both models are measured on the same rows, and a cluster has an influence on either value. What it does to the
    difference is the difference of what it does to both, so that what the models have in common is not taken for chance.
    Two relations are two models with rows of their own: a cluster that has rows in one of them is independent of the other. So are
    two slices, of which `gaps` tells how far they are apart. -#}

{#- Whether what is compared has rows of its own on either side. -#}
{%- macro of_two_samples(q) -%}
{{ return(q.comparison is not none and (q.comparison.gaps or q.against is not none)) }}
{%- endmacro -%}

{#- Whether clusters must be known again on the other side: rows of their own are in one slice only. -#}
{%- macro clusters_are_named(q, f) -%}
{{ return(q.comparison is not none and (q.certainty.cluster is not none or f.unit == 'group' or q.row_ids)) }}
{%- endmacro -%}

{#- The step with a row per pair: of a slice in two models, or of two slices. -#}
{%- macro step_of_pairs(q) -%}
{{ return('slice_pairs' if q.comparison.gaps else 'model_pairs') }}
{%- endmacro -%}

{#- What is said of one metric's pair of slices; of models, a pair is the same for all metrics. -#}
{%- macro of_own_pair(q, number, value) -%}
{{ return('case when pairs.metric_id = ' ~ number ~ ' then ' ~ value ~ ' end' if q.comparison.gaps else value) }}
{%- endmacro -%}

{#- The value of every metric in every slice; a slice belongs to one model here. -#}
{%- macro measured_step(q, frames, slicing, steps) -%}
{%- set items = sqlmetrics.keys_of('slices', ['slice_id'] + slicing.names) -%}
{%- do items.append('coalesce(' ~ frames[0].cte ~ '_metrics.n, 0) as n') -%}
{%- for m in sqlmetrics.metrics_in_order(q, frames) -%}
{%- do items.append(sqlmetrics.to_double(m.cte ~ '_metrics.' ~ sqlmetrics.identifier(m.as)) ~ ' as value_' ~ loop.index) -%}
{%- endfor -%}
{%- set names = sqlmetrics.step_names(steps) -%}
{%- set measured -%}
select
    {{ sqlmetrics.lines(items) }}
from slices
{%- for name in names %}
left join {{ name }}
    on slices.slice_id = {{ name }}.slice_id
{%- endfor -%}
{%- endset -%}
{{ return(sqlmetrics.step('measured', measured, 'the values of each slice and model', stored=true)) }}
{%- endmacro -%}

{#- Each slice of another model, and the same of the baseline; `values`: with what was measured in both. -#}
{%- macro pairs_step(q, slicing, name, from, values) -%}
{%- set same = [] -%}
{%- for key in slicing.names if key != 'model_id' -%}{%- do same.append(key) -%}{%- endfor -%}
{%- set items = ['slice_id', 'model_id', sqlmetrics.of_the_baseline(q, 'slice_id', same) ~ ' as baseline_id'] + (['n'] if values else []) -%}
{%- set shown = ['slice_id', 'baseline_id'] + (['n'] if values else []) -%}
{%- for value in values -%}
{%- do items.extend([value, sqlmetrics.of_the_baseline(q, value, same) ~ ' as baseline_' ~ value]) -%}
{%- do shown.extend([value, 'baseline_' ~ value]) -%}
{%- endfor -%}
{%- set pairs -%}
select
    {{ sqlmetrics.lines(shown) }}
from (
    select
        {{ items | join(',\n        ') }}
    from {{ from }}
) as models_and_baseline
where model_id <> {{ q.comparison.baseline }}
{%- endset -%}
{{ return(sqlmetrics.step(name, pairs, 'each slice of a model, beside that of the baseline', stored=true)) }}
{%- endmacro -%}

{%- macro of_the_baseline(q, column, keys) -%}
{{ return('max(case when model_id = ' ~ q.comparison.baseline ~ ' then ' ~ column ~ ' end) ' ~ sqlmetrics.over(keys)) }}
{%- endmacro -%}

{#- By which column the clusters of a frame are known again in the other model. -#}
{%- macro cluster_column(q, f) -%}
{%- if sqlmetrics.clusters_are_groups(q, f) -%}
{{ return('group_id') }}
{%- endif -%}
{{ return('cluster_id' if q.certainty.cluster is not none else 'row_id') }}
{%- endmacro -%}

{#- Without clusters, or with those of the same column: then nobody has to look up in which cluster a group lies. -#}
{%- macro clusters_are_groups(q, f) -%}
{{ return(f.unit == 'group' and (q.certainty.cluster is none or ('group' in q.roles and q.certainty.cluster == q.roles['group']))) }}
{%- endmacro -%}

{#- How the difference moves with either value: the same way and against it, or, relative to the baseline, as the quotient does. -#}
{%- macro weights_of_values(q, m) -%}
{%- if q.comparison.relative -%}
{%- set baseline = 'nullif(baseline_value_' ~ m.number ~ ', 0)' -%}
{{ return(['1 / abs(' ~ baseline ~ ')', 'value_' ~ m.number ~ ' / abs(' ~ baseline ~ ') / ' ~ baseline]) }}
{%- endif -%}
{{ return(['1', '1']) }}
{%- endmacro -%}

{#- Whether a metric has a best value: models are then also compared by how far they are from it, its sign on either side. -#}
{%- macro tells_distances(q) -%}
{%- for m in q.metrics if not q.comparison.gaps and m.best_value is not none -%}
{{ return(true) }}
{%- endfor -%}
{{ return(false) }}
{%- endmacro -%}

{#- What a column is for the metric of a row; `cases` are texts by the numbers of metrics. -#}
{%- macro by_metric(q, cases, column='metric_id') -%}
{%- if not cases -%}
{{ return(sqlmetrics.to_double('null')) }}
{%- elif q.metrics | length == 1 -%}
{{ return((cases.values() | list)[0]) }}
{%- endif -%}
{%- set whens = [] -%}
{%- for number, value in cases.items() -%}{%- do whens.append('\n    when ' ~ number ~ ' then ' ~ value) -%}{%- endfor -%}
{{ return('case ' ~ column ~ whens | join ~ '\nend') }}
{%- endmacro -%}

{%- macro error_steps_of_pairs(q, errors, metrics, influences, corrected, named) -%}
{%- set names = errors | replace('_errors', '_influences') -%}
{%- set own_intervals = q.comparison.own_intervals -%}
{%- set differences = errors | replace('_errors', '_differences') -%}
{%- set own = [] -%}
{%- set added = [] -%}
{%- set all = [] -%}
{%- set depends = [] -%}
{%- for m in metrics -%}
{%- set weights = sqlmetrics.weights_of_values(q, m) -%}
{%- set influence = 'influence_' ~ m.number -%}
{%- set part = 'part_' ~ m.number -%}
{%- set corrected_influence = sqlmetrics.influence_of_side(q, m.number, corrected) -%}
{%- do own.append(sqlmetrics.of_own_pair(q, m.number, corrected_influence ~ ' * case side when 1 then ' ~ weights[0] ~ ' else -' ~ weights[1] ~ ' end') ~ ' as ' ~ influence) -%}
{%- do own.append(sqlmetrics.of_own_pair(q, m.number, part) ~ ' as ' ~ part if q.comparison.gaps else part) -%}
{%- set side = 'case when ' ~ part ~ ' is not null then side else 0 end' -%}
{%- do added.extend(['sum(' ~ influence ~ ') as ' ~ influence, 'max(' ~ part ~ ') as ' ~ part] if named else [influence, part]) -%}
{%- do all.append(m) -%}
{%- if sqlmetrics.of_two_samples(q) -%}{%- do added.append(('sum(' ~ side ~ ')' if named else side) ~ ' as stratum_' ~ m.number) -%}{%- endif -%}
{%- set ideal = none if q.comparison.gaps else m.best_value -%}
{%- if ideal is not none -%}
{%- set number = m.number ~ '_of_distance' -%}
{%- set signs = 'case side when 1 then sign(value_' ~ m.number ~ ' - ' ~ ideal ~ ') else -sign(baseline_value_' ~ m.number ~ ' - ' ~ ideal ~ ') end' -%}
{%- do own.extend([corrected_influence ~ ' * ' ~ signs ~ ' as influence_' ~ number, part ~ ' as part_' ~ number]) -%}
{%- do added.extend(['sum(influence_' ~ number ~ ') as influence_' ~ number, 'max(part_' ~ number ~ ') as part_' ~ number]) -%}
{%- do all.append({'number': number, 'stratum': m.number}) -%}
{%- endif -%}
{%- if ideal is not none or q.comparison.relative -%}{%- do depends.append(m) -%}{%- endif -%}
{%- endfor -%}
{%- set pairs = 'measured_pairs' if depends else sqlmetrics.step_of_pairs(q) -%}
{%- set differences_of_clusters -%}
select
    {{ sqlmetrics.lines(['slice_id'] + named + added) }}
from (
    select
        {{ (['pairs.slice_id as slice_id'] + named + (['side'] if sqlmetrics.of_two_samples(q) else []) + own) | join(',\n        ') }}
    from {{ pairs }} as pairs
    cross join (
        {{ sqlmetrics.indented(sqlmetrics.indented(sqlmetrics.numbers(2, 'side'))) }}
    ) as sides
    inner join {{ names }} as influences
        on case side when 1 then pairs.slice_id else pairs.baseline_id end = influences.slice_id
) as influences_of_both
{{- sqlmetrics.group_by(['slice_id'] + named if named else []) }}
{%- endset -%}
{%- set spread -%}
{%- if sqlmetrics.of_two_samples(q) -%}
{{ sqlmetrics.spread_of_strata(all, differences) }}
{%- else -%}
select
    {{ sqlmetrics.lines(['slice_id'] + sqlmetrics.spread_of_influences(all, corrected)) }}
from {{ differences }}
group by
    slice_id
{%- endif -%}
{%- endset -%}
{%- set spread_of_models -%}
select
    {{ sqlmetrics.lines(['slice_id'] + sqlmetrics.spread_of_influences(metrics, corrected)) }}
from {{ names }}
group by
    slice_id
{%- endset -%}
{{ return([
    sqlmetrics.step(names, influences, 'what each cluster does to a value', stored=own_intervals),
] + ([sqlmetrics.errors_of_models_step(q, errors, metrics, spread_of_models)] if own_intervals else []) + [
    sqlmetrics.step(differences, differences_of_clusters, 'what it does to the difference of two models'),
    sqlmetrics.step(errors, sqlmetrics.with_reach(q, ['slice_id'], all, spread), 'one per pair: these, squared and added up'),
]) }}
{%- endmacro -%}

{#- How sure the value of each model is by itself, which stands beside the difference where that is asked for. -#}
{%- macro errors_of_models_step(q, errors, metrics, spread, known=none) -%}
{{ return(sqlmetrics.step(errors ~ '_of_models', sqlmetrics.with_reach(q, ['slice_id'], metrics, spread, known), 'one per slice: the same of the value of one model', stored=true)) }}
{%- endmacro -%}

{#- Two relations, or slices, may have different numbers of clusters, so each has its own C / (C - 1). -#}
{%- macro influence_of_side(q, number, corrected) -%}
{%- set influence = 'influence_' ~ number -%}
{%- if not sqlmetrics.of_two_samples(q) or corrected -%}
{{ return(influence) }}
{%- endif -%}
{%- set count = sqlmetrics.to_double('count(part_' ~ number ~ ') ' ~ sqlmetrics.over(['pairs.slice_id'] + (['pairs.metric_id'] if q.comparison.gaps else []) + ['side'])) -%}
{{ return(influence ~ ' * sqrt(' ~ count ~ ' / nullif(' ~ count ~ ' - 1, 0))') }}
{%- endmacro -%}

{#- The clusters that only one of two relations, or slices, has are samples of their own, and those that both have are one of pairs. The
    degrees of freedom are those of Welch (1947) and Satterthwaite (1946): of pairs alone C - 1, of two samples those of
    Welch's test. -#}
{%- macro spread_of_strata(metrics, differences) -%}
{%- set items = [] -%}
{%- set strata = [] -%}
{%- for m in metrics -%}
{%- set influence = 'influence_' ~ m.number -%}
{%- set stratum = 'stratum_' ~ (m.stratum if m.stratum is defined else m.number) -%}
{%- set variances = [] -%}
{%- set squares = [] -%}
{%- for number in [1, 2, 3] -%}
{%- set count = 'count_' ~ number ~ '_' ~ m.number -%}
{%- set variance = 'variance_' ~ number ~ '_' ~ m.number -%}
{%- do strata.append(sqlmetrics.to_double('count(case when ' ~ stratum ~ ' = ' ~ number ~ ' then 1 end)') ~ ' as ' ~ count) -%}
{%- do strata.append('sum(case when ' ~ stratum ~ ' = ' ~ number ~ ' then ' ~ influence ~ ' * ' ~ influence ~ ' else 0 end) as ' ~ variance) -%}
{%- do variances.append(variance) -%}
{%- do squares.append(variance ~ ' * ' ~ variance ~ ' / greatest(' ~ count ~ ' - 1, 1)') -%}
{%- endfor -%}
{%- do strata.append('max(part_' ~ m.number ~ ') as part_' ~ m.number) -%}
{%- set variance = '(' ~ variances | join(' + ') ~ ')' -%}
{%- set counts = ['count_1_' ~ m.number, 'count_2_' ~ m.number, 'count_3_' ~ m.number] -%}
{%- do items.append('cast(' ~ counts | join(' + ') ~ ' as bigint) as clusters_' ~ m.number) -%}
{%- do items.append('cast(' ~ counts[2] ~ ' as bigint) as shared_clusters_' ~ m.number) -%}
{%- do items.append(variance ~ ' * ' ~ variance ~ ' / nullif(' ~ squares | join(' + ') ~ ', 0) as degrees_' ~ m.number) -%}
{#- A relation whose clusters are all of one kind tells nothing of how they vary, however much the other's do. -#}
{%- do items.append('sqrt(' ~ sqlmetrics.least_of([variances[0], variances[1]]) ~ ' + ' ~ variances[2] ~ ') as least_error_' ~ m.number) -%}
{%- do items.append('case when ' ~ counts[0] ~ ' + ' ~ counts[2] ~ ' > 1 and ' ~ counts[1] ~ ' + ' ~ counts[2] ~ ' > 1 and part_' ~ m.number ~ ' = 1 then sqrt' ~ variance ~ ' end as error_' ~ m.number) -%}
{%- endfor -%}
select
    {{ sqlmetrics.lines(['slice_id'] + items) }}
from (
    select
        {{ (['slice_id'] + strata) | join(',\n        ') }}
    from {{ differences }}
    group by
        slice_id
) as strata
{%- endmacro -%}

{#- The differences without each bucket in turn, and their mean. -#}
{%- macro pairs_in_buckets(q, values, metrics, bucketed) -%}
{%- set items = [] -%}
{%- for m in metrics if m.cte ~ '_metrics' == values -%}
{%- set value = sqlmetrics.to_double('model.' ~ sqlmetrics.identifier(m.as)) -%}
{%- set other = sqlmetrics.to_double('baseline.' ~ sqlmetrics.identifier(m.as)) -%}
{%- set difference = '(' ~ value ~ ' - ' ~ other ~ ')' ~ (' / nullif(abs(' ~ other ~ '), 0)' if q.comparison.relative else '') -%}
{%- set difference = sqlmetrics.of_own_pair(q, m.number, difference) -%}
{%- do items.append(difference ~ ' as value_' ~ m.number) -%}
{%- if sqlmetrics.of_two_samples(q) -%}
{%- do items.append(sqlmetrics.of_own_pair(q, m.number, value) ~ ' as model_value_' ~ m.number) -%}
{%- do items.append(sqlmetrics.of_own_pair(q, m.number, other) ~ ' as baseline_value_' ~ m.number) -%}
{%- endif -%}
{%- do items.append('avg(' ~ difference ~ ') ' ~ sqlmetrics.over(['pairs.slice_id']) ~ ' as mean_' ~ m.number) -%}
{%- if q.comparison.gaps -%}{%- do items.append(sqlmetrics.of_own_pair(q, m.number, '1') ~ ' as own_' ~ m.number) -%}{%- endif -%}
{%- endfor -%}
select
    {{ sqlmetrics.lines(['pairs.slice_id as slice_id'] + items) }}
from {{ sqlmetrics.step_of_pairs(q) }} as pairs
inner join {{ values }} as model
    on pairs.slice_id = model.slice_id
inner join {{ values }} as baseline
    on pairs.baseline_id = baseline.slice_id
    and model.bucket_left_out = baseline.bucket_left_out
{%- if q.comparison.gaps %}
inner join (
    select distinct
        pairs.slice_id,
        metric_id,
        bucket
    from slice_pairs as pairs
    inner join {{ bucketed }} as bucketed
        on bucketed.slice_id in (pairs.slice_id, pairs.baseline_id)
) as own_buckets
    on pairs.slice_id = own_buckets.slice_id
    and pairs.metric_id = own_buckets.metric_id
    and model.bucket_left_out = own_buckets.bucket
{%- endif %}
{%- endmacro -%}

{#- How far the values without a bucket are apart in the one of two samples where that is less. -#}
{%- macro least_spread_of_sides(number) -%}
{%- set spreads = [] -%}
{%- for side in ['model_value_', 'baseline_value_'] -%}
{%- do spreads.append('max(' ~ side ~ number ~ ') - min(' ~ side ~ number ~ ')') -%}
{%- endfor -%}
{{ return(sqlmetrics.least_of(spreads) ~ ' as least_error_' ~ number) }}
{%- endmacro -%}

{%- macro ending_of_comparison(q, frames, slicing) -%}
{%- set steps = [] -%}
{%- for f in frames -%}
{%- do steps.extend(sqlmetrics.metric_steps(f, [sqlmetrics.rows_represented(f) ~ ' as n'] if loop.first else [], slicing)) -%}
{%- endfor -%}
{%- set measured = sqlmetrics.measured_step(q, frames, slicing, steps) -%}
{%- set errors = sqlmetrics.errors_of(q, frames, slicing) -%}
{%- set values = [] -%}
{%- for m in q.metrics -%}{%- do values.append('value_' ~ loop.index) -%}{%- endfor -%}
{%- set by_slices = [] -%}
{%- for step in errors.steps if sqlmetrics.steps_read_by(step.body, ['model_pairs']) -%}{%- do by_slices.append(step.name) -%}{%- endfor -%}
{%- set steps = steps + [measured]
    + ([sqlmetrics.pairs_step(q, slicing, 'model_pairs', 'slices', [])] if by_slices else [])
    + [sqlmetrics.pairs_step(q, slicing, 'measured_pairs', 'measured', values)]
    + errors.steps -%}
{%- set compared = sqlmetrics.compared_metrics(q, frames, errors) -%}
{%- do steps.append(sqlmetrics.step('compared_metrics', compared, 'one per slice, metric and model', stored=true)) -%}
{%- do steps.append(sqlmetrics.step('differences', sqlmetrics.differences(q), 'how far they are apart, in standard errors', stored=true)) -%}
{%- do steps.append(sqlmetrics.step('tested', sqlmetrics.tested(q), 'how often chance alone would take them as far apart', stored=true)) -%}
{%- do steps.append(sqlmetrics.step('ranked_tests', sqlmetrics.ranked_tests(q), 'the tests from the surest on')) -%}
{%- do steps.append(sqlmetrics.step('adjusted', sqlmetrics.adjusted(q), 'the same for as many tests as there are')) -%}
{{ return({'steps': steps, 'select': sqlmetrics.comparison_select(q, slicing)}) }}
{%- endmacro -%}

{#- Of two samples how much the one varies that varies less. -#}
{%- macro least_error_of(q, error) -%}
{{ return(error.least if sqlmetrics.of_two_samples(q) else error.se) }}
{%- endmacro -%}

{#- The columns of the pairs turned into rows: one per metric. -#}
{%- macro compared_metrics(q, frames, errors) -%}
{%- set cases = {'value': {}, 'baseline_value': {}, 'error': {}, 'least_error': {}, 'clusters': {}, 'reach': {}, 'degrees': {}} -%}
{%- if sqlmetrics.tells_distances(q) -%}{%- do cases.update({'distance': {}, 'distance_error': {}}) -%}{%- endif -%}
{%- if q.against is not none -%}{%- do cases.update({'shared_clusters': {}}) -%}{%- endif -%}
{%- set of_models = [] -%}
{%- if q.comparison.own_intervals -%}
{%- do cases.update({'own_reach': {}, 'baseline_own_reach': {}}) -%}
{%- for m in q.metrics if errors.errors[m.as].of_models not in of_models + [none] -%}{%- do of_models.append(errors.errors[m.as].of_models) -%}{%- endfor -%}
{%- endif -%}
{%- for m in sqlmetrics.metrics_in_order(q, frames) -%}
{%- set number = loop.index -%}
{%- set error = errors.errors[m.as] -%}
{%- do cases['value'].update({number: 'value_' ~ number}) -%}
{%- do cases['baseline_value'].update({number: 'baseline_value_' ~ number}) -%}
{%- do cases['error'].update({number: error.se}) -%}
{%- do cases['least_error'].update({number: sqlmetrics.least_error_of(q, error)}) -%}
{%- do cases['clusters'].update({number: 'cast(' ~ error.clusters ~ ' as bigint)'}) -%}
{%- if q.against is not none -%}{%- do cases['shared_clusters'].update({number: 'cast(' ~ error.clusters | replace('.clusters', '.shared_clusters') ~ ' as bigint)'}) -%}{%- endif -%}
{%- do cases['reach'].update({number: error.reach}) -%}
{%- do cases['degrees'].update({number: error.degrees}) -%}
{%- if q.comparison.own_intervals and error.of_models is not none -%}
{%- set place = sqlmetrics.position_of(error.of_models, of_models) -%}
{%- do cases['own_reach'].update({number: 'of_model_' ~ place ~ '.reach_' ~ number}) -%}
{%- do cases['baseline_own_reach'].update({number: 'of_baseline_' ~ place ~ '.reach_' ~ number}) -%}
{%- endif -%}
{%- set ideal = m.best_value -%}
{%- if ideal is not none -%}
{%- do cases['distance'].update({number: 'case\n    when (value_' ~ number ~ ' - ' ~ ideal ~ ') * (baseline_value_' ~ number ~ ' - ' ~ ideal ~ ') < 0\n        then abs(value_' ~ number ~ ' - ' ~ ideal ~ ') - abs(baseline_value_' ~ number ~ ' - ' ~ ideal ~ ')\nend'}) -%}
{%- if error.by_clusters is defined -%}{%- do cases['distance_error'].update({number: error.se ~ '_of_distance'}) -%}{%- endif -%}
{%- endif -%}
{%- endfor -%}
{%- set items = ['pairs.slice_id as slice_id', 'metric_id', 'n'] -%}
{%- for name, values in cases.items() -%}
{%- do items.append(sqlmetrics.indented(sqlmetrics.by_metric(q, values)) ~ ' as ' ~ name) -%}
{%- endfor -%}
select
    {{ sqlmetrics.lines(items) }}
from measured_pairs as pairs
{%- for name in errors.joined %}
left join {{ name }}
    on pairs.slice_id = {{ name }}.slice_id
{%- endfor %}
{%- for name in of_models %}
left join {{ name }} as of_model_{{ loop.index }}
    on pairs.slice_id = of_model_{{ loop.index }}.slice_id
left join {{ name }} as of_baseline_{{ loop.index }}
    on pairs.baseline_id = of_baseline_{{ loop.index }}.slice_id
{%- endfor %}
cross join (
    {{ sqlmetrics.indented(sqlmetrics.numbers(q.metrics | length, 'metric_id')) }}
) as metrics
{%- endmacro -%}

{#- What every step below hands on. -#}
{%- macro columns_of_a_test(q) -%}
{{ return(['slice_id', 'metric_id', 'n', 'value', 'baseline_value', 'difference', 'error', 'reach', 'degrees', 'clusters'] + (['shared_clusters'] if sqlmetrics.of_two_samples(q) else []) + (['own_reach', 'baseline_own_reach'] if q.comparison.own_intervals else [])) }}
{%- endmacro -%}

{#- `deviation` is that of a normal variable, by √2: of the difference in errors, and of the difference of the distances from what is
    best, where the models are on both sides of it. -#}
{%- macro differences(q) -%}
{#- Two models whose values are equal in each cluster of the same rows are known to be no apart; two samples are not. -#}
{%- set same = sqlmetrics.values_are_equal() ~ (' and clusters = shared_clusters' if sqlmetrics.of_two_samples(q) else '') -%}
{%- set difference = '(value - baseline_value)' ~ (' / nullif(abs(baseline_value), 0)' if q.comparison.relative else '') -%}
{%- set of_one_kind = sqlmetrics.is_of_one_kind('least_error', sqlmetrics.larger_value() ~ (' / nullif(abs(baseline_value), 0)' if q.comparison.relative else '')) -%}
select
    {{ sqlmetrics.lines(sqlmetrics.columns_of_a_test(q)) }},
    of_one_kind,
    {{ sqlmetrics.indented(sqlmetrics.student_deviation('t', 'degrees')) }} / sqrt({{ sqlmetrics.to_double('2') }}) as deviation
{%- if sqlmetrics.tells_distances(q) %},
    distance,
    {{ sqlmetrics.indented(sqlmetrics.student_deviation('t_of_distance', 'degrees')) }} / sqrt({{ sqlmetrics.to_double('2') }}) as distance_deviation
{%- endif %}
from (
    select
        slice_id,
        metric_id,
        n,
        value,
        baseline_value,
        {{ difference }} as difference,
        error,
        reach,
        clusters,
{%- if sqlmetrics.of_two_samples(q) %}
        shared_clusters,
{%- endif %}
{%- if q.comparison.own_intervals %}
        own_reach,
        baseline_own_reach,
{%- endif %}
        degrees,
        case
            when {{ same }} then 0
            when {{ of_one_kind }} then 1
            else 0
        end as of_one_kind,
        abs({{ difference }}) / nullif(error, 0) as t
{%- if sqlmetrics.tells_distances(q) %},
        distance,
        abs(distance) / nullif(distance_error, 0) as t_of_distance
{%- endif %}
    from compared_metrics
) as in_errors
{%- endmacro -%}

{%- macro larger_value() -%}
greatest(abs(value), abs(baseline_value))
{%- endmacro -%}

{#- Values that differ in their last digits only, as those of one model added up in another order, differ by nothing. -#}
{%- macro values_are_equal() -%}
abs(value - baseline_value) <= 1e-12 * {{ sqlmetrics.larger_value() }}
{%- endmacro -%}

{#- Nothing can be said without an error, and slices that the result leaves out are no tests to adjust for. -#}
{%- macro tested(q) -%}
{%- set least = q.comparison.min_rows -%}
{%- set items = [] -%}
{#- Where clusters differ by nothing, there is no error that could be told. -#}
{%- for name in sqlmetrics.columns_of_a_test(q) -%}
{%- do items.append('case when of_one_kind = 0 then differences.' ~ name ~ ' end as ' ~ name if name in ['error', 'reach'] else 'differences.' ~ name) -%}
{%- endfor -%}
select
    {{ sqlmetrics.lines(items) }},
    case
        when differences.error is null or difference is null{{ ' or n < ' ~ least if least is not none }} then null
        when of_one_kind = 1 then {{ sqlmetrics.chance_of_one_sign(q) }}
        when {{ sqlmetrics.values_are_equal() }} then 1
        else {{ sqlmetrics.indented(sqlmetrics.indented(sqlmetrics.complementary_error('deviation'))) }}
    end as p_value
{%- if sqlmetrics.tells_distances(q) %},
    distance,
    case
        when distance = 0 then 1
        else {{ sqlmetrics.indented(sqlmetrics.indented(sqlmetrics.complementary_error('distance_deviation'))) }}
    end as p_of_distance
{%- endif %}
from differences
{%- endmacro -%}

{#- Where every cluster has the same difference, errors are 0 and prove nothing: that all signs are the same is chance in one of
    2^(C - 1) cases, the p-value of turning signs. Of two samples there are no signs to turn. -#}
{%- macro chance_of_one_sign(q) -%}
{{ return('null' if sqlmetrics.of_two_samples(q) and q.comparison.test == 't' else 'exp(ln(2) * (1 - ' ~ sqlmetrics.to_double('clusters') ~ '))') }}
{%- endmacro -%}

{%- macro ranked_tests(q) -%}
select
    {{ sqlmetrics.lines(sqlmetrics.columns_of_a_test(q)) }},
    p_value,
{%- if sqlmetrics.tells_distances(q) %}
    distance,
    p_of_distance,
{%- endif %}
    {{ sqlmetrics.to_double('count(p_value) ' ~ sqlmetrics.over([])) }} as tests,
    {{ sqlmetrics.to_double('row_number() ' ~ sqlmetrics.over([], 'case when p_value is null then 1 else 0 end asc, p_value asc, slice_id asc, metric_id asc')) }} as place
from tested
{%- endmacro -%}

{#- The difference that is detected with some power is as many errors from what is detected at all as Student's t has at that power
    (Bloom, Minimum detectable effects, 1995).
    Holm (1979): p of the k-th of m tests counts m - k + 1 fold, and is no less than that of one before. Benjamini and Hochberg
    (1995): m / k fold, and no more than that of one behind. -#}
{%- macro adjusted(q) -%}
{%- set order = 'place asc rows unbounded preceding' -%}
{%- set order_back = 'place desc rows unbounded preceding' -%}
{%- if q.comparison.adjust == 'holm' -%}
{%- set p = 'case\n        when p_value is not null\n            then least(max((tests - place + 1) * p_value) ' ~ sqlmetrics.over([], order) ~ ', 1)\n    end' -%}
{%- elif q.comparison.adjust == 'bh' -%}
{%- set p = 'case\n        when p_value is not null\n            then least(min(tests / place * p_value) ' ~ sqlmetrics.over([], order_back) ~ ', 1)\n    end' -%}
{%- else -%}
{%- set p = 'p_value' -%}
{%- endif -%}
select
    slice_id,
    metric_id,
    n,
    value,
    baseline_value,
    difference,
    difference - reach as difference_low,
    difference + reach as difference_high,
    case when difference is not null then error end as error,
    p_value,
    {{ p }} as p_adjusted,
    case
        when difference is not null
            then reach + error * {{ sqlmetrics.indented(sqlmetrics.indented(sqlmetrics.indented(sqlmetrics.student_quantile(q.comparison.power, 'degrees')))) }}
    end as detectable_difference,
    clusters
{%- if q.against is not none %},
    shared_clusters
{%- endif %}
{%- if q.comparison.own_intervals %},
    own_reach,
    baseline_own_reach
{%- endif %}
{%- if sqlmetrics.tells_distances(q) %},
    distance,
    least(p_of_distance{{ ' * tests' if q.comparison.adjust is not none }}, 1) as p_of_distance
{%- endif %}
from ranked_tests
{%- endmacro -%}

{%- macro comparison_select(q, slicing) -%}
{%- set names = {} -%}
{%- set shortfalls = {} -%}
{%- set not_closer = {} -%}
{%- for m in q.metrics -%}
{%- set ideal = m.best_value -%}
{%- if ideal is not none -%}{%- do not_closer.update({loop.index: sqlmetrics.text_literal('differs, not closer to ' ~ ideal)}) -%}{%- endif -%}
{%- do names.update({loop.index: sqlmetrics.text_literal(m.as)}) -%}
{%- if m.direction is not none -%}{%- do shortfalls.update({loop.index: sqlmetrics.shortfall(m.direction, 'adjusted.value', 'adjusted.baseline_value')}) -%}{%- endif -%}
{%- endfor -%}
{%- set shortfall = sqlmetrics.indented(sqlmetrics.indented(sqlmetrics.by_metric(q, shortfalls, 'adjusted.metric_id'))) -%}
{%- set items = sqlmetrics.slice_items(q, slicing) -%}
{%- set model = items[-1] -%}
{%- set items = items[:-1] -%}
{%- set order = [] -%}
{%- for name in slicing.names if name != 'model_id' -%}{%- do order.append('slices.' ~ name ~ ' asc nulls last') -%}{%- endfor -%}
select
    {{ sqlmetrics.lines(items + [sqlmetrics.indented(sqlmetrics.by_metric(q, names, 'adjusted.metric_id')) ~ ' as metric', model]) }},
    {{ sqlmetrics.text_literal(q.models[q.comparison.baseline - 1].name) }} as baseline,
    {{ sqlmetrics.lines(sqlmetrics.told_columns('adjusted', ['value', 'baseline_value', 'difference'], q.round)) }},
    {{ sqlmetrics.lines(sqlmetrics.ends_of_differences(q)) }},
    {{ sqlmetrics.rounded('adjusted.error', q.round) }} as standard_error,
    {{ sqlmetrics.lines(sqlmetrics.told_columns('adjusted', ['p_value', 'p_adjusted', 'detectable_difference'], q.round)) }},
    adjusted.n,
    coalesce(adjusted.clusters, 0) as clusters,
{%- if q.against is not none %}
    coalesce(adjusted.shared_clusters, 0) as shared_clusters,
{%- endif %}
{%- if q.comparison.own_intervals %}
    {{ sqlmetrics.lines(sqlmetrics.ends_of_values(q)) }},
{%- endif %}
    case
        when adjusted.p_value is null then null
        when adjusted.p_adjusted >= {{ q.comparison.level }} then 'no difference seen'
{%- if not_closer %}
        when adjusted.distance is not null and coalesce(adjusted.p_of_distance >= {{ q.comparison.level }}, true)
            then {{ sqlmetrics.indented(sqlmetrics.indented(sqlmetrics.indented(sqlmetrics.by_metric(q, not_closer, 'adjusted.metric_id')))) }}
{%- endif %}
        when {{ shortfall }} < 0 then 'better'
        when {{ shortfall }} > 0 then 'worse'
        else 'different'
    end as verdict
{%- if q.comparison.test != 't' %},
    adjusted.slice_id as sqlmetrics_slice_id,
    adjusted.metric_id as sqlmetrics_metric_id
{%- endif %}
from adjusted
inner join slices
    on adjusted.slice_id = slices.slice_id
{%- if q.certainty.replicates is not none %}
left join replicate_spread as spread
    on adjusted.slice_id = spread.slice_id
    and adjusted.metric_id = spread.metric_id
{%- endif %}
order by
    {{ sqlmetrics.lines(order + ['adjusted.metric_id asc', 'slices.model_id asc']) }}
{%- endmacro -%}

{#- Columns of a step as they are told: in full, or to so many digits. -#}
{%- macro told_columns(step, names, digits) -%}
{%- set items = [] -%}
{%- for name in names -%}
{%- set value = step ~ '.' ~ name -%}
{%- do items.append(value if digits is none else sqlmetrics.rounded(value, digits) ~ ' as ' ~ name) -%}
{%- endfor -%}
{{ return(items) }}
{%- endmacro -%}

{#- The intervals of the values themselves, as `evaluate` has them. -#}
{%- macro ends_of_values(q) -%}
{%- set items = [] -%}
{%- for value, reach in {'value': 'own_reach', 'baseline_value': 'baseline_own_reach'}.items() -%}
{%- for end in ['low', 'high'] -%}
{%- set cases = {} -%}
{%- for m in q.metrics -%}
{%- set whens = '\n    when ' ~ sqlmetrics.is_of_one_kind('adjusted.' ~ reach, 'abs(adjusted.' ~ value ~ ')') ~ ' then null' -%}
{%- do cases.update({loop.index: 'case' ~ sqlmetrics.indented(whens ~ sqlmetrics.end_of_interval(m, end, 'adjusted.' ~ value, 'adjusted.' ~ reach) ~ '\nend')}) -%}
{%- endfor -%}
{%- do items.append(sqlmetrics.rounded(sqlmetrics.indented(sqlmetrics.by_metric(q, cases, 'adjusted.metric_id')), q.round) ~ ' as ' ~ value ~ '_' ~ end) -%}
{%- endfor -%}
{%- endfor -%}
{{ return(items) }}
{%- endmacro -%}

{#- By standard errors, or by the quantiles of what was drawn. -#}
{%- macro ends_of_differences(q) -%}
{%- if q.certainty.replicates is none -%}
{{ return(sqlmetrics.told_columns('adjusted', ['difference_low', 'difference_high'], q.round)) }}
{%- endif -%}
{%- set items = [] -%}
{%- for end in ['low', 'high'] -%}{%- do items.append(sqlmetrics.rounded('case when adjusted.error is not null then ' ~ sqlmetrics.end_that_holds('adjusted.difference', 'spread.' ~ end, end) ~ ' end', q.round) ~ ' as difference_' ~ end) -%}{%- endfor -%}
{{ return(items) }}
{%- endmacro -%}

{#- How far a value is behind another one, so that more is worse. -#}
{%- macro shortfall(direction, value, other) -%}
{%- if direction == 'higher' -%}
{{ other }} - {{ value }}
{%- elif direction == 'lower' -%}
{{ value }} - {{ other }}
{%- else -%}
{%- set ideal = {'near 0': 0, 'near 1': 1}[direction] -%}
abs({{ value }} - {{ ideal }}) - abs({{ other }} - {{ ideal }})
{%- endif -%}
{%- endmacro -%}

{#- A bucket that only one of two relations has is left out of both: of the other one nothing goes with it. -#}
{%- macro buckets_of_either(q, bucketed) -%}
select distinct
    case side when 1 then pairs.slice_id else pairs.baseline_id end as slice_id,
    own_buckets.bucket as bucket_left_out
from {{ sqlmetrics.step_of_pairs(q) }} as pairs
inner join (
    select distinct
        slice_id,
        bucket
    from {{ bucketed }}
) as own_buckets
    on own_buckets.slice_id in (pairs.slice_id, pairs.baseline_id)
cross join (
    {{ sqlmetrics.indented(sqlmetrics.numbers(2, 'side')) }}
) as sides
{%- endmacro -%}

{%- macro clusters_of_either(q, bucketed) -%}
{%- set own = ['metric_id'] if q.comparison.gaps else [] -%}
select
    {{ sqlmetrics.lines(['slice_id'] + own) }},
    count(*) as clusters,
    sum(case when relations = 2 then 1 else 0 end) as shared_clusters
from (
    select
        {{ (['pairs.slice_id as slice_id'] + own + ['cluster_name']) | join(',\n        ') }},
        count(distinct side) as relations
    from {{ sqlmetrics.step_of_pairs(q) }} as pairs
    cross join (
        {{ sqlmetrics.indented(sqlmetrics.indented(sqlmetrics.numbers(2, 'side'))) }}
    ) as sides
    inner join {{ bucketed }} as bucketed
        on case side when 1 then pairs.slice_id else pairs.baseline_id end = bucketed.slice_id
    group by
        {{ (['pairs.slice_id'] + own + ['cluster_name']) | join(',\n        ') }}
) as clusters_and_relations
{{- sqlmetrics.group_by(['slice_id'] + own) }}
{%- endmacro -%}
