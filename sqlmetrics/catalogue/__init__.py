"""The catalogue: what the files under `sql/macros` declare of metrics, frames and dialects."""
