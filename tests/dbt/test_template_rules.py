"""What the template files may use, so that plain Jinja, dbt-core and dbt's Rust engine all read them."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from sqlmetrics.catalogue import RELATIONS, ROLES, builtin_catalogue, sql_root
from sqlmetrics.definitions import COLUMN_ROLES
from sqlmetrics.plain_yaml import YAML_LOADER
from sqlmetrics.planning import NUMERIC_COLUMNS
from tests.data import COLUMNS
from tests.dbt.oracles import LOG_COLUMNS

FILES = sorted(sql_root().rglob("*.sql"))
_TAG = re.compile(r"\{%-?\s*(\w+)")
_CALL = re.compile(r"\{[{%](?!-?\s*macro)(.*?)[%}]\}", re.DOTALL)
_MACRO = re.compile(r"\{%-?\s*macro\s+(\w+)")
_TAGS = {"macro", "endmacro", "if", "elif", "else", "endif", "for", "endfor", "set", "endset", "do", "test", "endtest"}
_FILTERS = {
    "join", "indent", "trim", "length", "replace", "string", "list", "sort", "min", "max", "int", "float", "lower",
    "reverse",
}  # fmt: skip
_ALL_MACROS = [name for path in FILES for name in _MACRO.findall(path.read_text(encoding="utf-8"))]


def shown(path: Path) -> str:
    return str(path.relative_to(sql_root()))


def calls(path: Path) -> list[str]:
    """What stands between the brackets of a file, comments and quoted text left out."""
    text = re.sub(r"\{#.*?#\}", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    return [re.sub(r"'[^'\n]*'|\"[^\"\n]*\"", "''", call) for call in _CALL.findall(text)]


@pytest.mark.parametrize("path", FILES, ids=shown)
def test_file(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    tags = set(_TAG.findall(re.sub(r"\{#.*?#\}", "", text, flags=re.DOTALL)))
    for_dbt = path.is_relative_to(sql_root() / "dbt") or path.parent.name in ("generated", "generic")
    in_tests = path.is_relative_to(sql_root() / "tests")
    assert tags <= _TAGS - (set() if in_tests else {"test", "endtest"})
    for call in calls(path):
        filters = set(re.findall(r"\|\s*(\w+)", call))
        assert filters <= _FILTERS
        assert "sqlmetrics[" not in call, "a macro cannot be looked up by a computed name"
        only_of_dbt = re.search(r"\b(target|exceptions|ref|source|var|execute|this|config)\b[.(]", call)
        assert for_dbt or not only_of_dbt, "only dbt knows this name"
        unqualified = re.findall(r"(?<![\w.'])(\w+)\(", call)
        assert not set(unqualified) & set(_ALL_MACROS), "a macro is called without its package"
    for name in re.findall(r"adapter\.dispatch\((.*?)[,)]", text):
        assert re.fullmatch(r"'\w+'", name), "dbt wants a literal name"
        assert name.startswith("'sqlmetrics_"), "a macro of the project's own by this name would be taken"


@pytest.mark.parametrize("path", FILES, ids=shown)
def test_no_macro_changes_what_it_was_given(path: Path) -> None:
    """Steps and frames are values. Only `m.state` is a list to write to: a metric notes what it asks of a state."""
    text = re.sub(r"\{#.*?#\}", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    for _, arguments, body in re.findall(
        r"\{%-?\s*macro\s+(\w+)\((.*?)\)\s*-?%\}(.*?)\{%-?\s*endmacro", text, re.DOTALL
    ):
        names = "|".join(argument.partition("=")[0].strip() for argument in arguments.split(",")) or "-"
        changes = re.findall(rf"\bdo\s+((?:{names})(?:\.\w+|\[[^\]]*\])*)\.(?:append|update|extend|pop|clear)\(", body)
        assert set(changes) <= {"m.state"}
    assert not re.search(r"\bset _ =", text), "an effect is a `do`"


def test_no_macro_has_two_homes() -> None:
    assert len(_ALL_MACROS) == len(set(_ALL_MACROS))
    assert set(builtin_catalogue().metrics) <= set(_ALL_MACROS)


#: What dbt gives to every template. A macro of ours by such a name stands before it in each test of ours, and a test of
#: a source asks for `source`.
_OF_DBT = {
    "adapter", "api", "builtins", "config", "context", "database", "dbt_version", "diff_of_two_dicts", "doc",
    "env_var", "exceptions", "execute", "flags", "fromjson", "fromyaml", "function", "graph", "invocation_id",
    "load_result", "local_md5", "log", "metric", "model", "modules", "print", "project_name", "ref", "render",
    "return", "run_query", "run_started_at", "schema", "selected_resources", "set", "set_strict", "source", "sql",
    "sql_now", "statement", "store_result", "target", "this", "thread_id", "tojson", "toyaml",
    "try_or_compiler_error", "var", "write", "zip", "zip_strict",
}  # fmt: skip


def test_no_macro_stands_before_one_of_dbt() -> None:
    """Of dbt and of the adapters that are installed; macros of projects and packages have their own names."""
    package = importlib.util.find_spec("dbt.include") if importlib.util.find_spec("dbt") else None
    files = [file for folder in (package.submodule_search_locations or [] if package else [])
             for file in Path(folder).rglob("*.sql")]  # fmt: skip
    known = {name for file in files for name in _MACRO.findall(file.read_text(encoding="utf-8"))}
    assert not package or "generate_schema_name" in known
    assert not set(_ALL_MACROS) & (_OF_DBT | known)


def documented(text: str) -> dict[str, dict[str, Any]]:
    """The macros of a file of properties."""
    return {entry["name"]: entry for entry in yaml.load(text, Loader=YAML_LOADER)["macros"]}


def test_what_is_internal_is_not_shown() -> None:
    """The pages that dbt makes list what one calls, and nothing else."""
    folder = sql_root() / "macros" / "generated"
    shown_, hidden = (documented((folder / name).read_text("utf-8")) for name in ("metrics.yml", "internal.yml"))
    assert set(hidden) == set(_ALL_MACROS) - set(shown_)
    assert {name for name in shown_ if not name.startswith("test_")} <= set(_ALL_MACROS)
    assert all(entry["docs"] == {"show": False} for entry in hidden.values())


def test_every_role_is_read_from_a_column() -> None:
    """Under a name of its own, worked out together with others, or looked up by: a position."""
    computed = [one["roles"] for metric in builtin_catalogue().metrics.values() for one in metric.computed.values()]
    read = set(COLUMN_ROLES.values()) | {role for roles in computed for role in roles} | {"position"}
    assert read == {*ROLES, "cluster"}, "COLUMN_ROLES of definitions.py says which column holds a role"
    assert set(NUMERIC_COLUMNS) <= set(COLUMN_ROLES)


@pytest.mark.parametrize(
    "name",
    [*(f"tests/generic/{name}" for name in ("metric_between", "metric_not_worse_than", "metric_not_falling")),
     "tests/generic/valid_inputs", "dbt/trend"],
)  # fmt: skip
def test_every_role_is_taken(name: str) -> None:
    text = (sql_root() / f"{name}.sql").read_text(encoding="utf-8")
    for role in (*ROLES, *RELATIONS):
        assert re.search(rf"[ (]{role}=none", text), f"{name}.sql: {role} is no argument"
        assert f"'{role}': {role}" in text, f"{name}.sql: {role} is not passed on"


def test_the_project_reads_every_column_of_its_log() -> None:
    """The log has a column for each role but the weights, and the engines of the full tier read it through a model."""
    assert set(COLUMNS.values()) - {COLUMNS["weight"], COLUMNS["group_weight"]} <= set(LOG_COLUMNS)
    model = Path(__file__).parent / "project" / "models" / "impressions.sql"
    selected = model.read_text(encoding="utf-8").rpartition("select\n")[2].partition("\nfrom ")[0]
    assert sorted(re.findall(r"(\w+),?$", selected, re.MULTILINE)) == sorted(LOG_COLUMNS), model


def test_every_public_macro_is_documented() -> None:
    text = (sql_root() / "macros" / "generated" / "metrics.yml").read_text(encoding="utf-8")
    found = documented(text)
    signatures = {}
    for path in FILES:
        for kind, name, arguments in re.findall(
            r"\{%-?\s*(macro|test)\s+(\w+)\((.*?)\)\s*-?%\}", path.read_text(encoding="utf-8")
        ):
            names = [argument.partition("=")[0].strip() for argument in arguments.split(",")]
            signatures[f"test_{name}" if kind == "test" else name] = names
    public = {
        *builtin_catalogue().metrics,
        "evaluate",
        "compare",
        "gaps",
        "score_state",
        "state_metrics",
        "metric_state",
        "metrics_of_state",
        "metric_trend",
        "score_drift",
        "drift",
    }
    assert set(found) == public | {name for name in signatures if name.startswith("test_")}
    for name, entry in found.items():
        assert entry["description"]
        assert [argument["name"] for argument in entry["arguments"]] == signatures[name]
        assert all(argument["description"] for argument in entry["arguments"])
