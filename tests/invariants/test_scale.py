"""No step of a metric passes all rows through one task of Spark, judging by the text alone; nothing is executed."""

from __future__ import annotations

import functools
from collections.abc import Set
from typing import Any

import pytest
import sqlglot
from sqlglot import exp

from sqlmetrics.catalogue.model import Metric
from sqlmetrics.catalogue.registry import builtin_catalogue
from sqlmetrics.rendering.macros import render_macro
from tests.calls import planned
from tests.output.test_generated import roles_of, spec_of

METRICS = builtin_catalogue().metrics

#: Columns with few values, by which a grouped step is small: those of slices, and internal counters.
FEW = {"slice_id", "slice_1", "slice_2", "device", "country", "grouping_id", "model_id", "cell", "bin",
       "threshold", "ordering", "pair_id", "perturbed_column"}  # fmt: skip
#: Items with equal counts share a row, and distinct counts are few: n of them need n²/2 listings.
FEW |= {"exposures", "seen"}
#: A page has few positions, and their table of propensities one row for each.
FEW |= {"position"}
#: Columns with many values and no frequent value (or whose rows are aggregated before the shuffle).
MANY = {"cell", "group_id", "item_id", "item_a", "item_b", "score", "tie_key", "score_key", "cluster_id", "error",
        "ordered_value", "duration", "ordered_duration"}  # fmt: skip
#: Aliases of the group and the item.
MANY |= {"user_id", "doc", "item", "judged_group"}
#: Columns with an unknown number of values: three or a million.
UNKNOWN = {"field_id", "label", "label_class", "predicted_class", "class", "class_rank",
           "rank_from_mean", "rating", "category", "dimension", "subtopic_id", "subtopic"}  # fmt: skip
#: Narrow blocks of durations are many, the widest is one.
UNKNOWN |= {"width", "block"}
#: Columns with few values in some frames only. Ordered classes and grades are few. Isotonic regression pools scores
#: inside cells in four rounds, and each leaves a third; about the cube root of the rows remains as blocks. Items have
#: few categories and dimensions.
FEW_OF = {
    "list_categories": {"category"},
    "listed_vectors": {"dimension"},
    "ordered_classes": {"class", "label_class", "predicted_class"},
    "rated_items": {"rating"},
    # The longest list, which one task sorts, has as many depths as items.
    "list_overlaps": {"first_rank", "second_rank"},
    "recalibrated_scores": {"run", "block", "first_block", "lowest_score", "rate", "stretch"},
}

#: At most one row for each combination of these columns; None: as many as the log.
Size = frozenset[str] | None


def together(sizes: list[Size]) -> Size:
    bounded = [size for size in sizes if size is not None]
    return frozenset[str]().union(*bounded) if len(bounded) == len(sizes) else None


def names_of(expressions: list[exp.Expression], query: exp.Select) -> frozenset[str]:
    """The column names of the expressions, or their aliases in the query. A constant does not add rows."""
    aliases = {item.this.sql(): item.alias for item in query.expressions if isinstance(item, exp.Alias)}
    names = set()
    for expression in expressions:
        inner = expression.this if isinstance(expression, exp.Cast | exp.Coalesce | exp.Paren) else expression
        if not isinstance(inner, exp.Literal | exp.Null):
            named = isinstance(inner, exp.Column | exp.Identifier)
            names.add(inner.name if named else aliases.get(expression.sql(), "an expression"))
    return frozenset(names)


class Reader:
    """Finds the steps of a statement whose rows pass through one task (or few)."""

    def __init__(self, sql: str, few: Set[str] = frozenset()) -> None:
        self.few = frozenset(FEW | few)
        self.many = frozenset(MANY - few)
        self.problems: list[str] = []
        tree = sqlglot.parse_one(sql, read="spark")
        self.steps = {step.alias: step.this for step in tree.find_all(exp.CTE)}
        self.size_of_step = functools.cache(lambda name: self.size(self.steps[name]))
        self.size(tree)

    def size(self, query: exp.Expression) -> Size:
        """The size of a query; problems on the way are recorded."""
        if isinstance(query, exp.Table):
            if query.name in self.steps:
                return self.size_of_step(query.name)
            of_log = query.name == "impressions" or query.name.startswith("all_")
            return None if of_log and query.name != "all_propensities" else frozenset()
        if isinstance(query, exp.SetOperation):
            return together([self.size(query.left), self.size(query.right)])
        if not isinstance(query, exp.Select):
            return self.size(query.this)
        size = self.joined(query)
        for alias in query.find_all(exp.Alias):  # filtering on the first row per partition leaves one per key
            if isinstance(alias.this, exp.Window) and query.args.get("where") == exp.Where(
                this=exp.column(alias.alias).eq(1)
            ):
                size = self.classified(names_of(alias.this.args.get("partition_by") or [], query))
        own = [*query.walk(prune=lambda node: node is not query and isinstance(node, exp.Query))]
        for node in own:
            inner = isinstance(node, exp.Query) and node.find_ancestor(exp.Select) is query
            if inner and not isinstance(node.parent, exp.From | exp.Join | exp.CTE):
                self.size(node)
        if query.args.get("group"):
            size = self.classified(names_of(query.args["group"].expressions, query))
        elif query.args.get("distinct"):
            size = self.classified(names_of([item.unalias() for item in query.expressions], query))
        elif query.args.get("limit") or any(
            isinstance(node, exp.AggFunc) and node.find_ancestor(exp.Window, exp.Select) is query for node in own
        ):
            size = frozenset()
        for node in own:
            if isinstance(node, exp.Window):
                self.check("window", self.classified(names_of(node.args.get("partition_by") or [], query)), size)
        return size

    def joined(self, query: exp.Select) -> Size:
        """The size of the joined sources. Spark broadcasts a small side, and partitions two large sides by the keys."""
        start = query.args.get("from_") or query.args.get("from")
        size: Size = self.size(start.this) if start else frozenset()
        for join in query.args.get("joins") or []:
            side = self.size(join.this)
            if not any(each is not None and each <= self.few for each in (size, side)):
                equal = [] if join.args.get("on") is None else join.args["on"].find_all(exp.EQ, exp.NullSafeEQ)
                sides = [expression for node in equal for expression in (node.left, node.right)]
                keys = names_of([*sides, *(join.args.get("using") or [])], query)
                self.check("join", keys, size)
                self.check("join", keys, side)
            size = together([size, side])
        return size

    def classified(self, names: frozenset[str]) -> frozenset[str]:
        strangers = names - self.few - self.many - UNKNOWN
        assert not strangers, f"say in this file whether {sorted(strangers)} have few values or many"
        return names

    def check(self, what: str, keys: frozenset[str], size: Size) -> None:
        if not keys & self.many and (size is None or not size <= self.few | keys):
            rows = "all rows" if size is None else f"a row for each {', '.join(sorted(size))}"
            self.problems.append(f"{what} by {', '.join(sorted(keys)) or 'nothing'} of {rows}")


def statement(spec: Any, roles: dict[str, Any], macro: str = "query", **arguments: Any) -> str:
    """The statement that the runner sends for a call, or the one that inspects its bad rows."""
    columns = {role: column for role, column in roles.items() if not str(column).startswith("all_")}
    relations = {name: table for name, table in roles.items() if name not in columns}
    plan = planned(spec, "impressions", relations=relations, **{"checks": True, **columns, **arguments})
    return render_macro(builtin_catalogue(), "spark", macro, plan.context())


#: The steps belong to the frames; a metric adds only sums over them.
OF_FRAMES = {(*metric.frames, metric.table): metric for metric in METRICS.values()}.values()


@pytest.mark.slow
@pytest.mark.parametrize("metric", OF_FRAMES, ids=lambda metric: metric.name)
def test_every_frame(metric: Metric) -> None:
    roles = roles_of(metric)
    roles |= {role: role for role in ("weight", "group_weight") if role in metric.roles()}
    if metric.label_type == "class":
        roles["label"] = "said"
    sql = statement(spec_of(metric), roles, by=[[], ["device"]])
    assert Reader(sql, FEW_OF.get(metric.frames[-1], set())).problems == []


SCORED = {"label": "clicked", "score": "pctr"}
LISTED = {**SCORED, "group": "user_id"}
JUDGED = {**LISTED, "judgments": "all_judgments_given", "item": "doc"}
CALLED = {"label": "said", "prediction": "predicted"}
SURE = {"confidence": 0.95, "cluster": "user_id", "by": "device"}
#: Classes and field values have a lookup row each: a task can hold a million of them.
FEW_IN_TASKS = {"class", "label_class", "predicted_class", "field_id", "class_rank", "rank_from_mean"}
#: Options with separate steps, and the ways to compute intervals: by sums, pairs, ranks, cuts, groups, classes.
MORE: list[tuple[Any, dict[str, Any], dict[str, Any], set[str]]] = [
    (["auc", "ks", "copc", "ndcg@10", "gauc", "ece"], LISTED, {"by": [[], ["device", "country"]]}, set()),
    ("ece(binning='mass', bins=20)", {**SCORED, "weight": "w"}, {"by": "device"}, set()),
    ("auc, max_f1", {"positives": "clicks", "total": "views", "score": "pctr"}, {}, set()),
    ("auc(bins=1000)", SCORED, {"by": "device"}, {"score"}),  # here the score is the number of its step
    ("ndcg(k=10, missing='skip'), map, bpref", JUDGED, {"by": "device", "diagnostics": True}, set()),
    ("ndcg@10", JUDGED, {"macro": "inspection"}, set()),
    ("ndcg@10", JUDGED, {"macro": "group_inspection"}, set()),
    ("log_loss, ece", {**SCORED, "weight": "w"}, SURE, set()),
    ("auc", SCORED, SURE, set()),
    ("ks", SCORED, SURE, set()),
    ("ndcg@10, gauc", LISTED, SURE, set()),
    ("macro_f1, cohens_kappa", CALLED, SURE, FEW_IN_TASKS),
    ("weighted_kappa", {**CALLED, "weight": "w"}, SURE, FEW_IN_TASKS),
    ("field_ece", {**SCORED, "field": "field"}, SURE, FEW_IN_TASKS),
]


@pytest.mark.slow
@pytest.mark.parametrize(("spec", "roles", "options", "few"), MORE)
def test_more_calls(spec: Any, roles: dict[str, Any], options: dict[str, Any], few: set[str]) -> None:
    assert Reader(statement(spec, roles, **options), few).problems == []


def test_steps_of_a_single_task_are_detected() -> None:
    """Other shapes, and statements written by hand."""
    joined = "select a.pctr from impressions as a join"
    for sql, problems in {
        statement("auc", SCORED, shape="rows", by="device"): ["window by slice_id of all rows"],
        statement("auc", SCORED, shape="distinct", by="device"):
            ["window by slice_id of a row for each score, slice_id"],
        "select rank() over (order by pctr) from impressions": ["window by nothing of all rows"],
        f"{joined} impressions as b on a.device = b.device": ["join by device of all rows"] * 2,
        f"{joined} impressions as b on a.user_id = b.user_id": [],
        f"{joined} (select distinct device from impressions) as b on a.device = b.device": [],
    }.items():  # fmt: skip
        assert [*dict.fromkeys(Reader(sql).problems)] == [*dict.fromkeys(problems)], sql
