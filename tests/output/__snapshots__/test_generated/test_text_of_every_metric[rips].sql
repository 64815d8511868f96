-- rips of impressions
with
source as (
    -- the columns that are read, under the names that all steps use
    select
        -cast(rank as double) as score,
        user_id as group_id,
        cast(reward as double) as reward,
        cast(propensity as double) as propensity,
        cast(target as double) as target
    from impressions
),
observations as (
    -- the rows that count
    select
        score,
        group_id,
        reward,
        propensity,
        target
    from source
    where (isfinite(score) or isinf(score)) is true
        and group_id is not null
),
slate_items as (
    -- one per item of a slate
    select
        group_id,
        reward,
        (target / nullif(propensity, 0)) as item_importance,
        case when (isfinite(reward) or isinf(reward)) is true and (isfinite(propensity) or isinf(propensity)) is true and (isfinite(target) or isinf(target)) is true then 1 else 0 end as is_complete,
        score,
        target,
        propensity
    from observations
),
slate_places as (
    -- one per place of a slate
    select
        group_id,
        sum(reward) as reward_of_place,
        sum(item_importance * reward) as reward_by_item,
        min(item_importance) as least_importance,
        sum(ln(nullif(item_importance, 0))) as logarithm_of_importance,
        min(min(target)) over (partition by group_id order by score desc rows unbounded preceding) as least_target,
        sum(sum(ln(nullif(target, 0)) - ln(nullif(propensity, 0)))) over (partition by group_id order by score desc rows unbounded preceding) as logarithm,
        min(is_complete) as is_complete_place,
        count(*) as row_count
    from slate_items
    group by
        group_id,
        score
),
slates as (
    -- one per slate without a gap, a list that was shown together
    select
        group_id,
        case
            when min(least_importance) <= 0 or sum(logarithm_of_importance) < -700 then 0
            else exp(sum(logarithm_of_importance))
        end as importance,
        sum(reward_of_place) as total_reward,
        sum(reward_by_item) as reward_by_item,
        sum(case
            when least_target <= 0 or logarithm < -700 or reward_of_place = 0 then 0
            else exp(logarithm)
        end * reward_of_place) as reward_by_cascade,
        sum(row_count) as row_count
    from slate_places
    group by
        group_id
    having min(is_complete_place) = 1
)
select
    cast(coalesce(sum(row_count), 0) as bigint) as n,
    -- mean over slates of Σ (Π_{j ≤ i} wⱼ)·rᵢ, wᵢ = target / propensity of place i
    avg(reward_by_cascade) as rips
from slates
