"""The public face of Python: which names there are, what they take, and that a function is `evaluate` of one metric."""

from __future__ import annotations

import importlib.util
import inspect
import sys
import typing
from pathlib import Path
from typing import Any

import duckdb
import jinja2
import pandas as pd
import pytest
from syrupy.assertion import SnapshotAssertion

import sqlmetrics
from sqlmetrics import functions, rendering, running
from sqlmetrics.arguments import ARGUMENTS, Preset, Shape, arguments_of
from sqlmetrics.catalogue import builtin_catalogue
from sqlmetrics.definitions import PRESETS, SHAPES
from tests import ROOT

METRICS = builtin_catalogue().metrics
DATA = pd.DataFrame({"q": list("aabbb"), "y": [0, 1, 2, 1, 0], "s": [0.9, 0.4, 0.6, 0.7, 0.1]})
ROLES = {"label": "y", "score": "s", "group": "q"}


def signature_of(name: str) -> str:
    value = getattr(sqlmetrics, name)
    if inspect.isfunction(value):
        parameters = inspect.signature(value).parameters.values()
        return f"{name}({', '.join(str(one.replace(annotation=inspect.Parameter.empty)) for one in parameters)})"
    return f"{name}: {', '.join(value.__all__) if inspect.ismodule(value) else value.__mro__[1].__name__}"


def test_public_names_and_their_arguments(snapshot: SnapshotAssertion) -> None:
    """Whoever changes one on purpose writes it anew with --snapshot-update, and says so in the changelog."""
    assert "\n".join(map(signature_of, sorted(sqlmetrics.__all__))) == snapshot
    assert set(sqlmetrics.__all__) <= set(dir(sqlmetrics))
    assert set(functions.__all__) == set(METRICS) <= set(sqlmetrics.__all__)
    modules = {path.stem for path in Path(str(sqlmetrics.__file__)).parent.glob("*.py")}
    assert modules & set(sqlmetrics.__all__) == {"engines"}


def test_the_table_of_arguments_has_the_words_that_the_planner_knows() -> None:
    assert typing.get_args(Preset) == PRESETS
    assert typing.get_args(Shape) == tuple(SHAPES)
    for call in {call for argument in ARGUMENTS for call in argument.calls}:
        names = [argument.name for argument in arguments_of(call)]
        assert len(set(names)) == len(names), call


@pytest.mark.slow
@pytest.mark.parametrize("name", ["auc", "lift_at_threshold"])
def test_every_function_takes_what_evaluate_takes(name: str) -> None:
    sqlmetrics.register(ROOT / "examples/metrics/lift_at_threshold.sql")
    shared = [one.name for one in arguments_of("evaluate") if one.name not in ("metrics", "judgments")]
    shared = shared[shared.index("preset") :]
    assert list(inspect.signature(getattr(sqlmetrics, name)).parameters)[-len(shared) :] == shared
    result = getattr(sqlmetrics, name)(
        DATA, label="= y > 0", score="s", threads=1, memory_limit="1GB", preset="sklearn"
    )
    assert list(result.columns) == ["n", name]


@pytest.mark.slow
def test_a_preset_stands_in_for_what_is_not_given_to_a_function() -> None:
    """`linear` is the default of `gain`; given, it is not the preset's."""
    roles = {**ROLES, "tie_key": "s"}
    for given, spec in (({}, "ndcg@2"), ({"gain": "linear"}, "ndcg(k=2, gain='linear')")):
        found = sqlmetrics.ndcg(DATA, k=2, preset="lightgbm", **given, **roles)
        pd.testing.assert_frame_equal(found, sqlmetrics.evaluate(DATA, spec, preset="lightgbm", **roles))
    [by_preset] = sqlmetrics.ndcg(DATA, k=2, preset="lightgbm", **roles)["ndcg_at_2"]
    assert by_preset != found["ndcg_at_2"][0]


def test_an_unknown_argument_is_refused() -> None:
    sqlmetrics.register(ROOT / "examples/metrics/lift_at_threshold.sql")
    with pytest.raises(TypeError, match=r"auc\(\) got an unexpected keyword argument 'lable'"):
        sqlmetrics.auc(DATA, lable="y", score="s")
    with pytest.raises(TypeError, match="unexpected keyword argument 'diagnostics'"):
        sqlmetrics.per_group(DATA, "mrr", diagnostics=True, **ROLES)
    with pytest.raises(
        sqlmetrics.BadParameter, match=r"lift_at_threshold has no argument 'lable' .did you mean 'label'"
    ):
        sqlmetrics.lift_at_threshold(DATA, lable="y", score="s")
    with pytest.raises(AttributeError, match="no attribute 'lift'"):
        _ = sqlmetrics.lift


def test_a_file_that_is_registered_again_compiles_itself_alone(tmp_path: Path) -> None:
    path = tmp_path / "own.sql"
    text = (ROOT / "examples/metrics/lift_at_threshold.sql").read_text(encoding="utf-8")
    text = text.replace("lift_at_threshold", "own")
    found, compiled = [], []
    for addition in ("", " + 1", " + 1"):
        path.write_text(text.replace("\n{%- endmacro", addition + "\n{%- endmacro"), encoding="utf-8")
        sqlmetrics.register(path)
        found.append(sqlmetrics.own(DATA, label="= y > 0", score="s")["own"][0])
        compiled.append(rendering._compiled.cache_info().misses)
    assert found == pytest.approx([found[0], found[0] + 1, found[0] + 1])
    assert compiled[1:] == [compiled[0] + 1] * 2


def test_a_process_finds_what_another_compiled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beside the modules, as Python keeps theirs; a text that has changed, half a file and a full disk are compiled."""
    compiled: list[str] = []
    compiles = jinja2.Environment.compile
    monkeypatch.setattr(
        jinja2.Environment, "compile", lambda self, *given: compiled.append(given[0]) or compiles(self, *given)
    )
    monkeypatch.setattr(sys, "pycache_prefix", str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    folder = Path(importlib.util.cache_from_source(rendering.__file__)).parent
    environment, path = rendering._environment(False), tmp_path / "metric.sql"
    rendering._cache.cache_clear()
    try:

        def rendered(text: str) -> str:
            return jinja2.Template.from_code(environment, rendering._kept(environment, path, text), {}).render()

        assert [rendered("{{ 1 + 1 }}") for _ in range(2)] == ["2", "2"]
        assert len(compiled) == 2  # there is no folder yet, and that is no error
        folder.mkdir(parents=True)
        assert [rendered(text) for text in ["{{ 1 + 1 }}"] * 2 + ["{{ 1 + 2 }}"] * 2] == ["2", "2", "3", "3"]
        assert compiled[2:] == ["{{ 1 + 1 }}", "{{ 1 + 2 }}"]
        [kept] = folder.iterdir()
        for part in (b"", kept.read_bytes()[:30], kept.read_bytes()[:-1], b"no code"):
            kept.write_bytes(part)
            assert rendered("{{ 1 + 2 }}") == "3"
        assert len(compiled) == 8
        monkeypatch.setattr(sys, "dont_write_bytecode", True)
        kept.unlink()
        assert rendered("{{ 1 + 2 }}") == "3"
        assert not list(folder.iterdir())
    finally:
        rendering._cache.cache_clear()


def test_rows_of_a_small_table_are_not_sampled() -> None:
    statements: list[str] = []

    def execute(source: Any, sql: str) -> pd.DataFrame:
        statements.append(sql)
        return running.fetch(source, sql)

    with duckdb.connect() as con:
        con.execute("create table log as select range % 2 as y, range as s from range(60_000)")
        con.execute("create view few as from log limit 10")
        for data, expected in ((DATA.assign(y=1), 1), ("log", 2), ("few", 2)):
            statements.clear()
            running.run(data, "auc", label="y", score="s", con=con, execute=execute)
            assert len(statements) == expected, data


def test_an_engine_may_be_given_by_its_address(tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "a.duckdb")) as con:
        con.execute("create table log as select range % 2 as y, range as s from range(4)")
    assert sqlmetrics.auc("log", label="y", score="s", engine=f"duckdb:{tmp_path / 'a.duckdb'}")["auc"][0] == 0.75
    with pytest.raises(sqlmetrics.BadParameter, match="engine 'oracle': one of duckdb:FILE, postgres://"):
        sqlmetrics.auc("log", label="y", score="s", engine="oracle")


def test_slices_of_a_categorical_column_are_in_the_order_of_its_categories() -> None:
    """As pandas groups by them."""
    data = DATA.assign(size=pd.Categorical(list("smmls"), categories=["s", "m", "l"], ordered=True))
    found = sqlmetrics.evaluate(data, ["mae"], label="y", score="s", by="size")
    expected = (data["s"] - data["y"]).abs().groupby(data["size"], observed=True).mean()
    assert found["size"].tolist() == expected.index.tolist() == ["s", "m", "l"]
    assert found["mae"].tolist() == pytest.approx(expected.tolist(), rel=1e-12)
