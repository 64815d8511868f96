{#-
title: logistic fit
rows: one per slice, with the logistic regression of the truth on the log odds of the score
counts: sum(row_count)
diagnostics: {positives: sum(pos)}
stateless: each step of the fit reads all rows
columns: pos, neg, row_count, fitted_intercept and fitted_slope, shift (the intercept where the slope is 1) of those that a metric asks for, NULL where they have no finite value, and what tells by how much a row moves them (fitted_center, fitted_information, fitted_spread, shift_information)
parameters:
  eps:
    type: number
    default: 2.220446049250313e-16
    minimum: 1.0e-300
    maximum: 0.5
    doc: how near to 0 and 1 a probability may come
    presets: {lightgbm: 1.0e-15}
    used_by: {1.0e-15: LightGBM}
-#}

{#- Newton's method. Most steps read bins of the log odds, two or three thousand whatever the log; a slice of up to two thousand rows
    has a bin for each value. Two steps over the rows follow, each of which squares the error of the bins, a thousandth at most.
    The bins carry the state of their slice and add up by windows, which PostgreSQL allows in a recursion. An engine that does not
    recurse gets twelve rounds; logs of clicks take five to ten. A fit that is still moving is NULL.

    The fit is finite if each class has a row strictly inside the range of the other, on both sides (Albert and Anderson,
    Biometrika 71, 1984); with a slope of 1, if there are both classes. -#}
{%- macro logistic_fit(f, rows_from, keys) -%}
{%- set fits = sqlmetrics.fits_asked_for(f.metrics) -%}
{%- set odds = 'rows_with_log_odds' ~ f.suffix -%}
{%- set ranges = 'ranges_of_log_odds' ~ f.suffix -%}
{%- set bins = 'bins_of_log_odds' ~ f.suffix -%}
{%- set steps = [
    sqlmetrics.step(odds, sqlmetrics.log_odds_of_rows(f, rows_from, keys), 'the rows with the log odds of their scores', stored=true),
    sqlmetrics.step(ranges, sqlmetrics.ranges_of_log_odds(fits, odds, keys), 'one per slice: where the fit starts, and how wide the bins are', stored=true),
    sqlmetrics.step(bins, sqlmetrics.bins_of_log_odds(odds, ranges, keys), 'one per bin, with the start of its slice', stored=fits | length > 1),
] -%}
{%- set reads = [ranges] -%}
{%- for fit in fits -%}
{%- set free = fit == 'fitted' -%}
{%- set rounds = fit ~ '_rounds' ~ f.suffix -%}
{%- set start = sqlmetrics.start_of_fit(free, bins, keys) -%}
{%- if sqlmetrics.can_recurse() -%}
{%- set recursion = start ~ '\nunion all\n' ~ sqlmetrics.next_fit(free, rounds, keys) -%}
{%- do steps.append(sqlmetrics.step(rounds, recursion, 'each round is a step of the fit over the bins', stored=true, recursive=true)) -%}
{%- else -%}
{%- do steps.append(sqlmetrics.step(rounds, start, 'where the fit starts')) -%}
{%- for round in range(1, 13) -%}
{%- do steps.append(sqlmetrics.step(rounds ~ '_' ~ round, sqlmetrics.next_fit(free, steps[-1].name, keys), 'a step over the bins')) -%}
{%- endfor -%}
{%- endif -%}
{%- do steps.append(sqlmetrics.step(fit ~ '_by_bins' ~ f.suffix, sqlmetrics.fit_of_bins(steps[-1].name, keys), 'one per slice')) -%}
{%- for name in [fit ~ '_by_rows' ~ f.suffix, fit ~ '_fit' ~ f.suffix] -%}
{%- do steps.append(sqlmetrics.step(name, sqlmetrics.fit_of_rows(free, odds, steps[-1].name, keys), 'a step over the rows')) -%}
{%- endfor -%}
{%- do reads.append(steps[-1].name) -%}
{%- endfor -%}
{{ return(steps + [sqlmetrics.step(f.cte, sqlmetrics.results_of_fits(fits, reads, keys), f.rows)]) }}
{%- endmacro -%}

{#- 'fitted' and 'one': the slopes that the metrics ask for. -#}
{%- macro fits_asked_for(metrics) -%}
{%- set slopes = [] -%}
{%- for m in metrics -%}{%- do slopes.append(m.slope if m.slope is defined else 'fitted') -%}{%- endfor -%}
{{ return(sqlmetrics.distinct(slopes)) }}
{%- endmacro -%}

{#- Of a score near 1 the difference from 1 has all its digits. -#}
{%- macro log_odds_of_rows(f, rows_from, keys) -%}
{%- set eps = sqlmetrics.number(f.params.eps) -%}
select
    {{ sqlmetrics.lines(keys + ['pos', 'neg']) }},
    ln(
        least(greatest(score, {{ eps }}), 1 - {{ eps }})
        / least(greatest(1 - score, {{ eps }}), 1 - {{ eps }})
    ) as log_odds
from {{ rows_from }}
{{- f.where }}
{%- endmacro -%}

{#- Inside the range that both classes share, bins are a 128th wide, or less: a 512th of the standard deviation, a 256th of half that
    range. The condition on the rows keeps DuckDB from taking the slices for more than the rows, and hashing these. -#}
{%- macro ranges_of_log_odds(fits, odds, keys) -%}
{%- set sums = keys + ['row_count', 'positives', 'negatives', 'mean'] + (['has_fractions'] if 'one' in fits else []) -%}
select
    {{ sqlmetrics.lines(sums + ['lowest', 'highest', 'middle', 'half', 'is_bounded']) }},
    case when positives > 0 and negatives > 0 then ln(positives) - ln(negatives) end as first_level,
    case
        when row_count <= 2000 then 1e9 / nullif(highest - lowest, 0)
        else greatest(
            128,
            coalesce(512 / nullif(sqrt(greatest(mean_square - mean * mean, 0)), 0), 0),
            coalesce(256 / nullif(half, 0), 0)
        )
    end as bins_per_unit
from (
    select
        {{ (sums + ['mean_square', 'lowest', 'highest']) | join(',\n        ') }},
        (highest_of_both + lowest_of_both) / 2 as middle,
        greatest(abs(highest_of_both - lowest_of_both) / 2, (highest - lowest) / 1e6) as half,
        case when highest_negative > lowest_positive and highest_positive > lowest_negative then 1 else 0 end as is_bounded
    from (
        select
            {{ (sums + ['mean_square', 'lowest_positive', 'lowest_negative', 'highest_positive', 'highest_negative']) | join(',\n            ') }},
            least(lowest_positive, lowest_negative) as lowest,
            greatest(highest_positive, highest_negative) as highest,
            greatest(lowest_positive, lowest_negative) as lowest_of_both,
            least(highest_positive, highest_negative) as highest_of_both
        from (
            select
                {% for key in keys %}{{ key }},
                {% endfor -%}
                count(*) as row_count,
                {{ sqlmetrics.to_double('sum(pos)') }} as positives,
                {{ sqlmetrics.to_double('sum(neg)') }} as negatives,
{%- if 'one' in fits %}
                max(case when floor(pos) = pos and floor(neg) = neg then 0 else 1 end) as has_fractions,
{%- endif %}
                sum((pos + neg) * log_odds) / nullif(sum(pos + neg), 0) as mean,
                sum((pos + neg) * log_odds * log_odds) / nullif(sum(pos + neg), 0) as mean_square,
                min(case when pos > 0 then log_odds end) as lowest_positive,
                min(case when neg > 0 then log_odds end) as lowest_negative,
                max(case when pos > 0 then log_odds end) as highest_positive,
                max(case when neg > 0 then log_odds end) as highest_negative
            from {{ odds }}
            {{- sqlmetrics.group_by(keys) | indent(12) }}
        ) as sums
        where row_count > 0
    ) as ends
) as shared_ranges
{%- endmacro -%}

{#- Outside the shared range, where rows are of one class, bins get wider in proportion to how far out they are. -#}
{%- macro bins_of_log_odds(odds, ranges, keys) -%}
{%- set outside = '1e10 + floor(128 * ln(abs(log_odds - middle) / nullif(half, 0)))' -%}
select
    {{ sqlmetrics.lines(keys + ['max(center) as center', 'max(first_level) as first_level', 'max(is_bounded) as is_bounded']) }},
    sum((pos + neg) * log_odds) / nullif(sum(pos + neg), 0) as log_odds,
    {{ sqlmetrics.to_double('sum(pos)') }} as pos,
    {{ sqlmetrics.to_double('sum(neg)') }} as neg
from (
    select{{ sqlmetrics.broadcast('ranges') }}
        {{ (sqlmetrics.keys_of('rows_of_log', keys) + ['pos', 'neg', 'log_odds', 'mean as center', 'first_level', 'is_bounded']) | join(',\n        ') }},
        case
            when abs(log_odds - middle) <= half then floor((log_odds - middle) * bins_per_unit)
            when log_odds > middle then {{ outside }}
            else -({{ outside }})
        end as bin
    from {{ odds }} as rows_of_log
    inner join {{ ranges }} as ranges
        on {{ sqlmetrics.same_keys('rows_of_log', 'ranges', keys) | join(' and ') or '1 = 1' }}
) as binned
{{- sqlmetrics.group_by(keys + ['bin']) }}
{%- endmacro -%}

{#- The fit is level + slope · (log odds − center), about a center that follows the informative rows, so that sums of squares keep
    their digits; where the slope is 1 the center stays at 0, and the level is the shift. -#}
{%- macro start_of_fit(free, bins, keys) -%}
select
    {{ sqlmetrics.lines(keys + ['log_odds', 'pos', 'neg']) }},
    {{ 'center' if free else sqlmetrics.to_double('0') ~ ' as center' }},
    {{ 'case when is_bounded = 1 then first_level end' if free else 'first_level - center' }} as level,
    {{ sqlmetrics.to_double('0' if free else '1') }} as slope,
    {{ sqlmetrics.to_double('case when first_level is not null' ~ (' and is_bounded = 1' if free) ~ ' then 1 else 0 end') }} as moves,
    {{ sqlmetrics.to_double('1') }} as round
from {{ bins }}
{%- endmacro -%}

{#- Beyond e¹⁰⁰ the other probability is nothing beside any weight. -#}
{%- macro odds_by_fit(log) -%}exp(least(greatest({{ log }}, -1e2), 1e2)){%- endmacro -%}

{#- What a row does to the sum that is 0 at the fit, from its odds by the fit: 1 / (1 + odds) is the probability of a negative. No
    power of the odds is taken, and no difference from 1. -#}
{%- macro pull_of_row(odds='odds') -%}(pos / (1e0 + {{ odds }}) - neg * ({{ odds }} / (1e0 + {{ odds }}))){%- endmacro -%}

{#- Newton's step from the rows or bins of `from`: `lean` moves the center, `up` the level there, `turn` the slope. With a
    slope of 1 one sum of the pull has rows of probability 0 or 1, another how far they are from that: an intercept may rest on the
    1e-8 by which certain rows are not certain. `over` is the window of bins; rows are grouped. -#}
{%- macro newton_step(free, own, from, over='', further=[]) -%}
{%- set information = '(pos + neg) * (odds / (1e0 + odds) / (1e0 + odds))' -%}
select
    {{ sqlmetrics.lines(own) }},
    information,
    pull / nullif(information, 0e0) as up,
{%- if free %}
    lean / nullif(information, 0e0) as lean,
    breadth - lean * (lean / nullif(information, 0e0)) as spread,
    (tilt - pull * (lean / nullif(information, 0e0)))
        / nullif(greatest(breadth - lean * (lean / nullif(information, 0e0)), 0e0), 0e0) as turn
{%- else %}
    0e0 as lean,
    0e0 as turn
{%- endif %}
from (
    select
        {{ (further or own) | join(',\n        ') }},
{%- if free %}
        sum({{ information }} * gap){{ over }} as lean,
        sum({{ information }} * gap * gap){{ over }} as breadth,
        sum({{ sqlmetrics.pull_of_row() }} * gap){{ over }} as tilt,
        sum({{ sqlmetrics.pull_of_row() }}){{ over }} as pull,
{%- else %}
        sum(case when odds < 1e0 then pos else -neg end){{ over }}
            + sum((pos + neg) * case when odds < 1e0 then -(odds / (1e0 + odds)) else 1e0 / (1e0 + odds) end){{ over }} as pull,
{%- endif %}
        sum({{ information }}){{ over }} as information
    from {{ sqlmetrics.indented(from) }}
) as sums
{%- endmacro -%}

{#- A step over the bins moves no log odds by more than 2 and the largest of them: without a bound Newton's method diverges on one in
    fifty small sets of far scores. With a slope of 1 the bound is 2, and the step never goes too far (Sun and Tran-Dinh,
    Mathematical Programming 178, 2019). -#}
{%- macro next_fit(free, from, keys) -%}
{%- set own = keys + ['log_odds', 'pos', 'neg', 'center', 'level', 'slope', 'round'] -%}
{%- set window = ' ' ~ sqlmetrics.over(keys) -%}
{%- set bins -%}
(
    select
        {{ (own + (['log_odds - center as gap'] if free else [])) | join(',\n        ') }},
        {{ sqlmetrics.odds_by_fit('level + slope * (log_odds - center)') }} as odds
    from {{ from }}
    {{- '\n    where moves = 1e0' if sqlmetrics.can_recurse() }}
) as odds_of_bins
{%- endset -%}
{%- set ends = ['lowest', 'highest'] if free else [] -%}
{%- set further = own + (['min(gap)' ~ window ~ ' as lowest', 'max(gap)' ~ window ~ ' as highest'] if free else []) -%}
{%- set part = 'least(1e0, (2e0 + size) / nullif(reach, 0e0))' if free else '2e0 / (2e0 + reach)' -%}
select
    {{ sqlmetrics.lines(keys + ['log_odds', 'pos', 'neg']) }},
    center + lean as center,
    level + slope * lean + {{ part }} * up as level,
    slope + {{ part }} * turn as slope,
    case when reach < 1e-3 or round >= 1e2 then 0e0 else 1e0 end as moves,
    round + 1e0 as round
from (
    select
        {{ (own + ['lean', 'up', 'turn']) | join(',\n        ') }},
{%- if free %}
        greatest(abs(up + turn * (lowest - lean)), abs(up + turn * (highest - lean))) as reach,
        greatest(abs(level + slope * lowest), abs(level + slope * highest)) as size
{%- else %}
        abs(up) as reach
{%- endif %}
    from (
        {{ sqlmetrics.indented(sqlmetrics.indented(sqlmetrics.newton_step(free, own + ends, bins, window, further))) }}
    ) as steps_of_bins
) as bounded_steps
{%- endmacro -%}

{%- macro fit_of_bins(from, keys) -%}
select
    {{ sqlmetrics.lines(keys + ['max(center) as center', 'max(level) as level', 'max(slope) as slope']) }}
from {{ from }}
{{- '\nwhere moves = 0e0' if sqlmetrics.can_recurse() }}
{{- sqlmetrics.group_by(keys) }}
{%- endmacro -%}

{%- macro fit_of_rows(free, odds, from, keys) -%}
{%- set state = keys + ['max(center) as center', 'max(level) as level', 'max(slope) as slope'] -%}
{%- set size = [] if free else ['sum(case when odds < 1e0 then pos else neg end) as size'] -%}
{%- set rows -%}
(
    select{{ sqlmetrics.broadcast('fit') }}
        {{ (sqlmetrics.keys_of('rows_of_log', keys) + ['pos', 'neg', 'center', 'level', 'slope', 'log_odds - center as gap']) | join(',\n        ') }},
        {{ sqlmetrics.odds_by_fit('level + slope * (log_odds - center)') }} as odds
    from {{ odds }} as rows_of_log
    inner join {{ from }} as fit
        on {{ sqlmetrics.same_keys('rows_of_log', 'fit', keys) | join(' and ') or '1 = 1' }}
) as odds_of_rows
    {{- sqlmetrics.indented(sqlmetrics.group_by(keys)) }}
{%- endset -%}
select
    {{ sqlmetrics.lines(keys + ['up', 'turn', 'information', 'spread' if free else 'size']) }},
    center + lean as center,
    level + slope * lean + up as level,
    slope + turn as slope
from (
    {{ sqlmetrics.indented(sqlmetrics.newton_step(free, keys + ['center', 'level', 'slope'] + ([] if free else ['size']), rows, further=state + size)) }}
) as steps_of_rows
{%- endmacro -%}

{#- A fit has come to rest if the last step moved no log odds by more than 1e-5, so that the next one would move them by some 1e-10.
    With a slope of 1, the pull of certain rows, wrong ones each way, may be ten million times what is known beside it: counts cancel
    to nothing there, and sums of fractions to their last bits, which are no intercept. -#}
{%- macro results_of_fits(fits, reads, keys) -%}
select
    {{ sqlmetrics.lines(sqlmetrics.keys_of('ranges', keys) + ['positives as pos', 'negatives as neg', 'row_count']) }}
{%- if 'fitted' in fits %},
    case when abs(fitted.up) + abs(fitted.turn) * greatest(highest - fitted.center, fitted.center - lowest) < 1e-5 then fitted.slope end as fitted_slope,
    case
        when abs(fitted.up) + abs(fitted.turn) * greatest(highest - fitted.center, fitted.center - lowest) < 1e-5
            then fitted.level - fitted.slope * fitted.center
    end as fitted_intercept,
    fitted.center as fitted_center,
    fitted.information as fitted_information,
    fitted.spread as fitted_spread
{%- endif -%}
{%- if 'one' in fits %},
    case when abs(one.up) < 1e-5 and (has_fractions = 0 or one.information > 1e-7 * one.size) then one.level end as shift,
    one.information as shift_information
{%- endif %}
from {{ reads[0] }} as ranges
{%- for fit in fits %}
inner join {{ reads[loop.index] }} as {{ fit }}
    on {{ sqlmetrics.same_keys('ranges', fit, keys) | join(' and ') or '1 = 1' }}
{%- endfor -%}
{%- endmacro -%}

{#- Of each row what it does to the fit: by how much one more of it would move that, in a Newton step, beside the value that it has
    (Huber, 1967). The mean over the rows is the value, as what they do adds up to 0. Information is taken as a share of all
    weight: the product of two weights may be no double. -#}
{%- macro parts_of_fit_held(f, name, slicing, carried) -%}
{%- set keys = slicing['keys'] -%}
{%- set fits = sqlmetrics.fits_asked_for(f.metrics) -%}
{%- set turn = sqlmetrics.pull_of_row('fitted_odds') ~ ' * (log_odds - fitted_center) / nullif(fitted_spread / nullif(weight_of_all, 0), 0)' -%}
{%- set rows -%}
select
    {{ sqlmetrics.lines(keys + carried + ['pos', 'neg']) }}
{%- if 'fitted' in fits %},
    (pos + neg) * fitted_slope + {{ turn }} as slope_part,
    (pos + neg) * fitted_intercept
        + {{ sqlmetrics.pull_of_row('fitted_odds') }} / nullif(fitted_information / nullif(weight_of_all, 0), 0)
        - fitted_center * {{ turn }} as intercept_part
{%- endif -%}
{%- if 'one' in fits %},
    (pos + neg) * shift + {{ sqlmetrics.pull_of_row('shifted_odds') }} / nullif(shift_information / nullif(weight_of_all, 0), 0) as shift_part
{%- endif %}
from (
    select{{ sqlmetrics.broadcast('fit') }}
        {{ (sqlmetrics.keys_of('scored', keys) + carried + ['scored.pos as pos', 'scored.neg as neg', 'log_odds']) | join(',\n        ') }},
{%- if 'fitted' in fits %}
        fitted_intercept,
        fitted_slope,
        fitted_center,
        fitted_information,
        fitted_spread,
        {{ sqlmetrics.odds_by_fit('fitted_intercept + fitted_slope * log_odds') }} as fitted_odds,
{%- endif %}
{%- if 'one' in fits %}
        shift,
        shift_information,
        {{ sqlmetrics.odds_by_fit('log_odds + shift') }} as shifted_odds,
{%- endif %}
        fit.pos + fit.neg as weight_of_all
    from (
        {{ sqlmetrics.indented(sqlmetrics.indented(sqlmetrics.log_odds_of_rows(f, slicing.rows_from, keys + carried))) }}
    ) as scored
    inner join {{ f.cte }} as fit
        on {{ sqlmetrics.same_keys('scored', 'fit', keys) | join(' and ') or '1 = 1' }}
) as odds_of_rows
{%- endset -%}
{{ return([sqlmetrics.step(name, rows, 'the rows, with what each does to the fit')]) }}
{%- endmacro -%}
