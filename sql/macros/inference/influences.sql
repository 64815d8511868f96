{#- The influence of a unit is the derivative of a value by its weight. The variance of the value is C / (C - 1) · Σ e², with the
    summed influences e of C clusters. A unit is a row, or a group if the metric uses groups. The methods:
    - sums: the value is a function of sums over units, written with `sum_of` and the like.
    - optimal_threshold: the value is the maximum of the macro `objective` over thresholds. The derivative by the threshold is 0 there, so the
      threshold is fixed (Danskin, 1967) and `at_optimal_threshold` is a function of sums.
    - fixed_ranks: the value depends on the rank of each row. `at_fixed_ranks` fixes quantities at these ranks, and is a function of sums with the same
      influences as the value.
    - frame_rows: a function of sums over classes, or over other rows of a frame that rows of the log move: see frame_rows.sql.
    - area: the ROC AUC, by the pairs that a row wins (DeLong and others, 1988).
    - buckets, for all others: the value without each of twenty buckets of clusters in turn: see buckets.sql.

    An estimate is {name, steps, influences, metrics, corrected, named, joined}. `influences` is a select of slice_id, of cluster_name
    if clusters are named, and of influence_N and part_N for each metric. part_N is NULL if the cluster has no part in the value, 2 if
    the value is undefined without it, else 1. `min_nonzero_clusters` is a column, with {0} for the number of the metric. For areas `pairs` is
    the step of the clusters, joined to the values, with `influence_of` each metric and `part` as SQL. -#}
{%- macro estimates(q, f, slicing) -%}
{%- set names = q.metrics | map(attribute='as') | list -%}
{%- set metrics_by_way = {} -%}
{%- for m in f.metrics if m.interval -%}
{%- set number = sqlmetrics.position_of(m.as, names) -%}
{%- set sums = sqlmetrics.sums_of(m, f, 'm' ~ number) -%}
{%- set way = sqlmetrics.interval_way(m, f, sums) -%}
{%- if way in ['optimal_threshold', 'fixed_ranks'] -%}{%- set sums = sqlmetrics.sums_of_linearized(m, number) -%}{%- endif -%}
{%- do metrics_by_way.setdefault(way, []).append(dict(m, number=number, sums=sums)) -%}
{%- endfor -%}
{%- set estimates = [] -%}
{%- for way, metrics in metrics_by_way.items() -%}
{%- do estimates.extend(sqlmetrics.influences_by(way, q, f, slicing, metrics)) -%}
{%- endfor -%}
{{ return(estimates) }}
{%- endmacro -%}

{#- Estimates of all frames. With `all_weighted`, every frame has weights, and rows of weight 0 get no bucket. -#}
{%- macro estimates_of_frames(q, frames, slicing) -%}
{%- set q = dict(q, all_weighted=not frames | rejectattr('weighted') | list) -%}
{%- set estimates = [] -%}
{%- for f in frames -%}{%- do estimates.extend(sqlmetrics.estimates(q, f, slicing)) -%}{%- endfor -%}
{{ return(estimates) }}
{%- endmacro -%}

{%- macro interval_way(m, f, sums) -%}
{%- set knows_every_score = sqlmetrics.knows_every_score(f) -%}
{%- if f.of_parts -%}
{{ return('buckets') }}
{%- elif sums -%}
{{ return('sums' if f.unit is not none else 'frame_rows') }}
{%- elif m.has_influence and knows_every_score -%}
{{ return('area') }}
{%- elif m.has_fixed_ranks and (knows_every_score or f.name in ['centred_rows', 'quantile_rows', 'logistic_fit'] or (f.name == 'score_bins' and f.params.binning == 'width')) -%}
{{ return('fixed_ranks') }}
{%- elif m.has_optimal_threshold -%}
{{ return('optimal_threshold') }}
{%- endif -%}
{{ return('buckets') }}
{%- endmacro -%}

{#- False if bins replace scores. -#}
{%- macro knows_every_score(f) -%}
{{ return(f.name == 'ranked_scores' or (f.name == 'thresholds' and not sqlmetrics.counts_in_steps(f.params))) }}
{%- endmacro -%}

{#- The method of the interval, and the unit, of a call with one metric: for the catalogue. -#}
{%- macro interval_way_of_call(q) -%}
{%- set f = sqlmetrics.frames_of(q)[0] -%}
{{ return([sqlmetrics.interval_way(f.metrics[0], f, sqlmetrics.sums_of(f.metrics[0], f, 'm1')), f.unit]) }}
{%- endmacro -%}

{#- Whether a metric has the macro that `way` names for its interval: `has_optimal_threshold`, `has_fixed_ranks` or `has_influence`. -#}
{%- macro has_interval_by(q, metrics, way) -%}
{%- set has_errors = q.interval_options is not none and q.interval_options.replicates is none -%}
{{ return(has_errors and metrics | selectattr(way) | selectattr('interval') | list != []) }}
{%- endmacro -%}

{#- The column that identifies the cluster or, in comparisons of models without clusters, the row. -#}
{%- macro carried_by_rows(q) -%}
{{ return(['cluster_id'] if q.interval_options.cluster is not none else ['row_id'] if q.row_ids else []) }}
{%- endmacro -%}

{#- The sums of a metric that reads its rows through `sum_of` alone, else none. The rows are those of the log, groups, or perturbed rows
    of a frame. The number of perturbed rows does not depend on weights. -#}
{%- macro sums_of(m, f, name) -%}
{%- if m.query or (f.unit is none and not f.perturbed) -%}
{{ return([]) }}
{%- endif -%}
{%- set noted = dict(m, state=[], state_name=name, written_as='perturbed_') -%}
{%- set value = sqlmetrics.metric_value(noted, m.name) -%}
{%- for aggregate in ['sum(', 'count(', 'avg(', 'min(', 'max('] if aggregate in value -%}
{{ return([]) }}
{%- endfor -%}
{%- for column in noted.state if column.aggregate != 'sum' or (f.unit is none and 'row_count' in column.value) -%}
{{ return([]) }}
{%- endfor -%}
{{ return(noted.state) }}
{%- endmacro -%}

{%- macro sums_of_linearized(m, number) -%}
{%- set noted = dict(m, number=number, state=[], state_name='m' ~ number, written_as='perturbed_') -%}
{%- do sqlmetrics.metric_of_sums(noted) -%}
{{ return(noted.state) }}
{%- endmacro -%}

{#- The metric as a function of sums over rows, with a fixed threshold (`at_optimal_threshold`) or fixed ranks (`at_fixed_ranks`). -#}
{%- macro metric_of_sums(m) -%}
{%- set form = '__at_optimal_threshold' if m.has_optimal_threshold else '__at_fixed_ranks' if m.has_fixed_ranks else none -%}
{{ sqlmetrics.metric_value(m, m.name) if form is none else sqlmetrics.macro_of_metric(m.name ~ form)(m) }}
{%- endmacro -%}

{#- The same over sums whose names start with `prefix`. -#}
{%- macro metric_of_named_sums(m, prefix) -%}
{{ sqlmetrics.metric_of_sums(dict(m, state=[], state_name='m' ~ m.number, written_as=prefix)) }}
{%- endmacro -%}

{%- macro all_sums(metrics) -%}
{%- set sums = {} -%}
{%- for m in metrics -%}
{%- for column in m.sums -%}{%- do sums.update({column.name: column.value}) -%}{%- endfor -%}
{%- endfor -%}
{{ return(sums) }}
{%- endmacro -%}

{#- Numeric delta method: sums are perturbed up and down by each cluster. The central difference of the values is the influence, so no
    derivative is written by hand. A step moves at most 5e-6 of any sum, where truncation and rounding errors are both near 2e-11. The
    bound refers to sums of absolute values. If errors cancel in a sum, 5e-6 of it would be about 0, and no other sum would move. -#}
{%- macro influences_by_sums(q, f, slicing, metrics) -%}
{%- set keys = slicing['keys'] -%}
{%- set units = f.cte ~ '_in_clusters' -%}
{%- set totals = f.cte ~ '_totals' -%}
{%- set perturbed = f.cte ~ '_perturbed' -%}
{%- set sums = sqlmetrics.all_sums(metrics) -%}
{%- set named = ['cluster_name'] if sqlmetrics.clusters_are_named(q, f) else [] -%}
{%- set steps -%}
{{ sqlmetrics.cte(totals, 'totals of all clusters') }}
select
    {{- sqlmetrics.leading(keys) }}
{%- for m in metrics %}
{#- A sum of 0 has no clusters and is ignored. If sums are shares of one whole, every cluster contributes to the value, even if few
    contribute to one of the sums. #}
{%- set counts = sqlmetrics.for_each(m.sums | map(attribute='name'), 'count(case when {0} <> 0 then 1 end)') %}
{%- set behind = sqlmetrics.extreme_of('greatest', counts, '\n        ') if 'shares_of_all' in m.uses
    else sqlmetrics.extreme_of('least', sqlmetrics.for_each(counts, 'coalesce(nullif({0}, 0), 9007199254740992)'), '\n        ') %}
    {{ sqlmetrics.to_double(behind) }} as min_nonzero_clusters_{{ m.number }},
{%- endfor %}
{%- for name in sums %}
    sum({{ name }}) as all_{{ name }},
    sum(abs({{ name }})) as size_of_{{ name }}{{ ',' if not loop.last }}
{%- endfor %}
from {{ units }}
{{- sqlmetrics.group_by(keys) }}
{{ sqlmetrics.cte(perturbed, 'the totals, perturbed up and down by each cluster') }}
{{ sqlmetrics.perturbed_sums(keys, named, sums, units, totals) }}
{%- endset -%}
{%- set influences -%}
select
    {{- sqlmetrics.leading(keys + named) }}
{%- for m in metrics %}
    {{ sqlmetrics.indented(sqlmetrics.influence_of_perturbed_sums(m)) }} as influence_{{ m.number }},
    -- 2: the cluster has all of a sum, and the value is undefined without it
    case
        when step < 5.0000001e-6
            and ({{ sqlmetrics.indented(sqlmetrics.indented(sqlmetrics.metric_of_named_sums(m, 'without_'))) }}) is null then 2
{%- for column in m.sums %}
        {{ 'when' if loop.first else '    or' }} plus_{{ column.name }} <> minus_{{ column.name }}
        {{- ' then 1' if loop.last }}
{%- endfor %}
    end as part_{{ m.number }}{{ ',' if not loop.last }}
{%- endfor %}
from {{ perturbed }}
{%- endset -%}
{{ return([{
    'name': f.cte,
    'steps': sqlmetrics.contributions(q, f, slicing, units, sums) + sqlmetrics.steps_in(steps),
    'influences': influences,
    'metrics': metrics,
    'corrected': false,
    'named': named | length > 0,
    'min_nonzero_clusters': totals ~ '.min_nonzero_clusters_{0}',
    'joined': [totals],
}]) }}
{%- endmacro -%}

{#- The totals, perturbed up and down by each unit. `carried` are the other columns of units. -#}
{%- macro perturbed_sums(keys, carried, sums, units, totals) -%}
select
    {{- sqlmetrics.leading(keys + carried + ['step']) }}
{%- for name in sums %}
    all_{{ name }} + {{ name }} * step as plus_{{ name }},
    all_{{ name }} - {{ name }} * step as minus_{{ name }},
    all_{{ name }} - {{ name }} as without_{{ name }}{{ ',' if not loop.last }}
{%- endfor %}
from (
    select{{ sqlmetrics.broadcast('totals') }}
        {{- sqlmetrics.leading(sqlmetrics.keys_of('units', keys + carried), depth=2) }}
{%- for name in sums %}
        {{ name }},
        all_{{ name }},
{%- endfor %}
        -- at most 5e-6 of the absolute size of any sum
        coalesce(5e-6 / nullif(greatest(
            0
{%- for name in sums %},
            coalesce(abs({{ name }}) / nullif(size_of_{{ name }}, 0), 0)
{%- endfor %}
        ), 0), 1) as step
    from {{ units }} as units
    inner join {{ totals }} as totals{{ sqlmetrics.on('units', 'totals', keys, depth=2) }}
) as shares_of_units
{{- sqlmetrics.dialect_table().optimization_fence if keys }}
{%- endmacro -%}

{%- macro influence_of_perturbed_sums(m) -%}
(
    ({{ sqlmetrics.indented(sqlmetrics.metric_of_named_sums(m, 'plus_')) }})
    - ({{ sqlmetrics.indented(sqlmetrics.metric_of_named_sums(m, 'minus_')) }})
) / (2 * step)
{%- endmacro -%}

{#- Rows are classified at the optimal threshold of each metric. -#}
{%- macro influences_by_optimal_threshold(q, f, slicing, metrics) -%}
{%- set keys = slicing['keys'] -%}
{%- set rows = f.cte ~ '_at_optimum' -%}
{%- set steps -%}
{%- for m in metrics -%}
{%- set threshold = f.cte ~ '_optimum_' ~ m.number -%}
{%- set objective = sqlmetrics.macro_of_metric(m.name ~ '__objective')(m) -%}
{{ sqlmetrics.cte(threshold ~ '_objectives', 'value at every threshold') }}
select
    {{- sqlmetrics.leading(keys) }}
    score,
{#- Weighted values that are equal up to rounding are ties, so that engines agree on the threshold. #}
    {{ sqlmetrics.indented('floor((' ~ objective ~ ') * 1e12 + 0.5)' if f.weighted else objective) }} as objective
from {{ f.cte }}
{{ sqlmetrics.cte(threshold, 'optimal threshold: the highest score with the largest value') }}
select{{ sqlmetrics.broadcast('highest') }}
    {{ sqlmetrics.select_list(sqlmetrics.keys_of('objectives', keys) + ['max(objectives.score) as threshold_' ~ m.number]) }}
from {{ threshold }}_objectives as objectives
inner join (
    select
        {{ (keys + ['max(objective) as highest_objective']) | join(',\n        ') }}
    from {{ threshold }}_objectives
    {{- sqlmetrics.indented(sqlmetrics.group_by(keys)) }}
) as highest{{ sqlmetrics.on('objectives', 'highest', keys, ['objectives.objective = highest.highest_objective']) }}
{{- sqlmetrics.group_by(sqlmetrics.keys_alone('objectives', keys)) }}
{%- endfor -%}
{{ sqlmetrics.cte(rows, 'rows, called positive at or above the optimal threshold') }}
select
    {{- sqlmetrics.leading(sqlmetrics.keys_of('scored', keys) + sqlmetrics.carried_by_rows(q)) }}
    pos,
    neg
{%- for m in metrics %},
    case when scored.score >= threshold_{{ m.number }} then 1 else 0 end as called_{{ m.number }}
{%- endfor %}
from {{ slicing.rows_from }} as scored
{%- for m in metrics %}
inner join {{ f.cte }}_optimum_{{ m.number }} as threshold_of_{{ m.number }}{{ sqlmetrics.on('scored', 'threshold_of_' ~ m.number, keys) }}
{%- endfor %}
{{- f.where }}
{%- endset -%}
{{ return(sqlmetrics.influences_of_rows(q, f, rows, slicing, metrics, steps)) }}
{%- endmacro -%}

{%- macro true_positives_at_threshold(m) -%}
{{ sqlmetrics.sum_of(m, 'pos * called_' ~ m.number) }}
{%- endmacro -%}

{%- macro false_positives_at_threshold(m) -%}
{{ sqlmetrics.sum_of(m, 'neg * called_' ~ m.number) }}
{%- endmacro -%}

{#- Influences by sums over the last step of `steps`, a text. -#}
{%- macro influences_of_rows(q, f, rows, slicing, metrics, steps) -%}
{%- set estimate = sqlmetrics.influences_by_sums(q, dict(f, cte=rows, own_step=true, unit='row'), slicing, metrics)[0] -%}
{{ return([dict(estimate, steps=sqlmetrics.steps_in(steps) + estimate.steps)]) }}
{%- endmacro -%}

{#- Fixes the value at the rank of each row. -#}
{%- macro influences_by_fixed_ranks(q, f, slicing, metrics) -%}
{%- set rows = f.cte ~ '_at_fixed_ranks' -%}
{%- set carried = sqlmetrics.carried_by_rows(q) -%}
{%- set steps -%}
{%- if f.name == 'score_bins' -%}
{{ sqlmetrics.gaps_of_fixed_bins(f, rows, slicing, carried) }}
{%- elif f.name == 'logistic_fit' -%}
{{ sqlmetrics.parts_of_fixed_fit(f, rows, slicing, carried) }}
{%- elif f.name == 'ranked_scores' -%}
{{ sqlmetrics.precisions_of_fixed_ranks(f, rows, slicing['keys'], carried) }}
{%- elif f.name == 'thresholds' -%}
{{ sqlmetrics.precisions_of_fixed_scores(f, rows, slicing, carried) }}
{%- else -%}
{#- The earlier steps, statistics of slices, exist already. -#}
{{ sqlmetrics.ctes(sqlmetrics.frame_steps(dict(f, cte=rows, carried=carried + ['label', 'score', 'weight']), slicing.rows_from, slicing['keys'])[-1:]) }}
{%- endif -%}
{%- endset -%}
{{ return(sqlmetrics.influences_of_rows(q, f, rows, slicing, metrics, steps)) }}
{%- endmacro -%}

{#- Share of all positive-negative pairs that a row wins. -#}
{%- macro pairs_won(f) -%}
{%- if f.name == 'ranked_scores' -%}
(pos * (2 * negatives - rows_above - cumulative_share * (positives + negatives)) + positives + true_positives - positives_from_here)
/ nullif(2 * positives * negatives, 0)
{%- else -%}
scored.pos / nullif(positives, 0) * (({{ 'true_negatives' if f.weighted else '(negatives - false_positives)' }} + scores.neg / 2) / nullif(negatives, 0))
+ scored.neg / nullif(negatives, 0) * (({{ 'true_positives_above' if f.weighted else '(true_positives - scores.pos)' }} + scores.pos / 2) / nullif(positives, 0))
{%- endif -%}
{%- endmacro -%}

{#- The influence of a row on the ROC AUC is the share of pairs that it wins (ties as half), minus the average for its weight.
    Unclustered rows are two samples, positives and negatives, with a factor C / (C - 1) each, as in DeLong. Products of weights may
    exceed the range of doubles, so weights become shares first. A comparison names the clusters, and reads influences from a step. A
    cluster with all but 1e-10 of the positives or of the negatives has all of them. -#}
{%- macro influences_by_area(q, f, slicing, metrics) -%}
{%- set keys = slicing['keys'] -%}
{%- set by_ranks = f.name == 'ranked_scores' -%}
{%- set clustered = q.interval_options.cluster is not none -%}
{%- set corrected = not clustered and not f.weighted -%}
{%- set named = sqlmetrics.clusters_are_named(q, f) -%}
{%- set pos, neg = ['pos', '(1 - pos)'] if by_ranks else ['scored.pos', 'scored.neg'] -%}
{%- set total = 'sum' if clustered else '' -%}
{%- set pairs -%}
select
    {{- sqlmetrics.leading(sqlmetrics.keys_of('scored', keys)) }}
{%- if named %}
    {{ sqlmetrics.carried_by_rows(q)[0] }} as cluster_name,
{%- endif %}
{%- if corrected %}
    sqrt(case when {{ pos }} = 1 then positives / nullif(positives - 1, 0) else negatives / nullif(negatives - 1, 0) end) as own_sample,
{%- endif %}
    {{ total }}({{ pos }} / nullif(positives, 0)) as share_of_positives,
    {{ total }}({{ neg }} / nullif(negatives, 0)) as share_of_negatives,
    {{ total }}(
        {{ sqlmetrics.indented(sqlmetrics.indented(sqlmetrics.pairs_won(f))) }}
    ) as pairs_won
{%- if by_ranks %}
from {{ f.cte }} as scored
{%- else %}
from {{ slicing.rows_from }} as scored
inner join {{ f.cte }} as scores{{ sqlmetrics.on('scored', 'scores', keys, ['scored.score = scores.score']) }}
{{- f.where }}
{%- endif %}
{{- sqlmetrics.group_by(sqlmetrics.keys_alone('scored', keys) + ['cluster_id']) if clustered }}
{%- endset -%}
{%- set influence_of = {} -%}
{%- for m in metrics -%}
{%- set influence = sqlmetrics.macro_of_metric(m.name ~ '__influence')(m) -%}
{%- do influence_of.update({m.number: 'own_sample * (' ~ influence ~ ')' if corrected else influence}) -%}
{%- endfor -%}
{%- set joined -%}
{{ f.cte }}_pairs as pairs
inner join {{ f.cte }}_metrics{{ sqlmetrics.on('pairs', f.cte ~ '_metrics', keys) }}
{%- endset -%}
{%- set influences -%}
select{{ sqlmetrics.broadcast(f.cte ~ '_metrics') }}
    {{- sqlmetrics.leading(sqlmetrics.keys_of('pairs', keys) + (['cluster_name'] if named else [])) }}
{%- for m in metrics %}
    {{ influence_of[m.number] }} as influence_{{ m.number }},
    case{{ ' when share_of_positives = 0 and share_of_negatives = 0 then null' if f.weighted }} when greatest(share_of_positives, share_of_negatives) > 1 - 1e-10 then 2 else 1 end as part_{{ m.number }}
    {{- ',' if not loop.last }}
{%- endfor %}
from {{ joined }}
{%- endset -%}
{{ return([{
    'name': f.cte ~ '_pairs',
    'steps': [sqlmetrics.step(f.cte ~ '_pairs', pairs, 'one per ' ~ ('cluster' if clustered else 'row') ~ ': share of all positive-negative pairs that it wins')],
    'influences': influences,
    'pairs': joined,
    'influence_of': influence_of,
    'part': 'nullif(share_of_positives + share_of_negatives, 0)' if f.weighted else '*',
    'metrics': metrics,
    'corrected': corrected,
    'named': named,
    'min_nonzero_clusters': f.cte ~ '_pairs_errors.min_nonzero_clusters_{0}',
    'joined': [],
}]) }}
{%- endmacro -%}
