"""What may be said about special messages."""

from __future__ import annotations

import argparse
from typing import Any

from tavern_desktop.cli.backend_arguments import AddCommand


def add_cards(commands: Any, common: argparse.ArgumentParser, add: AddCommand) -> None:
    """Add `cards check` and `cards insert`."""
    cards = commands.add_parser("cards", help="check and insert special messages", parents=[common], allow_abbrev=False)
    below = cards.add_subparsers(title="commands", metavar="COMMAND", required=True)
    check = add(below, common, "check", "check_card", "what a payload is: exit code 0 only where it is valid")
    check.add_argument("yaml", metavar="FILE.yaml", help="the payload; - for standard input")
    insert = add(below, common, "insert", "insert_card", "a payload as a special message at the end of a chat")
    insert.add_argument("file", metavar="CHAT")
    insert.add_argument("yaml", metavar="FILE.yaml", help="the payload; - for standard input")
