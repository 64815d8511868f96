"""The forms that `data` may have, and how each becomes a relation that a statement can read."""
