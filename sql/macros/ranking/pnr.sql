{#-
title: Positive-negative ratio
answers: [order_in_groups]
formula: concordant / discordant pairs, of two items of a group with different labels
frame: item_pairs
label_type: relevance
score: number
group_columns: {average=micro: [concordant, discordant]}
lower: 0
better: higher
scale: 1 is chance
undefined: NULL without a discordant pair
oracle: by hand
source: Zou et al., KDD 2021
notes: The work grows with the square of the distinct (score, label) values of a group; larger groups than max_group_size are an error.
parameters:
  average:
    default: micro
    choices: {micro: concordant of all groups / discordant of all groups, macro: 'the mean over groups with a discordant pair'}
    doc: how the groups are combined
  max_group_size: frame
example: {label: [3, 2, 0, 1], score: [4, 3, 2, 1], group: [1, 1, 1, 1], result: 5.0}
-#}
{%- macro pnr__per_group(m) -%}
{%- if m.average == 'macro' -%}
{{ sqlmetrics.safe_divide('concordant', 'discordant') }}
{%- else -%}
{{ m.column }}
{%- endif -%}
{%- endmacro -%}

{%- macro pnr__value(m) -%}
{{ sqlmetrics.mean_over_groups(m) if m.average == 'macro' else sqlmetrics.pooled_pairs(m) }}
{%- endmacro -%}
