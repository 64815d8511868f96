"""Random calls on variants of the sample data, each compared with a baseline: `python -m tests.fuzz`."""
