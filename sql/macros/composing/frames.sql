{#- The frames of a call: one per set of parameters and of needed columns, shared by all metrics that agree on them. A frame,
    `f`, is what its own macro, the metrics of the call and the ending have to know of it; nobody changes it.

    f.name, f.suffix   which frame it is, and what tells its steps from those of a twin with other parameters
    f.cte              the name of its last step;  f.own_step: false where the rows themselves are the frame
    f.rows             what a row of it is, in words;  f.counts: the aggregate that counts the rows of the log in it;
                       f.totals: the one that adds up what pre-aggregated rows stand for
    f.of_parts         whether it is made of the parts of a state, not of rows
    f.params           its parameters;  f.uses: the columns that only some metrics need and these do
    f.requires         the canonical columns without which a row is not used;  f.needs: how many
    f.where            leaves out the rows without one, beyond those left out for all frames;  f.given_beside_score: the
                       whole condition, but for the score
    f.metrics          the metrics over it, each with m.frame and m.cte: the step in which its value stands
    f.diagnostics      what it tells beside its metrics [{name, sql}]
    f.groups_by_columns  whether it makes no window inside a slice, so that the slice columns themselves can group
    f.group_values     'columns' where each metric has a column for its value of a group
    f.unit             'row' or 'group' where each row of it is one of these, else none
    f.moved, f.held    its columns that rows of the log move, where the frame says how, and those that tell its rows and stay
    f.weighted, f.group_weight, f.judged, f.tie_key   which of the roles are given
    f.tie_key_is_item  what breaks ties is the item itself
    f.ranked           rows are ranked one by one;  f.two_level: sums, or ranks, are taken inside cells of the score first
    f.hashed_groups    groups are told by a hash of their names, and that no two have the same is checked
    f.packs_items      the items of such groups are put in order by packed keys, where that is possible
    f.packed           the positives alone are kept, ranked by packed keys
    f.ranged_scores    the scores of the source that ranks are packed by;  f.tied_models: the numbers of models of few scores
    f.models_apart     the numbers of the models, where these are all the slices there are
    f.kept             its rows are read for the values, and again for how sure these are
    f.cuts             whether by the thresholds at which they are reached
    f.placed           none, or, where that is by the place of every row, the column that tells whose the row is, as a list
    f.asks_distinct_scores  whether a score is there is asked of each distinct one, not of each row
    f.whole            the condition on `slices` for those of no column, to which everything belongs; '' where there is none
    f.beside           all frames of the statement, where a step of another is there to be read -#}
{%- macro frames_of(q) -%}
{%- set shape = q.shape if q.shape is not none else sqlmetrics.default_shape() -%}
{%- set ranked = q.countable and shape in ['rows', 'packed'] -%}
{%- set groups = [] -%}
{%- for m in q.metrics -%}
{%- set name = sqlmetrics.frame_of_cells(m, q) if shape == 'two_level_ranks' else sqlmetrics.frame_of(m, q, ranked, shape == 'packed') -%}
{#- A label that is refused below 0 and one that is kept there are read alike. -#}
{%- set params = {} -%}
{%- for parameter in m.frame_parameters -%}{%- do params.update({parameter: 'error' if m[parameter] == 'keep' else m[parameter]}) -%}{%- endfor -%}
{%- set own = dict(m, frame=name, two_level=sqlmetrics.is_two_level(shape)) -%}
{%- set agreeing = [] -%}
{%- for group in groups if group.name == name and group.params == params and group.requires == m.requires -%}
{%- do agreeing.append(group) -%}
{%- endfor -%}
{%- if agreeing -%}
{%- do agreeing[0].metrics.append(own) -%}
{%- else -%}
{%- do groups.append({'name': name, 'params': params, 'requires': m.requires, 'metrics': [own]}) -%}
{%- endif -%}
{%- endfor -%}
{%- set frames = [] -%}
{%- for group in groups -%}
{%- set twins = [] -%}
{%- for f in frames if f.name == group.name -%}{%- do twins.append(f.name) -%}{%- endfor -%}
{#- A number alone ends the names of steps that a frame counts itself. -#}
{%- do frames.append(sqlmetrics.frame(q, group, '_twin_' ~ (twins | length + 1) if twins else '', ranked, shape)) -%}
{%- endfor -%}
{#- n counts the rows of the least demanding frame: gauc leaves out rows without a group, auc beside it does not. -#}
{%- set frames = frames | sort(attribute='needs') -%}
{{ return(sqlmetrics.with_diagnostics(frames, q) if q.diagnostics else frames) }}
{%- endmacro -%}

{%- macro is_two_level(shape) -%}
{{ return(shape in ['two_level', 'two_level_ranks']) }}
{%- endmacro -%}

{#- Of the frames that a metric can do with, the last takes weights. Where rows are counted one by one, and no other metric needs
    that anyway, it is ranks. Packed ranks give sums, where no metric needs more, or else what is at the scores of positives. -#}
{%- macro frame_of(m, q, ranked, packed) -%}
{%- set stepped = sqlmetrics.counts_in_steps(m) -%}
{%- if m.frames | length == 1 or not ranked or stepped -%}
{{ return(m.frames[-1]) }}
{%- endif -%}
{%- for other in q.metrics if other.frames | length == 1 and other.frames[0] == m.frames[-1] -%}
{{ return(m.frames[-1]) }}
{%- endfor -%}
{%- set unpacked = m.frames[1] if m.frames[0] == 'packed_scores' else m.frames[0] -%}
{%- set others = [] -%}
{%- for other in q.metrics if other.frames[0] == 'ranked_scores' -%}{%- do others.append(other) -%}{%- endfor -%}
{%- if not packed -%}
{{ return(unpacked) }}
{%- elif others -%}
{{ return(m.frames[-1] if sqlmetrics.can_be_packed(q, others + [m]) else unpacked) }}
{%- endif -%}
{{ return(m.frames[0] if sqlmetrics.sums_can_be_packed(q) else unpacked) }}
{%- endmacro -%}

{#- Rows are ranked inside cells where nothing else is made of their scores. -#}
{%- macro frame_of_cells(m, q) -%}
{%- for other in q.metrics if other.frames[-1] == m.frames[-1] and (other.frames[0] != 'packed_scores' or sqlmetrics.counts_in_steps(other)) -%}
{{ return(m.frames[-1]) }}
{%- endfor -%}
{{ return(m.frames[0] if q.countable and q.certainty is none else m.frames[-1]) }}
{%- endmacro -%}

{%- macro any_is_ranked_in_cells(q) -%}
{%- for m in q.metrics if sqlmetrics.frame_of_cells(m, q) == 'packed_scores' -%}
{{ return(true) }}
{%- endfor -%}
{{ return(false) }}
{%- endmacro -%}

{#- Without intervals, or with those whose clusters are known by a column. -#}
{%- macro sums_can_be_packed(q) -%}
{{ return(q.certainty is none or (q.certainty.replicates is none and q.certainty.cluster is not none)) }}
{%- endmacro -%}

{#- Without intervals, whose rows are read again, and without diagnostics, which count the rows of every score. -#}
{%- macro can_be_packed(q, metrics) -%}
{%- for m in metrics if 'positives_alone' not in m.uses -%}
{{ return(false) }}
{%- endfor -%}
{{ return(q.certainty is none and not q.diagnostics) }}
{%- endmacro -%}

{%- macro frame(q, group, suffix, ranked, shape) -%}
{%- set declared = sqlmetrics.known_frames()[group.name] -%}
{%- set cte = declared.step ~ suffix -%}
{%- set metrics = [] -%}
{%- set uses = sqlmetrics.uses_of(group.metrics) -%}
{%- for m in group.metrics -%}
{#- A metric may be a whole query over its frame: then it is a step of its own. -#}
{%- set same = [] -%}
{%- for other in metrics if m.query and other.name == m.name -%}{%- do same.append(other.name) -%}{%- endfor -%}
{%- set own = m.name ~ ('_' ~ (same | length + 1) if same else '') ~ suffix -%}
{%- do metrics.append(dict(m, cte=own if m.query else cte)) -%}
{%- endfor -%}
{%- set further = [] -%}
{%- for column in group.requires if column not in q.required and column not in sqlmetrics.columns_in_places(group.name) -%}{%- do further.append(sqlmetrics.source_name(column)) -%}{%- endfor -%}
{%- set beside_score = [] -%}
{%- for column in q.required + further if column != 'score' -%}{%- do beside_score.append(column) -%}{%- endfor -%}
{%- set condition = declared.condition -%}
{%- set stepped = sqlmetrics.counts_in_steps(group.params) -%}
{%- set weighted = 'weight' in group.requires or 'total' in group.requires -%}
{%- set cuts = sqlmetrics.has_interval_by(q, metrics, 'has_cut') -%}
{%- set pairs = sqlmetrics.has_interval_by(q, metrics, 'has_influence') -%}
{%- set held = sqlmetrics.has_interval_by(q, metrics, 'has_held') -%}
{%- set placed = sqlmetrics.carried_by_rows(q) if group.name in ['ranked_scores', 'packed_scores'] and (pairs or held) else none -%}
{%- if placed is not none and group.name == 'ranked_scores' -%}
{%- do uses.append('positives_around') -%}
{%- elif pairs and group.name == 'thresholds' and not stepped -%}
{%- do uses.extend(['above', 'below'] if weighted else ['totals']) -%}
{%- endif -%}
{{ return({
    'name': group.name,
    'suffix': suffix,
    'cte': cte,
    'own_step': declared.own_step,
    'rows': declared.rows,
    'counts': declared.counts,
    'totals': declared.totals,
    'params': group.params,
    'uses': uses,
    'of_parts': false,
    'requires': group.requires,
    'needs': group.requires | length,
    'where': '\nwhere ' ~ sqlmetrics.is_given(further, q.whole_columns) if further else '',
    'given_beside_score': sqlmetrics.is_given(beside_score, q.whole_columns),
    'metrics': metrics,
    'diagnostics': [],
    'groups_by_columns': declared.slices == 'columns' and (condition is none or group.params[condition.parameter] == condition.value),
    'group_values': declared.group_values,
    'unit': declared.unit,
    'moved': declared.moved,
    'held': declared.held,
    'weighted': weighted,
    'group_weight': 'group_weight' in group.requires,
    'judged': group.metrics[0].judged,
    'tie_key': 'tie_key' in q.columns,
    'tie_key_is_item': sqlmetrics.is_same_column(q, 'tie_key', 'item_id'),
    'ranked': ranked,
    'ranged_scores': sqlmetrics.ranged_scores(q),
    'tied_models': q.tied_models if q.tied_models is defined else [],
    'models_apart': range(1, sqlmetrics.scored_models(q) | length + 1) | list if not q.by and not q.groupings else [],
    'two_level': sqlmetrics.is_two_level(shape),
    'hashed_groups': ranked and q.hashed_groups,
    'packs_items': ranked and shape == 'packed' and q.hashed_groups and not q.tied_models,
    'packed': ranked and shape == 'packed' and not stepped and sqlmetrics.can_be_packed(q, metrics),
    'kept': pairs or held or cuts or (q.certainty is not none and declared.unit == 'group'),
    'cuts': cuts,
    'placed': placed,
    'whole': sqlmetrics.condition_of_the_whole(q),
    'asks_distinct_scores': false,
}) }}
{%- endmacro -%}

{%- macro is_same_column(q, name, other) -%}
{{ return(name in q.columns and other in q.columns and sqlmetrics.sql_of(q.columns[name]) == sqlmetrics.sql_of(q.columns[other])) }}
{%- endmacro -%}

{%- macro ranged_scores(q) -%}
{%- set scores = [] -%}
{%- for score in sqlmetrics.score_columns(q) -%}
{%- if q.tied_models is not defined or loop.index not in q.tied_models -%}{%- do scores.append(score) -%}{%- endif -%}
{%- endfor -%}
{{ return(scores) }}
{%- endmacro -%}

{#- The columns that only some metrics need and these do. -#}
{%- macro uses_of(metrics) -%}
{%- set uses = [] -%}
{%- for m in metrics -%}
{%- for name in m.uses if name not in uses -%}{%- do uses.append(name) -%}{%- endfor -%}
{%- endfor -%}
{{ return(uses) }}
{%- endmacro -%}

{#- Whether a frame or a metric has these parameters for bins, which take the place of scores. -#}
{%- macro counts_in_steps(parameters) -%}
{{ return(parameters.bins is defined and parameters.bins is not none) }}
{%- endmacro -%}

{#- Of each metric what it has of a group, as the columns of a step with one row per group. -#}
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
{%- for grouping in q.groupings if not grouping.columns -%}
{{ return('slices.grouping_id = ' ~ grouping.id) }}
{%- endfor -%}
{{ return('' if q.by else '1 = 1') }}
{%- endmacro -%}

{#- Where rows are counted by their score, by nothing else and for nothing else, what no score is can be left out after that. It
    matters where the engine would answer from statistics, so that each row has to be asked at length. -#}
{%- macro can_ask_distinct_scores(q, frames, slicing) -%}
{%- set counted = frames | length == 1 and frames[0].name == 'thresholds' and (q.shape == 'distinct' or sqlmetrics.counts_in_steps(frames[0].params)) -%}
{%- set alone = not slicing.names and not q.table and not q.diagnostics and q.certainty is none and q.comparison is none -%}
{%- for rule in q.problems if rule.column == 'score' -%}
{{ return(false) }}
{%- endfor -%}
{{ return(counted and alone and 'score' in q.required and 'score' not in q.whole_columns and sqlmetrics.answers_from_statistics()) }}
{%- endmacro -%}

{#- Another frame of the statement that is of the same rows; none where there is none, or the steps are not those of a statement. -#}
{%- macro frame_beside(f, name) -%}
{%- for other in (f.beside if f.beside is defined else []) if other.name == name and other.requires == f.requires -%}
{{ return(other) }}
{%- endfor -%}
{{ return(none) }}
{%- endmacro -%}

{#- Each diagnostic comes from the first frame that can tell it; `{value}` stands for what its first metric says of a group. -#}
{%- macro with_diagnostics(frames, q) -%}
{%- set reported = [] -%}
{%- set telling = [] -%}
{%- for f in frames -%}
{%- set own = [] -%}
{%- set declared = sqlmetrics.known_frames()[f.name] -%}
{%- set unread = [] -%}
{%- for column in declared.diagnostics_read if column not in f.requires -%}{%- do unread.append(column) -%}{%- endfor -%}
{%- for name, sql in declared.diagnostics.items() if name not in reported and not unread -%}
{%- if name != 'positives' or 'pos' in q.derived -%}
{%- do own.append({'name': name, 'sql': sql | replace('{value}', sqlmetrics.identifier(f.metrics[0].group_columns[0].as))}) -%}
{%- do reported.append(name) -%}
{%- endif -%}
{%- endfor -%}
{%- do telling.append(dict(f, diagnostics=own)) -%}
{%- endfor -%}
{{ return(telling) }}
{%- endmacro -%}
