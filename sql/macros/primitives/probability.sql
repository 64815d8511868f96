{#- Probability functions, which engines do not share. Arguments are columns, since each occurs several times. -#}

{#- erfc(x) for x >= 0, by the rational approximations of W. J. Cody, Mathematics of Computation 23 (1969): the two-sided probability
    that a normal variable is at least x·√2 standard deviations from its mean. -#}
{%- macro complementary_error(x) -%}
{%- set square = x ~ ' * ' ~ x -%}
{%- set inverse = '(1 / (' ~ square ~ '))' -%}
case
    -- complementary error function, by the rational approximations of Cody (1969)
    when {{ x }} < 0.46875
        then 1 - {{ x }} * {{ sqlmetrics.polynomial(square, [3209.37758913846947, 377.485237685302021, 113.864154151050156, 3.16112374387056560, 0.185777706184603153]) }}
            / {{ sqlmetrics.polynomial(square, [2844.23683343917062, 1282.61652607737228, 244.024637934444173, 23.6012909523441209, 1]) }}
    when {{ x }} < 4
        then exp(-{{ square }}) * {{ sqlmetrics.polynomial(x, [1230.33935479799725, 2051.07837782607147, 1712.04761263407058, 881.952221241769090, 298.635138197400131, 66.1191906371416295, 8.88314979438837594, 0.564188496988670089, 0.0000000215311535474403846]) }}
            / {{ sqlmetrics.polynomial(x, [1230.33935480374942, 3439.36767414372164, 4362.61909014324716, 3290.79923573345963, 1621.38957456669019, 537.181101862009858, 117.693950891312499, 15.7449261107098347, 1]) }}
    when {{ x }} < 26
        then exp(-{{ square }}) / {{ x }} * (0.56418958354775628695 - {{ inverse }}
            * {{ sqlmetrics.polynomial(inverse, [0.000658749161529837803, 0.0160837851487422766, 0.125781726111229246, 0.360344899949804439, 0.305326634961232344, 0.0163153871373020978]) }}
            / {{ sqlmetrics.polynomial(inverse, [0.00233520497626869185, 0.0605183413124413191, 0.527905102951428412, 1.87295284992346725, 2.56852019228982242, 1]) }})
    when {{ x }} >= 26 then 0
end
{%- endmacro -%}

{#- c0 + x·(c1 + x·(c2 + …)) -#}
{%- macro polynomial(x, coefficients) -%}
{%- set now = namespace(text='') -%}
{%- for coefficient in coefficients | reverse -%}
{%- set terms_in_a_line = 4 if x | length == 1 else 3 if x | length <= 5 else 2 -%}
{%- set between = ' * ' if (coefficients | length - loop.index + 1) % terms_in_a_line else ' *\n                ' -%}
{%- set now.text = '(' ~ sqlmetrics.number(coefficient) ~ ' + ' ~ x ~ between ~ now.text ~ ')' if now.text else sqlmetrics.number(coefficient) -%}
{%- endfor -%}
{{ return(now.text) }}
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
