"""The logs that are timed: made with a fixed seed, the same rows on every machine and for any number of threads."""

from __future__ import annotations

from pathlib import Path

import duckdb

#: Rows of one user, documents of one query.
ROWS_PER_GROUP = 20
_UNIT = "(hash({i}, {salt!r}) / 18446744073709551616.0)"


def _unit(salt: str, i: str = "i") -> str:
    """A number in [0, 1) that depends on the row and nothing else."""
    return _UNIT.format(i=i, salt=salt)


def click_log(folder: Path, rows: int) -> Path:
    """Impressions with a click, a score, a device and a user, as a number and as text."""
    path = folder / f"clicks_{rows}.parquet"
    users = max(rows // ROWS_PER_GROUP, 1)
    with duckdb.connect() as connection:
        connection.execute(
            f"""
            copy (
                select
                    ({_unit("click")} < 0.02 + 0.1 * {_unit("score")})::tinyint as clicked,
                    {_unit("score")} as score,
                    round({_unit("score")}, 4) as score_4_digits,
                    ['desktop', 'mobile', 'tablet', 'television', 'watch'][1 + (hash(i, 'device') % 5)::integer]
                        as device,
                    (hash(i, 'user') % {users})::integer as user_id,
                    'user-' || (hash(i, 'user') % {users}) as user_name
                from range({rows}) as numbers(i)
            ) to '{path}'
            """
        )
    return path


def ranking_log(folder: Path, rows: int) -> Path:
    """Returned documents with a grade and a score; every query has one relevant document at least, and no ties."""
    path = folder / f"rankings_{rows}.parquet"
    with duckdb.connect() as connection:
        connection.execute(
            f"""
            copy (
                select
                    'q' || (i // {ROWS_PER_GROUP}) as query_id,
                    'd' || i as document_id,
                    case
                        when i % {ROWS_PER_GROUP} = 0 then 1
                        when {_unit("grade")} < 0.8 then 0
                        else 1 + (hash(i, 'grades') % 3)
                    end::integer as grade,
                    {_unit("rank")} as score
                from range({rows}) as numbers(i)
                order by hash(i, 'order')
            ) to '{path}'
            """
        )
    return path
