"""SQL as text: write literals and names, and recognize a single `select` without an engine's parser."""

from __future__ import annotations

import functools
import re

#: By dialect, the quotes inside which a backslash escapes the next character.
_BACKSLASH = {
    "spark": "'\"",
    "databricks": "'\"",
    "clickhouse": "'\"`",
    "bigquery": "'\"`",
    "snowflake": "'",
    "redshift": "'",
}
#: Dialects with PostgreSQL's $tag$ strings; there too comments nest, and E'…' strings have backslashes.
_DOLLAR = ("postgres", "redshift", "snowflake", "clickhouse")
_NESTED = ("postgres", "spark", "databricks", "redshift", "clickhouse")
#: The start of a query, after comments and brackets; any other text names a file or a table.
BEGINS_QUERY = re.compile(
    r"(?:\s|--[^\n]*\n|/\*.*?\*/|\()*(?:(?:select|with|from)\s|values\s*\()", re.IGNORECASE | re.DOTALL
)
_FIRST_WORD = re.compile(r"[\s(]*(select|with|from|values)\b", re.IGNORECASE)


def is_single_select(sql: str, dialect: str = "duckdb") -> bool:
    """Whether the text is a single statement that only reads.

    DuckDB parses the text itself and raises `duckdb.Error` for invalid SQL. For other engines, strings, names and
    comments are removed first; a semicolon may then only be at the end.

    >>> is_single_select("select ';' as a -- ; b", "postgres"), is_single_select("select 1; drop table t", "postgres")
    (True, False)
    """
    if dialect in _PARSERS:
        return _PARSERS[dialect](sql)
    code = without_texts(sql, dialect)
    return _FIRST_WORD.match(code) is not None and ";" not in code.rstrip().rstrip(";")


def _is_select_of_duckdb(sql: str) -> bool:
    import duckdb  # noqa: PLC0415 - only its own statements need it

    statements = duckdb.extract_statements(sql)
    return len(statements) == 1 and statements[0].type == duckdb.StatementType.SELECT


#: The dialects whose own parser decides.
_PARSERS = {"duckdb": _is_select_of_duckdb}


def tables_of(sql: str, dialect: str) -> list[str]:
    """The tables without a schema that a query reads; its own steps (CTEs) do not count.

    >>> tables_of("with t as (select 1 from a) select 'from b' from t join `c` join d.e join f(1)", "clickhouse")
    ['a', 'c']
    """
    code = without_texts(sql, dialect, keeps_names=True)
    steps = re.findall(r"(\w+)[`\"]?\s+as\s+(?:not\s+)?(?:materialized\s+)?\(", code, re.IGNORECASE)
    tables = re.findall(r"\b(?:from|join)\s+([`\"]?)(\w+)\1(?![\w.(])", code, re.IGNORECASE)
    return [name for _, name in tables if name not in steps]


def without_texts(sql: str, dialect: str, keeps_names: bool = False) -> str:
    """Replace each comment with a blank, and empty the quotes of strings and names.

    An unterminated string or comment extends to the end of the text; the engine rejects it anyway.

    >>> without_texts("select 'it''s' /* why */ from `a;b`", "spark")
    "select ''   from ``"
    """
    texts, parts, position = _pattern_of_texts(dialect), [], 0
    while match := texts.search(sql, position):
        parts.append(sql[position : match.start()])
        position, first = match.end(), match[0][0]
        if first in "-/":
            position = _end_of_nested_comment(sql, match.start()) if match[0] == "/*" else position
            parts.append(" ")
        elif keeps_names and first in '"`':
            parts.append(match[0])
        else:
            parts.append("''" if first == "$" else first * 2)
    return "".join([*parts, sql[position:]])


@functools.cache
def _pattern_of_texts(dialect: str) -> re.Pattern[str]:
    """Match strings, names in quotes, comments, and the start of comments that may hold others."""
    patterns = [r"(?<=\b[eE])'(?:\\.|''|[^'])*'?", r"--[^\n]*"]
    for quote in "'\"`":
        escape = r"\\.|" if quote in _BACKSLASH.get(dialect, "") else ""
        patterns.append(rf"{quote}(?:{escape}{quote}{quote}|[^{quote}])*{quote}?")
    patterns.append(r"/\*" if dialect in _NESTED else r"/\*.*?(?:\*/|\Z)")
    if dialect in _DOLLAR:
        patterns.append(r"(?<!\w)(\$(?:[^\W\d]\w*)?\$).*?(?:\1|\Z)")
    return re.compile("|".join(patterns), re.DOTALL)


def _end_of_nested_comment(sql: str, start: int) -> int:
    depth = 0
    for mark in re.compile(r"/\*|\*/").finditer(sql, start):
        depth += 1 if mark[0] == "/*" else -1
        if depth == 0:
            return mark.end()
    return len(sql)


def text_literal(text: str) -> str:
    """`text` as an SQL string.

    >>> text_literal("it's")
    "'it''s'"
    """
    return "'" + text.replace("'", "''") + "'"


def behind_condition(column: str, value: str | None = None) -> str:
    """A column, or its value, through which DuckDB pushes no cast and does not conclude from statistics."""
    return f"case when {column} is not null then {value or column} end"


def quoted_name(name: str) -> str:
    """A name as SQL in quotes.

    >>> quoted_name('a "b"')
    '"a ""b\"""'
    """
    return '"' + name.replace('"', '""') + '"'
