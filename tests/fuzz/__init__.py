"""Random calls on odd data, each compared with the same call on tame data: `python -m tests.fuzz`."""
