"""Tavern Desktop: a native chat client for SillyTavern and TauriTavern data folders."""

__version__ = "0.1.0"
