"""`python -m sqlmetrics`, and the program `sqlmetrics`."""

from .cli.signals import answer


def main() -> None:
    """Run a command line; signals are answered before what takes time is imported."""
    answer()
    from .cli.main import main as shell  # noqa: PLC0415

    shell(prog_name="sqlmetrics")


if __name__ == "__main__":
    main()
