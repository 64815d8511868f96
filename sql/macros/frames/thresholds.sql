{#-
title: thresholds
rows: one per distinct score, weighted
columns: score, pos, neg, true_positives and false_positives at this score or above, positives, negatives, row_count
-#}

{%- macro thresholds(f, rows_from, keys) -%}
{%- set distinct = ('distinct_group_scores' if 'group_id' in keys else 'distinct_scores') ~ f.suffix -%}
{%- set down_to_here = sqlmetrics.over(keys, 'score desc rows unbounded preceding') -%}
{%- set items = keys + [
    'score',
    'pos',
    'neg',
    'sum(pos) ' ~ down_to_here ~ ' as true_positives',
    'sum(neg) ' ~ down_to_here ~ ' as false_positives',
] -%}
{%- if 'totals' in f.uses -%}
{%- set _ = items.append('sum(pos) ' ~ sqlmetrics.over(keys) ~ ' as positives') -%}
{%- set _ = items.append('sum(neg) ' ~ sqlmetrics.over(keys) ~ ' as negatives') -%}
{%- endif -%}
{%- set thresholds -%}
select
    {{ sqlmetrics.lines(items + sqlmetrics.total_names(f).split()) }}
from {{ distinct }}
{%- endset -%}
{{ sqlmetrics.cte(distinct, sqlmetrics.distinct_scores(f, rows_from, keys), stored=f.stored) }},
{{ sqlmetrics.cte(f.cte, thresholds) }}
{%- endmacro -%}

{%- macro distinct_scores(f, rows_from, keys) -%}
select
    {{ sqlmetrics.lines(keys + ['score', 'sum(pos) as pos', 'sum(neg) as neg']) }},
    {{ sqlmetrics.row_totals(f, 'count(*)') }}
from {{ rows_from }}
{{- f.where }}
{{- sqlmetrics.group_by(keys + ['score']) }}
{%- endmacro -%}

{#- The rows of a curve: first "nothing is called positive", then every distinct score from the highest down. -#}
{%- macro threshold_rows(f, keys) -%}
select
    {{ sqlmetrics.lines(keys + [
        'threshold',
        'tp',
        'fp',
        'positives - tp as fn',
        'negatives - fp as tn',
        'tp / nullif(positives, 0) as tpr',
        'fp / nullif(negatives, 0) as fpr',
        'tp / nullif(tp + fp, 0) as ' ~ sqlmetrics.identifier('precision'),
        'tp / nullif(positives, 0) as recall',
    ]) }}
from (
    select
        {{ (keys + [
            sqlmetrics.infinity() ~ ' as threshold',
            sqlmetrics.to_double('0') ~ ' as tp',
            sqlmetrics.to_double('0') ~ ' as fp',
            'sum(pos) as positives',
            'sum(neg) as negatives',
        ]) | join(',\n        ') }}
    from distinct_scores{{ f.suffix }}
    {{ sqlmetrics.indented(sqlmetrics.group_by(keys) if keys else '\nhaving count(*) > 0') | trim }}
    union all
    select
        {{ (keys + [
            'score as threshold',
            'true_positives as tp',
            'false_positives as fp',
            'positives',
            'negatives',
        ]) | join(',\n        ') }}
    from {{ f.cte }}
) as points
{%- endmacro -%}
