"""The metric file that `sqlmetrics new` writes: a working example to edit."""

from __future__ import annotations

from pathlib import Path

from ..catalogue.front_matter import LOWER_CASE_WORD
from ..catalogue.registry import catalogue
from ..catalogue.yaml_text import read_yaml
from ..errors import BadParameter
from ..rendering.macros import call_macro

#: The frames that a new metric may start from; each has a template.
FRAMES = ("rows", "ranked_scores", "thresholds", "score_bins", "group_scores", "ranked_items", "class_counts")
_TEMPLATES = Path(__file__).with_name("scaffolds.yml")


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
    template = read_yaml(_TEMPLATES.read_text(encoding="utf-8"))[frame]
    about = catalogue().frames[frame]
    macro = "per_group" if about.group_values else "value"
    return f"""\
{{#-
title: a few words that describe {name}
{template["declaration"].replace("NAME", name)}
oracle: say whose numbers it was checked against
source: say where the definition comes from
-#}}
{{#- The SQL is an aggregate over the frame, {about.rows}. Its columns:
    {about.columns} -#}}
{{%- macro {name}__{macro}(m) -%}}
{template["body"]}
{{%- endmacro -%}}
"""
