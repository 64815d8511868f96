{#- The number of first rows, and of distinct scores per model in them. Nothing is materialized, so that no more rows are read. -#}
{%- macro first_scores(q, count) -%}
{%- set scores = sqlmetrics.score_columns(q) -%}
{%- set first_scores -%}
select
    count(*) as sampled,
    {{ 'count(distinct ' ~ scores | join('),\n    count(distinct ') ~ ')' }}
from (
    select
        {{ scores | join(',\n        ') }}
    from source
    where {{ scores | join(' is not null\n        and ') }} is not null
    limit {{ count }}
) as first_rows
{%- endset -%}
{{ sqlmetrics.read_from_source(q, first_scores) }}
{%- endmacro -%}

{%- macro read_from_source(q, select) -%}
{{ sqlmetrics.give_line_breaks(sqlmetrics.written(sqlmetrics.inputs_of_rows(q, false) + [sqlmetrics.source_step(q, false)], select)) }}
{%- endmacro -%}

{#- Score columns of the source: one per model, or the single `score`. -#}
{%- macro score_columns(q) -%}
{%- set scores = sqlmetrics.for_each(range(1, sqlmetrics.scored_models(q) | length + 1), 'score_{0}') -%}
{{ return(scores if scores or 'score' not in q.columns else ['score']) }}
{%- endmacro -%}

{#- Whether there are labels other than 0 and 1, labels below 0, and scores that are not probabilities. -#}
{%- macro kinds_of_values(q) -%}
{%- set label = 'max(case when ' ~ sqlmetrics.presence_in_line(q, 'label') ~ ' and label ' -%}
{%- set kinds_of_values -%}
select
    count(*) as row_count,
    {{ label ~ '<> 0 and label <> 1 then 1 else 0 end)' if 'label' in q.columns else '0' }} as graded,
    {{ label ~ '< 0 then 1 else 0 end)' if 'label' in q.columns else '0' }} as negative,
    0
    {%- for score in sqlmetrics.score_columns(q) %} + max(case when {{ sqlmetrics.presence_in_line(q, score) }} and ({{ score }} < 0 or {{ score }} > 1) then 1 else 0 end){% endfor %} as unbounded
from source
{%- endset -%}
{{ sqlmetrics.read_from_source(q, kinds_of_values) }}
{%- endmacro -%}

{%- macro presence_in_line(q, column) -%}{{ sqlmetrics.is_present([column], q.whole_columns) | replace('\n    ', ' ') }}{%- endmacro -%}

{#- Problems of the input, for an error or a warning: the rows that break each rule, and the rows that miss each required column. The
    runner runs this only after the statement itself has reported a problem. -#}
{%- macro inspection(q) -%}
{%- set inspected = sqlmetrics.inspected_values(q) -%}
{{ sqlmetrics.give_line_breaks(sqlmetrics.written(inspected.steps, inspected['select'] ~ '\norder by position asc')) }}
{% endmacro -%}

{#- The same as steps and final select, for a longer statement. Each row names its subject: the role and the user's column, with the score or
    the relation of a comparison. -#}
{%- macro inspected_values(q) -%}
{%- set alone = {'by': [], 'groupings': [], 'models': q.models, 'columns': q.columns, 'against': q.against, 'comparison': none, 'row_ids': false} -%}
{%- set steps = sqlmetrics.inputs_of_rows(q) + [sqlmetrics.source_step(q, q.materialized)] + ([sqlmetrics.unpivoted_models_step(alone)] if q.models else []) -%}
{%- set from = steps[-1].name -%}
{%- set select -%}
{%- for problem in q.problems -%}
{{ '\nunion all\n' if not loop.first }}select
    'broken' as finding,
    {{ loop.index0 }} as position,
    {{ sqlmetrics.subject_of_column(q, problem.column) }} as subject,
    {{ sqlmetrics.text_literal(problem.message) }} as message,
    count(*) as row_count,
    min(cast({{ problem.column }} as {{ sqlmetrics.type_text() }})) as example
from {{ from }}
where {{ sqlmetrics.is_present(q.required, q.whole_columns) if q.required else '1 = 1' }}
    and {{ sqlmetrics.presence_in_line(q, problem.column) }}
    and not ({{ sqlmetrics.keeps(problem) }})
{{- '\ngroup by model_id' if q.models }}
having count(*) > 0
{%- endfor -%}
{%- for column in sqlmetrics.distinct(sqlmetrics.flat(q.metrics | map(attribute='requires'))) -%}
{%- set of_models = q.models and column == 'score' -%}
{%- set relation = q.columns.get(column, {}).get('looked_up') -%}
{{ '\nunion all\n' if q.problems or not loop.first }}select
    'missing' as finding,
    {{ q.problems | length + loop.index0 }} as position,
    {{ sqlmetrics.subject_of_column(q, column) if of_models else sqlmetrics.text_literal(q.role_words[column]) }} as subject,
    '{{ ', which ' ~ relation ~ ' does not have,' if relation }}' as message,
    count(*) as row_count,
    cast(null as {{ sqlmetrics.type_text() }}) as example
from {{ from if of_models else 'source' }}
where {{ sqlmetrics.fails(sqlmetrics.presence_in_line(q, column)) }}
{{- '\ngroup by model_id' if of_models }}
having count(*) > 0
{%- endfor -%}
{%- endset -%}
{{ return({'steps': steps, 'select': select}) }}
{%- endmacro -%}

{%- macro subject_of_column(q, column) -%}
{%- if q.models and q.against is not none -%}
{{ sqlmetrics.text_of_model(q, 'model_id', q.role_words[column] ~ ' of ') }}
{%- elif q.models and column == 'score' -%}
{{ sqlmetrics.text_of_model(q, 'model_id', "score (column '", "')") }}
{%- else -%}
{{ sqlmetrics.text_literal(q.role_words[column]) }}
{%- endif -%}
{%- endmacro -%}
