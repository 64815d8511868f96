"""Run the functions of `api.py` from their arguments, for Python and for the shell."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..inputs.opening import open_source
from ..inputs.source import Executor
from ..interrupts import keyboard_interrupts
from ..request import ComparisonOptions, DriftOptions, Request, Session, StateOptions, options_of
from .checks import warn_of_missing
from .drift import compute_drift
from .evaluate import evaluate_source
from .execute import fetch
from .states import build_state, read_states, score_options


def request_of(function: str, arguments: Mapping[str, Any]) -> Request:
    """The request of a function."""
    decided: dict[str, Any] = {function: True} if function in ("gaps", "per_group") else {}
    if function in ("compare", "drift", "report"):
        decided["comparison"] = options_of(ComparisonOptions, arguments)
    return Request.of(arguments, **decided)


@keyboard_interrupts
def run_function(
    function: str, arguments: Mapping[str, Any], *, execute: Executor = fetch, as_table: bool = False
) -> Any:
    """The result of a function: a DataFrame, or a Table if the caller can print one.

    `execute` runs a statement; the shell passes a function that shows progress.
    """
    request, options = request_of(function, arguments), options_of(StateOptions, arguments)
    # Invalid options fail before the data is read.
    request.check_min_rows()
    scores = score_options(request, options) if function == "state" else None
    with open_source(arguments["data"], options_of(Session, arguments), request.opened) as source:
        if function == "state":
            evaluation = build_state(source, request, options.buckets, scores, execute)
        elif function == "evaluate_states":
            evaluation = read_states(source, request, execute, as_table)
        elif function == "drift":
            evaluation = compute_drift(source, request, options_of(DriftOptions, arguments), execute, as_table)
        else:
            evaluation = evaluate_source(source, request, execute=execute, as_table=as_table)
    warn_of_missing(evaluation.dropped_rows)
    return evaluation.result
