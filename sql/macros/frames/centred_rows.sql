{#-
title: centred rows
rows: one per row of the log, beside the means of its slice
counts: count(*)
columns: label, score, weight, mean_label and, where a metric uses it, mean_error (of label − score)
-#}

{#- Two passes: the means first. Sums of squares taken in one would lose the digits of labels far from 0. A join, because windows
    over all rows took eight times as long on DuckDB (five million rows, no slices), and are one task on Spark. -#}
{%- macro centred_rows(f, rows_from, keys) -%}
{%- set means = 'means' ~ f.suffix -%}
{%- set averages = [sqlmetrics.mean_of_slice('label') ~ ' as mean_label'] -%}
{%- if 'mean_error' in f.uses -%}{%- do averages.append(sqlmetrics.mean_of_slice('(label - score)') ~ ' as mean_error') -%}{%- endif -%}
{%- set means_of_slices -%}
select
    {{ sqlmetrics.lines(keys + averages) }}
from {{ rows_from }}
{{- f.where }}
{{- sqlmetrics.group_by(keys) }}
{%- endset -%}
{%- set same = sqlmetrics.same_keys('used', 'means', keys) -%}
{%- set centred_rows -%}
select{{ sqlmetrics.broadcast('means') }}
    {{ sqlmetrics.lines(sqlmetrics.keys_of('used', keys) + ['label', 'score', 'weight', 'mean_label'] + (['mean_error'] if 'mean_error' in f.uses else [])) }}
from {{ rows_from }} as used
inner join {{ means }} as means
    on {{ same | join('\n    and ') if same else '1 = 1' }}
{{- f.where }}
{%- endset -%}
{{ return([
    sqlmetrics.step(means, means_of_slices, 'one per slice', [rows_from]),
    sqlmetrics.step(f.cte, centred_rows, f.rows, [rows_from, means]),
]) }}
{%- endmacro -%}

{#- The mean by weight; of values that are all the same, that value to the last digit. -#}
{%- macro mean_of_slice(value) -%}
{%- set used = 'case when weight > 0 then ' ~ value ~ ' end' -%}
case
    when min({{ used }}) = max({{ used }}) then min({{ used }})
    else sum(weight * {{ value }}) / nullif(sum(weight), 0)
end
{%- endmacro -%}
