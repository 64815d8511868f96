"""The tests: each folder says what its tests prove."""

from pathlib import Path

#: The checkout.
ROOT = Path(__file__).parents[1]
