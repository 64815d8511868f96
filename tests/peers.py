"""Who has what: `python -m tests.peers` writes sql/peers.md from tests/peers.yml, the lists of other tools."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from tests import ROOT

LISTS = Path(__file__).parent / "peers.yml"
PAGE = ROOT / "sql" / "peers.md"


def lists() -> dict[str, Any]:
    """By tool its version, where its list stands, and its names."""
    found: dict[str, Any] = yaml.safe_load(LISTS.read_text(encoding="utf-8"))
    return found


def calls(told: str) -> list[str]:
    """The calls that a name stands for; after a semicolon comes a remark, and a comma in brackets divides nothing."""
    found, depth = [""], 0
    for letter in told.partition(";")[0]:
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if letter == "," and not depth:
            found.append("")
        else:
            found[-1] += letter
    return [call.strip() for call in found]


def page(tools: Mapping[str, Any]) -> str:
    """The page as Markdown, a section for each tool."""
    return "\n".join(_lines(tools)) + "\n"


def _lines(tools: Mapping[str, Any]) -> Iterator[str]:
    yield "# Who has what"
    yield ""
    yield "<!-- Written by `python -m tests.peers` from tests/peers.yml: change that. -->"
    yield ""
    yield "Each name in the lists of other tools, and what it is here."
    yield "[The same under other names](README.md#the-same-under-other-names) says it the other way round, of names"
    yield "whose numbers are compared with the tool's own; the presets set its conventions."
    yield ""
    yield "| tool | version | names | of them here |"
    yield "|---|---|---|---|"
    for tool, told in tools.items():
        here, left_out = len(told["here"]), sum(len(names) for names in told["left_out"].values())
        yield f"| [{tool}](#{tool.lower()}) | {told['version']} | {here + left_out} | {here} |"
    for tool, told in tools.items():
        yield from _section(tool, told)


def _section(tool: str, told: Mapping[str, Any]) -> Iterator[str]:
    yield from ("", f"## {tool}", "", f"The list: {told['list']}, {told['version']}.", "")
    yield from ("| there | here |", "|---|---|")
    for name in sorted(told["here"], key=str.lower):
        yield f"| `{name}` | {_linked(told['here'][name])} |"
    if told["left_out"]:
        yield from ("", "| not here | names |", "|---|---|")
    for reason, names in told["left_out"].items():
        yield f"| {reason} | {', '.join(f'`{name}`' for name in sorted(names, key=str.lower))} |"


def _linked(told: str) -> str:
    _, mark, remark = told.partition(";")
    links = [f"[`{call}`](README.md#{call.partition('(')[0]})" for call in calls(told)]
    return ", ".join(links) + (f" ({remark.strip()})" if mark else "")


if __name__ == "__main__":
    PAGE.write_text(page(lists()), encoding="utf-8")
