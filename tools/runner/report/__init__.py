"""Consumers of the event stream; each writes one form of the report."""
