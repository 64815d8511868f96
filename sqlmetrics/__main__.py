"""`python -m sqlmetrics`, and the program `sqlmetrics`."""

from .cli.signals import install_handlers


def main() -> None:
    """Run a command line; signal handlers are installed before the slow imports."""
    install_handlers()
    from .cli.main import main as shell  # noqa: PLC0415

    shell(prog_name="sqlmetrics")


if __name__ == "__main__":
    main()
