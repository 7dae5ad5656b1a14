"""Clients of hexr's services. So far: :mod:`hexr.sandbox`, which runs code in sandboxes."""

from hexr import sandbox

__version__ = "0.1.0"
__all__ = ["__version__", "sandbox"]
