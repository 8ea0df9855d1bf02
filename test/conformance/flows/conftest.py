"""The flows are cepheid's specification: they are collected only when cepheid is judged."""


def pytest_ignore_collect(collection_path, config):
    if not config.getoption("--impl").startswith("cepheid"):
        return True
    return None
