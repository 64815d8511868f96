-- lift_table of impressions
with
source as not materialized (
    -- the columns that are read, under the names that all steps use
    select
        cast(clicked as double) as label,
        cast(pctr as double) as score
    from impressions
),
observations as not materialized (
    -- the rows that count
    select
        label as pos,
        1 - label as neg,
        score
    from source
    where (isfinite(label) or isinf(label)) is true
        and (isfinite(score) or isinf(score)) is true
),
labelled_scores as not materialized (
    -- what is sorted
    select
        cast(pos as tinyint) as pos,
        score
    from observations
),
score_ranks as not materialized (
    -- one per row, ranked
    select
        score,
        row_number() over (order by score desc) as place,
        rank() over (order by score desc) as first_place,
        sum(pos) over (order by score desc) as true_positives,
        sum(1 - pos) over (order by score desc) as false_positives,
        coalesce(sum(pos) over (order by score desc rows between unbounded preceding and 1 preceding), 0) as true_positives_above,
        sum(pos) over (order by score desc rows between unbounded preceding and unbounded following) as positives,
        sum(1 - pos) over (order by score desc rows between unbounded preceding and unbounded following) as negatives
    from labelled_scores
),
thresholds as not materialized (
    -- one per distinct score, weighted
    select
        score,
        cast(true_positives - true_positives_above as double) as pos,
        cast(false_positives - (first_place - 1 - true_positives_above) as double) as neg,
        cast(true_positives as double) as true_positives,
        cast(false_positives as double) as false_positives,
        cast(true_positives_above as double) as true_positives_above,
        cast(first_place - 1 - true_positives_above as double) as false_positives_above,
        cast(positives as double) as positives,
        cast(negatives as double) as negatives,
        true_positives + false_positives - (first_place - 1) as row_count
    from score_ranks
    where place = first_place
),
lift_table as (
    -- bins of equal weight by descending score, the rate of positives in each beside the rate of all
    select
        cast(bin as bigint) as bin,
        cast(row_count as bigint) as "rows",
        pos as positives,
        pos / nullif(weight, 0) as rate,
        gained / nullif(positives, 0) as gain,
        (pos / nullif(weight, 0)) / nullif(positives / nullif(total, 0), 0) as lift,
        (gained / nullif(reached, 0)) / nullif(positives / nullif(total, 0), 0) as cumulative_lift
    from (
        select
            bin,
            sum(row_count) as row_count,
            sum(pos) as pos,
            sum(pos + neg) as weight,
            max(true_positives) as gained,
            max(true_positives + false_positives) as reached,
            max(positives) as positives,
            max(positives + negatives) as total
        from (
            select
                row_count,
                pos,
                neg,
                true_positives,
                false_positives,
                positives,
                negatives,
                least(floor(10 * (true_positives_above + false_positives_above) / nullif(positives + negatives, 0)), 9) + 1 as bin
            from thresholds
        ) as binned
        group by
            bin
    ) as bins
)
select
    lift_table.bin,
    lift_table."rows",
    lift_table.positives,
    lift_table.rate,
    lift_table.gain,
    lift_table.lift,
    lift_table.cumulative_lift
from lift_table
order by
    lift_table.bin asc
