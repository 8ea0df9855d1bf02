"""Mutants of cepheid in this process, put back after each test."""

import json
from contextlib import contextmanager

import pytest

import cepheid
import cepheid_mutants
from cepheid_conformance.op_spec import find_schemas


@pytest.fixture(scope="session")
def schemas():
    return json.loads(find_schemas().read_text())


@pytest.fixture(scope="session")
def mutants(schemas):
    return cepheid_mutants.every_mutant(schemas)


@pytest.fixture
def mutated(schemas):
    """`with mutated(id):` makes cepheid that mutant for the block."""

    @contextmanager
    def become(mutant):
        installer = cepheid_mutants.activate(cepheid, mutant, schemas)
        try:
            yield
        finally:
            installer.remove()

    return become
