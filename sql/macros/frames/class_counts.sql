{#-
title: class counts
rows: one per class, of the labels and of the predictions
slices: columns
columns: class, tp, fp, fn (weighted), row_count and, where a metric uses it, weight_of_all, that of all rows (totals)
-#}

{%- macro class_counts(f, rows_from, keys) -%}
{%- set class_pairs = 'class_pairs' ~ f.suffix -%}
{%- set class_counts -%}
select
    {{ sqlmetrics.lines(keys + ['class', 'sum(tp) as tp', 'sum(fp) as fp', 'sum(fn) as fn']) }},
{%- if 'totals' in f.uses %}
    sum(sum(tp) + sum(fn)) {{ sqlmetrics.over(keys) }} as weight_of_all,
{%- endif %}
    sum(row_count) as row_count
from (
    select
        {{ (keys + [
            'label_class as class',
            'case when label_class = predicted_class then weight else 0 end as tp',
            sqlmetrics.to_double('0') ~ ' as fp',
            'case when label_class = predicted_class then 0 else weight end as fn',
        ] + ['row_count']) | join(',\n        ') }}
    from {{ class_pairs }}
    union all
    select
        {{ (keys + [
            'predicted_class as class',
            sqlmetrics.to_double('0') ~ ' as tp',
            'weight as fp',
            sqlmetrics.to_double('0') ~ ' as fn',
            '0 as row_count',
        ]) | join(',\n        ') }}
    from {{ class_pairs }}
    where label_class <> predicted_class
) as classes
{{- sqlmetrics.group_by(keys + ['class']) }}
{%- endset -%}
{{ return(
    sqlmetrics.class_pairs(dict(f, cte=class_pairs), rows_from, keys)
    + [sqlmetrics.step(f.cte, class_counts, f.rows, [class_pairs, class_pairs])]
) }}
{%- endmacro -%}
