"""The figures of the last run, as the table in the README: `python -m tests.benchmarks.report` writes it there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

FIGURES = Path(__file__).parent / "figures.json"
README = Path(__file__).parent.parent.parent / "README.md"
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


def in_readme(text: str) -> str:
    """What stands between the marks."""
    before, after = (text.index(mark) for mark in MARKS)
    return text[before + len(MARKS[0]) : after].strip("\n") + "\n"


def main() -> None:
    """Write the table of the last figures into the README."""
    text = README.read_text(encoding="utf-8")
    figures = json.loads(FIGURES.read_text(encoding="utf-8"))
    before, after = (text.index(mark) for mark in MARKS)
    README.write_text(text[: before + len(MARKS[0])] + "\n" + table(figures) + text[after:], encoding="utf-8")


if __name__ == "__main__":
    main()
