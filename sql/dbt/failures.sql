{#- What the generic tests share: the slices whose value breaks a bound, each row with its slice, value, bound and reason. -#}

{#- The one column that a test looks at. -#}
{%- macro tested_column(macro, metric) -%}
{%- set requested = sqlmetrics.requested_metrics(macro, metric, none) -%}
{%- if requested | length != 1 or requested[0].metric.table or requested[0].metric.name not in requested[0].metric.columns -%}
{%- do sqlmetrics.raise_error(macro, 'metric must be one metric with one value, not ' ~ sqlmetrics.shown(metric)) -%}
{%- endif -%}
{{ return(requested[0].columns[requested[0].metric.name]) }}
{%- endmacro -%}

{#- The column of a test that stands under one. Where the column has `quote: true`, dbt gives its name in quotes, as it is written in
    SQL; here names are quoted where they are written. -#}
{%- macro column_of_test(column_name) -%}
{%- set quotes = adapter.quote('') -%}
{%- if column_name is string and column_name | length > 2 and column_name[0] == quotes[0] and column_name[-1] == quotes[-1] -%}
{{ return({'column': column_name[1:-1]}) }}
{%- endif -%}
{{ return(column_name) }}
{%- endmacro -%}

{#- The columns by which a result tells its slices. -#}
{%- macro slice_names(macro, by, score) -%}
{%- set slicing = sqlmetrics.slicing_of(macro, by) -%}
{%- set names = [sqlmetrics.identifier('grouping')] if slicing.groupings else [] -%}
{%- for entry in slicing.entries -%}{%- do names.append(sqlmetrics.identifier(entry.name)) -%}{%- endfor -%}
{%- if sqlmetrics.is_list(score) and score | length > 1 -%}{%- do names.append('model') -%}{%- endif -%}
{{ return(names) }}
{%- endmacro -%}

{#- Nothing is more than NULL: a test without its bound would always pass. -#}
{%- macro bound(macro, argument, value, optional=false) -%}
{%- if not sqlmetrics.parameter_fits({'type': 'number'}, value) and not (optional and value is none) -%}
{%- do sqlmetrics.raise_error(macro, argument ~ ' must be a number, not ' ~ ('none' if value is none else sqlmetrics.shown(value))) -%}
{%- endif -%}
{{ return(sqlmetrics.to_double('null' if value is none else sqlmetrics.number(value))) }}
{%- endmacro -%}

{#- The shape of all failures: the rows of the step `judged` whose failure says what is wrong, then `others`, rows that are no slice of it
    [{columns, failure, rows: where from}]. Columns are name -> what stands there in a row that is no slice. -#}
{%- macro failing_rows(columns, steps, others) -%}
{%- set ending -%}
select
    {{ sqlmetrics.select_list(columns | list + ['failure']) }}
from judged
where failure is not null
{%- for other in others %}
union all
select
    {{ sqlmetrics.select_list(sqlmetrics.selected(dict(other['columns'], failure=other.failure))) }}
{{ other.rows }}
{%- endfor -%}
{%- endset -%}
{{ sqlmetrics.give_line_breaks(sqlmetrics.written_steps(steps, ending) ~ '\n' ~ ending) }}
{%- endmacro -%}

{#- The columns of failures, in their order: [[names, what stands in a row that is no slice], …]. -#}
{%- macro columns_of_failures(entries) -%}
{%- set columns = {} -%}
{%- for names, value in entries -%}{%- for name in names -%}{%- do columns.update({name: value}) -%}{%- endfor -%}{%- endfor -%}
{{ return(columns) }}
{%- endmacro -%}

{#- Where a step has no row at all; where values break a rule, or too many are missing. -#}
{%- macro failure_without(step, columns, words) -%}
{{ return({'columns': columns, 'failure': "'" ~ words ~ "'", 'rows': sqlmetrics.from_single_row() ~ '\nwhere not exists (select 1 from ' ~ step ~ ')'}) }}
{%- endmacro -%}

{%- macro failures_of_inputs(columns) -%}
{{ return({'columns': dict(columns, n='row_count'), 'failure': 'failure', 'rows': 'from inputs'}) }}
{%- endmacro -%}

{%- macro no_rows() -%}cast(0 as bigint){%- endmacro -%}

{#- Rows that break a rule have a row of their own among the failures (input_failures). What is measured leaves them out: the metric
    has no meaning for them, and the engine may break off over one, as over a label of 200 where a byte is sorted. -#}
{%- macro plan_of_sound_rows(macro, relation, metric, inputs, options) -%}
{{ return(dict(sqlmetrics.plan(sqlmetrics.call_of(macro, relation, metric, inputs.roles, inputs.relations, options)), checks=true)) }}
{%- endmacro -%}

{#- A value that is NULL, or NaN, is neither below a bound nor above it. -#}
{%- macro is_undefined(value) -%}
{{ sqlmetrics.fails(sqlmetrics.is_number(value) | replace('\n    ', ' ')) }}
{%- endmacro -%}

{%- macro check_strict(macro, strict, confidence) -%}
{%- do sqlmetrics.check_rules(macro, [
    [strict is not boolean, 'strict must be true or false, not ' ~ sqlmetrics.shown(strict)],
    [strict and confidence is none, 'strict has a meaning with confidence only; give ⟨confidence⟩=0.95 or leave it out'],
]) -%}
{%- endmacro -%}

{#- What is wrong with the input of a call, as the runner would refuse it: one row per rule that values break, and, beyond
    max_dropped rows, per column whose values are missing: what, rows, failure. -#}
{%- macro input_failures(macro, q, max_dropped) -%}
{%- if max_dropped is not none -%}{%- do sqlmetrics.check_whole(macro, 'max_dropped', max_dropped, 0) -%}{%- endif -%}
{%- set role -%}
{%- if q.role_words -%}
case column_name {% for column, words in q.role_words.items() %}when {{ sqlmetrics.text_literal(column) }} then {{ sqlmetrics.text_literal(words) }} {% endfor %}end
{%- else -%}
''
{%- endif -%}
{%- endset -%}
{%- if q.models -%}
{%- set role = "case when model <> '' then " ~ sqlmetrics.text_literal("score (column '") ~ ' || model || ' ~ sqlmetrics.text_literal("')") ~ ' else ' ~ role ~ ' end' -%}
{%- endif -%}
{%- set count = 'cast(row_count as ' ~ sqlmetrics.type_text() ~ ')' -%}
{%- set missing = '1 = 0' if max_dropped is none else 'row_count > ' ~ max_dropped -%}
{%- set values = sqlmetrics.inspected_values(q) -%}
select
    {{ role }} as subject,
    row_count,
    {{ role }} || ': ' || {{ count }} || case
{%- for problem in q.problems %}
        when kind = 'broken' and position = {{ loop.index0 }} and row_count = 1 then {{ sqlmetrics.text_literal(' row where the value ' ~ problem.words ~ '; for example ') }} || example
        when kind = 'broken' and position = {{ loop.index0 }} then {{ sqlmetrics.text_literal(' rows where the value ' ~ problem.words ~ '; for example ') }} || example
{%- endfor %}
        when row_count = 1 then ' row is left out because the value is NULL or NaN; max_dropped is {{ max_dropped }}'
        else ' rows are left out because the value is NULL or NaN; max_dropped is {{ max_dropped }}'
    end as failure
from {{ sqlmetrics.written_inside(values.steps, values['select']) }} as inspected_values
where kind = 'broken'
    or {{ missing }}
{%- if sqlmetrics.groups_are_inspected(q) %}
{%- set groups = sqlmetrics.inspected_groups(q) %}
union all
select
    relation as subject,
    row_count,
    relation || case
        when kind = 'broken' then ' ' || words || '; for example ' || example || ' (' || {{ count }} || ' in all)'
        else ': ' || {{ count }} || ' rows are left out because a value is NULL or NaN; max_dropped is {{ max_dropped }}'
    end as failure
from {{ sqlmetrics.written_inside(groups.steps, groups['select']) }} as inspected_groups
where kind = 'broken'
    or {{ missing }}
{%- endif -%}
{%- endmacro -%}

{#- `few` says what becomes of a slice with fewer than min_rows rows: 'fail', or 'skip' where others have enough. -#}
{%- macro failures_between(macro, relation, metric, inputs, by, min_value, max_value, min_rows, few, max_dropped=none, confidence=none, cluster=none, strict=false) -%}
{%- if min_value is none and max_value is none -%}
{%- do sqlmetrics.raise_error(macro, 'give min_value, max_value or both') -%}
{%- endif -%}
{%- do sqlmetrics.check_strict(macro, strict, confidence) -%}
{%- do sqlmetrics.check_whole(macro, 'min_rows', min_rows, 1) -%}
{%- set column = sqlmetrics.tested_column(macro, metric) -%}
{%- set value = sqlmetrics.identifier(column) -%}
{%- set ends = [] if confidence is none else [sqlmetrics.identifier(column ~ '_low'), sqlmetrics.identifier(column ~ '_high')] -%}
{%- set estimates = sqlmetrics.columns_of_failures([
    [sqlmetrics.slice_names(macro, by, inputs.roles['score']), 'null'],
    [['n'], sqlmetrics.no_rows()],
    [[value] + ends, sqlmetrics.to_double('null')],
]) -%}
{%- set columns = dict(estimates, min_value=sqlmetrics.bound(macro, 'min_value', min_value, true), max_value=sqlmetrics.bound(macro, 'max_value', max_value, true)) -%}
{%- set q = sqlmetrics.plan_of_sound_rows(macro, relation, metric, inputs, {'by': by, 'confidence': confidence, 'cluster': cluster}) -%}
{%- set counted -%}
select
    {{ sqlmetrics.select_list(estimates | list) }},
    {{ columns.min_value }} as min_value,
    {{ columns.max_value }} as max_value
from (
    {{ sqlmetrics.indented(sqlmetrics.composed(q)) }}
) as estimates
{{- '\nwhere n >= ' ~ min_rows if few == 'skip' }}
{%- endset -%}
{%- set judged -%}
select
    {{ sqlmetrics.select_list(columns | list) }},
    case
        when n < {{ min_rows }} then 'fewer rows than min_rows'
        when {{ sqlmetrics.is_undefined(value) }} then 'the value is undefined'
{%- if not ends %}
        when {{ value }} < min_value then 'the value is below min_value'
        when {{ value }} > max_value then 'the value is above max_value'
{%- else %}
{%- set unknown = sqlmetrics.is_undefined(ends[0]) ~ ' or ' ~ sqlmetrics.is_undefined(ends[1]) %}
{#- Nothing is sure without an interval: then a bound that is broken is not excused by chance, and one that is kept is kept. #}
{%- if strict %}
        when {{ unknown }} then 'the interval is undefined'
        when {{ ends[0] }} < min_value then 'the value or its interval is below min_value, and that it is within is not sure'
        when {{ ends[1] }} > max_value then 'the value or its interval is above max_value, and that it is within is not sure'
{%- else %}
        when ({{ unknown }}) and {{ value }} < min_value then 'the value is below min_value, and its interval is undefined'
        when ({{ unknown }}) and {{ value }} > max_value then 'the value is above max_value, and its interval is undefined'
        when {{ unknown }} then null
        when {{ ends[1] }} < min_value then 'the value is below min_value by more than chance'
        when {{ ends[0] }} > max_value then 'the value is above max_value by more than chance'
{%- endif %}
{%- endif %}
    end as failure
from counted
{%- endset -%}
{{ sqlmetrics.failing_rows(columns, [
    sqlmetrics.step('counted', counted, stored=true),
    sqlmetrics.step('inputs', sqlmetrics.input_failures(macro, q, max_dropped)),
    sqlmetrics.step('judged', judged),
], [
    sqlmetrics.failure_without('counted', columns, 'no slice has enough rows'),
    sqlmetrics.failures_of_inputs(columns),
]) }}
{%- endmacro -%}

{#- Which way is worse: as the metric file says (copc: away from 1; mean_error: away from 0), or as the test does. -#}
{%- macro direction(macro, metric, better) -%}
{%- set own = sqlmetrics.requested_metrics(macro, metric, none)[0].metric.direction -%}
{%- set direction = own if better is none else better -%}
{%- if direction not in ['higher', 'lower', 'near 1', 'near 0'] -%}
{%- do sqlmetrics.raise_error(macro, "better must be 'higher', 'lower', 'near 1' or 'near 0', not " ~ direction) -%}
{%- endif -%}
{{ return(direction) }}
{%- endmacro -%}

{#- The champion is another score of the relation, compared on the rows that have both, or the same metric of another relation, with this
    score or another. `given` are the further arguments of the test. -#}
{%- macro failures_against(macro, relation, metric, inputs, other_relation, other_score, given) -%}
{%- set names, of_one, score = sqlmetrics.slice_names(macro, given.by, none), other_relation is none, inputs.roles['score'] -%}
{%- set sure = given.confidence is not none -%}
{%- do sqlmetrics.check_strict(macro, given.strict, given.confidence) -%}
{%- do sqlmetrics.check_rules(macro, [
    [given.cluster is not none and not sure, 'cluster has a meaning with confidence only; give ⟨confidence⟩=0.95 or leave it out'],
    [of_one and other_score is none, 'give champion_score, champion_relation or both'],
    [sqlmetrics.is_list(score), 'score must be one column, not a list'],
]) -%}
{%- do sqlmetrics.check_whole(macro, 'min_rows', given.min_rows, 1) -%}
{%- set t = dict(
    given,
    value=sqlmetrics.identifier(sqlmetrics.tested_column(macro, metric)),
    tolerance=sqlmetrics.bound(macro, 'tolerance', given.tolerance),
    direction=sqlmetrics.direction(macro, metric, given.better),
    sure=sure,
    of_one=of_one
) -%}
{%- set of_champion = inputs if other_score is none else dict(inputs, roles=dict(inputs.roles, score=other_score)) -%}
{%- set own = sqlmetrics.plan_of_sound_rows(macro, relation, metric, inputs, {'by': t.by}) -%}
{%- set champion = sqlmetrics.plan_of_sound_rows(macro, relation if of_one else other_relation, metric, of_champion, {'by': t.by}) -%}
{%- if other_score is not none and 'score' not in own.columns -%}
{%- do sqlmetrics.raise_error(macro, metric ~ ' reads no score: champion_score would be compared with nothing; give champion_relation') -%}
{%- endif -%}
{%- set columns = sqlmetrics.columns_of_failures([
    [names, 'null'],
    [['n'], sqlmetrics.no_rows()],
    [[t.value, 'champion'] + (['difference_low', 'difference_high'] if sure else []), sqlmetrics.to_double('null')],
    [['tolerance'], t.tolerance],
]) -%}
{%- set steps = [] -%}
{%- if sure -%}
{%- set comparison = sqlmetrics.comparison_with_champion(macro, relation, metric, inputs, other_relation, other_score, t) -%}
{%- do steps.append(sqlmetrics.step('estimates', 'select *\nfrom (\n    ' ~ sqlmetrics.indented(sqlmetrics.composed(comparison)) ~ '\n) as comparison', stored=true)) -%}
{%- elif of_one -%}
{%- set shared = [] -%}
{%- for one in [score, other_score] -%}
{%- do shared.append(sqlmetrics.is_number(sqlmetrics.to_double(sqlmetrics.sql_of(sqlmetrics.role_value(macro, 'score', one))))) -%}
{%- endfor -%}
{%- for name, q in {'estimates': own, 'champion': champion}.items() -%}
{%- do steps.append(sqlmetrics.step(name, sqlmetrics.composed(dict(q, where=shared | join('\n    and '))), stored=true)) -%}
{%- endfor -%}
{%- else -%}
{%- do steps.append(sqlmetrics.step('estimates', sqlmetrics.composed(own), stored=true)) -%}
{%- endif -%}
{%- if names or not of_one -%}
{%- do steps.append(sqlmetrics.step('champion_alone', sqlmetrics.composed(champion), stored=true)) -%}
{%- endif -%}
{%- set inputs_of_both = sqlmetrics.input_failures(macro, own, t.max_dropped) ~ '\n' ~ sqlmetrics.union_distinct() ~ '\n' ~ sqlmetrics.input_failures(macro, champion, t.max_dropped) -%}
{%- do steps.append(sqlmetrics.step('inputs', inputs_of_both)) -%}
{%- do steps.append(sqlmetrics.step('judged', sqlmetrics.judged_against(t, names))) -%}
{%- set lost = dict(columns, champion='champion_alone.' ~ t.value) -%}
{%- for name in names -%}{%- do lost.update({name: 'champion_alone.' ~ name}) -%}{%- endfor -%}
{%- set same = sqlmetrics.indented(sqlmetrics.same_slices('estimates', 'champion_alone', names)) -%}
{%- set without = sqlmetrics.failure_without('estimates', columns, 'no rows at all') -%}
{{ sqlmetrics.failing_rows(columns, steps, ([
    {'columns': lost, 'failure': "'the slice has no rows'", 'rows': 'from champion_alone\nwhere not exists (\n    select 1\n    from estimates\n    where ' ~ same ~ '\n)'},
    dict(without, rows=without.rows ~ '\n    and not exists (select 1 from champion_alone)'),
] if names else []) + [sqlmetrics.failures_of_inputs(columns)]) }}
{%- endmacro -%}

{#- Why a slice fails. The champion's value is that of the comparison, of the rows that have both scores, or of its own relation, which also
    has rows of its own. Values that differ in their last digits only, as those of one model added up in another order, differ by nothing. -#}
{%- macro judged_against(t, names) -%}
{%- set theirs = 'champion' if t.of_one else 'champion_alone' -%}
{%- set value = 'estimates.value' if t.sure else 'estimates.' ~ t.value -%}
{%- set champion = 'estimates.baseline_value' if t.sure else theirs ~ '.' ~ t.value -%}
{%- set shortfall = sqlmetrics.shortfall(t.direction, value, champion) -%}
{%- set allowed = t.tolerance ~ ' + 1e-12 * least(abs(' ~ value ~ '), abs(' ~ champion ~ '))' -%}
select
    {{ sqlmetrics.select_list(sqlmetrics.keys_alone('estimates', names + ['n']) + [value ~ ' as ' ~ t.value, champion ~ ' as champion']) }},
    {{- '\n    estimates.difference_low,\n    estimates.difference_high,' if t.sure }}
    {{ t.tolerance }} as tolerance,
    case
        when estimates.n < {{ t.min_rows }}{{ ' or coalesce(champion_alone.n, 0) < ' ~ t.min_rows if not t.of_one }} then 'fewer rows than min_rows'
        when {{ sqlmetrics.is_undefined(value) }} or {{ sqlmetrics.is_undefined(champion) }} then 'a value is undefined'
{%- if not t.sure %}
        when {{ shortfall }} > {{ allowed }} then 'worse by more than the tolerance'
{%- else %}
{#- How far it is behind at the least, and at the most. Nothing is sure without an interval: what is worse is not excused by chance then. #}
{%- set low, high = ['-estimates.difference_high', '-estimates.difference_low'] if t.direction == 'higher' else ['estimates.difference_low', 'estimates.difference_high'] %}
{%- set unknown = sqlmetrics.is_undefined('estimates.difference_low') ~ ' or ' ~ sqlmetrics.is_undefined('estimates.difference_high') %}
{%- if t.strict %}
        when {{ unknown }} then 'the interval is undefined'
        when {{ high }} > {{ allowed }} then 'worse by more than the tolerance, or that it is not is not sure'
{%- else %}
        when ({{ unknown }}) and {{ shortfall }} > {{ allowed }} then 'worse by more than the tolerance, and the interval is undefined'
        when {{ unknown }} then null
        when {{ low }} > {{ allowed }} then 'worse by more than the tolerance and chance'
{%- endif %}
{%- endif %}
    end as failure
from estimates
{%- if not (t.sure and t.of_one) %}
left join {{ theirs }}
    on {{ sqlmetrics.same_slices('estimates', theirs, names) }}
{%- endif -%}
{%- endmacro -%}

{#- Two scores of one relation, or the score of two, compared with an interval of their difference. -#}
{%- macro comparison_with_champion(macro, relation, metric, inputs, other_relation, other_score, t) -%}
{%- if t.direction not in ['higher', 'lower'] -%}
{%- do sqlmetrics.raise_error(macro, 'confidence: ' ~ metric ~ ' is best ' ~ t.direction ~ '; bound it by metric_between with confidence, or leave confidence out') -%}
{%- endif -%}
{%- set comparison = {'against': other_relation, 'baseline': none, 'relative': false, 'test': 't', 'adjust': none, 'power': 0.8} -%}
{%- if not t.of_one -%}{%- do comparison.update({'score_of_against': other_score}) -%}{%- endif -%}
{%- set scores = inputs.roles['score'] if not t.of_one else [other_score, inputs.roles['score']] -%}
{%- set options = {'by': t.by, 'confidence': t.confidence, 'cluster': t.cluster, 'comparison': comparison} -%}
{{ return(sqlmetrics.plan_of_sound_rows(macro, relation, metric, dict(inputs, roles=dict(inputs.roles, score=scores)), options)) }}
{%- endmacro -%}
