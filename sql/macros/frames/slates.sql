{#-
title: slates
rows: one per slate without a gap, a list that was shown together
unit: group
diagnostics: {groups: count(*), mean_importance: avg(importance), largest_importance: max(importance), effective_rows: 'sum(importance) * sum(importance) / nullif(sum(importance * importance), 0)'}
columns: group_id, importance (the product of the weights of its positions), total_reward (the sum of its positions), reward_by_item (each times its own weight), reward_by_cascade (each times the weights of the places down to it, where a metric uses it), row_count
-#}

{#- A product is the exponential of a sum of logarithms. It is 0 for a weight of 0 or a logarithm below -700, because PostgreSQL raises an
    error if exp is too small for a double. A product that is too large is infinite, but 0 in the cascade where the reward is 0. -#}
{%- macro slates(f, rows_from, keys) -%}
{%- set group_keys = keys + ['group_id'] -%}
{%- set cascade = 'cascade' in f.uses -%}
{%- set items_or_positions = ('slate_positions' if cascade else 'slate_items') ~ f.suffix -%}
{%- set logarithm = 'logarithm_of_importance' if cascade else 'ln(nullif(item_importance, 0))' -%}
{%- set running = sqlmetrics.over(group_keys, 'score desc rows unbounded preceding') -%}
{{ sqlmetrics.cte('slate_items' ~ f.suffix, 'one per item of a slate') }}
select
    {{- sqlmetrics.leading(group_keys + (['score', 'target', 'propensity'] if cascade else []) + ['reward']) }}
    {{ sqlmetrics.importance() }} as item_importance,
    case
        when {{ sqlmetrics.is_present(['reward', 'propensity', 'target']) | indent(8) }}
            then 1
        else 0
    end as is_complete
from {{ rows_from }}
{{- f.where }}
{%- if cascade %}
{#- Items at the same position are summed first, so that cumulative sums run over positions. #}
{{ sqlmetrics.cte(items_or_positions, 'one per position of a slate') }}
select
    {{- sqlmetrics.leading(group_keys) }}
    sum(reward) as reward,
    sum(item_importance * reward) as reward_by_item,
    min(item_importance) as item_importance,
    sum(ln(nullif(item_importance, 0))) as logarithm_of_importance,
    min(min(target)) {{ running }} as least_target,
    sum(sum(ln(nullif(target, 0)) - ln(nullif(propensity, 0))))
        {{ running }} as logarithm,
    min(is_complete) as is_complete,
    count(*) as row_count
from slate_items{{ f.suffix }}
{{- sqlmetrics.group_by(group_keys + ['score']) }}
{%- endif %}
{{ sqlmetrics.cte(f.cte, f.rows) }}
select
    {{- sqlmetrics.leading(group_keys) }}
    {{ sqlmetrics.indented(sqlmetrics.product_of('min(item_importance)', 'sum(' ~ logarithm ~ ')')) }} as importance,
    sum(reward) as total_reward,
    sum({{ 'reward_by_item' if cascade else 'item_importance * reward' }}) as reward_by_item,
    {%- if cascade %}
    sum({{ sqlmetrics.indented(sqlmetrics.product_of('least_target', 'logarithm', ' or reward = 0')) }} * reward) as reward_by_cascade,
    {%- endif %}
    {{ 'sum(row_count)' if cascade else 'count(*)' }} as row_count
from {{ items_or_positions }}
{{- sqlmetrics.group_by(group_keys) }}
having min(is_complete) = 1
{%- endmacro -%}

{%- macro product_of(least, logarithm, or_nothing='') -%}
case
    when {{ least }} <= 0 or {{ logarithm }} < -700{{ or_nothing }} then 0
    else exp({{ logarithm }})
end
{%- endmacro -%}
