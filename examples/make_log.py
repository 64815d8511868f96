"""Make `impressions.parquet`: a week of impressions of a small shop, with the scores of two click models.

Users click according to their own taste, the place on the page and the device. `pctr_a` knows all but the noise and
is calibrated on phones only; `pctr_b` does not know the users, and predicts too much everywhere.

    python examples/make_log.py
"""

from __future__ import annotations

from pathlib import Path

import duckdb

TARGET = Path(__file__).parent / "impressions.parquet"

#: Numbers from 0 to 1 by name and place, the same on every machine: random() with a seed is not, once there is more
#: than one thread. Those of two names have nothing to do with each other. Those of hash() have, which takes the
#: exclusive or of its arguments' hashes: hash(i, 'click') follows from hash(i, 'noise'). Another letter than b makes
#: another log.
UNIFORM = "create macro uniform(name, place) as md5_number_lower('b ' || name || ' ' || place) / 18446744073709551616.0"

SQL = """
with
numbers as (
    select
        i,
        -- a few users come often, most of them seldom
        floor(700 * pow(uniform('user', i // 8), 2))::integer as user_number,
        uniform('noise', i) as noise,
        uniform('click', i) as dice,
        uniform('model', i) as model_noise
    from range(24000) as t(i)
),
impressions as (
    select
        i,
        'u' || lpad(user_number::varchar, 4, '0') as user_id,
        'session-' || (i // 8) as session_id,
        1 + i % 8 as position,
        'item-' || floor(300 * uniform('item', i))::integer as item_id,
        ['mobile', 'mobile', 'mobile', 'desktop', 'desktop', 'tablet'][
            1 + floor(6 * uniform('device', i // 8))::integer
        ] as device,
        date '2026-03-02' + (i * 7 // 24000)::integer as day,
        uniform('taste', user_number) as taste,
        noise,
        dice,
        model_noise
    from numbers
),
truth as (
    select
        *,
        -5 + 2.4 * taste + 2 * noise - 0.18 * (position - 1)
            + case device when 'mobile' then 0.3 when 'tablet' then -0.4 else 0 end as logit
    from impressions
)
select
    day,
    session_id,
    user_id,
    item_id,
    position::tinyint as position,
    -- the tablet app logs no device
    nullif(device, 'tablet') as device,
    (dice < 1 / (1 + exp(-logit)))::tinyint as clicked,
    round(1 / (1 + exp(-(logit + 0.5 * (model_noise - 0.5) + case device when 'mobile' then 0 else 0.3 end))), 5)
        as pctr_a,
    round(1 / (1 + exp(-(logit - 2.4 * taste + 1.6 + 0.8 * (model_noise - 0.5)))), 5) as pctr_b
from truth
order by i
"""


def make_log(con: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyRelation:
    con.execute(UNIFORM)
    return con.sql(SQL)


def main() -> None:
    with duckdb.connect() as con:
        make_log(con).write_parquet(str(TARGET), compression="zstd")


if __name__ == "__main__":
    main()
