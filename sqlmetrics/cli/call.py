"""Convert the options of a command to the arguments of a call in Python."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..arguments import arguments_of
from ..errors import BadParameter
from ..planning.metric_spec import parts_of, split_metrics


def arguments_of_drift(function: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of `drift`."""
    arguments = arguments_of_call(function, settings)
    for name in ("columns", "categories"):
        arguments[name] = [column for entry in settings[name] for column in _columns(entry)]
    return arguments


def metrics_of(entries: Sequence[Any]) -> list[Any]:
    """Split the entries of -m, which may be lists."""
    metrics: list[Any] = []
    for entry in entries:
        metrics += split_metrics(entry) if isinstance(entry, str) else [entry]
    return metrics


def _columns(entry: str) -> list[str]:
    """Split an entry at its commas; an entry with an equals sign is one expression."""
    return [entry] if "=" in entry else parts_of(entry)


def _scores(entries: Sequence[str]) -> str | list[str] | None:
    scores = [column for entry in entries for column in _columns(entry)]
    return scores[0] if len(scores) == 1 else scores or None


def _by(settings: Mapping[str, Any]) -> list[Any] | None:
    by, groupings = settings["by"], settings.get("grouping", ())
    if by and groupings:
        raise BadParameter("give --by or --grouping, not both")
    if groupings:
        return [entry if isinstance(entry, list) else _grouping(entry) for entry in groupings]
    return [column for entry in by for column in _columns(entry)] or None


def arguments_of_call(function: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a function of `api.py`, from the settings of its command with its lists split."""
    arguments = {argument.name: settings[argument.name] for argument in arguments_of(function, "shell")}
    arguments["by"] = _by(settings)
    # A state has a single score and a single list of slices.
    if arguments.pop("grouping", None) is not None and "score" in arguments:
        arguments["score"] = _scores(settings["score"])
    if arguments.get("adjust") == "none":
        arguments["adjust"] = None
    return arguments


def _grouping(entry: str) -> list[str]:
    if entry.strip() in ("", "overall"):
        return []
    return split_metrics(entry) if "=" in entry else _columns(entry)
