"""Register users' metric files, so that they work like built-in metrics."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

from ..arguments import arguments_of
from ..catalogue.registry import Catalogue, catalogue, set_catalogue
from ..catalogue.template_data import parameter_definition
from ..errors import BadMetricFile, BadParameter, raised_at_caller, shown
from ..rendering.macros import call_macro


@raised_at_caller
def register(path: str | Path) -> list[str]:
    """Register your own metric files, for use like built-in metrics.

    Args:
        path: A metric file, or a folder whose `*.sql` files are metric files (`sqlmetrics new` writes one).
            A second call reads a file again.

    Returns:
        The names of the registered metrics.

    Raises:
        BadMetricFile: A file is invalid, or its name is already taken.

    Example:
        >>> import sqlmetrics
        >>> sqlmetrics.register("examples/metrics/lift_at_threshold.sql")
        ['lift_at_threshold']
    """
    if not isinstance(path, str | PathLike):
        raise BadParameter(f"path must be a metric file or a folder of them, not {type(path).__name__}")
    try:
        path = Path(path).resolve()
        files = sorted(path.glob("*.sql")) if path.is_dir() else [path]
        path.exists()
    except (OSError, ValueError) as error:  # a name that is too long, a NUL character
        raise BadMetricFile(f"{shown(path)} cannot be looked up: {error.__class__.__name__}") from error
    if not files:
        raise BadMetricFile(f"{path}: the folder holds no .sql file")
    metrics = catalogue().with_metrics(files)
    _check_parameters(metrics)
    set_catalogue(metrics)
    return [file.stem for file in files]


def _check_parameters(metrics: Catalogue) -> None:
    """Check that no parameter has the name of an argument, and by the planner that every default is a valid value."""
    arguments = {argument.name for argument in arguments_of("metric")}
    for metric in metrics.metrics.values():
        for name, parameter in metric.parameters.items():
            if name in arguments:
                raise BadMetricFile(f"{metric.path}: parameter {name!r}: it is an argument of every metric")
            definition, default = parameter_definition(parameter), parameter.default
            if default is not None and not call_macro(metrics, "duckdb", "parameter_fits", definition, default):
                expectation = f"{name} must be {parameter.expected()}, not {default!r}"
                raise BadMetricFile(f"{metric.path}: the default is none of the values: {expectation}")
