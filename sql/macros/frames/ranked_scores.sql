{#-
title: ranked scores
rows: one per row of the log, unweighted
state: scores
counts: count(*)
columns: pos, neg, rows_above, share_through and, where a metric uses them, true_positives (at this score or above), positives_from_here (at this score or below), positives and negatives (totals)
-#}

{#- rows_above counts the rows with a higher score, share_through is the share of the slice's rows with this score or a
    higher one. Both come from one sort: rank() and cume_dist() over the same window took 0.50 s on ten million rows, and
    rank() with count(*) over (partition by score) 0.93 s. -#}
{%- macro ranked_scores(f, rows_from, keys) -%}
{%- set rows = sqlmetrics.rows_to_rank(f, rows_from, keys) -%}
{%- set by_score = sqlmetrics.over(keys, 'score desc') -%}
{{ rows.text }}
{{ sqlmetrics.cte(f.cte, f.rows) }}
select
    {{- sqlmetrics.leading(keys) }}
{%- if 'group_hash' in keys %}
    group_id,
{%- endif %}
    {{- sqlmetrics.leading(f.placed or []) }}
    {{ sqlmetrics.to_double('is_positive') }} as pos,
{%- if f.kept %}
    {{ sqlmetrics.to_double('1 - is_positive') }} as neg,
{%- endif %}
{%- if f.cuts %}
    score,
{%- endif %}
{%- if 'true_positives' in f.uses %}
    {{ sqlmetrics.to_double('sum(is_positive) ' ~ by_score) }} as true_positives,
{%- endif %}
{%- if 'positives_from_here' in f.uses %}
    {{ sqlmetrics.to_double('sum(is_positive) ' ~ sqlmetrics.over(keys, 'score desc range between current row and unbounded following')) }} as positives_from_here,
{%- endif %}
{%- if 'totals' in f.uses %}
{#- Over the order of the ranks, so that these need no pass over the rows of their own. #}
{%- set whole = sqlmetrics.over(keys, 'score desc rows between unbounded preceding and unbounded following') %}
    {{ sqlmetrics.to_double('sum(is_positive) ' ~ whole) }} as positives,
    {{ sqlmetrics.to_double('sum(1 - is_positive) ' ~ whole) }} as negatives,
{%- endif %}
    rank() {{ by_score }} - 1 as rows_above,
    cume_dist() {{ by_score }} as share_through
from {{ rows.from }}
{%- endmacro -%}

{#- What is sorted: the narrower the rows, the faster. Where nothing but ranks is made of the rows, they have the label in a byte
    from the beginning. `from`: a step; `text`: the steps down to there. -#}
{%- macro rows_to_rank(f, rows_from, keys) -%}
{%- if f.only_ranked and not f.where -%}{{ return({'from': rows_from, 'text': ''}) }}{%- endif -%}
{%- set name = ('labelled_group_scores' if 'group_id' in keys or 'group_hash' in keys else 'labelled_scores') ~ f.suffix -%}
{%- set text -%}
{{ sqlmetrics.cte(name, 'what is sorted') }}
select
    {{- sqlmetrics.leading(keys + (['group_id'] if 'group_hash' in keys else []) + (f.placed or [])) }}
    {{ 'is_positive' if f.only_ranked else sqlmetrics.to_tinyint('pos') ~ ' as is_positive' }},
    score
from {{ rows_from }}
{{- f.where }}
{%- endset -%}
{{ return({'from': name, 'text': text}) }}
{%- endmacro -%}

{#- P(score of a positive > score of a negative) + ½ P(equal), from either form of ranks.
    Rows: a positive's mean rank from the top counts the negatives above it, half of those tied with it, and the
    positives above it; the latter add up to P²/2 whatever the order. Thresholds: the same, counted directly. Of weights the
    products of their sums may be too large or too small for doubles: `weighted` takes shares of the totals, which a metric
    gets by `uses: [totals_of_weights]`. -#}
{%- macro area_under_roc(frame, weighted=false) -%}
{%- if frame == 'ranked_scores' -%}
1 - {{ sqlmetrics.negatives_above() }} / nullif(sum(pos) * (count(*) - sum(pos)), 0)
{%- elif weighted -%}
1 - sum(pos / nullif(positives, 0) * ((false_positives - neg / 2) / nullif(negatives, 0)))
{%- else -%}
1 - sum(pos * (false_positives - neg / 2)) / nullif(sum(pos) * sum(neg), 0)
{%- endif -%}
{%- endmacro -%}

{#- The pairs of a positive and a negative with a higher score, and half of those with the same, of ranks. A share of the rows is a
    count but for its last bits, without which a perfect order is 1 and not more. -#}
{%- macro negatives_above() -%}
(
    (sum(pos * rows_above) + round(count(*) * sum(pos * share_through))) / 2
    - sum(pos) * sum(pos) / 2
)
{%- endmacro -%}

{#- How fast the area moves with the weight of a cluster: by the share of all pairs that its rows win, each of them against the
    other class, beyond what rows of its weight would win. -#}
{%- macro influence_on_area() -%}pairs_won - area * (share_of_positives + share_of_negatives){%- endmacro -%}

{#- By how much the AUC of steps may be wrong: half of the pairs that share a step. -#}
{%- macro doubt_of_steps(weighted) -%}
{%- if weighted -%}
sum(pos / nullif(positives, 0) * (neg / nullif(negatives, 0))) / 2
{%- else -%}
sum(pos * neg) / 2 / nullif(sum(pos) * sum(neg), 0)
{%- endif -%}
{%- endmacro -%}
