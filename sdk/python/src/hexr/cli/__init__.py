"""The command ``sandbox``."""

from ._main import main

__all__ = ["main"]
