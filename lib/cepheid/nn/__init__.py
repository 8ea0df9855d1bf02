"""Neural networks. Modules and parameters arrive with autograd; the functions are here."""

from cepheid.nn import functional

__all__ = ["functional"]
