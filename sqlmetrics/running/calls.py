"""Run the functions of `api.py` from their arguments, for Python and for the shell."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..inputs.source import Executor
from ..request import ComparisonOptions, DriftOptions, Request, Session, StateOptions, options_of
from .drift import run_drift
from .evaluate import run
from .execute import fetch
from .states import make_state, read_states


def request_of(function: str, arguments: Mapping[str, Any]) -> Request:
    """The request of a function."""
    decided: dict[str, Any] = {function: True} if function in ("gaps", "per_group") else {}
    if function in ("compare", "drift", "report"):
        decided["comparison"] = options_of(ComparisonOptions, arguments)
    return Request.of(arguments, **decided)


def run_function(
    function: str, arguments: Mapping[str, Any], *, execute: Executor = fetch, as_table: bool = False
) -> Any:
    """The result of a function: a DataFrame, or a Table if the caller can print one.

    `execute` runs a statement; the shell passes a function that shows progress.
    """
    data, request, session = arguments["data"], request_of(function, arguments), options_of(Session, arguments)
    if function == "state":
        return make_state(data, request, options_of(StateOptions, arguments), session, execute=execute)
    if function == "evaluate_states":
        return read_states(data, request, session, execute=execute, as_table=as_table)
    if function == "drift":
        options = options_of(DriftOptions, arguments)
        return run_drift(data, request, options, session, execute=execute, as_table=as_table)
    return run(data, request, session, execute=execute, as_table=as_table)
