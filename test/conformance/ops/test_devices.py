"""K27: device parity: meta structure, mixed devices, places beyond 2^31."""

from cepheid_conformance.checks import devices as check


def test_devices(judge_cell):
    judge_cell(check)
