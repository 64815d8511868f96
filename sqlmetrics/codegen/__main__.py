"""Generate all lists of metrics from the metric files: `python -m sqlmetrics.codegen` (CI: `--check`).

- `sqlmetrics/api.pyi`, `sqlmetrics/functions.pyi`: the public functions, with the signatures that an editor completes
- `sqlmetrics/__init__.py`: the names of the functions of single metrics
- `README.md`, `sql/README.md`, `sql/duckdb.md`, `sql/engines.md`, `examples/metrics/README.md`: the parts between two
  marks
- `sql/macros/generated`: the definitions and public macros of the dbt package, with their documentation
"""

from __future__ import annotations

import sys
from pathlib import Path

from ..catalogue.registry import builtin_catalogue
from ..errors import BadMetricFile
from . import pages
from .dbt_package import package_files
from .signatures import api_stub, filled, functions_stub

_ROOT = Path(__file__).parents[2]
_NAMES_MARKS = ("    # metrics: written by sqlmetrics.codegen", "    # metrics end")


def _between(marks: tuple[str, str], path: Path, content: str, text: str) -> str:
    """Replace the content between the two marks in the text of a file."""
    before, mark, rest = text.partition(marks[0])
    _, end, after = rest.partition(marks[1])
    if not mark or not end:
        raise SystemExit(f"{path}: the marks {marks[0].strip()!r} and {marks[1].strip()!r} are missing")
    return f"{before}{mark}{content}{end}{after}"


def _on_page(page: Path, **parts: list[str]) -> dict[Path, str]:
    text = page.read_text(encoding="utf-8")
    for mark, lines in parts.items():
        marks = (f"<!-- {mark}: written by sqlmetrics.codegen -->", f"<!-- {mark} end -->")
        text = _between(marks, page, "\n\n" + "\n".join(lines) + "\n\n", text)
    return {page: text}


def generated_files() -> dict[Path, str]:
    """The content of every generated file."""
    catalogue = builtin_catalogue()
    sql, modules = _ROOT / "sql", _ROOT / "sqlmetrics"
    package = modules / "__init__.py"
    names = filled(f'"{name}"' for name in sorted(catalogue.metrics))
    metrics = [metric for members in pages.by_family(catalogue).values() for metric in members]
    return {
        modules / "api.pyi": api_stub(),
        modules / "functions.pyi": functions_stub(metrics),
        package: _between(_NAMES_MARKS, package, f"\n{names}\n", package.read_text(encoding="utf-8")),
        **_on_page(_ROOT / "README.md", metrics=pages.families_table(catalogue)),
        **_on_page(sql / "README.md", states=pages.states_table(catalogue), **pages.macro_arguments(sql)),
        **_on_page(sql / "duckdb.md", duckdb=pages.duckdb_macros_table(catalogue)),
        **_on_page(sql / "engines.md", dialects=pages.dialects_table()),
        **_on_page(_ROOT / "examples" / "metrics" / "README.md", frames=pages.frames_table(catalogue)),
        **package_files(_ROOT, catalogue),
    }


def main(arguments: list[str]) -> int:
    """Write the files; with `--check` only list stale files."""
    try:
        files = generated_files()
    except BadMetricFile as error:
        print(error, file=sys.stderr)
        return 2
    stale = [path for path, text in files.items() if not path.is_file() or path.read_text(encoding="utf-8") != text]
    for path in stale:
        print(f"{'stale' if '--check' in arguments else 'written'}: {path.relative_to(_ROOT)}")
        if "--check" not in arguments:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(files[path], encoding="utf-8")
    return 1 if stale and "--check" in arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
