"""Which template writes a prompt out as one text: one that comes with the program, or the person's own words.

A choice is "" for the server's own, the id of a known template, or the TOML text of one's own, which therefore has
several lines.
"""

from __future__ import annotations

from tavern_desktop.prompt.templates import TextTemplate, known_templates, read_template

FALLBACK = "chatml"
"""For servers that complete text and do not know their model's own form."""


def template_of(choice: str) -> TextTemplate:
    """Return the template that is chosen, the fallback for none and for one that cannot be read."""
    templates = known_templates()
    if is_own(choice):
        try:
            return read_template(choice)
        except ValueError:
            return templates[FALLBACK]
    return templates.get(choice) or templates[FALLBACK]


def is_own(choice: str) -> bool:
    """Say whether a choice is a template in the person's own words."""
    return "\n" in choice
