{#- The rows of failing tests. All tests have the same columns:

    test, metric   the name of the test in the project, and the metric.
    slice          'day=2026-03-08, device=phone', or 'all rows'.
    value          the measured value.  low, high: its interval, or the champion's value plus the interval of the difference.
    bound          the bound of the value, or of its interval.  reason: what is wrong.
    checked_at     when the dbt run started, in UTC. -#}

{%- macro slice_text(names, step='') -%}
{%- for name in names -%}
{{ '\n        || ' if not loop.first }}{{ sqlmetrics.text_literal((', ' if not loop.first else '') ~ name.strip('"`') ~ '=') }}
{{- ' || coalesce(' ~ sqlmetrics.to_text((step ~ '.' if step else '') ~ name) ~ ", 'NULL')" }}
{%- else -%}
'all rows'
{%- endfor -%}
{%- endmacro -%}

{#- The result of a test per slice. `verdicts` are [condition, bound or none, reason] as SQL. The first true condition decides; without
    a reason the slice passes. -#}
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

{#- The statement of a test: slices of `judged` (a query over `steps`) with a reason, `others` (failures outside of `judged` {reason,
    rows, slice}), and rules that the inputs of `plans` break. A plan is none for a state, whose rows were checked when it was built.
    With `dbt build --empty` no test fails. -#}
{%- macro failing_rows(macro, metric, steps, judged, others=[], plans=[], max_dropped=none) -%}
{%- set inputs = sqlmetrics.inputs_step(plans, max_dropped) -%}
{%- set steps = steps + inputs + [sqlmetrics.step('judged', judged)] -%}
{%- set others = others + ([{'reason': 'reason', 'rows': 'from inputs'}] if inputs else []) -%}
{%- set test = model.name if model is defined and model.name is defined else macro -%}
{%- set null = sqlmetrics.to_double('null') -%}
{%- set ending -%}
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
{{- '\nwhere 1 = 0' if flags.EMPTY }}
{%- endset -%}
{{ sqlmetrics.give_line_breaks(sqlmetrics.written_steps(steps, ending) ~ '\n' ~ ending) }}
{%- endmacro -%}

{#- The failure of an empty step. -#}
{%- macro failure_without(step, message) -%}
{{ return({'reason': "'" ~ message ~ "'", 'rows': sqlmetrics.from_single_row() ~ '\nwhere not exists (select 1 from ' ~ step ~ ')'}) }}
{%- endmacro -%}

{#- The failures of slices in the step `expected` that another step lacks. -#}
{%- macro failures_of_lost_slices(names, expected, step, message) -%}
{%- set same = sqlmetrics.same_slices(step, expected, names) | join('\n        and ') or '1 = 1' -%}
{{ return({
    'slice': sqlmetrics.slice_text(names, expected),
    'reason': "'" ~ message ~ "'",
    'rows': 'from ' ~ expected ~ '\nwhere not exists (\n    select 1\n    from ' ~ step ~ '\n    where ' ~ same ~ '\n)',
}) }}
{%- endmacro -%}

{#- The verdicts about bounds. `sides` lists conditions for the value and for the ends of its interval that are near to the bound and far
    from it, and a message with {0} for 'significantly '. Where the interval is undefined, the value decides, or `strict` fails. -#}
{%- macro verdicts_about_bounds(t, undefined, sides) -%}
{%- set only, addition = ['', "'"] if t.confidence is none else ['(' ~ undefined ~ ') and ', ", and the interval is undefined'"] -%}
{%- set first = [[undefined, none, "'the interval is undefined'"]] if t.strict else [] -%}
{%- set beyond = [] if t.strict or t.confidence is none else [[undefined, none, 'null']] -%}
{%- for side in sides -%}
{%- set message = "'" ~ side.message | replace('{0}', '') -%}
{%- set or_near = [side.near, side.bound, message ~ ", or the interval does not exclude that'"] -%}
{%- do first.append(or_near if t.strict else [only ~ side.value, side.bound, message ~ addition]) -%}
{%- if beyond -%}{%- do beyond.append([side.far, side.bound, "'" ~ side.message | replace('{0}', 'significantly ') ~ "'"]) -%}{%- endif -%}
{%- endfor -%}
{{ return(first + beyond) }}
{%- endmacro -%}
