"""The dialects, each declared by a file under `sql/macros/dialects`."""

from __future__ import annotations

import functools
from dataclasses import dataclass

from ..errors import BadMetricFile
from .front_matter import read_front_matter, sql_root


@dataclass(frozen=True)
class Dialect:
    """Declaration of a dialect file: the parent dialect for missing macros, and whether tests run on its engine."""

    name: str
    title: str
    parent: str | None = None
    tested: bool = False
    #: The engine that runs every metric instead.
    stand_in: str = ""

    @property
    def evidence(self) -> str:
        """How every metric is tested in this dialect."""
        if self.tested:
            return "run on the engine"
        return "run on a stand-in" if self.stand_in else "read by parsers"


@functools.cache
def dialects() -> dict[str, Dialect]:
    """The dialects by name; those with an engine in the tests come first."""
    declared = []
    paths = sorted((sql_root() / "macros" / "dialects").glob("*.sql"))
    for path in paths:
        front = read_front_matter(path, {"title", "parent", "tested", "stand_in"}, {"title"})
        others = [other.stem for other in paths if other != path]
        if front.get("parent") not in (None, *others):
            raise BadMetricFile(f"{path}: parent must be one of {', '.join(others)}, not {front['parent']!r}")
        if not isinstance(front.get("tested", False), bool):
            raise BadMetricFile(f"{path}: tested must be true or false, not {front['tested']!r}")
        declared.append(Dialect(name=path.stem, **front))
    return {dialect.name: dialect for dialect in sorted(declared, key=lambda dialect: not dialect.tested)}


#: Dialects on whose engine tests run every metric, and dialects that are only rendered and parsed.
TESTED_DIALECTS = tuple(name for name, dialect in dialects().items() if dialect.tested)
RENDERED_DIALECTS = tuple(name for name, dialect in dialects().items() if not dialect.tested)
STAND_INS = tuple(name for name, dialect in dialects().items() if dialect.stand_in)
DIALECTS = (*TESTED_DIALECTS, *RENDERED_DIALECTS)
