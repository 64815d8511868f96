{#- The statement that reads a state: the parts that may be added up, the key of buckets, and the values over them. -#}

{#- The statement of a reading, `r`:

    r.macro, r.state, r.slicing, r.where, r.certainty, r.round   the call
    r.kind       how `made_with` must begin;  r.wrong: the words that follow where it does not
    r.contents   what each part must have been made for, [{words, columns}]
    r.read       the columns that are read, name here -> name in the state;  r.added: how those that are no keys are added up
    r.keys       the keys of the parts in addition to slices;  r.means: the columns, where they are sums around means
    r.relations  the further relations that the metrics read
    r.frame      the frame that adds up the parts by r.keys, or none;  r.metrics: the metrics over it -#}
{%- macro statement_of_state(r) -%}
{%- do sqlmetrics.check_digits(r.macro, r.round) -%}
{%- set slices = r.slicing.names -%}
{%- set keys = slices + ([] if r.certainty is none else ['bucket_left_out']) -%}
{%- set steps = [] -%}
{%- for relation in r.relations.values() -%}{%- do steps.extend(sqlmetrics.input_step(relation)) -%}{%- endfor -%}
{%- for name, relation in r.relations.items() -%}{%- do steps.append(sqlmetrics.relation_step(name, relation)) -%}{%- endfor -%}
{%- do steps.extend(sqlmetrics.steps_of_parts(r)) -%}
{%- if r.means -%}{%- do steps.extend(sqlmetrics.states_around_means(r)) -%}{%- endif -%}
{%- if r.certainty is not none -%}{%- do steps.extend(sqlmetrics.states_without_buckets(r, steps[-1].name)) -%}{%- endif -%}
{%- if r.frame is not none and r.frame.name == 'scores' -%}
{%- do steps.extend(sqlmetrics.thresholds_of_states(r, keys, steps[-1].name)) -%}
{%- elif r.frame is not none -%}
{%- do steps.extend(sqlmetrics.frame_steps(r.frame, steps[-1].name, keys)) -%}
{%- endif -%}
{%- set table = r.metrics[0].table -%}
{%- if table -%}
{%- set m = dict(r.metrics[0], cte=r.frame.cte) -%}
{%- do steps.append(sqlmetrics.step('measured', sqlmetrics.metric_table(m, r.frame, keys), m.formula)) -%}
{%- else -%}
{%- do steps.extend(sqlmetrics.steps_of_values(r, keys, steps[-1].name)) -%}
{%- if r.certainty is not none -%}{%- do steps.append(sqlmetrics.measured_with_errors(r, slices)) -%}{%- endif -%}
{%- endif -%}
{%- set measured = sqlmetrics.keys_alone('measured', slices) -%}
{%- set order = [] -%}
{%- for name in measured if table -%}{%- do order.append(name ~ ' asc nulls last') -%}{%- endfor -%}
{%- for column in r.metrics[0].order if table -%}{%- do order.append('measured.' ~ column) -%}{%- endfor -%}
{%- set ending -%}
select
    {{ sqlmetrics.lines(sqlmetrics.shown_as(measured, r.slicing.shown) + ([] if table else ['measured.n as n']) + sqlmetrics.shown_values(r)) }}
from measured
{{- '\norder by\n    ' ~ sqlmetrics.lines(order) if table else sqlmetrics.order_by(r.slicing.shown) }}
{%- endset -%}
-- metrics from the state {{ sqlmetrics.comment_text(r.state.shown) }}
{{ sqlmetrics.give_line_breaks(sqlmetrics.written(steps, ending)) }}
{%- endmacro -%}

{#- The parts that are added up, once it is sure that they can be: a mixture, or a state that was made for something else, ends the
    statement. The condition is on the rows, so that it holds for whoever reads any one column of the result. -#}
{%- macro steps_of_parts(r) -%}
{%- if not sqlmetrics.can_raise() -%}
{%- do sqlmetrics.refuse(r.macro, 'this engine cannot end a statement where the parts of a state were made with different settings; read them on another, such as DuckDB') -%}
{%- endif -%}
{%- set buckets = [] if r.certainty is none else ['bucket', 'buckets'] -%}
{%- set texts = ['made_with'] + (['made_for'] if r.contents else []) -%}
{%- do sqlmetrics.check_state_columns(r.macro, r.state, ['state_key'] + (r.read.values() | list) + texts) -%}
{%- set selected_parts -%}
select
    {{ sqlmetrics.lines(r.slicing.read + buckets + sqlmetrics.selected(r.read)) }},
{%- for entry in r.contents %}
    case when {{ sqlmetrics.has_contents(entry.words, entry['columns']) }} then 1 else 0 end as has_{{ loop.index }},
{%- endfor %}
    {{ sqlmetrics.lines(['state_key'] + texts) }}
from {{ sqlmetrics.named_relation(r.state.relation) }}
{%- if r.where is not none %}
where {{ sqlmetrics.expression(r.where) }}
{%- endif -%}
{%- endset -%}
{%- set states -%}
select
    {{ sqlmetrics.lines(r.slicing.names + buckets + (r.read | list)) }}
from selected_parts
where row_count > 0
    and (select settings.agree from settings) = 1
{%- endset -%}
{{ return([
    sqlmetrics.step('selected_parts', selected_parts, 'the parts that are asked for'),
    sqlmetrics.step('settings', sqlmetrics.settings_agree(r), 'whether each part of a slice is there once, and what all were made with'),
    sqlmetrics.step('states', states, 'the parts that are added up', stored=r.certainty is not none),
]) }}
{%- endmacro -%}

{%- macro settings_agree(r) -%}
{%- set anew = '(build the state anew' ~ r.state.anew ~ ', or read fewer parts)' -%}
{%- set words = {
    'unlike': ': the parts were made with different settings and cannot be added up ' ~ anew ~ ': ',
    'twice': ' distinct state_key: some parts are there twice and would count twice; ' ~ r.state.once,
    'kind': ': the relation is no ' ~ r.kind.split(' ')[0] ~ ' of this version of the package' ~ (' ' ~ r.wrong if r.wrong) ~ ' (it was made with: ',
} -%}
select
    coalesce(max(agree), 1) as agree
from (
    select
        case
            when least_settings <> greatest_settings
                then {{ sqlmetrics.raised(sqlmetrics.text_literal(r.macro ~ words.unlike) ~ " || least_settings || ' and ' || greatest_settings") }}
            when state_keys < all_parts
                then {{ sqlmetrics.raised(sqlmetrics.text_literal(r.macro ~ ': ') ~ ' || ' ~ sqlmetrics.to_text('all_parts') ~ " || ' rows but ' || " ~ sqlmetrics.to_text('state_keys') ~ ' || ' ~ sqlmetrics.text_literal(words.twice)) }}
            when {{ sqlmetrics.text_position(sqlmetrics.text_literal(r.kind), 'least_settings') }} <> 1
                then {{ sqlmetrics.raised(sqlmetrics.text_literal(r.macro ~ words.kind) ~ " || least_settings || ')'") }}
{%- for entry in r.contents %}
{%- set lacking = sqlmetrics.to_text('lacking_' ~ loop.index) ~ " || ' of ' || " ~ sqlmetrics.to_text('parts') %}
{%- set fix = ' parts; read the parts that have it, ask for what all have, or build the state anew' ~ r.state.anew ~ ' (parts without it were made for: ' %}
            when lacking_{{ loop.index }} > 0
                then {{ sqlmetrics.raised(sqlmetrics.text_literal(r.macro ~ ': the state was not made for ' ~ entry.words ~ ' in ') ~ ' || ' ~ lacking ~ ' || ' ~ sqlmetrics.text_literal(fix) ~ ' || coalesce(others_' ~ loop.index ~ ", 'nothing') || ')'") }}
{%- endfor %}
            else 1
        end as agree
    from (
        select
            count(*) as all_parts,
            count(distinct state_key) as state_keys,
            count(case when row_count > 0 then 1 end) as parts,
            min(case when row_count > 0 then coalesce(made_with, 'nothing') end) as least_settings,
            max(case when row_count > 0 then coalesce(made_with, 'nothing') end) as greatest_settings
{%- for entry in r.contents %},
            count(case when row_count > 0 and has_{{ loop.index }} = 0 then 1 end) as lacking_{{ loop.index }},
            min(case when row_count > 0 and has_{{ loop.index }} = 0 then made_for end) as others_{{ loop.index }}
{%- endfor %}
        from selected_parts
        {{- sqlmetrics.group_by(r.slicing.names) | indent(8) }}
    ) as made
) as slices_made
{%- endmacro -%}

{#- How a column of sums is added up; what is centred goes with what `states_around_means` makes of it. -#}
{%- macro added_columns(column) -%}
{%- set name = 'state_' ~ column.name -%}
{%- set added = [column.aggregate ~ '(' ~ name ~ ') as ' ~ name] -%}
{%- if column.get('of') == 'mean' -%}
{%- do added.extend(['min(' ~ name ~ '_least) as ' ~ name ~ '_least', 'max(' ~ name ~ '_most) as ' ~ name ~ '_most']) -%}
{%- elif column.get('of') == 'spread' -%}
{%- do added.append('sum(' ~ name ~ '_within) as ' ~ name ~ '_within') -%}
{%- endif -%}
{{ return(added) }}
{%- endmacro -%}

{#- Each part has its sums around means of its own. Moved to one mean of all parts of a slice, which need not be exact, they can be
    added up and keep their digits, however far from 0 the values lie:

    state_…_rest     Σ w·(y − mean)
    state_…_spread   Σ w·d(y, mean), and what of it there was within the parts; joint: Σ w·(y − mean)·(ŷ − mean)
    state_mean_…     the mean itself, and the least and the most of the means that were moved -#}
{%- macro states_around_means(r) -%}
{%- set averages = [] -%}
{%- set moved = [] -%}
{%- for column in r.means -%}
{%- set name = 'state_' ~ column.name -%}
{%- set mean = 'state_' ~ column.get('mean') -%}
{%- set distance = '(states.' ~ mean ~ ' - means.' ~ mean ~ ')' -%}
{%- if column.get('of') == 'mean' -%}
{%- set used = 'case when states.state_weight > 0 then states.' ~ name ~ ' end as ' ~ name -%}
{%- do averages.append(sqlmetrics.mean_of_slice(name, 'state_weight') ~ ' as ' ~ name) -%}
{%- do moved.extend(['means.' ~ name ~ ' as ' ~ name, used ~ '_least', used ~ '_most']) -%}
{%- elif column.get('of') == 'rest' -%}
{%- do moved.append('states.' ~ name ~ ' + states.state_weight * ' ~ distance ~ ' as ' ~ name) -%}
{%- elif column.get('of') == 'spread' -%}
{%- set further = 'states.state_weight * ' ~ sqlmetrics.distance('states.' ~ mean, 'means.' ~ mean, column.power) -%}
{%- set between = further if column.power else '2 * ' ~ distance ~ ' * states.state_' ~ column.rest ~ ' + ' ~ further -%}
{%- do moved.extend(['states.' ~ name ~ ' + ' ~ between ~ ' as ' ~ name, 'states.' ~ name ~ ' as ' ~ name ~ '_within']) -%}
{%- elif column.get('of') == 'joint spread' -%}
{%- set label = '(states.state_mean_label - means.state_mean_label)' -%}
{%- set score = '(states.state_mean_score - means.state_mean_score)' -%}
{%- do moved.append('states.' ~ name ~ ' + ' ~ label ~ ' * states.state_score_rest + ' ~ score ~ ' * states.state_label_rest + states.state_weight * ' ~ sqlmetrics.product(label, score) ~ ' as ' ~ name) -%}
{%- else -%}
{%- do moved.append('states.' ~ name ~ ' as ' ~ name) -%}
{%- endif -%}
{%- endfor -%}
{%- set slices = r.slicing.names -%}
{%- set means -%}
select
    {{ sqlmetrics.lines(slices + averages) }}
from states
{{- sqlmetrics.group_by(slices) }}
{%- endset -%}
{%- set around -%}
select
    {{ sqlmetrics.lines(sqlmetrics.keys_of('states', slices + ([] if r.certainty is none else ['bucket', 'buckets']) + ['row_count']) + moved) }}
from states
inner join means
    on {{ sqlmetrics.same_slices('states', 'means', slices) }}
{%- endset -%}
{{ return([
    sqlmetrics.step('means', means, 'one per slice'),
    sqlmetrics.step('states_around_means', around, 'the parts, their sums moved to the mean of the slice', stored=r.certainty is not none),
]) }}
{%- endmacro -%}

{#- All parts added up, and all but those of a bucket, for each bucket: bucket_left_out is one more key of all that follows, NULL where
    none is left out. Where some parts were kept in other numbers of buckets, a cluster lies in several: then none is left out, and there
    is no interval. -#}
{%- macro states_without_buckets(r, rows_from) -%}
{%- set slices = r.slicing.names -%}
{%- set in_buckets -%}
select
    {{ sqlmetrics.lines(slices + ['bucket'] + r['keys'] + r.added) }}
from {{ rows_from }}
{{- sqlmetrics.group_by(slices + ['bucket'] + r['keys']) }}
{%- endset -%}
{%- set buckets_left_out -%}
select distinct
    {{ sqlmetrics.lines(slices + ['bucket as bucket_left_out']) }}
from states_in_buckets
where (
    select
        case when min(states.buckets) = max(states.buckets) and count(states.buckets) = count(*) then 1 end
    from states
) = 1
union all
select distinct
    {{ sqlmetrics.lines(slices + ['cast(null as integer) as bucket_left_out']) }}
from states_in_buckets
{%- endset -%}
{%- set without_buckets -%}
select
    {{ sqlmetrics.lines(sqlmetrics.keys_of('states_in_buckets', slices) + ['buckets_left_out.bucket_left_out as bucket_left_out'] + sqlmetrics.keys_of('states_in_buckets', r['keys']) + r.added) }}
from states_in_buckets
inner join buckets_left_out
    on {{ sqlmetrics.same_slices('states_in_buckets', 'buckets_left_out', slices) }}
    and (buckets_left_out.bucket_left_out is null or states_in_buckets.bucket <> buckets_left_out.bucket_left_out)
{{- sqlmetrics.group_by(sqlmetrics.keys_alone('states_in_buckets', slices) + ['buckets_left_out.bucket_left_out'] + sqlmetrics.keys_alone('states_in_buckets', r['keys'])) }}
{%- endset -%}
{{ return([
    sqlmetrics.step('states_in_buckets', in_buckets, 'the parts added up in each bucket of clusters', stored=true),
    sqlmetrics.step('buckets_left_out', buckets_left_out, 'the buckets that hold a row, and NULL for none'),
    sqlmetrics.step('without_buckets', without_buckets, 'all buckets but one, for each of them, and all', stored=true),
]) }}
{%- endmacro -%}

{#- One row per score or bin with what lies above it, as auc and ece read it. -#}
{%- macro thresholds_of_states(r, keys, rows_from) -%}
{%- set steps = [] -%}
{%- if r.certainty is none -%}
{%- set merged -%}
select
    {{ sqlmetrics.lines(keys + r['keys'] + r.added) }}
from {{ rows_from }}
{{- sqlmetrics.group_by(keys + r['keys']) }}
{%- endset -%}
{%- do steps.append(sqlmetrics.step('merged', merged, 'one per slice and score or bin, of all parts', stored=true)) -%}
{%- endif -%}
{%- set sums = [
    {'measure': 'pos', 'reach': 'here', 'as': 'true_positives'},
    {'measure': 'neg', 'reach': 'here', 'as': 'false_positives'},
    {'measure': 'pos', 'reach': 'all', 'as': 'positives'},
    {'measure': 'neg', 'reach': 'all', 'as': 'negatives'},
] -%}
{{ return(steps + sqlmetrics.running_sums(r.frame, 'merged' if steps else rows_from, keys, 'score_key', ' desc', r.read | list, {'pos': 'pos', 'neg': 'neg'}, sums)) }}
{%- endmacro -%}

{#- The values of the metrics by these keys: `measured`, or with buckets left out `measured_samples`. A metric that is a whole query has a
    step of its own. -#}
{%- macro steps_of_values(r, keys, rows_from) -%}
{%- set last = 'measured' if r.certainty is none else 'measured_samples' -%}
{%- set queries = sqlmetrics.metrics_with_steps(r) -%}
{%- set slices = last ~ '_slices' if queries else last -%}
{%- set aggregates -%}
select
    {{ sqlmetrics.lines(keys + [sqlmetrics.whole_number('coalesce(sum(row_count), 0)') ~ ' as n'] + sqlmetrics.frame_aggregates(dict(r, diagnostics=[]))) }}
from {{ rows_from }}
{{- sqlmetrics.group_by(keys) }}
{%- endset -%}
{%- set steps = [sqlmetrics.step(slices, aggregates, 'the values of all parts' ~ ('' if r.certainty is none else ', and without each bucket'))] -%}
{%- if not queries -%}
{{ return(steps) }}
{%- endif -%}
{%- set items = sqlmetrics.keys_of(slices, keys + ['n']) -%}
{%- for m in r.metrics -%}
{%- if m.query -%}{%- do steps.append(sqlmetrics.step(m.cte, sqlmetrics.metric_query(m, rows_from, keys), m.formula)) -%}{%- endif -%}
{%- for column in m['columns'] -%}{%- do items.extend(sqlmetrics.keys_of(m.cte if m.query else slices, [sqlmetrics.identifier(column.as)])) -%}{%- endfor -%}
{%- endfor -%}
{%- set values -%}
select
    {{ sqlmetrics.lines(items) }}
from {{ slices }}
{%- for m in queries %}
left join {{ m.cte }}
    on {{ sqlmetrics.same_slices(slices, m.cte, keys) }}
{%- endfor -%}
{%- endset -%}
{{ return(steps + [sqlmetrics.step(last, values, 'the values of all metrics')]) }}
{%- endmacro -%}

{#- One row per slice: the values of all parts, and how far apart the values without a bucket lie. -#}
{%- macro measured_with_errors(r, slices) -%}
{%- set columns = ['n'] -%}
{%- set values = [] -%}
{%- set spreads = [] -%}
{%- set with_interval = [] -%}
{%- for m in r.metrics -%}
{%- for column in m['columns'] -%}{%- do columns.append(sqlmetrics.identifier(column.as)) -%}{%- endfor -%}
{%- if m.interval -%}
{%- set value = 'case when bucket_left_out is not null then ' ~ sqlmetrics.identifier(m.as) ~ ' end' -%}
{%- do values.extend([value ~ ' as value_' ~ loop.index, 'avg(' ~ value ~ ') ' ~ sqlmetrics.over(slices) ~ ' as mean_' ~ loop.index]) -%}
{%- do spreads.extend(sqlmetrics.spread_of_buckets(loop.index, 'count(bucket_left_out)')) -%}
{%- do with_interval.append({'number': loop.index}) -%}
{%- endif -%}
{%- endfor -%}
{#- A confusion matrix has no value that could have an interval. -#}
{%- if not with_interval -%}
{%- do sqlmetrics.refuse(r.macro, 'confidence: none of the metrics has an interval; leave it out') -%}
{%- endif -%}
{%- set of_all = [] -%}
{%- for name in columns -%}
{%- set value = 'max(case when bucket_left_out is null then ' ~ name ~ ' end)' -%}
{%- do of_all.append(('coalesce(' ~ value ~ ', 0)' if name == 'n' else value) ~ ' as ' ~ name) -%}
{%- endfor -%}
{%- set spread -%}
select
    {{ sqlmetrics.lines(slices + of_all + spreads) }}
from (
    select
        {{ (slices + ['bucket_left_out'] + columns + values) | join(',\n        ') }}
    from measured_samples
) as values_and_means
{{- sqlmetrics.group_by(slices) }}
{%- endset -%}
{{ return(sqlmetrics.step('measured', sqlmetrics.with_reach(r, slices + columns, with_interval, spread, []), 'one per slice: how far apart the values without a bucket lie')) }}
{%- endmacro -%}

{#- The columns of the metrics, each with its interval where it has one. -#}
{%- macro shown_values(r) -%}
{%- set items = [] -%}
{%- for m in r.metrics -%}
{%- set number = loop.index -%}
{%- for column in m['columns'] -%}
{%- set value = 'measured.' ~ (column.name if m.table else sqlmetrics.identifier(column.as)) -%}
{%- do items.append(sqlmetrics.rounded(value, r.round) ~ ' as ' ~ sqlmetrics.identifier(column.as)) -%}
{%- if m.interval and column.name == m.name -%}
{%- do items.extend(sqlmetrics.interval_items(m, value, {'se': 'measured.error_' ~ number, 'reach': 'measured.reach_' ~ number}, r.round)) -%}
{%- endif -%}
{%- endfor -%}
{%- endfor -%}
{{ return(items) }}
{%- endmacro -%}
