"""The configuration: read once, checked whole, handed on frozen."""
