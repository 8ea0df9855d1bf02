"""Benchmarks: implementations of the torch API side by side, on one machine."""
