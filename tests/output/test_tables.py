"""Output for people in the shell: help in groups, tables of at most 100 columns, and numbers of few digits."""

from __future__ import annotations

import json
import math
import random
import re
import shlex
from collections.abc import Iterator
from typing import Any
from unittest import mock

import click
import pandas as pd
import pytest
from click.testing import CliRunner

import sqlmetrics
from sqlmetrics.cli.help import OPTION_GROUPS, RARE_GROUPS
from sqlmetrics.cli.main import main
from sqlmetrics.output.numbers import distinct_text, number_texts
from sqlmetrics.output.text import as_text
from sqlmetrics.tables import table_of
from tests import ROOT

LOG = ROOT / "examples" / "impressions.parquet"
CALL: dict[str, Any] = {"label": "clicked", "score": ["pctr_a", "pctr_b"], "by": "device"}
OPTIONS = f"{LOG} --label clicked --score pctr_a,pctr_b --by device"


def shell(command: str) -> str:
    result = CliRunner().invoke(main, shlex.split(command), prog_name="sqlmetrics", terminal_width=98)
    assert result.exit_code == 0, result.output
    return result.stdout


def options_of(name: str) -> set[str]:
    return {
        option.opts[-1].removeprefix("--") for option in main.commands[name].params if isinstance(option, click.Option)
    }


@pytest.mark.parametrize("name", main.commands)
def test_help_fits_a_screen_and_help_all_has_every_option(name: str) -> None:
    lines = shell(f"{name} --help").splitlines()
    assert len(lines) <= 80
    assert max(map(len, lines)) <= 100
    rare = {option for group in RARE_GROUPS for option in OPTION_GROUPS[group].split()}
    shown = {word for line in lines for word in line.split()}
    assert {option for option in options_of(name) if f"--{option}" in shown} == options_of(name) - rare
    if options_of(name) & rare:
        assert lines[-1].startswith(f"`sqlmetrics {name} --help-all` shows ")
    if "--help-all" in shown:
        assert {f"--{option}" for option in options_of(name)} <= {*shell(f"{name} --help-all").split()}


def test_every_option_has_one_group_and_every_command_a_short_summary() -> None:
    grouped = [option for options in OPTION_GROUPS.values() for option in options.split()]
    assert sorted(grouped) == sorted({"help", "help-all"}.union(*map(options_of, main.commands)))
    summaries = dict(
        line.split(maxsplit=1) for line in shell("--help").partition("Evaluate:")[2].splitlines() if "  " in line
    )
    assert summaries.keys() == main.commands.keys()
    for name, summary in summaries.items():
        assert len(summary) <= 45
        assert str(main.commands[name].help).startswith(summary), summary


@pytest.mark.parametrize("call", [
    "compare {} -m auc,log_loss,mrr --group session_id --cluster user_id",
    "gaps {} -m auc,copc --confidence 0.95",
    "eval {} -m auc,log_loss,mae --confidence 0.95 --standard-error --diagnostics",
    "eval {} -m roc_curve(points=3) --confidence 0.95",
    f"drift {LOG} --columns pctr_a,device,position --current position=1 --reference position>1 --by device",
])  # fmt: skip
def test_tables_fit_100_columns(call: str) -> None:
    """A wide table is split, and `--wide` shows all columns."""
    with mock.patch("sqlmetrics.cli.commands.show_table") as show_table:
        shell(f"{call.format(OPTIONS)} --wide")
    [(table, form, wide)] = [shown.args for shown in show_table.mock_calls]
    assert (form, wide) == ("table", True)
    for text in (as_text(table, form), as_text(table, form, wide)):
        assert max(map(len, text.splitlines())) <= 100
    assert {*table.columns} <= {*text.split()}
    assert as_text(table, "markdown", wide).splitlines()[0] == f"| {' | '.join(table.columns)} |"
    assert as_text(table, "csv").splitlines()[0] == ",".join(table.columns)
    assert list(json.loads(as_text(table, "json"))[0]) == table.columns


def test_compare_shows_the_verdict_of_each_row_in_one_line() -> None:
    heading, *rows = shell(f"compare {OPTIONS} -m auc,log_loss").splitlines()
    columns = ["device", "metric", "pctr_a → pctr_b", "Δ [low, high]", "adj. p", "verdict"]
    assert [column.strip() for column in heading.split("  ") if column] == columns
    assert "Δ / baseline [low, high]" in shell(f"compare {OPTIONS} -m auc --relative")
    expected = sqlmetrics.compare(str(LOG), ["auc", "log_loss"], **CALL)
    for row, record in zip(rows, expected.to_dict("records"), strict=True):
        assert row.endswith(record["verdict"])
        _, metric, baseline, arrow, value, difference, low, high, p, *_ = row.split()
        assert (metric, arrow) == (record["metric"], "→")
        shown = [float(text.strip("[,]")) for text in (baseline, value, difference, low, high)]
        names = ("baseline_value", "value", "difference", "difference_low", "difference_high")
        assert shown == pytest.approx([record[name] for name in names], abs=6e-4)
        assert (
            p == "<0.0001" if record["p_adjusted"] < 1e-4 else float(p) == pytest.approx(record["p_adjusted"], abs=6e-5)
        )


def test_compare_names_the_models_in_a_column_if_there_are_several() -> None:
    heading, *rows = shell(f"compare {OPTIONS} --score 'by_position = -position' -m auc").splitlines()
    assert re.split(r"\s{2,}", heading)[:4] == ["device", "metric", "model", "pctr_a → value"]
    assert [row.split()[2] for row in rows] == ["pctr_b", "by_position"] * 3


def test_a_split_table_has_the_verdicts_in_its_first_part() -> None:
    log = pd.DataFrame(
        {"label": [0, 1, 0, 1], "a_model_of_a_long_name": [0.1, 0.2, 0.3, 0.4], "other": [0.4, 0.1, 0.2, 0.3]}
    )
    log["a_slice_of_a_long_name"] = "a value without a place to break, which takes much of the line"
    call: dict[str, Any] = {
        "label": "label",
        "score": ["a_model_of_a_long_name", "other"],
        "by": "a_slice_of_a_long_name",
    }
    table = table_of(sqlmetrics.compare(log, "auc", **call), ["a_slice_of_a_long_name", "metric", "model", "baseline"])
    first, second = as_text(table, "table", wide=True).split("\n\n")[:2]
    assert "verdict" in first.splitlines()[0]
    assert "verdict" not in second


@pytest.mark.parametrize("confidence", ["", " --confidence 0.95"])
def test_gaps_shows_each_value_with_its_slice_in_one_line(confidence: str) -> None:
    heading, *rows = shell(f"gaps {OPTIONS},position -m auc,copc{confidence}").splitlines()
    names = [name.strip() for name in heading.split("  ") if name]
    ends = ["difference [low, high]", "adj. p"] if confidence else ["difference", "ratio"]
    assert names == ["model", "metric", "highest (device, position)", "lowest (device, position)", *ends]
    call = {**CALL, "by": ["device", "position"]}
    expected = sqlmetrics.gaps(str(LOG), ["auc", "copc"], **call)
    for row, record in zip(rows, expected.to_dict("records"), strict=True):
        model, metric, *cells = [cell.strip() for cell in row.split("  ") if cell]
        assert (model, metric) == (record["model"], record["metric"])
        for end, cell in zip(("highest", "lowest"), cells, strict=False):
            value, slices = cell.split(maxsplit=1)
            assert float(value) == pytest.approx(record[end], abs=6e-5)
            assert slices == f"{record[f'{end}_device']}, {record[f'{end}_position']}"


def columns(seed: int) -> Iterator[list[float]]:
    """Columns of one or several magnitudes, with similar values, zeros and whole numbers."""
    draw = random.Random(seed)
    for _ in range(200):
        magnitudes = draw.sample(range(-9, 7), draw.choice([1, 1, 2, 4]))
        values = [draw.uniform(-1, 1) * 10.0 ** draw.choice(magnitudes) for _ in range(draw.randint(1, 9))]
        values += [value * (1 + draw.choice([1e-3, 3e-3, 1e-6])) for value in values[:3]]
        yield [*values, *draw.choice([[], [0.0], [1.0, -2.0]])]


@pytest.mark.parametrize("seed", range(5))
def test_different_numbers_differ_in_print(seed: int) -> None:
    for values in columns(seed):
        [texts] = number_texts([values], "auc")
        digits = [f"{value:.3e}" for value in values]
        for text, value in zip(texts, values, strict=True):
            assert float(text) == pytest.approx(value, rel=0.51)
            assert [other for other, shown in zip(digits, texts, strict=True) if shown == text] == [
                f"{value:.3e}"
            ] * texts.count(text)
        assert len({len(text.partition(".")[2]) for text in texts if "e" not in text}) <= 1 or _is_mixed(values)
        in_order = [float(text) for _, text in sorted(zip(values, texts, strict=True))]
        assert in_order == sorted(in_order)


def _is_mixed(values: list[float]) -> bool:
    sizes = [math.log10(abs(value)) for value in values if value]
    return max(sizes) - min(sizes) > 3


def test_bounds_of_assertions_differ_in_print() -> None:
    for values in columns(7):
        for value, bound in zip(values, reversed(values), strict=True):
            shown = float(distinct_text(value, bound))
            assert (shown < bound, shown > bound) == (value < bound, value > bound)
            assert shown == pytest.approx(value, rel=1e-3)
