-- kendall_tau of impressions
with
source as (
    -- input columns under canonical names
    select
        cast(clicked as double) as label,
        cast(pctr as double) as score,
        user_id as group_id
    from impressions
),
valid_rows as (
    -- rows without missing values
    select
        label,
        score,
        group_id
    from source
    where (isfinite(label) or isinf(label)) is true
        and (isfinite(score) or isinf(score)) is true
        and group_id is not null
),
cells as materialized (
    -- one per distinct score and label of a group
    select
        group_id,
        score,
        label,
        cast(count(*) as double) as cell_items,
        count(*) as row_count
    from valid_rows
    group by group_id, score, label
),
sizes as (
    -- one per group
    select
        group_id,
        sum(cell_items) as items,
        sum(cell_items * (cell_items - 1) / 2) as equal_pairs,
        sum(row_count) as row_count
    from cells
    group by group_id
),
pairs as (
    -- one per group with two labels, with its pairs of items with different labels
    select
        a.group_id,
        sum(a.cell_items * b.cell_items) as label_pairs,
        sum(case when a.score > b.score then a.cell_items * b.cell_items else 0 end) as concordant,
        sum(case when a.score < b.score then a.cell_items * b.cell_items else 0 end) as discordant
    from cells as a
    inner join cells as b on a.group_id = b.group_id
    where a.label > b.label
    group by a.group_id
),
group_pairs as (
    -- one per group, with its pairs
    select
        sizes.group_id as group_id,
        sizes.items as items,
        sizes.equal_pairs as equal_pairs,
        sizes.row_count as row_count,
        coalesce(pairs.label_pairs, 0) as label_pairs,
        coalesce(pairs.concordant, 0) as concordant,
        coalesce(pairs.discordant, 0) as discordant
    from sizes as sizes
    left join pairs as pairs on sizes.group_id = pairs.group_id
),
item_pairs as (
    -- one per group
    select
        group_id,
        (concordant - discordant)
            / nullif(
                sqrt(concordant + discordant + (items * (items - 1) / 2) - label_pairs - equal_pairs) * sqrt(label_pairs),
                0
            ) as kendall_tau,
        row_count
    from group_pairs
)
select
    cast(coalesce(sum(row_count), 0) as bigint) as n,
    -- (concordant − discordant pairs) / pairs, per group, then the mean over groups, b and c correct for ties
    avg(kendall_tau) as kendall_tau
from item_pairs
