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
_OTHER_ENDINGS = (".parquet", ".pq", ".csv", ".json", ".jsonl", ".ndjson")
#: How many lines of a file must have the form of TREC.
_LINES_CHECKED = 100


def trec_query(path: str) -> str | None:
    """Return a query over a TREC file, which is detected by its content; None for other files.

    White space separates fields; empty lines and lines that begin with # are skipped.
    """
    if not os.path.isfile(path) or _has_other_format(path):
        return None
    lines = [line.split() for line in _first_lines(path)]
    counts = {len(fields) for fields in lines}
    count = counts.pop() if len(counts) == 1 else 0
    if not all(_is_trec_line(fields) for fields in lines) or count not in _COLUMNS:
        _check_beginning(path, lines)
        return None
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


def _check_beginning(path: str, lines: list[list[str]]) -> None:
    """Check a file without a known ending that begins as a run or qrels."""
    if ending_of(path) in READERS or not lines or not _is_trec_line(lines[0]):
        return
    what = "run" if len(lines[0]) == 6 else "qrels file"
    for fields in lines:
        if len(fields) != len(lines[0]) or not _is_trec_line(fields):
            raise BadData(f"{path} begins as a TREC {what}, and goes on with another line: {' '.join(fields)[:80]}")


def _has_other_format(path: str) -> bool:
    name = Path(path)
    suffixes = [suffix.lower() for suffix in name.suffixes[-2:]]
    return any(suffix in _OTHER_ENDINGS for suffix in suffixes) or first_bytes(path, 4) == b"PAR1"


def _first_lines(path: str) -> list[str]:
    opener = gzip.open if first_bytes(path, 2) == b"\x1f\x8b" else open
    try:
        with opener(path, "rt", encoding="utf-8-sig", errors="replace") as file:
            texts = map(str.strip, iter(lambda: file.readline(100_000), ""))
            return list(islice((text for text in texts if text and not text.startswith("#")), _LINES_CHECKED))
    except (OSError, EOFError):
        return []


def _is_trec_line(fields: list[str]) -> bool:
    if len(fields) == 6:
        return _is_number(fields[3]) and _is_number(fields[4])
    return len(fields) == 4 and _is_number(fields[3])


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
