{#- What the four macros of states share. -#}

{#- The plan of a state, with the cluster among its columns where buckets are kept. -#}
{%- macro plan_of_state(macro, relation, metrics, roles, preset, by, where, buckets, cluster) -%}
{%- if buckets is none and cluster is not none -%}
{%- do sqlmetrics.refuse(macro, 'cluster has a meaning with buckets only; give buckets=20 or leave it out') -%}
{%- elif buckets is not none and (buckets is not number or buckets is boolean or buckets != buckets | int or buckets < 2 or buckets > 1000) -%}
{%- do sqlmetrics.refuse(macro, 'buckets must be a whole number between 2 and 1000, not ' ~ sqlmetrics.shown(buckets)) -%}
{%- elif buckets is not none and cluster is none -%}
{%- do sqlmetrics.refuse(macro, "buckets needs cluster: whose rows belong together, as in cluster='user_id'") -%}
{%- endif -%}
{#- How sure a reader of the state will want to be is not known yet, nor does it matter. -#}
{{ return(sqlmetrics.plan(sqlmetrics.call_of(macro, relation, metrics, roles, {}, preset, by, where, none, false, none if buckets is none else 0.95, cluster))) }}
{%- endmacro -%}

{#- The statement of a state: one row per slice, key and bucket, with the columns of the state. What `steps` are read from are the
    rows that count, or these with their bucket. -#}
{%- macro written_state(macro, q, own_keys, columns, steps, buckets) -%}
{%- set further = dict(own_keys) if buckets is none else dict(own_keys, bucket='bucket') -%}
{%- if q.groupings or q.models -%}
{%- do sqlmetrics.refuse(macro, 'by is one list of columns, and score one column') -%}
{%- endif -%}
{%- set taken = ['row_count'] + (further.values() | list) + (columns | list) + ([] if buckets is none else ['buckets']) -%}
{%- set names = sqlmetrics.slice_columns(q) -%}
{%- set items = [] -%}
{%- for entry in q.by -%}
{%- if entry.name | lower in taken -%}
{%- do sqlmetrics.refuse(macro, "by: '" ~ entry.name ~ "' is the name of a column of every state; name it as in by=['my_name = " ~ entry.name ~ "']") -%}
{%- endif -%}
{%- do items.append('slice_' ~ loop.index ~ ' as ' ~ sqlmetrics.identifier(entry.name)) -%}
{%- endfor -%}
{%- for key, shown in further.items() -%}{%- do items.append(key ~ ' as ' ~ shown) -%}{%- endfor -%}
{#- Parts that were kept in different numbers of buckets are not to be mixed. -#}
{%- if buckets is not none -%}{%- do items.append(buckets ~ ' as buckets') -%}{%- endif -%}
{%- do items.append('count(*) as row_count') -%}
{%- for name, value in columns.items() -%}{%- do items.append(value ~ ' as ' ~ name) -%}{%- endfor -%}
{%- set steps = ([] if buckets is none else [sqlmetrics.rows_in_buckets(q, names, buckets)]) + steps -%}
{%- set rows_from = steps[-1].name if steps else 'observations' -%}
{%- set ending -%}
select
    {{ sqlmetrics.lines(items) }}
from {{ rows_from }}
{{- sqlmetrics.group_by(names + (further | list)) }}
{%- endset -%}
-- state of {{ sqlmetrics.comment_text(q.title) }}
{{ sqlmetrics.give_line_breaks(sqlmetrics.written(
    sqlmetrics.source_steps(q, {'names': names, 'numbered': false, 'read_from': 'source'}) + steps, {'select': ending, 'reads': [rows_from]}
)) }}
{%- endmacro -%}

{#- The rows that count with the bucket of their cluster, the same as where an interval is made of the log itself. -#}
{%- macro rows_in_buckets(q, names, buckets) -%}
{%- set columns = names | list -%}
{%- for column in sqlmetrics.derived_columns(q.derived) if column != 'cluster_id' -%}{%- do columns.append(column) -%}{%- endfor -%}
{#- The name that a cluster has in `named_rows_step`. -#}
{%- set name = sqlmetrics.name_of_cluster('cluster_id') -%}
{%- set in_buckets -%}
select
    {{ sqlmetrics.lines(columns + ['cast(' ~ sqlmetrics.bucket_of('digest', buckets) ~ ' as integer) as bucket']) }}
from (
    select
        {{ (columns + [sqlmetrics.text_digest(name) ~ ' as digest']) | join(',\n        ') }}
    from observations
) as digested
{%- endset -%}
{{ return(sqlmetrics.step('rows_in_buckets', in_buckets, 'each in one of ' ~ buckets ~ ' buckets of clusters', ['observations'])) }}
{%- endmacro -%}

{#- What the metrics keep of a part of the rows, name -> aggregate. -#}
{%- macro columns_of_state(macro, metrics) -%}
{%- set columns = {} -%}
{%- for m in metrics -%}
{%- if m.requires != metrics[0].requires -%}
{%- do sqlmetrics.refuse(macro, m.as ~ ' and ' ~ metrics[0].as ~ ' count different rows: give each a state of its own') -%}
{%- endif -%}
{%- for column in sqlmetrics.state_of(macro, m).state -%}
{%- do columns.update({column.name: column.aggregate ~ '(' ~ sqlmetrics.indented(column.value) ~ ')'}) -%}
{%- endfor -%}
{%- endfor -%}
{{ return(columns) }}
{%- endmacro -%}

{#- The slices of a call that reads a state. -#}
{%- macro slicing_of_state(macro, relation, example, by, where) -%}
{%- if relation is none or not (relation | string).strip() -%}
{%- do sqlmetrics.refuse(macro, 'relation must be given, as in relation=' ~ example) -%}
{%- endif -%}
{%- if where is not none and (where is not string or not where.strip()) -%}
{%- do sqlmetrics.refuse(macro, 'where must be an SQL condition') -%}
{%- endif -%}
{%- set slicing = sqlmetrics.slicing_of(macro, by) -%}
{%- if slicing.groupings -%}
{%- do sqlmetrics.refuse(macro, 'by is one list of columns') -%}
{%- endif -%}
{%- set names = [] -%}
{%- set read = [] -%}
{%- set shown = [] -%}
{%- for entry in slicing.entries -%}
{%- do names.append('slice_' ~ loop.index) -%}
{%- do read.append(sqlmetrics.sql_of(entry) ~ ' as slice_' ~ loop.index) -%}
{%- do shown.append(sqlmetrics.identifier(entry.name)) -%}
{%- endfor -%}
{{ return({'names': names, 'read': read, 'shown': shown, 'slicing': slicing}) }}
{%- endmacro -%}

{#- How sure the values of a state are to be: none without confidence. -#}
{%- macro certainty_of_state(macro, relation, requested, slicing, confidence, standard_error) -%}
{%- set call = {'confidence': confidence, 'comparison': none, 'cluster': none, 'standard_error': standard_error, 'per_group': false, 'method': none, 'replicates': none, 'seed': none, 'anytime': none} -%}
{%- set certainty = sqlmetrics.certainty_of(macro, call, requested, []) -%}
{#- A state that is not built yet has no columns. A name or a sub-query is not looked up: there the engine misses the bucket. -#}
{%- if certainty is not none and relation is not string and execute -%}
{%- set names = [] -%}
{%- for column in adapter.get_columns_in_relation(relation) -%}{%- do names.append(column.name | lower) -%}{%- endfor -%}
{%- if names and 'buckets' not in names -%}
{%- do sqlmetrics.refuse(macro, 'confidence: ' ~ relation ~ " is a state without buckets; build it with buckets=20 and cluster=…, by dbt run --full-refresh") -%}
{%- endif -%}
{%- endif -%}
{{ return(certainty) }}
{%- endmacro -%}

{%- macro planned_metric_of_state(one, requires, certainty) -%}
{{ return(dict(sqlmetrics.planned_metric(one, requires, {}, {}, false, false, 'group'), interval=sqlmetrics.interval_names(one, certainty, false))) }}
{%- endmacro -%}

{%- macro states_step(relation, slicing, columns, where, certainty) -%}
{%- set states -%}
select
    {{ sqlmetrics.lines(slicing.read + ([] if certainty is none else ['bucket', 'buckets']) + columns) }}
from {{ sqlmetrics.named_relation(relation | string) }}
{%- if where is not none %}
where {{ sqlmetrics.expression(where) }}
{%- endif -%}
{%- endset -%}
{{ return(sqlmetrics.step('states', states, 'the parts that are added up', stored=certainty is not none)) }}
{%- endmacro -%}

{#- All parts added up, but for a bucket, for each bucket. Where some parts were kept in other numbers of buckets, a cluster lies
    in several: then none is left out, and there is no interval. -#}
{%- macro states_without_buckets(slicing, further, added, added_again) -%}
{%- set names = slicing.names -%}
{%- set in_buckets -%}
select
    {{ sqlmetrics.lines(names + ['bucket'] + further + added) }}
from states
{{- sqlmetrics.group_by(names + ['bucket'] + further) }}
{%- endset -%}
{%- set buckets_left_out -%}
select distinct
    {{ sqlmetrics.lines(names + ['bucket as bucket_left_out']) }}
from states_in_buckets
where (
    select
        case when min(buckets) = max(buckets) and count(buckets) = count(*) then 1 end
    from states
) = 1
{%- endset -%}
{%- set same = [] -%}
{%- set own = [] -%}
{%- for name in names -%}
{%- do same.append(sqlmetrics.same_value('states_in_buckets.' ~ name, 'buckets_left_out.' ~ name)) -%}
{%- do own.append('states_in_buckets.' ~ name) -%}
{%- endfor -%}
{%- set without_buckets -%}
select
    {{ sqlmetrics.lines(sqlmetrics.keys_of('states_in_buckets', names) + ['bucket_left_out'] + further + added_again) }}
from states_in_buckets
inner join buckets_left_out
    on {{ (same + ['states_in_buckets.bucket <> buckets_left_out.bucket_left_out']) | join('\n    and ') }}
{{- sqlmetrics.group_by(own + ['bucket_left_out'] + further) }}
{%- endset -%}
{{ return([
    sqlmetrics.step('states_in_buckets', in_buckets, 'the parts added up in each bucket of clusters', ['states'], stored=true),
    sqlmetrics.step('buckets_left_out', buckets_left_out, 'the buckets that hold a row', ['states_in_buckets', 'states']),
    sqlmetrics.step('without_buckets', without_buckets, 'all buckets but one, for each of them', ['states_in_buckets', 'buckets_left_out'], stored=true),
]) }}
{%- endmacro -%}

{%- macro written_metrics_of_state(relation, slicing, steps, metrics) -%}
{%- set items = [] -%}
{%- for name in slicing.names -%}{%- do items.append(name ~ ' as ' ~ slicing.shown[loop.index0]) -%}{%- endfor -%}
{%- do items.append('cast(coalesce(sum(row_count), 0) as bigint) as n') -%}
{%- do items.extend(sqlmetrics.frame_aggregates({'metrics': metrics, 'diagnostics': []})) -%}
{%- set ending -%}
select
    {{ sqlmetrics.lines(items) }}
from {{ steps[-1].name }}
{{- sqlmetrics.group_by(slicing.names) }}
{{- sqlmetrics.order_by(slicing.shown) }}
{%- endset -%}
-- metrics from the state {{ sqlmetrics.comment_text(relation | string) }}
{{ sqlmetrics.give_line_breaks(sqlmetrics.written(steps, {'select': ending, 'reads': [steps[-1].name]})) }}
{%- endmacro -%}

{#- The same with intervals, from the values without each bucket. -#}
{%- macro written_intervals_of_state(relation, slicing, steps, without_buckets, metrics, certainty) -%}
{%- set names = slicing.names -%}
{%- set aggregates = sqlmetrics.frame_aggregates({'metrics': metrics, 'diagnostics': []}) -%}
{%- set measured -%}
select
    {{ sqlmetrics.lines(names + ['cast(coalesce(sum(row_count), 0) as bigint) as n'] + aggregates) }}
from {{ steps[-1].name }}
{{- sqlmetrics.group_by(names) }}
{%- endset -%}
{%- set measured_without -%}
select
    {{ sqlmetrics.lines(names + ['bucket_left_out'] + aggregates) }}
from {{ without_buckets[-1].name }}
{{- sqlmetrics.group_by(names + ['bucket_left_out']) }}
{%- endset -%}
{%- set items = [] -%}
{%- for name in names -%}{%- do items.append('measured.' ~ name ~ ' as ' ~ slicing.shown[loop.index0]) -%}{%- endfor -%}
{%- do items.append('measured.n as n') -%}
{%- set values = [] -%}
{%- set spreads = [] -%}
{%- set reaching = [] -%}
{%- for m in metrics -%}
{%- set number = loop.index -%}
{%- if m.interval -%}
{%- do reaching.append({'number': number}) -%}
{%- do values.append(sqlmetrics.identifier(m.as) ~ ' as value_' ~ number) -%}
{%- do values.append('avg(' ~ sqlmetrics.identifier(m.as) ~ ') ' ~ sqlmetrics.over(names) ~ ' as mean_' ~ number) -%}
{%- do spreads.extend(sqlmetrics.spread_of_buckets(number)) -%}
{%- endif -%}
{%- for column in m['columns'] -%}
{%- set value = 'measured.' ~ sqlmetrics.identifier(column.as) -%}
{%- do items.append(value ~ ' as ' ~ sqlmetrics.identifier(column.as)) -%}
{%- if m.interval and column.name == m.name -%}
{%- do items.extend(sqlmetrics.interval_items(m, value, {'se': 'measured_errors.error_' ~ number, 'reach': 'measured_errors.reach_' ~ number})) -%}
{%- endif -%}
{%- endfor -%}
{%- endfor -%}
{#- A confusion matrix has no value that could have an interval. -#}
{%- if not reaching -%}
{%- do sqlmetrics.refuse('metrics_of_state', 'confidence: none of the metrics has an interval; leave it out') -%}
{%- endif -%}
{%- set spread -%}
select
    {{ sqlmetrics.lines(names + spreads) }}
from (
    select
        {{ (names + values) | join(',\n        ') }}
    from measured_without_buckets
) as values_and_means
{{- sqlmetrics.group_by(names) }}
{%- endset -%}
{%- set same = [] -%}
{%- for name in names -%}{%- do same.append(sqlmetrics.same_value('measured.' ~ name, 'measured_errors.' ~ name)) -%}{%- endfor -%}
{%- set ending -%}
select
    {{ sqlmetrics.lines(items) }}
from measured
left join measured_errors
    on {{ same | join('\n    and ') if same else '1 = 1' }}
{{- sqlmetrics.order_by(slicing.shown) }}
{%- endset -%}
{%- set all_steps = steps + without_buckets + [
    sqlmetrics.step('measured', measured, 'the values of all parts', [steps[-1].name]),
    sqlmetrics.step('measured_without_buckets', measured_without, 'the values without each bucket', [without_buckets[-1].name]),
    sqlmetrics.step('measured_errors', sqlmetrics.with_reach({'certainty': certainty}, names, reaching, spread, false), 'one per slice: how far apart the values without a bucket lie', ['measured_without_buckets']),
] -%}
-- metrics from the state {{ sqlmetrics.comment_text(relation | string) }}
{{ sqlmetrics.give_line_breaks(sqlmetrics.written(all_steps, {'select': ending, 'reads': ['measured', 'measured_errors']})) }}
{%- endmacro -%}

{#- A metric with the columns that it needs in a state: its value, written once, notes them. -#}
{%- macro state_of(macro, m) -%}
{%- if not sqlmetrics.is_word(m.as) -%}
{%- do sqlmetrics.refuse(macro, "metrics: in a state 'as' must be a simple word, not '" ~ m.as ~ "'") -%}
{%- endif -%}
{%- set noted = dict(m, state=[]) -%}
{%- if m.frames | list == ['rows'] and m.has_value -%}
{%- for column in m['columns'] -%}{%- set value = sqlmetrics.metric_value(noted, column.name) -%}{%- endfor -%}
{%- endif -%}
{%- if not noted.state -%}
{%- do sqlmetrics.refuse(macro, m.name ~ ' is no quotient of sums over the rows; score_state keeps what the metrics of a click need') -%}
{%- endif -%}
{{ return(noted) }}
{%- endmacro -%}
