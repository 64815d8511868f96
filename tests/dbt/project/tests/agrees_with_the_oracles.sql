select *
from {{ ref('differences') }}
where difference is null
    or difference > 1e-9
