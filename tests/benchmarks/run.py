"""Time sqlmetrics, the engine's floor and other tools: `python -m tests.benchmarks.run [--rows N] [--only CASE]`.

Each case runs its contenders in turn, round by round, in changing order, so that a slow phase of the machine affects
all of them. The figure is the median of the ratios within a round. All contenders read the same parquet file, and their
answers must agree to 1e-9 before anything is timed. The floor is the engine's own minimal query over the same columns.

`--large N` adds the cases of a log that does not fit into memory (`memory`, and `auc_bins` over it). `--only CASE
--json FILE --add` measures a case again and replaces its figures in the file.
"""

from __future__ import annotations

import argparse
import datetime
import json
import math
import platform
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import duckdb
from rich.console import Console
from rich.table import Table

from .cases import Bench, Case, bins, cases
from .memory import in_a_process
from .report import FIGURES, at_once, spread, times

PACKAGES = ["duckdb", "pandas", "polars", "scikit-learn", "pytrec-eval-terrier", "ranx"]
LIMIT = "2GB"
BYTES = {"2GB": 2e9, "4GB": 4e9}


def installed(name: str) -> bool:
    """Whether a package is installed: families of cases need different ones."""
    try:
        version(name)
    except PackageNotFoundError:
        return False
    return True


def measure(case: Case, rounds: int) -> dict[str, Any]:
    """The figures of a case: the ratio of our time to that of each contender within a round, as median and spread."""
    # A case of minutes without answers to compare skips the warm-up.
    cold = set(case.contenders if case.rounds == 1 and not case.answers else ())
    if case.prepare is not None:
        case.prepare()
    results, first = {}, {}
    for name, work in case.contenders.items():
        if name not in cold:
            start = time.perf_counter()
            results[name] = work()
            first[name] = time.perf_counter() - start
    slow = {name for name, taken in first.items() if taken > case.patience and name != "sqlmetrics"}
    answers = {name: read(results[name]) for name, read in case.answers.items()}
    for name, values in answers.items():
        for value, own in zip(values, answers["sqlmetrics"], strict=True):
            if not math.isclose(value, own, rel_tol=1e-9, abs_tol=1e-9):
                raise SystemExit(f"{case.name}: {name} says {values}, sqlmetrics {answers['sqlmetrics']}")
    del results
    seconds: dict[str, list[float]] = {name: [] for name in case.contenders}
    for turn in range(case.rounds or rounds):
        # The first contender changes, and every other round runs backwards: after a peer with a large footprint, a
        # contender waits for freed pages.
        names = [name for name in case.contenders if turn == 0 or name not in slow]
        start_index = turn // 2 % len(names)
        names = names[start_index:] + names[:start_index]
        for name in names[:: -1 if turn % 2 else 1]:
            work = case.contenders[name]
            start = time.perf_counter()
            work()
            seconds[name].append((time.perf_counter() - start) * case.parts.get(name, 1))
    ratios = {
        # A slow peer has the first round only.
        name: sorted(own / other for own, other in zip(seconds["sqlmetrics"], of_other, strict=False))
        for name, of_other in seconds.items()
        if name != "sqlmetrics"
    }
    result: dict[str, Any] = {
        "case": case.name,
        "what": case.what,
        "seconds": {name: round(statistics.median(taken), 4) for name, taken in seconds.items()},
        "ratios": {
            name: {
                "median": statistics.median(sorted_ratios),
                "lowest": sorted_ratios[0],
                "highest": sorted_ratios[-1],
            }
            for name, sorted_ratios in ratios.items()
        },
        "bars": case.bars,
    }
    if case.limited is not None:
        limit = case.limited["memory_limit"]
        result["memory"] = {"memory_limit": limit, "peak": in_a_process(case.limited)["peak_memory"]}
        result["memory"]["bar"] = 1.2 * BYTES[limit]
    return result | ({"notes": case.notes} if case.notes else {})


def measure_memory(bench: Bench, rows: int) -> list[dict[str, Any]]:
    """Calls over a log that is larger than their memory limit: time per row and peak memory."""
    result = []
    for metric in ("auc", "average_precision", "gauc", "ndcg@10"):
        group = {"group": "user_id"} if metric in ("gauc", "ndcg@10") else {}
        call = {
            "metrics": metric,
            "label": "clicked",
            "score": "score",
            "threads": bench.threads,
            "memory_limit": LIMIT,
        }
        few, many = (in_a_process({"data": str(bench.log(count)), **call, **group}) for count in (bench.rows, rows))
        per_row = many["seconds"] / rows / (few["seconds"] / bench.rows)
        result.append(
            {
                "metric": metric,
                "rows": rows,
                "fewer_rows": bench.rows,
                "memory_limit": LIMIT,
                "seconds": round(many["seconds"], 2),
                "per_row": per_row,
                "peak_memory": many["peak_memory"],
                "met": per_row <= 2 and many["peak_memory"] <= 1.2 * BYTES[LIMIT],
            }
        )
        print(f"{metric}: {per_row:.2f} x the time per row, peak {many['peak_memory'] / 1e9:.2f} GB", file=sys.stderr)
    return result


def printed(figures: dict[str, Any]) -> Table:
    """The figures as a table for a terminal."""
    title = f"{figures['rows']:,} rows, {at_once(figures)}, {figures['versions']}"
    table = Table(title=title)
    for heading in ("case", "against", "sqlmetrics takes", "lowest to highest", "bar", ""):
        table.add_column(heading)
    for result in figures["results"]:
        for name, ratio in result["ratios"].items():
            bar = result["bars"].get(name)
            verdict = "" if bar is None else "met" if ratio["median"] <= bar else "missed"
            table.add_row(
                result["case"],
                name,
                times(ratio["median"]),
                spread(ratio),
                "" if bar is None else times(bar),
                verdict,
            )
        if "memory" in result:
            memory = result["memory"]
            table.add_row(
                result["case"],
                f"memory_limit {memory['memory_limit']}",
                f"peak {memory['peak'] / 1e9:.2f} GB",
                "",
                f"{memory['bar'] / 1e9:.2f} GB",
                "met" if memory["peak"] <= memory["bar"] else "missed",
            )
    for result in figures.get("memory", []):
        table.add_row(
            f"{result['metric']}, {result['rows']:,} rows, {LIMIT}",
            f"{result['fewer_rows']:,} rows, per row",
            f"{result['per_row']:.2f} x its time",
            f"peak {result['peak_memory'] / 1e9:.2f} GB",
            "2.00 x its time, 2.40 GB",
            "met" if result["met"] else "missed",
        )
    return table


def heading(module: str, rows: int, rounds: int, processors: str, packages: Sequence[str]) -> dict[str, Any]:
    """The head of the figures."""
    return {
        "date": datetime.date.today().isoformat(),
        "command": " ".join([f"python -m tests.benchmarks.{module}", *sys.argv[1:]]),
        "rows": rows,
        "rounds": rounds,
        "at_once": processors,
        "python": platform.python_version(),
        "versions": {name: version(name) for name in packages if installed(name)},
    }


def added(previous: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    """Figures with those of a later run, which replace or follow the cases; both runs must have the same conditions."""
    sizes = [(run["rows"], at_once(run), run["versions"]) for run in (previous, new)]
    if sizes[0] != sizes[1]:
        sys.exit("--add: the file has figures of {}, {}, {}, these are of {}, {}, {}".format(*sizes[0], *sizes[1]))

    def merged(part: str, key: str) -> list[dict[str, Any]]:
        old, again = previous.get(part, []), {entry[key] for entry in new.get(part, [])}
        index = next((number for number, entry in enumerate(old) if entry[key] in again), len(old))
        before, after = ([entry for entry in some if entry[key] not in again] for some in (old[:index], old[index:]))
        return [*before, *new.get(part, []), *after]

    keys = {"results": "case", "memory": "metric", "growth": "case"}
    return previous | {part: merged(part, key) for part, key in keys.items() if part in previous or part in new}


def write(figures: dict[str, Any], path: Path) -> None:
    """Write figures as JSON."""
    path.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


def main() -> None:
    """Make the data, time the cases, print a table; with --json write the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument(
        "--large", type=int, default=0, metavar="ROWS", help="rows of the log beyond memory; none by default"
    )
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--only", action="append", help="a case, or a family of cases; may be repeated")
    parser.add_argument(
        "--json", type=Path, metavar="FILE", help=f"write the figures; those in the README are {FIGURES.name}"
    )
    parser.add_argument(
        "--add", action="store_true", help="keep the figures of other cases that the file of --json has already"
    )
    arguments = parser.parse_args()
    if arguments.add and not (arguments.json and arguments.json.is_file()):
        parser.error("--add requires --json with an existing file")
    results: list[dict[str, Any]] = []
    memory: list[dict[str, Any]] = []
    head = heading("run", arguments.rows, arguments.rounds, f"{arguments.threads} threads", PACKAGES)
    previous = json.loads(arguments.json.read_text(encoding="utf-8")) if arguments.add else None

    def keep() -> dict[str, Any]:
        """Write the figures so far, so that a failure after an hour loses none of them."""
        figures = {**head, "results": results, "memory": memory}
        if arguments.json:
            write(figures if previous is None else added(previous, figures), arguments.json)
        return figures

    with tempfile.TemporaryDirectory() as folder, duckdb.connect() as connection:
        connection.execute(f"set threads = {arguments.threads}")
        bench = Bench(Path(folder), arguments.rows, connection, arguments.threads)
        wanted = set(arguments.only or [])
        families = cases(bench)
        for family, make in families.items():
            if wanted and wanted <= {*families, "memory"} - {family}:  # others may need missing packages
                continue
            for case in make():
                if not wanted or wanted & {family, case.name}:
                    results.append(measure(case, arguments.rounds))
                    print(case.name, results[-1]["seconds"], file=sys.stderr, flush=True)
                    keep()
        if arguments.large and (not wanted or "memory" in wanted):
            memory += measure_memory(bench, arguments.large)
            keep()
        if arguments.large and (not wanted or "bins" in wanted):
            (case,) = bins(Bench(Path(folder), arguments.large, connection, arguments.threads))
            case.name, case.what = "auc_bins_beyond_memory", f"{arguments.large:,} rows: {case.what}"
            results.append(measure(case, arguments.rounds))
    if not results and not memory:
        sys.exit(f"no such case: {', '.join(arguments.only)}")
    Console().print(printed(keep()))


if __name__ == "__main__":
    main()
