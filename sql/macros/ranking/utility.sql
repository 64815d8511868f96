{#-
title: Utility of the whole list
answers: [found]
formula: a·(relevant returned) + b·(other returned) + c·(relevant not returned) + d·(others not returned), then the mean over groups
frame: ranked_items
label_type: relevance
score: number
uses: [gaining_items]
better: higher
scale: in the unit of the coefficients
undefined: NULL without groups
oracle: trec_eval utility; by hand (d)
source: Lewis, TREC-4 filtering track, 1995; trec_eval, m_utility.c
notes: For lists that are sent or not, such as alerts. The order of the items does not matter.
parameters:
  relevant_returned: {type: number, default: 1, doc: 'a, the value of a relevant item that was returned'}
  other_returned: {type: number, default: -1, doc: 'b, the value of any other item that was returned'}
  relevant_missed: {type: number, default: 0, doc: 'c, the value of a relevant item that was not returned'}
  other_missed: {type: number, default: 0, doc: 'd, the value of any other item that was not returned'}
  collection_size: {type: integer, default: 0, minimum: 0, doc: 'the number of all items, for d; if it is smaller than the number of known items, none is missed'}
  relevant_at: frame
  negative: frame
  missing:
    default: zero
    choices: {zero: counts its missed items, skip: dropped from the mean}
    doc: 'a judged group without a returned item, or without one that matches `where`; it counts overall, in no slice'
    presets: {trec_eval: skip, spark: zero}
    used_by: {skip: trec_eval}
names: {trec_eval: "utility"}
example: {label: [1, 0, 0, 1], score: [4, 3, 2, 1], group: [1, 1, 1, 1], call: utility(other_returned=-0.25), result: 1.5}
-#}
{%- macro utility__per_group(m) -%}
{%- set hits = sqlmetrics.hits_returned() -%}
{%- set returned = sqlmetrics.items_of_list(m) -%}
{{ sqlmetrics.number(m.relevant_returned) }} * {{ hits }}
    + {{ sqlmetrics.number(m.other_returned) }} * ({{ returned }} - {{ hits }})
    + {{ sqlmetrics.number(m.relevant_missed) }} * (sum(relevant) - {{ hits }})
    + {{ sqlmetrics.number(m.other_missed) }} * greatest(
        {{ m.collection_size }} + {{ hits }} - {{ returned }} - sum(relevant),
        0
    )
{%- endmacro -%}
