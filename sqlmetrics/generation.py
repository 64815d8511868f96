"""Everything that lists the metrics, written from the metric files: `python -m sqlmetrics.generation` (CI: `--check`).

- `sqlmetrics/functions.py`: one function per metric, with the signature an editor completes
- `sql/README.md`: the catalogue page
- `README.md`: the table between its two marks
- `sql/macros/generated`: the dispatchers, definitions and public macros of the dbt package, with their documentation
"""

from __future__ import annotations

import json
import sys
import textwrap
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from .catalogue import RELATIONS, ROLES, Catalogue, Metric, Parameter, builtin_catalogue, catalogue
from .dbt_package import package_files
from .planning import requested_metrics

_ROOT = Path(__file__).parent.parent
_FAMILIES = {
    "binary": "Binary classification",
    "calibration": "Probabilities and calibration",
    "grouped": "Grouped: inside each group, then combined",
    "ranking": "Ranking: per group, averaged over groups",
    "recommender": "Recommender lists",
    "multiclass": "Multi-class",
    "regression": "Regression",
    "bidding": "Win-price (bid landscape) distributions",
}
_TABLE_MARKS = ("<!-- metrics: written by sqlmetrics.generation -->", "<!-- metrics end -->")
_NOTICE = "Written by `python -m sqlmetrics.generation` from the metric files under sql/macros: change those."
_COMMON = """        by: Slice columns: one result row per slice (see `evaluate`).
        where: SQL condition on the rows.
        con: A DuckDB connection to use; a private one by default.
        engine: The engine that holds the data, as `sqlmetrics.engines.Spark(session)`; DuckDB by default.
        min_rows: Leave out slices with fewer used rows.
        diagnostics: Add what stands behind each value.
        strict: Raise `BadData` where rows would be dropped because a value is NULL or NaN."""


def by_family(catalogue: Catalogue) -> dict[str, list[Metric]]:
    """The metrics by family, both in the order of the catalogue page."""
    families: dict[str, list[Metric]] = {family: [] for family in _FAMILIES}
    for metric in sorted(catalogue.metrics.values(), key=lambda metric: metric.name):
        families.setdefault(metric.family, []).append(metric)
    return {family: found for family, found in families.items() if found}


def example_call(metric: Metric, known: Catalogue | None = None) -> tuple[dict[str, list[Any]], dict[str, Any], str]:
    """The example of a metric file: its data, the parameters it sets and the result column it looks at."""
    example = dict(metric.example)
    spec = example.pop("call", metric.name)
    example.pop("result")
    column = example.pop("column", None)
    asked = requested_metrics(spec, known or catalogue())[0]
    given = {name: value for name, value in asked.parameters.items() if value != metric.parameters[name].default}
    return example, given, column or next(iter(asked.columns.values()))


def functions_text(catalogue: Catalogue) -> str:
    """The module with one function per metric."""
    metrics = [metric for found in by_family(catalogue).values() for metric in found]
    names = ",\n".join(f'    "{name}"' for name in sorted(metric.name for metric in metrics))
    parts = [
        f'"""One function per metric: `sqlmetrics.auc(data, label=…, score=…, by=…)`.\n\n{_NOTICE}\n"""',
        "from __future__ import annotations",
        "from typing import Any, Literal",
        "import duckdb\nimport pandas as pd",
        "from .engines import Engine\nfrom .planning import Expression\nfrom .running import By, Scores, run",
        f"__all__ = [\n{names},\n]",
    ]
    parts += [_function(metric) for metric in metrics]
    return "\n\n".join(parts[:6]) + "\n\n\n" + "\n\n\n".join(parts[6:]) + "\n"


def _annotation(parameter: Parameter) -> str:
    if parameter.choices:
        return f"Literal[{', '.join(json.dumps(choice) for choice in parameter.choices)}]"
    kind = {"integer": "int", "number": "float", "boolean": "bool", "columns": "dict[Any, Expression]"}[parameter.type]
    return kind if parameter.required or parameter.default is not None else f"{kind} | None"


def _function(metric: Metric) -> str:
    roles = metric.roles()
    arguments = []
    for role, required in roles.items():
        kind = "Scores" if role == "score" else "Expression"
        arguments.append(f"{role}: {kind}" if required else f"{role}: {kind} | None = None")
    for parameter in metric.parameters.values():
        default = "" if parameter.required else f" = {_python(parameter.default)}"
        arguments.append(f"{parameter.name}: {_annotation(parameter)}{default}")
    arguments += [f"{name}: Any" + (" = None" if name == "judgments" else "") for name in metric.relations]
    arguments += [
        "by: By | None = None",
        "where: str | None = None",
        "con: duckdb.DuckDBPyConnection | None = None",
        "engine: Engine | None = None",
        "min_rows: int | None = None",
        "diagnostics: bool = False",
        "strict: bool = False",
    ]
    signature = ",\n".join(f"    {argument}" for argument in ["data: Any", "*", *arguments])
    spec = ", ".join(f'"{name}": {name}' for name in metric.parameters)
    spec = f'{{"name": "{metric.name}"{", " + spec if spec else ""}}}'
    given = ", ".join(f'"{role}": {role}' for role in roles)
    further = "".join(f"        {name}={name},\n" for name in metric.relations)
    return (
        f"def {metric.name}(\n{signature},\n) -> pd.DataFrame:\n"
        f'    """{_docstring(metric)}    """\n'
        f"    return run(\n"
        f"        data,\n"
        f"        {spec},\n"
        f"        {{{given}}},\n"
        f"{further}"
        f"        by=by,\n        where=where,\n        con=con,\n        engine=engine,\n        min_rows=min_rows,\n"
        f"        diagnostics=diagnostics,\n        strict=strict,\n    )"
    )


def _python(value: Any) -> str:
    return json.dumps(value) if isinstance(value, str) else repr(value)


def _docstring(metric: Metric) -> str:
    lines = [f"{metric.title}: {metric.formula}.", ""]
    if metric.notes:
        lines += [metric.notes, ""]
    lines += [
        "    Args:",
        "        data: A path or glob, a list of paths, a table of `con`, a query, or object in memory (`evaluate`)",
    ]
    for role in metric.roles():
        words = role_words(metric, role)
        lines.append(f"        {role}: {words[0].upper()}{words[1:]}.")
    for name in metric.relations:
        lines.append(f"        {name}: {RELATIONS[name][0].upper()}{RELATIONS[name][1:]}.")
    for parameter in metric.parameters.values():
        choices = "".join(f" {choice!r}: {words};" for choice, words in parameter.choices.items())
        words = f"{parameter.doc[0].upper()}{parameter.doc[1:]}"
        lines.append(f"        {parameter.name}: {words}{':' + choices[:-1] if choices else ''}.")
    lines += _COMMON.splitlines()
    shape = "The table" if metric.table else "One row per slice"
    lines += [
        "",
        "    Returns:",
        f"        {shape}: the slice columns, {'' if metric.table else '`n` (rows used), '}{result_columns(metric)}.",
    ]
    lines += [f"        Range: {metric.range}. Undefined: {metric.undefined}.", ""]
    lines += ["    Raises:", "        SqlMetricsError: One of its subclasses, as in `evaluate`.", ""]
    lines += ["    Source:", f"        {metric.source}. Checked against: {metric.oracle}.", ""]
    lines += ["    Example:", *[f"        {line}" for line in example_lines(metric)]]
    code = ("        >>>", "        [")
    return "\n".join(line if len(line) <= 118 or line.startswith(code) else _wrapped(line) for line in lines) + "\n"


def _wrapped(line: str) -> str:
    """A long line of a docstring, its continuation indented one step further."""
    indent = " " * (len(line) - len(line.lstrip()))
    if indent == "":
        return "\n".join(textwrap.wrap(line, 110, subsequent_indent="    ", break_long_words=False))
    return "\n".join(
        textwrap.wrap(
            line,
            118,
            initial_indent="",
            subsequent_indent=indent + "    ",
            break_long_words=False,
            break_on_hyphens=False,
            drop_whitespace=True,
        )
    )


def result_columns(metric: Metric) -> str:
    """The columns that a metric adds to a result, in words."""
    if metric.table or metric.columns != (metric.name,):
        return ", ".join(f"`{column}`" for column in metric.columns)
    if "k" in metric.parameters:
        return f"`{metric.name.removesuffix('_at_k')}_at_10` for k = 10"
    return f"`{metric.name}`"


def role_words(metric: Metric, role: str) -> str:
    """What a role holds for one metric: the general words, made precise by what the metric declares."""
    if role == "label":
        return {
            None: "truth",
            "binary": "truth, 0/1 or boolean",
            "binary or class": "truth, 0/1 or boolean; with prediction, a class",
            "number": "truth, a number",
            "relevance": "graded relevance >= 0",
            "class": "true class, of any type",
        }[metric.truth]
    if role == "score":
        return {
            "probability": "predicted probability in [0, 1]",
            "threshold": "prediction; higher is more positive",
            "class": "",
            "number": "predicted value" if metric.truth == "number" else "prediction; higher is more positive, earlier",
        }[metric.score or "number"]
    return ROLES[role]


def example_lines(metric: Metric) -> list[str]:
    """The example as a session in Python, with its result."""
    data, given, column = example_call(metric)
    relations: dict[str, Any] = {name: data.pop(name) for name in metric.relations if name in data}
    arguments = [f'{role}="{role}"' for role in data if role in metric.roles()]
    arguments += [f"{name}={name}" for name in relations]
    arguments += [f"{name}={_python(value)}" for name, value in given.items()]
    call = f"sqlmetrics.{metric.name}(data, {', '.join(arguments)})"
    result = metric.example["result"]
    shown = (
        f'{call}["{column}"].round(4).tolist()' if isinstance(result, list) else f'round({call}["{column}"].item(), 4)'
    )
    return [
        ">>> import pandas as pd",
        ">>> import sqlmetrics",
        *[
            f">>> {name} = pd.DataFrame({_python_dict(columns)})"
            for name, columns in {"data": data, **relations}.items()
        ],
        f">>> {shown}",
        repr(result),
    ]


def _python_dict(columns: Mapping[str, list[Any]]) -> str:
    return "{" + ", ".join(f'"{name}": {_python_list(values)}' for name, values in columns.items()) + "}"


def _python_list(values: list[Any]) -> str:
    return "[" + ", ".join(_python(value) for value in values) + "]"


def catalogue_page(catalogue: Catalogue) -> str:
    """The catalogue as Markdown, one section per metric."""
    lines = [
        "# The metrics",
        "",
        f"<!-- {_NOTICE} -->",
        "",
        "Every metric takes slices (`by`), a filter (`where`) and the roles listed with it. A row with a NULL or NaN",
        "in a role that the metric needs is not used, and counted. An undefined value is NULL, never NaN.",
        "",
        "Sums are those of the engine, of doubles: of n numbers of one sign, whatever they are, right to n / 2⁵³ of",
        "the sum, which is 1e-9 for nine million rows. They are far better where rows differ, and come near to that",
        "where all are equal: on DuckDB a hundred million different probabilities add up to within 6e-13, a hundred",
        "million times 0.1 to within 1.9e-9 in one thread. (Its `fsum` has no such drift, at four times the time.)",
        "",
        "| metric | what it is | family |",
        "|---|---|---|",
    ]
    families = by_family(catalogue)
    for family, found in families.items():
        for metric in found:
            lines.append(
                f"| [`{metric.name}`](#{metric.name}) | {_cell(metric.title)} | {_FAMILIES.get(family, family)} |"
            )
    lines += ["", "## The same under other names", "", *names_table(catalogue)]
    for family, found in families.items():
        lines += ["", f"## {_FAMILIES.get(family, family)}"]
        for metric in found:
            lines += ["", *metric_section(metric)]
    return "\n".join(lines) + "\n"


def names_table(catalogue: Catalogue) -> list[str]:
    """What other tools call the metrics."""
    tools = ("scikit-learn", "trec_eval", "LightGBM")
    lines = [f"| here | {' | '.join(tools)} |", "|---" * (len(tools) + 1) + "|"]
    for found in by_family(catalogue).values():
        for metric in found:
            if metric.names:
                lines.append(f"| `{metric.name}` | {' | '.join(_cell(metric.names.get(tool, '')) for tool in tools)} |")
    return lines


def metric_section(metric: Metric) -> list[str]:
    """What the catalogue page and `sqlmetrics show` say of a metric."""
    lines = [f"### {metric.name}", "", f"{metric.title}: {metric.formula}."]
    if metric.notes:
        lines += ["", metric.notes]
    lines += ["", "| | |", "|---|---|"]
    for role, required in metric.roles().items():
        lines.append(f"| role `{role}`{'' if required else ' (optional)'} | {_cell(role_words(metric, role))} |")
    for name in metric.relations:
        lines.append(f"| relation `{name}`{' (optional)' if name == 'judgments' else ''} | {_cell(RELATIONS[name])} |")
    for parameter in metric.parameters.values():
        lines.append(f"| parameter `{_parameter_call(parameter)}` | {_cell(_parameter_words(parameter))} |")
    lines += [
        f"| result | {_cell(result_columns(metric))} |",
        f"| range | {_cell(metric.range)} |",
        f"| undefined | {_cell(metric.undefined)} |",
        f"| checked against | {_cell(metric.oracle)} |",
        f"| source | {_cell(metric.source)} |",
        "",
        "```python",
        *example_lines(metric),
        "```",
    ]
    return lines


def _parameter_call(parameter: Parameter) -> str:
    return parameter.name if parameter.required else f"{parameter.name}={parameter.default!r}"


def _parameter_words(parameter: Parameter) -> str:
    words = parameter.doc
    if parameter.choices:
        words += ": " + "; ".join(
            f"`{choice!r}` {meaning}" + (f" (as {parameter.used_by[choice]})" if choice in parameter.used_by else "")
            for choice, meaning in parameter.choices.items()
        )
    else:
        words += "".join(f"; {value} as {tools}" for value, tools in parameter.used_by.items())
    return words


def _cell(text: str) -> str:
    return str(text).replace("|", "\\|").replace("\n", " ")


def readme_table(catalogue: Catalogue) -> str:
    """The table of the README: the metrics of each family by name."""
    lines = ["| family | metrics |", "|---|---|"]
    for family, found in by_family(catalogue).items():
        names = ", ".join(f"[`{metric.name}`](sql/README.md#{metric.name})" for metric in found)
        lines.append(f"| {_FAMILIES.get(family, family)} | {names} |")
    return "\n".join(lines)


def _with_table(readme: str, table: str) -> str:
    before, mark, rest = readme.partition(_TABLE_MARKS[0])
    _, end, after = rest.partition(_TABLE_MARKS[1])
    if not mark or not end:
        raise SystemExit("README.md: the marks of the metrics table are missing")
    return f"{before}{mark}\n\n{table}\n\n{end}{after}"


def generated_files(root: Path = _ROOT) -> dict[Path, str]:
    """Every generated file and what it must hold."""
    catalogue = builtin_catalogue()
    readme = root / "README.md"
    texts: Mapping[Path, Callable[[], str]] = {
        root / "sqlmetrics" / "functions.py": lambda: functions_text(catalogue),
        root / "sql" / "README.md": lambda: catalogue_page(catalogue),
        readme: lambda: _with_table(readme.read_text(encoding="utf-8"), readme_table(catalogue)),
    }
    return {path: text() for path, text in texts.items()} | package_files(root, catalogue)


def main(arguments: list[str]) -> int:
    """Write the files; with `--check` only say which are stale."""
    stale = [
        (path, text)
        for path, text in generated_files().items()
        if not path.is_file() or path.read_text(encoding="utf-8") != text
    ]
    for path, text in stale:
        print(f"{'stale' if '--check' in arguments else 'written'}: {path.relative_to(_ROOT)}")
        if "--check" not in arguments:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    return 1 if stale and "--check" in arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
