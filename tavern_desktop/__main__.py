"""The entry point: the command line where a command is given, else the window."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from tavern_desktop import cli


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program with `argv` (without the program's name) and return its exit code."""
    words = list(sys.argv[1:] if argv is None else argv)
    if cli.is_for_command_line(words):
        return cli.main(words)
    # Qt is imported only for a window: commands work where there is none of it.
    from tavern_desktop import app

    return app.main(words)


if __name__ == "__main__":
    sys.exit(main())
