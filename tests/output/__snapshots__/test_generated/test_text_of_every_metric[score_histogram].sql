-- score_histogram of impressions
with
source as (
    -- the columns that are read, under the names that all steps use
    select
        cast(clicked as double) as label,
        cast(pctr as double) as score
    from impressions
),
observations as (
    -- the rows that count
    select
        label as pos,
        1 - label as neg,
        score
    from source
    where (isfinite(label) or isinf(label)) is true
        and (isfinite(score) or isinf(score)) is true
),
thresholds as materialized (
    -- one per distinct score
    select
        score,
        sum(pos) as pos,
        count(*) - sum(pos) as neg,
        count(*) as row_count
    from observations
    group by
        score
),
score_histogram as (
    -- positives and negatives in equal steps of the score, from its lowest to its highest
    select
        cast(bin as bigint) + 1 as bin,
        lowest * ((20 - cast(bin as double)) / 20) + highest * (cast(bin as double) / 20) as lower,
        lowest * ((20 - cast(bin + 1 as double)) / 20) + highest * (cast(bin + 1 as double) / 20) as upper,
        cast(row_count as bigint) as "rows",
        pos as positives,
        neg as negatives,
        pos / nullif(positives, 0) as share_of_positives,
        neg / nullif(negatives, 0) as share_of_negatives
    from (
        select
            bin,
            sum(row_count) as row_count,
            sum(pos) as pos,
            sum(neg) as neg,
            max(lowest) as lowest,
            max(highest) as highest,
            max(positives) as positives,
            max(negatives) as negatives
        from (
            select
                row_count,
                pos,
                neg,
                lowest,
                highest,
                positives,
                negatives,
                case
                    when score >= highest then 19
                    when score > lowest and score >= lowest * ((20 - (candidate + 1)) / 20) + highest * ((candidate + 1) / 20) then candidate + 1
                    when score > lowest and score < lowest * ((20 - candidate) / 20) + highest * (candidate / 20) then candidate - 1
                    when score > lowest then candidate
                    else 0
                end as bin
            from (
                select
                    row_count,
                    pos,
                    neg,
                    lowest,
                    highest,
                    positives,
                    negatives,
                    score,
                    cast(floor(20 * ((score / 2 - lowest / 2) / nullif(highest / 2 - lowest / 2, 0))) as double) as candidate
                from thresholds as scored
                cross join (
                    select
                        min(case when abs(score) < cast('Infinity' as double) then score end) as lowest,
                        max(case when abs(score) < cast('Infinity' as double) then score end) as highest,
                        sum(pos) as positives,
                        sum(neg) as negatives
                    from thresholds
                ) as ends
            ) as candidates
        ) as binned
        group by
            bin
    ) as bins
)
select
    score_histogram.bin,
    score_histogram.lower,
    score_histogram.upper,
    score_histogram."rows",
    score_histogram.positives,
    score_histogram.negatives,
    score_histogram.share_of_positives,
    score_histogram.share_of_negatives
from score_histogram
order by
    score_histogram.bin asc
