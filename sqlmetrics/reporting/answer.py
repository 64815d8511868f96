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

#: A sentence lists the names of up to so many metrics or models.
_MOST_NAMED = 4
_OUTCOMES = ("better", "worse", "different", "undecided")


def answer_of(results: Results, groupings: Sequence[Grouping], model: str) -> Answer:
    """Return the answer; `model` names a single model."""
    if results.compared is not None:
        return _Comparison.of(results, results.compared).answer(results, groupings)
    return _of_values(results, groupings, model)


@dataclass(frozen=True)
class _Comparison:
    """The tests of the model that gains most against the baseline, by their outcome."""

    model: str
    baseline: str
    tests: Mapping[str, list[dict[str, Any]]]

    @classmethod
    def of(cls, results: Results, compared: pd.DataFrame) -> _Comparison:
        comparisons: dict[str, _Comparison] = {}
        for row in to_records(compared):
            model = text_of(row["model"])
            empty = cls(model, results.baseline, {outcome: [] for outcome in _OUTCOMES})
            tests = comparisons.setdefault(model, empty).tests
            tests[chip_of(row["verdict"]).form].append(row)
        best = _best_models(results)
        return max(comparisons.values(), key=lambda entry: (entry.lead, entry.model in best))

    @property
    def lead(self) -> int:
        """By how many more metrics the model is better than worse."""
        return len(self.tests["better"]) - len(self.tests["worse"])

    def answer(self, results: Results, groupings: Sequence[Grouping]) -> Answer:
        text = [self._verdict(len(results.models)), *self._among_several(results)]
        tiles = [
            self._count(),
            _tile("Largest gain", self.tests["better"], "better"),
            _tile("Largest loss", self.tests["worse"], "worse"),
        ]
        slices = self._slices(results, groupings)
        if slices is not None:
            text.append(slices[0])
            tiles.append(slices[1])
        return Answer(text, tiles)

    def _verdict(self, models: int) -> str:
        model, baseline = self.model, f"{self.baseline} (the baseline)"
        if self.lead < 0 and models > 2:
            closest = self._outcomes(f"closest is {model}, worse", "worse")
            return f"{baseline} is better than each of the {models - 1} other models; {closest}."
        if self.lead < 0:
            return f"{self._outcomes(f'{baseline} is better than {model}', 'worse', better='worse')}."
        if self.tests["better"]:
            return f"{self._outcomes(f'{model} is better than {baseline}', 'better')}."
        if self.tests["different"]:
            return f"{self._outcomes(f'{model} differs from {baseline}', 'different')}."
        undecided = self.tests["undecided"]
        where = undecided[0]["metric"] if len(undecided) == 1 else f"any of the {len(undecided)} metrics"
        return f"No difference between {model} and {baseline} is significant on {where}."

    def _outcomes(self, claim: str, outcome: str, **words: str) -> str:
        """Return the claim, the metrics for which it is true, and those of the other outcomes."""
        total = sum(map(len, self.tests.values()))
        others = [(other, tests) for other, tests in self.tests.items() if tests and other != outcome]
        counts = [f"{words.get(other, other)} on {_names(tests)}" for other, tests in others]
        return _listed([f"{claim} on {_names(self.tests[outcome], total)}", *counts])

    def _count(self) -> Tile:
        """Return the number of metrics by which the model is better, or worse if these are more."""
        counts = {outcome: len(tests) for outcome, tests in self.tests.items()}
        total, word = sum(counts.values()), "worse" if self.lead < 0 else "better"
        others = [other for other in counts if other != word and (counts[other] or other != "different")]
        rest = ", ".join(f"{other} on {counts[other]}" for other in others)
        cell = Cell(f"{counts[word]} of {total} {'metric' if total == 1 else 'metrics'}")
        return Tile(f"{self.model} is {word} on", cell, rest, word if counts[word] else "")

    def _among_several(self, results: Results) -> list[str]:
        best = _best_models(results)
        if len(results.models) < 3 or results.first is None or not 0 < len(best) <= _MOST_NAMED:
            return []
        metric = f"best {results.first.name} of {len(results.models)} models"
        # "It" is the model that the verdict names first.
        if self.model in best and self.lead >= 0 and self.tests["better"]:
            return [f"It has the {metric}."]
        return [f"The {metric} is that of {_listed(best)}."]

    def _slices(self, results: Results, groupings: Sequence[Grouping]) -> tuple[str, Tile] | None:
        """Return where the better model is worse, and the slice where it is worst."""
        first = results.first
        compared = _slices_by_impact(results, [grouping for grouping in groupings if grouping.compares])
        slices = [entry for entry in compared if text_of(entry[1]["model"]) == self.model]
        if first is None or not slices:
            return None
        wins = self.lead >= 0
        winner, opposite = (self.model, "worse") if wins else (self.baseline, "better")
        against = [entry for entry in slices if entry[1]["verdict"] == opposite]
        where, row, _ = max(against or slices, key=lambda entry: entry[2] if wins else -entry[2])
        cell = difference_cell(row)
        most = f", most in {where}: {text_in_full(cell)}" if against else ""
        total = "1 slice" if len(slices) == 1 else f"{len(slices)} slices"
        sentence = f"By {first.name}, {winner} is worse in {len(against) or 'none'} of {total}{most}."
        label = "Worst slice" if wins else f"Best slice of {self.model}"
        return sentence, Tile(label, cell, f"{first.name} in {where}", chip_of(row["verdict"]).form)


def _listed(parts: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(parts[:-1]), parts[-1]]))


def _names(tests: Sequence[Mapping[str, Any]], total: int = 0) -> str:
    """Return the name of a single metric, or the number of metrics; of a `total` if it is known."""
    if len(tests) == 1 and total < 2:
        return str(tests[0]["metric"])
    if total:
        return f"all {total} metrics" if len(tests) == total else f"{len(tests)} of {total} metrics"
    names = ", ".join(str(row["metric"]) for row in tests)
    return f"{len(tests)} ({names})" if len(tests) <= _MOST_NAMED else str(len(tests))


def _tile(label: str, tests: Sequence[Mapping[str, Any]], form: str) -> Tile:
    """Return the largest difference in standard errors: the metrics have different units."""
    if not tests:
        return Tile(label, Cell("none"), "no significant difference")
    row = max(tests, key=lambda row: abs(row["difference"]) / (row["standard_error"] or 1))
    return Tile(f"{label}: {row['metric']}", difference_cell(row), "", form)


def _best_models(results: Results) -> list[str]:
    """Return the models with the best value of the first metric."""
    if results.first is None:
        return []
    values = [row[results.first.name] for row in to_records(results.overall)]
    return [results.models[position] for position in best_positions(results.first, values)]


def _slices_by_impact(results: Results, groupings: Sequence[Grouping]) -> list[tuple[str, dict[str, Any], float]]:
    """Return the name, the values and the impact of each slice that has an impact."""
    slices = []
    for grouping in groupings:
        names, rows = slice_texts(grouping.ranked, grouping.names), to_records(grouping.ranked)
        for name, row, impact in zip(names, rows, results.impacts(grouping.ranked) or [], strict=False):
            if impact is not None:
                slices.append((f"{grouping.label} {name}", row, impact))
    return slices


def _of_values(results: Results, groupings: Sequence[Grouping], model: str) -> Answer:
    """Return the values of a single model, or of models whose metrics have no interval."""
    shown = [requested for requested in results.requested if is_single(requested)]
    if not shown:
        return Answer([], [])
    first, records = results.first or shown[0], to_records(results.overall)
    best = best_positions(first, [record[first.name] for record in records]) if len(records) > 1 else []
    row = records[best[0]] if best else records[0]
    if best:
        names = _listed([results.models[position] for position in best])
        has = "has" if len(best) == 1 else "have"
        text = [f"{names} {has} the best {first.name} of {len(records)} models: {_in_full(row, first)}."]
    else:
        text = [f"{first.name} of {name} is {_in_full(record, first)} over {record['n']:,} rows."
                for name, record in zip(results.models or [model], records, strict=True)]  # fmt: skip
    biased = {requested.name: _beside_its_ideal(row, requested) for requested in shown}
    text += filter(None, biased.values())
    # The first metric, then those beside their ideal value.
    tiles = [
        Tile(requested.name, value_cell(row, requested.name), requested.metric.title.partition(" (")[0])
        for requested in sorted(shown, key=lambda entry: (entry is not first, not biased[entry.name]))[:3]
    ]
    worst = max(_slices_by_impact(results, groupings), key=lambda entry: entry[2], default=None)
    if worst is not None and worst[2] > 0 and len(records) == 1:
        where, values, _ = worst
        text.append(f"The slice with the largest impact is {where}, with {first.name} {_in_full(values, first)}.")
        tiles.append(Tile("Worst slice", value_cell(values, first.name), f"{first.name} in {where}"))
    return Answer(text, tiles)


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
