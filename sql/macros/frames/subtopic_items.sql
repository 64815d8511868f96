{#-
title: subtopic items
rows: one per group, from its subtopics, each of which reads the list of all items
unit: group
step: subtopic_group_values
group_values: columns
diagnostics: {groups: count(*), groups_skipped: 'count(*) - count({value})'}
columns: group_id, subtopic_id, label (graded relevance for the subtopic), relevant (0 or 1), item_rank (in the list of the group; NULL for a judged item that was not returned) and, where a metric uses them, relevant_above (relevant items of the subtopic before this one) and log_go_on (the logarithm of the chance that a user who wants the subtopic reads on to here)
relations: [judgments]
parameters:
  missing:
    default: zero
    choices: {zero: counts as 0, skip: left out of the mean}
    doc: 'a group with judgments but no returned item, or none that `where` leaves; it belongs to the whole and to no slice'
    presets: {trec_eval: skip, spark: zero}
    used_by: {skip: ndeval}
  relevant_at: {type: number, default: 1, doc: an item is relevant when its label is at least this}
  max_label: {type: number, default: 1, minimum: 1, doc: the highest grade there is}
metric_parameters:
  k: {type: integer, default: null, minimum: 1, doc: how many items from the top; the whole list by default}
  alpha: {type: number, default: 0.5, minimum: 0, maximum: 1, doc: how much of what is left of a subtopic a relevant item takes away}
  empty:
    default: skip
    choices: {skip: left out of the mean, zero: counts as 0, one: counts as 1}
    doc: what a group without any relevant item counts as
-#}

{#- A row is an item and a subtopic, an item as many rows as subtopics it was judged for; all of them have its place in the list of
    the group, in which equal scores are ordered by tie_key, by default the item itself, descending. A metric says what each
    subtopic has of the list. The value of a group is the mean over the subtopics for which something is relevant, or, of a metric
    that uses `subtopics_added`, their sum; of one that uses `best_list` it is divided by that of the best list.
    With judgments it is they that say for which subtopics an item is relevant, and what else there was to find; the rows are the
    items of the lists then. -#}
{%- macro subtopic_items(f, rows_from, keys) -%}
{%- set group_keys = keys + ['group_id'] -%}
{%- set weights = ['group_weight'] if f.group_weight else [] -%}
{%- set ranked = 'ranked_subtopic_items' ~ f.suffix -%}
{%- set items = sqlmetrics.items_to_rank(f, rows_from, keys, 'subtopics_of_', ['subtopic_id']) -%}
{%- set read = 'subtopic_items' ~ f.suffix -%}
{%- set valued = 'subtopic_values' ~ f.suffix -%}
{%- set relevant = 'case when subtopic_id is not null and label >= ' ~ sqlmetrics.number(f.params.relevant_at) ~ ' then 1 else 0 end' -%}
{%- set best_lists = [] -%}
{%- for m in f.metrics if 'best_list' in m.uses -%}{%- do best_lists.append(m) -%}{%- endfor -%}
{%- set place = 'dense_rank() ' ~ sqlmetrics.over(group_keys, ('returned desc, ' if f.judged else '') ~ 'score desc, ' ~ sqlmetrics.key_order('tie_key', 'desc') ~ ', ' ~ sqlmetrics.key_order('item_id', 'desc')) -%}
{%- set ranked_subtopic_items -%}
select
    {{ sqlmetrics.lines(group_keys + weights + [
        'subtopic_id',
        'label',
    ] + (['item_id'] if best_lists else []) + [
        sqlmetrics.to_double(relevant) ~ ' as relevant',
        ('case when returned = 1 then ' ~ place ~ ' end' if f.judged else place) ~ ' as item_rank',
    ] + (['returned'] if f.judged else [])) }}
from {{ items.from }}
{{- '' if f.judged else f.where }}
{%- endset -%}
{%- set above = sqlmetrics.over(group_keys + ['subtopic_id'], ('returned desc, ' if f.judged else '') ~ 'item_rank asc rows between unbounded preceding and 1 preceding') -%}
{%- set columns = group_keys + weights + ['subtopic_id', 'label', 'relevant', 'item_rank'] -%}
{%- if 'relevant_above' in f.uses -%}
{%- do columns.append('coalesce(sum(relevant) ' ~ above ~ ', 0) as relevant_above') -%}
{%- endif -%}
{%- if 'log_go_on' in f.uses -%}
{%- set highest = sqlmetrics.number(f.params.max_label) -%}
{%- do columns.append('coalesce(sum(ln(1 - ' ~ sqlmetrics.chance_to_stop('least(greatest(label, 0), ' ~ highest ~ ')', f.params.max_label) ~ ')) ' ~ above ~ ', 0) as log_go_on') -%}
{%- endif -%}
{%- set subtopic_items -%}
select
    {{ sqlmetrics.lines(columns) }}
from {{ ranked }}
{%- endset -%}
{%- set values = [] -%}
{%- set group_values = [] -%}
{%- for m in f.metrics -%}
{%- for column in m.group_columns -%}
{%- set own = sqlmetrics.identifier(column.as) -%}
{%- do values.append('case when sum(relevant) > 0 then ' ~ sqlmetrics.indented(sqlmetrics.metric_per_group(m, column.name)) ~ ' end as ' ~ own) -%}
{%- do group_values.append(('sum(' if 'subtopics_added' in m.uses else 'avg(') ~ 'subtopics.' ~ own ~ ') as ' ~ own) -%}
{%- endfor -%}
{%- endfor -%}
{%- set subtopic_values -%}
select
    {{ sqlmetrics.lines(group_keys + ['subtopic_id'] + (['max(group_weight) as group_weight'] if weights else []) + values + [('coalesce(max(item_rank), 0)' if f.judged else 'count(*)') ~ ' as row_count']) }}
from {{ read }}
{{- sqlmetrics.group_by(group_keys + ['subtopic_id']) }}
{%- endset -%}
{%- set subtopic_group_values -%}
select
    {{ sqlmetrics.lines(group_keys + (['max(subtopics.group_weight) as group_weight'] if weights else []) + group_values + [('max' if f.judged else 'sum') ~ '(subtopics.row_count) as row_count']) }}
from {{ valued }} as subtopics
{{- sqlmetrics.group_by(group_keys) }}
{%- endset -%}
{%- set steps = items.steps + [sqlmetrics.step(ranked, ranked_subtopic_items, 'one per item and subtopic, with the place of the item')] -%}
{%- if columns | length > (group_keys + weights) | length + 4 -%}
{%- do steps.append(sqlmetrics.step(read, subtopic_items, 'the same, with what comes before it')) -%}
{%- endif -%}
{%- do steps.append(sqlmetrics.step(valued, subtopic_values | replace('from ' ~ read, 'from ' ~ steps[-1].name), 'one per subtopic of a group')) -%}
{%- if not best_lists -%}
{{ return(steps + [sqlmetrics.step(f.cte, subtopic_group_values, f.rows)]) }}
{%- endif -%}
{%- set added = 'subtopics_of_groups' ~ f.suffix -%}
{%- set best = sqlmetrics.best_lists(f, best_lists, group_keys, ranked) -%}
{%- set divided = sqlmetrics.keys_of(added, group_keys + weights) -%}
{%- for m in f.metrics -%}
{%- for column in m.group_columns -%}
{%- set own = sqlmetrics.identifier(column.as) -%}
{%- do divided.append(added ~ '.' ~ own ~ (' / nullif(best_lists.' ~ own ~ ', 0)' if m in best_lists else '') ~ ' as ' ~ own) -%}
{%- endfor -%}
{%- endfor -%}
{%- set groups_by_best_lists -%}
select
    {{ sqlmetrics.lines(divided + [added ~ '.row_count as row_count']) }}
from {{ added }}
left join {{ best[-1].name }} as best_lists
    on {{ sqlmetrics.same_keys(added, 'best_lists', group_keys) | join('\n    and ') }}
{%- endset -%}
{{ return(steps + [sqlmetrics.step(added, subtopic_group_values, 'one per group')] + best + [
    sqlmetrics.step(f.cte, groups_by_best_lists, f.rows),
]) }}
{%- endmacro -%}

{#- The best lists of all groups, and what they have of novelty: a list in which each item is the one that gains most after those
    above it. A row is a relevant item and a subtopic. What is left of a subtopic is counted down from place to place, and stands
    still in the rows of an item that has its place. Each place is a step that is read by the next and by no other, which an engine
    that writes steps out where they are read can do as well. Stored, because DuckDB 1.4 takes seven times as long to plan for every
    window of a window that it might push a filter through. -#}
{%- macro best_lists(f, metrics, group_keys, ranked) -%}
{%- set longest = {} -%}
{%- for m in metrics -%}{%- do longest.update({m.alpha: [m.k, longest.get(m.alpha, 0)] | max}) -%}{%- endfor -%}
{%- set steps = [] -%}
{%- set chosen = [] -%}
{%- for alpha, k in longest.items() -%}
{%- set own = ('' if loop.first else '_' ~ loop.index) ~ f.suffix -%}
{%- set items_to_place -%}
select
    {{ sqlmetrics.lines(group_keys + ['subtopic_id', 'item_id', '0 as place', sqlmetrics.to_double('1') ~ ' as subtopic_left']) }}
from {{ ranked }}
where relevant = 1
{%- endset -%}
{%- do steps.append(sqlmetrics.step('items_to_place' ~ own, items_to_place, 'one per relevant item and subtopic, none of them in its place')) -%}
{%- for place in range(1, k + 1) -%}
{%- do steps.append(sqlmetrics.step('place_' ~ place ~ own, sqlmetrics.next_place(steps[-1].name, place, alpha, group_keys), 'the same, with the item of place ' ~ place, stored=true)) -%}
{%- endfor -%}
{%- do chosen.append({'alpha': alpha, 'from': steps[-1].name}) -%}
{%- endfor -%}
{%- set values = [] -%}
{%- for m in metrics -%}
{%- set counted = 'place between 1 and ' ~ m.k ~ ('' if chosen | length == 1 else ' and alpha = ' ~ sqlmetrics.number(m.alpha)) -%}
{%- for column in m.group_columns -%}
{%- do values.append('sum(case when ' ~ counted ~ ' then subtopic_left * ' ~ sqlmetrics.novelty_discount('place') ~ ' else 0 end) as ' ~ sqlmetrics.identifier(column.as)) -%}
{%- endfor -%}
{%- endfor -%}
{%- set best_lists -%}
select
    {{ sqlmetrics.lines(group_keys + values) }}
from {{ chosen[0].from if chosen | length == 1 else '(' }}
{%- for one in chosen if chosen | length > 1 %}
    {{ 'union all' if not loop.first }}
    select {{ (group_keys + ['place', 'subtopic_left', sqlmetrics.number(one.alpha) ~ ' as alpha']) | join(', ') }} from {{ one.from }}
{%- endfor %}
{{- '\n) as chosen_items' if chosen | length > 1 }}
{{- sqlmetrics.group_by(group_keys) }}
{%- endset -%}
{{ return(steps + [sqlmetrics.step('best_lists' ~ f.suffix, best_lists, 'one per group, what the best list has')]) }}
{%- endmacro -%}

{#- The items as before, with the one that gains most in the next place. Gains that differ in their last digits alone are as much:
    they are sums in an order that no engine promises. Numbers are doubles as they stand: each that is not takes Spark another round of
    its analysis, of which it has 100. -#}
{%- macro next_place(name, place, alpha, group_keys) -%}
{%- set left = '(' ~ sqlmetrics.to_double('1') ~ ' - ' ~ sqlmetrics.to_double(sqlmetrics.number(alpha)) ~ ')' -%}
{%- set columns = group_keys + ['subtopic_id', 'item_id'] -%}
select
    {{ sqlmetrics.lines(columns + [
        'place',
        'case when place = 0 and max(case when place = ' ~ place ~ ' then 1 else 0 end) ' ~ sqlmetrics.over(group_keys + ['subtopic_id']) ~ ' = 1 then subtopic_left * ' ~ left ~ ' else subtopic_left end as subtopic_left',
    ]) }}
from (
    select
        {{ (columns + [
            'case when place = 0 and dense_rank() ' ~ sqlmetrics.over(group_keys, 'gain desc, ' ~ sqlmetrics.key_order('item_id', 'desc')) ~ ' = 1 then ' ~ place ~ ' else place end as place',
            'subtopic_left',
        ]) | join(',\n        ') }}
    from (
        select
            {{ (columns + [
                'place',
                'subtopic_left',
                'case when place = 0 then ' ~ sqlmetrics.rounded('sum(subtopic_left) ' ~ sqlmetrics.over(group_keys + ['item_id']), 12) ~ ' else ' ~ sqlmetrics.to_double('-1') ~ ' end as gain',
            ]) | join(',\n            ') }}
        from {{ name }}
    ) as gains_of_items
) as items_with_places
{%- endmacro -%}

{#- What items add to a list, each for what is left of its subtopics. -#}
{%- macro discounted_novelty(m) -%}
{{ sqlmetrics.sum_within('relevant * (' ~ sqlmetrics.left_of_subtopic(m) ~ ') * ' ~ sqlmetrics.novelty_discount('item_rank'), 'item_rank', m.k) }}
{%- endmacro -%}

{%- macro novelty_discount(rank) -%}
ln(2) / ln({{ rank }} + 1)
{%- endmacro -%}

{#- What is left of a subtopic after the relevant items above. -#}
{%- macro left_of_subtopic(m) -%}
{{ sqlmetrics.power_of_place('(1 - ' ~ sqlmetrics.to_double(sqlmetrics.number(m.alpha)) ~ ')', 'relevant_above') }}
{%- endmacro -%}
