"""Render the templates of `sql/` in plain Jinja, with the parts of dbt's context that they use.

In dbt a package's macros are `sqlmetrics.name(…)`, `adapter.dispatch(…)` selects a dialect's variant, and a macro can
`return(…)` a value. `context` holds the macros of each package by name. Templates use only these four, so the same
text runs in both hosts.
"""

from __future__ import annotations

import functools
import marshal
import re
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from types import CodeType
from typing import Any, cast

import jinja2
import jinja2.compiler
import jinja2.runtime
import jinja2.sandbox

from .. import errors
from ..catalogue.dialects import DIALECTS, dialects
from ..catalogue.disk_cache import cached
from ..catalogue.front_matter import TEXT
from ..catalogue.model import Metric
from ..catalogue.registry import Catalogue
from ..catalogue.template_data import KNOWN, definition, frame_definitions
from ..errors import BadMetricFile, BadParameter, SqlMetricsError, did_you_mean


def make_environment(sandboxed: bool) -> jinja2.Environment:
    """The Jinja environment of the templates, sandboxed if they include users' files."""
    environment = jinja2.sandbox.SandboxedEnvironment if sandboxed else jinja2.Environment
    return environment(undefined=jinja2.StrictUndefined, extensions=["jinja2.ext.do"], keep_trailing_newline=False)


@functools.lru_cache(maxsize=1_024)
def _compiled(path: Path, text: str | None, sandboxed: bool) -> CodeType:
    """The code of a file, shared by all dialects and catalogues: of the text of a user's file, or of a built-in one."""
    environment = make_environment(sandboxed)
    if text is not None:
        return environment.compile(text, path.stem, str(path))

    def compile_file() -> bytes:
        return marshal.dumps(environment.compile(path.read_text(encoding=TEXT), path.stem, str(path)))

    # Jinja compiles more slowly than a small statement runs, so the code is stored.
    name = f"{path.parent.name}-{path.stem}{'-sandboxed' if sandboxed else ''}"
    code = cached(name, (path, Path(__file__), Path(jinja2.compiler.__file__)), compile_file)
    return cast(CodeType, marshal.loads(code))


class _Returned(Exception):
    """Carries the value that a macro returns to its call."""

    def __init__(self, value: Any) -> None:
        self.value = value


def _return(value: Any) -> None:
    raise _Returned(value)


def _returned_value(macro: jinja2.runtime.Macro) -> Callable[..., Any]:
    """Wrap a macro so that a call gives the value it returns, or else the text it writes."""

    def call(*arguments: Any, **named: Any) -> Any:
        try:
            return macro(*arguments, **named)
        except _Returned as returned:
            return returned.value

    return call


#: The word None outside of quotes.
_NONE = re.compile(r"""\A(?:[^'"]|'[^']*'|"[^"]*")*?\bNone\b""")


class _Macros:
    """All macros by name; a file is compiled at the first use of one of its macros."""

    def __init__(self, catalogue: Catalogue, dialect: str) -> None:
        self._catalogue = catalogue
        self._dialect = dialect
        self._modules: dict[Path, Any] = {}
        # Users' files are sandboxed; the sandbox doubles the time of rendering, so built-in files run without it.
        self._users_files = frozenset(map(str, catalogue.user_files()))
        self._environment = make_environment(bool(self._users_files))
        self._environment.globals |= {"sqlmetrics": self, "adapter": self, "return": _return}
        self._environment.globals["context"] = {"sqlmetrics": self}
        known = {**KNOWN, "known_frames": frame_definitions(catalogue.frames), "known_metrics": list(catalogue.metrics)}
        for name, value in known.items():
            setattr(self, name, lambda value=value: value)

    def dispatch(self, name: str, package: str) -> Any:  # noqa: ARG002 - the signature is dbt's
        """dbt's `adapter.dispatch`: the variant of the dialect, of its parent, or the default."""
        for dialect in (self._dialect, dialects()[self._dialect].parent):
            if dialect and f"{dialect}__{name}" in self._catalogue.macros:
                return getattr(self, f"{dialect}__{name}")
        return getattr(self, f"default__{name}")

    def __getattr__(self, name: str) -> Any:
        if name not in self._catalogue.macros:
            raise AttributeError(f"there is no macro {name!r}")
        path = self._catalogue.macros[name]
        if path not in self._modules:
            try:
                text = path.read_text(encoding=TEXT) if str(path) in self._users_files else None
                code = _compiled(path, text, bool(self._users_files))
                template = jinja2.Template.from_code(self._environment, code, dict(self._environment.globals))
            except jinja2.TemplateSyntaxError as error:
                raise BadMetricFile(f"{path}, line {error.lineno}: {error.message}") from error
            self._modules[path] = template.module
        macro = _returned_value(getattr(self._modules[path], name))
        setattr(self, name, macro)
        return macro

    @functools.cached_property
    def dialect_table(self) -> Callable[[], dict[str, Any]]:
        """The table of the dialect, built once; no template changes it."""
        table: dict[str, Any] = self.dispatch("sqlmetrics_dialect_table", "sqlmetrics")()
        return lambda: table

    def raise_error(
        self,
        macro: str | None,  # noqa: ARG002 - dbt's message names it, a traceback of Python's shows it
        message: str,
        error_type: str = "BadParameter",
        name: str = "",
        available: Sequence[str] = (),
    ) -> None:
        """Raise an error of sqlmetrics; in dbt it is a compiler error with the same message."""
        hint = did_you_mean(name, available) if name else ""
        if error_type == "UnknownMetric":
            hint = self._catalogue.metric_meant(name)
        head, semicolon, tail = message.partition("; ")
        error_class: type[SqlMetricsError] = getattr(errors, error_type)
        raise error_class(f"{head}{hint}{semicolon}{tail}")

    def metric_definition(self, name: str) -> dict[str, Any] | None:
        """The declaration of a metric, or None without such a metric."""
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
        """Return the text of a user's macro; raise if it contains `None`, which SQL reads as a column."""
        if "name" in m and _NONE.search(str(text)):
            empty = [name for name in metric.parameters if m[name] is None]
            if empty:
                problem = f"{empty[0]} is none here and stands in the SQL; ask `if m.{empty[0]} is none`"
                raise BadMetricFile(f"{metric.path}: {problem}")
        return text


#: The macros of a catalogue in a dialect.
_macros = functools.lru_cache(maxsize=16)(_Macros)


def call_macro(catalogue: Catalogue, dialect: str, macro: str, *arguments: Any) -> Any:
    """Call a macro, and return its value or its text."""
    if dialect not in DIALECTS:
        raise BadParameter(f"dialect must be one of {', '.join(DIALECTS)}, not {dialect!r}")
    try:
        return getattr(_macros(catalogue, dialect), macro)(*arguments)
    except SqlMetricsError:
        raise
    except Exception as error:  # a template may raise any exception
        files = {str(path) for path in catalogue.user_files()}
        passed = [frame.filename for frame in traceback.extract_tb(error.__traceback__)]
        path = next((name for name in reversed(passed) if name in files), None)
        if path is None:
            raise
        reason = str(error).strip() or type(error).__name__
        raise BadMetricFile(f"{path}: cannot be rendered: {reason.splitlines()[0]}") from error


def render_macro(catalogue: Catalogue, dialect: str, macro: str, *arguments: Any) -> str:
    """The text of a macro."""
    return str(call_macro(catalogue, dialect, macro, *arguments))
