"""`python -m sqlmetrics`, and the program `sqlmetrics`."""

from .cli.signals import exit_by_signal, install_handlers


def main() -> None:
    """Run a command line; signal handlers are installed before the slow imports."""
    install_handlers()
    try:
        from .cli.main import main as shell  # noqa: PLC0415

        shell(prog_name="sqlmetrics")
    except KeyboardInterrupt:  # before the command began
        exit_by_signal()


if __name__ == "__main__":
    main()
