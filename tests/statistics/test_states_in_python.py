"""States made and read from Python and on the shell, against `evaluate` on the log itself."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import pytest
from click.testing import CliRunner
from sklearn import metrics as sk

import sqlmetrics
from sqlmetrics.cli import main
from tests.statistics.test_state_settings import LOG as MONTH
from tests.statistics.test_states import States

DAYS = sorted(MONTH["day"].unique())[:4]
LOG = MONTH[MONTH["day"].isin(DAYS)].reset_index(drop=True)
CLICKS: dict[str, Any] = {"label": "clicked", "score": "pctr"}
NUMBERS: dict[str, Any] = {"label": "y", "score": "y_hat"}
SCORE_METRICS = ["auc", "log_loss", "brier", "copc", "pcoc"]
INTERVAL: dict[str, Any] = {"confidence": 0.9, "standard_error": True}


def days(folder: Path, metrics: Any = None, rows: pd.DataFrame = LOG, **arguments: Any) -> str:
    """Write a file for each day, and return the pattern of all files."""
    for day in DAYS:
        state = sqlmetrics.state(rows, metrics, where=f"day = '{day}'", **arguments)
        state.to_parquet(folder / f"{day}.parquet")
    return str(folder / "*.parquet")


@pytest.mark.parametrize(("state_metrics", "metrics", "roles"), [
    (None, SCORE_METRICS, CLICKS), (None, SCORE_METRICS, {**CLICKS, "weight": "w"}),
    (["mae", "rmse", "max_error", "wmape"], ["mae", "rmse", "max_error", "wmape"], NUMBERS),
])  # fmt: skip
def test_states_of_files_match_log(tmp_path: Path, state_metrics: Any, metrics: Any, roles: dict[str, Any]) -> None:
    files = days(tmp_path, state_metrics, **roles, by=["day", "device"])
    by: Any
    for by in (None, "device", ["day", "device"], "late = day > '2026-03-02'"):
        result = sqlmetrics.evaluate_states(files, state_metrics, by=by)
        expected = sqlmetrics.evaluate(LOG, metrics, **roles, by=by)
        pd.testing.assert_frame_equal(result, expected, rtol=1e-12)
        assert result.attrs["slices"] == expected.attrs["slices"]
    [of_rows] = sqlmetrics.evaluate_states(files, state_metrics, where=f"day >= '{DAYS[2]}'").to_dict("records")
    some = [tmp_path / f"{day}.parquet" for day in DAYS[2:]]
    [of_files] = sqlmetrics.evaluate_states(some, state_metrics).to_dict("records")
    assert of_rows == pytest.approx(of_files, rel=1e-12)
    assert of_rows["n"] == (LOG["day"] >= DAYS[2]).sum()


def test_whole_numbers_and_fractions_are_same_cluster() -> None:
    """Next to a missing value pandas turns whole numbers into fractions."""
    users = LOG["user_id"].factorize()[0]
    results = []
    for types in (["int64"] * 4, ["int64", "float64"] * 2):
        states = [
            sqlmetrics.state(LOG.assign(user=users.astype(of_day)), **CLICKS, by="day", bins=50, buckets=20,
                             cluster="user", where=f"day = '{day}'")
            for day, of_day in zip(DAYS, types, strict=True)
        ]  # fmt: skip
        [row] = sqlmetrics.evaluate_states(pd.concat(states), ["copc", "brier"], **INTERVAL).to_dict("records")
        results.append(row)
    assert results[0] == pytest.approx(results[1], rel=1e-12)


def test_added_metric_is_read_where_it_exists() -> None:
    metrics = {day: ["mae", "rmse"] if day > DAYS[1] else ["mae"] for day in DAYS}
    state = pd.concat(sqlmetrics.state(LOG, metrics[day], where=f"day = '{day}'", **NUMBERS, by="day") for day in DAYS)
    [row] = sqlmetrics.evaluate_states(state, "mae").to_dict("records")
    assert row["mae"] == pytest.approx(sk.mean_absolute_error(LOG["y"], LOG["y_hat"]), rel=1e-12)
    message = r"not made for rmse = rmse\(\) in 2 of 4 parts; .* \(parts without it were made for: mae = mae\(\);\)$"
    with pytest.raises(sqlmetrics.BadData, match=message):
        sqlmetrics.evaluate_states(state, "mae, rmse")
    [row] = sqlmetrics.evaluate_states(state, "rmse", where=f"day > '{DAYS[1]}'").to_dict("records")
    rows = LOG[LOG["day"] > DAYS[1]]
    assert row["rmse"] == pytest.approx(sk.root_mean_squared_error(rows["y"], rows["y_hat"]), rel=1e-12)


@pytest.mark.parametrize("metrics", [None, ["mae", "rmse"]])
def test_states_of_dbt_and_python_add_up(metrics: Any) -> None:
    """The macros of dbt make the state of one day and the library those of the others, with the same keys."""
    macros = States()
    given = {"by": ["day", "device"], "buckets": 20, "cluster": "user_id"}
    given |= NUMBERS if metrics else {**CLICKS, "bins": 30}

    def by_macros(where: str) -> str:
        if metrics:
            return str(macros.metric_state("log", metrics, **given, where=where))
        return str(macros.score_state("log", **given, where=where))

    with duckdb.connect() as con:
        con.register("log", LOG)
        first, others = f"day = '{DAYS[0]}'", f"day > '{DAYS[0]}'"
        con.execute(f"create table state as\n{by_macros(first)}")
        of_python = sqlmetrics.state("log", metrics, **given, where=others, con=con)
        con.execute("insert into state by name select * from of_python")
        mixed = sqlmetrics.evaluate_states("state", metrics, by="device", con=con, confidence=0.9)
        of_macros = con.sql(by_macros(others)).df()
    assert list(of_python) == list(of_macros)
    keys = [frame[["state_key", "made_with", "row_count"]].sort_values("state_key", ignore_index=True)
            for frame in (of_python, of_macros)]  # fmt: skip
    pd.testing.assert_frame_equal(*keys)
    whole = sqlmetrics.evaluate_states(sqlmetrics.state(LOG, metrics, **given), metrics, by="device", confidence=0.9)
    pd.testing.assert_frame_equal(mixed, whole, rtol=1e-12)


def test_files_of_days_without_rows_or_devices(tmp_path: Path) -> None:
    rows = LOG.assign(device=LOG["device"].mask(LOG["day"] == DAYS[1]))
    for day in [*DAYS, "2027-01-01"]:
        state = sqlmetrics.state(rows, **CLICKS, by=["day", "device"], bins=9, where=f"day = '{day}'")
        sqlmetrics.cli.shell_output.write_result(str(tmp_path / f"{day}.parquet"), state, exact=[])
        state.to_csv(tmp_path / f"{day}.csv", index=False)
    expected = sqlmetrics.evaluate(rows, ["log_loss"], **CLICKS, by="device")
    for ending in ("parquet", "csv"):
        result = sqlmetrics.evaluate_states(str(tmp_path / f"*.{ending}"), "log_loss", by="device")
        pd.testing.assert_frame_equal(result, expected, rtol=1e-12)
    empty = sqlmetrics.evaluate_states(tmp_path / "2027-01-01.parquet", "auc")
    assert empty["n"].tolist() == [0]
    assert empty["auc"].isna().all()


@pytest.mark.parametrize("bins", [None, 9])
def test_condition_that_no_part_meets(bins: int | None) -> None:
    state = sqlmetrics.state(LOG, **CLICKS, by="day", bins=bins, buckets=4, cluster="user_id")
    result = sqlmetrics.evaluate_states(state, where="day = 'never'", confidence=0.9)
    assert list(result) == list(sqlmetrics.evaluate_states(state, confidence=0.9))
    assert result["n"].tolist() == [0]
    assert result.drop(columns="n").isna().all(axis=None)


GROUPS = {**CLICKS, "group": "session"}
#: The roles of a state, a metric of it, and another column for some of the roles.
OTHER_COLUMNS: list[tuple[dict[str, Any], str, dict[str, str]]] = [
    (CLICKS, "brier", {"label": "other_label", "score": "w"}),
    ({**CLICKS, "weight": "w"}, "brier", {"weight": "other_weight"}),
    ({"positives": "clicked", "total": "one", "score": "pctr"}, "brier", {"positives": "other_label", "total": "two"}),
    ({**CLICKS, "field": "device"}, "field_ece", {"field": "day"}),
    ({"label": "clicked", "prediction": "other_label"}, "macro_f1", {"label": "one", "prediction": "one"}),
    (GROUPS, "gauc", {"group": "user_id", "score": "w"}),
    ({**GROUPS, "tie_key": "w"}, "mrr(ties='key')", {"tie_key": "pctr"}),
    ({**GROUPS, "propensity": "w"}, "unbiased_dcg", {"propensity": "one"}),
    ({**CLICKS, "cluster": "user_id", "buckets": 4}, "brier", {"cluster": "session"}),
]


@pytest.mark.parametrize(("roles", "metric", "others"), OTHER_COLUMNS)
def test_states_of_other_columns_do_not_add_up(roles: dict[str, Any], metric: str, others: dict[str, str]) -> None:
    log = LOG.fillna({"device": "none"}).assign(
        other_label=lambda d: 1 - d["clicked"], other_weight=lambda d: d["w"] + 1, one=1, two=2
    )
    log["w"] = log["w"].clip(0.1, 1)
    first = sqlmetrics.state(log, metric, **roles, by="day", where=f"day = '{DAYS[0]}'")
    for role, column in others.items():
        second = sqlmetrics.state(log, metric, **roles | {role: column}, by="day", where=f"day = '{DAYS[1]}'")
        both = pd.concat([first, second])
        with pytest.raises(sqlmetrics.BadData, match="made with different settings"):
            sqlmetrics.evaluate_states(both, metric)
    by_day = sqlmetrics.evaluate_states(both, metric, by="day")
    alone = [sqlmetrics.evaluate_states(state, metric, by="day") for state in (first, second)]
    pd.testing.assert_frame_equal(by_day, pd.concat(alone, ignore_index=True))


def test_state_rejects_invalid_arguments() -> None:
    parameter, data = sqlmetrics.BadParameter, sqlmetrics.BadData
    cases: list[tuple[type[Exception], str, dict[str, Any]]] = [
        (data, r"^score \(column 'logit'\): \d+ rows where the value is outside \[0, 1\] \(scores that are no "
         r"probabilities want the lowest and the highest, as in range=\[-5, 5\]\); for example", {"score": "logit"}),
        (parameter, "auc cannot be added up from parts: .* a state of scores keeps .*; a state of metrics takes accu",
         {"metrics": "auc"}),
        (parameter, "group has a meaning with metrics only", {"group": "session"}),
        *((parameter, "has a meaning without metrics only", {"metrics": "mae", **further})
          for further in ({"bins": 5}, {"range": [0, 1]}, {"eps": 0.1})),
        (parameter, "score one column", {"score": ["pctr", "logit"]}),
        (data, "rows where the value is neither 0 nor 1", {"label": "= 2"}),
        (sqlmetrics.MissingColumn, "there is no column 'clickt'", {"label": "clickt"}),
        *((parameter, "group_weight: a state keeps means over groups that count the same",
           {"metrics": metric, "group": "session", "group_weight": "w"})
          for metric in ("ndcg@5", "mrr", "precision_at_k(k=5, average='micro')")),
    ]  # fmt: skip
    for error, message, arguments in cases:
        with pytest.raises(error, match=message):
            sqlmetrics.state(LOG, **{**CLICKS, **arguments})
    rows = LOG.assign(pctr=LOG["pctr"].mask(LOG.index < 7))
    with pytest.warns(sqlmetrics.DroppedRows, match=r"score \(column 'pctr'\) in 7 rows"):
        state = sqlmetrics.state(rows, **CLICKS)
    assert state["row_count"].sum() == len(rows) - 7
    with pytest.raises(data, match=r"score \(column 'pctr'\) in 7 rows"):
        sqlmetrics.state(rows, **CLICKS, strict=True)


def test_evaluate_states_rejects_invalid_arguments() -> None:
    """The messages are those of the dbt package, without the advice that only dbt can follow."""
    binned = [sqlmetrics.state(LOG, **CLICKS, bins=bins, by="day", where=f"day {sign} '{DAYS[1]}'")
              for bins, sign in ((100, "="), (1000, "<>"))]  # fmt: skip
    mixed = pd.concat(binned)
    sums = sqlmetrics.state(LOG, ["precision", "high = recall(threshold=0.9)"], **CLICKS, by="day")
    older = sums.assign(made_with=sums["made_with"].mask(sums["day"] > DAYS[1]))
    ranked = sqlmetrics.state(LOG, label="clicked", score="logit", range=[-3, 3], by="day")
    [row] = sqlmetrics.evaluate_states(ranked, "auc").to_dict("records")
    assert row["auc"] == pytest.approx(sk.roc_auc_score(LOG["clicked"], LOG["logit"]), rel=1e-12)
    parameter, data = sqlmetrics.BadParameter, sqlmetrics.BadData
    settings = (r"^the parts were made with different settings and cannot be added up \(build the state anew, or read "
                r"fewer parts\): .*bins=1000;.* and .*bins=100;")  # fmt: skip
    precision: dict[str, Any] = {"metrics": "precision"}
    cases: list[tuple[type[Exception], str, pd.DataFrame, dict[str, Any]]] = [
        (data, settings, mixed, {}),
        (data, settings[:60], mixed, {"metrics": "log_loss", "by": "late = day > '2026-03-02'"}),
        (data, r"^the state was not made for precision = precision\(threshold=0.9, zero_division=none\) in 4 of 4 "
         r"parts; read the parts that have it, ask for what all have, or build the state anew "
         r"\(parts without it were made for: precision = precision\(threshold=0.5, zero_division=none\); ",
         sums, {"metrics": "precision(threshold=0.9)"}),
        (data, "^8 rows but 4 distinct state_key: some parts are there twice and would count twice; read each part "
         "once, and name what tells the parts apart, such as the day, in by$", pd.concat([sums, sums]), precision),
        (parameter, "has no column mae_sum; ask for what it was made for, or build it anew$", sums, {"metrics": "mae"}),
        (parameter, "it has no column log_loss_sum; ask for what it was made for", ranked, {}),
        (parameter, "^name the metrics, as in metrics='mae': made_for of the states", sums, {}),
        (parameter, "a score_state with bins has auc, ece, .*not 'mae'", binned[0], {"metrics": "mae"}),
        (parameter, "is a state without buckets; build it with buckets=20 and cluster=…$", sums,
         {**precision, "confidence": 0.9}),
        (parameter, "preset has a meaning for states of metrics only", binned[0], {"preset": "spark"}),
        (parameter, "is no state of this version of the package: it has no column made_with; build it anew$", LOG,
         {"metrics": "auc"}),
        (data, "made with different settings .*: nothing and rows with label, score; buckets=none, weight=none, ",
         older, precision),
        (sqlmetrics.MissingColumn, "by: there is no column 'devise'", sums, {**precision, "by": "devise"}),
        (parameter, "by is one list of columns", sums, {**precision, "by": [["day"], []]}),
        (parameter, "expressions; here they make a statement of their own", sums,
         {**precision, "where": "1 = 1)) select 1; drop table x; with y as (select 1 where (1 = 1"}),
        (sqlmetrics.QueryFailed, "^the query failed", sums, {**precision, "where": "devise = 1"}),
        (parameter, "where must be an SQL condition", sums, {**precision, "where": " "}),
        (parameter, "standard_error must be True or False", sums, {**precision, "standard_error": "no"}),
    ]  # fmt: skip
    for error, message, state, arguments in cases:
        with pytest.raises(error, match=message):
            sqlmetrics.evaluate_states(state, **arguments)


def test_states_on_shell(tmp_path: Path) -> None:
    def shell(*arguments: str) -> tuple[int, str]:
        done = CliRunner().invoke(main, list(arguments))
        return done.exit_code, done.output

    log, sums = str(tmp_path / "log.parquet"), str(tmp_path / "sums.csv")
    LOG.to_parquet(log)
    (tmp_path / "days").mkdir()
    for day in DAYS[:2]:
        assert shell("state", log, "--label", "clicked", "--score", "pctr", "--by", "day,device", "--bins", "40",
                     "--buckets", "20", "--cluster", "user_id", "--where", f"day = '{day}'",
                     "-o", str(tmp_path / "days" / f"{day}.parquet")) == (0, "")  # fmt: skip
    files = str(tmp_path / "days" / "*.parquet")
    code, output = shell("eval-states", files, "-m", "auc,log_loss", "--by", "device", "--confidence", "0.9",
                         "--format", "json", "--assert", "auc > 0.5")  # fmt: skip
    assert code == 0
    expected = sqlmetrics.evaluate_states(files, ["auc", "log_loss"], by="device", confidence=0.9)
    pd.testing.assert_frame_equal(pd.DataFrame(json.loads(output)), expected, check_dtype=False, rtol=1e-12)
    config = tmp_path / "state.yml"
    config.write_text(f"data: {log}\nmetrics: [mae, rmse]\nlabel: y\nscore: y_hat\nby: [day]\noutput: {sums}\n")
    assert shell("state", "-c", str(config)) == (0, "")
    code, output = shell("eval-states", sums, "-m", "mae", "--format", "csv")
    assert float(output.split(",")[-1]) == pytest.approx(sk.mean_absolute_error(LOG["y"], LOG["y_hat"]))
    LOG[["doc"]].to_parquet(tmp_path / "items.parquet")
    lists = ["-m", "coverage@3", "-o", sums]
    assert shell("state", log, *lists, "--score", "pctr", "--group", "session", "--item", "doc") == (0, "")
    coverage = ["eval-states", sums, "-m", "coverage@3", "--format", "csv"]
    code, output = shell(*coverage, "--catalog", str(tmp_path / "items.parquet"), "--item", "doc")
    top = LOG.sort_values(["session", "pctr", "doc"], ascending=[True, False, True]).groupby("session").head(3)
    assert float(output.split(",")[-1]) == pytest.approx(top["doc"].nunique() / LOG["doc"].nunique(), rel=1e-9)
    logit = ["state", log, "--label", "clicked", "--score", "logit"]
    for code, message, arguments in [
        (1, "", ["eval-states", files, "-m", "auc", "--assert", "auc > 0.9"]),
        (2, "error: -m: a score_state with bins has auc, ece,", ["eval-states", files, "-m", "mae"]),
        (
            0,
            "state_key,score_key,bins,made_with,row_count,positives,negatives\n",
            [*logit, "--range=-3,3", "--format", "csv"],
        ),
        (2, "error: --range is the lowest and the highest score, as in -5,5, not wide\n", [*logit, "--range", "wide"]),
        (2, "error: name the data: a file, several files, or a query\n", ["state", "--label", "clicked"]),
        (2, "error: coverage_at_3 needs --catalog: relation of all items", coverage),
    ]:
        exit_code, output = shell(*arguments)
        assert exit_code == code
        assert output.startswith(message)
