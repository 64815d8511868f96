{#- Names as SQL, and expressions of the user's. -#}

{#- A simple lower-case word names the column that the dialect reads where the word is bare, which is CLICKED on Snowflake: a reserved
    word is folded before it is quoted. Everything else is quoted as it is written. -#}
{%- macro identifier(name) -%}
{%- set table = sqlmetrics.dialect_table() -%}
{%- set others = namespace(count=0 if name and name[0] in 'abcdefghijklmnopqrstuvwxyz_' else 1) -%}
{%- for character in name if character not in 'abcdefghijklmnopqrstuvwxyz_0123456789' -%}{%- set others.count = 1 -%}{%- endfor -%}
{%- if others.count -%}
{{ sqlmetrics.quoted_identifier(name) }}
{%- elif name in table.reserved_words.split() -%}
{{ sqlmetrics.quoted_identifier(name.upper() if table.folds_to_upper_case else name) }}
{%- else -%}
{{ name }}
{%- endif -%}
{%- endmacro -%}

{%- macro quoted_identifier(name) -%}
{%- set table = sqlmetrics.dialect_table() -%}
{%- if table.replaces_variables and '${' in name -%}
{%- do sqlmetrics.raise_error(none, "the name '" ~ name ~ "' contains '${', which Spark replaces by a variable; rename the column in a query") -%}
{%- endif -%}
{{ sqlmetrics.quoted_text(name, table.quote, table.quote_escapes) }}
{%- endmacro -%}

{%- macro quoted_text(text, quote, escapes) -%}
{%- set escaped = namespace(text=text) -%}
{%- for sign, escape in escapes.items() -%}{%- set escaped.text = escaped.text | replace(sign, escape) -%}{%- endfor -%}
{{ quote ~ sqlmetrics.keep_line_breaks(escaped.text) ~ quote }}
{%- endmacro -%}

{#- What a role or a slice column holds, as SQL: a column (a plain string, or {'column': name}) or an expression
    ('= expression', or {'sql': expression}). -#}
{%- macro sql_of(value) -%}
{%- if value is string -%}
{{ sqlmetrics.expression(value[1:]) if value.startswith('=') else sqlmetrics.identifier(value) }}
{%- else -%}
{{ sqlmetrics.expression(value['sql']) if 'sql' in value else sqlmetrics.identifier(value['column']) }}
{%- endif -%}
{%- endmacro -%}

{#- An expression that may hold a comment ends on a line of its own. -#}
{%- macro expression(text) -%}({{ sqlmetrics.keep_line_breaks(text | trim) }}{{ '\n' if '--' in text else '' }}){%- endmacro -%}

{#- The user's condition on rows. DuckDB answers a condition from the statistics of a file while it reads, and is wrong about one that gives
    NULL a meaning (see `fails`): a case keeps it from that. -#}
{%- macro chosen_rows(condition) -%}
{%- set guarded = namespace(value=false) -%}
{%- for word in ['null', 'coalesce', 'distinct', 'concat', 'greatest', 'least'] if word in condition | lower -%}
{%- set guarded.value = sqlmetrics.dialect_table().guards_null_conditions -%}
{%- endfor -%}
{{ 'case when ' ~ sqlmetrics.expression(condition) ~ ' then 1 else 0 end = 1' if guarded.value else sqlmetrics.expression(condition) }}
{%- endmacro -%}

{#- Free text inside a line comment: it must stay on its line, and some clients take a semicolon for the end of the statement even there. On
    Spark a backslash at the end of a line takes the next line into the comment, and `${…}` is replaced before anything is read. -#}
{%- macro comment_text(text) -%}
{{ text | replace('\n', ' ') | replace('\r', ' ') | replace('\u2028', ' ') | replace('\u0085', ' ') | replace('${', '$ {') | replace(';', ',') }}{{ ' .' if text.endswith('\\') }}
{%- endmacro -%}

{#- The same as a comment of as many lines as it takes. -#}
{%- macro comment_lines(text) -%}
{%- set line = namespace(length=2) -%}
--
{%- for word in sqlmetrics.comment_text(text).split(' ') -%}
{%- set wraps = line.length + word | length > 150 -%}
{{ '\n--' if wraps }}{{ ' ' ~ word }}
{%- set line.length = (2 if wraps else line.length) + 1 + word | length -%}
{%- endfor -%}
{%- endmacro -%}
