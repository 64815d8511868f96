"""The shell: every command, every option, every exit code; what leaves it is clean enough to be parsed."""

from __future__ import annotations

import csv
import io
import itertools
import json
import os
import pty
import re
import shlex
import stat
import subprocess
import sys
import threading
import types
import warnings
from pathlib import Path
from typing import Any

import click
import duckdb
import pandas as pd
import pytest
import yaml
from click.testing import CliRunner, Result

import sqlmetrics
from sqlmetrics import catalogue, cli, progress, running
from sqlmetrics.arguments import ARGUMENTS, in_shell
from sqlmetrics.catalogue import RELATIONS, ROLES, builtin_catalogue, sql_root
from sqlmetrics.definitions import DIALECTS
from sqlmetrics.descriptions import role_words
from sqlmetrics.scaffold import FRAMES
from tests import ROOT
from tests.tiers import slow

PUBLIC_MACROS = (sql_root() / "macros/generated/metrics.sql").read_text(encoding="utf-8")

# Labels 0 0 1 1 with scores .1 .4 .35 .8 are scikit-learn's own example of AUC, 0.75; scores .1 .4 .4 .8 give 0.875.
LOG = """\
click,pctr,other,user_id,device,ts,w
0,0.1,0.1,1,ios,2024-01-01,1
0,0.4,0.4,1,ios,2024-01-01,1
1,0.35,0.4,1,ios,2024-01-02,2
1,0.8,0.8,1,ios,2024-01-02,1
0,0.2,0.9,2,android,2024-01-02,1
1,0.9,0.1,2,android,2024-01-02,3
1,0.5,0.5,2,,2024-01-03,1
"""
ROLES_OF_LOG = ("--label", "click", "--score", "pctr")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Every test runs in a folder of its own that holds log.csv, and registers no metric for the others."""
    (tmp_path / "log.csv").write_text(LOG)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(catalogue, "_registered", None)
    return tmp_path


def shell(*arguments: str) -> Result:
    return CliRunner().invoke(cli.main, list(arguments), prog_name="sqlmetrics")


def records(*arguments: str) -> list[dict[str, object]]:
    result = shell("eval", *arguments, "--format", "json")
    assert (result.exit_code, result.stderr) == (0, "")
    return json.loads(result.stdout)


def refused(*arguments: str) -> str:
    """The line on stderr of a call that ends with 2."""
    result = shell(*arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert re.fullmatch(r"error: .+\n", result.stderr), result.stderr
    assert not of_python(result.stderr)
    return result.stderr


#: An argument as Python writes it. Some parameters of metrics have such names as well, and are written so in `-m`.
_OF_PYTHON = re.compile(rf"\b({'|'.join({one.name for one in ARGUMENTS} - {'bins', 'eps', 'field'})})=\S")


def of_python(message: str) -> re.Match[str] | None:
    """What of a message of the shell is in the syntax of Python."""
    return re.search("[⟨⟩]", message) or _OF_PYTHON.search(message)


def environment(**more: str) -> dict[str, str]:
    path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    return {**os.environ, "PYTHONPATH": path, **more}


def python(*arguments: str, **options: object) -> subprocess.CompletedProcess[bytes]:
    options = {"env": environment(), **options}
    return subprocess.run([sys.executable, *arguments], capture_output=True, timeout=120, check=False, **options)


# ---- help ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(cli.main.commands))
def test_every_command_and_every_option_has_help(name: str) -> None:
    result = shell(name, "--help")
    assert (result.exit_code, result.stderr) == (0, "")
    command = cli.main.commands[name]
    assert command.help
    for option in command.params:
        if isinstance(option, click.Option):
            assert option.help, option.name
            assert option.opts[-1] in result.stdout


def test_the_role_options_are_those_of_the_catalogue() -> None:
    for name in ("eval", "sql"):
        text = " ".join(shell(name, "--help").stdout.split())
        for role, what in ROLES.items():
            assert f"--{role.replace('_', '-')} COLUMN" in text
            assert what[1:] in text


def test_without_a_command_the_shell_prints_its_help() -> None:
    result = shell()
    assert result.exit_code == 0
    assert result.stdout.startswith("Usage: sqlmetrics ")
    assert result.stdout == shell("-h").stdout


def test_version() -> None:
    assert shell("--version").stdout == f"sqlmetrics {sqlmetrics.__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("nonsense",), "No such command 'nonsense'"),
        (("eval", "log.csv", "--nonsense"), "No such option"),
        (("eval", "-m", "auc"), "name the data"),
        (("eval", "log.csv"), "name at least one metric"),
        (("eval", "log.csv", "-m", "acu", *ROLES_OF_LOG), "did you mean 'auc'?"),
        (("eval", "log.csv", "-m", "auc"), "auc needs --label (or --positives and --total)"),
        (("eval", "nowhere.csv", "-m", "auc", *ROLES_OF_LOG), "nowhere.csv"),
        (("eval", "log.csv", "-m", "auc", "--label", "clik", "--score", "pctr"), "did you mean 'click'?"),
        (("eval", "log.csv", "-m", "auc", "--label", "user_id", "--score", "pctr"), "are neither 0 nor 1"),
        (("eval", "log.csv", "-m", "auc", *ROLES_OF_LOG, "--min-rows", "-1"), "--min-rows"),
        (("eval", "log.csv", "-m", "auc", *ROLES_OF_LOG, "--min-rows", "few"), "--min-rows"),
        (("eval", "log.csv", "-m", "auc", *ROLES_OF_LOG, "--format", "xml"), "--format"),
        (("eval", "log.csv", "-m", "auc", *ROLES_OF_LOG, "--db", "none.duckdb"), "none.duckdb"),
        (("eval", "log.csv", "-m", "auc", *ROLES_OF_LOG, "--metrics-dir", "nowhere"), "nowhere"),
        (("eval", "log.csv", "-m", "auc", *ROLES_OF_LOG, "-c", "none.yml"), "none.yml"),
        (("eval", "log.csv", "-m", "auc", *ROLES_OF_LOG, "--by", "a,,b"), "--by is empty"),
        (("show", "acu"), "did you mean 'auc'?"),
        (("sql", "-m", "auc"), "--relation"),
        (("sql", "--relation", "t"), "name at least one metric"),
    ],
)
def test_bad_use_is_one_line_and_2(arguments: tuple[str, ...], words: str) -> None:
    assert words in refused(*arguments)


# ---- the words of an error, in the syntax of who called --------------------------------------------------------------

#: What is wrong with a call: its arguments in Python, and the end of the message in Python and on the shell.
BAD_CALLS: dict[str, tuple[dict[str, Any], str, str]] = {
    "no label": (
        {"score": "pctr"},
        "auc needs label (or positives and total)",
        "auc needs --label (or --positives and",
    ),
    "no column": (
        {"label": "clik", "score": "pctr"},
        "label: there is no column 'clik'",
        "--label: there is no column",
    ),
    "a call as a column": (
        {"label": "abs(click)", "score": "pctr"},
        'written label="= abs(click)"',
        '--label "= abs(click)"',
    ),
    "a call as a slice": (
        {"label": "click", "score": "pctr", "by": ["date_trunc('week', ts)"]},
        """written by="x = date_trunc('week', ts)")""",
        """written --by "x = date_trunc('week', ts)")""",
    ),
    "a comparison as a column": (
        {"label": "w >= 2", "score": "pctr"},
        'written label="= w >= 2"',
        '--label "= w >= 2"',
    ),
    "a text": ({"label": "device", "score": "pctr"}, "label=\"= device = 'yes'\"", "--label \"= device = 'yes'\""),
    "a text as a number": (
        {"label": "click", "score": "device"},
        "score: column 'device' is VARCHAR, and a number is needed; 'ios' in line 2 is not a number",
        "--score: column 'device' is VARCHAR, and a number is needed; 'ios' in line 2 is not a number",
    ),
    "two of one": (
        {"label": "click", "positives": "click", "total": "w", "score": "pctr"},
        "give label or positives, not both",
        "give --label or --positives, not both",
    ),
    "half of two": ({"positives": "click", "score": "pctr"}, "positives and total go", "--positives and --total go"),
    "a role without meaning": (
        {"label": "click", "score": "pctr", "group": "user_id"},
        "group has no meaning",
        "--group has no meaning",
    ),
    "a cluster alone": (
        {"label": "click", "score": "pctr", "cluster": "user_id"},
        "cluster has a meaning with confidence only; give confidence=0.95 or leave it out",
        "--cluster has a meaning with --confidence only; give --confidence 0.95 or leave it out",
    ),
    "replicates alone": (
        {"label": "click", "score": "pctr", "confidence": 0.9, "replicates": 50},
        "method='bootstrap' only; give it or leave replicates out",
        "--method bootstrap only; give it or leave --replicates out",
    ),
    "an underscore": (
        {"label": "click", "score": "pctr", "standard_error": True},
        "standard_error has a meaning with confidence",
        "--standard-error has a meaning with --confidence",
    ),
    "a taken slice": ({"label": "click", "score": "pctr", "by": "auc"}, 'by="my_auc = auc"', '--by "my_auc = auc"'),
    "an empty condition": (
        {"label": "click", "score": "pctr", "where": " "},
        "where must be an SQL",
        "--where must be an SQL",
    ),
    "two expressions": (
        {"label": "click", "score": "= pctr * 2, other"},
        """holds 2 expressions, and each is a value of its own; write them as in score=["= pctr * 2", "other"]""",
        """write them as in --score "= pctr * 2" --score other""",
    ),
    "two expressions as a slice": (
        {"label": "click", "score": "pctr", "by": ["x = device, user_id"]},
        'by=["x = device", "user_id"]',
        '--by "x = device" --by user_id',
    ),
    "two expressions as a label": (
        {"label": "= click, w", "score": "pctr"},
        "label: '= click, w' holds 2 expressions",
        "--label: '= click, w' holds 2 expressions",
    ),
    "labels elsewhere": (
        {"label": "click", "score": "pctr", "judgments": "log.csv"},
        "judgments has no meaning for auc: leave it out; to read labels from another relation, join the two",
        "--judgments has no meaning for auc: leave it out; to read labels from another relation, join the two",
    ),
    "a weight of rows": (
        {"metrics": "ndcg", "label": "click", "score": "pctr", "group": "user_id", "weight": "w"},
        "weight has no meaning for ndcg: leave it out, or give group_weight, the weight of a whole group",
        "--weight has no meaning for ndcg: leave it out, or give --group-weight, the weight of a whole group",
    ),
    "a convention of a preset": (
        {"metrics": "ndcg", "label": "click", "score": "pctr", "group": "user_id", "preset": "trec_eval"},
        "ties='key' (set by the preset 'trec_eval') needs the role tie_key (or item)",
        "ties='key' (set by the preset 'trec_eval') needs the role --tie-key (or --item)",
    ),
    "a convention of its own": (
        {"metrics": "ndcg(ties='key')", "label": "click", "score": "pctr", "group": "user_id", "preset": "trec_eval"},
        "ties='key' needs the role tie_key (or item)",
        "ties='key' needs the role --tie-key (or --item)",
    ),
    "a family": (
        {"metrics": "calibration", "label": "click", "score": "pctr"},
        "there is no metric 'calibration' (it is a family of metrics: brier, cal_n, ",
        "there is no metric 'calibration' (it is a family of metrics: brier, cal_n, ",
    ),
}


def test_the_expression_for_texts_can_be_pasted_into_a_shell(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    pd.DataFrame({"y": [1.0, 2.0, 3.0], "the $": ["$1", "don't know", "$5"]}).to_csv(path, index=False)
    message = refused("eval", str(path), "-m", "mae", "--label", "y", "--score", "the $")
    [option] = re.findall("write (--score .*), which", message)
    result = shell("eval", str(path), "-m", "mae", "--label", "y", *shlex.split(option))
    assert result.stdout.split()[-1] == "1"


@pytest.mark.parametrize("name", BAD_CALLS)
def test_an_error_is_in_the_syntax_of_who_called(name: str) -> None:
    given, in_python, on_the_shell = BAD_CALLS[name]
    with pytest.raises(sqlmetrics.SqlMetricsError) as refusal:
        sqlmetrics.evaluate("log.csv", **{"metrics": "auc", **given})
    message = str(refusal.value)
    assert in_python in message
    assert "--" not in message
    options: list[str] = []
    for argument, value in {"metrics": "auc", **given}.items():
        option = "--" + argument.replace("_", "-")
        for one in value if isinstance(value, list) else [value]:
            options += [option] if one is True else [option, str(one)]
    assert on_the_shell in refused("eval", "log.csv", *options)


@pytest.mark.parametrize(
    "expression",
    [
        "greatest(pctr, other)",
        "case when device in ('ios', 'x,y') then pctr else other end",
        "list_max([pctr, other])",
        "pctr -- not other, as it was",
        "if(E'it\\'s, so' = device, pctr, other)",
    ],
)
def test_a_comma_inside_of_an_expression_is_its_own(expression: str) -> None:
    assert records("log.csv", "-m", "mae", "--label", "click", "--score", f"= {expression}")[0]["n"] == 7


def test_the_shell_has_an_option_for_each_argument_that_errors_mark() -> None:
    paths = [*sql_root().glob("**/*.sql"), *Path(sqlmetrics.__file__).parent.glob("*.py")]
    texts = [path.read_text(encoding="utf-8") for path in paths if path.name not in ("errors.py", "arguments.py")]
    marked = {name for text in texts for name in re.findall(r"⟨(\w+)⟩", text)}
    assert {"score", "confidence", "by"} <= marked
    assert [name for name in marked if in_shell(f"⟨{name}⟩") == name] == []


def test_an_example_in_an_error_marks_its_argument() -> None:
    """What shows an argument with a value is a message that the shell has to rewrite."""
    lines = [line for path in sql_root().glob("macros/**/*.sql") for line in path.read_text("utf-8").splitlines()]
    messages = [line for line in lines if "sqlmetrics.refuse(" in line]
    assert len(messages) > 100
    # A relation is a reference of dbt's there, and `this` a word of dbt's.
    of_dbt = ("relation=", "previous=this")
    assert [line for line in messages if _OF_PYTHON.search(line) and not any(one in line for one in of_dbt)] == []


# ---- eval: what is asked ---------------------------------------------------------------------------------------------


def test_metrics_with_commas_and_repeated() -> None:
    found = records(
        "log.csv", "-m", "auc, ndcg(k=5, gain='linear')", "-m", "mine = ndcg@2", *ROLES_OF_LOG, "--group", "user_id"
    )
    assert list(found[0]) == ["n", "auc", "ndcg_at_5", "mine"]


def test_the_value_is_the_known_one() -> None:
    assert records("log.csv", "-m", "auc", *ROLES_OF_LOG, "--where", "user_id = 1") == [{"n": 4, "auc": 0.75}]


@pytest.mark.parametrize(
    ("metric", "roles"),
    [
        ("precision", {"label": "click", "prediction": "= pctr > 0.3"}),
        ("gauc", {"label": "click", "score": "pctr", "group": "user_id"}),
        ("mrr", {"label": "click", "rank": "= 10 - pctr", "group": "user_id"}),
        ("ndcg(ties='key')", {"label": "click", "score": "other", "group": "user_id", "tie_key": "w"}),
        ("copc", {"label": "click", "score": "pctr", "weight": "w"}),
        ("auc", {"positives": "click", "total": "w", "score": "pctr"}),
        ("mrr", {"label": "click", "score": "pctr", "group": "user_id", "group_weight": "= user_id * 2"}),
    ],
)
def test_each_role_reaches_the_metric(metric: str, roles: dict[str, str]) -> None:
    options = [word for role, value in roles.items() for word in (f"--{role.replace('_', '-')}", value)]
    expected = sqlmetrics.evaluate("log.csv", metric, **roles).to_dict("records")
    assert records("log.csv", "-m", metric, *options) == expected


@pytest.mark.parametrize("words", [("--by", "device,user_id"), ("--by", "device", "--by", "user_id")])
def test_by_takes_commas_and_repeats(words: tuple[str, ...]) -> None:
    found = records("log.csv", "-m", "copc", *ROLES_OF_LOG, *words)
    assert [(row["device"], row["user_id"], row["n"]) for row in found] == [
        ("android", 2, 2),
        ("ios", 1, 4),
        (None, 2, 1),
    ]


def test_an_entry_of_by_with_an_equals_sign_is_one_expression() -> None:
    found = records("log.csv", "-m", "copc", *ROLES_OF_LOG, "--by", "day = date_trunc('day', ts)")
    assert [(row["day"], row["n"]) for row in found] == [("2024-01-01", 2), ("2024-01-02", 4), ("2024-01-03", 1)]


@pytest.mark.parametrize("overall", ["", "overall"])
def test_groupings_at_once(overall: str) -> None:
    found = records(
        "log.csv", "-m", "copc", *ROLES_OF_LOG,
        "--grouping", overall, "--grouping", "device", "--grouping", "device,user_id",
        "--grouping", "day = date_trunc('day', ts), device",
    )  # fmt: skip
    assert list(found[0])[:4] == ["grouping", "device", "user_id", "day"]
    assert [row["n"] for row in found if row["grouping"] == "overall"] == [7]
    assert [row["n"] for row in found if row["grouping"] == "device"] == [2, 4, 1]
    assert [row["n"] for row in found if row["grouping"] == "device, user_id"] == [2, 4, 1]
    assert sorted(row["n"] for row in found if row["grouping"] == "day, device") == [1, 2, 2, 2]


def test_by_and_grouping_exclude_each_other() -> None:
    line = refused("eval", "log.csv", "-m", "auc", *ROLES_OF_LOG, "--by", "device", "--grouping", "user_id")
    assert "--by or --grouping" in line


@pytest.mark.parametrize("words", [("--score", "pctr,other"), ("--score", "pctr", "--score", "other")])
def test_several_scores_are_models(words: tuple[str, ...]) -> None:
    found = records("log.csv", "-m", "auc", "--label", "click", *words, "--where", "user_id = 1")
    assert found == [{"model": "pctr", "n": 4, "auc": 0.75}, {"model": "other", "n": 4, "auc": 0.875}]


def test_a_score_with_an_equals_sign_is_one_expression() -> None:
    one = ("log.csv", "-m", "auc", "--label", "click", "--where", "user_id = 1")
    assert records(*one, "--score", "= greatest(pctr, 0)") == [{"n": 4, "auc": 0.75}]
    assert records(*one, "--score", "safe = greatest(pctr, 0)") == [{"n": 4, "auc": 0.75}]
    assert records(*one, "--score", "safe = greatest(pctr, 0)", "--score", "other") == [
        {"model": "safe", "n": 4, "auc": 0.75},
        {"model": "other", "n": 4, "auc": 0.875},
    ]


def test_data_may_be_several_files_a_glob_or_a_query(here: Path) -> None:
    (here / "more.csv").write_text(LOG)
    for data in (["log.csv", "more.csv"], ["*.csv"], ["select * from read_csv(['log.csv', 'more.csv'])"]):
        assert records(*data, "-m", "copc", *ROLES_OF_LOG)[0]["n"] == 14


def test_diagnostics() -> None:
    row = records("log.csv", "-m", "gauc", *ROLES_OF_LOG, "--group", "user_id", "--diagnostics")[0]
    assert (row["rows_read"], row["rows_dropped"], row["groups"], row["groups_skipped"]) == (7, 0, 2, 0)
    assert "rows_read" not in records(
        "log.csv", "-m", "gauc", *ROLES_OF_LOG, "--group", "user_id", "--diagnostics", "--no-diagnostics"
    )[0]  # fmt: skip


def test_min_rows_leaves_slices_out_and_says_so() -> None:
    result = shell(
        "eval", "log.csv", "-m", "copc", *ROLES_OF_LOG, "--by", "device", "--min-rows", "3", "--format", "json"
    )
    assert [row["device"] for row in json.loads(result.stdout)] == ["ios"]
    assert result.stderr == "warning: 2 slices with fewer than 3 rows left out\n"


def barred(monkeypatch: pytest.MonkeyPatch, columns: int, *arguments: str) -> Result:
    """A slice each with a mean error of 0, 1/3 and 1."""
    monkeypatch.setenv("COLUMNS", str(columns))
    Path("errors.csv").write_text("y,p,s\n0,0,a\n0,1,b\n3,3,b\n2,2,b\n4,5,c\n")
    call = ("eval", "errors.csv", "-m", "mae,max_error", "--label", "y", "--score", "p", "--by", "s", "--bars")
    return shell(*call, *arguments)


def test_bars_stand_where_values_lie_between_the_ends_of_their_column(monkeypatch: pytest.MonkeyPatch) -> None:
    [head, *lines] = barred(monkeypatch, 80).stdout.splitlines()
    assert re.split(" {2,}", head) == ["s", "n", "mae", "0 … 1", "max_error", "0 … 1"]
    start = head.index("0 … 1")
    assert [line[start : start + 16].find("●") for line in lines] == [0, 5, 15]
    # Further columns have bars where there is room, the first one first.
    [head, *_] = barred(monkeypatch, 51).stdout.splitlines()
    assert head.count("…") == 1
    assert head.index("mae") < head.index("…") < head.index("max_error")
    narrow = barred(monkeypatch, 30)
    assert "●" not in narrow.stdout
    assert narrow.stderr.splitlines()[-1] == "warning: no bar is drawn: the terminal is too narrow, with 30 columns"
    for width in (30, 80):
        alike = barred(monkeypatch, width, "--where", "p = 1 or p = 5")
        assert alike.stderr.splitlines()[-1] == "warning: no bar is drawn: the values are all the same"
    plain = barred(monkeypatch, 80, "--no-bars").stdout
    assert narrow.stdout == plain


def test_bars_reach_as_far_as_intervals(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    call = ("-m", "mae", *ROLES_OF_LOG, "--by", "device", "--confidence", "0.9")
    rows = records("log.csv", *call)
    [head, *lines] = shell("eval", "log.csv", *call, "--bars").stdout.splitlines()
    known = [row[name] for row in rows for name in ("mae", "mae_low", "mae_high") if row[name] is not None]
    low, high = min(known), max(known)
    start = re.search(r"\S+ … \S+", head).start()
    for row, line in zip(rows, lines, strict=True):
        bar = line[start:]
        assert bar.index("●") == round(15 * (row["mae"] - low) / (high - low))
        if row["mae_low"] is not None:
            assert len(bar) - 1 == round(15 * (row["mae_high"] - low) / (high - low))
            assert len(bar) - len(bar.lstrip()) == round(15 * (row["mae_low"] - low) / (high - low))
    assert sum("─" in line for line in lines) > 1


def test_bars_are_for_values_in_a_table_on_the_terminal() -> None:
    call = ("eval", "log.csv", *ROLES_OF_LOG, "--bars", "-m")
    assert "leave -o and --format out" in refused(*call, "auc", "--format", "json")
    assert "leave -o and --format out" in refused(*call, "auc", "-o", "auc.csv")
    assert "single numbers by slices" in refused(*call, "roc_curve")


def test_dropped_rows_are_one_line_of_warning_and_strict_makes_them_an_error() -> None:
    call = ("eval", "log.csv", "-m", "auc", "--label", "click", "--score", "= nullif(pctr, 0.1)")
    result = shell(*call)
    assert result.exit_code == 0
    assert re.fullmatch(r"warning: rows were left out .* 1 row\n", result.stderr)
    assert "left out" in refused(*call, "--strict")
    assert shell(*call, "--strict", "--no-strict").exit_code == 0


def test_a_failed_query_is_one_line_and_its_sql_only_when_asked() -> None:
    call = ("eval", "log.csv", "-m", "auc", "--label", "click", "--score", "= nonsense(pctr)")
    line = refused(*call)
    assert "nonsense" in line
    result = shell(*call, "--show-sql")
    assert result.exit_code == 2
    assert result.stderr.startswith(line)
    assert "from read_csv('log.csv'" in result.stderr


def test_threads_memory_and_no_bar_of_the_engine() -> None:
    data = (
        "select 0 as zero, current_setting('threads') as threads, "
        "(current_setting('memory_limit') = '95.3 MiB')::int as limited, "
        "current_setting('enable_progress_bar_print')::int as draws"
    )
    call = (data, "-m", "mae", "--label", "zero", "--threads", "3", "--memory-limit", "100MB")
    found = {row["model"]: row["mae"] for row in records(*call, "--score", "threads,limited,draws")}
    assert found == {"threads": 3, "limited": 1, "draws": 0}
    assert "--memory-limit must be as" in refused("eval", *call[:-1], "much", "--score", "threads")
    assert "--threads" in refused("eval", *call, "--score", "threads", "--threads", "0")


# ---- eval: a database ------------------------------------------------------------------------------------------------


@pytest.fixture
def database(here: Path) -> str:
    with duckdb.connect(str(here / "logs.duckdb")) as con:
        con.execute("create table impressions as select * from 'log.csv'")
        con.execute("create view first_user as select * from impressions where user_id = 1")
    return "logs.duckdb"


@pytest.mark.parametrize("data", ["first_user", "FIRST_USER", "select * from impressions where user_id = 1"])
def test_a_view_or_query_of_a_database(database: str, data: str) -> None:
    assert records(data, "--db", database, "-m", "auc", *ROLES_OF_LOG) == [{"n": 4, "auc": 0.75}]


def test_the_database_is_opened_read_only(database: str) -> None:
    # The engine refuses a second connection of this process that would differ in this.
    with duckdb.connect(database, read_only=True):
        assert records("impressions", "--db", database, "-m", "copc", *ROLES_OF_LOG)[0]["n"] == 7


def test_what_is_wrong_with_a_database(database: str, here: Path) -> None:
    call = ("-m", "auc", *ROLES_OF_LOG, "--db")
    assert "did you mean 'impressions'?" in refused("eval", "impresions", *call, database)
    assert "one table" in refused("eval", "impressions", "first_user", *call, database)
    # A local variable of the program is no table.
    assert "no table or view 'data'" in refused("eval", "data", *call, database)
    (here / "text.duckdb").write_text("no database")
    assert "text.duckdb" in refused("eval", "impressions", *call, "text.duckdb")


def test_threads_are_set_in_a_database_too(database: str) -> None:
    data = "select 0 as zero, current_setting('threads') as threads from first_user limit 1"
    found = records(data, "--db", database, "-m", "mae", "--label", "zero", "--score", "threads", "--threads", "3")
    assert found == [{"n": 1, "mae": 3}]


# ---- what is printed -------------------------------------------------------------------------------------------------

#: Slices that a careless writer would break on.
NASTY = ["a,b", 'quo"te', "pi|pe", "[red]x", "line\nbreak", "\x1b[31mescape", "", "café 漢字", " padded ", None]


@pytest.fixture
def nasty(here: Path) -> tuple[str, ...]:
    frame = pd.DataFrame({"slice": NASTY, "click": [0] * 9 + [1], "p": [1 / 3] * 10})
    with duckdb.connect() as con:
        con.register("frame", frame)
        con.execute("copy (select * from frame) to 'nasty.parquet'")
    return ("eval", "nasty.parquet", "-m", "copc,auc", "--label", "click", "--score", "p", "--by", "slice")


def test_json_is_exact(nasty: tuple[str, ...]) -> None:
    found = json.loads(shell(*nasty, "--format", "json").stdout)
    assert {row["slice"]: (row["n"], row["copc"], row["auc"]) for row in found} == {
        name: (1, 3.0 if name is None else 0.0, None) for name in NASTY
    }


def test_csv_is_exact(nasty: tuple[str, ...]) -> None:
    text = shell(*nasty, "--format", "csv").stdout
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    assert sorted(row["slice"] for row in rows) == sorted(name or "" for name in NASTY)
    assert {(row["n"], row["auc"]) for row in rows} == {("1", "")}
    # NULL and the empty text are told apart by those who can: the engine's own reader is one.
    Path("out.csv").write_text(text, newline="")
    read = duckdb.sql("select slice from read_csv('out.csv', allow_quoted_nulls = false)").fetchall()
    assert {name for (name,) in read} == set(NASTY)


def test_markdown_keeps_one_row_a_line(nasty: tuple[str, ...]) -> None:
    lines = shell(*nasty, "--format", "markdown").stdout.splitlines()
    assert lines[:2] == ["| slice | n | copc | auc |", "| --- | ---: | ---: | ---: |"]
    assert len(lines) == 2 + len(NASTY)
    cells = [re.split(r"(?<!\\)\|", line) for line in lines]
    assert {len(row) for row in cells} == {6}
    assert "\x1b" not in "".join(lines)


def test_piped_table_is_plain_aligned_text() -> None:
    result = shell("eval", "log.csv", "-m", "auc,copc", *ROLES_OF_LOG, "--by", "device")
    # 2 clicks of 1.65 predicted; 1 of 1.1; 1 of 0.5.
    assert result.stdout == (
        "device   n   auc      copc\n"
        "android  2     1  0.909091\n"
        "ios      4  0.75   1.21212\n"
        "NULL     1  NULL         2\n"
    )  # fmt: skip


def test_digits_are_full_in_csv_and_json_and_six_in_tables() -> None:
    call = ("log.csv", "-m", "copc", *ROLES_OF_LOG, "--where", "user_id = 1")
    assert records(*call) == [{"n": 4, "copc": 2 / (0.1 + 0.4 + 0.35 + 0.8)}]
    expected = {"csv": repr(2 / (0.1 + 0.4 + 0.35 + 0.8)), "table": " 1.21212\n", "markdown": "| 1.21212 |"}
    for format, text in expected.items():
        assert text in shell("eval", *call, "--format", format).stdout


def test_slices_are_never_rounded() -> None:
    data = "select 1 as click, 0.5 as p, 12345678.25::double as price, 1234567890123456789 as id"
    call = ("eval", data, "-m", "copc", "--label", "click", "--score", "p", "--by", "price,id")
    for format in ("table", "csv", "json", "markdown"):
        text = shell(*call, "--format", format).stdout
        assert "12345678.25" in text
        assert "1234567890123456789" in text


def test_every_kind_of_slice_can_be_printed() -> None:
    data = (
        "select 1 as click, 0.5 as p, true as yes, timestamp '2024-01-01 10:30:00' as ts, [1, 2] as list, "
        "{'a': 1.5} as struct, interval 1 day as span, time '10:30:00' as clock, '\\x41'::blob as bytes, "
        "'9b2f9c1e-0000-4000-8000-000000000001'::uuid as uuid, 1.5::decimal(4, 2) as fixed"
    )
    names = "yes,ts,list,struct,span,clock,bytes,uuid,fixed"
    call = ("eval", data, "-m", "copc", "--label", "click", "--score", "p", "--by", names)
    row = json.loads(shell(*call, "--format", "json").stdout)[0]
    assert (row["yes"], row["ts"], row["list"], row["struct"]) == (True, "2024-01-01 10:30:00", [1, 2], {"a": 1.5})
    assert (row["clock"], row["uuid"], row["fixed"]) == ("10:30:00", "9b2f9c1e-0000-4000-8000-000000000001", 1.5)
    for format in ("table", "csv", "markdown"):
        text = shell(*call, "--format", format).stdout
        assert "true" in text
        assert "10:30:00" in text


def test_the_infinite_threshold_of_a_curve() -> None:
    call = ("eval", "log.csv", "-m", "roc_curve", *ROLES_OF_LOG, "--format")
    first = json.loads(shell(*call, "json").stdout)[0]
    assert float(first["threshold"]) == float("inf")
    assert next(csv.DictReader(io.StringIO(shell(*call, "csv").stdout)))["threshold"] == "inf"


def test_no_rows() -> None:
    call = ("eval", "log.csv", "-m", "auc", *ROLES_OF_LOG, "--by", "device", "--where", "false", "--format")
    assert shell(*call, "json").stdout == "[]\n"
    assert shell(*call, "csv").stdout == "device,n,auc\n"
    assert shell(*call, "table").stdout == "device  n  auc\n"
    assert shell(*call, "markdown").stdout.splitlines()[0] == "| device | n | auc |"


# ---- files -----------------------------------------------------------------------------------------------------------


def test_output_by_ending(here: Path) -> None:
    call = ("eval", "log.csv", "-m", "auc,copc", *ROLES_OF_LOG, "--by", "device,ts")
    for ending, format in (("csv", "csv"), ("json", "json"), ("jsonl", "jsonl"), ("md", "markdown")):
        result = shell(*call, "-o", f"out.{ending}")
        assert (result.exit_code, result.output) == (0, "")
        assert Path(f"out.{ending}").read_text(encoding="utf-8") == shell(*call, "--format", format).stdout
    assert shell(*call, "-o", "out.parquet").exit_code == 0
    read = duckdb.sql("select device, ts::date::text as ts, n, auc, copc from 'out.parquet'").fetchall()
    printed = json.loads(shell(*call, "--format", "json").stdout)
    assert [json.loads(line) for line in shell(*call, "--format", "jsonl").stdout.splitlines()] == printed
    assert read == [tuple(row.values()) for row in printed]
    assert not list(here.glob(".*"))


def test_a_parquet_file_without_rows() -> None:
    call = ("eval", "log.csv", "-m", "auc", *ROLES_OF_LOG, "--by", "device", "--where", "false", "-o", "out.parquet")
    assert shell(*call).exit_code == 0
    assert duckdb.sql("from 'out.parquet'").columns == ["device", "n", "auc"]


def test_format_and_output_must_agree() -> None:
    call = ("eval", "log.csv", "-m", "auc", *ROLES_OF_LOG, "-o", "out.json", "--format")
    assert "contradict" in refused(*call, "csv")
    assert shell(*call, "json").exit_code == 0


@pytest.mark.parametrize(
    ("output", "words"),
    [
        ("out.txt", ".parquet"),
        ("out", ".parquet"),
        ("no/such/out.csv", "no folder"),
        ("folder.csv", "is a folder"),
    ],
)
def test_output_that_cannot_be(here: Path, output: str, words: str) -> None:
    (here / "folder.csv").mkdir()
    assert words in refused("eval", "log.csv", "-m", "auc", *ROLES_OF_LOG, "-o", output)


@pytest.mark.parametrize("data", ["log.csv", "./log.csv", "*.csv", "select * from 'log.csv'"])
@pytest.mark.parametrize("output", ["log.csv", "link.csv"])
def test_an_input_is_never_written_over(here: Path, data: str, output: str) -> None:
    (here / "link.csv").symlink_to("log.csv")
    assert "input" in refused("eval", data, "-m", "auc", *ROLES_OF_LOG, "-o", output)
    assert (here / "log.csv").read_text() == LOG


def test_the_database_and_the_config_are_inputs_too(here: Path) -> None:
    with duckdb.connect("db.csv") as con:
        con.execute("create table t as select 1 as click, 0.5 as pctr")
    assert "input" in refused("eval", "t", "--db", "db.csv", "-m", "copc", *ROLES_OF_LOG, "-o", "db.csv")
    (here / "options.json").write_text('{"metrics": "auc"}')
    assert "input" in refused("eval", "log.csv", *ROLES_OF_LOG, "-c", "options.json", "-o", "options.json")


@pytest.mark.parametrize("relation", RELATIONS)
def test_a_relation_is_never_written_over(here: Path, relation: str) -> None:
    (here / "related.csv").write_text("precious")
    option = "--" + relation.replace("_", "-")
    call = ("eval", "log.csv", "-m", "map", *ROLES_OF_LOG, option, "related.csv", "-o", "related.csv")
    assert "input" in refused(*call)
    assert (here / "related.csv").read_text() == "precious"


@pytest.mark.slow
def test_no_file_of_a_folder_is_written_over_nor_standard_input(here: Path) -> None:
    (here / "logs" / "day=1").mkdir(parents=True)
    for name in ("logs/monday.csv", "logs/day=1/part.csv"):
        (here / name).write_text(LOG)
        assert "input" in refused("eval", "logs", "-m", "auc", *ROLES_OF_LOG, "-o", name)
        assert (here / name).read_text() == LOG
    command = [sys.executable, "-m", "sqlmetrics", "eval", "-", "-m", "auc", *ROLES_OF_LOG, "-o"]
    with (here / "log.csv").open() as standard_input:
        found = subprocess.run([*command, "log.csv"], stdin=standard_input, capture_output=True, text=True, check=False)
    assert found.returncode == 2
    assert "input" in found.stderr
    assert (here / "log.csv").read_text() == LOG
    with (here / "log.csv").open() as standard_input:
        subprocess.run([*command, "out.csv"], stdin=standard_input, check=True)


def test_a_failure_leaves_the_file_that_was_there(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("out.csv").write_text("precious")
    refused("eval", "log.csv", "-m", "auc", "--label", "click", "--score", "nope", "-o", "out.csv")

    def full(self: Path, data: bytes) -> int:
        with self.open("wb") as file:
            file.write(data[:3])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    assert "No space left" in refused("eval", "log.csv", "-m", "auc", *ROLES_OF_LOG, "-o", "out.csv")
    assert Path("out.csv").read_text() == "precious"
    assert sorted(path.name for path in here.iterdir()) == ["log.csv", "out.csv"]


def test_a_file_is_replaced_with_its_permissions_and_through_its_link(here: Path) -> None:
    Path("real.csv").write_text("old")
    Path("real.csv").chmod(0o640)
    Path("out.csv").symlink_to("real.csv")
    assert shell("eval", "log.csv", "-m", "auc", *ROLES_OF_LOG, "-o", "out.csv").exit_code == 0
    assert Path("out.csv").is_symlink()
    assert Path("real.csv").read_text().startswith("n,auc\n")
    assert stat.S_IMODE(Path("real.csv").stat().st_mode) == 0o640


# ---- assertions ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("test", "code"),
    [
        ("auc >= 0.75", 0),
        ("auc > 0.75", 1),
        ("auc <= 0.75", 0),
        ("auc < 0.75", 1),
        ("auc == 0.75", 0),
        ("auc != 0.75", 1),
        ("auc>=7.5e-1", 0),
        ("n == 4", 0),
        ("auc <= inf", 0),
    ],
)
def test_each_comparison(test: str, code: int) -> None:
    result = shell("eval", "log.csv", "-m", "auc", *ROLES_OF_LOG, "--where", "user_id = 1", "--assert", test)
    assert result.exit_code == code
    assert "0.75" in result.stdout
    bound = re.sub(r"^\w+\s*", "", test)
    assert result.stderr == ("" if code == 0 else f"assertion failed: auc is 0.75, not {bound}\n")


def test_an_assertion_holds_for_every_row_and_names_those_that_fail() -> None:
    call = ("eval", "log.csv", "-m", "auc", "--label", "click", "--score", "pctr,other", "--by", "device")
    result = shell(*call, "--assert", "n > 0", "--assert", "auc >= 0.8")
    assert result.exit_code == 1
    assert result.stderr.splitlines() == [
        "assertion failed: device=android, model=other: auc is 0.0, not >= 0.8",
        "assertion failed: device=ios, model=pctr: auc is 0.75, not >= 0.8",
        "assertion failed: device=NULL, model=pctr: auc is NULL, not >= 0.8",
        "assertion failed: device=NULL, model=other: auc is NULL, not >= 0.8",
    ]


def test_an_assertion_on_a_table_names_its_group_or_its_row() -> None:
    call = ("eval", "log.csv", *ROLES_OF_LOG, "-m")
    result = shell(*call, "group_auc", "--group", "user_id", "--assert", "auc > 0.9")
    assert result.exit_code == 1
    assert result.stderr == "assertion failed: user_id=1: auc is 0.75, not > 0.9\n"
    result = shell(*call, "roc_curve", "--where", "user_id = 1", "--assert", "tpr < 1")
    assert result.stderr.splitlines()[0] == "assertion failed: row 4: tpr is 1.0, not < 1"


@pytest.mark.parametrize(
    ("by", "shown"),
    [
        ("ts", "2024-01-02"),
        ("first = ts < date '2024-01-02'", "false"),
        ("moment = ts + interval 1 minute", "2024-01-02 00:01:00"),
    ],
)
def test_an_assertion_over_days_and_truths_is_over_what_is_shown(by: str, shown: str) -> None:
    name = by.partition(" =")[0]
    call = ("eval", "log.csv", "-m", "copc", *ROLES_OF_LOG, "--by", by, "--where", "ts = date '2024-01-02'", "--assert")
    assert shell(*call, f"{name} == '{shown}'").exit_code == 0
    result = shell(*call, f"{name} != '{shown}'")
    assert result.exit_code == 1
    assert f"{name} is '{shown}', not != '{shown}'" in result.stderr


@pytest.mark.parametrize("ending", ["parquet", "json", "csv"])
@pytest.mark.parametrize(
    ("by", "found"),
    [("version", {"1.1": 0.75, "1.10": 0.25, "2.0": 0.25}), ("dev", {"": 0.75, "a": 0.25, None: 0.25}),
     ("truth", {"TRUE": 0.75, "true": 0.25, "false": 0.25})],
)  # fmt: skip
def test_slices_of_a_state_are_those_that_were_written(
    here: Path, ending: str, by: str, found: dict[Any, float]
) -> None:
    """Texts that look like numbers or truths, and the empty one beside NULL, in files that say nothing of types."""
    pd.DataFrame({
        "click": [0, 1] * 6, "pctr": [0.1, 0.9, 0.5, 0.3, 0.8, 0.2, 0.4, 0.7, 0.6, 0.1, 0.2, 0.3],
        "version": ["1.1"] * 4 + ["1.10"] * 4 + ["2.0"] * 4, "dev": [""] * 4 + [None] * 4 + ["a"] * 4,
        "truth": ["TRUE"] * 4 + ["true"] * 4 + ["false"] * 4,
    }).to_parquet(here / "texts.parquet")  # fmt: skip
    call = ("state", "texts.parquet", *ROLES_OF_LOG, "--by", "version,dev,truth", "-o", f"state.{ending}")
    assert shell(*call).exit_code == 0
    assert shell("eval-states", f"state.{ending}", "-m", "auc", "--by", by, "-o", "out.parquet").exit_code == 0
    told = pd.read_parquet("out.parquet")
    slices = [None if pd.isna(one) else one for one in told[by]]
    assert dict(zip(slices, told["auc"], strict=True)) == pytest.approx(found)


def test_an_empty_result_fails_an_assertion() -> None:
    call = ("eval", "log.csv", "-m", "auc", *ROLES_OF_LOG, "--by", "device", "--where", "false")
    result = shell(*call, "--assert", "auc >= 0")
    assert result.exit_code == 1
    assert result.stderr == "assertion failed: auc >= 0: the result has no rows\n"


def test_the_result_is_written_even_where_an_assertion_fails() -> None:
    result = shell("eval", "log.csv", "-m", "auc", *ROLES_OF_LOG, "-o", "out.csv", "--assert", "auc > 1")
    assert result.exit_code == 1
    assert Path("out.csv").read_text().startswith("n,auc\n7,")


@pytest.mark.parametrize(
    ("test", "words"),
    [
        ("auc", "COLUMN OP NUMBER"),
        ("auc = 0.7", "COLUMN OP NUMBER"),
        ("auc >= high", "COLUMN OP NUMBER"),
        ("auc >= nan", "COLUMN OP NUMBER"),
    ],
)
def test_an_assertion_that_cannot_be(test: str, words: str) -> None:
    line = refused("eval", "log.csv", "-m", "auc", *ROLES_OF_LOG, "--by", "device", "--assert", test)
    assert words in line


@pytest.mark.parametrize(
    ("test", "words"), [("acu > 0", "did you mean 'auc'?"), ("device > 1", "does not hold numbers")]
)
def test_an_assertion_about_another_column_does_not_cost_the_result(test: str, words: str) -> None:
    call = ("eval", "log.csv", "-m", "auc", *ROLES_OF_LOG, "--by", "device")
    found = shell(*call, "--assert", test)
    assert found.exit_code == 2
    assert re.fullmatch(rf"error: --assert: .*{re.escape(words)}.*\n", found.stderr)
    assert found.stdout == shell(*call).stdout
    assert shell(*call, "--assert", test, "-o", "kept.csv").exit_code == 2
    assert Path("kept.csv").read_text() == shell(*call, "--format", "csv").stdout


# ---- the YAML file ---------------------------------------------------------------------------------------------------


def config(**options: object) -> str:
    Path("options.yml").write_text(yaml.safe_dump({key.rstrip("_"): value for key, value in options.items()}))
    return "options.yml"


def test_a_file_of_options() -> None:
    path = config(
        data="log.csv",
        metrics=["auc, copc", {"name": "ndcg", "k": 2, "as": "mine"}],
        label="click",
        score=["pctr", "other"],
        group="user_id",
        by=["device", "day = date_trunc('day', ts)"],
        where="user_id = 1",
        min_rows=1,
        format="json",
        threads=1,
        assert_="n >= 2",
        **{"memory-limit": "1GB", "strict": True, "diagnostics": True, "tie-key": None},
    )
    result = shell("eval", "-c", path)
    assert (result.exit_code, result.stderr) == (0, "")
    found = json.loads(result.stdout)
    assert [(row["day"], row["model"]) for row in found] == [
        ("2024-01-01", "pctr"),
        ("2024-01-01", "other"),
        ("2024-01-02", "pctr"),
        ("2024-01-02", "other"),
    ]
    assert {"auc", "copc", "mine", "rows_read"} <= set(found[0])


def test_the_command_line_overrides_the_file() -> None:
    path = config(
        data="nowhere.csv",
        metrics=["copc"],
        label="click",
        score="pctr",
        by=[[], ["device"]],
        format="csv",
        strict=True,
    )
    result = shell(
        "eval",
        "log.csv",
        "-c",
        path,
        "-m",
        "auc",
        "--score",
        "other",
        "--by",
        "user_id",
        "-o",
        "out.json",
        "--no-strict",
    )
    assert (result.exit_code, result.stderr) == (0, "")
    found = json.loads(Path("out.json").read_text())
    assert [(row["user_id"], list(row)) for row in found] == [
        (1, ["user_id", "n", "auc"]),
        (2, ["user_id", "n", "auc"]),
    ]
    assert found[0]["auc"] == 0.875


def test_by_in_the_file_may_be_lists_of_columns() -> None:
    path = config(data="log.csv", metrics="copc", label="click", score="pctr", by=[[], ["device", "user_id"]])
    found = records("-c", path)
    assert [(row["grouping"], row["n"]) for row in found] == [
        ("overall", 7),
        ("device, user_id", 2),
        ("device, user_id", 4),
        ("device, user_id", 1),
    ]
    path = config(data="log.csv", metrics="copc", label="click", score="pctr", grouping=["overall", ["device"]])
    assert [row["n"] for row in records("-c", path)] == [7, 2, 4, 1]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("metric: auc", "no option 'metric' (did you mean 'metrics'?)"),
        ("asserts: auc >= 0.7", "no option 'asserts' (did you mean 'assert'?)"),
        ("assertions: auc >= 0.7", "no option 'assertions' (did you mean 'assert'?)"),
        ("config: other.yml", "no option 'config'"),
        ("- auc", "`option: value`"),
        ("", "`option: value`"),
        ("just text", "`option: value`"),
        ("metrics: [auc", "not YAML"),
        ("label: true", "label must be text, not True"),
        ("confidence: yes", "confidence must be a number, not True"),
        ("where: [a]", "where must be text"),
        ("metrics: [1]", "metrics must be text"),
        ("strict: 1", "strict must be true or false"),
        ("min_rows: many", "min-rows must be a whole number"),
        ("min_rows: true", "min-rows must be a whole number"),
        ("min_rows: -1", "min-rows: "),
        ("format: xml", "format: "),
        ("db: none.duckdb", "db: "),
        ("by: [[a], b]", "not a mixture"),
        ("{by: [[a]], grouping: b}", "by or grouping"),
        ("{min_rows: 1, min-rows: 2}", "given twice"),
    ],
)
def test_what_is_wrong_with_the_file(text: str, words: str) -> None:
    Path("options.yml").write_text(text)
    line = refused("eval", "log.csv", "-m", "auc", *ROLES_OF_LOG, "-c", "options.yml")
    assert "options.yml" in line
    assert words in line


@pytest.mark.parametrize("command", ["eval", "compare", "report"])
def test_an_option_that_the_file_gives_twice(command: str) -> None:
    """YAML would keep the second without a word: an assertion that fails was lost."""
    options = cli.main.commands[command].params  # type: ignore[attr-defined]
    names = [name[2:] for one in options for name in one.opts if name.startswith("--") and name != "--config"]
    assert {"assert", "metrics", "by"} & set(names)
    for name in names:
        Path("options.yml").write_text(f"{name}: a\n\n{name}: b\n")
        assert f"'{name}' is given twice, the second time in line 3" in refused(command, "x.csv", "-c", "options.yml")


@pytest.mark.parametrize(
    "text",
    ["metrics: [{name: ndcg, k: 5, k: 10}]", "{metrics: [auc, {name: auc_mu, scores: {a: p, a: q}}]}",
     "by: [[{a: 1, 'a': 2}]]", "assert: &x {<<: {a: 1}, a: 2, b: [*x, {c: 1, \"c\": 1}]}", "where: {1: a, 1.0: b}"],
)  # fmt: skip
def test_a_key_that_stands_twice_at_some_depth(text: str) -> None:
    Path("options.yml").write_text(text)
    assert "is given twice, the second time in line 1" in refused("eval", "log.csv", "-c", "options.yml")


def test_a_file_that_is_no_text() -> None:
    Path("options.yml").write_bytes(b"label: \xff\xfe")
    assert "UTF-8" in refused("eval", "log.csv", "-c", "options.yml")


# ---- sql -------------------------------------------------------------------------------------------------------------


def test_sql_is_what_render_gives() -> None:
    common = ("--relation", "{{ ref('log') }}", "--label", "= rating >= 4", "--score", "pctr", "--by", "device")
    expected = {"relation": "{{ ref('log') }}", "label": "= rating >= 4", "score": "pctr", "by": ["device"]}
    assert shell("sql", "auc", "-m", "copc", *common).stdout == sqlmetrics.render(["auc", "copc"], **expected)
    for dialect in DIALECTS:
        text = sqlmetrics.render("auc", **expected, dialect=dialect, where="n > 1", shape="distinct")
        options = ("--dialect", dialect, "--where", "n > 1", "--shape", "distinct")
        result = shell("sql", "-m", "auc", *common, *options)
        assert (result.exit_code, result.stdout, result.stderr) == (0, text, "")
        assert dialect in shell("sql", "--help").stdout
        assert shell("sql", "-m", "auc", *common, *options, "-o", "model.sql").output == ""
        assert Path("model.sql").read_text() == text


def test_sql_takes_groupings_models_and_every_role() -> None:
    result = shell(
        "sql", "auc", "--relation", "t", "--label", "y", "--score", "a,b", "--grouping", "", "--grouping", "c"
    )
    assert result.stdout == sqlmetrics.render("auc", relation="t", label="y", score=["a", "b"], by=[[], ["c"]])
    result = shell(
        "sql", "mrr", "--relation", "t", "--label", "y", "--rank", "r", "--group", "g", "--group-weight", "w"
    )
    assert result.stdout == sqlmetrics.render("mrr", relation="t", label="y", rank="r", group="g", group_weight="w")


def test_sql_refuses() -> None:
    assert "postgres" in refused("sql", "auc", "--relation", "t", *ROLES_OF_LOG, "--dialect", "oracle")
    assert "--shape" in refused("sql", "auc", "--relation", "t", *ROLES_OF_LOG, "--shape", "round")
    assert "relation is empty" in refused("sql", "auc", "--relation", " ", *ROLES_OF_LOG)
    assert "no folder" in refused("sql", "auc", "--relation", "t", *ROLES_OF_LOG, "-o", "no/such/model.sql")


# ---- list, show, new -------------------------------------------------------------------------------------------------


def test_list_names_every_metric() -> None:
    found = json.loads(shell("list", "--format", "json").stdout)
    assert found == [
        {"name": metric.name, "title": metric.title, "family": metric.family}
        for metric in builtin_catalogue().metrics.values()
    ]
    lines = shell("list").stdout.splitlines()
    assert lines[0].split() == ["name", "title", "family"]
    assert len(lines) == 1 + len(found)


@pytest.mark.parametrize(
    ("dialect", "words"),
    [("spark", "run on the engine"), ("bigquery", "run on a stand-in"), ("trino", "read by parsers")],
)
def test_list_says_what_is_tested_in_a_dialect(dialect: str, words: str, tmp_path: Path) -> None:
    own = tmp_path / "mine.sql"
    own.write_text((sql_root() / "macros" / "binary" / "error_rate.sql").read_text().replace("error_rate", "mine"))
    result = shell("list", "--dialect", dialect, "--metrics-dir", str(own), "--format", "csv")
    tested = {row["name"]: row["tested"] for row in csv.DictReader(result.stdout.splitlines())}
    assert tested.pop("mine") == "not tested"
    assert set(tested.values()) == {words}
    assert words in shell("show", "auc").stdout


def test_list_finds_by_family_and_by_words() -> None:
    def names(*arguments: str) -> list[str]:
        return [json.loads(line)["name"] for line in shell("list", *arguments, "--format", "jsonl").stdout.splitlines()]

    assert set(names("--family", "grouped")) == {"gauc", "group_auc"}
    assert names("Log", "LOSS", "multi") == ["multi_log_loss"]
    assert names("roc_auc_score") == ["auc", "partial_auc", "multi_auc"]  # as scikit-learn calls it
    assert names("auc", "--family", "ranking") == ["pairwise_accuracy"]  # which is that of two labels
    assert "did you mean 'ranking'?" in refused("list", "--family", "rankin")


def test_the_shell_completes_metrics() -> None:
    def completed(*words: str) -> list[str]:
        variables = {"_SQLMETRICS_COMPLETE": "bash_complete", "COMP_WORDS": " ".join(words)}
        found = python("-m", "sqlmetrics", env=environment(**variables, COMP_CWORD=str(len(words) - 1)))
        return found.stdout.decode().split()

    assert completed("sqlmetrics", "show", "ndc") == ["plain,ndcg"]
    assert completed("sqlmetrics", "eval", "x.csv", "-m", "auc,ndc") == ["plain,auc,ndcg"]
    assert "_SQLMETRICS_COMPLETE=bash_source" in shell("--help").stdout


@pytest.mark.parametrize("command", [["--help"], ["--version"], ["list"], ["show", "auc"], ["eval", "--help"]])
def test_what_computes_nothing_imports_neither_the_engine_nor_pandas(command: list[str]) -> None:
    result = python("-X", "importtime", "-m", "sqlmetrics", *command)
    imported = {line.rpartition("|")[2].strip() for line in result.stderr.decode().splitlines()}
    assert result.returncode == 0
    assert result.stdout
    assert "click" in imported
    assert not {"duckdb", "pandas", "numpy"} & imported


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", sorted(builtin_catalogue().metrics))
def test_show_says_everything(name: str) -> None:
    result = shell("show", name)
    assert (result.exit_code, result.stderr) == (0, "")
    text = " ".join(result.stdout.split())
    metric = builtin_catalogue()[name]
    facts = [metric.title, metric.formula, metric.range, metric.undefined, metric.oracle, metric.source, metric.notes]
    for role, required in metric.roles().items():
        facts.append(f"{role} {role_words(metric, role)}{' (required)' if required else ''}")
    for parameter in metric.parameters.values():
        facts.append(f"{parameter.name}: {parameter.doc}")
        facts += [f"'{choice}': {meaning}" for choice, meaning in parameter.choices.items()]
        facts += parameter.used_by.values()
        facts.append("required" if parameter.required else f"default {parameter.default!r}")
    for fact in facts:
        assert " ".join(str(fact).split()) in text
    assert result.stdout.rstrip().endswith(f"\n  {metric.example['result']!r}")
    [(called, arguments)] = re.findall(r"in dbt\n  {{ sqlmetrics\.(\w+)\((.+)\) }}\n", result.stdout)
    [signature] = re.findall(rf"macro {called}\((.*?)\) -", PUBLIC_MACROS)
    taken = [argument.partition("=")[0] for argument in signature.split(", ")]
    assert set(re.findall(r"(\w+)=", re.sub(r"'.*?'", "", arguments))) <= set(taken)


@pytest.mark.parametrize("name", ["ndcg", "coverage", "multi_log_loss", "popularity_lift", "category_miscalibration"])
def test_the_shells_example_gives_the_result_of_pythons(name: str) -> None:
    example = builtin_catalogue()[name].example
    data = {column: values for column, values in example.items() if isinstance(values, list)}
    pd.DataFrame(data).to_csv("data.csv", index=False)
    for further in set(example) & set(RELATIONS):
        pd.DataFrame(example[further]).to_csv(f"{further}.csv", index=False)
    [command] = re.findall(r"in the shell\n  sqlmetrics eval (.+)\n", shell("show", name).stdout)
    [row] = records(*shlex.split(command))
    assert round(list(row.values())[-1], 4) == example["result"]


def test_judgments_presets_and_values_per_group() -> None:
    run = "301 Q0 b 1 9.5 me\n301 Q0 a 2 8.5 me\n302 Q0 a 1 7.5 me\n"
    Path("run.txt").write_text(run)
    Path("qrels.txt").write_text("301 0 a 1\n301 0 c 1\n302 0 z 0\n303 0 a 1\n")
    options = ("--group", "topic", "--item", "docno", "--label", "relevance", "--score", "score")
    asked = ("run.txt", "--judgments", "qrels.txt", "-m", "mrr,recall@1", *options)
    assert records(*asked) == [{"n": 3, "mrr": 0.25, "recall_at_1": 0.0}]
    assert records(*asked, "--preset", "trec_eval") == [{"n": 3, "mrr": 0.25, "recall_at_1": 0.0}]
    groups = records(*asked, "--preset", "trec_eval", "--per-group")
    assert groups == [
        {"topic": "301", "n": 2, "mrr": 0.5, "recall_at_1": 0.0},
        {"topic": "302", "n": 1, "mrr": 0.0, "recall_at_1": 0.0},
    ]


def test_the_dbt_package_has_a_path() -> None:
    result = shell("dbt-path")
    assert (result.exit_code, result.stderr) == (0, "")
    assert (Path(result.stdout.strip()) / "macros" / "query.sql").is_file()


def test_show_understands_an_at_sign() -> None:
    assert shell("show", "ndcg@10").stdout == shell("show", "ndcg").stdout
    assert shell("show", "precision@10").stdout == shell("show", "precision_at_k").stdout


@pytest.mark.parametrize("frame", [*FRAMES[:2], *slow(*FRAMES[2:])])
def test_a_new_metric_runs_as_it_is_and_gives_its_own_example(frame: str) -> None:
    name = f"my_{frame}"
    result = shell("new", name, "--into", "metrics", "--frame", frame)
    assert (result.exit_code, result.stdout) == (0, f"metrics/{name}.sql\n")
    front = yaml.safe_load(Path(f"metrics/{name}.sql").read_text().split("-#}")[0].removeprefix("{#-"))
    example = front["example"]
    roles = [role for role in ROLES if role in example]
    pd.DataFrame({role: example[role] for role in roles}).to_csv("example.csv", index=False)
    options = [word for role in roles for word in (f"--{role}", role)]
    found = records("example.csv", "-m", example.get("call", name), *options, "--metrics-dir", "metrics")
    assert list(found[0].values())[-1] == pytest.approx(example["result"], abs=1e-4)
    # Weights must not be passed over where the frame has two shapes.
    if "weight" in catalogue.catalogue()[name].roles():
        doubled = records(
            "example.csv", "-m", example.get("call", name), *options, "--weight", "= 2.0", "--metrics-dir", "metrics"
        )
        assert list(doubled[0].values())[-1] == pytest.approx(example["result"], abs=1e-4)


def test_own_metrics_everywhere() -> None:
    for name, folder in (("first_metric", "one"), ("second_metric", "two")):
        assert shell("new", name, "--into", folder).exit_code == 0
    own = ("--metrics-dir", "one", "--metrics-dir", "two/second_metric.sql")
    found = records("log.csv", "-m", "first_metric,second_metric", *ROLES_OF_LOG, *own)
    assert found[0]["first_metric"] == pytest.approx((0.35 + 0.8 + 0.9 + 0.5) / 4)
    assert "first_metric" in shell("list", *own).stdout
    assert "mean score of the positives" in shell("show", "second_metric", *own).stdout
    assert "second_metric" in shell("sql", "second_metric", "--relation", "t", *ROLES_OF_LOG, *own).stdout


def test_new_writes_here_by_default_and_over_nothing() -> None:
    assert shell("new", "mine").stdout == "mine.sql\n"
    Path("mine.sql").write_text("precious")
    assert "exists" in refused("new", "mine")
    assert Path("mine.sql").read_text() == "precious"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("auc",), "already a metric"),
        (("Not-A-Name",), "lower-case word"),
        (("mine.sql",), "lower-case word"),
        (("mine", "--frame", "nonsense"), "--frame"),
        (("mine", "--into", "log.csv"), "--into"),
    ],
)
def test_new_refuses(arguments: tuple[str, ...], words: str) -> None:
    assert words in refused("new", *arguments)


# ---- processes, pipes, terminals -------------------------------------------------------------------------------------


@pytest.mark.slow
def test_what_is_piped_is_clean() -> None:
    """No colour, no bar, no clipping, whatever the environment says of terminals."""
    data = f"select 1 as click, 0.5 as pctr, '{'x' * 200}' as slice"
    call = ("-m", "sqlmetrics", "eval", data, "-m", "copc", *ROLES_OF_LOG, "--by", "slice")
    result = python(*call, env=environment(FORCE_COLOR="1", TERM="xterm-256color", COLUMNS="20"))
    assert (result.returncode, result.stderr) == (0, b"")
    assert result.stdout.decode().splitlines() == ["slice" + " " * 195 + "  n  copc", "x" * 200 + "  1     2"]


def test_the_process_exits_with_the_code_and_without_a_traceback() -> None:
    result = python("-m", "sqlmetrics", "eval", "log.csv", "-m", "auc", *ROLES_OF_LOG, "--assert", "auc > 1")
    assert result.returncode == 1
    assert result.stderr.startswith(b"assertion failed: auc is ")


@pytest.mark.slow
def test_the_process_exits_with_the_code_of_an_error() -> None:
    result = python("-m", "sqlmetrics", "eval", "none.csv", "-m", "auc", *ROLES_OF_LOG)
    assert (result.returncode, result.stdout) == (2, b"")
    assert re.fullmatch(rb"error: .+\n", result.stderr)


@pytest.mark.slow
def test_an_output_that_knows_no_greek_letters() -> None:
    result = python("-m", "sqlmetrics", "show", "gauc", env=environment(PYTHONIOENCODING="ascii"))
    assert (result.returncode, result.stderr) == (0, b"")
    assert rb"\u03a3" in result.stdout


@pytest.mark.slow
def test_a_reader_that_leaves_early() -> None:
    """More rows than a pipe holds, of which only the first is read."""
    data = "select i % 2 as click, i as pctr, i // 2 as user_id from range(100000) t(i)"
    call = ("eval", data, "-m", "group_auc", *ROLES_OF_LOG, "--group", "user_id", "--format", "csv")
    with subprocess.Popen(
        [sys.executable, "-m", "sqlmetrics", *call],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
    ) as process:
        assert process.stdout.readline() == b"user_id,auc,rows,positives\n"
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(timeout=60) == 0


@pytest.mark.slow
def test_ctrl_c_while_the_engine_reads_the_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*arguments: object, **options: object) -> pd.DataFrame:
        raise RuntimeError("Query interrupted")

    monkeypatch.setattr(running, "run", interrupted)
    result = shell("eval", "log.csv", "-m", "auc", *ROLES_OF_LOG)
    assert result.exit_code == 130
    assert result.stderr.split() == ["interrupted"]


def test_a_mistake_of_ours_is_not_dressed_up_as_an_error_of_the_users(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*arguments: object, **options: object) -> pd.DataFrame:
        raise RuntimeError("a bug")

    monkeypatch.setattr(running, "run", broken)
    with pytest.raises(RuntimeError, match="a bug"):
        CliRunner().invoke(cli.main, ["eval", "log.csv", "-m", "auc", *ROLES_OF_LOG], catch_exceptions=False)


def test_other_warnings_are_shown_as_usual(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[object] = []

    def show(message: object, *rest: object, **named: object) -> None:
        shown.append(str(message))

    monkeypatch.setattr(warnings, "showwarning", show)
    with cli._warnings_on_one_line():
        warnings.simplefilter("always", ResourceWarning)
        warnings.warn("something else", ResourceWarning, stacklevel=1)
    assert shown == ["something else"]


def on_a_terminal(*arguments: str, columns: int = 60) -> tuple[int, str]:
    """Run in a pseudo-terminal; the exit code and all that was shown."""
    program = "from sqlmetrics import cli, progress; progress.POLL, progress.BAR_AFTER = 0.001, 0.0; cli.main()"
    child, terminal = pty.fork()
    if child == 0:  # pragma: no cover (another process)
        os.execve(
            sys.executable,
            [sys.executable, "-c", program, *arguments],
            environment(COLUMNS=str(columns), TERM="xterm-256color"),
        )
    shown = b""
    while True:
        try:
            piece = os.read(terminal, 65536)
        except OSError:  # Linux's way to say that the other side is closed
            break
        if not piece:
            break
        shown += piece
    os.close(terminal)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), shown.decode()


@pytest.mark.slow
def test_a_terminal_gets_a_bar_and_a_table() -> None:
    data = (
        "select (sum(a.range * b.range) % 2)::int as click, 0.5 as pctr, '[red]x' as slice "
        "from range(1000000) a, range(100) b"
    )
    code, shown = on_a_terminal("eval", data, "-m", "auc", *ROLES_OF_LOG, "--by", "slice")
    assert code == 0
    assert "computing auc of a query, by slice" in shown
    table = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown[shown.rindex("computing") :])
    assert "───" in table
    # A slice is no markup, and it is there in full.
    assert re.search(r"\[red\]x\s+1\s+NULL", table)


@pytest.mark.parametrize("command", ["compare", "gaps", "drift", "state", "eval-states"])
def test_only_eval_draws_and_a_state_is_kept_in_full(command: str) -> None:
    """Before anything is computed, and as the help says."""
    endings = (
        [".csv", ".json", ".jsonl", ".parquet"]
        if command == "state"
        else [".csv", ".json", ".jsonl", ".md", ".parquet"]
    )
    for ending in {".svg", ".md", ".txt"} - set(endings):
        line = refused(
            command, "log.csv", *(() if command in ("state", "drift") else ("-m", "auc")), "-o", f"x{ending}"
        )
        assert line == f"error: -o x{ending}: the ending must be one of {', '.join(endings)}\n"
    assert f"its ending is one of {', '.join(endings)}." in " ".join(shell(command, "--help").stdout.split())


@pytest.mark.slow
@pytest.mark.parametrize("columns", [70, *slow(40, 60, 80, 100)])
def test_a_number_never_goes_on_in_the_next_line(columns: int) -> None:
    """A result that is wider than the terminal comes in parts, each with what tells its rows apart."""
    call = ("compare", "log.csv", *ROLES_OF_LOG, "--score", "other", "-m", "auc,log_loss,brier", "--by", "device")
    Path("log.csv").write_text(
        "click,pctr,other,device\n"
        + "".join(f"{i % 3 % 2},{i % 7 / 7},{i % 11 / 11},{'ab'[i % 2]}\n" for i in range(99))
    )
    rows = json.loads(shell(*call, "--format", "json").stdout)
    code, shown = on_a_terminal(*call, columns=columns)
    assert code == 0
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown)
    lines = [line for line in re.split(r"[\r\n]+", plain) if "━" not in line]  # without the bar of progress
    assert max(map(len, lines)) <= columns
    words = [word for line in lines for word in line.split()]
    for row in rows:
        for name, value in row.items():
            assert name in words
            if isinstance(value, float):
                assert (str(int(value)) if value.is_integer() else f"{value:.6g}") in words
    heads = [line.split() for line, below in itertools.pairwise(lines) if set(below.strip()) == {"─"}]
    assert len(heads) > 1
    assert columns < 70 or all(head[:4] == ["device", "metric", "model", "baseline"] for head in heads)


@pytest.mark.slow
def test_a_report_says_what_it_is_computing(here: Path) -> None:
    code, shown = on_a_terminal("report", "log.csv", *ROLES_OF_LOG, "-m", "auc", "-o", "page.html")
    assert code == 0
    assert (here / "page.html").exists()
    for words in ("reading", "computing auc of log.csv", "computing roc_curve of log.csv", "computing lift_table"):
        assert words in shown


def test_an_engine_that_does_not_tell_how_far_it_is_has_a_bar_that_pulses(monkeypatch: pytest.MonkeyPatch) -> None:
    events: list[str] = []
    shown = threading.Event()

    class Bar:
        def add_task(self, words: str, total: float | None) -> None:
            assert total is None
            events.append(words)

        def start(self) -> None:
            events.append("shown")
            shown.set()

        def stop(self) -> None:
            events.append("gone")

    monkeypatch.setattr(progress, "_progress", Bar)
    monkeypatch.setattr(progress, "BAR_AFTER", 0.01)
    with progress._pulse(True, progress._words("-- auc of impressions, by device\nselect 1")):
        assert shown.wait(10)
    assert events == ["computing auc of impressions, by device", "shown", "gone"]
    monkeypatch.setattr(progress, "BAR_AFTER", 60.0)
    with pytest.raises(KeyError), progress._pulse(True, progress._words("select 1")):
        raise KeyError
    assert events[3:] == ["looking at the values", "gone"]


@pytest.mark.slow
def test_a_terminal_gets_csv_as_it_is() -> None:
    code, shown = on_a_terminal("list", "--format", "csv")
    assert code == 0
    assert "\x1b" not in shown
    assert shown.replace("\r\n", "\n") == shell("list", "--format", "csv").stdout


@pytest.mark.slow
def test_an_error_in_a_terminal_is_one_line_too() -> None:
    code, shown = on_a_terminal("eval", "nowhere.csv", "-m", "auc", *ROLES_OF_LOG)
    assert code == 2
    assert re.fullmatch(r"error: .+\r\n", shown)


def test_the_shell_module_runs_as_a_program() -> None:
    result = python("-m", "sqlmetrics", "--version")
    assert (result.returncode, result.stdout.decode().split()[0]) == (0, "sqlmetrics")
    assert isinstance(cli, types.ModuleType)


@pytest.mark.parametrize(("words", "name"), [
    ("sensitivity", "recall"), ("auprc", "average_precision"), ("c-index", "concordance_index"), ("ctr", "copc"),
    ("wape", "wmape"), ("false discovery rate", "precision"), ("quadratic kappa", "weighted_kappa"),
    ("Brier skill score", "brier"),
])  # fmt: skip
def test_list_finds_other_names(words: str, name: str) -> None:
    listed = CliRunner().invoke(cli.main, ["list", *words.split(), "--format", "json"])
    assert name in [row["name"] for row in json.loads(listed.stdout)]


@pytest.mark.parametrize(("words", "hint"), [
    ("psi", "sqlmetrics drift"), ("drift", "sqlmetrics drift"), ("fairness", "sqlmetrics gaps"),
    ("confidence interval", "--confidence 0.95"), ("no such thing", "`sqlmetrics list` without words"),
])  # fmt: skip
def test_list_names_the_command_that_is_meant(words: str, hint: str) -> None:
    listed = CliRunner().invoke(cli.main, ["list", *words.split()])
    assert listed.exit_code == 2
    assert hint in listed.stderr


def test_an_empty_standard_input_and_a_folder_that_takes_no_file(tmp_path: Path) -> None:
    roles = ["-m", "copc", "--label", "y", "--score", "p"]
    empty = CliRunner().invoke(cli.main, ["eval", "-", *roles], input="")
    assert empty.stderr == "error: -: standard input is empty; pipe rows into the command, or name a file\n"
    log = tmp_path / "log.csv"
    log.write_text("y,p\n1,0.5\n")
    refused = CliRunner().invoke(cli.main, ["eval", str(log), *roles, "-o", "/proc/found.csv"])
    assert refused.exit_code == 2
    assert refused.stderr.startswith("error: /proc/found.csv: the folder /proc takes no file (")


def test_truths_of_other_languages() -> None:
    spec = "multi_log_loss(scores={'a': 'p'}, normalize=true)"
    refused = CliRunner().invoke(cli.main, ["eval", "log.csv", "-m", spec, "--label", "y"])
    assert "write them as (k=10, gain='linear'), and true as True" in refused.stderr
