"""Compile templates: cache the code of built-in files, and sandbox users' files."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib.util
import pickle
import sys
from pathlib import Path
from types import CodeType

import jinja2
import jinja2.bccache
import jinja2.compiler
import jinja2.exceptions
import jinja2.nodes
import jinja2.sandbox


def make_environment(sandboxed: bool) -> jinja2.Environment:
    """The Jinja environment of the templates, sandboxed if they include users' files."""
    environment = jinja2.sandbox.SandboxedEnvironment if sandboxed else jinja2.Environment
    return environment(undefined=jinja2.StrictUndefined, extensions=["jinja2.ext.do"], keep_trailing_newline=False)


@functools.lru_cache(maxsize=1_024)
def compiled(path: Path, text: str, sandboxed: bool, users: bool) -> CodeType:
    """The compiled code of a file, shared by all dialects and catalogues."""
    environment = make_environment(sandboxed)
    if users:
        return environment.compile(text, path.stem, str(path))
    return _cached_code(environment, path, text)


@functools.cache
def _cache() -> tuple[jinja2.BytecodeCache, str]:
    """The cache in Python's folder for bytecode, and a hash of the compiler that is part of the keys."""
    module = Path(__file__)
    folder = Path(importlib.util.cache_from_source(str(module))).parent
    maker = hashlib.sha1(module.read_bytes() + jinja2.__version__.encode(), usedforsecurity=False).hexdigest()
    return jinja2.FileSystemBytecodeCache(str(folder), f"%s.{sys.implementation.cache_tag}.jinja"), maker


def _cached_code(environment: jinja2.Environment, path: Path, text: str) -> CodeType:
    """The code of a built-in file, cached because it compiles more slowly than a small statement runs.

    The cache is in Python's folder for bytecode; without write access nothing is cached.
    """
    cache, maker = _cache()
    key = cache.get_cache_key(f"{type(environment).__name__} {maker}", str(path))
    bucket = jinja2.bccache.Bucket(environment, key, cache.get_source_checksum(text))
    with contextlib.suppress(OSError, EOFError, pickle.UnpicklingError):  # a damaged file is overwritten
        cache.load_bytecode(bucket)
    if bucket.code is None:
        bucket.code = environment.compile(text, path.stem, str(path))
        if not sys.dont_write_bytecode:
            with contextlib.suppress(OSError):
                cache.dump_bytecode(bucket)
    return bucket.code
