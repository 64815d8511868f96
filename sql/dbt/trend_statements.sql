{#- Statements of trends and of their test. -#}

{#- The checked plan of a trend, and its column names. `arguments` are the arguments of metric_trend after `metric`. -#}
{%- macro planned_trend(macro, relation, metric, inputs, arguments) -%}
{%- set time, trailing, sure = arguments.time, arguments.trailing, arguments.confidence is not none -%}
{%- set slices = sqlmetrics.as_list(arguments.by) | list -%}
{#- Fewer values give a poor spread, and steady ones seem to fall: one in thirty with seven. -#}
{%- set fewest = 1 if sure else 7 if trailing is not number or trailing > 7 else trailing -%}
{%- set min_periods = fewest if arguments.min_periods is none else arguments.min_periods -%}
{%- do sqlmetrics.check_rules(macro, [
    sqlmetrics.whole_number_rule('trailing', trailing, 1),
    sqlmetrics.whole_number_rule('min_periods', min_periods, 1),
    sqlmetrics.whole_number_rule('min_rows', arguments.min_rows, 1),
    [min_periods is number and trailing is number and min_periods > trailing, 'min_periods must not be more than trailing'],
    [time is none or sqlmetrics.is_list(time), "time must be one column or 'name = expression' of the period, as in time='day'"],
    [sqlmetrics.is_list(inputs.roles.get('score')), 'score must be one column, not a list'],
    [arguments.cluster is not none and not sure, 'cluster requires ⟨confidence⟩; add ⟨confidence⟩=0.95 or remove it'],
    [not sqlmetrics.parameter_fits({'type': 'number', 'minimum': 1e-300}, arguments.deviations), 'deviations must be a number above 0, not ' ~ sqlmetrics.shown(arguments.deviations)],
    [not sqlmetrics.parameter_fits({'type': 'number', 'minimum': 0}, arguments.tolerance), 'tolerance must be a number >= 0, not ' ~ sqlmetrics.shown(arguments.tolerance)],
    [slices and sqlmetrics.is_list(slices[0]), sqlmetrics.single_grouping()],
]) -%}
{%- set tested = sqlmetrics.tested_metric(macro, metric, arguments) -%}
{%- set names = sqlmetrics.slice_names(macro, slices + [time], none) -%}
{%- set own = ['n', 'trailing_periods', 'trailing_mean', 'trailing_median', 'band_low', 'band_high', 'falling'] -%}
{%- do sqlmetrics.check_slice_names(macro, sqlmetrics.slicing_of(macro, slices + [time]).entries, own) -%}
{%- set options = {'by': slices + [time], 'where': arguments.where, 'confidence': arguments.confidence, 'cluster': arguments.cluster, 'standard_error': sure} -%}
{%- set measured = sqlmetrics.measured(macro, relation, metric, inputs, options, arguments) -%}
{%- do sqlmetrics.check_rules(macro, [
    [tested.column | lower in own, "metric: '" ~ tested.column ~ "' is the name of a column of every result"],
    [sure and not measured.q.metrics[0].interval, 'confidence: ' ~ tested.column ~ ' has no interval; remove it'],
]) -%}
{{ return(dict(
    arguments,
    measured=measured,
    column=tested.column,
    slices=names[:-1],
    period=names[-1],
    value=sqlmetrics.identifier(tested.column),
    ends=[sqlmetrics.identifier(tested.column ~ '_low'), sqlmetrics.identifier(tested.column ~ '_high')] if sure else [],
    error=sqlmetrics.identifier(tested.column ~ '_se') if sure else none,
    direction=tested.direction,
    min_periods=min_periods,
    tolerance=sqlmetrics.number(arguments.tolerance),
    deviations=sqlmetrics.number(arguments.deviations),
    in_order=sqlmetrics.for_each(names, '{0} asc nulls last')
)) }}
{%- endmacro -%}

{#- The statement without `order by`, with signs for the user's line breaks. Values are rounded to `digits`, but `falling` uses exact
    values. Series are numbered, since slices may be NULL. The median of an even number of values is the mean of the middle two. -#}
{%- macro written_trend(t, digits=none) -%}
{%- set shown = t.slices + [t.period, 'n', t.value] + t.ends -%}
{%- set robust = t.error is none -%}
{%- set center = 'trailing_median' if robust else 'trailing_mean' -%}
{%- set error = [] if robust else [t.error] -%}
with estimates as (
    {{ sqlmetrics.indented(t.measured.text) }}
),
periods as (
    -- series and their periods, numbered
    select
        {{ (shown + error) | join(',\n        ') }},
        {{ 'dense_rank() over (order by ' ~ t.in_order[:-1] | join(', ') ~ ')' if t.slices else '1' }} as series,
        row_number() {{ sqlmetrics.over(t.slices, t.period ~ ' asc') }} as period_index
    from estimates
    where {{ t.period }} is not null
),
{{ sqlmetrics.trailing_steps(t, robust) }}
{#- The median and mean distance of the trailing values from their median. -#}
{%- if robust %}
trailing_distances as (
    select
        trailing_values.series,
        trailing_values.period_index,
        abs(trailing_values.trailing_value - trailing_centers.trailing_median) as distance,
        row_number() over (
            partition by trailing_values.series, trailing_values.period_index
            order by abs(trailing_values.trailing_value - trailing_centers.trailing_median) asc
        ) as distance_rank,
        trailing_values.value_count
    from trailing_values
    inner join trailing_centers
        on trailing_values.series = trailing_centers.series
        and trailing_values.period_index = trailing_centers.period_index
),
trailing_spreads as (
    select
        series,
        period_index,
        avg(case when 2 * distance_rank between value_count and value_count + 2 then distance end) as middle_distance,
        avg(distance) as mean_distance
    from trailing_distances
    group by series, period_index
),
{%- endif %}
bands as (
    select
        {{ sqlmetrics.keys_alone('periods', shown) | join(',\n        ') }},
        coalesce(trailing_centers.trailing_periods, 0) as trailing_periods,
        trailing_centers.trailing_mean,
        trailing_centers.trailing_median,
{%- if robust %}
        {{ t.deviations }} * coalesce(nullif(1.4826 * trailing_spreads.middle_distance, 0), 1.2533 * trailing_spreads.mean_distance) + {{ t.tolerance }} as half_width
{%- else %}
        {{ sqlmetrics.number(t.measured.q.interval_options.normal) }} * sqrt(periods.{{ t.error }} * periods.{{ t.error }} + trailing_centers.trailing_variance) + {{ t.tolerance }} as half_width
{%- endif %}
    from periods
{%- for step in ['trailing_centers'] + (['trailing_spreads'] if robust else []) %}
    left join {{ step }}
        on periods.series = {{ step }}.series
        and periods.period_index = {{ step }}.period_index
{%- endfor %}
)
select
    {{ sqlmetrics.select_list(sqlmetrics.keys_alone('banded', t.slices + [t.period, 'n'])
        + sqlmetrics.rounded_columns('banded', [t.value] + t.ends, digits)
        + ['banded.trailing_periods']
        + sqlmetrics.rounded_columns('banded', ['trailing_mean', 'trailing_median', 'band_low', 'band_high'], digits)) }},
    case
        when banded.trailing_periods >= {{ t.min_periods }} and banded.band_low is not null then {{ sqlmetrics.beyond_band(t, center) }}
    end as falling
from (
    select
        {{ (shown + ['trailing_periods', 'trailing_mean', 'trailing_median', center ~ ' - half_width as band_low', center ~ ' + half_width as band_high']) | join(',\n        ') }}
    from bands
) as banded
{%- endmacro -%}

{#- The values of the periods before each, and their centers. -#}
{%- macro trailing_steps(t, robust) -%}
trailing_values as (
    -- each period with the values of its trailing periods
    select
        periods.series,
        periods.period_index,
        earlier.{{ t.value }} as trailing_value,
{%- if not robust %}
        earlier.{{ t.error }} * earlier.{{ t.error }} as trailing_square,
{%- endif %}
        row_number() over (partition by periods.series, periods.period_index order by earlier.{{ t.value }} asc) as value_rank,
        count(*) over (partition by periods.series, periods.period_index) as value_count
    from periods
    inner join periods as earlier
        on periods.series = earlier.series
        and periods.period_index > earlier.period_index
        and earlier.period_index >= periods.period_index - {{ t.trailing }}
    where earlier.{{ t.value }} is not null
        and earlier.n >= {{ t.min_rows }}
        {{- '' if robust else '\n        and earlier.' ~ t.error ~ ' is not null' }}
),
trailing_centers as (
    select
        series,
        period_index,
        count(*) as trailing_periods,
        avg(trailing_value) as trailing_mean,
        avg(case when 2 * value_rank between value_count and value_count + 2 then trailing_value end) as trailing_median
        {{- '' if robust else ',\n        sum(trailing_square) / ' ~ sqlmetrics.to_double('count(*)') ~ ' / ' ~ sqlmetrics.to_double('count(*)') ~ ' as trailing_variance' }}
    from trailing_values
    group by series, period_index
),
{%- endmacro -%}

{#- Whether a value is beyond the band on the worse side: for an ideal of 0 or 1, farther from it than the center. -#}
{%- macro beyond_band(t, center) -%}
{%- set value = 'banded.' ~ t.value -%}
{%- if t.direction in ['higher', 'lower'] -%}
{{ value ~ (' < banded.band_low' if t.direction == 'higher' else ' > banded.band_high') }}
{%- else -%}
{%- set less = {'near 1': ' - 1', 'near 0': ''}[t.direction] -%}
({{ value }} < banded.band_low or {{ value }} > banded.band_high) and abs({{ value }}{{ less }}) > abs(banded.{{ center }}{{ less }})
{%- endif -%}
{%- endmacro -%}

{#- Slices whose last period falls, and reasons why that is unknown. -#}
{%- macro failures_of_trend(macro, relation, metric, inputs, arguments) -%}
{%- set t = sqlmetrics.planned_trend(macro, relation, metric, inputs, dict(arguments, where=none)) -%}
{%- set below = ['falling and ' ~ t.value ~ ' < band_low', 'band_low', "'the metric is falling'"] -%}
{%- set above = ['falling and ' ~ t.value ~ ' > band_high', 'band_high', "'the metric is falling'"] -%}
{%- set verdicts = sqlmetrics.verdicts_without_value('n', t.min_rows, t.value, ' in the last period') + [
    ['trailing_periods < ' ~ t.min_periods, none, "'fewer trailing periods than min_periods'"],
    ['falling is null', none, "'the interval is undefined'"],
] + {'higher': [below], 'lower': [above]}.get(t.direction, [below, above]) -%}
{%- set last_period -%}
select *
from trend
where {{ t.period }} = (select max(all_periods.{{ t.period }}) from trend as all_periods)
{%- endset -%}
{%- set steps = [sqlmetrics.step('trend', sqlmetrics.written_trend(t), materialized=true), sqlmetrics.step('last_period', last_period)] -%}
{%- set known_slices = sqlmetrics.step('known_slices', 'select distinct\n    ' ~ sqlmetrics.select_list(t.slices) ~ '\nfrom trend') -%}
{%- set lost = sqlmetrics.failures_of_lost_slices(t.slices, 'known_slices', 'last_period', 'the slice has no rows in the last period') -%}
{{ sqlmetrics.failing_rows(
    macro,
    t.column,
    steps + ([known_slices] if t.slices else []),
    sqlmetrics.judged_slices(sqlmetrics.slice_text(t.slices + [t.period]), t.value, t.ends, verdicts, 'from last_period'),
    ([lost] if t.slices else []) + [sqlmetrics.failure_without('trend', 'no rows at all')],
    [t.measured.inputs],
    t.max_dropped
) }}
{%- endmacro -%}
