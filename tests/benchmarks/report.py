"""The figures of the last run, as tables: `python -m tests.benchmarks.report` writes them into two pages.

The whole table stands in `sql/benchmark.md`, five rows of it in the README.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

FIGURES = Path(__file__).parent / "figures.json"
_ROOT = Path(__file__).parent.parent.parent
README = _ROOT / "README.md"
PAGE = _ROOT / "sql" / "benchmark.md"
#: What the README shows: a case, and whom it is compared with.
IN_SHORT = (("auc", "floor"), ("auc", "scikit-learn"), ("gauc", "polars"), ("ranking", "pytrec_eval"))
MARKS = ("<!-- benchmark: written by tests.benchmarks.report -->", "<!-- benchmark end -->")


def times(ratio: float) -> str:
    """A ratio below one is told the other way round."""
    return f"{ratio:.2f} × its time" if ratio >= 1 else f"{1 / ratio:.{1 if ratio > 0.05 else 0}f} × faster"


def spread(ratio: dict[str, float]) -> str:
    """The lowest and the highest ratio, told like their median."""
    if ratio["median"] >= 1:
        return f"{ratio['lowest']:.2f} to {ratio['highest']:.2f}"
    digits = 1 if ratio["median"] > 0.05 else 0
    return f"{1 / ratio['highest']:.{digits}f} to {1 / ratio['lowest']:.{digits}f}"


def table(figures: dict[str, Any]) -> str:
    """Markdown: what was timed, against whom, the median and the spread."""
    versions = ", ".join(f"{name} {version}" for name, version in figures["versions"].items())
    lines = [
        f"{figures['date']}: {figures['rows']:,} rows unless said otherwise, {figures['threads']} threads, Python "
        f"{figures['python']}, {versions}. Medians of "
        f"{figures['rounds']} rounds in turn, with the lowest and the highest;",
        f"`{figures['command']}`.",
        "",
        "| work | against | sqlmetrics takes | lowest to highest | bar |",
        "|---|---|---|---|---|",
    ]
    for result in figures["results"]:
        for name, ratio in result["ratios"].items():
            bar = result["bars"].get(name)
            told = "" if bar is None else f"{times(bar)}" + ("" if ratio["median"] <= bar else " (missed)")
            lines.append(f"| {result['what']} | {name} | {times(ratio['median'])} | {spread(ratio)} | {told} |")
    for result in figures.get("memory", []):
        work = f"{result['metric']}, {result['rows']:,} rows, memory_limit {result['memory_limit']}"
        missed = "" if result["met"] else " (missed)"
        lines.append(
            f"| {work} | {result['fewer_rows']:,} rows, per row | {result['per_row']:.2f} × its time | "
            f"peak {result['peak_memory'] / 1e9:.2f} GB | 2.00 × its time, 2.40 GB{missed} |"
        )
    return "\n".join(lines) + "\n"


def in_short(figures: dict[str, Any]) -> str:
    """The rows of the README: the work, how long it takes, and how long another."""
    results = {result["case"]: result for result in figures["results"]}
    lines = ["| work | seconds | against | sqlmetrics takes |", "|---|---|---|---|"]
    for case, name in IN_SHORT:
        result = results[case]
        ratio = times(result["ratios"][name]["median"])
        lines.append(
            f"| {result['what'].partition(';')[0]} | {result['seconds']['sqlmetrics']:.1f} | {name} | {ratio} |"
        )
    largest = figures["memory"][0]
    work = f"{largest['metric']}, {largest['rows']:,} rows, in {largest['memory_limit']} of memory"
    against = f"{largest['fewer_rows']:,} rows, per row"
    lines.append(f"| {work} | {largest['seconds']:.1f} | {against} | {largest['per_row']:.2f} × its time |")
    return "\n".join(lines) + "\n"


#: What the pages hold between their marks.
TABLES = {PAGE: table, README: in_short}


def between_marks(text: str) -> str:
    """What stands between the marks."""
    before, after = (text.index(mark) for mark in MARKS)
    return text[before + len(MARKS[0]) : after].strip("\n") + "\n"


def main() -> None:
    """Write the tables of the last figures into their pages."""
    figures = json.loads(FIGURES.read_text(encoding="utf-8"))
    for page, made in TABLES.items():
        text = page.read_text(encoding="utf-8")
        before, after = (text.index(mark) for mark in MARKS)
        page.write_text(text[: before + len(MARKS[0])] + "\n" + made(figures) + text[after:], encoding="utf-8")


if __name__ == "__main__":
    main()
