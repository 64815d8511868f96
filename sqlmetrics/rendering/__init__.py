"""The templates of `sql/` rendered by Jinja; nothing here knows what a plan is."""
