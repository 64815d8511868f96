{#- The lowest and the highest finite value among scores of the source, in the rows that keep a condition: steps (`step` is what the
    first is called), and a query with the columns `lowest` and `highest`.

    Some engines answer from the statistics of a file, and read nothing, as long as there is no condition on the scores. They are
    asked for all ends first, and read the scores only where one of these is infinite or NaN, which they count as the highest
    value. Statistics that leave NaN out are as good: it is no end. -#}
{%- macro finite_ends(step, scores, condition='') -%}
{%- if not sqlmetrics.answers_from_statistics() -%}
{{ return({
    'steps': [],
    'query': '(\n    ' ~ sqlmetrics.indented(sqlmetrics.ends_where_finite(scores, condition)) ~ '\n)',
    'reads': ['source'],
}) }}
{%- endif -%}
{%- set all_ends -%}
select
    lowest,
    highest,
    case when {{ sqlmetrics.is_finite_number('lowest') }} and {{ sqlmetrics.is_finite_number('highest') }} then 1 else 0 end as are_finite
from (
    select
        {{ sqlmetrics.ends_of(scores) | join(',\n        ') }}
    from source
    {{- '\n    where ' ~ sqlmetrics.indented(condition) if condition }}
) as ends
{%- endset -%}
{%- set either -%}
(
    select
        max(lowest) as lowest,
        max(highest) as highest
    from (
        select
            lowest,
            highest
        from {{ step }}
        where are_finite = 1
        union all
        {{ sqlmetrics.indented(sqlmetrics.indented(sqlmetrics.ends_where_finite(scores, condition, unless=step))) }}
    ) as ends_of_either
)
{%- endset -%}
{{ return({
    'steps': [sqlmetrics.step(step, all_ends, 'the ends of the scores, from the statistics of a file where it has them', ['source'], stored=true)],
    'query': either,
    'reads': [step, step, 'source'],
}) }}
{%- endmacro -%}

{%- macro ends_of(values) -%}
{%- set lowest, highest = [], [] -%}
{%- for value in values -%}
{%- do lowest.append('min(' ~ value ~ ')') -%}
{%- do highest.append('max(' ~ value ~ ')') -%}
{%- endfor -%}
{%- set several = values | length > 1 -%}
{{ return([
    ('least(' ~ lowest | join(', ') ~ ')' if several else lowest[0]) ~ ' as lowest',
    ('greatest(' ~ highest | join(', ') ~ ')' if several else highest[0]) ~ ' as highest',
]) }}
{%- endmacro -%}

{%- macro ends_where_finite(scores, condition, unless='') -%}
{%- set values = [] -%}
{%- for score in scores -%}{%- do values.append('case when ' ~ sqlmetrics.is_finite_number(score) ~ ' then ' ~ score ~ ' end') -%}{%- endfor -%}
select
    {{ sqlmetrics.lines(sqlmetrics.ends_of(values)) }}
from source
{%- if unless %}
cross join (
    select are_finite
    from {{ unless }}
    where are_finite = 0
) as otherwise
{%- endif -%}
{{- '\nwhere ' ~ condition if condition }}
{%- endmacro -%}
