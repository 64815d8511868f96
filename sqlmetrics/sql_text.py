"""SQL as text: literals and names, and telling one `select` from several statements without an engine's parser."""

from __future__ import annotations

import re

#: By dialect, the quotes between which a backslash takes the next character with it; a name's are not a text's.
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
#: What a query begins with, behind comments and brackets; anything else is the name of a file or a table.
BEGINS_QUERY = re.compile(
    r"(?:\s|--[^\n]*\n|/\*.*?\*/|\()*(?:(?:select|with|from)\s|values\s*\()", re.IGNORECASE | re.DOTALL
)
_FIRST_WORD = re.compile(r"[\s(]*(select|with|from|values)\b", re.IGNORECASE)


def is_single_select(sql: str, dialect: str = "duckdb") -> bool:
    """Whether the text is one statement that only reads.

    DuckDB reads the text itself (and raises `duckdb.Error` where it cannot). For other engines it is cut into strings,
    quoted names, comments and the rest: a semicolon in the rest may only stand at the end.

    >>> is_single_select("select ';' as a -- ; b", "postgres"), is_single_select("select 1; drop table t", "postgres")
    (True, False)
    """
    if dialect == "duckdb":
        import duckdb  # noqa: PLC0415 - only its own statements need it

        statements = duckdb.extract_statements(sql)
        return len(statements) == 1 and statements[0].type == duckdb.StatementType.SELECT
    code = without_texts(sql, dialect)
    return _FIRST_WORD.match(code) is not None and ";" not in code.rstrip().rstrip(";")


def tables_of(sql: str, dialect: str) -> list[str]:
    """The tables without a schema from which a query reads, but for those that are steps of its own.

    >>> tables_of("with t as (select 1 from a) select 'from b' from t join `c` join d.e join f(1)", "clickhouse")
    ['a', 'c']
    """
    code = without_texts(sql, dialect, keeps_names=True)
    own = re.findall(r"(\w+)[`\"]?\s+as\s+(?:not\s+)?(?:materialized\s+)?\(", code, re.IGNORECASE)
    found = re.findall(r"\b(?:from|join)\s+([`\"]?)(\w+)\1(?![\w.(])", code, re.IGNORECASE)
    return [name for _, name in found if name not in own]


def without_texts(sql: str, dialect: str, keeps_names: bool = False) -> str:
    """The text with a blank for each comment, and nothing between the quotes of strings and names.

    What has no end is kept up to the end of the text: the engine refuses it anyway.

    >>> without_texts("select 'it''s' /* why */ from `a;b`", "spark")
    "select ''   from ``"
    """
    kept = []
    place = 0
    while place < len(sql):
        character = sql[place]
        dollar = re.compile(r"\$(?:[^\W\d]\w*)?\$").match(sql, place) if dialect in _DOLLAR else None
        if character in "'\"`":
            escaped = character in _BACKSLASH.get(dialect, "") or (
                # E'…', but not the end of a longer word
                character == "'" and re.search(r"(?<!\w)e\Z", sql[:place], re.IGNORECASE) is not None
            )
            start, place = place, _end_of_quoted(sql, place, escaped)
            kept.append(sql[start:place] if keeps_names and character != "'" else character * 2)
        elif sql.startswith("--", place):
            end = sql.find("\n", place)
            place = len(sql) if end < 0 else end
            kept.append(" ")
        elif sql.startswith("/*", place):
            place = _end_of_comment(sql, place, dialect in _NESTED)
            kept.append(" ")
        elif dollar is not None and not re.match(r"\w", sql[place - 1 : place]):
            end = sql.find(dollar[0], dollar.end())
            place = len(sql) if end < 0 else end + len(dollar[0])
            kept.append("''")
        else:
            kept.append(character)
            place += 1
    return "".join(kept)


def _end_of_quoted(sql: str, start: int, escaped: bool) -> int:
    quote = sql[start]
    place = start + 1
    while place < len(sql):
        if escaped and sql[place] == "\\":
            place += 2
        elif sql[place] != quote:
            place += 1
        elif sql.startswith(quote, place + 1):  # doubled: it stands for itself
            place += 2
        else:
            return place + 1
    return len(sql)


def _end_of_comment(sql: str, start: int, nested: bool) -> int:
    depth, place = 1, start + 2
    while place < len(sql) and depth:
        if nested and sql.startswith("/*", place):
            depth, place = depth + 1, place + 2
        elif sql.startswith("*/", place):
            depth, place = depth - 1, place + 2
        else:
            place += 1
    return place


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
