"""Mutation testing of the suite: faults put into cepheid by rule, and how many are noticed."""
