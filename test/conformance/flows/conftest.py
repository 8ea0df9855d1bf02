"""The flows are cepheid's specification: they run only when cepheid is judged."""

from pathlib import Path

FOLDER = Path(__file__).parent


def pytest_collection_modifyitems(config, items):
    if config.getoption("--impl").startswith("cepheid"):
        return
    dropped = [item for item in items if FOLDER in item.path.parents]
    config.hook.pytest_deselected(items=dropped)
    items[:] = [item for item in items if FOLDER not in item.path.parents]
