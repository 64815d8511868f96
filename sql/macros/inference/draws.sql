{#- How often a replicate of the bootstrap draws a cluster: four digits of the md5 of cluster, digest number and seed, so the same on
    every engine, for every model and slice. A digest holds the draws of eight replicates, which are the columns of the step draws;
    draws_of_clusters has them one by one. -#}
{%- macro draw_steps(q, sources) -%}
{%- set steps -%}
{{ sqlmetrics.cte('digests', 'of each cluster a digest for every eight replicates') }}
select
    cluster_name,
    digest_number,
    {{ sqlmetrics.digest_of_draws("cluster_name || ':' || cast(digest_number as " ~ sqlmetrics.type_text() ~ ") || ':" ~ q.interval_options.seed ~ "'") }} as digest
from (
{%- for step in sources %}
    select{{ ' distinct' if sources | length == 1 }}
        cluster_name
    from {{ step }}
{%- if not loop.last %}
    {{ sqlmetrics.union_distinct() }}
{%- endif -%}
{%- endfor %}
) as clusters
cross join (
    {{ sqlmetrics.indented(sqlmetrics.series((q.interval_options.replicates + 7) // 8, 'digest_number')) }}
) as numbers
{{- sqlmetrics.fence_if_read_once() }}
{{ sqlmetrics.cte('draws', 'how often each replicate draws a cluster, eight replicates in a row', stored=true) }}
select
    cluster_name,
    digest_number
{%- for number in range(1, 9) %},
    {{ sqlmetrics.to_tinyint(sqlmetrics.indented(sqlmetrics.drawn_by_digits('digits_' ~ number))) }} as drawn_{{ number }}
{%- endfor %}
from (
    select
        cluster_name,
        digest_number
{%- for number in range(1, 9) %},
        {{ sqlmetrics.digits_of_digest('digest', number) }} as digits_{{ number }}
{%- endfor %}
    from digests
    {{- sqlmetrics.indented(sqlmetrics.fence_if_read_once()) }}
) as digits_of_digests
{{ sqlmetrics.cte('draws_of_clusters', 'one per cluster and replicate') }}
{{ sqlmetrics.one_per_replicate(q, ['cluster_name'], 'draws', ['drawn']) }}
{%- endset -%}
{{ return(sqlmetrics.steps_in(steps)) }}
{%- endmacro -%}

{#- The distribution function of the Poisson distribution of mean 1, in units of 2⁻¹⁶, in which the mean is exactly 1. Four digits
    cannot tell apart nine draws or more, which come once in a million. -#}
{%- macro drawn_by_digits(digits) -%}
case
{%- for end in ['5e2d', 'bc5b', 'eb71', 'fb24', 'ff10', 'ffd9', 'fffb', 'ffff'] %}
    {{- '\n    ' if loop.index0 % 4 == 0 else ' ' }}when {{ digits }} < {{ sqlmetrics.digits_as_compared(end) }} then {{ loop.index0 }}
{%- endfor %}
    else 8
end
{%- endmacro -%}

{#- Columns for eight replicates (drawn_1 to drawn_8) as one row per replicate. -#}
{%- macro one_per_replicate(q, keys, from, columns) -%}
select
    {{ sqlmetrics.select_list(keys) }}{{ ',' if keys }}
    8 * digest_number + draw + 1 as replicate
{%- for column in columns %},
    case draw
{%- for draw in range(8) %}
        when {{ draw }} then {{ column }}_{{ draw + 1 }}
{%- endfor %}
    end as {{ column }}
{%- endfor %}
from {{ from }}
cross join (
    {{ sqlmetrics.indented(sqlmetrics.series(8, 'draw')) }}
) as draws_of_digest
where 8 * digest_number + draw < {{ q.interval_options.replicates }}
{%- endmacro -%}

{#- The digest in the form in which the engine compares four digits of it fastest. -#}
{%- macro digest_of_draws(text) -%}
{{ adapter.dispatch('sqlmetrics_digest_of_draws', 'sqlmetrics')(text) }}
{%- endmacro -%}

{%- macro default__sqlmetrics_digest_of_draws(text) -%}
{{ sqlmetrics.text_digest(text) }}
{%- endmacro -%}

{#- Four digits, numbered from 1; the latter two of them come first, as in a number whose last byte is the first of the digest. -#}
{%- macro digits_of_digest(digest, number) -%}
{{ adapter.dispatch('sqlmetrics_digits_of_digest', 'sqlmetrics')(digest, number) }}
{%- endmacro -%}

{%- macro default__sqlmetrics_digits_of_digest(digest, number) -%}
substr({{ digest }}, {{ 4 * number - 1 }}, 2) || substr({{ digest }}, {{ 4 * number - 3 }}, 2)
{%- endmacro -%}

{#- Digits and letters sort as the numbers do. -#}
{%- macro digits_as_compared(digits) -%}
{{ adapter.dispatch('sqlmetrics_digits_as_compared', 'sqlmetrics')(digits) }}
{%- endmacro -%}

{%- macro default__sqlmetrics_digits_as_compared(digits) -%}
'{{ digits }}'
{%- endmacro -%}
