-- auc of impressions
with
source as (
    -- the columns that are read, under the names that all steps use
    select
        cast(pctr as double) as score,
        cast(clicks as double) as positives,
        cast(impressions as double) as total
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
        and not isnan(score)
        and positives is not null
        and not isnan(positives)
        and total is not null
        and not isnan(total)
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
distinct_scores_in_cells as (
    -- the cell of every value
    select
        score,
        pos,
        neg,
        row_count,
        coalesce(floor(1024 * case
            when score = 0 then 0
            when abs(score) < 1 then sign(score) * (746 + ln(abs(score) / (1 - abs(score))))
            else sign(score) * (784 + ln(least(abs(score), 1.7976931348623157e308)))
        end), 0) as cell
    from distinct_scores
),
cells_of_distinct_scores as (
    -- one per cell
    select
        cell,
        sum(pos) as pos_of_cell,
        sum(neg) as neg_of_cell
    from distinct_scores_in_cells
    group by
        cell
    having sum(row_count) > 0
        and sum(pos) is not null
        and sum(neg) is not null
),
cells_of_distinct_scores_in_order as (
    -- what lies in the cells before each
    select
        cell,
        coalesce(sum(pos_of_cell) over (order by cell desc rows between unbounded preceding and 1 preceding), 0) as pos_before,
        coalesce(sum(neg_of_cell) over (order by cell desc rows between unbounded preceding and 1 preceding), 0) as neg_before,
        sum(pos_of_cell) over () as pos_of_all,
        sum(neg_of_cell) over () as neg_of_all
    from cells_of_distinct_scores
),
distinct_scores_in_order as (
    -- what lies before each value in its own cell
    select
        cell,
        score,
        pos,
        neg,
        row_count,
        sum(pos) over (partition by cell order by score desc rows unbounded preceding) as pos_here_inside,
        sum(neg) over (partition by cell order by score desc rows unbounded preceding) as neg_here_inside
    from distinct_scores_in_cells
),
thresholds as (
    -- one per distinct score, weighted
    select
        inside.cell,
        inside.score,
        inside.pos,
        inside.neg,
        inside.row_count,
        cells.pos_before + inside.pos_here_inside as true_positives,
        cells.neg_before + inside.neg_here_inside as false_positives,
        cells.pos_of_all as positives,
        cells.neg_of_all as negatives
    from distinct_scores_in_order as inside
    inner join cells_of_distinct_scores_in_order as cells
        on inside.cell = cells.cell
)
select
    cast(least(round(coalesce(sum(pos + neg), 0)), 9e18) as bigint) as n,
    -- P(score of a positive > score of a negative) + ½ P(the two are equal)
    1 - sum(pos / nullif(positives, 0) * ((false_positives - neg / 2) / nullif(negatives, 0))) as auc
from thresholds
