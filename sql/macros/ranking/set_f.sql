{#-
title: F-beta of the whole list
answers: [found]
formula: (1 + β²)·P·R / (β²·P + R), P and R the precision and the recall of the list, then the mean over groups
frame: ranked_items
label_type: relevance
score: number
uses: [gaining_items]
lower: 0
upper: 1
better: higher
undefined: NULL for a group without any relevant item, see empty; NULL without groups
oracle: trec_eval set_F
source: van Rijsbergen, Information Retrieval, 1979, chapter 7
notes: The parameter of trec_eval's set_F is β².
parameters:
  beta: {type: number, default: 1, minimum: 0, maximum: 1.0e+20, doc: the weight of recall relative to precision}
  relevant_at: frame
  negative: frame
  missing: frame
  empty: frame
names: {trec_eval: "set_F"}
example: {label: [1, 0, 0, 1], score: [4, 3, 2, 1], group: [1, 1, 1, 1], call: set_f, result: 0.6667}
-#}
{%- macro set_f__per_group(m) -%}
{%- set beta_squared = sqlmetrics.number(m.beta) ~ ' * ' ~ sqlmetrics.to_double(sqlmetrics.number(m.beta)) -%}
{%- set weighted = '(' ~ sqlmetrics.items_of_list(m) ~ ' + ' ~ beta_squared ~ ' * sum(relevant))' -%}
{{ sqlmetrics.when_any_relevant('coalesce((1 + ' ~ beta_squared ~ ') * ' ~ sqlmetrics.hits_returned() ~ '\n            / nullif(' ~ weighted ~ ', 0), 0)') }}
{%- endmacro -%}
