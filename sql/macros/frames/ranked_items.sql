{#-
title: ranked items
rows: one per group, from its items in their order
unit: group
step: group_values
group_values: columns
diagnostics: {groups: count(*), groups_skipped: 'count(*) - count({value})'}
columns: group_id, label (graded relevance), relevant (0 or 1), item_rank (NULL for a judged item that was not returned) and, where a metric uses them, ideal_rank, listed_ideal_rank, hits (relevant items down to here) and has_judgment (0 or 1)
relations: [judgments]
parameters:
  ties:
    default: worst
    choices:
      worst: the least relevant of equal scores comes first
      best: the most relevant of equal scores comes first
      key: equal scores are ordered by the role tie_key, descending (by item where that is not given)
      average: the mean over all orders of the equal scores
    doc: the order of items with equal scores
    presets: {sklearn: average, trec_eval: key, lightgbm: key, spark: key}
    used_by: {average: scikit-learn, key: 'trec_eval by document id; LightGBM and Spark by the order of the rows'}
  relevant_at: {type: number, default: 1, doc: 'an item is relevant when its label is at least this; beside judgments, only one that they hold'}
  negative:
    default: error
    choices: {error: refused, zero: 'counts as 0, and in bpref as not judged'}
    doc: a negative label
    presets: {trec_eval: zero}
    used_by: {zero: trec_eval}
  precision_of_scores:
    default: double
    choices: {double: as they are, single: as 32-bit numbers}
    doc: how scores are compared
    presets: {trec_eval: single}
    used_by: {single: trec_eval}
  missing:
    default: zero
    choices: {zero: counts as 0, skip: left out of the mean}
    doc: 'a group with judgments but no returned item, or none that `where` leaves; it belongs to the whole and to no slice'
    presets: {trec_eval: skip, spark: zero}
    used_by: {skip: trec_eval, zero: Spark}
  max_label: {type: number, default: null, minimum: 0, doc: the highest grade there is}
metric_parameters:
  k: {type: integer, default: null, minimum: 1, doc: how many items from the top; the whole list by default}
  gain:
    default: exp
    choices: {exp: 2^label − 1, linear: the label itself, binary: 1 for a relevant item}
    doc: what an item of a grade is worth
    presets: {sklearn: linear, trec_eval: linear, lightgbm: exp, spark: binary}
    used_by: {exp: LightGBM, linear: 'scikit-learn, trec_eval', binary: Spark}
  discount:
    default: log2
    choices: {log2: 1/log2(i + 1), classic: '1 for the first item, then 1/log2(i)'}
    doc: how a gain shrinks with its place i
    used_by: {log2: 'scikit-learn, trec_eval, LightGBM, Spark', classic: 'Järvelin and Kekäläinen 2002'}
  empty:
    default: skip
    choices: {skip: left out of the mean, zero: counts as 0, one: counts as 1}
    doc: 'what a group without any relevant item counts as; in a metric that adds up grades, a group without any gain'
    presets: {sklearn: zero, trec_eval: zero, spark: zero}
    used_by: {zero: 'scikit-learn, trec_eval, Spark', one: 'LightGBM (ndcg, map)'}
-#}

{%- macro ranked_items(f, rows_from, keys) -%}
{#- A metric says by `uses: [gaining_items]` that it adds up nothing over items without gain. Where all of a frame do, an
    ideal list is made of the others alone, and without judgments the relevant items down to each are counted among them: five
    metrics of ten million rows with 3% clicks took half the time that they take with windows over all items. -#}
{%- set others = [] -%}
{%- for m in f.metrics if 'gaining_items' not in m.uses or m.get('negative') == 'keep' -%}{%- do others.append(m.name) -%}{%- endfor -%}
{%- set counts_gaining = 'ideal_rank' in f.uses or 'weighted_ideal' in f.uses or ('hits' in f.uses and not f.judged) -%}
{%- set only_gains = counts_gaining and not others -%}
{%- set hashed = f.hashed_groups and not f.judged -%}
{%- set group_keys = keys + ['group_hash' if hashed else 'group_id'] -%}
{%- set items = sqlmetrics.items_of_hashed_groups(f, rows_from) if hashed else sqlmetrics.items_to_rank(f, rows_from, keys) -%}
{%- set items_from = items.from -%}
{%- set ranked = 'ranked_items' ~ f.suffix -%}
{%- set values_from = 'gaining_items' ~ f.suffix if only_gains else ranked -%}
{%- set row_count = sqlmetrics.count_of_items(f) if not only_gains else 'max(items_returned)' if f.judged else 'max(item_rank)' -%}
{%- set columns = sqlmetrics.ranked_columns(f, group_keys, only_gains) -%}
{%- set counted = sqlmetrics.counted_columns(f, group_keys, only_gains) -%}
{%- set steps = items.steps -%}
{%- set ranked_items -%}
select
    {{ sqlmetrics.lines(sqlmetrics.selected(columns) + ([] if only_gains else sqlmetrics.selected(counted))) }}
from {{ items_from }}
{{- '' if f.judged else f.where }}
{%- endset -%}
{%- do steps.append(sqlmetrics.step(ranked, ranked_items, 'one per item of a group')) -%}
{%- if only_gains -%}
{%- do steps.append(sqlmetrics.step(values_from, sqlmetrics.gaining_items(f, ranked, columns, counted), 'the items that gain, and of each group one at least')) -%}
{%- endif -%}
{{ return(steps + [sqlmetrics.values_of_items(f, values_from, group_keys, row_count)]) }}
{%- endmacro -%}

{%- macro values_of_items(f, values_from, group_keys, row_count) -%}
{%- set values = [] -%}
{%- for m in f.metrics -%}
{%- for column in m.group_columns -%}
{%- do values.append(sqlmetrics.indented(sqlmetrics.metric_per_group(dict(m, row_count=row_count), column.name)) ~ ' as ' ~ sqlmetrics.identifier(column.as)) -%}
{%- endfor -%}
{%- endfor -%}
{%- set hashed = group_keys[-1] == 'group_hash' -%}
{%- set group_values -%}
select
    {{ sqlmetrics.lines((group_keys[:-1] + ['min(group_id) as group_id'] if hashed else group_keys) + (['max(group_weight) as group_weight'] if f.group_weight else []) + values) }},
    {{ 'cast(' ~ sqlmetrics.of_one_group(row_count) ~ ' as bigint)' if hashed else row_count }} as row_count
from {{ values_from }}
{{- sqlmetrics.group_by(group_keys) }}
{%- endset -%}
{{ return(sqlmetrics.step(f.cte, group_values, f.rows)) }}
{%- endmacro -%}

{#- Texts are sorted by a number that is made of them, as in group_scores. -#}
{%- macro items_of_hashed_groups(f, rows_from) -%}
{%- set name = 'items_of_hashed_groups' ~ f.suffix -%}
{%- set hashed_items -%}
select
    *,
    hash(group_id) as group_hash
from {{ rows_from }}
{%- endset -%}
{{ return({'from': name, 'steps': [sqlmetrics.step(name, hashed_items, 'the items, with a number for the name of their group')]}) }}
{%- endmacro -%}

{#- The items to put in order, `from` a step, and the steps down to there: with judgments also what was not returned. `told` are
    further columns of the judgments, beside which an item is told as well: it may be judged several times then. -#}
{%- macro items_to_rank(f, rows_from, keys, prefix='', told=[]) -%}
{%- if not f.judged -%}
{{ return({'from': rows_from, 'steps': []}) }}
{%- endif -%}
{%- set returned_from = prefix ~ 'returned_items' ~ f.suffix if f.where else rows_from -%}
{%- set steps = [] -%}
{%- if f.where -%}
{%- do steps.append(sqlmetrics.step(returned_from, sqlmetrics.returned_items(f, rows_from, keys + ['group_id']), 'the items that were returned')) -%}
{%- endif -%}
{%- set name = prefix ~ 'judged_items' ~ f.suffix -%}
{{ return({'from': name, 'steps': steps + [sqlmetrics.step(name, sqlmetrics.judged_items(f, returned_from, keys, told), 'one per item that was returned or judged' ~ (', and judgment' if told else ''))]}) }}
{%- endmacro -%}

{%- macro count_of_items(f) -%}
{{ return('sum(returned)' if f.judged else 'count(*)') }}
{%- endmacro -%}

{%- macro label_of_item(f) -%}
{{ return('greatest(label, 0)' if f.params.negative == 'zero' else 'label') }}
{%- endmacro -%}

{%- macro score_of_item(f) -%}
{{ return(sqlmetrics.single_precision('score') if f.params.precision_of_scores == 'single' else 'score') }}
{%- endmacro -%}

{#- The columns of the items in their order, name -> SQL. -#}
{%- macro ranked_columns(f, group_keys, only_gains) -%}
{%- set label = sqlmetrics.label_of_item(f) -%}
{%- set score = sqlmetrics.score_of_item(f) -%}
{%- set ties = {'best': ', label desc', 'key': ', ' ~ sqlmetrics.key_order('tie_key', 'desc') ~ ', label asc'}.get(f.params.ties, ', label asc') -%}
{%- set judgment = sqlmetrics.has_judgment(f) -%}
{%- set by_judgment = sqlmetrics.a_judgment_is_relevance(f) -%}
{%- set ties = ties ~ (', judged ' ~ ('desc' if f.params.ties == 'best' else 'asc') if by_judgment else '') -%}
{#- Of items that are alike but for what they weigh, or that one is judged, the one that adds less comes first where the least
    relevant one does. -#}
{%- set ties = ties ~ ((', propensity asc' if f.params.ties == 'best' else ', propensity desc') if 'propensity' in f.uses else '') -%}
{%- set ties = ties ~ (', ' ~ judgment ~ (' desc' if f.params.ties == 'best' else ' asc') if 'has_judgment' in f.uses and judgment != '1' else '') -%}
{%- set order = ('returned desc, ' if f.judged else '') ~ score ~ ' desc' ~ ties -%}
{#- What counts as 0 counts so here, too; above 0 it makes no difference. -#}
{%- set at_least = (label if f.params.relevant_at <= 0 else 'label') ~ ' >= ' ~ sqlmetrics.number(f.params.relevant_at) -%}
{%- set relevant = 'case when ' ~ at_least ~ (' and judged = 1' if by_judgment else '') ~ ' then 1 else 0 end' -%}
{%- set whole = sqlmetrics.over(group_keys) -%}
{%- set to_here = sqlmetrics.over(group_keys, order ~ ' rows unbounded preceding') -%}
{%- set columns = {} -%}
{%- for key in group_keys + (['group_id'] if 'group_hash' in group_keys else []) -%}{%- do columns.update({key: key}) -%}{%- endfor -%}
{%- if f.group_weight -%}{%- do columns.update({'group_weight': 'max(group_weight) ' ~ whole if only_gains else 'group_weight'}) -%}{%- endif -%}
{%- if f.judged -%}{%- do columns.update({'returned': 'returned'}) -%}{%- endif -%}
{%- do columns.update({'label': label, 'relevant': sqlmetrics.to_double(relevant)}) -%}
{%- if f.params.ties == 'average' -%}
{%- set tied = sqlmetrics.over(group_keys + (['returned'] if f.judged else []) + [score]) -%}
{%- do columns.update({
    'mean_label': 'avg(' ~ label ~ ') ' ~ tied,
    'mean_exp_gain': 'avg(power(2, ' ~ label ~ ') - 1) ' ~ tied,
    'mean_relevant': 'avg(' ~ sqlmetrics.to_double(relevant) ~ ') ' ~ tied,
}) -%}
{%- endif -%}
{%- set rank = 'row_number() ' ~ sqlmetrics.over(group_keys, order) -%}
{%- do columns.update({'item_rank': 'case when returned = 1 then ' ~ rank ~ ' end' if f.judged else rank}) -%}
{%- if not only_gains or f.judged -%}
{%- do columns.update(sqlmetrics.counts_of_relevant(f, group_keys, relevant, order)) -%}
{%- endif -%}
{%- if 'nonrelevant' in f.uses -%}
{#- A negative label says that the item was pooled and never read, which is no judgment (trec_eval, form_res_rels.c). -#}
{%- set nonrelevant = 'case when label < ' ~ sqlmetrics.number(f.params.relevant_at) ~ (' and judged = 1' if f.judged else '') ~ (' and label >= 0' if f.params.negative == 'zero' else '') ~ ' then 1 else 0 end' -%}
{%- do columns.update({
    'nonrelevant_total': sqlmetrics.to_double('sum(' ~ nonrelevant ~ ') ' ~ whole),
    'nonrelevant_above': sqlmetrics.to_double('sum(' ~ nonrelevant ~ ') ' ~ to_here),
}) -%}
{%- endif -%}
{%- if 'unjudged' in f.uses and f.params.negative == 'zero' -%}
{%- do columns.update({'unjudged_above': sqlmetrics.to_double('sum(case when label < 0 then 1 else 0 end) ' ~ to_here if f.params.relevant_at > 0 else '0')}) -%}
{%- endif -%}
{%- if 'has_judgment' in f.uses -%}
{%- do columns.update({'has_judgment': sqlmetrics.to_double(judgment)}) -%}
{%- endif -%}
{%- if 'propensity' in f.uses -%}
{%- do columns.update({'propensity': 'propensity'}) -%}
{%- endif -%}
{%- if 'log_go_on' in f.uses -%}
{#- Whether the user goes on past the items above: a product of chances, as a sum of logarithms. -#}
{%- set highest = sqlmetrics.number(f.params.max_label) -%}
{%- set go_on = 'ln(1 - ' ~ sqlmetrics.chance_to_stop('label', f.params.max_label) ~ ')' -%}
{%- set above = sqlmetrics.over(group_keys, order ~ ' rows between unbounded preceding and 1 preceding') -%}
{%- do columns.update({'log_go_on': 'coalesce(sum(case when label between 0 and ' ~ highest ~ ' then ' ~ go_on ~ ' end) ' ~ above ~ ', 0)'}) -%}
{%- endif -%}
{%- if only_gains and f.judged -%}
{%- do columns.update({'items_returned': sqlmetrics.count_of_items(f) ~ ' ' ~ whole}) -%}
{%- elif only_gains -%}
{#- Behind the last row ClickHouse finds a 0, the others NULL. -#}
{%- do columns.update({'is_followed': 'coalesce(lead(1) ' ~ sqlmetrics.over(group_keys, order) ~ ', 0)'}) -%}
{%- endif -%}
{{ return(columns) }}
{%- endmacro -%}

{#- Down to 0 all that is judged is relevant, and what nobody judged is not, although its label is 0. -#}
{%- macro a_judgment_is_relevance(f) -%}
{{ return(f.judged and f.params.relevant_at <= 0) }}
{%- endmacro -%}

{#- A negative label says that the item was never read. -#}
{%- macro has_judgment(f) -%}
{%- set read = (['judged = 1'] if f.judged else []) + (['label >= 0'] if f.params.negative == 'zero' else []) -%}
{{ return('case when ' ~ read | join(' and ') ~ ' then 1 else 0 end' if read else '1') }}
{%- endmacro -%}

{#- How many relevant items there are down to here, and in all. -#}
{%- macro counts_of_relevant(f, group_keys, relevant, order) -%}
{%- set columns = {} -%}
{%- if 'hits' in f.uses -%}
{%- do columns.update({'hits': sqlmetrics.to_double('sum(' ~ relevant ~ ') ' ~ sqlmetrics.over(group_keys, order ~ ' rows unbounded preceding'))}) -%}
{%- endif -%}
{%- if 'relevant_total' in f.uses -%}
{%- do columns.update({'relevant_total': sqlmetrics.to_double('sum(' ~ relevant ~ ') ' ~ sqlmetrics.over(group_keys))}) -%}
{%- endif -%}
{{ return(columns) }}
{%- endmacro -%}

{#- What is told of all items together, name -> SQL: of those that gain where the others add nothing. -#}
{%- macro counted_columns(f, group_keys, only_gains) -%}
{%- set columns = {} -%}
{%- if only_gains and not f.judged -%}
{%- do columns.update(sqlmetrics.counts_of_relevant(f, group_keys, 'relevant', 'item_rank asc')) -%}
{%- endif -%}
{%- if 'ideal_rank' in f.uses -%}
{%- set best = 'label desc' ~ (', ' ~ ('relevant' if only_gains else 'judged') ~ ' desc' if sqlmetrics.a_judgment_is_relevance(f) else '') -%}
{%- do columns.update({'ideal_rank': 'row_number() ' ~ sqlmetrics.over(group_keys, best)}) -%}
{%- if f.judged -%}
{%- do columns.update({'listed_ideal_rank': 'case when returned = 1 then row_number() ' ~ sqlmetrics.over(group_keys, 'returned desc, ' ~ best) ~ ' end'}) -%}
{%- endif -%}
{%- endif -%}
{%- for m in f.metrics if 'weighted_ideal' in m.uses -%}
{%- set weighted = sqlmetrics.own_gain(m) ~ ' / propensity desc' -%}
{%- if f.judged -%}
{%- do columns.update({'ideal_rank_of_' ~ m.gain: 'case when returned = 1 then row_number() ' ~ sqlmetrics.over(group_keys, 'returned desc, ' ~ weighted) ~ ' end'}) -%}
{%- else -%}
{%- do columns.update({'ideal_rank_of_' ~ m.gain: 'row_number() ' ~ sqlmetrics.over(group_keys, weighted)}) -%}
{%- endif -%}
{%- endfor -%}
{{ return(columns) }}
{%- endmacro -%}

{#- With `relevant_at` at 0 or below, items without gain are relevant too. The place of a group's last item tells how many it
    has. -#}
{%- macro gaining_items(f, ranked, columns, counted) -%}
{%- set read = [] -%}
{%- for name in columns if name != 'is_followed' -%}{%- do read.append(name) -%}{%- endfor -%}
select
    {{ sqlmetrics.lines(read + sqlmetrics.selected(counted)) }}
from {{ ranked }}
where {{ 'mean_label' if f.params.ties == 'average' else 'label' }} > 0
{%- if f.judged %}
    or item_rank = 1
    or items_returned = 0
{%- else %}
    or is_followed = 0
{%- endif -%}
{%- if f.params.relevant_at <= 0 %}
    or {{ 'mean_relevant > 0' if f.params.ties == 'average' else 'relevant = 1' }}
{%- endif -%}
{%- endmacro -%}

{#- What judgments are joined to. -#}
{%- macro carried_columns(f) -%}
{{ return(['score'] + (['tie_key'] if f.tie_key else []) + (['group_weight'] if f.group_weight else []) + (['propensity'] if 'propensity' in f.uses else [])) }}
{%- endmacro -%}

{%- macro returned_items(f, rows_from, group_keys) -%}
select
    {{ sqlmetrics.lines(group_keys + ['item_id'] + sqlmetrics.carried_columns(f)) }}
from {{ rows_from }}
{{- f.where }}
{%- endmacro -%}

{#- Returned items with what the judgments say of them, and the judged items that were not returned. A group's judgments
    join every slice that holds its rows; a group of which nothing was returned belongs to no slice but the whole. -#}
{%- macro judged_items(f, rows_from, keys, told=[]) -%}
{%- set carried = sqlmetrics.carried_columns(f) -%}
{%- set own = [] -%}
{%- for name in keys + ['group_id'] + carried -%}{%- do own.append('returned.' ~ name) -%}{%- endfor -%}
{%- set group_columns = [] -%}
{%- for name in keys -%}{%- do group_columns.append('returned_groups.' ~ name) -%}{%- endfor -%}
{#- What was not returned has no score, but its name, where that is what breaks ties. -#}
{%- set key = {'tie_key': 'judgments.item_id'} if f.tie_key_is_item else {} -%}
{%- set nothing = [] -%}
{%- for name in carried -%}
{%- do nothing.append(dict(key, group_weight='returned_groups.group_weight').get(name, 'null') ~ ' as ' ~ name) -%}
{%- endfor -%}
{%- set nothing_at_all = [] -%}
{%- for name in carried -%}
{%- do nothing_at_all.append(key.get(name, 'null') ~ ' as ' ~ name) -%}
{%- endfor -%}
{%- set of_judgments = [] -%}
{%- for name in told -%}{%- do of_judgments.append('judgments.' ~ name) -%}{%- endfor -%}
{%- set judged_item = ['judgments.item_id'] + of_judgments if told else [] -%}
{%- set same_item = sqlmetrics.same_keys('returned_groups', 'returned', keys) -%}
{%- set distinct_columns = keys + ['group_id'] + (['max(group_weight) as group_weight'] if f.group_weight else []) -%}
select
    {{ sqlmetrics.lines(own + (['returned.item_id'] + of_judgments if told else []) + [
        'coalesce(judgments.label, 0) as label',
        'case when judgments.label is null then 0 else 1 end as judged',
        '1 as returned',
    ]) }}
from {{ rows_from }} as returned
left join sqlmetrics_all_judgments as judgments
    on returned.group_id = judgments.group_id
    and returned.item_id = judgments.item_id
where returned.group_id in (select group_id from sqlmetrics_all_judgments)
union all
select
    {{ sqlmetrics.lines(group_columns + ['judgments.group_id'] + nothing + judged_item + [
        'judgments.label',
        '1 as judged',
        '0 as returned',
    ]) }}
from (
    select
        {{ distinct_columns | join(',\n        ') }}
    from {{ rows_from }}
    {{ sqlmetrics.group_by(keys + ['group_id']) | trim | indent(4) }}
) as returned_groups
inner join sqlmetrics_all_judgments as judgments
    on returned_groups.group_id = judgments.group_id
left join {{ rows_from }} as returned
    on {{ (same_item + ['judgments.group_id = returned.group_id', 'judgments.item_id = returned.item_id']) | join('\n    and ') }}
where returned.item_id is null
{%- if f.params.missing == 'zero' and f.whole %}
union all
select
    {{ sqlmetrics.lines((['slices.slice_id'] if keys else []) + ['judgments.group_id'] + nothing_at_all + judged_item + [
        'judgments.label',
        '1 as judged',
        '0 as returned',
    ]) }}
from sqlmetrics_all_judgments as judgments
{%- if keys %}
inner join slices
    on {{ f.whole }}
{%- endif %}
left join (
    select distinct
        {{ (keys + ['group_id']) | join(',\n        ') }}
    from {{ rows_from }}
) as groups_returned
    on judgments.group_id = groups_returned.group_id
{%- if keys %}
    and slices.slice_id = groups_returned.slice_id
{%- endif %}
where groups_returned.group_id is null
{%- endif -%}
{%- endmacro -%}

{#- A group without relevant items has no value, nor one without gain where a metric adds up gains; what such groups count as
    is decided in the mean. -#}
{%- macro when_any_relevant(value) -%}
{{ sqlmetrics.when_any_gain('relevant', value) }}
{%- endmacro -%}

{%- macro when_any_gain(gain, value) -%}
case when sum({{ gain }}) > 0 then {{ value }} end
{%- endmacro -%}

{#- The sum of `value` over the first k of a ranking (all of it without k); judged items that were not returned have no
    rank and add nothing. -#}
{%- macro sum_within(value, rank, k) -%}
{%- if k is none -%}
coalesce(sum(case when {{ rank }} is not null then {{ value }} end), 0)
{%- else -%}
sum(case when {{ rank }} <= {{ k }} then {{ value }} else 0 end)
{%- endif -%}
{%- endmacro -%}

{#- The relevant items of a group that were returned, and how many items were; by which may be divided. -#}
{%- macro hits_returned() -%}
{{ sqlmetrics.sum_within('relevant', 'item_rank', none) }}
{%- endmacro -%}

{%- macro items_of_list(m) -%}
{{ sqlmetrics.to_double(m.row_count) }}
{%- endmacro -%}

{%- macro items_returned(m) -%}
nullif({{ sqlmetrics.items_of_list(m) }}, 0)
{%- endmacro -%}

{#- What an item adds to the sum, and by how much its place lowers it. -#}
{%- macro gain(m) -%}
{%- if m.ties == 'average' -%}
{{ {'exp': 'mean_exp_gain', 'linear': 'mean_label', 'binary': 'mean_relevant'}[m.gain] }}
{%- else -%}
{{ sqlmetrics.own_gain(m) }}
{%- endif -%}
{%- endmacro -%}

{%- macro own_gain(m) -%}
{{ {'exp': '(power(2, label) - 1)', 'linear': 'label', 'binary': 'relevant'}[m.gain] }}
{%- endmacro -%}

{%- macro relevance(m) -%}
{{ 'mean_relevant' if m.ties == 'average' else 'relevant' }}
{%- endmacro -%}

{%- macro discount(m, rank) -%}
{%- if m.discount == 'log2' -%}
{{ 'ln(2) / ln(' ~ rank ~ ' + 1)' }}
{%- else -%}
{{ 'case when ' ~ rank ~ ' = 1 then 1 else ln(2) / ln(' ~ rank ~ ') end' }}
{%- endif -%}
{%- endmacro -%}

{%- macro discounted_gain(m) -%}
{{ sqlmetrics.sum_within(sqlmetrics.gain(m) ~ ' * ' ~ sqlmetrics.discount(m, 'item_rank'), 'item_rank', m.k) }}
{%- endmacro -%}

{#- The same of gains that each weigh as much as their item was seldom seen. -#}
{%- macro unbiased_gain(m) -%}
{{ sqlmetrics.sum_within(sqlmetrics.own_gain(m) ~ ' / propensity * ' ~ sqlmetrics.discount(m, 'item_rank'), 'item_rank', m.k) }}
{%- endmacro -%}

{%- macro ideal_discounted_gain(m, k, rank='ideal_rank') -%}
{{ sqlmetrics.sum_within(sqlmetrics.own_gain(m) ~ ' * ' ~ sqlmetrics.discount(m, rank), rank, k) }}
{%- endmacro -%}

{#- What a group adds to a quotient that is pooled over groups. -#}
{%- macro counts_at_k(m, column) -%}
{%- if column == 'hits' -%}
{{ sqlmetrics.sum_within(sqlmetrics.relevance(m), 'item_rank', m.k) }}
{%- elif column == 'listed' -%}
least({{ m.row_count }}, {{ m.k }})
{%- else -%}
sum(relevant)
{%- endif -%}
{%- endmacro -%}

{#- The pooled quotient. Groups without any relevant item are left out of it, unless they are asked to count. -#}
{%- macro pooled(m, numerator, denominators) -%}
{%- set relevant = sqlmetrics.identifier(m.as ~ '_relevant') -%}
{%- set sums = [] -%}
{%- for name in [numerator] + denominators -%}
{%- set value = ('group_weight * ' if m.group_weight else '') ~ sqlmetrics.identifier(m.as ~ '_' ~ name) -%}
{%- do sums.append(sqlmetrics.sum_of(m, 'case when ' ~ relevant ~ ' > 0 then ' ~ value ~ ' end' if m.empty == 'skip' else value)) -%}
{%- endfor -%}
{{ sqlmetrics.to_double(sums[0]) }} / nullif({{ sqlmetrics.to_double(sums[1:] | join(' + ')) }}, 0)
{%- endmacro -%}

{#- The mean over groups, a group without any relevant item counting as `empty` says. -#}
{%- macro mean_over_groups(m) -%}
{{ sqlmetrics.mean_of_group_values(m, sqlmetrics.value_of_group(m)) }}
{%- endmacro -%}

{%- macro mean_of_group_values(m, value) -%}
{%- if m.group_weight -%}
{{ sqlmetrics.sum_of(m, 'group_weight * ' ~ value) }} / nullif({{ sqlmetrics.sum_of(m, 'case when ' ~ value ~ ' is not null then group_weight end') }}, 0)
{%- else -%}
{{ sqlmetrics.mean_of(m, value) }}
{%- endif -%}
{%- endmacro -%}

{%- macro value_of_group(m) -%}
{%- set value = sqlmetrics.identifier(m.group_columns[0].as) -%}
{%- if m.empty is not defined or m.empty == 'skip' -%}
{{ value }}
{%- elif m.empty == 'zero' -%}
coalesce({{ value }}, 0)
{%- else -%}
coalesce({{ value }}, 1)
{%- endif -%}
{%- endmacro -%}

{#- Whether a user is done with an item of this grade (Chapelle et al., CIKM 2009). -#}
{%- macro chance_to_stop(label, max_label) -%}
(power(2, {{ label }}) - 1) / power(2, {{ sqlmetrics.number(max_label) }})
{%- endmacro -%}
