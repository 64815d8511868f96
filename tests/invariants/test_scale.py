"""No step of any metric passes all rows through one task of Spark: read off the plans, nothing is run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet
import pytest

from sqlmetrics.catalogue.model import Metric
from sqlmetrics.catalogue.registry import builtin_catalogue
from sqlmetrics.catalogue.vocabulary import ROLES
from sqlmetrics.rendering.macros import render_macro
from tests.calls import planned
from tests.engines.servers import spark_session
from tests.output.test_generated import roles_of, spec_of

pytestmark = pytest.mark.slow

METRICS = builtin_catalogue().metrics

#: Columns of few values, of which a step with one row for each is small: those of the slices and what metrics count in.
FEW = {"slice_id", "slice_1", "slice_2", "device", "country", "grouping_id", "model_id", "cell", "bin",
       "threshold", "ordering", "duel", "moved_column", "moved_sum"}  # fmt: skip
#: Items listed, or seen, equally often are one row, and different counts are few: n of them need n²/2 listings.
FEW |= {"exposures", "seen"}
#: A page has few places, and the table of their propensities a row for each.
FEW |= {"position"}
#: Columns of many values, none of which has a large part of the rows (or its rows became one before they were sent).
MANY = {"cell", "group_id", "item_id", "item_a", "item_b", "score", "tie_key", "score_key", "cluster_id",
        "class_score", "ordered_value", "score_difference", "duration", "ordered_duration"}  # fmt: skip
#: What a query calls the group and the item; and an expression without a name, the size of an error.
MANY |= {"user_id", "doc", "item", "judged_group", "_groupingexpression"}
#: Columns of which neither can be said: they may have three values or a million.
UNKNOWN = {"depth", "field_id", "label", "label_class", "predicted_class", "class", "own_class", "place",
           "place_from_mean", "rating", "category", "dimension", "subtopic_id", "subtopic"}  # fmt: skip
#: Blocks of durations are many where they are narrow, and one where they are widest.
UNKNOWN |= {"width", "block"}

#: What is few in some frames alone. Nobody puts a million classes in an order, or tells as many grades apart. Isotonic
#: regression pools scores inside of cells, then inside of buckets of their places, by an expression without a name; the
#: blocks that are left are about as many as the third root of the rows.
FEW_OF = {
    "ordered_classes": frozenset({"class", "label_class", "predicted_class"}),
    "rated_items": frozenset({"rating"}),
    "recalibrated_scores": frozenset(
        {
            "run",
            "block",
            "first_block",
            "lowest_score",
            "place",
            "rate",
            "stretch",
            "_w0",
            "_w1",
            "_w2",
            "_groupingexpression",
        }
    ),
}

#: The roles, under their own names or those that `roles_of` gives them, and what parameters name.
_TEXTS = ("device", "country", "user_id", "group", "item", "field", "said", "doc", "subtopic")
_NUMBERS = ("clicked", "pctr", "w", "clicks", "views", "predicted", "importance", "place", "p_cat", "p_dog", "p10",
            "p50", "p90", *(role for role in ROLES if role not in _TEXTS))  # fmt: skip
LOG = pa.schema([*((name, pa.float64()) for name in _NUMBERS), *((name, pa.string()) for name in _TEXTS)])
RELATIONS = {
    "all_judgments_given": [("user_id", pa.string()), ("doc", pa.string()), ("clicked", pa.float64())],
    "all_catalog": [("item", pa.string())],
    "all_similarity": [("item_a", pa.string()), ("item_b", pa.string()), ("similarity", pa.float64())],
    "all_popularity": [("item", pa.string()), ("count", pa.int64())],
    "all_history": [("user_id", pa.string()), ("item", pa.string())],
    "all_item_categories": [("item", pa.string()), ("category", pa.string())],
    "all_expected_items": [("item", pa.string())],
    "all_propensities": [("position", pa.float64()), ("propensity", pa.float64())],
    "all_embeddings": [("item", pa.string()), ("dimension", pa.int32()), ("value", pa.float64())],
}


@pytest.fixture(scope="module")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A session that knows the tables by their columns; they lie in files, so that no plan takes them for constants."""
    folder: Path = tmp_path_factory.mktemp("tables")
    with spark_session() as session:
        # These files are tiny, and what is small is sent to every task whatever it is.
        session.conf.set("spark.sql.autoBroadcastJoinThreshold", "-1")
        for name, columns in {"impressions": LOG, **RELATIONS}.items():
            path = folder / f"{name}.parquet"
            pa.parquet.write_table(pa.schema(columns).empty_table(), path)
            session.read.parquet(str(path)).createOrReplaceTempView(name)
        yield session


# Reading a plan


def in_python(values: Any) -> list[Any]:
    return [values.apply(place) for place in range(values.size())]


def kind_of(node: Any) -> str:
    return str(node.getClass().getSimpleName())


def name_of(expression: Any) -> str:
    """The column of an expression, behind what stands around it: of a double, or of what may be NULL."""
    kind = kind_of(expression)
    if kind in ("KnownFloatingPointNormalized", "NormalizeNaNAndZero", "IsNull", "Cast"):
        return name_of(expression.child())
    if kind == "Coalesce":
        return name_of(expression.children().head())
    name = str(expression.name() if kind in ("Alias", "AttributeReference") else expression.toString())
    # Distinct values of an expression are kept in a column that is called like it.
    return "group_id" if name.startswith("CASE WHEN isnull(judged_group#") else name


def names_of(expressions: Any) -> frozenset[str]:
    """Of columns. A constant, such as the only duel of two classes, does not make more rows of one."""
    return frozenset(name for name in map(name_of, in_python(expressions)) if not is_number(name))


def is_number(name: str) -> bool:
    """Whether a column is called like a number, as that of a constant is."""
    try:
        float(name)
    except ValueError:
        return False
    return True


#: At most one row for each combination of these columns, in every task; None: as many as the log has.
Size = frozenset[str] | None


class Reader:
    """What of a plan passes one task (or few), found by going through it from the top."""

    def __init__(self, few: frozenset[str] = frozenset()) -> None:
        self.few = frozenset(FEW) | few
        self.many = frozenset(MANY) - few
        self.problems: list[str] = []
        self.seen: list[str] = []
        self.scans = 0

    def size(self, node: Any) -> Size:
        """How many rows a step has, and what is wrong on the way to it."""
        kind = kind_of(node)
        self.seen.append(kind)
        sizes = [self.size(child) for child in in_python(node.children())]
        for subquery in in_python(node.subqueries()):
            self.size(subquery)
        size = (
            None if not sizes or None in sizes else frozenset[str]().union(*(one for one in sizes if one is not None))
        )
        if kind.endswith("AggregateExec"):
            return self.known(names_of(node.groupingExpressions()))
        if kind in ("LocalTableScanExec", "RDDScanExec", "OneRowRelationExec", "RangeExec") or "Limit" in kind:
            if kind == "WindowGroupLimitExec":
                return self.known(names_of(node.partitionSpec()))
            return frozenset()
        if kind == "FileSourceScanExec":
            self.scans += 1
            of_places = "all_propensities" in str(node.relation().location().rootPaths())
            return frozenset({"position"}) if of_places else None
        if kind == "ReusedExchangeExec":
            return Reader(self.few).size(node.child().child())  # what is wrong there was told where it is computed
        if kind == "WindowExec":
            self.check(kind, self.known(names_of(node.partitionSpec())), size)
        elif kind == "BroadcastExchangeExec":
            self.check(kind, frozenset(), size)
        elif kind == "ShuffleExchangeExec":
            partitioning = node.outputPartitioning()
            how = kind_of(partitioning)
            if how == "SinglePartition$":
                self.check(how, frozenset(), size)
            elif how == "HashPartitioning":
                self.check(how, self.known(names_of(partitioning.expressions())), size)
            else:
                # A range is as even as Spark's own sample of the rows.
                assert how in ("RangePartitioning", "RoundRobinPartitioning"), how
        return size

    def known(self, names: frozenset[str]) -> frozenset[str]:
        strangers = names - self.few - self.many - UNKNOWN
        assert not strangers, f"say in this file whether {sorted(strangers)} have few values or many"
        return names

    def check(self, what: str, keys: frozenset[str], size: Size) -> None:
        if not keys & self.many and (size is None or not size <= self.few | keys):
            rows = "all rows" if size is None else f"a row for each {', '.join(sorted(size))}"
            self.problems.append(f"{what} by {', '.join(sorted(keys)) or 'nothing'} of {rows}")


def read(session: Any, sql: str, few: frozenset[str] = frozenset()) -> Reader:
    """Plan a statement and go through it."""
    reader = Reader(few)
    reader.size(session.sql(sql)._jdf.queryExecution().executedPlan())
    return reader


def statements(spec: Any, roles: dict[str, Any], **arguments: Any) -> list[str]:
    """Everything that the runner sends for a call."""
    relations = {name: roles.pop(name) for name in list(roles) if str(roles[name]).startswith("all_")}
    known = builtin_catalogue()
    plan = planned(spec, "impressions", relations=relations, checks=True, **roles, **arguments)
    macros = ["query", "inspection"]
    pairwise = any("max_group_size" in one.parameters for one in plan.requested)
    if plan.template["relations"] or "item_id" in plan.template["columns"] or pairwise:
        macros.append("group_inspection")
    return [render_macro(known, "spark", macro, plan.template) for macro in macros]


#: A plan is that of the frames; what a metric reads off them is a sum.
OF_FRAMES = {(*metric.frames, metric.table): metric for metric in METRICS.values()}.values()


@pytest.mark.parametrize("metric", OF_FRAMES, ids=lambda metric: metric.name)
def test_every_frame(metric: Metric, spark: Any) -> None:
    roles = roles_of(metric)
    weighted = {role: column for role, column in (("weight", "w"), ("group_weight", "importance"))
                if role in metric.roles()}  # fmt: skip
    if metric.truth == "class":
        roles["label"] = "said"
    spec = spec_of(metric)
    few = FEW_OF.get(metric.frames[-1], frozenset())
    query, *_ = statements(spec, {**roles, **weighted}, by=[[], ["device"]])
    assert read(spark, query, few).problems == []


MORE: dict[str, tuple[Any, dict[str, Any]]] = {
    "several": (["auc", "ks", "copc", "ndcg@10", "gauc", "ece"], {}),
    "models": ("auc, log_loss", {"score": ["pctr", "score"]}),
    "bins of mass": ("ece(binning='mass', bins=20)", {}),
    "bins of mass, weighted": ("ece(binning='mass', bins=20)", {"weight": "w"}),
    "bins of width": ("calibration_curve", {}),
    "pre-aggregated": ("auc, max_f1", {"label": None, "positives": "clicks", "total": "views"}),
    "points": ("roc_curve(points=100)", {}),
    "judgments": ("ndcg@10, map, bpref", {"judgments": "all_judgments_given", "item": "doc"}),
    "judged groups alone": ("ndcg(k=10, missing='skip')", {"judgments": "all_judgments_given", "item": "doc"}),
    "diagnostics": ("ndcg@10", {"judgments": "all_judgments_given", "item": "doc"}),
    "mean over ties": ("ndcg(k=10, ties='average')", {}),
    "micro": ("precision_at_k(k=3, average='micro')", {}),
}


@pytest.mark.parametrize("name", MORE)
def test_more_calls(name: str, spark: Any) -> None:
    spec, given = MORE[name]
    by = [None, ["device"], [[], ["device", "country"]]][[*MORE].index(name) % 3]
    grouped = any(word in str(spec) for word in ("ndcg", "gauc", "at_k"))
    roles = {"label": "clicked", "score": "pctr", **({"group": "user_id"} if grouped else {}), **given}
    for sql in statements(spec, roles, by=by, diagnostics=name == "diagnostics"):
        assert read(spark, sql).problems == []


#: Ways to an interval: by sums, by pairs, by what rows hold, at a cut, by buckets, by classes and fields.
_SCORED = {"score": "pctr"}
_LISTED = {"score": "pctr", "group": "user_id"}
_CALLED = {"label": "said", "prediction": "predicted"}
SURE = {
    "log_loss, ece": _SCORED, "auc": _SCORED, "average_precision": _SCORED, "ks": _SCORED, "gauc": _LISTED,
    "ndcg@10": _LISTED, "macro_f1, cohens_kappa": _CALLED, "weighted_kappa": _CALLED,
    "field_ece": {"score": "pctr", "field": "field"},
}  # fmt: skip


#: A class, or a value of a field, has a row of some numbers that rows look up: every task may have a million of them.
FEW_IN_TASKS = frozenset({"class", "label_class", "predicted_class", "field_id", "place", "place_from_mean"})


@pytest.mark.parametrize(("spec", "weight"), [(spec, (None, "w")[number % 2]) for number, spec in enumerate(SURE)])
def test_intervals(spec: str, weight: str | None, spark: Any) -> None:
    roles: dict[str, Any] = {"label": "clicked", **SURE[spec]}
    roles |= {} if "group" in roles else {"weight": weight}
    few = FEW_IN_TASKS if _CALLED.items() <= roles.items() or "field" in roles else frozenset()
    for sql in statements(spec, dict(roles), by="device", confidence=0.95, cluster="user_id"):
        assert read(spark, sql, few).problems == []


def test_steps_of_the_score_are_few(spark: Any) -> None:
    for sql in statements("auc(bins=1000)", {"label": "clicked", "score": "pctr"}, by="device"):
        # the score is the number of its step here
        assert read(spark, sql, few=frozenset({"score"})).problems == []


@pytest.mark.parametrize("weight", [None, "w"], ids=["counted", "weighed"])
def test_the_log_is_read_once(weight: str | None, spark: Any) -> None:
    """Cells and scores come from one step: Spark finds it twice in the plan, and computes it once."""
    roles = {"label": "clicked", "score": "pctr", "weight": weight}
    plan = planned("auc", "impressions", **roles)
    reader = read(spark, render_macro(builtin_catalogue(), "spark", "query", plan.template))
    assert reader.scans == 1
    assert "ReusedExchangeExec" in reader.seen


# The reader itself finds what there is to find


@pytest.mark.parametrize(
    ("shape", "by", "problems"),
    [
        ("rows", None, ["SinglePartition$ by nothing of all rows", "WindowExec by nothing of all rows"]),
        ("rows", "device", ["HashPartitioning by slice_id of all rows", "WindowExec by slice_id of all rows"]),
        ("distinct", None, ["SinglePartition$ by nothing of a row for each score"]),
        ("distinct", "device", ["HashPartitioning by slice_id of a row for each score, slice_id"]),
    ],
)
def test_other_shapes_are_found_out(shape: str, by: Any, problems: list[str], spark: Any) -> None:
    sql = statements("auc", {"label": "clicked", "score": "pctr"}, shape=shape, by=by)[0]
    assert set(problems) <= set(read(spark, sql).problems)


@pytest.mark.parametrize(
    ("sql", "problem"),
    [
        ("select rank() over (order by pctr) from impressions", "WindowExec by nothing of all rows"),
        ("select sum(pctr) over (partition by device) from impressions", "WindowExec by device of all rows"),
        ("select /*+ broadcast(b) */ a.pctr from impressions as a join impressions as b on a.user_id = b.user_id",
         "BroadcastExchangeExec by nothing of all rows"),
        ("select pctr from impressions limit 10", ""),
        ("select sum(pctr) from impressions", ""),
    ],
)  # fmt: skip
def test_statements_by_hand(sql: str, problem: str, spark: Any) -> None:
    found = read(spark, sql).problems
    assert (problem in found) if problem else not found
