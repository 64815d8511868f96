{#- A column name as SQL. A simple lower-case word names the column that the dialect reads where the word is bare, which is
    CLICKED on Snowflake: a reserved word is folded before it is quoted. Everything else is quoted as it is written. -#}
{%- macro identifier(name) -%}
{%- set simple = namespace(value=name | length > 0 and name[0] in 'abcdefghijklmnopqrstuvwxyz_') -%}
{%- for character in name -%}
{%- if character not in 'abcdefghijklmnopqrstuvwxyz_0123456789' -%}
{%- set simple.value = false -%}
{%- endif -%}
{%- endfor -%}
{%- if not simple.value -%}
{{ sqlmetrics.quoted_identifier(name) }}
{%- elif name in sqlmetrics.reserved_words().split() -%}
{{ sqlmetrics.quoted_identifier(sqlmetrics.folded_name(name)) }}
{%- else -%}
{{ name }}
{%- endif -%}
{%- endmacro -%}

{#- A bare word as the dialect stores it. -#}
{%- macro folded_name(name) -%}
{{ adapter.dispatch('sqlmetrics_folded_name', 'sqlmetrics')(name) }}
{%- endmacro -%}

{%- macro default__sqlmetrics_folded_name(name) -%}
{{ name }}
{%- endmacro -%}

{%- macro quoted_identifier(name) -%}
{{ adapter.dispatch('sqlmetrics_quoted_identifier', 'sqlmetrics')(name) }}
{%- endmacro -%}

{%- macro default__sqlmetrics_quoted_identifier(name) -%}
"{{ sqlmetrics.keep_line_breaks(name | replace('"', '""')) }}"
{%- endmacro -%}

{#- The words that the dialect does not take bare as a column. -#}
{%- macro reserved_words() -%}
{{ adapter.dispatch('sqlmetrics_reserved_words', 'sqlmetrics')() }}
{%- endmacro -%}

{#- Those of DuckDB, PostgreSQL, Spark and ClickHouse, to which `inf` and `nan` are numbers. -#}
{%- macro default__sqlmetrics_reserved_words() -%}
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

{#- The same as a comment of as many lines as it takes. -#}
{%- macro comment_lines(text) -%}
{%- set lines = ['--'] -%}
{%- for word in sqlmetrics.comment_text(text).split(' ') -%}
{%- if (lines[-1] ~ word) | length > 150 -%}{%- do lines.append('--') -%}{%- endif -%}
{%- do lines.append(lines.pop() ~ ' ' ~ word) -%}
{%- endfor -%}
{{ return(lines | join('\n')) }}
{%- endmacro -%}
