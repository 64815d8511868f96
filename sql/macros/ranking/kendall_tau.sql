{#-
title: Kendall's rank correlation of score and label
answers: [order_in_groups]
formula: (concordant − discordant pairs) / pairs, per group, then the mean over groups; b and c correct for ties
frame: item_pairs
label_type: relevance
score: number
lower: -1
upper: 1
better: higher
undefined: NULL for a group of one item or, in b and c, with a constant score or label; such groups are dropped
oracle: scipy.stats.kendalltau (b, c); by hand (a)
source: Kendall, Biometrika 33 (1945); Stuart, Biometrika 40 (1953) for c
notes: The work grows with the square of the distinct (score, label) values of a group; larger groups than max_group_size are an error.
parameters:
  variant:
    default: b
    choices: {a: all pairs count, b: corrected for pairs tied in either, c: for scores and labels of few values}
    doc: how ties are treated
  max_group_size: frame
example: {label: [3, 2, 0, 1], score: [4, 3, 2, 1], group: [1, 1, 1, 1], result: 0.6667}
-#}
{%- macro kendall_tau__per_group(m) -%}
{%- set pairs = '(items * (items - 1) / 2)' -%}
{%- set net = '(concordant - discordant)' -%}
{%- if m.variant == 'a' -%}
{{ net }} / nullif({{ pairs }}, 0)
{%- elif m.variant == 'b' -%}
{#- Pairs with different scores: those with different labels, and those with equal labels less those equal in both. -#}
{{ net }}
    / nullif(
        sqrt(concordant + discordant + {{ pairs }} - label_pairs - equal_pairs) * sqrt(label_pairs),
        0
    )
{%- else -%}
2 * {{ net }} / nullif(items * items * (least(score_values, label_values) - 1) / least(score_values, label_values), 0)
{%- endif -%}
{%- endmacro -%}
