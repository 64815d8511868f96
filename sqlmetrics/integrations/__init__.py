"""SQL for other programs: macros of DuckDB."""
