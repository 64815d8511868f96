"""Render the templates of `sql/` with Jinja, independently of plans."""
