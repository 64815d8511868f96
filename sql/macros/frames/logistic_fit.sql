{#-
title: logistic fit
rows: one per slice, with the logistic regression of the label on the log odds of the score
counts: sum(row_count)
diagnostics: {positives: sum(pos)}
stateless: each step of the fit reads all rows
columns: pos, neg, row_count, fitted_intercept and fitted_slope, shift (the intercept where the slope is 1) of those that a metric asks for, NULL where they have no finite value, and what tells by how much a row moves them (fitted_center, fitted_information, fitted_squares, shift_information)
parameters:
  eps:
    type: number
    default: 2.220446049250313e-16
    minimum: 1.0e-300
    maximum: 0.5
    doc: 'probabilities are clipped to [eps, 1 − eps]'
    presets: {lightgbm: 1.0e-15}
    used_by: {1.0e-15: LightGBM}
-#}

{#- Newton's method. Most steps read two or three thousand bins of the log odds, independent of the size of the log. A slice of up to two
    thousand rows has a bin per value. Two steps over the rows follow; each squares the error of the bins, at most a thousandth. Bins
    repeat the state of their slice and use window sums, which PostgreSQL allows in a recursion. Snowflake, BigQuery and Redshift allow
    neither windows nor sums there, and Trino only ten rounds. Engines without recursion get nine rounds: click logs need one to five, and
    small samples of odd shapes up to nine. A fit that has not converged is NULL.

    The fit is finite if no cut of the log odds separates the classes, even with ties at the cut (Albert and Anderson, Biometrika 71,
    1984). With a slope of 1, both classes are enough. -#}
{%- macro logistic_fit(f, rows_from, keys) -%}
{%- set fits = sqlmetrics.distinct_fits(f.metrics) -%}
{%- set odds = 'rows_with_log_odds' ~ f.suffix -%}
{%- set ranges = 'ranges_of_log_odds' ~ f.suffix -%}
{{ sqlmetrics.cte(odds, 'rows with the log odds of their scores', materialized=true) }}
{{ sqlmetrics.log_odds_of_rows(f, rows_from, keys) }}
{{ sqlmetrics.cte(ranges, 'one per slice, with the start of the fit and the number of bins per unit', materialized=true) }}
{{ sqlmetrics.ranges_of_fit(fits, odds, keys) }}
{{ sqlmetrics.cte('bins_of_log_odds' ~ f.suffix, 'one per bin, with the start of the fit in its slice', materialized=fits | length > 1) }}
{{ sqlmetrics.bins_of_fit(fits, odds, ranges, keys) }}
{%- for fit in fits %}
{%- set rounds = fit ~ '_rounds' ~ f.suffix %}
{%- set by_bins, by_rows = fit ~ '_by_bins' ~ f.suffix, fit ~ '_by_rows' ~ f.suffix %}
{%- if sqlmetrics.can_recurse() %}
{{ sqlmetrics.cte(rounds, 'one Newton step over the bins per round', materialized=true, recursive=true) }}
{{ sqlmetrics.round_of_fit(fit, 'bins_of_log_odds' ~ f.suffix, keys, start=true) }}
union all
{{ sqlmetrics.round_of_fit(fit, rounds, keys) }}
{%- else %}
{%- for round in range(1, 10) %}
{{ sqlmetrics.cte(rounds ~ '_' ~ round, 'Newton steps over the bins' if loop.first else '') }}
{{ sqlmetrics.round_of_fit(fit, 'bins_of_log_odds' ~ f.suffix if loop.first else rounds ~ '_' ~ loop.index0, keys) }}
{%- endfor %}
{%- endif %}
{%- set fitted = ['max(middle) as center', 'max(level) as level', 'max(slope / nullif(half_range, 0e0)) as slope'] %}
{{ sqlmetrics.cte(by_bins, 'one per slice') }}
select
    {{- sqlmetrics.leading(keys, 'ranges') }}
    {{ sqlmetrics.select_list(fitted if fit == 'fitted' else ['max(shift) as shift']) }}
from {{ rounds ~ ('' if sqlmetrics.can_recurse() else '_9') }} as rounds
inner join {{ ranges }} as ranges{{ sqlmetrics.on('rounds', 'ranges', keys) }}
{{- '\nwhere is_active = 0e0' if sqlmetrics.can_recurse() }}
{{- sqlmetrics.group_by(sqlmetrics.keys_alone('ranges', keys)) }}
{{ sqlmetrics.cte(by_rows, 'Newton steps over the rows') }}
{{ sqlmetrics.fit_of_rows(fit, odds, by_bins, keys, last=false) }}
{{ sqlmetrics.cte(fit ~ '_fit' ~ f.suffix) }}
{{ sqlmetrics.fit_of_rows(fit, odds, by_rows, keys, last=true) }}
{%- endfor %}
{#- A fit has converged if the last step changed no log odds by more than 1e-5; the next would change them by about 1e-10. With a slope of
    1, gradients of wrong certain rows may exceed the information ten million times. Counts cancel exactly; sums of fractional weights
    leave rounding errors, which determine no intercept. #}
{%- set converged = 'abs(level_step) + abs(slope_step) * (half_range + abs(center - middle)) < 1e-5' %}
{{ sqlmetrics.cte(f.cte, f.rows) }}
select
    {{ sqlmetrics.select_list(sqlmetrics.keys_of('ranges', keys) + ['positives as pos', 'negatives as neg', 'row_count']) }}
{%- if 'fitted' in fits %},
    case when {{ converged }} then slope end as fitted_slope,
    case when {{ converged }} then level - slope * center end as fitted_intercept,
    center as fitted_center,
    fitted_information,
    fitted_squares
{%- endif -%}
{%- if 'one' in fits %},
    case when abs(shift_step) < 1e-5 and (has_fractions = 0 or shift_information > 1e-7 * size) then shift end as shift,
    shift_information
{%- endif %}
from {{ ranges }} as ranges
{%- for fit in fits %}
inner join {{ fit }}_fit{{ f.suffix }} as {{ fit }}{{ sqlmetrics.on('ranges', fit, keys) }}
{%- endfor -%}
{%- endmacro -%}

{%- macro ranges_of_fit(fits, odds, keys) -%}
{#- In the range shared by both classes, bins are at most 1/128 wide, 1/512 of the standard deviation within classes, and 1/256 of half
    that range. The fit starts from linear discriminant analysis (normal log odds per class). With a slope of 1 it starts from the odds of
    labels over those of scores. The condition on `row_count` stops DuckDB from estimating more slices than rows and hashing the rows. #}
select
    *,
    (highest_of_both + lowest_of_both) / 2 as middle,
    greatest(abs(highest_of_both - lowest_of_both) / 2, (highest - lowest) / 1e6) as half,
    greatest(highest - (highest_of_both + lowest_of_both) / 2, (highest_of_both + lowest_of_both) / 2 - lowest) as half_range,
    case
        when row_count <= 2000 then 1e9 / nullif(highest - lowest, 0)
        else greatest(128, coalesce(512 / nullif(sqrt(greatest(variance, 0)), 0), 0), coalesce(512 / nullif(abs(highest_of_both - lowest_of_both), 0), 0))
    end as bins_per_unit,
    case when highest_negative > lowest_positive and highest_positive > lowest_negative
        then coalesce((mean_positive - mean_negative) / nullif(greatest(variance, 0), 0), 0) end as first_slope
from (
    select
        *,
        least(lowest_positive, lowest_negative) as lowest,
        greatest(highest_positive, highest_negative) as highest,
        greatest(lowest_positive, lowest_negative) as lowest_of_both,
        least(highest_positive, highest_negative) as highest_of_both,
        squares - (positives * mean_positive * mean_positive + negatives * mean_negative * mean_negative) / nullif(positives + negatives, 0) as variance,
        case when positives > 0 and negatives > 0 then ln(positives) - ln(negatives) end as first_level
{%- if 'one' in fits %},
        case when positives > 0 and negatives > 0 then ln(positives) - ln(negatives) - ln(odds_of_scores) end as first_shift
{%- endif %}
    from (
        select
            {{- sqlmetrics.leading(keys, depth=3) }}
            count(*) as row_count,
            {{ sqlmetrics.to_double('sum(pos)') }} as positives,
            {{ sqlmetrics.to_double('sum(neg)') }} as negatives,
{%- if 'one' in fits %}
            max(case when floor(pos) = pos and floor(neg) = neg then 0 else 1 end) as has_fractions,
            sum((pos + neg) / (1e0 + exp(-log_odds))) / nullif(sum((pos + neg) / (1e0 + exp(log_odds))), 0) as odds_of_scores,
{%- endif %}
            sum(pos * log_odds) / nullif(sum(pos), 0) as mean_positive,
            sum(neg * log_odds) / nullif(sum(neg), 0) as mean_negative,
            sum((pos + neg) * log_odds * log_odds) / nullif(sum(pos + neg), 0) as squares,
            min(case when pos > 0 then log_odds end) as lowest_positive,
            min(case when neg > 0 then log_odds end) as lowest_negative,
            max(case when pos > 0 then log_odds end) as highest_positive,
            max(case when neg > 0 then log_odds end) as highest_negative
        from {{ odds }}
        {{- sqlmetrics.group_by(keys) | indent(8) }}
    ) as sums
    where row_count > 0
) as shared_ranges
{%- endmacro -%}

{%- macro bins_of_fit(fits, odds, ranges, keys) -%}
{#- Outside the shared range, where rows have one class, bin widths are proportional to the distance. `gap` is the distance from the middle
    of that range, as a share of the distance of the farthest row. #}
{%- set outside = '1e10 + floor(128 * ln(abs(log_odds - middle) / nullif(half, 0)))' -%}
{%- set free, fixed = 'fitted' in fits, 'one' in fits -%}
{%- set columns = ['pos', 'neg', 'log_odds']
    + (['middle', 'half_range', 'first_level', 'first_slope', '(mean_positive + mean_negative) / 2 as mean_of_classes'] if free else [])
    + (['first_shift'] if fixed else []) -%}
select
    {{ sqlmetrics.select_list(keys + [sqlmetrics.to_double('sum(pos)') ~ ' as pos', sqlmetrics.to_double('sum(neg)') ~ ' as neg']) }}
{%- if free %},
    sum((pos + neg) * (log_odds - middle)) / nullif(sum(pos + neg), 0) / nullif(max(half_range), 0) as gap,
    max(first_level + first_slope * (middle - mean_of_classes)) as level,
    max(first_slope * half_range) as slope
{%- endif %}
{%- if fixed %},
    sum((pos + neg) * log_odds) / nullif(sum(pos + neg), 0) as log_odds,
    max(first_shift) as shift
{%- endif %}
from (
    select{{ sqlmetrics.broadcast('ranges') }}
        {{ (sqlmetrics.keys_of('rows_of_log', keys) + columns) | join(',\n        ') }},
        case
            when abs(log_odds - middle) <= half then floor((log_odds - middle) * bins_per_unit)
            when log_odds > middle then {{ outside }}
            else -({{ outside }})
        end as bin
    from {{ odds }} as rows_of_log
    inner join {{ ranges }} as ranges{{ sqlmetrics.on('rows_of_log', 'ranges', keys, depth=2) }}
) as binned
{{- sqlmetrics.group_by(keys + ['bin']) }}
{%- endmacro -%}

{#- The distinct slopes of the metrics: 'fitted', 'one'. -#}
{%- macro distinct_fits(metrics) -%}
{{ return(sqlmetrics.distinct(metrics | map(attribute='slope', default='fitted') | list)) }}
{%- endmacro -%}

{#- `1 - score` has all its digits for scores near 1. -#}
{%- macro log_odds_of_rows(f, rows_from, keys) -%}
{%- set eps = sqlmetrics.number(f.params.eps) -%}
select
    {{ sqlmetrics.select_list(keys + ['pos', 'neg']) }},
    ln(
        least(greatest(score, {{ eps }}), 1 - {{ eps }})
        / least(greatest(1 - score, {{ eps }}), 1 - {{ eps }})
    ) as log_odds
from {{ rows_from }}
{{- f.where }}
{%- endmacro -%}

{#- Beyond e¹⁰⁰ the other probability is negligible for any weight. -#}
{%- macro odds_by_fit(log) -%}exp(least(greatest({{ log }}, -1e2), 1e2)){%- endmacro -%}

{#- The gradient of a row (the sum is 0 at the fit), from its fitted odds: 1 / (1 + odds) is the probability of a negative. It takes
    neither powers of the odds nor differences from 1. -#}
{%- macro gradient_of_row(odds='odds') -%}(pos / (1e0 + {{ odds }}) - neg * ({{ odds }} / (1e0 + {{ odds }}))){%- endmacro -%}

{#- The sums for a step of the fit, over bins by a window or over grouped rows. With a slope of 1, one sum of the gradient rounds
    probabilities to 0 or 1, and another has the remainders. The intercept may depend on remainders of 1e-8. -#}
{%- macro sums_of_fit(fit, over='') -%}
{%- set information = '(pos + neg) * (odds / (1e0 + odds) / (1e0 + odds))' -%}
{%- if fit == 'fitted' -%}
{{ return([
    'sum(' ~ information ~ ')' ~ over ~ ' as information',
    'sum(' ~ information ~ ' * gap)' ~ over ~ ' as gaps',
    'sum(' ~ information ~ ' * gap * gap)' ~ over ~ ' as squares',
    'sum(' ~ sqlmetrics.gradient_of_row() ~ ')' ~ over ~ ' as gradient',
    'sum(' ~ sqlmetrics.gradient_of_row() ~ ' * gap)' ~ over ~ ' as tilt',
]) }}
{%- endif -%}
{{ return([
    'sum(' ~ information ~ ')' ~ over ~ ' as information',
    'sum(case when odds < 1e0 then pos else -neg end)' ~ over ~ '\n                '
        ~ '+ sum((pos + neg) * case when odds < 1e0 then -(odds / (1e0 + odds)) else 1e0 / (1e0 + odds) end)\n                   ' ~ over ~ ' as gradient',
]) }}
{%- endmacro -%}

{#- Newton's step from these sums: `mean_gap` is the mean gap, weighted by information; `level_step` changes the level there, and
    `slope_step` the slope. -#}
{%- macro steps_of_fit(fit) -%}
{%- set level_step = 'gradient / nullif(information, 0e0) as level_step' -%}
{%- if fit == 'one' -%}{{ return([level_step]) }}{%- endif -%}
{%- set mean_gap = 'gaps / nullif(information, 0e0)' -%}
{%- set centred_squares = 'squares - gaps * (' ~ mean_gap ~ ')' -%}
{{ return([
    level_step,
    mean_gap ~ ' as mean_gap',
    '(tilt - gradient * (' ~ mean_gap ~ ')) / nullif(greatest(' ~ centred_squares ~ ', 0e0), 0e0) as slope_step',
]) }}
{%- endmacro -%}

{#- A step changes no log odds by more than 2 plus the largest of them. Without a bound, Newton's method diverges on one in fifty small
    sets of distant scores. With a slope of 1 the bound is 2, and the step never goes too far (Sun and Tran-Dinh, Mathematical Programming
    178, 2019). `start` begins a recursion. Few lines, because engines without recursion repeat them. -#}
{%- macro round_of_fit(fit, from, keys, start=false) -%}
{%- set free = fit == 'fitted' -%}
{%- set own = keys + (['gap', 'pos', 'neg'] if free else ['log_odds', 'pos', 'neg']) -%}
{%- set odds = sqlmetrics.odds_by_fit('level + slope * gap' if free else 'shift + log_odds') -%}
{%- set bound = '2e0 + abs(level) + abs(slope) as bound, ' if free -%}
{%- set step_size = 'abs(level_step) + abs(slope_step) * (1e0 + abs(mean_gap))' if free else 'abs(level_step)' -%}
{%- if start -%}
select
    {{ sqlmetrics.select_list(own + (['level', 'slope'] if free else ['shift'])) }},
    {{ sqlmetrics.to_double('case when ' ~ ('level' if free else 'shift') ~ ' is not null then 1 else 0 end') }} as is_active,
    {{ sqlmetrics.to_double('1') }} as round
from {{ from }}
{%- else -%}
select {{ own | join(', ') }},
{%- if free %}
    level + (level_step - slope_step * mean_gap) * (bound / greatest(bound, {{ step_size }})) as level,
    slope + slope_step * (bound / greatest(bound, {{ step_size }})) as slope
{%- else %}
    shift + level_step * (2e0 / (2e0 + abs(level_step))) as shift
{%- endif -%}
{%- if sqlmetrics.can_recurse() %},
    case when {{ step_size }} < 1e-3 or round >= 1e2 then 0e0 else 1e0 end as is_active,
    round + 1e0 as round
{%- endif %}
from (
    select *,
        {{ sqlmetrics.steps_of_fit(fit) | join(',\n        ') }}
    from (
        select *,
            {{ sqlmetrics.sums_of_fit(fit, ' ' ~ sqlmetrics.over(keys)) | join(',\n            ') }}
        from (select *, {{ bound }}{{ odds }} as odds
            from {{ from ~ (' where is_active = 1e0' if sqlmetrics.can_recurse()) }}) as odds_of_bins
    ) as sums
) as steps_of_bins
{%- endif -%}
{%- endmacro -%}

{#- The same over rows. `center` follows the rows with information, so that sums of squares lose no digits. -#}
{%- macro fit_of_rows(fit, odds, from, keys, last) -%}
{%- set free = fit == 'fitted' -%}
{%- set state = ['center', 'level', 'slope'] if free else ['shift'] -%}
{%- set size = [] if free else ['sum(case when odds < 1e0 then pos else neg end) as size'] -%}
{%- set updated = ['center + mean_gap as center', 'level + slope * mean_gap + level_step as level', 'slope + slope_step as slope'] if free else ['shift + level_step as shift'] -%}
{%- set fitted = ['level_step', 'slope_step', 'information as fitted_information', 'squares - gaps * mean_gap as fitted_squares'] if free
    else ['size', 'level_step as shift_step', 'information as shift_information'] -%}
select
    {{ sqlmetrics.select_list(keys + (fitted if last else []) + updated) }}
from (
    select
        *,
        {{ sqlmetrics.steps_of_fit(fit) | join(',\n        ') }}
    from (
        select
            {{ (keys + sqlmetrics.for_each(state, 'max({0}) as {0}') + size + sqlmetrics.sums_of_fit(fit)) | join(',\n            ') }}
        from (
            select{{ sqlmetrics.broadcast('fit') }}
                {{ (sqlmetrics.keys_of('rows_of_log', keys) + ['pos', 'neg'] + state + (['log_odds - center as gap'] if free else [])) | join(',\n                ') }},
                {{ sqlmetrics.odds_by_fit('level + slope * (log_odds - center)' if free else 'shift + log_odds') }} as odds
            from {{ odds }} as rows_of_log
            inner join {{ from }} as fit{{ sqlmetrics.on('rows_of_log', 'fit', keys, depth=4) }}
        ) as odds_of_rows
        {{- sqlmetrics.group_by(keys) | indent(8) }}
    ) as sums
) as steps_of_rows
{%- endmacro -%}

{#- The contribution of a row is its weighted fitted value plus its influence, a Newton step (Huber, 1967). The mean is the fitted value,
    because influences sum to 0. Information is a share of all weight: a product of two weights may exceed a double. -#}
{%- macro parts_of_fixed_fit(f, name, slicing, carried) -%}
{%- set keys = slicing['keys'] -%}
{%- set fits = sqlmetrics.distinct_fits(f.metrics) -%}
{%- set fitted_odds = sqlmetrics.odds_by_fit('fitted_intercept + fitted_slope * log_odds') ~ ' as fitted_odds' -%}
{%- set shifted_odds = sqlmetrics.odds_by_fit('log_odds + shift') ~ ' as shifted_odds' -%}
{%- set of_fits = (['fitted_intercept', 'fitted_slope', 'fitted_center', 'fitted_information', 'fitted_squares', fitted_odds] if 'fitted' in fits else [])
    + (['shift', 'shift_information', shifted_odds] if 'one' in fits else []) -%}
{{ sqlmetrics.cte(name, 'rows with their contributions to the fit') }}
select
    {{ sqlmetrics.select_list(keys + carried + ['pos', 'neg']) }}
{%- if 'fitted' in fits %},
    (pos + neg) * fitted_slope + slope_step as slope_part,
    (pos + neg) * fitted_intercept + level_step - fitted_center * slope_step as intercept_part
{%- endif -%}
{%- if 'one' in fits %},
    (pos + neg) * shift + shift_step as shift_part
{%- endif %}
from (
    select
        *
{%- if 'fitted' in fits %},
        {{ sqlmetrics.gradient_of_row('fitted_odds') }}
            / nullif(fitted_information / nullif(weight_of_all, 0), 0) as level_step,
        {{ sqlmetrics.gradient_of_row('fitted_odds') }} * (log_odds - fitted_center)
            / nullif(fitted_squares / nullif(weight_of_all, 0), 0) as slope_step
{%- endif -%}
{%- if 'one' in fits %},
        {{ sqlmetrics.gradient_of_row('shifted_odds') }}
            / nullif(shift_information / nullif(weight_of_all, 0), 0) as shift_step
{%- endif %}
    from (
        select{{ sqlmetrics.broadcast('fit') }}
            {{ (sqlmetrics.keys_of('scored', keys) + carried + ['scored.pos as pos', 'scored.neg as neg', 'log_odds'] + of_fits) | join(',\n            ') }},
            fit.pos + fit.neg as weight_of_all
        from (
            {{ sqlmetrics.indented(sqlmetrics.indented(sqlmetrics.indented(sqlmetrics.log_odds_of_rows(f, slicing.rows_from, keys + carried)))) }}
        ) as scored
        inner join {{ f.cte }} as fit{{ sqlmetrics.on('scored', 'fit', keys, depth=3) }}
    ) as odds_of_rows
) as steps_of_rows
{%- endmacro -%}
