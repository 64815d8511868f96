"""The dialects, each declared by a file under `sql/macros/dialects`."""

from __future__ import annotations

import functools
from dataclasses import dataclass

from ..errors import BadMetricFile
from .front_matter import checked_front_matter, sql_root


@dataclass(frozen=True)
class Dialect:
    """What one dialect file declares: whose macros it takes where it has none, and whether tests run on its engine."""

    name: str
    title: str
    parent: str | None = None
    tested: bool = False
    #: What runs every metric in its stead.
    stand_in: str = ""

    @property
    def evidence(self) -> str:
        """What tests do with every metric in this dialect."""
        if self.tested:
            return "run on the engine"
        return "run on a stand-in" if self.stand_in else "read by parsers"


@functools.cache
def dialects() -> dict[str, Dialect]:
    """The dialects by name, those first of which an engine runs every test."""
    found = []
    paths = sorted((sql_root() / "macros" / "dialects").glob("*.sql"))
    for path in paths:
        front = checked_front_matter(path, {"title", "parent", "tested", "stand_in"}, {"title"})
        others = [other.stem for other in paths if other != path]
        if front.get("parent") not in (None, *others):
            raise BadMetricFile(f"{path}: parent must be one of {', '.join(others)}, not {front['parent']!r}")
        found.append(Dialect(name=path.stem, **front))
    return {dialect.name: dialect for dialect in sorted(found, key=lambda dialect: not dialect.tested)}


#: What every metric is run on by the tests, and what is only rendered and read by parsers: as the dialects' files say.
TESTED_DIALECTS = tuple(name for name, dialect in dialects().items() if dialect.tested)
RENDERED_DIALECTS = tuple(name for name, dialect in dialects().items() if not dialect.tested)
STAND_INS = tuple(name for name, dialect in dialects().items() if dialect.stand_in)
DIALECTS = (*TESTED_DIALECTS, *RENDERED_DIALECTS)
