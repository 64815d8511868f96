"""The layers of the package: every module imports only from layers below its own, and no modules import in a circle."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

from tests import ROOT

#: Packages, and modules of the top folder, from the ground to the top. Those of one layer do not import each other.
LAYERS = (
    ("errors", "column_types", "interrupts", "expressions", "version"),
    ("sql_text", "catalogue"),
    ("engines", "rendering", "output", "request"),
    ("inputs", "planning", "arguments"),
    ("running", "integrations", "authoring"),
    ("reporting", "public_functions"),
    ("api", "functions"),
    ("cli", "codegen"),
    ("__main__", "__init__"),
)

FOLDER = ROOT / "sqlmetrics"
MODULES = {".".join(path.relative_to(FOLDER).with_suffix("").parts): path for path in sorted(FOLDER.rglob("*.py"))}


def imported(module: str, path: Path) -> Iterator[str]:
    """The modules that a module imports anywhere: at its top, in functions, and for types alone."""
    package = ("sqlmetrics", *module.split(".")[:-1])
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            source = [*base, *(node.module or "").split(".")] if node.module else [*base]
            names = [[*source, alias.name] for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name.split(".") for alias in node.names]
        else:
            continue
        for name in names:
            if name[0] == "sqlmetrics":
                yield module_of(name[1:])


def module_of(name: list[str]) -> str:
    """The module that holds a dotted name: itself, its package, or the module whose attribute it is."""
    for length in range(len(name), 0, -1):
        dotted = ".".join(name[:length])
        if dotted in MODULES:
            return dotted
        if f"{dotted}.__init__" in MODULES:
            return f"{dotted}.__init__"
    return "__init__"


IMPORTS = {module: {*imported(module, path)} - {module} for module, path in MODULES.items()}


def layer_of(module: str) -> int:
    top = module.partition(".")[0]
    return next(number for number, names in enumerate(LAYERS) if top in names)


def test_every_module_has_a_layer() -> None:
    tops = sorted({module.partition(".")[0] for module in MODULES})
    assert tops == sorted(name for names in LAYERS for name in names)


def test_imports_run_downward() -> None:
    upward = {
        f"{module} -> {other}"
        for module, others in IMPORTS.items()
        for other in others
        if module.partition(".")[0] != other.partition(".")[0] and layer_of(other) >= layer_of(module)
    }
    assert not upward


def test_no_modules_import_in_a_circle() -> None:
    try:
        TopologicalSorter(IMPORTS).prepare()
    except CycleError as error:
        raise AssertionError(" -> ".join(error.args[1])) from None
