"""`python -m tests.fuzz --seconds N --seed S [--engine NAME] [--calls N] [--only NUMBER]`.

Each call runs twice: over doubles and strings with plain names in a table of DuckDB (the baseline), and over the same
values with other types, names and ids, in another form and order, on the engine (the variant). Both must return the
same numbers to 1e-9 and the same warning, or the variant raises an error of sqlmetrics in one line. A failure prints
the command that repeats the call.
"""

from __future__ import annotations

import argparse
import faulthandler
import os
import re
import secrets
import sys
import tempfile
import threading
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import duckdb
import pandas as pd
import pyarrow as pa

import sqlmetrics
from sqlmetrics import SqlMetricsError
from tests.compare import agree
from tests.engines.servers import ENGINES

from .cases import Case, DisguisedRows, baseline_call, baseline_table, call, disguise, expected_columns, random_case
from .columns import plain
from .forms import FORMS, TEXT_FORMS, WITHOUT_CONNECTION, Place, UnsupportedForm, tables_of

#: No call takes so many seconds.
_HANGS = 180.0
#: Warnings of the clients of engines.
_WARNINGS_OF_CLIENTS = (ResourceWarning, DeprecationWarning, FutureWarning)
#: Errors that no statement of sqlmetrics may cause, and errors about columns, which files of text may not have.
_SYNTAX_ERROR = re.compile(r"parser error|syntax.?error", re.IGNORECASE)
_MISSING_COLUMN = re.compile(
    r"there is no column|not found in FROM|UNRESOLVED_COLUMN|UNKNOWN_IDENTIFIER", re.IGNORECASE
)
#: Columns that do not depend on the names of clusters or slices, as the buckets of errors do.
_COMPARED_COLUMNS = {
    "compare": ("value", "baseline_value", "difference", "n", "clusters"),
    "gaps": ("highest", "lowest", "difference", "ratio", "slices", "n"),
}


@dataclass(frozen=True)
class Outcome:
    """The rows or the error of a call, and the numbers of dropped rows in its warnings."""

    rows: pd.DataFrame
    error: BaseException | None
    dropped: list[str]
    trace: str = ""


def outcome_of(function: Callable[[], pd.DataFrame]) -> Outcome:
    rows, error, trace, dropped = pd.DataFrame(), None, "", []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            rows = function()
        except Exception as raised:  # errors are compared
            error, trace = raised, traceback.format_exc()
    for one in caught:
        if issubclass(one.category, sqlmetrics.DroppedRows):
            dropped += re.findall(r" in ([\d,]+) rows?", str(one.message))
        elif not issubclass(one.category, _WARNINGS_OF_CLIENTS) and error is None:
            error = one.message if isinstance(one.message, Exception) else Warning(str(one.message))
    return Outcome(rows, error, sorted(dropped), trace)


def failure_of(case: Case, disguised: DisguisedRows, baseline: Outcome, variant: Outcome, form: str) -> str | None:
    """A description of what is wrong, or None."""
    for name, outcome in (("baseline", baseline), ("variant", variant)):
        if outcome.error is not None and not isinstance(outcome.error, SqlMetricsError):
            return f"the {name} raised {type(outcome.error).__name__}: {outcome.error}\n{outcome.trace}"
    if variant.error is not None:
        message = str(variant.error)
        if _SYNTAX_ERROR.search(message) or (_MISSING_COLUMN.search(message) and form not in TEXT_FORMS):
            return f"a wrong statement: {message}"
        return f"an error of several lines: {message}" if "\n" in message else None
    if baseline.error is not None:
        # Strings next to numbers have another type in memory, and the same in a file of text.
        is_about_types = form in TEXT_FORMS and "give both the same type" in str(baseline.error)
        return None if is_about_types else f"only the baseline was refused: {baseline.error}"
    expected = expected_columns(case, disguised.disguises, list(baseline.rows.columns))
    if list(variant.rows.columns) != expected:
        return f"columns {list(variant.rows.columns)} instead of {expected}"
    difference = difference_of(case, disguised, baseline.rows, variant.rows)
    if difference is None and baseline.dropped != variant.dropped:
        return f"a warning of {variant.dropped} dropped rows instead of {baseline.dropped}"
    return difference


def difference_of(case: Case, disguised: DisguisedRows, baseline: pd.DataFrame, variant: pd.DataFrame) -> str | None:
    """The first difference of two results, row by row with the same keys."""
    restore: dict[int, Callable[[Any], Any]] = {}  # by the number of the key column
    slices = {one.name or one.column: one.column for one in case.slices}
    group = case.roles.get("group")
    has_groups = case.function == "per_group" or case.metrics[0].metric.table
    for number, name in enumerate(baseline.columns):
        if name in slices or (has_groups and name in ("group", group)):
            restore[number] = disguised.disguises[slices.get(name, str(group))].restore
        elif name == "grouping":
            groupings = {
                ", ".join(one.name or disguised.disguises[one.column].name for one in grouping): ", ".join(
                    one.name or one.column for one in grouping
                )
                for grouping in case.by
            }
            restore[number] = lambda value, known={**groupings, "overall": "overall"}: known.get(value)
        elif name in ("model", "baseline") and case.models:
            models = {disguised.disguises[one].name: one for one in case.models}
            restore[number] = lambda value, models=models: models.get(value)
        elif name == "metric":
            restore[number] = plain
        else:
            break
    left, right = _rows_by_key(baseline, dict.fromkeys(restore, plain)), _rows_by_key(variant, restore)
    if case.kind == "classes" and any(pa.types.is_dictionary(one.type) for one in disguised.disguises.values()):
        # Categories have their own order, which is not that of their strings.
        left, right = ({key: sorted(rows, key=str) for key, rows in side.items()} for side in (left, right))
    if list(left) != list(right):
        return f"slices {list(right)} instead of {list(left)}"
    for key, rows in left.items():
        if len(rows) != len(right[key]):
            return f"{len(right[key])} rows instead of {len(rows)} in {key}"
        for expected, values in zip(rows, right[key], strict=True):
            for name, a, b in zip(baseline.columns, values, expected, strict=True):
                if name in _COMPARED_COLUMNS.get(case.function, baseline.columns) and not _are_equal(a, b):
                    return f"{name} is {a!r} instead of {b!r} in {key}"
    return None


def _are_equal(a: Any, b: Any) -> bool:
    are_numbers = isinstance(a, Fraction | float) and isinstance(b, Fraction | float)
    return agree(float(a), float(b), 1e-9) if are_numbers else a == b


def _rows_by_key(table: pd.DataFrame, restore: dict[int, Callable[[Any], Any]]) -> dict[Any, list[list[Any]]]:
    rows: dict[Any, list[list[Any]]] = {}
    columns = [table.iloc[:, number].tolist() for number in range(table.shape[1])]
    for values in zip(*columns, strict=True):
        row = [restore.get(number, plain)(value) for number, value in enumerate(values)]
        rows.setdefault(tuple(row[number] for number in restore), []).append(row)
    return dict(sorted(rows.items(), key=lambda item: [str(part) for part in item[0]]))


@dataclass
class Fuzz:
    """The engine, and the results of the calls."""

    engine_name: str
    engine: Any
    seed: int
    con: duckdb.DuckDBPyConnection
    results: dict[str, Counter[str]] = field(default_factory=lambda: {"equal": Counter(), "refused": Counter()})
    failed: int = 0

    def command(self, number: int) -> str:
        return f"python -m tests.fuzz --engine {self.engine_name} --seed {self.seed} --only {number}"

    def run(self, number: int, verbose: bool = False) -> None:
        """Run one call and its variant."""
        rng = Random(f"{self.seed} {number}")
        case = random_case(rng)
        self.con.register("sent", baseline_table(case.rows))
        self.con.execute("create or replace table baseline as from sent")
        baseline = outcome_of(partial(baseline_call, case, self.con))
        disguised = disguise(case, rng, self.engine_name)
        with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
            given = self.given_on_engine if self.engine is not None else self.given_on_duckdb
            with given(disguised, rng, Path(folder)) as (form, data, relations, options):
                name_of = {column: one.name for column, one in disguised.disguises.items()}.__getitem__
                variant = outcome_of(partial(call, case, data, relations, options, name_of, self.quoted, rng))
        failure = failure_of(case, disguised, baseline, variant, form)
        if failure is not None:
            self.failed += 1
            print(f"FAILED ({form}; {case.metrics}): {failure[:3000]}\n  {self.command(number)}", flush=True)
        elif variant.error is None:
            self.results["equal"][form] += 1
        else:
            message = re.sub(r"'(?:[^']|'')*'|\"[^\"]*\"|/\S*fuzz-\S*", "…", str(variant.error))
            self.results["refused"][
                f"{type(variant.error).__name__}: {re.sub(r'[0-9][0-9,.]*', 'N', message)[:110]}"
            ] += 1
        if verbose:
            print(f"{case}\n{disguised.disguises}\n{disguised.rows.column_names}\nas {form}: {data}")
            print(f"baseline: {baseline.error or baseline.rows}\nvariant: {variant.error or variant.rows}")

    @contextmanager
    def given_on_duckdb(self, disguised: DisguisedRows, rng: Random, folder: Path) -> Iterator[Any]:
        """The form, the data, the further relations and the options of the variant."""
        with duckdb.connect() as con:
            con.execute(f"set threads = {rng.choice([1, 2, 4])}")
            place = Place(rng, folder, con, disguised.numbers)

            def formed(rows: pa.Table, forms: list[str]) -> tuple[str, Any]:
                while True:
                    form = rng.choice(forms)
                    try:
                        return form, FORMS[form](rows, place)
                    except UnsupportedForm:
                        continue

            form, data = formed(disguised.rows, [*FORMS, "files", "files"])
            relations = {
                name: formed(rows, ["arrow", "parquet", "table"])[1] for name, rows in disguised.relations.items()
            }
            options: dict[str, Any] = rng.choice([{}, {"threads": rng.choice([1, 2])}])
            if form not in WITHOUT_CONNECTION or relations or rng.random() < 0.4:
                options = rng.choice([{"con": con}, {"con": con}, {"engine": sqlmetrics.engines.DuckDB(con)}])
            if form == "relation" and not relations and rng.random() < 0.7:
                options = {}
            yield form, data, relations, options

    @contextmanager
    def given_on_engine(self, disguised: DisguisedRows, rng: Random, folder: Path) -> Iterator[Any]:
        relations = {name: f"fuzz_{rng.getrandbits(60)}" for name in disguised.relations}
        table = f"fuzz_{rng.getrandbits(60)}"
        tables = {table: disguised.rows, **{relations[name]: rows for name, rows in disguised.relations.items()}}
        forms = [("table", table), ("query", f"select * from {table}"),
                 ("query", f"with t as (select * from {table}) select * from t;")]  # fmt: skip
        forms += [("arrow", disguised.rows)] if self.engine_name == "spark" else []
        with tables_of(self.engine_name, self.engine, tables, folder):
            yield *rng.choice(forms), relations, {"engine": self.engine}

    def quoted(self, name: str) -> str:
        if self.engine_name == "spark":
            return "`" + name.replace("`", "``") + "`"
        if self.engine_name == "clickhouse":
            return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'
        return '"' + name.replace('"', '""') + '"'


def stop(command: str) -> None:
    """End the program at a call that does not end."""
    print(f"FAILED: a call takes more than {_HANGS:.0f} s\n  {command}", flush=True)
    faulthandler.dump_traceback()
    os._exit(1)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60, help="duration; 60 by default")
    parser.add_argument("--calls", type=int, help="number of calls, instead of a duration")
    parser.add_argument("--seed", type=int, help="seed of the calls; drawn and printed by default")
    parser.add_argument("--engine", choices=["duckdb", "spark", "postgres", "clickhouse"], default="duckdb")
    parser.add_argument("--only", type=int, metavar="NUMBER", help="run this call of the seed, with details")
    given = parser.parse_args()
    seed = secrets.randbelow(10**9) if given.seed is None else given.seed
    print(f"python -m tests.fuzz --engine {given.engine} --seed {seed}", flush=True)
    with duckdb.connect() as con, nullcontext() if given.engine == "duckdb" else ENGINES[given.engine]({}) as engine:
        con.execute("set threads = 1")
        fuzz = Fuzz(given.engine, engine, seed, con)
        begin = time.monotonic()
        number = given.only or 0
        while True:
            timer = threading.Timer(_HANGS, stop, [fuzz.command(number)])
            timer.daemon = True
            timer.start()
            fuzz.run(number, verbose=given.only is not None)
            timer.cancel()
            number += 1
            is_last = number >= given.calls if given.calls else time.monotonic() - begin > given.seconds
            if given.only is not None or is_last:
                break
    for title, counts in fuzz.results.items():
        for name, count in counts.most_common():
            print(f"  {count:6} {title}: {name}")
    equal, refused = (counts.total() for counts in fuzz.results.values())
    print(f"{number} calls in {time.monotonic() - begin:.0f} s: {equal} equal, {refused} refused, {fuzz.failed} FAILED")
    if given.only is None and number >= 50 and equal < number / 2:
        print("FAILED: fewer than half of the calls returned results, so little was compared")
        return 1
    return 1 if fuzz.failed else 0


if __name__ == "__main__":
    sys.exit(main())
