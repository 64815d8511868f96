{#- Shared by the generic tests: measured values, and reasons for failures. -#}

{#- The column that a test checks, and the direction of its better values: of the test or the metric file (copc: near 1; mean_error: near 0). -#}
{%- macro tested_metric(macro, metric, t) -%}
{%- set requested = sqlmetrics.requested_metrics(macro, metric, none) -%}
{%- set tested = requested[0].metric -%}
{%- set direction = t.get('better') or tested.direction -%}
{%- do sqlmetrics.check_rules(macro, [
    [requested | length != 1 or not tested.has_single_value, 'metric must be one metric with one value, not ' ~ sqlmetrics.shown(metric)],
    ['better' in t and direction not in ['higher', 'lower', 'near 1', 'near 0'], "better must be 'higher', 'lower', 'near 1' or 'near 0', not " ~ direction],
]) -%}
{{ return({'column': requested[0]['columns'][tested.name], 'direction': direction}) }}
{%- endmacro -%}

{#- The column of a column test. For `quote: true`, dbt passes the quoted name; here names are quoted when they are written. -#}
{%- macro column_of_test(column_name) -%}
{%- set quotes = adapter.quote('') -%}
{%- if column_name is string and column_name | length > 2 and column_name[0] == quotes[0] and column_name[-1] == quotes[-1] -%}
{{ return({'column': column_name[1:-1]}) }}
{%- endif -%}
{{ return(column_name) }}
{%- endmacro -%}

{#- Columns that identify the slices of a result. -#}
{%- macro slice_names(macro, by, score) -%}
{%- set slicing = sqlmetrics.slicing_of(macro, by) -%}
{%- set grouping = [sqlmetrics.identifier('grouping')] if slicing.groupings else [] -%}
{{ return(grouping + sqlmetrics.shown_slices(slicing.entries) + (['model'] if sqlmetrics.is_list(score) and score | length > 1 else [])) }}
{%- endmacro -%}

{#- No comparison with NULL is true, so a test without a bound would pass. -#}
{%- macro bound(macro, argument, value, optional=false) -%}
{%- set fits = sqlmetrics.parameter_fits({'type': 'number'}, value) or (optional and value is none) -%}
{%- do sqlmetrics.check_rules(macro, [[not fits, argument ~ ' must be a number, not ' ~ ('none' if value is none else sqlmetrics.shown(value))]]) -%}
{{ return(sqlmetrics.to_double('null' if value is none else sqlmetrics.number(value))) }}
{%- endmacro -%}

{#- Too few rows, and values that are NULL or NaN, which no bound rejects. -#}
{%- macro verdicts_without_value(count, min_rows, value, where='') -%}
{%- set few = "'only ' || " ~ sqlmetrics.to_text(count) ~ " || ' rows" ~ where ~ '; min_rows is ' ~ min_rows ~ "'" -%}
{{ return([[count ~ ' < ' ~ min_rows, none, few], [sqlmetrics.is_undefined(value), none, "'the value is undefined'"]]) }}
{%- endmacro -%}

{%- macro is_undefined(value) -%}
{{ sqlmetrics.fails(sqlmetrics.is_number(value) | replace('\n    ', ' ')) }}
{%- endmacro -%}

{#- Rules for the arguments that several tests have. -#}
{%- macro rules_of_tests(t) -%}
{{ return([
    sqlmetrics.whole_number_rule('min_rows', t.min_rows, 1),
    sqlmetrics.whole_number_rule('max_dropped', t.max_dropped or 0, 0),
    [t.cluster is not none and t.confidence is none, 'cluster requires ⟨confidence⟩; add ⟨confidence⟩=0.95 or remove it'],
    [t.strict is not boolean, 'strict must be true or false, not ' ~ sqlmetrics.shown(t.strict)],
    [t.strict and t.confidence is none, 'strict requires ⟨confidence⟩; add ⟨confidence⟩=0.95 or remove it'],
]) }}
{%- endmacro -%}

{#- The measured values of a test or trend: {q: plan, text: statement, inputs: the plan whose broken rules are reported, or none}. If no
    column of a log is given, a relation that is a state is read as a state. Invalid values end the statement of a trend. A test reports
    them as a failure and drops their rows, since the metric is undefined for them and the engine may raise an error. -#}
{%- macro measured(macro, relation, metric, inputs, options, further) -%}
{%- set state = none if inputs.roles.values() | reject('equalto', none) | list else sqlmetrics.state_of_dbt(relation) -%}
{%- set call = sqlmetrics.call_of(macro, relation, metric, inputs.roles, inputs.relations, options) -%}
{%- set is_state = state is not none and (not state['columns'] or 'made_with' in state['columns']) -%}
{%- do sqlmetrics.check_rules(macro, [
    [further.binned is not boolean, 'binned must be true or false, not ' ~ sqlmetrics.shown(further.binned)],
    [further.binned and not is_state, 'binned requires a state with bins; remove it'],
    [is_state and call.cluster is not none, 'cluster: a state already has its clusters in buckets; remove cluster'],
    [is_state and further.get('max_dropped') is not none, 'max_dropped: a state does not count dropped rows; test the log, or remove max_dropped'],
]) -%}
{%- if not is_state -%}
{%- set is_tested = macro in sqlmetrics.generic_tests() -%}
{%- set q = dict(sqlmetrics.plan(call), checks=is_tested, refuses=not is_tested) -%}
{{ return({'q': q, 'text': sqlmetrics.composed(q), 'inputs': q}) }}
{%- endif -%}
{%- set of_scores = 'score_key' in state['columns'] or (not state['columns'] and (further.binned or metric == 'auc')) -%}
{%- set relations = {} if of_scores else sqlmetrics.relations_of_states(macro, metric, none, call.relations, none) -%}
{%- set q = sqlmetrics.planned_reading(state, dict(call, relations=relations), {'binned': further.binned} if of_scores else none) -%}
{{ return({'q': q, 'text': sqlmetrics.composed_reading(q), 'inputs': none}) }}
{%- endmacro -%}

{#- The step with broken rules of the inputs, as a list of at most one step. -#}
{%- macro inputs_step(plans, max_dropped) -%}
{%- set failures -%}
{%- for q in plans | reject('none') -%}
{{ '\n' ~ sqlmetrics.union_distinct() ~ '\n' if not loop.first }}{{ sqlmetrics.input_failures(q, max_dropped) }}
{%- endfor -%}
{%- endset -%}
{{ return([sqlmetrics.step('inputs', failures)] if failures else []) }}
{%- endmacro -%}

{#- Invalid inputs of a call, which the Python runner would reject: one row per broken rule and, beyond max_dropped rows, per column
    with missing values. -#}
{%- macro input_failures(q, max_dropped) -%}
{%- set count = sqlmetrics.to_text('row_count') -%}
{%- set missing = '1 = 0' if max_dropped is none else 'row_count > ' ~ max_dropped -%}
{%- set values = sqlmetrics.inspected_values(q) -%}
{#- Every model has the same labels. -#}
select{{ ' distinct' if q.models }}
    subject || ': ' || {{ count }} || case when row_count = 1 then ' row' else ' rows' end || case
        when finding = 'broken' then ' where the value ' || message || '; for example ' || example
        when row_count = 1 then ' is dropped because the value is NULL or NaN; max_dropped is {{ max_dropped }}'
        else ' are dropped because the value is NULL or NaN; max_dropped is {{ max_dropped }}'
    end as reason
from {{ sqlmetrics.written_inside(values.steps, values['select']) }} as inspected_values
where finding = 'broken'
    or {{ missing }}
{%- if sqlmetrics.groups_are_inspected(q) %}
{%- set groups = sqlmetrics.inspected_groups(q) %}
union all
select
    relation || case
        when finding = 'broken' then ' ' || message || '; for example ' || example || ' (' || {{ count }} || ' in all)'
        else ': ' || {{ count }} || ' rows are dropped because a value is NULL or NaN; max_dropped is {{ max_dropped }}'
    end as reason
from {{ sqlmetrics.written_inside(groups.steps, groups['select']) }} as inspected_groups
where finding = 'broken'
    or {{ missing }}
{%- endif -%}
{%- endmacro -%}

{#- `few`: a slice with fewer than min_rows rows fails ('fail'), or is skipped if others have enough ('skip'). -#}
{%- macro failures_between(macro, relation, metric, inputs, t, few='fail') -%}
{%- do sqlmetrics.check_rules(macro, sqlmetrics.rules_of_tests(t) + [
    [t.min_value is none and t.max_value is none, 'give min_value, max_value or both'],
]) -%}
{%- set column = sqlmetrics.tested_metric(macro, metric, t).column -%}
{%- set value = sqlmetrics.identifier(column) -%}
{%- set low, high = [none, none] if t.confidence is none else [sqlmetrics.identifier(column ~ '_low'), sqlmetrics.identifier(column ~ '_high')] -%}
{%- set least, most = sqlmetrics.bound(macro, 'min_value', t.min_value, true), sqlmetrics.bound(macro, 'max_value', t.max_value, true) -%}
{%- set measured = sqlmetrics.measured(macro, relation, metric, inputs, {'by': t.by, 'confidence': t.confidence, 'cluster': t.cluster}, t) -%}
{%- set undefined = '' if low is none else sqlmetrics.is_undefined(low) ~ ' or ' ~ sqlmetrics.is_undefined(high) -%}
{%- set below, above = ' < ' ~ least, ' > ' ~ most -%}
{%- set sides = [
    {'limit': t.min_value, 'bound': least, 'value': value ~ below, 'near': low ~ below, 'far': high ~ below, 'message': 'the value is {0}below min_value'},
    {'limit': t.max_value, 'bound': most, 'value': value ~ above, 'near': high ~ above, 'far': low ~ above, 'message': 'the value is {0}above max_value'},
] | rejectattr('limit', 'none') | list -%}
{%- set verdicts = sqlmetrics.verdicts_without_value('n', t.min_rows, value) + sqlmetrics.verdicts_about_bounds(t, undefined, sides) -%}
{%- set counted -%}
select *
from (
    {{ sqlmetrics.indented(measured.text) }}
) as estimates
{{- '\nwhere n >= ' ~ t.min_rows if few == 'skip' }}
{%- endset -%}
{%- set slice = sqlmetrics.slice_text(sqlmetrics.slice_names(macro, t.by, inputs.roles.get('score'))) -%}
{%- set judged = sqlmetrics.judged_slices(slice, value, [] if low is none else [low, high], verdicts, 'from counted') -%}
{{ sqlmetrics.failing_rows(
    macro,
    column,
    [sqlmetrics.step('counted', counted, materialized=true)],
    judged,
    [sqlmetrics.failure_without('counted', 'no slice has enough rows')],
    [measured.inputs],
    t.max_dropped
) }}
{%- endmacro -%}

{#- The champion is another score, compared on the rows that have both, or the same metric of another relation with this or another
    score. `t` are the other arguments of the test. -#}
{%- macro failures_against(macro, relation, metric, inputs, t) -%}
{%- set names, of_one, score = sqlmetrics.slice_names(macro, t.by, none), t.champion_relation is none, inputs.roles.get('score') -%}
{%- set sure = t.confidence is not none -%}
{%- do sqlmetrics.check_rules(macro, sqlmetrics.rules_of_tests(t) + [
    [of_one and t.champion_score is none, 'give champion_score, champion_relation or both'],
    [sqlmetrics.is_list(score), 'score must be one column, not a list'],
]) -%}
{%- set tested = sqlmetrics.tested_metric(macro, metric, t) -%}
{%- set t = dict(
    t,
    value=sqlmetrics.identifier(tested.column),
    tolerance=sqlmetrics.bound(macro, 'tolerance', t.tolerance),
    direction=tested.direction,
    sure=sure,
    of_one=of_one
) -%}
{%- set of_champion = inputs if t.champion_score is none else dict(inputs, roles=dict(inputs.roles, score=t.champion_score)) -%}
{%- set own = sqlmetrics.measured(macro, relation, metric, inputs, {'by': t.by}, t) -%}
{%- do sqlmetrics.check_rules(macro, [
    [own.inputs is none and sure, 'confidence: the difference of two states has no interval; test the logs, or remove confidence'],
    [own.inputs is none and of_one, "champion_score: a state has one score; pass the champion's state as champion_relation"],
    [sure and t.direction not in ['higher', 'lower'], 'confidence: ' ~ metric ~ ' is best ' ~ t.direction ~ '; use metric_between with confidence, or remove confidence'],
    [t.champion_score is not none and 'score' not in own.q.columns, metric ~ ' does not use a score; pass champion_relation instead of champion_score'],
]) -%}
{%- set champion = sqlmetrics.measured(macro, relation if of_one else t.champion_relation, metric, of_champion, {'by': t.by}, t) -%}
{%- set estimates, of_both = own.text, [] -%}
{%- if sure -%}
{%- set roles = dict(inputs.roles, score=[t.champion_score, score]) if of_one else inputs.roles -%}
{%- set options = {'by': t.by, 'confidence': t.confidence, 'cluster': t.cluster, 'comparison': {
    'against': t.champion_relation, 'baseline': none, 'relative': false, 'test': 't', 'adjust': none, 'power': 0.8,
    'score_of_against': none if of_one else t.champion_score,
}} -%}
{%- set plan = sqlmetrics.plan(sqlmetrics.call_of(macro, relation, metric, roles, inputs.relations, options)) -%}
{%- set comparison = sqlmetrics.composed(dict(plan, checks=true)) -%}
{%- set estimates = 'select *\nfrom (\n    ' ~ sqlmetrics.indented(comparison) ~ '\n) as comparison' -%}
{%- elif of_one -%}
{%- set both_scores = sqlmetrics.has_score(macro, score) ~ '\n    and ' ~ sqlmetrics.has_score(macro, t.champion_score) -%}
{%- set estimates = sqlmetrics.composed(dict(own.q, where=both_scores)) -%}
{%- set of_both = [sqlmetrics.step('champion', sqlmetrics.composed(dict(champion.q, where=both_scores)), materialized=true)] -%}
{%- endif -%}
{%- set alone = [sqlmetrics.step('champion_alone', champion.text, materialized=true)] if names or not of_one else [] -%}
{%- set steps = [sqlmetrics.step('estimates', estimates, materialized=true)] + of_both + alone -%}
{%- set without = sqlmetrics.failure_without('estimates', 'no rows at all') -%}
{{ sqlmetrics.failing_rows(macro, tested.column, steps, sqlmetrics.judged_against(t, names), [
    sqlmetrics.failures_of_lost_slices(names, 'champion_alone', 'estimates', 'the slice has no rows'),
    dict(without, rows=without.rows ~ '\n    and not exists (select 1 from champion_alone)'),
] if names else [], [own.inputs, champion.inputs], t.max_dropped) }}
{%- endmacro -%}

{%- macro has_score(macro, score) -%}
{{ sqlmetrics.is_number(sqlmetrics.to_double(sqlmetrics.sql_of(sqlmetrics.role_value(macro, 'score', score)))) }}
{%- endmacro -%}

{#- Reasons why a slice fails. The champion's value is from the comparison, from the rows with both scores, or from its own relation
    with other rows. Differences in the last digits, as from another order of summation, count as none. -#}
{%- macro judged_against(t, names) -%}
{%- set theirs = 'champion' if t.of_one else 'champion_alone' -%}
{%- set value = 'estimates.value' if t.sure else 'estimates.' ~ t.value -%}
{%- set champion = 'estimates.baseline_value' if t.sure else theirs ~ '.' ~ t.value -%}
{%- set shortfall = sqlmetrics.shortfall(t.direction, value, champion) -%}
{%- set allowed = ' > ' ~ t.tolerance ~ ' + 1e-12 * least(abs(' ~ value ~ '), abs(' ~ champion ~ '))' -%}
{%- set bound = sqlmetrics.bound_by_champion(t.direction, value, champion, t.tolerance) -%}
{#- Bounds of the shortfall. -#}
{%- set least, most = ['-estimates.difference_high', '-estimates.difference_low'] if t.direction == 'higher' else ['estimates.difference_low', 'estimates.difference_high'] -%}
{%- set undefined = sqlmetrics.is_undefined('estimates.difference_low') ~ ' or ' ~ sqlmetrics.is_undefined('estimates.difference_high') -%}
{%- set worse = {'value': shortfall ~ allowed, 'near': most ~ allowed, 'far': least ~ allowed, 'bound': bound, 'message': '{0}worse by more than the tolerance'} -%}
{%- set rows = 'estimates.n' if t.of_one else 'least(estimates.n, coalesce(champion_alone.n, 0))' -%}
{%- set neither = sqlmetrics.is_undefined(value) ~ ' or ' ~ sqlmetrics.is_undefined(champion) -%}
{%- set without = sqlmetrics.verdicts_without_value(rows, t.min_rows, value)[:1] + [[neither, none, "'a value is undefined'"]] -%}
{%- set from -%}
from estimates
{%- if not (t.sure and t.of_one) %}
left join {{ theirs }}{{ sqlmetrics.on_conditions(sqlmetrics.same_slices('estimates', theirs, names)) }}
{%- endif -%}
{%- endset -%}
{%- set ends = [champion ~ ' + estimates.difference_low', champion ~ ' + estimates.difference_high'] if t.sure else [] -%}
{{ sqlmetrics.judged_slices(sqlmetrics.slice_text(names, 'estimates'), value, ends, without + sqlmetrics.verdicts_about_bounds(t, undefined, [worse]), from) }}
{%- endmacro -%}

{#- The worst value within the tolerance of the champion's, on the side of the value. -#}
{%- macro bound_by_champion(direction, value, champion, tolerance) -%}
{%- if direction in ['higher', 'lower'] -%}
{{ champion ~ (' - ' if direction == 'higher' else ' + ') ~ tolerance }}
{%- else -%}
{%- set ideal = {'near 0': 0, 'near 1': 1}[direction] -%}
{{ ideal }} + sign({{ value }} - {{ ideal }}) * (abs({{ champion }} - {{ ideal }}) + {{ tolerance }})
{%- endif -%}
{%- endmacro -%}
