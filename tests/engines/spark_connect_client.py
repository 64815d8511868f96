"""The calls of a user of Spark Connect: `python -m tests.engines.spark_connect_client ADDRESS` prints results as JSON.

A process has either Spark's classic session or its remote one, and the other tests have the first.
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
    "clicked": [1, 0, 0, 1, 0, 1, 0, 1, 0, 0], "pctr": [0.9, 0.9, 0.1, 0.4, 0.3, 0.3, None, 0.7, 0.8, 0.2],
    "user_id": ["größe", "größe", "größe", "it's", "it's", "it's", "it's", "c", "c", "c"],
})  # fmt: skip
ROLES: dict[str, Any] = {"label": "clicked", "score": "pctr"}


def error_of(engine: Spark, label: str) -> dict[str, str]:
    """The message and the SQL of the error that a label raises."""
    try:
        sqlmetrics.auc("impressions", label=label, score="pctr", engine=engine)
    except sqlmetrics.QueryFailed as error:
        return {"message": str(error), "sql": error.sql}
    raise AssertionError(f"{label} raised no error")


def main() -> None:
    from pyspark.sql import SparkSession

    session = SparkSession.builder.remote(sys.argv[1]).getOrCreate()
    session.createDataFrame(LOG).createOrReplaceTempView("impressions")
    engine = Spark(session)
    results: dict[str, Any] = {}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", sqlmetrics.DroppedRows)
        metrics = sqlmetrics.evaluate("impressions", "auc, gauc, copc", group="user_id", engine=engine, **ROLES)
    results["metrics"], results["types"] = metrics.to_dict("records"), metrics.dtypes.astype(str).to_dict()
    results["warnings"] = [str(warning.message) for warning in caught if warning.category is sqlmetrics.DroppedRows]
    before = session.catalog.listTables()
    options: dict[str, Any] = {"gain": "linear", "ties": "average", "by": "user_id", "engine": engine}
    results["object"] = sqlmetrics.ndcg(LOG.dropna(), group="user_id", **options, **ROLES).to_dict("records")
    results["tables left"] = len(session.catalog.listTables()) - len(before)
    results["no luck"] = error_of(engine, "= if(clicked = 1, raise_error('no luck'), 0)")
    results["no_such_function"] = error_of(engine, "= no_such_function(clicked)")
    results["rows after errors"] = int(sqlmetrics.copc("impressions", engine=engine, where="pctr > 0", **ROLES)["n"][0])
    session.stop()
    print(json.dumps(results))


if __name__ == "__main__":
    main()
