"""The metrics of other tools: `python -m tests.peers` writes sql/peers.md from tests/peers.yml, the lists of names."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from sqlmetrics.catalogue.registry import builtin_catalogue
from tests import ROOT

LISTS = Path(__file__).parent / "peers.yml"
PAGE = ROOT / "sql" / "peers.md"
HEAD = """\
# Metrics of other tools

<!-- Written by `python -m tests.peers` from tests/peers.yml: change that. -->

For each name in the lists of other tools, the corresponding call of sqlmetrics. Remarks are in brackets.
Presets (`preset="sklearn"`) set the conventions of a tool.

| tool | version | names | available here |
|---|---|---|---|"""


def lists() -> dict[str, Any]:
    """By tool its version, the address of its list, and its names."""
    tools: dict[str, Any] = yaml.safe_load(LISTS.read_text(encoding="utf-8"))
    return tools


def calls(entry: str) -> list[str]:
    """The calls for a name; a semicolon starts a remark, and a comma in parentheses does not separate."""
    return [call.strip() for call in re.split(r",(?![^(]*\))", entry.partition(";")[0])]


def page(tools: Mapping[str, Any]) -> str:
    """The page as Markdown, a section for each tool."""
    lines = [HEAD]
    for tool, details in tools.items():
        here, left_out = len(details["here"]), sum(len(names) for names in details["left_out"].values())
        lines.append(f"| [{tool}](#{tool.lower()}) | {details['version']} | {here + left_out} | {here} |")
    for tool, details in tools.items():
        lines += ["", f"## {tool}", "", f"The list: {details['list']}, {details['version']}.", ""]
        lines += ["| tool | sqlmetrics |", "|---|---|"]
        lines += [f"| `{name}` | {_linked(details['here'][name])} |" for name in sorted(details["here"], key=str.lower)]
        if details["left_out"]:
            lines += ["", "| not available | names |", "|---|---|"]
        for reason, names in details["left_out"].items():
            lines.append(f"| {reason} | {', '.join(f'`{name}`' for name in sorted(names, key=str.lower))} |")
    return "\n".join(lines) + "\n"


def _linked(entry: str) -> str:
    _, mark, remark = entry.partition(";")
    metrics = builtin_catalogue().metrics
    families = {call: metrics[call.partition("(")[0]].path.parent.name for call in calls(entry)}
    links = [f"[`{call}`](macros/{family}/{call.partition('(')[0]}.sql)" for call, family in families.items()]
    return ", ".join(links) + (f" ({remark.strip()})" if mark else "")


if __name__ == "__main__":
    PAGE.write_text(page(lists()), encoding="utf-8")
