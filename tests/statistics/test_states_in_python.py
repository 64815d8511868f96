"""States made and read from Python and on the shell, against `evaluate` on the log itself."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import pytest
from click.testing import CliRunner
from sklearn import metrics as sk

import sqlmetrics
from sqlmetrics.cli.main import main
from sqlmetrics.cli.output import write_result
from tests.parameters import quick_every, slow
from tests.statistics.test_state_settings import LOG as MONTH
from tests.statistics.test_states import States

DAYS = sorted(MONTH["day"].unique())[:3]
LOG = MONTH[MONTH["day"].isin(DAYS)].reset_index(drop=True)
CLICKS: dict[str, Any] = {"label": "clicked", "score": "pctr"}
NUMBERS: dict[str, Any] = {"label": "y", "score": "y_hat"}
SCORE_METRICS = ["auc", "log_loss", "brier", "copc", "pcoc"]
INTERVAL: dict[str, Any] = {"confidence": 0.9, "standard_error": True}


@pytest.mark.parametrize("metrics", [None, *slow(["mae", "rmse", "max_error", "wmape"])])
def test_states_of_files_match_log(tmp_path: Path, metrics: Any) -> None:
    """Also of files of a day without rows or devices."""
    roles: dict[str, Any] = NUMBERS if metrics else {**CLICKS, "weight": "w"}
    rows = LOG.assign(device=LOG["device"].mask(LOG["day"] == DAYS[1]))
    for day in [*DAYS, "2027-01-01"]:
        state = sqlmetrics.state(rows, metrics, where=f"day = '{day}'", **roles, by=["day", "device"])
        write_result(str(tmp_path / f"{day}.parquet"), state, exact=[])
        state.to_csv(tmp_path / f"{day}.csv", index=False)
    files = str(tmp_path / "*.parquet")
    by: Any
    for by in (["day", "device"], "late = day > '2026-03-02'"):
        result = sqlmetrics.evaluate_states(files, metrics, by=by)
        expected = sqlmetrics.evaluate(rows, metrics or SCORE_METRICS, **roles, by=by)
        pd.testing.assert_frame_equal(result, expected, rtol=1e-12)
        assert result.attrs["slices"] == expected.attrs["slices"]
    of_texts = sqlmetrics.evaluate_states(str(tmp_path / "*.csv"), metrics, where=f"day >= '{DAYS[1]}'")
    of_files = sqlmetrics.evaluate_states([tmp_path / f"{day}.parquet" for day in DAYS[1:]], metrics)
    pd.testing.assert_frame_equal(of_texts, of_files, rtol=1e-12)
    assert of_files["n"][0] == (rows["day"] >= DAYS[1]).sum()
    empty = sqlmetrics.evaluate_states(tmp_path / "2027-01-01.parquet", metrics)
    assert empty["n"].tolist() == [0]
    assert empty.drop(columns="n").isna().all(axis=None)


@pytest.mark.slow
def test_whole_numbers_and_fractions_are_same_cluster() -> None:
    """Next to a missing value pandas turns whole numbers into fractions."""
    users = LOG["user_id"].factorize()[0]
    results = []
    for types in (["int64", "int64"], ["int64", "float64"]):
        states = [
            sqlmetrics.state(LOG.assign(user=users.astype(of_day)), **CLICKS, by="day", bins=50, buckets=20,
                             cluster="user", where=f"day = '{day}'")
            for day, of_day in zip(DAYS[:2], types, strict=True)
        ]  # fmt: skip
        results.append(sqlmetrics.evaluate_states(pd.concat(states), ["copc", "brier"], **INTERVAL))
    pd.testing.assert_frame_equal(*results, rtol=1e-12)


def test_added_metric_is_read_where_it_exists() -> None:
    metrics = {day: ["mae", "rmse"] if day > DAYS[0] else ["mae"] for day in DAYS}
    state = pd.concat(sqlmetrics.state(LOG, metrics[day], where=f"day = '{day}'", **NUMBERS, by="day") for day in DAYS)
    result, expected = sqlmetrics.evaluate_states(state, "mae"), sk.mean_absolute_error(LOG["y"], LOG["y_hat"])
    assert result["mae"].item() == pytest.approx(expected, rel=1e-12)
    message = r"not made for rmse = rmse\(\) in 1 of 3 parts; .* \(parts without it were made for: mae = mae\(\);\)$"
    with pytest.raises(sqlmetrics.BadData, match=message):
        sqlmetrics.evaluate_states(state, "mae, rmse")
    result, rows = sqlmetrics.evaluate_states(state, "rmse", where=f"day > '{DAYS[0]}'"), LOG[LOG["day"] > DAYS[0]]
    assert result["rmse"].item() == pytest.approx(sk.root_mean_squared_error(rows["y"], rows["y_hat"]), rel=1e-12)


@pytest.mark.parametrize("metrics", slow(["mae", "rmse"], None))
def test_states_of_dbt_and_python_add_up(metrics: Any) -> None:
    """The macros of dbt make the state of one day and the library those of the others, with the same keys."""
    given = {"by": ["day", "device"], "buckets": 20, "cluster": "user_id"}
    given |= NUMBERS if metrics else {**CLICKS, "bins": 30}
    macros = States()
    macro = functools.partial(macros.metric_state, metrics=metrics) if metrics else macros.score_state
    with duckdb.connect() as con:
        con.register("log", LOG)
        first, others = f"day = '{DAYS[0]}'", f"day > '{DAYS[0]}'"
        con.execute(f"create table state as\n{macro('log', **given, where=first)}")
        of_python = sqlmetrics.state("log", metrics, **given, where=others, con=con)
        con.execute("insert into state by name select * from of_python")
        mixed = sqlmetrics.evaluate_states("state", metrics, by="device", con=con, confidence=0.9)
        of_macros = con.sql(macro("log", **given, where=others)).df()
    assert list(of_python) == list(of_macros)
    keys = [frame[["state_key", "made_with", "row_count"]].sort_values("state_key", ignore_index=True)
            for frame in (of_python, of_macros)]  # fmt: skip
    pd.testing.assert_frame_equal(*keys)
    whole = sqlmetrics.evaluate_states(sqlmetrics.state(LOG, metrics, **given), metrics, by="device", confidence=0.9)
    pd.testing.assert_frame_equal(mixed, whole, rtol=1e-12)


GROUPS = {**CLICKS, "group": "session"}
#: The roles of a state, a metric of it, and another column for some of the roles.
OTHER_COLUMNS: list[tuple[dict[str, Any], str, dict[str, str]]] = [
    ({**CLICKS, "weight": "w"}, "brier", {"weight": "other_weight", "label": "other_label", "score": "w"}),
    ({"positives": "clicked", "total": "one", "score": "pctr"}, "brier", {"positives": "other_label", "total": "two"}),
    ({**CLICKS, "field": "device"}, "field_ece", {"field": "day"}),
    ({"label": "clicked", "prediction": "other_label"}, "macro_f1", {"label": "one", "prediction": "one"}),
    (GROUPS, "gauc", {"group": "user_id", "score": "w"}),
    ({**GROUPS, "tie_key": "w"}, "mrr(ties='key')", {"tie_key": "pctr"}),
    ({**GROUPS, "propensity": "w"}, "unbiased_dcg", {"propensity": "one"}),
    ({**CLICKS, "cluster": "user_id", "buckets": 4}, "brier", {"cluster": "session"}),
]


@pytest.mark.parametrize(("roles", "metric", "others"), quick_every(len(OTHER_COLUMNS), OTHER_COLUMNS))
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
        (data, r"^the state was not made for precision = precision\(threshold=0.9, zero_division=none\) in 3 of 3 "
         r"parts; read the parts that have it, ask for what all have, or build the state anew "
         r"\(parts without it were made for: precision = precision\(threshold=0.5, zero_division=none\); ",
         sums, {"metrics": "precision(threshold=0.9)"}),
        (data, "^6 rows but 3 distinct state_key: some parts are there twice and would count twice; read each part "
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
        (0, "state_key,score_key,bins,made_with,row_count,positives,negatives\n",
         [*logit, "--range=-3,3", "--format", "csv"]),
        (2, "error: --range is the lowest and the highest score, as in -5,5, not wide\n", [*logit, "--range", "wide"]),
        (2, "error: name the data: a file, several files, or a query\n", ["state", "--label", "clicked"]),
        (2, "error: coverage_at_3 needs --catalog: relation of all items", coverage),
    ]:  # fmt: skip
        exit_code, output = shell(*arguments)
        assert exit_code == code
        assert output.startswith(message)
