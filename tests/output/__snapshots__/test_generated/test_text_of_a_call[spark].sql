-- auc, copc, gauc, ndcg_at_10, ece, x of impressions, by overall | device | day, device
with
source as (
    -- input columns under canonical names
    select
        device as slice_1,
        (cast(ts as date)) as slice_2,
        cast(clicked as double) as label,
        user_id as group_id,
        cast(pctr_a as double) as score_1,
        cast(pctr_b as double) as score_2
    from impressions
    where (country = 'DE')
),
unpivoted_models as (
    -- each row once per grouping and model
    select
        groupings.grouping_id,
        case when groupings.grouping_id in (2, 3) then source.slice_1 end as slice_1,
        case when groupings.grouping_id in (3) then source.slice_2 end as slice_2,
        models.model_id,
        case models.model_id when 1 then source.score_1 when 2 then source.score_2 end as score,
        source.label,
        source.group_id
    from source
    cross join (select 1 as grouping_id union all select 2 as grouping_id union all select 3 as grouping_id) as groupings
    cross join (select 1 as model_id union all select 2 as model_id) as models
),
valid_rows as (
    -- rows without missing values
    select
        grouping_id,
        slice_1,
        slice_2,
        model_id,
        label as pos,
        1 - label as neg,
        label,
        group_id,
        score
    from unpivoted_models
    where label is not null
        and not isnan(label)
        and score is not null
        and not isnan(score)
),
slices as (
    -- one per slice
    select
        grouping_id,
        slice_1,
        slice_2,
        model_id,
        cast(row_number() over (
            order by grouping_id asc nulls last,
                slice_1 asc nulls last,
                slice_2 asc nulls last,
                model_id asc nulls last
        ) as integer) as slice_id
    from (
        select distinct
            grouping_id,
            slice_1,
            slice_2,
            model_id
        from valid_rows
        union
        select
            1,
            null,
            null,
            1
        union
        select
            1,
            null,
            null,
            2
    ) as distinct_slices
),
rows_with_slice_id as (
    -- valid rows with the number of their slice
    select /*+ broadcast(slices) */ slices.slice_id, valid_rows.*
    from valid_rows
    inner join slices
        on valid_rows.grouping_id is not distinct from slices.grouping_id
        and valid_rows.slice_1 is not distinct from slices.slice_1
        and valid_rows.slice_2 is not distinct from slices.slice_2
        and valid_rows.model_id is not distinct from slices.model_id
),
distinct_scores as (
    -- one per distinct score
    select
        slice_id,
        score,
        sum(pos) as pos,
        count(*) - sum(pos) as neg,
        count(*) as row_count
    from rows_with_slice_id
    group by slice_id, score
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
        sum(pos) as pos_sum,
        sum(neg) as neg_sum
    from distinct_scores_in_cells
    group by slice_id, cell
    having sum(row_count) > 0
        and sum(pos) is not null
        and sum(neg) is not null
),
cells_of_distinct_scores_in_order as (
    -- cumulative sums over cells
    select
        slice_id,
        cell,
        coalesce(
            sum(pos_sum) over (
                partition by slice_id
                order by cell desc rows between unbounded preceding and 1 preceding
            ),
            0
        ) as pos_before,
        coalesce(
            sum(neg_sum) over (
                partition by slice_id
                order by cell desc rows between unbounded preceding and 1 preceding
            ),
            0
        ) as neg_before
    from cells_of_distinct_scores
),
distinct_scores_in_order as (
    -- cumulative sums over the values inside each cell
    select
        slice_id,
        cell,
        score,
        pos,
        neg,
        row_count,
        sum(pos) over (partition by slice_id, cell order by score desc rows unbounded preceding) as pos_local,
        sum(neg) over (partition by slice_id, cell order by score desc rows unbounded preceding) as neg_local
    from distinct_scores_in_cells
),
thresholds as (
    -- one per distinct score, or bin of scores, weighted
    select
        inside.slice_id,
        inside.cell,
        inside.score,
        inside.pos,
        inside.neg,
        inside.row_count,
        cells.pos_before + inside.pos_local as true_positives,
        cells.neg_before + inside.neg_local as false_positives
    from distinct_scores_in_order as inside
    inner join cells_of_distinct_scores_in_order as cells
        on inside.slice_id = cells.slice_id
        and inside.cell = cells.cell
),
binned_scores as (
    -- rows with their bin
    select
        slice_id,
        score,
        pos,
        neg,
        case
            when score >= 1 then 9
            when (candidate + 1) / 10 <= score then candidate + 1
            when candidate / 10 > score then candidate - 1
            else candidate
        end as bin
    from (
        select
            slice_id,
            score,
            pos,
            neg,
            floor(score * 10) as candidate
        from rows_with_slice_id
    ) as candidates
),
score_bins as (
    -- one per bin of scores that holds a row
    select
        slice_id,
        bin,
        sum(pos) as pos,
        sum(neg) as neg,
        sum((pos + neg) * score) as score_sum,
        count(*) as row_count
    from binned_scores
    group by slice_id, bin
),
scores_to_bin_twin_2 as (
    -- one per distinct score
    select
        slice_id,
        score,
        sum(pos) as pos,
        count(*) - sum(pos) as neg,
        count(*) as row_count
    from rows_with_slice_id
    group by slice_id, score
),
scores_to_bin_twin_2_in_cells as (
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
    from scores_to_bin_twin_2
),
cells_of_scores_to_bin_twin_2 as (
    -- one per cell
    select
        slice_id,
        cell,
        sum(pos + neg) as weight_sum
    from scores_to_bin_twin_2_in_cells
    group by slice_id, cell
    having sum(row_count) > 0
        and sum(pos + neg) is not null
),
cells_of_scores_to_bin_twin_2_in_order as (
    -- cumulative sums over cells
    select
        slice_id,
        cell,
        coalesce(
            sum(weight_sum) over (
                partition by slice_id
                order by cell asc rows between unbounded preceding and 1 preceding
            ),
            0
        ) as weight_before,
        sum(weight_sum) over (partition by slice_id) as weight_of_all
    from cells_of_scores_to_bin_twin_2
),
scores_to_bin_twin_2_in_order as (
    -- cumulative sums over the values inside each cell
    select
        slice_id,
        cell,
        score,
        pos,
        neg,
        row_count,
        coalesce(
            sum(pos + neg) over (
                partition by slice_id, cell
                order by score asc rows between unbounded preceding and 1 preceding
            ),
            0
        ) as weight_before_local
    from scores_to_bin_twin_2_in_cells
),
scores_with_weights_twin_2 as (
    -- one per distinct score, with the weight before it
    select
        inside.slice_id,
        inside.cell,
        inside.score,
        inside.pos,
        inside.neg,
        inside.row_count,
        cells.weight_before + inside.weight_before_local as weight_before,
        cells.weight_of_all
    from scores_to_bin_twin_2_in_order as inside
    inner join cells_of_scores_to_bin_twin_2_in_order as cells
        on inside.slice_id = cells.slice_id
        and inside.cell = cells.cell
),
binned_scores_twin_2 as (
    -- scores with their bin
    select
        scored.*,
        least(floor(20 * weight_before / nullif(weight_of_all, 0)), 19) as bin
    from scores_with_weights_twin_2 as scored
),
score_bins_twin_2 as (
    -- one per bin of scores that holds a row
    select
        slice_id,
        bin,
        sum(pos) as pos,
        sum(neg) as neg,
        sum((pos + neg) * score) as score_sum,
        sum(row_count) as row_count
    from binned_scores_twin_2
    group by slice_id, bin
),
group_ranks as (
    -- one per row or score of a group
    select
        slice_id,
        group_id,
        pos,
        rank() over (partition by slice_id, group_id order by score desc) - 1 as rows_above,
        cume_dist() over (partition by slice_id, group_id order by score desc) as cumulative_share
    from rows_with_slice_id
    where group_id is not null
),
group_scores as (
    -- one per group
    select
        slice_id,
        group_id,
        cast(count(*) as double) as weight,
        sum(pos) as positives,
        1 - (sum(pos * rows_above) + round(count(*) * sum(pos * cumulative_share)) - sum(pos) * sum(pos))
            / nullif(2 * sum(pos) * (count(*) - sum(pos)), 0) as auc,
        count(*) as row_count
    from group_ranks
    group by slice_id, group_id
),
ranked_items as (
    -- one per item of a group
    select
        slice_id,
        group_id,
        label,
        cast(case when label >= 1 then 1 else 0 end as double) as relevant,
        row_number() over (partition by slice_id, group_id order by score desc, label asc) as item_rank,
        coalesce(lead(1) over (partition by slice_id, group_id order by score desc, label asc), 0) as is_followed
    from rows_with_slice_id
    where group_id is not null
),
gaining_items as (
    -- items with gain, and at least one item per group
    select
        *,
        row_number() over (partition by slice_id, group_id order by label desc) as ideal_rank
    from ranked_items
    where label > 0
        or is_followed = 0
),
group_values as (
    -- one per group, from its items in their order
    select
        slice_id,
        group_id,
        sum(case when item_rank <= 10 then (power(2, label) - 1) * ln(2) / ln(item_rank + 1) else 0 end)
            / nullif(
                sum(case when ideal_rank <= 10 then (power(2, label) - 1) * ln(2) / ln(ideal_rank + 1) else 0 end),
                0
            ) as ndcg_at_10,
        max(item_rank) as row_count
    from gaining_items
    group by slice_id, group_id
),
thresholds_metrics as (
    -- one per slice
    select
        slice_id,
        cast(coalesce(sum(row_count), 0) as bigint) as n,
        -- P(score of a positive > score of a negative) + ½ P(the two are equal)
        1 - sum(pos * (false_positives - neg / 2)) / nullif(sum(pos) * sum(neg), 0) as auc
    from thresholds
    group by slice_id
),
rows_metrics as (
    -- one per slice
    select
        slice_id,
        -- Σ y / Σ p
        sum(pos) / nullif(sum(score), 0) as copc
    from rows_with_slice_id
    group by slice_id
),
score_bins_metrics as (
    -- one per slice
    select
        slice_id,
        -- Σ (weight of the bin / weight of all)·|rate − mean score|, l2 takes the root of the mean square, max the largest
        sum(abs(pos - score_sum)) / nullif(sum(pos + neg), 0) as ece
    from score_bins
    group by slice_id
),
score_bins_twin_2_metrics as (
    -- one per slice
    select
        slice_id,
        -- Σ (weight of the bin / weight of all)·|rate − mean score|, l2 takes the root of the mean square, max the largest
        sum(abs(pos - score_sum)) / nullif(sum(pos + neg), 0) as x
    from score_bins_twin_2
    group by slice_id
),
group_scores_metrics as (
    -- one per slice
    select
        slice_id,
        -- Σ wᵤ·AUCᵤ / Σ wᵤ over the groups that hold both classes
        sum(weight * auc) / nullif(sum(case when auc is not null then weight end), 0) as gauc
    from group_scores
    group by slice_id
),
group_values_metrics as (
    -- one per slice
    select
        slice_id,
        -- DCG / IDCG per group, IDCG that of the best order, then the mean over groups
        avg(ndcg_at_10) as ndcg_at_10
    from group_values
    group by slice_id
)
select
    case slices.grouping_id when 1 then 'overall' when 2 then 'device' when 3 then 'day, device' end as `grouping`,
    slices.slice_1 as device,
    slices.slice_2 as day,
    case slices.model_id when 1 then 'pctr_a' when 2 then 'pctr_b' end as model,
    coalesce(thresholds_metrics.n, 0) as n,
    thresholds_metrics.auc,
    rows_metrics.copc,
    group_scores_metrics.gauc,
    group_values_metrics.ndcg_at_10,
    score_bins_metrics.ece,
    score_bins_twin_2_metrics.x
from slices
left join thresholds_metrics on slices.slice_id = thresholds_metrics.slice_id
left join rows_metrics on slices.slice_id = rows_metrics.slice_id
left join score_bins_metrics on slices.slice_id = score_bins_metrics.slice_id
left join score_bins_twin_2_metrics on slices.slice_id = score_bins_twin_2_metrics.slice_id
left join group_scores_metrics on slices.slice_id = group_scores_metrics.slice_id
left join group_values_metrics on slices.slice_id = group_values_metrics.slice_id
order by slices.slice_id asc
