-- residual_histogram of impressions
with
source as not materialized (
    -- input columns under canonical names
    select
        cast(clicked as double) as label,
        cast(pctr as double) as score
    from impressions
),
valid_rows as not materialized (
    -- rows without missing values
    select
        cast(1 as double) as weight,
        label,
        score
    from source
    where (isfinite(label) or isinf(label)) is true
        and (isfinite(score) or isinf(score)) is true
),
residuals as not materialized (
    -- one per row of the log
    select
        score - label as residual,
        weight,
        1 as row_count
    from valid_rows
),
residual_histogram as (
    -- the share of the rows in equal steps of ŷ − y, from its lowest to its highest
    select
        cast(bin as bigint) + 1 as bin,
        lowest * ((20 - cast(bin as double)) / 20) + highest * (cast(bin as double) / 20) as lower,
        lowest * ((20 - cast(bin + 1 as double)) / 20) + highest * (cast(bin + 1 as double) / 20) as upper,
        cast(row_count as bigint) as "rows",
        weight / nullif(weight_of_all, 0) as share
    from (
        select
            bin,
            sum(row_count) as row_count,
            sum(weight) as weight,
            max(lowest) as lowest,
            max(highest) as highest,
            max(weight_of_all) as weight_of_all
        from (
            select
                row_count,
                weight,
                lowest,
                highest,
                weight_of_all,
                case
                    when residual >= highest then 19
                    when residual > lowest and residual >= lowest * ((20 - (candidate + 1)) / 20) + highest * ((candidate + 1) / 20) then candidate + 1
                    when residual > lowest and residual < lowest * ((20 - candidate) / 20) + highest * (candidate / 20) then candidate - 1
                    when residual > lowest then candidate
                    else 0
                end as bin
            from (
                select
                    row_count,
                    weight,
                    lowest,
                    highest,
                    weight_of_all,
                    residual,
                    cast(floor(20 * ((residual / 2 - lowest / 2) / nullif(highest / 2 - lowest / 2, 0))) as double) as candidate
                from residuals as scored
                cross join (
                    select
                        min(case when abs(residual) < cast('Infinity' as double) then residual end) as lowest,
                        max(case when abs(residual) < cast('Infinity' as double) then residual end) as highest,
                        sum(weight) as weight_of_all
                    from residuals
                ) as ends
            ) as candidates
        ) as binned
        group by bin
    ) as bins
)
select
    residual_histogram.bin,
    residual_histogram.lower,
    residual_histogram.upper,
    residual_histogram."rows",
    residual_histogram.share
from residual_histogram
order by residual_histogram.bin asc
