{#- Identifiers, and expressions of the user. -#}

{#- A lower-case word is an unquoted identifier (`clicked` is CLICKED on Snowflake), so reserved words are folded before they are
    quoted. Other names are quoted as they are. -#}
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

{#- A role or slice column as SQL: {'column': name} or {'sql': expression}. -#}
{%- macro sql_of(value) -%}{{ sqlmetrics.expression(value['sql']) if 'sql' in value else sqlmetrics.identifier(value['column']) }}{%- endmacro -%}

{#- The line break ends a line comment in the expression. -#}
{%- macro expression(text) -%}({{ sqlmetrics.keep_line_breaks(text | trim) }}{{ '\n' if '--' in text else '' }}){%- endmacro -%}

{#- The user's condition on rows. DuckDB evaluates conditions by file statistics, wrongly for some that handle NULL (see `fails` of
    DuckDB). A case expression prevents that. -#}
{%- macro chosen_rows(condition) -%}
{%- set words = ['null', 'coalesce', 'distinct', 'concat', 'greatest', 'least'] | select('in', condition | lower) | list -%}
{%- set guarded = words and sqlmetrics.dialect_table().guards_null_conditions -%}
{{ 'case when ' ~ sqlmetrics.expression(condition) ~ ' then 1 else 0 end = 1' if guarded else sqlmetrics.expression(condition) }}
{%- endmacro -%}

{#- Text for a line comment, without line breaks. Some clients end the statement at a semicolon even in comments. Spark continues a
    comment after a final backslash, and replaces `${…}` before it parses. -#}
{%- macro comment_text(text) -%}
{{ text | replace('\n', ' ') | replace('\r', ' ') | replace('\u2028', ' ') | replace('\u0085', ' ') | replace('${', '$ {') | replace(';', ',') }}{{ ' .' if text.endswith('\\') }}
{%- endmacro -%}

{#- The same, wrapped into several lines. -#}
{%- macro comment_lines(text) -%}
{%- set line = namespace(length=2) -%}
--
{%- for word in sqlmetrics.comment_text(text).split(' ') -%}
{%- set wraps = line.length + word | length > 150 -%}
{{ '\n--' if wraps }}{{ ' ' ~ word }}
{%- set line.length = (2 if wraps else line.length) + 1 + word | length -%}
{%- endfor -%}
{%- endmacro -%}
