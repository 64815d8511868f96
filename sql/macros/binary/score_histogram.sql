{#-
title: Histogram of the scores by class
answers: [order, drifted]
formula: positives and negatives in equal steps of the score, from its lowest to its highest
frame: thresholds
uses: [counts]
truth: binary
score: number
table: true
columns: [bin, lower, upper, rows, positives, negatives, share_of_positives, share_of_negatives]
order: [bin]
range: counts 0 and up; shares 0 to 1
undefined: a share is NULL where its class is missing; bins without rows are left out
oracle: numpy.histogram
source: Pearson, Phil. Trans. R. Soc. A 186 (1895)
notes: A bin holds its lower edge, the last one the highest score too; edge i is lowest · (bins − i) / bins + highest · i / bins. An infinite score is in the first or the last bin.
parameters:
  bins: {type: integer, default: 20, minimum: 1, doc: number of bins}
example: {label: [1, 0, 1, 0], score: [0.9, 0.8, 0.3, 0.1], call: score_histogram(bins=2), column: positives, result: [1.0, 1.0]}
-#}
{%- macro score_histogram__table(m, f, keys) -%}
{%- set finite = 'case when abs(score) < ' ~ sqlmetrics.infinity() ~ ' then score end' -%}
{%- set same = sqlmetrics.same_keys('scored', 'ends', keys) -%}
{%- set own = [] -%}
{%- for key in keys -%}{%- do own.append('scored.' ~ key ~ ' as ' ~ key) -%}{%- endfor -%}
{%- set edge = 'lowest * ((' ~ m.bins ~ ' - place) / ' ~ m.bins ~ ') + highest * (place / ' ~ m.bins ~ ')' -%}
select
    {{ sqlmetrics.lines(keys + [
        'cast(bin as bigint) + 1 as bin',
        edge | replace('place', sqlmetrics.to_double('bin')) ~ ' as ' ~ sqlmetrics.identifier('lower'),
        edge | replace('place', sqlmetrics.to_double('bin + 1')) ~ ' as ' ~ sqlmetrics.identifier('upper'),
        'cast(row_count as bigint) as ' ~ sqlmetrics.identifier('rows'),
        'pos as positives',
        'neg as negatives',
        'pos / nullif(positives, 0) as share_of_positives',
        'neg / nullif(negatives, 0) as share_of_negatives',
    ]) }}
from (
    select
        {{ (keys + [
            'bin',
            'sum(row_count) as row_count',
            'sum(pos) as pos',
            'sum(neg) as neg',
            'max(lowest) as lowest',
            'max(highest) as highest',
            'max(positives) as positives',
            'max(negatives) as negatives',
        ]) | join(',\n        ') }}
    from (
        select
            {{ (keys + ['row_count', 'pos', 'neg', 'lowest', 'highest', 'positives', 'negatives']) | join(',\n            ') }},
            case
                when score >= highest then {{ m.bins - 1 }}
                when score > lowest and score >= {{ edge | replace('place', '(candidate + 1)') }} then candidate + 1
                when score > lowest and score < {{ edge | replace('place', 'candidate') }} then candidate - 1
                when score > lowest then candidate
                else 0
            end as bin
        from (
            select{{ sqlmetrics.broadcast('ends') }}
                {{ (own + ['score', 'row_count', 'pos', 'neg', 'lowest', 'highest', 'positives', 'negatives']) | join(',\n                ') }},
                {{ sqlmetrics.to_double('floor(' ~ m.bins ~ ' * ((score / 2 - lowest / 2) / nullif(highest / 2 - lowest / 2, 0)))') }} as candidate
            from {{ f.cte }} as scored
            {{ 'inner' if keys else 'cross' }} join (
                select
                    {{ (keys + [
                        'min(' ~ finite ~ ') as lowest',
                        'max(' ~ finite ~ ') as highest',
                        'sum(pos) as positives',
                        'sum(neg) as negatives',
                    ]) | join(',\n                    ') }}
                from {{ f.cte }}
                {{- sqlmetrics.group_by(keys) | indent(16) }}
            ) as ends
            {{- '\n                on ' ~ same | join('\n                and ') if same }}
        ) as candidates
    ) as binned
    {{ sqlmetrics.group_by(keys + ['bin']) | trim | indent(4) }}
) as bins
{%- endmacro -%}
