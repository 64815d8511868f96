"""`python -m sqlmetrics`."""

from .cli import main

main(prog_name="sqlmetrics")
