"""The logs of the benchmarks: made of hashes of the row number, the same rows for any number of threads.

They resemble those of a model in production: few clicks, an AUC of about 0.75, and users and queries of very different
sizes. Each number of a row is the hash of a separate string. DuckDB combines the hashes of two arguments by an
exclusive or, so that numbers from them would differ by a constant.
"""

from __future__ import annotations

from pathlib import Path

import duckdb

#: The mean number of rows per user and of documents per query.
ROWS_PER_GROUP = 20


def _unit(salt: str, i: str = "i") -> str:
    """A number in (0, 1) that depends on the row only."""
    return f"((hash('{salt}:' || {i}) >> 11) + 0.5) / 9007199254740992.0"


def _normal(salt: str) -> str:
    """A normally distributed number, by Box and Muller."""
    return f"sqrt(-2 * ln({_unit(salt)})) * cos(2 * pi() * {_unit(salt + ' angle')})"


#: The log-odds of a click: 3 % of rows are clicked, and the score, which is the true probability, has an AUC of 0.75.
_ODDS = f"-3.87 + 0.95 * {_normal('odds')}"


def click_log(folder: Path, rows: int) -> Path:
    """Impressions with a click, a score, a device and a user, as a number and as a string.

    The index of a user is the square of a uniform number: the first of 500,000 has 14,000 of ten million rows.
    """
    path = folder / f"clicks_{rows}.parquet"
    users = max(rows // ROWS_PER_GROUP, 1)
    with duckdb.connect() as connection:
        connection.execute(
            f"""
            copy (
                select
                    ({_unit("click")} < score)::tinyint as clicked,
                    score,
                    score::float as score_float,
                    round(score, 4) as score_4_digits,
                    ['mobile', 'desktop', 'tablet', 'television', 'watch'][
                        1 + floor(5 * pow({_unit("device")}, 2))::integer
                    ] as device,
                    user_id,
                    'user-' || user_id as user_name
                from (
                    select
                        i,
                        1 / (1 + exp(-({_ODDS}))) as score,
                        floor({users} * pow({_unit("user")}, 2))::integer as user_id
                    from range({rows}) as numbers(i)
                )
            ) to '{path}'
            """
        )
    return path


def ranking_log(folder: Path, rows: int) -> Path:
    """Returned documents with a grade and a score that correlates with it.

    Every query has at least one relevant document, and no ties; the first queries have hundreds of documents, the last
    ones 13.
    """
    path = folder / f"rankings_{rows}.parquet"
    queries = max(rows // ROWS_PER_GROUP, 1)
    query = f"floor({queries} * pow(({{i}}) / {rows}, 1.5))"
    with duckdb.connect() as connection:
        connection.execute(
            f"""
            copy (
                select
                    'q' || query as query_id,
                    'd' || i as document_id,
                    grade,
                    grade + 1.5 * {_normal("noise")} as score
                from (
                    select
                        i,
                        {query.format(i="i")}::integer as query,
                        case
                            when i = 0 or {query.format(i="i")} > {query.format(i="i - 1")} then 1
                            when {_unit("grade")} < 0.8 then 0
                            else 1 + floor(3 * {_unit("grades")})
                        end::integer as grade
                    from range({rows}) as numbers(i)
                )
                order by hash('order:' || i)
            ) to '{path}'
            """
        )
    return path


#: The number of items in lists, and the dimensions of item vectors.
ITEMS, DIMENSIONS = 50_000, 16
#: Relations of the items of `list_log`: name -> query.
KNOWN = {
    "popularity": f"select i as item_id, ceil({ITEMS} / (i + 1.0))::integer as count from range({ITEMS}) as items(i)",
    "item_categories": f"select i as item_id, 'genre ' || i % 20 as category from range({ITEMS}) as items(i) "
    f"union all select i, 'genre ' || (i + 7) % 20 from range({ITEMS}) as items(i) where i % 3 = 0",
    "expected_items": f"select i as item_id from range({ITEMS // 50}) as items(i)",
    "embeddings": f"select i // {DIMENSIONS} as item_id, i % {DIMENSIONS} as dimension, "
    f"{_normal('component')} as value from range({ITEMS * DIMENSIONS}) as components(i)",
}


def list_log(folder: Path, rows: int) -> dict[str, Path]:
    """Lists of twenty items by two models, with a grade and a subject, the history of users, and `KNOWN`.

    Few items are in most lists: the index of an item is the square of a uniform number.
    """
    lists = max(rows // ROWS_PER_GROUP, 1)
    item = f"(i % {ROWS_PER_GROUP} + {ROWS_PER_GROUP} * floor({ITEMS // ROWS_PER_GROUP} * pow({_unit('item')}, 2)))"
    tables = {
        "lists": f"""
            select
                i // {ROWS_PER_GROUP} as list_id,
                {item}::integer as item_id,
                {_unit("model")} as score,
                {_unit("model")} + {_unit("other model")} as other_score,
                floor(4 * pow({_unit("grade")}, 4))::tinyint as grade,
                'subject ' || floor(5 * {_unit("subject")})::integer as subject
            from range({lists * ROWS_PER_GROUP}) as numbers(i)
        """,
        "history": f"""
            select distinct
                i // 10 as list_id,
                floor({ITEMS} * pow({_unit("had")}, 2))::integer as item_id
            from range({lists * 10}) as numbers(i)
        """,
        **KNOWN,
    }
    return written(folder, rows, tables)


#: The relations of the wide log, with items by name: name -> query.
_NAMED = {
    name: f"select 'item ' || item_id as item, known.* exclude (item_id) from ({rows}) as known"
    for name, rows in KNOWN.items()
} | {
    "catalog": f"select 'item ' || i as item from range({ITEMS}) as items(i)",
    "similarity": "select 'item ' || (i % 3000) as item_a, 'item ' || ((i * 7 + i // 3000 + 1) % 3000) as item_b, "
    "0.5 as similarity from range(100000) as pairs(i)",
    "propensities": f"select i + 1 as position, 1 / (i + 1.0) as propensity from range({ROWS_PER_GROUP}) as places(i)",
}


def wide_log(folder: Path, rows: int) -> dict[str, Path]:
    """A log with a column for every role and type of label, and the relations that metrics read.

    Click and score are like those of `click_log`. Each user has twenty rows, spread over the log, with twenty items, at
    least one of them relevant; as 32-bit numbers the scores have the same order. Every class has a probability, and the
    most probable one is predicted.
    """
    users = max(rows // ROWS_PER_GROUP, 1)
    position = f"(i // {users} % {ROWS_PER_GROUP})"
    item = f"({position} + {ROWS_PER_GROUP} * floor({ITEMS // ROWS_PER_GROUP} * pow({_unit('item')}, 2)))"
    tables = {
        "wide": f"""
            select
                i * 7919 % {users} as user_id,
                {position} + 1 as place,
                'item ' || {item}::integer as item,
                'subject ' || floor(5 * {_unit("subject")})::integer as subject,
                'field ' || floor(20 * {_unit("field")})::integer as field,
                score,
                ({ROWS_PER_GROUP} * floor(200000 * {_unit("model")}) + {position})::double as list_score,
                {_unit("other model")} as other_score,
                ({_unit("click")} < score)::tinyint as clicked,
                grade,
                (grade > 0)::tinyint as relevant,
                floor(5 * {_unit("rating")})::tinyint as rating,
                10 * score + noise as amount,
                abs(10 * score + noise) + 0.1 as positive_amount,
                10 * score as forecast,
                10 * score - 1.3 as low,
                10 * score + 1.3 as high,
                bird,
                cat,
                1 - bird - cat as dog,
                case
                    when {_unit("class")} < bird then 'bird'
                    when {_unit("class")} < bird + cat then 'cat'
                    else 'dog'
                end as class,
                case
                    when bird > cat and bird > 1 - bird - cat then 'bird'
                    when cat > 1 - bird - cat then 'cat'
                    else 'dog'
                end as called_class,
                ({_unit("treatment")} < 0.5)::tinyint as treatment,
                ceil(10000 * {_unit("duration")})::integer as duration,
                0.1 + 0.8 * {_unit("propensity")} as propensity,
                0.1 + 0.8 * {_unit("target")} as target,
                {_unit("value of the action")} as q_action,
                {_unit("value of the policy")} as q_policy,
                0.1 * {_unit("price")} as p_price,
                {_unit("survival")} as p_survive,
                ({_unit("won")} < 0.3)::tinyint as won
            from (
                select
                    i,
                    1 / (1 + exp(-({_ODDS}))) as score,
                    {_normal("noise")} as noise,
                    case
                        when {position} > 0 and {_unit("grade")} < 0.8 then 0
                        else 1 + floor(3 * {_unit("grades")})
                    end::tinyint as grade,
                    {_unit("bird")} / ({_unit("bird")} + {_unit("cat")} + {_unit("dog")}) as bird,
                    {_unit("cat")} / ({_unit("bird")} + {_unit("cat")} + {_unit("dog")}) as cat
                from range({rows}) as numbers(i)
            )
        """,
        "history": f"""
            select distinct
                i // 10 as user_id,
                'item ' || floor({ITEMS} * pow({_unit("had")}, 2))::integer as item
            from range({users * 10}) as numbers(i)
        """,
        **_NAMED,
    }
    return written(folder, rows, tables, "wide_")


def written(folder: Path, rows: int, tables: dict[str, str], prefix: str = "") -> dict[str, Path]:
    """The files of some tables, written on first use."""
    paths = {name: folder / f"{prefix}{name}_{rows}.parquet" for name in tables}
    missing = [name for name in tables if not paths[name].exists()]
    if missing:
        with duckdb.connect() as connection:
            for name in missing:
                connection.execute(f"copy ({tables[name]}) to '{paths[name]}'")
    return paths
