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

{#- Newton's method, of which each step adds up five numbers over the rows. How many steps it takes is not known before, so nearly
    all of them are taken over bins of the log odds, of which there are two or three thousand whatever the log: a slice of up to
    two thousand rows has a bin for each value. What that finds is off by a thousandth at most, by less than a ten thousandth as
    a rule, which a step over the rows squares, and a second one squares again, and tells whether the fit has come to rest.

    Each step reads the one before it once: engines that write steps out where they are read would else work them out once more
    for each. So the bins carry what is known of their slice along, and add up by windows, which PostgreSQL takes in a recursion.
    Where rounds are written out there are twelve: Spark looks at a statement a hundred times to make sense of it, three times for
    each round. Logs of clicks take six to ten; what has not come to rest by then is NULL, and no wrong number.

    Whether there is a finite fit is not left to the steps. There is one if each class has a row strictly inside of the range of
    the other, on both sides: max of the negatives > min of the positives, and max of the positives > min of the negatives
    (Albert and Anderson, Biometrika 71, 1984). With a slope of 1, if there are both classes. -#}
{%- macro logistic_fit(f, rows_from, keys) -%}
{%- set fits = sqlmetrics.fits_asked_for(f.metrics) -%}
{%- set odds = 'rows_with_log_odds' ~ f.suffix -%}
{%- set ranges = 'ranges_of_log_odds' ~ f.suffix -%}
{%- set bins = 'bins_of_log_odds' ~ f.suffix -%}
{%- set rounds = 'fits_of_bins' ~ f.suffix -%}
{%- set found = 'first_fit' ~ f.suffix -%}
{%- set steps = [
    sqlmetrics.step(odds, sqlmetrics.log_odds_of_rows(f, rows_from, keys), 'the rows with the log odds of their scores', [rows_from], stored=true),
    sqlmetrics.step(ranges, sqlmetrics.ranges_of_log_odds(odds, keys), 'one per slice: where the fit starts, and how wide the bins are', [odds]),
    sqlmetrics.step(bins, sqlmetrics.bins_of_log_odds(fits, odds, ranges, keys), 'one per bin of log odds, beside the start of its slice', [odds, ranges]),
] -%}
{%- if sqlmetrics.can_recurse() -%}
{%- set recursion -%}
{{ sqlmetrics.start_of_fit(fits, bins, keys, recursive=true) }}
union all
{{ sqlmetrics.next_fit(fits, rounds, keys, recursive=true) }}
{%- endset -%}
{%- do steps.append(sqlmetrics.step(rounds, recursion, 'each round is a step of the fit over the bins', [bins], stored=true, recursive=true)) -%}
{%- else -%}
{%- do steps.append(sqlmetrics.step(rounds, sqlmetrics.start_of_fit(fits, bins, keys), 'where the fit starts', [bins])) -%}
{%- set last = namespace(step=rounds) -%}
{%- for round in range(12) -%}
{%- set name = rounds ~ '_' ~ (round + 1) -%}
{%- do steps.append(sqlmetrics.step(name, sqlmetrics.next_fit(fits, last.step, keys), 'a step of the fit over the bins', [last.step])) -%}
{%- set last.step = name -%}
{%- endfor -%}
{%- endif -%}
{%- set state = [] -%}
{%- if 'fitted' in fits -%}{%- do state.extend(['max(center) as center', 'max(level) as level', 'max(slope) as slope']) -%}{%- endif -%}
{%- if 'one' in fits -%}{%- do state.append('ln(max(scale)) as shift') -%}{%- endif -%}
{%- set first_fit -%}
select
    {{ sqlmetrics.lines(keys + state) }}
from {{ steps[-1].name }}
{{- '\nwhere moves = 0e0' if sqlmetrics.can_recurse() }}
{{- sqlmetrics.group_by(keys) }}
{%- endset -%}
{%- do steps.append(sqlmetrics.step(found, first_fit, 'one per slice', [steps[-1].name])) -%}
{%- for round in [1, 2] -%}
{%- set name = f.cte if round == 2 else 'better_fit' ~ f.suffix -%}
{%- do steps.append(sqlmetrics.step(name, sqlmetrics.better_fit(fits, odds, steps[-1].name, keys, last=round == 2), f.rows if round == 2 else 'a step of the fit over the rows', [odds, steps[-1].name])) -%}
{%- endfor -%}
{{ return(steps) }}
{%- endmacro -%}

{#- 'fitted' and 'one': how the slope is found. -#}
{%- macro fits_asked_for(metrics) -%}
{%- set found = [] -%}
{%- for m in metrics -%}{%- do found.append(m.slope if m.slope is defined else 'fitted') -%}{%- endfor -%}
{{ return(sqlmetrics.distinct(found)) }}
{%- endmacro -%}

{#- Of a score near 1 the difference from 1 has all its digits. -#}
{%- macro log_odds_of_score(eps) -%}
{%- set eps = sqlmetrics.number(eps) -%}
ln(least(greatest(score, {{ eps }}), 1 - {{ eps }}) / least(greatest(1 - score, {{ eps }}), 1 - {{ eps }}))
{%- endmacro -%}

{%- macro log_odds_of_rows(f, rows_from, keys) -%}
select
    {{ sqlmetrics.lines(keys + ['pos', 'neg', sqlmetrics.log_odds_of_score(f.params.eps) ~ ' as log_odds']) }}
from {{ rows_from }}
{{- f.where }}
{%- endmacro -%}

{#- Inside of the range that both classes share, bins are a 128th wide, or less: a 512th of the standard deviation, a 256th of half
    that range. Outside, where rows are of one class, they get wider in proportion to how far out they are. That a slice has rows is
    said because DuckDB takes the slices for more than the rows otherwise, and makes a hash table of these. -#}
{%- macro ranges_of_log_odds(odds, keys) -%}
{%- set mean = 'sum((pos + neg) * log_odds) / nullif(sum(pos + neg), 0)' -%}
select
    {{ sqlmetrics.lines(keys + [
        'middle',
        'half',
        'case when row_count <= 2000 then 1e9 / nullif(width, 0) else greatest(128, coalesce(512 / nullif(deviation, 0), 0), coalesce(256 / nullif(half, 0), 0)) end as bins_per_unit',
        'is_bounded',
    ]) }}
from (
    select
        {{ (keys + [
            'row_count',
            'highest - lowest as width',
            'sqrt(greatest(mean_square - mean * mean, 0)) as deviation',
            '(highest_of_both + lowest_of_both) / 2 as middle',
            'greatest(abs(highest_of_both - lowest_of_both) / 2, (highest - lowest) / 1e6) as half',
            'is_bounded',
        ]) | join(',\n        ') }}
    from (
        select
            {{ (keys + [
                'row_count',
                'mean',
                'mean_square',
                'least(lowest_positive, lowest_negative) as lowest',
                'greatest(highest_positive, highest_negative) as highest',
                'greatest(lowest_positive, lowest_negative) as lowest_of_both',
                'least(highest_positive, highest_negative) as highest_of_both',
                'case when highest_negative > lowest_positive and highest_positive > lowest_negative then 1 else 0 end as is_bounded',
            ]) | join(',\n            ') }}
        from (
            select
                {{ (keys + [
                    'count(*) as row_count',
                    'min(case when pos > 0 then log_odds end) as lowest_positive',
                    'max(case when pos > 0 then log_odds end) as highest_positive',
                    'min(case when neg > 0 then log_odds end) as lowest_negative',
                    'max(case when neg > 0 then log_odds end) as highest_negative',
                    mean ~ ' as mean',
                    'sum((pos + neg) * log_odds * log_odds) / nullif(sum(pos + neg), 0) as mean_square',
                ]) | join(',\n                ') }}
            from {{ odds }}
            {{- sqlmetrics.indented(sqlmetrics.indented(sqlmetrics.indented(sqlmetrics.group_by(keys)))) }}
        ) as sums
        where row_count > 0
    ) as shared_ranges
) as widths
{%- endmacro -%}

{%- macro bins_of_log_odds(fits, odds, ranges, keys) -%}
{%- set same = sqlmetrics.same_keys('rows_of_log', 'ranges', keys) -%}
{%- set outside = '1e10 + floor(128 * ln(distance / nullif(half, 0)))' -%}
{%- set own = ['pos', 'neg', 'log_odds', 'is_bounded'] -%}
select
    {{ sqlmetrics.lines(keys + [
        'sum((pos + neg) * log_odds) / nullif(sum(pos + neg), 0) as log_odds',
        sqlmetrics.to_double('sum(pos)') ~ ' as pos',
        sqlmetrics.to_double('sum(neg)') ~ ' as neg',
        'max(is_bounded) as is_bounded',
    ]) }}
from (
    select
        {{ (keys + own) | join(',\n        ') }},
        case when distance <= half then floor((log_odds - middle) * bins_per_unit) when log_odds > middle then {{ outside }} else -({{ outside }}) end as bin
    from (
        select{{ sqlmetrics.broadcast('ranges') }}
            {{ (sqlmetrics.keys_of('rows_of_log', keys) + own + ['middle', 'half', 'bins_per_unit', 'case when log_odds < middle then middle - log_odds else log_odds - middle end as distance']) | join(',\n            ') }}
        from {{ odds }} as rows_of_log
        inner join {{ ranges }} as ranges
            on {{ same | join('\n            and ') if same else '1 = 1' }}
    ) as distances
) as binned
{{- sqlmetrics.group_by(keys + ['bin']) }}
{%- endmacro -%}

{#- What the steps over the bins carry. The joint fit is level +
    slope·(log odds − center), about a center that follows the rows that tell most, so that the sums of its squares keep
    their digits; a step from before (level_before, slope_before) gains `gain` if it is a straight line. -#}
{%- macro columns_of_fit(fits) -%}
{%- set joint = ['lowest', 'highest', 'center', 'level', 'slope', 'level_before', 'slope_before', 'gain'] if 'fitted' in fits else [] -%}
{{ return(['log_odds', 'pos', 'neg'] + joint + (['scale'] if 'one' in fits else []) + ['moves']) }}
{%- endmacro -%}

{%- macro start_of_fit(fits, bins, keys, recursive=false) -%}
{%- set whole = sqlmetrics.over(keys) -%}
{%- set zero = sqlmetrics.to_double('0') -%}
{%- set both = 'positives > 0 and negatives > 0' -%}
{%- set level = 'case when ' ~ both ~ ' and is_bounded = 1 then ln(positives) - ln(negatives) end' -%}
{%- set starts = {} -%}
{%- if 'fitted' in fits -%}
{%- do starts.update({'lowest': 'lowest', 'highest': 'highest', 'center': 'center', 'level': level, 'slope': zero, 'level_before': level, 'slope_before': zero, 'gain': zero}) -%}
{%- endif -%}
{%- if 'one' in fits -%}{%- do starts.update({'scale': 'case when ' ~ both ~ ' then ' ~ sqlmetrics.odds_by_fit('ln(positives) - ln(negatives) - center') ~ ' end'}) -%}{%- endif -%}
{%- do starts.update({'moves': sqlmetrics.to_double('case when ' ~ both ~ (' and is_bounded = 1' if 'one' not in fits) ~ ' then 1 else 0 end')}) -%}
{%- if recursive -%}{%- do starts.update({'round': sqlmetrics.to_double('1')}) -%}{%- endif -%}
select
    {{ sqlmetrics.lines(keys + ['log_odds', 'pos', 'neg'] + sqlmetrics.selected(starts)) }}
from (
    select
        {{ (keys + [
            'log_odds',
            'pos',
            'neg',
            'is_bounded',
            'sum(pos) ' ~ whole ~ ' as positives',
            'sum(neg) ' ~ whole ~ ' as negatives',
            'min(log_odds) ' ~ whole ~ ' as lowest',
            'max(log_odds) ' ~ whole ~ ' as highest',
            'sum((pos + neg) * log_odds) ' ~ whole ~ ' / nullif(sum(pos + neg) ' ~ whole ~ ', 0) as center',
        ]) | join(',\n        ') }}
    from {{ bins }}
) as sums_of_bins
{%- endmacro -%}

{#- What the sums of a step are of, for rows whose odds by the fit are in a column: 1 / (1 + odds) is the probability of a
    negative. No power of the odds is taken, and no difference from 1. -#}
{%- macro pull_of_row(odds) -%}
(pos / (1e0 + {{ odds }}) - neg * ({{ odds }} / (1e0 + {{ odds }})))
{%- endmacro -%}

{#- The sum of the pulls for a slope of 1, which leaves log odds of 0 and 1 as far out as they are: what a row would pull if its
    probability were 0 or 1, and apart from it how much less it does. So an intercept that rests on the 1e-8 by which certain
    rows are not certain has its digits: beside ones these would be lost. -#}
{%- macro sum_of_pulls(odds, whole='') -%}
sum(case when {{ odds }} < 1e0 then pos else -neg end){{ whole }} + sum((pos + neg) * case when {{ odds }} < 1e0 then -({{ odds }} / (1e0 + {{ odds }})) else 1e0 / (1e0 + {{ odds }}) end){{ whole }}
{%- endmacro -%}

{%- macro information_of_row(odds) -%}
((pos + neg) * ({{ odds }} / (1e0 + {{ odds }}) / (1e0 + {{ odds }})))
{%- endmacro -%}

{#- Beyond e¹⁰⁰ the other probability is nothing beside any weight. -#}
{%- macro odds_by_fit(log) -%}
exp(least(greatest({{ log }}, -1e2), 1e2))
{%- endmacro -%}

{#- The larger of two, without their signs. Spark looks once more at a statement for each select with a function in it. -#}
{%- macro largest_size(value, other) -%}
{%- set sizes = 'case when ' ~ value ~ ' < 0e0 then -' ~ value ~ ' else ' ~ value ~ ' end' -%}
{%- set others = 'case when ' ~ other ~ ' < 0e0 then -' ~ other ~ ' else ' ~ other ~ ' end' -%}
case when {{ sizes }} > {{ others }} then {{ sizes }} else {{ others }} end
{%- endmacro -%}

{#- A step over the bins. That of the joint fit goes at most so far that no log odds move by more than 10 and four times the
    largest; if it went beyond the highest point on its line so far that this falls there a tenth as steeply as it rose, half of
    it is taken, and again. With a slope of 1 a step to d goes to ln(1 + d), which never goes too far (Sun and Tran-Dinh,
    Mathematical Programming 178, 2019): its scale, e to the power of the intercept, becomes 1 + d times as large. Both are Newton's step where it is small.
    Numbers are written as doubles, as Spark looks once more at a statement for each that it has to make one. -#}
{%- macro next_fit(fits, from, keys, recursive=false) -%}
{%- set whole = sqlmetrics.over(keys) -%}
{%- set own = keys + sqlmetrics.columns_of_fit(fits) + (['round'] if recursive else []) -%}
{%- set joint = 'fitted' in fits -%}
{%- set one = 'one' in fits -%}
{%- set odds = [] -%}
{%- set sums = [] -%}
{%- if joint -%}
{%- do odds.extend([sqlmetrics.odds_by_fit('level + slope * (log_odds - center)') ~ ' as odds', 'log_odds - center as gap']) -%}
{%- set pull = sqlmetrics.pull_of_row('odds') -%}
{%- set information = sqlmetrics.information_of_row('odds') -%}
{%- do sums.extend([
    'sum(' ~ pull ~ ') ' ~ whole ~ ' as pull',
    'sum(' ~ pull ~ ' * gap) ' ~ whole ~ ' as tilt',
    'sum(' ~ information ~ ') ' ~ whole ~ ' as information',
    'sum(' ~ information ~ ' * gap) ' ~ whole ~ ' as lean',
    'sum(' ~ information ~ ' * gap * gap) ' ~ whole ~ ' as breadth',
]) -%}
{%- endif -%}
{%- if one -%}
{%- do odds.append(sqlmetrics.odds_by_fit('log_odds + ln(scale)') ~ ' as odds_of_one') -%}
{%- do sums.extend([
    sqlmetrics.sum_of_pulls('odds_of_one', ' ' ~ whole) ~ ' as pull_of_one',
    'sum(' ~ sqlmetrics.information_of_row('odds_of_one') ~ ') ' ~ whole ~ ' as information_of_one',
]) -%}
{%- endif -%}
{%- set summed -%}
select
    {{ sqlmetrics.lines(own + sums) }}
from (
    select
        {{ (own + odds) | join(',\n        ') }}
    from {{ from }}
    {{- '\n    where moves = 1e0' if recursive }}
) as odds_of_bins
{%- endset -%}
{%- set before = keys + ['log_odds', 'pos', 'neg'] + (['round'] if recursive else []) -%}
{%- set state = (['lowest', 'highest', 'center', 'level', 'slope', 'level_before', 'slope_before', 'gain'] if joint else []) -%}
{%- set divisor = 'case when information > 0e0 then information end' -%}
{%- set turned -%}
select
    {{ sqlmetrics.lines(before + state + ([
        'pull',
        'information',
        'breadth',
        'lean / ' ~ divisor ~ ' as lean',
        'breadth - lean * (lean / ' ~ divisor ~ ') as spread',
        'tilt - pull * (lean / ' ~ divisor ~ ') as rise',
        'level + slope * (lean / ' ~ divisor ~ ') as level_here',
        'case when pull * (level - level_before) + tilt * (slope - slope_before) >= -1e-1 * gain then 1e0 else 0e0 end as is_taken',
    ] if joint else []) + (['scale', 'pull_of_one / case when information_of_one > 0e0 then information_of_one end as step_of_one'] if one else [])) }}
from (
    {{ sqlmetrics.indented(summed) }}
) as sums_of_bins
{%- endset -%}
{%- set up = 'pull / ' ~ divisor -%}
{%- set turn = 'rise / case when spread > 0e0 then spread end' -%}
{%- set low = '(lowest - center - lean)' -%}
{%- set high = '(highest - center - lean)' -%}
{%- set at_ends = [
    up ~ ' + ' ~ turn ~ ' * ' ~ low ~ ' as step_at_lowest',
    up ~ ' + ' ~ turn ~ ' * ' ~ high ~ ' as step_at_highest',
    'level_here + slope * ' ~ low ~ ' as level_at_lowest',
    'level_here + slope * ' ~ high ~ ' as level_at_highest',
] -%}
{%- set is_clear = 'case when spread > 1e-6 * breadth then ' -%}
{%- set stepped -%}
select
    {{ sqlmetrics.lines(before + state + ([
        'lean',
        'level_here',
        'is_taken',
        is_clear ~ up ~ ' else 0e0 end as step_up',
        is_clear ~ turn ~ ' else 0e0 end as step_round',
        is_clear ~ 'pull * (' ~ up ~ ') + rise * (' ~ turn ~ ') else 0e0 end as decrement',
        'case when spread > 1e-6 * breadth then 1e0 else 0e0 end as is_clear',
    ] + at_ends if joint else []) + (['scale', 'step_of_one'] if one else [])) }}
from (
    {{ sqlmetrics.indented(turned) }}
) as directions
{%- endset -%}
{%- set bounded -%}
select
    {{ sqlmetrics.lines(before + state + ([
        'lean',
        'level_here',
        'is_taken',
        'is_clear',
        'step_up',
        'step_round',
        'decrement',
        sqlmetrics.largest_size('step_at_lowest', 'step_at_highest') ~ ' as reach',
        '1e1 + 4e0 * ' ~ sqlmetrics.largest_size('level_at_lowest', 'level_at_highest') ~ ' as bound',
    ] if joint else []) + (['scale', 'step_of_one'] if one else [])) }}
from (
    {{ sqlmetrics.indented(stepped) }}
) as steps_of_bins
{%- endset -%}
{%- set part = 'case when reach > bound then bound / reach else 1e0 end' -%}
{%- set next = {} -%}
{%- set rests = [] -%}
{%- if joint -%}
{%- do next.update({
    'lowest': 'lowest',
    'highest': 'highest',
    'center': 'case when is_taken = 1e0 then center + lean else center end',
    'level': 'case when is_taken = 1e0 then level_here + ' ~ part ~ ' * step_up else (level + level_before) / 2e0 end',
    'slope': 'case when is_taken = 1e0 then slope + ' ~ part ~ ' * step_round else (slope + slope_before) / 2e0 end',
    'level_before': 'case when is_taken = 1e0 then level_here else level_before end',
    'slope_before': 'case when is_taken = 1e0 then slope else slope_before end',
    'gain': 'case when is_taken = 1e0 then ' ~ part ~ ' * decrement else gain / 2e0 end',
}) -%}
{%- do rests.append('(level is null or (is_taken = 1e0 and is_clear = 1e0 and reach < 1e-3))') -%}
{%- endif -%}
{%- if one -%}
{%- do next.update({'scale': 'case when step_of_one < 0e0 then scale / (1e0 - step_of_one) else scale * (1e0 + step_of_one) end'}) -%}
{%- do rests.append('(scale is null or (step_of_one > -1e-4 and step_of_one < 1e-4))') -%}
{%- endif -%}
{%- do next.update({'moves': sqlmetrics.to_double('case when ' ~ rests | join(' and ') ~ (' or round >= 100e0' if recursive) ~ ' then 0e0 else 1e0 end')}) -%}
{%- if recursive -%}{%- do next.update({'round': 'round + 1e0'}) -%}{%- endif -%}
select
    {{ sqlmetrics.lines(keys + ['log_odds', 'pos', 'neg'] + sqlmetrics.selected(next)) }}
from (
    {{ sqlmetrics.indented(bounded) }}
) as bounded_steps
{%- endmacro -%}

{#- A step over the rows, and after the last one what the metrics read. It has come to rest if the step moved no log odds by more
    than 1e-5, so that the next one would move them by some 1e-10. With a slope of 1, what certain rows pull, wrong ones each way,
    may be ten million times what is known beside it; counts cancel to nothing there, and of sums of fractions the last bits
    would be left, of which no intercept is made. -#}
{%- macro better_fit(fits, odds, from, keys, last=false) -%}
{%- set joint = 'fitted' in fits -%}
{%- set divisor = 'case when information > 0 then information end' -%}
{%- set one = 'one' in fits -%}
{%- set same = sqlmetrics.same_keys('rows_of_log', 'fit', keys) -%}
{%- set columns = [] -%}
{%- set sums = [] -%}
{%- if joint -%}
{%- do columns.extend(['center', 'level', 'slope', 'log_odds - center as gap', sqlmetrics.odds_by_fit('level + slope * (log_odds - center)') ~ ' as odds']) -%}
{%- set pull = sqlmetrics.pull_of_row('odds') -%}
{%- set information = sqlmetrics.information_of_row('odds') -%}
{%- do sums.extend([
    'max(center) as center',
    'max(level) as level',
    'max(slope) as slope',
    'sum(' ~ pull ~ ') as pull',
    'sum(' ~ pull ~ ' * gap) as tilt',
    'sum(' ~ information ~ ') as information',
    'sum(' ~ information ~ ' * gap) as lean',
    'sum(' ~ information ~ ' * gap * gap) as breadth',
]) -%}
{%- endif -%}
{%- if one -%}
{%- do columns.extend(['shift', sqlmetrics.odds_by_fit('log_odds + shift') ~ ' as odds_of_one']) -%}
{%- do sums.extend([
    'max(shift) as shift',
    sqlmetrics.sum_of_pulls('odds_of_one') ~ ' as pull_of_one',
    'sum(' ~ sqlmetrics.information_of_row('odds_of_one') ~ ') as information_of_one',
]) -%}
{%- endif -%}
{%- if last -%}
{%- if joint -%}{%- do sums.append('max(case when pos + neg > 0 then abs(gap) end) as farthest') -%}{%- endif -%}
{%- if one -%}
{%- do sums.extend([
    'sum(case when odds_of_one < 1e0 then pos else neg end) as size_of_one',
    'max(case when floor(pos) = pos and floor(neg) = neg then 0 else 1 end) as has_fractions',
]) -%}
{%- endif -%}
{%- do sums.extend([sqlmetrics.to_double('sum(pos)') ~ ' as pos', sqlmetrics.to_double('sum(neg)') ~ ' as neg', 'count(*) as row_count']) -%}
{%- endif -%}
{%- set summed -%}
select
    {{ sqlmetrics.lines(keys + sums) }}
from (
    select{{ sqlmetrics.broadcast('fit') }}
        {{ (sqlmetrics.keys_of('rows_of_log', keys) + ['pos', 'neg'] + columns) | join(',\n        ') }}
    from {{ odds }} as rows_of_log
    inner join {{ from }} as fit
        on {{ same | join('\n        and ') if same else '1 = 1' }}
) as odds_of_rows
{{- sqlmetrics.group_by(keys) }}
{%- endset -%}
{%- set kept = keys + (['pos', 'neg', 'row_count'] if last else []) -%}
{%- set turned -%}
select
    {{ sqlmetrics.lines(kept + ([
        'center',
        'level',
        'slope',
        'pull',
        'information',
        'lean / ' ~ divisor ~ ' as lean',
        'tilt - pull * (lean / ' ~ divisor ~ ') as rise',
        'breadth - lean * (lean / ' ~ divisor ~ ') as spread',
    ] + (['farthest'] if last else []) if joint else []) + (['shift', 'information_of_one', 'pull_of_one / case when information_of_one > 0 then information_of_one end as step_of_one'] + (['size_of_one', 'has_fractions'] if last else []) if one else [])) }}
from (
    {{ sqlmetrics.indented(summed) }}
) as sums_of_rows
{%- endset -%}
{%- set stepped = {} -%}
{%- if joint -%}
{%- do stepped.update({
    'center': 'center + lean',
    'level': 'level + slope * lean + pull / ' ~ divisor,
    'slope': 'slope + rise / case when spread > 0 then spread end',
}) -%}
{%- endif -%}
{%- if one -%}{%- do stepped.update({'shift': 'shift + step_of_one'}) -%}{%- endif -%}
{%- if not last -%}
select
    {{ sqlmetrics.lines(keys + sqlmetrics.selected(stepped)) }}
from (
    {{ sqlmetrics.indented(turned) }}
) as directions
{%- else -%}
{%- set results = [] -%}
{%- if joint -%}
{%- set rests = 'abs(pull / ' ~ divisor ~ ') + abs(rise / case when spread > 0 then spread end) * farthest < 1e-5' -%}
{%- do results.extend([
    'case when ' ~ rests ~ ' then ' ~ stepped.level ~ ' - (' ~ stepped.slope ~ ') * (' ~ stepped.center ~ ') end as fitted_intercept',
    'case when ' ~ rests ~ ' then ' ~ stepped.slope ~ ' end as fitted_slope',
    stepped.center ~ ' as fitted_center',
    'information as fitted_information',
    'spread as fitted_spread',
]) -%}
{%- endif -%}
{%- if one -%}
{%- set digits = '(has_fractions = 0 or information_of_one > 1e-7 * size_of_one)' -%}
{%- do results.extend(['case when abs(step_of_one) < 1e-5 and ' ~ digits ~ ' then ' ~ stepped.shift ~ ' end as shift', 'information_of_one as shift_information']) -%}
{%- endif -%}
select
    {{ sqlmetrics.lines(kept + results) }}
from (
    {{ sqlmetrics.indented(turned) }}
) as directions
{%- endif -%}
{%- endmacro -%}

{#- Of each row what it does to the fit: by how much one more of it would move that, in a Newton step, beside the value that it has
    (Huber, 1967). The mean over the rows is the value, as what they do adds up to 0. Information is taken as a share of all
    weight: the product of two weights may be no double. -#}
{%- macro parts_of_fit_held(f, name, slicing, carried) -%}
{%- set keys = slicing['keys'] -%}
{%- set fits = sqlmetrics.fits_asked_for(f.metrics) -%}
{%- set same = sqlmetrics.same_keys('scored', 'fit', keys) -%}
{%- set read = ['fit.pos + fit.neg as weight_of_all'] -%}
{%- set parts = [] -%}
{%- if 'fitted' in fits -%}
{%- do read.extend(['fitted_intercept', 'fitted_slope', 'fitted_center', 'fitted_information', 'fitted_spread', sqlmetrics.odds_by_fit('fitted_intercept + fitted_slope * log_odds') ~ ' as odds']) -%}
{%- set pull = sqlmetrics.pull_of_row('odds') -%}
{%- set turn = pull ~ ' * (log_odds - fitted_center) / nullif(fitted_spread / nullif(weight_of_all, 0), 0)' -%}
{%- do parts.append('(pos + neg) * fitted_slope + ' ~ turn ~ ' as slope_part') -%}
{%- do parts.append('(pos + neg) * fitted_intercept + ' ~ pull ~ ' / nullif(fitted_information / nullif(weight_of_all, 0), 0) - fitted_center * ' ~ turn ~ ' as intercept_part') -%}
{%- endif -%}
{%- if 'one' in fits -%}
{%- do read.extend(['shift', 'shift_information', sqlmetrics.odds_by_fit('log_odds + shift') ~ ' as odds_of_one']) -%}
{%- do parts.append('(pos + neg) * shift + ' ~ sqlmetrics.pull_of_row('odds_of_one') ~ ' / nullif(shift_information / nullif(weight_of_all, 0), 0) as shift_part') -%}
{%- endif -%}
{%- set rows -%}
select
    {{ sqlmetrics.lines(keys + carried + ['pos', 'neg'] + parts) }}
from (
    select{{ sqlmetrics.broadcast('fit') }}
        {{ (sqlmetrics.keys_of('scored', keys) + carried + ['scored.pos as pos', 'scored.neg as neg', 'log_odds'] + read) | join(',\n        ') }}
    from (
        select
            {{ (keys + carried + ['pos', 'neg', sqlmetrics.log_odds_of_score(f.params.eps) ~ ' as log_odds']) | join(',\n            ') }}
        from {{ slicing.rows_from }}
        {{- sqlmetrics.indented(sqlmetrics.indented(f.where)) }}
    ) as scored
    inner join {{ f.cte }} as fit
        on {{ same | join('\n        and ') if same else '1 = 1' }}
) as odds_of_rows
{%- endset -%}
{{ return([sqlmetrics.step(name, rows, 'the rows, with what each does to the fit', [slicing.rows_from, f.cte])]) }}
{%- endmacro -%}
