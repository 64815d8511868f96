{#- The frames of a call: one per set of parameters and required columns, shared by its metrics. A frame, `f`, is an immutable
    description for its macro, its metrics and the ending.

    f.name, f.suffix   its name, and the suffix of its steps if an earlier frame has the same name.
    f.cte              the name of its last step.  Declarations of its file: f.rows, f.counts, f.totals, f.unit, f.perturbed, f.identifiers, ….
    f.of_parts         whether it reads parts of a state, not rows.
    f.params           its parameters.  f.uses: optional columns that its metrics use.
    f.requires         the canonical columns that a valid row needs.  f.where: drops rows without them.
    f.metrics          its metrics, each with m.frame and m.cte, the step with its value.
    f.diagnostics      its diagnostic columns [{name, sql}].
    f.groups_by_columns  whether it has no window inside a slice, so that it can group by the slice columns.
    f.weighted, f.group_weight, f.judged, f.tie_key   which roles are given.  f.reads_negatives: whether it reads `neg`.  f.tie_key_is_item: the item itself breaks ties.
    f.ranked           rows are ranked one by one.  f.two_level: sums are taken inside cells of the score first.
    f.hashed_groups    groups are identified by a hash of their names, and a check rejects collisions.
    f.positives_alone  thresholds without positives share one row.
    f.areas            intervals of its areas read their values.
    f.reread           its rows are read for the values and again for the intervals.  f.optimal_thresholds: by the optimal thresholds.
                       f.ranked_with: a list with the cluster column if these read the rank of every row, or none.
    f.whole            the condition on `slices` for those without columns, which contain all rows; '' without such a slice. -#}
{%- macro frames_of(q) -%}
{%- set shape = q.shape if q.shape is not none else sqlmetrics.default_shape() -%}
{%- set ranked = q.countable and shape == 'rows' -%}
{%- set members = [] -%}
{%- for m in q.metrics -%}
{%- set name = sqlmetrics.frame_of(m, q, ranked) -%}
{#- `negative` 'error' and 'keep' read labels alike. -#}
{%- set params = {} -%}
{%- for parameter in m.frame_parameters -%}{%- do params.update({parameter: 'error' if m[parameter] == 'keep' else m[parameter]}) -%}{%- endfor -%}
{%- do members.append({'group': {'name': name, 'params': params, 'requires': m.requires}, 'metric': dict(m, frame=name, two_level=shape == 'two_level')}) -%}
{%- endfor -%}
{%- set frames = [] -%}
{%- for group in sqlmetrics.distinct(members | map(attribute='group')) -%}
{%- set metrics = members | selectattr('group', 'equalto', group) | map(attribute='metric') | list -%}
{%- set twins = frames | selectattr('name', 'equalto', group.name) | list -%}
{#- A plain number would clash with steps that a frame numbers itself. -#}
{%- do frames.append(sqlmetrics.frame(q, dict(group, metrics=metrics), '_twin_' ~ (twins | length + 1) if twins else '', ranked, shape)) -%}
{%- endfor -%}
{#- `n` is of the frame with the fewest requirements: `gauc` drops rows without a group, `auc` does not. -#}
{%- set frames = frames | sort(attribute='needs') -%}
{{ return(sqlmetrics.with_diagnostics(frames, q) if q.diagnostics else frames) }}
{%- endmacro -%}

{#- The last frame of a metric supports weights. The first needs ranks only, and is used for unweighted rows unless another metric needs
    the last. A cumulative sum over all rows costs as much as sorting them, so metrics that need it only at positives use the last frame
    too. -#}
{%- macro frame_of(m, q, ranked) -%}
{%- if m.frames | length == 1 or not ranked or sqlmetrics.counts_in_steps(m) -%}{{ return(m.frames[-1]) }}{%- endif -%}
{%- for other in q.metrics -%}
{%- set same_frame = other.frames == [m.frames[-1]] -%}
{%- if same_frame or ('true_positives' in other.uses and sqlmetrics.needs_positives_alone(q, [m, other])) -%}{{ return(m.frames[-1]) }}{%- endif -%}
{%- endfor -%}
{{ return(m.frames[0]) }}
{%- endmacro -%}

{#- Intervals read the rows again, and diagnostics count the rows of every score, so both need all rows. -#}
{%- macro needs_positives_alone(q, metrics) -%}
{%- for m in metrics if 'positives_alone' not in m.uses -%}{{ return(false) }}{%- endfor -%}
{{ return(q.interval_options is none and not q.diagnostics) }}
{%- endmacro -%}

{#- Declarations of the file and values of the call. -#}
{%- macro frame(q, group, suffix, ranked, shape) -%}
{%- set declared = sqlmetrics.known_frames()[group.name] -%}
{%- set cte = declared.step ~ suffix -%}
{%- set metrics = [] -%}
{%- for m in group.metrics -%}
{#- A metric that is a query over its frame gets a step of its own. -#}
{%- set same = metrics | selectattr('name', 'equalto', m.name) | list -%}
{%- set own = m.name ~ ('_' ~ (same | length + 1) if same else '') ~ suffix -%}
{%- do metrics.append(dict(m, cte=own if m.query else cte)) -%}
{%- endfor -%}
{%- set further = group.requires | reject('in', q.required + sqlmetrics.columns_of_positions(group.name)) | list -%}
{%- set condition = declared.condition -%}
{%- set stepped = sqlmetrics.counts_in_steps(group.params) -%}
{%- set weighted = 'weight' in group.requires or 'total' in group.requires -%}
{%- set optimal_thresholds = sqlmetrics.has_interval_by(q, metrics, 'has_optimal_threshold') -%}
{%- set pairs = sqlmetrics.has_interval_by(q, metrics, 'has_influence') -%}
{%- set fixed_ranks = sqlmetrics.has_interval_by(q, metrics, 'has_fixed_ranks') -%}
{%- set ranked_with = sqlmetrics.carried_by_rows(q) if group.name == 'ranked_scores' and (pairs or fixed_ranks) else none -%}
{%- set of_ranks = ['true_positives', 'positives_from_here'] + (['totals'] if pairs else []) -%}
{%- set of_pairs = ['above', 'below'] if weighted else ['totals'] -%}
{%- set further_uses = of_ranks if ranked_with is not none else of_pairs if pairs and group.name == 'thresholds' and not stepped else [] -%}
{{ return(dict(
    declared,
    name=group.name,
    suffix=suffix,
    cte=cte,
    params=group.params,
    uses=sqlmetrics.uses_of(group.metrics) + further_uses,
    of_parts=false,
    requires=group.requires,
    needs=group.requires | length,
    where='\nwhere ' ~ sqlmetrics.is_present(further, q.whole_columns) if further else '',
    metrics=metrics,
    diagnostics=[],
    groups_by_columns=declared.slices == 'columns' and (condition is none or group.params[condition.parameter] == condition.value),
    weighted=weighted,
    reads_negatives=weighted or group.name not in ['ranked_scores', 'group_scores'],
    group_weight='group_weight' in group.requires,
    judged=group.metrics[0].judged,
    tie_key='tie_key' in q.columns,
    tie_key_is_item='tie_key' in q.columns and 'item_id' in q.columns and sqlmetrics.sql_of(q.columns.tie_key) == sqlmetrics.sql_of(q.columns.item_id),
    ranked=ranked,
    two_level=shape == 'two_level',
    hashed_groups=ranked and q.hashed_groups,
    positives_alone=ranked and not stepped and sqlmetrics.needs_positives_alone(q, metrics),
    areas=pairs,
    reread=pairs or fixed_ranks or optimal_thresholds or (q.interval_options is not none and declared.unit == 'group'),
    optimal_thresholds=optimal_thresholds,
    ranked_with=ranked_with,
    whole=sqlmetrics.condition_of_the_whole(q),
)) }}
{%- endmacro -%}

{#- Optional columns that these metrics use. -#}
{%- macro uses_of(metrics) -%}
{{ return(sqlmetrics.distinct(sqlmetrics.flat(metrics | map(attribute='uses')))) }}
{%- endmacro -%}

{#- Whether bins replace the scores. -#}
{%- macro counts_in_steps(parameters) -%}{{ return(parameters.get('bins') is not none) }}{%- endmacro -%}

{#- Values of the metrics per group, for a step with one row per group. -#}
{%- macro columns_of_groups(f) -%}
{%- set values = [] -%}
{%- for m in f.metrics -%}
{%- for column in m.group_columns -%}
{%- do values.append(sqlmetrics.indented(sqlmetrics.metric_per_group(m, column.name)) ~ ' as ' ~ sqlmetrics.identifier(column.as)) -%}
{%- endfor -%}
{%- endfor -%}
{{ return(values) }}
{%- endmacro -%}

{%- macro condition_of_the_whole(q) -%}
{%- for grouping in q.groupings if not grouping.columns -%}{{ return('slices.grouping_id = ' ~ grouping.id) }}{%- endfor -%}
{{ return('' if q.by else '1 = 1') }}
{%- endmacro -%}

{#- Each diagnostic comes from the first frame that supports it. `{value}` means the group value of its first metric. -#}
{%- macro with_diagnostics(frames, q) -%}
{%- set telling = [] -%}
{%- for f in frames -%}
{%- set declared = sqlmetrics.known_frames()[f.name] -%}
{%- set reported = sqlmetrics.names_of(sqlmetrics.flat(telling | map(attribute='diagnostics'))) + ([] if 'pos' in q.derived else ['positives']) -%}
{%- set own = [] -%}
{%- set unread = declared.diagnostics_read | reject('in', f.requires) | list -%}
{%- for name, sql in declared.diagnostics.items() if name not in reported and not unread -%}
{%- do own.append({'name': name, 'sql': sql | replace('{value}', sqlmetrics.identifier(f.metrics[0].group_columns[0].as))}) -%}
{%- endfor -%}
{%- do telling.append(dict(f, diagnostics=own)) -%}
{%- endfor -%}
{{ return(telling) }}
{%- endmacro -%}
