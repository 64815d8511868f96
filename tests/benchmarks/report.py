"""The figures of the last runs, as tables: `python -m tests.benchmarks.report` writes them into two pages.

`sql/benchmark.md` has the comparisons with other tools and all missed bars, the README five rows. With `--all`, the
command prints every figure to standard output and writes nothing.
"""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path
from typing import Any

_HERE = Path(__file__).parent
#: The figures on DuckDB, of every metric, on PostgreSQL and on Spark.
FIGURES = _HERE / "figures.json"
EVERY_METRIC = _HERE / "every_metric.json"
POSTGRES = _HERE / "postgres.json"
SPARK = _HERE / "spark.json"
#: Suffixes of these files: the first run, and a second run of some cases.
RUNS = ("", "_again")
_ROOT = _HERE.parent.parent
README = _ROOT / "README.md"
PAGE = _ROOT / "sql" / "benchmark.md"
#: The peers of the short tables, which also show all missed bars, and the cases that these always show.
PEERS = {"scikit-learn", "polars", "pytrec_eval", "ranx", "by hand"}
SHOWN = {"auc_interval", "compare", "scorecard", "auc_bins_beyond_memory"}
#: Details of the full table that the page omits.
DETAILS = re.compile(r";.*| on a connection of its own|, click-through rates, log-normal around 0.001, all different")
#: The rows of the README: a case and its contender.
IN_SHORT = (("auc", "floor"), ("auc", "scikit-learn"), ("gauc", "polars"), ("ranking", "pytrec_eval"))
MARKS = ("<!-- benchmark: written by tests.benchmarks.report -->", "<!-- benchmark end -->")


def times(ratio: float) -> str:
    """A ratio, inverted if it is below one."""
    return f"{ratio:.2f} × its time" if ratio >= 1 else f"{1 / ratio:.{1 if ratio > 0.05 else 0}f} × faster"


def spread(ratio: dict[str, float]) -> str:
    """The lowest and the highest ratio, inverted like their median."""
    if ratio["median"] >= 1:
        return f"{ratio['lowest']:.2f} to {ratio['highest']:.2f}"
    digits = 1 if ratio["median"] > 0.05 else 0
    return f"{1 / ratio['highest']:.{digits}f} to {1 / ratio['lowest']:.{digits}f}"


def verdict(bar: float | None, value: float) -> str:
    """The verdict on a bar."""
    return "" if bar is None else "met" if value <= bar else "**missed**"


def gigabytes(count: float) -> str:
    """Bytes of memory in GB."""
    return f"{count / 1e9:.2f} GB"


def at_once(figures: dict[str, Any]) -> str:
    """The number of threads, processes or workers."""
    return str(figures["at_once"] if "at_once" in figures else f"{figures['threads']} threads")


def table(figures: dict[str, Any], again: dict[str, Any]) -> str:
    """Markdown: each case with its contender, the median and the spread, the bar and the verdict.

    The last column has the medians of the separate run `again`.
    """
    medians: dict[tuple[str, str], str] = {}
    for result in again["results"]:
        for name, ratio in result["ratios"].items():
            medians[result["case"], name] = times(ratio["median"])
        if "memory" in result:
            medians[result["case"], "memory"] = f"peak {gigabytes(result['memory']['peak'])}"
    for result in again.get("memory", []):
        ratio = f"{result['per_row']:.2f} × its time, peak {gigabytes(result['peak_memory'])}"
        medians[result["metric"], "memory"] = ratio

    def row(cells: str, case: str, name: str) -> str:
        return f"{cells} {medians.get((case, name), '')} |"

    versions = ", ".join(f"{name} {version}" for name, version in figures["versions"].items())
    others = (
        " unless said otherwise" if any(re.search(r"\d rows", result["what"]) for result in figures["results"]) else ""
    )
    separate_run = f" `again` are the medians of a separate run, {again['date']}."
    lines = [
        f"{figures['date']}: {figures['rows']:,} rows{others}, {at_once(figures)}, Python "
        f"{figures['python']}, {versions}. Medians of "
        f"{figures['rounds']} rounds in turn, with the lowest and the highest;",
        f"`{figures['command']}`.{separate_run}",
        "",
        "| work | seconds | against | sqlmetrics takes | lowest to highest | bar | | again |",
        "|---|---:|---|---|---|---|---| --- |",
    ]
    for result in figures["results"]:
        seconds = result["seconds"]["sqlmetrics"]
        taken = f"{seconds:.2f}" if seconds < 10 else f"{seconds:.0f}"
        for name, ratio in result["ratios"].items():
            bar = result["bars"].get(name)
            limit = "none" if bar is None else times(bar)
            cells = (
                f"| {result['what']} | {taken} | {name} | {times(ratio['median'])} | {spread(ratio)} | {limit} | "
                f"{verdict(bar, ratio['median'])} |"
            )
            lines.append(row(cells, result["case"], name))
        if "memory" in result:
            memory = result["memory"]
            cells = (
                f"| the same call | | memory_limit {memory['memory_limit']} | peak {gigabytes(memory['peak'])} | | "
                f"{gigabytes(memory['bar'])} | {verdict(memory['bar'], memory['peak'])} |"
            )
            lines.append(row(cells, result["case"], "memory"))
    for result in figures.get("memory", []):
        work = f"{result['metric']}, {result['rows']:,} rows, memory_limit {result['memory_limit']}"
        cells = (
            f"| {work} | {result['seconds']:.0f} | {result['fewer_rows']:,} rows, per row | "
            f"{result['per_row']:.2f} × its time | peak {gigabytes(result['peak_memory'])} | "
            f"2.00 × its time, 2.40 GB | {'met' if result['met'] else '**missed**'} |"
        )
        lines.append(row(cells, result["metric"], "memory"))
    notes = [f"\n{result['notes']}" for result in figures["results"] if "notes" in result]
    return "\n".join([*lines, *notes])


def bars(figures: dict[str, Any]) -> tuple[int, list[str]]:
    """The number of bars that are met, and a text for each missed one."""
    held, missed = 0, []
    for result in figures["results"]:
        for name, bar in result["bars"].items():
            ratio = result["ratios"][name]["median"]
            held += ratio <= bar
            if ratio > bar:
                missed.append(f"{result['what'].partition(';')[0]} against {name} ({times(ratio)} for {times(bar)})")
        memory = result.get("memory")
        if memory is not None:
            held += memory["peak"] <= memory["bar"]
            if memory["peak"] > memory["bar"]:
                missed.append(f"the memory of {result['case']}")
    for result in figures.get("memory", []):
        held += result["met"]
        if not result["met"]:
            missed.append(f"{result['metric']} of {result['rows']:,} rows")
    return held, missed


def summary(figures: dict[str, Any]) -> str:
    """A sentence on the bars that are met and missed."""
    _, missed = bars(figures)
    return f"{count_bars(figures)} are met" + (f"; missed: {'; '.join(missed)}." if missed else ".")


#: The engines of the page, with their figures and conditions.
ENGINES: dict[str, tuple[Path, str]] = {
    "DuckDB": (FIGURES, "The floor is DuckDB's own minimal query over the same columns: a sort, a scan or a sum."),
    "PostgreSQL": (
        POSTGRES,
        "The log has 2,000 campaigns and 30,000 users. By hand means one statement for each metric and grouping, with "
        "`rank()`. The server has its default settings.",
    ),
    "Spark": (
        SPARK,
        "The cluster has two workers with one core each. Planning time counts. Scores are distinct and log-normal "
        "around 0.001 unless the row says otherwise.",
    ),
}


def read(path: Path, run: str = "") -> dict[str, Any]:
    """The figures of one of RUNS."""
    figures: dict[str, Any] = json.loads(path.with_stem(path.stem + run).read_text(encoding="utf-8"))
    return figures


def every_metric(figures: dict[str, Any], again: dict[str, Any] | None) -> str:
    """Markdown: a row for each metric, with its peers and the growth of its time."""

    def of_auc(of_run: dict[str, Any]) -> dict[str, float]:
        return {result["case"]: result["ratios"]["auc"]["median"] for result in of_run["results"]}

    def ratio_and_bar(result: dict[str, Any], name: str) -> tuple[str, str]:
        """A ratio, and its bar with the verdict."""
        ratio, bar = result["ratios"][name]["median"], result["bars"].get(name)
        if name == "auc":
            return f"{ratio:.2f}", "" if bar is None else f"{bar:g} {verdict(bar, ratio)}"
        return f"{name}: {times(ratio)}", "" if bar is None else f"{times(bar)} {verdict(bar, ratio)}"

    once_more = of_auc(again) if again else {}
    grown = {growth["case"]: growth for growth in figures["growth"]}
    rows = f"{figures['rows']:,} rows"
    versions = ", ".join(f"{name} {version}" for name, version in figures["versions"].items())
    lines = [
        f"{figures['date']}: {rows}, {at_once(figures)}, Python {figures['python']}, {versions}. Medians of "
        f"{figures['rounds']} rounds in turn;",
        f"`{figures['command']}`.",
        *([f"`again` are the medians of a separate run, {again['date']}."] if again else []),
        "",
        f"| metric | ms | of `auc` | bar | {'again | ' if again else ''}against | bar | ten times the rows |",
        f"|---|---:|---:|---|{'---:|' if again else ''}---|---|---|",
    ]
    for result in figures["results"]:
        peers = [ratio_and_bar(result, name) for name in result["ratios"] if name != "auc"]
        cells = [result["what"], f"{1000 * result['seconds']['sqlmetrics']:.0f}", *ratio_and_bar(result, "auc")]
        if again:
            cells.append(f"{once_more[result['case']]:.2f}" if result["case"] in once_more else "")
        cells += [", ".join(filter(None, part)) for part in zip(*peers, strict=True)] or ["", ""]
        growth = grown.get(result["case"])
        cells.append("" if growth is None else "{:.1f} × its time {}".format(*grown_by(growth)))
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def grown_by(growth: dict[str, Any]) -> tuple[float, str]:
    """The ratio of times for ten times the rows, and the verdict."""
    [(name, ratio)] = growth["ratios"].items()
    return ratio["median"], verdict(growth["bars"].get(name), ratio["median"])


def of_every_metric() -> list[str]:
    """The sections about every metric."""
    figures = read(EVERY_METRIC)
    again = read(EVERY_METRIC, RUNS[1]) if EVERY_METRIC.with_stem(EVERY_METRIC.stem + RUNS[1]).exists() else None
    introduction = (
        "Each metric alone over a log that has a column for everything, twenty rows a user, next to `auc` over the "
        "same file and next to other tools, the reading included. Metrics that are no plain sums over rows are also "
        "timed over ten times the rows, in one round."
    )
    verdicts = summary({"results": figures["results"] + figures["growth"]})
    return ["## Every metric", introduction, verdicts, every_metric(figures, again)]


def all_tables() -> str:
    """All figures: a table for each engine and one of every metric, each under a heading."""
    parts = []
    for engine, (path, introduction) in ENGINES.items():
        figures, again = (read(path, run) for run in RUNS)
        parts += [f"## {engine}", introduction, summary(figures), f"Again: {summary(again)}", table(figures, again)]
    return "\n\n".join([*parts, *of_every_metric()]) + "\n"


def count_bars(figures: dict[str, Any]) -> str:
    """A phrase on the number of bars that are met."""
    held, missed = bars(figures)
    return f"{held} of {held + len(missed)} bars" if missed else f"All {held} bars"


def short_table(figures: dict[str, Any]) -> list[str]:
    """Markdown: the comparisons with other tools, some between our own calls, and every missed bar."""
    lines = ["| work | seconds | compared with | sqlmetrics takes | bar |", "|---|---:|---|---|---|"]
    for result in figures["results"]:
        seconds, work = result["seconds"]["sqlmetrics"], DETAILS.sub("", result["what"])
        for name, ratio in result["ratios"].items():
            bar, median = result["bars"].get(name), ratio["median"]
            if bar is None or not (result["case"] in SHOWN or name in PEERS or "Evaluator" in name or median > bar):
                continue
            taken = f"{seconds:.2f}" if seconds < 10 else f"{seconds:.0f}"
            lines.append(f"| {work} | {taken} | {name} | {times(median)} | {times(bar)}: {verdict(bar, median)} |")
    for result in figures.get("memory", []):
        work = f"{result['metric']}, {result['rows']:,} rows, in {result['memory_limit']} of memory"
        taken = f"{result['per_row']:.2f} × its time, peak {gigabytes(result['peak_memory'])}"
        bar = f"2.00 × its time, 2.40 GB: {'met' if result['met'] else '**missed**'}"
        lines.append(f"| {work} | {result['seconds']:.0f} | {result['fewer_rows']:,} rows, per row | {taken} | {bar} |")
    return lines


def screen() -> str:
    """The short page: a table for each engine, and a sentence on every metric."""
    lines = []
    for engine, (path, introduction) in ENGINES.items():
        figures, again = (read(path, run) for run in RUNS)
        versions = ", ".join(f"{name} {version}" for name, version in figures["versions"].items())
        lines += [f"## {engine}", ""]
        rows = f"{figures['rows']:,} rows where no number is shown"
        lines += [introduction, f"{figures['date']}, {rows}, {at_once(figures)}, {versions}."]
        lines += [f"{count_bars(figures)} are met. A separate run on {again['date']} met {count_bars(again)}.", ""]
        lines += [*short_table(figures), ""]
    figures = read(EVERY_METRIC)
    every = figures["results"] + figures["growth"]
    missed = {
        re.sub(r"[(,].*|`", "", result["what"]): None
        for result in every
        if any(result["ratios"][name]["median"] > bar for name, bar in result["bars"].items())
    }
    introduction = (
        f"Each metric alone over {figures['rows']:,} rows, next to `auc`, and next to another tool where there is one."
    )
    lines += ["## Every metric", "", introduction]
    lines += [f"{count_bars({'results': every})} are met. Missed by {', '.join(f'`{name}`' for name in missed)}."]
    return "\n".join(lines) + "\n"


def in_short() -> str:
    """The table of the README: the work, its seconds, and the comparison."""
    figures = read(FIGURES)
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


#: The text between the marks of each page.
TABLES = {PAGE: screen, README: in_short}


def between_marks(text: str) -> str:
    """The text between the marks."""
    before, after = (text.index(mark) for mark in MARKS)
    return text[before + len(MARKS[0]) : after].strip("\n") + "\n"


def main() -> None:
    """Write the tables of the last figures into their pages, or print all figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--all", action="store_true", help="print every figure, and write nothing")
    if parser.parse_args().all:
        print(all_tables())
        return
    for page, made in TABLES.items():
        text = page.read_text(encoding="utf-8")
        before, after = (text.index(mark) for mark in MARKS)
        page.write_text(text[: before + len(MARKS[0])] + "\n" + made() + text[after:], encoding="utf-8")


if __name__ == "__main__":
    main()
