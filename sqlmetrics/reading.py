"""Which columns a call reads, found among those of its data, and the relation from which exactly these are read."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from .catalogue import catalogue
from .definitions import COLUMN_ROLES
from .engines import is_floating
from .errors import BadData, BadParameter, MissingColumn, QueryFailed
from .files import SampleMisled, quoted_name
from .planning import Plan
from .rendering import render_macro
from .source import Source

#: Canonical columns that are compared with each other only, never computed with.
_IDS = ("label_class", "predicted_class", "group_id", "item_id", "field_id", "tie_key")


def settle(plan: Plan, source: Source) -> None:
    """Put the engine's names of the columns into the plan, and the relations from which they are read.

    Raises:
        MissingColumn: A column is not there.
        BadParameter: A name may mean several.
        BadData: A column cannot be read.
    """
    template = plan.template
    _check_unicode(template)
    read: dict[str, bool] = {}
    for column, value in template["columns"].items():
        is_id = column in _IDS
        role = COLUMN_ROLES.get(column, column)
        template["columns"][column] = _found(value, role, source, read, is_id)
    template["models"] = [_found(model, "score", source, read, False) for model in template["models"]]
    template["by"] = [_found(entry, "by", source, read, True) for entry in template["by"]]
    texts = source.files.text_ids([one for one, is_id in read.items() if is_id]) if source.files is not None else []
    _give_missing_ids_one_form(template, source, texts)
    expressions = [text for value in (template["columns"], template["models"], template["by"]) for text in _sql(value)]
    expressions += [template["where"]] if template["where"] else []
    _give_all_steps_the_same_rows(template, source, expressions)
    for column in _named_in(expressions, source):
        read.setdefault(column, False)
    template["relation"] = _relation(source, template["relation"], read, "sqlmetrics_input", texts)
    if source.dialect == "duckdb":
        _check_distinct_as_doubles(plan, source)
    for name, relation in template["relations"].items():
        _settle_relation(name, relation, source.further[name])


def _give_missing_ids_one_form(template: dict[str, Any], source: Source, texts: Collection[str]) -> None:
    """NaN is a missing user as NULL is, whatever brought it: pandas has one word for both, Arrow has two."""

    def without_nan(value: dict[str, Any]) -> dict[str, Any]:
        if "column" not in value or value["column"] in texts or not is_floating(source.type_of(value["column"])):
            return value
        name = render_macro(catalogue(), source.dialect, "identifier", value["column"])
        given = " ".join(render_macro(catalogue(), source.dialect, "is_number", name).split())
        return {**value, "sql": f"case when {given} then {name} end"}

    template["by"] = [without_nan(entry) for entry in template["by"]]
    for column in _IDS:
        if column in template["columns"]:
            template["columns"][column] = without_nan(template["columns"][column])


_VOLATILE = re.compile(
    r"\b(rand|randn|random|randCanonical|rand32|rand64|uuid|gen_random_uuid|generateUUIDv4|uuidv4|uuidv7|nextval)\s*\(",
    re.IGNORECASE,
)


def _give_all_steps_the_same_rows(template: dict[str, Any], source: Source, expressions: list[str]) -> None:
    """What is drawn at random is drawn once: the metrics of one call see the same rows."""
    if source.dialect in ("spark", "databricks", "clickhouse"):  # no step of a statement is stored there
        expressions = [*expressions, template["input"] or ""]
    drawn = next(filter(None, (_VOLATILE.search(one) for one in expressions)), None)
    if drawn is None:
        return
    if source.dialect in ("spark", "databricks", "clickhouse"):
        raise BadParameter(
            f"{drawn[1]}() draws anew for every metric on {source.dialect}; write the rows into a table first"
        )
    template["stored"] = True


#: Types that hold numbers which are several as they stand and one as a double; the bound of those of 64 bits is cheap
#: to look for, because files and tables note the ends of their columns.
_BEYOND = "{0} > 9007199254740992 or {0} < -9007199254740992"
_WIDER = {"BIGINT": _BEYOND, "UBIGINT": "{0} > 9007199254740992", "HUGEINT": _BEYOND, "UHUGEINT": _BEYOND}
_LONG_DECIMAL = re.compile(r"DECIMAL\((1[6-9]|[23]\d),")


def _check_distinct_as_doubles(plan: Plan, source: Source) -> None:
    """Scores that differ must not tie: they are compared as doubles."""
    template = plan.template
    columns = template["columns"]
    scored = [("score", columns.get("score")), ("rank", columns.get("negated_rank"))]
    scored += [("score", model) for model in template["models"]]
    steps = f"with {template['relation']} as ({template['input']}\n)\n" if template["input"] else ""
    for role, value in scored:
        name = value.get("column") if value else None
        kind = source.type_of(name) if name else ""
        quoted = quoted_name(name or "")
        double = f"cast({quoted} as double)"
        changed = _WIDER.get(kind, "").format(quoted)
        if _LONG_DECIMAL.match(kind):
            changed = f"try_cast({double} as {kind}) is distinct from {quoted}"
        # Text was read as what fits into a double, or else whole.
        if not changed or (source.is_text and source.files is not None and source.files.sampled):
            continue
        if len(source.fetch(f"{steps}select 1 as found from {template['relation']} where {changed} limit 1")) == 0:
            continue
        counts = f"count(distinct {quoted}) as exact, count(distinct {double}) as doubles"
        found = source.fetch(f"{steps}select {counts} from {template['relation']}")
        if found["exact"][0] != found["doubles"][0]:
            lost = int(found["exact"][0] - found["doubles"][0])
            raise BadData(
                f"{role}: column {name!r} is {kind}, and {lost:,} of its values are no "
                "numbers of their own as doubles: they would tie with others; subtract what they have in common"
            )


def _check_unicode(value: Any) -> None:
    """Half of a pair of surrogates is no character: the engine ends with an error of its own kind."""
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError:
            shown = value.encode(errors="backslashreplace").decode()
            raise BadParameter(f"{shown!r} holds what is no Unicode character") from None
    elif isinstance(value, Mapping):
        for inner in value.values():
            _check_unicode(inner)
    elif isinstance(value, list):
        for inner in value:
            _check_unicode(inner)


_NOT_FOUND = re.compile(r'Referenced column "(.*?)" not found')


def with_role(failed: QueryFailed, plan: Plan, source: Source) -> QueryFailed:
    """A failure with its role in words, where an expression names a column that the data does not have."""
    found = _NOT_FOUND.search(str(failed))
    if found is None:
        return failed
    template = plan.template
    expressions = [("where", template["where"] or "")]
    expressions += [("by", text) for text in _sql(template["by"])] + [
        ("score", text) for text in _sql(template["models"])
    ]
    expressions += [
        (COLUMN_ROLES.get(name, name), text) for name, one in template["columns"].items() for text in _sql(one)
    ]
    roles = [role for role, text in expressions if re.search(rf"\b{re.escape(found[1])}\b", text)]
    return QueryFailed(str(MissingColumn(found[1], roles[0], source.columns)), failed.sql) if roles else failed


def _settle_relation(name: str, relation: dict[str, Any], source: Source) -> None:
    wanted = {"similarity": ("item_a", "item_b", "similarity"), "popularity": ("count",)}
    read: dict[str, bool] = {}
    for column, value in relation["columns"].items():
        relation["columns"][column] = _found(value, name, source, read, column in _IDS)
    for column in wanted.get(name, ()):
        read[source.find(column, name)] = column.startswith("item")
    for column in _named_in(list(_sql(relation["columns"])), source):
        read.setdefault(column, False)
    texts = source.files.text_ids([one for one, is_id in read.items() if is_id]) if source.files is not None else []
    relation["relation"] = _relation(source, relation["relation"], read, f"sqlmetrics_{name}", texts)


def _found(value: Mapping[str, Any], role: str, source: Source, read: dict[str, bool], is_id: bool) -> dict[str, Any]:
    """A value of the plan with the engine's name of its column, or of those of its parts."""
    result = dict(value)
    for part, inner in value.items():
        if isinstance(inner, Mapping):
            result[part] = _found(inner, part, source, read, is_id)
    if "column" in value:
        result["column"] = source.find(value["column"], role)
        read[result["column"]] = is_id or read.get(result["column"], False)
    return result


def _sql(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        if isinstance(value.get("sql"), str):
            yield value["sql"]
        for inner in value.values():
            yield from _sql(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _sql(inner)


def _named_in(expressions: list[str], source: Source) -> list[str]:
    """The columns that expressions may read, in the engine's names.

    The text is not understood, only looked through for names; what means columns without a name means all of them.
    """
    known = [*source.columns, *source.unreadable]
    folded: dict[str, list[str]] = {}
    for name in known:
        folded.setdefault(name.lower(), []).append(name)
    found = []
    for expression in expressions:
        text = expression if "\\" in expression else re.sub(r"'(?:[^']|'')*'", "''", expression)
        words = {one.replace('""', '"') for one in re.findall(r'"((?:[^"]|"")+)"', text)} | set(
            re.findall(r"\w+", text)
        )
        if re.search(r"\bcolumns\s*\(|#\d|\*\s*\)", text, re.IGNORECASE) and source.files is not None:
            words |= {
                one for one in source.columns if len(folded[one.lower()]) == 1 and one.lower() not in source.files.mixed
            }
        for word in sorted(words):
            candidates = folded.get(word.lower(), [])
            if not candidates or source.dialect in ("postgres", "clickhouse"):
                continue
            where = f"the expression {expression.strip()!r}"
            if len(candidates) > 1:  # the engine takes the first of them, whatever letters it is asked for in
                raise BadParameter(
                    f"{where}: {word!r} may be {' or '.join(map(repr, candidates))}, which an expression cannot tell "
                    "apart; give them other names in a query"
                )
            found.append(source.find(candidates[0], where))
    return found


def _relation(source: Source, relation: str, read: Mapping[str, bool], name: str, texts: Collection[str]) -> str:
    if source.files is None:
        return relation
    if source.files.must_be_whole(read):
        raise SampleMisled("numbers inside of structures are seen in a sample only", "")
    return source.files.relation(list(read), [one for one, is_id in read.items() if is_id], name, texts)
