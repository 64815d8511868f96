{#- One day's log (or any part of it) as a small table that merges with others by addition: one row per slice and distinct
    score, or per slice and score bin. The body of an incremental model whose `by` holds the day; state_metrics reads it. -#}
{%- macro score_state(relation=none, label=none, score=none, weight=none, positives=none, total=none, bins=none, eps=2.220446049250313e-16, by=none, where=none) -%}
{%- if bins is not none and (bins is not number or bins is boolean or bins < 1 or bins != bins | int) -%}
{%- do sqlmetrics.refuse('score_state', 'bins must be a whole number >= 1, not ' ~ bins) -%}
{%- endif -%}
{%- set roles = {'label': label, 'score': score, 'weight': weight, 'positives': positives, 'total': total} -%}
{%- set metric = {'name': 'log_loss', 'eps': eps} -%}
{%- set q = sqlmetrics.plan('score_state', relation, [metric], roles, {}, none, by, where, 'rows') -%}
{%- if q.groupings or q.models -%}
{%- do sqlmetrics.refuse('score_state', 'by is one list of columns, and score one column') -%}
{%- endif -%}
{%- set keys = [] -%}
{%- set items = [] -%}
{%- for entry in q.by -%}
{%- if entry.name | lower in sqlmetrics.state_columns() -%}
{%- do sqlmetrics.refuse('score_state', "by: '" ~ entry.name ~ "' is the name of a column of every state; name it as in by=['my_name = " ~ entry.name ~ "']") -%}
{%- endif -%}
{%- do keys.append('slice_' ~ loop.index) -%}
{%- do items.append('slice_' ~ loop.index ~ ' as ' ~ sqlmetrics.identifier(entry.name)) -%}
{%- endfor -%}
{#- However its product is rounded, a higher score never falls into a lower bin: that is all the bounds of the AUC need. -#}
{%- set key = 'score' if bins is none else 'least(greatest(floor(score * ' ~ bins ~ '), 0), ' ~ (bins - 1) ~ ')' -%}
{%- set least = sqlmetrics.number(q.metrics[0].eps) -%}
{%- set observed = sqlmetrics.observations(q, keys, q.columns | list, q.required, 'source') -%}
-- state of {{ sqlmetrics.comment_text(q.relation) }}
with
{{ sqlmetrics.cte('source', sqlmetrics.source(q)) }},
{{ sqlmetrics.cte('observations', observed) }}
select
    {{ sqlmetrics.lines(items + [
        key ~ ' as score_key',
        'sum(pos) as positives',
        'sum(neg) as negatives',
        'count(*) as row_count',
        'sum((pos + neg) * score) as sum_of_scores',
        'sum(pos * (1 - score) * (1 - score) + neg * score * score) as sum_of_squared_errors',
        '-sum(pos * ln(least(greatest(score, ' ~ least ~ '), 1 - ' ~ least ~ ')) + neg * ln(least(greatest(1 - score, '
            ~ least ~ '), 1 - ' ~ least ~ '))) as sum_of_log_losses',
    ]) }}
from observations
group by
    {{ sqlmetrics.lines(keys + [key]) }}
{%- endmacro -%}

{%- macro state_columns() -%}
{{ return(['score_key', 'positives', 'negatives', 'row_count', 'sum_of_scores', 'sum_of_squared_errors', 'sum_of_log_losses']) }}
{%- endmacro -%}

{#- The metrics of any part of a state: n, auc with auc_lower and auc_upper, log_loss, brier, copc and pcoc. From exact scores
    auc is the AUC; from bins the true AUC lies between auc_lower and auc_upper, which count the pairs inside a bin as lost
    and as won (give binned=true for these two columns). The others are exact in both. -#}
{%- macro state_metrics(relation=none, binned=false, by=none, where=none) -%}
{%- if relation is none or not (relation | string).strip() -%}
{%- do sqlmetrics.refuse('state_metrics', "relation must be given, as in relation=ref('impressions_state')") -%}
{%- endif -%}
{%- if binned is not boolean -%}
{%- do sqlmetrics.refuse('state_metrics', 'binned must be true or false, not ' ~ binned) -%}
{%- endif -%}
{%- if where is not none and (where is not string or not where.strip()) -%}
{%- do sqlmetrics.refuse('state_metrics', 'where must be an SQL condition') -%}
{%- endif -%}
{%- set slicing = sqlmetrics.groupings_of('state_metrics', by) -%}
{%- if slicing.groupings -%}
{%- do sqlmetrics.refuse('state_metrics', 'by is one list of columns') -%}
{%- endif -%}
{%- set keys = [] -%}
{%- set named = [] -%}
{%- set shown = [] -%}
{%- for entry in slicing.entries -%}
{%- do keys.append('slice_' ~ loop.index) -%}
{%- do named.append(sqlmetrics.sql_of(entry) ~ ' as slice_' ~ loop.index) -%}
{%- do shown.append('slice_' ~ loop.index ~ ' as ' ~ sqlmetrics.identifier(entry.name)) -%}
{%- endfor -%}
{%- set sums = [] -%}
{%- for column in sqlmetrics.state_columns() if column != 'score_key' -%}{%- do sums.append('sum(' ~ column ~ ') as ' ~ column) -%}{%- endfor -%}
{%- set states -%}
select
    {{ sqlmetrics.lines(named + sqlmetrics.state_columns()) }}
from {{ relation }}
{%- if where is not none %}
where {{ sqlmetrics.expression(where) }}
{%- endif -%}
{%- endset -%}
{%- set merged -%}
select
    {{ sqlmetrics.lines(keys + ['score_key'] + sums) }}
from states
{{- sqlmetrics.group_by(keys + ['score_key']) }}
{%- endset -%}
{%- set ranked -%}
select
    {{ sqlmetrics.lines(keys + sqlmetrics.state_columns() + ['sum(negatives) ' ~ sqlmetrics.over(keys, 'score_key') ~ ' - negatives as negatives_below']) }}
from merged
{%- endset -%}
{%- set pairs = '(sum(positives) * sum(negatives))' -%}
{%- set all_rows = '(sum(positives) + sum(negatives))' -%}
{%- set items = shown + [
    'cast(coalesce(sum(row_count), 0) as bigint) as n',
    sqlmetrics.safe_divide('sum(positives * (negatives_below + negatives / 2))', pairs) ~ ' as auc',
] -%}
{%- if binned -%}
{%- do items.append(sqlmetrics.safe_divide('sum(positives * negatives_below)', pairs) ~ ' as auc_lower') -%}
{%- do items.append(sqlmetrics.safe_divide('sum(positives * (negatives_below + negatives))', pairs) ~ ' as auc_upper') -%}
{%- endif -%}
{%- do items.append(sqlmetrics.safe_divide('sum(sum_of_log_losses)', all_rows) ~ ' as log_loss') -%}
{%- do items.append(sqlmetrics.safe_divide('sum(sum_of_squared_errors)', all_rows) ~ ' as brier') -%}
{%- do items.append(sqlmetrics.safe_divide('sum(positives)', 'sum(sum_of_scores)') ~ ' as copc') -%}
{%- do items.append(sqlmetrics.safe_divide('sum(sum_of_scores)', 'sum(positives)') ~ ' as pcoc') -%}
-- metrics from the state {{ sqlmetrics.comment_text(relation | string) }}
with
{{ sqlmetrics.cte('states', states) }},
{{ sqlmetrics.cte('merged', merged, stored=true) }},
{{ sqlmetrics.cte('ranked', ranked) }}
select
    {{ sqlmetrics.lines(items) }}
from ranked
{{- sqlmetrics.group_by(keys) }}
{{- sqlmetrics.order_by(keys) }}
{%- endmacro -%}
