"""The answer of a page: which model is better, by how much, and where it is not."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..planning.plan import Requested
from .blocks import Tile
from .cells import Cell, best_positions, chip_of, difference_cell, loss_between, text_in_full, to_records, value_cell
from .labels import slice_texts, text_of
from .results import Results, is_single
from .slices import Grouping

#: A sentence lists the names of up to so many metrics or models.
_MOST_NAMED = 4
#: The outcomes of tests, and their wording for one metric and for several.
_WORDS = {
    "better": ("is better", "are better"),
    "worse": ("is worse", "are worse"),
    "different": ("differs", "differ"),
    "undecided": ("is undecided", "are undecided"),
    "untested": ("could not be tested", "could not be tested"),
}


def answer_of(results: Results, groupings: Sequence[Grouping], model: str) -> tuple[list[str], list[Tile]]:
    """Return the sentences of the answer, and its most important numbers; `model` names a single model."""
    if results.compared is None:
        return _of_values(results, groupings, model)
    comparisons: dict[str, _Comparison] = {}
    for row in to_records(results.compared):
        model = text_of(row["model"])
        comparison = comparisons.setdefault(model, _Comparison(results, model))
        comparison.tests[chip_of(row["verdict"]).form].append(row)
        if results.first is not None and row["metric"] == results.first.name:
            comparison.loss = loss_between(row["value"], row["baseline_value"], results.first.metric.direction) or 0.0
    # Of models with the same lead, the one that gains most in the first metric.
    leader, *others = sorted(comparisons.values(), key=lambda entry: (-entry.lead, entry.loss))
    return leader.answer(groupings, others)


@dataclass
class _Comparison:
    """The tests of a model against the baseline, by their outcome."""

    results: Results
    model: str
    tests: dict[str, list[dict[str, Any]]] = field(default_factory=lambda: {outcome: [] for outcome in _WORDS})
    #: The loss in the first metric.
    loss: float = 0.0

    @property
    def lead(self) -> int:
        """By how many more metrics the model is better than worse."""
        return len(self.tests["better"]) - len(self.tests["worse"])

    @property
    def total(self) -> int:
        """The number of metrics."""
        return sum(map(len, self.tests.values()))

    def answer(self, groupings: Sequence[Grouping], others: Sequence[_Comparison]) -> tuple[list[str], list[Tile]]:
        gain = _tile("Largest gain", self.tests["better"], "better")
        loss = _tile("Largest loss", self.tests["worse"], "worse")
        sentences, worst = self._slices(groupings)
        text = [self._verdict(len(others)), *_undefined(self.results), *self._among(others), *sentences]
        return text, [self._count(), gain, loss, *worst]

    def _verdict(self, others: int) -> str:
        model, baseline = self.model, f"{self.results.baseline} (the baseline)"
        better, worse = self.tests["better"], self.tests["worse"]
        if self.lead < 0 and others:
            others_are_worse = f"{baseline} is better than each of the {others + 1} other models."
            return f"{others_are_worse} {self._outcomes(f'The closest, {model}, is worse', 'worse')}"
        if self.lead < 0:
            return self._outcomes(f"{baseline} is better than {model}", "worse", f"worse on {_names(better)}")
        if self.lead > 0:
            return self._outcomes(f"{model} is better than {baseline}", "better", f"worse on {_names(worse)}")
        if better:
            outcomes = f"better on {_names(better)} and worse on {_names(worse)}{self._rest()}"
            return f"{model} is neither better nor worse than {baseline} overall: it is {outcomes}."
        if self.tests["different"]:
            return self._outcomes(f"{model} differs from {baseline}", "different")
        undecided, untested = self.tests["undecided"], self.tests["untested"]
        if not undecided:
            return f"{model} and {baseline} could not be tested on {_any_of(untested)}."
        claim = f"No difference between {model} and {baseline} is significant on {_any_of(undecided)}"
        return f"{claim}{self._rest(['undecided'])}."

    def _outcomes(self, claim: str, outcome: str, opposite: str = "") -> str:
        """Return the claim, the metrics for which it is true, and those of the other outcomes."""
        has_opposite = bool(opposite and self.tests["worse" if outcome == "better" else "better"])
        also = f" and {opposite}" if has_opposite else ""
        omitted = ("better", "worse") if has_opposite else (outcome,)
        return f"{claim} on {_names(self.tests[outcome], self.total)}{also}{self._rest(omitted)}."

    def _rest(self, omitted: Collection[str] = ("better", "worse")) -> str:
        """Return the metrics of the outcomes that a sentence has not named yet."""
        others = [(outcome, tests) for outcome, tests in self.tests.items() if tests and outcome not in omitted]
        return "".join(f"; {_names(tests)} {_WORDS[outcome][len(tests) > 1]}" for outcome, tests in others)

    def _count(self) -> Tile:
        """Return the number of metrics by which the model is better, or worse if these are more."""
        counts = {outcome: len(tests) for outcome, tests in self.tests.items()}
        word = "worse" if self.lead < 0 else "better"
        others = [other for other in counts if other != word and (counts[other] or other in ("better", "worse"))]
        rest = ", ".join(f"{other.replace('untested', 'not tested')} on {counts[other]}" for other in others)
        cell = Cell(f"{counts[word]} of {self.total} {'metric' if self.total == 1 else 'metrics'}")
        return Tile(f"{self.model} is {word} on", cell, rest, word if self.lead else "")

    def _among(self, others: Sequence[_Comparison]) -> list[str]:
        """Return how the other models compare with the baseline, and which has the best first metric."""
        if not others:
            return []
        text = []
        if self.lead >= 0:
            counts = {
                "better than the baseline overall": sum(other.lead > 0 for other in others),
                "worse": sum(other.lead < 0 for other in others),
                "neither better nor worse": sum(other.lead == 0 for other in others),
            }
            numbers = [f"{count} {'is' if count == 1 else 'are'} {word}" for word, count in counts.items() if count]
            text.append(f"Of the other {len(others)} models, {_listed(numbers)}." if len(others) > 1 else
                        f"The other model, {others[0].model}, {numbers[0].removeprefix('1 ')}.")  # fmt: skip
        first, models = self.results.first, self.results.models
        if first is not None:
            positions = best_positions(first, [row[first.name] for row in to_records(self.results.overall)])
            if 0 < len(positions) <= _MOST_NAMED:
                best = _listed([models[position] for position in positions])
                text.append(f"The best {first.name} of {len(models)} models is that of {best}.")
        return text

    def _slices(self, groupings: Sequence[Grouping]) -> tuple[list[str], list[Tile]]:
        """Return where the better model is worse, and the slice where it is worst."""
        first = self.results.first
        compared = _slices_by_impact([grouping for grouping in groupings if grouping.compares])
        slices = [entry for entry in compared if text_of(entry[1]["model"]) == self.model]
        if first is None or not slices:
            return [], []
        winner, opposite, sign, end = self.model, "worse", 1, "Worst"
        if self.lead < 0:
            winner, opposite, sign, end = self.results.baseline, "better", -1, "Best"
        against = [entry for entry in slices if entry[1]["verdict"] == opposite]
        tested = [entry for entry in slices if entry[1]["verdict"] is not None]
        if against:
            where, row, _ = max(against, key=lambda entry: sign * entry[2])
            count = "the only slice" if len(slices) == 1 else f"{len(against)} of {len(slices)} slices"
            loss = text_in_full(difference_cell(row))
            sentence = f"By {first.name}, {winner} is worse in {count}, most in {where}: {loss}."
        else:
            # Without a significant loss, the largest loss, or the least gain, for slices of any size.
            where, row, _ = max(tested or slices, key=lambda entry: sign * entry[2] / entry[1]["n"])
            count = "the only slice" if len(slices) == 1 else f"any of the {len(slices)} slices"
            sentence = f"By {first.name}, {winner} is not significantly worse in {count}."
        note, form = f"{first.name} in {where}", chip_of(row["verdict"]).form
        return [sentence], [Tile(f"{end} slice of {self.model}", difference_cell(row), note, form)]


def _listed(parts: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(parts[:-1]), parts[-1]]))


def _any_of(tests: Sequence[Mapping[str, Any]]) -> str:
    return str(tests[0]["metric"]) if len(tests) == 1 else f"any of the {len(tests)} metrics"


def _names(tests: Sequence[Mapping[str, Any]], total: int = 0) -> str:
    """Return the name of a single metric, or the number of metrics; of a `total` if it is known."""
    if len(tests) == 1 and total < 2:
        return str(tests[0]["metric"])
    if len(tests) == total:
        return "both metrics" if total == 2 else f"all {total} metrics"
    if total:
        return f"{len(tests)} of {total} metrics"
    names = ", ".join(str(row["metric"]) for row in tests)
    return f"{len(tests)} ({names})" if len(tests) <= _MOST_NAMED else str(len(tests))


def _tile(label: str, tests: Sequence[Mapping[str, Any]], form: str) -> Tile:
    """Return the largest difference in standard errors: the metrics have different units."""
    if not tests:
        return Tile(label, Cell("none"), "no significant difference")
    row = max(tests, key=lambda row: abs(row["difference"]) / (row["standard_error"] or 1))
    return Tile(f"{label}: {row['metric']}", difference_cell(row), "", form)


def _undefined(results: Results) -> list[str]:
    """Return which metrics have no value, such as auc of labels of one class."""
    names = [name for _, name in results.columns if results.overall[name].isna().all()]
    return [f"{_listed(names)} {'is' if len(names) == 1 else 'are'} undefined on these rows."] if names else []


def _slices_by_impact(groupings: Sequence[Grouping]) -> list[tuple[str, dict[str, Any], float]]:
    """Return the name, the values and the impact of each slice that has an impact."""
    slices = []
    for grouping in groupings:
        names, rows = slice_texts(grouping.ranked, grouping.names), to_records(grouping.ranked)
        for name, row, impact in zip(names, rows, grouping.impacts or [], strict=False):
            if impact is not None:
                slices.append((name if len(grouping.names) > 1 else f"{grouping.label} {name}", row, impact))
    return slices


def _of_values(results: Results, groupings: Sequence[Grouping], model: str) -> tuple[list[str], list[Tile]]:
    """Return the values of a single model, or of models whose metrics have no interval."""
    first, records = results.first, to_records(results.overall)
    if first is None:
        return [], []
    shown = [requested for requested in results.requested if is_single(requested)]
    best = best_positions(first, [record[first.name] for record in records]) if len(records) > 1 else []
    row = records[best[0]] if best else records[0]
    if best:
        names = _listed([results.models[position] for position in best])
        has = "has" if len(best) == 1 else "have"
        text = [f"{names} {has} the best {first.name} of {len(records)} models: {_in_full(row, first)}."]
    else:
        text = [f"{first.name} of {name} is {_in_full(record, first)}{_side(record, first)}."
                for name, record in zip(results.models or [model], records, strict=True)]  # fmt: skip
    biased = {requested.name: _side(row, requested) for requested in shown}
    text += [f"{entry.name} is {_in_full(row, entry)}{biased[entry.name]}."
             for entry in shown if biased[entry.name] and (best or entry is not first)]  # fmt: skip
    text += _undefined(results)
    # The first metric, then those away from their ideal value.
    tiles = [
        Tile(requested.name, value_cell(row, requested.name), requested.metric.title.partition(" (")[0])
        for requested in sorted(shown, key=lambda entry: (entry is not first, not biased[entry.name]))[:3]
    ]
    worst = max(_slices_by_impact(groupings), key=lambda entry: entry[2], default=None)
    if worst is not None and worst[2] > 0 and len(records) == 1:
        where, values, _ = worst
        text.append(f"The slice with the largest impact is {where}, with {first.name} {_in_full(values, first)}.")
        tiles.append(Tile("Largest impact", value_cell(values, first.name), f"{first.name} in {where}"))
    return text, tiles


def _in_full(row: Mapping[str, Any], requested: Requested) -> str:
    return text_in_full(value_cell(row, requested.name))


def _side(row: Mapping[str, Any], requested: Requested) -> str:
    """Return on which side of its ideal value, such as 1 for copc, the interval of a metric is."""
    ideal = requested.metric.ideal
    low, high = row.get(f"{requested.name}_low"), row.get(f"{requested.name}_high")
    if ideal is None or low is None or high is None or low <= ideal <= high:
        return ""
    return f", significantly {'below' if high < ideal else 'above'} {ideal:g}"
