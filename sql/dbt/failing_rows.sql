{#- The rows of failing tests. Each has the same columns, whatever the test:

    test, metric   the name of the test in the project, and what it measures
    slice          'day=2026-03-08, device=phone', or 'all rows'
    value          what was measured;  low, high: its interval, of a champion's the champion's value and the interval of the difference
    bound          the number that the value, or its interval, had to keep to;  reason: what is wrong
    checked_at     when the run of dbt started, in UTC -#}

{#- A slice as a text. -#}
{%- macro slice_text(names, step='') -%}
{%- set pieces = [] -%}
{%- for name in names -%}
{%- set label = sqlmetrics.text_literal((', ' if not loop.first else '') ~ name.strip('"`') ~ '=') -%}
{%- do pieces.append(label ~ ' || coalesce(' ~ sqlmetrics.to_text((step ~ '.' if step else '') ~ name) ~ ", 'NULL')") -%}
{%- endfor -%}
{{ pieces | join('\n        || ') or "'all rows'" }}
{%- endmacro -%}

{#- What a test says of each slice. `verdicts` are [condition, bound or none, reason], as SQL: the first condition that holds decides,
    and without a reason the slice passes. -#}
{%- macro judged_slices(slice, value, ends, verdicts, from) -%}
{%- set null = sqlmetrics.to_double('null') -%}
select
    {{ slice }} as slice,
    {{ value }} as value,
    {{ ends[0] if ends else null }} as low,
    {{ ends[1] if ends else null }} as high,
    case
{%- for condition, limit, _ in verdicts %}
        when {{ condition }} then {{ limit if limit is not none else null }}
{%- endfor %}
    end as bound,
    case
{%- for condition, _, reason in verdicts %}
        when {{ condition }} then {{ reason }}
{%- endfor %}
    end as reason
{{ from }}
{%- endmacro -%}

{#- The statement of a test: the slices of `judged`, a query over `steps`, that have a reason; `others`, reasons that no slice has {reason,
    rows: where from, slice}; and the rules that the inputs of `plans` break, none for a state, whose rows were checked when it was
    made. `dbt build --empty` reads no row, and no test fails there. -#}
{%- macro failing_rows(macro, metric, steps, judged, others=[], plans=[], max_dropped=none) -%}
{%- set inputs = sqlmetrics.inputs_step(macro, plans, max_dropped) -%}
{%- set steps = steps + inputs + [sqlmetrics.step('judged', judged)] -%}
{%- set others = others + ([{'reason': 'reason', 'rows': 'from inputs'}] if inputs else []) -%}
{%- set ending = sqlmetrics.selected_failures(model.name if model is defined and model.name is defined else macro, metric, others, flags.EMPTY) -%}
{{ sqlmetrics.give_line_breaks(sqlmetrics.written_steps(steps, ending) ~ '\n' ~ ending) }}
{%- endmacro -%}

{%- macro selected_failures(test, metric, others, empty) -%}
{%- set null = sqlmetrics.to_double('null') -%}
select
    {{ sqlmetrics.to_text(sqlmetrics.text_literal(test)) }} as test,
    {{ sqlmetrics.to_text(sqlmetrics.text_literal(metric)) }} as metric,
    failures.slice,
    failures.value,
    failures.low,
    failures.high,
    failures.bound,
    failures.reason,
    cast('{{ run_started_at.strftime('%Y-%m-%d %H:%M:%S') }}' as timestamp) as checked_at
from (
    select
        slice,
        value,
        low,
        high,
        bound,
        reason
    from judged
    where reason is not null
{%- for other in others %}
    union all
    select
        {{ other.get('slice', "'all rows'") }} as slice,
        {{ null }} as value,
        {{ null }} as low,
        {{ null }} as high,
        {{ null }} as bound,
        {{ other.reason }} as reason
    {{ sqlmetrics.indented(other.rows) }}
{%- endfor %}
) as failures
{{- '\nwhere 1 = 0' if empty }}
{%- endmacro -%}

{#- The same columns where nothing has failed yet. -#}
{%- macro no_alerts() -%}
{%- set judged = sqlmetrics.judged_slices(sqlmetrics.to_text('null'), sqlmetrics.to_double('null'), [], [['1 = 0', none, sqlmetrics.to_text('null')]], sqlmetrics.from_single_row()) -%}
{{ sqlmetrics.failing_rows('', '', [], judged) }}
{%- endmacro -%}

{#- Where a step has no row at all. -#}
{%- macro failure_without(step, words) -%}
{{ return({'reason': "'" ~ words ~ "'", 'rows': sqlmetrics.from_single_row() ~ '\nwhere not exists (select 1 from ' ~ step ~ ')'}) }}
{%- endmacro -%}
