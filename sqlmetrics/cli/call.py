"""Convert the options of a command to the arguments of a call in Python."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..arguments import arguments_of
from ..errors import BadParameter
from ..planning.metric_spec import parts_of, split_metrics


def arguments_of_call(function: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a function of `api.py`, from the settings of its command."""
    arguments = {argument.name: settings[argument.name] for argument in arguments_of(function, "shell")}
    arguments.pop("grouping", None)
    arguments["by"] = _by(settings)
    for name in ("columns", "categories"):
        if name in arguments:
            arguments[name] = _columns(arguments[name])
    if not isinstance(arguments.get("score"), str | None):  # a state has a single score
        scores = _columns(arguments["score"])
        arguments["score"] = scores[0] if len(scores) == 1 else scores or None
    if arguments.get("range") is not None:
        arguments["range"] = _range(arguments["range"])
    if arguments.get("adjust") == "none":
        arguments["adjust"] = None
    if "metrics" in settings:
        arguments["metrics"] = metrics_of(settings["metrics"])
        required = [argument.name for argument in arguments_of(function) if argument.default is None]
        if arguments["metrics"] is None and "metrics" in required:
            raise BadParameter("name at least one metric, as in -m auc (`sqlmetrics list` names them all)")
    return arguments


def metrics_of(entries: Iterable[Any]) -> list[Any] | None:
    """Split the entries of -m, which may be lists or, in a -c file, dicts."""
    metrics: list[Any] = []
    for entry in entries:
        metrics += split_metrics(entry) if isinstance(entry, str) else [entry]
    return metrics or None


def _columns(entries: Iterable[str]) -> list[str]:
    """Split entries at their commas; an entry with an equals sign is one expression."""
    return [column for entry in entries for column in ([entry] if "=" in entry else parts_of(entry))]


def _by(settings: Mapping[str, Any]) -> list[Any] | None:
    by, groupings = settings["by"], settings.get("grouping", ())
    if by and groupings:
        raise BadParameter("give --by or --grouping, not both")
    if groupings:
        return [entry if isinstance(entry, list) else _grouping(entry) for entry in groupings]
    return _columns(by) or None


def _grouping(entry: str) -> list[str]:
    if entry.strip() in ("", "overall"):
        return []
    return split_metrics(entry) if "=" in entry else parts_of(entry)


def _range(text: str) -> list[float]:
    try:
        return [float(end) for end in text.split(",")]
    except ValueError:
        raise BadParameter(f"--range is the lowest and the highest score, as in -5,5, not {text}") from None
