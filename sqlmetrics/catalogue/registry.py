"""All metrics by name: the built-in ones, and those that a user has registered."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable
from pathlib import Path

from ..errors import BadMetricFile, UnknownMetric, did_you_mean
from .front_matter import MACRO, TEXT, sql_root
from .metric_file import read_frame, read_metric
from .model import Frame, Metric

#: What templates ask of the `uses` of metrics.
_ASKED_FOR = re.compile(r"'(\w+)' (?:not )?in [fm]\.uses\b")
#: What is neither a metric nor a frame.
_MACRO_FOLDERS = ("planning", "composing", "inference", "inspecting", "states", "primitives", "dialects")


def _folded(name: str) -> str:
    """A name without what spellings differ in: case, marks, a cut, British or American letters."""
    bare = re.sub(r"(?:[_@]|\bat\b)\d+\Z", "", name.strip().lower())
    return re.sub(r"[^a-z0-9]", "", bare.replace("ised", "ized"))


class Catalogue:
    """All metrics by name: those of `sql/` and those a user has registered."""

    def __init__(self, root: Path, extra: Iterable[Path] = ()) -> None:
        self.root = root
        self.metrics: dict[str, Metric] = {}
        self.macros: dict[str, Path] = {}
        self.frames: dict[str, Frame] = {}
        self._asked_for: set[str] = set()
        for path in sorted((root / "macros" / "frames").glob("*.sql")):
            self._add_macros(path)
            self.frames[path.stem] = read_frame(path)
        for path in sorted((root / "macros").rglob("*.sql")):
            if path.parent.name in ("frames", "generated"):
                continue
            if path.parent.name in _MACRO_FOLDERS or path.parent == root / "macros":
                self._add_macros(path)
            else:
                self._add_metric(path, builtin=True)
        for path in extra:
            self._add_metric(path, builtin=False)
        self._check_uses()

    def __getitem__(self, name: str) -> Metric:
        try:
            return self.metrics[name]
        except KeyError:
            raise UnknownMetric(f"there is no metric {name!r}{self.metric_meant(name)}") from None

    def metric_meant(self, name: str) -> str:
        """The metric that a name may mean, as a question: by the names of other tools, or by one that is much alike."""
        known = self._by_other_names()
        # trec_eval's recall_10 is its recall_K.
        metric, other = known.get(_folded(re.sub(r"\d+\Z", "K", name)), known.get(_folded(name), ("", "")))
        of_family = [one.name for one in self.metrics.values() if one.family == name]
        if of_family:
            return f" (it is a family of metrics: {', '.join(of_family)})"
        if not metric:
            return did_you_mean(name, self.metrics)
        return f" (did you mean {metric!r}{other}?)"

    def _by_other_names(self) -> dict[str, tuple[str, str]]:
        """By folded name the metric, and whose name it is, in words. Its own name goes before a tool's, and that before
        its title."""
        found: dict[str, tuple[str, str]] = {}
        for metric in self.metrics.values():
            found[_folded(metric.name)] = (metric.name, "")
        for metric in self.metrics.values():
            for tool, names in metric.names.items():
                for name in names.split(", "):
                    # A remark in brackets tells averages or presets apart; of several metrics the first is as good.
                    bare = name.partition(" (")[0].partition("(")[0]
                    for form in (bare, re.sub(r"[_@]K\Z", "", bare), re.sub(r"_(score|loss|error)\Z", "", bare)):
                        found.setdefault(_folded(form), (metric.name, f", {tool}'s {bare}"))
        for metric in self.metrics.values():
            found.setdefault(_folded(metric.title.partition("(")[0]), (metric.name, ""))
        return found

    def with_metrics(self, paths: Iterable[Path]) -> Catalogue:
        """A catalogue that also holds the metric files at `paths`; this one stays as it is."""
        other = Catalogue.__new__(Catalogue)
        other.root, other.frames = self.root, self.frames
        other.metrics, other.macros = dict(self.metrics), dict(self.macros)
        other._asked_for = set(self._asked_for)
        for path in paths:
            other._add_metric(path, builtin=False)
        other._check_uses()
        return other

    def _check_uses(self) -> None:
        """What a metric uses must be something that a template asks for."""
        for metric in self.metrics.values():
            for name in metric.uses:
                if name not in self._asked_for:
                    meant = did_you_mean(name, self._asked_for)
                    raise BadMetricFile(f"{metric.path}: uses: there is nothing called {name!r} in a frame{meant}")

    def user_files(self) -> list[Path]:
        """The files of the registered metrics."""
        return [metric.path for metric in self.metrics.values() if not metric.builtin]

    def _add_macros(self, path: Path) -> None:
        text = path.read_text(encoding=TEXT)
        for macro in MACRO.findall(text):
            self.macros[macro] = path
        self._asked_for.update(_ASKED_FOR.findall(text))

    def _add_metric(self, path: Path, builtin: bool) -> None:
        metric = read_metric(path, self.frames, builtin)
        known = self.metrics.get(metric.name)
        if known is not None and known.path != path:
            raise BadMetricFile(f"{path}: there is already a metric {metric.name!r}, in {known.path}")
        self.metrics[metric.name] = metric
        self._add_macros(path)


@functools.cache
def builtin_catalogue() -> Catalogue:
    """The metrics that come with the package."""
    return Catalogue(sql_root())


_registered: Catalogue | None = None


def catalogue() -> Catalogue:
    """The metrics in force: the built-in ones and those registered."""
    return _registered or builtin_catalogue()


def set_catalogue(metrics: Catalogue) -> None:
    """Put a catalogue with registered metrics in force."""
    global _registered
    _registered = metrics


def registered() -> dict[str, Metric]:
    """The registered metrics by name."""
    metrics = _registered.metrics if _registered is not None else {}
    return {name: metric for name, metric in metrics.items() if not metric.builtin}
