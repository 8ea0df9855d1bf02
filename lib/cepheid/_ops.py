"""`cepheid.ops`: every registered op by namespace, name and overload.

`ops.aten.add` is a packet: calling it resolves the overload; `ops.aten.add.Tensor` is one op of the
dispatcher, which takes exactly its schema's arguments.
"""

from __future__ import annotations

from typing import Any

from cepheid import _C

__all__ = ["OpNamespace", "OpOverload", "OpOverloadPacket", "Ops", "ops"]

OpOverload = _C.OpOverload


class OpOverloadPacket:
    """All overloads of one op name; an attribute per overload ("default" for the unnamed one)."""

    def __init__(self, qualified: str) -> None:
        self._qualified_op_name = qualified
        self.__name__ = qualified.partition("::")[2]

    def overloads(self) -> list[str]:
        """The overloads' names."""
        return [name or "default" for name in _C._overloads(self._qualified_op_name)]

    def __getattr__(self, overload: str) -> OpOverload:
        if overload.startswith("__"):
            raise AttributeError(overload)
        suffix = "" if overload == "default" else f".{overload}"
        try:
            op = _C._get_op(self._qualified_op_name + suffix)
        except LookupError:
            raise AttributeError(
                f"{self}: no overload {overload!r}; it has {', '.join(self.overloads())}"
            ) from None
        self.__dict__[overload] = op
        return op

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        refusals = []
        for overload in self.overloads():
            op: OpOverload = getattr(self, overload)
            try:
                return op(*args, **kwargs)
            except TypeError as error:
                refusals.append(f"  {op.schema}: {error}")
        raise TypeError(f"{self}: no overload takes these arguments:\n" + "\n".join(refusals))

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.overloads()]

    def __str__(self) -> str:
        return self._qualified_op_name.replace("::", ".")

    def __repr__(self) -> str:
        return f"<OpOverloadPacket(op='{self}')>"


class OpNamespace:
    """The ops of one namespace, as attributes."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, op: str) -> OpOverloadPacket:
        qualified = f"{self._name}::{op}"
        if op.startswith("__") or not _C._overloads(qualified):
            raise AttributeError(f"ops.{self._name}: no op {op!r} is registered")
        packet = OpOverloadPacket(qualified)
        self.__dict__[op] = packet
        return packet

    def __dir__(self) -> list[str]:
        prefix = self._name + "::"
        names = {
            op.removeprefix(prefix).partition(".")[0]
            for op in _C._all_ops()
            if op.startswith(prefix)
        }
        return sorted(names)

    def __repr__(self) -> str:
        return f"<OpNamespace '{self._name}'>"


class Ops:
    """The namespaces, as attributes: `aten` for the built-in ops, others by `cepheid.library`."""

    def __getattr__(self, namespace: str) -> OpNamespace:
        if namespace.startswith("__"):
            raise AttributeError(namespace)
        made = OpNamespace(namespace)
        self.__dict__[namespace] = made
        return made

    def forget(self, qualified: str) -> None:
        """Drop what is cached of `ns::op`, whose registration has changed."""
        namespace, _, op = qualified.partition("::")
        self.__dict__.get(namespace, self).__dict__.pop(op.partition(".")[0], None)


ops = Ops()
