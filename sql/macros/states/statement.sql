{#- The statement that reads a state. Parts take the role of rows of a log, and their buckets the role of clusters' buckets. -#}
{%- macro statement_of_state(q) -%}{{ sqlmetrics.give_line_breaks(sqlmetrics.composed_reading(q)) }}{%- endmacro -%}

{#- The same as part of a longer statement. -#}
{%- macro composed_reading(q) -%}
{%- set slicing = sqlmetrics.slicing_in(q, q.frames) -%}
{%- set steps = sqlmetrics.input_steps(q) + sqlmetrics.steps_of_parts(q)
    + (sqlmetrics.slices_steps(q, slicing.names, rows='the parts') if slicing.numbered else [])
    + (sqlmetrics.parts_around_means(q, slicing) if q.parts.means else []) -%}
{%- set slicing = dict(slicing, rows_from='parts_around_means') if q.parts.means else slicing -%}
{%- for f in q.frames -%}{%- do steps.extend(sqlmetrics.frame_steps(f, slicing.rows_from, slicing['keys'])) -%}{%- endfor -%}
{%- set ending = sqlmetrics.ending(q, q.frames, slicing) -%}
-- {{ sqlmetrics.comment_text(q.title) }}
{{ sqlmetrics.written(sqlmetrics.shared_steps(steps) + ending.steps, ending['select']) }}
{%- endmacro -%}

{#- The parts to add up. Mixed settings, or a state that was built for other metrics, end the statement with an error. The condition
    filters the rows, so that it applies to readers of any single column. -#}
{%- macro steps_of_parts(q) -%}
{%- do sqlmetrics.check_rules(q.macro, [[not sqlmetrics.dialect_table().can_raise, 'this engine cannot check whether all parts of a state have the same settings; read them on another engine, such as DuckDB']]) -%}
{%- set listed = ['made_for'] if q.contents | selectattr('is_listed') | list else [] -%}
{%- set settings = ['made_with', 'state_key'] + ([] if q.binned is none else ['bins']) + listed -%}
{%- do sqlmetrics.check_state_columns(q.macro, q.state, ['made_with', 'state_key'] + q.read.values() | list + settings) -%}
{%- set selected_parts -%}
select
    {{ sqlmetrics.select_list(sqlmetrics.selected(dict(q.slices, **q.read))) }},
{%- for entry in q.contents %}
    case when {{ sqlmetrics.has_contents(entry) }} then 1 else 0 end as has_{{ loop.index }},
{%- endfor %}
    {{ sqlmetrics.select_list(settings) }}
from {{ sqlmetrics.named_relation(q.state.relation) }}
{%- if q.where is not none %}
where {{ sqlmetrics.expression(q.where) }}
{%- endif -%}
{%- endset -%}
{%- set valid_rows -%}
select
    {{ sqlmetrics.select_list(q.slices | list + q.read | list) }}
from selected_parts
where row_count > 0
    and (select settings.agree from settings) = 1
{%- endset -%}
{{ return([
    sqlmetrics.step('selected_parts', selected_parts, 'requested parts'),
    sqlmetrics.step('settings', sqlmetrics.settings_agree(q, listed), 'check for repeated parts and for different settings'),
    sqlmetrics.step('valid_rows', valid_rows, 'nonempty parts, after the check of their settings', materialized=q.interval_options is not none),
]) }}
{%- endmacro -%}

{%- macro settings_agree(q, listed) -%}
{%- set rebuild_hint = q.state.rebuild_hint -%}
{%- set parts = sqlmetrics.to_text('parts') -%}
select
    coalesce(max(agree), 1) as agree
from (
    select
        case
            when least_settings <> greatest_settings
                then {{ sqlmetrics.raised_words([q.macro ~ ': the parts were made with different settings and cannot be added up (rebuild the state' ~ rebuild_hint ~ ', or read fewer parts): ', 'least_settings', ' and ', 'greatest_settings']) }}
            when state_keys < all_parts
                then {{ sqlmetrics.raised_words([q.macro ~ ': ', sqlmetrics.to_text('all_parts'), ' rows but ', sqlmetrics.to_text('state_keys'), ' distinct state_key: some parts are repeated and would count twice; ' ~ q.state.once]) }}
{%- if q.binned is not none %}
            when parts > 0 and bins is {{ '' if q.binned else 'not ' }}null
                then {{ sqlmetrics.raised_words([q.macro ~ ': the state was made ' ~ ('with exact scores; remove binned' if q.binned else 'with bins; pass binned=true') ~ ' (it was made with: ', 'least_settings', ')']) }}
{%- endif %}
{%- for entry in q.contents %}
{%- set lacking = [q.macro ~ ': the state was not made for ' ~ entry.description ~ ' in ', sqlmetrics.to_text('lacking_' ~ loop.index), ' of ', parts, ' parts; read the parts that have it, request metrics that all parts have, or rebuild the state' ~ rebuild_hint] %}
            when lacking_{{ loop.index }} > 0
                then {{ sqlmetrics.raised_words(lacking[:4] + [lacking[4] ~ ' (parts without it were made for: ', "coalesce(others_" ~ loop.index ~ ", 'nothing')", ')'] if entry.is_listed else lacking) }}
{%- endfor %}
            else 1
        end as agree
    from (
        select
            count(*) as all_parts,
            count(distinct state_key) as state_keys,
            count(case when row_count > 0 then 1 end) as parts,
            {{- ' max(case when row_count > 0 then bins end) as bins,' if q.binned is not none }}
            min(case when row_count > 0 then coalesce(made_with, 'nothing') end) as least_settings,
            max(case when row_count > 0 then coalesce(made_with, 'nothing') end) as greatest_settings
{%- for entry in q.contents %},
            count(case when row_count > 0 and has_{{ loop.index }} = 0 then 1 end) as lacking_{{ loop.index }}
{%- if listed %},
            min(case when row_count > 0 and has_{{ loop.index }} = 0 then made_for end) as others_{{ loop.index }}
{%- endif %}
{%- endfor %}
        from selected_parts
        {{- sqlmetrics.indented(sqlmetrics.indented(sqlmetrics.group_by(q.slices | list))) }}
    ) as made
) as slices_made
{%- endmacro -%}

{#- Ends the statement with an error. Every second piece is SQL of a text, such as a column. -#}
{%- macro raised_words(pieces) -%}
{%- set text -%}
{%- for piece in pieces -%}
{{ '\n                    || ' if not loop.first }}{{ piece if loop.index0 % 2 else sqlmetrics.text_literal(piece) }}
{%- endfor -%}
{%- endset -%}
{{ sqlmetrics.raised(text) }}
{%- endmacro -%}

{#- SQL that adds up a column, name -> SQL, with the columns that `parts_around_means` adds to it. -#}
{%- macro added_columns(column, name) -%}
{%- set further = {
    'mean': {name ~ '_least': 'min(' ~ name ~ '_least)', name ~ '_most': 'max(' ~ name ~ '_most)'},
    'divergence': {name ~ '_within': 'sum(' ~ name ~ '_within)'},
} -%}
{{ return(dict({name: column.aggregate ~ '(' ~ name ~ ')'}, **further.get(column.get('of'), {}))) }}
{%- endmacro -%}

{#- Each part has sums around its own means. Moved to one mean per slice, which need not be exact, they can be added up. They retain
    their digits, however far values are from 0:

    state_…_residual    Σ w·(y − mean).
    state_…_divergence  Σ w·d(y, mean), and its sum within the parts. Joint: Σ w·(y − mean)·(ŷ − mean).
    state_mean_…        The mean, and the smallest and the largest mean of the parts. -#}
{%- macro parts_around_means(q, slicing) -%}
{%- set keys = slicing['keys'] -%}
{%- set means -%}
select
    {{- sqlmetrics.leading(keys) }}
{%- for column in q.parts.means if column.get('of') == 'mean' %}
    {{ sqlmetrics.mean_of_slice('state_' ~ column.name, 'state_weight') }} as state_{{ column.name }}{{ ',' if not loop.last }}
{%- endfor %}
from {{ slicing.rows_from }}
{{- sqlmetrics.group_by(keys) }}
{%- endset -%}
{%- set around -%}
select
    {{- sqlmetrics.leading(keys + ([] if q.interval_options is none else ['bucket']), 'parts') }}
{%- for column in q.parts.means %}
{%- set name = 'state_' ~ column.name %}
{%- set mean = 'state_' ~ column.get('mean') %}
{%- set distance = '(parts.' ~ mean ~ ' - means.' ~ mean ~ ')' %}
{%- if column.get('of') == 'mean' %}
    means.{{ name }} as {{ name }},
    case when parts.state_weight > 0 then parts.{{ name }} end as {{ name }}_least,
    case when parts.state_weight > 0 then parts.{{ name }} end as {{ name }}_most,
{%- elif column.get('of') == 'residual' %}
    parts.{{ name }} + parts.state_weight * {{ distance }} as {{ name }},
{%- elif column.get('of') == 'divergence' %}
{%- set further = 'parts.state_weight * ' ~ sqlmetrics.distance('parts.' ~ mean, 'means.' ~ mean, column.power) %}
    parts.{{ name }} + {{ further if column.power else '2 * ' ~ distance ~ ' * parts.state_' ~ column.residual ~ ' + ' ~ further }} as {{ name }},
    parts.{{ name }} as {{ name }}_within,
{%- elif column.get('of') == 'products' %}
{%- set label = '(parts.state_mean_label - means.state_mean_label)' %}
{%- set score = '(parts.state_mean_score - means.state_mean_score)' %}
    parts.{{ name }} + {{ label }} * parts.state_score_residual + {{ score }} * parts.state_label_residual
        + parts.state_weight * {{ sqlmetrics.product(label, score) }} as {{ name }},
{%- else %}
    parts.{{ name }} as {{ name }},
{%- endif %}
{%- endfor %}
    parts.row_count as row_count
from {{ slicing.rows_from }} as parts
inner join means{{ sqlmetrics.on('parts', 'means', keys) }}
{%- endset -%}
{{ return([
    sqlmetrics.step('means', means, 'one per slice'),
    sqlmetrics.step('parts_around_means', around, 'parts with sums around the mean of their slice', materialized=q.interval_options is not none),
]) }}
{%- endmacro -%}
