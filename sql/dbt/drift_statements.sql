{#- What drifts of scores, and the tests of them, are made of. -#}

{%- macro planned_drift(macro, relation, current, reference, reference_relation, by, bins, eps, round=none, tested=false) -%}
{%- set state = sqlmetrics.state_of_dbt(relation) -%}
{%- set slicing = sqlmetrics.slicing_of_state(macro, state, "ref('daily_scores')", by, current) -%}
{%- do sqlmetrics.check_drift(macro, current, reference, bins, eps) -%}
{%- if reference_relation is none and (current is none or reference is none) -%}
{%- do sqlmetrics.refuse(macro, "give current and reference, the conditions of two parts of the state, as in current=\"day >= date '2026-03-08'\", or reference_relation") -%}
{%- endif -%}
{%- do sqlmetrics.check_slices_of_drift(macro, slicing.slicing, ['n', 'n_reference', 'psi', 'score_distance']) -%}
{%- set other = state if reference_relation is none else sqlmetrics.state_of_dbt(reference_relation) -%}
{%- if tested and reference_relation is not none -%}{%- set other = dict(other, relation=sqlmetrics.rows_of_test(other.relation)) -%}{%- endif -%}
{%- set sides = [] -%}
{%- for side in [{'state': state, 'where': current, 'mark': 1}, {'state': other, 'where': reference, 'mark': 0}] -%}
{%- do sqlmetrics.check_state_columns(macro, side.state, ['state_key', 'made_with', 'score_key', 'row_count', 'positives', 'negatives']) -%}
{%- set part -%}
select
    {{ sqlmetrics.lines(slicing.read + ['score_key', 'row_count', 'positives + negatives as weight', 'made_with', "'" ~ side.mark ~ " ' || state_key as state_key", side.mark ~ ' as is_current']) }}
from {{ sqlmetrics.named_relation(side.state.relation) }}
{{- '\nwhere ' ~ sqlmetrics.expression(side.where) if side.where is not none }}
{%- endset -%}
{%- do sides.append(part) -%}
{%- endfor -%}
{%- set both = '(\n    ' ~ sqlmetrics.indented(sides | join('\nunion all\n')) ~ '\n) as two_parts' -%}
{%- set columns = {'score_key': 'score_key', 'row_count': 'row_count', 'weight': 'weight', 'is_current': 'is_current'} -%}
{%- set needs = [{'text': 'score_state 3: ', 'first': true, 'wrong': 'the relation is no score_state of this version of the package'}] -%}
{%- set steps = sqlmetrics.steps_of_parts(macro, dict(state, relation=both, columns=[]), dict(slicing, read=slicing.names), columns, none, none, needs) -%}
{%- set series = 'dense_rank() over (order by ' ~ slicing.names | join(' asc, ') ~ ' asc)' if slicing.names else '1' -%}
{%- set both_parts -%}
select
    {{ sqlmetrics.lines(slicing.names + [
        series ~ ' as slice_id',
        'score_key',
        'sum(case when is_current = 1 then row_count else 0 end) as current_rows',
        'sum(case when is_current = 1 then 0 else row_count end) as reference_rows',
        'sum(case when is_current = 1 then weight else 0 end) as current_weight',
        'sum(case when is_current = 1 then 0 else weight end) as reference_weight',
    ]) }}
from states
group by
    {{ sqlmetrics.lines(slicing.names + ['score_key']) }}
{%- endset -%}
{%- set to_here = sqlmetrics.over(['slice_id'], 'score_key asc rows unbounded preceding') -%}
{%- set all = sqlmetrics.over(['slice_id']) -%}
{%- set running -%}
select
    slice_id,
    current_weight,
    reference_weight,
    sum(current_weight) {{ to_here }} as current_to_here,
    sum(reference_weight) {{ to_here }} as reference_to_here,
    sum(current_weight) {{ all }} as current_of_all,
    sum(reference_weight) {{ all }} as reference_of_all
from both_parts
{%- endset -%}
{%- set placed -%}
select
    slice_id,
    current_weight / nullif(current_of_all, 0) as current_share,
    reference_weight / nullif(reference_of_all, 0) as reference_share,
    {{ sqlmetrics.distance_of_shares() }} as distance,
    {{ sqlmetrics.bin_of_reference(bins) }} as bin
from running_weights
{%- endset -%}
{%- set in_bins -%}
select
    slice_id,
    bin,
    max(distance) as distance,
    sum(current_share) as current_share,
    sum(reference_share) as reference_share
from placed_scores
where distance is not null
group by
    slice_id,
    bin
{%- endset -%}
{%- set drifts -%}
select
    slice_id,
    sum({{ sqlmetrics.psi_of_shares(eps) }}) as psi,
    max(distance) as score_distance
from shares_in_bins
group by
    slice_id
{%- endset -%}
{%- set counted -%}
select
    {{ sqlmetrics.lines(slicing.names + ['slice_id', sqlmetrics.whole_number('sum(current_rows)') ~ ' as current_rows', sqlmetrics.whole_number('sum(reference_rows)') ~ ' as reference_rows']) }}
from both_parts
group by
    {{ sqlmetrics.lines(slicing.names + ['slice_id']) }}
{%- endset -%}
{%- set items = [] -%}
{%- for name in slicing.names -%}{%- do items.append('counted_rows.' ~ name ~ ' as ' ~ slicing.shown[loop.index0]) -%}{%- endfor -%}
{%- set ending -%}
select
    {{ sqlmetrics.lines(items + [
        'counted_rows.current_rows as n',
        'counted_rows.reference_rows as n_reference',
        sqlmetrics.rounded('drifts.psi', round) ~ ' as psi',
        sqlmetrics.rounded('drifts.score_distance', round) ~ ' as score_distance',
    ]) }}
from counted_rows
left join drifts
    on counted_rows.slice_id = drifts.slice_id
{%- endset -%}
{{ return({
    'steps': steps + [
        sqlmetrics.step('both_parts', both_parts, 'one per slice and score or bin'),
        sqlmetrics.step('running_weights', running, 'what both parts have up to here'),
        sqlmetrics.step('placed_scores', placed, 'the bin of equal shares of the reference'),
        sqlmetrics.step('shares_in_bins', in_bins, 'the shares of both parts'),
        sqlmetrics.step('drifts', drifts, 'one per slice'),
        sqlmetrics.step('counted_rows', counted, 'the rows of both parts'),
    ],
    'ending': ending,
    'shown': slicing.shown,
}) }}
{%- endmacro -%}

{#- Slices that have drifted further than the bound, and those that cannot be compared. -#}
{%- macro failures_of_drift(macro, relation, value, max_value, current, reference, reference_relation, by, bins, eps, min_rows) -%}
{%- set t = sqlmetrics.planned_drift(macro, relation, current, reference, reference_relation, by, bins, eps, none, true) -%}
{{ sqlmetrics.failures_of_distance(macro, t.steps, t.ending, t.shown, value, max_value, min_rows, 'the scores have drifted') }}
{%- endmacro -%}

{#- The same of columns. -#}
{%- macro failures_of_columns(macro, call, entries, distance, max_value, current, reference, bins, eps, min_rows) -%}
{%- if distance not in sqlmetrics.results_of_drift() -%}
{%- do sqlmetrics.refuse(macro, 'distance must be ' ~ sqlmetrics.one_of(sqlmetrics.results_of_drift()) ~ ', not ' ~ sqlmetrics.shown(distance)) -%}
{%- endif -%}
{%- set q = sqlmetrics.planned_drift_of_columns(call, entries, current, reference, bins, eps) -%}
{%- set shown = [sqlmetrics.identifier('grouping')] if q.groupings else [] -%}
{%- for entry in q.by -%}{%- do shown.append(sqlmetrics.identifier(entry.name)) -%}{%- endfor -%}
{%- do shown.append(sqlmetrics.identifier('column')) -%}
{%- set t = sqlmetrics.drift_steps(q) -%}
{{ sqlmetrics.failures_of_distance(macro, t.steps, t.ending, shown, distance, max_value, min_rows, 'the column has drifted') }}
{%- endmacro -%}

{%- macro failures_of_distance(macro, steps, ending, shown, value, max_value, min_rows, words) -%}
{%- do sqlmetrics.check_min_rows(macro, min_rows) -%}
{%- do sqlmetrics.check_given(macro, 'max_value', max_value) -%}
{%- set most = sqlmetrics.bound(macro, 'max_value', max_value) -%}
{%- set nothing = [] -%}
{%- for name in shown -%}{%- do nothing.append('null as ' ~ name) -%}{%- endfor -%}
{%- set failing -%}
with drift as (
    {{ sqlmetrics.indented(sqlmetrics.written_steps(steps, ending)) }}
    {{ sqlmetrics.indented(ending) }}
),
judged as (
    select
        {{ (shown + ['n', 'n_reference', value, most ~ ' as max_value']) | join(',\n        ') }},
        case
            when n < {{ min_rows }} or n_reference < {{ min_rows }} then 'fewer rows than min_rows'
            when {{ sqlmetrics.is_undefined(value) }} then 'the value is undefined'
            when {{ value }} > {{ most }} then '{{ words }}'
        end as failure
    from drift
)
select
    {{ sqlmetrics.lines(shown + ['n', 'n_reference', value, 'max_value', 'failure']) }}
from judged
where failure is not null
union all
select
    {{ sqlmetrics.lines(nothing + ['cast(0 as bigint) as n', 'cast(0 as bigint) as n_reference', sqlmetrics.to_double('null') ~ ' as ' ~ value, most ~ ' as max_value', "'no rows at all' as failure"]) }}
{{ sqlmetrics.from_single_row() }}
where not exists (select 1 from drift)
{%- endset -%}
{{ sqlmetrics.give_line_breaks(failing) }}
{%- endmacro -%}
