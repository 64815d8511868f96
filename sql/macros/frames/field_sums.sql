{#-
title: field sums
rows: one per value of the field
slices: columns
identifiers: [field_id]
perturbed: [pos, neg, score_sum]
state: {keys: [field_id], sums: {positives: pos, negatives: neg, score_sum: (pos + neg) * score}}
columns: field_id, pos, neg, score_sum (weighted), row_count
-#}

{%- macro field_sums(f, rows_from, keys) -%}
{%- set score_sum = 'score_sum' if f.of_parts else '(pos + neg) * score' -%}
{{ sqlmetrics.cte(f.cte, f.rows) }}
{{ sqlmetrics.sums_by(keys + ['field_id'], ['sum(pos) as pos', 'sum(neg) as neg', 'sum(' ~ score_sum ~ ') as score_sum'], rows_from, f.where, sqlmetrics.rows_added_up(f)) }}
{%- endmacro -%}

{%- macro field_sums__perturbed(f, metrics, keys) -%}
{%- set influences = {} -%}
{%- for m in metrics -%}
{%- do influences.update({m.number: 'scored.pos * ' ~ sqlmetrics.derivative(m, 'fields.pos') ~ '\n        + scored.neg * ' ~ sqlmetrics.derivative(m, 'fields.neg') ~ '\n        + (scored.pos + scored.neg) * scored.score * ' ~ sqlmetrics.derivative(m, 'fields.score_sum')}) -%}
{%- endfor -%}
{{ return({'steps': [], 'joined': [{'step': f.cte ~ '_derivatives', 'as': 'fields', 'same': ['scored.field_id = fields.own_field_id']}], 'influences': influences}) }}
{%- endmacro -%}
