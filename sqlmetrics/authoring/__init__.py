"""Metrics of your own: a first version of their files, and their registration; metrics in words."""
