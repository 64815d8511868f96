"""The tests, by topic."""

from pathlib import Path

#: The root of the checkout.
ROOT = Path(__file__).parents[1]
