{#- How many of the first rows there are, and how many scores each model has among them: nothing is stored, so that no more is
    read. -#}
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

{#- The scores as the source has them: of each model its own, or the one that there is. -#}
{%- macro score_columns(q) -%}
{%- set scores = [] -%}
{%- for model in sqlmetrics.scored_models(q) -%}{%- do scores.append('score_' ~ loop.index) -%}{%- endfor -%}
{{ return(scores if scores or 'score' not in q.columns else ['score']) }}
{%- endmacro -%}

{#- What the truth and the scores are: whether there is a truth other than 0 and 1, or below 0, and a score that is no
    probability. -#}
{%- macro kinds_of_values(q) -%}
{%- set scores = sqlmetrics.score_columns(q) -%}
{%- set others = ['0'] -%}
{%- for score in scores -%}
{%- do others.append('max(case when ' ~ (sqlmetrics.is_given([score], q.whole_columns) | replace('\n    ', ' ')) ~ ' and (' ~ score ~ ' < 0 or ' ~ score ~ ' > 1) then 1 else 0 end)') -%}
{%- endfor -%}
{%- set label = sqlmetrics.is_given(['label'], q.whole_columns) | replace('\n    ', ' ') -%}
{%- set kinds_of_values -%}
select
    count(*) as row_count,
    {{ 'max(case when ' ~ label ~ ' and label <> 0 and label <> 1 then 1 else 0 end)' if 'label' in q.columns else '0' }} as graded,
    {{ 'max(case when ' ~ label ~ ' and label < 0 then 1 else 0 end)' if 'label' in q.columns else '0' }} as negative,
    {{ others | join(' + ') }} as unbounded
from source
{%- endset -%}
{{ sqlmetrics.read_from_source(q, kinds_of_values) }}
{%- endmacro -%}

{#- What is wrong with the input, for an error or a warning: per rule the rows that break it, per needed column the rows
    in which it is missing. The runner asks only after the statement itself has told that there is something to ask. -#}
{%- macro inspection(q) -%}
{%- set inspected = sqlmetrics.inspected_values(q) -%}
{{ sqlmetrics.give_line_breaks(sqlmetrics.written(inspected.steps, inspected['select'] ~ '\norder by position asc')) }}
{% endmacro -%}

{#- The same as steps and their ending, for a statement that does more with it. -#}
{%- macro inspected_values(q) -%}
{%- set steps = sqlmetrics.inputs_of_rows(q) + [sqlmetrics.source_step(q, q.stored)] -%}
{%- set alone = {'by': [], 'groupings': [], 'models': q.models, 'columns': q.columns, 'against': q.against, 'comparison': none, 'row_ids': false} -%}
{%- if q.models -%}{%- do steps.append(sqlmetrics.compared_step(alone)) -%}{%- endif -%}
{%- set from = 'compared' if q.models else 'source' -%}
{%- set names = [] -%}
{%- for model in q.models -%}
{%- do names.append('when ' ~ loop.index ~ ' then ' ~ sqlmetrics.text_literal(model.name)) -%}
{%- endfor -%}
{%- set model = 'case model_id ' ~ names | join(' ') ~ ' end' if names else "''" -%}
{%- set parts = [] -%}
{%- for problem in q.problems -%}
{%- set position = loop.index0 -%}
{%- set part -%}
select
    'broken' as kind,
    {{ position }} as position,
    '{{ problem.column }}' as column_name,
    {{ model }} as model,
    count(*) as row_count,
    min(cast({{ problem.column }} as {{ sqlmetrics.type_text() }})) as example
from {{ from }}
where {{ sqlmetrics.is_given(q.required, q.whole_columns) if q.required else '1 = 1' }}
    and {{ sqlmetrics.is_given([problem.column], q.whole_columns) | replace('\n    ', ' ') }}
    and not ({{ sqlmetrics.keeps(problem) }})
{{- '\ngroup by model_id' if q.models }}
having count(*) > 0
{%- endset -%}
{%- do parts.append(part) -%}
{%- endfor -%}
{%- set needed = [] -%}
{%- for m in q.metrics -%}
{%- for column in m.requires if column not in needed -%}{%- do needed.append(column) -%}{%- endfor -%}
{%- endfor -%}
{%- for column in needed -%}
{%- set position = q.problems | length + loop.index0 -%}
{%- set part -%}
select
    'missing' as kind,
    {{ position }} as position,
    '{{ column }}' as column_name,
    {{ model if column == 'score' else "''" }} as model,
    count(*) as row_count,
    cast(null as {{ sqlmetrics.type_text() }}) as example
from {{ from if column == 'score' else 'source' }}
where {{ sqlmetrics.fails(sqlmetrics.is_given([column], q.whole_columns) | replace('\n    ', ' ')) }}
{{- '\ngroup by model_id' if q.models and column == 'score' }}
having count(*) > 0
{%- endset -%}
{%- do parts.append(part) -%}
{%- endfor -%}
{{ return({'steps': steps, 'select': parts | join('\nunion all\n')}) }}
{%- endmacro -%}
