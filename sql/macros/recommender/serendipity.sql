{#-
title: Serendipity
answers: [varied]
formula: listed items that are relevant and not expected / listed items, then the mean over lists
frame: surprising_items
label_type: relevance
score: number
roles: {item: required}
lower: 0
upper: 1
better: higher
undefined: NULL without lists
oracle: by hand
source: Ge, Delgado-Battenfeld and Jannach, RecSys 2010; Murakami, Mori and Orihara, JSAI 2007 workshops (2008)
notes: Expected items are those that a simple recommender shows, such as the most popular items. Without expected items it is the precision of the list.
parameters:
  k: frame
  relevant_at: frame
example: {label: [1, 1, 0, 1], group: [1, 1, 2, 2], item: [a, b, a, c], score: [2, 1, 2, 1], expected_items: {item: [a, d]}, result: 0.5}
-#}
{%- macro serendipity__per_group(m) -%}
{%- set surprising = 'case when expected = 0 and label >= ' ~ sqlmetrics.number(m.relevant_at) ~ ' then 1 else 0 end' -%}
{{ sqlmetrics.to_double(sqlmetrics.sum_of_first(m.k, surprising)) }}
    / nullif({{ sqlmetrics.to_double(sqlmetrics.count_of_first(m.k)) }}, 0)
{%- endmacro -%}
