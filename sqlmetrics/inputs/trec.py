"""The two text formats of TREC: qrels (topic 0 docno relevance) and runs (topic Q0 docno rank score tag)."""

from __future__ import annotations

import gzip
import os
from itertools import islice
from pathlib import Path

from ..errors import BadData
from ..sql_text import text_literal
from .paths import READERS, ending_of, first_bytes, pattern_of

#: The columns of the formats, by the number of fields in a line.
_COLUMNS = {4: ("topic", "iteration", "docno", "relevance"), 6: ("topic", "q0", "docno", "rank", "score", "tag")}
_NUMBERS = ("relevance", "rank", "score")
#: Endings of other formats; the content of such files is not checked.
_OTHER_ENDINGS = READERS.keys() - {".txt", ".tsv"}
#: How many lines of a file must have the form of TREC.
_LINES_CHECKED = 100


def trec_query(path: str) -> str | None:
    """Return a query over a TREC file, which is detected by its content; None for other files.

    White space separates fields; empty lines and lines that begin with # are skipped.
    """
    has_other_ending = not _OTHER_ENDINGS.isdisjoint(map(str.lower, Path(path).suffixes[-2:]))
    if not os.path.isfile(path) or has_other_ending or first_bytes(path, 4) == b"PAR1":
        return None
    lines = [line.split() for line in _first_lines(path)]
    if not lines or not _is_trec_line(lines[0]):
        return None
    count = len(lines[0])
    other = next((fields for fields in lines if len(fields) != count or not _is_trec_line(fields)), None)
    if other is not None:
        if ending_of(path) in READERS:
            return None
        what = "run" if count == 6 else "qrels file"
        raise BadData(f"{path} begins as a TREC {what}, and goes on with another line: {' '.join(other)[:80]}")
    texts = {name: f"fields[{position}]" for position, name in enumerate(_COLUMNS[count], 1)}
    columns = [f"{_number(path, name, text) if name in _NUMBERS else text} as {name}" for name, text in texts.items()]
    compression = ", compression = 'gzip'" if first_bytes(path, 2) == b"\x1f\x8b" else ""
    scan = (
        f"read_csv({text_literal(pattern_of(path))}, columns = {{'line': 'varchar'}}, delim = '\x01', quote = '', "
        f"escape = '', header = false, auto_detect = false{compression})"
    )
    wrong = f"error({text_literal(f'{path}: a line has not {count} fields: ')} || line)"
    return (
        f"select\n    {(',' + chr(10) + '    ').join(columns)}\nfrom (\n"
        f"    select case when len(parts) = {count} then parts else {wrong} end as fields\n    from (\n"
        f"        select line, regexp_split_to_array(trim(line, ' \t\r\ufeff'), '\\s+') as parts from {scan}\n"
        "        where trim(line, ' \t\r\ufeff') <> '' and not starts_with(trim(line, ' \t\r\ufeff'), '#')\n"
        "    ) as split_lines\n) as lines"
    )


def _number(path: str, name: str, text: str) -> str:
    """Return a field as a number; any other text raises an error in the statement."""
    message = text_literal(f"{path}: the {name} of a line is no number: ")
    return (
        f"case when try_cast({text} as double) is null then error({message} || {text}) else cast({text} as double) end"
    )


def _first_lines(path: str) -> list[str]:
    opener = gzip.open if first_bytes(path, 2) == b"\x1f\x8b" else open
    try:
        with opener(path, "rt", encoding="utf-8-sig", errors="replace") as file:
            texts = map(str.strip, iter(lambda: file.readline(100_000), ""))
            return list(islice((text for text in texts if text and not text.startswith("#")), _LINES_CHECKED))
    except (OSError, EOFError):
        return []


def _is_trec_line(fields: list[str]) -> bool:
    names = _COLUMNS.get(len(fields), ())
    return names != () and all(_is_number(text) for name, text in zip(names, fields, strict=True) if name in _NUMBERS)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
