"""Tells who hears the window instead of seeing it that something happened, without taking their attention away."""

from __future__ import annotations

from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QWidget


def announce(widget: QWidget, sentence: str) -> None:
    """Have a screen reader say `sentence` once it has said what it is at; does nothing where none listens."""
    if QAccessible.isActive():
        event = QAccessibleAnnouncementEvent(widget, sentence)
        event.setPoliteness(QAccessible.AnnouncementPoliteness.Polite)
        QAccessible.updateAccessibility(event)
