"""The shell: every command, every option, every exit code, and output that other programs can parse."""

from __future__ import annotations

import contextlib
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
from pathlib import Path
from typing import Any
from unittest import mock

import click
import duckdb
import pandas as pd
import pytest
import yaml
from click.testing import CliRunner, Result

import sqlmetrics
from sqlmetrics.arguments import ARGUMENTS
from sqlmetrics.authoring.describe import describe_role
from sqlmetrics.catalogue import registry
from sqlmetrics.catalogue.dialects import DIALECTS
from sqlmetrics.catalogue.front_matter import sql_root
from sqlmetrics.catalogue.registry import builtin_catalogue
from sqlmetrics.catalogue.vocabulary import RELATIONS, ROLES
from sqlmetrics.cli import progress
from sqlmetrics.cli.main import main
from sqlmetrics.cli.output import in_shell
from sqlmetrics.running import calls
from tests import ROOT
from tests.parameters import quick_every

# Labels 0 0 1 1 with scores .1 .4 .35 .8 are scikit-learn's example of AUC, 0.75; scores .1 .4 .4 .8 give 0.875.
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
AUC = "eval log.csv -m auc --label click --score pctr"
COPC = "eval log.csv -m copc --label click --score pctr"
QUERY = "eval {} -m copc --label click --score pctr"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Every test runs in a separate folder with log.csv, and without registered metrics."""
    (tmp_path / "log.csv").write_text(LOG)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(registry, "_registered", None)
    return tmp_path


def shell(command: str, *arguments: str, **options: Any) -> Result:
    """Run the command; the first argument replaces `{}` in it, and further arguments are appended unchanged."""
    parts = [arguments[0] if word == "{}" else word for word in shlex.split(command)]
    parts += arguments["{}" in command :]
    return CliRunner().invoke(main, parts, prog_name="sqlmetrics", **options)


def records(command: str, *arguments: str) -> list[dict[str, Any]]:
    """The rows that `eval` prints."""
    result = shell(command, *arguments, "--format", "json")
    assert (result.exit_code, result.stderr) == (0, "")
    return json.loads(result.stdout)


def error_of(command: str, *arguments: str, **options: Any) -> str:
    """The stderr line of a command that exits with 2."""
    result = shell(command, *arguments, **options)
    assert (result.exit_code, result.stdout) == (2, "")
    assert re.fullmatch(r"error: .+\n", result.stderr), result.stderr
    assert not re.search(f"[⟨⟩]|{PYTHON_ARGUMENT}", result.stderr)
    return result.stderr


#: An argument in Python syntax. Some metric parameters share a name with an argument, and `-m` has that syntax.
PYTHON_ARGUMENT = rf"\b({'|'.join({argument.name for argument in ARGUMENTS} - {'bins', 'eps', 'field'})})=\S"


def options_of(**arguments: Any) -> list[str]:
    """The shell options for Python arguments."""
    options: list[str] = []
    for argument, value in arguments.items():
        option = "--" + argument.replace("_", "-")
        for item in value if isinstance(value, list) else [value]:
            options += [option] if item is True else [option, str(item)]
    return options


def environment(**variables: str) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]), **variables}


def python(*arguments: str, **variables: str) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, *arguments]
    return subprocess.run(command, capture_output=True, timeout=120, check=False, env=environment(**variables))


def test_help_describes_every_command_option_and_role() -> None:
    for name, command in main.commands.items():
        in_full = "--help-all" if "--help-all" in shell(f"{name} --help").stdout else "--help"
        result = shell(f"{name} {in_full}")
        assert (result.exit_code, result.stderr) == (0, "")
        assert command.help
        for option in [option for option in command.params if isinstance(option, click.Option)]:
            assert option.help, option.name
            assert option.opts[-1] in result.stdout
        text = " ".join(result.stdout.split())
        for role, description in ROLES.items() if name in ("eval", "sql") else ():
            assert f"--{role.replace('_', '-')} COLUMN" in text
            assert description[1:] in text
    result = shell("")
    assert (result.exit_code, result.stdout) == (0, shell("-h").stdout)
    assert result.stdout.startswith("Usage: sqlmetrics ")
    assert shell("--version").stdout == f"sqlmetrics {sqlmetrics.__version__}\n"
    assert Path(shell("dbt-path").stdout.strip(), "macros", "query.sql").is_file()


def test_dbt_metrics_declares_metric_files(folder: Path) -> None:
    """For an existing name, the file of `-o` does not change."""
    lift = (ROOT / "examples/metrics/lift_at_threshold.sql").read_text(encoding="utf-8")
    for name in ("mine", "auc"):
        (folder / f"{name}.sql").write_text(lift.replace("lift_at_threshold", name), encoding="utf-8")
    assert shell("dbt-metrics mine.sql -o registry").exit_code == 0
    written = (folder / "registry").read_text(encoding="utf-8")
    assert written == shell("dbt-metrics mine.sql").stdout
    declared = json.loads(written.partition("sqlmetrics_own_metrics() -%}")[2].partition("{%-")[0])
    assert declared["mine"]["parameters"]["threshold"]["default"] == 0.5
    refused = shell("dbt-metrics auc.sql -o registry")
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert "there is already a metric 'auc'" in refused.stderr
    assert (folder / "registry").read_text(encoding="utf-8") == written


@pytest.mark.parametrize(("command", "message"), [
    ("nonsense", "No such command 'nonsense'"), ("eval log.csv --nonsense", "No such option"),
    ("eval -m auc", "name the data"), ("eval log.csv", "name at least one metric"),
    ("eval log.csv -m acu --label click --score pctr", "did you mean 'auc'?"),
    ("eval nowhere.csv -m auc --label click --score pctr", "nowhere.csv"),
    ("eval log.csv -m 'ndcg(k=10, groups=true)' --label y", "write them as (k=10, gain='linear'), and true as True"),
    ("list --family rankin", "did you mean 'ranking'?"), ("list fairness", "sqlmetrics gaps"),
    ("show acu", "did you mean 'auc'?"), ("list no such thing", "`sqlmetrics list` without words"),
    ("sql -m auc", "--relation"), ("sql --relation t", "name at least one metric"),
    ("sql auc --relation t --label y --score s --dialect oracle", "postgres"),
    ("sql auc --relation ' ' --label y --score s", "relation is empty"),
    ("sql auc --relation t --label y --score s -o no/such/model.sql", "no folder"),
    ("report log.csv --label click --score pctr", "name the page"),
    ("report log.csv --label click --score pctr -o page.pdf", "the ending must be .html"),
    ("report log.csv log.html --label click --score pctr -o log.html", "one of the input files"),
    ("new auc", "already a metric"), ("new Not-A-Name", "lower-case word"), ("new mine.sql", "lower-case word"),
    ("new mine --frame nonsense", "--frame"), ("new mine --into log.csv", "--into"),
    *((f"{AUC} {options}", message) for options, message in (
        ("--min-rows -1", "--min-rows"), ("--min-rows few", "--min-rows"), ("--format xml", "--format"),
        ("--db none.duckdb", "none.duckdb"), ("--metrics-dir nowhere", "nowhere"), ("-c none.yml", "none.yml"),
        ("--by a,,b", "--by is empty"), ("--by device --grouping user_id", "--by or --grouping"),
        ("--format csv -o auc.json", "contradict"), ("-o out.txt", ".parquet"), ("-o out", ".parquet"),
        ("-o no/such/out.csv", "no folder"), ("-o folder.csv", "is a folder"),
        ("-o /proc/auc.csv", "error: /proc/auc.csv: the folder /proc takes no file ("),
        ("--memory-limit much", "--memory-limit must be as"), ("--threads 0", "--threads"),
        ("--assert auc", "COLUMN OP NUMBER"), ("--assert 'auc = 0.7'", "COLUMN OP NUMBER"),
        ("--assert 'auc >= high'", "COLUMN OP NUMBER"), ("--assert 'auc >= nan'", "COLUMN OP NUMBER"),
    )),
])  # fmt: skip
def test_commands_reject_invalid_use(command: str, message: str) -> None:
    Path("folder.csv").mkdir()
    Path("log.html").touch()
    assert message in error_of(command)


#: Invalid arguments of `evaluate`, and a part of the message in Python and on the shell.
BAD_CALLS: list[tuple[dict[str, Any], str, str]] = [
    ({"label": None}, "auc needs label (or positives and total)", "auc needs --label (or --positives and"),
    ({"label": "abs(click)"}, 'written label="= abs(click)"', '--label "= abs(click)"'),
    ({"by": ["date_trunc('week', ts)"]}, """written by="x = date_trunc('week', ts)")""",
     """written --by "x = date_trunc('week', ts)")"""),
    ({"score": "device"}, "score: column 'device' is VARCHAR, and a number is needed; 'ios' is not a number",
     "--score: column 'device' is VARCHAR, and a number is needed; 'ios' is not a number"),
    ({"positives": "click", "total": "w"}, "give label or positives, not both", "give --label or --positives, not"),
    ({"cluster": "user_id"}, "cluster requires confidence; add confidence=0.95 or remove it",
     "--cluster requires --confidence; add --confidence 0.95 or remove it"),
    ({"by": "auc"}, 'by="my_auc = auc"', '--by "my_auc = auc"'),
    ({"score": "= pctr * 2, other"},
     """holds 2 expressions, and each must be one argument; write them as in score=["= pctr * 2", "other"]""",
     """write them as in --score "= pctr * 2" --score other"""),
    ({"label": "= click, w"}, "label: '= click, w' holds 2", "--label: '= click, w' holds 2"),
    ({"metrics": "ndcg", "group": "user_id", "weight": "w"},
     "weight is not used by ndcg; remove it, or pass group_weight, the weight of a whole group",
     "--weight is not used by ndcg; remove it, or pass --group-weight, the weight of a whole group"),
    ({"metrics": "ndcg", "group": "user_id", "preset": "trec_eval"},
     "ties='key' (set by the preset 'trec_eval') needs the role tie_key (or item)",
     "ties='key' (set by the preset 'trec_eval') needs the role --tie-key (or --item)"),
    ({"metrics": "calibration"}, "there is no metric 'calibration' (it is a family of metrics: brier, cal_n, ",
     "there is no metric 'calibration' (it is a family of metrics: brier, cal_n, "),
]  # fmt: skip


@pytest.mark.parametrize(("arguments", "in_python", "on_the_shell"), BAD_CALLS)
def test_errors_use_the_syntax_of_the_caller(arguments: dict[str, Any], in_python: str, on_the_shell: str) -> None:
    defaults = {"metrics": "auc", "label": "click", "score": "pctr"}
    arguments = {name: value for name, value in (defaults | arguments).items() if value is not None}
    with pytest.raises(sqlmetrics.SqlMetricsError) as error:
        sqlmetrics.evaluate("log.csv", **arguments)
    assert in_python in str(error.value)
    assert "--" not in str(error.value)
    assert on_the_shell in error_of("eval log.csv", *options_of(**arguments))


def test_errors_suggest_an_expression_that_can_be_pasted_into_a_shell() -> None:
    pd.DataFrame({"y": [1.0, 2.0, 3.0], "the $": ["1", "NA", "5"]}).to_csv("log.csv", index=False)
    mae = "eval log.csv -m mae --label y"
    [option] = re.findall("as in (--score .*)", error_of(f"{mae} --score 'the $'"))
    assert shell(f"{mae} {option}").stdout.split()[-1] == "1"


def test_every_argument_marked_in_errors_has_a_shell_option() -> None:
    paths = [*sql_root().glob("**/*.sql"), *Path(sqlmetrics.__file__).parent.rglob("*.py")]
    texts = [path.read_text(encoding="utf-8") for path in paths if path.name not in ("errors.py", "arguments.py")]
    marked = {name for text in texts for name in re.findall(r"⟨(\w+)⟩", text)}
    assert {"score", "confidence", "by"} <= marked
    assert [name for name in marked if in_shell(f"⟨{name}⟩") == name] == []


def test_commas_inside_an_expression_do_not_split_it() -> None:
    scores = ["= greatest(pctr, other)", "= case when device in ('ios', 'x,y') then pctr else other end",
              "= pctr -- not other, as it was", "= if(E'it\\'s, so' = device, pctr, other)"]  # fmt: skip
    rows = records("eval log.csv -m mae --label click", *options_of(score=scores))
    assert rows == sqlmetrics.evaluate("log.csv", "mae", label="click", score=scores).to_dict("records")


@pytest.mark.parametrize(("options", "rows"), [
    ("--score 'a = greatest(pctr, 0)' --score other --where 'user_id = 1'", [("a", 4, 0.75), ("other", 4, 0.875)]),
    ("--score pctr --by device,user_id", [("android", 2, 2, 1.0), ("ios", 1, 4, 0.75), (None, 2, 1, None)]),
    ("--score pctr --where 'w > 1' --grouping overall --grouping \"day = date_trunc('day', ts), device\"", [
        ("overall", None, None, 2, None), ("day, device", "2024-01-02", "android", 1, None),
        ("day, device", "2024-01-02", "ios", 1, None),
    ]),
    *((f"--score pctr {data} --by w", [(1, 10, 1.0), (2, 2, None), (3, 2, None)]) for data in ("more.csv", "'m*.csv'")),
])  # fmt: skip
def test_eval_models_slices_and_files(options: str, rows: list[tuple[Any, ...]]) -> None:
    Path("more.csv").write_text(LOG)
    assert [tuple(row.values()) for row in records(f"eval log.csv -m auc --label click {options}")] == rows


def test_eval_diagnostics_min_rows_and_repeated_metrics() -> None:
    metrics = "-m \"gauc, ndcg(k=5, gain='linear')\" -m 'mine = ndcg@2'"
    groups = f"eval log.csv {metrics} --label click --score pctr --group user_id"
    [row] = records(f"{groups} --diagnostics")
    assert list(row)[-3:] == ["gauc", "ndcg_at_5", "mine"]
    assert (row["rows_read"], row["rows_dropped"], row["groups"], row["groups_skipped"]) == (7, 0, 2, 0)
    assert list(records(f"{groups} --diagnostics --no-diagnostics")[0]) == ["n", "gauc", "ndcg_at_5", "mine"]
    result = shell(f"{COPC} --by device --min-rows 3 --format csv")
    assert result.stdout.startswith("device,n,copc\nios,4,")
    assert result.stderr == "warning: 2 slices with fewer than 3 rows dropped\n"


def test_eval_with_judgments_presets_and_per_group() -> None:
    Path("run.txt").write_text("301 Q0 b 1 9.5 me\n301 Q0 a 2 8.5 me\n302 Q0 a 1 7.5 me\n")
    Path("qrels.txt").write_text("301 0 a 1\n301 0 c 1\n302 0 z 0\n303 0 a 1\n")
    roles = "--group topic --item docno --label relevance --score score"
    call = f"eval run.txt --judgments qrels.txt -m mrr,recall@1 {roles}"
    assert records(call) == records(f"{call} --preset trec_eval") == [{"n": 3, "mrr": 0.25, "recall_at_1": 0.0}]
    rows = records(f"{call} --preset trec_eval --per-group")
    assert [tuple(row.values()) for row in rows] == [("301", 2, 0.5, 0.0), ("302", 1, 0.0, 0.0)]


def test_dropped_rows_warn_and_failed_queries_show_their_sql() -> None:
    score = "eval log.csv -m auc --label click --score"
    dropping = f"{score} '= nullif(pctr, 0.1)'"
    result = shell(dropping)
    assert result.exit_code == 0
    assert re.fullmatch(r"warning: rows were dropped .* 1 row\n", result.stderr)
    assert "dropped" in error_of(f"{dropping} --strict")
    line = error_of(f"{score} '= nonsense(pctr)'")
    assert "nonsense" in line
    result = shell(f"{score} '= nonsense(pctr)' --show-sql")
    assert (result.exit_code, result.stderr.startswith(line)) == (2, True)
    assert "from read_csv('log.csv'" in result.stderr


def test_eval_on_a_database_and_with_limits() -> None:
    with duckdb.connect("logs.duckdb") as con:
        con.execute("create table impressions as select * from 'log.csv'")
        con.execute("create view first_user as select * from impressions where user_id = 1")
    auc = "eval {} -m auc --label click --score pctr --db"
    # DuckDB rejects a second connection of this process unless it is read-only.
    with duckdb.connect("logs.duckdb", read_only=True):
        for data in ("FIRST_USER", "select * from impressions where user_id = 1"):
            assert records(f"{auc} logs.duckdb", data) == [{"n": 4, "auc": 0.75}]
    assert "did you mean 'impressions'?" in error_of(f"{auc} logs.duckdb", "impresions")
    assert "one table" in error_of(f"{auc} logs.duckdb", "impressions", "first_user")
    assert "no table or view 'data'" in error_of(f"{auc} logs.duckdb", "data")  # a local variable of the code
    Path("text.duckdb").write_text("no database")
    assert "text.duckdb" in error_of(f"{auc} text.duckdb", "impressions")
    data = (
        "select 0 as zero, current_setting('threads') as threads, "
        "(current_setting('memory_limit') = '95.3 MiB')::int as limited, "
        "current_setting('enable_progress_bar_print')::int as draws"
    )
    for database in ("", "--db logs.duckdb"):
        options = f"--score threads,limited,draws --threads 3 --memory-limit 100MB {database}"
        rows = records(f"eval {{}} -m mae --label zero {options}", data)
        assert {row["model"]: row["mae"] for row in rows} == {"threads": 3, "limited": 1, "draws": 0}


def test_formats_with_special_characters() -> None:
    slices = ["a,b", 'quo"te', "pi|pe", "[red]x", "line\nbreak", "", "café 漢字", " padded ", None]
    pd.DataFrame({"slice": slices, "click": [0] * 8 + [1], "pctr": [1 / 3] * 9}).to_parquet("log.parquet")
    call = "eval log.parquet -m copc,auc --label click --score pctr --by slice --format"
    rows = {row["slice"]: [row["n"], row["copc"], row["auc"]] for row in json.loads(shell(f"{call} json").stdout)}
    assert rows == {name: [1, 3.0 if name is None else 0.0, None] for name in slices}
    # Some readers, among them DuckDB's, distinguish NULL from the empty string.
    Path("out.csv").write_text(shell(f"{call} csv").stdout, newline="")
    read = duckdb.sql("select slice from read_csv('out.csv', allow_quoted_nulls = false)").fetchall()
    assert {name for (name,) in read} == set(slices)
    lines = shell(f"{call} markdown").stdout.splitlines()
    assert lines[:2] == ["| slice | n | copc | auc |", "| --- | ---: | ---: | ---: |"]
    assert [len(re.split(r"(?<!\\)\|", line)) for line in lines] == [6] * (2 + len(slices))


def test_json_types_of_slices() -> None:
    data = (
        "select 1 as click, 0.5 as pctr, true as yes, timestamp '2024-01-01 10:30:00' as ts, [1, 2] as list, "
        "{'a': 1.5} as struct, time '10:30:00' as clock, 1.5::decimal(4, 2) as fixed, '\\x41'::blob as bytes"
    )
    [row] = records(f"{QUERY} --by yes,ts,list,struct,clock,fixed,bytes", data)
    assert [*row.values()][:6] == [True, "2024-01-01 10:30:00", [1, 2], {"a": 1.5}, "10:30:00", 1.5]


def test_formats_with_infinity_and_without_rows() -> None:
    data = "select unnest([{}]) as slice, 1 as click, 0.5 as pctr"
    [_, *rows] = shell(f"{QUERY} --by slice --format csv", data.format("7, null")).stdout.splitlines()
    assert {row.partition(",")[0] for row in rows} == {"7", ""}
    result = shell(f"{QUERY} --by slice", data.format("date '-infinity', date '2024-05-01'"))
    assert (result.exit_code, 'as in --by "d = cast(d as varchar)"' in result.stderr) == (2, True)
    curve = "eval log.csv -m roc_curve --label click --score pctr --format"
    assert float(json.loads(shell(f"{curve} json").stdout)[0]["threshold"]) == float("inf")
    assert shell(f"{curve} csv").stdout.splitlines()[1].startswith("inf,")
    empty = f"{AUC} --by device --where false"
    for name, text in {"json": "[]", "csv": "device,n,auc", "table": "device  n", "markdown": "| device"}.items():
        assert shell(f"{empty} --format {name}").stdout.startswith(text)


def test_output_format_follows_the_ending(folder: Path) -> None:
    call = f"{AUC} -m copc --by device"
    for ending, name in (("csv", "csv"), ("json --format json", "json"), ("jsonl", "jsonl"), ("md", "markdown")):
        assert shell(f"{call} -o out.{ending}").output == ""
        assert Path(f"out.{ending.split()[0]}").read_text("utf-8") == shell(f"{call} --format {name}").stdout
    assert shell(f"{call} -o out.parquet").exit_code == 0
    rows = [tuple(row.values()) for row in records(call)]
    assert duckdb.sql("select device, n, auc, copc from 'out.parquet'").fetchall() == rows
    assert [tuple(json.loads(line).values()) for line in Path("out.jsonl").read_text().splitlines()] == rows
    assert not list(folder.glob(".*"))


@pytest.mark.parametrize("command", ["compare", "gaps", "drift", "state", "eval-states"])
def test_output_rejects_endings_before_computing(command: str) -> None:
    """A state supports neither Markdown nor charts."""
    endings = [".csv", ".json", ".jsonl", ".md", ".parquet", ".svg", ".png"]
    endings = [ending for ending in endings if command != "state" or ending not in (".md", ".svg", ".png")]
    metrics = "" if command in ("state", "drift") else "-m auc"
    for ending in {".svg", ".md", ".txt"} - set(endings):
        line = error_of(f"{command} log.csv {metrics} -o x{ending}")
        assert line == f"error: -o x{ending}: the ending must be one of {', '.join(endings)}\n"
    assert f"its ending is one of {', '.join(endings)}." in " ".join(shell(f"{command} --help").stdout.split())


def test_output_never_overwrites_an_input() -> None:
    Path("link.csv").symlink_to("log.csv")
    Path("logs/day=1").mkdir(parents=True)
    for path in ("logs/monday.csv", "logs/day=1/part.csv"):
        Path(path).write_text(LOG)
    options = "-m auc --label click --score pctr -o"
    for data in ("log.csv", "./log.csv", "*.csv", "select * from 'log.csv'"):
        for path in ("log.csv", "link.csv"):
            assert "input" in error_of(f"eval {{}} {options} {path}", data)
    assert "input" in error_of(f"eval logs {options} logs/day=1/part.csv")
    for option in ["-c", *("--" + relation.replace("_", "-") for relation in RELATIONS)]:
        Path("related.csv").write_text("metrics: map")
        assert "input" in error_of(f"eval log.csv {option} related.csv {options} related.csv")
        assert Path("related.csv").read_text() == "metrics: map"
    assert {Path(path).read_text() for path in ("log.csv", "logs/monday.csv", "logs/day=1/part.csv")} == {LOG}
    duckdb.connect("db.csv").close()
    assert "input" in error_of(f"eval t --db db.csv {options} db.csv")


@pytest.mark.slow
def test_output_never_overwrites_standard_input() -> None:
    command = [sys.executable, "-m", "sqlmetrics", *AUC.replace("log.csv", "-").split(), "-o"]
    for path, code, message in (("log.csv", 2, "input"), ("out.csv", 0, "")):
        with Path("log.csv").open() as file:
            result = subprocess.run([*command, path], stdin=file, stderr=subprocess.PIPE, text=True, check=False)
        assert result.returncode == code
        assert message in result.stderr
    assert Path("log.csv").read_text() == LOG


def test_output_replaces_files_atomically_and_preserves_permissions(folder: Path) -> None:
    Path("real.csv").write_text("precious")
    Path("real.csv").chmod(0o640)
    Path("out.csv").symlink_to("real.csv")
    error_of("eval log.csv -m auc --label click --score nope -o out.csv")
    assert Path("out.csv").read_text() == "precious"
    assert sorted(path.name for path in folder.iterdir()) == ["log.csv", "out.csv", "real.csv"]
    assert shell(f"{AUC} -o out.csv --assert 'auc > 1'").exit_code == 1
    assert Path("out.csv").is_symlink()
    assert Path("real.csv").read_text().startswith("n,auc\n7,")
    assert stat.S_IMODE(Path("real.csv").stat().st_mode) == 0o640


@pytest.mark.parametrize(("command", "failures"), [
    (f"{AUC} --where 'user_id = 1' " + " ".join(f"--assert '{assertion}'" for assertion in (
        "auc >= 0.75", "auc <= 0.75", "auc == 0.75", "auc>=7.5e-1", "n == 4", "auc <= inf",
        "auc > 0.75", "auc < 0.75", "auc != 0.75")),
     ["auc is 0.75, not > 0.75", "auc is 0.75, not < 0.75", "auc is 0.75, not != 0.75"]),
    (f"{AUC} --by device --where false --assert 'auc >= 0'", ["auc >= 0: the result has no rows"]),
    (f"{AUC} --score other --by device --assert 'n > 0' --assert 'auc >= 0.8'", [
        "device=android, model=other: auc is 0, not >= 0.8", "device=ios, model=pctr: auc is 0.75, not >= 0.8",
        "device=NULL, model=pctr: auc is NULL, not >= 0.8", "device=NULL, model=other: auc is NULL, not >= 0.8",
    ]),
    # Dates are compared in their printed form.
    (f"{AUC} --where 'w = 3' --by ts --assert \"ts == '2024-01-02'\" --assert \"ts != '2024-01-02'\"",
     ["ts=2024-01-02: ts is '2024-01-02', not != '2024-01-02'"]),
    # Failures of tables are identified by groups or row numbers.
    ("eval log.csv -m group_auc --label click --score pctr --group user_id --assert 'auc > 0.9'",
     ["user_id=1: auc is 0.75, not > 0.9"]),
    ("eval log.csv -m roc_curve --label click --score pctr --where 'user_id = 1' --assert 'tpr < 1'",
     ["row 4: tpr is 1, not < 1", "row 5: tpr is 1, not < 1"]),
])  # fmt: skip
def test_assert_names_the_rows_that_fail(command: str, failures: list[str]) -> None:
    result = shell(command)
    assert result.exit_code == 1
    assert result.stderr.splitlines() == [f"assertion failed: {failure}" for failure in failures]
    assert result.stdout


def test_assert_on_an_invalid_column_still_writes_the_result() -> None:
    for assertion, message in (("acu > 0", "did you mean 'auc'?"), ("device > 1", "does not hold numbers")):
        result = shell(f"{AUC} --by device", "--assert", assertion)
        assert (result.exit_code, result.stdout) == (2, shell(f"{AUC} --by device").stdout)
        assert re.fullmatch(rf"error: --assert: .*{re.escape(message)}.*\n", result.stderr)


def write_config(**options: object) -> None:
    Path("options.yml").write_text(yaml.safe_dump({key.rstrip("_"): value for key, value in options.items()}))


def test_config_sets_options_and_is_overridden_by_the_command_line() -> None:
    write_config(
        data="log.csv", metrics=["auc, copc", {"name": "ndcg", "k": 2, "as": "mine"}], label="click",
        score=["pctr", "other"], group="user_id", by=["device", "day = date_trunc('day', ts)"], where="user_id = 1",
        min_rows=1, format="json", threads=1, assert_="n >= 2",
        **{"memory-limit": "1GB", "strict": True, "diagnostics": True, "tie-key": None},
    )  # fmt: skip
    result = shell("eval -c options.yml")
    assert (result.exit_code, result.stderr) == (0, "")
    rows = json.loads(result.stdout)
    models = itertools.product(["2024-01-01", "2024-01-02"], ["pctr", "other"])
    assert [(row["day"], row["model"]) for row in rows] == list(models)
    assert {"auc", "copc", "mine", "rows_read"} <= set(rows[0])
    call = {"metrics": ["copc"], "label": "click", "score": "pctr"}
    write_config(**call, data="nowhere.csv", by=[[], ["device"]], format="csv", strict=True)
    result = shell("eval log.csv -c options.yml -m auc --score other --by user_id -o out.json --no-strict")
    assert (result.exit_code, result.stderr) == (0, "")
    rows = json.loads(Path("out.json").read_text())
    assert [(row["user_id"], list(row)) for row in rows] == [(user, ["user_id", "n", "auc"]) for user in (1, 2)]
    assert rows[0]["auc"] == 0.875
    write_config(**call, data="log.csv", grouping=["overall", ["device", "user_id"]])
    rows = [(row["grouping"], row["n"]) for row in records("eval -c options.yml")]
    assert rows == [("overall", 7), *(("device, user_id", n) for n in (2, 4, 1))]


@pytest.mark.parametrize(("text", "message"), [
    ("metric: auc", "no option 'metric' (did you mean 'metrics'?)"), ("config: other.yml", "no option 'config'"),
    ("assertions: auc >= 0.7", "no option 'assertions' (did you mean 'assert'?)"),
    ("- auc", "`option: value`"), ("", "`option: value`"), ("just text", "`option: value`"),
    ("metrics: [auc", "not YAML"), (b"label: \xff\xfe", "UTF-8"), ("label: true", "label must be text, not True"),
    ("confidence: yes", "confidence must be a number, not True"), ("where: [a]", "where must be text"),
    ("metrics: [1]", "metrics must be text"), ("strict: 1", "strict must be true or false"),
    ("min_rows: many", "min-rows must be a whole number"), ("min_rows: true", "min-rows must be a whole number"),
    ("min_rows: -1", "min-rows: "), ("format: xml", "format: "), ("db: none.duckdb", "db: "),
    ("by: [[a], b]", "not a mixture"), ("{by: [[a]], grouping: b}", "by or grouping"),
    ("{min_rows: 1, min-rows: 2}", "given twice"),
    *((text, "is given twice, the second time in line 1") for text in (
        "metrics: [{name: ndcg, k: 5, k: 10}]", "{metrics: [auc, {name: auc_mu, scores: {a: p, a: q}}]}",
        "assert: &x {<<: {a: 1}, a: 2, b: [*x, {c: 1, \"c\": 1}]}", "where: {1: a, 1.0: b}",
    )),
])  # fmt: skip
def test_config_errors(text: str | bytes, message: str) -> None:
    Path("options.yml").write_bytes(text if isinstance(text, bytes) else text.encode())
    line = error_of(f"{AUC} -c options.yml")
    assert "options.yml" in line
    assert message in line


def test_sql_prints_the_text_of_render() -> None:
    arguments = {"relation": "{{ ref('log') }}", "label": "= rating >= 4", "score": "pctr", "by": ["device"]}
    assert all(dialect in shell("sql --help").stdout for dialect in DIALECTS)
    further = {**arguments, "dialect": "trino", "where": "n > 1", "shape": "distinct"}
    text = sqlmetrics.render(["auc", "copc"], **further)
    result = shell("sql auc -m copc", *options_of(**further))
    assert (result.exit_code, result.stdout, result.stderr) == (0, text, "")
    assert shell("sql auc -m copc -o model.sql", *options_of(**further)).output == ""
    assert Path("model.sql").read_text() == text
    models = {"relation": "t", "label": "y", "score": ["a", "b"]}
    result = shell("sql auc --grouping '' --grouping c", *options_of(**models))
    assert result.stdout == sqlmetrics.render("auc", **models, by=[[], ["c"]])
    ranks = {"relation": "t", "label": "y", "rank": "r", "group": "g", "group_weight": "w"}
    assert shell("sql mrr", *options_of(**ranks)).stdout == sqlmetrics.render("mrr", **ranks)


def test_list_prints_every_metric_and_how_it_is_tested() -> None:
    rows = json.loads(shell("list --format json").stdout)
    metrics = builtin_catalogue().metrics.values()
    assert rows == [{"name": metric.name, "title": metric.title, "family": metric.family} for metric in metrics]
    assert len(shell("list").stdout.splitlines()) == 1 + len(rows)
    text = (sql_root() / "macros" / "binary" / "error_rate.sql").read_text()
    Path("mine.sql").write_text(text.replace("error_rate", "mine"))
    description = shell("show auc").stdout
    levels = {"spark": "run on the engine", "bigquery": "run on a stand-in", "trino": "read by parsers"}
    for dialect, level in levels.items():
        rows = json.loads(shell(f"list --dialect {dialect} --metrics-dir mine.sql --format json").stdout)
        tested = {row["name"]: row["tested"] for row in rows}
        assert tested.pop("mine") == "not tested"
        assert set(tested.values()) == {level}
        assert level in description


def test_list_searches_families_titles_and_synonyms() -> None:
    def names(options: str) -> list[str]:
        return [row["name"] for row in json.loads(shell(f"list {options} --format json").stdout)]

    assert set(names("--family grouped")) == {"gauc", "group_auc"}
    assert names("Log LOSS multi") == ["multi_log_loss"]
    assert names("roc_auc_score") == ["auc", "partial_auc", "multi_auc"]  # its name in scikit-learn
    assert names("auc --family ranking") == ["pairwise_accuracy"]  # the AUC of two labels
    for synonym, name in {"c-index": "concordance_index", "Brier skill score": "brier"}.items():
        assert name in names(synonym)


def test_completion_of_metrics() -> None:
    for typed, completions in (("show ndc", "plain,ndcg"), ("eval x.csv -m auc,ndc", "plain,auc,ndcg")):
        variables = {"COMP_WORDS": f"sqlmetrics {typed}", "COMP_CWORD": str(len(typed.split()))}
        assert shell("", env={"_SQLMETRICS_COMPLETE": "bash_complete", **variables}).stdout.strip() == completions
    assert "_SQLMETRICS_COMPLETE=bash_source" in shell("--help").stdout


@pytest.mark.parametrize("name", ["ndcg", "precision_at_k", *quick_every(24, sorted(builtin_catalogue().metrics))])
def test_show_prints_the_whole_description(name: str) -> None:
    result = shell(f"show {name}")
    assert (result.exit_code, result.stderr) == (0, "")
    text = " ".join(result.stdout.split())
    metric = builtin_catalogue()[name]
    facts = [metric.title, metric.formula, metric.range, metric.undefined, metric.oracle, metric.source, metric.notes]
    for role, required in metric.roles().items():
        facts.append(f"{role} {describe_role(metric, role)}{' (required)' if required else ''}")
    for parameter in metric.parameters.values():
        facts.append(f"{parameter.name}: {parameter.doc}")
        facts += [f"'{choice}': {meaning}" for choice, meaning in parameter.choices.items()]
        facts += parameter.used_by.values()
        facts.append("required" if parameter.required else f"default {parameter.default!r}")
    for fact in facts:
        assert " ".join(str(fact).split()) in text
    assert result.stdout.rstrip().endswith(f"\n  {metric.example['result']!r}")
    assert re.findall(r"in dbt\n  {{ sqlmetrics\.(\w+)\(.+\) }}\n", result.stdout) == [name]
    if name in ("ndcg", "precision_at_k"):
        assert shell(f"show {name.removesuffix('_at_k')}@10").stdout == result.stdout


def test_new_metrics_work_in_every_command() -> None:
    assert shell("new first_metric --into one").exit_code == shell("new mine").exit_code == 0
    assert "exists" in error_of("new mine")
    own = "--metrics-dir one --metrics-dir mine.sql"
    for command in ("list", "show mine", "sql mine,first_metric --relation t --label click --score pctr"):
        assert "mine" in shell(f"{command} {own}").stdout


@pytest.mark.slow
@pytest.mark.parametrize(("call", "imports"), [("show auc", "click"), (f"{COPC} --format json", "click duckdb")])
def test_commands_import_what_they_need(call: str, imports: str) -> None:
    program = (
        "import atexit, sys; atexit.register(lambda: print(*sorted({'click', 'duckdb', 'pandas'} & {*sys.modules})))"
    )
    result = python("-c", f"{program}; from sqlmetrics.cli.main import main; main({call.split()})")
    assert (result.stderr, result.stdout.splitlines()[-1]) == (b"", imports.encode())


@pytest.mark.slow
def test_pipes_get_plain_text_and_exit_codes() -> None:
    """Colours and clipped columns are for terminals only, for any environment variables."""
    data = f"select 1 as click, 0.5 as pctr, '{'x' * 200}' as slice"
    variables = {"FORCE_COLOR": "1", "TERM": "xterm-256color", "COLUMNS": "20"}
    result = python("-m", "sqlmetrics", "eval", data, *COPC.split()[2:], "--by", "slice", **variables)
    assert (result.returncode, result.stderr) == (0, b"")
    assert result.stdout.decode().splitlines() == ["slice" + " " * 195 + "  n  copc", "x" * 200 + "  1     2"]
    assert python("-m", "sqlmetrics", *AUC.split(), "--assert", "auc > 1").returncode == 1
    result = python("-m", "sqlmetrics", "show", "gauc", PYTHONIOENCODING="ascii")  # without Greek letters
    assert (result.returncode, result.stderr) == (0, b"")
    assert rb"\u03a3" in result.stdout


def test_interrupt_exits_with_130_and_unexpected_errors_propagate(monkeypatch: pytest.MonkeyPatch) -> None:
    errors = [RuntimeError("Query interrupted"), RuntimeError("a bug")]
    monkeypatch.setattr(calls, "evaluate_source", mock.Mock(side_effect=errors))
    result = shell(AUC)
    assert (result.exit_code, result.stderr.split()) == (130, ["interrupted"])
    with pytest.raises(RuntimeError, match="a bug"):
        shell(AUC, catch_exceptions=False)


def on_a_terminal(*arguments: str, columns: int = 60) -> tuple[int, str]:
    """Run the command in a pseudo-terminal; return the exit code and the output."""
    program = "from sqlmetrics.cli import main, progress; progress.POLL, progress.BAR_AFTER = 0.001, 0.0; main.main()"
    variables = environment(COLUMNS=str(columns), TERM="xterm-256color")
    child, terminal = pty.fork()
    if child == 0:  # pragma: no cover (another process)
        os.execve(sys.executable, [sys.executable, "-c", program, *arguments], variables)
    output = b""
    with contextlib.suppress(OSError):  # raised on Linux when the other side is closed
        while chunk := os.read(terminal, 65536):
            output += chunk
    os.close(terminal)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), output.decode()


def without_escapes(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)


@pytest.mark.slow
def test_terminal_gets_a_progress_bar_and_a_table() -> None:
    numbers = "range(1000000) a, range(100) b"
    data = f"select (sum(a.range * b.range) % 2)::int as click, 0.5 as pctr, '[red]x' as slice from {numbers}"
    code, output = on_a_terminal("eval", data, *AUC.split()[2:], "--by", "slice")
    assert code == 0
    assert "computing auc of a query, by slice" in output
    table = without_escapes(output[output.rindex("computing") :])
    assert "───" in table
    # Slices are neither parsed as markup nor clipped.
    assert re.search(r"\[red\]x\s+1\s+NULL", table)
    code, output = on_a_terminal("list", "--format", "csv")
    assert (code, output.replace("\r\n", "\n")) == (0, shell("list --format csv").stdout)


@pytest.mark.slow
def test_terminal_splits_wide_tables_without_splitting_numbers() -> None:
    """Each part of the table repeats the columns that identify a row."""
    lines = [f"{i % 3 % 2},{i % 7 / 7},{i % 11 / 11},{'ab'[i % 2]}\n" for i in range(99)]
    Path("log.csv").write_text("click,pctr,other,device\n" + "".join(lines))
    call = "compare log.csv --label click --score pctr,other --by device -m auc,log_loss,brier --wide"
    expected_words = {*shell(call).stdout.split()}
    code, output = on_a_terminal(*call.split(), columns=70)
    assert code == 0
    lines = [line for line in re.split(r"[\r\n]+", without_escapes(output)) if "━" not in line]  # the progress bar
    assert max(map(len, lines)) <= 70
    assert {word for line in lines for word in line.split() if set(word) != {"─"}} == expected_words
    heads = [line.split() for line, below in itertools.pairwise(lines) if set(below.strip()) == {"─"}]
    assert len(heads) > 1
    assert all(head[:4] == ["device", "metric", "model", "baseline"] for head in heads)


def test_progress_pulses_where_the_engine_reports_none(monkeypatch: pytest.MonkeyPatch) -> None:
    bar, visible = mock.Mock(), threading.Event()
    bar.start.side_effect = visible.set
    monkeypatch.setattr(progress, "_progress", lambda: bar)
    monkeypatch.setattr(progress, "BAR_AFTER", 0.01)
    with progress._bar(True, progress._describe_statement("-- auc of impressions, by device\nselect 1")):
        assert visible.wait(10)
    added = mock.call.add_task("computing auc of impressions, by device", total=None)
    assert bar.mock_calls == [added, mock.call.start(), mock.call.stop()]
