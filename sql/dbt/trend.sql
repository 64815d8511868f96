{#- Show how a metric changes from period to period, and whether it falls. Each row is a slice and period with the value, the mean of
    the trailing periods and the band of expected values. Without confidence the band is the median of the trailing values ±
    `deviations` robust standard deviations. These are 1.4826 times the median distance from the median or, where that is 0, 1.2533
    times the mean distance; a modified z score of 3.5 follows Iglewicz and Hoaglin (1993). With confidence the band is the mean ± the
    interval of the difference from it, by the standard errors of the periods (by cluster, if passed). Periods count as independent,
    also if they share clusters. `falling` is true where the value is beyond the band on the worse side, and NULL with fewer than
    min_periods trailing periods. Trailing periods exclude those with fewer than min_rows rows. Without any role (label, score …) the
    relation is a state. -#}
{%- macro metric_trend(relation=none, metric=none, time=none, trailing=14, by=none, where=none, better=none, tolerance=0, deviations=3.5, min_periods=none, min_rows=1, confidence=none, cluster=none, binned=false, round=none) -%}
{%- set inputs = sqlmetrics.roles_and_relations('metric_trend', kwargs, ['relation', 'metric', 'time', 'trailing', 'by', 'where', 'better', 'tolerance', 'deviations', 'min_periods', 'min_rows', 'confidence', 'cluster', 'binned', 'round']) -%}
{%- if execute -%}
{%- set arguments = {'time': time, 'trailing': trailing, 'by': by, 'where': where, 'better': better, 'tolerance': tolerance, 'deviations': deviations, 'min_periods': min_periods, 'min_rows': min_rows, 'confidence': confidence, 'cluster': cluster, 'binned': binned} -%}
{%- set trend = sqlmetrics.planned_trend('metric_trend', relation, metric, inputs, arguments) -%}
-- trend of {{ sqlmetrics.comment_text(trend.measured.q.title) }}
{{ sqlmetrics.give_line_breaks(sqlmetrics.written_trend(trend, sqlmetrics.argument('metric_trend', 'round', round))) }}
{{- sqlmetrics.by_keys('order by', trend.in_order) }}
{{- sqlmetrics.statement_end() }}
{%- endif -%}
{%- endmacro -%}
