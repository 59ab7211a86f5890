"""Opposable: tools for models that were never taught to use them."""

__version__ = "0.1.0"
