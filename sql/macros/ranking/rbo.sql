{#-
title: Rank-biased overlap of two rankings
answers: [same_order]
formula: (1 − p)·Σ p^(d − 1)·X(d) / d, X(d) the items among the first d of both lists; then the mean over groups
frame: list_overlaps
label_type: ranking
score: number
lower: 0
upper: 1
scale: 1 is the same order
undefined: NULL without groups
oracle: numpy by the equations; the package rbo, 0.1.3
source: Webber, Moffat and Zobel, TOIS 28(4), 2010, equations 4, 11 and 32
notes: "One ranking is by score, the other by label (any numbers, higher first), such as those of an old and a new model. The second ranking may be a relation of its own, judgments; then each list may have items that are not in the other."
parameters:
  p: {type: number, default: 0.9, minimum: 0.001, maximum: 0.999, doc: the probability that the reader continues to the next item}
  k: frame
  beyond:
    default: extrapolated
    choices:
      extrapolated: the same agreement as down to there (equation 32)
      disjoint: nothing in common, a lower bound (equation 11)
      cut: the sum ends with the shorter list (equation 4)
    doc: the agreement of the lists beyond their ends, or beyond k
  ties: frame
  missing: frame
example: {label: [3, 4, 2, 1], score: [4, 3, 2, 1], group: [1, 1, 1, 1], result: 0.9}
-#}
{#- Items within the shorter list are extrapolated from its end, the others from the end of the longer list (equation 32, by items). -#}
{%- macro rbo__per_group(m) -%}
{%- set p = sqlmetrics.to_double(sqlmetrics.number(m.p)) -%}
{%- set weights = sqlmetrics.overlap_column(m, 'weights') -%}
{%- set overlap = sqlmetrics.overlap_column(m, 'overlap') -%}
{%- set shorter = sqlmetrics.shorter_length(m.k) -%}
{%- set longer = sqlmetrics.longer_length(m.k) -%}
{%- if m.beyond == 'disjoint' -%}
(1 - {{ p }}) * {{ weights }}
{%- elif m.beyond == 'cut' -%}
(1 - {{ p }}) * ({{ weights }} - {{ overlap }} * {{ sqlmetrics.weights_below_both(m, 'greatest') }})
{%- elif not m.judged -%}
(1 - {{ p }}) * ({{ weights }} - {{ overlap }} * {{ sqlmetrics.weights_below(m, 'first') }})
    + {{ overlap }}
        / nullif({{ shorter }}, 0)
        * {{ sqlmetrics.power_of_rank(p, shorter) }}
{%- else -%}
{%- set in_shorter = sqlmetrics.overlap_column(m, 'shorter_overlap') -%}
coalesce(
    (1 - {{ p }}) * (
        {{ weights }}
        - {{ in_shorter }} * {{ sqlmetrics.weights_below_both(m, 'greatest') }}
        - ({{ overlap }} - {{ in_shorter }}) * {{ sqlmetrics.weights_below_both(m, 'least') }}
    )
    + {{ in_shorter }}
        / nullif({{ shorter }}, 0)
        * {{ sqlmetrics.power_of_rank(p, shorter) }}
    + ({{ overlap }} - {{ in_shorter }})
        / nullif({{ longer }}, 0)
        * {{ sqlmetrics.power_of_rank(p, longer) }},
    0
)
{%- endif -%}
{%- endmacro -%}
