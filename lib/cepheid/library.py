"""Registering ops and kernels from Python.

A kernel registered here takes the place of the native one until its library is destroyed, so that
a third party can override one kernel and run the conformance suite on it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from cepheid import _C
from cepheid._ops import OpOverload, ops

__all__ = ["Library", "define", "impl", "register_fake", "register_kernel"]

_DEVICE_KEYS = {"cpu": "CPU", "cuda": "CUDA", "meta": "Meta"}
_EVERY_DEVICE = "CompositeExplicitAutograd"


class Library:
    """A group of registrations that live together.

    `kind` is "DEF" (makes the namespace's ops), "FRAGMENT" (adds ops to one that may exist) or
    "IMPL" (kernels only). `dispatch_key` is the default key of `impl`.
    """

    def __init__(self, ns: str, kind: str, dispatch_key: str = "") -> None:
        if kind not in ("DEF", "FRAGMENT", "IMPL"):
            raise ValueError(f"Library: kind must be DEF, FRAGMENT or IMPL; got {kind!r}")
        if not ns.isidentifier():
            raise ValueError(f"Library: the namespace must be an identifier; got {ns!r}")
        if kind == "DEF" and ns in _defined_namespaces:
            raise RuntimeError(
                f"Library: namespace {ns!r} has a DEF library already; use FRAGMENT to add to it"
            )
        self.ns, self.kind, self.dispatch_key = ns, kind, dispatch_key
        self._ops: list[str] = []
        self._kernels: list[int] = []
        if kind == "DEF":
            _defined_namespaces.add(ns)

    def define(self, schema: str, alias_analysis: str = "", *, tags: Sequence[Any] = ()) -> str:
        """Make an op from "name.overload(Tensor x, ...) -> Tensor"; returns its name.

        ValueError for a schema that doesn't parse, RuntimeError when the op exists or the library
        is an IMPL one.
        """
        if self.kind == "IMPL":
            raise RuntimeError(
                "Library.define: an IMPL library has kernels only; use DEF or FRAGMENT"
            )
        qualified = _C._library_define(self.ns, schema)
        ops.forget(qualified)
        self._ops.append(qualified)
        return qualified.partition("::")[2]

    def impl(
        self,
        op_name: str | OpOverload,
        fn: Callable[..., Any],
        dispatch_key: str = "",
        *,
        with_keyset: bool = False,
        allow_override: bool = True,
    ) -> None:
        """Register `fn` for an op ("add.Tensor" or an overload object) at a dispatch key.

        TypeError when `fn` can't take the schema's arguments; RuntimeError when the key has a
        kernel and `allow_override` is False.
        """
        if with_keyset:
            raise ValueError("Library.impl: with_keyset is not supported; kernels get no key set")
        name = op_name.name if isinstance(op_name, OpOverload) else op_name
        qualified = name if "::" in name else f"{self.ns}::{name}"
        namespace = qualified.partition("::")[0]
        if namespace != self.ns:
            raise ValueError(f"Library.impl: op {qualified} isn't of namespace {self.ns!r}")
        key = dispatch_key or self.dispatch_key or "CompositeImplicitAutograd"
        if not allow_override and _C._get_op(qualified).has_kernel(key):
            raise RuntimeError(
                f"Library.impl: {qualified} has a kernel for {key} and allow_override is False"
            )
        self._kernels.append(_C._library_impl(qualified, key, fn))

    def fallback(self, fn: Callable[..., Any], dispatch_key: str = "") -> None:
        """Register `fn(op, *args, **kwargs)` for every op without a kernel at the key."""
        self._kernels.append(_C._library_fallback(dispatch_key or self.dispatch_key, fn))

    def _destroy(self) -> None:
        """Take back everything, last first."""
        while self._kernels:
            _C._library_remove(self._kernels.pop())
        while self._ops:
            qualified = self._ops.pop()
            _C._library_undefine(qualified)
            ops.forget(qualified)
        if self.kind == "DEF":
            _defined_namespaces.discard(self.ns)

    def __enter__(self) -> Library:
        return self

    def __exit__(self, *exception: object) -> None:
        self._destroy()

    def __repr__(self) -> str:
        return f"Library(kind={self.kind}, ns={self.ns}, dispatch_key={self.dispatch_key})"


_defined_namespaces = {"aten"}
_kept: list[Library] = []  # of the functions below, whose registrations stay for good


def _fragment(lib: Library | None, namespace: str) -> Library:
    if lib is not None:
        return lib
    made = Library(namespace, "FRAGMENT")
    _kept.append(made)
    return made


def _split(op: str | OpOverload) -> tuple[str, str]:
    qualified = op.name if isinstance(op, OpOverload) else op
    namespace, mark, name = qualified.partition("::")
    if not mark:
        raise ValueError(f"library: an op's name has the form namespace::name; got {qualified!r}")
    return namespace, name


def define(qualname: str, schema: str, *, lib: Library | None = None, tags: Any = ()) -> None:
    """Make the op `namespace::name`; `schema` begins at its bracket: "(Tensor x) -> Tensor"."""
    namespace, name = _split(qualname)
    _fragment(lib, namespace).define(name + schema, tags=tags)


def impl(
    qualname: str | OpOverload,
    types: str | Sequence[str],
    func: Callable[..., Any] | None = None,
    *,
    lib: Library | None = None,
) -> Callable[..., Any]:
    """Register a kernel for device types or dispatch keys.

    Device types are "cpu", "cuda", "meta", and "default" for all of them. Without `func` it is a
    decorator. Returns the function.
    """
    if func is None:
        return lambda fn: impl(qualname, types, fn, lib=lib)
    namespace, name = _split(qualname)
    for kind in (types,) if isinstance(types, str) else types:
        key = _EVERY_DEVICE if kind == "default" else _DEVICE_KEYS.get(kind, kind)
        _fragment(lib, namespace).impl(name, func, key)
    return func


def register_kernel(
    op: str | OpOverload,
    device_types: str | Sequence[str] | None,
    func: Callable[..., Any] | None = None,
    /,
    *,
    lib: Library | None = None,
) -> Callable[..., Any]:
    """`impl` with None for every device."""
    return impl(op, "default" if device_types is None else device_types, func, lib=lib)


def register_fake(
    op: str | OpOverload,
    func: Callable[..., Any] | None = None,
    /,
    *,
    lib: Library | None = None,
    allow_override: bool = True,
) -> Callable[..., Any]:
    """Register what an op gives for meta tensors: shapes and dtypes, no values."""
    return impl(op, "meta", func, lib=lib)
