"""Utilities that are not ops."""
