-- discrimination of impressions
with
source as (
    -- input columns under canonical names
    select
        cast(clicked as double) as label,
        cast(pctr as double) as score
    from impressions
),
valid_rows as (
    -- rows without missing values
    select
        label as pos,
        1 - label as neg,
        score
    from source
    where (isfinite(label) or isinf(label)) is true
        and (isfinite(score) or isinf(score)) is true
),
scores_in_runs as materialized (
    -- scores, with the first score of their run
    select
        score,
        pos,
        1 - pos as neg,
        max(case when pos > 0 then score end) over (order by score asc) as run
    from valid_rows
),
runs_of_scores as materialized (
    -- one per run
    select
        min(score) as lowest_score,
        cast(sum(pos) as double) as pos,
        cast(sum(neg) as double) as neg
    from scores_in_runs
    group by run
),
runs_of_scores_pooled_1 as (
    -- eight rounds that pool neighbouring runs whose rates do not rise
    select block as lowest_score, sum(pos) as pos, sum(neg) as neg
    from (
        select pos, neg,
            max(case when least(rate, rate_with_next) <= (1 + 1e-12) * greatest(rate_before, rate_of_two_before) then null else lowest_score end)
            over (order by lowest_score asc rows unbounded preceding) as block
        from (
            select *,
                pos / (pos + neg) as rate,
                lag(pos / (pos + neg)) over (order by lowest_score asc) as rate_before,
                sum(pos) over (order by lowest_score asc rows between 2 preceding and 1 preceding)
                / sum(pos + neg) over (order by lowest_score asc rows between 2 preceding and 1 preceding) as rate_of_two_before,
                sum(pos) over (order by lowest_score asc rows between current row and 1 following)
                / sum(pos + neg) over (order by lowest_score asc rows between current row and 1 following) as rate_with_next
            from runs_of_scores
        ) as rates
    ) as parts_of_blocks
    group by block
),
runs_of_scores_pooled_2 as materialized (
    select block as lowest_score, sum(pos) as pos, sum(neg) as neg
    from (
        select pos, neg,
            max(case when least(rate, rate_with_next) <= (1 + 1e-12) * greatest(rate_before, rate_of_two_before) then null else lowest_score end)
            over (order by lowest_score asc rows unbounded preceding) as block
        from (
            select *,
                pos / (pos + neg) as rate,
                lag(pos / (pos + neg)) over (order by lowest_score asc) as rate_before,
                sum(pos) over (order by lowest_score asc rows between 2 preceding and 1 preceding)
                / sum(pos + neg) over (order by lowest_score asc rows between 2 preceding and 1 preceding) as rate_of_two_before,
                sum(pos) over (order by lowest_score asc rows between current row and 1 following)
                / sum(pos + neg) over (order by lowest_score asc rows between current row and 1 following) as rate_with_next
            from runs_of_scores_pooled_1
        ) as rates
    ) as parts_of_blocks
    group by block
),
runs_of_scores_pooled_3 as (
    select block as lowest_score, sum(pos) as pos, sum(neg) as neg
    from (
        select pos, neg,
            max(case when least(rate, rate_with_next) <= (1 + 1e-12) * greatest(rate_before, rate_of_two_before) then null else lowest_score end)
            over (order by lowest_score asc rows unbounded preceding) as block
        from (
            select *,
                pos / (pos + neg) as rate,
                lag(pos / (pos + neg)) over (order by lowest_score asc) as rate_before,
                sum(pos) over (order by lowest_score asc rows between 2 preceding and 1 preceding)
                / sum(pos + neg) over (order by lowest_score asc rows between 2 preceding and 1 preceding) as rate_of_two_before,
                sum(pos) over (order by lowest_score asc rows between current row and 1 following)
                / sum(pos + neg) over (order by lowest_score asc rows between current row and 1 following) as rate_with_next
            from runs_of_scores_pooled_2
        ) as rates
    ) as parts_of_blocks
    group by block
),
runs_of_scores_pooled_4 as materialized (
    select block as lowest_score, sum(pos) as pos, sum(neg) as neg
    from (
        select pos, neg,
            max(case when least(rate, rate_with_next) <= (1 + 1e-12) * greatest(rate_before, rate_of_two_before) then null else lowest_score end)
            over (order by lowest_score asc rows unbounded preceding) as block
        from (
            select *,
                pos / (pos + neg) as rate,
                lag(pos / (pos + neg)) over (order by lowest_score asc) as rate_before,
                sum(pos) over (order by lowest_score asc rows between 2 preceding and 1 preceding)
                / sum(pos + neg) over (order by lowest_score asc rows between 2 preceding and 1 preceding) as rate_of_two_before,
                sum(pos) over (order by lowest_score asc rows between current row and 1 following)
                / sum(pos + neg) over (order by lowest_score asc rows between current row and 1 following) as rate_with_next
            from runs_of_scores_pooled_3
        ) as rates
    ) as parts_of_blocks
    group by block
),
runs_of_scores_pooled_5 as (
    select block as lowest_score, sum(pos) as pos, sum(neg) as neg
    from (
        select pos, neg,
            max(case when least(rate, rate_with_next) <= (1 + 1e-12) * greatest(rate_before, rate_of_two_before) then null else lowest_score end)
            over (order by lowest_score asc rows unbounded preceding) as block
        from (
            select *,
                pos / (pos + neg) as rate,
                lag(pos / (pos + neg)) over (order by lowest_score asc) as rate_before,
                sum(pos) over (order by lowest_score asc rows between 2 preceding and 1 preceding)
                / sum(pos + neg) over (order by lowest_score asc rows between 2 preceding and 1 preceding) as rate_of_two_before,
                sum(pos) over (order by lowest_score asc rows between current row and 1 following)
                / sum(pos + neg) over (order by lowest_score asc rows between current row and 1 following) as rate_with_next
            from runs_of_scores_pooled_4
        ) as rates
    ) as parts_of_blocks
    group by block
),
runs_of_scores_pooled_6 as materialized (
    select block as lowest_score, sum(pos) as pos, sum(neg) as neg
    from (
        select pos, neg,
            max(case when least(rate, rate_with_next) <= (1 + 1e-12) * greatest(rate_before, rate_of_two_before) then null else lowest_score end)
            over (order by lowest_score asc rows unbounded preceding) as block
        from (
            select *,
                pos / (pos + neg) as rate,
                lag(pos / (pos + neg)) over (order by lowest_score asc) as rate_before,
                sum(pos) over (order by lowest_score asc rows between 2 preceding and 1 preceding)
                / sum(pos + neg) over (order by lowest_score asc rows between 2 preceding and 1 preceding) as rate_of_two_before,
                sum(pos) over (order by lowest_score asc rows between current row and 1 following)
                / sum(pos + neg) over (order by lowest_score asc rows between current row and 1 following) as rate_with_next
            from runs_of_scores_pooled_5
        ) as rates
    ) as parts_of_blocks
    group by block
),
runs_of_scores_pooled_7 as (
    select block as lowest_score, sum(pos) as pos, sum(neg) as neg
    from (
        select pos, neg,
            max(case when least(rate, rate_with_next) <= (1 + 1e-12) * greatest(rate_before, rate_of_two_before) then null else lowest_score end)
            over (order by lowest_score asc rows unbounded preceding) as block
        from (
            select *,
                pos / (pos + neg) as rate,
                lag(pos / (pos + neg)) over (order by lowest_score asc) as rate_before,
                sum(pos) over (order by lowest_score asc rows between 2 preceding and 1 preceding)
                / sum(pos + neg) over (order by lowest_score asc rows between 2 preceding and 1 preceding) as rate_of_two_before,
                sum(pos) over (order by lowest_score asc rows between current row and 1 following)
                / sum(pos + neg) over (order by lowest_score asc rows between current row and 1 following) as rate_with_next
            from runs_of_scores_pooled_6
        ) as rates
    ) as parts_of_blocks
    group by block
),
runs_of_scores_pooled_8 as materialized (
    select block as lowest_score, sum(pos) as pos, sum(neg) as neg
    from (
        select pos, neg,
            max(case when least(rate, rate_with_next) <= (1 + 1e-12) * greatest(rate_before, rate_of_two_before) then null else lowest_score end)
            over (order by lowest_score asc rows unbounded preceding) as block
        from (
            select *,
                pos / (pos + neg) as rate,
                lag(pos / (pos + neg)) over (order by lowest_score asc) as rate_before,
                sum(pos) over (order by lowest_score asc rows between 2 preceding and 1 preceding)
                / sum(pos + neg) over (order by lowest_score asc rows between 2 preceding and 1 preceding) as rate_of_two_before,
                sum(pos) over (order by lowest_score asc rows between current row and 1 following)
                / sum(pos + neg) over (order by lowest_score asc rows between current row and 1 following) as rate_with_next
            from runs_of_scores_pooled_7
        ) as rates
    ) as parts_of_blocks
    group by block
),
stretches_of_blocks as materialized (
    -- pooled runs, in stretches that no block crosses
    select
        lowest_score,
        pos,
        neg,
        stretch,
        case when cast(row_number()
                over (partition by stretch order by lowest_score asc) as double) > 32768
            then cast(error('isotonic regression: over 32768 blocks up to the score ' || cast(lowest_score as varchar) || ': round the scores') as double)
            else cast(row_number()
                over (partition by stretch order by lowest_score asc) as double) end as number_in_stretch
    from (
        select
            lowest_score,
            pos,
            neg,
            sum(starts_stretch) over (order by lowest_score asc rows unbounded preceding) as stretch
        from (
            select
                *,
                case
                    when (1 + 1e-12)
                            * max(pos / (pos + neg)) over (order by lowest_score asc rows between unbounded preceding and 1 preceding)
                        >= min(pos / (pos + neg)) over (order by lowest_score desc rows unbounded preceding) then 0
                    else 1
                end as starts_stretch
            from runs_of_scores_pooled_8
        ) as starts
    ) as blocks_in_stretches
),
blocks_of_scores as (
    -- one per block of scores that isotonic regression gives one rate
    select
        block as lowest_score,
        sum(neg) / nullif(sum(pos + neg), 0) as rate_of_negatives,
        sum(pos) / nullif(sum(pos + neg), 0) as rate
    from (
        select
            pos,
            neg,
            max(first_score) over (partition by stretch order by lowest_score asc rows unbounded preceding) as block
        from (
            select
                stretch,
                lowest_score,
                max(pos) as pos,
                max(neg) as neg,
                case when max(lowest_rate)
                    <= (1 + 1e-12) * lag(max(lowest_rate)) over (partition by stretch order by lowest_score asc)
                    then null else lowest_score end as first_score
            from (
                select
                    stretch,
                    lowest_score,
                    pos,
                    neg,
                    min(rate) over (
                    partition by stretch, first_block
                    order by lowest_score desc rows unbounded preceding
                ) as lowest_rate
                from (
                    select
                        stretch,
                        lowest_score,
                        pos,
                        neg,
                        first_block,
                        sum(pos) over (partition by stretch, first_block order by lowest_score asc rows unbounded preceding)
                        / sum(pos + neg) over (partition by stretch, first_block order by lowest_score asc rows unbounded preceding) as rate
                    from (
                        select
                            lasts.stretch as stretch,
                            lasts.lowest_score as lowest_score,
                            lasts.pos as pos,
                            lasts.neg as neg,
                            cast(firsts.number_in_stretch as bigint) as first_block
                        from stretches_of_blocks as firsts
                        inner join stretches_of_blocks as lasts
                            on firsts.stretch = lasts.stretch
                            and firsts.number_in_stretch <= lasts.number_in_stretch
                    ) as firsts_and_lasts
                ) as rates_from_first
            ) as lowest_rates
            group by stretch, lowest_score
        ) as starts
    ) as parts_of_blocks
    group by block
),
rates_of_runs as (
    -- one per run
    select
        runs.lowest_score as lowest_score,
        min(blocks.rate_of_negatives) over (order by runs.lowest_score asc rows unbounded preceding) as rate_of_negatives,
        max(blocks.rate) over (order by runs.lowest_score asc rows unbounded preceding) as rate
    from runs_of_scores as runs
    left join blocks_of_scores as blocks on runs.lowest_score = blocks.lowest_score
),
recalibrated_scores as (
    -- one per row of the log, or per distinct score where rows are not ranked, with its rate by isotonic regression
    select
        scores.score as score,
        cast(scores.pos as double) as pos,
        cast(scores.neg as double) as neg,
        1 as row_count,
        coalesce(rates.rate_of_negatives, cast(1 as double)) as rate_of_negatives,
        coalesce(rates.rate, cast(0 as double)) as rate
    from scores_in_runs as scores
    left join rates_of_runs as rates on scores.run = rates.lowest_score
)
select
    cast(coalesce(sum(row_count), 0) as bigint) as n,
    -- S(ȳ) − mean S(r, y), r the scores recalibrated by isotonic regression, ȳ the rate of positives, S the loss of a row
    greatest(
            sum(pos) * (sum(neg) / nullif(sum(pos + neg), 0))
            - sum(pos * rate_of_negatives * rate_of_negatives + neg * rate * rate),
            0
        ) / nullif(sum(pos + neg), 0) as discrimination
from recalibrated_scores
