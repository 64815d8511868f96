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

{#- YAML has numbers (.inf, .nan) that no engine reads as such, and NaN is no bound. -#}
{%- macro is_a_number(value) -%}
{{ return(value is number and value is not boolean and value - value == 0) }}
{%- endmacro -%}

{%- macro bound(macro, argument, value) -%}
{%- if value is not none and not sqlmetrics.is_a_number(value) -%}
{%- do sqlmetrics.refuse(macro, argument ~ ' must be a number, not ' ~ sqlmetrics.shown(value)) -%}
{%- endif -%}
{{ return(sqlmetrics.to_double('null' if value is none else sqlmetrics.number(value))) }}
{%- endmacro -%}

{#- Nothing is more than NULL: a test without a bound would always pass. -#}
{%- macro check_given(macro, argument, value) -%}
{%- if value is none -%}
{%- do sqlmetrics.refuse(macro, argument ~ ' must be a number, not none') -%}
{%- endif -%}
{%- endmacro -%}

{%- macro check_min_rows(macro, min_rows) -%}
{%- if not sqlmetrics.is_a_number(min_rows) or min_rows < 1 or min_rows != min_rows | int -%}
{%- do sqlmetrics.refuse(macro, 'min_rows must be a whole number >= 1, not ' ~ sqlmetrics.shown(min_rows)) -%}
{%- endif -%}
{%- endmacro -%}

{%- macro check_max_dropped(macro, max_dropped) -%}
{%- if max_dropped is not none and (not sqlmetrics.is_a_number(max_dropped) or max_dropped < 0 or max_dropped != max_dropped | int) -%}
{%- do sqlmetrics.refuse(macro, 'max_dropped must be a whole number >= 0, not ' ~ sqlmetrics.shown(max_dropped)) -%}
{%- endif -%}
{%- endmacro -%}

{%- macro no_values(names) -%}
{%- set items = [] -%}
{%- for name in names -%}{%- do items.append(sqlmetrics.to_double('null') ~ ' as ' ~ name) -%}{%- endfor -%}
{{ return(items) }}
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
{%- do sqlmetrics.check_max_dropped(macro, max_dropped) -%}
{%- set roles = [] -%}
{%- for column, words in q.role_words.items() -%}
{%- do roles.append('when ' ~ sqlmetrics.text_literal(column) ~ ' then ' ~ sqlmetrics.text_literal(words)) -%}
{%- endfor -%}
{%- set role = 'case column_name ' ~ roles | join(' ') ~ ' end' if roles else "''" -%}
{%- if q.models -%}
{%- set role = "case when model <> '' then " ~ sqlmetrics.text_literal("score (column '") ~ ' || model || ' ~ sqlmetrics.text_literal("')") ~ ' else ' ~ role ~ ' end' -%}
{%- endif -%}
{%- set words = [] -%}
{%- for problem in q.problems -%}
{%- do words.append('when position = ' ~ loop.index0 ~ ' and row_count = 1 then ' ~ sqlmetrics.text_literal(' row where the value ' ~ problem.words)) -%}
{%- do words.append('when position = ' ~ loop.index0 ~ ' then ' ~ sqlmetrics.text_literal(' rows where the value ' ~ problem.words)) -%}
{%- endfor -%}
{%- set broken = 'case ' ~ words | join(' ') ~ ' end' if words else "''" -%}
{%- set count = 'cast(row_count as ' ~ sqlmetrics.type_text() ~ ')' -%}
{%- set missing = '1 = 0' if max_dropped is none else 'row_count > ' ~ max_dropped -%}
{%- set values = sqlmetrics.inspected_values(q) -%}
select
    {{ role }} as subject,
    row_count,
    {{ role }} || ': ' || {{ count }} || case
        when kind = 'broken' then {{ broken }} || '; for example ' || example
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
{%- do sqlmetrics.check_min_rows(macro, min_rows) -%}
{%- set column = sqlmetrics.tested_column(macro, metric) -%}
{%- set value = sqlmetrics.identifier(column) -%}
{%- set names = sqlmetrics.slice_names(macro, by, roles['score']) -%}
{%- set lower = sqlmetrics.bound(macro, 'min_value', min_value) -%}
{%- set upper = sqlmetrics.bound(macro, 'max_value', max_value) -%}
{%- set reasons = [] -%}
{%- if few == 'fail' -%}
{%- do reasons.append('when n < ' ~ min_rows ~ " then 'fewer rows than min_rows'") -%}
{%- endif -%}
{%- do reasons.append('when ' ~ sqlmetrics.is_undefined(value) ~ " then 'the value is undefined'") -%}
{%- set ends = [] if confidence is none else [sqlmetrics.identifier(column ~ '_low'), sqlmetrics.identifier(column ~ '_high')] -%}
{%- if ends -%}
{#- Nothing is sure without an interval. A bound that is not kept is not excused by chance then, and one that is kept is kept. -#}
{%- set unknown = sqlmetrics.is_undefined(ends[0]) ~ ' or ' ~ sqlmetrics.is_undefined(ends[1]) -%}
{%- if strict -%}
{%- do reasons.append('when ' ~ unknown ~ " then 'the interval is undefined'") -%}
{%- else -%}
{%- if min_value is not none -%}
{%- do reasons.append('when (' ~ unknown ~ ') and ' ~ value ~ ' < ' ~ lower ~ " then 'the value is below min_value, and its interval is undefined'") -%}
{%- endif -%}
{%- if max_value is not none -%}
{%- do reasons.append('when (' ~ unknown ~ ') and ' ~ value ~ ' > ' ~ upper ~ " then 'the value is above max_value, and its interval is undefined'") -%}
{%- endif -%}
{%- do reasons.append('when ' ~ unknown ~ ' then null') -%}
{%- endif -%}
{%- endif -%}
{#- The value itself; an end of its interval, when it is to be beyond the bound by more than chance, or within it for sure. -#}
{%- set words = '' if not ends else ', and that it is within is not sure' if strict else ' by more than chance' -%}
{%- if min_value is not none -%}
{%- do reasons.append('when ' ~ (ends[0 if strict else 1] if ends else value) ~ ' < ' ~ lower ~ " then 'the value " ~ ('or its interval ' if strict) ~ 'is below min_value' ~ words ~ "'") -%}
{%- endif -%}
{%- if max_value is not none -%}
{%- do reasons.append('when ' ~ (ends[1 if strict else 0] if ends else value) ~ ' > ' ~ upper ~ " then 'the value " ~ ('or its interval ' if strict) ~ 'is above max_value' ~ words ~ "'") -%}
{%- endif -%}
{%- set nothing = [] -%}
{%- for name in names -%}{%- do nothing.append('null as ' ~ name) -%}{%- endfor -%}
{%- set q = sqlmetrics.plan_of_sound_rows(sqlmetrics.call_of(macro, relation, metric, roles, relations, {'by': by, 'confidence': confidence, 'cluster': cluster})) -%}
{#- A row that is no slice has no interval. -#}
{%- set no_ends = sqlmetrics.no_values(ends) -%}
{%- set failing -%}
with measured as (
    {{ sqlmetrics.indented(sqlmetrics.composed(q)) }}
),
inputs as (
    {{ sqlmetrics.indented(sqlmetrics.input_failures(macro, q, max_dropped)) }}
),
counted as (
    select
        {{ (names + ['n', value] + ends) | join(',\n        ') }}
    from measured
    where n >= {{ min_rows if few == 'skip' else 0 }}
),
judged as (
    select
        {{ (names + [
            'n',
            value,
        ] + ends + [
            lower ~ ' as min_value',
            upper ~ ' as max_value',
            'case ' ~ reasons | join(' ') ~ ' end as failure',
        ]) | join(',\n        ') }}
    from counted
)
select
    {{ sqlmetrics.lines(names + ['n', value] + ends + ['min_value', 'max_value', 'failure']) }}
from judged
where failure is not null
union all
select
    {{ (nothing + [
        'cast(0 as bigint) as n',
        sqlmetrics.to_double('null') ~ ' as ' ~ value,
    ] + no_ends + [
        lower ~ ' as min_value',
        upper ~ ' as max_value',
        "'no slice has enough rows' as failure",
    ]) | join(',\n    ') }}
{{ sqlmetrics.from_single_row() }}
where not exists (select 1 from counted)
union all
select
    {{ (nothing + [
        'row_count as n',
        sqlmetrics.to_double('null') ~ ' as ' ~ value,
    ] + no_ends + [
        lower ~ ' as min_value',
        upper ~ ' as max_value',
        'failure',
    ]) | join(',\n    ') }}
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

{%- macro failures_against(macro, relation, metric, roles, relations, by, other_relation, other_score, tolerance, better, min_rows, max_dropped=none, confidence=none, cluster=none, strict=false) -%}
{%- do sqlmetrics.check_strict(macro, strict, confidence) -%}
{%- if cluster is not none and confidence is none -%}
{%- do sqlmetrics.refuse(macro, 'cluster has a meaning with confidence only; give ⟨confidence⟩=0.95 or leave it out') -%}
{%- endif -%}
{%- if other_relation is none and other_score is none -%}
{%- do sqlmetrics.refuse(macro, 'give champion_score, champion_relation or both') -%}
{%- endif -%}
{%- if sqlmetrics.is_list(roles['score']) -%}
{%- do sqlmetrics.refuse(macro, 'score must be one column, not a list') -%}
{%- endif -%}
{%- do sqlmetrics.check_min_rows(macro, min_rows) -%}
{%- do sqlmetrics.check_given(macro, 'tolerance', tolerance) -%}
{%- set most = sqlmetrics.bound(macro, 'tolerance', tolerance) -%}
{%- set value = sqlmetrics.identifier(sqlmetrics.tested_column(macro, metric)) -%}
{%- set names = sqlmetrics.slice_names(macro, by, none) -%}
{%- set direction = sqlmetrics.direction(macro, metric, better) -%}
{%- set champion_roles = {} -%}
{%- for role, column in roles.items() -%}{%- do champion_roles.update({role: column}) -%}{%- endfor -%}
{%- if other_score is not none -%}{%- do champion_roles.update({'score': other_score}) -%}{%- endif -%}
{%- set champion_relation = relation if other_relation is none else other_relation -%}
{#- Two scores of one relation are compared on the rows that have both. -#}
{%- set both = [] -%}
{%- if other_relation is none -%}
{%- for score in [roles['score'], other_score] -%}
{%- do both.append(sqlmetrics.is_number(sqlmetrics.to_double(sqlmetrics.sql_of(sqlmetrics.role_value(macro, 'score', score))))) -%}
{%- endfor -%}
{%- endif -%}
{%- set where = both | join('\n    and ') if both else none -%}
{%- set q = sqlmetrics.plan_of_sound_rows(sqlmetrics.call_of(macro, relation, metric, roles, relations, {'by': by, 'where': where})) -%}
{%- if other_score is not none and 'score' not in q.columns -%}
{%- do sqlmetrics.refuse(macro, metric ~ ' reads no score: champion_score would be compared with nothing; give champion_relation') -%}
{%- endif -%}
{%- set champion = sqlmetrics.plan_of_sound_rows(sqlmetrics.call_of(macro, champion_relation, metric, champion_roles, relations, {'by': by, 'where': where})) -%}
{#- What is missing is counted over all rows: without the condition, those are the two statements themselves. -#}
{%- set q_inputs = sqlmetrics.plan_of_sound_rows(sqlmetrics.call_of(macro, relation, metric, roles, relations, {'by': by})) if both else q -%}
{%- set champion_inputs = sqlmetrics.plan_of_sound_rows(sqlmetrics.call_of(macro, champion_relation, metric, champion_roles, relations, {'by': by})) if both else champion -%}
{%- set same = [] -%}
{%- set items = [] -%}
{%- set lost = [] -%}
{%- for name in names -%}
{%- do same.append(sqlmetrics.same_value('measured.' ~ name, 'champion.' ~ name)) -%}
{%- do items.append('measured.' ~ name) -%}
{%- do lost.append('champion.' ~ name) -%}
{%- endfor -%}
{%- if not same -%}{%- do same.append('1 = 1') -%}{%- endif -%}
{#- A slice in which the two have no row in common is lost as well. -#}
{%- set before = 'champion_alone' if both and names else 'champion' -%}
{%- set sure = confidence is not none -%}
{%- if sure -%}
{%- set compared = sqlmetrics.comparison_with_champion(macro, relation, metric, roles, relations, by, other_relation, other_score, direction, confidence, cluster) -%}
{%- endif -%}
{#- A comparison of two relations has the slices of both, but does not tell the rows of the champion's. -#}
{%- set loses_slices = not (sure and other_relation is not none) -%}
{%- set champion_is_read = not sure or other_relation is not none -%}
{%- set few = 'measured.n < ' ~ min_rows ~ (' or coalesce(champion.n, 0) < ' ~ min_rows if champion_is_read else '') -%}
{%- set ends = ['difference_low', 'difference_high'] if sure else [] -%}
{%- set no_ends = sqlmetrics.no_values(ends) -%}
{%- set of_champion = 'measured.baseline_value' if sure else 'champion.' ~ value -%}
{%- set shortfall = sqlmetrics.shortfall(direction, 'measured.' ~ value, of_champion) -%}
{#- Values that differ in their last digits only, as those of one model added up in another order, differ by nothing. -#}
{%- set allowed = most ~ ' + 1e-12 * least(abs(measured.' ~ value ~ '), abs(' ~ of_champion ~ '))' -%}
{%- set own_ends = ['measured.difference_low', 'measured.difference_high'] if sure else [] -%}
{#- How far it is behind at the least, or, to be sure, at the most. -#}
{%- set behind = {'higher': ['-measured.difference_high', '-measured.difference_low'], 'lower': own_ends}[direction] if sure -%}
{#- Nothing is sure without an interval. What is worse is not excused by chance then, and what is not is not. -#}
{%- set unknown = sqlmetrics.is_undefined(own_ends[0]) ~ ' or ' ~ sqlmetrics.is_undefined(own_ends[1]) if sure -%}
{%- set failing -%}
with measured as (
{%- if sure %}
    select
        {{ (names + ['n', 'value as ' ~ value, 'baseline_value'] + ends) | join(',\n        ') }}
    from (
        {{ sqlmetrics.indented(sqlmetrics.indented(sqlmetrics.composed(compared))) }}
    ) as comparison
{%- else %}
    {{ sqlmetrics.indented(sqlmetrics.composed(q)) }}
{%- endif %}
),
{%- if champion_is_read %}
champion as (
    {{ sqlmetrics.indented(sqlmetrics.composed(champion)) }}
),
{%- endif %}
{%- if before != 'champion' %}
champion_alone as (
    {{ sqlmetrics.indented(sqlmetrics.composed(champion_inputs)) }}
),
{%- endif %}
inputs as (
    {{ sqlmetrics.indented(sqlmetrics.input_failures(macro, q_inputs, max_dropped)) }}
    {{ sqlmetrics.union_distinct() }}
    {{ sqlmetrics.indented(sqlmetrics.input_failures(macro, champion_inputs, max_dropped)) }}
),
judged as (
    select
        {{ (items + [
            'measured.n',
            'measured.' ~ value,
            of_champion ~ ' as champion',
        ] + own_ends + [
            most ~ ' as tolerance',
        ]) | join(',\n        ') }},
        case
            when {{ few }} then 'fewer rows than min_rows'
            when {{ sqlmetrics.is_undefined('measured.' ~ value) }} or {{ sqlmetrics.is_undefined(of_champion) }} then 'a value is undefined'
{%- if not sure %}
            when {{ shortfall }} > {{ allowed }} then 'worse by more than the tolerance'
{%- elif strict %}
            when {{ unknown }} then 'the interval is undefined'
            when {{ behind[1] }} > {{ allowed }} then 'worse by more than the tolerance, or that it is not is not sure'
{%- else %}
            when ({{ unknown }}) and {{ shortfall }} > {{ allowed }} then 'worse by more than the tolerance, and the interval is undefined'
            when {{ unknown }} then null
            when {{ behind[0] }} > {{ allowed }} then 'worse by more than the tolerance and chance'
{%- endif %}
        end as failure
    from measured
{%- if champion_is_read %}
    left join champion
        on {{ same | join('\n        and ') }}
{%- endif %}
)
select
    {{ sqlmetrics.lines(names + ['n', value, 'champion'] + ends + ['tolerance', 'failure']) }}
from judged
where failure is not null
{%- if loses_slices and (names or not sure) %}
union all
select
    {{ (lost + [
        'cast(0 as bigint) as n',
        sqlmetrics.to_double('null') ~ ' as ' ~ value,
        'champion.' ~ value ~ ' as champion',
    ] + no_ends + [
        most ~ ' as tolerance',
        "'the slice has no rows' as failure",
    ]) | join(',\n    ') }}
from {{ before }} as champion
where not exists (
    select 1
    from measured
    where {{ same | join('\n        and ') }}
)
{%- endif %}
{%- if names %}
union all
select
    {% for name in names %}null as {{ name }},
    {% endfor -%}
    cast(0 as bigint) as n,
    {{ sqlmetrics.to_double('null') }} as {{ value }},
    {{ sqlmetrics.to_double('null') }} as champion,
    {% for end in no_ends %}{{ end }},
    {% endfor -%}
    {{ most }} as tolerance,
    'no rows at all' as failure
{{ sqlmetrics.from_single_row() }}
where not exists (select 1 from measured)
{%- if loses_slices %}
    and not exists (select 1 from {{ before }})
{%- endif %}
{%- endif %}
union all
select
    {% for name in names %}null as {{ name }},
    {% endfor -%}
    row_count as n,
    {{ sqlmetrics.to_double('null') }} as {{ value }},
    {{ sqlmetrics.to_double('null') }} as champion,
    {% for end in no_ends %}{{ end }},
    {% endfor -%}
    {{ most }} as tolerance,
    failure
from inputs
{%- endset -%}
{{ sqlmetrics.give_line_breaks(failing) }}
{%- endmacro -%}

{#- Two scores of one relation, or the score of two, compared with an interval of their difference. -#}
{%- macro comparison_with_champion(macro, relation, metric, roles, relations, by, other_relation, other_score, direction, confidence, cluster) -%}
{%- if direction not in ['higher', 'lower'] -%}
{%- do sqlmetrics.refuse(macro, 'confidence: ' ~ metric ~ ' is best ' ~ direction ~ '; bound it by metric_between with confidence, or leave confidence out') -%}
{%- endif -%}
{%- set comparison = {'against': other_relation, 'baseline': none, 'relative': false, 'test': 't', 'adjust': none, 'power': 0.8} -%}
{%- if other_relation is not none -%}{%- do comparison.update({'score_of_against': other_score}) -%}{%- endif -%}
{%- set both = {} -%}
{%- for role, column in roles.items() -%}{%- do both.update({role: column}) -%}{%- endfor -%}
{%- if other_relation is none -%}{%- do both.update({'score': [other_score, roles['score']]}) -%}{%- endif -%}
{{ return(sqlmetrics.plan_of_sound_rows(sqlmetrics.call_of(macro, relation, metric, both, relations, {'by': by, 'confidence': confidence, 'cluster': cluster, 'comparison': comparison}))) }}
{%- endmacro -%}
