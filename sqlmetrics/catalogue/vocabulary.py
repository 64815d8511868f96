"""The words of all calls: roles, relations, presets, shapes, diagnostics, questions, and the columns of each role."""

from __future__ import annotations

#: Every role and what it holds, in the order in which signatures and help list them.
ROLES: dict[str, str] = {
    "label": "truth: 0/1 or boolean; graded relevance >= 0; a class; or a number; the rating of an agreement",
    "score": "prediction: probability, ranking score or predicted value; higher is more positive, earlier",
    "prediction": "predicted class, instead of a score and a threshold",
    "group": "user, query or session: the unit inside which ranks are made; the rated item of an agreement",
    "item": "item or document id",
    "rank": "place in the list, the least first, instead of score; places are counted anew, so that gaps do not count",
    "tie_key": "orders equal scores, descending, NULL last; by default the item does. Where a metric has ties, under "
    "ties='key'",
    "weight": "row weight >= 0: a sampling weight or a row count; off-policy metrics multiply it by target / "
    "propensity",
    "positives": "positive rows behind a pre-aggregated row, instead of label",
    "total": "all rows behind a pre-aggregated row; n, rows and min_rows count these",
    "group_weight": "weight of a group in the mean of a ranking metric, constant inside the group; beside judgments "
    "it wants missing='skip'",
    "field": "column over whose values the calibration is taken",
    "p_price": "probability mass of the observed market price",
    "p_survive": "probability that the market price lies above the own bid",
    "won": "whether the own bid won, 0/1 or boolean",
    "reward": "what the logged action earned: a click as 0/1 or boolean, or a number",
    "propensity": "probability with which the log's policy chose the action; in a ranking, that the user saw the item",
    "position": "place at which the log showed the item, instead of propensity: propensities tells that of each place",
    "target": "probability with which the policy in question would have chosen it",
    "q_action": "predicted reward of the logged action",
    "q_policy": "predicted reward of the policy in question: the mean over its choice of actions",
    "lower_bound": "lower end of the predicted interval",
    "upper_bound": "upper end of the predicted interval",
    "treatment": "whether the row was treated (shown the ad, given the offer), 0/1 or boolean",
    "duration": "how long until the event or, of a row without it, until nothing more was seen of it",
    "subtopic": "aspect of the query (subtopic, intent) for which a row says how relevant its item is",
}

#: Further relations that a metric may read beside the data, and what they hold.
RELATIONS: dict[str, str] = {
    "judgments": "relation with the columns of group, item and label, and of subtopic where that is a role: truth "
    "that may hold items never returned; a group of the data that it does not know is left out",
    "catalog": "relation of all items, with the column of item",
    "similarity": "relation of item_a, item_b, similarity; (a, b) is (b, a)",
    "popularity": "relation of how often each item was seen: the column of item, and count",
    "history": "relation of what each group had before, as what a user chose: the columns of group and item",
    "item_categories": "relation of the categories of items, as genres: the column of item, and category",
    "expected_items": "relation of the items that are no surprise, as the most popular ones, with the column of item",
    "embeddings": "relation of the vectors of items: the column of item, dimension and value",
    "propensities": "relation with a row per place, position, and how likely an item is seen there, propensity",
}
#: Those without which a metric that reads them can be asked for.
OPTIONAL_RELATIONS = ("judgments", "propensities")

#: What people ask, in the order of the catalogue page; a metric file says under `answers` which of them it helps with.
QUESTIONS: dict[str, str] = {
    "better": "Is model B better than model A? (`sqlmetrics.compare` says how sure that is)",
    "order": "Does it score positives above negatives?",
    "rare": "Does it find positives where they are rare?",
    "order_in_groups": "Does it put the rows of one user or one query in the right order?",
    "same_order": "How alike are two rankings of the same queries, of an old model and a new one?",
    "top": "Are the right items on top of the list?",
    "found": "Are the relevant items found at all?",
    "drifted": "Have the scores drifted, or what the model is fed? (`sqlmetrics.drift` says how far, without a truth)",
    "calibrated": "Is it calibrated: do clicks come as often as predicted?",
    "calibrated_for": "On which device, campaign or group is it not calibrated?",
    "probabilities": "How good are the probabilities?",
    "cut_off": "Which cut-off (threshold) is best?",
    "calls": "How many calls at a cut-off are right, and how many are false alarms or misses?",
    "top_share": "How much is gained by taking only the highest scores?",
    "classes": "How good is a classifier of several classes, in one number?",
    "confused": "Which class is taken for which?",
    "raters": "Do those who label the rows agree?",
    "error": "How far are predicted numbers from the truth?",
    "percent": "How far are they off in percent, or in orders of magnitude?",
    "bias": "Does it predict too much or too little?",
    "explained": "How much of the variation is explained?",
    "quantile": "How good is a predicted quantile, such as the median?",
    "varied": "Are recommended lists varied, and more than the most popular items?",
    "shown": "Are all items shown, or only a few?",
    "price": "Is the predicted distribution of the winning price right?",
    "policy": "What would another policy have earned on this log?",
    "uplift": "Does it find those whom a treatment changes?",
    "sooner": "Does it find those to whom it happens sooner (a cancellation, a failure, a death)?",
}
#: Whose conventions can be requested in one word.
PRESETS = ("sklearn", "trec_eval", "lightgbm", "spark")
#: How ordered windows over whole slices are written; by default as the dialect's macro `default_shape` says.
SHAPES = {
    "rows": "rank every row",
    "distinct": "first count the rows at each score",
    "two_level": "then add sums inside cells of the score to the sums of whole cells, so that no task sees all rows",
}
#: Columns that a result has with `diagnostics`.
DIAGNOSTICS = (
    "rows_read",
    "rows_dropped",
    "positives",
    "tied_rows",
    "groups",
    "groups_skipped",
    "groups_unjudged",
    "effective_rows",
    "mean_importance",
    "largest_importance",
)
#: Those that are no counts of rows or groups.
MEASURED_DIAGNOSTICS = ("positives", "effective_rows", "mean_importance", "largest_importance")
#: Canonical column -> the role it is read from.
COLUMN_ROLES = {
    "label": "label",
    "label_class": "label",
    "predicted_class": "prediction",
    "prediction": "prediction",
    "score": "score",
    "negated_rank": "rank",
    "weight": "weight",
    "positives": "positives",
    "total": "total",
    "group_id": "group",
    "tie_key": "tie_key",
    "group_weight": "group_weight",
    "item_id": "item",
    "field_id": "field",
    "won": "won",
    "reward": "reward",
    "propensity": "propensity",
    "target": "target",
    "q_action": "q_action",
    "q_policy": "q_policy",
    "lower_bound": "lower_bound",
    "upper_bound": "upper_bound",
    "treatment": "treatment",
    "duration": "duration",
    "subtopic_id": "subtopic",
    "cluster_id": "cluster",
}
#: How the columns are called of which `drift` is asked, before their numbers: those of numbers and those of classes.
NUMBER, CATEGORY = "number_", "category_"


def role_of(column: str) -> str:
    """The role from which a canonical column is read."""
    return "columns" if column.startswith((NUMBER, CATEGORY)) else COLUMN_ROLES.get(column, column)


#: Canonical columns that must be numbers (or booleans, for the truth), and what to do about it.
NUMERIC_COLUMNS = (
    "label",
    "prediction",
    "score",
    "negated_rank",
    "weight",
    "positives",
    "total",
    "group_weight",
    "won",
    "reward",
    "propensity",
    "target",
    "q_action",
    "q_policy",
    "lower_bound",
    "upper_bound",
    "treatment",
    "duration",
)
