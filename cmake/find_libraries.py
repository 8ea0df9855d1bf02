"""Print where the build environment's BLAS and DNN libraries lie, as CMake list items NAME=path.

oneDNN has wheels for x86-64 only; where it is not installed its three items are left out and the
build takes the project's own convolution path.
"""

import importlib.metadata
from pathlib import Path


def locate(distribution: str, tail: str) -> Path:
    """The real path of the installed file of `distribution` whose name ends in `tail`."""
    for file in importlib.metadata.files(distribution) or []:
        if str(file).endswith(tail):
            return Path(str(file.locate())).resolve()
    raise SystemExit(f"{distribution}: no file ends in {tail!r}; reinstall the package")


def main() -> None:
    """Print the list."""
    blas = "scipy-openblas32"
    items = [
        f"BLAS_INCLUDE={locate(blas, 'include/cblas.h').parent}",
        f"BLAS_LIBRARY={locate(blas, 'libscipy_openblas.so')}",
        f"BLAS_LICENSE={locate(blas, 'LICENSE.txt')}",
    ]
    try:
        importlib.metadata.distribution("onednn-cpu-gomp")
    except importlib.metadata.PackageNotFoundError:
        print(";".join(items))
        return
    items += [
        f"DNNL_INCLUDE={locate('onednn-devel-cpu-gomp', 'oneapi/dnnl/dnnl.hpp').parents[2]}",
        f"DNNL_LIBRARY={locate('onednn-cpu-gomp', 'libdnnl.so.3')}",
        f"DNNL_LICENSE={locate('onednn-cpu-gomp', 'LICENSE.txt')}",
    ]
    print(";".join(items))


if __name__ == "__main__":
    main()
