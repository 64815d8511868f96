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
      key: equal scores are ordered by the role tie_key, descending (by item if it is not set)
      average: the mean over all orders of the equal scores
    doc: the order of items with equal scores
    presets: {sklearn: average, trec_eval: key, lightgbm: key, spark: key}
    used_by: {average: scikit-learn, key: 'trec_eval by document id; LightGBM and Spark by the order of the rows'}
  relevant_at: {type: number, default: 1, doc: 'an item is relevant if its label is at least this; with judgments, it must also be judged'}
  negative: {default: error, choices: {error: is an error, zero: 'counts as 0, and in bpref as not judged'}, doc: a negative label, presets: {trec_eval: zero}, used_by: {zero: trec_eval}}
  precision_of_scores: {default: double, choices: {double: as they are, single: as 32-bit numbers}, doc: how scores are compared, presets: {trec_eval: single}, used_by: {single: trec_eval}}
  missing:
    default: zero
    choices: {zero: counts as 0, skip: dropped from the mean}
    doc: 'a judged group without a returned item, or without one that matches `where`; it counts overall, in no slice'
    presets: {trec_eval: skip, spark: zero}
    used_by: {skip: trec_eval, zero: Spark}
  max_label: {type: number, default: null, minimum: 0, doc: the highest possible grade}
metric_parameters:
  k: {type: integer, default: null, minimum: 1, doc: how many items from the top; the whole list by default}
  gain:
    default: exp
    choices: {exp: 2^label − 1, linear: the label itself, binary: 1 for a relevant item}
    doc: the gain of an item by its grade
    presets: {sklearn: linear, trec_eval: linear, lightgbm: exp, spark: binary}
    used_by: {exp: LightGBM, linear: 'scikit-learn, trec_eval', binary: Spark}
  discount:
    default: log2
    choices: {log2: 1/log2(i + 1), classic: '1 for the first item, then 1/log2(i)'}
    doc: the discount of a gain at position i
    used_by: {log2: 'scikit-learn, trec_eval, LightGBM, Spark', classic: 'Järvelin and Kekäläinen 2002'}
  empty:
    default: skip
    choices: {skip: dropped from the mean, zero: counts as 0, one: counts as 1}
    doc: 'what a group without any relevant item counts as; in a metric that adds up grades, a group without any gain'
    presets: {sklearn: zero, trec_eval: zero, spark: zero}
    used_by: {zero: 'scikit-learn, trec_eval, Spark', one: 'LightGBM (ndcg, map)'}
-#}

{#- `uses: [gaining_items]` declares that items without gain add nothing to a metric. If all metrics declare it, ideal lists and (without
    judgments) cumulative counts use only items with gain: half the time on a log with 3% clicks. -#}
{%- macro ranked_items(f, rows_from, keys) -%}
{%- set others = [] -%}
{%- for m in f.metrics if 'gaining_items' not in m.uses or m.get('negative') == 'keep' -%}{%- do others.append(m.name) -%}{%- endfor -%}
{%- set counts_gaining = 'ideal_rank' in f.uses or 'weighted_ideal' in f.uses or ('hits' in f.uses and not f.judged) -%}
{%- set only_gains = counts_gaining and not others -%}
{%- set hashed = f.hashed_groups and not f.judged -%}
{%- set group_keys = keys + ['group_hash' if hashed else 'group_id'] -%}
{%- set items = 'items_of_hashed_groups' ~ f.suffix if hashed else 'judged_items' ~ f.suffix if f.judged else rows_from -%}
{%- set single = f.params.precision_of_scores == 'single' -%}
{%- set average = f.params.ties == 'average' -%}
{%- set row_count = ('max(items_returned)' if only_gains else 'sum(returned)') if f.judged else 'max(item_rank)' if only_gains else 'count(*)' -%}
{%- set metrics = [] -%}
{%- for m in f.metrics -%}{%- do metrics.append(dict(m, row_count=row_count)) -%}{%- endfor -%}
{{ sqlmetrics.items_of_hashed_groups(f, rows_from) if hashed else sqlmetrics.judged_items(f, items, rows_from, keys) if f.judged }}
{%- if single %}
{{ sqlmetrics.cte('single_scores' ~ f.suffix, 'items with their scores as 32-bit numbers') }}
select
    *,
    {{ sqlmetrics.indented(sqlmetrics.single_precision('score')) }} as single_score
from {{ items }}
{%- endif %}
{{ sqlmetrics.cte('ranked_items' ~ f.suffix, 'one per item of a group') }}
{{ sqlmetrics.ranks_of_items(f, 'single_scores' ~ f.suffix if single else items, group_keys, only_gains) }}
{%- if only_gains %}
{#- With `relevant_at` <= 0, items without gain are relevant too. The rank of the last item of a group is its number of items. #}
{{ sqlmetrics.cte('gaining_items' ~ f.suffix, 'items with gain, and at least one item per group') }}
select
    *
    {{- sqlmetrics.counts_of_relevant(f, group_keys, 'relevant', 'item_rank asc') if not f.judged }}
    {{- sqlmetrics.ideal_ranks(f, group_keys, 'relevant') }}
from ranked_items{{ f.suffix }}
where {{ 'mean_label' if average else 'label' }} > 0
    or {{ 'item_rank = 1\n    or items_returned = 0' if f.judged else 'is_followed = 0' }}
    {{- ('\n    or mean_relevant > 0' if average else '\n    or relevant = 1') if f.params.relevant_at <= 0 }}
{%- endif %}
{{ sqlmetrics.cte(f.cte, f.rows) }}
select
    {{- sqlmetrics.leading(keys) }}
    {{ 'min(group_id) as group_id' if hashed else 'group_id' }},
    {{- '\n    max(group_weight) as group_weight,' if f.group_weight }}
    {{ sqlmetrics.select_list(sqlmetrics.columns_of_groups(dict(f, metrics=metrics))) }},
    {{ 'cast(' ~ sqlmetrics.of_one_group(row_count) ~ ' as bigint)' if hashed else row_count }} as row_count
from {{ 'gaining_items' if only_gains else 'ranked_items' }}{{ f.suffix }}
{{- sqlmetrics.group_by(group_keys) }}
{%- endmacro -%}

{#- Items with their ranks, and sums over items above and over the group that metrics read. With `only_gains` the next step drops items. -#}
{%- macro ranks_of_items(f, items, group_keys, only_gains) -%}
{%- set label = 'greatest(label, 0)' if f.params.negative == 'zero' else 'label' -%}
{%- set order = sqlmetrics.order_of_items(f) -%}
{#- Negative labels that count as 0 matter only for `relevant_at` <= 0. -#}
{%- set at_least = (label if f.params.relevant_at <= 0 else 'label') ~ ' >= ' ~ sqlmetrics.number(f.params.relevant_at) -%}
{%- set relevant = 'case when ' ~ at_least ~ (' and judged = 1' if sqlmetrics.a_judgment_is_relevance(f) else '') ~ ' then 1 else 0 end' -%}
{%- set whole = sqlmetrics.over(group_keys) -%}
{%- set running = sqlmetrics.over(group_keys, order ~ ' rows unbounded preceding') -%}
{%- set tied = sqlmetrics.over(group_keys + (['returned'] if f.judged else []) + [sqlmetrics.score_of_item(f)]) -%}
select
    {{- sqlmetrics.leading(group_keys + (['group_id'] if 'group_hash' in group_keys else [])) }}
    {{- sqlmetrics.leading(['max(group_weight) ' ~ whole ~ ' as group_weight' if only_gains else 'group_weight'] if f.group_weight else []) }}
    {{- sqlmetrics.leading(['returned'] if f.judged else []) }}
    {{ label if label == 'label' else label ~ ' as label' }},
    {{ sqlmetrics.to_double(relevant) }} as relevant,
    {%- if f.params.ties == 'average' %}
    avg({{ label }}) {{ tied }} as mean_label,
    avg(power(2, {{ label }}) - 1) {{ tied }} as mean_exp_gain,
    avg({{ sqlmetrics.to_double(relevant) }}) {{ tied }} as mean_relevant,
    {%- endif %}
    {{ sqlmetrics.indented(sqlmetrics.when_returned(f, 'row_number() ' ~ sqlmetrics.over(group_keys, order))) }} as item_rank
    {{- sqlmetrics.counts_of_relevant(f, group_keys, relevant, order) if not only_gains or f.judged }}
    {%- if 'nonrelevant' in f.uses %}
{#- A negative label marks an item that was pooled but never judged (trec_eval, form_res_rels.c). -#}
    {%- set read = (' and judged = 1' if f.judged else '') ~ (' and label >= 0' if f.params.negative == 'zero' else '') -%}
    {%- set nonrelevant = 'case when label < ' ~ sqlmetrics.number(f.params.relevant_at) ~ read ~ ' then 1 else 0 end' -%},
    {{ sqlmetrics.to_double('sum(' ~ nonrelevant ~ ') ' ~ whole) }} as nonrelevant_total,
    {{ sqlmetrics.to_double('\n        sum(' ~ nonrelevant ~ ')\n        ' ~ running) }} as nonrelevant_above
    {%- endif %}
    {%- set unjudged = '\n        sum(case when label < 0 then 1 else 0 end)\n        ' ~ running if f.params.relevant_at > 0 else '0' %}
    {{- sqlmetrics.also('unjudged' in f.uses and f.params.negative == 'zero', sqlmetrics.to_double(unjudged) ~ ' as unjudged_above') }}
    {{- sqlmetrics.also('has_judgment' in f.uses, sqlmetrics.to_double(sqlmetrics.has_judgment(f)) ~ ' as has_judgment') }}
    {{- sqlmetrics.also('propensity' in f.uses, 'propensity') }}
    {%- if 'log_continuation' in f.uses %}
{#- The log probability that the user continues past the items above, as a sum of logarithms. -#},
    coalesce(sum(
        case when label between 0 and {{ sqlmetrics.number(f.params.max_label) }} then ln(1 - {{ sqlmetrics.stop_probability('label', f.params.max_label) }}) end
    ) {{ sqlmetrics.over(group_keys, order ~ ' rows between unbounded preceding and 1 preceding') }}, 0) as log_continuation
    {%- endif %}
    {%- if only_gains and f.judged %},
    sum(returned) {{ whole }} as items_returned
    {%- elif only_gains %},
    {{ sqlmetrics.is_followed(sqlmetrics.over(group_keys, order)) }}
    {%- else %}
    {{- sqlmetrics.ideal_ranks(f, group_keys, 'judged') }}
    {%- endif %}
from {{ items }}
{{- '' if f.judged else f.where }}
{%- endmacro -%}

{#- Groups are sorted by a hash of their name, as in group_scores. -#}
{%- macro items_of_hashed_groups(f, rows_from) -%}
{{ sqlmetrics.cte('items_of_hashed_groups' ~ f.suffix, 'items with a hash of the name of their group') }}
select
    *,
    hash(group_id) as group_hash
from {{ rows_from }}
{%- endmacro -%}

{#- Whether a returned item follows. After the last row `lead` is 0 on ClickHouse, elsewhere NULL. -#}
{%- macro is_followed(in_order, returned='1') -%}coalesce(lead({{ returned }}) {{ in_order }}, 0) as is_followed{%- endmacro -%}

{%- macro score_of_item(f) -%}{{ 'single_score' if f.params.precision_of_scores == 'single' else 'score' }}{%- endmacro -%}
{%- macro when_returned(f, value) -%}{{ sqlmetrics.case_when('returned = 1', value) if f.judged else value }}{%- endmacro -%}

{#- Among items that differ only in judgment or propensity, the smaller contribution comes first unless `ties` is best. -#}
{%- macro order_of_items(f) -%}
{%- set best = f.params.ties == 'best' -%}
{%- set direction = 'desc' if best else 'asc' -%}
{{ 'returned desc, ' if f.judged }}{{ sqlmetrics.score_of_item(f) }} desc
{{- ', ' ~ sqlmetrics.key_order('tie_key', 'desc') if f.params.ties == 'key' }}, label {{ direction }}
{{- ', judged ' ~ direction if sqlmetrics.a_judgment_is_relevance(f) }}
{{- ', propensity ' ~ ('asc' if best else 'desc') if 'propensity' in f.uses }}
{{- ', ' ~ sqlmetrics.has_judgment(f) ~ ' ' ~ direction if 'has_judgment' in f.uses and sqlmetrics.has_judgment(f) != '1' }}
{%- endmacro -%}

{#- If `relevant_at` <= 0, judged items are relevant. Others are not, although their label is 0. -#}
{%- macro a_judgment_is_relevance(f) -%}{{ return(f.judged and f.params.relevant_at <= 0) }}{%- endmacro -%}

{#- A negative label marks an item as never judged. -#}
{%- macro has_judgment(f) -%}
{%- set read = (['judged = 1'] if f.judged else []) + (['label >= 0'] if f.params.negative == 'zero' else []) -%}
{{ return('case when ' ~ read | join(' and ') ~ ' then 1 else 0 end' if read else '1') }}
{%- endmacro -%}

{%- macro counts_of_relevant(f, group_keys, relevant, order) -%}
{%- set running = sqlmetrics.over(group_keys, order ~ ' rows unbounded preceding') -%}
{{- sqlmetrics.also('hits' in f.uses, sqlmetrics.to_double('\n        sum(' ~ relevant ~ ')\n        ' ~ running) ~ ' as hits') }}
{{- sqlmetrics.also('relevant_total' in f.uses, sqlmetrics.to_double('sum(' ~ relevant ~ ') ' ~ sqlmetrics.over(group_keys)) ~ ' as relevant_total') }}
{%- endmacro -%}

{#- Ranks in the ideal lists; among equal labels, relevant items come first. -#}
{%- macro ideal_ranks(f, group_keys, relevant) -%}
{%- set best = 'label desc' ~ (', ' ~ relevant ~ ' desc' if sqlmetrics.a_judgment_is_relevance(f) else '') -%}
{%- set listed_rank = sqlmetrics.when_returned(f, 'row_number() ' ~ sqlmetrics.over(group_keys, 'returned desc, ' ~ best)) -%}
{{- sqlmetrics.also('ideal_rank' in f.uses, 'row_number() ' ~ sqlmetrics.over(group_keys, best) ~ ' as ideal_rank') }}
{{- sqlmetrics.also('ideal_rank' in f.uses and f.judged, sqlmetrics.indented(listed_rank) ~ ' as listed_ideal_rank') }}
{%- set gains = {} -%}
{%- for m in f.metrics if 'weighted_ideal' in m.uses -%}{%- do gains.update({m.gain: sqlmetrics.own_gain(m)}) -%}{%- endfor -%}
{%- for name, gain in gains.items() -%},
    {{ sqlmetrics.indented(sqlmetrics.when_returned(f, 'row_number() ' ~ sqlmetrics.over(group_keys, ('returned desc, ' if f.judged else '') ~ gain ~ ' / propensity desc'))) }} as ideal_rank_of_{{ name }}
{%- endfor -%}
{%- endmacro -%}

{%- macro carried_columns(f) -%}
{{ return(['score'] + (['tie_key'] if f.tie_key else []) + (['group_weight'] if f.group_weight else []) + (['propensity'] if 'propensity' in f.uses else [])) }}
{%- endmacro -%}

{#- With judgments, the items to rank are the returned items plus the judged items that were not returned, in every slice with rows of the
    group. Groups without returned items are in the whole only. -#}
{%- macro judged_items(f, name, rows_from, keys, subtopics=false) -%}
{%- set returned = 'returned_for_' ~ name if f.where else rows_from -%}
{%- if f.where -%}
{{ sqlmetrics.cte(returned, 'returned items') }}
select
    {{ sqlmetrics.select_list(keys + ['group_id', 'item_id'] + sqlmetrics.carried_columns(f)) }}
from {{ rows_from }}
{{- f.where }}
{%- endif %}
{{ sqlmetrics.cte(name, 'one per item that was returned or judged' ~ (', and judgment' if subtopics)) }}
select
    {{ sqlmetrics.select_list(sqlmetrics.keys_alone('returned', keys + ['group_id'] + sqlmetrics.carried_columns(f))) }},
    {{- '\n    returned.item_id,\n    judgments.subtopic_id,' if subtopics }}
    coalesce(judgments.label, 0) as label,
    case when judgments.label is null then 0 else 1 end as judged,
    1 as returned
from {{ returned }} as returned
left join sqlmetrics_all_judgments as judgments
    on returned.group_id = judgments.group_id
    and returned.item_id = judgments.item_id
where returned.group_id in (select group_id from sqlmetrics_all_judgments)
union all
select
    {{ sqlmetrics.select_list(sqlmetrics.keys_alone('returned_groups', keys) + sqlmetrics.columns_not_returned(f, 'returned_groups.group_weight', subtopics)) }}
from (
    select
        {{- sqlmetrics.leading(keys, depth=2) }}
        group_id
        {{- ',\n        max(group_weight) as group_weight' if f.group_weight }}
    from {{ returned }}
    {{- sqlmetrics.indented(sqlmetrics.group_by(keys + ['group_id'])) }}
) as returned_groups
inner join sqlmetrics_all_judgments as judgments on returned_groups.group_id = judgments.group_id
left join {{ returned }} as returned{{ sqlmetrics.on('returned_groups', 'returned', keys, ['judgments.group_id = returned.group_id']) }}
    and judgments.item_id = returned.item_id
where returned.item_id is null
{%- if f.params.missing == 'zero' and f.whole %}
union all
select
    {{ sqlmetrics.select_list((['slices.slice_id'] if keys else []) + sqlmetrics.columns_not_returned(f, 'null', subtopics)) }}
from sqlmetrics_all_judgments as judgments
{{- '\ninner join slices\n    on ' ~ f.whole if keys }}
left join (
    select distinct
        {{- sqlmetrics.leading(keys, depth=2) }}
        group_id
    from {{ returned }}
) as groups_returned on judgments.group_id = groups_returned.group_id
    {{- '\n    and slices.slice_id = groups_returned.slice_id' if keys }}
where groups_returned.group_id is null
{%- endif -%}
{%- endmacro -%}

{#- Items not returned have no score, and a tie key only if it is the item. -#}
{%- macro columns_not_returned(f, group_weight, subtopics) -%}
{%- set values = {'tie_key': 'judgments.item_id' if f.tie_key_is_item else 'null', 'group_weight': group_weight} -%}
{%- set columns = ['judgments.group_id'] -%}
{%- for name in sqlmetrics.carried_columns(f) -%}{%- do columns.append(values.get(name, 'null') ~ ' as ' ~ name) -%}{%- endfor -%}
{{ return(columns + (['judgments.item_id', 'judgments.subtopic_id'] if subtopics else []) + ['judgments.label', '1 as judged', '0 as returned']) }}
{%- endmacro -%}

{#- A group without relevant items, or without gain, has no value; the mean applies `empty` to it. -#}
{%- macro when_any_relevant(value) -%}{{ sqlmetrics.when_any_gain('relevant', value) }}{%- endmacro -%}
{%- macro when_any_gain(gain, value) -%}{{ sqlmetrics.case_when('sum(' ~ gain ~ ') > 0', value) }}{%- endmacro -%}

{#- The sum of `value` over the first k ranks, or all; judged items that were not returned have no rank. -#}
{%- macro sum_within(value, rank, k) -%}
sum({{ sqlmetrics.case_when(rank ~ (' is not null' if k is none else ' <= ' ~ k), value, '0') }})
{%- endmacro -%}

{#- A case with one condition, on one line if short. -#}
{%- macro case_when(condition, value, otherwise='') -%}
{%- if (condition ~ value) | length > 90 -%}
case
    when {{ condition }}
        then {{ sqlmetrics.indented(sqlmetrics.indented(value)) }}
    {{- '\n    else ' ~ otherwise if otherwise }}
end
{%- else -%}
case when {{ condition }} then {{ value }}{{ ' else ' ~ otherwise if otherwise }} end
{%- endif -%}
{%- endmacro -%}

{#- Returned relevant items of a group, and returned items, as a number and as a denominator. -#}
{%- macro hits_returned() -%}{{ sqlmetrics.sum_within('relevant', 'item_rank', none) }}{%- endmacro -%}
{%- macro items_of_list(m) -%}{{ sqlmetrics.to_double(m.row_count) }}{%- endmacro -%}
{%- macro items_returned(m) -%}nullif({{ sqlmetrics.items_of_list(m) }}, 0){%- endmacro -%}

{#- The gain or relevance of an item: its own, or the mean over items with equal scores. -#}
{%- macro own_gain(m) -%}{{ {'exp': '(power(2, label) - 1)', 'linear': 'label', 'binary': 'relevant'}[m.gain] }}{%- endmacro -%}
{%- macro relevance(m) -%}{{ 'mean_relevant' if m.ties == 'average' else 'relevant' }}{%- endmacro -%}
{%- macro gain(m) -%}
{{ {'exp': 'mean_exp_gain', 'linear': 'mean_label', 'binary': 'mean_relevant'}[m.gain] if m.ties == 'average' else sqlmetrics.own_gain(m) }}
{%- endmacro -%}

{#- Discounted gains over the first k ranks or, if `full`, over all. -#}
{%- macro discounted_sum(m, gain, rank='item_rank', full=false) -%}
{%- set discount = 'ln(2) / ln(' ~ rank ~ ' + 1)' if m.discount == 'log2' else 'case when ' ~ rank ~ ' = 1 then 1 else ln(2) / ln(' ~ rank ~ ') end' -%}
{{ sqlmetrics.sum_within(gain ~ ' * ' ~ discount, rank, none if full else m.k) }}
{%- endmacro -%}

{#- The contribution of a group to a pooled quotient. -#}
{%- macro counts_at_k(m, column) -%}
{{ sqlmetrics.sum_within(sqlmetrics.relevance(m), 'item_rank', m.k) if column == 'hits' else 'least(' ~ m.row_count ~ ', ' ~ m.k ~ ')' if column == 'listed' else 'sum(relevant)' }}
{%- endmacro -%}

{#- The pooled quotient. It drops groups without relevant items if `empty` is skip. -#}
{%- macro pooled(m, numerator, denominators) -%}
{%- set relevant = sqlmetrics.identifier(m.as ~ '_relevant') -%}
{%- set sums = [] -%}
{%- for name in [numerator] + denominators -%}
{%- set value = ('group_weight * ' if m.group_weight else '') ~ sqlmetrics.identifier(m.as ~ '_' ~ name) -%}
{%- do sums.append(sqlmetrics.sum_of(m, 'case when ' ~ relevant ~ ' > 0 then ' ~ value ~ ' end' if m.empty == 'skip' else value)) -%}
{%- endfor -%}
{{ sqlmetrics.to_double(sums[0]) }}
    / nullif({{ sqlmetrics.to_double(sums[1:] | join(' + ')) }}, 0)
{%- endmacro -%}

{#- The mean over groups; `empty` is the value of groups without relevant items. -#}
{%- macro mean_over_groups(m) -%}{{ sqlmetrics.mean_of_group_values(m, sqlmetrics.value_of_group(m)) }}{%- endmacro -%}

{%- macro mean_of_group_values(m, value) -%}
{%- if m.group_weight -%}
{%- set all = sqlmetrics.sum_of(m, 'group_weight * ' ~ value) -%}
{%- set weight = sqlmetrics.sum_of(m, 'case when ' ~ value ~ ' is not null then group_weight end') -%}
{{ all ~ ('\n    / nullif(\n        ' ~ weight ~ ',\n        0\n    )' if value | length > 18 else ' / nullif(' ~ weight ~ ', 0)') }}
{%- else -%}
{{ sqlmetrics.mean_of(m, value) }}
{%- endif -%}
{%- endmacro -%}

{%- macro value_of_group(m) -%}
{%- set value = sqlmetrics.identifier(m.group_columns[0].as) -%}
{{ value if m.empty is not defined or m.empty == 'skip' else 'coalesce(' ~ value ~ (', 0)' if m.empty == 'zero' else ', 1)') }}
{%- endmacro -%}

{#- Probability that this grade satisfies a user (Chapelle et al., CIKM 2009). -#}
{%- macro stop_probability(label, max_label) -%}(power(2, {{ label }}) - 1) / power(2, {{ sqlmetrics.number(max_label) }}){%- endmacro -%}
