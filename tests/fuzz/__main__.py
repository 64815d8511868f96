"""`python -m tests.fuzz --seconds N --seed S [--engine NAME] [--calls N] [--only NUMBER]`.

Each call runs twice. The baseline reads doubles and strings with plain names in a DuckDB table. The variant reads the
same values with other types, names and ids, in another form and order, on the engine. Both must return the same
numbers to 1e-9 and the same warning, or the variant raises an error of sqlmetrics in one line. A failure prints the
command that repeats the call.
"""

from __future__ import annotations

import argparse
import faulthandler
import itertools
import re
import secrets
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import duckdb
import pandas as pd
import pyarrow as pa

import sqlmetrics
from sqlmetrics import SqlMetricsError
from tests.compare import differences
from tests.data import arrow
from tests.engines.servers import ENGINES

from .cases import Case, baseline_table, call, disguise, random_case
from .columns import Disguise, plain
from .forms import FORMS, ON_CONNECTION, FormContext, store

#: The timeout of a call in seconds.
_HANGS = 180
#: Errors that a statement of sqlmetrics must never cause.
_WRONG_STATEMENT = re.compile(
    r"(?i)pars.* error|syntax.?error|no column|not found in FROM|UNRESOLVED_COL|UNKNOWN_IDENT"
)


class Outcome(NamedTuple):
    """The rows or the error of a call, and the numbers of dropped rows from its warnings."""

    rows: pd.DataFrame
    error: BaseException | None
    dropped: list[str]


def outcome_of(*arguments: Any) -> Outcome:
    rows, error, dropped = pd.DataFrame(), None, []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            rows = call(*arguments)
        except Exception as raised:  # errors are compared
            error = raised
    for entry in caught:
        if issubclass(entry.category, sqlmetrics.DroppedRows):
            dropped += re.findall(r" in ([\d,]+) rows?", str(entry.message))
        elif not issubclass(entry.category, ResourceWarning | DeprecationWarning | FutureWarning):  # raised by clients
            error = error or Warning(str(entry.message))
    return Outcome(rows, error, sorted(dropped))


Disguises = Mapping[str, Disguise]


def failure_of(case: Case, disguises: Disguises, baseline: Outcome, variant: Outcome) -> str | None:
    """A description of the failure, or None."""
    for outcome in (baseline, variant):
        if outcome.error is not None and not isinstance(outcome.error, SqlMetricsError):
            return "".join(traceback.format_exception(outcome.error))
    if variant.error is not None:
        message = str(variant.error)
        is_wrong = _WRONG_STATEMENT.search(message) or "\n" in message
        return f"a wrong statement, or an error of several lines: {message}" if is_wrong else None
    if baseline.error is not None:
        return f"only the baseline was rejected: {baseline.error}"
    new_names = {entry.label: entry.label if entry.before else disguises[entry.column].name for entry in case.slices}
    expected = [new_names.get(name, name) for name in baseline.rows.columns]
    if "group" in case.arguments:  # its column is called `group` if another column has its name
        pairs = zip(baseline.rows.columns, variant.rows.columns, expected, strict=False)
        expected = [new if old == case.arguments["group"].column else name for old, new, name in pairs]
    if expected != list(variant.rows.columns):
        return f"columns {list(variant.rows.columns)} instead of {expected}"
    if baseline.dropped != variant.dropped:
        return f"a warning of {variant.dropped} dropped rows instead of {baseline.dropped}"
    return difference_of(case, disguises, baseline.rows, variant.rows)


Restore = Callable[[Any], Any]


def restorers(case: Case, disguises: Disguises, names: Sequence[str]) -> list[Restore]:
    """For each key column, the function that restores the value of the baseline."""
    by_name: dict[str, Restore] = {entry.label: disguises[entry.column].restore for entry in case.slices}
    if "group" in case.arguments and case.metrics[0].metric.table:
        group = case.arguments["group"].column
        by_name |= dict.fromkeys(("group", group), disguises[group].restore)
    by_name["metric"] = plain
    if isinstance(case.arguments.get("score"), list):
        models = {disguises[entry.column].name: entry.column for entry in case.arguments["score"]}
        by_name["model"] = models.get
    return [by_name[name] for name in itertools.takewhile(by_name.__contains__, names)]


def difference_of(case: Case, disguises: Disguises, baseline: pd.DataFrame, variant: pd.DataFrame) -> str | None:
    """The first difference between two results, by row with the same keys."""
    names = list(baseline.columns)
    restore = restorers(case, disguises, names)

    def comparable(table: pd.DataFrame, functions: Sequence[Restore]) -> pd.DataFrame:
        functions = [*functions, *[plain] * (len(names) - len(functions))]
        columns = [list(map(function, table.iloc[:, at].tolist())) for at, function in enumerate(functions)]
        rows = sorted(zip(*columns, strict=True), key=lambda row: list(map(str, row[: len(restore)])))
        return pd.DataFrame(rows, columns=names, dtype=object)

    problems = differences(comparable(variant, restore), comparable(baseline, ()), 1e-9)
    return problems[0] if problems else None


def variant_on_duckdb(context: FormContext, rows: pa.Table, relations: Mapping[str, pa.Table]) -> tuple[Any, ...]:
    """The form, the data, the further relations and the options of the variant."""
    con, rng = context.con, context.rng
    form = rng.choice([*FORMS])
    data = FORMS[form](rows, context)
    others = {
        name: FORMS[rng.choice(["arrow", "parquet", "table"])](entry, context) for name, entry in relations.items()
    }
    options: dict[str, Any] = rng.choice([{}, {"threads": rng.choice([1, 2])}])
    if form in ON_CONNECTION or others:
        options = rng.choice([{"con": con}, {"engine": sqlmetrics.engines.DuckDB(con)}])
    return form, data, others, options


def variant_on_engine(
    engine: Any, context: FormContext, rows: pa.Table, relations: Mapping[str, pa.Table]
) -> tuple[Any, ...]:
    """The same for another engine."""
    tables = {name: f"fuzz_{context.rng.getrandbits(60)}" for name in ("data", *relations)}
    for name, entry in {"data": rows, **relations}.items():
        store(engine, entry, tables[name])
    table = tables.pop("data")
    forms = [("table", table), ("query", f"with t as (select * from {table}) select * from t;")]
    forms += [("arrow", rows)] if engine.dialect == "spark" else []
    return *context.rng.choice(forms), tables, {"engine": engine}


def run(con: duckdb.DuckDBPyConnection, engine: Any, seed: int, number: int, verbose: bool) -> tuple[str, str]:
    """Run one call and its variant; return equal, rejected or FAILED, and the form or the message."""
    rng = Random(f"{seed} {number}")
    case, dialect = random_case(rng), "duckdb" if engine is None else engine.dialect
    con.register("sent", baseline_table(case.rows))
    con.execute("create or replace table baseline as from sent")
    relations = {name: arrow(entry) for name, entry in case.relations.items()}
    baseline = outcome_of(case, "baseline", relations, {"con": con})
    rows, others, disguises = disguise(case, rng, dialect)
    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder, duckdb.connect() as own_con:
        arguments = (FormContext(rng, Path(folder), own_con), rows, others)
        prepared = variant_on_duckdb(*arguments) if engine is None else variant_on_engine(engine, *arguments)
        form, data, *further = prepared
        variant = outcome_of(case, data, *further, dialect, disguises)
    failure = failure_of(case, disguises, baseline, variant)
    if verbose:
        print(f"{case}\n{disguises}\n{rows.column_names}\nas {form}: {data}")
        print(f"baseline: {baseline.error or baseline.rows}\nvariant: {variant.error or variant.rows}")
    if failure is not None:
        return "FAILED", f"({form}; {case.metrics}): {failure[:3000]}"
    if variant.error is None:
        return "equal", form
    message = re.sub(r"'(?:[^']|'')*'|\"[^\"]*\"|/\S*fuzz-\S*", "…", str(variant.error))
    return "rejected", f"{type(variant.error).__name__}: {re.sub(r'[0-9][0-9,.]*', 'N', message)[:110]}"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60, help="duration; 60 by default")
    parser.add_argument("--calls", type=int, help="number of calls, instead of a duration")
    parser.add_argument("--seed", type=int, default=secrets.randbelow(10**9), help="seed; random by default")
    parser.add_argument("--engine", choices=["duckdb", "spark", "postgres", "clickhouse"], default="duckdb")
    parser.add_argument("--only", type=int, metavar="NUMBER", help="run this call of the seed, with details")
    args = parser.parse_args()
    command = f"python -m tests.fuzz --engine {args.engine} --seed {args.seed}"
    print(command, flush=True)
    counts: Counter[tuple[str, str]] = Counter()
    numbers = itertools.count() if args.only is None else [args.only]
    with duckdb.connect() as con, nullcontext() if args.engine == "duckdb" else ENGINES[args.engine]({}) as engine:
        con.execute("set threads = 1")
        begin = time.monotonic()
        for number in itertools.islice(numbers, args.calls):
            if not args.calls and args.only is None and time.monotonic() - begin > args.seconds:
                break
            print(f"\rcall {number}", end="\r", file=sys.stderr, flush=True)
            faulthandler.dump_traceback_later(_HANGS, exit=True)
            result, text = run(con, engine, args.seed, number, verbose=args.only is not None)
            faulthandler.cancel_dump_traceback_later()
            counts[result, text] += 1
            if result == "FAILED":
                print(f"FAILED {text}\n  {command} --only {number}", flush=True)
    totals = Counter(result for (result, _), count in counts.items() for _ in range(count))
    for (result, text), count in counts.most_common():
        print(f"  {count:6} {result}: {text[:150]}")
    print(f"{totals.total()} calls in {time.monotonic() - begin:.0f} s: {dict(totals)}")
    if totals.total() >= 50 and totals["equal"] < totals.total() / 2:
        print("FAILED: fewer than half of the calls returned results, so little was compared")
        totals["FAILED"] += 1
    return 1 if totals["FAILED"] else 0


if __name__ == "__main__":
    sys.exit(main())
