"""`python -m tests.fuzz --seconds N --seed S [--engine NAME] [--calls N] [--only NUMBER]`.

Each call is asked twice: of values as plain doubles and texts under plain names in a table of DuckDB, and of the same
values as other types, under other names, in another form, on the engine. Both must give the same numbers to 1e-9 and
the same warning, or the second an error of ours in one line. A failure prints the line that repeats its one call.
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
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
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

from .asked import Disguised, Question, disguise, disguised_call, expected_names, random_question, tame_call, tame_table
from .columns import plain
from .forms import FORMS, FREE, Holder, NotInThisForm, Place

#: No call takes so long, whatever else the machine does.
_HANGS = 180.0
_TOLERANCE = 1e-9
#: What an engine's client does is not ours to warn of.
_ENGINES_OWN = (ResourceWarning, DeprecationWarning, FutureWarning)


@dataclass(frozen=True)
class Outcome:
    """What came of a call: its rows or its error, and the rows that a warning told to be dropped."""

    rows: pd.DataFrame | None
    error: BaseException | None
    dropped: tuple[str, ...]
    trace: str = ""


def outcome_of(call: Callable[[], pd.DataFrame]) -> Outcome:
    """Call, and keep what comes of it."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        rows, error, trace = None, None, ""
        try:
            rows = call()
        except Exception as raised:  # every kind is told below
            error, trace = raised, traceback.format_exc()
    dropped: list[str] = []
    for one in told:
        if issubclass(one.category, sqlmetrics.DroppedRows):
            dropped += re.findall(r" in ([\d,]+) rows?", str(one.message))
        elif not issubclass(one.category, _ENGINES_OWN) and error is None:
            error = one.message if isinstance(one.message, Exception) else Warning(str(one.message))
    return Outcome(rows, error, tuple(sorted(dropped)), trace)


#: No statement of ours is refused for its syntax; and columns are there, where no file of text gives them their names.
_OUR_MISTAKE = re.compile(r"parser error|syntax.?error", re.IGNORECASE)
_LOST = re.compile(r"there is no column|not found in FROM|UNRESOLVED_COLUMN|UNKNOWN_IDENTIFIER", re.IGNORECASE)
_TEXT_FORMS = ("csv", "json", "files")
#: What does not depend on how clusters or slices are called: errors by buckets, and which of equal slices is named.
_TOLD = {
    "compare": ("value", "baseline_value", "difference", "n", "clusters"),
    "gaps": ("highest", "lowest", "difference", "ratio", "slices", "n"),
}


def failure(question: Question, worn: Disguised, tame: Outcome, odd: Outcome, form: str) -> str | None:
    """What is wrong, in words, or nothing."""
    if tame.error is not None and not isinstance(tame.error, SqlMetricsError):
        return f"the tame call raised {type(tame.error).__name__}: {tame.error}\n{tame.trace}"
    if odd.error is not None:
        if not isinstance(odd.error, SqlMetricsError):
            return f"foreign: {type(odd.error).__name__}: {odd.error}\n{odd.trace}"
        if _OUR_MISTAKE.search(str(odd.error)) or (_LOST.search(str(odd.error)) and form not in _TEXT_FORMS):
            return f"refused by a mistake of ours: {odd.error}"
        return f"an error of several lines: {odd.error}" if "\n" in str(odd.error) else None
    if tame.error is not None:
        # Texts that are numbers beside numbers are of another type in memory, and of the same in a file of text.
        if form in _TEXT_FORMS and "give both the same type" in str(tame.error):
            return None
        return f"the tame call was refused, this one was not: {tame.error}"
    assert tame.rows is not None
    assert odd.rows is not None
    expected = expected_names(question, worn, list(tame.rows.columns))
    if list(odd.rows.columns) != expected:
        return f"columns {list(odd.rows.columns)} instead of {expected}"
    difference = compare(question, worn, tame.rows, odd.rows)
    if difference is None and tame.dropped != odd.dropped:
        return f"rows dropped without the same word: {odd.dropped} instead of {tame.dropped}"
    return difference


def compare(question: Question, worn: Disguised, tame: pd.DataFrame, odd: pd.DataFrame) -> str | None:
    """The first difference of two results, row by row as their keys say; ids are told in tame words."""
    if len(tame) != len(odd):
        return f"{len(odd)} rows instead of {len(tame)}"
    slices = {one.word or one.column: one for grouping in question.by for one in grouping}
    backs: dict[int, Callable[[Any], Any]] = {}
    keys = []
    table = question.asked[0].metric.table
    for place, name in enumerate(tame.columns):
        if name in slices:
            disguise = worn.disguises[slices[name].column]
            backs[place] = disguise.back if slices[name].expression is None else disguise.back_from_expression
        elif name in ("group", question.roles.get("group")) and (table or question.function == "per_group"):
            backs[place] = worn.disguises[question.roles["group"]].back
        elif name == "grouping":
            tame_of = {", ".join(one.word or worn.disguises[one.column].name for one in grouping):
                       ", ".join(one.word or one.column for one in grouping) for grouping in question.by}  # fmt: skip
            backs[place] = lambda value, tame_of=tame_of: tame_of.get(value, "overall" if value == "overall" else value)
        elif name in ("model", "baseline") and question.models:
            models = {worn.disguises[one].name: one for one in question.models}
            backs[place] = lambda value, models=models: models.get(value, f"no model {value!r}")
        elif name != "metric":
            break
        keys.append(place)
    one_side = _by_key(tame, keys, {})
    other_side = _by_key(odd, keys, backs)
    if _ranks_by_category(question, worn):
        # Categories have an order of their own, which is not that of their texts.
        one_side, other_side = (
            {key: sorted(rows, key=lambda row: [str(plain(one)) for one in row]) for key, rows in side.items()}
            for side in (one_side, other_side)
        )
    if list(one_side) != list(other_side):
        return f"slices {list(other_side)} instead of {list(one_side)}"
    for key, rows in one_side.items():
        if len(rows) != len(other_side[key]):
            return f"{len(other_side[key])} rows instead of {len(rows)} in {key}"
        for row, other in zip(rows, other_side[key], strict=True):
            for name, a, b in zip(tame.columns, other, row, strict=True):
                if question.function in _TOLD and name not in _TOLD[question.function]:
                    continue
                if not (agree(a, b, _TOLERANCE) if _are_numbers(a, b) else plain(a) == plain(b)):
                    return f"{name} is {a!r} instead of {b!r} in {key}"
    return None


def _ranks_by_category(question: Question, worn: Disguised) -> bool:
    """Whether the rows of a table are ordered by classes that may be categories."""
    classes = [question.roles[role] for role in ("label", "prediction") if role in question.roles]
    return question.kind == "classes" and any(pa.types.is_dictionary(worn.disguises[one].kind) for one in classes)


def _are_numbers(a: Any, b: Any) -> bool:
    return all(isinstance(plain(one), int | float) and not isinstance(plain(one), bool) for one in (a, b))


def _by_key(
    rows: pd.DataFrame, keys: list[int], backs: Mapping[int, Callable[[Any], Any]]
) -> dict[Any, list[list[Any]]]:
    found: dict[Any, list[list[Any]]] = {}
    columns = [rows.iloc[:, place].tolist() for place in range(rows.shape[1])]
    for values in zip(*columns, strict=True):
        row = list(values)
        for place in keys:
            row[place] = backs[place](row[place]) if place in backs else plain(row[place])
        found.setdefault(tuple(row[place] for place in keys), []).append(row)
    return dict(sorted(found.items(), key=lambda one: [str(part) for part in one[0]]))


# One call


@dataclass
class Fuzz:
    """What calls are asked on, and what came of them."""

    engine: str
    seed: int
    con: duckdb.DuckDBPyConnection
    holder: Holder | None
    equal: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    both_refused: Counter[str] = field(default_factory=Counter)
    first: dict[str, int] = field(default_factory=dict)
    failed: int = 0
    running: tuple[int, float] | None = None

    def line_of(self, number: int) -> str:
        """What repeats a call."""
        return f"python -m tests.fuzz --engine {self.engine} --seed {self.seed} --only {number}"

    def ask(self, number: int, loud: bool = False) -> bool:
        """Ask one call in both ways; whether all is well."""
        rng = Random(f"{self.seed} {number}")
        question = random_question(rng)
        self.con.register("sent", tame_table(question.rows))
        self.con.execute("create or replace table tame as from sent")
        self.con.unregister("sent")
        tame = outcome_of(tame_call(question, "tame", self.con))
        worn = disguise(question, rng, self.engine)
        with tempfile.TemporaryDirectory(prefix="fuzz-") as folder, self._given(worn, rng, Path(folder)) as given:
            form, data, relations, options = given
            call = disguised_call(question, data, worn, relations, options, rng, self._quoted)
            if loud:
                self._show(question, worn, form, data, tame)
            odd = outcome_of(call)
        wrong = failure(question, worn, tame, odd, form)
        if wrong is not None:
            self.failed += 1
            print(f"FAILED ({form}; {question.asked}): {wrong[:3000]}\n  {self.line_of(number)}", flush=True)
        elif odd.error is None:
            self.equal[form] += 1
        else:
            words = f"{type(odd.error).__name__}: {_kind_of(str(odd.error))}"
            self.first.setdefault(words, number)
            (self.refused if tame.error is None else self.both_refused)[words] += 1
        if loud:
            print(f"{form}: {odd.error if odd.error is not None else odd.rows}")
        return wrong is None

    @contextmanager
    def _given(
        self, worn: Disguised, rng: Random, folder: Path
    ) -> Iterator[tuple[str, Any, dict[str, Any], dict[str, Any]]]:
        """The data in some form, the further relations, and where to ask."""
        if self.holder is not None:
            with self._held(worn, rng) as held:
                yield held
            return
        with duckdb.connect() as con:
            con.execute(f"set threads = {rng.choice([1, 2, 4])}")
            place = Place(rng, folder, con, worn.numbers)
            form, data = self._formed(worn.rows, place, [*FORMS, "files", "files"])
            relations = {
                name: self._formed(one, place, ["arrow", "parquet", "table"])[1] for name, one in worn.relations.items()
            }
            options: dict[str, Any] = {}
            if form not in FREE or relations or rng.random() < 0.4:
                options = rng.choice([{"con": con}, {"con": con}, {"engine": sqlmetrics.engines.DuckDB(con)}])
            elif rng.random() < 0.3:
                options = {"threads": rng.choice([1, 2])}
            if form == "relation" and not worn.relations and rng.random() < 0.7:
                options = {}
            yield form, data, relations, options

    @staticmethod
    def _formed(rows: Any, place: Place, forms: list[str]) -> tuple[str, Any]:
        while True:
            form = place.rng.choice(forms)
            try:
                return form, FORMS[form](rows, place)
            except NotInThisForm:
                continue

    @contextmanager
    def _held(self, worn: Disguised, rng: Random) -> Iterator[tuple[str, Any, dict[str, Any], dict[str, Any]]]:
        assert self.holder is not None
        tables = {name: f"fuzz_{rng.getrandbits(60)}" for name in ("data", *worn.relations)}
        try:
            for name, table in tables.items():
                self.holder.hold(worn.rows if name == "data" else worn.relations[name], table)
            table = tables.pop("data")
            form, data = rng.choice([("table", table), ("query", f"select * from {table}"),
                                     ("query", f"with t as (select * from {table}) select * from t;")])  # fmt: skip
            if self.engine == "spark" and rng.random() < 0.3:
                form, data = "arrow", worn.rows
            yield form, data, dict(tables), {"engine": self.holder.engine}
            tables["data"] = table
        finally:
            for table in tables.values():
                self.holder.drop(table)

    def _quoted(self, name: str) -> str:
        if self.engine == "spark":
            return "`" + name.replace("`", "``") + "`"
        if self.engine == "clickhouse":
            return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'
        return '"' + name.replace('"', '""') + '"'

    def _show(self, question: Question, worn: Disguised, form: str, data: Any, tame: Outcome) -> None:
        print(f"{question.asked} of {question.kind} as {form}: {data if isinstance(data, str) else type(data)}")
        print(f"  roles {dict(question.roles)}, expressions {dict(question.expressions)}, models {question.models}")
        print(f"  by {question.by}, where {question.where}, preset {question.preset}, {dict(question.options)}")
        for column, one in worn.disguises.items():
            print(f"  {column} -> {one.name!r}: {one.kind}")
        print(f"  columns {worn.rows.column_names}")
        print(f"  tame: {tame.error if tame.error is not None else tame.rows}, dropped {tame.dropped}")


def _kind_of(message: str) -> str:
    """A message without what it says of this one call."""
    message = re.sub(r"'(?:[^']|'')*'|\"[^\"]*\"", "…", message)
    message = re.sub(r"/\S*fuzz-\S*", "FILE", message)
    return re.sub(r"\d[\d,.]*", "N", message)[:110]


def _watch(fuzz: Fuzz, ended: threading.Event) -> None:
    """End the program at a call that does not end."""
    while not ended.wait(5):
        running = fuzz.running
        if running is not None and time.monotonic() - running[1] > _HANGS:
            print(f"FAILED: a call takes more than {_HANGS:.0f} s\n  {fuzz.line_of(running[0])}", flush=True)
            faulthandler.dump_traceback()
            os._exit(1)


@contextmanager
def _engine(name: str) -> Iterator[Holder | None]:
    if name == "duckdb":
        yield None
        return
    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder, ENGINES[name]({}) as engine:
        yield Holder(name, engine, Path(folder))


def main() -> int:
    """Ask until the time or the count is reached."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, help="how long; 60 by default")
    parser.add_argument("--calls", type=int, help="how many, whatever time they take")
    parser.add_argument("--seed", type=int, help="where the draws begin; drawn and printed by default")
    parser.add_argument("--engine", choices=list(ENGINES), default="duckdb")
    parser.add_argument("--only", type=int, metavar="NUMBER", help="this one call of the seed, with all that it was")
    given = parser.parse_args()
    seed = secrets.randbelow(10**9) if given.seed is None else given.seed
    print(f"python -m tests.fuzz --engine {given.engine} --seed {seed}", flush=True)
    with duckdb.connect() as con, _engine(given.engine) as holder:
        con.execute("set threads = 1")
        begin = time.monotonic()  # an engine that takes long to start is asked as long as the others
        fuzz = Fuzz(given.engine, seed, con, holder)
        ended = threading.Event()
        watch = threading.Thread(target=_watch, args=(fuzz, ended), daemon=True)
        watch.start()
        try:
            number = 0
            while given.only is None and (
                number < given.calls if given.calls else time.monotonic() - begin < (given.seconds or 60)
            ):
                fuzz.running = (number, time.monotonic())
                fuzz.ask(number)
                number += 1
            if given.only is not None:
                return 0 if fuzz.ask(given.only, loud=True) else 1
        finally:
            ended.set()
            watch.join()
    told = {"equal": fuzz.equal, "refused": fuzz.refused, "refused, the tame call too": fuzz.both_refused}
    for title, counts in told.items():
        print(f"{title}: {counts.total()}")
        for words, count in counts.most_common():
            print(f"  {count:6} {words}" + (f" (--only {fuzz.first[words]})" if words in fuzz.first else ""))
    counted = ", ".join(f"{counts.total()} {title}" for title, counts in told.items())
    print(f"{number} calls in {time.monotonic() - begin:.0f} s: {counted}; {fuzz.failed} FAILED")
    if number >= 50 and fuzz.equal.total() < number / 2:
        print("FAILED: fewer than half of the calls were answered, so little was compared")
        return 1
    return 1 if fuzz.failed else 0


if __name__ == "__main__":
    sys.exit(main())
