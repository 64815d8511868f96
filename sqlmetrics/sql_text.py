"""SQL as text: write literals and names, and recognize a single `select` without an engine's parser."""

from __future__ import annotations

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
    parts = []
    position = 0
    while position < len(sql):
        character = sql[position]
        dollar = re.compile(r"\$(?:[^\W\d]\w*)?\$").match(sql, position) if dialect in _DOLLAR else None
        if character in "'\"`":
            escaped = character in _BACKSLASH.get(dialect, "") or (
                # E'…', where E is not the end of a longer word
                character == "'" and re.search(r"(?<!\w)e\Z", sql[:position], re.IGNORECASE) is not None
            )
            start, position = position, _end_of_quoted(sql, position, escaped)
            parts.append(sql[start:position] if keeps_names and character != "'" else character * 2)
        elif sql.startswith("--", position):
            end = sql.find("\n", position)
            position = len(sql) if end < 0 else end
            parts.append(" ")
        elif sql.startswith("/*", position):
            position = _end_of_comment(sql, position, dialect in _NESTED)
            parts.append(" ")
        elif dollar is not None and not re.match(r"\w", sql[position - 1 : position]):
            end = sql.find(dollar[0], dollar.end())
            position = len(sql) if end < 0 else end + len(dollar[0])
            parts.append("''")
        else:
            parts.append(character)
            position += 1
    return "".join(parts)


def _end_of_quoted(sql: str, start: int, escaped: bool) -> int:
    quote, escape = sql[start], r"\\.|" if escaped else ""
    # A doubled quote is an escaped quote.
    quoted = re.compile(rf"{quote}(?:{escape}{quote}{quote}|[^{quote}])*{quote}?", re.DOTALL).match(sql, start)
    return len(sql) if quoted is None else quoted.end()


def _end_of_comment(sql: str, start: int, nested: bool) -> int:
    depth, position = 1, start + 2
    while position < len(sql) and depth:
        if nested and sql.startswith("/*", position):
            depth, position = depth + 1, position + 2
        elif sql.startswith("*/", position):
            depth, position = depth - 1, position + 2
        else:
            position += 1
    return position


def text_literal(text: str) -> str:
    """`text` as an SQL string.

    >>> text_literal("it's")
    "'it''s'"
    """
    return "'" + text.replace("'", "''") + "'"


def quoted_name(name: str) -> str:
    """A name as SQL in quotes.

    >>> quoted_name('a "b"')
    '"a ""b\"""'
    """
    return '"' + name.replace('"', '""') + '"'
