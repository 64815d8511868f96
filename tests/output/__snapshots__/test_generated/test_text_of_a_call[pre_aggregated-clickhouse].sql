-- auc of impressions
with
source as (
    -- the columns that are read, under the names that all steps use
    select
        cast(pctr as double) + 0 as score,
        cast(clicks as double) + 0 as positives,
        cast(impressions as double) + 0 as total
    from impressions
),
valid_rows as (
    -- the rows that count
    select
        positives as pos,
        total - positives as neg,
        score
    from source
    where score is not null
        and not isNaN(score)
        and positives is not null
        and not isNaN(positives)
        and total is not null
        and not isNaN(total)
),
distinct_scores as (
    -- one per distinct score
    select
        score,
        sum(pos) as pos,
        sum(neg) as neg,
        count(*) as row_count
    from valid_rows
    group by
        score
),
thresholds as (
    -- one per distinct score, weighted
    select
        score,
        pos,
        neg,
        row_count,
        sum(pos) over (order by score desc rows unbounded preceding) as true_positives,
        sum(neg) over (order by score desc rows unbounded preceding) as false_positives,
        sum(pos) over () as positives,
        sum(neg) over () as negatives
    from distinct_scores
)
select
    cast(least(round(coalesce(sum(pos + neg), 0)), 9e18) as bigint) as n,
    -- P(score of a positive > score of a negative) + ½ P(the two are equal)
    1 - sum(pos / nullif(positives, 0) * ((false_positives - neg / 2) / nullif(negatives, 0))) as auc
from thresholds
settings
    join_use_nulls = 1,
    join_default_strictness = 'ALL',
    aggregate_functions_null_for_empty = 1,
    empty_result_for_aggregation_by_empty_set = 0,
    cast_keep_nullable = 1,
    count_distinct_implementation = 'uniqExact',
    extremes = 0,
    limit = 0,
    offset = 0,
    skip_unavailable_shards = 0,
    read_overflow_mode = 'throw',
    group_by_overflow_mode = 'throw',
    distinct_overflow_mode = 'throw',
    set_overflow_mode = 'throw',
    join_overflow_mode = 'throw',
    sort_overflow_mode = 'throw',
    transfer_overflow_mode = 'throw',
    result_overflow_mode = 'throw',
    timeout_overflow_mode = 'throw',
    prefer_column_name_to_alias = 1
