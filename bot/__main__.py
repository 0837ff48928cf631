"""The command `bot`: the outermost boundary, where every error becomes an exit status."""

import os
import sys


def main() -> None:
    """Run the command line and leave with the exit status that the reference names."""
    from bot.cli.main import run  # noqa: PLC0415 - importing the module does no work

    sys.exit(run(sys.argv[1:], os.environ))


if __name__ == "__main__":
    main()
