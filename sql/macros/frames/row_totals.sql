{#- Every frame carries, through all of its steps, how many rows stand behind each of its rows and how many of those
    break a rule (a label that is not 0 or 1, a negative weight): checking the input costs no second scan. -#}

{%- macro row_totals(f, row_count) -%}
{{ row_count }} as row_count
{%- if f.checks %},
    sum(bad_rows) as bad_rows
{%- endif -%}
{%- endmacro -%}

{%- macro total_names(f) -%}
row_count{{ ' bad_rows' if f.checks }}
{%- endmacro -%}
