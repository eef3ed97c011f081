"""The mechanisms, one file each; importing this package registers them."""

from . import exponential, identity, laplace

__all__ = ["exponential", "identity", "laplace"]
