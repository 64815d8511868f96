"""The answer of a page: which model is better, by how much, and where it is not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from ..planning.plan import Requested
from .blocks import Answer, Cell, Tile
from .cells import best_positions, chip_of, difference_cell, text_in_full, to_records, value_cell
from .labels import slice_texts, text_of
from .results import Results, is_single
from .slices import Grouping

#: A sentence lists the names of up to so many metrics.
_MOST_NAMED = 4


def answer_of(results: Results, groupings: Sequence[Grouping], model: str) -> Answer:
    """Return the answer; `model` names a single model."""
    if results.compared is not None:
        return _Comparison.of(results, results.compared).answer(results, groupings)
    return _of_values(results, groupings, model)


@dataclass(frozen=True)
class _Comparison:
    """The tests of the model that gains most against the baseline."""

    model: str
    baseline: str
    better: Sequence[Mapping[str, Any]]
    worse: Sequence[Mapping[str, Any]]
    other: Sequence[Mapping[str, Any]]
    #: The number of models.
    models: int

    @classmethod
    def of(cls, results: Results, compared: pd.DataFrame) -> _Comparison:
        rows = to_records(compared)
        models = list(dict.fromkeys(text_of(row["model"]) for row in rows))
        comparisons = []
        for model in models:
            tests = [row for row in rows if text_of(row["model"]) == model]
            better, worse = ([row for row in tests if row["verdict"] == verdict] for verdict in ("better", "worse"))
            other = [row for row in tests if row["verdict"] not in ("better", "worse")]
            comparisons.append(cls(model, results.baseline, better, worse, other, len(models) + 1))
        first = results.first
        best = _best_models(results, first) if first is not None else []
        return max(comparisons, key=lambda entry: (len(entry.better) - len(entry.worse), entry.model in best))

    def answer(self, results: Results, groupings: Sequence[Grouping]) -> Answer:
        text = [self._verdict()]
        text += self._among_several(results) if len(results.models) > 2 else []
        tests = [*self.better, *self.worse, *self.other]
        tiles = [
            self._count(len(tests)),
            _tile("Largest gain", _largest(self.better), "better"),
            _tile("Largest loss", _largest(self.worse), "worse"),
        ]
        slices = self._slices(results, groupings)
        if slices is not None:
            sentence, tile = slices
            text.append(sentence)
            tiles.append(tile)
        return Answer(text, tiles)

    def _verdict(self) -> str:
        model, baseline = self.model, f"{self.baseline} (the baseline)"
        gains, losses = len(self.better), len(self.worse)
        total = gains + losses + len(self.other)
        if not gains and not losses:
            where = self.other[0]["metric"] if total == 1 else f"any of the {total} metrics"
            return f"No difference between {model} and {baseline} is significant on {where}."
        winner, loser, won, lost = (model, baseline, self.better, self.worse)
        if losses > gains and self.models > 2:
            closest = f"closest is {model}, worse on {_names(self.worse, total)}"
            counts = [closest, *([f"better on {_names(self.better, 0)}"] if gains else [])]
            counts += [f"undecided on {_names(self.other, 0)}"] if self.other else []
            return f"{baseline} is better than each of the {self.models - 1} other models; {_listed(counts)}."
        if losses > gains:
            winner, loser, won, lost = (baseline, model, self.worse, self.better)
        counts = [f"{winner} is better than {loser} on {_names(won, total)}"]
        counts += [f"worse on {_names(lost, 0)}"] if lost else []
        counts += [f"undecided on {_names(self.other, 0)}"] if self.other else []
        return f"{_listed(counts)}."

    def _count(self, total: int) -> Tile:
        """Return the number of metrics by which the model is better, or worse if these are more."""
        counts = {"better": len(self.better), "worse": len(self.worse), "undecided": len(self.other)}
        word = "worse" if counts["worse"] > counts["better"] else "better"
        rest = ", ".join(f"{other} on {count}" for other, count in counts.items() if other != word)
        metrics = "metric" if total == 1 else "metrics"
        cell = Cell(f"{counts[word]} of {total} {metrics}")
        return Tile(f"{self.model} is {word} on", cell, rest, word if counts[word] else "")

    def _among_several(self, results: Results) -> list[str]:
        first = results.first
        if first is None or first.metric.direction is None:
            return []
        best = _best_models(results, first)
        if self.model in best:
            return [f"It has the best {first.name} of {len(results.models)} models."]
        return [f"The best {first.name} of {len(results.models)} models is that of {' and '.join(best)}."]

    def _slices(self, results: Results, groupings: Sequence[Grouping]) -> tuple[str, Tile] | None:
        first = results.first
        rows = [
            (grouping.label, name, row, impact)
            for grouping in groupings
            if grouping.differences is not None
            for name, row, impact in zip(
                slice_texts(grouping.differences, grouping.names),
                to_records(grouping.differences),
                results.impacts(grouping.differences) or [],
                strict=True,
            )
            if text_of(row["model"]) == self.model
        ]
        tested = [entry for entry in rows if entry[3] is not None]
        if first is None or not tested:
            return None
        is_winner = len(self.better) >= len(self.worse)
        winner, opposite = (self.model, "worse") if is_winner else (self.baseline, "better")
        against = [entry for entry in tested if entry[2]["verdict"] == opposite]
        sign = 1 if is_winner else -1
        label, name, row, _ = max(against or tested, key=lambda entry: sign * (entry[3] or 0))
        where = f"{label} {name}"
        count = f"{len(against)} of {len(tested)} slices" if against else f"none of {len(tested)} slices"
        most = f", most in {where}: {text_in_full(difference_cell(row))}" if against else ""
        sentence = f"By {first.name}, {winner} is worse in {count}{most}."
        label = "Worst slice" if is_winner else f"Best slice of {self.model}"
        return sentence, Tile(label, difference_cell(row), f"{first.name} in {where}", chip_of(row["verdict"]).form)


def _listed(parts: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(parts[:-1]), parts[-1]]))


def _names(tests: Sequence[Mapping[str, Any]], total: int) -> str:
    names = ", ".join(str(row["metric"]) for row in tests)
    if len(tests) == total == 1 or (not total and len(tests) == 1):
        return names
    if total:
        return f"all {total} metrics" if len(tests) == total else f"{len(tests)} of {total} metrics"
    return f"{len(tests)} ({names})" if len(tests) <= _MOST_NAMED else str(len(tests))


def _largest(tests: Sequence[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    """Return the largest difference in standard errors: the metrics have different units."""
    return max(tests, key=lambda row: abs(row["difference"]) / (row["standard_error"] or 1), default=None)


def _tile(label: str, row: Mapping[str, Any] | None, form: str) -> Tile:
    if row is None:
        return Tile(label, Cell("none"), "no significant difference")
    return Tile(f"{label}: {row['metric']}", difference_cell(row), "", form)


def _best_models(results: Results, requested: Requested) -> list[str]:
    values = [row[requested.name] for row in to_records(results.overall)]
    return [results.models[position] for position in best_positions(requested, values)]


def _of_values(results: Results, groupings: Sequence[Grouping], model: str) -> Answer:
    """Return the values of a single model, or of models whose metrics have no interval."""
    shown = [requested for requested in results.requested if is_single(requested)]
    records = to_records(results.overall)
    if not shown:
        return Answer([], [])
    first = results.first or shown[0]
    row, text = records[0], []
    if len(records) > 1:
        best = best_positions(first, [record[first.name] for record in records])
        row = records[best[0]] if best else row
        text += [f"{text_of(row['model'])} has the best {first.name} of {len(records)} models: {_in_full(row, first)}."]
    else:
        text += [f"{first.name} of {model} is {_in_full(row, first)} over {row['n']:,} rows."]
    text += [_beside_its_ideal(row, requested) for requested in shown]
    biased = [requested for requested in shown if _beside_its_ideal(row, requested)]
    others = [requested for requested in shown if requested is not first and requested not in biased]
    tiles = [
        Tile(requested.name, value_cell(row, requested.name), requested.metric.title.partition(" (")[0])
        for requested in [first, *(entry for entry in biased if entry is not first), *others][:3]
    ]
    worst = _worst_slice(results, groupings)
    if worst is not None and len(records) == 1:
        where, values = worst
        text.append(f"The slice with the largest impact is {where}, with {first.name} {_in_full(values, first)}.")
        tiles.append(Tile("Worst slice", value_cell(values, first.name), f"{first.name} in {where}"))
    return Answer([sentence for sentence in text if sentence], tiles)


def _in_full(row: Mapping[str, Any], requested: Requested) -> str:
    return text_in_full(value_cell(row, requested.name))


def _beside_its_ideal(row: Mapping[str, Any], requested: Requested) -> str:
    """Return a sentence about a metric whose interval excludes its ideal value, such as 1 for copc."""
    direction = requested.metric.direction or ""
    low, high = row.get(f"{requested.name}_low"), row.get(f"{requested.name}_high")
    if not direction.startswith("near ") or low is None or high is None:
        return ""
    ideal = float(direction.removeprefix("near "))
    if low <= ideal <= high:
        return ""
    side = "below" if high < ideal else "above"
    return f"{requested.name} is {_in_full(row, requested)}, significantly {side} {ideal:g}."


def _worst_slice(results: Results, groupings: Sequence[Grouping]) -> tuple[str, Mapping[str, Any]] | None:
    """Return the slice that harms the first metric most, and its values."""
    worst, most = None, 0.0
    for grouping in groupings:
        names = slice_texts(grouping.values, grouping.names)
        impacts = results.impacts(grouping.values) or []
        for name, row, impact in zip(names, to_records(grouping.values), impacts, strict=False):
            if impact is not None and impact > most:
                worst, most = (f"{grouping.label} {name}", row), impact
    return worst
