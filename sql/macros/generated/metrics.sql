{#- The public macros. Written by `python -m sqlmetrics.generation` from the metric files under sql/macros: change those. -#}

{%- macro evaluate(relation=none, metrics=none, label=none, score=none, prediction=none, group=none, item=none, rank=none, tie_key=none, weight=none, positives=none, total=none, group_weight=none, field=none, p_price=none, p_survive=none, won=none, reward=none, propensity=none, position=none, target=none, q_action=none, q_policy=none, lower_bound=none, upper_bound=none, treatment=none, duration=none, subtopic=none, judgments=none, catalog=none, similarity=none, popularity=none, history=none, item_categories=none, expected_items=none, embeddings=none, propensities=none, preset=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'evaluate', relation, metrics,
    {'label': label, 'score': score, 'prediction': prediction, 'group': group, 'item': item, 'rank': rank, 'tie_key': tie_key, 'weight': weight, 'positives': positives, 'total': total, 'group_weight': group_weight, 'field': field, 'p_price': p_price, 'p_survive': p_survive, 'won': won, 'reward': reward, 'propensity': propensity, 'position': position, 'target': target, 'q_action': q_action, 'q_policy': q_policy, 'lower_bound': lower_bound, 'upper_bound': upper_bound, 'treatment': treatment, 'duration': duration, 'subtopic': subtopic},
    {'judgments': judgments, 'catalog': catalog, 'similarity': similarity, 'popularity': popularity, 'history': history, 'item_categories': item_categories, 'expected_items': expected_items, 'embeddings': embeddings, 'propensities': propensities},
    preset, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro compare(relation=none, metrics=none, label=none, score=none, prediction=none, group=none, item=none, rank=none, tie_key=none, weight=none, positives=none, total=none, group_weight=none, field=none, p_price=none, p_survive=none, won=none, reward=none, propensity=none, position=none, target=none, q_action=none, q_policy=none, lower_bound=none, upper_bound=none, treatment=none, duration=none, subtopic=none, judgments=none, catalog=none, similarity=none, popularity=none, history=none, item_categories=none, expected_items=none, embeddings=none, propensities=none, preset=none, by=none, where=none, shape=none, confidence=0.95, cluster=none, method=none, replicates=none, seed=none, anytime=false, against=none, baseline=none, relative=false, test='t', adjust='holm', power=0.8, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'compare', relation, metrics,
    {'label': label, 'score': score, 'prediction': prediction, 'group': group, 'item': item, 'rank': rank, 'tie_key': tie_key, 'weight': weight, 'positives': positives, 'total': total, 'group_weight': group_weight, 'field': field, 'p_price': p_price, 'p_survive': p_survive, 'won': won, 'reward': reward, 'propensity': propensity, 'position': position, 'target': target, 'q_action': q_action, 'q_policy': q_policy, 'lower_bound': lower_bound, 'upper_bound': upper_bound, 'treatment': treatment, 'duration': duration, 'subtopic': subtopic},
    {'judgments': judgments, 'catalog': catalog, 'similarity': similarity, 'popularity': popularity, 'history': history, 'item_categories': item_categories, 'expected_items': expected_items, 'embeddings': embeddings, 'propensities': propensities},
    preset, by, where, shape, false, confidence, cluster, false, {'against': against, 'baseline': baseline, 'relative': relative, 'test': test, 'adjust': adjust, 'power': power}, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro gaps(relation=none, metrics=none, label=none, score=none, prediction=none, group=none, item=none, rank=none, tie_key=none, weight=none, positives=none, total=none, group_weight=none, field=none, p_price=none, p_survive=none, won=none, reward=none, propensity=none, position=none, target=none, q_action=none, q_policy=none, lower_bound=none, upper_bound=none, treatment=none, duration=none, subtopic=none, judgments=none, catalog=none, similarity=none, popularity=none, history=none, item_categories=none, expected_items=none, embeddings=none, propensities=none, preset=none, by=none, where=none, shape=none, min_rows=none, confidence=none, cluster=none, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'gaps', relation, metrics,
    {'label': label, 'score': score, 'prediction': prediction, 'group': group, 'item': item, 'rank': rank, 'tie_key': tie_key, 'weight': weight, 'positives': positives, 'total': total, 'group_weight': group_weight, 'field': field, 'p_price': p_price, 'p_survive': p_survive, 'won': won, 'reward': reward, 'propensity': propensity, 'position': position, 'target': target, 'q_action': q_action, 'q_policy': q_policy, 'lower_bound': lower_bound, 'upper_bound': upper_bound, 'treatment': treatment, 'duration': duration, 'subtopic': subtopic},
    {'judgments': judgments, 'catalog': catalog, 'similarity': similarity, 'popularity': popularity, 'history': history, 'item_categories': item_categories, 'expected_items': expected_items, 'embeddings': embeddings, 'propensities': propensities},
    preset, by, where, shape, false, confidence, cluster, false, none, none, round, {'min_rows': min_rows}
) }}
{%- endmacro -%}

{%- macro accuracy(relation=none, label=none, score=none, prediction=none, weight=none, positives=none, total=none, threshold=0.5, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'accuracy', relation, [{'name': 'accuracy', 'threshold': threshold}],
    {'label': label, 'score': score, 'prediction': prediction, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': positives, 'total': total, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro alpha_dcg(relation=none, label=none, score=none, group=none, item=none, rank=none, tie_key=none, group_weight=none, subtopic=none, k=none, alpha=0.5, relevant_at=1, missing="zero", empty="skip", judgments=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'alpha_dcg', relation, [{'name': 'alpha_dcg', 'k': k, 'alpha': alpha, 'relevant_at': relevant_at, 'missing': missing, 'empty': empty}],
    {'label': label, 'score': score, 'prediction': none, 'group': group, 'item': item, 'rank': rank, 'tie_key': tie_key, 'weight': none, 'positives': none, 'total': none, 'group_weight': group_weight, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': subtopic},
    {'judgments': judgments, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro alpha_ndcg(relation=none, label=none, score=none, group=none, item=none, rank=none, tie_key=none, group_weight=none, subtopic=none, k=none, alpha=0.5, relevant_at=1, missing="zero", empty="skip", judgments=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'alpha_ndcg', relation, [{'name': 'alpha_ndcg', 'k': k, 'alpha': alpha, 'relevant_at': relevant_at, 'missing': missing, 'empty': empty}],
    {'label': label, 'score': score, 'prediction': none, 'group': group, 'item': item, 'rank': rank, 'tie_key': tie_key, 'weight': none, 'positives': none, 'total': none, 'group_weight': group_weight, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': subtopic},
    {'judgments': judgments, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro anlp(relation=none, p_price=none, p_survive=none, won=none, mode="censored", eps=1e-20, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'anlp', relation, [{'name': 'anlp', 'mode': mode, 'eps': eps}],
    {'label': none, 'score': none, 'prediction': none, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': none, 'positives': none, 'total': none, 'group_weight': none, 'field': none, 'p_price': p_price, 'p_survive': p_survive, 'won': won, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro auc(relation=none, label=none, score=none, weight=none, positives=none, total=none, bins=none, one_class=none, no_positives=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'auc', relation, [{'name': 'auc', 'bins': bins, 'one_class': one_class, 'no_positives': no_positives}],
    {'label': label, 'score': score, 'prediction': none, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': positives, 'total': total, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro auc_mu(relation=none, label=none, weight=none, scores=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'auc_mu', relation, [{'name': 'auc_mu', 'scores': scores}],
    {'label': label, 'score': none, 'prediction': none, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': none, 'total': none, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro average_popularity(relation=none, score=none, group=none, item=none, rank=none, tie_key=none, k=none, popularity=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'average_popularity', relation, [{'name': 'average_popularity', 'k': k}],
    {'label': none, 'score': score, 'prediction': none, 'group': group, 'item': item, 'rank': rank, 'tie_key': tie_key, 'weight': none, 'positives': none, 'total': none, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': popularity, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro average_precision(relation=none, label=none, score=none, weight=none, positives=none, total=none, one_class=none, no_positives=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'average_precision', relation, [{'name': 'average_precision', 'one_class': one_class, 'no_positives': no_positives}],
    {'label': label, 'score': score, 'prediction': none, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': positives, 'total': total, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro balanced_accuracy(relation=none, label=none, score=none, prediction=none, weight=none, positives=none, total=none, threshold=0.5, one_class="null", by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'balanced_accuracy', relation, [{'name': 'balanced_accuracy', 'threshold': threshold, 'one_class': one_class}],
    {'label': label, 'score': score, 'prediction': prediction, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': positives, 'total': total, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro bpref(relation=none, label=none, score=none, group=none, item=none, rank=none, tie_key=none, group_weight=none, ties="worst", relevant_at=1, negative="error", precision_of_scores="double", missing="zero", empty="skip", judgments=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'bpref', relation, [{'name': 'bpref', 'ties': ties, 'relevant_at': relevant_at, 'negative': negative, 'precision_of_scores': precision_of_scores, 'missing': missing, 'empty': empty}],
    {'label': label, 'score': score, 'prediction': none, 'group': group, 'item': item, 'rank': rank, 'tie_key': tie_key, 'weight': none, 'positives': none, 'total': none, 'group_weight': group_weight, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': judgments, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro brier(relation=none, label=none, score=none, weight=none, positives=none, total=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'brier', relation, [{'name': 'brier'}],
    {'label': label, 'score': score, 'prediction': none, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': positives, 'total': total, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro cal_n(relation=none, label=none, score=none, weight=none, positives=none, total=none, bins=10, binning="mass", by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'cal_n', relation, [{'name': 'cal_n', 'bins': bins, 'binning': binning}],
    {'label': label, 'score': score, 'prediction': none, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': positives, 'total': total, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro calibration_curve(relation=none, label=none, score=none, weight=none, positives=none, total=none, bins=10, binning="mass", by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'calibration_curve', relation, [{'name': 'calibration_curve', 'bins': bins, 'binning': binning}],
    {'label': label, 'score': score, 'prediction': none, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': positives, 'total': total, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro calibration_intercept(relation=none, label=none, score=none, weight=none, positives=none, total=none, slope="one", eps=2.220446049250313e-16, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'calibration_intercept', relation, [{'name': 'calibration_intercept', 'slope': slope, 'eps': eps}],
    {'label': label, 'score': score, 'prediction': none, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': positives, 'total': total, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro calibration_slope(relation=none, label=none, score=none, weight=none, positives=none, total=none, eps=2.220446049250313e-16, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'calibration_slope', relation, [{'name': 'calibration_slope', 'eps': eps}],
    {'label': label, 'score': score, 'prediction': none, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': positives, 'total': total, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro category_miscalibration(relation=none, score=none, group=none, item=none, rank=none, tie_key=none, k=none, alpha=0.01, history=none, item_categories=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'category_miscalibration', relation, [{'name': 'category_miscalibration', 'k': k, 'alpha': alpha}],
    {'label': none, 'score': score, 'prediction': none, 'group': group, 'item': item, 'rank': rank, 'tie_key': tie_key, 'weight': none, 'positives': none, 'total': none, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': history, 'item_categories': item_categories, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro cg(relation=none, label=none, score=none, group=none, item=none, rank=none, tie_key=none, group_weight=none, k=none, gain="exp", ties="worst", relevant_at=1, negative="error", precision_of_scores="double", missing="zero", empty="skip", judgments=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'cg', relation, [{'name': 'cg', 'k': k, 'gain': gain, 'ties': ties, 'relevant_at': relevant_at, 'negative': negative, 'precision_of_scores': precision_of_scores, 'missing': missing, 'empty': empty}],
    {'label': label, 'score': score, 'prediction': none, 'group': group, 'item': item, 'rank': rank, 'tie_key': tie_key, 'weight': none, 'positives': none, 'total': none, 'group_weight': group_weight, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': judgments, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro class_confusion(relation=none, label=none, prediction=none, weight=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'class_confusion', relation, [{'name': 'class_confusion'}],
    {'label': label, 'score': none, 'prediction': prediction, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': none, 'total': none, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro class_report(relation=none, label=none, prediction=none, weight=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'class_report', relation, [{'name': 'class_report'}],
    {'label': label, 'score': none, 'prediction': prediction, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': none, 'total': none, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro clipped_ips(relation=none, weight=none, reward=none, propensity=none, target=none, max_weight=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'clipped_ips', relation, [{'name': 'clipped_ips', 'max_weight': max_weight}],
    {'label': none, 'score': none, 'prediction': none, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': none, 'total': none, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': reward, 'propensity': propensity, 'position': none, 'target': target, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro cohens_kappa(relation=none, label=none, prediction=none, weight=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'cohens_kappa', relation, [{'name': 'cohens_kappa'}],
    {'label': label, 'score': none, 'prediction': prediction, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': none, 'total': none, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro compatibility(relation=none, label=none, score=none, group=none, item=none, rank=none, tie_key=none, group_weight=none, p=0.95, ties="worst", relevant_at=1, missing="zero", empty="skip", judgments=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'compatibility', relation, [{'name': 'compatibility', 'p': p, 'ties': ties, 'relevant_at': relevant_at, 'missing': missing, 'empty': empty}],
    {'label': label, 'score': score, 'prediction': none, 'group': group, 'item': item, 'rank': rank, 'tie_key': tie_key, 'weight': none, 'positives': none, 'total': none, 'group_weight': group_weight, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': judgments, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro concordance_correlation(relation=none, label=none, score=none, weight=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'concordance_correlation', relation, [{'name': 'concordance_correlation'}],
    {'label': label, 'score': score, 'prediction': none, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': none, 'total': none, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro concordance_index(relation=none, label=none, score=none, weight=none, positives=none, total=none, duration=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'concordance_index', relation, [{'name': 'concordance_index'}],
    {'label': label, 'score': score, 'prediction': none, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': positives, 'total': total, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': duration, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro confusion_matrix(relation=none, label=none, score=none, prediction=none, weight=none, positives=none, total=none, threshold=0.5, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'confusion_matrix', relation, [{'name': 'confusion_matrix', 'threshold': threshold}],
    {'label': label, 'score': score, 'prediction': prediction, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': positives, 'total': total, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro copc(relation=none, label=none, score=none, weight=none, positives=none, total=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'copc', relation, [{'name': 'copc'}],
    {'label': label, 'score': score, 'prediction': none, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': positives, 'total': total, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro coverage(relation=none, score=none, group=none, item=none, rank=none, tie_key=none, k=none, catalog=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'coverage', relation, [{'name': 'coverage', 'k': k}],
    {'label': none, 'score': score, 'prediction': none, 'group': group, 'item': item, 'rank': rank, 'tie_key': tie_key, 'weight': none, 'positives': none, 'total': none, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': catalog, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro crps(relation=none, label=none, weight=none, quantiles=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'crps', relation, [{'name': 'crps', 'quantiles': quantiles}],
    {'label': label, 'score': none, 'prediction': none, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': none, 'total': none, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro d2_absolute_error(relation=none, label=none, score=none, weight=none, force_finite=false, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'd2_absolute_error', relation, [{'name': 'd2_absolute_error', 'force_finite': force_finite}],
    {'label': label, 'score': score, 'prediction': none, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': none, 'total': none, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro d2_pinball(relation=none, label=none, score=none, weight=none, alpha=0.5, force_finite=false, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'd2_pinball', relation, [{'name': 'd2_pinball', 'alpha': alpha, 'force_finite': force_finite}],
    {'label': label, 'score': score, 'prediction': none, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': none, 'total': none, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro d2_tweedie(relation=none, label=none, score=none, weight=none, power=1.5, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'd2_tweedie', relation, [{'name': 'd2_tweedie', 'power': power}],
    {'label': label, 'score': score, 'prediction': none, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': none, 'total': none, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro dcg(relation=none, label=none, score=none, group=none, item=none, rank=none, tie_key=none, group_weight=none, k=none, gain="exp", discount="log2", ties="worst", relevant_at=1, negative="error", precision_of_scores="double", missing="zero", empty="skip", judgments=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'dcg', relation, [{'name': 'dcg', 'k': k, 'gain': gain, 'discount': discount, 'ties': ties, 'relevant_at': relevant_at, 'negative': negative, 'precision_of_scores': precision_of_scores, 'missing': missing, 'empty': empty}],
    {'label': label, 'score': score, 'prediction': none, 'group': group, 'item': item, 'rank': rank, 'tie_key': tie_key, 'weight': none, 'positives': none, 'total': none, 'group_weight': group_weight, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': judgments, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro debiased_ece(relation=none, label=none, score=none, positives=none, total=none, bins=10, binning="width", by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'debiased_ece', relation, [{'name': 'debiased_ece', 'bins': bins, 'binning': binning}],
    {'label': label, 'score': score, 'prediction': none, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': none, 'positives': positives, 'total': total, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro direct_method(relation=none, weight=none, q_policy=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'direct_method', relation, [{'name': 'direct_method'}],
    {'label': none, 'score': none, 'prediction': none, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': none, 'total': none, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': q_policy, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro discrimination(relation=none, label=none, score=none, weight=none, positives=none, total=none, loss="brier", eps=2.220446049250313e-16, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'discrimination', relation, [{'name': 'discrimination', 'loss': loss, 'eps': eps}],
    {'label': label, 'score': score, 'prediction': none, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': positives, 'total': total, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro diversity(relation=none, score=none, group=none, item=none, rank=none, tie_key=none, k=none, similarity=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'diversity', relation, [{'name': 'diversity', 'k': k}],
    {'label': none, 'score': score, 'prediction': none, 'group': group, 'item': item, 'rank': rank, 'tie_key': tie_key, 'weight': none, 'positives': none, 'total': none, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': similarity, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro doubly_robust(relation=none, weight=none, reward=none, propensity=none, target=none, q_action=none, q_policy=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'doubly_robust', relation, [{'name': 'doubly_robust'}],
    {'label': none, 'score': none, 'prediction': none, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': none, 'total': none, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': reward, 'propensity': propensity, 'position': none, 'target': target, 'q_action': q_action, 'q_policy': q_policy, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro dros(relation=none, weight=none, reward=none, propensity=none, target=none, q_action=none, q_policy=none, shrinkage=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'dros', relation, [{'name': 'dros', 'shrinkage': shrinkage}],
    {'label': none, 'score': none, 'prediction': none, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': none, 'total': none, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': reward, 'propensity': propensity, 'position': none, 'target': target, 'q_action': q_action, 'q_policy': q_policy, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro e50(relation=none, label=none, score=none, weight=none, positives=none, total=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'e50', relation, [{'name': 'e50'}],
    {'label': label, 'score': score, 'prediction': none, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': positives, 'total': total, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro e90(relation=none, label=none, score=none, weight=none, positives=none, total=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'e90', relation, [{'name': 'e90'}],
    {'label': label, 'score': score, 'prediction': none, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': positives, 'total': total, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro ece(relation=none, label=none, score=none, weight=none, positives=none, total=none, norm="l1", bins=10, binning="width", by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'ece', relation, [{'name': 'ece', 'norm': norm, 'bins': bins, 'binning': binning}],
    {'label': label, 'score': score, 'prediction': none, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': positives, 'total': total, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro emax(relation=none, label=none, score=none, weight=none, positives=none, total=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'emax', relation, [{'name': 'emax'}],
    {'label': label, 'score': score, 'prediction': none, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': positives, 'total': total, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro err(relation=none, label=none, score=none, group=none, item=none, rank=none, tie_key=none, group_weight=none, k=none, max_label=none, ties="worst", negative="error", precision_of_scores="double", missing="zero", empty="skip", judgments=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'err', relation, [{'name': 'err', 'k': k, 'max_label': max_label, 'ties': ties, 'negative': negative, 'precision_of_scores': precision_of_scores, 'missing': missing, 'empty': empty}],
    {'label': label, 'score': score, 'prediction': none, 'group': group, 'item': item, 'rank': rank, 'tie_key': tie_key, 'weight': none, 'positives': none, 'total': none, 'group_weight': group_weight, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': judgments, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro err_ia(relation=none, label=none, score=none, group=none, item=none, rank=none, tie_key=none, group_weight=none, subtopic=none, k=none, max_label=1, normalized_by="nothing", relevant_at=1, missing="zero", empty="skip", judgments=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'err_ia', relation, [{'name': 'err_ia', 'k': k, 'max_label': max_label, 'normalized_by': normalized_by, 'relevant_at': relevant_at, 'missing': missing, 'empty': empty}],
    {'label': label, 'score': score, 'prediction': none, 'group': group, 'item': item, 'rank': rank, 'tie_key': tie_key, 'weight': none, 'positives': none, 'total': none, 'group_weight': group_weight, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': subtopic},
    {'judgments': judgments, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro error_rate(relation=none, label=none, score=none, prediction=none, weight=none, positives=none, total=none, threshold=0.5, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'error_rate', relation, [{'name': 'error_rate', 'threshold': threshold}],
    {'label': label, 'score': score, 'prediction': prediction, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': positives, 'total': total, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro explained_variance(relation=none, label=none, score=none, weight=none, force_finite=false, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'explained_variance', relation, [{'name': 'explained_variance', 'force_finite': force_finite}],
    {'label': label, 'score': score, 'prediction': none, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': none, 'total': none, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro exposure_entropy(relation=none, score=none, group=none, item=none, rank=none, tie_key=none, k=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'exposure_entropy', relation, [{'name': 'exposure_entropy', 'k': k}],
    {'label': none, 'score': score, 'prediction': none, 'group': group, 'item': item, 'rank': rank, 'tie_key': tie_key, 'weight': none, 'positives': none, 'total': none, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro f1(relation=none, label=none, score=none, prediction=none, weight=none, positives=none, total=none, threshold=0.5, zero_division=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'f1', relation, [{'name': 'f1', 'threshold': threshold, 'zero_division': zero_division}],
    {'label': label, 'score': score, 'prediction': prediction, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': positives, 'total': total, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro f1_at_k(relation=none, label=none, score=none, group=none, item=none, rank=none, tie_key=none, group_weight=none, k=none, average="macro", ties="worst", relevant_at=1, negative="error", precision_of_scores="double", missing="zero", empty="skip", judgments=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'f1_at_k', relation, [{'name': 'f1_at_k', 'k': k, 'average': average, 'ties': ties, 'relevant_at': relevant_at, 'negative': negative, 'precision_of_scores': precision_of_scores, 'missing': missing, 'empty': empty}],
    {'label': label, 'score': score, 'prediction': none, 'group': group, 'item': item, 'rank': rank, 'tie_key': tie_key, 'weight': none, 'positives': none, 'total': none, 'group_weight': group_weight, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': judgments, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro fall_out_at_k(relation=none, label=none, score=none, group=none, item=none, rank=none, tie_key=none, group_weight=none, k=none, ties="worst", relevant_at=1, negative="error", precision_of_scores="double", missing="zero", empty="skip", judgments=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'fall_out_at_k', relation, [{'name': 'fall_out_at_k', 'k': k, 'ties': ties, 'relevant_at': relevant_at, 'negative': negative, 'precision_of_scores': precision_of_scores, 'missing': missing, 'empty': empty}],
    {'label': label, 'score': score, 'prediction': none, 'group': group, 'item': item, 'rank': rank, 'tie_key': tie_key, 'weight': none, 'positives': none, 'total': none, 'group_weight': group_weight, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': judgments, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro fbeta(relation=none, label=none, score=none, prediction=none, weight=none, positives=none, total=none, beta=none, threshold=0.5, zero_division=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'fbeta', relation, [{'name': 'fbeta', 'beta': beta, 'threshold': threshold, 'zero_division': zero_division}],
    {'label': label, 'score': score, 'prediction': prediction, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': positives, 'total': total, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro field_ece(relation=none, label=none, score=none, weight=none, positives=none, total=none, field=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'field_ece', relation, [{'name': 'field_ece'}],
    {'label': label, 'score': score, 'prediction': none, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': positives, 'total': total, 'group_weight': none, 'field': field, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro field_rce(relation=none, label=none, score=none, weight=none, positives=none, total=none, field=none, eps=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'field_rce', relation, [{'name': 'field_rce', 'eps': eps}],
    {'label': label, 'score': score, 'prediction': none, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': positives, 'total': total, 'group_weight': none, 'field': field, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro fleiss_kappa(relation=none, label=none, group=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'fleiss_kappa', relation, [{'name': 'fleiss_kappa'}],
    {'label': label, 'score': none, 'prediction': none, 'group': group, 'item': none, 'rank': none, 'tie_key': none, 'weight': none, 'positives': none, 'total': none, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro fpr(relation=none, label=none, score=none, prediction=none, weight=none, positives=none, total=none, threshold=0.5, zero_division=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'fpr', relation, [{'name': 'fpr', 'threshold': threshold, 'zero_division': zero_division}],
    {'label': label, 'score': score, 'prediction': prediction, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': positives, 'total': total, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro fpr_at_tpr(relation=none, label=none, score=none, weight=none, positives=none, total=none, tpr=0.95, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'fpr_at_tpr', relation, [{'name': 'fpr_at_tpr', 'tpr': tpr}],
    {'label': label, 'score': score, 'prediction': none, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': positives, 'total': total, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro g_mean(relation=none, label=none, score=none, prediction=none, weight=none, positives=none, total=none, form="rates", threshold=0.5, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'g_mean', relation, [{'name': 'g_mean', 'form': form, 'threshold': threshold}],
    {'label': label, 'score': score, 'prediction': prediction, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': positives, 'total': total, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro gamma_deviance(relation=none, label=none, score=none, weight=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'gamma_deviance', relation, [{'name': 'gamma_deviance'}],
    {'label': label, 'score': score, 'prediction': none, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': none, 'total': none, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro gauc(relation=none, label=none, score=none, group=none, weight=none, positives=none, total=none, weights="rows", by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'gauc', relation, [{'name': 'gauc', 'weights': weights}],
    {'label': label, 'score': score, 'prediction': none, 'group': group, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': positives, 'total': total, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro gc_n(relation=none, label=none, score=none, weight=none, positives=none, total=none, field=none, bins=10, binning="mass", by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'gc_n', relation, [{'name': 'gc_n', 'bins': bins, 'binning': binning}],
    {'label': label, 'score': score, 'prediction': none, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': positives, 'total': total, 'group_weight': none, 'field': field, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro gini(relation=none, label=none, score=none, weight=none, positives=none, total=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'gini', relation, [{'name': 'gini'}],
    {'label': label, 'score': score, 'prediction': none, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': positives, 'total': total, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro gini_exposure(relation=none, score=none, group=none, item=none, rank=none, tie_key=none, k=none, catalog=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'gini_exposure', relation, [{'name': 'gini_exposure', 'k': k}],
    {'label': none, 'score': score, 'prediction': none, 'group': group, 'item': item, 'rank': rank, 'tie_key': tie_key, 'weight': none, 'positives': none, 'total': none, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': catalog, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro gm_map(relation=none, label=none, score=none, group=none, item=none, rank=none, tie_key=none, group_weight=none, least=1e-05, ties="worst", relevant_at=1, negative="error", precision_of_scores="double", missing="zero", empty="skip", judgments=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'gm_map', relation, [{'name': 'gm_map', 'least': least, 'ties': ties, 'relevant_at': relevant_at, 'negative': negative, 'precision_of_scores': precision_of_scores, 'missing': missing, 'empty': empty}],
    {'label': label, 'score': score, 'prediction': none, 'group': group, 'item': item, 'rank': rank, 'tie_key': tie_key, 'weight': none, 'positives': none, 'total': none, 'group_weight': group_weight, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': judgments, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro group_auc(relation=none, label=none, score=none, group=none, weight=none, positives=none, total=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'group_auc', relation, [{'name': 'group_auc'}],
    {'label': label, 'score': score, 'prediction': none, 'group': group, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': positives, 'total': total, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro hit_rate(relation=none, label=none, score=none, group=none, item=none, rank=none, tie_key=none, group_weight=none, k=none, ties="worst", relevant_at=1, negative="error", precision_of_scores="double", missing="zero", empty="skip", judgments=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'hit_rate', relation, [{'name': 'hit_rate', 'k': k, 'ties': ties, 'relevant_at': relevant_at, 'negative': negative, 'precision_of_scores': precision_of_scores, 'missing': missing, 'empty': empty}],
    {'label': label, 'score': score, 'prediction': none, 'group': group, 'item': item, 'rank': rank, 'tie_key': tie_key, 'weight': none, 'positives': none, 'total': none, 'group_weight': group_weight, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': judgments, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro idcg(relation=none, label=none, score=none, group=none, item=none, rank=none, tie_key=none, group_weight=none, k=none, gain="exp", discount="log2", relevant_at=1, negative="error", precision_of_scores="double", missing="zero", empty="skip", judgments=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'idcg', relation, [{'name': 'idcg', 'k': k, 'gain': gain, 'discount': discount, 'relevant_at': relevant_at, 'negative': negative, 'precision_of_scores': precision_of_scores, 'missing': missing, 'empty': empty}],
    {'label': label, 'score': score, 'prediction': none, 'group': group, 'item': item, 'rank': rank, 'tie_key': tie_key, 'weight': none, 'positives': none, 'total': none, 'group_weight': group_weight, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': judgments, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro iips(relation=none, group=none, reward=none, propensity=none, target=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'iips', relation, [{'name': 'iips'}],
    {'label': none, 'score': none, 'prediction': none, 'group': group, 'item': none, 'rank': none, 'tie_key': none, 'weight': none, 'positives': none, 'total': none, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': reward, 'propensity': propensity, 'position': none, 'target': target, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro infap(relation=none, label=none, score=none, group=none, item=none, rank=none, tie_key=none, group_weight=none, ties="worst", relevant_at=1, negative="error", precision_of_scores="double", missing="zero", empty="skip", judgments=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'infap', relation, [{'name': 'infap', 'ties': ties, 'relevant_at': relevant_at, 'negative': negative, 'precision_of_scores': precision_of_scores, 'missing': missing, 'empty': empty}],
    {'label': label, 'score': score, 'prediction': none, 'group': group, 'item': item, 'rank': rank, 'tie_key': tie_key, 'weight': none, 'positives': none, 'total': none, 'group_weight': group_weight, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': judgments, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro integrated_calibration_index(relation=none, label=none, score=none, weight=none, positives=none, total=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'integrated_calibration_index', relation, [{'name': 'integrated_calibration_index'}],
    {'label': label, 'score': score, 'prediction': none, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': positives, 'total': total, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro interpolated_precision(relation=none, label=none, score=none, group=none, item=none, rank=none, tie_key=none, group_weight=none, recall=none, ties="worst", relevant_at=1, negative="error", precision_of_scores="double", missing="zero", empty="skip", judgments=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'interpolated_precision', relation, [{'name': 'interpolated_precision', 'recall': recall, 'ties': ties, 'relevant_at': relevant_at, 'negative': negative, 'precision_of_scores': precision_of_scores, 'missing': missing, 'empty': empty}],
    {'label': label, 'score': score, 'prediction': none, 'group': group, 'item': item, 'rank': rank, 'tie_key': tie_key, 'weight': none, 'positives': none, 'total': none, 'group_weight': group_weight, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': judgments, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro interval_coverage(relation=none, label=none, weight=none, lower_bound=none, upper_bound=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'interval_coverage', relation, [{'name': 'interval_coverage'}],
    {'label': label, 'score': none, 'prediction': none, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': none, 'total': none, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': lower_bound, 'upper_bound': upper_bound, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro interval_score(relation=none, label=none, weight=none, lower_bound=none, upper_bound=none, alpha=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'interval_score', relation, [{'name': 'interval_score', 'alpha': alpha}],
    {'label': label, 'score': none, 'prediction': none, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': none, 'total': none, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': lower_bound, 'upper_bound': upper_bound, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro intra_list_distance(relation=none, score=none, group=none, item=none, rank=none, tie_key=none, k=none, embeddings=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'intra_list_distance', relation, [{'name': 'intra_list_distance', 'k': k}],
    {'label': none, 'score': score, 'prediction': none, 'group': group, 'item': item, 'rank': rank, 'tie_key': tie_key, 'weight': none, 'positives': none, 'total': none, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': embeddings, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro ips(relation=none, weight=none, reward=none, propensity=none, target=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'ips', relation, [{'name': 'ips'}],
    {'label': none, 'score': none, 'prediction': none, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': none, 'total': none, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': reward, 'propensity': propensity, 'position': none, 'target': target, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro isotonic_calibration(relation=none, label=none, score=none, weight=none, positives=none, total=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'isotonic_calibration', relation, [{'name': 'isotonic_calibration'}],
    {'label': label, 'score': score, 'prediction': none, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': positives, 'total': total, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro judged_at_k(relation=none, label=none, score=none, group=none, item=none, rank=none, tie_key=none, group_weight=none, k=none, ties="worst", negative="error", precision_of_scores="double", missing="zero", judgments=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'judged_at_k', relation, [{'name': 'judged_at_k', 'k': k, 'ties': ties, 'negative': negative, 'precision_of_scores': precision_of_scores, 'missing': missing}],
    {'label': label, 'score': score, 'prediction': none, 'group': group, 'item': item, 'rank': rank, 'tie_key': tie_key, 'weight': none, 'positives': none, 'total': none, 'group_weight': group_weight, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': judgments, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro kendall_tau(relation=none, label=none, score=none, group=none, rank=none, group_weight=none, variant="b", max_group_size=5000, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'kendall_tau', relation, [{'name': 'kendall_tau', 'variant': variant, 'max_group_size': max_group_size}],
    {'label': label, 'score': score, 'prediction': none, 'group': group, 'item': none, 'rank': rank, 'tie_key': none, 'weight': none, 'positives': none, 'total': none, 'group_weight': group_weight, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro krippendorff_alpha(relation=none, label=none, group=none, level="nominal", by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'krippendorff_alpha', relation, [{'name': 'krippendorff_alpha', 'level': level}],
    {'label': label, 'score': none, 'prediction': none, 'group': group, 'item': none, 'rank': none, 'tie_key': none, 'weight': none, 'positives': none, 'total': none, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro ks(relation=none, label=none, score=none, weight=none, positives=none, total=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'ks', relation, [{'name': 'ks'}],
    {'label': label, 'score': score, 'prediction': none, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': positives, 'total': total, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro lift_table(relation=none, label=none, score=none, weight=none, positives=none, total=none, bins=10, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'lift_table', relation, [{'name': 'lift_table', 'bins': bins}],
    {'label': label, 'score': score, 'prediction': none, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': positives, 'total': total, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro log_cosh_error(relation=none, label=none, score=none, weight=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'log_cosh_error', relation, [{'name': 'log_cosh_error'}],
    {'label': label, 'score': score, 'prediction': none, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': none, 'total': none, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro log_loss(relation=none, label=none, score=none, weight=none, positives=none, total=none, eps=2.220446049250313e-16, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'log_loss', relation, [{'name': 'log_loss', 'eps': eps}],
    {'label': label, 'score': score, 'prediction': none, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': positives, 'total': total, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro macro_f1(relation=none, label=none, prediction=none, weight=none, form="mean_f1", by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'macro_f1', relation, [{'name': 'macro_f1', 'form': form}],
    {'label': label, 'score': none, 'prediction': prediction, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': none, 'total': none, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro macro_precision(relation=none, label=none, prediction=none, weight=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'macro_precision', relation, [{'name': 'macro_precision'}],
    {'label': label, 'score': none, 'prediction': prediction, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': none, 'total': none, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro macro_recall(relation=none, label=none, prediction=none, weight=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'macro_recall', relation, [{'name': 'macro_recall'}],
    {'label': label, 'score': none, 'prediction': prediction, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': none, 'total': none, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro mae(relation=none, label=none, score=none, weight=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'mae', relation, [{'name': 'mae'}],
    {'label': label, 'score': score, 'prediction': none, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': none, 'total': none, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro map(relation=none, label=none, score=none, group=none, item=none, rank=none, tie_key=none, group_weight=none, k=none, denominator="relevant", ties="worst", relevant_at=1, negative="error", precision_of_scores="double", missing="zero", empty="skip", judgments=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'map', relation, [{'name': 'map', 'k': k, 'denominator': denominator, 'ties': ties, 'relevant_at': relevant_at, 'negative': negative, 'precision_of_scores': precision_of_scores, 'missing': missing, 'empty': empty}],
    {'label': label, 'score': score, 'prediction': none, 'group': group, 'item': item, 'rank': rank, 'tie_key': tie_key, 'weight': none, 'positives': none, 'total': none, 'group_weight': group_weight, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': judgments, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro map_ia(relation=none, label=none, score=none, group=none, item=none, rank=none, tie_key=none, group_weight=none, subtopic=none, k=none, relevant_at=1, missing="zero", empty="skip", judgments=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'map_ia', relation, [{'name': 'map_ia', 'k': k, 'relevant_at': relevant_at, 'missing': missing, 'empty': empty}],
    {'label': label, 'score': score, 'prediction': none, 'group': group, 'item': item, 'rank': rank, 'tie_key': tie_key, 'weight': none, 'positives': none, 'total': none, 'group_weight': group_weight, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': subtopic},
    {'judgments': judgments, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro mape(relation=none, label=none, score=none, weight=none, zero="skip", eps=none, unit="percent", by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'mape', relation, [{'name': 'mape', 'zero': zero, 'eps': eps, 'unit': unit}],
    {'label': label, 'score': score, 'prediction': none, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': none, 'total': none, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro max_error(relation=none, label=none, score=none, weight=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'max_error', relation, [{'name': 'max_error'}],
    {'label': label, 'score': score, 'prediction': none, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': none, 'total': none, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro max_f1(relation=none, label=none, score=none, weight=none, positives=none, total=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'max_f1', relation, [{'name': 'max_f1'}],
    {'label': label, 'score': score, 'prediction': none, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': positives, 'total': total, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro mcc(relation=none, label=none, score=none, prediction=none, weight=none, positives=none, total=none, threshold=0.5, zero_division=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'mcc', relation, [{'name': 'mcc', 'threshold': threshold, 'zero_division': zero_division}],
    {'label': label, 'score': score, 'prediction': prediction, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': positives, 'total': total, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro mean_error(relation=none, label=none, score=none, weight=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'mean_error', relation, [{'name': 'mean_error'}],
    {'label': label, 'score': score, 'prediction': none, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': none, 'total': none, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro medae(relation=none, label=none, score=none, weight=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'medae', relation, [{'name': 'medae'}],
    {'label': label, 'score': score, 'prediction': none, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': none, 'total': none, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro micro_f1(relation=none, label=none, prediction=none, weight=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'micro_f1', relation, [{'name': 'micro_f1'}],
    {'label': label, 'score': none, 'prediction': prediction, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': none, 'total': none, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro micro_precision(relation=none, label=none, prediction=none, weight=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'micro_precision', relation, [{'name': 'micro_precision'}],
    {'label': label, 'score': none, 'prediction': prediction, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': none, 'total': none, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro micro_recall(relation=none, label=none, prediction=none, weight=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'micro_recall', relation, [{'name': 'micro_recall'}],
    {'label': label, 'score': none, 'prediction': prediction, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': none, 'total': none, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro miscalibration(relation=none, label=none, score=none, weight=none, positives=none, total=none, loss="brier", eps=2.220446049250313e-16, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'miscalibration', relation, [{'name': 'miscalibration', 'loss': loss, 'eps': eps}],
    {'label': label, 'score': score, 'prediction': none, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': positives, 'total': total, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro mrr(relation=none, label=none, score=none, group=none, item=none, rank=none, tie_key=none, group_weight=none, k=none, ties="worst", relevant_at=1, negative="error", precision_of_scores="double", missing="zero", empty="skip", judgments=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'mrr', relation, [{'name': 'mrr', 'k': k, 'ties': ties, 'relevant_at': relevant_at, 'negative': negative, 'precision_of_scores': precision_of_scores, 'missing': missing, 'empty': empty}],
    {'label': label, 'score': score, 'prediction': none, 'group': group, 'item': item, 'rank': rank, 'tie_key': tie_key, 'weight': none, 'positives': none, 'total': none, 'group_weight': group_weight, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': judgments, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro mse(relation=none, label=none, score=none, weight=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'mse', relation, [{'name': 'mse'}],
    {'label': label, 'score': score, 'prediction': none, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': none, 'total': none, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro multi_auc(relation=none, label=none, weight=none, scores=none, multi_class="ovr", average="macro", by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'multi_auc', relation, [{'name': 'multi_auc', 'scores': scores, 'multi_class': multi_class, 'average': average}],
    {'label': label, 'score': none, 'prediction': none, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': none, 'total': none, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro multi_balanced_accuracy(relation=none, label=none, prediction=none, weight=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'multi_balanced_accuracy', relation, [{'name': 'multi_balanced_accuracy'}],
    {'label': label, 'score': none, 'prediction': prediction, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': none, 'total': none, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro multi_log_loss(relation=none, label=none, weight=none, scores=none, normalize=false, eps=2.220446049250313e-16, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'multi_log_loss', relation, [{'name': 'multi_log_loss', 'scores': scores, 'normalize': normalize, 'eps': eps}],
    {'label': label, 'score': none, 'prediction': none, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': none, 'total': none, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro multi_mcc(relation=none, label=none, prediction=none, weight=none, zero_division=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'multi_mcc', relation, [{'name': 'multi_mcc', 'zero_division': zero_division}],
    {'label': label, 'score': none, 'prediction': prediction, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': none, 'total': none, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro ndcg(relation=none, label=none, score=none, group=none, item=none, rank=none, tie_key=none, group_weight=none, k=none, gain="exp", discount="log2", ideal="judged", ideal_k="k", ties="worst", relevant_at=1, negative="error", precision_of_scores="double", missing="zero", empty="skip", judgments=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'ndcg', relation, [{'name': 'ndcg', 'k': k, 'gain': gain, 'discount': discount, 'ideal': ideal, 'ideal_k': ideal_k, 'ties': ties, 'relevant_at': relevant_at, 'negative': negative, 'precision_of_scores': precision_of_scores, 'missing': missing, 'empty': empty}],
    {'label': label, 'score': score, 'prediction': none, 'group': group, 'item': item, 'rank': rank, 'tie_key': tie_key, 'weight': none, 'positives': none, 'total': none, 'group_weight': group_weight, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': judgments, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro normalized_entropy(relation=none, label=none, score=none, weight=none, positives=none, total=none, eps=2.220446049250313e-16, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'normalized_entropy', relation, [{'name': 'normalized_entropy', 'eps': eps}],
    {'label': label, 'score': score, 'prediction': none, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': positives, 'total': total, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro normalized_gini(relation=none, label=none, score=none, weight=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'normalized_gini', relation, [{'name': 'normalized_gini'}],
    {'label': label, 'score': score, 'prediction': none, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': none, 'total': none, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro novelty(relation=none, score=none, group=none, item=none, rank=none, tie_key=none, k=none, popularity=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'novelty', relation, [{'name': 'novelty', 'k': k}],
    {'label': none, 'score': score, 'prediction': none, 'group': group, 'item': item, 'rank': rank, 'tie_key': tie_key, 'weight': none, 'positives': none, 'total': none, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': popularity, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro nrbp(relation=none, label=none, score=none, group=none, item=none, rank=none, tie_key=none, group_weight=none, subtopic=none, alpha=0.5, p=0.5, relevant_at=1, missing="zero", empty="skip", judgments=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'nrbp', relation, [{'name': 'nrbp', 'alpha': alpha, 'p': p, 'relevant_at': relevant_at, 'missing': missing, 'empty': empty}],
    {'label': label, 'score': score, 'prediction': none, 'group': group, 'item': item, 'rank': rank, 'tie_key': tie_key, 'weight': none, 'positives': none, 'total': none, 'group_weight': group_weight, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': subtopic},
    {'judgments': judgments, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro overlap_at_k(relation=none, label=none, score=none, group=none, item=none, rank=none, tie_key=none, group_weight=none, k=none, divisor="union", ties="worst", missing="zero", judgments=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'overlap_at_k', relation, [{'name': 'overlap_at_k', 'k': k, 'divisor': divisor, 'ties': ties, 'missing': missing}],
    {'label': label, 'score': score, 'prediction': none, 'group': group, 'item': item, 'rank': rank, 'tie_key': tie_key, 'weight': none, 'positives': none, 'total': none, 'group_weight': group_weight, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': judgments, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro pairwise_accuracy(relation=none, label=none, score=none, group=none, rank=none, group_weight=none, average="micro", equal_scores="half", max_group_size=5000, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'pairwise_accuracy', relation, [{'name': 'pairwise_accuracy', 'average': average, 'equal_scores': equal_scores, 'max_group_size': max_group_size}],
    {'label': label, 'score': score, 'prediction': none, 'group': group, 'item': none, 'rank': rank, 'tie_key': none, 'weight': none, 'positives': none, 'total': none, 'group_weight': group_weight, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro partial_auc(relation=none, label=none, score=none, weight=none, positives=none, total=none, max_fpr=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'partial_auc', relation, [{'name': 'partial_auc', 'max_fpr': max_fpr}],
    {'label': label, 'score': score, 'prediction': none, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': positives, 'total': total, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro pcoc(relation=none, label=none, score=none, weight=none, positives=none, total=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'pcoc', relation, [{'name': 'pcoc'}],
    {'label': label, 'score': score, 'prediction': none, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': positives, 'total': total, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro pearson_correlation(relation=none, label=none, score=none, weight=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'pearson_correlation', relation, [{'name': 'pearson_correlation'}],
    {'label': label, 'score': score, 'prediction': none, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': none, 'total': none, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro personalization(relation=none, score=none, group=none, item=none, rank=none, tie_key=none, k=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'personalization', relation, [{'name': 'personalization', 'k': k}],
    {'label': none, 'score': score, 'prediction': none, 'group': group, 'item': item, 'rank': rank, 'tie_key': tie_key, 'weight': none, 'positives': none, 'total': none, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro pinball(relation=none, label=none, score=none, weight=none, alpha=0.5, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'pinball', relation, [{'name': 'pinball', 'alpha': alpha}],
    {'label': label, 'score': score, 'prediction': none, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': none, 'total': none, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro pnr(relation=none, label=none, score=none, group=none, rank=none, group_weight=none, average="micro", max_group_size=5000, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'pnr', relation, [{'name': 'pnr', 'average': average, 'max_group_size': max_group_size}],
    {'label': label, 'score': score, 'prediction': none, 'group': group, 'item': none, 'rank': rank, 'tie_key': none, 'weight': none, 'positives': none, 'total': none, 'group_weight': group_weight, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro poisson_deviance(relation=none, label=none, score=none, weight=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'poisson_deviance', relation, [{'name': 'poisson_deviance'}],
    {'label': label, 'score': score, 'prediction': none, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': none, 'total': none, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro popularity_lift(relation=none, score=none, group=none, item=none, rank=none, tie_key=none, k=none, average="micro", popularity=none, history=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'popularity_lift', relation, [{'name': 'popularity_lift', 'k': k, 'average': average}],
    {'label': none, 'score': score, 'prediction': none, 'group': group, 'item': item, 'rank': rank, 'tie_key': tie_key, 'weight': none, 'positives': none, 'total': none, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': popularity, 'history': history, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro pr_auc(relation=none, label=none, score=none, weight=none, positives=none, total=none, interpolation="davis_goadrich", no_positives=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'pr_auc', relation, [{'name': 'pr_auc', 'interpolation': interpolation, 'no_positives': no_positives}],
    {'label': label, 'score': score, 'prediction': none, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': positives, 'total': total, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro pr_curve(relation=none, label=none, score=none, weight=none, positives=none, total=none, points=200, spacing="rows", zero_division=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'pr_curve', relation, [{'name': 'pr_curve', 'points': points, 'spacing': spacing, 'zero_division': zero_division}],
    {'label': label, 'score': score, 'prediction': none, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': positives, 'total': total, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro precision(relation=none, label=none, score=none, prediction=none, weight=none, positives=none, total=none, threshold=0.5, zero_division=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'precision', relation, [{'name': 'precision', 'threshold': threshold, 'zero_division': zero_division}],
    {'label': label, 'score': score, 'prediction': prediction, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': positives, 'total': total, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro precision_at_k(relation=none, label=none, score=none, group=none, item=none, rank=none, tie_key=none, group_weight=none, k=none, average="macro", ties="worst", relevant_at=1, negative="error", precision_of_scores="double", missing="zero", empty="skip", judgments=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'precision_at_k', relation, [{'name': 'precision_at_k', 'k': k, 'average': average, 'ties': ties, 'relevant_at': relevant_at, 'negative': negative, 'precision_of_scores': precision_of_scores, 'missing': missing, 'empty': empty}],
    {'label': label, 'score': score, 'prediction': none, 'group': group, 'item': item, 'rank': rank, 'tie_key': tie_key, 'weight': none, 'positives': none, 'total': none, 'group_weight': group_weight, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': judgments, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro precision_at_recall(relation=none, label=none, score=none, weight=none, positives=none, total=none, recall=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'precision_at_recall', relation, [{'name': 'precision_at_recall', 'recall': recall}],
    {'label': label, 'score': score, 'prediction': none, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': positives, 'total': total, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro precision_ia(relation=none, label=none, score=none, group=none, item=none, rank=none, tie_key=none, group_weight=none, subtopic=none, k=none, relevant_at=1, missing="zero", empty="skip", judgments=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'precision_ia', relation, [{'name': 'precision_ia', 'k': k, 'relevant_at': relevant_at, 'missing': missing, 'empty': empty}],
    {'label': label, 'score': score, 'prediction': none, 'group': group, 'item': item, 'rank': rank, 'tie_key': tie_key, 'weight': none, 'positives': none, 'total': none, 'group_weight': group_weight, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': subtopic},
    {'judgments': judgments, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro qini(relation=none, label=none, score=none, weight=none, positives=none, total=none, treatment=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'qini', relation, [{'name': 'qini'}],
    {'label': label, 'score': score, 'prediction': none, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': positives, 'total': total, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': treatment, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro qini_curve(relation=none, label=none, score=none, weight=none, positives=none, total=none, treatment=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'qini_curve', relation, [{'name': 'qini_curve'}],
    {'label': label, 'score': score, 'prediction': none, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': positives, 'total': total, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': treatment, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro quantile_coverage(relation=none, label=none, score=none, weight=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'quantile_coverage', relation, [{'name': 'quantile_coverage'}],
    {'label': label, 'score': score, 'prediction': none, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': none, 'total': none, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro r2(relation=none, label=none, score=none, weight=none, force_finite=false, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'r2', relation, [{'name': 'r2', 'force_finite': force_finite}],
    {'label': label, 'score': score, 'prediction': none, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': none, 'total': none, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro r_precision(relation=none, label=none, score=none, group=none, item=none, rank=none, tie_key=none, group_weight=none, ties="worst", relevant_at=1, negative="error", precision_of_scores="double", missing="zero", empty="skip", judgments=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'r_precision', relation, [{'name': 'r_precision', 'ties': ties, 'relevant_at': relevant_at, 'negative': negative, 'precision_of_scores': precision_of_scores, 'missing': missing, 'empty': empty}],
    {'label': label, 'score': score, 'prediction': none, 'group': group, 'item': item, 'rank': rank, 'tie_key': tie_key, 'weight': none, 'positives': none, 'total': none, 'group_weight': group_weight, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': judgments, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro rbo(relation=none, label=none, score=none, group=none, item=none, rank=none, tie_key=none, group_weight=none, p=0.9, k=none, beyond="extrapolated", ties="worst", missing="zero", judgments=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'rbo', relation, [{'name': 'rbo', 'p': p, 'k': k, 'beyond': beyond, 'ties': ties, 'missing': missing}],
    {'label': label, 'score': score, 'prediction': none, 'group': group, 'item': item, 'rank': rank, 'tie_key': tie_key, 'weight': none, 'positives': none, 'total': none, 'group_weight': group_weight, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': judgments, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro rbp(relation=none, label=none, score=none, group=none, item=none, rank=none, tie_key=none, group_weight=none, p=0.8, gain="binary", max_label=none, ties="worst", relevant_at=1, negative="error", precision_of_scores="double", missing="zero", empty="skip", judgments=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'rbp', relation, [{'name': 'rbp', 'p': p, 'gain': gain, 'max_label': max_label, 'ties': ties, 'relevant_at': relevant_at, 'negative': negative, 'precision_of_scores': precision_of_scores, 'missing': missing, 'empty': empty}],
    {'label': label, 'score': score, 'prediction': none, 'group': group, 'item': item, 'rank': rank, 'tie_key': tie_key, 'weight': none, 'positives': none, 'total': none, 'group_weight': group_weight, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': judgments, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro recall(relation=none, label=none, score=none, prediction=none, weight=none, positives=none, total=none, threshold=0.5, zero_division=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'recall', relation, [{'name': 'recall', 'threshold': threshold, 'zero_division': zero_division}],
    {'label': label, 'score': score, 'prediction': prediction, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': positives, 'total': total, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro recall_at_k(relation=none, label=none, score=none, group=none, item=none, rank=none, tie_key=none, group_weight=none, k=none, average="macro", ties="worst", relevant_at=1, negative="error", precision_of_scores="double", missing="zero", empty="skip", judgments=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'recall_at_k', relation, [{'name': 'recall_at_k', 'k': k, 'average': average, 'ties': ties, 'relevant_at': relevant_at, 'negative': negative, 'precision_of_scores': precision_of_scores, 'missing': missing, 'empty': empty}],
    {'label': label, 'score': score, 'prediction': none, 'group': group, 'item': item, 'rank': rank, 'tie_key': tie_key, 'weight': none, 'positives': none, 'total': none, 'group_weight': group_weight, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': judgments, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro recall_at_precision(relation=none, label=none, score=none, weight=none, positives=none, total=none, precision=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'recall_at_precision', relation, [{'name': 'recall_at_precision', 'precision': precision}],
    {'label': label, 'score': score, 'prediction': none, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': positives, 'total': total, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro relative_information_gain(relation=none, label=none, score=none, weight=none, positives=none, total=none, eps=2.220446049250313e-16, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'relative_information_gain', relation, [{'name': 'relative_information_gain', 'eps': eps}],
    {'label': label, 'score': score, 'prediction': none, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': positives, 'total': total, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro relative_precision(relation=none, label=none, score=none, group=none, item=none, rank=none, tie_key=none, group_weight=none, k=none, ties="worst", relevant_at=1, negative="error", precision_of_scores="double", missing="zero", empty="skip", judgments=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'relative_precision', relation, [{'name': 'relative_precision', 'k': k, 'ties': ties, 'relevant_at': relevant_at, 'negative': negative, 'precision_of_scores': precision_of_scores, 'missing': missing, 'empty': empty}],
    {'label': label, 'score': score, 'prediction': none, 'group': group, 'item': item, 'rank': rank, 'tie_key': tie_key, 'weight': none, 'positives': none, 'total': none, 'group_weight': group_weight, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': judgments, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro rips(relation=none, group=none, rank=none, reward=none, propensity=none, target=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'rips', relation, [{'name': 'rips'}],
    {'label': none, 'score': none, 'prediction': none, 'group': group, 'item': none, 'rank': rank, 'tie_key': none, 'weight': none, 'positives': none, 'total': none, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': reward, 'propensity': propensity, 'position': none, 'target': target, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro rmse(relation=none, label=none, score=none, weight=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'rmse', relation, [{'name': 'rmse'}],
    {'label': label, 'score': score, 'prediction': none, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': none, 'total': none, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro rmsle(relation=none, label=none, score=none, weight=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'rmsle', relation, [{'name': 'rmsle'}],
    {'label': label, 'score': score, 'prediction': none, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': none, 'total': none, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro roc_curve(relation=none, label=none, score=none, weight=none, positives=none, total=none, points=200, spacing="rows", by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'roc_curve', relation, [{'name': 'roc_curve', 'points': points, 'spacing': spacing}],
    {'label': label, 'score': score, 'prediction': none, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': positives, 'total': total, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro score_histogram(relation=none, label=none, score=none, weight=none, positives=none, total=none, bins=20, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'score_histogram', relation, [{'name': 'score_histogram', 'bins': bins}],
    {'label': label, 'score': score, 'prediction': none, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': positives, 'total': total, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro selection_rate(relation=none, score=none, prediction=none, weight=none, threshold=0.5, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'selection_rate', relation, [{'name': 'selection_rate', 'threshold': threshold}],
    {'label': none, 'score': score, 'prediction': prediction, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': none, 'total': none, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro serendipity(relation=none, label=none, score=none, group=none, item=none, rank=none, tie_key=none, group_weight=none, k=none, relevant_at=1, expected_items=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'serendipity', relation, [{'name': 'serendipity', 'k': k, 'relevant_at': relevant_at}],
    {'label': label, 'score': score, 'prediction': none, 'group': group, 'item': item, 'rank': rank, 'tie_key': tie_key, 'weight': none, 'positives': none, 'total': none, 'group_weight': group_weight, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': expected_items, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro set_f(relation=none, label=none, score=none, group=none, item=none, rank=none, tie_key=none, group_weight=none, beta=1, relevant_at=1, negative="error", missing="zero", empty="skip", judgments=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'set_f', relation, [{'name': 'set_f', 'beta': beta, 'relevant_at': relevant_at, 'negative': negative, 'missing': missing, 'empty': empty}],
    {'label': label, 'score': score, 'prediction': none, 'group': group, 'item': item, 'rank': rank, 'tie_key': tie_key, 'weight': none, 'positives': none, 'total': none, 'group_weight': group_weight, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': judgments, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro set_map(relation=none, label=none, score=none, group=none, item=none, rank=none, tie_key=none, group_weight=none, relevant_at=1, negative="error", missing="zero", empty="skip", judgments=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'set_map', relation, [{'name': 'set_map', 'relevant_at': relevant_at, 'negative': negative, 'missing': missing, 'empty': empty}],
    {'label': label, 'score': score, 'prediction': none, 'group': group, 'item': item, 'rank': rank, 'tie_key': tie_key, 'weight': none, 'positives': none, 'total': none, 'group_weight': group_weight, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': judgments, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro set_precision(relation=none, label=none, score=none, group=none, item=none, rank=none, tie_key=none, group_weight=none, relevant_at=1, negative="error", missing="zero", empty="skip", judgments=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'set_precision', relation, [{'name': 'set_precision', 'relevant_at': relevant_at, 'negative': negative, 'missing': missing, 'empty': empty}],
    {'label': label, 'score': score, 'prediction': none, 'group': group, 'item': item, 'rank': rank, 'tie_key': tie_key, 'weight': none, 'positives': none, 'total': none, 'group_weight': group_weight, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': judgments, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro set_recall(relation=none, label=none, score=none, group=none, item=none, rank=none, tie_key=none, group_weight=none, relevant_at=1, negative="error", missing="zero", empty="skip", judgments=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'set_recall', relation, [{'name': 'set_recall', 'relevant_at': relevant_at, 'negative': negative, 'missing': missing, 'empty': empty}],
    {'label': label, 'score': score, 'prediction': none, 'group': group, 'item': item, 'rank': rank, 'tie_key': tie_key, 'weight': none, 'positives': none, 'total': none, 'group_weight': group_weight, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': judgments, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro sips(relation=none, group=none, reward=none, propensity=none, target=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'sips', relation, [{'name': 'sips'}],
    {'label': none, 'score': none, 'prediction': none, 'group': group, 'item': none, 'rank': none, 'tie_key': none, 'weight': none, 'positives': none, 'total': none, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': reward, 'propensity': propensity, 'position': none, 'target': target, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro smape(relation=none, label=none, score=none, weight=none, form="200", by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'smape', relation, [{'name': 'smape', 'form': form}],
    {'label': label, 'score': score, 'prediction': none, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': none, 'total': none, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro sndr(relation=none, weight=none, reward=none, propensity=none, target=none, q_action=none, q_policy=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'sndr', relation, [{'name': 'sndr'}],
    {'label': none, 'score': none, 'prediction': none, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': none, 'total': none, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': reward, 'propensity': propensity, 'position': none, 'target': target, 'q_action': q_action, 'q_policy': q_policy, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro snips(relation=none, weight=none, reward=none, propensity=none, target=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'snips', relation, [{'name': 'snips'}],
    {'label': none, 'score': none, 'prediction': none, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': none, 'total': none, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': reward, 'propensity': propensity, 'position': none, 'target': target, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro spearman_correlation(relation=none, label=none, score=none, weight=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'spearman_correlation', relation, [{'name': 'spearman_correlation'}],
    {'label': label, 'score': score, 'prediction': none, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': none, 'total': none, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro specificity(relation=none, label=none, score=none, prediction=none, weight=none, positives=none, total=none, threshold=0.5, zero_division=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'specificity', relation, [{'name': 'specificity', 'threshold': threshold, 'zero_division': zero_division}],
    {'label': label, 'score': score, 'prediction': prediction, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': positives, 'total': total, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro subtopic_recall(relation=none, label=none, score=none, group=none, item=none, rank=none, tie_key=none, group_weight=none, subtopic=none, k=none, relevant_at=1, missing="zero", empty="skip", judgments=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'subtopic_recall', relation, [{'name': 'subtopic_recall', 'k': k, 'relevant_at': relevant_at, 'missing': missing, 'empty': empty}],
    {'label': label, 'score': score, 'prediction': none, 'group': group, 'item': item, 'rank': rank, 'tie_key': tie_key, 'weight': none, 'positives': none, 'total': none, 'group_weight': group_weight, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': subtopic},
    {'judgments': judgments, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro switch_dr(relation=none, weight=none, reward=none, propensity=none, target=none, q_action=none, q_policy=none, max_weight=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'switch_dr', relation, [{'name': 'switch_dr', 'max_weight': max_weight}],
    {'label': none, 'score': none, 'prediction': none, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': none, 'total': none, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': reward, 'propensity': propensity, 'position': none, 'target': target, 'q_action': q_action, 'q_policy': q_policy, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro tail_percentage(relation=none, score=none, group=none, item=none, rank=none, tie_key=none, k=none, share=0.1, at_most=none, popularity=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'tail_percentage', relation, [{'name': 'tail_percentage', 'k': k, 'share': share, 'at_most': at_most}],
    {'label': none, 'score': score, 'prediction': none, 'group': group, 'item': item, 'rank': rank, 'tie_key': tie_key, 'weight': none, 'positives': none, 'total': none, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': popularity, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro threshold_table(relation=none, label=none, score=none, weight=none, positives=none, total=none, points=200, spacing="rows", by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'threshold_table', relation, [{'name': 'threshold_table', 'points': points, 'spacing': spacing}],
    {'label': label, 'score': score, 'prediction': none, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': positives, 'total': total, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro top_k_accuracy(relation=none, label=none, weight=none, scores=none, k=none, equal_scores="worst", by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'top_k_accuracy', relation, [{'name': 'top_k_accuracy', 'scores': scores, 'k': k, 'equal_scores': equal_scores}],
    {'label': label, 'score': none, 'prediction': none, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': none, 'total': none, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro tpr_at_fpr(relation=none, label=none, score=none, weight=none, positives=none, total=none, fpr=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'tpr_at_fpr', relation, [{'name': 'tpr_at_fpr', 'fpr': fpr}],
    {'label': label, 'score': score, 'prediction': none, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': positives, 'total': total, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro tweedie_deviance(relation=none, label=none, score=none, weight=none, power=1.5, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'tweedie_deviance', relation, [{'name': 'tweedie_deviance', 'power': power}],
    {'label': label, 'score': score, 'prediction': none, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': none, 'total': none, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro unbiased_dcg(relation=none, label=none, score=none, group=none, item=none, rank=none, tie_key=none, group_weight=none, propensity=none, position=none, k=none, gain="exp", discount="log2", ties="worst", relevant_at=1, negative="error", precision_of_scores="double", missing="zero", empty="zero", judgments=none, propensities=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'unbiased_dcg', relation, [{'name': 'unbiased_dcg', 'k': k, 'gain': gain, 'discount': discount, 'ties': ties, 'relevant_at': relevant_at, 'negative': negative, 'precision_of_scores': precision_of_scores, 'missing': missing, 'empty': empty}],
    {'label': label, 'score': score, 'prediction': none, 'group': group, 'item': item, 'rank': rank, 'tie_key': tie_key, 'weight': none, 'positives': none, 'total': none, 'group_weight': group_weight, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': propensity, 'position': position, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': judgments, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': propensities},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro unbiased_ndcg(relation=none, label=none, score=none, group=none, item=none, rank=none, tie_key=none, group_weight=none, propensity=none, position=none, k=none, normalized_by="ideal", gain="exp", discount="log2", ties="worst", relevant_at=1, negative="error", precision_of_scores="double", missing="zero", empty="skip", judgments=none, propensities=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'unbiased_ndcg', relation, [{'name': 'unbiased_ndcg', 'k': k, 'normalized_by': normalized_by, 'gain': gain, 'discount': discount, 'ties': ties, 'relevant_at': relevant_at, 'negative': negative, 'precision_of_scores': precision_of_scores, 'missing': missing, 'empty': empty}],
    {'label': label, 'score': score, 'prediction': none, 'group': group, 'item': item, 'rank': rank, 'tie_key': tie_key, 'weight': none, 'positives': none, 'total': none, 'group_weight': group_weight, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': propensity, 'position': position, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': judgments, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': propensities},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro uncertainty(relation=none, label=none, score=none, weight=none, positives=none, total=none, loss="brier", by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'uncertainty', relation, [{'name': 'uncertainty', 'loss': loss}],
    {'label': label, 'score': score, 'prediction': none, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': positives, 'total': total, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro uplift_at_k(relation=none, label=none, score=none, weight=none, positives=none, total=none, treatment=none, share=0.3, strategy="overall", by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'uplift_at_k', relation, [{'name': 'uplift_at_k', 'share': share, 'strategy': strategy}],
    {'label': label, 'score': score, 'prediction': none, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': positives, 'total': total, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': treatment, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro uplift_auc(relation=none, label=none, score=none, weight=none, positives=none, total=none, treatment=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'uplift_auc', relation, [{'name': 'uplift_auc'}],
    {'label': label, 'score': score, 'prediction': none, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': positives, 'total': total, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': treatment, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro uplift_curve(relation=none, label=none, score=none, weight=none, positives=none, total=none, treatment=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'uplift_curve', relation, [{'name': 'uplift_curve'}],
    {'label': label, 'score': score, 'prediction': none, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': positives, 'total': total, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': treatment, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro utility(relation=none, label=none, score=none, group=none, item=none, rank=none, tie_key=none, group_weight=none, relevant_returned=1, other_returned=-1, relevant_missed=0, other_missed=0, collection_size=0, relevant_at=1, negative="error", missing="zero", judgments=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'utility', relation, [{'name': 'utility', 'relevant_returned': relevant_returned, 'other_returned': other_returned, 'relevant_missed': relevant_missed, 'other_missed': other_missed, 'collection_size': collection_size, 'relevant_at': relevant_at, 'negative': negative, 'missing': missing}],
    {'label': label, 'score': score, 'prediction': none, 'group': group, 'item': item, 'rank': rank, 'tie_key': tie_key, 'weight': none, 'positives': none, 'total': none, 'group_weight': group_weight, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': judgments, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro weighted_f1(relation=none, label=none, prediction=none, weight=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'weighted_f1', relation, [{'name': 'weighted_f1'}],
    {'label': label, 'score': none, 'prediction': prediction, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': none, 'total': none, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro weighted_kappa(relation=none, label=none, prediction=none, weight=none, weights="quadratic", by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'weighted_kappa', relation, [{'name': 'weighted_kappa', 'weights': weights}],
    {'label': label, 'score': none, 'prediction': prediction, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': none, 'total': none, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro weighted_precision(relation=none, label=none, prediction=none, weight=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'weighted_precision', relation, [{'name': 'weighted_precision'}],
    {'label': label, 'score': none, 'prediction': prediction, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': none, 'total': none, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro weighted_recall(relation=none, label=none, prediction=none, weight=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'weighted_recall', relation, [{'name': 'weighted_recall'}],
    {'label': label, 'score': none, 'prediction': prediction, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': none, 'total': none, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro wmape(relation=none, label=none, score=none, weight=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'wmape', relation, [{'name': 'wmape'}],
    {'label': label, 'score': score, 'prediction': none, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': none, 'total': none, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}

{%- macro youden_j(relation=none, label=none, score=none, prediction=none, weight=none, positives=none, total=none, threshold=0.5, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, anytime=false, round=none) -%}
{{ sqlmetrics.statement_of_call(
    'youden_j', relation, [{'name': 'youden_j', 'threshold': threshold}],
    {'label': label, 'score': score, 'prediction': prediction, 'group': none, 'item': none, 'rank': none, 'tie_key': none, 'weight': weight, 'positives': positives, 'total': total, 'group_weight': none, 'field': none, 'p_price': none, 'p_survive': none, 'won': none, 'reward': none, 'propensity': none, 'position': none, 'target': none, 'q_action': none, 'q_policy': none, 'lower_bound': none, 'upper_bound': none, 'treatment': none, 'duration': none, 'subtopic': none},
    {'judgments': none, 'catalog': none, 'similarity': none, 'popularity': none, 'history': none, 'item_categories': none, 'expected_items': none, 'embeddings': none, 'propensities': none},
    none, by, where, shape, diagnostics, confidence, cluster, standard_error, none, {'method': method, 'replicates': replicates, 'seed': seed, 'anytime': anytime}, round
) }}
{%- endmacro -%}
