"""What may be said about tools."""

from __future__ import annotations

import argparse
from typing import Any

from tavern_desktop.cli.backend_arguments import AddCommand


def add_tools(commands: Any, common: argparse.ArgumentParser, add: AddCommand) -> None:
    """Add `tools list` and `tools run`."""
    tools = commands.add_parser("tools", help="list and run the tools of models", parents=[common], allow_abbrev=False)
    below = tools.add_subparsers(title="commands", metavar="COMMAND", required=True)
    add(below, common, "list", "list_tools", "the tools there are; the servers that are set up are started for it")
    run = add(below, common, "run", "run_tool", "run a tool as a model would, and print what it answers")
    run.add_argument("name", metavar="NAME")
    run.add_argument("--args", metavar="JSON", default="", help="what is passed to it, a JSON object")
    run.add_argument("--chat", metavar="FILE", default="", help="the chat that it may look at; it is not changed")
