{#-
title: Average negative log probability of the market price
answers: [price]
formula: −mean ln p, p the probability of the price that was seen, or of a price above the bid where the bid lost
frame: rows
roles: {p_price: required, p_survive: optional, won: optional}
needs: {mode=censored: [won, p_survive], mode=uncensored: [won]}
computed: {price_mass: {by: mode, roles: [won, p_price, p_survive]}}
lower: 0
better: lower
undefined: NULL when the mode has no rows
oracle: by hand
source: Wang et al., ECML-PKDD 2016; Ren et al., KDD 2019 (arXiv 1905.03028); arXiv 2001.06587
parameters:
  mode:
    default: censored
    choices:
      censored: −ln p_price where the bid won, −ln p_survive where it lost
      uncensored: −ln p_price over the rows that won
      observed: −ln p_price over all rows
    doc: which rows count, and with which probability
  eps: {type: number, default: 1.0e-20, minimum: 1.0e-300, maximum: 0.5, doc: smaller probabilities count as this}
example: {p_price: [0.5, 0.1], p_survive: [0.9, 0.25], won: [1, 0], result: 1.0397}
-#}
{#- The probability of the outcome of a bid: of the observed price, or of a price above the bid if none was observed. -#}
{%- macro anlp__computed(mass) -%}
{%- set price = sqlmetrics.to_double(sqlmetrics.sql_of(mass.parts.p_price)) -%}
{%- if mass.variant == 'observed' -%}
{{ price }}
{%- else -%}
{%- set won = sqlmetrics.label_to_double(sqlmetrics.sql_of(mass.parts.won)) -%}
{%- set lost = sqlmetrics.to_double('1') if mass.variant == 'uncensored' else sqlmetrics.to_double(sqlmetrics.sql_of(mass.parts.p_survive)) -%}
{{ sqlmetrics.case_when(won ~ ' = 1', price, lost) }}
{%- endif -%}
{%- endmacro -%}

{%- macro anlp__value(m) -%}
{%- set loss = '-ln(greatest(price_mass_' ~ m.mode ~ ', ' ~ sqlmetrics.number(m.eps) ~ '))' -%}
{{ sqlmetrics.mean_of(m, 'case when won = 1 then ' ~ loss ~ ' end' if m.mode == 'uncensored' else loss) }}
{%- endmacro -%}
