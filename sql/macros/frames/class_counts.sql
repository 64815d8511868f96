{#-
title: class counts
rows: one per class, of the labels and of the predictions
slices: columns
columns: class, tp, fp, fn (weighted), row_count
-#}

{%- macro class_counts(f, rows_from, keys) -%}
{%- set class_pairs -%}
select
    {{ sqlmetrics.lines(keys + ['label_class', 'predicted_class', 'sum(weight) as weight']) }},
    count(*) as row_count
from {{ rows_from }}
{{- f.where }}
{{- sqlmetrics.group_by(keys + ['label_class', 'predicted_class']) }}
{%- endset -%}
{%- set class_counts -%}
select
    {{ sqlmetrics.lines(keys + ['class', 'sum(tp) as tp', 'sum(fp) as fp', 'sum(fn) as fn']) }},
    sum(row_count) as row_count
from (
    select
        {{ (keys + [
            'label_class as class',
            'case when label_class = predicted_class then weight else 0 end as tp',
            sqlmetrics.to_double('0') ~ ' as fp',
            'case when label_class = predicted_class then 0 else weight end as fn',
        ] + ['row_count']) | join(',\n        ') }}
    from class_pairs{{ f.suffix }}
    union all
    select
        {{ (keys + [
            'predicted_class as class',
            sqlmetrics.to_double('0') ~ ' as tp',
            'weight as fp',
            sqlmetrics.to_double('0') ~ ' as fn',
            '0 as row_count',
        ]) | join(',\n        ') }}
    from class_pairs{{ f.suffix }}
    where label_class <> predicted_class
) as classes
{{- sqlmetrics.group_by(keys + ['class']) }}
{%- endset -%}
{{ return([
    sqlmetrics.step('class_pairs' ~ f.suffix, class_pairs, 'one per pair of true and predicted class', [rows_from], stored=true),
    sqlmetrics.step(f.cte, class_counts, f.rows, ['class_pairs' ~ f.suffix, 'class_pairs' ~ f.suffix]),
]) }}
{%- endmacro -%}
