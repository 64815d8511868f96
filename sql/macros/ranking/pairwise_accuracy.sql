{#-
title: Pairwise accuracy
answers: [order_in_groups]
formula: (concordant pairs + ½ of those with equal scores) / pairs, of two items of a group with different labels
frame: item_pairs
label_type: relevance
score: number
group_columns: {average=micro: [right, pairs]}
lower: 0
upper: 1
better: higher
scale: 0.5 is chance
undefined: NULL where no group has two labels
oracle: sklearn.metrics.roc_auc_score; by hand
source: TensorFlow Ranking, OPAMetric; CatBoost, PairAccuracy
notes: With two labels it is the AUC of a group. The work grows with the square of the distinct (score, label) values of a group; larger groups than max_group_size are an error.
parameters:
  average:
    default: micro
    choices: {micro: right pairs of all groups / pairs of all groups, macro: the mean over groups with two labels}
    doc: how the groups are combined
    used_by: {micro: 'TensorFlow Ranking, CatBoost'}
  equal_scores:
    default: half
    choices: {half: counts half, wrong: counts as wrong}
    doc: a pair with equal scores
    used_by: {wrong: TensorFlow Ranking}
  max_group_size: frame
example: {label: [3, 2, 0, 1], score: [4, 3, 2, 1], group: [1, 1, 1, 1], result: 0.8333}
-#}
{%- macro pairwise_accuracy__per_group(m) -%}
{%- set right = 'concordant' if m.equal_scores == 'wrong' else '(concordant + (label_pairs - concordant - discordant) / 2)' -%}
{%- if m.average == 'macro' -%}
{{ sqlmetrics.safe_divide(right, 'label_pairs') }}
{%- else -%}
{{ right if m.column == 'right' else 'label_pairs' }}
{%- endif -%}
{%- endmacro -%}

{%- macro pairwise_accuracy__value(m) -%}
{{ sqlmetrics.mean_over_groups(m) if m.average == 'macro' else sqlmetrics.pooled_pairs(m) }}
{%- endmacro -%}
