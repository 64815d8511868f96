"""How paths become a scan: which files are meant, in which format, and of which types their columns are together."""

from __future__ import annotations

import atexit
import codecs
import contextlib
import csv
import functools
import glob
import gzip
import hashlib
import importlib
import os
import re
import shutil
import tempfile
import zlib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import duckdb

from .errors import BadData, BadParameter, QueryFailed
from .interrupts import FOLDER_PREFIX
from .sql_text import quoted_name, text_literal

P = ParamSpec("P")
T = TypeVar("T")
Rows = list[tuple[Any, ...]]
Run = Callable[[str], Rows]

READERS = {
    ".parquet": "read_parquet",
    ".pq": "read_parquet",
    ".csv": "read_csv",
    ".tsv": "read_csv",
    ".txt": "read_csv",
    ".json": "read_json",
    ".jsonl": "read_json",
    ".ndjson": "read_json",
}
_COMPRESSION = re.compile(r"\.(gz|gzip|zst|zstd)\Z", re.IGNORECASE)
#: How many bytes are looked at where a file begins and where it ends.
_END = 4096
#: How the lines of a CSV file are read as they are.
_WHOLE_LINES = (
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
#: What a lake keeps beside its files to say which of them count.
_LAKES = {"_delta_log": "a Delta table", ".hoodie": "a Hudi table", "metadata": "an Iceberg table"}
_LAKE_READERS = {"a Delta table": "delta_scan", "an Iceberg table": "iceberg_scan"}
#: Types that a sample can suggest and into which the engine turns other values without a word: how the text of one
#: looks that is meant so.
_LOOKS_LIKE = {
    "BIGINT": r"\s*[-+]?[0-9]+\s*",
    "UBIGINT": r"\s*[-+]?[0-9]+\s*",
    "HUGEINT": r"\s*[-+]?[0-9]+\s*",
    "BOOLEAN": r"(?i)\s*(true|false|t|f)\s*",
    "DATE": r"[^:]*",
}
#: Whole numbers of so many digits are no longer told apart by a double.
_LONG_NUMBER = r"\s*[-+]?([0-9]{16,}(\.[0-9]*)?|[0-9]*\.[0-9]{17,}[1-9][0-9]*)\s*"
#: A number that may share its double with others, of 16 whole digits or of 18: those that programs write have up to 17.
_MORE_THAN_A_DOUBLE = r"\s*[-+]?(0*[1-9][0-9]{15,}|0*\.0*[1-9][0-9]{17,}|0*[1-9][0-9.]{18,}).*"
#: An id that is not the text of its number: 007 is not 7, nor is 0x7.
_PADDED_NUMBER = r"\s*([-+]?0[0-9].*|\+.*|.*[xX_].*)"
#: How ids look that are the same as values of their type. In other writing the engine may take two texts for one value
#: (12:00 and 12:00:00, t and true), or guess which part of 01/02/2024 is the month: there they are texts.
_MOMENT = r"\d{4}-\d\d-\d\d([ T]\d\d:\d\d(:\d\d(\.\d{1,6})?)?"
_PLAIN_IDS = {
    "BOOLEAN": r"(?i)\s*(true|false)\s*",
    "DATE": r"\s*\d{4}-\d\d-\d\d\s*",
    "TIME": r"\s*\d\d:\d\d:\d\d\s*",
    "TIMESTAMP": rf"\s*{_MOMENT})?\s*",
    "TIMESTAMP WITH TIME ZONE": rf"\s*{_MOMENT} ?(Z|[-+]\d\d(:?\d\d)?))\s*",
    "UUID": r"[0-9a-f-]*",
}
#: What the engine makes of a name that is there already, in whatever letters.
_RENAMED = re.compile(r"(.+)_\d+\Z", re.DOTALL)
_NUMBERS_OF_TEXT = ("BIGINT", "UBIGINT", "HUGEINT", "DOUBLE")
_TEMPORAL = ("DATE", "TIME")
_WHOLE = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT")
_SMALL = ("TINYINT", "SMALLINT", "INTEGER", "UTINYINT", "USMALLINT", "UINTEGER")


class SampleMisled(QueryFailed):
    """A value did not fit the type that a sample of its file suggested: the file is to be read whole for its types."""


@dataclass(frozen=True)
class Files:
    """The files of one relation and how to read them.

    `columns` holds the engine's names with their types. `mixed` holds, by folded column, the types in which different
    files have it, each with its files; None stands for the files that lack it. `alike` holds the folded names that
    several columns of one file have, where files are read by name: the engine takes one of them for the other.
    `written` holds the names of the first CSV file as it writes them, which the engine may have changed.
    `partitions` holds the folded names that folders give to columns (`day=2024-01-01`): no file is asked for those.
    """

    reader: str
    patterns: Sequence[str]
    run: Run
    options: Sequence[str] = ()
    columns: dict[str, str] = field(default_factory=dict)
    mixed: dict[str, dict[str | None, list[str]]] = field(default_factory=dict)
    sampled: bool = False
    alike: frozenset[str] = frozenset()
    partitions: frozenset[str] = frozenset()
    written: tuple[str, ...] = ()

    @property
    def is_text(self) -> bool:
        """Whether every reading parses text."""
        return self.reader != "read_parquet"

    @property
    def may_hold_more(self) -> bool:
        """Whether there may be columns that the sample does not show: keys of later objects, names of later files."""
        return self.sampled and self.is_text and (self.reader == "read_json" or len(self.paths()) > 1)

    def scan(self, *options: str) -> str:
        """The table function over the files."""
        return _scan(self.reader, self.patterns, [*self.options, *options])

    def text_ids(self, ids: Collection[str]) -> list[str]:
        """Ids which read as numbers would not be told apart: they stay text. A sample knows of none."""
        if self.sampled or not self.is_text:
            return []
        lossy = {
            one: _loses_id(one, self.columns[one])
            for one in ids
            if one in self._in_files() and _is_guessed(self.columns[one])
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
            and self._in_files().get(one) in ("DOUBLE", "BOOLEAN")
            and self.run(
                f"select 1 from {self._as_text(one, 'filename = true')} "
                f"group by filename, try_cast({quoted_name(one)} as {self.columns[one]}) "
                f"having count(distinct regexp_replace({quoted_name(one)}, '^-(0(\\.0)?)$', '\\1')) > 1 limit 1"
            )
        ]

    def blurred(self, columns: Collection[str]) -> str | None:
        """A column of fractions in which two numbers of the files are one double. A sample knows of none."""
        if self.sampled or not self.is_text:
            return None
        for column in columns:
            if self._in_files().get(column) != "DOUBLE":
                continue
            quoted, text = quoted_name(column), self._as_text(column)
            double = f"try_cast({quoted} as double)"
            shown = _digits(f"cast({double} as varchar)")
            long = f"regexp_full_match({quoted}, {text_literal(_MORE_THAN_A_DOUBLE)})"
            if self.run(f"select 1 from {text} where {long} and {_digits(quoted)} <> {shown} limit 1") and self.run(
                f"select 1 from {text} group by {double} having count(distinct {_digits(quoted)}) > 1 limit 1"
            ):
                return column
        return None

    def as_decimals(self, column: str) -> str:
        """How a query reads a column with all its digits."""
        option = "columns" if self.reader == "read_json" else "types"
        return f"select * from {self.reader}('…', {option} = {_struct({column: 'decimal(38, 10)'})})"

    def relation(
        self,
        read: Collection[str],
        ids: Collection[str],
        name: str,
        texts: Collection[str] = (),
        told_apart: Mapping[str, bool] | None = None,
    ) -> str:
        """The relation for a statement that reads these columns of the engine's, some of which are compared only.

        A column of which only a sample was seen is read as text, and every value must look like the sample. What looks
        like a fraction may hold long whole numbers, which as an id stay text: those of `texts` do. Numbers that differ
        must not become one in columns of `told_apart`, of which ids may be made (True), or scores.
        """
        if not self.is_text:
            return self.scan()
        values = {
            one: quoted_name(one) if one in texts else self._guarded(one, one in ids, (told_apart or {}).get(one))
            for one in read
            if one in self._in_files()
        }
        guarded = {one: value for one, value in values.items() if value is not None}
        wide = [one for one in told_apart or {} if one not in guarded] if self.sampled else []
        bounded = {one: _bounded(one) for one in wide if self.columns.get(one) == "DOUBLE"}
        if not guarded:
            return f"(select * replace ({_as(bounded)}) from {self.scan()}) as {name}" if bounded else self.scan()
        if self.reader == "read_json":
            if _renamed(self.columns):  # the engine would look for its own names in the files, and find nothing
                raise BadData(
                    f"column {next(iter(guarded))!r} holds numbers too long to be read as numbers, and keys of the "
                    "files differ in case only: write the values as texts, or give the keys other names"
                )
            kinds = {
                one: "VARCHAR" if one in guarded else kind for one, kind in self._in_files().items() if one in read
            }
            scan = self._scan_with(f"columns = {_struct(kinds)}")
        else:
            kinds = {**self._pinned(), **dict.fromkeys(guarded, "VARCHAR")}
            scan = self._scan_with(f"types = {_struct(kinds)}")
        return f"(select * replace ({_as({**guarded, **bounded})}) from {scan}) as {name}"

    def _in_files(self) -> dict[str, str]:
        """The columns that the files hold. What their folders say the engine reads as numbers and moments only where
        these are written as it would write them itself: no text is lost, and none can be asked for.
        """
        return {name: kind for name, kind in self.columns.items() if name.lower() not in self.partitions}

    def _pinned(self) -> dict[str, str]:
        """The types that the options name."""
        return self._in_files() if any(one.startswith("types =") for one in self.options) else {}

    def _scan_with(self, *options: str) -> str:
        """The scan with types other than those pinned."""
        kept = [one for one in self.options if not one.startswith(("types =", "columns ="))]
        return _scan(self.reader, self.patterns, [*kept, *options])

    def _guarded(self, column: str, is_id: bool, makes_ids: bool | None) -> str | None:
        """The value of a column that is read as text; None where the engine may read it by its type.

        `makes_ids` is None where no expression reads the column.
        """
        quoted, kind = quoted_name(column), self.columns[column]
        if kind == "VARCHAR" and self.reader == "read_csv" and makes_ids is not None:
            # DuckDB 2 reads the column of `try_cast(p as double)` as a number, and fails at the first other text.
            return f"case when {quoted} is not null then {quoted} end"
        if is_id and self.sampled and kind not in _LOOKS_LIKE and _is_guessed(kind):
            fits = f"not ({_loses_id(column, kind)})"
        elif makes_ids and self.sampled and kind == "DOUBLE":
            fits = f"not regexp_full_match({quoted}, {text_literal(_MORE_THAN_A_DOUBLE)})"
        elif kind == "BOOLEAN" and not self.sampled:
            # DuckDB 2 reads what is cast to a double as one straight away, and `true` is none.
            return f"cast({quoted} as BOOLEAN)" if self.reader == "read_csv" else None
        elif self.sampled and kind in _LOOKS_LIKE:
            # A number that is computed with is one that a double holds; whether a longer one is, the whole file tells.
            looks = _LOOKS_LIKE[kind] if is_id else _LOOKS_LIKE[kind].replace("]+", "]{1,15}")
            fits = f"regexp_full_match({quoted}, {text_literal(looks)})"
            if is_id and _is_guessed(kind):
                fits += f" and not ({_loses_id(column, kind)})"
        else:
            return None
        words = text_literal(f"{column} is not {kind} throughout")
        return f"case when {fits} then cast({quoted} as {kind}) when {quoted} is not null then error({words}) end"

    def _as_text(self, column: str, *options: str) -> str:
        if self.reader == "read_json" and _renamed(self.columns):
            # The engine would look for its own name in the files, find nothing, and tell of no value that is lost.
            keys = [name for name in self.own_names() if name.lower() not in self.partitions]
            own = dict(zip(self._in_files(), keys, strict=True))[column]
            pointer = text_literal("/" + own.replace("~", "~0").replace("/", "~1"))
            objects = f"read_json_objects([{', '.join(self.patterns)}])"
            return f"(select json ->> {pointer} as {quoted_name(column)} from {objects}) as objects"
        if self.reader == "read_json":
            return self._scan_with(f"columns = {_struct({column: 'VARCHAR'})}", *options)
        # The engine must not look for the types of the others once more: it would look at ten files.
        return self._scan_with(f"types = {_struct({**self._pinned(), column: 'VARCHAR'})}", *options)

    def own_names(self) -> list[str]:
        """The names of columns as the files write them, where the engine may have changed some: those of the first."""
        if not _renamed(self.columns):
            return []
        if self.reader == "read_parquet":
            return [] if self.mixed else [name for name, _ in next(iter(parquet_schemas(self).values()))]
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
        paths = self.paths() if self.reader == "read_csv" and column in self._in_files() else []
        for path in paths:
            lone = replace(self, patterns=[text_literal(pattern_of(path))])
            types = f"types = {_struct({**self._pinned(), column: 'DOUBLE'})}"
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
        lines = f"select line from {_scan(self.reader, self.patterns, [*_WHOLE_LINES, *encoding])} limit {line}"
        quotes = "length(line) - length(replace(line, '\"', ''))"
        if own.execute(f"select 1 from ({lines}) where ({quotes}) % 2 = 1 limit 1").fetchall():
            return ""
        return f" in line {line}" + (f" of {path}" if path else "")

    def must_be_whole(self, read: Collection[str]) -> bool:
        """Whether a guard by text cannot be put before these columns: numbers inside of a structure, keys that differ
        in case only."""
        if not (self.sampled and self.reader == "read_json"):
            return False
        nested = any(re.search(r"[(\[]", self.columns.get(one, "")) for one in read)
        return nested or _renamed(self.columns)

    def paths(self) -> list[str]:
        """The files that there are."""
        return [str(path) for (path,) in self.run(f"select file from glob([{', '.join(self.patterns)}])")]

    def check(self, column: str, role: str, own: str = "") -> None:
        """Whether the values of a column survive the type in which all files together are read.

        `own` is its name in the files, where the engine has given it another.

        Raises:
            BadData: Files lack it, or no type holds the values of all.
        """
        if (own or column).lower() in self.alike:
            raise BadData(
                f"{role}: column {own or column!r} is one of several that differ in case only, and files whose columns "
                "differ are read by their names in any case; give them other names, or read one file at a time"
            )
        kinds = self.mixed.get(column.lower())
        if kinds is None:
            return
        absent = kinds.get(None)
        there = [(kind, files) for kind, files in kinds.items() if kind is not None]
        if absent:
            raise BadData(f"{role}: column {column!r} is in {there[0][1][0]} and not in {absent[0]}")
        together = self.columns[column]
        for kind, files in there:
            if not _always_fits(kind, together) and self._loses(column, kind, files, together):
                others = [other for other in there if other[0] != kind]
                kind_2, files_2 = next((other for other in others if not _comparable(kind, other[0])), others[0])
                raise BadData(
                    f"{role}: column {column!r} is {kind} in {files[0]} and {kind_2} in {files_2[0]}, and no type "
                    "holds the values of both; give them one type in a query"
                )

    def _loses(self, column: str, kind: str, files: Sequence[str], together: str) -> bool:
        if not _comparable(kind, together):
            changed = f"{quoted_name(column)} is not null"
        else:
            value = quoted_name(column)
            there = f"try_cast({value} as {together})"
            changed = f"{value} is distinct from try_cast({there} as {kind})"
            if together == "FLOAT":  # a decimal of 0.1 comes back, though in four bytes it is another number
                changed += f" or cast({value} as double) is distinct from cast({there} as double)"
        patterns = [text_literal(pattern_of(one)) for one in files]
        scan = _scan(self.reader, patterns, [*self.options])
        return bool(self.run(f"select 1 from {scan} where {changed} limit 1"))


def find_files(role: str, paths: Sequence[str | PathLike[str]], run: Run, where: str = "") -> Files:
    """The files that are meant by paths, patterns and folders; `where` says where else was looked for a name."""
    if not paths:
        raise BadData(f"{role}: the list of files is empty")
    patterns: list[str] = []
    readers: dict[str, str] = {}
    for path in map(path_text, paths):
        for one in _files_of_folder(role, path) if os.path.isdir(path) else [path]:
            readers.setdefault(_reader(role, one, where), one)
            patterns.append(pattern_of(one))
    if len(readers) > 1:
        names = " and ".join(readers.values())
        raise BadParameter(f"{role}: all files of a list must be of one format, and {names} are not")
    [reader] = readers
    options: list[str] = []
    if reader == "read_csv":
        encodings = {_encoding(one) for one in patterns}
        if encodings == {"utf-16"}:
            options.append("encoding = 'utf-16'")
        # The engine would guess by the beginning of the first file: that single quotes are none of the text, or that
        # double quotes are, where the first of them comes late. 'a' and a are two users, "a" and a are one.
        options.append("quote = '\"'")
        # No more would it tell what is no row: `#1` may be an id, of which only the first would be there, if any.
        options.append("comment = ''")
    if any(os.path.isdir(path_text(path)) for path in paths) and all(
        re.search(r"[^/]=[^/]*/", one) for one in patterns
    ):
        options.append("hive_partitioning = true")
    return Files(reader, [text_literal(one) for one in patterns], run, options)


def describe(files: Files, sampled: bool) -> Files:
    """The files with their columns and types, those of all of them.

    Raises:
        BadData: A file is among them twice, a text is empty, or the engine cannot read them.
    """
    lone = len(files.patterns) == 1 and not glob.has_magic(files.patterns[0])
    # A lone file of parquet is looked up for the columns that its folders name only.
    names = files.paths() if files.is_text or not lone or "=" in files.patterns[0] else []
    _check_once(names)
    files = replace(files, partitions=_partitions(names))
    if files.is_text:
        _check_content(files, names)
        if files.reader == "read_json":
            _check_ends(names)
        if not sampled:
            several = "files_to_sniff = -1" if files.reader == "read_csv" else "maximum_sample_files = 1000000"
            files = replace(files, options=[*files.options, "sample_size = -1", several])
        try:
            if files.reader == "read_csv":
                files = _with_dialects(files, names)
            files = replace(files, columns=_described(files), sampled=sampled)
        except BadData as error:
            # Of many files the engine looks at ten, and does not go on where another has a type of its own.
            if sampled and len(names) > 1:
                raise SampleMisled(str(error), "") from error
            raise
        return files if sampled else _with_known_types(files)
    schemas = {} if lone else parquet_schemas(files)
    if len({tuple(schema) for schema in schemas.values()}) > 1:
        files = replace(
            files,
            options=[*files.options, "union_by_name = true"],
            mixed=_mixed(schemas, files.partitions),
            alike=_alike(schemas),
        )
    return replace(files, columns=_described(files))


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


def _check_once(names: Sequence[str]) -> None:
    """The rows of a file that two paths, patterns or links name would count twice.

    Raises:
        BadData: There is one.
    """
    seen: dict[str, str] = {}
    for name in names:
        place = name if "://" in name else os.path.realpath(name)
        if place in seen:
            also = "" if seen[place] == name else f", as {seen[place]} too"
            raise BadData(f"{name} is given twice{also}: its rows would count twice")
        seen[place] = name


def _check_content(files: Files, names: Sequence[str]) -> None:
    """A text without a character in it has no columns, though the engine names one.

    Raises:
        BadData: There is one, of CSV among others too: it lacks the names that these have.
    """
    empty = [one for one in names if os.path.isfile(one) and not os.path.getsize(one)]
    if empty and (files.reader == "read_csv" or len(empty) == len(names)):
        raise BadData(f"{empty[0]} is empty")


def _check_ends(names: Sequence[str]) -> None:
    """A list of JSON that was cut off between two of its objects is read by the engine as if it were whole.

    Raises:
        BadData: A file begins a list and does not end it, or there is a mark before it.
    """
    for name in names:
        start, end = (_ends_of_compressed if _COMPRESSION.search(name) else _ends_of)(name)
        if not _begins_list(start):
            continue
        if start.startswith(codecs.BOM_UTF8):
            raise BadData(f"{name} begins with a byte order mark, which is read before objects by line only: remove it")
        if end.rstrip() and not end.rstrip().endswith(b"]"):
            raise BadData(f"{name} begins with [ and does not end with ]: a part of it is missing")


def beginning_of_text(start: bytes) -> bytes:
    """The first bytes of a file from its first character on, behind a byte order mark and blanks.

    >>> beginning_of_text(b" [1]")
    b'[1]'
    """
    return start.removeprefix(codecs.BOM_UTF8).lstrip()


def _begins_list(start: bytes) -> bool:
    return beginning_of_text(start).startswith(b"[")


def _ends_of(name: str) -> tuple[bytes, bytes]:
    """The first and, of what begins a list, the last bytes of a file."""
    start = first_bytes(name, _END)
    if not _begins_list(start):
        return start, b""
    with open(name, "rb") as file:
        file.seek(max(0, os.path.getsize(name) - _END))
        return start, file.read()


def _ends_of_compressed(name: str) -> tuple[bytes, bytes]:
    """The same of what it holds; what cannot be read to its end, the engine refuses.

    Of Zstandard no Python before 3.14 knows, and the package `zstandard` may be missing: then it is not looked at.
    """
    opened: Callable[..., Any] | None = gzip.open if name.lower().endswith((".gz", ".gzip")) else None
    broken: tuple[type[Exception], ...] = (OSError, EOFError, zlib.error)
    for module in () if opened else ("compression.zstd", "zstandard"):
        with contextlib.suppress(ModuleNotFoundError):
            found = importlib.import_module(module)
            opened, broken = found.open, (OSError, EOFError, found.ZstdError)
            break
    if opened is None:
        return b"", b""
    try:
        with opened(name, "rb") as file:
            start = end = file.read(_END)
            while _begins_list(start) and (more := file.read(1 << 20)):
                end = (end + more)[-_END:]
            return start, end
    except broken:
        return b"", b""


@dataclass(frozen=True)
class _Dialect:
    """How a CSV file is written: `names` as they stand there, below the lines that are skipped.

    `days` holds the columns of days and moments that are not written as 2024-02-01, and how they are.
    """

    names: tuple[str, ...]
    delimiter: str
    skip: int
    header: bool
    backslash: bool
    days: tuple[tuple[str, str], ...] = field(default=(), compare=False)


def _with_dialects(files: Files, names: Sequence[str]) -> Files:
    """CSV files as they are written, with the columns that some of them lack.

    Left to itself the engine finds the types of columns by their places, and the columns by their names; and it skips
    as many lines of each file as are in front of the names of the first. What is the same in all of them is said to it
    in every statement, as it might find another beginning where it is told the types.
    """
    found: dict[str, _Dialect] = {}
    begun: dict[bytes, _Dialect] = {}
    for name in names:
        # One of those that begin with the same line of names is enough, as far as that can be seen here.
        line, end, _ = (b"", b"", b"") if _COMPRESSION.search(name) else first_bytes(name, 65536).partition(b"\n")
        found[name] = begun[line] if end and line in begun else _dialect(files, name)
        if found[name].header and not found[name].skip and not found[name].backslash:
            begun[line] = found[name]
    if not found:
        return files
    if len(set(found.values())) > 1:
        # The engine will look at each of them by itself: what it skips there, and how it reads days, is to be seen.
        whole = [one for one in files.options if one.startswith("sample_size")]
        found = {name: _dialect(files, name, whole) for name in names}
    first = found[names[0]]
    options = list(files.options)
    for option, values in (
        ("delim", {text_literal(one.delimiter) for one in found.values()}),
        ("skip", {str(one.skip) for one in found.values()}),
        ("header", {str(any(one.header for one in found.values())).lower()}),
    ):
        if len(values) == 1:
            options.append(f"{option} = {values.pop()}")
    files = replace(files, options=options, written=first.names)
    if len(set(found.values())) < 2:
        return files
    ways: dict[str, set[str]] = {}
    for column, way in (each for one in found.values() for each in one.days):
        ways.setdefault(column.lower(), set()).add(way)
    several = {column for column, given in ways.items() if len(given) > 1}
    headers = {
        name: [
            (column, dict(one.days).get(column, "written in another way") if column.lower() in several else "")
            for column in one.names
        ]
        for name, one in found.items()
    }
    return replace(
        files,
        options=[*options, "union_by_name = true"],
        mixed=_mixed(headers, files.partitions),
        alike=_alike(headers),
    )


def _dialect(files: Files, name: str, options: Sequence[str] = ()) -> _Dialect:
    """What the engine finds in the beginning of a CSV file, if it is read as it will be.

    Raises:
        BadData: It would skip lines that are no titles.
    """
    ways = [one for one in files.options if one.startswith(("quote =", "comment =", "encoding ="))]
    path = text_literal(pattern_of(name))
    [(columns, delimiter, skip, header, escape, date, moment)] = files.run(
        "select Columns, Delimiter, SkipRows, HasHeader, Escape, DateFormat, TimestampFormat "
        f"from sniff_csv({', '.join([path, *ways, *options])})"
    )
    names = tuple(str(column["name"]) for column in columns)
    days = tuple(
        (str(column["name"]), f"{kind} ({way})")
        for column in columns
        for kind, way in (("DATE", date), ("TIMESTAMP", moment))
        if str(column["type"]) == kind and way and not str(way).startswith("%Y")
    )
    if _renamed(names):
        given = [*ways, f"delim = {text_literal(delimiter)}", f"skip = {skip}", "header = false", "all_varchar = true"]
        names = tuple(str(one) for one in files.run(f"select * from {_scan(files.reader, [path], given)} limit 1")[0])
    # Elsewhere a quote in quotes is written twice, or there is none, which the engine tells apart.
    dialect = _Dialect(names, str(delimiter), int(skip), bool(header), escape == "\\", days)
    if dialect.skip:
        encoding = [one for one in ways if one.startswith("encoding")]
        _check_titles(files, name, dialect, _scan(files.reader, [path], [*_WHOLE_LINES, *encoding]))
    return dialect


def _check_titles(files: Files, name: str, dialect: _Dialect, lines: str) -> None:
    """The engine skips whatever has not as many fields as the lines below, and says nothing of rows among it.

    Raises:
        BadData: It is no title, but a row, or names of columns.
    """
    columns = {one.lower() for one in dialect.names}
    skipped = files.run(f"select line from {lines} limit {dialect.skip}")
    for number, (line,) in enumerate(skipped, 1):
        fields = [one.strip() for one in next(csv.reader([line or ""], delimiter=dialect.delimiter), [])]
        if not any(fields) or (dialect.header and len(fields) == 1):
            continue
        numbers = all(re.fullmatch(r"[-+.\deE]*", one) for one in fields)
        if numbers or not dialect.header or any(one.lower() in columns for one in fields):
            raise BadData(
                f"{name}: line {dialect.skip + 1} has {len(dialect.names)} fields, and line {number} in front of it, "
                f"which holds others ({line[:60]}), would be skipped: make two files of it, or remove that line"
            )


def _partitions(names: Sequence[str]) -> frozenset[str]:
    """The folded names that the folders of all files give to columns, as the engine reads them off their paths."""
    found = {
        frozenset(
            part.partition("=")[0].lower()
            for part in re.split(r"[/\\]", name)[:-1]
            if re.fullmatch(r"[^=]+=[^=]*", part)
        )
        for name in names
    }
    return found.pop() if len(found) == 1 else frozenset()


def _mixed(
    schemas: dict[str, list[tuple[str, str]]], partitions: frozenset[str]
) -> dict[str, dict[str | None, list[str]]]:
    """By folded column the types that it has in different files, where these are several, with the files of each.

    A partition has one type, whatever a file says in a column of that name: it is read off the paths.
    """
    mixed: dict[str, dict[str | None, list[str]]] = {}
    folded = {file: {name.lower(): kind for name, kind in schema} for file, schema in schemas.items()}
    for column in dict.fromkeys(name for schema in folded.values() for name in schema if name not in partitions):
        kinds: dict[str | None, list[str]] = {}
        for file, schema in folded.items():
            kinds.setdefault(schema.get(column), []).append(file)
        if len(kinds) > 1:
            mixed[column] = kinds
    return mixed


def _renamed(names: Collection[str]) -> bool:
    """Whether the engine may have changed some of its names, because of others that differ from them in case only."""
    folded = {one.lower() for one in names}
    return any(found and found[1].lower() in folded for found in map(_RENAMED.match, names))


def _alike(schemas: dict[str, list[tuple[str, str]]]) -> frozenset[str]:
    """The folded names that several columns of one file have."""
    counts = [Counter(name.lower() for name, _ in schema) for schema in schemas.values()]
    return frozenset(name for one in counts for name, count in one.items() if count > 1)


def _described(files: Files) -> dict[str, str]:
    return {str(row[0]): str(row[1]) for row in files.run(f"describe select * from {files.scan()}")}


def _with_known_types(files: Files) -> Files:
    """The types that were found by reading everything, so that no statement has to find them again."""
    # Moments are written in many ways, which only the engine's own sample of them shows; and a name that it has changed
    # names nothing in the file.
    if any(kind.startswith(_TEMPORAL) for kind in files._in_files().values()) or _renamed(files.columns):
        return files
    options = [one for one in files.options if not one.startswith(("sample_size", "files_to_sniff", "maximum_sample"))]
    known = "types" if files.reader == "read_csv" else "columns"
    pinned = replace(files, options=[*options, f"{known} = {_struct(files._in_files())}"])
    return pinned if _described(pinned) == files.columns else files


def parquet_schemas(files: Files) -> dict[str, list[tuple[str, str]]]:
    """By file the columns as the file itself writes them, with their types."""
    rows = files.run(
        "select file_name, name, num_children, coalesce(duckdb_type, logical_type, converted_type, type) "
        f"from parquet_schema([{', '.join(files.patterns)}])"
    )
    found: dict[str, list[tuple[str, str]]] = {}
    place = 0
    while place < len(rows):
        file, _, count, _ = rows[place]
        place += 1
        columns = []
        for _ in range(count or 0):
            name = rows[place][1]
            kind, place = _schema_type(rows, place)
            columns.append((str(name), kind))
        found[str(file)] = columns
    return found


def _schema_type(rows: Rows, place: int) -> tuple[str, int]:
    """The type that begins in a row, in words, and the row after it; a structure has rows of its own for its parts."""
    _, _, count, kind = rows[place]
    place += 1
    if not count:
        return str(kind).strip('"'), place
    parts = []
    for _ in range(count):
        name = rows[place][1]
        part, place = _schema_type(rows, place)
        parts.append(f"{name} {part}")
    return f"({', '.join(parts)})", place


def _always_fits(kind: str, together: str) -> bool:
    """Whether every value of a type is a value of another."""
    return (
        kind in (together, "NULL")
        or (kind in (*_WHOLE, "BOOLEAN") and together in _WHOLE)
        or (kind in (*_SMALL, "FLOAT", "BOOLEAN") and together == "DOUBLE")
        or (kind == "DATE" and together == "TIMESTAMP")
    )


def _comparable(kind: str, together: str) -> bool:
    """Whether a value of one type means the same in the other: a number is not its text, nor a time its hour here."""

    def family(one: str) -> str:
        if one in (*_WHOLE, "FLOAT", "DOUBLE", "BOOLEAN") or one.startswith("DECIMAL"):
            return "number"
        return "timestamp" if one == "DATE" or re.fullmatch(r"TIMESTAMP(_\w+)?", one) else one

    return family(kind) == family(together)


def _files_of_folder(role: str, folder: str) -> list[str]:
    """The data files in a folder and in the folders below; what is hidden or begins with _ is its writer's own."""
    for name, what in _LAKES.items():
        marks = glob.glob(os.path.join(glob.escape(folder), name, "*.metadata.json")) if name == "metadata" else []
        if marks or (name != "metadata" and os.path.isdir(os.path.join(folder, name))):
            hint = f", as in select * from {_LAKE_READERS[what]}('…')" if what in _LAKE_READERS else ""
            raise BadData(f"{role}: {folder} is {what}, of which not every file counts; read it in a query{hint}")
    found = list(_walk(folder))
    if not found:
        raise BadData(f"{role}: the folder {folder} holds no file of data")
    return found


def _walk(folder: str) -> Iterator[str]:
    for entry in sorted(os.scandir(folder), key=lambda one: one.name):
        if entry.name.startswith(".") or (entry.name.startswith("_") and "=" not in entry.name):
            continue
        if entry.is_dir():
            yield from _walk(entry.path)
        else:
            yield entry.path


def ending_of(path: str) -> str:
    """The ending of a file's name, without that of its compression.

    >>> ending_of("log.CSV.gz")
    '.csv'
    """
    return Path(_COMPRESSION.sub("", path)).suffix.lower()


def _reader(role: str, path: str, where: str) -> str:
    suffix = ending_of(path)
    if suffix in READERS:
        return READERS[suffix]
    if os.path.isfile(path) and first_bytes(path, 4) == b"PAR1":
        return "read_parquet"
    if not os.path.isfile(path) and (not suffix or not re.search(r"[/\\.*]", path)):
        raise BadData(f"{role}: {path!r} is no file{where}; files end in {', '.join(READERS)}")
    raise BadData(f"{role}: {path}: cannot tell the format; files end in {', '.join(READERS)} (and .gz, .zst)")


def _encoding(pattern: str) -> str:
    start = first_bytes(pattern, 2) if os.path.isfile(pattern) else b""
    return "utf-16" if start in (b"\xff\xfe", b"\xfe\xff") else "utf-8"


def first_bytes(path: str, count: int) -> bytes:
    """The start of a file; nothing where it cannot be opened, which the engine will report better."""
    try:
        with open(path, "rb") as file:
            return file.read(count)
    except OSError:
        return b""


def path_text(path: str | PathLike[str]) -> str:
    """A path as text.

    Raises:
        BadData: Its bytes are no UTF-8, and the engine opens no such file.
    """
    text = os.fspath(path)
    if isinstance(text, bytes):
        text = os.fsdecode(text)
    try:
        text.encode()
    except UnicodeEncodeError:
        shown = text.encode(errors="backslashreplace").decode()
        raise BadData(f"the path {shown} is not UTF-8, and DuckDB opens no such file; rename it") from None
    if "\0" in text:
        raise BadData(f"the path {text!r} holds a NUL character")
    return text


def pattern_of(path: str) -> str:
    """A path as the engine's pattern; a file that exists stands for itself, whatever its name holds.

    >>> pattern_of("no/such/[day]*.csv")
    'no/such/[day]*.csv'
    """
    if not glob.has_magic(path) or not os.path.lexists(path):
        return path
    return re.sub(r"([*?[])", r"[\1]", path) if _READS_PATTERNS_ONCE else _linked(path)


#: DuckDB 1 may take a file that a pattern has found for a pattern again, when it copies a plan.
_READS_PATTERNS_ONCE = int(duckdb.__version__.partition(".")[0]) >= 2


@functools.cache
def _link_folder() -> Path:
    """A folder for the length of the process; another process removes it if this one is killed."""
    folder = Path(tempfile.mkdtemp(prefix=f"{FOLDER_PREFIX}{os.getpid()}-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _linked(path: str) -> str:
    """A link to a file under a name that is no pattern, in folders of the same partitions."""
    absolute = Path(os.path.abspath(path))
    partitions = [part for part in absolute.parts[:-1] if "=" in part]
    name = re.sub(r"[*?[]", "_", absolute.name)
    try:
        link = _link_folder().joinpath(hashlib.sha256(os.fsencode(absolute)).hexdigest()[:16], *partitions, name)
        if not link.is_symlink():
            link.parent.mkdir(parents=True, exist_ok=True)
            link.symlink_to(absolute)
    except OSError as error:
        raise BadData(f"{path}: DuckDB {duckdb.__version__} takes the name for a pattern; rename the file") from error
    return str(link)


def _is_guessed(kind: str) -> bool:
    """Whether the engine has made the values of such a type out of texts that may be others."""
    return kind in _NUMBERS_OF_TEXT or kind in _PLAIN_IDS


def _loses_id(column: str, kind: str) -> str:
    """The condition by which an id, read as a value of this type, may become another's."""
    if kind in _PLAIN_IDS:
        return f"not regexp_full_match({quoted_name(column)}, {text_literal(_PLAIN_IDS[kind])})"
    lossy = [_LONG_NUMBER, _PADDED_NUMBER] if kind == "DOUBLE" else [_PADDED_NUMBER]
    return " or ".join(f"regexp_full_match({quoted_name(column)}, {text_literal(one)})" for one in lossy)


def _digits(text: str) -> str:
    """The digits of a number in which it differs from others of the same size."""
    without_power = f"regexp_replace({text}, '[eE].*', '')"
    return f"trim(regexp_replace({without_power}, '[^0-9]', '', 'g'), '0')"


def _bounded(column: str) -> str:
    """A double that no other number shares, as far as its size tells."""
    quoted = quoted_name(column)
    words = text_literal(f"{column} is not told apart from others as a double")
    return f"case when abs({quoted}) >= 9007199254740992 and isfinite({quoted}) then error({words}) else {quoted} end"


def _as(values: Mapping[str, str]) -> str:
    return ", ".join(f"{value} as {quoted_name(one)}" for one, value in values.items())


def _struct(values: dict[str, str]) -> str:
    return "{" + ", ".join(f"{quoted_name(name)}: {text_literal(kind)}" for name, kind in values.items()) + "}"


def _scan(reader: str, patterns: Sequence[str], options: Sequence[str]) -> str:
    files = patterns[0] if len(patterns) == 1 else f"[{', '.join(patterns)}]"
    return f"{reader}({', '.join([files, *options])})"


def retried(run: Callable[P, T]) -> Callable[P, T]:
    """The same call once more, with `sampled=False`, where the sample of a file misled it."""

    @functools.wraps(run)
    def call(*arguments: P.args, **named: P.kwargs) -> T:
        try:
            return run(*arguments, **named)
        except SampleMisled:
            named["sampled"] = False
            return run(*arguments, **named)

    return call
