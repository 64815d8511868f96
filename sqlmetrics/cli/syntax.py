"""Messages in the syntax of the shell."""

from __future__ import annotations

import ast
import re
import shlex

from ..arguments import ARGUMENTS

#: The options of the shell by argument.
_IN_SHELL = {argument.name: argument.option for argument in ARGUMENTS} | {
    "data": "DATA",
    "metrics": "-m",
    "con": "--db",
}
_VALUE = r"""("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\[(?:'[^']*'|"[^"]*"|[^]'"])*\]|[\w.…]+)"""
_MARKED = re.compile(rf"⟨(\w+)⟩(?:={_VALUE})?")


def in_shell(marked: str) -> str:
    """Convert an error message to the syntax of the shell.

    >>> in_shell("cluster needs ⟨confidence⟩, as in ⟨confidence⟩=0.95; give ⟨score⟩=['old', 'new']")
    '--cluster needs --confidence, as in --confidence 0.95; give --score old --score new'
    """
    first = re.match(r"(\w+)(?=[ :])", marked)
    if first is not None and first[1] in _IN_SHELL:
        marked = f"⟨{first[1]}⟩{marked[first.end() :]}"
    return _MARKED.sub(_with_option, marked)


def _with_option(match: re.Match[str]) -> str:
    option = _IN_SHELL.get(match[1], match[1])
    if match[2] is None:
        return option
    try:
        value = ast.literal_eval(match[2])
    except (SyntaxError, ValueError):
        return f"{option} {match[2]}"
    if isinstance(value, list) and not any(isinstance(entry, str) for entry in value):
        value = ",".join(map(str, value))
    return " ".join(f"{option} {_word(entry)}" for entry in (value if isinstance(value, list) else [value]))


def _word(value: object) -> str:
    """Quote a value as one word of the shell."""
    text = str(value)
    return f'"{text}"' if " " in text and not re.search(r'["$`\\!]', text) else shlex.quote(text)
