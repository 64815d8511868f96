{#-
title: recalibrated scores
rows: one per distinct score, beside its rate by isotonic regression
counts: sum(row_count)
diagnostics: {positives: sum(pos)}
columns: score, rate (NULL of a score without weight), pos, neg, row_count and, where a metric uses them, rate_of_negatives (loss) and (error_order) error (|score − rate|, 0 where there is no rate), reached (the weight of the errors up to this one) and total (of all)
metric_parameters:
  loss:
    default: brier
    choices: {brier: the squared difference of score and label, log_loss: '−ln of the probability of what happened'}
    doc: what a score costs
  eps:
    type: number
    default: 2.220446049250313e-16
    minimum: 1.0e-300
    maximum: 0.5
    doc: how near to 0 and 1 a probability may come in log_loss
    presets: {lightgbm: 1.0e-15}
    used_by: {1.0e-15: LightGBM}
-#}

{#- Isotonic regression gives a score the highest, over all first scores up to it, of the lowest rate from there to any last score
    behind it. This is worked out among 8 neighbours, then among the blocks that 64 places are left with, those of 1024, and those
    of all: of random labels these are 7 of 1024, so that few pairs of a first and a last are compared. Nothing is subtracted.

    Before that, scores that do not rise are pooled at once: four fifths of a log of clicks. Where sums are taken inside of cells,
    so is this. At last, a block begins a stretch if no rate before is as high as one behind: pairs are of one stretch. -#}
{%- macro recalibrated_scores(f, rows_from, keys) -%}
{%- set distinct = 'scores_to_recalibrate' ~ f.suffix -%}
{%- set pooled = 'pooled_scores' ~ f.suffix -%}
{%- set placed = 'places_of_pooled_scores' ~ f.suffix -%}
{%- set digits = 'digits' ~ f.suffix -%}
{%- set numbers = 'first_blocks' ~ f.suffix -%}
{%- set blocks = 'blocks_of_places' ~ f.suffix -%}
{%- set stretches = 'stretches_of_blocks' ~ f.suffix -%}
{%- set last = 'blocks_of_scores' ~ f.suffix -%}
{%- set columns = ['lowest_score', 'pos', 'neg'] + (['row_count'] if f.two_level else []) -%}
{%- set place = [{'measure': 'blocks', 'reach': 'before', 'as': 'place'}] -%}
{%- set steps = [
    sqlmetrics.step(distinct, sqlmetrics.distinct_scores(f, rows_from, keys), 'one per distinct score', stored=true),
    sqlmetrics.step(pooled, sqlmetrics.pooled_scores(f, distinct, keys), 'scores whose rates do not rise are one block', stored=true),
] + sqlmetrics.running_sums(dict(f, cte=placed, rows='these, numbered from 0'), pooled, keys, 'lowest_score', ' asc', columns, {'blocks': sqlmetrics.to_double('1')}, place) + [
    sqlmetrics.step(digits, sqlmetrics.series(8, 'digit')),
    sqlmetrics.step(numbers, sqlmetrics.numbers_of_blocks(digits), 'the numbers that blocks may have', stored=true),
    sqlmetrics.step(blocks ~ '_8', sqlmetrics.merged_blocks(f, placed, numbers, keys, 8, 64), 'the blocks of 8 places each', stored=true),
    sqlmetrics.step(blocks ~ '_64', sqlmetrics.merged_blocks(f, blocks ~ '_8', numbers, keys, 64, 1024), 'the blocks of 64 places each', stored=true),
    sqlmetrics.step(blocks ~ '_1024', sqlmetrics.merged_blocks(f, blocks ~ '_64', numbers, keys, 1024), 'the blocks of 1024 places each', stored=true),
    sqlmetrics.step(stretches, sqlmetrics.stretches_of_blocks(blocks ~ '_1024', keys), 'these, with stretches that no block reaches across', stored=true),
    sqlmetrics.step(last, sqlmetrics.merged_blocks(f, stretches, numbers, keys), 'one per block of scores that isotonic regression gives one rate'),
] -%}
{%- set text = sqlmetrics.scores_joined_to_blocks(f, distinct, last, keys) if f.two_level else sqlmetrics.scores_after_their_blocks(f, distinct, last, keys) -%}
{%- if 'error_order' not in f.uses -%}
{{ return(steps + [sqlmetrics.step(f.cte, text, f.rows)]) }}
{%- endif -%}
{%- set rates = 'rates_of_scores' ~ f.suffix -%}
{%- set errors = 'errors_of_scores' ~ f.suffix -%}
{%- set scored = sqlmetrics.columns_of_scores(f) + ['rate'] -%}
{%- set errors_of_scores -%}
select
    {{ sqlmetrics.select_list(keys + scored) }},
    coalesce(abs(score - rate), 0) as error
from {{ rates }}
{%- endset -%}
{%- set sums = [{'measure': 'weight', 'reach': 'here', 'as': 'reached'}, {'measure': 'weight', 'reach': 'all', 'as': 'total'}] -%}
{{ return(
    steps
    + [sqlmetrics.step(rates, text, f.rows), sqlmetrics.step(errors, errors_of_scores, 'the same, with how far the score is from its rate')]
    + sqlmetrics.running_sums(f, errors, keys, 'error', ' asc', scored + ['error'], {'weight': 'pos + neg'}, sums)
) }}
{%- endmacro -%}

{%- macro columns_of_scores(f) -%}{{ return(['score', 'pos', 'neg', 'row_count'] + (['rate_of_negatives'] if 'loss' in f.uses else [])) }}{%- endmacro -%}

{#- A score without weight has no rate. -#}
{%- macro pooled_scores(f, distinct, keys) -%}
{%- set inside = keys + (['cell'] if f.two_level else []) -%}
{%- set rate = sqlmetrics.to_double('pos') ~ ' / ' ~ sqlmetrics.to_double('pos + neg') -%}
{%- set weighed = '\nwhere pos + neg > 0' if f.weighted else '' -%}
select
    {{ sqlmetrics.select_list(keys + ['min(score) as lowest_score']) }},
    {{ sqlmetrics.to_double('sum(pos)') }} as pos,
    {{ sqlmetrics.to_double('sum(neg)') }} as neg
{%- if f.two_level %},
    count(*) as row_count
{%- endif %}
from (
    select
        {{ (inside + ['score', 'pos', 'neg']) | join(',\n        ') }},
        max(first_score) {{ sqlmetrics.over(inside, 'score asc rows unbounded preceding') }} as run
    from (
        select
            {{ (inside + ['score', 'pos', 'neg']) | join(',\n            ') }},
            case when {{ rate }}
                <= lag({{ rate }}) {{ sqlmetrics.over(inside, 'score asc') }}
                then null else score end as first_score
{%- if f.two_level %}
        from (
            select
                {{ (keys + ['score', 'pos', 'neg']) | join(',\n                ') }},
                {{ sqlmetrics.cell_of('score') | indent(16) }} as cell
            from {{ distinct }}
            {{- weighed | indent(12) }}
        ) as scores_in_cells
{%- else %}
        from {{ distinct }}
        {{- weighed | indent(8) }}
{%- endif %}
    ) as rising_rates
) as runs
{{- sqlmetrics.group_by(inside + ['run']) }}
{%- endmacro -%}

{%- macro numbers_of_blocks(digits) -%}
select 1 + ones.digit + 8 * eights.digit + 64 * squares.digit + 512 * cubes.digit + 4096 * fourths.digit as first_block
from {{ digits }} as ones
cross join {{ digits }} as eights
cross join {{ digits }} as squares
cross join {{ digits }} as cubes
cross join {{ digits }} as fourths
{%- endmacro -%}

{#- Blocks are brought in order inside of so many places each, or, without `size`, inside of stretches. Rates that differ by the last
    bits of sums are the same. -#}
{%- macro merged_blocks(f, from, numbers, keys, size=none, next_size=none) -%}
{%- set position = 'place' if size else 'stretch' -%}
{%- set inside = keys + ['cast(floor(place / ' ~ size ~ ') as bigint)' if size else 'stretch'] -%}
{%- set from_first = sqlmetrics.over(inside + ['first_block'], 'lowest_score asc rows unbounded preceding') -%}
select
    {{ sqlmetrics.select_list(keys + ['block as lowest_score']) }},
{%- if size %}
    min(place) as place,
    sum(pos) as pos,
    sum(neg) as neg
{%- else %}
    sum(pos) / nullif(sum(pos + neg), 0) as rate
{%- if 'loss' in f.uses %},
    sum(neg) / nullif(sum(pos + neg), 0) as rate_of_negatives
{%- endif %}
{%- if f.two_level %},
    lead(block) {{ sqlmetrics.over(keys, 'block asc') }} as next_score
{%- endif %}
{%- endif %}
{%- if next_size %},
    row_number() {{ sqlmetrics.over(keys + ['cast(floor(min(place) / ' ~ next_size ~ ') as bigint)'], 'block asc') }} as number_in_bucket
{%- endif %}
from (
    select
        {{ (keys + [position, 'pos', 'neg']) | join(',\n        ') }},
        max(first_score) {{ sqlmetrics.over(inside, 'lowest_score asc rows unbounded preceding') }} as block
    from (
        select
            {{ (keys + [position, 'lowest_score', 'max(pos) as pos', 'max(neg) as neg']) | join(',\n            ') }},
            case when max(lowest_rate)
                <= (1 + 1e-12) * lag(max(lowest_rate)) {{ sqlmetrics.over(inside, 'lowest_score asc') }}
                then null else lowest_score end as first_score
        from (
            select
                {{ (keys + [position, 'lowest_score', 'pos', 'neg']) | join(',\n                ') }},
                min(rate) {{ sqlmetrics.over(inside + ['first_block'], 'lowest_score desc rows unbounded preceding') }} as lowest_rate
            from (
                select
                    {{ (keys + [position, 'lowest_score', 'pos', 'neg', 'first_block']) | join(',\n                    ') }},
                    sum(pos) {{ from_first }}
                        / sum(pos + neg) {{ from_first }} as rate
                from {{ from }}
                cross join {{ numbers }}
                where first_block <= {{ 'place - 8 * floor(place / 8) + 1' if size == 8 else 'number_in_bucket' }}
{%- if size %}
                    and first_block <= {{ size }}
{%- endif %}
            ) as rates_from_first
        ) as lowest_rates
        group by
            {{ (keys + [position, 'lowest_score']) | join(',\n            ') }}
    ) as starts
) as parts_of_blocks
group by
    {{ sqlmetrics.select_list(keys + ['block']) }}
{%- endmacro -%}

{%- macro stretches_of_blocks(from, keys) -%}
{%- set number = 'row_number() ' ~ sqlmetrics.over(keys + ['stretch'], 'lowest_score asc') -%}
{%- set message = "'isotonic regression: over 32768 blocks up to the score ' || " ~ sqlmetrics.to_text('lowest_score') ~ " || ': round the scores'" -%}
select
    {{ sqlmetrics.select_list(keys + ['lowest_score', 'pos', 'neg', 'stretch']) }},
    case when {{ number }} > 32768
        then {{ sqlmetrics.raised(message) }}
        else {{ number }} end as number_in_bucket
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
        from {{ from }}
    ) as starts
) as blocks_in_stretches
{%- endmacro -%}

{#- Rates rise with the score, so that the rate of a score is the highest of the blocks that begin at it or below. -#}
{%- macro scores_after_their_blocks(f, distinct, blocks, keys) -%}
{%- set order = sqlmetrics.over(keys, 'score asc, after_block asc rows unbounded preceding') -%}
select
    {{ sqlmetrics.select_list(keys + sqlmetrics.columns_of_scores(f)) }},
    {{ 'case when pos + neg > 0 then highest_rate end' if f.weighted else 'highest_rate' }} as rate
from (
    select
        {{ (keys + ['score', 'pos', 'neg', 'row_count', 'after_block']) | join(',\n        ') }},
{%- if 'loss' in f.uses %}
        min(rate_of_negatives) {{ order }} as rate_of_negatives,
{%- endif %}
        max(rate) {{ order }} as highest_rate
    from (
        select
            {{ (keys + ['score', 'pos', 'neg', 'row_count']) | join(',\n            ') }},
            1 as after_block,
{%- if 'loss' in f.uses %}
            {{ sqlmetrics.to_double('null') }} as rate_of_negatives,
{%- endif %}
            {{ sqlmetrics.to_double('null') }} as rate
        from {{ distinct }}
        union all
        select
            {{ (keys + ['lowest_score as score', '0 as pos', '0 as neg', '0 as row_count', '0 as after_block']) | join(',\n            ') }},
{%- if 'loss' in f.uses %}
            rate_of_negatives,
{%- endif %}
            rate
        from {{ blocks }}
    ) as scores_and_blocks
) as rates_so_far
where after_block = 1
{%- endmacro -%}

{#- Where no step may sort all scores, they are joined to the blocks, which are few. -#}
{%- macro scores_joined_to_blocks(f, distinct, blocks, keys) -%}
{%- set same = sqlmetrics.same_keys('scores', 'blocks', keys) -%}
select{{ sqlmetrics.broadcast('blocks') }}
    {{ sqlmetrics.select_list(sqlmetrics.keys_of('scores', keys + ['score', 'pos', 'neg', 'row_count'])) }},
{%- if 'loss' in f.uses %}
    blocks.rate_of_negatives as rate_of_negatives,
{%- endif %}
    blocks.rate as rate
from {{ distinct }} as scores
left join {{ blocks }} as blocks
    on {{ (same + ['scores.score >= blocks.lowest_score', '(scores.score < blocks.next_score or blocks.next_score is null)']) | join('\n    and ') }}
{%- if f.weighted %}
    and scores.pos + scores.neg > 0
{%- endif %}
{%- endmacro -%}

{#- The error that this share of the weight does not exceed: the mean of the two at which the share is reached from below and from
    above, as in a median. The share is `part` of `parts`, so that counts reach it exactly; whether fractional weights do must not
    hang on the last bits of their sums. -#}
{%- macro quantile_of_errors(m, part, parts) -%}
{%- set fractional = 'weight' in m.requires or 'total' in m.requires -%}
{%- set share = sqlmetrics.to_double(part) ~ ' / ' ~ parts -%}
{%- set least = 'reached >= (' ~ share ~ ' - 1e-9) * total' if fractional else parts ~ ' * reached >= ' ~ part ~ ' * total' -%}
{%- set more = 'reached > (' ~ share ~ ' + 1e-9) * total' if fractional else parts ~ ' * reached > ' ~ part ~ ' * total' -%}
(min(case when {{ least }} and pos + neg > 0 then error end)
        + min(case when {{ more }} and pos + neg > 0 then error end)) / 2
{%- endmacro -%}

{#- A loss that is the difference of two, of which none is negative but by its last bits. -#}
{%- macro mean_loss_above_zero(loss, smaller_loss) -%}
greatest(
        {{ loss }}
        - {{ smaller_loss }},
        0
    ) / nullif(sum(pos + neg), 0)
{%- endmacro -%}

{#- What scores, and what their rates lose, by weight. -#}
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

{#- −Σ y·ln p has its limit where there is no y. -#}
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
