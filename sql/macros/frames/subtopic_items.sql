{#-
title: subtopic items
rows: one per group, from its subtopics, each of which reads the list of all items
unit: group
step: subtopic_group_values
group_values: columns
diagnostics: {groups: count(*), groups_skipped: 'count(*) - count({value})'}
columns: of relevant items alone (with log_continuation, of those with a label above 0) group_id, subtopic_id, label (graded relevance for the subtopic), relevant (0 or 1), item_rank (in the list of the group; NULL for a judged item that was not returned) and, where a metric uses them, relevant_above (relevant items of the subtopic before this one) and log_continuation (the logarithm of the chance that a user who wants the subtopic reads on to here)
relations: [judgments]
parameters:
  missing:
    default: zero
    choices: {zero: counts as 0, skip: dropped from the mean}
    doc: 'a judged group without a returned item, or without one that matches `where`; it counts overall, in no slice'
    presets: {trec_eval: skip, spark: zero}
    used_by: {skip: ndeval}
  relevant_at: {type: number, default: 1, doc: an item is relevant if its label is at least this}
  max_label: {type: number, default: 1, minimum: 1, doc: the highest possible grade}
metric_parameters:
  k: {type: integer, default: null, minimum: 1, doc: how many items from the top; the whole list by default}
  alpha: {type: number, default: 0.5, minimum: 0, maximum: 1, doc: the share of the remaining value of a subtopic that a relevant item takes away}
  empty: {default: skip, choices: {skip: dropped from the mean, zero: counts as 0, one: counts as 1}, doc: what a group without any relevant item counts as}
-#}

{#- An item has a row for each subtopic it was judged for, with its rank in the group (ties by tie_key, default the item, descending). The
    value of a group is the mean over subtopics with a relevant item. With `subtopics_added` it is their sum; with `best_list` it is
    divided by the value of the best list. Other items add nothing: only the last of a group remains, for the row count. With judgments,
    the row count is the number of listed items. -#}
{%- macro subtopic_items(f, rows_from, keys) -%}
{%- set group_keys = keys + ['group_id'] -%}
{%- set subtopic_keys = group_keys + ['subtopic_id'] -%}
{%- set weights = ['group_weight'] if f.group_weight else [] -%}
{%- set items = 'subtopics_of_items' ~ f.suffix if f.judged else rows_from -%}
{%- set returned_first = 'returned desc, ' if f.judged else '' -%}
{%- set relevant = 'case when subtopic_id is not null and label >= ' ~ sqlmetrics.number(f.params.relevant_at) ~ ' then 1 else 0 end' -%}
{%- set in_order = sqlmetrics.over(group_keys, returned_first ~ sqlmetrics.order_of_lists(f)) -%}
{%- set best_list = 'best_list' in f.uses -%}
{%- set of_groups = 'subtopics_of_groups' ~ f.suffix if best_list else f.cte -%}
{{ sqlmetrics.judged_items(f, items, rows_from, keys, subtopics=true) if f.judged }}
{{ sqlmetrics.cte('ranked_subtopic_items' ~ f.suffix, 'one per item and subtopic, with the rank of the item') }}
select
    {{- sqlmetrics.leading(group_keys + weights + ['subtopic_id', 'label'] + (['item_id'] if best_list else [])) }}
    {{ sqlmetrics.to_double(relevant) }} as relevant,
    {{ sqlmetrics.indented(sqlmetrics.when_returned(f, 'dense_rank() ' ~ in_order)) }} as item_rank,
    {{ 'returned' if f.judged else 'row_number() ' ~ in_order ~ ' as rows_cumulative' }},
    {{ sqlmetrics.is_followed(in_order, 'returned' if f.judged else '1') }}
from {{ items }}
{{- '' if f.judged else f.where }}
{{ sqlmetrics.cte('subtopic_items' ~ f.suffix, 'relevant items, and the last item of each group', materialized=best_list) }}
select
    *
    {%- set in_list = returned_first ~ 'item_rank asc' %}
    {%- set relevant_first = sqlmetrics.over(subtopic_keys, 'relevant desc, ' ~ in_list) %}
    {{- sqlmetrics.also('relevant_above' in f.uses, sqlmetrics.to_double('row_number() ' ~ relevant_first ~ ' - 1') ~ ' as relevant_above') }}
    {%- if 'log_continuation' in f.uses %}
    {%- set grade = 'least(greatest(label, 0), ' ~ sqlmetrics.number(f.params.max_label) ~ ')' -%}
    {%- set above = sqlmetrics.over(subtopic_keys, in_list ~ ' rows between unbounded preceding and 1 preceding') -%},
    coalesce(sum(ln(1 - {{ sqlmetrics.stop_probability(grade, f.params.max_label) }})) {{ above }}, 0) as log_continuation
    {%- endif %}
from ranked_subtopic_items{{ f.suffix }}
where relevant = 1
    {{- '\n    or label > 0' if 'log_continuation' in f.uses }}
    or is_followed = 0
{%- set values = ['max(group_weight) as group_weight'] if weights else [] -%}
{%- set group_values = ['max(subtopics.group_weight) as group_weight'] if weights else [] -%}
{%- for m in f.metrics -%}
{%- for column in m.group_columns -%}
{%- set own = sqlmetrics.identifier(column.as) -%}
{%- do values.append(sqlmetrics.indented(sqlmetrics.when_any_relevant(sqlmetrics.metric_per_group(m, column.name))) ~ ' as ' ~ own) -%}
{%- do group_values.append(('sum' if 'subtopics_added' in m.uses else 'avg') ~ '(subtopics.' ~ own ~ ') as ' ~ own) -%}
{%- endfor -%}
{%- endfor %}
{{ sqlmetrics.cte('subtopic_values' ~ f.suffix, 'one per subtopic of a group') }}
{{ sqlmetrics.sums_by(subtopic_keys, values, 'subtopic_items' ~ f.suffix, row_count='coalesce(max(item_rank), 0)' if f.judged else 'max(rows_cumulative)') }}
{{ sqlmetrics.cte(of_groups, 'one per group' if best_list else f.rows) }}
{{ sqlmetrics.sums_by(group_keys, group_values, 'subtopic_values' ~ f.suffix ~ ' as subtopics', row_count='max(subtopics.row_count)') }}
{{ sqlmetrics.divided_by_best_lists(f, 'subtopic_items' ~ f.suffix, of_groups, group_keys, weights) if best_list }}
{%- endmacro -%}

{#- Values divided by those of the best lists. Each alpha has one list, as long as the largest k of its metrics. -#}
{%- macro divided_by_best_lists(f, items, of_groups, group_keys, weights) -%}
{%- set longest = {} -%}
{%- for m in f.metrics if 'best_list' in m.uses -%}{%- do longest.update({m.alpha: [m.k, longest.get(m.alpha, 0)] | max}) -%}{%- endfor -%}
{%- set lists = {} -%}
{%- for alpha, k in longest.items() -%}
{%- set own = ('' if loop.first else '_' ~ loop.index) ~ f.suffix -%}
{%- do lists.update({alpha: 'best_lists' ~ own}) -%}
{{ sqlmetrics.ideal_items(items, alpha, k, group_keys, own) }}
{{ sqlmetrics.cte('best_lists' ~ own, 'one per group, with the values of its best list') }}
select
    {{ sqlmetrics.select_list(group_keys) }}
    {%- for m in f.metrics if 'best_list' in m.uses and m.alpha == alpha %},
    sum(case when ideal_rank <= {{ m.k }} then remaining_value * {{ sqlmetrics.novelty_discount('ideal_rank') }} else 0 end) as {{ sqlmetrics.identifier(m.group_columns[0].as) }}
    {%- endfor %}
from (
    select
        *,
        dense_rank() {{ sqlmetrics.over(group_keys, sqlmetrics.in_order(['final_gain desc', sqlmetrics.key_order('item_id', 'desc')])) }} as ideal_rank
    from {{ 'ideal_items' if sqlmetrics.can_recurse() else 'ideal_round_' ~ k }}{{ own }}
    where final_gain > 0
) as ranked_by_gain
{{- sqlmetrics.group_by(group_keys) }}
{%- endfor %}
{{ sqlmetrics.cte(f.cte, f.rows) }}
select
    {{- sqlmetrics.leading(group_keys + weights, of_groups) }}
    {%- for m in f.metrics %}
    {%- set own = sqlmetrics.identifier(m.group_columns[0].as) %}
    {{ of_groups }}.{{ own }}{{ ' / nullif(' ~ lists[m.alpha] ~ '.' ~ own ~ ', 0)' if 'best_list' in m.uses }} as {{ own }},
    {%- endfor %}
    {{ of_groups }}.row_count as row_count
from {{ of_groups }}
{%- for name in lists.values() %}
left join {{ name }}{{ sqlmetrics.on(of_groups, name, group_keys) }}
{%- endfor %}
{%- endmacro -%}

{#- The best lists: each rank has the item that gains most after the items above. A row is a relevant item and a subtopic. A round takes every item
    that gains most in each of its subtopics. No item above it can change its gain, because gains only fall and only items of the same
    subtopics lower them. `final_gain` is 0 until the item is taken; from then on `remaining_value` is that of the subtopic at its rank. The
    first k ranks take at most k rounds. Rounds of a recursion read the items that are left. Engines without recursion have a
    materialized step for each round, with all items. Numbers are doubles: a recursion requires the same types in each round. -#}
{%- macro ideal_items(items, alpha, k, group_keys, suffix) -%}
{%- set recursive = sqlmetrics.can_recurse() -%}
{%- set name = ('ideal_items' if recursive else 'items_of_best_lists') ~ suffix -%}
{%- set state = 'each round takes those that gain most in their subtopics' if recursive else 'none taken yet' -%}
{{ sqlmetrics.cte(name, 'one per relevant item and subtopic' ~ (': ' if recursive else ', ') ~ state, materialized=recursive, recursive=recursive) }}
select
    {{- sqlmetrics.leading(group_keys + ['subtopic_id', 'item_id']) }}
    {{ sqlmetrics.to_double('0') }} as final_gain,
    {{ sqlmetrics.to_double('1') }} as remaining_value
    {{- ',\n    ' ~ sqlmetrics.to_double('0') ~ ' as rounds' if recursive }}
from {{ items }}
where relevant = 1
{{- '\nunion all\n' ~ sqlmetrics.next_ideal_items(name, alpha, k, group_keys) if recursive }}
{%- for round in ([] if recursive else range(1, k + 1)) %}
{{ sqlmetrics.cte('ideal_round_' ~ round ~ suffix, materialized=true) }}
{{ sqlmetrics.next_ideal_items(name if loop.first else 'ideal_round_' ~ (round - 1) ~ suffix, alpha, none, group_keys) }}
{%- endfor %}
{%- endmacro -%}

{#- A round. Gains are rounded, because their sums have no fixed order. Few lines, because engines without recursion repeat them for each
    round. -#}
{%- macro next_ideal_items(name, alpha, rounds, group_keys) -%}
{%- set gain = sqlmetrics.rounded('sum(remaining_value) ' ~ sqlmetrics.over(group_keys + ['item_id']), 12) -%}
{%- set subtopic_keys = group_keys + ['subtopic_id'] -%}
{%- set most_first = sqlmetrics.in_order(['gain desc', sqlmetrics.key_order('item_id', 'desc')]) -%}
select {{ (subtopic_keys + ['item_id']) | join(', ') }}, case when is_taken = 1 then gain else final_gain end as final_gain,
    remaining_value * case when is_taken = 1 or final_gain > 0
            or max(is_taken) {{ sqlmetrics.over(subtopic_keys) }} = 0
        then 1e0 else {{ sqlmetrics.remaining_share(alpha) }} end as remaining_value
    {{- ',\n    rounds + 1e0 as rounds' if rounds is not none }}
from (
    select *, case when gain > 0 and max(rank_in_subtopic) {{ sqlmetrics.over(group_keys + ['item_id']) }} = 1
        then 1 else 0 end as is_taken
    from (select *, row_number() {{ sqlmetrics.over(subtopic_keys, most_first) }} as rank_in_subtopic
        from (select *, {{ 'case when final_gain > 0 then -1e0\n                else ' ~ gain ~ ' end' if rounds is none else gain }} as gain
            from {{ name }}
            {{- '\n            where final_gain = 0 and rounds < ' ~ rounds if rounds is not none }}) as gains) as ranked_gains) as next_items
{%- endmacro -%}

{#- Gain of a list: items count by the share of a subtopic that relevant items above leave. -#}
{%- macro discounted_novelty(m) -%}
{%- set left = sqlmetrics.remaining_share(m.alpha) -%}
{%- set condition = ('item_rank is not null' if m.k is none else 'item_rank <= ' ~ m.k) ~ ' and ' ~ sqlmetrics.logarithm_of_power(left, 'relevant_above') ~ ' > -700' -%}
sum({{ sqlmetrics.case_when(condition, 'relevant * power(' ~ left ~ ', relevant_above) * ' ~ sqlmetrics.novelty_discount('item_rank'), '0') }})
{%- endmacro -%}

{%- macro remaining_share(alpha) -%}(1e0 - {{ sqlmetrics.to_double(sqlmetrics.number(alpha)) }}){%- endmacro -%}

{#- PostgreSQL raises an error for powers too small for a double: metrics use those above e^-700. A base of 0 is safe. -#}
{%- macro logarithm_of_power(base, exponent) -%}coalesce({{ exponent }} * ln(nullif({{ base }}, 0)), 0){%- endmacro -%}

{%- macro novelty_discount(rank) -%}ln(2) / ln({{ rank }} + 1){%- endmacro -%}
