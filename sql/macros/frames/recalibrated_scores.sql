{#-
title: recalibrated scores
rows: one per row of the log, or per distinct score where rows are not ranked, with its rate by isotonic regression
counts: sum(row_count)
diagnostics: {positives: sum(pos)}
columns: score, rate (NULL of a score without weight), pos, neg, row_count and, where a metric uses them, rate_of_negatives (loss) and (error_order) error (|score − rate|, 0 where there is no rate), reached (the weight, or share, of the errors up to this one) and total (of all)
metric_parameters:
  loss:
    default: brier
    choices: {brier: the squared difference of score and label, log_loss: '−ln of the probability of the observed label'}
    doc: the loss of a score
  eps:
    type: number
    default: 2.220446049250313e-16
    minimum: 1.0e-300
    maximum: 0.5
    doc: 'in log_loss, probabilities are clipped to [eps, 1 − eps]'
    presets: {lightgbm: 1.0e-15}
    used_by: {1.0e-15: LightGBM}
-#}

{#- The isotonic rate of a score s is the maximum over a <= s of the minimum over b >= s of the rate of scores a to b. A block of equal
    rate begins at a score with positives. So rows from one such score to the next are a run; rates are computed per run and joined to its
    rows. Nothing is subtracted.

    Rounds pool runs whose rates do not rise, among the two before and the two from here on. With random labels a round leaves a third;
    eight rounds leave ten of 100,000. A remaining block begins a stretch if all earlier rates are below its own and all later ones. Within
    a stretch all pairs of a first and a last block, which are few, are compared. If sums are computed per cell, so are runs and the first
    rounds. -#}
{%- macro recalibrated_scores(f, rows_from, keys) -%}
{%- set runs = 'runs_of_scores' ~ f.suffix -%}
{%- set inside = keys + (['cell'] if f.two_level else []) -%}
{%- if not f.ranked -%}
{{ sqlmetrics.cte('scores_to_recalibrate' ~ f.suffix, 'one per distinct score') }}
{{ sqlmetrics.distinct_scores(f, rows_from, keys) }}
{%- endif %}
{#- A tie with positives begins a run with all its rows. #}
{{ sqlmetrics.cte('scores_in_runs' ~ f.suffix, 'scores, with the first score of their run', materialized=true) }}
select
    {{- sqlmetrics.leading(inside + ['score', 'pos'] + (['1 - pos as neg'] if f.ranked else ['neg', 'row_count'])) }}
    max(case when pos > 0 then score end) {{ sqlmetrics.over(inside, 'score asc' ~ ('' if f.ranked else ' rows unbounded preceding')) }} as run
{%- if f.two_level %}
from (
    select
        *,
        {{ sqlmetrics.cell_of('score') | indent(8) }} as cell
    from scores_to_recalibrate{{ f.suffix }}
) as scores_in_cells
{%- else %}
from {{ rows_from if f.ranked else 'scores_to_recalibrate' ~ f.suffix }}
{{- f.where if f.ranked }}
{%- endif %}
{#- A score without weight has no rate. #}
{{ sqlmetrics.cte(runs, 'one per run', materialized=not f.two_level) }}
select
    {{- sqlmetrics.leading(inside) }}
    min(score) as lowest_score,
    {{ sqlmetrics.to_double('sum(pos)') }} as pos,
    {{ sqlmetrics.to_double('sum(neg)') }} as neg
from scores_in_runs{{ f.suffix }}
{{- '\nwhere pos + neg > 0' if f.weighted }}
{{- sqlmetrics.group_by(inside + ['run']) }}
{#- Every second round is materialized: DuckDB 1.4 needs a minute to plan eight nested rounds. -#}
{%- for round in range(1, 9) %}
{{ sqlmetrics.cte(runs ~ '_pooled_' ~ round, 'eight rounds that pool neighbouring runs whose rates do not rise' if loop.first else '', materialized=round % 2 == 0) }}
{{ sqlmetrics.pooled_runs(runs ~ ('_pooled_' ~ (round - 1) if round > 1 else ''), inside if round <= 4 else keys) }}
{%- endfor %}
{{ sqlmetrics.blocks_of_runs(f, runs ~ '_pooled_8', keys) }}
{%- if not f.two_level %}
{#- Rates rise with the score, so the rate of a run is the highest of the blocks that begin at or below it. #}
{%- set order = sqlmetrics.over(sqlmetrics.keys_alone('runs', keys), 'runs.lowest_score asc rows unbounded preceding') %}
{{ sqlmetrics.cte('rates_of_runs' ~ f.suffix, 'one per run') }}
select
    {{- sqlmetrics.leading(keys + ['lowest_score'], 'runs') }}
    {{- sqlmetrics.leading(['min(blocks.rate_of_negatives) ' ~ order ~ ' as rate_of_negatives'] if 'loss' in f.uses else []) }}
    max(blocks.rate) {{ order }} as rate
from {{ runs }} as runs
left join blocks_of_scores{{ f.suffix }} as blocks{{ sqlmetrics.on('runs', 'blocks', keys + ['lowest_score']) }}
{%- endif %}
{{ sqlmetrics.rows_with_rates(f, keys) }}
{%- endmacro -%}

{%- macro blocks_of_runs(f, pooled, keys) -%}
{{ sqlmetrics.cte('stretches_of_blocks' ~ f.suffix, 'pooled runs, in stretches that no block crosses', materialized=true) }}
{%- set number = sqlmetrics.to_double('row_number()\n            ' ~ sqlmetrics.over(keys + ['stretch'], 'lowest_score asc')) -%}
{%- set message = "'isotonic regression: over 32768 blocks up to the score ' || " ~ sqlmetrics.to_text('lowest_score') ~ " || ': round the scores'" -%}
select
    {{ sqlmetrics.select_list(keys + ['lowest_score', 'pos', 'neg', 'stretch']) }},
    case when {{ number }} > 32768
        then {{ sqlmetrics.raised(message) }}
        else {{ number }} end as number_in_stretch
from (
    select
        {{ (keys + ['lowest_score', 'pos', 'neg']) | join(',\n        ') }},
        sum(starts_stretch) {{ sqlmetrics.over(keys, 'lowest_score asc rows unbounded preceding') }} as stretch
    from (
        select
            *,
            case
                when (1 + 1e-12)
                        * max(pos / (pos + neg)) {{ sqlmetrics.over(keys, 'lowest_score asc rows between unbounded preceding and 1 preceding') }}
                    >= min(pos / (pos + neg)) {{ sqlmetrics.over(keys, 'lowest_score desc rows unbounded preceding') }} then 0
                else 1
            end as starts_stretch
        from {{ pooled }}
    ) as starts
) as blocks_in_stretches
{{ sqlmetrics.cte('blocks_of_scores' ~ f.suffix, 'one per block of scores that isotonic regression gives one rate') }}
{#- Pairs first blocks of a stretch with possible last ones. #}
{%- set in_stretch = keys + ['stretch'] -%}
{%- set columns = in_stretch + ['lowest_score', 'pos', 'neg'] -%}
{%- set up_to_last = sqlmetrics.over(in_stretch + ['first_block'], 'lowest_score asc rows unbounded preceding') | indent(12) -%}
{%- set from_last = sqlmetrics.over(in_stretch + ['first_block'], 'lowest_score desc rows unbounded preceding') | indent(8) -%}
select
    {{- sqlmetrics.leading(keys + ['block as lowest_score']) }}
    {{- sqlmetrics.leading(['sum(neg) / nullif(sum(pos + neg), 0) as rate_of_negatives'] if 'loss' in f.uses else []) }}
    {{- sqlmetrics.leading(['lead(block) ' ~ sqlmetrics.over(keys, 'block asc') ~ ' as next_score'] if f.two_level else []) }}
    sum(pos) / nullif(sum(pos + neg), 0) as rate
from (
    select
        {{ (keys + ['pos', 'neg']) | join(',\n        ') }},
        max(first_score) {{ sqlmetrics.over(in_stretch, 'lowest_score asc rows unbounded preceding') }} as block
    from (
        select
            {{ (in_stretch + ['lowest_score', 'max(pos) as pos', 'max(neg) as neg']) | join(',\n            ') }},
            case when max(lowest_rate)
                <= (1 + 1e-12) * lag(max(lowest_rate)) {{ sqlmetrics.over(in_stretch, 'lowest_score asc') }}
                then null else lowest_score end as first_score
        from (
            select
                {{ columns | join(',\n                ') }},
                min(rate) {{ from_last }} as lowest_rate
            from (
                select
                    {{ (columns + ['first_block']) | join(',\n                    ') }},
                    sum(pos) {{ up_to_last }}
                    / sum(pos + neg) {{ up_to_last }} as rate
                from (
                    select
                        {{ (sqlmetrics.keys_of('lasts', columns) + ['cast(firsts.number_in_stretch as bigint) as first_block']) | join(',\n                        ') }}
                    from stretches_of_blocks{{ f.suffix }} as firsts
                    inner join stretches_of_blocks{{ f.suffix }} as lasts{{ sqlmetrics.on('firsts', 'lasts', in_stretch, ['firsts.number_in_stretch <= lasts.number_in_stretch'], depth=6) }}
                ) as firsts_and_lasts
            ) as rates_from_first
        ) as lowest_rates
        {{- sqlmetrics.group_by(in_stretch + ['lowest_score']) | indent(8) }}
    ) as starts
) as parts_of_blocks
{{- sqlmetrics.group_by(keys + ['block']) }}
{%- endmacro -%}

{%- macro rows_with_rates(f, keys) -%}
{%- set rates = 'rates_of_scores' ~ f.suffix if 'error_order' in f.uses else f.cte -%}
{{ sqlmetrics.cte(rates, f.rows) }}
{#- Scores below all positives have no run and the rate 0. Where no step may sort all scores, they are joined to the few blocks. #}
{%- set reached = ['scores.score >= rates.lowest_score', '(scores.score < rates.next_score or rates.next_score is null)'] -%}
{%- set rate = 'coalesce(rates.rate, ' ~ sqlmetrics.to_double('0') ~ ')' -%}
{%- set rate = 'case when scores.pos + scores.neg > 0 then ' ~ rate ~ ' end' if f.weighted else rate -%}
select{{ sqlmetrics.broadcast('rates') if f.two_level }}
    {{- sqlmetrics.leading(keys + ['score'], 'scores') }}
    {{ sqlmetrics.to_double('scores.pos') }} as pos,
    {{ sqlmetrics.to_double('scores.neg') }} as neg,
    {{ '1' if f.ranked else 'scores.row_count' }} as row_count,
{%- if 'loss' in f.uses %}
    coalesce(rates.rate_of_negatives, {{ sqlmetrics.to_double('1') }}) as rate_of_negatives,
{%- endif %}
    {{ rate }} as rate
    {{- sqlmetrics.also('error_order' in f.uses, 'coalesce(abs(scores.score - ' ~ rate ~ '), 0) as error') }}
from scores_in_runs{{ f.suffix }} as scores
left join {{ 'blocks_of_scores' ~ f.suffix if f.two_level else 'rates_of_runs' ~ f.suffix }} as rates{{ sqlmetrics.on('scores', 'rates', keys, reached if f.two_level else ['scores.run = rates.lowest_score']) }}
{%- if 'error_order' in f.uses %}
{#- Ranked rows need only `cume_dist` in place of running sums. #}
{%- set columns = ['score', 'pos', 'neg', 'row_count', 'rate', 'error'] + (['rate_of_negatives'] if 'loss' in f.uses else []) -%}
{%- if f.ranked %}
{{ sqlmetrics.cte(f.cte, f.rows) }}
select
    *,
    cume_dist() {{ sqlmetrics.over(keys, 'error asc') }} as reached,
    1 as total
from {{ rates }}
{%- else %}
{{ sqlmetrics.sums_in_order(f, f.cte, f.rows, rates, keys, 'error', ' asc', columns, {'reached': ['weight', 'cumulative'], 'total': ['weight', 'total']}, {'weight': 'pos + neg'}) }}
{%- endif %}
{%- endif %}
{%- endmacro -%}

{#- Rates that differ only by rounding are equal. Few lines, because each round repeats them. -#}
{%- macro pooled_runs(from, inside) -%}
{%- set own = inside | join(', ') ~ ', ' if inside else '' -%}
{%- set before = sqlmetrics.over(inside, 'lowest_score asc rows between 2 preceding and 1 preceding') | indent(8) -%}
{%- set behind = sqlmetrics.over(inside, 'lowest_score asc rows between current row and 1 following') | indent(8) -%}
select {{ own }}block as lowest_score, sum(pos) as pos, sum(neg) as neg
from (
    select {{ own }}pos, neg,
        max(case when least(rate, rate_with_next) <= (1 + 1e-12) * greatest(rate_before, rate_of_two_before) then null else lowest_score end)
        {{ sqlmetrics.over(inside, 'lowest_score asc rows unbounded preceding') | indent(4) }} as block
    from (
        select *,
            pos / (pos + neg) as rate,
            lag(pos / (pos + neg)) {{ sqlmetrics.over(inside, 'lowest_score asc') | indent(8) }} as rate_before,
            sum(pos) {{ before }}
            / sum(pos + neg) {{ before }} as rate_of_two_before,
            sum(pos) {{ behind }}
            / sum(pos + neg) {{ behind }} as rate_with_next
        from {{ from }}
    ) as rates
) as parts_of_blocks
group by {{ own }}block
{%- endmacro -%}

{#- A quantile of the errors: the mean of the lowest errors that reach and that exceed the share, as in a median. The share is `part` /
    `parts`, so that counts reach it exactly. A tolerance of 1e-9 absorbs the rounding of fractional weights. -#}
{%- macro quantile_of_errors(m, part, parts) -%}
{%- set fractional = 'weight' in m.requires or 'total' in m.requires -%}
{%- set share = sqlmetrics.to_double(part) ~ ' / ' ~ parts -%}
{%- set least = 'reached >= (' ~ share ~ ' - 1e-9) * total' if fractional else parts ~ ' * reached >= ' ~ part ~ ' * total' -%}
{%- set more = 'reached > (' ~ share ~ ' + 1e-9) * total' if fractional else parts ~ ' * reached > ' ~ part ~ ' * total' -%}
{%- set weighs = ' and pos + neg > 0' if fractional else '' -%}
(min(case when {{ least ~ weighs }} then error end)
        + min(case when {{ more ~ weighs }} then error end)) / 2
{%- endmacro -%}

{#- The difference of two losses, which is negative only through rounding. -#}
{%- macro mean_loss_above_zero(loss, smaller_loss) -%}
greatest(
        {{ loss }}
        - {{ smaller_loss }},
        0
    ) / nullif(sum(pos + neg), 0)
{%- endmacro -%}

{%- macro loss_of_scores(m) -%}
{%- if m.loss == 'brier' -%}
sum(
            pos * {{ sqlmetrics.square('(1 - score)') }}
            + neg * {{ sqlmetrics.square('score') }}
        )
{%- else -%}
{%- set eps = sqlmetrics.number(m.eps) -%}
sum(
    0 - pos * ln(least(greatest(score, {{ eps }}), 1 - {{ eps }}))
    - neg * ln(least(greatest(1 - score, {{ eps }}), 1 - {{ eps }}))
)
{%- endif -%}
{%- endmacro -%}

{%- macro loss_of_rates(m) -%}
{%- if m.loss == 'brier' -%}
sum(pos * rate_of_negatives * rate_of_negatives + neg * rate * rate)
{%- else -%}
sum(0 - case when pos > 0 then pos * ln(rate) else 0 end - case when neg > 0 then neg * ln(rate_of_negatives) else 0 end)
{%- endif -%}
{%- endmacro -%}

{#- Without any y, −Σ y·ln p has the limit 0. -#}
{%- macro loss_of_mean_rate(m) -%}
{%- if m.loss == 'brier' -%}
sum(pos) * (sum(neg) / nullif(sum(pos + neg), 0))
{%- else -%}
(
    case when sum(pos) > 0 then 0 - sum(pos) * ln(sum(pos) / nullif(sum(pos + neg), 0)) else 0 end
    + case when sum(neg) > 0 then 0 - sum(neg) * ln(sum(neg) / nullif(sum(pos + neg), 0)) else 0 end
)
{%- endif -%}
{%- endmacro -%}
