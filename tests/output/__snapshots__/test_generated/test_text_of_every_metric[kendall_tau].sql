-- kendall_tau of impressions
with
source as (
    -- the columns that are read, under the names that all steps use
    select
        cast(clicked as double) as label,
        cast(pctr as double) as score,
        user_id as group_id
    from impressions
),
valid_rows as (
    -- the rows that count
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
        cast(count(*) as double) as items,
        count(*) as row_count
    from valid_rows
    group by
        group_id,
        score,
        label
),
sizes as (
    -- one per group
    select
        group_id,
        sum(items) as items,
        sum(row_count) as row_count
    from cells
    group by
        group_id
),
pairs as (
    -- one per group, with its pairs
    select
        a.group_id,
        sum(case when a.score > b.score and a.label > b.label then a.items * b.items else 0 end) as concordant,
        sum(case when a.score > b.score and a.label < b.label then a.items * b.items else 0 end) as discordant,
        sum(case
            when a.score <> b.score then 0
            when a.label > b.label then a.items * b.items
            when a.label = b.label then a.items * (a.items - 1) / 2
            else 0
        end) as score_ties,
        sum(case
            when a.label <> b.label then 0
            when a.score > b.score then a.items * b.items
            when a.score = b.score then a.items * (a.items - 1) / 2
            else 0
        end) as label_ties
    from cells as a
    inner join cells as b
        on a.group_id = b.group_id
    where a.score >= b.score
    group by
        a.group_id
),
item_pairs as (
    -- one per group
    select
        sizes.group_id,
        (concordant - discordant) / nullif(sqrt((items * (items - 1) / 2) - score_ties) * sqrt((items * (items - 1) / 2) - label_ties), 0) as kendall_tau,
        sizes.row_count
    from sizes as sizes
    inner join pairs as pairs
        on sizes.group_id = pairs.group_id
)
select
    cast(coalesce(sum(row_count), 0) as bigint) as n,
    -- (concordant − discordant pairs) / pairs, per group, then the mean over groups, b and c correct for ties
    avg(kendall_tau) as kendall_tau
from item_pairs
