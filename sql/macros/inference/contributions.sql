{#- Sums of metrics per cluster. -#}

{#- The sums of each cluster or, without clusters, of each unit. With `texts`, clusters have text names, the keys of draws. -#}
{%- macro contributions(q, f, slicing, name, sums, texts=false) -%}
{%- set keys = slicing['keys'] -%}
{%- set rows = sqlmetrics.rows_of(f, slicing) -%}
{%- set of_groups = f.unit == 'group' -%}
{%- set are_groups = sqlmetrics.clusters_are_groups(q, f) -%}
{%- set alone = not texts and (are_groups or q.interval_options.cluster is none) -%}
{%- set cluster = 'own_cluster' if of_groups and not are_groups else sqlmetrics.cluster_column(q, f) -%}
{%- if texts -%}
{%- set cluster = sqlmetrics.name_of_cluster(q, cluster, sqlmetrics.cluster_column(q, f)) if of_groups else 'cluster_name' -%}
{%- endif -%}
{%- set joined = sqlmetrics.clusters_of_groups(f, slicing) if of_groups and not are_groups else none -%}
{%- set steps = [joined.step] if joined else [sqlmetrics.named_rows_step(q, slicing, materialized=true)] if texts and not of_groups else [] -%}
{%- set sums_of_clusters -%}
select
    {{- sqlmetrics.leading(keys) }}
{%- if texts or sqlmetrics.clusters_are_named(q, f) %}
    {{ cluster ~ ('' if cluster == 'cluster_name' else ' as cluster_name') }},
{%- endif %}
{%- for column, value in sums.items() %}
{%- set sum = sqlmetrics.indented(value if alone else 'sum(' ~ value ~ ')') %}
{%- set no_less = 'coalesce(\n        ' ~ sum ~ ',\n        0\n    )' if sum | length > 90 and '\n' not in sum else 'coalesce(' ~ sum ~ ', 0)' %}
    {{ sqlmetrics.to_double(no_less) }} as {{ column }}{{ ',' if not loop.last }}
{%- endfor %}
from {{ 'named_rows' if texts and not of_groups else rows.step }}
{%- if joined %} as grouped
left join {{ joined.step.name }} as clusters{{ sqlmetrics.on_conditions(joined.same) }}
{%- endif -%}
{{- rows.where }}
{{- sqlmetrics.group_by(keys + [cluster]) if not alone }}
{%- endset -%}
{%- set comment = 'contributions of a ' ~ f.unit ~ ' to the sums' if alone else 'one per cluster' -%}
{{ return(steps + [sqlmetrics.step(name, sums_of_clusters, comment, materialized=not alone)]) }}
{%- endmacro -%}

{#- The cluster of each group as own_cluster, and the join of groups (`grouped`) to `clusters`. A group is in one cluster. -#}
{%- macro clusters_of_groups(f, slicing) -%}
{%- set keys = slicing['keys'] + ['group_id'] -%}
{%- set same = sqlmetrics.for_each(keys, 'grouped.{0} = clusters.own_{0}') -%}
{%- set of_groups -%}
select
{%- for key in keys %}
    {{ key }} as own_{{ key }},
{%- endfor %}
    max(cluster_id) as own_cluster
from {{ slicing.rows_from }}
{{- f.where }}
{{- sqlmetrics.group_by(keys) }}
{%- endset -%}
{{ return({'step': sqlmetrics.step(f.cte ~ '_clusters', of_groups, 'one per group'), 'same': same}) }}
{%- endmacro -%}

{#- The text key of a cluster for draws, buckets and digests. Rows without a cluster form a cluster too. A `column` that may have
    fractions writes whole values as integers: 12.0 is 12 on another day or engine. -#}
{%- macro name_of_cluster(q, cluster, column) -%}
{%- set text = sqlmetrics.to_text(cluster) -%}
{%- if column in q.columns and q.columns[column].is_number is defined and column not in q.whole_columns -%}
{%- set whole = sqlmetrics.to_text('cast(' ~ cluster ~ ' as bigint)') -%}
{%- set text = 'case when ' ~ cluster ~ ' = floor(' ~ cluster ~ ') and abs(' ~ cluster ~ ') < 1e15 then ' ~ whole ~ ' else ' ~ text ~ ' end' -%}
{%- endif -%}
{{ return('coalesce(' ~ text ~ ", 'rows without a cluster')") }}
{%- endmacro -%}

{#- Whether rows form groups although the frame is not of groups: a list, or the ratings of an item. -#}
{%- macro is_made_of_groups(f) -%}
{{ return('group_id' in f.requires and f.unit != 'group') }}
{%- endmacro -%}

{#- Suffix of steps in which, without clusters, such groups are the clusters. -#}
{%- macro of_groups(q, f) -%}
{{ return('_of_groups' if q.interval_options is not none and q.interval_options.cluster is none and sqlmetrics.is_made_of_groups(f) else '') }}
{%- endmacro -%}

{#- Rows with the name of their cluster. Without clusters, the name is the row number or the group. A row that is its own cluster is
    in one slice. -#}
{%- macro named_rows_step(q, slicing, of='', materialized=false) -%}
{%- set columns = sqlmetrics.derived_columns(q.derived) -%}
{%- set compared = q.comparison is not none -%}
{%- set row = 'row_id' if compared and q.row_ids else 'row_number() ' ~ sqlmetrics.over(slicing['keys'], sqlmetrics.order_of_rows(columns)) -%}
{%- set of_row = (sqlmetrics.to_text('slice_id') ~ " || ':' || " if compared and q.comparison.gaps else '') ~ sqlmetrics.to_text(row) -%}
{%- set column = 'group_id' if of else 'cluster_id' -%}
{%- set named_rows -%}
select
    {{ sqlmetrics.select_list(slicing['keys'] + columns) }},
    {{ of_row if q.interval_options.cluster is none and not of else sqlmetrics.name_of_cluster(q, column, column) }} as cluster_name
from {{ slicing.rows_from }}
{%- endset -%}
{{ return(sqlmetrics.step('named_rows' ~ of, named_rows, 'valid rows with the name of their cluster', materialized=materialized)) }}
{%- endmacro -%}

{#- Rows with zero weight belong to no value and to no cluster. -#}
{%- macro has_weight(q, of='') -%}
{{ return(of ~ 'weight > 0' if 'weight' in q.derived else of ~ 'pos + ' ~ of ~ 'neg > 0') }}
{%- endmacro -%}
