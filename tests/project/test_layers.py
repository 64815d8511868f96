"""The layers of the package: every module imports only from lower layers, and imports have no cycles."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from tests import ROOT

#: Packages and top-level modules, from the lowest layer to the highest. Those of one layer do not import each other.
LAYERS = (
    ("errors", "column_types", "interrupts", "expressions", "version"),
    ("sql_text", "catalogue", "tables"),
    ("engines", "rendering", "output", "request"),
    ("inputs", "planning", "arguments"),
    ("running", "integrations", "authoring"),
    ("reporting",),
    ("public_functions",),
    ("api", "functions"),
    ("cli",),
    ("__main__", "__init__"),
    ("codegen",),
)

FOLDER = ROOT / "sqlmetrics"
MODULES = {".".join(path.relative_to(FOLDER).with_suffix("").parts): path for path in sorted(FOLDER.rglob("*.py"))}


def imported(module: str, path: Path) -> Iterator[str]:
    """The modules that a module imports anywhere: at the top, in functions, and for type checking."""
    package = ["sqlmetrics", *module.split(".")[:-1]]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        base: list[str] = []
        if isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            base += node.module.split(".") if node.module else []
        if isinstance(node, ast.ImportFrom | ast.Import):
            names = [[*base, *alias.name.split(".")] for alias in node.names]
            yield from (module_of(name[1:]) for name in names if name[0] == "sqlmetrics")


def module_of(name: list[str]) -> str:
    """The module of a dotted name: itself, its package, or the module that defines the attribute."""
    prefixes = [".".join(name[:length]) for length in range(len(name), 0, -1)]
    modules = (module for prefix in prefixes for module in (prefix, f"{prefix}.__init__"))
    return next((module for module in modules if module in MODULES), "__init__")


@pytest.fixture(scope="module")
def imports() -> dict[str, set[str]]:
    return {module: {*imported(module, path)} - {module} for module, path in MODULES.items()}


def test_every_module_has_a_layer_and_imports_from_lower_ones(imports: dict[str, set[str]]) -> None:
    layers = {name: number for number, names in enumerate(LAYERS) for name in names}
    tops = {module: module.partition(".")[0] for module in MODULES}
    assert {*tops.values()} == {*layers}
    pairs = [(module, other) for module, others in imports.items() for other in others if tops[module] != tops[other]]
    assert [pair for pair in pairs if layers[tops[pair[1]]] >= layers[tops[pair[0]]]] == []


def test_no_modules_import_in_a_circle(imports: dict[str, set[str]]) -> None:
    TopologicalSorter(imports).prepare()
