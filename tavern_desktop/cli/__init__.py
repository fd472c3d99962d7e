"""The command line: the use cases of the window, through the same sessions, without Qt."""

from tavern_desktop.cli.arguments import is_for_command_line
from tavern_desktop.cli.entry import main

__all__ = ["is_for_command_line", "main"]
