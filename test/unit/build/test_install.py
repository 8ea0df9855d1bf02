"""What is installed: licences, no unwanted links, an import that opens no large library."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import cepheid
import cepheid_conformance
from tools.runner import run_this_file


def installed(name):
    """A file of the package, in the folder that the build installed or the one of the sources."""
    for folder in cepheid.__path__:
        if (Path(folder) / name).exists():
            return Path(folder) / name
    raise AssertionError(f"{name} is in none of {list(cepheid.__path__)}")


def needed(library):
    """The names of the libraries that a library is linked with."""
    table = subprocess.run(["readelf", "-d", library], capture_output=True, text=True, check=True)
    lines = [line for line in table.stdout.splitlines() if "(NEEDED)" in line]
    return {line.rpartition("[")[2].rstrip("]") for line in lines}


@pytest.mark.parametrize(
    ("file", "words"),
    [
        ("OpenBLAS.txt", "The OpenBLAS Project"),
        ("oneDNN.txt", "Apache License"),
        ("libgomp.txt", "GCC RUNTIME LIBRARY EXCEPTION"),
    ],
)
def test_the_licences_of_bundled_libraries_ship(file, words):
    assert words in installed(f"lib/licenses/{file}").read_text()


def test_libcepheid_is_linked_with_system_libraries_only():
    system = {"libstdc++.so.6", "libm.so.6", "libgcc_s.so.1", "libc.so.6", "ld-linux-x86-64.so.2"}
    assert needed(installed("lib/libcepheid.so")) <= system


def test_the_extension_is_linked_with_libcepheid_and_not_with_python():
    names = needed(cepheid._C.__file__)
    assert "libcepheid.so" in names
    assert not [name for name in names if "python" in name or "blas" in name or "dnnl" in name]


def test_an_import_opens_no_large_library():
    program = "import cepheid; print(open('/proc/self/maps').read())"
    maps = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True).stdout
    assert "libcepheid.so" in maps
    assert not [line for line in maps.splitlines() if "openblas" in line or "dnnl" in line]


def test_an_import_needs_no_other_package():
    program = "import cepheid, sys; print(*sorted({name.split('.')[0] for name in sys.modules}))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    loaded = set(done.stdout.split())
    assert "cepheid" in loaded
    assert not loaded & {"numpy", "yaml", "jinja2", "tools", "cepheid_conformance", "torch"}


def test_the_schemas_are_where_the_judge_looks():
    for package in (cepheid, cepheid_conformance):
        found = [Path(folder) / "schemas.json" for folder in package.__path__]
        (file,) = [path for path in found if path.exists()]
        assert json.loads(file.read_text())["format"] == 1


if __name__ == "__main__":
    run_this_file()
