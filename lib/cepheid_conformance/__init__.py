"""Cepheid's conformance suite: judges any implementation of the PyTorch tensor API.

The judge never imports the implementation under test. It sends call scripts to a driver in the
candidate's own process (docs/decisions/0001-judge-and-driver.md) and compares the facts that come
back with oracles written from mathematics and documentation.
"""
