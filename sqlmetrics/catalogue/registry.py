"""All metrics by name: the built-in ones, and those that a user has registered."""

from __future__ import annotations

import copy
import functools
import re
from collections.abc import Iterable
from pathlib import Path

from ..errors import BadMetricFile, UnknownMetric, did_you_mean
from .disk_cache import cached
from .front_matter import MACRO, TEXT, sql_root
from .metric_file import read_frame, read_metric
from .model import Frame, Metric

#: The names that templates look up in the `uses` of metrics.
_USES_IN_TEMPLATES = re.compile(r"'(\w+)' (?:not )?in [fm]\.uses\b")
#: Folders that hold neither metrics nor frames.
_MACRO_FOLDERS = ("macros", "planning", "composing", "inference", "inspecting", "states", "primitives", "dialects")


def _folded(name: str) -> str:
    """Remove differences of spelling: case, punctuation, a cutoff such as @10, British and American endings."""
    bare = re.sub(r"(?:[_@]|\bat\b)\d+\Z", "", name.strip().lower())
    return re.sub(r"[^a-z0-9]", "", bare.replace("ised", "ized"))


class Catalogue:
    """All metrics by name: those of `sql/` and those a user has registered."""

    def __init__(self, root: Path) -> None:
        self.metrics: dict[str, Metric] = {}
        self.macros: dict[str, Path] = {}
        self.frames: dict[str, Frame] = {}
        self._available_uses: set[str] = set()
        for path in sorted((root / "macros" / "frames").glob("*.sql")):
            self._add_macros(path)
            self.frames[path.stem] = read_frame(path)
        for path in sorted((root / "macros").rglob("*.sql")):
            if path.parent.name in _MACRO_FOLDERS:
                self._add_macros(path)
            elif path.parent.name not in ("frames", "generated"):
                self._add_metric(path, builtin=True)
        self._check_uses()

    def __getitem__(self, name: str) -> Metric:
        try:
            return self.metrics[name]
        except KeyError:
            raise UnknownMetric(f"there is no metric {name!r}{self.metric_meant(name)}") from None

    def metric_meant(self, name: str) -> str:
        """A hint at the metric that a name may mean, by the names of other tools or by similarity."""
        by_name = self._by_other_names()
        # trec_eval's recall_10 is its recall_K.
        nearest, other = by_name.get(_folded(re.sub(r"\d+\Z", "K", name)), by_name.get(_folded(name), ("", "")))
        members = [metric.name for metric in self.metrics.values() if metric.family == name]
        if members:
            return f" (it is a family of metrics: {', '.join(members)})"
        if not nearest:
            return did_you_mean(name, self.metrics)
        return f" (did you mean {nearest!r}{other}?)"

    def _by_other_names(self) -> dict[str, tuple[str, str]]:
        """By folded name, the metric and the tool that uses the name. A metric's name precedes names of tools, and they
        precede titles."""
        by_name = {_folded(name): (name, "") for name in self.metrics}
        for metric in self.metrics.values():
            for tool, names in metric.names.items():
                for name in names.split(", "):
                    # A remark in brackets names an average or a preset; the first metric of a name wins.
                    bare = name.partition(" (")[0].partition("(")[0]
                    for form in (bare, re.sub(r"[_@]K\Z", "", bare), re.sub(r"_(score|loss|error)\Z", "", bare)):
                        by_name.setdefault(_folded(form), (metric.name, f", {tool}'s {bare}"))
        for metric in self.metrics.values():
            by_name.setdefault(_folded(metric.title.partition("(")[0]), (metric.name, ""))
        return by_name

    def with_metrics(self, paths: Iterable[Path]) -> Catalogue:
        """A new catalogue that also holds the metric files at `paths`."""
        other = copy.copy(self)
        other.metrics, other.macros = dict(self.metrics), dict(self.macros)
        other._available_uses = set(self._available_uses)
        for path in paths:
            other._add_metric(path, builtin=False)
        other._check_uses()
        return other

    def _check_uses(self) -> None:
        """Check that templates look up every name in a metric's `uses`."""
        for metric in self.metrics.values():
            for name in metric.uses:
                if name not in self._available_uses:
                    meant = did_you_mean(name, self._available_uses)
                    raise BadMetricFile(f"{metric.path}: uses: there is nothing called {name!r} in a frame{meant}")

    def user_files(self) -> list[Path]:
        """The files of the registered metrics."""
        return [metric.path for metric in self.metrics.values() if not metric.builtin]

    def _add_macros(self, path: Path) -> None:
        text = path.read_text(encoding=TEXT)
        for macro in MACRO.findall(text):
            self.macros[macro] = path
        self._available_uses.update(_USES_IN_TEMPLATES.findall(text))

    def _add_metric(self, path: Path, builtin: bool) -> None:
        metric = read_metric(path, self.frames, builtin)
        existing = self.metrics.get(metric.name)
        if existing is not None and existing.path != path:
            raise BadMetricFile(f"{path}: there is already a metric {metric.name!r}, in {existing.path}")
        self.metrics[metric.name] = metric
        self._add_macros(path)


@functools.cache
def builtin_catalogue() -> Catalogue:
    """The metrics that come with the package; their files are read again only if one of them changes."""
    root = sql_root()
    files = sorted([*(root / "macros").rglob("*.sql"), *Path(__file__).parent.glob("*.py")])
    metrics: Catalogue = cached("catalogue", files, lambda: Catalogue(root))
    return metrics


_registered: Catalogue | None = None


def catalogue() -> Catalogue:
    """The current metrics: built-in and registered."""
    return _registered or builtin_catalogue()


def set_catalogue(metrics: Catalogue) -> None:
    """Make a catalogue with registered metrics the current one."""
    global _registered
    _registered = metrics


def registered() -> dict[str, Metric]:
    """The registered metrics by name."""
    metrics = _registered.metrics if _registered is not None else {}
    return {name: metric for name, metric in metrics.items() if not metric.builtin}
