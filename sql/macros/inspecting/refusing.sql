{#- The statement with built-in checks: input that the runner would reject ends it with an error. It is the body of a DuckDB macro,
    whose values nobody inspects before or after.

    q         The plan, with `refuses` set.
    renamed   'name as shown' for the columns with another name in the steps. -#}
{%- macro refusing(q, renamed) -%}
{%- set ending -%}
select *{{ ' rename (' ~ renamed | join(', ') ~ ')' if renamed }}
from (
    {{ sqlmetrics.indented(sqlmetrics.composed(q)) }}
) as sqlmetrics_result
{%- endset -%}
{%- if not sqlmetrics.groups_are_inspected(q) -%}{{ return(sqlmetrics.give_line_breaks(ending)) }}{%- endif -%}
{%- set inspected = sqlmetrics.inspected_groups(q) -%}
{%- set message = "relation || ' ' || message || '; for example ' || example || ' (' || cast(row_count as " ~ sqlmetrics.type_text() ~ ") || ' in all)'" -%}
{%- set groups -%}
select
    count(case when finding = 'broken' then {{ sqlmetrics.raised_condition(message) }} end) = 0 as all_right
from {{ sqlmetrics.written_inside(inspected.steps, inspected['select']) }} as inspected_groups
{%- endset -%}
{%- set first = [sqlmetrics.step('sqlmetrics_groups', groups, 'checks across rows')] -%}
{{ return(sqlmetrics.give_line_breaks(sqlmetrics.written(first, ending ~ '\nwhere (select all_right from sqlmetrics_groups)'))) }}
{%- endmacro -%}

{#- The type of a score is unknown before the statement runs. Different scores must remain different as doubles, unlike integers
    beyond 2^53 and decimals of more than 15 significant digits. -#}
{%- macro score_or_refused(score) -%}
{%- set digits = "length(trim(replace(replace(cast(" ~ score ~ " as varchar), '.', ''), '-', ''), '0'))" -%}
{%- set message = "'score: ' || cast(" ~ score ~ " as varchar) || ' (' || typeof(" ~ score ~ ") || ') has more digits than a double: it would tie with others; subtract what they have in common, or cast it'" -%}
case when (typeof({{ score }}) like 'DECIMAL%' or (typeof({{ score }}) in ('BIGINT', 'UBIGINT', 'HUGEINT', 'UHUGEINT') and abs({{ sqlmetrics.to_double(score) }}) > 9007199254740992)) and {{ digits }} > 15 then error({{ message }}) else {{ score }} end
{%- endmacro -%}

{#- NaN is a missing user like NULL, even if file statistics exclude it. -#}
{%- macro id_or_null(id) -%}
case when typeof({{ id }}) in ('DOUBLE', 'FLOAT') and {{ sqlmetrics.fails(sqlmetrics.is_number('try_' ~ sqlmetrics.to_double(id))) }} then null else {{ id }} end
{%- endmacro -%}
