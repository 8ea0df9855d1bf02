"""Refits the polynomials of the CPU kernels' vector functions."""
