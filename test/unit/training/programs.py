"""Small training programs that are run with PyTorch once, recorded, and with cepheid in the tests.

A program is a function of the framework module that returns what can be written as JSON. It seeds
the generator itself where it draws.
"""

import warnings

PROGRAMS = {}


def program(function):
    """Register a program under its name."""
    PROGRAMS[function.__name__] = function
    return function


def programs_of(cases):
    """Register `function(torch, case)` once for each case, under the case's name."""

    def register(function):
        for name, case in cases.items():
            PROGRAMS[f"{function.__name__}[{name}]"] = lambda torch, case=case: function(
                torch, case
            )
        return function

    return register


def numbers(value):
    """Tensors, through dicts and sequences, as lists of numbers."""
    if isinstance(value, dict):
        return {str(key): numbers(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [numbers(item) for item in value]
    if hasattr(value, "tolist"):
        return value.detach().tolist()
    return value


def raised(call):
    """The class of the error that a call raises, and None where it raises none."""
    try:
        call()
    except Exception as error:
        return type(error).__name__
    return None


def warned(call):
    """The classes of the warnings that a call gives."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        call()
    return [warning.category.__name__ for warning in found]
