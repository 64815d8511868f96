{#- Bootstrap draws of a cluster per replicate: four digits of the md5 of cluster, digest number and seed. They are the same on every
    engine, for every model and slice. A digest has the draws of eight replicates, the columns of the step draws. The step
    draws_of_clusters has one row per replicate. -#}
{%- macro draw_steps(q, sources) -%}
{%- set numeric = sqlmetrics.dialect_table().number_digest is not none -%}
{%- set digested = "cluster_name || ':' || cast(digest_number as " ~ sqlmetrics.type_text() ~ ") || ':" ~ q.interval_options.seed ~ "'" -%}
{%- set steps -%}
{{ sqlmetrics.cte('digests', 'one digest per cluster and eight replicates') }}
select
    cluster_name,
    digest_number,
    {{ sqlmetrics.dialect_text('number_digest' if numeric else 'text_digest', digested) }} as digest
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
{{- sqlmetrics.dialect_table().fence_if_read_once }}
{{ sqlmetrics.cte('draws', 'draws of each cluster, eight replicates per row', materialized=true) }}
select
    cluster_name,
    digest_number
{%- for number in range(1, 9) %},
    {{ sqlmetrics.to_tinyint(sqlmetrics.indented(sqlmetrics.count_by_digits('digits_' ~ number, numeric))) }} as resample_count_{{ number }}
{%- endfor %}
from (
    select
        cluster_name,
        digest_number
{%- for number in range(1, 9) %},
{#- Four digits, numbered from 1. The last two come first, as in a number with reversed bytes. 64 bits are faster to cut than 128. #}
{%- set half = 'cast(digest' ~ (' & 18446744073709551615' if number < 5 else ' >> 64') ~ ' as ubigint)' %}
{%- set hex = 'substr(digest, ' ~ (4 * number - 1) ~ ', 2) || substr(digest, ' ~ (4 * number - 3) ~ ', 2)' %}
        {{ '(' ~ half ~ ' >> ' ~ (16 * ((number - 1) % 4)) ~ ') & 65535' if numeric else hex }} as digits_{{ number }}
{%- endfor %}
    from digests
    {{- sqlmetrics.indented(sqlmetrics.dialect_table().fence_if_read_once) }}
) as digits_of_digests
{{ sqlmetrics.cte('draws_of_clusters', 'one per cluster and replicate') }}
{{ sqlmetrics.one_per_replicate(q, ['cluster_name'], 'draws', ['resample_count']) }}
{%- endset -%}
{{ return(sqlmetrics.steps_in(steps)) }}
{%- endmacro -%}

{#- Cumulative Poisson distribution of mean 1, in units of 2⁻¹⁶, where the mean is exactly 1. Four digits cannot resolve nine draws or
    more, whose probability is one in a million. -#}
{%- macro count_by_digits(digits, numeric) -%}
case
{%- for end in ['5e2d', 'bc5b', 'eb71', 'fb24', 'ff10', 'ffd9', 'fffb', 'ffff'] %}
    {{- '\n    ' if loop.index0 % 4 == 0 else ' ' }}when {{ digits }} < {{ end | int(base=16) if numeric else "'" ~ end ~ "'" }} then {{ loop.index0 }}
{%- endfor %}
    else 8
end
{%- endmacro -%}

{#- Unpivots the columns of eight replicates, resample_count_1 to resample_count_8. -#}
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
