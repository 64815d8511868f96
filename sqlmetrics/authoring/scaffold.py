"""The metric file that `sqlmetrics new` writes: a working example to edit."""

from __future__ import annotations

from ..catalogue.front_matter import LOWER_CASE_WORD
from ..catalogue.registry import catalogue
from ..errors import BadParameter
from ..rendering.macros import call_macro

#: By frame, the declaration of a first metric, and the SQL of its macro.
_SCAFFOLDS = {
    "rows": (
        """\
formula: Σ y·p / Σ y, the mean score of the positives
frame: rows
label_type: binary
score: number
undefined: NULL without positives
example: {label: [0, 1, 0, 1], score: [0.1, 0.4, 0.2, 0.8], result: 0.6}""",
        "{{ sqlmetrics.safe_divide('sum(pos * score)', 'sum(pos)') }}",
    ),
    "ranked_scores": (
        """\
formula: 2·AUC − 1
frame: [ranked_scores, thresholds]
label_type: binary
score: number
lower: -1
upper: 1
better: higher
scale: 0 is chance
undefined: NULL when one class is missing
example: {label: [0, 0, 1, 1], score: [0.1, 0.4, 0.35, 0.8], result: 0.5}""",
        "2 * ({{ sqlmetrics.area_under_roc(m.frame) }}) - 1",
    ),
    "thresholds": (
        """\
formula: max over thresholds of TPR − FPR
frame: thresholds
uses: [totals]
label_type: binary
score: number
lower: -1
upper: 1
better: higher
undefined: NULL when one class is missing
example: {label: [0, 0, 1, 1], score: [0.1, 0.4, 0.35, 0.8], result: 0.5}""",
        "max(true_positives / nullif(positives, 0) - false_positives / nullif(negatives, 0))",
    ),
    "score_bins": (
        """\
formula: max over bins of |rate − mean score|
frame: score_bins
label_type: binary
score: probability
lower: 0
upper: 1
better: lower
undefined: NULL without rows
parameters: {bins: frame, binning: frame}
example: {label: [0, 1, 0, 1], score: [0.1, 0.4, 0.1, 0.4], result: 0.6}""",
        "max(abs(pos - score_sum) / nullif(pos + neg, 0))",
    ),
    "group_scores": (
        """\
formula: min over groups of the AUC inside the group
frame: group_scores
label_type: binary
score: number
lower: 0
upper: 1
better: higher
scale: 0.5 is chance
undefined: NULL when no group holds both classes
example: {label: [0, 1, 0, 1], score: [0.1, 0.4, 0.5, 0.2], group: [1, 1, 2, 2], result: 0.0}""",
        "min(auc)",
    ),
    "ranked_items": (
        """\
formula: number of relevant items among the first k, then the mean over groups
frame: ranked_items
label_type: relevance
score: number
lower: 0
better: higher
scale: at most k
undefined: NULL for a group without any relevant item, see empty; NULL without groups
parameters: {k: frame, ties: [worst, best, key], relevant_at: frame, empty: frame}
example: {label: [1, 0, 1], score: [3, 2, 1], group: [1, 1, 1], call: NAME@2, result: 1.0}""",
        "{{ sqlmetrics.when_any_relevant(sqlmetrics.sum_within('relevant', 'item_rank', m.k)) }}",
    ),
    "class_counts": (
        """\
formula: share of the classes with at least one right call
frame: class_counts
label_type: class
score: class
lower: 0
upper: 1
better: higher
undefined: NULL without rows
example: {label: [a, a, b, c], prediction: [a, b, b, a], result: 0.6667}""",
        "avg({{ sqlmetrics.to_double('case when tp > 0 then 1 else 0 end') }})",
    ),
}

#: The frames that a new metric may start from.
FRAMES = tuple(_SCAFFOLDS)


def scaffold(name: str, frame: str) -> str:
    """The text of a metric file called `name`.

    >>> print(scaffold("mean_positive_score", "rows").splitlines()[1])
    title: a few words that describe mean_positive_score
    """
    if not LOWER_CASE_WORD.match(name):
        raise BadParameter(f"{name!r}: a metric's name is a lower-case word, as in click_rate")
    if name in catalogue().metrics:
        raise BadParameter(f"{name!r}: there is already a metric of this name")
    if name in call_macro(catalogue(), "duckdb", "names_of_no_metric") or name.startswith("sqlmetrics_"):
        raise BadParameter(f"{name!r}: results have a column of this name, or the package keeps it; choose another")
    declaration, body = _SCAFFOLDS[frame]
    about = catalogue().frames[frame]
    macro = "per_group" if about.group_values else "value"
    return f"""\
{{#-
title: a few words that describe {name}
{declaration.replace("NAME", name)}
oracle: say whose numbers it was checked against
source: say where the definition comes from
-#}}
{{#- The SQL is an aggregate over the frame, {about.rows}. Its columns:
    {about.columns} -#}}
{{%- macro {name}__{macro}(m) -%}}
{body}
{{%- endmacro -%}}
"""
