{#- Arguments of `drift`: `columns`, `categories`, `against`, `current`, `reference`, `bins` and `eps`. -#}

{#- The requested columns: the name of each, and whether its values are categories. -#}
{%- macro columns_of_drift(macro, columns, categories) -%}
{%- set entries = [] -%}
{%- for role, columns_of_role in {'columns': columns, 'categories': categories}.items() -%}
{%- for value in sqlmetrics.as_list(columns_of_role) -%}
{%- do entries.append(dict(sqlmetrics.slice_entry(macro, value, entries, role), category=role == 'categories')) -%}
{%- endfor -%}
{%- endfor -%}
{%- do sqlmetrics.check_rules(macro, [[not entries, "pass the ⟨columns⟩ to compare, as in ⟨columns⟩=['score', 'country']"]]) -%}
{{ return(entries) }}
{%- endmacro -%}

{%- macro results_of_drift() -%}
{{ return(['psi', 'ks_distance', 'jensen_shannon', 'wasserstein']) }}
{%- endmacro -%}

{%- macro planned_drift_of_columns(call, entries, current, reference, bins, eps) -%}
{%- set macro = call.macro -%}
{%- set slicing = sqlmetrics.slicing_of(macro, call.by) -%}
{%- set other = call.comparison.against -%}
{%- do sqlmetrics.check_call(call) -%}
{%- do sqlmetrics.check_rules(macro, [
    sqlmetrics.condition_rule('current', current),
    sqlmetrics.condition_rule('reference', reference),
    sqlmetrics.whole_number_rule('bins', bins, 2),
    [eps is not number or eps is boolean or not (0 < eps and eps < 1), 'eps must be a number between 0 and 1, not ' ~ sqlmetrics.shown(eps)],
    [other is none and (current is none or reference is none), "pass ⟨against⟩, or ⟨current⟩ and ⟨reference⟩, conditions on two parts of the data, as in ⟨current⟩=\"day >= date '2026-03-08'\""],
]) -%}
{%- set own = ['column_name', 'n', 'n_reference', 'missing', 'missing_reference'] + sqlmetrics.results_of_drift() -%}
{%- do sqlmetrics.check_slice_names(macro, slicing.entries, own + (['grouping'] if slicing.groupings else [])) -%}
{%- set roles = {} if call.roles.weight is none else {'weight': sqlmetrics.role_value(macro, 'weight', call.roles.weight)} -%}
{%- set columns = dict(roles) -%}
{%- set reported = [] -%}
{%- for entry in entries -%}
{%- set canonical = ('category_' if entry.category else 'number_') ~ loop.index -%}
{%- do reported.append({'name': entry.name, 'id': loop.index, 'canonical': canonical, 'category': entry.category}) -%}
{%- do columns.update({canonical: {'column': entry['column']} if 'column' in entry else {'sql': entry['sql']}}) -%}
{%- endfor -%}
{%- set where = sqlmetrics.both_conditions(call.where, sqlmetrics.one_row_condition((columns.values() | list) + slicing.entries)) -%}
{{ return(dict(sqlmetrics.plan_without_metrics(), **{
    'title': 'drift of ' ~ sqlmetrics.names_of(entries) | join(', ') ~ sqlmetrics.title_of([], slicing, call.relation_text),
    'role_words': sqlmetrics.role_words(roles),
    'relation': sqlmetrics.named_relation(call.relation),
    'input': call.input,
    'by': slicing.entries,
    'groupings': slicing.groupings,
    'against': {
        'relation': sqlmetrics.named_relation(call.relation if other is none else other.relation), 'input': none if other is none else other.input,
        'part_of_data': other is none, 'by': slicing.entries, 'columns': columns, 'where': sqlmetrics.both_conditions(where, reference),
    },
    'roles': roles, 'columns': columns, 'required': roles | list,
    'derived': (columns | list) + ([] if 'weight' in columns else ['weight']),
    'where': sqlmetrics.both_conditions(where, current),
    'metrics': [{'requires': roles | list}],
    'fixed_slices': sqlmetrics.fixed_slices(slicing, []) if slicing.entries else [],
    'problems': sqlmetrics.rules_of([], {'columns': {}, 'names': roles | list}, []),
    'round': call.round,
    'reported': reported, 'bins': bins, 'eps': eps,
    'two_level': (sqlmetrics.default_shape() if call.shape is none else call.shape) == 'two_level',
})) }}
{%- endmacro -%}

{%- macro both_conditions(condition, other) -%}
{%- if condition is none or other is none -%}{{ return(other if condition is none else condition) }}{%- endif -%}
{{ return(sqlmetrics.expression(condition) ~ ' and ' ~ sqlmetrics.expression(other)) }}
{%- endmacro -%}

{#- Without a plain column, an aggregate would reduce all rows to one. Every engine rejects it in a condition. -#}
{%- macro one_row_condition(values) -%}
{%- if values | selectattr('column', 'defined') | list -%}{{ return(none) }}{%- endif -%}
{%- for value in values -%}
{%- set text = sqlmetrics.expression(value['sql']) -%}
{{ ' and ' if not loop.first }}({{ text }} is null or {{ text }} is not null)
{%- endfor -%}
{%- endmacro -%}
