{#-
title: class counts
rows: one per class, of the labels and of the predictions
slices: columns
identifiers: [class]
perturbed: [tp, fp, fn, weight_of_all]
state: {keys: [label_class, predicted_class], sums: {weight: weight}}
columns: class, tp, fp, fn (weighted), row_count and, where a metric uses it, weight_of_all, that of all rows (totals)
-#}

{#- The window runs over classes, not over rows. -#}
{%- macro class_counts(f, rows_from, keys) -%}
{%- set in_classes = '(\n    ' ~ sqlmetrics.indented(sqlmetrics.rows_of_both_classes('class_pairs' ~ f.suffix, keys, 'class', counted=true)) ~ '\n) as classes' -%}
{%- set totals = ['sum(sum(tp + fn)) ' ~ sqlmetrics.over(keys) ~ ' as weight_of_all'] if 'totals' in f.uses else [] -%}
{{ sqlmetrics.class_pairs(dict(f, cte='class_pairs' ~ f.suffix), rows_from, keys) }}
{{ sqlmetrics.cte(f.cte, f.rows) }}
{{ sqlmetrics.sums_by(keys + ['class'], ['sum(tp) as tp', 'sum(fp) as fp', 'sum(fn) as fn'] + totals, in_classes, row_count='sum(row_count)') }}
{%- endmacro -%}

{#- The share of rows that agree, minus the share expected by chance. Shares, because a squared weight may exceed a double. If one class
    has nearly all rows, the shares that disagree have more digits, so they are subtracted instead. -#}
{%- macro agreement_beyond_chance(m) -%}
{%- set by_chance = sqlmetrics.sum_of(m, '(tp + fn) / nullif(weight_of_all, 0) * ((tp + fp) / nullif(weight_of_all, 0))') -%}
case
    when {{ by_chance }} < 0.5
        then {{ sqlmetrics.sum_of(m, 'tp / nullif(weight_of_all, 0)') }}
            - {{ by_chance }}
    else {{ sqlmetrics.disagreement_by_chance(m, 'fn', 'fp') }}
        - {{ sqlmetrics.sum_of(m, 'fn / nullif(weight_of_all, 0)') }}
end
{%- endmacro -%}

{#- Share of (label, prediction) pairs with different classes; pass one column twice for pairs of labels or of predictions. -#}
{%- macro disagreement_by_chance(m, missed, other) -%}
{{ sqlmetrics.sum_of(m, '(tp + ' ~ missed ~ ') / nullif(weight_of_all, 0)\n            * ((weight_of_all - (tp + ' ~ other ~ ')) / nullif(weight_of_all, 0))') }}
{%- endmacro -%}

{#- A row counts in the class of its label and in its predicted class. -#}
{%- macro class_counts__perturbed(f, metrics, keys) -%}
{%- set influences = {} -%}
{%- for m in metrics -%}
{%- set own = 'case\n        when scored.label_class = scored.predicted_class then ' ~ sqlmetrics.derivative(m, 'labels.tp') ~ '\n        else ' ~ sqlmetrics.derivative(m, 'labels.fn') ~ ' + ' ~ sqlmetrics.derivative(m, 'calls.fp') ~ '\n    end' -%}
{%- do influences.update({m.number: 'scored.weight * (' ~ own ~ ' + ' ~ sqlmetrics.derivative(m, 'labels.weight_of_all') ~ ')'}) -%}
{%- endfor -%}
{{ return(dict(sqlmetrics.derivatives_of_classes(f, metrics, keys, f.cte ~ '_derivatives'), influences=influences)) }}
{%- endmacro -%}

{%- macro rows_in_classes(f, rows_from, keys, carried) -%}{{ sqlmetrics.rows_of_both_classes(rows_from, keys + carried, 'row_key', f.where) }}{%- endmacro -%}

{#- One row for the class of the label and, if different, one for the predicted class. -#}
{%- macro rows_of_both_classes(rows_from, columns, name, where='', counted=false) -%}
select
    {{- sqlmetrics.leading(columns) }}
    label_class as {{ name }},
    case when label_class = predicted_class then weight else 0 end as tp,
    {{ sqlmetrics.to_double('0') }} as fp,
    case when label_class = predicted_class then 0 else weight end as fn
    {{- ',\n    row_count' if counted }}
from {{ rows_from }}
{{- where }}
union all
select
    {{- sqlmetrics.leading(columns) }}
    predicted_class as {{ name }},
    {{ sqlmetrics.to_double('0') }} as tp,
    weight as fp,
    {{ sqlmetrics.to_double('0') }} as fn
    {{- ',\n    0 as row_count' if counted }}
from {{ rows_from }}
where label_class <> predicted_class
{{- where | replace('\nwhere', '\n    and') }}
{%- endmacro -%}
