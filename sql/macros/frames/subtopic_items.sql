{#-
title: subtopic items
rows: one per group, from its subtopics, each of which reads the list of all items
unit: group
step: subtopic_group_values
group_values: columns
diagnostics: {groups: count(*), groups_skipped: 'count(*) - count({value})'}
columns: group_id, subtopic_id, label (graded relevance for the subtopic), relevant (0 or 1), item_rank (in the list of the group) and, where a metric uses them, relevant_above (relevant items of the subtopic before this one) and log_go_on (the logarithm of the chance that a user who wants the subtopic reads on to here)
parameters:
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
    that uses `subtopics_added`, their sum. -#}
{%- macro subtopic_items(f, rows_from, keys) -%}
{%- set group_keys = keys + ['group_id'] -%}
{%- set weights = ['group_weight'] if f.group_weight else [] -%}
{%- set ranked = 'ranked_subtopic_items' ~ f.suffix -%}
{%- set read = 'subtopic_items' ~ f.suffix -%}
{%- set valued = 'subtopic_values' ~ f.suffix -%}
{%- set relevant = 'case when label >= ' ~ sqlmetrics.number(f.params.relevant_at) ~ ' then 1 else 0 end' -%}
{%- set ranked_subtopic_items -%}
select
    {{ sqlmetrics.lines(group_keys + weights + [
        'subtopic_id',
        'label',
        sqlmetrics.to_double(relevant) ~ ' as relevant',
        'dense_rank() ' ~ sqlmetrics.over(group_keys, 'score desc, tie_key desc nulls last, item_id desc') ~ ' as item_rank',
    ]) }}
from {{ rows_from }}
{{- f.where }}
{%- endset -%}
{%- set above = sqlmetrics.over(group_keys + ['subtopic_id'], 'item_rank rows between unbounded preceding and 1 preceding') -%}
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
    {{ sqlmetrics.lines(group_keys + ['subtopic_id'] + (['max(group_weight) as group_weight'] if weights else []) + values + ['count(*) as row_count']) }}
from {{ read }}
{{- sqlmetrics.group_by(group_keys + ['subtopic_id']) }}
{%- endset -%}
{%- set subtopic_group_values -%}
select
    {{ sqlmetrics.lines(group_keys + (['max(subtopics.group_weight) as group_weight'] if weights else []) + group_values + ['sum(subtopics.row_count) as row_count']) }}
from {{ valued }} as subtopics
{{- sqlmetrics.group_by(group_keys) }}
{%- endset -%}
{%- set steps = [sqlmetrics.step(ranked, ranked_subtopic_items, 'one per item and subtopic, with the place of the item', [rows_from])] -%}
{%- if columns | length > (group_keys + weights) | length + 4 -%}
{%- do steps.append(sqlmetrics.step(read, subtopic_items, 'the same, with what comes before it', [ranked])) -%}
{%- endif -%}
{{ return(steps + [
    sqlmetrics.step(valued, subtopic_values | replace('from ' ~ read, 'from ' ~ steps[-1].name), 'one per subtopic of a group', [steps[-1].name]),
    sqlmetrics.step(f.cte, subtopic_group_values, f.rows, [valued]),
]) }}
{%- endmacro -%}

{#- What is left of a subtopic after the relevant items above. -#}
{%- macro left_of_subtopic(m) -%}
{{ sqlmetrics.power_of_place('(1 - ' ~ sqlmetrics.to_double(sqlmetrics.number(m.alpha)) ~ ')', 'relevant_above') }}
{%- endmacro -%}
