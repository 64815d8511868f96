"""The vocabulary of all calls: roles, relations, presets, shapes, diagnostics, questions, and columns of roles."""

from __future__ import annotations

#: Every role and its content, in the order in which signatures and help list them.
ROLES: dict[str, str] = {
    "label": "observed value: 0/1 or boolean; a relevance grade >= 0; a class; a number; or the rating of an agreement",
    "score": "prediction: probability, ranking score or predicted value; a higher score is more positive and ranks "
    "first",
    "prediction": "predicted class, in place of a score and a threshold",
    "group": "ranking unit: user, query or session; for agreement metrics, the rated item",
    "item": "item or document id",
    "rank": "position in the list, smallest first, in place of score; only the order counts, so gaps are allowed",
    "tie_key": "column that orders equal scores, descending, NULL last; by default the item. Metrics with a parameter "
    "ties use it with ties='key'",
    "weight": "row weight >= 0: a sampling weight or a row count; off-policy metrics multiply it by target / "
    "propensity",
    "positives": "number of positive rows in a pre-aggregated row, in place of label",
    "total": "number of all rows in a pre-aggregated row; n, rows and min_rows count these",
    "group_weight": "weight of a group in the mean of a ranking metric, constant inside the group; with judgments, it "
    "requires missing='skip'",
    "field": "column whose values define the segments for calibration",
    "p_price": "probability mass of the observed market price",
    "p_survive": "probability that the market price is above the own bid",
    "won": "whether the own bid won, 0/1 or boolean",
    "reward": "reward of the logged action: a click as 0/1 or boolean, or a number",
    "propensity": "probability that the logging policy chose the action; in a ranking, that the user saw the item",
    "position": "position at which the log showed the item, in place of propensity; requires propensities",
    "target": "probability that the target policy chooses the action",
    "q_action": "predicted reward of the logged action",
    "q_policy": "predicted reward of the target policy: the mean over its actions",
    "lower_bound": "lower end of the predicted interval",
    "upper_bound": "upper end of the predicted interval",
    "treatment": "whether the row was treated (shown the ad, given the offer), 0/1 or boolean",
    "duration": "time to the event, or to the end of observation for a censored row",
    "subtopic": "aspect of the query (subtopic, intent) to which the relevance in the row refers",
}

#: Further relations that a metric may read in addition to the data, and their content.
RELATIONS: dict[str, str] = {
    "judgments": "relation of labels, with the group, item and label columns, and the subtopic column where that is a "
    "role. It may include items that were never returned; groups without judgments are dropped",
    "catalog": "relation of all items, with the item column",
    "similarity": "relation with the columns item_a, item_b and similarity; pairs are symmetric",
    "popularity": "relation of how often each item was seen: the item column, and count",
    "history": "relation of earlier items of each group, such as past choices of a user: the group and item columns",
    "item_categories": "relation of the categories of items, such as genres: the item column, and category",
    "expected_items": "relation of items that are not surprising, such as the most popular ones, with the item column",
    "embeddings": "relation of item vectors: the item column, dimension and value",
    "propensities": "relation with a row per position: position, and propensity, the probability that it is seen",
}
#: Relations that are optional for the metrics that read them.
OPTIONAL_RELATIONS = ("judgments", "propensities")

#: Questions in the order of the reference; a metric file lists under `answers` those that it helps with.
QUESTIONS: dict[str, str] = {
    "better": "Is model B better than model A? (`sqlmetrics.compare` tests for significance)",
    "order": "Does the model score positives above negatives?",
    "rare": "Does it find positives where they are rare?",
    "order_in_groups": "Does it put the rows of one user or one query in the right order?",
    "same_order": "How similar are two rankings of the same queries, such as those of an old and a new model?",
    "top": "Are the right items on top of the list?",
    "found": "Does the list contain the relevant items?",
    "drifted": "Have the scores or the features drifted? (`sqlmetrics.drift` measures the shift without labels)",
    "calibrated": "Is the model calibrated: are clicks as frequent as predicted?",
    "calibrated_for": "On which device, campaign or group is it not calibrated?",
    "probabilities": "How good are the probabilities?",
    "cut_off": "Which threshold is best?",
    "calls": "How many predictions at a threshold are right, and how many are false alarms or misses?",
    "top_share": "How much is gained by selecting only the highest scores?",
    "classes": "How good is a classifier of several classes, in one number?",
    "confused": "Which classes does it confuse?",
    "raters": "Do the raters of the rows agree?",
    "error": "How large are the errors of predicted numbers?",
    "percent": "How large are they in percent, or in orders of magnitude?",
    "bias": "Does the model predict too much or too little?",
    "explained": "How much of the variance is explained?",
    "quantile": "How good is a predicted quantile, such as the median?",
    "varied": "Are recommended lists varied, and more varied than the most popular items?",
    "shown": "Are all items shown, or only a few?",
    "price": "Is the predicted distribution of the winning price right?",
    "policy": "What would another policy have earned on this log?",
    "uplift": "Does the model find those who respond to a treatment?",
    "sooner": "Does it find those who have the event sooner (a cancellation, a failure, a death)?",
}
#: Tools whose conventions a preset selects.
PRESETS = ("sklearn", "trec_eval", "lightgbm", "spark")
#: How ordered windows over whole slices are written; the default is the dialect's macro `default_shape`.
SHAPES = {
    "rows": "rank every row",
    "distinct": "first count the rows at each score",
    "two_level": "sum inside cells of the score, then over whole cells, so that no task reads all rows",
}
#: Columns that a result has with `diagnostics`.
DIAGNOSTICS = (
    "rows_read", "rows_dropped", "positives", "tied_rows", "groups", "groups_skipped", "groups_unjudged",
    "effective_rows", "mean_importance", "largest_importance",
)  # fmt: skip
#: Diagnostics other than counts of rows or groups.
MEASURED_DIAGNOSTICS = ("positives", "effective_rows", "mean_importance", "largest_importance")
#: Canonical column -> the role it is read from.
COLUMN_ROLES = {
    "label": "label", "label_class": "label", "predicted_class": "prediction", "prediction": "prediction",
    "score": "score", "negated_rank": "rank", "weight": "weight", "positives": "positives", "total": "total",
    "group_id": "group", "tie_key": "tie_key", "group_weight": "group_weight", "item_id": "item", "field_id": "field",
    "won": "won", "reward": "reward", "propensity": "propensity", "target": "target", "q_action": "q_action",
    "q_policy": "q_policy", "lower_bound": "lower_bound", "upper_bound": "upper_bound", "treatment": "treatment",
    "duration": "duration", "subtopic_id": "subtopic", "cluster_id": "cluster",
}  # fmt: skip
#: Prefixes of the numeric and of the categorical columns of `drift`, before their numbers.
NUMBER, CATEGORY = "number_", "category_"


def role_of(column: str) -> str:
    """The role from which a canonical column is read."""
    return "columns" if column.startswith((NUMBER, CATEGORY)) else COLUMN_ROLES.get(column, column)


#: Canonical columns whose values metrics compare, but never compute with.
IDS = (
    "label_class", "predicted_class", "group_id", "item_id", "field_id", "tie_key", "subtopic_id", "cluster_id",
    "category", "dimension", "position",
)  # fmt: skip
#: Canonical columns of roles that must be numbers (or booleans, for labels).
NUMERIC_COLUMNS = tuple(column for column in COLUMN_ROLES if column not in IDS)
