"""The files of one relation, and how a statement reads their columns without losing a value."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ..column_types import is_number, is_whole
from ..errors import BadData
from ..sql_text import behind_condition, quoted_name, text_literal
from .paths import pattern_of
from .schemas import Run, Schema, collisions, conflicting_types, may_be_renamed, parquet_schemas

#: Whole numbers with so many digits may share a double.
_LONG_NUMBER = r"\s*[-+]?([0-9]{16,}(\.[0-9]*)?|[0-9]*\.[0-9]{17,}[1-9][0-9]*)\s*"
#: A number that may share its double with others: 16 whole digits or 18 in all. Programs write doubles with up to 17.
_MORE_THAN_A_DOUBLE = r"\s*[-+]?(0*[1-9][0-9]{15,}|0*\.0*[1-9][0-9]{17,}|0*[1-9][0-9.]{18,}).*"
#: An id that differs from the text of its number: 007 and 0x7 are not 7.
_PADDED_NUMBER = r"\s*([-+]?0[0-9].*|\+.*|.*[xX_].*)"
#: The formats in which ids are as distinct as values of their type. In other formats two texts may be one value (12:00
#: and 12:00:00, t and true), or the engine guesses which part of 01/02/2024 is the month: such ids stay text.
_MOMENT = r"\d{4}-\d\d-\d\d([ T]\d\d:\d\d(:\d\d(\.\d{1,6})?)?"
_PLAIN_IDS = {
    "BOOLEAN": r"(?i)\s*(true|false)\s*",
    "DATE": r"\s*\d{4}-\d\d-\d\d\s*",
    "TIME": r"\s*\d\d:\d\d:\d\d\s*",
    "TIMESTAMP": rf"\s*{_MOMENT})?\s*",
    "TIMESTAMP WITH TIME ZONE": rf"\s*{_MOMENT} ?(Z|[-+]\d\d(:?\d\d)?))\s*",
    "UUID": r"[0-9a-f-]*",
}
_NUMBERS_OF_TEXT = ("BIGINT", "UBIGINT", "HUGEINT", "DOUBLE")
_SMALL = ("TINYINT", "SMALLINT", "INTEGER", "UTINYINT", "USMALLINT", "UINTEGER")


@dataclass(frozen=True)
class Files:
    """The files of one relation and how to read them.

    `types` are the types of columns that every statement reads without detecting them; empty if it detects them.
    `columns` maps the engine's names to types. `mixed` maps a folded column to its types in different files, each with
    its files; None means the files that lack the column.
    `written` holds the column names of the first CSV file before the engine changed them.
    `partitions` holds the folded names of columns that folders define (`day=2024-01-01`).
    """

    reader: str
    patterns: Sequence[str]
    run: Run
    options: Sequence[str] = ()
    types: Mapping[str, str] = field(default_factory=dict)
    columns: dict[str, str] = field(default_factory=dict)
    mixed: dict[str, dict[str | None, list[str]]] = field(default_factory=dict)
    partitions: frozenset[str] = frozenset()
    written: tuple[str, ...] = ()

    @property
    def is_text(self) -> bool:
        """Whether every reading parses text."""
        return self.reader != "read_parquet"

    def matched_by_name(self, schemas: dict[str, Schema]) -> Files:
        """Match the columns of different files by name."""
        for file, schema in schemas.items():
            names = [name for name, _ in schema]
            twice = next(iter(collisions(names)), None)
            if twice is not None:
                raise BadData(
                    f"{file} has several columns called {twice!r} in upper or lower case, and files with different "
                    "columns are matched by their names in any case: rename one of them"
                )
        options = [*self.options, "union_by_name = true"]
        return replace(self, options=options, mixed=conflicting_types(schemas, self.partitions))

    def scan(self, types: Mapping[str, str] | None = None, *options: str) -> str:
        """Return the table function over the files; `types` are others than those of the files."""
        types = self.types if types is None else types
        typed = [f"{self._types_option} = {struct_literal(types)}"] if types else []
        return scan_of(self.reader, self.patterns, [*self.options, *typed, *options])

    @property
    def _types_option(self) -> str:
        return "columns" if self.reader == "read_json" else "types"

    def text_ids(self, ids: Collection[str]) -> list[str]:
        """Return the id columns that must stay text, because different ids would be the same number."""
        if not self.is_text:
            return []
        lossy = {column: _loses_id(column, self.columns[column]) for column in ids if column in self.in_files()}
        return [
            column
            for column, condition in lossy.items()
            if condition and self.run(f"select 1 from {self._as_text(column)} where {condition} limit 1")
        ]

    def texts_written(self, columns: Collection[str]) -> list[str]:
        """Return numeric or boolean columns in which a file writes one value in two ways, except signs of zeros."""
        return [
            column
            for column in columns
            if self.reader == "read_csv"
            and self.in_files().get(column) in ("DOUBLE", "BOOLEAN")
            and self.run(
                f"select 1 from {self._as_text(column, 'filename = true')} "
                f"group by filename, try_cast({quoted_name(column)} as {self.columns[column]}) "
                f"having count(distinct regexp_replace({quoted_name(column)}, '^-(0(\\.0)?)$', '\\1')) > 1 limit 1"
            )
        ]

    def blurred(self, columns: Collection[str]) -> str | None:
        """Return a column in which two different numbers of the files become the same double."""
        if not self.is_text:
            return None
        for column in columns:
            if self.in_files().get(column) != "DOUBLE":
                continue
            quoted, text = quoted_name(column), self._as_text(column)
            double = f"try_cast({quoted} as double)"
            shown = _significant_digits(f"cast({double} as varchar)")
            long = f"regexp_full_match({quoted}, {text_literal(_MORE_THAN_A_DOUBLE)})"
            digits = _significant_digits(quoted)
            if self.run(f"select 1 from {text} where {long} and {digits} <> {shown} limit 1") and self.run(
                f"select 1 from {text} group by {double} having count(distinct {digits}) > 1 limit 1"
            ):
                return column
        return None

    def as_decimals(self, column: str) -> str:
        """Return a query that reads a column with all its digits."""
        types = struct_literal({column: "decimal(38, 10)"})
        return f"select * from {self.reader}('…', {self._types_option} = {types})"

    def relation(
        self, read: Collection[str], name: str, texts: Collection[str] = (), computed: Collection[str] = ()
    ) -> str:
        """Return the relation for a statement that reads these columns.

        The ids in `texts` stay text: different ids could be the same number. `computed` are scores and the columns of
        expressions.
        """
        if not self.is_text:
            return self.scan()
        shown, as_text = {}, {}
        for column in read:
            quoted, dtype = quoted_name(column), self.in_files().get(column)
            if column in texts and dtype is not None:
                shown[column], as_text[column] = quoted, "VARCHAR"
            elif self.reader == "read_csv" and (column in computed or dtype == "BOOLEAN"):
                # DuckDB 2 pushes casts into `read_csv`, but not through a condition. With `ts::date` it would read the
                # date in the text, which may not be the one in UTC, and with `b::double` it would reject `true`.
                shown[column] = behind_condition(quoted)
        if not shown:
            return self.scan()
        types = self.types
        if self.reader == "read_json":
            types = {column: dtype for column, dtype in self.in_files().items() if column in read}
        scan = self.scan({**types, **as_text})
        replaced = ", ".join(f"{value} as {quoted_name(column)}" for column, value in shown.items())
        return f"(select * replace ({replaced}) from {scan}) as {name}"

    def in_files(self) -> dict[str, str]:
        """Return the columns that the files themselves hold, without those of their folders.

        The engine converts only values of folders that it would write in the same way, so they need no reading as text.
        """
        return {name: dtype for name, dtype in self.columns.items() if name.lower() not in self.partitions}

    def _as_text(self, column: str, *options: str) -> str:
        # The engine would detect the other types of a CSV file again from ten files.
        others = {} if self.reader == "read_json" else self.types
        return self.scan({**others, column: "VARCHAR"}, *options)

    def original_names(self) -> list[str]:
        """Return the column names of the first file if the engine may have changed some."""
        if self.mixed or not may_be_renamed(self.columns):
            return []
        if self.reader == "read_parquet":
            schemas = parquet_schemas(self.run, self.patterns)
            return [name for name, _ in next(iter(schemas.values()))]
        if self.reader == "read_csv":
            return list(self.written)
        objects = self.run(f"select json_keys(json) from read_json_objects([{', '.join(self.patterns)}])")
        return list(dict.fromkeys(str(name) for (names,) in objects for name in names or []))

    def lacks_names(self) -> bool:
        """Whether no line of a CSV file was read as that of the names, or another delimiter was detected."""
        return self.reader == "read_csv" and all(re.search(r"^column\d+$|[,;\t|]", name) for name in self.columns)

    def paths(self) -> list[str]:
        """List the files that match the patterns."""
        return [str(path) for (path,) in self.run(f"select file from glob([{', '.join(self.patterns)}])")]

    def check(self, column: str, role: str) -> None:
        """Check that all files have a column, and that their common type holds every value."""
        types = self.mixed.get(column.lower())
        if types is None:
            return
        absent = types.get(None)
        present = [(dtype, files) for dtype, files in types.items() if dtype is not None]
        if absent:
            raise BadData(f"{role}: column {column!r} is in {present[0][1][0]} and not in {absent[0]}")
        target = self.columns[column]
        for dtype, files in present:
            if not _always_fits(dtype, target) and self._loses_values(column, dtype, files, target):
                others = [other for other in present if other[0] != dtype]
                dtype_2, files_2 = next((other for other in others if not _is_comparable(dtype, other[0])), others[0])
                raise BadData(
                    f"{role}: column {column!r} is {dtype} in {files[0]} and {dtype_2} in {files_2[0]}, and no type "
                    "holds the values of both; give them one type in a query"
                )

    def _loses_values(self, column: str, dtype: str, files: Sequence[str], target: str) -> bool:
        if not _is_comparable(dtype, target):
            changed = f"{quoted_name(column)} is not null"
        else:
            value = quoted_name(column)
            converted = f"try_cast({value} as {target})"
            changed = f"{value} is distinct from try_cast({converted} as {dtype})"
            if target == "FLOAT":  # the decimal 0.1 survives the round trip, but is another number in four bytes
                changed += f" or cast({value} as double) is distinct from cast({converted} as double)"
        others = replace(self, patterns=[text_literal(pattern_of(file)) for file in files])
        return bool(self.run(f"select 1 from {others.scan()} where {changed} limit 1"))


def _always_fits(dtype: str, target: str) -> bool:
    """Whether the target type holds every value of a type."""
    return (
        dtype in (target, "NULL")
        or ((is_whole(dtype) or dtype == "BOOLEAN") and is_whole(target))
        or (dtype in (*_SMALL, "FLOAT", "BOOLEAN") and target == "DOUBLE")
        or (dtype == "DATE" and target == "TIMESTAMP")
    )


def _is_comparable(dtype: str, target: str) -> bool:
    """Whether values keep their meaning in the target type; numbers and texts do not mix, nor do times with zones."""

    def type_category(name: str) -> str:
        if is_number(name) or name == "BOOLEAN":
            return "number"
        return "timestamp" if name == "DATE" or re.fullmatch(r"TIMESTAMP(_\w+)?", name) else name

    return type_category(dtype) == type_category(target)


def _loses_id(column: str, dtype: str) -> str:
    """Return the condition under which an id may equal another id when read as this type; empty if none may."""
    if dtype in _PLAIN_IDS:
        return f"not regexp_full_match({quoted_name(column)}, {text_literal(_PLAIN_IDS[dtype])})"
    if dtype not in _NUMBERS_OF_TEXT:
        return ""
    lossy = [_LONG_NUMBER, _PADDED_NUMBER] if dtype == "DOUBLE" else [_PADDED_NUMBER]
    return " or ".join(f"regexp_full_match({quoted_name(column)}, {text_literal(pattern)})" for pattern in lossy)


def _significant_digits(text: str) -> str:
    """Return the significant digits of a number, without sign, exponent and zeros at the ends."""
    without_power = f"regexp_replace({text}, '[eE].*', '')"
    return f"trim(regexp_replace({without_power}, '[^0-9]', '', 'g'), '0')"


def struct_literal(values: Mapping[str, str]) -> str:
    """Return names and texts as an SQL struct."""
    return "{" + ", ".join(f"{quoted_name(name)}: {text_literal(dtype)}" for name, dtype in values.items()) + "}"


def scan_of(reader: str, patterns: Sequence[str], options: Sequence[str]) -> str:
    """Return the table function over files."""
    files = patterns[0] if len(patterns) == 1 else f"[{', '.join(patterns)}]"
    return f"{reader}({', '.join([files, *options])})"
