"""SQL for other programs: macros of DuckDB, models of dbt and its semantic layer."""
