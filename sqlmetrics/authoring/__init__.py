"""Metrics of your own: written by a first draft, described, and registered."""
