{#- A user's column name as SQL. Bare where the dialect reads it as it was written: a simple lower-case word that is not
    reserved (a warehouse that folds to upper case then finds its CLICKED). Everything else is quoted. -#}
{%- macro identifier(name) -%}
{%- set simple = namespace(value=name | length > 0 and name[0] in 'abcdefghijklmnopqrstuvwxyz_') -%}
{%- for character in name -%}
{%- if character not in 'abcdefghijklmnopqrstuvwxyz_0123456789' -%}
{%- set simple.value = false -%}
{%- endif -%}
{%- endfor -%}
{%- if simple.value and name not in sqlmetrics.reserved_words().split() -%}
{{ name }}
{%- else -%}
{{ sqlmetrics.quoted_identifier(name) }}
{%- endif -%}
{%- endmacro -%}

{%- macro quoted_identifier(name) -%}
{{ adapter.dispatch('sqlmetrics_quoted_identifier', 'sqlmetrics')(name) }}
{%- endmacro -%}

{%- macro default__sqlmetrics_quoted_identifier(name) -%}
"{{ sqlmetrics.keep_line_breaks(name | replace('"', '""')) }}"
{%- endmacro -%}

{#- The words that at least one of the supported dialects does not take bare as a column: `inf` and `nan` are numbers to
    ClickHouse. Quoting one too many is harmless. -#}
{%- macro reserved_words() -%}
all analyse analyze and anti any array as asc asymmetric at authorization binary both by case cast check collate
collation column concurrently constraint create cross current_catalog current_date current_role current_schema
current_time current_timestamp current_user default deferrable desc describe distinct do else end except exists
false fetch filter final for foreign format freeze from full function glob grant group grouping having ilike in inf infinity initially
inner intersect interval into is isnull join lambda lateral leading left like limit localtime localtimestamp map minus
nan natural not notnull null offset on only or order outer overlaps pivot pivot_longer pivot_wider placing positional
primary qualify range references returning right row rows sample select semi session_user settings show similar some
struct summarize symmetric table tablesample then to top trailing true try_cast union unique unpivot user using
value values variadic verbose when where window with
{%- endmacro -%}

{#- What a role or a slice column holds, as SQL: a column (a plain string, or {'column': name}) or an expression
    ('= expression', or {'sql': expression}). An expression that may hold a comment ends on a line of its own. -#}
{%- macro sql_of(value) -%}
{%- if value is mapping -%}
{%- if 'sql' in value -%}
{{ sqlmetrics.expression(value['sql']) }}
{%- else -%}
{{ sqlmetrics.identifier(value['column']) }}
{%- endif -%}
{%- elif value.startswith('=') -%}
{{ sqlmetrics.expression(value[1:]) }}
{%- else -%}
{{ sqlmetrics.identifier(value) }}
{%- endif -%}
{%- endmacro -%}

{%- macro expression(text) -%}
({{ sqlmetrics.keep_line_breaks(text | trim) }}{{ '\n' if '--' in text else '' }})
{%- endmacro -%}

{#- The user's condition on rows. -#}
{%- macro chosen_rows(condition) -%}
{{ adapter.dispatch('sqlmetrics_chosen_rows', 'sqlmetrics')(condition) }}
{%- endmacro -%}

{%- macro default__sqlmetrics_chosen_rows(condition) -%}
{{ sqlmetrics.expression(condition) }}
{%- endmacro -%}

{#- Free text inside a line comment: it must stay on its line, and some clients take a semicolon for the end of the statement
    even there. On Spark a backslash at the end of a line takes the next line
    into the comment, and `${…}` is replaced before anything is read, by a text that may have lines. -#}
{%- macro comment_text(text) -%}
{{ text | replace('\n', ' ') | replace('\r', ' ') | replace('\u2028', ' ') | replace('\u0085', ' ') | replace('${', '$ {') | replace(';', ',') }}{{ ' .' if text.endswith('\\') }}
{%- endmacro -%}
