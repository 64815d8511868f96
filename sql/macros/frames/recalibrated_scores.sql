{#-
title: recalibrated scores
rows: one per distinct score, beside its rate by isotonic regression
counts: sum(row_count)
diagnostics: {positives: sum(pos)}
columns: score, rate (NULL of a score without weight that lies in no block), pos, neg, row_count and, where a metric uses them (error_order), error (|score − rate|, 0 where there is no rate), reached (the weight of the errors up to this one) and total (of all)
-#}

{#- Rates rise with the score, so that the rate of a score is the highest of the blocks that begin at it or below. Where no step
    may sort all scores, they are joined to the blocks, which are few. Where a metric beside has the blocks, they are read there:
    the loss of a block is not asked for. -#}
{%- macro recalibrated_scores(f, rows_from, keys) -%}
{%- set beside = sqlmetrics.frame_beside(f, 'isotonic_blocks') -%}
{%- set own = beside if beside is not none else dict(f, cte='blocks_of_scores' ~ f.suffix, suffix='_in_blocks' ~ f.suffix, rows='one per block of scores that isotonic regression gives one rate') -%}
{%- set steps = [] -%}
{%- for step in sqlmetrics.isotonic_blocks(own, rows_from, keys) -%}
{%- do steps.append(dict(step, stored=true) if loop.first else step) -%}
{%- endfor -%}
{%- set distinct = steps[0].name -%}
{%- set text = sqlmetrics.scores_joined_to_blocks(distinct, own.cte, keys) if f.two_level else sqlmetrics.scores_after_their_blocks(distinct, own.cte, keys) -%}
{%- if 'error_order' not in f.uses -%}
{{ return(steps + [sqlmetrics.step(f.cte, text, f.rows)]) }}
{%- endif -%}
{%- set rates = 'rates_of_scores' ~ f.suffix -%}
{%- set errors = 'errors_of_scores' ~ f.suffix -%}
{%- set columns = ['score', 'rate', 'pos', 'neg', 'row_count'] -%}
{%- set errors_of_scores -%}
select
    {{ sqlmetrics.lines(keys + columns + ['coalesce(abs(score - rate), 0) as error']) }}
from {{ rates }}
{%- endset -%}
{%- set sums = [{'measure': 'weight', 'reach': 'here', 'as': 'reached'}, {'measure': 'weight', 'reach': 'all', 'as': 'total'}] -%}
{{ return(
    steps
    + [
        sqlmetrics.step(rates, text, f.rows),
        sqlmetrics.step(errors, errors_of_scores, 'the same, with how far the score is from its rate'),
    ]
    + sqlmetrics.running_sums(f, errors, keys, 'error', ' asc', columns + ['error'], {'weight': 'pos + neg'}, sums)
) }}
{%- endmacro -%}

{#- The error that this share of the weight does not exceed: the mean of the two at which the share is reached from below and from
    above, as in a median. The share is `part` of `parts`, so that counts reach it exactly; whether fractional weights do must not
    hang on the last bits of their sums. -#}
{%- macro quantile_of_errors(m, part, parts) -%}
{%- set fractional = 'weight' in m.requires or 'total' in m.requires -%}
{%- set share = sqlmetrics.to_double(part) ~ ' / ' ~ parts -%}
{%- set least = 'reached >= (' ~ share ~ ' - 1e-9) * total' if fractional else parts ~ ' * reached >= ' ~ part ~ ' * total' -%}
{%- set more = 'reached > (' ~ share ~ ' + 1e-9) * total' if fractional else parts ~ ' * reached > ' ~ part ~ ' * total' -%}
(min(case when {{ least }} and pos + neg > 0 then error end) + min(case when {{ more }} and pos + neg > 0 then error end)) / 2
{%- endmacro -%}

{%- macro scores_after_their_blocks(distinct, blocks, keys) -%}
{%- set columns = ['score', 'pos', 'neg', 'row_count'] -%}
select
    {{ sqlmetrics.lines(keys + columns + ['highest_rate as rate']) }}
from (
    select
        {{ (keys + columns + ['after_block', 'max(rate) ' ~ sqlmetrics.over(keys, 'score asc, after_block asc rows unbounded preceding') ~ ' as highest_rate']) | join(',\n        ') }}
    from (
        select
            {{ (keys + columns + ['1 as after_block', sqlmetrics.to_double('null') ~ ' as rate']) | join(',\n            ') }}
        from {{ distinct }}
        union all
        select
            {{ (keys + ['lowest_score as score', '0 as pos', '0 as neg', '0 as row_count', '0 as after_block', 'rate']) | join(',\n            ') }}
        from {{ blocks }}
    ) as scores_and_blocks
) as rates_so_far
where after_block = 1
{%- endmacro -%}

{%- macro scores_joined_to_blocks(distinct, blocks, keys) -%}
{%- set same = sqlmetrics.same_keys('scores', 'blocks', keys) + ['scores.score >= blocks.lowest_score', 'scores.score <= blocks.highest_score', 'blocks.rate is not null'] -%}
select{{ sqlmetrics.broadcast('blocks') }}
    {{ sqlmetrics.lines(sqlmetrics.keys_of('scores', keys) + ['scores.score as score', 'scores.pos as pos', 'scores.neg as neg', 'scores.row_count as row_count', 'blocks.rate as rate']) }}
from {{ distinct }} as scores
left join {{ blocks }} as blocks
    on {{ same | join('\n    and ') }}
{%- endmacro -%}
