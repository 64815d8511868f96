{#-
title: Entropy of exposure
answers: [shown]
formula: −Σ q·ln q, q the share of each item among all that are listed
frame: listed_items
score: number
roles: {item: required}
lower: 0
scale: higher is more evenly spread
undefined: NULL without lists
oracle: scipy.stats.entropy
source: Shannon, Bell System Technical Journal 27 (1948); of recommended items, Adomavicius and Kwon, TKDE 24 (2012)
notes: In nats; e to this power is the number of equally frequent items with the same entropy. RecBole's `shannonentropy` divides it by the number of items that are listed.
parameters: [k]
example: {group: [1, 1, 2, 2], item: [a, b, a, c], score: [2, 1, 2, 1], result: 1.0397}
-#}
{#- Σ q·ln q is (Σ c·ln c) / Σ c − ln Σ c over the counts c: sums without a window over all items. -#}
{%- macro exposure_entropy__query(m, rows_from, keys) -%}
select
    {{ sqlmetrics.select_list(keys + ['ln(sum(exposures)) - sum(exposures * ln(exposures)) / sum(exposures) as ' ~ sqlmetrics.identifier(m.as)]) }}
from (
    {{ sqlmetrics.indented(sqlmetrics.items_of_lists(m, rows_from, keys, ['exposures'])) }}
) as items_of_lists
{{- sqlmetrics.group_by(keys) }}
{%- endmacro -%}
