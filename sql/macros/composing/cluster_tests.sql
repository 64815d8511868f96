{#- The tests of the field on values per query, as evaluations of search engines use them: each cluster has a value in either
    model, by the metric's own formula over its rows alone, and the tests are about the differences of these. -#}

{#- The steps that end in `cluster_tests`: slice_id, metric_id, p_value and leaning, the side on which most of it lies.
    `values`: for each frame its step of sums by cluster and the metrics that are functions of these. -#}
{%- macro cluster_test_steps(q, values) -%}
{%- set test = q.comparison.test -%}
{%- set of_clusters = [] -%}
{%- set reads = [] -%}
{%- for frame in values -%}
{%- do of_clusters.append(sqlmetrics.values_of_clusters(frame)) -%}
{%- do reads.append(frame.units) -%}
{%- endfor -%}
{%- set steps = [
    sqlmetrics.step('values_of_clusters', of_clusters | join('\nunion all\n'), 'the value of each metric for one cluster alone', reads),
    sqlmetrics.step('paired_differences', sqlmetrics.paired_differences(), 'one per cluster that has a value in both models', ['model_pairs', 'values_of_clusters'], stored=true),
    sqlmetrics.step('sized_differences', sqlmetrics.sized_differences(), 'with how large it is beside the others', ['paired_differences'], stored=true),
] -%}
{%- if test == 'wilcoxon' -%}
{%- do steps.append(sqlmetrics.step('ranked_differences', sqlmetrics.ranked_differences(), 'those that are not 0, by their size', ['sized_differences'])) -%}
{%- do steps.append(sqlmetrics.step('rank_sums', sqlmetrics.rank_sums(), 'one per pair of models and metric', ['ranked_differences'])) -%}
{%- set found = sqlmetrics.signed_ranks() -%}
{%- set from = 'rank_sums' -%}
{%- elif test == 'sign' -%}
{%- do steps.append(sqlmetrics.step('counted_differences', sqlmetrics.counted_differences(), 'those that are not 0, in any order', ['sized_differences'])) -%}
{%- do steps.append(sqlmetrics.step('chances_of_counts', sqlmetrics.chances_of_counts(), 'how likely each count of one sign is', ['counted_differences'])) -%}
{%- set found = sqlmetrics.sign_counts() -%}
{%- set from = 'chances_of_counts' -%}
{%- else -%}
{%- do steps.append(sqlmetrics.step('digested_differences', sqlmetrics.digested_differences(q), 'with the digits that decide its sign in 32 replicates', ['paired_differences'])) -%}
{%- do steps.append(sqlmetrics.step('flipped_sums', sqlmetrics.flipped_sums(q), 'the sums of differences with signs at random', ['digested_differences'])) -%}
{%- set found = sqlmetrics.sums_as_far(q) -%}
{%- set from = 'flipped_sums' -%}
{%- endif -%}
{%- do steps.append(sqlmetrics.step('not_equal_clusters', found, 'where any cluster differs', [from] + (['paired_differences'] if test == 'randomization' else []))) -%}
{#- Where no cluster differs, the models do not. -#}
{%- set tests -%}
select
    pairs.slice_id as slice_id,
    pairs.metric_id as metric_id,
    coalesce(found.p_value, 1) as p_value,
    coalesce(found.leaning, 0) as leaning
from (
    select distinct
        slice_id,
        metric_id
    from sized_differences
) as pairs
left join not_equal_clusters as found
    on pairs.slice_id = found.slice_id
    and pairs.metric_id = found.metric_id
{%- endset -%}
{{ return(steps + [sqlmetrics.step('cluster_tests', tests, 'one per pair of models and metric', ['sized_differences', 'not_equal_clusters'])]) }}
{%- endmacro -%}

{%- macro values_of_clusters(frame) -%}
{%- set numbers = [] -%}
{%- set cases = [] -%}
{%- for m in frame.metrics -%}
{%- do numbers.append('select ' ~ m.number ~ ' as metric_id') -%}
{%- set value = sqlmetrics.metric_value(dict(m, state=[], state_name='m' ~ m.number, written_as=''), m.name) -%}
{%- do cases.append('when ' ~ m.number ~ ' then ' ~ sqlmetrics.to_double(sqlmetrics.indented(value))) -%}
{%- endfor -%}
select
    slice_id,
    metric_id,
    cluster_name,
    case metric_id {{ cases | join(' ') }} end as value
from {{ frame.units }}
cross join (
    {{ sqlmetrics.indented(numbers | join('\nunion all\n')) }}
) as metrics
{%- endmacro -%}

{#- Values that differ in their last digits only, as those of sums in another order, do not differ: where all models were alike,
    the signs of such differences would be tested, which are others on each engine. -#}
{%- macro paired_differences() -%}
{%- set difference = 'sum(case side when 1 then value else -value end)' -%}
select
    pairs.slice_id as slice_id,
    metric_id,
    cluster_name,
    case when abs({{ difference }}) > 1e-12 * max(abs(value)) then {{ difference }} else 0 end as difference
from model_pairs as pairs
cross join (
    {{ sqlmetrics.indented(sqlmetrics.numbers(2, 'side')) }}
) as sides
inner join values_of_clusters as clusters
    on case side when 1 then pairs.slice_id else pairs.baseline_id end = clusters.slice_id
where value is not null
group by
    pairs.slice_id,
    metric_id,
    cluster_name
having count(*) = 2
{%- endmacro -%}

{#- Sizes that differ in their last digits only, as those of sums in another order, are equal. -#}
{%- macro sized_differences() -%}
select
    slice_id,
    metric_id,
    cluster_name,
    difference,
    coalesce(floor(abs(difference) / nullif(max(abs(difference)) {{ sqlmetrics.over(['slice_id', 'metric_id']) }}, 0) * 1e12 + 0.5), 0) as size
from paired_differences
{%- endmacro -%}

{#- Wilcoxon (1945): equal sizes share the mean of their ranks. -#}
{%- macro ranked_differences() -%}
select
    slice_id,
    metric_id,
    difference,
    {{ sqlmetrics.to_double('rank() ' ~ sqlmetrics.over(['slice_id', 'metric_id'], 'size asc')) }}
        + ({{ sqlmetrics.to_double('count(*) ' ~ sqlmetrics.over(['slice_id', 'metric_id', 'size'])) }} - 1) / 2 as size_rank,
    {{ sqlmetrics.to_double('count(*) ' ~ sqlmetrics.over(['slice_id', 'metric_id', 'size'])) }} as as_large
from sized_differences
where size > 0
{%- endmacro -%}

{%- macro rank_sums() -%}
select
    slice_id,
    metric_id,
    {{ sqlmetrics.to_double('count(*)') }} as pairs,
    sum(case when difference > 0 then size_rank else 0 end) as ranks_above,
    sum(case when difference < 0 then size_rank else 0 end) as ranks_below,
    sum(as_large * as_large - 1) as tied
from ranked_differences
group by
    slice_id,
    metric_id
{%- endmacro -%}

{#- By the normal distribution, with the variance that equal ranks leave; and never surer than all signs alike are by chance. -#}
{%- macro signed_ranks() -%}
select
    slice_id,
    metric_id,
    greatest({{ sqlmetrics.indented(sqlmetrics.complementary_error('deviation')) }}, exp((1 - pairs) * ln(2))) as p_value,
    leaning
from (
    select
        slice_id,
        metric_id,
        pairs,
        sign(ranks_above - ranks_below) as leaning,
        abs(ranks_above - ranks_below) / 2 / sqrt((pairs * (pairs + 1) * (2 * pairs + 1) - tied / 2) / 24) / sqrt({{ sqlmetrics.to_double('2') }}) as deviation
    from rank_sums
) as in_errors
{%- endmacro -%}

{%- macro counted_differences() -%}
{%- set pair = sqlmetrics.over(['slice_id', 'metric_id']) -%}
select
    slice_id,
    metric_id,
    {{ sqlmetrics.to_double('row_number() ' ~ sqlmetrics.over(['slice_id', 'metric_id'], 'size asc')) }} as place,
    {{ sqlmetrics.to_double('count(*) ' ~ pair) }} as pairs,
    {{ sqlmetrics.to_double('sum(case when difference > 0 then 1 else 0 end) ' ~ pair) }} as above
from sized_differences
where size > 0
{%- endmacro -%}

{#- The logarithm of n over k, as the sum of those of (n - j + 1) / j up to k. -#}
{%- macro chances_of_counts() -%}
select
    slice_id,
    metric_id,
    place,
    pairs,
    above,
    sum(ln((pairs - place + 1) / place)) {{ sqlmetrics.over(['slice_id', 'metric_id'], 'place asc rows unbounded preceding') }} - pairs * ln(2) as log_of_chance
from counted_differences
{%- endmacro -%}

{#- The binomial test, exact: twice the chance of as few of the rarer sign. -#}
{%- macro sign_counts() -%}
select
    slice_id,
    metric_id,
    least(1, 2 * (exp(-max(pairs) * ln(2)) + sum(case when place <= least(above, pairs - above) then exp(log_of_chance) else 0 end))) as p_value,
    sign(max(2 * above - pairs)) as leaning
from chances_of_counts
group by
    slice_id,
    metric_id
{%- endmacro -%}

{#- A digit of the digest of cluster, block of replicates and seed turns the sign in one replicate: the same on every engine. -#}
{%- macro digested_differences(q) -%}
{%- set cluster = sqlmetrics.name_of_cluster(q, 'cluster_name', 'cluster_id' if q.certainty.cluster is not none else 'group_id') -%}
{%- set text = cluster ~ " || ':' || cast(block as " ~ sqlmetrics.type_text() ~ ") || ':" ~ q.certainty.turns.seed ~ "'" -%}
select
    slice_id,
    metric_id,
    difference,
    block,
    {{ sqlmetrics.text_digest(text) }} as digest
from paired_differences
cross join (
    {{ sqlmetrics.indented(sqlmetrics.series((q.certainty.turns.replicates + 31) // 32, 'block')) }}
) as blocks
{%- endmacro -%}

{%- macro flipped_sums(q) -%}
select
    slice_id,
    metric_id,
    block * 32 + place as replicate,
    sum(case when substr(digest, place, 1) in ('0', '1', '2', '3', '4', '5', '6', '7') then difference else -difference end) as flipped
from digested_differences
cross join (
    {{ sqlmetrics.indented(sqlmetrics.numbers(32, 'place')) }}
) as places
where block * 32 + place <= {{ q.certainty.turns.replicates }}
group by
    slice_id,
    metric_id,
    block * 32 + place
{%- endmacro -%}

{#- Fisher's randomization: how often signs at random bring the sum as far from 0; the one seen is one of them. -#}
{%- macro sums_as_far(q) -%}
select
    flipped_sums.slice_id as slice_id,
    flipped_sums.metric_id as metric_id,
    (1 + {{ sqlmetrics.to_double('sum(case when abs(flipped) >= abs(seen) * (1 - 1e-9) then 1 else 0 end)') }}) / (1 + {{ sqlmetrics.to_double(q.certainty.turns.replicates) }}) as p_value,
    sign(max(seen)) as leaning
from flipped_sums
inner join (
    select
        slice_id,
        metric_id,
        sum(difference) as seen
    from paired_differences
    group by
        slice_id,
        metric_id
) as seen_sums
    on flipped_sums.slice_id = seen_sums.slice_id
    and flipped_sums.metric_id = seen_sums.metric_id
group by
    flipped_sums.slice_id,
    flipped_sums.metric_id
{%- endmacro -%}
