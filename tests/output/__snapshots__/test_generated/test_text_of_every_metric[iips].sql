-- iips of impressions
with
source as (
    -- input columns under canonical names
    select
        user_id as group_id,
        cast(reward as double) as reward,
        cast(propensity as double) as propensity,
        cast(target as double) as target
    from impressions
),
valid_rows as (
    -- rows without missing values
    select
        group_id,
        reward,
        propensity,
        target
    from source
    where group_id is not null
),
slate_items as (
    -- one per item of a slate
    select
        group_id,
        reward,
        (target / nullif(propensity, 0)) as item_importance,
        case
            when (isfinite(reward) or isinf(reward)) is true
                and (isfinite(propensity) or isinf(propensity)) is true
                and (isfinite(target) or isinf(target)) is true
                then 1
            else 0
        end as is_complete
    from valid_rows
),
slates as (
    -- one per slate without a gap, a list that was shown together
    select
        group_id,
        case
            when min(item_importance) <= 0 or sum(ln(nullif(item_importance, 0))) < -700 then 0
            else exp(sum(ln(nullif(item_importance, 0))))
        end as importance,
        sum(reward) as total_reward,
        sum(item_importance * reward) as reward_by_item,
        count(*) as row_count
    from slate_items
    group by group_id
    having min(is_complete) = 1
)
select
    cast(coalesce(sum(row_count), 0) as bigint) as n,
    -- mean over slates of Σ wᵢ·rᵢ, wᵢ = target / propensity of place i
    avg(reward_by_item) as iips
from slates
