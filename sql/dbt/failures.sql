{#- What the generic tests share: the slices whose value breaks a bound, each row with its slice, value, bound and reason. -#}

{#- The one column that a test looks at. -#}
{%- macro tested_column(macro, metric) -%}
{%- set requested = sqlmetrics.requested_metrics(macro, metric, none) -%}
{%- if requested | length != 1 or requested[0].metric.table or requested[0].metric.name not in requested[0].metric.columns -%}
{%- do sqlmetrics.refuse(macro, 'metric must be one metric with one value, not ' ~ sqlmetrics.shown(metric)) -%}
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
{%- do sqlmetrics.refuse(macro, argument ~ ' must be a number, not ' ~ ('none' if value is none else sqlmetrics.shown(value))) -%}
{%- endif -%}
{{ return(sqlmetrics.to_double('null' if value is none else sqlmetrics.number(value))) }}
{%- endmacro -%}

{#- The shape of all failures: `columns` maps each column to its value in a row that is no slice, and `failure` says what is wrong. -#}
{%- macro no_slice(names, value='null') -%}
{%- set columns = {} -%}
{%- for name in names -%}{%- do columns.update({name: value}) -%}{%- endfor -%}
{{ return(columns) }}
{%- endmacro -%}

{%- macro failing_slices(columns) -%}
select
    {{ sqlmetrics.lines((columns | list) + ['failure']) }}
from judged
where failure is not null
{%- endmacro -%}

{%- macro failing_row(columns, failure) -%}
{%- set items = [] -%}
{%- for name, value in columns.items() -%}{%- do items.append(value if value == name else value ~ ' as ' ~ name) -%}{%- endfor -%}
select
    {{ sqlmetrics.lines(items + [failure ~ (' as failure' if failure != 'failure')]) }}
{%- endmacro -%}

{#- Rows that break a rule have a row of their own among the failures (input_failures). What is measured leaves them out: the metric
    has no meaning for them, and the engine may break off over one, as over a label of 200 where a byte is sorted. -#}
{%- macro plan_of_sound_rows(call) -%}
{{ return(dict(sqlmetrics.plan(call), checks=true)) }}
{%- endmacro -%}

{#- A value that is NULL, or NaN, is neither below a bound nor above it. -#}
{%- macro is_undefined(value) -%}
{{ sqlmetrics.fails(sqlmetrics.is_number(value) | replace('\n    ', ' ')) }}
{%- endmacro -%}

{%- macro check_strict(macro, strict, confidence) -%}
{%- if strict is not boolean -%}
{%- do sqlmetrics.refuse(macro, 'strict must be true or false, not ' ~ sqlmetrics.shown(strict)) -%}
{%- elif strict and confidence is none -%}
{%- do sqlmetrics.refuse(macro, 'strict has a meaning with confidence only; give ⟨confidence⟩=0.95 or leave it out') -%}
{%- endif -%}
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
{%- macro failures_between(macro, relation, metric, roles, relations, by, min_value, max_value, min_rows, few, max_dropped=none, confidence=none, cluster=none, strict=false) -%}
{%- if min_value is none and max_value is none -%}
{%- do sqlmetrics.refuse(macro, 'give min_value, max_value or both') -%}
{%- endif -%}
{%- do sqlmetrics.check_strict(macro, strict, confidence) -%}
{%- do sqlmetrics.check_whole(macro, 'min_rows', min_rows, 1) -%}
{%- set column = sqlmetrics.tested_column(macro, metric) -%}
{%- set value = sqlmetrics.identifier(column) -%}
{%- set ends = [] if confidence is none else [sqlmetrics.identifier(column ~ '_low'), sqlmetrics.identifier(column ~ '_high')] -%}
{%- set bounds = {'min_value': sqlmetrics.bound(macro, 'min_value', min_value, true), 'max_value': sqlmetrics.bound(macro, 'max_value', max_value, true)} -%}
{%- set columns = sqlmetrics.no_slice(sqlmetrics.slice_names(macro, by, roles['score'])) -%}
{%- do columns.update({'n': 'cast(0 as bigint)'}) -%}
{%- do columns.update(sqlmetrics.no_slice([value] + ends, sqlmetrics.to_double('null'))) -%}
{%- set measured = columns | list -%}
{%- do columns.update(bounds) -%}
{%- set q = sqlmetrics.plan_of_sound_rows(sqlmetrics.call_of(macro, relation, metric, roles, relations, {'by': by, 'confidence': confidence, 'cluster': cluster})) -%}
{%- set failing -%}
with measured as (
    {{ sqlmetrics.indented(sqlmetrics.composed(q)) }}
),
inputs as (
    {{ sqlmetrics.indented(sqlmetrics.input_failures(macro, q, max_dropped)) }}
),
counted as (
    select
        {{ measured | join(',\n        ') }},
        {{ bounds.min_value }} as min_value,
        {{ bounds.max_value }} as max_value
    from measured
{%- if few == 'skip' %}
    where n >= {{ min_rows }}
{%- endif %}
),
judged as (
    select
        {{ columns | join(',\n        ') }},
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
)
{{ sqlmetrics.failing_slices(columns) }}
union all
{{ sqlmetrics.failing_row(columns, "'no slice has enough rows'") }}
{{ sqlmetrics.from_single_row() }}
where not exists (select 1 from counted)
union all
{{ sqlmetrics.failing_row(dict(columns, n='row_count'), 'failure') }}
from inputs
{%- endset -%}
{{ sqlmetrics.give_line_breaks(failing) }}
{%- endmacro -%}

{#- Which way is worse: as the metric file says (copc: away from 1; mean_error: away from 0), or as the test does. -#}
{%- macro direction(macro, metric, better) -%}
{%- set own = sqlmetrics.requested_metrics(macro, metric, none)[0].metric.direction -%}
{%- set direction = own if better is none else better -%}
{%- if direction not in ['higher', 'lower', 'near 1', 'near 0'] -%}
{%- do sqlmetrics.refuse(macro, "better must be 'higher', 'lower', 'near 1' or 'near 0', not " ~ direction) -%}
{%- endif -%}
{{ return(direction) }}
{%- endmacro -%}

{#- The champion is another score of the relation, compared on the rows that have both, or the same metric of another relation. -#}
{%- macro failures_against(macro, relation, metric, roles, relations, by, other_relation, other_score, tolerance, better, min_rows, max_dropped=none, confidence=none, cluster=none, strict=false) -%}
{%- do sqlmetrics.check_strict(macro, strict, confidence) -%}
{%- if cluster is not none and confidence is none -%}
{%- do sqlmetrics.refuse(macro, 'cluster has a meaning with confidence only; give ⟨confidence⟩=0.95 or leave it out') -%}
{%- endif -%}
{%- if other_relation is none and other_score is none -%}
{%- do sqlmetrics.refuse(macro, 'give champion_score, champion_relation or both') -%}
{%- elif sqlmetrics.is_list(roles['score']) -%}
{%- do sqlmetrics.refuse(macro, 'score must be one column, not a list') -%}
{%- endif -%}
{%- do sqlmetrics.check_whole(macro, 'min_rows', min_rows, 1) -%}
{%- set most = sqlmetrics.bound(macro, 'tolerance', tolerance) -%}
{%- set direction = sqlmetrics.direction(macro, metric, better) -%}
{%- set champion = {
    'relation': relation if other_relation is none else other_relation,
    'roles': roles if other_score is none else dict(roles, score=other_score),
} -%}
{%- set both = [] -%}
{%- for score in [roles['score'], other_score] if other_relation is none -%}
{%- do both.append(sqlmetrics.is_number(sqlmetrics.to_double(sqlmetrics.sql_of(sqlmetrics.role_value(macro, 'score', score))))) -%}
{%- endfor -%}
{%- set options = {'by': by, 'where': both | join('\n    and ') if both else none} -%}
{%- set q = sqlmetrics.plan_of_sound_rows(sqlmetrics.call_of(macro, relation, metric, roles, relations, options)) -%}
{%- if other_score is not none and 'score' not in q.columns -%}
{%- do sqlmetrics.refuse(macro, metric ~ ' reads no score: champion_score would be compared with nothing; give champion_relation') -%}
{%- endif -%}
{{ sqlmetrics.give_line_breaks(sqlmetrics.statement_against({
    'macro': macro,
    'q': q,
    'champion': sqlmetrics.plan_of_sound_rows(sqlmetrics.call_of(macro, champion.relation, metric, champion.roles, relations, options)),
    'all_rows': sqlmetrics.plan_of_sound_rows(sqlmetrics.call_of(macro, relation, metric, roles, relations, {'by': by})),
    'all_rows_of_champion': sqlmetrics.plan_of_sound_rows(sqlmetrics.call_of(macro, champion.relation, metric, champion.roles, relations, {'by': by})),
    'compared': none if confidence is none else sqlmetrics.comparison_with_champion(macro, relation, metric, roles, relations, by, other_relation, other_score, direction, confidence, cluster),
    'of_one_relation': other_relation is none,
    'value': sqlmetrics.identifier(sqlmetrics.tested_column(macro, metric)),
    'names': sqlmetrics.slice_names(macro, by, none),
    'direction': direction,
    'tolerance': most,
    'min_rows': min_rows,
    'max_dropped': max_dropped,
    'strict': strict,
})) }}
{%- endmacro -%}

{#- t.compared, the plan of a comparison with its interval, has the values of both; without it the champion is measured by itself. -#}
{%- macro statement_against(t) -%}
{%- set sure = t.compared is not none -%}
{%- set ends = ['difference_low', 'difference_high'] if sure else [] -%}
{%- set null = sqlmetrics.to_double('null') -%}
{%- set columns = sqlmetrics.no_slice(t.names) -%}
{%- do columns.update({'n': 'cast(0 as bigint)', t.value: null, 'champion': null}) -%}
{%- do columns.update(sqlmetrics.no_slice(ends, null)) -%}
{%- do columns.update({'tolerance': t.tolerance}) -%}
{%- set lost = dict(columns, champion='champion.' ~ t.value) -%}
{%- for name in t.names -%}{%- do lost.update({name: 'champion.' ~ name}) -%}{%- endfor -%}
{#- A comparison of two relations has the slices of both, but does not tell the rows of the champion's. Two scores of one relation may
    have no row in common in a slice, which is lost as well. -#}
{%- set champion_is_read = not (sure and t.of_one_relation) -%}
{%- set loses_slices = not sure or t.of_one_relation -%}
{%- set slices_before = 'champion_alone' if t.of_one_relation and t.names else 'champion' -%}
{%- set same = sqlmetrics.same_slices('measured', 'champion', t.names) -%}
{%- set champion = 'measured.baseline_value' if sure else 'champion.' ~ t.value -%}
with measured as (
{%- if sure %}
    select
        {{ (t.names + ['n', 'value as ' ~ t.value, 'baseline_value'] + ends) | join(',\n        ') }}
    from (
        {{ sqlmetrics.indented(sqlmetrics.indented(sqlmetrics.composed(t.compared))) }}
    ) as comparison
{%- else %}
    {{ sqlmetrics.indented(sqlmetrics.composed(t.q)) }}
{%- endif %}
),
{%- if champion_is_read %}
champion as (
    {{ sqlmetrics.indented(sqlmetrics.composed(t.champion)) }}
),
{%- endif %}
{%- if slices_before == 'champion_alone' %}
champion_alone as (
    {{ sqlmetrics.indented(sqlmetrics.composed(t.all_rows_of_champion)) }}
),
{%- endif %}
inputs as (
    {{ sqlmetrics.indented(sqlmetrics.input_failures(t.macro, t.all_rows, t.max_dropped)) }}
    {{ sqlmetrics.union_distinct() }}
    {{ sqlmetrics.indented(sqlmetrics.input_failures(t.macro, t.all_rows_of_champion, t.max_dropped)) }}
),
judged as (
    select
        {{ (sqlmetrics.keys_alone('measured', t.names + ['n', t.value]) + [champion ~ ' as champion'] + sqlmetrics.keys_alone('measured', ends)) | join(',\n        ') }},
        {{ t.tolerance }} as tolerance,
        {{ sqlmetrics.indented(sqlmetrics.indented(sqlmetrics.worse_than(t, champion, champion_is_read))) }} as failure
    from measured
{%- if champion_is_read %}
    left join champion
        on {{ same | indent(4) }}
{%- endif %}
)
{{ sqlmetrics.failing_slices(columns) }}
{%- if loses_slices and (t.names or not sure) %}
union all
{{ sqlmetrics.failing_row(lost, "'the slice has no rows'") }}
from {{ slices_before }} as champion
where not exists (
    select 1
    from measured
    where {{ same | indent(4) }}
)
{%- endif %}
{%- if t.names %}
union all
{{ sqlmetrics.failing_row(columns, "'no rows at all'") }}
{{ sqlmetrics.from_single_row() }}
where not exists (select 1 from measured)
{%- if loses_slices %}
    and not exists (select 1 from {{ slices_before }})
{%- endif %}
{%- endif %}
union all
{{ sqlmetrics.failing_row(dict(columns, n='row_count'), 'failure') }}
from inputs
{%- endmacro -%}

{#- Why a slice fails. Values that differ in their last digits only, as those of one model added up in another order, differ by nothing. -#}
{%- macro worse_than(t, champion, champion_is_read) -%}
{%- set shortfall = sqlmetrics.shortfall(t.direction, 'measured.' ~ t.value, champion) -%}
{%- set allowed = t.tolerance ~ ' + 1e-12 * least(abs(measured.' ~ t.value ~ '), abs(' ~ champion ~ '))' -%}
case
    when measured.n < {{ t.min_rows }}{{ ' or coalesce(champion.n, 0) < ' ~ t.min_rows if champion_is_read }} then 'fewer rows than min_rows'
    when {{ sqlmetrics.is_undefined('measured.' ~ t.value) }} or {{ sqlmetrics.is_undefined(champion) }} then 'a value is undefined'
{%- if t.compared is none %}
    when {{ shortfall }} > {{ allowed }} then 'worse by more than the tolerance'
{%- else %}
{#- How far it is behind at the least, and at the most. Nothing is sure without an interval: what is worse is not excused by chance then. #}
{%- set low, high = ['-measured.difference_high', '-measured.difference_low'] if t.direction == 'higher' else ['measured.difference_low', 'measured.difference_high'] %}
{%- set unknown = sqlmetrics.is_undefined('measured.difference_low') ~ ' or ' ~ sqlmetrics.is_undefined('measured.difference_high') %}
{%- if t.strict %}
    when {{ unknown }} then 'the interval is undefined'
    when {{ high }} > {{ allowed }} then 'worse by more than the tolerance, or that it is not is not sure'
{%- else %}
    when ({{ unknown }}) and {{ shortfall }} > {{ allowed }} then 'worse by more than the tolerance, and the interval is undefined'
    when {{ unknown }} then null
    when {{ low }} > {{ allowed }} then 'worse by more than the tolerance and chance'
{%- endif %}
{%- endif %}
end
{%- endmacro -%}

{#- Two scores of one relation, or the score of two, compared with an interval of their difference. -#}
{%- macro comparison_with_champion(macro, relation, metric, roles, relations, by, other_relation, other_score, direction, confidence, cluster) -%}
{%- if direction not in ['higher', 'lower'] -%}
{%- do sqlmetrics.refuse(macro, 'confidence: ' ~ metric ~ ' is best ' ~ direction ~ '; bound it by metric_between with confidence, or leave confidence out') -%}
{%- endif -%}
{%- set comparison = {'against': other_relation, 'baseline': none, 'relative': false, 'test': 't', 'adjust': none, 'power': 0.8} -%}
{%- if other_relation is not none -%}{%- do comparison.update({'score_of_against': other_score}) -%}{%- endif -%}
{%- set both = roles if other_relation is not none else dict(roles, score=[other_score, roles['score']]) -%}
{{ return(sqlmetrics.plan_of_sound_rows(sqlmetrics.call_of(macro, relation, metric, both, relations, {'by': by, 'confidence': confidence, 'cluster': cluster, 'comparison': comparison}))) }}
{%- endmacro -%}
