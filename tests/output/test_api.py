"""The Python interface: its names and arguments, and functions for single metrics."""

from __future__ import annotations

import inspect
import sys
import typing
from pathlib import Path
from typing import Any
from unittest import mock

import jinja2
import pandas as pd
import pytest
from syrupy.assertion import SnapshotAssertion

import sqlmetrics
from sqlmetrics import functions
from sqlmetrics.arguments import arguments_of
from sqlmetrics.catalogue import disk_cache
from sqlmetrics.catalogue.front_matter import sql_root
from sqlmetrics.catalogue.registry import Catalogue, builtin_catalogue
from sqlmetrics.catalogue.vocabulary import PRESETS, SHAPES
from sqlmetrics.expressions import Preset, Shape
from sqlmetrics.rendering import macros
from tests import ROOT

LIFT = ROOT / "examples/metrics/lift_at_threshold.sql"
DATA = pd.DataFrame({"q": list("aabbb"), "y": [0, 1, 2, 1, 0], "s": [0.9, 0.4, 0.6, 0.7, 0.1]})
ROLES = {"label": "y", "score": "s", "group": "q"}


def signature_of(name: str) -> str:
    value = getattr(sqlmetrics, name)
    if inspect.isfunction(value):
        parameters = inspect.signature(value).parameters.values()
        names = [str(parameter.replace(annotation=inspect.Parameter.empty)) for parameter in parameters]
        return f"{name}({', '.join(names)})"
    return f"{name}: {', '.join(value.__all__) if inspect.ismodule(value) else value.__mro__[1].__name__}"


def test_public_names_and_their_arguments(snapshot: SnapshotAssertion) -> None:
    """Update the snapshot for an intended change, and add the change to the changelog."""
    assert "\n".join(map(signature_of, sorted(sqlmetrics.__all__))) == snapshot
    assert set(sqlmetrics.__all__) <= set(dir(sqlmetrics))
    assert set(functions.__all__) == set(builtin_catalogue().metrics) <= set(sqlmetrics.__all__)
    # An imported module is an attribute of `sqlmetrics`, so it must not hide a public function.
    folder = Path(str(sqlmetrics.__file__)).parent
    modules = {path.stem for path in folder.iterdir() if path.is_dir() or path.suffix == ".py"}
    assert modules & set(sqlmetrics.__all__) == {"engines"}
    # The types of arguments are those of the planner.
    assert typing.get_args(Preset) == PRESETS
    assert typing.get_args(Shape) == tuple(SHAPES)


def test_functions_take_the_arguments_of_evaluate() -> None:
    sqlmetrics.register(LIFT)
    shared = [argument.name for argument in arguments_of("evaluate")]
    shared = [name for name in shared[shared.index("preset") :] if name not in ("metrics", "judgments")]
    for function in (sqlmetrics.auc, sqlmetrics.lift_at_threshold):
        assert list(inspect.signature(function).parameters)[-len(shared) :] == shared
    options: dict[str, Any] = {"label": "= y > 0", "score": "s", "threads": 1, "memory_limit": "1GB"}
    assert list(sqlmetrics.lift_at_threshold(DATA, **options, preset="sklearn")) == ["n", "lift_at_threshold"]
    with pytest.raises(TypeError, match=r"auc\(\) got an unexpected keyword argument 'lable'"):
        sqlmetrics.auc(DATA, lable="y", score="s")
    with pytest.raises(TypeError, match="unexpected keyword argument 'diagnostics'"):
        sqlmetrics.per_group(DATA, "mrr", diagnostics=True, **ROLES)
    with pytest.raises(TypeError, match=r"unexpected keyword argument 'lable' \(did you mean 'label'\?\); write sqlm"):
        sqlmetrics.lift_at_threshold(DATA, lable="y", score="s")
    with pytest.raises(AttributeError, match="no attribute 'lift'"):
        _ = sqlmetrics.lift


def test_changed_file_is_registered_again(tmp_path: Path) -> None:
    path, text = tmp_path / "own.sql", LIFT.read_text(encoding="utf-8").replace("lift_at_threshold", "own")
    values = []
    for addition in ("", " + 1"):
        path.write_text(text.replace("\n{%- endmacro", addition + "\n{%- endmacro"), encoding="utf-8")
        sqlmetrics.register(path)
        values.append(sqlmetrics.own(DATA, label="= y > 0", score="s")["own"][0])
    assert values[1] == pytest.approx(values[0] + 1)


def test_catalogue_is_stored_until_a_file_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A changed file, a damaged copy and an unwritable folder cause another reading."""
    monkeypatch.setattr(sys, "pycache_prefix", str(tmp_path / "cache"))
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    file = tmp_path / "file.sql"
    file.write_text("select 1", encoding="utf-8")
    compute = mock.Mock(side_effect=lambda: {"text": file.read_text(encoding="utf-8")})

    def value() -> str:
        return str(disk_cache.cached("texts", [file], compute)["text"])

    assert [value(), value()] == ["select 1"] * 2
    assert compute.call_count == 1
    file.write_text("select 10", encoding="utf-8")
    assert [value(), value()] == ["select 10"] * 2
    assert compute.call_count == 2
    [stored] = [path for path in (tmp_path / "cache").rglob("*") if path.is_file()]
    for content in (b"", stored.read_bytes()[:-1], b"no pickle"):
        stored.write_bytes(content)
        assert value() == "select 10"
    assert compute.call_count == 5
    stored.unlink()
    stored.mkdir()  # nothing can be written there, even by root
    assert [value(), value()] == ["select 10"] * 2
    assert compute.call_count == 7
    assert [path for path in stored.parent.iterdir() if path != stored] == []
    read, built = builtin_catalogue(), Catalogue(sql_root())
    assert (read.frames, read.macros, [*read.metrics]) == (built.frames, built.macros, [*built.metrics])
    assert list(map(vars, read.metrics.values())) == list(map(vars, built.metrics.values()))


def test_compiled_templates_are_cached_on_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Python's own cache folder is used; a changed file and a damaged copy cause a compilation."""
    monkeypatch.setattr(sys, "pycache_prefix", str(tmp_path / "cache"))
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    environment, path = macros.make_environment(False), tmp_path / "metric.sql"
    compile_template = mock.Mock(side_effect=environment.compile)
    monkeypatch.setattr(jinja2.Environment, "compile", compile_template)

    def render(text: str) -> str:
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
        code = macros._compiled.__wrapped__(path, None, False)
        return jinja2.Template.from_code(environment, code, {}).render()

    assert [render(text) for text in ["{{ 1 + 1 }}"] * 2 + ["{{ 1 + 20 }}"] * 2] == ["2", "2", "21", "21"]
    assert compile_template.call_count == 2
    [stored] = [file for file in (tmp_path / "cache").rglob("*") if file.is_file()]
    for content in (b"", stored.read_bytes()[:-1], b"no code"):
        stored.write_bytes(content)
        assert render("{{ 1 + 20 }}") == "21"
    assert compile_template.call_count == 5


def test_slices_of_a_categorical_column_follow_its_categories() -> None:
    data = DATA.assign(size=pd.Categorical(list("smmls"), categories=["s", "m", "l"], ordered=True))
    result = sqlmetrics.evaluate(data, ["mae"], label="y", score="s", by="size")
    expected = (data["s"] - data["y"]).abs().groupby(data["size"], observed=True).mean()
    assert result["size"].tolist() == expected.index.tolist() == ["s", "m", "l"]
    assert result["mae"].tolist() == pytest.approx(expected.tolist(), rel=1e-12)
