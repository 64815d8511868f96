"""`python -m sqlmetrics`, and the program `sqlmetrics`."""

from .signals import answer


def main() -> None:
    """Run a command line; signals are answered before what takes time is imported."""
    answer()
    from .cli import main as shell  # noqa: PLC0415

    shell(prog_name="sqlmetrics")


if __name__ == "__main__":
    main()
