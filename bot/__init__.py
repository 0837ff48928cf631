"""Gapwright: closes the gaps in a requirements document, one tested pull request at a time."""

__version__ = "0.1.0"
