{#- What drifts of scores, and the tests of drifts, are made of. -#}

{#- The drift of the scores of two parts of a state: the rows of both sides by slice and score, then the steps of a drift of numbers. -#}
{%- macro planned_drift(macro, relation, current, reference, reference_relation, by, bins, eps, round=none, tested=false) -%}
{%- set state = sqlmetrics.state_of_dbt(relation) -%}
{%- set slicing = sqlmetrics.slicing_of_state(macro, state, by, current) -%}
{%- set names = slicing.slices | list -%}
{%- set own = {} -%}
{%- for name in names -%}{%- do own.update({name: name}) -%}{%- endfor -%}
{%- set shown = sqlmetrics.slice_names(macro, by, none) -%}
{%- do sqlmetrics.check_drift(macro, current, reference, bins, eps) -%}
{%- if reference_relation is none and (current is none or reference is none) -%}
{%- do sqlmetrics.raise_error(macro, "give current and reference, the conditions of two parts of the state, as in current=\"day >= date '2026-03-08'\", or reference_relation") -%}
{%- endif -%}
{%- do sqlmetrics.check_slices_of_drift(macro, slicing, ['n', 'n_reference', 'psi', 'score_distance']) -%}
{%- set other = state if reference_relation is none else sqlmetrics.state_of_dbt(reference_relation) -%}
{%- set of_other = sqlmetrics.rows_of_test(other.relation) if tested and reference_relation is not none else other.relation -%}
{%- set both -%}
(
{%- for side in [{'state': state, 'relation': state.relation, 'where': current}, {'state': other, 'relation': of_other, 'where': reference}] %}
{%- do sqlmetrics.check_state_columns(macro, side.state, ['made_with', 'state_key', 'score_key', 'row_count', 'positives', 'negatives']) %}
    select
        {{ (sqlmetrics.selected(slicing.slices) + ['score_key', 'row_count', 'positives + negatives as weight', 'made_with']) | join(',\n        ') }},
        '{{ loop.index }} ' || state_key as state_key,
        {{ loop.index }} as model_id
    from {{ sqlmetrics.named_relation(side.relation) }}
    {{- '\n    where ' ~ sqlmetrics.expression(side.where) if side.where is not none }}
    {{- '\n    union all' if loop.first }}
{%- endfor %}
) as two_parts
{%- endset -%}
{%- set steps = sqlmetrics.steps_of_parts({
    'macro': macro,
    'state': dict(state, relation=both, columns=[]),
    'slices': own,
    'where': none,
    'interval_options': none,
    'binned': none,
    'contents': [],
    'read': {'score_key': 'score_key', 'row_count': 'row_count', 'weight': 'weight', 'model_id': 'model_id'},
}) -%}
{%- set number_values -%}
select
    {{ sqlmetrics.select_list(names + ['dense_rank() over (order by ' ~ names | join(' asc, ') ~ ' asc) as slice_id' if names else '1 as slice_id']) }},
    score_key as value,
    sum(row_count) as row_count,
    sum(case when model_id = 1 then row_count else 0 end) as current_rows,
    sum(case when model_id = 2 then row_count else 0 end) as reference_rows,
    sum(case when model_id = 1 then weight else 0 end) as current_weight,
    sum(case when model_id = 2 then weight else 0 end) as reference_weight
from valid_rows
group by
    {{ sqlmetrics.select_list(names + ['score_key']) }}
{%- endset -%}
{%- set counted_rows -%}
select
    {{ sqlmetrics.select_list(names + ['slice_id']) }},
    {{ sqlmetrics.whole_number('sum(current_rows)') }} as n,
    {{ sqlmetrics.whole_number('sum(reference_rows)') }} as n_reference
from number_values
group by
    {{ sqlmetrics.select_list(names + ['slice_id']) }}
{%- endset -%}
{%- set ending -%}
select
    {{ sqlmetrics.select_list(sqlmetrics.shown_as(sqlmetrics.keys_alone('counted_rows', names), shown) + ['counted_rows.n as n']) }},
    counted_rows.n_reference as n_reference,
    {{ sqlmetrics.rounded('drifts.psi', round) }} as psi,
    {{ sqlmetrics.rounded('drifts.ks_distance', round) }} as score_distance
from counted_rows
left join drifts
    on counted_rows.slice_id = drifts.slice_id
{%- endset -%}
{%- do steps.append(sqlmetrics.step('number_values', number_values, 'one per slice and score or bin', stored=true)) -%}
{%- do steps.append(sqlmetrics.step('counted_rows', counted_rows, 'the rows of both parts')) -%}
{{ return({
    'steps': steps + sqlmetrics.steps_of_numbers(['slice_id'], bins, false) + [sqlmetrics.step('drifts', sqlmetrics.drifts_of_columns(['slice_id'], ['number_bins'], eps), 'one per slice')],
    'ending': ending,
    'shown': shown,
}) }}
{%- endmacro -%}

{#- Slices that have drifted further than the bound, and those that cannot be compared. -#}
{%- macro failures_of_drift(macro, relation, value, max_value, current, reference, reference_relation, by, bins, eps, min_rows) -%}
{%- set t = sqlmetrics.planned_drift(macro, relation, current, reference, reference_relation, by, bins, eps, none, true) -%}
{{ sqlmetrics.failures_of_distance(macro, t, value, max_value, min_rows, 'the scores have drifted') }}
{%- endmacro -%}

{#- The same of columns. -#}
{%- macro failures_of_columns(macro, call, entries, distance, max_value, current, reference, bins, eps, min_rows) -%}
{%- if distance not in sqlmetrics.results_of_drift() -%}
{%- do sqlmetrics.raise_error(macro, 'distance must be ' ~ sqlmetrics.one_of(sqlmetrics.results_of_drift()) ~ ', not ' ~ sqlmetrics.shown(distance)) -%}
{%- endif -%}
{%- set q = sqlmetrics.planned_drift_of_columns(call, entries, current, reference, bins, eps) -%}
{%- set shown = sqlmetrics.slice_names(macro, call.by, none) + ['column_name'] -%}
{{ sqlmetrics.failures_of_distance(macro, dict(sqlmetrics.drift_steps(q), shown=shown), distance, max_value, min_rows, 'the column has drifted') }}
{%- endmacro -%}

{%- macro failures_of_distance(macro, t, value, max_value, min_rows, words) -%}
{%- do sqlmetrics.check_whole(macro, 'min_rows', min_rows, 1) -%}
{%- set most = sqlmetrics.bound(macro, 'max_value', max_value) -%}
{%- set verdicts = sqlmetrics.verdicts_without_value('least(n, n_reference)', min_rows, value) + [[value ~ ' > ' ~ most, most, "'" ~ words ~ "'"]] -%}
{{ sqlmetrics.failing_rows(macro, value, [
    sqlmetrics.step('drift', sqlmetrics.written_steps(t.steps, t.ending) ~ '\n' ~ t.ending, stored=true),
    sqlmetrics.step('judged', sqlmetrics.judged_slices(sqlmetrics.slice_text(t.shown), value, [], verdicts, 'drift')),
], [sqlmetrics.failure_without('drift', 'no rows at all')]) }}
{%- endmacro -%}
