{#- Probability functions, which engines do not share. Arguments are columns, since each occurs several times. -#}

{#- erfc(x) for x >= 0: the two-sided probability that a normal variable is at least x·√2 standard deviations from its mean. In the form
    t·exp(-x² + P(t)), t = 2 / (2 + x), of Press et al., Numerical Recipes (2007), 6.2.2; P has the factor 1 - t, so that no value
    exceeds 1. The coefficients are fitted to SciPy's erfcx: the relative error is below 1e-13. At 26 it leaves the range of
    doubles. These are the last branches of a case. -#}
{%- macro complementary_error(x) -%}
{%- set series = namespace(text='') -%}
{%- set terms_in_a_line = 4 if x | length == 1 else 2 -%}
{%- for coefficient in [
    -55300.4883615681, 271560.136636138, -605768.627793545, 807960.717993093, -713307.123168194, 436194.745801143, -188807.060837625,
    59058.0712685473, -14017.7183445609, 2679.27673163964, -360.877324571328, 27.9062687508092, -11.65229011715, -0.962370954484234,
    1.69994765976364, 1.54290913132712, 0.437943953826694, -0.531024146893573, -1.265512124079,
] -%}
{%- set between = ')\n        ' if loop.index % terms_in_a_line == 0 else ') ' -%}
{%- set series.text = sqlmetrics.number(coefficient) if loop.first else '(' ~ series.text ~ ' / (2 + ' ~ x ~ between ~ '+ ' ~ sqlmetrics.number(coefficient) ~ ')' -%}
{%- endfor -%}
when {{ x }} >= 26 then 0
-- complementary error function, fitted in the form of Press et al. (2007)
else 2 / (2 + {{ x }}) * exp(-{{ x }} * {{ x }} + {{ x }} / (2 + {{ x }})
    * {{ series.text }})
{%- endmacro -%}

{#- Student's t from the normal distribution (Wallace, Annals of Mathematical Statistics 30, 1959): at 95% accurate to a thousandth from
    seven degrees of freedom, and wider below. Both macros are inverses, so that an interval agrees with its test. Where the degrees
    of freedom are NULL, as for single rows (`or_normal`), the normal distribution applies. -#}
{%- macro student_quantile(z, degrees_of_freedom, or_normal=true) -%}
{%- set quantile -%}
sqrt({{ degrees_of_freedom }} * (exp(
    {{ sqlmetrics.number(z * z) }} * power({{ sqlmetrics.shrinkage(degrees_of_freedom) }}, 2) / {{ degrees_of_freedom }}
) - 1))
{%- endset -%}
{{ sqlmetrics.normal_without(degrees_of_freedom, sqlmetrics.number(z), quantile) if or_normal else quantile }}
{%- endmacro -%}

{%- macro student_deviation(t, degrees_of_freedom, or_normal=true) -%}
{%- set deviation -%}
sqrt({{ degrees_of_freedom }} * ln(1 + {{ t }} * {{ t }} / {{ degrees_of_freedom }}))
    / ({{ sqlmetrics.shrinkage(degrees_of_freedom) }})
{%- endset -%}
{{ sqlmetrics.normal_without(degrees_of_freedom, t, deviation) if or_normal else deviation }}
{%- endmacro -%}

{%- macro normal_without(degrees_of_freedom, normal, student) -%}
case
    when {{ degrees_of_freedom }} is null then {{ normal }}
    else {{ sqlmetrics.indented(student) }}
end
{%- endmacro -%}

{%- macro shrinkage(degrees_of_freedom) -%}(8 * {{ degrees_of_freedom }} + 3) / (8 * {{ degrees_of_freedom }} + 1){%- endmacro -%}
