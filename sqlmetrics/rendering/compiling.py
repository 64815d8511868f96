"""Compile templates: quick code for our own files, and a sandbox with bounds for those of users."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib.util
import keyword
import pickle
import sys
import threading
from pathlib import Path
from types import CodeType
from typing import Any

import jinja2
import jinja2.bccache
import jinja2.compiler
import jinja2.exceptions
import jinja2.nodes
import jinja2.sandbox

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


def make_environment(sandboxed: bool, users_files: frozenset[str] = frozenset()) -> jinja2.Environment:
    """Jinja as the templates need it: with short cuts, or sandboxed."""
    kind = _BoundedEnvironment if sandboxed else _Environment
    environment = kind(undefined=jinja2.StrictUndefined, extensions=["jinja2.ext.do"], keep_trailing_newline=False)
    if isinstance(environment, _BoundedEnvironment):
        environment.users_files = users_files
    return environment


@functools.lru_cache(maxsize=1_024)
def compiled(path: Path, text: str, sandboxed: bool, users: bool) -> CodeType:
    """A file's code: the same for all dialects, and for every catalogue that a registered metric makes."""
    environment = make_environment(sandboxed, frozenset([str(path)]) if users else frozenset())
    if users:
        return environment.compile(text, path.stem, str(path))
    return _cached_code(environment, path, text)


@functools.cache
def _cache() -> tuple[jinja2.BytecodeCache, str]:
    """Where Python keeps the code of this module, by the same rules; and what code depends on beside the text."""
    module = Path(__file__)
    folder = Path(importlib.util.cache_from_source(str(module))).parent
    maker = hashlib.sha1(module.read_bytes() + jinja2.__version__.encode(), usedforsecurity=False).hexdigest()
    return jinja2.FileSystemBytecodeCache(str(folder), f"%s.{sys.implementation.cache_tag}.jinja"), maker


def _cached_code(environment: jinja2.Environment, path: Path, text: str) -> CodeType:
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


rounds = _Rounds()
