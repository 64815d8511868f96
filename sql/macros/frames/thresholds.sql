{#-
title: thresholds
rows: one per distinct score, or bin of scores, weighted
state: scores
diagnostics: {positives: sum(pos), tied_rows: cast(sum(case when row_count > 1 then row_count else 0 end) as bigint)}
columns: score, pos, neg, true_positives and false_positives at this score or above, row_count and, where a metric uses them, positives and negatives (totals; totals_of_weights where rows are weighted), true_positives_above and false_positives_above (above), false_negatives and true_negatives (below; where rows are weighted); where all metrics use positives_alone and rows are ranked, the thresholds without a positive are one row; of a table that uses points, a bin of equal weight replaces its scores; of a table that uses counts, the rows with score, pos, neg and row_count alone
parameters:
  bins: {type: integer, default: null, minimum: 1, doc: number of equal steps between the lowest and the highest score that replace the scores}
metric_parameters:
  points:
    type: integer
    default: 200
    minimum: 1
    choices: {all: every distinct score}
    doc: 'the maximum number of thresholds: the lowest score of each bin ⌊points · weight of the higher scores / weight of all⌋ (within 1e-9 for fractional weights). The area under straight lines between these points of a ROC curve is within 1 / (2 · points · q · (1 − q)) of the AUC, q the share of positives'
    presets: {sklearn: all}
    used_by: {all: scikit-learn}
  zero_division:
    type: number
    default: null
    minimum: 0
    maximum: 1
    doc: 'the precision where no row is predicted positive, and the recall without positives where some row is; NULL by default'
    presets: {sklearn: 1}
    used_by: {1: scikit-learn}
-#}

{%- macro thresholds(f, rows_from, keys) -%}
{%- set m = f.metrics[0] -%}
{{ sqlmetrics.totals_of_scores(f, rows_from, keys, f.where) if m.get('points') == 'all' }}
{%- if 'steps' in f.uses and f.params.bins is not none %}
{{ sqlmetrics.thresholds_of_steps(f, rows_from, keys) }}
{%- elif 'counts' in f.uses %}
{{ sqlmetrics.cte(f.cte, 'rows, not aggregated') }}
select
    {{- sqlmetrics.leading(keys + ['score', 'pos', 'neg']) }}
    1 as row_count
from {{ rows_from }}
{{- f.where }}
{%- elif 'points' in f.uses and m.get('points') != 'all' %}
{{ sqlmetrics.thresholds_of_bins(f, m.get('points', m.bins), rows_from, keys) }}
{%- elif f.positives_alone %}
{{ sqlmetrics.thresholds_of_positives(f, rows_from, keys) }}
{%- elif f.ranked %}
{{ sqlmetrics.thresholds_of_ranks(f, rows_from, keys) }}
{%- else %}
{{ sqlmetrics.thresholds_of_counts(f, rows_from, keys) }}
{%- endif -%}
{%- endmacro -%}

{#- A step with sums in the order of `value`, as in `running_sums`: {column: [measure, scope]}. -#}
{%- macro sums_in_order(f, step, comment, from, keys, value, direction, carried, sums, measures={}) -%}
{%- set items, expressions = [], {} -%}
{%- for name, sum in sums.items() -%}
{%- do items.append({'measure': sum[0], 'scope': sum[1], 'as': name}) -%}
{%- do expressions.update({sum[0]: measures.get(sum[0], sum[0])}) -%}
{%- endfor -%}
{{ sqlmetrics.ctes(sqlmetrics.running_sums(dict(f, cte=step, rows=comment), from, keys, value, direction, carried, expressions, items)) }}
{%- endmacro -%}

{#- Sums at thresholds that metrics of the frame read. -#}
{%- macro sums_at_thresholds(f) -%}
{%- set names = {'cumulative': ['true_positives', 'false_positives']} -%}
{%- if 'above' in f.uses -%}{%- do names.update({'before': ['true_positives_above', 'false_positives_above']}) -%}{%- endif -%}
{%- if 'below' in f.uses and f.weighted -%}{%- do names.update({'after': ['false_negatives', 'true_negatives']}) -%}{%- endif -%}
{%- if 'totals' in f.uses or (f.weighted and 'totals_of_weights' in f.uses) -%}{%- do names.update({'total': ['positives', 'negatives']}) -%}{%- endif -%}
{%- set sums = {} -%}
{%- for scope, pair in names.items() -%}{%- do sums.update({pair[0]: ['pos', scope], pair[1]: ['neg', scope]}) -%}{%- endfor -%}
{{ return(sums) }}
{%- endmacro -%}

{#- Rows are summed per score first, and then cumulatively in the order of scores. No sum is the difference of two: next to a heavy row
    that would lose the digits of light rows. -#}
{%- macro thresholds_of_counts(f, rows_from, keys) -%}
{{ sqlmetrics.cte('distinct_scores' ~ f.suffix, 'one per distinct score') }}
{{ sqlmetrics.distinct_scores(f, rows_from, keys) }}
{{ sqlmetrics.sums_in_order(f, f.cte, f.rows, 'distinct_scores' ~ f.suffix, keys, 'score', ' desc', ['score', 'pos', 'neg', 'row_count'], sqlmetrics.sums_at_thresholds(f)) }}
{%- endmacro -%}

{#- Bins of equal weight, from the highest score down, replace scores. Rows are sorted once and counted by bin; only the bins have
    cumulative sums. -#}
{%- macro thresholds_of_bins(f, bins, rows_from, keys) -%}
{%- set binned = dict(f, cte='binned_scores' ~ f.suffix) -%}
{%- set columns = ['bin', 'score', 'pos', 'neg', 'row_count'] -%}
{%- set of_curve = f.metrics[0].points is defined -%}
{{ sqlmetrics.labels_in_bins(binned, bins, rows_from, keys, ' desc') }}
{{ sqlmetrics.cte('bins_of_scores' ~ f.suffix, 'one per bin of equal weight, from the highest score down', materialized=of_curve) }}
{{ sqlmetrics.sums_by(keys + ['bin'], ['min(score) as score', 'sum(pos) as pos', 'sum(neg) as neg'], binned.cte, row_count='sum(row_count)') }}
{{ sqlmetrics.totals_of_scores(f, 'bins_of_scores' ~ f.suffix, keys) if of_curve }}
{{ sqlmetrics.sums_in_order(dict(f, two_level=false), f.cte, 'bins, with cumulative counts', 'bins_of_scores' ~ f.suffix, keys, 'bin', ' asc', columns, sqlmetrics.sums_at_thresholds(f)) }}
{%- endmacro -%}

{#- The totals of a curve, from its bins or from the rows, so that the curve is read once. -#}
{%- macro totals_of_scores(f, from, keys, where='') -%}
{{ sqlmetrics.cte('totals_of_scores' ~ f.suffix, 'one per slice', materialized=true) }}
select
    {{- sqlmetrics.leading(keys) }}
    {{ sqlmetrics.to_double('sum(pos)') }} as positives,
    {{ sqlmetrics.to_double('sum(neg)') }} as negatives
from {{ from }}
{{- where }}
{{- sqlmetrics.group_by(keys) if keys else '\nhaving count(*) > 0' }}
{%- endmacro -%}

{#- One row per distinct score. Counts are exact, so unweighted negatives are a difference. -#}
{%- macro distinct_scores(f, rows_from, keys) -%}
{{ sqlmetrics.sums_by(keys + ['score'], ['sum(pos) as pos', ('sum(neg)' if f.weighted else 'count(*) - sum(pos)') ~ ' as neg'], rows_from, f.where, sqlmetrics.rows_added_up(f)) }}
{%- endmacro -%}

{#- The same in one sort, for logs with few ties: two to three times as fast as counting. The first row of each score has the counts above
    it; sums with the default frame include its peers. -#}
{%- macro thresholds_of_ranks(f, rows_from, keys) -%}
{%- set by_score = sqlmetrics.over(keys, 'score desc') -%}
{%- set above = sqlmetrics.over(keys, 'score desc rows between unbounded preceding and 1 preceding') -%}
{%- set whole_slice = sqlmetrics.order_of_all_rows(keys, 'score desc') -%}
{{ sqlmetrics.cte('score_ranks' ~ f.suffix, 'one per row, ranked') }}
select
    {{- sqlmetrics.leading(keys + ['score']) }}
    {{ sqlmetrics.to_double('row_number() ' ~ by_score ~ ' - 1') }} as row_rank,
    {{ sqlmetrics.to_double('rank() ' ~ by_score ~ ' - 1') }} as rows_above,
    {{ sqlmetrics.to_double('count(*) ' ~ by_score) }} as rows_cumulative,
    {{ sqlmetrics.count_as('true_positives', 1, keys, 'score desc') }},
    {{ sqlmetrics.count_of(1, by_score) }}
        - {{ sqlmetrics.count_of(1, above) }} as pos
{%- if 'totals' in f.uses %},
    {{ sqlmetrics.count_as('positives', 1, keys, whole_slice) }},
    {{ sqlmetrics.count_as('negatives', 0, keys, whole_slice) }}
{%- endif %}
from {{ rows_from }}
{{- f.where }}
{{ sqlmetrics.cte(f.cte, f.rows) }}
{{ sqlmetrics.thresholds_from_counts(f, keys, 'score_ranks') }}
where row_rank = rows_above
{%- endmacro -%}

{#- Counts at and above a score, from cumulative counts of rows and of positives. -#}
{%- macro thresholds_from_counts(f, keys, from) -%}
select
    {{- sqlmetrics.leading(keys + ['score', 'pos']) }}
    rows_cumulative - rows_above - pos as neg,
    true_positives,
    rows_cumulative - true_positives as false_positives,
{%- if 'above' in f.uses %}
    true_positives - pos as true_positives_above,
    rows_above - (true_positives - pos) as false_positives_above,
{%- endif %}
    {{- sqlmetrics.leading(['positives', 'negatives'] if f.positives_alone or 'totals' in f.uses else []) }}
    cast(rows_cumulative - rows_above as bigint) as row_count
from {{ from }}{{ f.suffix }}
{%- endmacro -%}

{#- The same for positives only, which are few in click logs: ranks give the rows above them. All other rows are one threshold, the end of
    the curve. -#}
{%- macro thresholds_of_positives(f, rows_from, keys) -%}
{%- set by_score = sqlmetrics.over(keys, 'score desc') -%}
{%- set of_slice = sqlmetrics.over(keys) -%}
{{ sqlmetrics.cte('score_ranks' ~ f.suffix, 'one per row, ranked') }}
select
    {{- sqlmetrics.leading(keys + ['pos', 'score']) }}
    {{ sqlmetrics.to_double('rank() ' ~ by_score ~ ' - 1') }} as rows_above,
    cume_dist() {{ by_score }} as cumulative_share
from {{ rows_from }}
{{- f.where }}
{{ sqlmetrics.cte('scores_of_positives' ~ f.suffix, 'one per distinct score of positives, and one for all other rows') }}
{{ sqlmetrics.sums_by(keys + ['case when pos = 1 then score end as score'], [
    'sum(pos) as pos',
    'max(case when pos = 1 then rows_above end) as rows_above',
    'max(case when pos = 1 then cumulative_share else 1 end) as cumulative_share',
], 'score_ranks' ~ f.suffix, row_count=sqlmetrics.to_double('count(*)')) }}
{{ sqlmetrics.cte('cumulative_scores' ~ f.suffix, 'the same, with cumulative counts and totals', materialized=true) }}
select
    {{- sqlmetrics.leading(keys + ['score', 'pos']) }}
    sum(pos) {{ sqlmetrics.over(keys, 'cumulative_share asc') }} as true_positives,
    coalesce(rows_above, sum(rows_cumulative - rows_above) {{ of_slice }}, 0) as rows_above,
    rows_cumulative,
    sum(pos) {{ of_slice }} as positives,
    sum(row_count - pos) {{ of_slice }} as negatives
from (
    select
        *,
        round(cumulative_share * sum(row_count) {{ of_slice }}) as rows_cumulative
    from scores_of_positives{{ f.suffix }}
) as positive_scores
{{ sqlmetrics.cte(f.cte, 'one per distinct score of positives, and one for all other rows') }}
{{ sqlmetrics.thresholds_from_counts(f, keys, 'cumulative_scores') }}
{%- endmacro -%}

{#- Steps of equal width replace the scores. Halves avoid infinite differences of doubles; a higher score is never in a lower step. Invalid
    rows may widen the range, but then the runner returns no result. Conditions are faster than `least`. -#}
{%- macro thresholds_of_steps(f, rows_from, keys) -%}
{%- set range = 'score_range' ~ f.suffix -%}
{%- set steps = '(score - lowest) * steps_per_unit' -%}
{%- set last = f.params.bins - 1 -%}
{%- set step = 'case when ' ~ steps ~ ' >= ' ~ last ~ ' then ' ~ last ~ ' when ' ~ steps ~ ' > 0 then floor(' ~ steps ~ ') else 0 end' -%}
{{ sqlmetrics.cte(range, 'the lowest score, and the number of steps per unit of the score') }}
select
    {{ sqlmetrics.select_list(keys + ['lowest']) }},
    least(coalesce({{ f.params.bins / 2 }} / nullif(highest / 2 - lowest / 2, 0), 1), 1.7976931348623157e308) as steps_per_unit
from (
    select
        {{ (keys + sqlmetrics.ends_of('score')) | join(',\n        ') }}
    from {{ rows_from }}
    {{- f.where | indent(4) }}
    {{- sqlmetrics.group_by(keys) | indent(4) }}
) as ends
{{ sqlmetrics.cte('stepped_scores' ~ f.suffix, 'rows, with the number of their step as the score') }}
select{{ sqlmetrics.broadcast(range) }}
    {{ sqlmetrics.select_list(sqlmetrics.keys_alone('scored', keys) + ['pos', 'neg']) }},
    {{ sqlmetrics.to_step(step, f.params.bins) }} as score
from {{ rows_from }} as scored
{{ 'inner' if keys else 'cross' }} join {{ range }}{{ sqlmetrics.on('scored', range, keys) if keys }}
{{- f.where }}
{{ sqlmetrics.thresholds_of_counts(dict(f, where='', two_level=false), 'stepped_scores' ~ f.suffix, keys) }}
{%- endmacro -%}

{#- The lowest and the highest finite value; NaN was dropped before. -#}
{%- macro ends_of(score) -%}
{%- set finite = 'case when abs(' ~ score ~ ') < ' ~ sqlmetrics.infinity() ~ ' then ' ~ score ~ ' end' -%}
{{ return(['min(' ~ finite ~ ') as lowest', 'max(' ~ finite ~ ') as highest']) }}
{%- endmacro -%}

{#- Points of a curve: first no predicted positives, then all thresholds from the highest. `row_key` rises with the score. -#}
{%- macro threshold_rows(m, f, keys) -%}
{%- set precision = 'tp / nullif(tp + fp, 0)' -%}
{%- set recall = 'tp / nullif(positives, 0)' -%}
{%- set undefined = m.get('zero_division') -%}
{%- if undefined is not none -%}
{%- set precision = 'coalesce(' ~ precision ~ ', ' ~ undefined ~ ')' -%}
{%- set recall = 'coalesce(' ~ recall ~ ', case when tp + fp > 0 then ' ~ undefined ~ ' else 0 end)' -%}
{%- endif -%}
select
    {{ sqlmetrics.select_list(keys + ['threshold', 'tp', 'fp']) }},
    {{ 'fn' if f.weighted else 'positives - tp as fn' }},
    {{ 'tn' if f.weighted else 'negatives - fp as tn' }},
    tp / nullif(positives, 0) as tpr,
    fp / nullif(negatives, 0) as fpr,
    {{ precision }} as {{ sqlmetrics.identifier('precision') }},
    {{ recall }} as recall
    {{- ',\n    row_key,\n    threshold as lowest_score' if m.banded }}
from (
    select
        {{- sqlmetrics.leading(keys + ([sqlmetrics.to_double('null') ~ ' as row_key'] if m.banded else []), depth=2) }}
        {{ sqlmetrics.infinity() }} as threshold,
        {{ sqlmetrics.to_double('0') }} as tp,
        {{ sqlmetrics.to_double('0') }} as fp,
        {{- sqlmetrics.leading(['positives as fn', 'negatives as tn'] if f.weighted else [], depth=2) }}
        positives,
        negatives
    from totals_of_scores{{ f.suffix }}
    union all
    select
        {{- sqlmetrics.leading(keys + ([('score' if m.points == 'all' else sqlmetrics.to_double(m.points ~ ' - bin')) ~ ' as row_key'] if m.banded else []), depth=2) }}
        score as threshold,
        true_positives as tp,
        false_positives as fp,
        {{- sqlmetrics.leading(['false_negatives as fn', 'true_negatives as tn'] if f.weighted else [], depth=2) }}
        positives,
        negatives
    from {{ f.cte }}
) as points
{%- endmacro -%}

{#- Edges of the equal score steps of a histogram. -#}
{%- macro edge_of_step(m, step) -%}lowest * (({{ m.bins }} - {{ step }}) / {{ m.bins }}) + highest * ({{ step }} / {{ m.bins }}){%- endmacro -%}

{%- macro columns_of_steps(m) -%}
{{ return([
    'cast(bin as bigint) + 1 as bin',
    sqlmetrics.edge_of_step(m, sqlmetrics.to_double('bin')) ~ ' as ' ~ sqlmetrics.identifier('lower'),
    sqlmetrics.edge_of_step(m, sqlmetrics.to_double('bin + 1')) ~ ' as ' ~ sqlmetrics.identifier('upper'),
    sqlmetrics.rows_of_table(m),
]) }}
{%- endmacro -%}

{#- The step of each score, or of another value, from 0. Comparisons with the exact edges correct the rounding of the quotient. `totals`
    are sums over all rows that the result includes. -#}
{%- macro scores_in_steps(m, f, from, where, keys, columns, score='score', totals={'pos': 'positives', 'neg': 'negatives'}) -%}
{%- set same = sqlmetrics.same_keys('scored', 'ends', keys) -%}
{%- set ends = sqlmetrics.ends_of(score) -%}
{%- for name, total in totals.items() -%}{%- do ends.append('sum(' ~ name ~ ') as ' ~ total) -%}{%- endfor -%}
select
    {{ sqlmetrics.select_list(keys + columns) }},
    case
        when {{ score }} >= highest then {{ m.bins - 1 }}
        when {{ score }} > lowest and {{ score }} >= {{ sqlmetrics.edge_of_step(m, '(candidate + 1)') }} then candidate + 1
        when {{ score }} > lowest and {{ score }} < {{ sqlmetrics.edge_of_step(m, 'candidate') }} then candidate - 1
        when {{ score }} > lowest then candidate
        else 0
    end as bin
from (
    select{{ sqlmetrics.broadcast('ends') }}
        {{ (sqlmetrics.keys_of('scored', keys) + columns + [score] + (['lowest', 'highest'] if 'lowest' not in columns else [])) | join(',\n        ') }},
        {{ sqlmetrics.to_double('floor(' ~ m.bins ~ ' * ((' ~ score ~ ' / 2 - lowest / 2) / nullif(highest / 2 - lowest / 2, 0)))') }} as candidate
    from {{ from }} as scored
    {{ 'inner' if keys else 'cross' }} join (
        select
            {{ (keys + ends) | join(',\n            ') }}
        from {{ f.cte }}
        {{- sqlmetrics.group_by(keys) | indent(8) }}
    ) as ends{{ sqlmetrics.on_conditions(same, depth=2) if same }}
    {{- sqlmetrics.indented(where) }}
) as candidates
{%- endmacro -%}

{%- macro sums_of_steps(m, f, keys, score='score', totals={'pos': 'positives', 'neg': 'negatives'}) -%}
{%- set columns = ['row_count'] + totals | list -%}
{%- set same_totals = ['lowest', 'highest'] + totals.values() | list -%}
select
    {{ sqlmetrics.select_list(keys + ['bin'] + sqlmetrics.for_each(columns, 'sum({0}) as {0}') + sqlmetrics.for_each(same_totals, 'max({0}) as {0}')) }}
from (
    {{ sqlmetrics.scores_in_steps(m, f, f.cte, '', keys, columns + same_totals, score, totals) | indent(4) }}
) as binned
{{- sqlmetrics.group_by(keys + ['bin']) }}
{%- endmacro -%}

{#- The area without positives, as a further argument of coalesce; without rows it is NULL. -#}
{%- macro without_positives(m) -%}
{{ ', case when sum(pos) = 0 then ' ~ sqlmetrics.number(m.no_positives) ~ ' end' if m.no_positives is not none }}
{%- endmacro -%}

{#- Whether a share is at least or at most a bound, with a tolerance for rounding of weight sums. -#}
{%- macro at_least(share, bound) -%}{{ share }} >= {{ sqlmetrics.number(bound) }} - 1e-9{%- endmacro -%}
{%- macro at_most(share, bound) -%}{{ share }} <= {{ sqlmetrics.number(bound) }} + 1e-9{%- endmacro -%}
