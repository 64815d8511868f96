"""What a user of Spark Connect does, in a process of its own: `python -m tests.engines.spark_connect_client ADDRESS`.

A process has either Spark's classic session or its remote one, and the other tests have the first. Prints what each
call answered, as JSON.
"""

from __future__ import annotations

import json
import sys
import warnings
from typing import Any

import pandas as pd

import sqlmetrics
from sqlmetrics.engines import Spark

LOG = pd.DataFrame({
    "clicked": [1, 0, 0, 1, 0, 1, 0, 1, 0, 0],
    "pctr": [0.9, 0.9, 0.1, 0.4, 0.3, 0.3, None, 0.7, 0.8, 0.2],
    "user_id": ["größe", "größe", "größe", "it's", "it's", "it's", "it's", "c", "c", "c"],
})  # fmt: skip
ROLES: dict[str, Any] = {"label": "clicked", "score": "pctr"}


def told(frame: pd.DataFrame) -> dict[str, Any]:
    """The rows of a result and their types."""
    return {"rows": frame.to_dict("records"), "types": frame.dtypes.astype(str).to_dict()}


def refusal(engine: Spark, label: str) -> dict[str, str]:
    """The error of a call, and its SQL."""
    try:
        sqlmetrics.auc("impressions", label=label, score="pctr", engine=engine)
    except sqlmetrics.QueryFailed as error:
        return {"message": str(error), "sql": error.sql}
    raise AssertionError(f"{label} was not refused")


def main() -> None:
    """Make the calls."""
    from pyspark.sql import SparkSession

    session = SparkSession.builder.remote(sys.argv[1]).getOrCreate()
    session.createDataFrame(LOG).createOrReplaceTempView("impressions")
    engine = Spark(session)
    answers: dict[str, Any] = {}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", sqlmetrics.DroppedRows)
        metrics = sqlmetrics.evaluate("impressions", "auc, gauc, copc", group="user_id", engine=engine, **ROLES)
    answers["metrics"] = told(metrics)
    answers["warned"] = [str(one.message) for one in caught if one.category is sqlmetrics.DroppedRows]
    before = [table.name for table in session.catalog.listTables()]
    ndcg = sqlmetrics.ndcg(
        LOG.dropna(), group="user_id", gain="linear", ties="average", by="user_id", engine=engine, **ROLES
    )
    answers["object"] = told(ndcg)
    answers["left"] = [table.name for table in session.catalog.listTables() if table.name not in before]
    answers["task"] = refusal(engine, "= if(clicked = 1, raise_error('no luck'), 0)")
    answers["name"] = refusal(engine, "= no_such_function(clicked)")
    answers["after"] = told(sqlmetrics.auc("impressions", engine=engine, where="pctr is not null", **ROLES))
    session.stop()
    print(json.dumps(answers))


if __name__ == "__main__":
    main()
