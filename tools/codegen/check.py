"""Rules that hold across fields and entries; every breach is a problem with op, file and line."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from tools.codegen.model import PUBLIC_MODULES, OpEntry, RuleCall, RuleNames, Tags, Type
from tools.codegen.problems import Problem
from tools.codegen.rules import RuleBook
from tools.codegen.scalar import (
    DTYPE_CLASSES,
    RARE,
    Functions,
    ScalarError,
    check_scalar,
    parse_scalar,
)

VARIANTS = ("function", "method", "inplace", "out")
BACKENDS = ("cpu", "cuda")
NATIVE_KEYS = ("cpu", "cuda", "meta", "all", "composite")
FACTORY_OPTIONS = ("dtype", "layout", "device", "pin_memory")
POINTWISE_PROMOTION = ("default", "int_to_float", "complex_to_float", "compare")
# What a call of `each:` may pass besides arguments of the schema and number(argument).
EACH_WORDS: Mapping[str, str] = {"None": "{}", "False": "false", "True": "true"}
# Promotion rules and what each of their arguments must be.
PROMOTION_ARGUMENTS: Mapping[str, tuple[str, ...]] = {
    "same": ("Tensor",),
    "fixed": ("dtype",),
    "accumulate": ("Tensor", "ScalarType?"),
    "mean": ("Tensor", "ScalarType?"),
    "softmax": ("Tensor", "ScalarType?"),
    "real": ("Tensor",),
    "norm": ("Tensor", "ScalarType?"),
    "floating": ("Tensor",),
    "truth": ("Tensor",),
    "equal_dtypes": ("Tensor", "Tensor"),
    "list": ("Tensor[]",),
}


@dataclass(frozen=True)
class Context:
    """What an entry is checked against."""

    tags: Tags
    rule_names: RuleNames
    rules: RuleBook
    dtypes: frozenset[str]
    functions: Functions  # of math.h


class _EntryCheck:
    def __init__(self, entry: OpEntry, context: Context, problems: list[Problem]) -> None:
        self.entry = entry
        self.context = context
        self.problems = problems

    def problem(self, field: str, text: str) -> None:
        source = self.entry.source
        name = self.entry.full_name
        self.problems.append(Problem(source.file, source.at(field), name, text))

    def run(self) -> None:
        self._names()
        self._module()
        self._variants()
        self._tags()
        self._operand_lists()
        self._dtypes()
        self._evidence()
        checks: dict[str, Callable[[], None]] = {
            "scalar": self._scalar,
            "kernel": self._kernel,
            "inplace_kernel": self._inplace_kernel,
            "view": self._view,
            "native": self._native,
            "composite": self._composite,
            "each": self._each,
        }
        checks[self.entry.implementation.kind]()

    def _names(self) -> None:
        names = [a.name for a in self.entry.schema.arguments]
        for name in sorted({n for n in names if names.count(n) > 1}):
            self.problem("op", f"argument {name} is declared twice; rename one")
        defaulted = False
        for argument in self.entry.schema.positional:
            if defaulted and not argument.has_default:
                self.problem("op", f"{argument.name} has no default but follows one that has")
            defaulted = defaulted or argument.has_default

    def _module(self) -> None:
        entry = self.entry
        if not entry.module:
            return
        if entry.module not in PUBLIC_MODULES:
            known = ", ".join(PUBLIC_MODULES)
            self.problem("module", f"unknown module {entry.module}; modules are {known}")
        if not set(entry.variants) <= {"function", "out"}:
            self.problem("variants", "an op of a module has functions only: function, out")

    def _variants(self) -> None:
        entry = self.entry
        for variant in entry.variants:
            if variant not in VARIANTS:
                self.problem(
                    "variants", f"unknown variant {variant}; variants are {', '.join(VARIANTS)}"
                )
        if len(set(entry.variants)) != len(entry.variants):
            self.problem("variants", "a variant is listed twice; keep one")
        if "method" in entry.variants and not self._first_is(Type("Tensor")):
            self.problem("variants", "a method needs a Tensor as its first argument")
        written = [v for v in ("inplace", "out") if v in entry.variants]
        if not written:
            return
        what = ", ".join(written)
        if entry.schema.mutates:
            self.problem("variants", f"{what}: the op writes an operand itself; drop the variant")
        if any(result.alias is not None for result in entry.schema.returns):
            self.problem(
                "variants", f"{what}: the result is a view of an operand; drop the variant"
            )
        result = entry.schema.returns[0].type
        if any(not returned.type.is_tensor for returned in entry.schema.returns) and (
            "out" in written or not result.is_tensor_list
        ):
            self.problem("variants", f"{what}: only tensors can be written; drop the variant")
        if "inplace" in written and (
            not self._first_is(result) or len(entry.schema.returns) != 1
        ):
            self.problem("variants", "inplace: needs one result and its type as first argument")

    def _first_is(self, type_: Type) -> bool:
        arguments = self.entry.schema.arguments
        return bool(arguments) and arguments[0].type == type_

    def _tags(self) -> None:
        entry, schema = self.entry, self.entry.schema
        for tag in entry.tags:
            if tag not in self.context.tags.tags:
                self.problem(
                    "tags", f"unknown tag {tag}; tags are {', '.join(self.context.tags.tags)}"
                )
        aliased = any(result.alias is not None for result in schema.returns)
        viewed = aliased and not schema.mutates
        if viewed != bool({"view", "maybe_view"} & set(entry.tags)):
            self.problem(
                "tags", "view or maybe_view goes with a result that is Tensor(a), and only then"
            )
        if schema.mutates != ("mutates" in entry.tags):
            self.problem("tags", "mutates goes with an argument that is Tensor(a!), and only then")
        options = {a.name for a in schema.arguments if a.kwarg_only}
        if "factory" in entry.tags and (missing := set(FACTORY_OPTIONS) - options):
            self.problem(
                "tags", f"factory: no option {', '.join(sorted(missing))}; add it to the schema"
            )
        takes_ints = any(a.type == Type("int", is_list=True) for a in schema.positional)
        if "varargs" in entry.tags and not takes_ints:
            self.problem("tags", "varargs: the schema has no int[] argument")
        if "random" not in entry.tags and schema.argument("generator") is not None:
            self.problem("tags", "an op with a generator argument is random; add the tag")

    def _operand_lists(self) -> None:
        for field in ("numbers", "broadcast_self"):
            for name in getattr(self.entry, field):
                argument = self.entry.schema.argument(name)
                if argument is None or not argument.type.is_tensor:
                    self.problem(field, f"{field}: {name} isn't a Tensor operand of the schema")

    def _dtypes(self) -> None:
        for backend, names in self.entry.dtypes.items():
            if backend not in BACKENDS:
                self.problem(
                    "dtypes", f"unknown backend {backend}; backends are {', '.join(BACKENDS)}"
                )
            if not names:
                self.problem("dtypes", f"{backend}: no dtype; leave the backend out instead")

    def _evidence(self) -> None:
        entry = self.entry
        oracle = entry.oracle
        if oracle == "none":
            self.problem("oracle", "oracle: none needs a reason; write oracle: {none: why}")
        if isinstance(oracle, Mapping) and (set(oracle) != {"none"} or not oracle["none"].strip()):
            self.problem(
                "oracle", f"oracle must be a function's name or {{none: why}}; got {dict(oracle)}"
            )
        if not entry.errors or ("none" in entry.errors and len(entry.errors) > 1):
            self.problem("errors", "errors must name functions, or be [none] alone")

    def _forbid(self, *fields: str) -> None:
        kind = self.entry.implementation.kind
        for field in fields:
            if getattr(self.entry, field):
                self.problem(field, f"{field} has no meaning beside {kind}; drop it")

    def _keys(self, allowed: Iterable[str], what: str) -> bool:
        kind = self.entry.implementation.kind
        keys = set(self.entry.implementation.cases)
        if keys <= set(allowed):
            return True
        self.problem(
            kind, f"{kind} must be given per {what} ({', '.join(allowed)}); got {', '.join(keys)}"
        )
        return False

    def _plain(self) -> bool:
        kind = self.entry.implementation.kind
        if set(self.entry.implementation.cases) == {""}:
            return True
        self.problem(kind, f"{kind} takes one name; got a map")
        return False

    def _scalar(self) -> None:
        entry = self.entry
        self._forbid("broadcast_self")
        if entry.shape != RuleCall("broadcast"):
            self.problem("shape", "a scalar op has shape: broadcast")
        if len(entry.promote) != 1 or entry.promote[0].name not in POINTWISE_PROMOTION:
            self.problem(
                "promote", f"a scalar op has promote: one of {', '.join(POINTWISE_PROMOTION)}"
            )
        for call in entry.promote:
            for name in call.arguments or ():
                self._operand(name, "promote", ("Tensor",))
        keys = set(entry.implementation.cases)
        if not keys <= {"", *DTYPE_CLASSES, "else", *RARE}:
            self._keys((*DTYPE_CLASSES, "else", *RARE), "class of dtype")
        if len(keys & set(RARE)) == 1:
            self.problem("scalar", f"{' and '.join(RARE)} go together")
        names = [a.name for a in entry.schema.arguments]
        for expression in entry.implementation.cases.values():
            try:
                check_scalar(parse_scalar(expression), names, self.context.functions)
            except ScalarError as error:
                self.problem("scalar", str(error))

    def _kernel(self) -> None:
        entry = self.entry
        self._forbid("broadcast_self")
        self._keys(BACKENDS, "backend")
        if entry.shape is None:
            self.problem("shape", "a kernel needs shape: a rule of rules.yaml")
        else:
            self._shape_rule(entry.shape)
        if len(entry.promote) not in (1, len(entry.schema.returns)):
            self.problem("promote", "a kernel needs promote: one rule, or one per result")
        for call in entry.promote:
            self._promotion_rule(call)

    def _shape_rule(self, call: RuleCall) -> None:
        if call.name not in self.context.rule_names.shape:
            self.problem("shape", f"unknown shape rule {call.name}; rules are listed in rules.yaml")
            return
        function = self.context.rules.shape_rule(call.name)
        if function is None:
            self.problem(
                "shape",
                f"no function {call.name} in rules/; write it in rules/{self.entry.family}.py",
            )
            return
        given = call.arguments or ()
        wanted = function.parameters[1:]  # the first is the op's name
        if len(given) != len(wanted):
            names = ", ".join(p.name for p in wanted)
            self.problem("shape", f"{call.name} takes ({names}); got ({', '.join(given)})")
        for name in given:
            self._operand(name, "shape", None)

    def _promotion_rule(self, call: RuleCall) -> None:
        wanted = PROMOTION_ARGUMENTS.get(call.name)
        if wanted is None or call.name not in self.context.rule_names.promote:
            known = ", ".join(PROMOTION_ARGUMENTS)
            self.problem(
                "promote", f"unknown promotion rule {call.name} of a kernel; rules are {known}"
            )
            return
        given = call.arguments or ()
        if call.name == "equal_dtypes" and len(given) == 3:
            wanted = ("Tensor", "Tensor", "Tensor?")
        if len(given) != len(wanted):
            self.problem(
                "promote", f"{call.name} takes ({', '.join(wanted)}); got ({', '.join(given)})"
            )
            return
        for name, type_ in zip(given, wanted, strict=True):
            if type_ == "dtype":
                if name not in self.context.dtypes:
                    self.problem("promote", f"{call.name}: {name} isn't a dtype")
            else:
                accepted = ("Tensor", type_) if type_ == "Tensor?" else (type_,)
                self._operand(name, "promote", accepted)

    def _operand(self, name: str, field: str, types: tuple[str, ...] | None) -> None:
        argument = self.entry.schema.argument(name)
        if argument is None:
            self.problem(field, f"{name} isn't an operand; operands are {self._operand_names()}")
        elif types is not None and str(argument.type) not in types:
            self.problem(field, f"{name} must be {' or '.join(types)}; it is {argument.type}")

    def _operand_names(self) -> str:
        return ", ".join(a.name for a in self.entry.schema.arguments)

    def _inplace_kernel(self) -> None:
        self._forbid("shape", "promote")
        self._keys(BACKENDS, "backend")

    def _view(self) -> None:
        self._forbid("shape", "promote", "check", "broadcast_self")
        self._plain()
        if "view" not in self.entry.tags:
            self.problem("tags", "an op given by view: carries the tag view")

    def _native(self) -> None:
        self._forbid("shape", "promote", "check", "broadcast_self")
        cases = set(self.entry.implementation.cases)
        if self._keys(NATIVE_KEYS, "backend") and {"all", "composite"} & cases and len(cases) > 1:
            self.problem("native", "all and composite serve every backend; give them alone")
        if {"inplace", "out"} & set(self.entry.variants) and "composite" not in cases:
            self.problem("variants", "a native op has no derived inplace or out; give them entries")

    def _composite(self) -> None:
        self._forbid("shape", "promote", "check", "broadcast_self")
        if not self._plain():
            return
        name = self.entry.implementation.single
        function = self.context.rules.composite(self.entry.family, name)
        if function is None:
            file = f"rules/{self.entry.family}.py"
            self.problem("composite", f"no function {name} in {file}; write it there")
            return
        text = function.mismatch(self.entry.schema)
        if text is not None:
            self.problem("composite", f"{name} of rules/{self.entry.family}.py: {text}")

    def _each(self) -> None:
        self._forbid("shape", "promote", "check", "broadcast_self")
        if not self._plain():
            return
        schema = self.entry.schema
        if [str(result.type) for result in schema.returns] != ["Tensor[]"]:
            self.problem("op", "an op given by each: returns Tensor[]")
        for text in self.entry.each.arguments or ():
            if text in EACH_WORDS:
                continue
            number = re.fullmatch(r"number\((\w+)\)", text)
            self._operand(number[1] if number else text, "each", None)


def _each_called(entries: Sequence[OpEntry], problems: list[Problem]) -> None:
    """What an op given by `each:` calls must exist, and in place too where it has that form."""
    for entry in entries:
        if entry.implementation.kind != "each":
            continue
        name = entry.each.name
        called = [other for other in entries if other.name == name]
        if not called or (
            "inplace" in entry.variants and not any("inplace" in e.variants for e in called)
        ):
            text = f"no op {name} with the variants of this one; name another"
            source = entry.source
            problems.append(Problem(source.file, source.at("each"), entry.full_name, text))


def _duplicates(entries: Iterable[OpEntry], problems: list[Problem]) -> None:
    """No two dispatcher entries may share a name, derived ones included."""
    seen: dict[str, OpEntry] = {}
    for entry in entries:
        for variant in entry.dispatched():
            name = variant.schema.full_name
            other = seen.setdefault(name, entry)
            if other is not entry:
                where = f"{other.source.file}:{other.source.line}"
                text = f"{name} is declared already at {where}; rename or drop one"
                problems.append(
                    Problem(entry.source.file, entry.source.at("op"), entry.full_name, text)
                )


def check_entries(entries: Sequence[OpEntry], context: Context, problems: list[Problem]) -> None:
    """Appends a problem for everything that is wrong with the entries, alone or together."""
    for entry in entries:
        _EntryCheck(entry, context, problems).run()
    _duplicates(entries, problems)
    _each_called(entries, problems)
