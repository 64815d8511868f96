"""The reference pages of the site: metrics, shell, Python, dialects, presets and errors."""

from __future__ import annotations

import contextlib
import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import click

import sqlmetrics

from ..authoring import describe
from ..catalogue.model import Metric, Parameter
from ..catalogue.registry import Catalogue
from ..catalogue.vocabulary import OPTIONAL_RELATIONS, PRESETS, QUESTIONS, RELATIONS
from ..cli.help import IN_FULL
from ..cli.main import main
from ..errors import BadMetricFile, DroppedRows, SqlMetricsError
from ..integrations.duckdb_macros import macro_unsupported_reason
from .pages import FAMILIES, by_family, dialects_table, table
from .signatures import signature_text

#: The page that lists the metrics.
METRICS = "reference/metrics.md"
_TOOLS = ("scikit-learn", "trec_eval", "LightGBM")
#: Alternative roles, and how a page names them.
_ALTERNATIVES = {"positives": "`positives` and `total`", "prediction": "`prediction`", "rank": "`rank`"}


def metric_page(name: str) -> str:
    """The path of the page of a metric."""
    return f"reference/metrics/{name}.md"


def reference_pages(catalogue: Catalogue) -> dict[str, str]:
    """All pages of the reference."""
    pages = {
        METRICS: _list_of_metrics(catalogue),
        "reference/shell.md": _shell(),
        "reference/python.md": _python(catalogue),
        "reference/dialects.md": ["# Dialects", "", _DIALECTS, "", *dialects_table()],
        "reference/presets.md": _presets(catalogue),
        "reference/errors.md": _errors(),
        **{metric_page(name): _metric(metric) for name, metric in catalogue.metrics.items()},
    }
    return {path: "\n".join(lines) + "\n" for path, lines in pages.items()}


_DIALECTS = (
    "Pass a dialect to `sqlmetrics sql --dialect` or `sqlmetrics.render(dialect=…)`. dbt takes it from the adapter. "
    "The last column says how the tests check each metric in the dialect."
)


def _list_of_metrics(catalogue: Catalogue) -> list[str]:
    metrics = [metric for members in by_family(catalogue).values() for metric in members]
    lines = [
        "# Choose a metric",
        "",
        "Every metric takes slices (`by`), a filter (`where`) and its own inputs. A row with NULL or NaN in a required",
        "input is dropped and counted. An undefined value is NULL, never NaN.",
        "",
        "## By question",
        "",
    ]
    for metric in metrics:
        if not metric.answers:
            raise BadMetricFile(f"{metric.path}: answers must name questions: {', '.join(QUESTIONS)}")
    questions = [
        (question, ", ".join(_link(metric) for metric in metrics if name in metric.answers))
        for name, question in QUESTIONS.items()
    ]
    lines += [*table(("question", "metrics"), questions), "", "## By family"]
    for family, members in by_family(catalogue).items():
        lines += ["", f"### {FAMILIES.get(family, family)}", ""]
        lines += table(("metric", "what it is"), [(_link(metric), metric.title) for metric in members])
    lines += ["", "## By the name in another tool", ""]
    names = [[_link(metric), *(metric.names.get(tool, "") for tool in _TOOLS)] for metric in metrics if metric.names]
    lines += table(("here", *_TOOLS), names)
    return [*lines, "", "For whole lists of other tools, see [their pages](../sql/peers.md)."]


def _link(metric: Metric) -> str:
    """A link from a page next to the folder of the metrics."""
    return f"[`{metric.name}`](metrics/{metric.name}.md)"


def _metric(metric: Metric) -> list[str]:
    """The page of a metric: its example in four languages, its inputs and parameters, its result."""
    lines = [f"# {metric.name}: {metric.title}", "", f"**Formula:** {metric.formula}."]
    lines += ["", metric.notes] if metric.notes else []
    lines += ["", "## Example { data-search-exclude }", "", *_example(metric), ""]
    result = metric.example["result"]
    shown = ", ".join(f"`{value!r}`" for value in result) if isinstance(result, list) else f"`{result!r}`"
    lines += [f"The result in the column `{describe.example_of(metric).column}`: {shown}.", "", "## Inputs", ""]
    roles = metric.roles()
    inputs = [(f"`{role}`", _requirement(metric, role), describe.describe_role(metric, role)) for role in roles]
    for name in metric.relations:
        inputs.append((f"`{name}`", "no" if name in OPTIONAL_RELATIONS else "yes", RELATIONS[name]))
    lines += table(("input", "required", "what it is"), inputs)
    lines += ["", f"There is no `weight`: {metric.no_weight}."] if metric.no_weight else []
    if metric.parameters:
        parameters = map(_parameter_row, metric.parameters.values())
        lines += ["", "## Parameters", "", *table(("parameter", "default", "what it sets"), parameters)]
    reason = macro_unsupported_reason(metric)
    facts = {
        "columns": describe.result_columns(metric),
        "range": metric.range,
        "undefined": metric.undefined,
        "interval": describe.describe_interval(metric),
        "DuckDB macro": f"none: {reason}" if reason else "[available](../../sql/duckdb.md)",
        "other names": ", ".join(f"{name} ({tool})" for tool, name in metric.names.items()),
        "checked against": metric.oracle,
        "source": metric.source,
    }
    rows = [(name, text) for name, text in facts.items() if text]
    return [*lines, "", "## Result", "", *table(("property", "value"), rows)]


def _example(metric: Metric) -> list[str]:
    example = describe.example_of(metric)
    arguments: dict[str, Any] = {name: name for name in (*example.roles, *example.relations)}
    text = sqlmetrics.render({"name": metric.name, **example.parameters}, relation="data", **arguments)
    tables = {"data": example.data, **example.relations}
    files = [line for name, columns in tables.items() for line in _csv(name, columns)]
    return [
        *_tab("Shell", ["```sh", describe.shell_example(metric), "```", "", *files]),
        *_tab("Python", ["```python", *describe.example_lines(metric), "```"]),
        *_tab("SQL", ["```sql", *text.splitlines(), "```"]),
        *_tab("dbt", ["```sql", describe.dbt_example(metric), "```"]),
    ]


def _tab(title: str, lines: Iterable[str]) -> list[str]:
    return [f'=== "{title}"', "", *(f"    {line}" if line else "" for line in lines), ""]


def _csv(name: str, columns: Mapping[str, list[Any]]) -> list[str]:
    rows = zip(*columns.values(), strict=True)
    lines = [",".join("" if value is None else str(value) for value in row) for row in rows]
    return [f'```text title="{name}.csv"', ",".join(columns), *lines, "```", ""]


def _requirement(metric: Metric, role: str) -> str:
    """Whether a role is required, the roles that replace it, and the parameters that need it."""
    roles = metric.roles()
    if roles[role]:
        return "yes"
    replaced = {"positives": "label", "total": "label", "prediction": "score", "rank": "score"}
    if role in replaced and not roles.get(replaced[role], True):
        return f"instead of `{replaced[role]}`"
    for alternative, names in _ALTERNATIVES.items():
        if alternative in roles and replaced[alternative] == role:
            return f"yes, or {names}"
    conditions = [key for key, needed in metric.needs.items() if role in needed]
    return f"with {', '.join(f'`{key}`' for key in conditions)}" if conditions else "no"


def _parameter_row(parameter: Parameter) -> tuple[str, str, str]:
    default = "required" if parameter.required else f"`{parameter.default!r}`"
    values = [
        f"`{choice!r}`: {meaning}" + (f" ({parameter.used_by[choice]})" if choice in parameter.used_by else "")
        for choice, meaning in parameter.choices.items()
    ] or [f"`{value}`: {tools}" for value, tools in parameter.used_by.items()]
    return f"`{parameter.name}`", default, "<br>".join([parameter.doc, *values])


class _Sections(click.HelpFormatter):
    """Records the sections of options of a command's help."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: dict[str, list[tuple[str, str]]] = {}

    @contextlib.contextmanager
    def section(self, name: str) -> Iterator[None]:
        """Start a section."""
        self.rows[name] = []
        yield

    def write_dl(self, rows: Iterable[tuple[str, str]], *_: int) -> None:
        """Add options to the last section."""
        self.rows[list(self.rows)[-1]] += rows


def _shell() -> list[str]:
    context = click.Context(main, info_name="sqlmetrics")
    context.meta[IN_FULL] = True
    lines = ["# Shell", "", *_paragraphs(main.help or ""), ""]
    for name, command in main.commands.items():
        inner = click.Context(command, parent=context, info_name=name)
        lines += [f"## {name}", "", *_paragraphs(command.help or ""), ""]
        lines += ["```text", f"{inner.command_path} {' '.join(command.collect_usage_pieces(inner))}", "```", ""]
        sections = _Sections()
        command.format_options(inner, sections)
        for title, rows in sections.rows.items():
            options = [(f"`{option.strip()}`", _escaped(text)) for option, text in rows]
            lines += [*table((title, "what it does"), options), ""]
    return lines


def _paragraphs(text: str) -> list[str]:
    """The paragraphs of a docstring or of click's help; those that click must not wrap are commands."""
    lines: list[str] = []
    for paragraph in inspect.cleandoc(text).split("\n\n"):
        if paragraph.startswith("\b\n"):
            lines += ["", "```sh", *paragraph.splitlines()[1:], "```"]
        elif paragraph.startswith(">>>"):
            lines += ["", "```python", paragraph, "```"]
        else:
            lines += ["", _escaped(paragraph)]
    return lines[1:]


def _escaped(text: str) -> str:
    """Plain text as Markdown: outside of code, nothing is emphasis, a tag or a link."""
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(part if part.startswith("`") else re.sub(r"([*_<\[])", r"\\\1", part) for part in parts)


def _python(catalogue: Catalogue) -> list[str]:
    """The public functions and the engines; pages of metrics show how to call the functions of single metrics."""
    values = {name: getattr(sqlmetrics, name) for name in sqlmetrics.__all__ if name not in catalogue.metrics}
    lines = [
        "# Python",
        "",
        "Each [metric](metrics.md) is also a function, as in `sqlmetrics.auc(data, …)`. It takes its parameters as",
        "arguments, and the data, roles, slices and intervals of `evaluate`.",
    ]
    for name, value in values.items():
        if inspect.isfunction(value):
            lines += ["", f"## {name}", "", *_definition(f"sqlmetrics.{name}", value)]
    lines += ["", "## Engines", "", "Pass an object of these classes as `engine=`."]
    for name in sqlmetrics.engines.__all__:
        engine = getattr(sqlmetrics.engines, name)
        lines += ["", f"### {name}", "", *_definition(f"sqlmetrics.engines.{name}", engine)]
    return lines


def _definition(name: str, value: Callable[..., Any]) -> list[str]:
    """A call and its docstring. A table has the types and defaults of arguments that the docstring describes."""
    docstring = inspect.getdoc(value) or ""
    types: dict[str, tuple[str, str]] = {}
    if getattr(value, "_is_protocol", False):
        arguments = ""
    elif "Args:\n" in docstring:
        arguments, types = _short_signature(value)
    else:
        arguments = signature_text(value)
    return ["```py", f"{name}{arguments}", "```", "", *_docstring(docstring, types)]


def _short_signature(function: Callable[..., Any]) -> tuple[str, dict[str, tuple[str, str]]]:
    """The positional arguments of a call, and the type and default of each argument as cells of a table."""
    signature = inspect.signature(function)
    parameters = signature.parameters.values()
    positional = [parameter.name for parameter in parameters if parameter.kind is parameter.POSITIONAL_OR_KEYWORD]
    more = ["…"] if len(positional) < len(parameters) else []
    types = {}
    for parameter in parameters:
        default = "required" if parameter.default is parameter.empty else f"`{parameter.default!r}`"
        types[parameter.name] = (f"`{parameter.annotation}`", default)
    return f"({', '.join(positional + more)}) -> {signature.return_annotation}", types


def _docstring(text: str, types: Mapping[str, tuple[str, str]] = {}) -> list[str]:
    """A docstring with the sections of Google's style as Markdown."""
    summary, *sections = re.split(r"^(Args|Returns|Raises|Example):\n", text, flags=re.MULTILINE)
    lines = _paragraphs(summary)
    for title, content in zip(sections[::2], sections[1::2], strict=True):
        section = inspect.cleandoc("\n" + content)
        if title in ("Args", "Raises"):
            has_types = title == "Args" and types
            columns = ["argument", "type", "default"] if has_types else [title.lower()]
            rows = []
            for entry in re.split(r"\n(?=\S)", section):
                name, _, description = " ".join(entry.split()).partition(": ")
                rows.append([f"`{name}`", *(types[name] if has_types else []), _escaped(description)])
            lines += ["", *table([*columns, "what it is"], rows)]
        elif title == "Example":
            lines += ["", "```python", section, "```"]
        else:
            lines += ["", f"**{title}** {_escaped(section)}"]
    return lines


def _presets(catalogue: Catalogue) -> list[str]:
    lines = [
        "# Presets",
        "",
        "A preset sets the defaults of another tool for the parameters that a call does not pass. Write",
        '`preset="sklearn"` in Python and dbt, `--preset sklearn` on the shell. Other parameters keep their defaults.',
    ]
    for preset in PRESETS:
        rows = [
            (_link(metric), f"`{parameter.name}`", f"`{parameter.presets[preset]!r}`", f"`{parameter.default!r}`")
            for metric in sorted(catalogue.metrics.values(), key=lambda metric: metric.name)
            for parameter in metric.parameters.values()
            if parameter.presets.get(preset, parameter.default) != parameter.default
        ]
        lines += ["", f"## {preset}", "", *table(("metric", "parameter", "value", "default here"), rows)]
    return lines


def _errors() -> list[str]:
    lines = [
        "# Errors",
        "",
        "Catch `sqlmetrics.SqlMetricsError` to catch all of them. On the shell an error is one line and exit code 2.",
    ]

    def add(error: type[BaseException], depth: int) -> None:
        lines.extend(["", f"{'#' * depth} {error.__name__}", "", *_docstring(inspect.getdoc(error) or "")])
        for child in error.__subclasses__():
            add(child, min(depth + 1, 4))

    add(SqlMetricsError, 2)
    add(DroppedRows, 2)
    return lines
