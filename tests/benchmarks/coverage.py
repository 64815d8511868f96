"""The coverage of intervals: `python -m tests.benchmarks.coverage [--users N …] [--logs N …] [--metrics M …]`.

Logs are drawn from one distribution, with user effects that no model knows. Each log is a slice of one table, so that
one call computes the intervals of many logs. The true value of a metric is its value over one huge log of the same
distribution. Models are compared too: with an equivalent model (by symmetry, for any metric), and with a worse one.

The figures of all metrics go to `coverage.json`, the page and the picture. With `--metrics` they are only printed, or
with `--add` merged into the existing figures. The same seed gives the same figures for any batch size.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
import warnings
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa

import sqlmetrics
from sqlmetrics.authoring.describe import describe_interval
from sqlmetrics.catalogue.model import Metric
from sqlmetrics.catalogue.registry import builtin_catalogue
from tests.data import CLASS_SCORES, QUANTILES
from tests.variants import base_parameters, data_types_of

from .coverage_page import FIGURES, PICTURED, table, write

CONFIDENCE = 0.95
#: Users per log -> number of logs.
LOGS = {100: 1000, 500: 1000, 5000: 40}
#: Users per log -> the number of these logs with intervals from twenty buckets, for values and for comparisons: with
#: 5,000 users, a log takes a minute.
LOGS_OF_BUCKETS = {100: (1000, 1000), 500: (1000, 1000), 5000: (0, 0)}
TRUTH_USERS = 500_000
#: Rows that are drawn and evaluated per call.
ROWS_AT_ONCE = 400_000
ROWS_PER_USER = 20
ITEMS = 1009
CUT = 3
PICTURE_LOGS = 40

#: The columns of each type of data by role.
CLICKS = {
    "label": "clicked",
    "score": "model",
    "group": "session_id",
    "field": "campaign",
    "treatment": "treated",
    "duration": "lasted",
}
ROLES = {
    "labels": CLICKS,
    "numbers": {"label": "amount", "score": "amount_model"},
    "amounts": {"label": "amount", "score": "amount_model"},
    "counts": {"label": "amount", "score": "amount_model"},
    "positive numbers": {"label": "amount", "score": "amount_model"},
    "classes": {"label": "class", "prediction": "called"},
    "class scores": {"label": "class"},
    "forecasts": {"label": "amount", "lower_bound": "low", "upper_bound": "high"},
    "ratings": {"label": "grade", "group": "session_id"},
    "rated classes": {"label": "class", "group": "session_id"},
    "grades": {"label": "grade", "score": "model", "group": "session_id", "propensity": "propensity"},
    "subtopics": {"label": "clicked", "score": "model", "group": "session_id", "item": "item", "subtopic": "campaign"},
    "lists": {"label": "grade", "score": "model", "group": "session_id", "item": "item"},
    "bids": {"p_price": "mass", "p_survive": "tail", "won": "won"},
    "slates": {name: name for name in ("reward", "propensity", "target")} | {"group": "session_id", "rank": "place"},
    "logged actions": {name: name for name in ("reward", "propensity", "target", "q_action", "q_policy")},
}
#: Other models -> the suffix of their scores: an equivalent model and a worse one.
MODELS = {"twin": "_twin", "worse": "_worse"}

Columns = dict[str, np.ndarray[Any, Any]]


def _logistic(logit: Any) -> Any:
    return 1 / (1 + np.exp(-logit))


def draw(seed: Sequence[int], users: int, log: int = 0, first_user: int = 0) -> Columns:
    """A log: users with about twenty rows each, skewed, in sessions of seven, and effects that no model knows."""
    rng = np.random.default_rng([*seed, users, log])
    per_user = 1 + rng.poisson(rng.gamma(1.5, (ROWS_PER_USER - 1) / 1.5, users))
    rows = int(per_user.sum())
    user = np.repeat(np.arange(users), per_user)
    position = np.arange(rows) - np.repeat(np.cumsum(per_user) - per_user, per_user)
    in_session = position % 7

    def of_user(*more: int) -> Any:
        return rng.normal(size=(users, *more))[user]

    predictable = -0.3 + 0.6 * of_user() + 0.8 * rng.normal(size=rows) - 0.15 * in_session
    campaign = rng.integers(0, 5, rows)
    unpredictable = 0.8 * of_user() + 0.2 * (campaign - 2)
    latent = predictable + unpredictable + rng.logistic(size=rows)
    columns: Columns = {
        "log": np.full(rows, log, dtype=np.int32),
        "user_id": (first_user + user).astype(np.int32),
        "session_id": ((first_user + user) * 100 + position // 7).astype(np.int64),
        "campaign": campaign.astype(np.int8),
        "clicked": (latent > 0).astype(np.int8),
        "grade": np.sum([latent > cut for cut in (0.3, 1.5, 2.7)], axis=0).astype(np.int8),
        "amount": np.exp(0.3 * (predictable + unpredictable) + 0.3 * rng.normal(size=rows)).astype(np.float64),
    }
    # Each model has its own errors, by user and by row. The errors of the twin have the same distribution.
    for suffix, slope, error in [("", 1, 0.35), ("_twin", 1, 0.35), ("_worse", 0.8, 0.7)]:
        seen = slope * predictable + error * (of_user() + rng.normal(size=rows))
        columns["model" + suffix] = np.clip(_logistic(seen).round(3), 0.001, 0.999)
        columns["amount_model" + suffix] = np.exp(0.3 * seen + 0.1)
    likings = rng.normal(size=(rows, 3))
    columns["class"] = np.argmax(likings + 0.7 * of_user(3) + rng.gumbel(size=(rows, 3)), axis=1).astype(np.int8)
    columns["called"] = np.argmax(likings, axis=1).astype(np.int8)
    shares = np.exp(likings)
    shares /= shares.sum(axis=1, keepdims=True)
    for number, name in enumerate(CLASS_SCORES.values()):
        columns[name] = shares[:, number]
    # A session starts somewhere in the catalog, more often at its beginning, and continues in steps.
    start = np.floor(ITEMS * (0.5 * rng.random(users)[user] + 0.5 * _of_sessions(rng, position)) ** 4)
    step = 1 + np.floor(40 * _of_sessions(rng, position))
    columns["item"] = ((start + step * in_session) % ITEMS).astype(np.int32)
    # The model knows the distribution of prices except for the user effect. Bids are random.
    fall = np.clip(_logistic(predictable), 0.02, 0.98)
    price = rng.geometric(np.clip(_logistic(predictable + 0.5 * unpredictable), 0.02, 0.98))
    bid = rng.integers(1, 9, rows)
    columns["won"] = (price <= bid).astype(np.int8)
    columns["mass"] = fall * (1 - fall) ** (price - 1)
    columns["tail"] = (1 - fall) ** bid
    # One of three actions, drawn by a policy that knows the preferences; the target policy is more certain.
    chances = np.stack([shares, np.exp(2 * likings)])
    chances /= chances.sum(axis=2, keepdims=True)
    action = (chances[0].cumsum(axis=1) < rng.random((rows, 1))).sum(axis=1).clip(max=2)
    done = np.arange(rows), action
    columns["propensity"], columns["target"] = chances[0][done], chances[1][done]
    columns["place"] = (1 + in_session).astype(np.int8)
    columns["reward"] = (likings[done] + unpredictable + rng.logistic(size=rows) > 0.5).astype(np.int8)
    predicted = _logistic(likings - 0.7)
    columns["q_action"], columns["q_policy"] = predicted[done], (chances[1] * predicted).sum(axis=1)
    # The effect of the treatment grows with the probability of a click.
    clicked = 2.0 * columns["clicked"] - 1
    columns["treated"] = (rng.random(rows) < _logistic(0.8 * predictable * clicked)).astype(np.int8)
    # An interval whose coverage differs between users.
    for level, name in QUANTILES.items():
        columns[name] = columns["amount_model"] * (0.4 + level)
    # The higher the probability of a click, the sooner it happens; in days, censored after a year.
    lasted = np.ceil(90 * rng.exponential(size=rows) * np.exp(-predictable - unpredictable))
    columns["lasted"] = np.minimum(lasted, 365).astype(np.int16)
    return columns


def _of_sessions(rng: Any, position: Any) -> Any:
    """A random number for each session, repeated on its rows."""
    begins = position % 7 == 0
    return rng.random(int(begins.sum()))[np.cumsum(begins) - 1]


def logs_in_batches(seed: int, users: int, logs: int) -> Iterator[tuple[int, pa.Table]]:
    """The logs in batches of about ROWS_AT_ONCE rows, each with the number of its first log."""
    at_once = max(1, ROWS_AT_ONCE // (users * ROWS_PER_USER))
    for start in range(0, logs, at_once):
        drawn = [draw([seed], users, log, log * users) for log in range(start, min(start + at_once, logs))]
        yield start, _arrow(drawn)


def _arrow(drawn: Sequence[Columns]) -> pa.Table:
    columns = {name: np.concatenate([log[name] for log in drawn]) for name in drawn[0]}
    classes = pa.array(list(CLASS_SCORES))
    arrays = {name: pa.array(values) for name, values in columns.items()}
    for name in ("class", "called"):
        arrays[name] = pa.DictionaryArray.from_arrays(pa.array(columns[name]), classes).cast(pa.string())
    return pa.table(arrays)


def relations() -> dict[str, Any]:
    """The relations that recommender metrics read in addition to the log."""
    item = np.arange(ITEMS)
    near = [(item[:-gap], item[gap:], np.full(ITEMS - gap, math.exp(-gap / 20))) for gap in range(1, 41)]
    first, second, similarity = (np.concatenate(parts) for parts in zip(*near, strict=True))
    return {
        "catalog": pd.DataFrame({"item": item}),
        "similarity": pd.DataFrame({"item_a": first, "item_b": second, "similarity": similarity}),
        "popularity": pd.DataFrame({"item": item, "count": 1 + 10000 // (1 + item)}),
        # For each session as many other items as it shows.
        "history": f"select session_id, (item * 13 + 5) % {ITEMS} as item from log group by all",
        "item_categories": pd.DataFrame({"item": item, "category": item // 25 % 12}),
        "expected_items": pd.DataFrame({"item": item[:50]}),
        "embeddings": pd.DataFrame(
            {
                "item": np.tile(item, 4),
                "dimension": np.repeat(np.arange(4), ITEMS),
                "value": np.concatenate([turn(item / length) for length in (40, 150) for turn in (np.cos, np.sin)]),
            }
        ),
    }


def metrics_by_data_type(names: Sequence[str] = ()) -> dict[str, list[Metric]]:
    """Every metric that has an interval, by the first type of data that supports it."""
    result: dict[str, list[Metric]] = defaultdict(list)
    for metric in builtin_catalogue().metrics.values():
        # Tables, and metrics without a single value, have no interval.
        if metric.table or metric.name not in metric.columns or metric.no_interval:
            continue
        if not names or metric.name in names:
            result[data_types_of(metric)[0]].append(metric)
    return result


def spec_of(metric: Metric) -> dict[str, Any]:
    """The metric with its defaults, ranking metrics with a cut, which changes the value of most."""
    cut = {"k": CUT} if "k" in metric.parameters else {}
    if metric.name == "top_k_accuracy":
        cut = {"k": 1}  # of three classes
    return {"name": metric.name, "as": metric.name, **base_parameters(metric), **cut}


def is_dear(metric: Metric) -> bool:
    """Whether its intervals come from values without each of twenty buckets."""
    return "each of 20 buckets" in describe_interval(metric)


class Simulation:
    """A connection with logs, and the metrics to compute over them."""

    def __init__(self, names: Sequence[str]) -> None:
        self.con = duckdb.connect()
        self.con.execute("set enable_progress_bar = false")
        self.metrics_by_type = metrics_by_data_type(names)
        self.relations = relations()

    def put(self, logs: Sequence[pa.Table]) -> None:
        """Replace the logs."""
        for number, part in enumerate(logs):
            self.con.register("part", part)
            self.con.execute(f"{'insert into log' if number else 'create or replace table log as'} select * from part")
            self.con.unregister("part")

    def arguments(self, data_type: str, metrics: Sequence[Metric]) -> dict[str, Any]:
        """The arguments of the calls for a type of data, except the metrics."""
        roles = {role for metric in metrics for role in metric.roles()}
        read = {
            name: relation for name, relation in self.relations.items() if any(name in m.relations for m in metrics)
        }
        columns = {role: column for role, column in ROLES[data_type].items() if role in roles}
        return {**columns, **read, "con": self.con}

    def wanted(self, dear: bool) -> Iterator[tuple[str, list[Metric]]]:
        """The metrics whose intervals come from buckets, or all others, by type of data."""
        for data_type, metrics in self.metrics_by_type.items():
            selected = [metric for metric in metrics if is_dear(metric) == dear]
            if selected:
                yield data_type, selected

    def intervals(self, dear: bool, **options: Any) -> Iterator[tuple[str, pd.DataFrame]]:
        """For each metric the columns value, low, high and se, with a row per log."""
        for data_type, metrics in self.wanted(dear):
            arguments = {**self.arguments(data_type, metrics), "cluster": "user_id", **options}
            result = sqlmetrics.evaluate(
                "log", [spec_of(m) for m in metrics], by="log", confidence=CONFIDENCE, standard_error=True, **arguments
            )
            for metric in metrics:
                names = [metric.name, f"{metric.name}_low", f"{metric.name}_high", f"{metric.name}_se"]
                yield metric.name, result[names].astype(float).set_axis(["value", "low", "high", "se"], axis=1)

    def differences(self, dear: bool) -> Iterator[tuple[str, str, pd.DataFrame]]:
        """The same for differences between models, with p, for each metric that reads scores and each other model."""
        for data_type, metrics in self.wanted(dear):
            if "score" not in ROLES[data_type]:
                continue
            arguments = self.arguments(data_type, metrics)
            arguments["score"] = [arguments["score"]] + [arguments["score"] + suffix for suffix in MODELS.values()]
            result = sqlmetrics.compare(
                "log", [spec_of(m) for m in metrics], by="log", confidence=CONFIDENCE, cluster="user_id", adjust=None,
                **arguments,
            )  # fmt: skip
            shown = ["difference", "difference_low", "difference_high", "standard_error", "p_value"]
            for (metric, model), part in result.groupby(["metric", "model"]):
                other = next(name for name, suffix in MODELS.items() if model.endswith(suffix))
                yield metric, other, part[shown].astype(float).set_axis(["value", "low", "high", "se", "p"], axis=1)

    def truths(self) -> dict[str, dict[str, float]]:
        """The values over the log: those of the model, and the differences of the other models."""
        result: dict[str, dict[str, float]] = {}
        for data_type, metrics in self.metrics_by_type.items():
            arguments = self.arguments(data_type, metrics)
            specs = [spec_of(metric) for metric in metrics]
            value = sqlmetrics.evaluate("log", specs, **arguments).iloc[0]
            if "score" in ROLES[data_type]:
                other = sqlmetrics.evaluate("log", specs, **{**arguments, "score": arguments["score"] + "_worse"}).iloc[
                    0
                ]
            for metric in metrics:
                result[metric.name] = {"value": float(value[metric.name])}
                if "score" in ROLES[data_type]:
                    result[metric.name] |= {"twin": 0.0, "worse": float(other[metric.name] - value[metric.name])}
        return result


def held(intervals: pd.DataFrame, truth: float) -> float:
    """The share of the intervals that cover the true value; an undefined interval does not."""
    return float(((intervals["low"] <= truth) & (truth <= intervals["high"])).mean())


def summary(intervals: pd.DataFrame, truth: float) -> dict[str, float]:
    """The coverage, the bias and spread of the estimates, and the ratio of standard errors to the spread."""
    spread = intervals["value"].std()
    mean = intervals["value"].mean()
    result = {
        "logs": len(intervals),
        "held": held(intervals, truth),
        "held_mean": held(intervals, mean),
        "bias": (mean - truth) / spread if spread > 0 else 0.0,
        "error": intervals["se"].mean() / spread if spread > 0 else math.nan,
        "undefined": float(intervals["low"].isna().mean()),
    }
    if "p" in intervals:
        result["found"] = float((intervals["p"] < 1 - CONFIDENCE).mean())
    return {name: round(float(value), 4) for name, value in result.items()}


def simulate(simulation: Simulation, seed: int, users: int, logs: int) -> dict[str, dict[str, pd.DataFrame]]:
    """For each metric the intervals of all logs: those of the value and of the differences."""
    parts: dict[str, dict[str, list[pd.DataFrame]]] = defaultdict(lambda: defaultdict(list))
    of_buckets, compared_by_buckets = LOGS_OF_BUCKETS.get(users, (logs, logs))
    for first, batch in logs_in_batches(seed, users, logs):
        start = time.perf_counter()
        simulation.put([batch])
        for dear, logs_of_values, logs_of_differences in [
            (False, logs, logs),
            (True, of_buckets, compared_by_buckets),
        ]:
            if first < logs_of_values:
                for metric, intervals in simulation.intervals(dear):
                    parts[metric]["value"].append(intervals)
            if first < logs_of_differences:
                for metric, other, intervals in simulation.differences(dear):
                    parts[metric][other].append(intervals)
        print(f"{users} users, log {first}: {time.perf_counter() - start:.0f} s", file=sys.stderr, flush=True)
    return {
        metric: {what: pd.concat(intervals, ignore_index=True) for what, intervals in own.items()}
        for metric, own in parts.items()
    }


def pictured(seed: int, users: int, truth: float) -> dict[str, Any]:
    """The intervals of some logs by row and by user, for the picture."""
    simulation = Simulation([PICTURED])
    simulation.put([_arrow([draw([seed], users, log, log * users) for log in range(PICTURE_LOGS)])])
    result: dict[str, Any] = {"metric": PICTURED, "size": users, "truth": round(truth, 6)}
    for name, cluster in [("rows", None), ("users", "user_id")]:
        [(_, intervals)] = simulation.intervals(False, cluster=cluster)
        result[name] = intervals[["value", "low", "high"]].round(6).to_numpy().tolist()
    return result


def figures_of(
    simulated: Mapping[int, Mapping[str, Mapping[str, pd.DataFrame]]],
    truths: Mapping[str, Mapping[str, float]],
    logs: Mapping[int, int],
    seed: int,
    truth_users: int,
) -> dict[str, Any]:
    """The figures of the page."""
    metrics: dict[str, dict[str, Any]] = defaultdict(dict)
    for users, of_users in simulated.items():
        for metric, own in of_users.items():
            metrics[metric][str(users)] = {
                what: summary(intervals, truths[metric][what])
                for what, intervals in own.items()
                # Without an effect of the scores, the differences are rounding errors.
                if what == "value" or intervals["value"].abs().max() > 1e-9
            }
    metrics_with_interval = [metric for of_type in metrics_by_data_type().values() for metric in of_type]
    return {
        "command": f"python -m tests.benchmarks.coverage --users {' '.join(map(str, logs))} "
        f"--logs {' '.join(map(str, logs.values()))} --seed {seed}"
        + ("" if truth_users == TRUTH_USERS else f" --truth-users {truth_users}"),
        "truth_users": truth_users,
        "buckets": sorted(metric.name for metric in metrics_with_interval if is_dear(metric)),
        "metrics": {name: metrics[name] for name in sorted(metrics)},
    }


def added(previous: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    """The previous figures, updated for some metrics; `later` holds the commands of these where they differ."""
    metrics = {**previous["metrics"], **new["metrics"]}
    commands = {**previous.get("later", {}), **dict.fromkeys(new["metrics"], new["command"])}
    later = {name: command for name, command in sorted(commands.items()) if command != previous["command"]}
    return {**previous, "buckets": new["buckets"], "later": later, "metrics": dict(sorted(metrics.items()))}


def main() -> None:
    """Draw logs, compute intervals and write the figures."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--users", type=int, nargs="+", default=[*LOGS], help="users of a log")
    parser.add_argument("--logs", type=int, nargs="+", help="how many logs, of so many users each")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--metrics", nargs="+", default=[], help="only these, and print them only")
    parser.add_argument("--add", action="store_true", help="put these figures beside those that there are")
    parser.add_argument("--truth-users", type=int, default=TRUTH_USERS, help="users of the log that has the truth")
    arguments = parser.parse_args()
    logs = arguments.logs or [LOGS.get(users, 100) for users in arguments.users]
    if len(logs) != len(arguments.users) or min(logs) < 2:
        parser.error("--logs takes a number of 2 or more for each of --users")
    logs_by_users = dict(zip(arguments.users, logs, strict=True))
    unknown = set(arguments.metrics) - {
        metric.name for metrics in metrics_by_data_type().values() for metric in metrics
    }
    if unknown:
        parser.error(f"no metric with an interval: {', '.join(sorted(unknown))}")
    warnings.simplefilter("ignore", sqlmetrics.DroppedRows)
    start = time.perf_counter()
    simulation = Simulation(arguments.metrics)
    each = min(50_000, arguments.truth_users)
    # The true values come from logs of their own.
    simulation.put(
        [_arrow([draw([arguments.seed, 0], each, part, part * each)]) for part in range(arguments.truth_users // each)]
    )
    truths = simulation.truths()
    print(f"truth: {time.perf_counter() - start:.0f} s", file=sys.stderr, flush=True)
    simulated = {users: simulate(simulation, arguments.seed, users, count) for users, count in logs_by_users.items()}
    picture = {} if arguments.metrics else pictured(arguments.seed, 500, truths[PICTURED]["value"])
    figures = figures_of(simulated, truths, logs_by_users, arguments.seed, arguments.truth_users) | {"picture": picture}
    print(table(figures))
    if arguments.add:
        figures = added(json.loads(FIGURES.read_text(encoding="utf-8")), figures)
    if arguments.add or not arguments.metrics:
        FIGURES.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
        write(figures)
    print(f"{time.perf_counter() - start:.0f} s", file=sys.stderr)


if __name__ == "__main__":
    main()
