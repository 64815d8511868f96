"""States made and read from Python and on the shell, against `evaluate` on the log itself."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from sklearn import metrics as sk

import sqlmetrics
from sqlmetrics.cli.output import write_result
from tests.calls import shell
from tests.parameters import quick_every
from tests.statistics.test_state_settings import LOG as MONTH

DAYS = sorted(MONTH["day"].unique())[:3]
LOG = MONTH[MONTH["day"].isin(DAYS)].reset_index(drop=True)
CLICKS: dict[str, Any] = {"label": "clicked", "score": "pctr"}
SCORE_METRICS = ["auc", "log_loss", "brier", "copc", "pcoc"]


@pytest.mark.slow
def test_states_of_files_match_log(tmp_path: Path) -> None:
    """Also of files of a day without rows or devices."""
    roles: dict[str, Any] = {**CLICKS, "weight": "w"}
    rows = LOG.assign(device=LOG["device"].mask(LOG["day"] == DAYS[1]))
    for day in [*DAYS, "2027-01-01"]:
        state = sqlmetrics.state(rows, where=f"day = '{day}'", **roles, by=["day", "device"])
        write_result(str(tmp_path / f"{day}.parquet"), state, exact=[])
        state.to_csv(tmp_path / f"{day}.csv", index=False)
    files = str(tmp_path / "*.parquet")
    by: Any
    for by in (["day", "device"], "late = day > '2026-03-02'"):
        result = sqlmetrics.evaluate_states(files, by=by)
        expected = sqlmetrics.evaluate(rows, SCORE_METRICS, **roles, by=by)
        pd.testing.assert_frame_equal(result, expected, rtol=1e-12)
        assert result.attrs["slices"] == expected.attrs["slices"]
    of_texts = sqlmetrics.evaluate_states(str(tmp_path / "*.csv"), where=f"day >= '{DAYS[1]}'")
    of_files = sqlmetrics.evaluate_states([tmp_path / f"{day}.parquet" for day in DAYS[1:]])
    pd.testing.assert_frame_equal(of_texts, of_files, rtol=1e-12)
    assert of_files["n"][0] == (rows["day"] >= DAYS[1]).sum()


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
        (data, r"^score \(column 'logit'\): \d+ rows where the value is outside \[0, 1\] \(scores that are not "
         r"probabilities need the lowest and the highest, as in range=\[-5, 5\]\); for example", {"score": "logit"}),
        (parameter, "auc cannot be added up from parts: .* a state of scores .*; a state of metrics supports accu",
         {"metrics": "auc"}),
        (parameter, "group requires metrics", {"group": "session"}),
        *((parameter, "requires a state of scores", {"metrics": "mae", **further})
          for further in ({"bins": 5}, {"range": [0, 1]}, {"eps": 0.1})),
        (parameter, "score must be one column", {"score": ["pctr", "logit"]}),
        (data, "rows where the value is neither 0 nor 1", {"label": "= 2"}),
        (sqlmetrics.MissingColumn, "there is no column 'clickt'", {"label": "clickt"}),
        (parameter, "group_weight: states do not support weights of groups",
         {"metrics": "mrr", "group": "session", "group_weight": "w"}),
    ]  # fmt: skip
    for error, message, arguments in cases:
        with pytest.raises(error, match=message):
            sqlmetrics.state(LOG, **{**CLICKS, **arguments})
    rows = LOG.assign(pctr=LOG["pctr"].mask(LOG.index < 7))
    with pytest.warns(sqlmetrics.DroppedRows, match=r"score \(column 'pctr'\) in 7 rows"):
        state = sqlmetrics.state(rows, **CLICKS)
    assert state["row_count"].sum() == len(rows) - 7


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
    settings = (r"^the parts were made with different settings and cannot be added up \(rebuild the state, or read "
                r"fewer parts\): .*bins=1000;.* and .*bins=100;")  # fmt: skip
    precision: dict[str, Any] = {"metrics": "precision"}
    cases: list[tuple[type[Exception], str, pd.DataFrame, dict[str, Any]]] = [
        (data, settings, mixed, {}),
        (data, r"^the state was not made for precision = precision\(threshold=0.9, zero_division=none\) in 3 of 3 "
         r"parts; read the parts that have it, request metrics that all parts have, or rebuild the state "
         r"\(parts without it were made for: precision = precision\(threshold=0.5, zero_division=none\); ",
         sums, {"metrics": "precision(threshold=0.9)"}),
        (data, "^6 rows but 3 distinct state_key: some parts are repeated and would count twice; read each part "
         "once, and name what tells the parts apart, such as the day, in by$", pd.concat([sums, sums]), precision),
        (parameter, "has no column mae_sum; request the metrics in made_for, or rebuild it$", sums, {"metrics": "mae"}),
        (parameter, "^name the metrics, as in metrics='mae'; the column made_for of the states", sums, {}),
        (data, "^a DataFrame is not a state: it has neither a column score_key nor made_for$", LOG, {}),
        (parameter, "a score_state with bins has auc, ece, .*not 'mae'", binned[0], {"metrics": "mae"}),
        (parameter, "is a state without buckets; build it with buckets=20 and cluster=…$", sums,
         {**precision, "confidence": 0.9}),
        (parameter, "preset requires a state of metrics", binned[0], {"preset": "spark"}),
        (parameter, "by must be one list of columns", binned[0], {"by": [["day"]]}),
        (parameter, "is not a state of this version of the package: it has no column made_with; rebuild it$", LOG,
         {"metrics": "auc"}),
        (data, "made with different settings .*: nothing and rows with label, score; buckets=none, weight=none, ",
         older, precision),
        (parameter, "expressions; here they make a statement of their own", sums,
         {**precision, "where": "1 = 1)) select 1; drop table x; with y as (select 1 where (1 = 1"}),
        (sqlmetrics.QueryFailed, "^the query failed", sums, {**precision, "where": "devise = 1"}),
    ]  # fmt: skip
    for error, message, state, arguments in cases:
        with pytest.raises(error, match=message):
            sqlmetrics.evaluate_states(state, **arguments)


def test_states_on_shell(tmp_path: Path) -> None:
    def run(*arguments: str) -> tuple[int, str]:
        done = shell(*arguments)
        return done.exit_code, done.output

    log, sums = str(tmp_path / "log.parquet"), str(tmp_path / "sums.csv")
    LOG.to_parquet(log)
    (tmp_path / "days").mkdir()
    for day in DAYS[:2]:
        assert run("state", log, "--label", "clicked", "--score", "pctr", "--by", "day,device", "--bins", "40",
                   "--buckets", "20", "--cluster", "user_id", "--where", f"day = '{day}'",
                   "-o", str(tmp_path / "days" / f"{day}.parquet")) == (0, "")  # fmt: skip
    files = str(tmp_path / "days" / "*.parquet")
    code, output = run("eval-states", files, "-m", "auc,log_loss", "--by", "device", "--confidence", "0.9",
                       "--format", "json", "--assert", "auc > 0.5")  # fmt: skip
    assert code == 0
    expected = sqlmetrics.evaluate_states(files, ["auc", "log_loss"], by="device", confidence=0.9)
    pd.testing.assert_frame_equal(pd.DataFrame(json.loads(output)), expected, check_dtype=False, rtol=1e-12)
    config = tmp_path / "state.yml"
    config.write_text(f"data: {log}\nmetrics: [mae, rmse]\nlabel: y\nscore: y_hat\nby: [day]\noutput: {sums}\n")
    assert run("state", "-c", str(config)) == (0, "")
    assert sqlmetrics.evaluate_states(sums, "mae, rmse")["n"].tolist() == [len(LOG)]
    lists = ["-m", "coverage@3", "-o", sums, "--score", "pctr", "--group", "session", "--item", "doc"]
    assert run("state", log, *lists) == (0, "")
    logit = ["state", log, "--label", "clicked", "--score", "logit"]
    for code, message, arguments in [
        (1, "", ["eval-states", files, "-m", "auc", "--assert", "auc > 0.9"]),
        (2, "error: -m: a score_state with bins has auc, ece,", ["eval-states", files, "-m", "mae"]),
        (0, "state_key,score_key,bins,made_with,row_count,positives,negatives\n",
         [*logit, "--range=-3,3", "--format", "csv"]),
        (2, "error: --range is the lowest and the highest score, as in -5,5, not wide\n", [*logit, "--range", "wide"]),
        (2, "error: name the data: a file, several files, or a query\n", ["state", "--label", "clicked"]),
        (0, "n,coverage_at_3\n", ["eval-states", sums, "-m", "coverage@3", "--catalog", log, "--item", "doc",
                                   "--format", "csv"]),
        (2, "error: coverage_at_3 needs --catalog: relation of all items",
         ["eval-states", sums, "-m", "coverage@3"]),
    ]:  # fmt: skip
        exit_code, output = run(*arguments)
        assert exit_code == code
        assert output.startswith(message)
