"""Results as tables, as text and as files."""
