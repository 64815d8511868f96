"""The templates of `sql/` under plain Jinja: what dbt gives a package, and no more.

dbt knows a package's macros as `sqlmetrics.name(…)`, picks a dialect's variant by `adapter.dispatch(…)`, and lets a
macro `return(…)` a value. `context` holds the macros of each package, so that a computed name finds one. These four are
all that the templates find here, so one text serves both hosts.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib.util
import keyword
import pickle
import re
import sys
import threading
import traceback
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import CodeType
from typing import Any

import jinja2
import jinja2.bccache
import jinja2.compiler
import jinja2.exceptions
import jinja2.nodes
import jinja2.runtime
import jinja2.sandbox
import jinja2.utils

from . import errors
from .catalogue.dialects import DIALECTS, dialects
from .catalogue.front_matter import TEXT
from .catalogue.model import Metric
from .catalogue.registry import Catalogue
from .catalogue.template_data import KNOWN, definition, frame_definitions
from .errors import BadMetricFile, BadParameter, SqlMetricsError, did_you_mean
from .sql_text import tables_of


class _Returned(Exception):
    """What a macro returned: the call of the macro takes it out again."""

    def __init__(self, value: Any) -> None:
        self.value = value


def _return(value: Any) -> None:
    raise _Returned(value)


def _returning(macro: jinja2.runtime.Macro) -> Callable[..., Any]:
    """A macro whose call gives what it returned, or else the text that it wrote."""
    # What Jinja makes of the arguments in front of each call takes as long as many a macro.
    count, bare = len(macro.arguments), not (macro.catch_kwargs or macro.catch_varargs or macro.caller)
    function, left_out = macro._func, [jinja2.utils.missing] * count

    def call(*arguments: Any, **named: Any) -> Any:
        given = len(arguments)
        try:
            if bare and not named and given <= count:
                return function(*arguments, *left_out[given:]) if given < count else function(*arguments)
            return macro(*arguments, **named)
        except _Returned as returned:
            return returned.value

    return call


#: How often the loops and macros of users' files may begin anew in one rendering, and how long a product may be.
_MOST_ROUNDS, _LONGEST_PRODUCT = 200_000, 100_000


#: What Jinja finds on a dictionary before it looks for a key.
_OF_DICTIONARIES = frozenset(dir(dict))


class _CodeGenerator(jinja2.compiler.CodeGenerator):
    """What Jinja compiles templates to, less its searches: a statement calls 300 macros, and a macro gives 100 values.

    No function that a template of ours calls wants the context of Jinja, so each is called as it is. No macro is
    missing, and what one returns is what its function returns.
    """

    def visit_Call(self, node: jinja2.nodes.Call, frame: jinja2.compiler.Frame, forward_caller: bool = False) -> None:
        """Call without a search for functions that want the context."""
        if forward_caller or node.dyn_args or node.dyn_kwargs or any(keyword.iskeyword(one.key) for one in node.kwargs):
            super().visit_Call(node, frame, forward_caller=forward_caller)
            return
        self.visit(node.node, frame)
        self.write("(")
        for argument in node.args:
            self.visit(argument, frame)
            self.write(", ")
        for named in node.kwargs:
            self.write(f"{named.key}=")
            self.visit(named.value, frame)
            self.write(", ")
        self.write(")")

    def visit_Getattr(self, node: jinja2.nodes.Getattr, frame: jinja2.compiler.Frame) -> None:
        """A macro is an attribute of what holds all of them."""
        if isinstance(node.node, jinja2.nodes.Name) and node.node.name == "sqlmetrics":
            self.write(f"{frame.symbols.ref('sqlmetrics')}.{node.attr}")
        else:
            super().visit_Getattr(node, frame)

    def visit_Output(self, node: jinja2.nodes.Output, frame: jinja2.compiler.Frame) -> None:
        """`{{ return(value) }}` is a return: the text before it is lost with it, as in dbt."""
        written = [one for one in node.nodes if not isinstance(one, jinja2.nodes.TemplateData)]
        returned = _returned(written[0]) if len(written) == 1 else None
        if returned is not None:
            self.writeline("return ", node)
            self.visit(returned, frame)
        else:
            super().visit_Output(node, frame)


def _returned(node: jinja2.nodes.Node) -> jinja2.nodes.Expr | None:
    """What a call of `return` is given."""
    is_return = isinstance(node, jinja2.nodes.Call) and node.node == jinja2.nodes.Name("return", "load")
    return node.args[0] if isinstance(node, jinja2.nodes.Call) and is_return and len(node.args) == 1 else None


class _Environment(jinja2.Environment):
    """Jinja's, with short cuts to what it does anyway: more than half of the time of a rendering."""

    code_generator_class = _CodeGenerator

    def getattr(self, obj: Any, attribute: str) -> Any:
        """A key of a dictionary without the exception that says that it is no attribute."""
        if type(obj) is dict and attribute not in _OF_DICTIONARIES:
            return obj[attribute] if attribute in obj else self.undefined(obj=obj, name=attribute)
        return super().getattr(obj, attribute)


class _BoundedEnvironment(jinja2.sandbox.SandboxedEnvironment):
    """The sandbox of users' files, in which nothing goes on without end."""

    intercepted_binops = frozenset(["*", "**"])
    users_files: frozenset[str] = frozenset()

    def _parse(self, source: str, name: str | None, filename: str | None) -> jinja2.nodes.Template:
        """Count each round of a loop and each call of a macro."""
        template = super()._parse(source, name, filename)
        repeated = (jinja2.nodes.For, jinja2.nodes.Macro)
        for node in template.find_all(repeated) if filename in self.users_files else ():
            count = jinja2.nodes.Call(jinja2.nodes.Name("sqlmetrics_count", "load"), [], [], None, None)
            assert isinstance(node, repeated)
            node.body.insert(0, jinja2.nodes.ExprStmt(count, lineno=node.lineno))
        return template

    def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:
        """Multiply, but for texts and powers that have no end to speak of."""
        sizes = [one for one in (left, right) if not isinstance(one, float)]
        long = any(hasattr(one, "__len__") and len(one) * abs(other) > _LONGEST_PRODUCT
                   for one, other in ((left, right), (right, left)) if isinstance(other, int))  # fmt: skip
        if long or (operator == "**" and len(sizes) == 2 and abs(right) > 1_000):
            raise jinja2.exceptions.SecurityError(f"what {operator!r} makes is too long")
        return super().call_binop(context, operator, left, right)


def _environment(sandboxed: bool, users_files: frozenset[str] = frozenset()) -> jinja2.Environment:
    kind = _BoundedEnvironment if sandboxed else _Environment
    environment = kind(undefined=jinja2.StrictUndefined, extensions=["jinja2.ext.do"], keep_trailing_newline=False)
    if isinstance(environment, _BoundedEnvironment):
        environment.users_files = users_files
    return environment


@functools.lru_cache(maxsize=1_024)
def _compiled(path: Path, text: str, sandboxed: bool, users: bool) -> CodeType:
    """A file's code: the same for all dialects, and for every catalogue that a registered metric makes."""
    environment = _environment(sandboxed, frozenset([str(path)]) if users else frozenset())
    if users:
        return environment.compile(text, path.stem, str(path))
    return _kept(environment, path, text)


@functools.cache
def _cache() -> tuple[jinja2.BytecodeCache, str]:
    """Where Python keeps the code of this module, by the same rules; and what code depends on beside the text."""
    module = Path(__file__)
    folder = Path(importlib.util.cache_from_source(str(module))).parent
    maker = hashlib.sha1(module.read_bytes() + jinja2.__version__.encode(), usedforsecurity=False).hexdigest()
    return jinja2.FileSystemBytecodeCache(str(folder), f"%s.{sys.implementation.cache_tag}.jinja"), maker


def _kept(environment: jinja2.Environment, path: Path, text: str) -> CodeType:
    """The code of one of our own files, which takes longer to compile than a small statement takes to run.

    It is kept as Python keeps that of modules: beside them, or nowhere if that cannot be written.
    """
    cache, maker = _cache()
    key = cache.get_cache_key(f"{type(environment).__name__} {maker}", str(path))
    bucket = jinja2.bccache.Bucket(environment, key, cache.get_source_checksum(text))
    with contextlib.suppress(OSError, EOFError, pickle.UnpicklingError):  # half a file is written over
        cache.load_bytecode(bucket)
    if bucket.code is None:
        bucket.code = environment.compile(text, path.stem, str(path))
        if not sys.dont_write_bytecode:
            with contextlib.suppress(OSError):
                cache.dump_bytecode(bucket)
    return bucket.code


class _Rounds:
    """The rounds that the loops of users' files have begun in this rendering; each thread renders for itself."""

    def __init__(self) -> None:
        self._local = threading.local()

    def begin(self) -> None:
        """Count from here."""
        self._local.count = 0

    def count(self) -> None:
        """One more."""
        self._local.count = getattr(self._local, "count", 0) + 1
        if self._local.count > _MOST_ROUNDS:
            raise jinja2.exceptions.SecurityError(f"more than {_MOST_ROUNDS:,} rounds of loops and calls of macros")


_rounds = _Rounds()


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
        self._environment = _environment(bool(self._users_files), self._users_files)
        self._environment.globals |= {"sqlmetrics": self, "adapter": self, "return": _return}
        self._environment.globals["context"] = {"sqlmetrics": self}
        self._environment.globals["sqlmetrics_count"] = _rounds.count
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
                code = _compiled(path, path.read_text(encoding=TEXT), bool(self._users_files), users)
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

    def refuse(
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
    _rounds.begin()
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
