{#- The example of every metric file, rounded there to four places. -#}
select *
from {{ ref('example_differences') }}
where not same
