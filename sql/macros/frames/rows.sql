{#-
title: rows
rows: one per row of the log
unit: row
step: none
counts: count(*)
diagnostics: {positives: sum(pos)}
slices: columns
columns: score, pos, neg for a binary label_type; label, score, weight for a number; label_class, predicted_class, weight for a class
metric_parameters:
  threshold: {type: number, default: 0.5, doc: a row is predicted positive if its score is at least this, presets: {lightgbm: 0.5000000000000001}, used_by: {0.5000000000000001: 'LightGBM, which predicts negative at 0.5'}}
  eps: {type: number, default: 2.220446049250313e-16, minimum: 1.0e-300, maximum: 0.5, doc: 'probabilities are clipped to [eps, 1 − eps]', presets: {lightgbm: 1.0e-15, spark: 1.0e-15}, used_by: {1.0e-15: LightGBM and Spark}}
  zero_division: {type: number, default: null, minimum: 0, maximum: 1, doc: the value of an undefined quotient; NULL by default, presets: {sklearn: 0}, used_by: {0: scikit-learn}}
-#}

{#- Metrics of this frame aggregate the rows directly, so it has no step. -#}
{%- macro rows(f, rows_from, keys) -%}{%- endmacro -%}

{#- Aggregates over the rows. A metric of only these aggregates can be stored as a state. If m.state is a list, each aggregate adds a
    column there. The metric reads it as `state_…` or, with m.written_as, under a name with that prefix. -#}
{%- macro sum_of(m, value) -%}{{ sqlmetrics.aggregate_of(m, 'sum', value) }}{%- endmacro -%}
{%- macro max_of(m, value) -%}{{ sqlmetrics.aggregate_of(m, 'max', value) }}{%- endmacro -%}

{%- macro mean_of(m, value) -%}
{%- if m.state is defined -%}
{{ sqlmetrics.sum_of(m, value) }} / nullif({{ sqlmetrics.sum_of(m, 'case when ' ~ value ~ ' is not null then 1 else 0 end') }}, 0)
{%- else -%}
avg({{ value }})
{%- endif -%}
{%- endmacro -%}

{%- macro aggregate_of(m, aggregate, value) -%}
{%- if m.state is defined -%}
{%- set known = m.state | selectattr('value', 'equalto', value) | selectattr('aggregate', 'equalto', aggregate) | map(attribute='name') | list -%}
{%- set name = known[0] if known else sqlmetrics.name_in_state(m, aggregate, value) -%}
{%- if not known -%}{%- do m.state.append({'name': name, 'aggregate': aggregate, 'value': value}) -%}{%- endif -%}
{{ m.written_as ~ name if m.written_as is defined else aggregate ~ '(state_' ~ name ~ ')' }}
{%- else -%}
{{ aggregate }}({{ value }})
{%- endif -%}
{%- endmacro -%}

{#- States have readable column names; intervals have numbered ones. -#}
{%- macro name_in_state(m, aggregate, value) -%}
{%- set common = {'pos': 'positives', 'neg': 'negatives', 'weight': 'weight', 'pos + neg': 'weight', '(pos + neg)': 'weight', '(pos + neg) * score': 'score_sum', 'case when weight > 0 then 1 else 0 end': 'weighted_rows'} -%}
{%- if aggregate == 'sum' and value in common -%}
{{ return(common[value]) }}
{%- elif m.state_name is defined -%}
{{ return(m.state_name ~ '_' ~ aggregate ~ '_' ~ (m.state | length + 1)) }}
{%- endif -%}
{%- set name = m.as ~ '_' ~ sqlmetrics.name_of_aggregate(m, aggregate, value) -%}
{%- set same = [] -%}
{%- for column in m.state if column.name == name or column.name.startswith(name ~ '_') -%}{%- do same.append(column.name) -%}{%- endfor -%}
{{ return(name ~ ('_' ~ (same | length + 1) if same else '')) }}
{%- endmacro -%}

{#- The aggregate in words: its name in the confusion matrix, or count, sum or max. -#}
{%- macro name_of_aggregate(m, aggregate, value) -%}
{%- set called = sqlmetrics.called(m) if m.threshold is defined else none -%}
{%- if called is not none and value.endswith(called) -%}
{{ return('false_positives' if value.startswith('neg ') else 'called_positive' if 'neg' in value else 'true_positives') }}
{%- elif called is not none and called in value -%}
{{ return('true_negatives' if value.startswith('neg ') else 'called_negative' if 'neg' in value else 'false_negatives') }}
{%- endif -%}
{{ return('count' if value.endswith(' is not null then 1 else 0 end') else aggregate) }}
{%- endmacro -%}

{#- The weight of a row, empty for unweighted rows. A state stores only sums, so it always sums weights. -#}
{%- macro row_weight(m) -%}
{{ '(pos + neg)' if 'total' in m.requires else 'weight' if 'weight' in m.requires or m.state is defined }}
{%- endmacro -%}

{%- macro weighted_sum(m, value) -%}
{%- set weight = sqlmetrics.row_weight(m) -%}
{{ sqlmetrics.sum_of(m, weight ~ ' * ' ~ value if weight else value) }}
{%- endmacro -%}

{%- macro weighted_mean(m, value) -%}
{%- set weight = sqlmetrics.row_weight(m) -%}
{{ sqlmetrics.safe_divide(sqlmetrics.weighted_sum(m, value), sqlmetrics.sum_of(m, weight) if weight else 'count(*)') }}
{%- endmacro -%}

{#- Predicted positive: the predicted class if given, else a score at or above the threshold; then the same as 1 or 0. -#}
{%- macro called_positive(m) -%}{{ 'prediction = 1' if 'prediction' in m.requires else 'score >= ' ~ sqlmetrics.number(m.threshold) }}{%- endmacro -%}
{%- macro called(m) -%}{{ 'prediction' if 'prediction' in m.requires else sqlmetrics.dialect_text('boolean_to_double', sqlmetrics.called_positive(m)) }}{%- endmacro -%}

{#- The four cells of the confusion matrix and their margins. Counts are exact, so three sums give all cells of unweighted rows. A
    difference of weights may lose all digits, so each cell sums its own weights. -#}
{%- macro cell_of_matrix(m, value, from_counts) -%}{{ sqlmetrics.sum_of(m, value) if sqlmetrics.row_weight(m) else '(' ~ from_counts ~ ')' }}{%- endmacro -%}

{%- macro true_positives(m) -%}{{ sqlmetrics.sum_of(m, 'pos * ' ~ sqlmetrics.called(m)) }}{%- endmacro -%}

{%- macro false_positives(m) -%}
{%- set called = sqlmetrics.called(m) -%}
{{ sqlmetrics.cell_of_matrix(m, 'neg * ' ~ called, 'sum(' ~ called ~ ') - sum(pos * ' ~ called ~ ')') }}
{%- endmacro -%}

{%- macro false_negatives(m) -%}
{%- set called = sqlmetrics.called(m) -%}
{{ sqlmetrics.cell_of_matrix(m, 'pos * (1 - ' ~ called ~ ')', 'sum(pos) - sum(pos * ' ~ called ~ ')') }}
{%- endmacro -%}

{%- macro true_negatives(m) -%}
{%- set called = sqlmetrics.called(m) -%}
{{ sqlmetrics.cell_of_matrix(m, 'neg * (1 - ' ~ called ~ ')', 'count(*) - sum(pos) - sum(' ~ called ~ ')\n        + sum(pos * ' ~ called ~ ')') }}
{%- endmacro -%}

{%- macro rows_called_positive(m) -%}{{ sqlmetrics.sum_of(m, ('(pos + neg) * ' if sqlmetrics.row_weight(m) else '') ~ sqlmetrics.called(m)) }}{%- endmacro -%}

{%- macro rows_called_negative(m) -%}
{%- set called = sqlmetrics.called(m) -%}
{{ sqlmetrics.cell_of_matrix(m, '(pos + neg) * (1 - ' ~ called ~ ')', 'count(*) - sum(' ~ called ~ ')') }}
{%- endmacro -%}

{%- macro positives(m) -%}{{ sqlmetrics.sum_of(m, 'pos') }}{%- endmacro -%}
{%- macro negatives(m) -%}{{ sqlmetrics.cell_of_matrix(m, 'neg', 'count(*) - sum(pos)') }}{%- endmacro -%}
{%- macro positives_and_negatives(m) -%}{{ sqlmetrics.sum_of(m, 'pos + neg') if sqlmetrics.row_weight(m) else 'count(*)' }}{%- endmacro -%}
{%- macro score_sum(m) -%}{{ sqlmetrics.sum_of(m, '(pos + neg) * score' if sqlmetrics.row_weight(m) else 'score') }}{%- endmacro -%}

{#- The mean of −ln p(observed label), p clipped to [eps, 1 − eps]. An unweighted row needs only one logarithm. -#}
{%- macro cross_entropy(m, precise=false) -%}
{%- set eps = sqlmetrics.number(m.eps) -%}
{%- if 'total' in m.requires or 'weight' in m.requires -%}
{%- set logarithms -%}
{{ '\n    ' }}pos * ln(least(greatest(score, {{ eps }}), 1 - {{ eps }}))
    + neg * ln(least(greatest(1 - score, {{ eps }}), 1 - {{ eps }}))
{{ '' }}
{%- endset -%}
-{{ sqlmetrics.sum_of(m, logarithms) }} / nullif({{ sqlmetrics.sum_of(m, 'pos + neg') }}, 0)
{%- else -%}
{#- |neg − score| is the probability of the observed label. The upper clip at 1 − eps costs as much as a logarithm, so it is used only for
    eps > 1e-15 (or `precise`). A condition costs less than `greatest`. -#}
{%- set happened = 'case when abs(neg - score) > ' ~ eps ~ ' then abs(neg - score) else ' ~ eps ~ ' end' -%}
{%- set happened = happened if m.eps <= 1e-15 and not precise else 'least(\n        ' ~ happened ~ ',\n        1 - ' ~ eps ~ '\n    )' -%}
0 - {{ sqlmetrics.sum_of(m, 'ln(' ~ happened ~ ')') }} / nullif({{ sqlmetrics.sum_of(m, 'pos + neg') if m.state is defined else 'count(*)' }}, 0)
{%- endif -%}
{%- endmacro -%}

{#- Rows with a deviance. Plain SQL drops rows without a logarithm; the runner raises an error. -#}
{%- macro has_deviance(power) -%}score > 0 and label {{ '>=' if power < 2 else '>' }} 0{%- endmacro -%}

{#- The Tweedie deviance of a label from a prediction, for a power from 1 (Poisson) to 2 (Gamma). If they differ by at most 1%, powers and
    logarithms cancel. There it is the binomial series, up to the eighth power, of
    μ^(2 - p) · ((1 + r)^(2 - p) - (2 - p) · r - 1) · 2 / ((1 - p) · (2 - p)), r = (y - μ) / μ. -#}
{%- macro deviance(prediction, power, label='label') -%}
{%- set exponent = sqlmetrics.to_double(sqlmetrics.number(power)) -%}
{%- set apart = '((' ~ label ~ ' - ' ~ prediction ~ ') / ' ~ prediction ~ ')' -%}
{%- set scale = '1' if power == 2 else prediction if power == 1 else 'power(' ~ prediction ~ ', 2 - ' ~ exponent ~ ')' -%}
{%- set terms = [1.0] -%}
{%- for k in range(3, 9) -%}{%- do terms.append(terms[-1] * (3 - k - power) / k) -%}{%- endfor -%}
case
    when {{ label }} = {{ prediction }} then 0
    when {{ prediction }} > 0 and abs({{ label }} - {{ prediction }}) <= 0.01 * {{ prediction }}
        then {{ scale }} * ({{ apart }} * ({{ apart }} * (
{%- for term in terms[:-1] %}
            {{ sqlmetrics.number(term) }} + {{ apart }} * (
{%- endfor %}
            {{ sqlmetrics.number(terms[-1]) }}{{ ')' * (terms | length + 2) }}
    when {{ prediction }} > 0{{ ' and ' ~ sqlmetrics.has_deviance(power) if label == 'label' }} then 2 * (
{%- if power == 1 %}
        case when {{ label }} > 0 then {{ label }} * ln({{ label }} / {{ prediction }}) else 0 end
        - {{ label }} + {{ prediction }}
{%- elif power == 2 %}
        {{ label }} / {{ prediction }} - ln({{ label }} / {{ prediction }}) - 1
{%- else %}
        power({{ label }}, 2 - {{ exponent }}) / ((1 - {{ exponent }}) * (2 - {{ exponent }}))
        - {{ label }} * power({{ prediction }}, 1 - {{ exponent }}) / (1 - {{ exponent }})
        + {{ scale }} / (2 - {{ exponent }})
{%- endif %}
    )
end
{%- endmacro -%}

{%- macro mean_deviance(m, power) -%}
{%- set counted = sqlmetrics.sum_of(m, 'case when ' ~ sqlmetrics.has_deviance(power) ~ ' then weight end') -%}
{{ sqlmetrics.safe_divide(sqlmetrics.sum_of(m, 'weight * ' ~ sqlmetrics.deviance('score', power)), counted) }}
{%- endmacro -%}

{%- macro pinball_loss(level, quantile) -%}
{%- set alpha = sqlmetrics.number(level) -%}
{{ alpha }} * greatest(label - {{ quantile }}, 0) + (1 - {{ alpha }}) * greatest({{ quantile }} - label, 0)
{%- endmacro -%}

{#- The explained share of a loss. For a constant label it is NULL or, with `force_finite`, 1 (no loss) or 0. As in scikit-learn, it is
    then NULL for fewer than `least_rows` rows. -#}
{%- macro explained_share(m, loss, loss_of_constant, least_rows) -%}
{%- if not m.force_finite -%}
1 - {{ sqlmetrics.safe_divide(loss, loss_of_constant) }}
{%- else -%}
1 - coalesce(
    {{ loss }}
    / nullif({{ loss_of_constant }}, 0),
    case
        when {{ sqlmetrics.sum_of(m, 'case when weight > 0 then 1 else 0 end') }} >= {{ least_rows }}
            then case when {{ loss }} > 0 then 1 else 0 end
    end
)
{%- endif -%}
{%- endmacro -%}

{#- An undefined quotient is NULL or `zero_division`. -#}
{%- macro divided_or(m, numerator, denominator) -%}
{%- if m.zero_division is none -%}
{{ sqlmetrics.safe_divide(numerator, denominator) }}
{%- else -%}
coalesce({{ sqlmetrics.safe_divide(numerator, denominator) }}, {{ m.zero_division }})
{%- endif -%}
{%- endmacro -%}
