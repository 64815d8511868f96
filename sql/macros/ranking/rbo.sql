{#-
title: Rank-biased overlap of two rankings
answers: [same_order]
formula: (1 − p)·Σ p^(d − 1)·X(d) / d, X(d) the items among the first d of both lists; then the mean over groups
frame: list_overlaps
truth: ranking
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
{%- macro rbo__per_group(m) -%}
{%- set p = sqlmetrics.to_double(sqlmetrics.number(m.p)) -%}
{%- set here = 'place <= ' ~ m.k if m.k is not none else 'place >= 1' -%}
{%- set weight = sqlmetrics.power_of_place(p, 'place - 1') -%}
{%- set shorter = sqlmetrics.shorter_length() -%}
{%- set cut_shorter = sqlmetrics.cut_length(shorter, m.k) -%}
{%- set cut_longer = sqlmetrics.cut_length(sqlmetrics.longer_length(), m.k) -%}
{%- set in_both = sqlmetrics.overlap_within(m.k, shorter) -%}
{%- set in_all = sqlmetrics.overlap_within(m.k) -%}
{%- set agreement = 'sum(case when ' ~ here ~ ' then overlap / place * ' ~ weight ~ '\n            else 0 end)' -%}
{%- if m.beyond == 'cut' -%}
(1 - {{ p }}) * sum(case
        when {{ here }} and place <= {{ shorter }} then overlap / place * {{ weight }}
        else 0
    end)
{%- elif m.beyond == 'disjoint' -%}
(1 - {{ p }}) * (
        {{ agreement }}
        + {{ in_all }}
            * (-ln(1 - {{ p }}) / {{ p }} - sum(case when {{ here }} then {{ weight }} / place else 0 end))
    )
{%- else -%}
coalesce(
    (1 - {{ p }}) * (
        {{ agreement }}
        + {{ in_both }}
            / nullif({{ cut_shorter }}, 0)
            * sum(case when {{ here }} and place > {{ shorter }}
                then (1 - {{ shorter }} / place) * {{ weight }}
                else 0 end)
    )
    + (
        ({{ in_all }} - {{ in_both }})
            / {{ cut_longer }}
        + {{ in_both }}
            / nullif({{ cut_shorter }}, 0)
    ) * {{ sqlmetrics.power_of_place(p, cut_longer) }},
    0
)
{%- endif -%}
{%- endmacro -%}
