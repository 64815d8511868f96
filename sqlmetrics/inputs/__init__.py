"""What `data` may be, and how it becomes a relation that a statement can read."""
