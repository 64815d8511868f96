{#-
title: Log-cosh error
answers: [error]
formula: mean of ln(cosh(y − ŷ))
frame: rows
label_type: number
score: number
lower: 0
better: lower
undefined: NULL without rows
oracle: numpy
source: Chen, Chen, Liu and Pei, Log hyperbolic cosine loss, 2018
notes: For errors well below 1 it is half the squared error, and for errors well above 1 the absolute error less ln 2. So it depends on the unit of the label.
example: {label: [3.0, -0.5, 2.0, 7.0], score: [2.5, 0.0, 2.0, 8.0], result: 0.1685}
-#}
{#- |e| + ln(1 + exp(−2|e|)) − ln 2 does not overflow. For large errors the exponential vanishes. For small ones the sum would lose all
    digits, and the power series is exact. -#}
{%- macro log_cosh_error__value(m) -%}
{%- set error = 'abs(label - score)' -%}
{%- set squared = sqlmetrics.square('(label - score)') -%}
{%- set loss -%}
case
        when {{ error }} > 20 then {{ error }} - ln(2)
        when {{ error }} < 0.01
            then ({{ squared }})
                * (0.5 - ({{ squared }}) / 12)
        else {{ error }} + ln(1 + exp(-2 * {{ error }})) - ln(2)
    end
{%- endset -%}
{{ sqlmetrics.weighted_mean(m, loss) }}
{%- endmacro -%}
