"""Rules for the template files, so that plain Jinja, dbt-core and dbt's Rust engine all accept them."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest
import yaml

from sqlmetrics.catalogue.front_matter import sql_root
from sqlmetrics.catalogue.registry import builtin_catalogue
from sqlmetrics.catalogue.yaml_text import YAML_LOADER
from sqlmetrics.codegen.dbt_package import OPTIONS, documented_macros

FILES = sorted(sql_root().rglob("*.sql"))
_TAG = re.compile(r"\{%-?\s*(\w+)")
_CALL = re.compile(r"\{[{%](?!-?\s*macro)(.*?)[%}]\}", re.DOTALL)
_MACRO = re.compile(r"\{%-?\s*macro\s+(\w+)")
_TAGS = {"macro", "endmacro", "if", "elif", "else", "endif", "for", "endfor", "set", "endset", "do", "test", "endtest"}
_FILTERS = {
    "join", "indent", "trim", "length", "replace", "string", "list", "sort", "min", "max", "int", "float", "lower",
    "reverse", "map", "select", "reject", "selectattr", "rejectattr",
}  # fmt: skip
_ALL_MACROS = [name for path in FILES for name in _MACRO.findall(path.read_text(encoding="utf-8"))]


def without_comments(path: Path) -> str:
    return re.sub(r"\{#.*?#\}", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_templates_use_common_jinja(path: Path) -> None:
    text = without_comments(path)
    for_dbt = path.is_relative_to(sql_root() / "dbt") or path.parent.name in ("generated", "generic")
    in_tests = path.is_relative_to(sql_root() / "tests")
    assert set(_TAG.findall(text)) <= _TAGS - (set() if in_tests else {"test", "endtest"}), path
    for code in _CALL.findall(text):
        call = re.sub(r"'[^'\n]*'|\"[^\"\n]*\"", "''", code)
        assert set(re.findall(r"\|\s*(\w+)", call)) <= _FILTERS, (path, code)
        assert "context[" not in call or path.name == "lookup.sql", "macros are looked up by name in lookup.sql alone"
        only_of_dbt = re.search(r"\b(target|exceptions|ref|source|var|execute|this|config)\b[.(]", call)
        assert for_dbt or not only_of_dbt, f"only dbt has this name: {path}: {code}"
        unqualified = re.findall(r"(?<![\w.'])(?<!\| )(\w+)\(", call)
        assert not set(unqualified) & set(_ALL_MACROS), f"a macro is called without its package: {path}: {code}"
    for name in re.findall(r"adapter\.dispatch\((.*?)[,)]", text):
        assert re.fullmatch(r"'\w+'", name), f"dbt requires a literal name: {path}"
        assert name.startswith("'sqlmetrics_"), f"a macro of the project with this name would be called: {name}"
    # Steps and frames are values. Macros may write only to the list `m.state`, in which a metric declares its sums.
    for _, arguments, body in re.findall(
        r"\{%-?\s*macro\s+(\w+)\((.*?)\)\s*-?%\}(.*?)\{%-?\s*endmacro", text, re.DOTALL
    ):
        names = "|".join(argument.partition("=")[0].strip() for argument in arguments.split(",")) or "-"
        changes = re.findall(rf"\bdo\s+((?:{names})(?:\.\w+|\[[^\]]*\])*)\.(?:append|update|extend|pop|clear)\(", body)
        assert set(changes) <= {"m.state"}, path
    assert not re.search(r"\bset _ =", text), f"an effect is a `do`: {path}"


#: Names that dbt passes to every template: a macro with such a name would replace them in our generic tests.
_OF_DBT = {
    "adapter", "api", "builtins", "config", "context", "database", "dbt_version", "diff_of_two_dicts", "doc",
    "env_var", "exceptions", "execute", "flags", "fromjson", "fromyaml", "function", "graph", "invocation_id",
    "load_result", "local_md5", "log", "metric", "model", "modules", "print", "project_name", "ref", "render",
    "return", "run_query", "run_started_at", "schema", "selected_resources", "set", "set_strict", "source", "sql",
    "sql_now", "statement", "store_result", "target", "this", "thread_id", "tojson", "toyaml",
    "try_or_compiler_error", "var", "write", "zip", "zip_strict",
}  # fmt: skip


def test_names_of_macros_are_unique() -> None:
    """The names also differ from those of the macros of dbt and of the installed adapters."""
    package = importlib.util.find_spec("dbt.include") if importlib.util.find_spec("dbt") else None
    folders = [Path(folder) for folder in package.submodule_search_locations or []] if package else []
    of_dbt = {name for folder in folders for file in folder.rglob("*.sql")
              for name in _MACRO.findall(file.read_text(encoding="utf-8"))}  # fmt: skip
    assert not package or "generate_schema_name" in of_dbt
    assert not set(_ALL_MACROS) & (_OF_DBT | of_dbt)
    assert len(_ALL_MACROS) == len(set(_ALL_MACROS))
    assert set(builtin_catalogue().metrics) <= set(_ALL_MACROS)


def test_docs_show_public_macros() -> None:
    """Entries are generated from the macros whose comment is documentation."""
    text = (sql_root() / "macros" / "generated" / "metrics.yml").read_text(encoding="utf-8")
    entries = {entry["name"]: entry for entry in yaml.load(text, Loader=YAML_LOADER)["macros"]}
    metrics = builtin_catalogue().metrics
    public = {*metrics, "evaluate", "compare", "gaps", "score_state", "state_metrics", "metric_state",
              "metrics_of_state", "metric_trend", "drift", "alerts"}  # fmt: skip
    assert set(entries) == public | {f"test_{path.stem}" for path in FILES if path.parent.name == "generic"}
    assert public <= set(_ALL_MACROS)
    for name, metric in metrics.items():
        described = set(re.findall(r"\w+", entries[name]["description"]))
        assert {*metric.roles(), *metric.relations, *metric.parameters, *OPTIONS} <= described


def test_misspelled_arguments_are_compared_with_all_of_a_macro() -> None:
    """A test or macro that forwards roles lists its own arguments, for the suggestion in an error."""
    listing = 0
    implied = {"model", "metric", "column_name"}  # of a test
    for path in FILES:
        for arguments, listed, taken in re.findall(
            r"\{%-? (?:test|macro) \w+\(([^)]*)\) -%\}\n(?:\{%- set arguments = \{(.*)\} -%\}\n)?"
            r"\{%- set inputs = \S+\('\w+', kwargs, (.*?)\) -%\}",
            path.read_text(encoding="utf-8"),
        ):
            names = {argument.partition("=")[0] for argument in arguments.split(", ")}
            checked = set(re.findall(r"'(\w+)'", taken)) or set(re.findall(r"'(\w+)':", listed))
            assert checked - implied == names - implied, path.name
            listing += 1
    assert listing == 7


def test_lists_of_the_host_are_complete() -> None:
    """Single metrics support the options of `evaluate`, and errors of generic tests show arguments as YAML."""
    host = (sql_root() / "dbt" / "host.sql").read_text("utf-8")
    bodies = dict(re.findall(r"macro (options_of_metrics|generic_tests)\(\) -%\}(.*?)endmacro", host, re.DOTALL))
    [evaluate] = [macro for macro in documented_macros(sql_root()) if macro.name == "evaluate"]
    options = dict(re.findall(r"'(\w+)': (\w+)", bodies["options_of_metrics"]))
    assert tuple(options) == OPTIONS
    assert options == {name: evaluate.defaults[name] for name in OPTIONS}
    tests = {path.stem for path in FILES if path.parent.name == "generic"}
    assert set(re.findall(r"'(\w+)'", bodies["generic_tests"])) == tests
