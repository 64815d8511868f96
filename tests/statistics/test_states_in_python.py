"""States made and read without dbt: from Python and on the shell, against `evaluate` on the log itself."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import pyarrow as pa
import pytest
from click.testing import CliRunner
from sklearn import metrics as sk

import sqlmetrics
from sqlmetrics.cli import main
from tests.engines.servers import ENGINES
from tests.statistics.test_intervals import leaving_out_buckets
from tests.statistics.test_state_settings import LOG
from tests.statistics.test_states import States, ece
from tests.tiers import slow

DAYS = sorted(LOG["day"].unique())[:4]
LOG_OF_DAYS = LOG[LOG["day"].isin(DAYS)].reset_index(drop=True)
CLICKS: dict[str, Any] = {"label": "clicked", "score": "pctr"}
OF_SCORES = ["auc", "log_loss", "brier", "copc", "pcoc"]
OF_ERRORS = ["mae", "rmse", "max_error", "wmape"]


def days(folder: Path, metrics: Any = None, **given: Any) -> str:
    """A file for each day, and the pattern that means all of them."""
    for day in DAYS:
        made = sqlmetrics.state(LOG_OF_DAYS, metrics, where=f"day = '{day}'", **given)
        made.to_parquet(folder / f"{day}.parquet")
    return str(folder / "*.parquet")


@pytest.mark.one_in(2)
@pytest.mark.parametrize("weight", [None, "w"])
def test_scores_of_files(tmp_path: Path, weight: str | None) -> None:
    """Each score is kept, so that nothing is lost."""
    files = days(tmp_path, **CLICKS, weight=weight, by=["day", "device"])
    by: Any
    for by in (None, "device", ["day", "device"], "late = day > '2026-03-02'"):
        found = sqlmetrics.evaluate_states(files, by=by)
        expected = sqlmetrics.evaluate(LOG_OF_DAYS, OF_SCORES, **CLICKS, weight=weight, by=by)
        pd.testing.assert_frame_equal(found, expected, rtol=1e-12)
        assert found.attrs["slices"] == expected.attrs["slices"]


def test_two_of_the_days(tmp_path: Path) -> None:
    """A part of the files, and a part of their rows, mean the same."""
    files = days(tmp_path, **CLICKS, by=["day"], bins=50, buckets=20, cluster="user_id")
    rows = LOG_OF_DAYS[LOG_OF_DAYS["day"] >= DAYS[2]]
    given: dict[str, Any] = {"confidence": 0.9, "standard_error": True}
    [two] = sqlmetrics.evaluate_states(files, where=f"day >= '{DAYS[2]}'", **given).to_dict("records")
    [same] = sqlmetrics.evaluate_states([tmp_path / f"{day}.parquet" for day in DAYS[2:]], **given).to_dict("records")
    assert two == pytest.approx(same, rel=1e-12)
    assert two["n"] == len(rows)
    assert two["auc_lower"] <= sk.roc_auc_score(rows["clicked"], rows["pctr"]) <= two["auc_upper"]
    assert two["ece"] == pytest.approx(ece(rows, 50), rel=1e-9)
    assert two["ece_se"] == pytest.approx(leaving_out_buckets(rows, "user_id", lambda some: ece(some, 50))[0], rel=1e-9)


def test_a_cluster_is_itself_on_every_day(tmp_path: Path) -> None:
    """Beside a missing value pandas makes fractions of whole numbers."""
    users = LOG_OF_DAYS["user_id"].factorize()[0]
    given: dict[str, Any] = {"confidence": 0.9, "standard_error": True}
    errors = []
    for kind in ("int64", "mixed"):
        folder = tmp_path / kind
        folder.mkdir()
        for place, day in enumerate(DAYS):
            rows = LOG_OF_DAYS.assign(user=users.astype("float64" if kind == "mixed" and place % 2 else "int64"))
            made = sqlmetrics.state(rows[rows["day"] == day], **CLICKS, by=["day"], bins=50, buckets=20, cluster="user")
            made.to_parquet(folder / f"{day}.parquet")
        [row] = sqlmetrics.evaluate_states(str(folder / "*.parquet"), ["copc", "brier"], **given).to_dict("records")
        errors.append(row)
    assert errors[0] == pytest.approx(errors[1], rel=1e-12)


def test_sums_of_files(tmp_path: Path) -> None:
    roles = {"label": "y", "score": "y_hat"}
    files = days(tmp_path, OF_ERRORS, **roles, by=["day", "device"], buckets=20, cluster="user_id")
    found = sqlmetrics.evaluate_states(files, OF_ERRORS, by="device")
    pd.testing.assert_frame_equal(found, sqlmetrics.evaluate(LOG_OF_DAYS, OF_ERRORS, **roles, by="device"), rtol=1e-12)
    sure = sqlmetrics.evaluate_states(files, "mae, rmse", confidence=0.95)
    assert list(sure) == ["n", "mae", "mae_low", "mae_high", "rmse", "rmse_low", "rmse_high"]
    assert (sure["mae_low"] < sure["mae"]).all()


def test_groups_with_judgments() -> None:
    """What a session did not show counts as well."""
    judged = pd.DataFrame({"session": LOG_OF_DAYS["session"].unique()[::2]}).assign(doc=-1, clicked=1.0)
    rows = LOG_OF_DAYS.assign(doc=range(len(LOG_OF_DAYS)))
    roles: dict[str, Any] = {**CLICKS, "group": "session", "item": "doc"}
    metrics = ["ndcg@5", "recall@3", "mine = mrr(k=2)"]
    parts = [
        sqlmetrics.state(rows, metrics, **roles, by="day", where=f"day = '{day}'",
                         judgments=judged[judged["session"].isin(rows[rows["day"] == day]["session"])])
        for day in DAYS
    ]  # fmt: skip
    found = sqlmetrics.evaluate_states(pd.concat(parts), metrics)
    expected = sqlmetrics.evaluate(rows, metrics, **roles, judgments=judged)
    pd.testing.assert_frame_equal(found[list(expected)[1:]], expected[list(expected)[1:]], rtol=1e-12)
    unjudged = sqlmetrics.evaluate(rows, metrics, **roles)
    assert found["recall_at_3"][0] != pytest.approx(unjudged["recall_at_3"][0], rel=1e-3)


@pytest.mark.parametrize("engine", ["duckdb", *slow("postgres", "spark", "clickhouse")])
@pytest.mark.parametrize("metrics", [
    ["ndcg", "returned = ndcg(missing='skip')"],
    ["returned = map(missing='skip')", "err(max_label=1)", "judged_at_k@3", "hit = mrr(relevant_at=0.5)"],
    ["map", "of_one = map(missing='skip', empty='one')", "of_zero = gm_map(missing='skip', empty='zero')",
     "pooled = precision_at_k(k=2, average='micro', missing='skip', empty='zero')",
     "alike = compatibility(missing='skip', empty='one')"],
    ["gauc", "ndcg", "kendall_tau", "pairwise_accuracy", "err(max_label=2)"],
])  # fmt: skip
def test_metrics_of_several_frames_in_one_state(metrics: list[str], engine: str) -> None:
    """One frame has groups that another leaves out, as those that are judged and of which nothing was returned."""
    roles: dict[str, Any] = {**CLICKS, "group": "session"}
    tables = {"log": LOG_OF_DAYS.assign(doc=range(len(LOG_OF_DAYS)))}
    relations = {}
    if "gauc" not in metrics:
        session = LOG_OF_DAYS["session"].unique()[::2]
        judged = pd.DataFrame({"session": [*session, *range(5000, 5100)]}).assign(clicked=1.0)
        judged["doc"] = [3 * place for place in range(len(judged))]
        judged.loc[judged.index % 5 == 0, "clicked"] = 0.0  # nothing of such a session is relevant
        tables["judged"], relations, roles = judged, {"judgments": "judged"}, {**roles, "item": "doc"}
    with ENGINES[engine]({
        name: pa.Table.from_pandas(rows, preserve_index=False) for name, rows in tables.items()
    }) as opened:  # fmt: skip
        parts = sqlmetrics.state("log", metrics, **roles, **relations, engine=opened)
    found = sqlmetrics.evaluate_states(parts, metrics)
    relations = {"judgments": tables["judged"]} if relations else {}
    pd.testing.assert_frame_equal(found, sqlmetrics.evaluate(tables["log"], metrics, **roles, **relations), rtol=1e-12)


def test_a_metric_that_is_added_is_read_where_it_is() -> None:
    """The others are read on: their settings are the same."""
    roles = {"label": "y", "score": "y_hat", "by": "day"}
    metrics = {day: ["mae", "rmse"] if day > DAYS[1] else ["mae"] for day in DAYS}
    parts = pd.concat(sqlmetrics.state(LOG_OF_DAYS, metrics[day], where=f"day = '{day}'", **roles) for day in DAYS)
    [row] = sqlmetrics.evaluate_states(parts, "mae").to_dict("records")
    assert row["mae"] == pytest.approx(sk.mean_absolute_error(LOG_OF_DAYS["y"], LOG_OF_DAYS["y_hat"]), rel=1e-12)
    refused(r"not made for rmse = rmse\(\) in 2 of 4 parts; .* \(parts without it were made for: mae = mae\(\);\)$",
            sqlmetrics.BadData, lambda: sqlmetrics.evaluate_states(parts, "mae, rmse"))  # fmt: skip
    [late] = sqlmetrics.evaluate_states(parts, "rmse", where=f"day > '{DAYS[1]}'").to_dict("records")
    rows = LOG_OF_DAYS[LOG_OF_DAYS["day"] > DAYS[1]]
    assert late["rmse"] == pytest.approx(sk.root_mean_squared_error(rows["y"], rows["y_hat"]), rel=1e-12)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("metrics", [None, ["mae", "rmse"]])
def test_states_of_dbt_and_of_python_are_parts_of_one(metrics: Any) -> None:
    """Made by its macros for one day and by the library for the others; each row has the key that both give it."""
    macros = States()
    roles: dict[str, Any] = CLICKS if metrics is None else {"label": "y", "score": "y_hat"}
    given: dict[str, Any] = {**roles, "by": ["day", "device"], "buckets": 20, "cluster": "user_id"}
    given |= {"bins": 30} if metrics is None else {}

    def by_macros(where: str) -> str:
        if metrics is None:
            return str(macros.score_state("log", **given, where=where))
        return str(macros.metric_state("log", metrics, **given, where=where))

    with duckdb.connect() as con:
        con.register("log", LOG_OF_DAYS)
        first, others = f"day = '{DAYS[0]}'", f"day > '{DAYS[0]}'"
        con.execute(f"create table state as\n{by_macros(first)}")
        ours = sqlmetrics.state("log", metrics, **given, where=others, con=con)
        con.execute("insert into state by name select * from ours")
        mixed = sqlmetrics.evaluate_states("state", metrics, by="device", con=con, confidence=0.9)
        theirs = con.sql(f"{by_macros(others)}").df()
    assert list(ours) == list(theirs)
    keys = ["state_key", "made_with", "row_count"]
    pd.testing.assert_frame_equal(
        ours[keys].sort_values("state_key", ignore_index=True),
        theirs[keys].sort_values("state_key", ignore_index=True),
    )
    whole = sqlmetrics.evaluate_states(sqlmetrics.state(LOG_OF_DAYS, metrics, **given), metrics, by="device",
                                       confidence=0.9)  # fmt: skip
    pd.testing.assert_frame_equal(mixed, whole, rtol=1e-12)


@pytest.mark.slow
def test_odd_days(tmp_path: Path) -> None:
    """A day in which no device has a name, one without a row, and files of text."""
    nameless = LOG_OF_DAYS.assign(device=LOG_OF_DAYS["device"].mask(LOG_OF_DAYS["day"] == DAYS[1]))
    for day in [*DAYS, "2027-01-01"]:
        made = sqlmetrics.state(nameless, **CLICKS, by=["day", "device"], bins=9, where=f"day = '{day}'")
        sqlmetrics.cli.shell_output.write_result(str(tmp_path / f"{day}.parquet"), made, exact=[])
        made.to_csv(tmp_path / f"{day}.csv", index=False)
    expected = sqlmetrics.evaluate(nameless, ["log_loss"], **CLICKS, by="device")
    for ending in ("parquet", "csv"):
        found = sqlmetrics.evaluate_states(str(tmp_path / f"*.{ending}"), "log_loss", by="device")
        pd.testing.assert_frame_equal(found, expected, rtol=1e-12)
    empty = sqlmetrics.evaluate_states(tmp_path / "2027-01-01.parquet", "auc")
    assert empty["n"].tolist() == [0]
    assert empty["auc"].isna().all()


#: A state, a metric of it, and for each of its columns another one that its rows have too.
OTHER_COLUMNS: list[tuple[dict[str, Any], str, dict[str, str]]] = [
    ({"label": "clicked", "score": "pctr"}, "brier", {"label": "other_label", "score": "w"}),
    ({"label": "clicked", "score": "pctr", "weight": "w"}, "brier", {"weight": "other_weight"}),
    ({"positives": "clicked", "total": "one", "score": "pctr"}, "brier", {"positives": "other_label", "total": "two"}),
    ({"label": "clicked", "score": "pctr", "field": "device"}, "field_ece", {"field": "day"}),
    ({"label": "clicked", "prediction": "other_label"}, "macro_f1", {"label": "one", "prediction": "one"}),
    ({"label": "clicked", "score": "pctr", "group": "session"}, "gauc", {"group": "user_id", "score": "w"}),
    ({"label": "clicked", "score": "pctr", "group": "session", "tie_key": "w"}, "mrr(ties='key')", {"tie_key": "pctr"}),
    ({"label": "clicked", "score": "pctr", "group": "session", "propensity": "w"}, "unbiased_dcg",
     {"propensity": "one"}),
    ({"label": "clicked", "score": "pctr", "cluster": "user_id", "buckets": 4}, "brier", {"cluster": "session"}),
]  # fmt: skip


@pytest.mark.one_in(3)
@pytest.mark.parametrize(("roles", "metric", "others"), OTHER_COLUMNS)
def test_states_of_other_columns_are_not_added_up(roles: dict[str, Any], metric: str, others: dict[str, str]) -> None:
    """Score a with score b, one field with another: whatever a state was made of. In slices of their own they stand."""
    log = LOG_OF_DAYS.fillna({"device": "none"}).assign(
        other_label=lambda d: 1 - d["clicked"], other_weight=lambda d: d["w"] + 1, one=1, two=2
    )
    log["w"] = log["w"].clip(0.1, 1)
    parts = [log[log["day"] == day] for day in DAYS[:2]]
    for role, column in others.items():
        states = [sqlmetrics.state(parts[0], metric, **roles, by="day"),
                  sqlmetrics.state(parts[1], metric, **roles | {role: column}, by="day")]  # fmt: skip
        refused("made with different settings", sqlmetrics.BadData,
                lambda both=states: sqlmetrics.evaluate_states(pd.concat(both), metric))  # fmt: skip
        apart = sqlmetrics.evaluate_states(pd.concat(states), metric, by="day")
        alone = [sqlmetrics.evaluate_states(state, metric, by="day") for state in states]
        pd.testing.assert_frame_equal(apart, pd.concat(alone, ignore_index=True))


def refused(words: str, kind: type[Exception], call: Callable[[], Any]) -> None:
    with pytest.raises(kind, match=words):
        call()


def test_what_is_refused() -> None:
    """In the words of the dbt package, without what only dbt can do."""
    state, evaluate = sqlmetrics.state, sqlmetrics.evaluate_states
    binned = [state(LOG, **CLICKS, bins=bins, by="day", where=f"day {sign} '{DAYS[1]}'")
              for bins, sign in ((100, "="), (1000, "<>"))]  # fmt: skip
    sums = state(LOG, ["precision", "high = recall(threshold=0.9)"], **CLICKS, by="day")
    older = sums.assign(made_with=sums["made_with"].mask(sums["day"] > DAYS[1]))
    parameter, data = sqlmetrics.BadParameter, sqlmetrics.BadData
    mixed = (
        r"^the parts were made with different settings and cannot be added up \(build the state anew, or read fewer "
    )
    refused(mixed + r"parts\): .*bins=1000;.* and .*bins=100;", data, lambda: evaluate(pd.concat(binned)))
    refused(mixed, data, lambda: evaluate(pd.concat(binned), "log_loss", by="late = day > '2026-03-02'"))
    refused(r"^the state was not made for precision = precision\(threshold=0.9, zero_division=none\) in 30 of 30 parts;"
            r" read the parts that have it, ask for what all have, or build the state anew "
            r"\(parts without it were made for: precision = precision\(threshold=0.5, zero_division=none\); ", data,
            lambda: evaluate(sums, "precision(threshold=0.9)"))  # fmt: skip
    refused("^60 rows but 30 distinct state_key: some parts are there twice and would count twice; read each part "
            "once, and name what tells the parts apart, such as the day, in by$", data,
            lambda: evaluate(pd.concat([sums, sums]), "precision"))  # fmt: skip
    refused("has no column mae_sum; ask for what it was made for, or build it anew$", parameter,
            lambda: evaluate(sums, "mae"))  # fmt: skip
    refused("^name the metrics: the states were made for precision = ", parameter, lambda: evaluate(sums))
    refused("a score_state with bins has auc, ece, .*not 'mae'", parameter, lambda: evaluate(binned[0], "mae"))
    refused("is a state without buckets; build it with buckets=20 and cluster=…$", parameter,
            lambda: evaluate(sums, "precision", confidence=0.9))  # fmt: skip
    refused("preset has a meaning for states of metrics only", parameter, lambda: evaluate(binned[0], preset="spark"))
    refused("is no state of this version of the package: it has no column made_with; build it anew$", parameter,
            lambda: evaluate(LOG, "auc"))  # fmt: skip
    refused("some parts do not say what they were made with; build the state anew", data,
            lambda: evaluate(older, "precision"))  # fmt: skip
    refused(
        "by: there is no column 'devise'", sqlmetrics.MissingColumn, lambda: evaluate(sums, "precision", by="devise")
    )
    refused("by is one list of columns", parameter, lambda: evaluate(sums, "precision", by=[["day"], []]))
    refused("expressions; here they make a statement of their own", parameter,
            lambda: evaluate(sums, "precision", where="1 = 1) ; drop table x; select (1"))  # fmt: skip
    refused("^the query failed", sqlmetrics.QueryFailed, lambda: evaluate(sums, "precision", where="devise = 1"))
    refused("where must be an SQL condition", parameter, lambda: evaluate(sums, "precision", where=" "))
    refused("standard_error must be True or False", parameter, lambda: evaluate(sums, "precision", standard_error="no"))

    refused(r"^the score \S+ is no probability: give the lowest and the highest score, as in range=\[-5, 5\]$", data,
            lambda: state(LOG, label="clicked", score="logit"))  # fmt: skip
    refused("auc cannot be added up from parts: .* a state of scores keeps .*; a state of metrics takes accuracy, ",
            parameter, lambda: state(LOG, "auc", **CLICKS))  # fmt: skip
    refused("group has a meaning with metrics only", parameter, lambda: state(LOG, **CLICKS, group="session"))
    for given in ({"bins": 5}, {"range": [0, 1]}, {"eps": 0.1}):
        refused(
            "has a meaning without metrics only", parameter, lambda given=given: state(LOG, "mae", **CLICKS, **given)
        )
    refused("buckets needs cluster", parameter, lambda: state(LOG, **CLICKS, buckets=20))
    refused("cluster has a meaning with buckets only", parameter, lambda: state(LOG, **CLICKS, cluster="user_id"))
    refused("range must be the lowest and the highest", parameter, lambda: state(LOG, **CLICKS, range=(1, 0)))
    refused("score one column", parameter, lambda: state(LOG, label="clicked", score=["pctr", "logit"]))
    refused("6,000 rows are neither 0 nor 1", data, lambda: state(LOG, label="= 2", score="pctr"))
    refused("there is no column 'clickt'", sqlmetrics.MissingColumn, lambda: state(LOG, label="clickt", score="pctr"))
    for metric in ("ndcg@5", "mrr", "precision_at_k(k=5, average='micro')"):
        refused("group_weight: a state keeps means over groups that count the same", parameter,
                lambda metric=metric: state(LOG, metric, **CLICKS, group="session", group_weight="w"))  # fmt: skip


def test_missing_values_are_told() -> None:
    rows = LOG_OF_DAYS.assign(pctr=LOG_OF_DAYS["pctr"].mask(LOG_OF_DAYS.index < 7))
    with pytest.warns(sqlmetrics.DroppedRows, match=r"score \(column 'pctr'\) in 7 rows"):
        made = sqlmetrics.state(rows, **CLICKS)
    assert made["row_count"].sum() == len(rows) - 7
    with pytest.raises(sqlmetrics.BadData, match=r"score \(column 'pctr'\) in 7 rows"):
        sqlmetrics.state(rows, **CLICKS, strict=True)


def test_scores_of_another_range() -> None:
    rows = LOG_OF_DAYS
    made = sqlmetrics.state(rows, label="clicked", score="logit", range=[-3, 3], by="day")
    found = sqlmetrics.evaluate_states(made, "auc")
    assert found["auc"][0] == pytest.approx(sk.roc_auc_score(rows["clicked"], rows["logit"]), rel=1e-12)
    with pytest.raises(sqlmetrics.SqlMetricsError, match="it has no column log_loss_sum; ask for what it was made for"):
        sqlmetrics.evaluate_states(made)


def shell(*arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(main, list(arguments))
    return done.exit_code, done.output


@pytest.mark.slow
def test_on_the_shell(tmp_path: Path) -> None:
    LOG_OF_DAYS.to_parquet(tmp_path / "log.parquet")
    (tmp_path / "days").mkdir()
    log, files = str(tmp_path / "log.parquet"), str(tmp_path / "days" / "*.parquet")
    for day in DAYS:
        code, said = shell("state", log, "--label", "clicked", "--score", "pctr", "--by", "day,device", "--bins", "40",
                           "--buckets", "20", "--cluster", "user_id", "--where", f"day = '{day}'",
                           "-o", str(tmp_path / "days" / f"{day}.parquet"))  # fmt: skip
        assert (code, said) == (0, "")
    code, said = shell("eval-states", files, "-m", "auc,log_loss", "--by", "device", "--confidence", "0.9",
                       "--format", "json", "--assert", "auc > 0.5")  # fmt: skip
    assert code == 0
    expected = sqlmetrics.evaluate_states(files, ["auc", "log_loss"], by="device", confidence=0.9)
    found = pd.DataFrame(json.loads(said))
    pd.testing.assert_frame_equal(found, expected, check_dtype=False, rtol=1e-12)
    assert shell("eval-states", files, "-m", "auc", "--assert", "auc > 0.9")[0] == 1
    code, said = shell("eval-states", files, "-m", "mae")
    assert code == 2
    assert said.startswith("error: -m: a score_state with bins has auc, ece,")
    code, said = shell("state", log, "--label", "clicked", "--score", "logit", "--range=-3,3", "--format", "csv")
    assert code == 0
    assert said.startswith("state_key,score_key,made_with,row_count,positives,negatives\n")
    code, said = shell("state", log, "--label", "clicked", "--score", "logit", "--range", "wide")
    assert (code, said) == (2, "error: --range is the lowest and the highest score, as in -5,5, not wide\n")
    assert shell("state", "--label", "clicked") == (2, "error: name the data: a file, several files, or a query\n")
    config = tmp_path / "state.yml"
    config.write_text(
        f"data: {log}\nmetrics: [mae, rmse]\nlabel: y\nscore: y_hat\nby: [day]\noutput: {tmp_path / 'sums.parquet'}\n"
    )
    assert shell("state", "-c", str(config)) == (0, "")
    code, said = shell("eval-states", str(tmp_path / "sums.parquet"), "-m", "mae", "--format", "csv")
    assert float(said.split(",")[-1]) == pytest.approx(sk.mean_absolute_error(LOG_OF_DAYS["y"], LOG_OF_DAYS["y_hat"]))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["postgres", "clickhouse", "spark"])
def test_on_other_engines(name: str) -> None:
    """Made there, and read there or here; ClickHouse makes states, and says that it cannot refuse a mixture."""
    rows = LOG_OF_DAYS.iloc[:800]
    given: dict[str, Any] = {**CLICKS, "by": ["day", "device"], "buckets": 20, "cluster": "user_id"}
    ours = sqlmetrics.evaluate_states(sqlmetrics.state(rows, **given), by="device", confidence=0.9)
    with ENGINES[name]({"log": pa.Table.from_pandas(rows, preserve_index=False)}) as engine:
        made = sqlmetrics.state("log", **given, engine=engine)
        found = sqlmetrics.evaluate_states(made, by="device", confidence=0.9)
        pd.testing.assert_frame_equal(found, ours, rtol=1e-9)
        columns = "'a' as state_key, 1 as row_count, 1 as positives, 1 as negatives, 0.5 as score_key"
        parts = [f"select 'score_state 3: bins={bins};' as made_with, {columns}" for bins in (10, 20)]
        words = "cannot end a statement" if name == "clickhouse" else "different settings.*bins=10;.*bins=20;$"
        with pytest.raises(sqlmetrics.SqlMetricsError, match=words):
            sqlmetrics.evaluate_states(" union all ".join(parts), "auc", engine=engine)
        if name != "clickhouse":
            with pytest.raises(sqlmetrics.BadData, match=r"^the score \S+ is no probability.*as in range=\[-5, 5\]$"):
                sqlmetrics.state("log", label="clicked", score="logit", engine=engine)
