"""The files of one relation, and how a statement reads their columns without losing a value."""

from __future__ import annotations

import csv
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import duckdb

from ..errors import BadData
from ..sql_text import quoted_name, text_literal
from .guessed_types import (
    MORE_THAN_A_DOUBLE,
    always_fits,
    is_comparable,
    is_guessed,
    loses_id,
    significant_digits,
)
from .paths import pattern_of
from .schemas import Run, Schema, conflicting_types, have_collisions, may_be_renamed, parquet_schemas

#: How the lines of a CSV file are read as they are.
WHOLE_LINES = (
    "auto_detect = false",
    "columns = {line: 'VARCHAR'}",
    "delim = '\x1f'",
    "quote = ''",
    "escape = ''",
    "comment = ''",
    "header = false",
    "null_padding = true",
)
#: Before which line of a CSV file its names are looked for, to tell why they were not found.
_TITLES = 100


@dataclass(frozen=True)
class Files:
    """The files of one relation and how to read them.

    `columns` holds the engine's names with their types. `mixed` holds, by folded column, the types in which different
    files have it, each with its files; None stands for the files that lack it.
    `written` holds the names of the first CSV file as it writes them, which the engine may have changed.
    `partitions` holds the folded names that folders give to columns (`day=2024-01-01`): no file is asked for those.
    """

    reader: str
    patterns: Sequence[str]
    run: Run
    options: Sequence[str] = ()
    columns: dict[str, str] = field(default_factory=dict)
    mixed: dict[str, dict[str | None, list[str]]] = field(default_factory=dict)
    partitions: frozenset[str] = frozenset()
    written: tuple[str, ...] = ()

    @property
    def is_text(self) -> bool:
        """Whether every reading parses text."""
        return self.reader != "read_parquet"

    def matched_by_name(self, schemas: dict[str, Schema]) -> Files:
        """Files with different columns.

        Raises:
            BadData: A file has names that differ in case only, which the engine takes for one.
        """
        for file, schema in schemas.items():
            names = [name for name, _ in schema]
            if have_collisions(names):
                twice = next(name for place, name in enumerate(names) if have_collisions([*names[:place], name]))
                raise BadData(
                    f"{file} has several columns called {twice!r} in upper or lower case, and files with different "
                    "columns are matched by their names in any case: rename one of them"
                )
        options = [*self.options, "union_by_name = true"]
        return replace(self, options=options, mixed=conflicting_types(schemas, self.partitions))

    def scan(self, *options: str) -> str:
        """The table function over the files."""
        return scan_of(self.reader, self.patterns, [*self.options, *options])

    def text_ids(self, ids: Collection[str]) -> list[str]:
        """Ids which read as numbers would not be told apart: they stay text."""
        if not self.is_text:
            return []
        lossy = {
            one: loses_id(one, self.columns[one])
            for one in ids
            if one in self.in_files() and is_guessed(self.columns[one])
        }
        return [
            one
            for one, condition in lossy.items()
            if self.run(f"select 1 from {self._as_text(one)} where {condition} limit 1")
        ]

    def texts_written(self, columns: Collection[str]) -> list[str]:
        """Columns that look like numbers or truths, of which one file spells one value in two ways: they were texts.

        A zero may have a sign in some rows and none in others, as doubles have it.
        """
        return [
            one
            for one in columns
            if self.reader == "read_csv"
            and self.in_files().get(one) in ("DOUBLE", "BOOLEAN")
            and self.run(
                f"select 1 from {self._as_text(one, 'filename = true')} "
                f"group by filename, try_cast({quoted_name(one)} as {self.columns[one]}) "
                f"having count(distinct regexp_replace({quoted_name(one)}, '^-(0(\\.0)?)$', '\\1')) > 1 limit 1"
            )
        ]

    def blurred(self, columns: Collection[str]) -> str | None:
        """A column of fractions in which two numbers of the files are one double."""
        if not self.is_text:
            return None
        for column in columns:
            if self.in_files().get(column) != "DOUBLE":
                continue
            quoted, text = quoted_name(column), self._as_text(column)
            double = f"try_cast({quoted} as double)"
            shown = significant_digits(f"cast({double} as varchar)")
            long = f"regexp_full_match({quoted}, {text_literal(MORE_THAN_A_DOUBLE)})"
            digits = significant_digits(quoted)
            if self.run(f"select 1 from {text} where {long} and {digits} <> {shown} limit 1") and self.run(
                f"select 1 from {text} group by {double} having count(distinct {digits}) > 1 limit 1"
            ):
                return column
        return None

    def as_decimals(self, column: str) -> str:
        """How a query reads a column with all its digits."""
        option = "columns" if self.reader == "read_json" else "types"
        return f"select * from {self.reader}('…', {option} = {struct_literal({column: 'decimal(38, 10)'})})"

    def relation(
        self, read: Collection[str], name: str, texts: Collection[str] = (), computed: Collection[str] = ()
    ) -> str:
        """The relation for a statement that reads these columns of the engine's.

        Ids of `texts` stay text: as numbers they would not be told apart. `computed` are scores, and what expressions
        read.
        """
        if not self.is_text:
            return self.scan()
        values = {
            one: quoted_name(one) if one in texts else self._checked_cast(one, one in computed)
            for one in read
            if one in self.in_files()
        }
        as_text = {one: value for one, value in values.items() if value is not None}
        if not as_text:
            return self.scan()
        if self.reader == "read_json":
            kinds = {one: "VARCHAR" if one in as_text else kind for one, kind in self.in_files().items() if one in read}
            scan = self._scan_with(f"columns = {struct_literal(kinds)}")
        else:
            kinds = {**self.pinned(), **dict.fromkeys(as_text, "VARCHAR")}
            scan = self._scan_with(f"types = {struct_literal(kinds)}")
        return f"(select * replace ({_as(as_text)}) from {scan}) as {name}"

    def in_files(self) -> dict[str, str]:
        """The columns that the files hold. What their folders say the engine reads as numbers and moments only where
        these are written as it would write them itself: no text is lost, and none can be asked for.
        """
        return {name: kind for name, kind in self.columns.items() if name.lower() not in self.partitions}

    def pinned(self) -> dict[str, str]:
        """The types that the options name."""
        return self.in_files() if any(one.startswith("types =") for one in self.options) else {}

    def _scan_with(self, *options: str) -> str:
        """The scan with types other than those pinned."""
        kept = [one for one in self.options if not one.startswith(("types =", "columns ="))]
        return scan_of(self.reader, self.patterns, [*kept, *options])

    def _checked_cast(self, column: str, is_computed: bool) -> str | None:
        """The value of a column that is read as text; None where the engine may read it by its type."""
        quoted, kind = quoted_name(column), self.columns[column]
        if self.reader == "read_csv" and kind == "VARCHAR" and is_computed:
            # DuckDB 2 reads the column of `try_cast(p as double)` as a number, and fails at the first other text.
            return f"case when {quoted} is not null then {quoted} end"
        if self.reader == "read_csv" and kind == "BOOLEAN":
            # DuckDB 2 reads what is cast to a double as one straight away, and `true` is none.
            return f"cast({quoted} as BOOLEAN)"
        return None

    def _as_text(self, column: str, *options: str) -> str:
        if self.reader == "read_json":
            return self._scan_with(f"columns = {struct_literal({column: 'VARCHAR'})}", *options)
        # The engine must not look for the types of the others once more: it would look at ten files.
        return self._scan_with(f"types = {struct_literal({**self.pinned(), column: 'VARCHAR'})}", *options)

    def own_names(self) -> list[str]:
        """The names of columns as the files write them, where the engine may have changed some: those of the first."""
        if self.mixed or not may_be_renamed(self.columns):
            return []
        if self.reader == "read_parquet":
            schemas = parquet_schemas(self.run, self.patterns)
            return [name for name, _ in next(iter(schemas.values()))]
        if self.reader == "read_csv":
            return list(self.written)
        objects = self.run(f"select json_keys(json) from read_json_objects([{', '.join(self.patterns)}])")
        return list(dict.fromkeys(str(name) for (names,) in objects for name in names or []))

    def uneven_line(self, column: str) -> str | None:
        """Why a column that stands in a line of names at the beginning of a file is not found there."""
        if self.reader != "read_csv":
            return None
        for path in self.paths():
            try:
                with open(path, encoding="utf-8-sig", newline="") as file:
                    found = _uneven_line(file, column)
            except (OSError, UnicodeError, csv.Error):  # compressed, or far away
                continue
            if found:
                return f"{path} {found}"
        return None

    def line_of(self, column: str, value: str) -> str:
        """The line of the first value of a CSV column that is not a number, in words; nothing where it is unknown."""
        paths = self.paths() if self.reader == "read_csv" and column in self.in_files() else []
        for path in paths:
            lone = replace(self, patterns=[text_literal(pattern_of(path))])
            types = f"types = {struct_literal({**self.pinned(), column: 'DOUBLE'})}"
            numbers = f"select count({quoted_name(column)}) from {lone._scan_with(types, 'parallel = false')}"
            # A statement that fails would end a transaction of the caller's connection.
            with duckdb.connect() as own:
                try:
                    own.execute(numbers)
                except duckdb.Error as error:
                    found = re.search(r"CSV Error on Line: (\d+)", str(error))
                    if found is None or f'Could not convert string "{value}"' not in str(error):
                        return ""
                    return lone._line_in_words(int(found[1]), path if len(paths) > 1 else "", own)
        return ""

    def _line_in_words(self, line: int, path: str, own: duckdb.DuckDBPyConnection) -> str:
        """The engine counts rows: each is a line, unless a quote goes on in the next."""
        encoding = [one for one in self.options if one.startswith("encoding")]
        lines = f"select line from {scan_of(self.reader, self.patterns, [*WHOLE_LINES, *encoding])} limit {line}"
        quotes = "length(line) - length(replace(line, '\"', ''))"
        if own.execute(f"select 1 from ({lines}) where ({quotes}) % 2 = 1 limit 1").fetchall():
            return ""
        return f" in line {line}" + (f" of {path}" if path else "")

    def paths(self) -> list[str]:
        """The files that there are."""
        return [str(path) for (path,) in self.run(f"select file from glob([{', '.join(self.patterns)}])")]

    def check(self, column: str, role: str) -> None:
        """Whether the values of a column survive the type in which all files together are read.

        Raises:
            BadData: Files lack it, or no type holds the values of all.
        """
        kinds = self.mixed.get(column.lower())
        if kinds is None:
            return
        absent = kinds.get(None)
        there = [(kind, files) for kind, files in kinds.items() if kind is not None]
        if absent:
            raise BadData(f"{role}: column {column!r} is in {there[0][1][0]} and not in {absent[0]}")
        together = self.columns[column]
        for kind, files in there:
            if not always_fits(kind, together) and self._loses(column, kind, files, together):
                others = [other for other in there if other[0] != kind]
                kind_2, files_2 = next((other for other in others if not is_comparable(kind, other[0])), others[0])
                raise BadData(
                    f"{role}: column {column!r} is {kind} in {files[0]} and {kind_2} in {files_2[0]}, and no type "
                    "holds the values of both; give them one type in a query"
                )

    def _loses(self, column: str, kind: str, files: Sequence[str], together: str) -> bool:
        if not is_comparable(kind, together):
            changed = f"{quoted_name(column)} is not null"
        else:
            value = quoted_name(column)
            there = f"try_cast({value} as {together})"
            changed = f"{value} is distinct from try_cast({there} as {kind})"
            if together == "FLOAT":  # a decimal of 0.1 comes back, though in four bytes it is another number
                changed += f" or cast({value} as double) is distinct from cast({there} as double)"
        patterns = [text_literal(pattern_of(one)) for one in files]
        scan = scan_of(self.reader, patterns, [*self.options])
        return bool(self.run(f"select 1 from {scan} where {changed} limit 1"))


def _uneven_line(file: Iterable[str], column: str) -> str | None:
    """The line that has another count of fields than that of the names, or stands in front of it as if it were that."""
    hint = "; where # begins a comment, say so in a query: select * from read_csv('…', comment = '#')"
    before = ""
    for place, line in zip(range(1, _TITLES), iter(file), strict=False):
        mark = max(",;\t|", key=line.count)
        header = next(csv.reader([line], delimiter=mark), [])
        if column in header:
            for number, fields in enumerate(csv.reader(file, delimiter=mark), place + 1):
                if fields and len(fields) != len(header):
                    words = f"has {len(header)} fields in line {place} and {len(fields)} in line {number}"
                    return words + (hint if fields[0].startswith("#") else "")
            if not before:
                return (
                    f"has it in line {place}, which is not read as that of the names; where no quote is left open in "
                    "it, say that it is in a query: select * from read_csv('…', header = true)"
                )
            return f"has it in line {place}, and line 1 is read as that of the names{hint if before == '#' else ''}"
        before = before or line.strip()[:1]
    return None


def _as(values: Mapping[str, str]) -> str:
    return ", ".join(f"{value} as {quoted_name(one)}" for one, value in values.items())


def struct_literal(values: dict[str, str]) -> str:
    """Names and texts as a structure in SQL."""
    return "{" + ", ".join(f"{quoted_name(name)}: {text_literal(kind)}" for name, kind in values.items()) + "}"


def scan_of(reader: str, patterns: Sequence[str], options: Sequence[str]) -> str:
    """The table function over files."""
    files = patterns[0] if len(patterns) == 1 else f"[{', '.join(patterns)}]"
    return f"{reader}({', '.join([files, *options])})"
