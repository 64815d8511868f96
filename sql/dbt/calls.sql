{#- Compute several metrics of one relation in one statement: a row per slice, a column per metric. -#}
{%- macro evaluate(relation=none, metrics=none, preset=none, by=none, where=none, shape=none, diagnostics=false, confidence=none, cluster=none, standard_error=false, method=none, replicates=none, seed=none, round=none) -%}
{{ sqlmetrics.statement_of_call('evaluate', relation, metrics, kwargs, {
    'preset': preset, 'by': by, 'where': where, 'shape': shape, 'diagnostics': diagnostics, 'confidence': confidence, 'cluster': cluster,
    'standard_error': standard_error, 'method': method, 'replicates': replicates, 'seed': seed, 'round': round,
}) }}
{%- endmacro -%}

{#- Compare scores with a baseline: a row per slice, metric and model with the difference, its interval, p-values and a verdict, like
    `sqlmetrics.compare` in Python. -#}
{%- macro compare(relation=none, metrics=none, preset=none, by=none, where=none, shape=none, confidence=0.95, cluster=none, method=none, replicates=none, seed=none, against=none, baseline=none, relative=false, test='t', adjust='holm', power=0.8, round=none) -%}
{{ sqlmetrics.statement_of_call('compare', relation, metrics, kwargs, {
    'preset': preset, 'by': by, 'where': where, 'shape': shape, 'confidence': confidence, 'cluster': cluster, 'method': method,
    'replicates': replicates, 'seed': seed,
    'comparison': {'against': against, 'baseline': baseline, 'relative': relative, 'test': test, 'adjust': adjust, 'power': power},
    'round': round,
}) }}
{%- endmacro -%}

{#- Compare slices by each metric: a row per metric with the highest and the lowest slice, their difference and ratio, like
    `sqlmetrics.gaps` in Python. -#}
{%- macro gaps(relation=none, metrics=none, preset=none, by=none, where=none, shape=none, min_rows=none, confidence=none, cluster=none, round=none) -%}
{{ sqlmetrics.statement_of_call('gaps', relation, metrics, kwargs, {
    'preset': preset, 'by': by, 'where': where, 'shape': shape, 'gaps': {'min_rows': min_rows}, 'confidence': confidence, 'cluster': cluster,
    'round': round,
}) }}
{%- endmacro -%}
