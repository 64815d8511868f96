-- auc of impressions, by device
with
source as (
    -- the columns that are read, under the names that all steps use
    select
        device as slice_1,
        cast(clicked as double) as label,
        cast(pctr as double) as score
    from impressions
),
observations as (
    -- the rows that count
    select
        slice_1,
        label as pos,
        1 - label as neg,
        score
    from source
    where label is not null
        and not isnan(label)
        and score is not null
        and not isnan(score)
),
slices as (
    -- one per slice
    select
        slice_1,
        cast(row_number() over (order by slice_1 asc nulls last) as integer) as slice_id
    from (
        select distinct
            slice_1
        from observations
    ) as distinct_slices
),
sliced as (
    -- the rows that count, by the number of their slice
    select /*+ broadcast(slices) */
        slices.slice_id,
        observations.pos,
        observations.neg,
        observations.score
    from observations
    inner join slices
        on observations.slice_1 is not distinct from slices.slice_1
),
distinct_scores as (
    -- one per distinct score
    select
        slice_id,
        score,
        sum(pos) as pos,
        count(*) - sum(pos) as neg,
        count(*) as row_count
    from sliced
    group by
        slice_id,
        score
),
distinct_scores_in_cells as (
    -- the cell of every value
    select
        slice_id,
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
        slice_id,
        cell,
        sum(pos) as pos_of_cell,
        sum(neg) as neg_of_cell
    from distinct_scores_in_cells
    group by
        slice_id,
        cell
    having sum(row_count) > 0
        and sum(pos) is not null
        and sum(neg) is not null
),
cells_of_distinct_scores_in_order as (
    -- what lies in the cells before each
    select
        slice_id,
        cell,
        coalesce(sum(pos_of_cell) over (partition by slice_id order by cell desc rows between unbounded preceding and 1 preceding), 0) as pos_before,
        coalesce(sum(neg_of_cell) over (partition by slice_id order by cell desc rows between unbounded preceding and 1 preceding), 0) as neg_before
    from cells_of_distinct_scores
),
distinct_scores_in_order as (
    -- what lies before each value in its own cell
    select
        slice_id,
        cell,
        score,
        pos,
        neg,
        row_count,
        sum(pos) over (partition by slice_id, cell order by score desc rows unbounded preceding) as pos_here_inside,
        sum(neg) over (partition by slice_id, cell order by score desc rows unbounded preceding) as neg_here_inside
    from distinct_scores_in_cells
),
thresholds as (
    -- one per distinct score, weighted
    select
        inside.slice_id,
        inside.cell,
        inside.score,
        inside.pos,
        inside.neg,
        inside.row_count,
        cells.pos_before + inside.pos_here_inside as true_positives,
        cells.neg_before + inside.neg_here_inside as false_positives
    from distinct_scores_in_order as inside
    inner join cells_of_distinct_scores_in_order as cells
        on inside.slice_id = cells.slice_id
        and inside.cell = cells.cell
),
thresholds_metrics as (
    -- one per slice
    select
        slice_id,
        cast(coalesce(sum(row_count), 0) as bigint) as n,
        -- P(score of a positive > score of a negative) + ½ P(the two are equal)
        1 - sum(pos * (false_positives - neg / 2)) / nullif(sum(pos) * sum(neg), 0) as auc
    from thresholds
    group by
        slice_id
)
select
    slices.slice_1 as device,
    coalesce(thresholds_metrics.n, 0) as n,
    thresholds_metrics.auc
from slices
left join thresholds_metrics
    on slices.slice_id = thresholds_metrics.slice_id
order by
    slices.slice_id asc
