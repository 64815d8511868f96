"""The version of the installed package."""

from __future__ import annotations


def installed_version() -> str:
    """The version; in a tree that is read without being installed, 0+unknown."""
    from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415 - takes time, and few calls need it

    try:
        return version("sqlmetrics")
    except PackageNotFoundError:
        return "0+unknown"
