{#- A state has every row of its log, in every slice. It finds late rows: those that arrive after the days that an incremental model
    rebuilds. `relation` is the log; the roles and `by` are those of the state. Pass `metric` if the state needs more than label and
    score. A slice fails where more than max_missing rows are missing, and where the state has rows that the log no longer has. -#}
{% test state_is_complete(model, relation, metric='copc', by=none, max_missing=0) -%}
{%- set inputs = sqlmetrics.inputs_of_test('state_is_complete', kwargs, none, ['relation', 'by', 'max_missing']) -%}
{%- if execute -%}
{%- do sqlmetrics.check_rules('state_is_complete', [
    sqlmetrics.whole_number_rule('max_missing', max_missing, 0),
    [sqlmetrics.slicing_of('state_is_complete', by).groupings | length > 0, sqlmetrics.single_grouping()],
]) -%}
{%- do sqlmetrics.check_state_columns('state_is_complete', sqlmetrics.state_of_dbt(model), ['made_with', 'row_count']) -%}
{%- set names = sqlmetrics.slice_names('state_is_complete', by, none) -%}
{%- set call = sqlmetrics.call_of('state_is_complete', sqlmetrics.rows_of_test(relation), metric, inputs.roles, inputs.relations, {'by': by}) -%}
{%- set counts -%}
select
    {{ sqlmetrics.select_list(names + ['sum(state_rows) as state_rows', 'sum(log_rows) as log_rows']) }}
from (
    select
        {{ sqlmetrics.select_list(names + ['row_count as state_rows', '0 as log_rows']) | replace('\n', '\n    ') }}
    from {{ sqlmetrics.named_relation(model) }}
    where row_count > 0
    union all
    select
        {{ sqlmetrics.select_list(names + ['0 as state_rows', 'n as log_rows']) | replace('\n', '\n    ') }}
    from log_counts
) as both_counts
{{- sqlmetrics.group_by(names) }}
{%- endset -%}
{%- set missing = sqlmetrics.to_text('log_rows - state_rows') -%}
{%- set limit = sqlmetrics.to_double('log_rows') -%}
{%- set judged = sqlmetrics.judged_slices(sqlmetrics.slice_text(names), sqlmetrics.to_double('state_rows'), [], [
    ['log_rows - state_rows > ' ~ max_missing, limit, missing ~ " || ' rows of the log are not in the state: they came after their part was built'"],
    ['state_rows > log_rows', limit, sqlmetrics.to_text('state_rows - log_rows') ~ " || ' rows of the state are no longer in the log'"],
], 'from counts') -%}
{%- set log_counts = sqlmetrics.step('log_counts', sqlmetrics.composed(dict(sqlmetrics.plan(call), checks=true))) -%}
{{ sqlmetrics.failing_rows('state_is_complete', 'rows', [log_counts, sqlmetrics.step('counts', counts)], judged) }}
{%- endif -%}
{%- endtest %}
