"""`autograd/<family>.cpp`: the nodes of a family's ops and the kernels that record them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tools.codegen import cpp
from tools.codegen.derivatives import (
    FACTS,
    Derivative,
    Formula,
    differentiable,
    gradient_names,
    offered,
    result_names,
)
from tools.codegen.model import OpEntry, Schema, Variant
from tools.codegen.registry import Registry
from tools.codegen.rules import Kind

# Kind -> the member that keeps such a value, and the local that formulas see.
MEMBERS: Mapping[str, tuple[str, str]] = {
    "Tensor": ("SavedTensor", "const Tensor"),
    "TensorList": ("SavedTensors", "const std::vector<Tensor>"),
    "ints": ("DimVector", "const IntArrayRef"),
    "shapes": ("std::vector<DimVector>", "const std::vector<IntArrayRef>"),
    "int": ("int64_t", "const int64_t"),
    "float": ("double", "const double"),
    "bool": ("bool", "const bool"),
    "str": ("std::string", "const std::string_view"),
}


def emit(registry: Registry) -> dict[str, str]:
    """One unit per family that has something to record."""
    return {
        f"autograd/{family}.cpp": unit
        for family in registry.families
        if (unit := _unit(registry, family))
    }


def _recorded(entry: OpEntry) -> bool:
    """Whether calls can be in a graph: made of kernels, operands and results are tensors."""
    if entry.implementation.kind in ("composite", "each") or entry.derivative in ("parts", "none"):
        return False
    if "composite" in entry.implementation.cases or {"factory", "detached"} & set(entry.tags):
        return False
    results = [result.type.base for result in entry.schema.returns]
    return bool(differentiable(entry.schema)) and set(results) == {"Tensor"}


def _written_by_parts(entry: OpEntry) -> bool:
    """Whether it has an in-place form that calls others: what these save of self, it overwrites."""
    return entry.implementation.kind == "composite" and "inplace" in entry.variants


def _unit(registry: Registry, family: str) -> str:
    family_entries = registry.of_family(family)
    entries = [entry for entry in family_entries if _recorded(entry) or _written_by_parts(entry)]
    if not entries:
        return ""
    ops = [_Op(entry, registry.derivatives.get(entry.full_name)) for entry in entries]
    sections = "\n".join(op.section() for op in ops)
    registrations = "\n".join(line for op in ops for line in op.registrations())
    return (
        cpp.generated_note(f"csrc/ops/{family}.yaml")
        + _includes(registry, ops)
        + "\nnamespace ceph::autograd {\nnamespace {\n\n"
        + "using namespace rules;\n\n"
        + sections
        + f"\nconst bool registered = [] {{\n{registrations}\n  return true;\n}}();\n\n"
        + "}  // namespace\n}  // namespace ceph::autograd\n"
    )


def _includes(registry: Registry, ops: Sequence[_Op]) -> str:
    headers = {"autograd/record.h", "ops/rules/support.h"}
    for op in ops:
        headers.add(f"generated/ops/{op.entry.name}.h")
        if _written_by_parts(op.entry):
            headers.add("generated/ops/copy_.h")
        if op.writes_first():
            headers.add("generated/ops/clone.h")
        if op.derivative is not None:
            headers |= {f"generated/ops/{name}.h" for name in op.derivative.calls.ops}
            for rule in op.derivative.calls.rules:
                headers.add(f"generated/rules/{registry.rules.functions[rule].family}.h")
    return "".join(f'#include "{name}"\n' for name in sorted(headers))


def _camel(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_"))


@dataclass(frozen=True)
class _Op:
    entry: OpEntry
    derivative: Derivative | None

    # ---- what there is

    @property
    def schema(self) -> Schema:
        return self.entry.schema

    @property
    def kinds(self) -> dict[str, Kind]:
        return offered(self.schema)

    @property
    def node(self) -> str:
        return f"{cpp.entry_name(self.schema)}_node"

    @property
    def operands(self) -> list[str]:
        """The tensor operands that have edges: those with formulas, or all where none has."""
        names = differentiable(self.schema)
        if self.derivative is None:
            return names
        covered = {t for formula in self.derivative.formulas for t in formula.targets}
        return [name for name in names if name in covered]

    def writes_first(self) -> bool:
        """Whether a variant writes to its first operand."""
        return "inplace" in self.entry.variants or self._mutates()

    def _mutates(self) -> bool:
        alias = self.schema.arguments[0].alias if self.schema.arguments else None
        return alias is not None and alias.writes

    def saved(self) -> list[str]:
        """The names whose values a node keeps, in the order of the schema."""
        assert self.derivative is not None
        given = {*gradient_names(self.schema)}
        return [
            name
            for name in self.kinds
            if name in self.derivative.names and name not in given and not name.startswith("wants_")
        ]

    # ---- text

    def section(self) -> str:
        parts = [f"// ---- {self.entry.full_name}\n"]
        if self.derivative is not None and not self.derivative.through:
            parts.append(self._node_text())
        parts += [self._kernel(variant) for variant in self._variants()]
        return "\n".join(parts)

    def registrations(self) -> list[str]:
        return [
            cpp.listed(
                f"ops::entries::{cpp.entry_name(variant.schema)}.impl(",
                ["DispatchKey::Autograd", f"&{cpp.entry_name(variant.schema)}_recorded"],
                ");",
                indent="  ",
            )
            for variant in self._variants()
        ]

    def _variants(self) -> list[Variant]:
        """Those that can be in a graph: a result of truth values or places takes no gradient."""
        if _written_by_parts(self.entry):
            return [v for v in self.entry.dispatched() if v.kind == "inplace"]
        fixed = {call.name for call in self.entry.promote} & {"compare", "truth"}
        variants = self.entry.dispatched()
        return [v for v in variants if v.kind == "inplace" or not fixed]

    def _member(self, name: str) -> str:
        kind = self.kinds[name]
        type_ = MEMBERS.get(kind.base, (kind.base, ""))[0]
        if kind.optional and kind.base not in ("Tensor", "Generator"):
            type_ = f"std::optional<{type_}>"
        start = "{}" if type_ in ("int64_t", "double", "bool", "DType") else ""
        return f"  {type_} saved_{name}{start};"

    def _local(self, name: str) -> str:
        kind, local = self.kinds[name], cpp.local_name(name)
        declared = MEMBERS.get(kind.base, ("", f"const {kind.base}&"))[1]
        member = f"saved_{name}"
        if kind.base in ("Tensor", "TensorList"):
            return f"    {declared} {local} = {member}.unpack(this);"
        if kind.base == "shapes":
            return f"    {declared} {local}({member}.begin(), {member}.end());"
        if kind.optional and kind.base == "ints":
            value = f"{member} ? std::optional<IntArrayRef>(*{member}) : std::nullopt"
            return f"    const std::optional<IntArrayRef> {local} = {value};"
        if kind.optional and kind.base != "Generator":
            return f"    const auto& {local} = {member};"
        return f"    {declared} {local} = {member};"

    def _node_text(self) -> str:
        assert self.derivative is not None
        saved = self.saved()
        lists = [name for name in self.operands if self.kinds[name].base == "TensorList"]
        members = [self._member(name) for name in saved]
        members += [f"  size_t count_{name} = 0;" for name in lists]
        tensors = [n for n in saved if self.kinds[n].base in ("Tensor", "TensorList")]
        release = "".join(f"    saved_{name}.release();\n" for name in tensors)
        if release:
            release = (
                "  void release_saved() override {\n"
                "    const std::lock_guard lock(mutex());\n" + release + "  }\n"
            )
        return (
            f"struct {self.node} final : Node {{\n"
            + f'  const char* name() const override {{ return "{_camel(self.entry.name)}Backward0";'
            + " }\n"
            + release
            + self._apply()
            + "".join(f"{member}\n" for member in members)
            + "};\n"
        )

    def _apply(self) -> str:
        assert self.derivative is not None
        lines = [
            "    Gradients made(edges().size());",
            "    if (none_defined(gradients)) return made;",
        ]
        body = [line for formula in self.derivative.formulas for line in self._formula(formula)]
        if any("op" in line for line in body):
            lines.append("    [[maybe_unused]] const char* op = name();")
        turned = self._takes_conjugates()
        if turned:
            lines.append("    const bool turned = conjugate(gradients);")
        lines += self._gradient_locals()
        saved = self.saved()
        if any(self.kinds[n].base in ("Tensor", "TensorList") for n in saved):
            lines.append("    std::unique_lock lock(mutex());")
        lines += [self._local(name) for name in saved]
        if any(self.kinds[n].base in ("Tensor", "TensorList") for n in saved):
            lines.append("    lock.unlock();")
        lines += [self._wants_local(n) for n in self.operands if self._uses(f"wants_{n}")]
        last = ["    if (turned) conjugate(made);"] if turned else []
        return (
            "  Gradients apply(Gradients gradients) override {\n"
            + "".join(f"{line}\n" for line in [*lines, *body, *last, "    return made;"])
            + "  }\n"
        )

    def _uses(self, name: str) -> bool:
        return self.derivative is not None and name in self.derivative.names

    def _takes_conjugates(self) -> bool:
        """Whether a formula multiplies by what may be complex."""
        complex_ = any("complex" in name for names in self.entry.dtypes.values() for name in names)
        bases = {self.kinds[name].base for name in self.saved()}
        return complex_ and bool(bases & {"Tensor", "TensorList", "Scalar"})

    def _gradient_locals(self) -> list[str]:
        names = gradient_names(self.schema)
        if names == ["grads"]:
            return ["    const std::vector<Tensor> grads = all_or_zeros(gradients, *this);"]
        return [
            f"    const Tensor {name} = or_zeros(gradients, *this, {slot});"
            for slot, name in enumerate(names)
            if self._uses(name)
        ]

    def _edge(self, name: str) -> str:
        """The position of an operand's first edge."""
        single, lists = 0, []
        for other in self.operands:
            if other == name:
                break
            if self.kinds[other].base == "TensorList":
                lists.append(f"count_{other}")
            else:
                single += 1
        return " + ".join([*lists, *([str(single)] if single or not lists else [])])

    def _wants(self, name: str, node: str = "") -> str:
        if self.kinds[name].base == "TensorList":
            return f"{node}wants_any({self._edge(name)}, {node}count_{name})"
        return f"{node}wants({self._edge(name)})"

    def _wants_local(self, name: str) -> str:
        return f"    const bool wants_{name} = {self._wants(name)};"

    def _formula(self, formula: Formula) -> list[str]:
        condition = " || ".join(self._wants(name) for name in formula.targets)
        lines = [f"    if ({condition}) {{"]
        if len(formula.targets) > 1:
            lines.append(f"      auto parts = {formula.text};")
            for i, name in enumerate(formula.targets):
                lines.append(
                    f"      if ({self._wants(name)}) made[{self._edge(name)}] ="
                    f" std::get<{i}>(parts);"
                )
        elif self.kinds[formula.targets[0]].base == "TensorList":
            edge = self._edge(formula.targets[0])
            lines.append(f"      put(made, {edge}, {formula.text});")
        else:
            lines.append(f"      made[{self._edge(formula.targets[0])}] = {formula.text};")
        return [*lines, "    }"]

    # ---- kernels

    def _tensors(self, schema: Schema) -> list[str]:
        return [cpp.local_name(a.name) for a in schema.arguments if a.type.base == "Tensor"]

    def _kernel(self, variant: Variant) -> str:
        schema = variant.schema
        name = cpp.entry_name(schema)
        alias = f"ops::signatures::{name}"
        lines = [
            cpp.listed(f"constexpr TypedOp<{alias}> call(", [f"ops::entries::{name}"], ");"),
            "const DispatchKeySet rest = ctx.keys.below(DispatchKey::Autograd);",
        ]
        if variant.kind == "out":
            lines += self._out_lines(schema)
        elif _written_by_parts(self.entry):
            lines += self._written_lines(schema)
        elif self.derivative is not None and self.derivative.through:
            lines += self._through_lines(schema)
        elif variant.kind == "inplace" or self._mutates():
            lines += self._inplace_lines(schema)
        else:
            lines += self._functional_lines(schema)
        result = cpp.result_type(schema.returns)
        head = cpp.listed(
            f"{result} {name}_recorded(", ["DispatchCtx ctx", *cpp.declarations(schema)], ") {"
        )
        body = "\n".join(f"  {line}" for line in lines)
        return f"{head}\n{body}\n}}\n"

    def _redispatch(self, schema: Schema) -> str:
        return f"call.redispatch({', '.join(['rest', *cpp.names(schema)])})"

    def _out_lines(self, schema: Schema) -> list[str]:
        tensors = ", ".join(self._tensors(schema))
        written = [a.name for a in schema.arguments if a.alias is not None and a.alias.writes]
        op = cpp.quoted(schema.name)
        return [
            *(f"refuse_inference({op}, {cpp.local_name(name)});" for name in written),
            f"if (records({tensors})) refuse_out({op});",
            f"return {self._redispatch(schema)};",
        ]

    def _make_node(self) -> list[str]:
        edges = ", ".join(map(cpp.local_name, self.operands))
        if self.derivative is None:
            return [
                f"auto node = make_node<WithoutDerivative>({edges});",
                f"node->op = {cpp.quoted(self.entry.name)};",
            ]
        lines = [f"auto node = make_node<{self.node}>({edges});"]
        for name in self.operands:
            if self.kinds[name].base == "TensorList":
                lines.append(f"node->count_{name} = {cpp.local_name(name)}.size();")
        return lines

    def _refusals(self) -> list[str]:
        rest = [name for name in differentiable(self.schema) if name not in self.operands]
        return [
            f"refuse_gradient({cpp.quoted(self.entry.name)}, {cpp.quoted(name)},"
            f" {cpp.local_name(name)});"
            for name in rest
        ]

    def _guard(self, name: str) -> str:
        """`if (node->wants(0)) `, unless every formula needs the value."""
        assert self.derivative is not None
        using = [f for f in self.derivative.formulas if name in f.names]
        conditions = {f.conditions.get(name, "") for f in using}
        if len(using) < len(self.derivative.formulas):
            wanted = [self._wants(t, "node->") for formula in using for t in formula.targets]
            return f"if ({' || '.join(wanted)}) "
        if len(conditions) == 1 and "" not in conditions:
            return f"if ({conditions.pop()}) "
        return ""

    def _saves(self, inplace: bool, results: bool) -> list[str]:
        """Statements that keep operands and options, or results."""
        if self.derivative is None:
            return []
        lines = []
        of_results = result_names(self.schema)
        for name in self.saved():
            owner = next((n for n in of_results if name in (n, *(f"{n}_{f}" for f in FACTS))), None)
            if (owner is not None) != results:
                continue
            lines.append(self._save(name, inplace, owner))
        return lines

    def _save(self, name: str, inplace: bool, owner: str | None) -> str:
        kind, target = self.kinds[name], f"node->saved_{name}"
        first = self.schema.arguments[0].name
        for tensor in [*differentiable(self.schema), *result_names(self.schema)]:
            value = self._value(tensor, inplace)
            if name == f"{tensor}_shape":
                return f"{target} = sizes_of({value});"
            if name == f"{tensor}_dtype":
                return f"{target} = dtype_of_tensor({value});"
            if name == f"{tensor}_stride":
                return f"{target} = DimVector({value}.strides());"
            if name == f"{tensor}_storage_offset":
                return f"{target} = {value}.storage_offset();"
            if name == f"{tensor}_shapes":
                return f"{target} = shapes_of({value});"
        value = self._value(name, inplace)
        if kind.base == "Tensor" and owner is not None:
            return f"{target} = SavedTensor({value}, true);"
        if kind.base == "Tensor" and inplace and name == first:
            return f"{self._guard(name)}{target} = SavedTensor(ops::clone({value}));"
        if kind.base == "Tensor" and inplace:
            kept = f"{value}.is_same({first}) ? ops::clone({value}) : {value}"
            return f"{self._guard(name)}{target} = SavedTensor({kept});"
        if kind.base in ("Tensor", "TensorList"):
            saved = MEMBERS[kind.base][0]
            return f"{self._guard(name)}{target} = {saved}({value});"
        if kind.base == "str":
            return f"{target} = std::string({value});"
        if kind.base == "ints" and kind.optional:
            return f"if ({value}) {target} = DimVector(*{value});"
        if kind.base == "ints":
            return f"{target} = DimVector({value});"
        return f"{target} = {value};"

    def _value(self, name: str, inplace: bool) -> str:
        """The C++ of an operand or result in a kernel."""
        names = result_names(self.schema)
        if name not in names:
            return cpp.local_name(name)
        if inplace:
            return cpp.local_name(self.schema.arguments[0].name)
        return "result" if len(names) == 1 else f"std::get<{names.index(name)}>(result)"

    def _functional_lines(self, schema: Schema) -> list[str]:
        tensors = ", ".join(self._tensors(schema))
        names = result_names(schema)
        result = [f"set_result({self._value(name, False)}, node);" for name in names]
        same = []
        if schema.returns[0].alias is not None and not schema.returns[0].type.is_list:
            first = cpp.local_name(schema.arguments[0].name)
            same = [f"if (result.is_same({first})) return result;"]
        return [
            f"if (!records({tensors})) return {self._redispatch(schema)};",
            *self._refusals(),
            *self._make_node(),
            *self._saves(inplace=False, results=False),
            f"auto result = below([&] {{ return {self._redispatch(schema)}; }});",
            *same,
            *result,
            *self._saves(inplace=False, results=True),
            "return result;",
        ]

    def _through_lines(self, schema: Schema) -> list[str]:
        assert self.derivative is not None
        tensors = ", ".join(self._tensors(schema))
        return [
            f"if (!records({tensors})) return {self._redispatch(schema)};",
            f"return {self.derivative.through};",
        ]

    def _written_lines(self, schema: Schema) -> list[str]:
        tensors = ", ".join(self._tensors(schema))
        first, *rest = cpp.names(schema)
        op = f"ops::{cpp.function_name(self.schema)}"
        made = cpp.listed(f"const Tensor made = {op}(", [f"ops::clone({first})", *rest], ");")
        return [
            f"if (!records({tensors})) return {self._redispatch(schema)};",
            f"check_inplace({cpp.quoted(schema.name)}, {first});",
            made,
            f"return ops::copy_({first}, made);",
        ]

    def _inplace_lines(self, schema: Schema) -> list[str]:
        tensors = ", ".join(self._tensors(schema))
        first = cpp.local_name(schema.arguments[0].name)
        return [
            f"refuse_inference({cpp.quoted(schema.name)}, {first});",
            f"if (!records({tensors})) return {self._redispatch(schema)};",
            *self._refusals(),
            f"check_inplace({cpp.quoted(schema.name)}, {first});",
            *self._make_node(),
            *self._saves(inplace=True, results=False),
            f"below([&] {{ return {self._redispatch(schema)}; }});",
            f"rebase_history({first}, node);",
            *self._saves(inplace=True, results=True),
            f"return {first};",
        ]
