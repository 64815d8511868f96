{#-
title: rows
rows: one per row of the log
columns: score, pos, neg for a binary truth; label, score, weight for a number; label_class, predicted_class, weight for a class
metric_parameters:
  threshold: {type: number, default: 0.5, doc: a row is called positive when its score is at least this}
  eps:
    type: number
    default: 2.220446049250313e-16
    minimum: 1.0e-300
    maximum: 0.5
    doc: how near to 0 and 1 a probability may come
    presets: {lightgbm: 1.0e-15}
    used_by: {1.0e-15: LightGBM}
  zero_division: {type: number, default: null, minimum: 0, maximum: 1, doc: the value of an undefined quotient; NULL by default, presets: {sklearn: 0}, used_by: {0: scikit-learn}}
-#}

{#- The metrics of this frame aggregate the rows as they are: no step of its own. -#}
{%- macro rows(f, rows_from, keys) -%}
{%- endmacro -%}

{#- What a row counts for: nothing is written where it counts as one row. -#}
{%- macro row_weight(m) -%}
{%- if 'total' in m.requires -%}
(pos + neg)
{%- elif 'weight' in m.requires -%}
weight
{%- endif -%}
{%- endmacro -%}

{%- macro weighted_sum(m, value) -%}
{%- set weight = sqlmetrics.row_weight(m) -%}
sum({{ weight ~ ' * ' if weight }}{{ value }})
{%- endmacro -%}

{%- macro total_weight(m) -%}
{%- set weight = sqlmetrics.row_weight(m) -%}
{{ 'sum(' ~ weight ~ ')' if weight else 'count(*)' }}
{%- endmacro -%}

{%- macro weighted_mean(m, value) -%}
{{ sqlmetrics.safe_divide(sqlmetrics.weighted_sum(m, value), sqlmetrics.total_weight(m)) }}
{%- endmacro -%}

{#- Called positive: the predicted class where one is given, else a score at the threshold or above. -#}
{%- macro called_positive(m) -%}
{{ 'prediction = 1' if 'prediction' in m.requires else 'score >= ' ~ sqlmetrics.number(m.threshold) }}
{%- endmacro -%}

{#- The same as 1 or 0. -#}
{%- macro called(m) -%}
{{ 'prediction' if 'prediction' in m.requires else sqlmetrics.truth_to_double(sqlmetrics.called_positive(m)) }}
{%- endmacro -%}

{#- The four cells of the confusion matrix and their margins. Unweighted rows are counted, and counts are exact: three sums
    give them all. The difference of two weights may have no right digit, so weights are added up cell by cell. -#}
{%- macro true_positives(m) -%}
sum(pos * {{ sqlmetrics.called(m) }})
{%- endmacro -%}

{%- macro false_positives(m) -%}
{%- if sqlmetrics.row_weight(m) -%}
sum(neg * {{ sqlmetrics.called(m) }})
{%- else -%}
(sum({{ sqlmetrics.called(m) }}) - {{ sqlmetrics.true_positives(m) }})
{%- endif -%}
{%- endmacro -%}

{%- macro false_negatives(m) -%}
{%- if sqlmetrics.row_weight(m) -%}
sum(pos * (1 - {{ sqlmetrics.called(m) }}))
{%- else -%}
(sum(pos) - {{ sqlmetrics.true_positives(m) }})
{%- endif -%}
{%- endmacro -%}

{%- macro true_negatives(m) -%}
{%- if sqlmetrics.row_weight(m) -%}
sum(neg * (1 - {{ sqlmetrics.called(m) }}))
{%- else -%}
(count(*) - sum(pos) - sum({{ sqlmetrics.called(m) }}) + {{ sqlmetrics.true_positives(m) }})
{%- endif -%}
{%- endmacro -%}

{%- macro rows_called_positive(m) -%}
{{ 'sum((pos + neg) * ' ~ sqlmetrics.called(m) ~ ')' if sqlmetrics.row_weight(m) else 'sum(' ~ sqlmetrics.called(m) ~ ')' }}
{%- endmacro -%}

{%- macro rows_called_negative(m) -%}
{{ 'sum((pos + neg) * (1 - ' ~ sqlmetrics.called(m) ~ '))' if sqlmetrics.row_weight(m) else '(count(*) - sum(' ~ sqlmetrics.called(m) ~ '))' }}
{%- endmacro -%}

{%- macro negatives(m) -%}
{{ 'sum(neg)' if sqlmetrics.row_weight(m) else '(count(*) - sum(pos))' }}
{%- endmacro -%}

{#- All rows by their weight, where pos and neg hold it. -#}
{%- macro positives_and_negatives(m) -%}
{{ 'sum(pos + neg)' if sqlmetrics.row_weight(m) else 'count(*)' }}
{%- endmacro -%}

{#- The sum of the scores, by weight. -#}
{%- macro score_sum(m) -%}
{{ 'sum((pos + neg) * score)' if sqlmetrics.row_weight(m) else 'sum(score)' }}
{%- endmacro -%}

{#- The mean of −ln p(what happened), p kept within [eps, 1 − eps]. A row that is one of the two needs one logarithm. -#}
{%- macro cross_entropy(m) -%}
{%- set eps = sqlmetrics.number(m.eps) -%}
{%- if sqlmetrics.row_weight(m) -%}
-sum(
    pos * ln(least(greatest(score, {{ eps }}), 1 - {{ eps }}))
    + neg * ln(least(greatest(1 - score, {{ eps }}), 1 - {{ eps }}))
) / nullif(sum(pos + neg), 0)
{%- else -%}
-sum(ln(least(greatest(case when pos = 1 then score else 1 - score end, {{ eps }}), 1 - {{ eps }}))) / nullif(count(*), 0)
{%- endif -%}
{%- endmacro -%}

{#- An undefined quotient is NULL, or what the caller asked for instead. -#}
{%- macro divided_or(m, numerator, denominator) -%}
{%- if m.zero_division is none -%}
{{ sqlmetrics.safe_divide(numerator, denominator) }}
{%- else -%}
coalesce({{ sqlmetrics.safe_divide(numerator, denominator) }}, {{ m.zero_division }})
{%- endif -%}
{%- endmacro -%}
