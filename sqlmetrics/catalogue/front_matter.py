"""The comment in YAML at the top of a file of `sql/`, which declares what the file holds."""

from __future__ import annotations

import re
from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import Any

import yaml

from ..errors import BadMetricFile, did_you_mean
from .yaml_text import RepeatedKey, read_yaml

#: The encoding of files: some editors write a byte order mark.
TEXT = "utf-8-sig"
_COMMENT = re.compile(r"\A\s*\{#-?(.*?)-?#\}", re.DOTALL)
#: The definition of a macro.
MACRO = re.compile(r"\{%-?\s*macro\s+(\w+)\s*\(")
#: The form of the names of metrics and parameters.
LOWER_CASE_WORD = re.compile(r"[a-z][a-z0-9_]*\Z")


def sql_root() -> Path:
    """The folder of the SQL: next to the modules in an installed package, `../sql` in a checkout."""
    package = Path(__file__).parents[1]
    installed = package / "_sql"
    return installed if installed.is_dir() else package.parent / "sql"


def read_front_matter(path: Path, allowed: AbstractSet[str], required: AbstractSet[str]) -> dict[str, Any]:
    """Read the comment at the top of a file, and check its allowed and required keys."""
    comment = _COMMENT.match(path.read_text(encoding=TEXT))
    if comment is None or not comment[1].lstrip().startswith("title:"):
        raise BadMetricFile(f"{path}: it must open with a comment whose first key is title, as {{#- title: … -#}}")
    try:
        front = read_yaml(comment[1])
    except RepeatedKey as error:
        raise BadMetricFile(f"{path}: the comment at the top: {error}") from error
    except (yaml.YAMLError, ValueError) as error:  # a number of too many digits is a ValueError
        problem = str(error).replace("\n", " ")
        raise BadMetricFile(f"{path}: the comment at the top is not YAML: {problem}") from error
    if not isinstance(front, dict):
        raise BadMetricFile(f"{path}: the comment at the top must hold `key: value` lines")
    unknown, missing = set(front) - allowed, required - set(front)
    if unknown or missing:
        named = [f"{name}{did_you_mean(name, allowed)}" for name in sorted(map(str, unknown))]
        problems = [f"unknown: {', '.join(named)}"] if unknown else []
        problems += [f"missing: {sorted_names(missing)}"] if missing else []
        raise BadMetricFile(f"{path}: the keys of the comment at the top are wrong ({'; '.join(problems)})")
    return front


def sorted_names(names: Iterable[Any]) -> str:
    """Names as an error lists them; some may not be strings."""
    return ", ".join(sorted(map(str, names)))
