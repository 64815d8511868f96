"""The templates of `sql/` under plain Jinja: what dbt gives a package, and no more.

dbt knows a package's macros as `sqlmetrics.name(…)`, picks a dialect's variant by `adapter.dispatch(…)`, and lets a
macro `return(…)` a value. `context` holds the macros of each package, so that a computed name finds one. These four are
all that the templates find here, so one text serves both hosts.
"""

from __future__ import annotations

import functools
import re
import traceback
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import jinja2
import jinja2.runtime
import jinja2.utils

from .. import errors
from ..catalogue.dialects import DIALECTS, dialects
from ..catalogue.front_matter import TEXT
from ..catalogue.model import Metric
from ..catalogue.registry import Catalogue
from ..catalogue.template_data import KNOWN, definition, frame_definitions
from ..errors import BadMetricFile, BadParameter, SqlMetricsError, did_you_mean
from ..sql_text import tables_of
from .compiling import compiled, make_environment


class _Returned(Exception):
    """What a macro returned: the call of the macro takes it out again."""

    def __init__(self, value: Any) -> None:
        self.value = value


def _return(value: Any) -> None:
    raise _Returned(value)


def _returning(macro: jinja2.runtime.Macro) -> Callable[..., Any]:
    """The macro, whose call evaluates to the value it returned or else to the text it wrote."""

    def call(*arguments: Any, **named: Any) -> Any:
        try:
            return macro(*arguments, **named)
        except _Returned as returned:
            return returned.value

    return call


#: The word outside of quotes.
_NONE = re.compile(r"""\A(?:[^'"]|'[^']*'|"[^"]*")*?\bNone\b""")


class _Macros:
    """All macros by name; a file is compiled when the first of its macros is called."""

    def __init__(self, catalogue: Catalogue, dialect: str) -> None:
        self._catalogue = catalogue
        self._dialect = dialect
        self._modules: dict[Path, Any] = {}
        self._frames = frame_definitions(catalogue.frames)
        # A stranger's file stays in the sandbox, which takes twice as long as rendering our own files without it.
        self._users_files = frozenset(map(str, catalogue.user_files()))
        self._environment = make_environment(bool(self._users_files))
        self._environment.globals |= {"sqlmetrics": self, "adapter": self, "return": _return}
        self._environment.globals["context"] = {"sqlmetrics": self}
        for name, value in KNOWN.items():
            setattr(self, name, functools.partial(_known, value))

    def dispatch(self, name: str, package: str) -> Any:  # noqa: ARG002 - the signature is dbt's
        """dbt's `adapter.dispatch`: the dialect's variant of a macro, its parent's, or the default."""
        for dialect in (self._dialect, dialects()[self._dialect].parent):
            if dialect and f"{dialect}__{name}" in self._catalogue.macros:
                return getattr(self, f"{dialect}__{name}")
        return getattr(self, f"default__{name}")

    def _macro(self, name: str) -> Any:
        path = self._catalogue.macros[name]
        if path not in self._modules:
            try:
                users = str(path) in self._users_files
                code = compiled(path, path.read_text(encoding=TEXT), bool(self._users_files), users)
                template = jinja2.Template.from_code(self._environment, code, dict(self._environment.globals))
            except jinja2.TemplateSyntaxError as error:
                raise BadMetricFile(f"{path}, line {error.lineno}: {error.message}") from error
            self._modules[path] = template.module
        return getattr(self._modules[path], name)

    def __getattr__(self, name: str) -> Any:
        if name not in self._catalogue.macros:
            raise AttributeError(f"there is no macro {name!r}")
        macro = _returning(self._macro(name))
        setattr(self, name, macro)
        return macro

    @functools.cached_property
    def dialect_table(self) -> Callable[[], dict[str, Any]]:
        """The table of the dialect, made once: no template changes it."""
        table: dict[str, Any] = self.dispatch("sqlmetrics_dialect_table", "sqlmetrics")()
        return lambda: table

    def raise_error(
        self,
        macro: str | None,  # noqa: ARG002 - dbt's message names it, a traceback of Python's shows it
        words: str,
        kind: str = "BadParameter",
        name: str = "",
        known: Sequence[str] = (),
    ) -> None:
        """End the call with an error of ours; in dbt a compiler error of the same words."""
        hint = did_you_mean(name, known) if name else ""
        if kind == "UnknownMetric":
            hint = self._catalogue.metric_meant(name)
        head, semicolon, tail = words.partition("; ")
        error: type[SqlMetricsError] = getattr(errors, kind)
        raise error(f"{head}{hint}{semicolon}{tail}")

    def known_metrics(self) -> list[str]:
        """The names of all metrics."""
        return list(self._catalogue.metrics)

    def known_frames(self) -> dict[str, dict[str, Any]]:
        """What the frame files declare."""
        return self._frames

    def metric_definition(self, name: str) -> dict[str, Any] | None:
        """What the file of a metric declares, if there is such a metric."""
        metric = self._catalogue.metrics.get(name)
        return None if metric is None else definition(metric)

    def __getitem__(self, name: str) -> Any:
        """A macro by a computed name: dbt's `context['sqlmetrics'][name]`."""
        macro = getattr(self, name)
        metric = self._catalogue.metrics.get(name.partition("__")[0])
        if metric is None or metric.builtin:
            return macro
        return lambda m, *arguments: self._checked(metric, m, macro(m, *arguments))

    def _checked(self, metric: Metric, m: dict[str, Any], text: Any) -> Any:
        """The text of a user's macro, unless it has Python's word for no value, which SQL takes for a column."""
        if "name" in m and _NONE.search(str(text)):
            empty = [name for name in metric.parameters if m[name] is None]
            if empty:
                words = f"{empty[0]} is none here and stands in the SQL; ask `if m.{empty[0]} is none`"
                raise BadMetricFile(f"{metric.path}: {words}")
        return text


def _known(value: Any) -> Any:
    return value


@functools.lru_cache(maxsize=16)
def _macros(catalogue: Catalogue, dialect: str) -> _Macros:
    return _Macros(catalogue, dialect)


def call_macro(catalogue: Catalogue, dialect: str, macro: str, *arguments: Any) -> Any:
    """What one macro returns, or the text that it writes."""
    if dialect not in DIALECTS:
        raise BadParameter(f"dialect must be one of {', '.join(DIALECTS)}, not {dialect!r}")
    try:
        return getattr(_macros(catalogue, dialect), macro)(*arguments)
    except SqlMetricsError:
        raise
    except Exception as error:  # a template can do whatever an expression of Python can do wrong
        place = _users_file(catalogue, error)
        if place is None:
            raise
        reason = str(error).strip() or type(error).__name__
        raise BadMetricFile(f"{place}: cannot be rendered: {reason.splitlines()[0]}") from error


#: The macros that write whole statements over the relations of a plan, which is their first argument.
_STATEMENTS = ("query", "group_inspection", "state_statement", "drift_statement")


def render_macro(catalogue: Catalogue, dialect: str, macro: str, *arguments: Any) -> str:
    """The text of one macro."""
    text = str(call_macro(catalogue, dialect, macro, *arguments))
    if dialect == "clickhouse" and macro in _STATEMENTS:
        _check_names_of_tables(catalogue, macro, arguments[0], text)
    return text


def _users_file(catalogue: Catalogue, error: Exception) -> str | None:
    """The user's metric file from which an error came, if it came from one."""
    files = {str(path) for path in catalogue.user_files()}
    passed = [frame.filename for frame in traceback.extract_tb(error.__traceback__)]
    return next((name for name in reversed(passed) if name in files), None)


def _check_names_of_tables(catalogue: Catalogue, macro: str, template: Mapping[str, Any], statement: str) -> None:
    """ClickHouse takes a table that is called like a step for the step, but in the step of that name itself."""
    steps = set(re.findall(r"^(\w+) as \($", statement, re.MULTILINE))
    own = {name: call_macro(catalogue, "clickhouse", "name_of_relation_step", name) for name in template["relations"]}
    if macro == "group_inspection":  # which looks for missing values outside of that step
        own = {name: step if name == "catalog" else "" for name, step in own.items()}
    read = {"data": template, "against": template.get("against"), **template["relations"]}
    for role, relation in read.items():
        if not relation or relation.get("part_of_data"):  # which is read under the name that the data have
            continue
        given = relation["input"] or f"select * from {relation['relation']}"
        itself = relation["relation"] if relation["input"] else own.get(role, "source")
        for name in tables_of(given, "clickhouse"):
            if name in steps - {itself}:
                raise BadParameter(
                    f"{role}: a table called {name!r} is taken for a step of the statement by ClickHouse; "
                    f"write its database, as in my_database.{name}"
                )
