import typer


def add_to(cli: typer.Typer) -> None:
    """Not there yet."""
