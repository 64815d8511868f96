{#-
title: centred rows
rows: one per row of the log, with the means of its slice
counts: count(*)
state: row
columns: label, score, weight, mean_label and, where a metric uses them, mean_score and mean_error (of label − score)
metric_parameters:
  force_finite: {type: boolean, default: false, doc: 'return 1 (exact predictions) or 0 (others) for a constant label, instead of NULL', presets: {sklearn: true}, used_by: {true: scikit-learn}}
-#}

{#- Two passes: sums of squares from a single pass lose digits for labels far from 0. A join takes an eighth of the time of windows. -#}
{%- macro centred_rows(f, rows_from, keys) -%}
{%- set means = ['mean_label'] + (['mean_score'] if 'mean_score' in f.uses else []) + (['mean_error'] if 'mean_error' in f.uses else []) -%}
{%- set values = {'mean_label': 'label', 'mean_score': 'score', 'mean_error': '(label - score)'} -%}
{{ sqlmetrics.cte('means' ~ f.suffix, 'one per slice') }}
select
    {{- sqlmetrics.leading(keys) }}
{%- for name in means %}
    {{ sqlmetrics.mean_of_slice(values[name]) }} as {{ name }}{{ ',' if not loop.last }}
{%- endfor %}
from {{ rows_from }}
{{- f.where }}
{{- sqlmetrics.group_by(keys) }}
{{ sqlmetrics.rows_next_to(f, 'means', rows_from, keys, means) }}
{%- endmacro -%}

{#- The last step of a frame joins the values of each slice to its rows. `carried` lists the row columns for states and intervals. -#}
{%- macro rows_next_to(f, step, rows_from, keys, columns) -%}
{{ sqlmetrics.cte(f.cte, f.rows) }}
select{{ sqlmetrics.broadcast(step) }}
    {{ sqlmetrics.select_list(sqlmetrics.keys_of('used', keys) + f.get('carried', ['label', 'score', 'weight']) + columns) }}
from {{ rows_from }} as used
inner join {{ step ~ f.suffix }} as {{ step }}{{ sqlmetrics.on('used', step, keys) }}
{{- f.where }}
{%- endmacro -%}

{#- The weighted mean; for a constant value, exactly that value. -#}
{%- macro mean_of_slice(value, weight='weight') -%}
{%- set used = 'case when ' ~ weight ~ ' > 0 then ' ~ value ~ ' end' -%}
case
    when min({{ used }}) = max({{ used }})
        then min({{ used }})
    else sum({{ weight }} * {{ value }}) / nullif(sum({{ weight }}), 0)
end
{%- endmacro -%}

{#- The squared difference of a value from a mean or, for a power above 0, the Tweedie deviance. -#}
{%- macro distance(value, mean, power) -%}
{{ sqlmetrics.square('(' ~ value ~ ' - ' ~ mean ~ ')') if power == 0 else sqlmetrics.deviance(mean, power, value) }}
{%- endmacro -%}

{#- Σ w·d(value, its mean in the slice). The sum of the differences corrects the squares for rounding of the mean of large values. A state
    stores the divergence from the mean of each part and the sum of the differences. `parts_around_means` shifts them to a mean c. As for
    every Bregman divergence, Σ w·d(y, c) is Σ w·d(y, ȳ) + W·d(ȳ, c). -#}
{%- macro sum_around_mean(m, value, mean, power=0) -%}
{%- set own = 'weight * ' ~ sqlmetrics.distance(value, mean, power) -%}
{%- if m.state is not defined and power == 0 -%}
{{ sqlmetrics.around_true_means(own, value, mean, value, mean) }}
{%- elif m.state is not defined -%}
sum({{ own }})
{%- else -%}
{%- set what = mean | replace('mean_', '') -%}
{%- set divergence = (what if power == 0 else m.as) ~ '_divergence' -%}
{%- do sqlmetrics.note_columns(m, sqlmetrics.columns_of_mean(value, mean) + [
    {'name': divergence, 'aggregate': 'sum', 'value': own, 'of': 'divergence', 'mean': mean, 'residual': what ~ '_residual', 'power': power},
]) -%}
{%- set shift = 'sum(state_' ~ what ~ '_residual) / nullif(sum(state_weight), 0)' -%}
{%- set from_mean = sqlmetrics.square('(' ~ shift ~ ')') if power == 0 else sqlmetrics.distance('(max(state_' ~ mean ~ ') + ' ~ shift ~ ')', 'max(state_' ~ mean ~ ')', power) -%}
case
    when min(state_{{ mean }}_least) = max(state_{{ mean }}_most) and sum(state_{{ divergence }}_within) = 0 then 0
    else sum(state_{{ divergence }}) - sum(state_weight) * {{ from_mean }}
end
{%- endif -%}
{%- endmacro -%}

{#- Sum of products of differences from two means (or of squares, from one), corrected for rounding of the means. -#}
{%- macro around_true_means(own, value, mean, other, other_mean) -%}
{%- set residual = 'sum(weight * (' ~ value ~ ' - ' ~ mean ~ '))' -%}
{%- set other_residual = 'sum(weight * (' ~ other ~ ' - ' ~ other_mean ~ '))' -%}
(
    sum({{ own }})
    - {{ sqlmetrics.product(residual, '(' ~ other_residual ~ ' / nullif(sum(weight), 0))') }}
)
{%- endmacro -%}

{#- State columns of a mean: the weight, the mean, and the sum of differences from it. -#}
{%- macro columns_of_mean(value, mean) -%}
{{ return([
    {'name': 'weight', 'aggregate': 'sum', 'value': 'weight'},
    {'name': mean, 'aggregate': 'max', 'value': mean, 'of': 'mean'},
    {'name': mean | replace('mean_', '') ~ '_residual', 'aggregate': 'sum', 'value': 'weight * (' ~ value ~ ' - ' ~ mean ~ ')', 'of': 'residual', 'mean': mean},
]) }}
{%- endmacro -%}

{%- macro note_columns(m, columns) -%}
{%- for column in columns if column.name not in m.state | map(attribute='name') -%}{%- do m.state.append(column) -%}{%- endfor -%}
{%- endmacro -%}

{#- Σ w·(y − its mean)·(ŷ − its mean). A state shifts it like the divergences. -#}
{%- macro sum_of_products(m) -%}
{%- set own = 'weight * ' ~ sqlmetrics.product('(label - mean_label)', '(score - mean_score)') -%}
{%- if m.state is not defined -%}
{{ sqlmetrics.around_true_means(own, 'label', 'mean_label', 'score', 'mean_score') }}
{%- else -%}
{%- do sqlmetrics.note_columns(m, sqlmetrics.columns_of_mean('label', 'mean_label') + sqlmetrics.columns_of_mean('score', 'mean_score') + [
    {'name': 'sum_of_products', 'aggregate': 'sum', 'value': own, 'of': 'products'},
]) -%}
(sum(state_sum_of_products) - sum(state_label_residual) * (sum(state_score_residual) / nullif(sum(state_weight), 0)))
{%- endif -%}
{%- endmacro -%}

{#- The same with fixed means from the rows: a small shift of the means hardly changes the sums. -#}
{%- macro sum_of_products_at_fixed_means(m) -%}{{ sqlmetrics.sum_of(m, 'weight * ' ~ sqlmetrics.product('(label - mean_label)', '(score - mean_score)')) }}{%- endmacro -%}

{%- macro sum_around_fixed_mean(m, value, mean, power=0) -%}{{ sqlmetrics.sum_of(m, 'weight * ' ~ sqlmetrics.distance(value, mean, power)) }}{%- endmacro -%}
