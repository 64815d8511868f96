{#-
title: isotonic blocks
rows: one per block of scores that isotonic regression gives one rate
counts: sum(row_count)
diagnostics: {positives: sum(pos)}
columns: rate (NULL of the block of all scores without weight), pos, neg, score_sum (weighted), lowest_score, highest_score, row_count and, where a metric uses it (loss), loss_sum (weighted)
parameters:
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

{#- Isotonic regression by halves: blocks of scores are put in pairs of neighbours, and each pair is brought in order, then pairs
    of pairs, and so on. Two neighbours are each in order already, so that all that has to be pooled is the upper end of the left
    one with the lower end of the right one, into one block: a block of the left one belongs to it if the rate of all blocks
    left from its own rate up and right to its own rate down is below its own, and one of the right if that is above. So there
    are as many rounds as the number of blocks has binary digits, whatever they are, where pooling neighbours that are out of
    order, again and again, takes as many as there are scores if a heavy one comes last. Nothing is subtracted.

    Before that, scores that do not rise are pooled at once: four fifths of a log of clicks. Where sums are taken inside of cells,
    so is this. -#}
{%- macro isotonic_blocks(f, rows_from, keys) -%}
{%- set distinct = 'scores_to_recalibrate' ~ f.suffix -%}
{%- set pooled = 'pooled_scores' ~ f.suffix -%}
{%- set placed = 'places_of_pooled_scores' ~ f.suffix -%}
{%- set merged = 'merged_blocks' ~ f.suffix -%}
{%- set carried = sqlmetrics.carried_by_blocks(f) -%}
{%- set columns = carried.keys() | list -%}
{%- set recursive = sqlmetrics.can_recurse() -%}
{%- set sums = [{'measure': 'blocks', 'reach': 'before', 'as': 'place'}] + ([{'measure': 'blocks', 'reach': 'all', 'as': 'places'}] if recursive else []) -%}
{%- set steps = [
    sqlmetrics.step(distinct, sqlmetrics.distinct_scores(f, rows_from, keys), 'one per distinct score'),
    sqlmetrics.step(pooled, sqlmetrics.pooled_scores(f, distinct, keys), 'scores whose rates do not rise are one block'),
] + sqlmetrics.running_sums(dict(f, cte=placed, rows='these, numbered from 0'), pooled, keys, 'lowest_score', ' asc', columns, {'blocks': sqlmetrics.to_double('1')}, sums) -%}
{%- if recursive -%}
{%- set rounds -%}
select
    {{ sqlmetrics.lines(keys + ['place', sqlmetrics.to_double('1') ~ ' as span', 'places'] + columns + sqlmetrics.place_in_pair('2')) }}
from {{ placed }}
union all
{{ sqlmetrics.merged_by_windows(merged, keys, carried) }}
{%- endset -%}
{%- do steps.append(sqlmetrics.step(merged, rounds, 'pairs of neighbours are brought in order, and count as one neighbour in the next round', stored=true, recursive=true)) -%}
{{ return(steps + [sqlmetrics.step(f.cte, sqlmetrics.blocks_in_order(f, merged, keys, carried), f.rows)]) }}
{%- endif -%}
{#- Spark looks at a statement a hundred times to make sense of it, three of them for each round, and once more for each number
    that it has to make a double. -#}
{%- set count = 16 -%}
{%- set first -%}
select
    {{ sqlmetrics.lines(keys + ['place'] + columns + sqlmetrics.place_in_pair('2e0')) }}
from {{ placed }}
{%- endset -%}
{%- do steps.append(sqlmetrics.step(merged, first, 'pairs of neighbours')) -%}
{%- set last = namespace(step=merged) -%}
{%- for round in range(count) -%}
{%- do steps.append(sqlmetrics.step(merged ~ '_' ~ (round + 1), sqlmetrics.merged_by_groups(last.step, 2 ** round, keys, carried), 'pairs of ' ~ 2 ** round ~ ' places each are brought in order')) -%}
{%- set last.step = merged ~ '_' ~ (round + 1) -%}
{%- endfor -%}
{{ return(steps + [sqlmetrics.step(f.cte, sqlmetrics.blocks_in_order(f, last.step, keys, carried), f.rows)]) }}
{%- endmacro -%}

{#- What is known of a block, and how that of two together comes from each. Doubles: the columns of a round must be of the types of
    those before. -#}
{%- macro carried_by_blocks(f) -%}
{%- set carried = {'pos': 'sum', 'neg': 'sum', 'score_sum': 'sum', 'row_count': 'sum', 'lowest_score': 'min', 'highest_score': 'max'} -%}
{%- if 'loss' in f.uses -%}{%- do carried.update({'loss_sum': 'sum'}) -%}{%- endif -%}
{{ return(carried) }}
{%- endmacro -%}

{%- macro totals_of_blocks(carried) -%}
{%- set items = [] -%}
{%- for column, aggregate in carried.items() -%}{%- do items.append(aggregate ~ '(' ~ column ~ ') as ' ~ column) -%}{%- endfor -%}
{{ return(items) }}
{%- endmacro -%}

{#- A score without weight has no rate: it stays a block of its own. -#}
{%- macro pooled_scores(f, distinct, keys) -%}
{%- set inside = keys + (['cell'] if f.two_level else []) -%}
{%- set own = inside + ['score', 'pos', 'neg', 'row_count'] -%}
{%- set items = keys + [
    'sum(pos) as pos',
    'sum(neg) as neg',
    'sum((pos + neg) * score) as score_sum',
    sqlmetrics.to_double('sum(row_count)') ~ ' as row_count',
    'min(score) as lowest_score',
    'max(score) as highest_score',
] -%}
{%- if 'loss' in f.uses -%}{%- do items.append('sum(' ~ sqlmetrics.loss_at_score(f.params) ~ ') as loss_sum') -%}{%- endif -%}
select
    {{ sqlmetrics.lines(items) }}
from (
    select
        {{ (own + ['sum(rises) ' ~ sqlmetrics.over(inside, 'score asc rows unbounded preceding') ~ ' as run']) | join(',\n        ') }}
    from (
        select
            {{ (own + ['case when rate <= lag(rate) ' ~ sqlmetrics.over(inside, 'score asc') ~ ' then 0 else 1 end as rises']) | join(',\n            ') }}
        from (
            select
                {{ (keys + ([sqlmetrics.indented(sqlmetrics.indented(sqlmetrics.indented(sqlmetrics.cell_of('score')))) ~ ' as cell'] if f.two_level else []) + [
                    'score',
                    sqlmetrics.to_double('pos') ~ ' as pos',
                    sqlmetrics.to_double('neg') ~ ' as neg',
                    'row_count',
                    sqlmetrics.safe_divide(sqlmetrics.to_double('pos'), sqlmetrics.to_double('pos + neg')) ~ ' as rate',
                ]) | join(',\n                ') }}
            from {{ distinct }}
        ) as rates
    ) as rising_rates
) as runs
{{- sqlmetrics.group_by(inside + ['run']) }}
{%- endmacro -%}

{#- What the rows of one score lose, by weight. -#}
{%- macro loss_at_score(params) -%}
{%- if params.loss == 'brier' -%}
pos * {{ sqlmetrics.square('(1 - score)') }} + neg * {{ sqlmetrics.square('score') }}
{%- else -%}
{%- set eps = sqlmetrics.number(params.eps) -%}
0 - pos * ln(least(greatest(score, {{ eps }}), 1 - {{ eps }})) - neg * ln(least(greatest(1 - score, {{ eps }}), 1 - {{ eps }}))
{%- endif -%}
{%- endmacro -%}

{#- The rate of a block, and where it stands: in which pair of so many places, and how far from where the pair begins. -#}
{%- macro place_in_pair(both) -%}
{%- set pair = sqlmetrics.to_double('floor(place / (' ~ both ~ '))' if ' ' in both else 'floor(place / ' ~ both ~ ')') -%}
{{ return([
    'pos / nullif(pos + neg, 0e0) as rate',
    pair ~ ' as pair',
    'place - ' ~ both ~ ' * ' ~ pair ~ ' as place_in_pair',
]) }}
{%- endmacro -%}

{#- Beside every block the sums of those that would be pooled if it were the last that is. -#}
{%- macro ends_of_neighbours(from, span, own, keys) -%}
{%- set upper_left = sqlmetrics.over(keys + ['pair'], 'rate desc, place desc rows unbounded preceding') -%}
{%- set lower_right = sqlmetrics.over(keys + ['pair'], 'rate asc, place asc rows unbounded preceding') -%}
{%- set ends = [] -%}
{%- for column in ['pos', 'neg'] -%}
{%- do ends.append('sum(case when place_in_pair < ' ~ span ~ ' then ' ~ column ~ ' else 0e0 end) ' ~ upper_left ~ ' as ' ~ column ~ '_of_left') -%}
{%- do ends.append('sum(case when place_in_pair >= ' ~ span ~ ' then ' ~ column ~ ' else 0e0 end) ' ~ lower_right ~ ' as ' ~ column ~ '_of_right') -%}
{%- endfor -%}
select
    {{ sqlmetrics.lines(own + ['pair', 'place_in_pair', 'rate'] + ends) }}
from {{ from }}
{%- if span == 'span' %}
where span < places
{%- endif -%}
{%- endmacro -%}

{#- -1 is the block of both ends; every other stays where it is. -#}
{%- macro block_of_pair(span) -%}
{%- set rate = '(pos_of_left + pos_of_right) / nullif(pos_of_left + pos_of_right + neg_of_left + neg_of_right, 0e0)' -%}
case
        when place_in_pair < {{ span }} and {{ rate }} < rate then -1e0
        when place_in_pair >= {{ span }} and {{ rate }} > rate then -1e0
        else place
    end
{%- endmacro -%}

{#- PostgreSQL takes no aggregate in a recursion. -#}
{%- macro merged_by_windows(from, keys, carried) -%}
{%- set own = keys + ['place', 'span', 'places'] + carried.keys() | list -%}
{%- set whole = keys + ['pair', 'block'] -%}
{%- set totals = [] -%}
{%- for column, aggregate in carried.items() -%}{%- do totals.append(aggregate ~ '(' ~ column ~ ') ' ~ sqlmetrics.over(whole) ~ ' as ' ~ column) -%}{%- endfor -%}
select
    {{ sqlmetrics.lines(own + sqlmetrics.place_in_pair('2 * span')) }}
from (
    select
        {{ (keys + ['place', '2 * span as span', 'places'] + totals + ['row_number() ' ~ sqlmetrics.over(whole, 'place asc') ~ ' as place_in_block']) | join(',\n        ') }}
    from (
        select
            {{ (own + ['pair', sqlmetrics.indented(sqlmetrics.indented(sqlmetrics.block_of_pair('span'))) ~ ' as block']) | join(',\n            ') }}
        from (
            {{ sqlmetrics.indented(sqlmetrics.indented(sqlmetrics.indented(sqlmetrics.ends_of_neighbours(from, 'span', own, keys)))) }}
        ) as ends
    ) as pooled_ends
) as blocks
where place_in_block = 1
{%- endmacro -%}

{%- macro merged_by_groups(from, span, keys, carried) -%}
{%- set own = keys + ['place'] + carried.keys() | list -%}
select
    {{ sqlmetrics.lines(own + sqlmetrics.place_in_pair(4 * span ~ 'e0')) }}
from (
    select
        {{ (keys + ['min(place) as place'] + sqlmetrics.totals_of_blocks(carried)) | join(',\n        ') }}
    from (
        {{ sqlmetrics.indented(sqlmetrics.indented(sqlmetrics.ends_of_neighbours(from, span ~ 'e0', own, keys))) }}
    ) as ends
    group by
        {{ (keys + ['pair', sqlmetrics.indented(sqlmetrics.block_of_pair(span ~ 'e0'))]) | join(',\n        ') }}
) as blocks
{%- endmacro -%}

{#- Blocks of one rate are one, but for the last bits of sums of weights: neither of two neighbours is above the other. All scores
    without weight are one too, which comes first: not every engine has NULL at the same end. Where rounds are written out, there
    may be more blocks than these bring in order; if they are in order, they are those of isotonic regression all the same. -#}
{%- macro blocks_in_order(f, from, keys, carried) -%}
{%- set columns = carried.keys() | list -%}
{%- set recursive = sqlmetrics.can_recurse() -%}
{%- set in_order = 'case when rate is null then 0 else 1 end asc, rate asc, place asc' -%}
select
    {{ sqlmetrics.lines(keys + [sqlmetrics.safe_divide('sum(pos)', 'sum(pos + neg)') ~ ' as rate'] + sqlmetrics.totals_of_blocks(carried)) }}
from (
    select
        {{ (keys + columns + ['sum(rises) ' ~ sqlmetrics.over(keys, in_order ~ ' rows unbounded preceding') ~ ' as run']) | join(',\n        ') }}
    from (
        select
            {{ (keys + ['place', 'rate'] + columns + ['case when rate is null or rate <= lag(rate) ' ~ sqlmetrics.over(keys, in_order) ~ ' * (1 + 1e-12) then 0 else 1 end as rises']) | join(',\n            ') }}
        from {{ from if recursive else sqlmetrics.blocks_that_rise(from, keys, columns) }}
        {{- '\n        where span >= places' if recursive }}
    ) as rising_blocks
) as runs_of_blocks
{{- sqlmetrics.group_by(keys + ['run']) }}
{%- endmacro -%}

{%- macro blocks_that_rise(from, keys, columns) -%}
{%- set message = "'isotonic regression is written out for 65536 rises of the rate, and there are more up to the score ' || cast(lowest_score as " ~ sqlmetrics.type_text() ~ ") || ': round the scores'" -%}
(
            select
                {{ (keys + ['place', 'case when highest_below > rate * (1 + 1e-12) then ' ~ sqlmetrics.raised(message) ~ ' else rate end as rate'] + columns) | join(',\n                ') }}
            from (
                select
                    {{ (keys + ['place', 'rate'] + columns + ['max(rate) ' ~ sqlmetrics.over(keys, 'place asc rows between unbounded preceding and 1 preceding') ~ ' as highest_below']) | join(',\n                    ') }}
                from {{ from }}
            ) as beside_those_below
        ) as last_blocks
{%- endmacro -%}

{#- A loss that is the difference of two, of which none is negative but by its last bits. -#}
{%- macro not_below_zero(value) -%}
case when {{ value }} < 0 then 0 else {{ value }} end
{%- endmacro -%}

{#- What the rates of the blocks lose. -#}
{%- macro loss_of_blocks(m) -%}
{{ sqlmetrics.loss_of_rate(m, 'pos', 'neg', '(pos + neg)') }}
{%- endmacro -%}

{#- What a rate loses over the rows of which it is the rate, by weight: −Σ y·ln p has its limit where there is no y. -#}
{%- macro loss_of_rate(m, pos, neg, weight) -%}
{%- if m.loss == 'brier' -%}
{{ pos }} * ({{ neg }} / nullif({{ weight }}, 0))
{%- else -%}
case when {{ pos }} > 0 then 0 - {{ pos }} * ln({{ pos }} / nullif({{ weight }}, 0)) else 0 end + case when {{ neg }} > 0 then 0 - {{ neg }} * ln({{ neg }} / nullif({{ weight }}, 0)) else 0 end
{%- endif -%}
{%- endmacro -%}
