"""The last simulation as a page and a picture: `python -m tests.benchmarks.coverage_page` writes both."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

FIGURES = Path(__file__).parent / "coverage.json"
_ROOT = Path(__file__).parent.parent.parent
PAGE = _ROOT / "sql" / "coverage.md"
PICTURE = _ROOT / "sql" / "intervals.svg"
MARKS = ("<!-- coverage: written by tests.benchmarks.coverage -->", "<!-- coverage end -->")
#: The metric of the picture.
PICTURED = "copc"
#: The accepted range of the coverage at AIMED_AT users.
AIM = (0.93, 0.97)
AIMED_AT = "500"
NONE = "–"

Cells = Mapping[str, Mapping[str, Mapping[str, float]]]


def percent(share: float | None) -> str:
    """A share in percent, or a dash for a missing one."""
    return NONE if share is None else f"{100 * share:.1f}"


def _cell(cells: Cells, users: str, what: str, name: str) -> float | None:
    return cells.get(users, {}).get(what, {}).get(name)


def _logs(metrics: Mapping[str, Cells], levels: Sequence[str], what: str) -> str:
    """The number of logs behind the figures of a table, from the fewest to the most, by column."""
    counts_of_logs = []
    for users in levels:
        counts = {int(_cell(cells, users, what, "logs") or 0) for cells in metrics.values()} - {0}
        counts_of_logs.append(
            " to ".join(f"{count:,}" for count in sorted({min(counts), max(counts)})) if counts else "none"
        )
    return ", ".join(counts_of_logs)


def _table(metrics: Mapping[str, Cells], levels: Sequence[str]) -> Iterator[str]:
    users = [f"{int(level):,}" for level in levels]
    head = ["metric", *[f"value, {level}" for level in users], f"its mean, {int(AIMED_AT):,}"]
    head += [f"difference, {level}" for level in users] + [f"false alarms, {level}" for level in users]
    yield f"| {' | '.join(head)} |"
    yield f"|{'---|' * len(head)}"
    for name, cells in metrics.items():
        row = [percent(_cell(cells, level, "value", "held")) for level in levels]
        row.append(percent(_cell(cells, AIMED_AT, "value", "held_mean")))
        row += [percent(_cell(cells, level, "worse", "held")) for level in levels]
        row += [percent(_cell(cells, level, "twin", "found")) for level in levels]
        yield f"| {name} | {' | '.join(row)} |"


def reason(cells: Mapping[str, float]) -> str:
    """Why the coverage is too low or too high, from the estimates and their standard errors."""
    parts = []
    deviations = abs(cells["held"] - 0.95) / math.sqrt(0.95 * 0.05 / cells["logs"])
    if deviations <= 3:
        parts.append(f"{deviations:.1f} standard deviations of chance from 95, in {int(cells['logs'])} logs")
    if abs(cells["bias"]) >= 0.25:
        way = "above" if cells["bias"] > 0 else "below"
        parts.append(
            f"the estimates lie {abs(cells['bias']):.1f} of their standard deviations {way} the true value, and "
            f"{percent(cells['held_mean'])} of the intervals cover their mean"
        )
    if math.isnan(cells["error"]):
        parts.append("it has the same value in all of these logs")
    elif not 0.93 <= cells["error"] <= 1.07:
        parts.append(f"the standard errors are {cells['error']:.2f} times the standard deviation of the estimates")
    if not parts:
        parts.append("neither the estimates nor their standard errors are clearly biased")
    if cells["undefined"]:
        parts.append(f"{percent(cells['undefined'])} have no interval")
    return "; ".join(parts)


def _outside(metrics: Mapping[str, Cells]) -> Iterator[str]:
    labels = {"value": "", "worse": ", difference"}
    for name, cells in metrics.items():
        for what, word in labels.items():
            figures = cells.get(AIMED_AT, {}).get(what)
            if figures and not AIM[0] <= figures["held"] <= AIM[1]:
                yield f"- **{name}**{word}: {percent(figures['held'])}; {reason(figures)}."


def table(figures: Mapping[str, Any]) -> str:
    """Markdown: the coverage by metric, for each way to compute intervals, and the metrics outside the aim."""
    levels = sorted({users for cells in figures["metrics"].values() for users in cells}, key=int)
    lines = [f"`{figures['command']}`"]
    later: dict[str, list[str]] = {}
    for name, command in figures.get("later", {}).items():
        later.setdefault(command, []).append(f"`{name}`")
    for command, names in sorted(later.items()):
        lines += ["", f"By `{command}`: {', '.join(names)}."]
    of_buckets = set(figures["buckets"])
    for title, wanted in [("From influences", False), ("From twenty buckets", True)]:
        metrics = {name: cells for name, cells in figures["metrics"].items() if (name in of_buckets) == wanted}
        if not metrics:
            continue
        lines += ["", f"## {title}", ""]
        lines.append(
            f"Logs of {', '.join(f'{int(level):,}' for level in levels)} users: {_logs(metrics, levels, 'value')} for "
            f"values, {_logs(metrics, levels, 'worse')} for differences and false alarms."
        )
        lines += ["", *_table(metrics, levels)]
    outside = list(_outside(figures["metrics"]))
    if outside:
        lines += ["", f"## Outside 93 to 97 at {int(AIMED_AT):,} users", "", *outside]
    return "\n".join(lines) + "\n"


def holding(intervals: Sequence[Sequence[float]], truth: float) -> int:
    """The number of intervals (value, low, high) that cover the true value."""
    return sum(low <= truth <= high for _, low, high in intervals)


# Blue and vermilion of the palette by Okabe and Ito, for colour-blind readers; a miss is also thicker. The fixed
# background suits light and dark pages.
_BACKGROUND, _INK, _FAINT, _HELD, _MISSED = "#ffffff", "#24292f", "#6e7781", "#0072b2", "#d55e00"
_WIDTH, _PANEL, _LEFT, _RIGHT, _TOP = 820, 170, 60, 20, 62


def picture(figures: Mapping[str, Any]) -> str:
    """An SVG: the same logs twice, with intervals by row and by user, and a line at the true value."""
    shown = figures["picture"]
    truth, metric, users = shown["truth"], shown["metric"], f"{shown['size']:,}"
    ends = [end for part in ("rows", "users") for _, low, high in shown[part] for end in (low, high)]
    lowest, highest = min(ends), max(ends)
    count = len(shown["rows"])
    covered = {part: holding(shown[part], truth) for part in ("rows", "users")}
    title = f"95% intervals of {metric} in {count} simulated logs of {users} users"
    description = (
        f"Of the intervals that take rows for independent {covered['rows']} of {count} hold the true value; of those "
        f"by user {covered['users']} of {count}, on the same logs."
    )
    height = _TOP + 2 * (_PANEL + 44)
    step = (_WIDTH - _LEFT - _RIGHT) / count
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" role="img" '
        'aria-labelledby="title description" font-family="system-ui, sans-serif" font-size="14">',
        f'<title id="title">{title}</title>',
        f'<desc id="description">{description}</desc>',
        f'<rect width="{_WIDTH}" height="{height}" rx="8" fill="{_BACKGROUND}"/>',
        f'<text x="{_LEFT}" y="28" font-size="16" font-weight="600" fill="{_INK}">{title}</text>',
    ]
    for number, (part, name) in enumerate([("rows", "By row"), ("users", "By user")]):
        top = _TOP + number * (_PANEL + 44)

        def y_of(value: float, top: int = top) -> float:
            return top + 14 + (_PANEL - 14) * (highest - value) / (highest - lowest)

        lines.append(
            f'<text x="{_LEFT}" y="{top}" fill="{_INK}">{name}: {covered[part]} of {count} hold the truth</text>'
        )
        for position, (value, low, high) in enumerate(shown[part]):
            x = _LEFT + step * (position + 0.5)
            colour, width = (_HELD, 2) if low <= truth <= high else (_MISSED, 4)
            lines.append(
                f'<line x1="{x:.1f}" y1="{y_of(high):.1f}" x2="{x:.1f}" y2="{y_of(low):.1f}" '
                f'stroke="{colour}" stroke-width="{width}"/>'
            )
            lines.append(f'<circle cx="{x:.1f}" cy="{y_of(value):.1f}" r="{width + 1}" fill="{colour}"/>')
        level = y_of(truth)
        lines.append(
            f'<line x1="{_LEFT}" y1="{level:.1f}" x2="{_WIDTH - _RIGHT}" y2="{level:.1f}" stroke="{_INK}" '
            'stroke-width="1.5" stroke-dasharray="6 4"/>'
        )
        lines.append(f'<text x="{_LEFT - 8}" y="{level + 5:.1f}" text-anchor="end" fill="{_INK}">{truth:.3f}</text>')
    lines.append(
        f'<text x="{_LEFT}" y="{height - 12}" font-size="13" fill="{_FAINT}">dashed: the true value; blue: intervals '
        "that hold it; orange and thick: those that miss it</text>"
    )
    return "\n".join([*lines, "</svg>"]) + "\n"


def between_marks(text: str) -> str:
    """The text between the marks."""
    before, after = (text.index(mark) for mark in MARKS)
    return text[before + len(MARKS[0]) : after].strip("\n") + "\n"


def write(figures: Mapping[str, Any]) -> None:
    """Write the tables into the page, and the picture."""
    text = PAGE.read_text(encoding="utf-8")
    before, after = (text.index(mark) for mark in MARKS)
    PAGE.write_text(text[: before + len(MARKS[0])] + "\n" + table(figures) + text[after:], encoding="utf-8")
    PICTURE.write_text(picture(figures), encoding="utf-8")


if __name__ == "__main__":
    write(json.loads(FIGURES.read_text(encoding="utf-8")))
