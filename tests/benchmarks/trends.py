"""How soon the tests of trends and drift detect a decaying model, and how often they raise false alarms.

`python -m tests.benchmarks.trends` simulates months of a click log, calls the macros behind the dbt tests
(`metric_trend`, `drift`), and writes the table of `sql/README.md`. From day 20 on, the AUC of one of three devices is
lower by 0.05: in some months the scores are as widely spread as before, in others they are noisier.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
from sklearn import metrics as sk

from tests.statistics.test_states import States

_PAGE = Path(__file__).parent.parent.parent / "sql" / "README.md"
_MARKS = ("<!-- trends: written by tests.benchmarks.trends -->\n", "<!-- trends end -->")
DAYS, DECAY, FIRST = 30, 20, 15
DEVICES = ("desktop", "phone", "tablet")
ROWS, USERS, TOGETHER = 2_000, 3_000, 20
STEADY, PLANTED = 200, 60
FALL = 0.05


def drawn(rng: np.random.Generator, rows: int) -> tuple[np.ndarray, np.ndarray]:
    """The signal of each row for a model, and the log-odds of a click."""
    signal = rng.normal(size=rows)
    return signal, -0.9 + signal


def remaining_signal() -> float:
    """The share of the signal in a score whose AUC is lower by FALL, computed on a million rows."""
    rng = np.random.default_rng(1)
    signal, logit = drawn(rng, 1_000_000)
    clicked = rng.random(len(signal)) < 1 / (1 + np.exp(-(logit + rng.normal(0, 0.4, len(signal)))))
    noise = rng.normal(size=len(signal))
    goal = sk.roc_auc_score(clicked, signal) - FALL
    low, high = 0.0, 1.0
    for _ in range(20):
        middle = (low + high) / 2
        worse = sk.roc_auc_score(clicked, middle * signal + np.sqrt(1 - middle**2) * noise) < goal
        low, high = (middle, high) if worse else (low, middle)
    return high


def months(rng: np.random.Generator, numbers: range, scenario: str, remaining: float) -> pd.DataFrame:
    """The logs of some months, of DEVICES with ROWS a day."""
    count = len(numbers) * DAYS * len(DEVICES) * ROWS
    index = np.arange(count) // ROWS
    device, day, month = index % len(DEVICES), index // len(DEVICES) % DAYS + 1, index // (len(DEVICES) * DAYS)
    user = (month * len(DEVICES) + device) * USERS + rng.integers(0, USERS, count)
    signal, logit = drawn(rng, count)
    taste = rng.normal(0, 0.4, len(numbers) * len(DEVICES) * USERS)[user]
    clicked = rng.random(count) < 1 / (1 + np.exp(-(logit + taste)))
    score = signal
    if scenario != "steady":
        noise = rng.normal(size=count)
        worse = remaining * signal + np.sqrt(1 - remaining**2) * noise
        score = np.where(
            (day >= DECAY) & (device == 1), worse if scenario == "reordered" else worse / remaining, signal
        )
    return pd.DataFrame({
        "month": month + numbers.start, "day": day, "device": np.array(DEVICES)[device], "user_id": user,
        "clicked": clicked.astype(float), "pctr": 1 / (1 + np.exp(-(-0.9 + score))),
    })  # fmt: skip


def flags(con: duckdb.DuckDBPyConnection, macros: States) -> pd.DataFrame:
    """For each month, device and day from FIRST on, the tests that fire."""
    columns: dict[str, Any] = {"label": "clicked", "score": "pctr"}
    by = ["month", "device"]
    result = None
    for name, more in {
        "not_falling": {},
        "not_falling_sure": {"confidence": 0.99, "cluster": "user_id"},
    }.items():
        text = macros.metric_trend("log", "auc", time="day", trailing=14, by=by, **columns, **more)
        trend = con.sql(f"select month, device, day, falling as {name} from (\n{text}\n) where day >= {FIRST}").df()
        result = trend if result is None else result.merge(trend, on=["month", "device", "day"], validate="1:1")
    con.execute(f"create or replace table scores as\n{macros.score_state('log', bins=100, by=[*by, 'day'], **columns)}")
    drifts = []
    for day in range(FIRST, DAYS + 1):
        before = f"day < {day} and day >= {day} - 14"
        parts = {"current": f"day = {day}", "reference": before, "weight": "= positives + negatives"}
        drift = con.sql(macros.drift("scores", "score_key", **parts, by=by)).df()
        drifts.append(drift.assign(day=day))
    drift = pd.concat(drifts)
    drift = drift.assign(psi=drift["psi"] > 0.2, ks_distance=drift["ks_distance"] > 0.1)
    names = ["month", "device", "day", "psi", "ks_distance"]
    assert result is not None
    return result.merge(drift[names], on=names[:3], validate="1:1")


TESTS: dict[str, str] = {
    "not_falling": "`metric_not_falling`: auc",
    "not_falling_sure": "the same, `confidence: 0.99, cluster: user_id`",
    "ks_distance": "`drift_below` of a state, `distance: ks_distance, max_value: 0.1`",
    "psi": "`drift_below` of a state, `distance: psi, max_value: 0.2`",
}


def simulated(scenario: str, count: int, remaining: float) -> pd.DataFrame:
    """The flags of `count` months of a scenario."""
    rng = np.random.default_rng([7, ["steady", "reordered", "noisier"].index(scenario)])
    macros = States()
    parts = []
    for start in range(0, count, TOGETHER):
        with duckdb.connect() as con:
            con.register("frame", months(rng, range(start, min(start + TOGETHER, count)), scenario, remaining))
            con.execute("create table log as from frame")
            parts.append(flags(con, macros))
            print(scenario, start + TOGETHER, flush=True)
    return pd.concat(parts)


def table(flags_by_scenario: dict[str, pd.DataFrame]) -> list[str]:
    """The rows of the page."""
    lines = [
        "| test | fires on day 20 | by day 21 | by day 23 | scores noisier: on day 20 | by day 21 | "
        "no decay: slices that fire, a day | months with any |",
        "|---|---|---|---|---|---|---|---|",
    ]
    share: Callable[[Any], str] = lambda part: f"{100 * float(part):.3g} %"  # noqa: E731
    for name, description in TESTS.items():
        cells = []
        for scenario, ends in (("reordered", (20, 21, 23)), ("noisier", (20, 21))):
            rows = flags_by_scenario[scenario]
            decayed = rows[(rows["device"] == "phone") & (rows["day"] >= DECAY)]
            for end in ends:
                seen = decayed[decayed["day"] <= end].groupby("month")[name].any()
                cells.append(share(seen.mean()))
        steady = flags_by_scenario["steady"]
        cells += [share(steady[name].mean()), share(steady.groupby("month")[name].any().mean())]
        lines.append(f"| {description} | {' | '.join(cells)} |")
    return lines


def main() -> None:
    """Simulate, and write the table."""
    remaining = remaining_signal()
    counts = {"reordered": PLANTED, "noisier": PLANTED, "steady": STEADY}
    flags_by_scenario = {scenario: simulated(scenario, count, remaining) for scenario, count in counts.items()}
    text = _PAGE.read_text(encoding="utf-8")
    before, mark, rest = text.partition(_MARKS[0])
    _, end, after = rest.partition(_MARKS[1])
    assert mark
    assert end
    lines = "\n".join(table(flags_by_scenario))
    print(lines)
    _PAGE.write_text(f"{before}{mark}{lines}\n{end}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
