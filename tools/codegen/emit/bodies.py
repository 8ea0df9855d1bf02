"""The kernels that generated code registers: C++ functions, one per variant and set of keys."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from tools.codegen import cpp
from tools.codegen.check import EACH_WORDS
from tools.codegen.emit.dtype_sets import DtypeSets
from tools.codegen.emit.kernel_decl import output_names
from tools.codegen.model import Argument, OpEntry, RuleCall, Schema, Variant
from tools.codegen.pointwise_dtypes import compute_dtypes

CPU, META, COMPOSITE = "CPU", "Meta", "composite"
BACKENDS = ("CPU", "CUDA", "Meta")
NATIVE_KEYS: Mapping[str, tuple[str, ...]] = {
    "cpu": (CPU,),
    "cuda": ("CUDA",),
    "meta": (META,),
    "all": (CPU, META),
    "composite": (COMPOSITE,),
}
PROMOTE_ENUMERATORS: Mapping[str, str] = {
    "default": "kDefault",
    "int_to_float": "kIntToFloat",
    "complex_to_float": "kComplexToFloat",
    "compare": "kCompare",
}
# Promotion rules whose errors name the op; the others take operands only.
NAMES_OP = ("mean", "real", "norm", "softmax", "equal_dtypes")
# Promotion rules whose result says nothing about the operands: these are checked themselves.
OPERAND_CHECKED = ("fixed", "truth", "real", "norm", "floating")


@dataclass(frozen=True)
class Kernel:
    """A C++ function `name` with text, the keys it serves, and what it needs defined before."""

    name: str
    schema: Schema
    keys: tuple[str, ...]
    text: str
    helpers: tuple[str, ...] = ()


def kernels_of(entry: OpEntry, sets: DtypeSets) -> list[Kernel]:
    """All kernels of an op."""
    makers: Mapping[str, Callable[[OpEntry, DtypeSets], list[Kernel]]] = {
        "scalar": _pointwise,
        "kernel": _structured,
        "inplace_kernel": _inplace_kernel,
        "view": _view,
        "native": _native,
        "composite": _composite,
        "each": _each,
    }
    return makers[entry.implementation.kind](entry, sets)


def _define(
    name: str, schema: Schema, keys: tuple[str, ...], lines: Sequence[str], *helpers: str
) -> Kernel:
    result = cpp.result_type(schema.returns)
    body = "\n".join(line if line.startswith(" ") else f"  {line}" for line in lines)
    parameters = [cpp.named_if_used(p, body) for p in cpp.declarations(schema)]
    head = cpp.listed(f"{result} {name}(", ["DispatchCtx", *parameters], ") {")
    return Kernel(name, schema, keys, f"{head}\n{body}\n}}\n", helpers)


def _call(head: str, arguments: Sequence[str], tail: str = ");") -> str:
    return cpp.listed(head, arguments, tail, indent="  ")


def _outputs(schema: Schema) -> list[str]:
    return [cpp.local_name(a.name) for a in schema.arguments if cpp.is_output(a)]


# ---- pointwise: the run-time support does all but the argument check


def _pointwise(entry: OpEntry, sets: DtypeSets) -> list[Kernel]:
    op = _pointwise_op(entry, sets)
    kernels = []
    for variant in entry.dispatched():
        for key, suffix in ((CPU, ""), (META, "_meta")):
            kernels.append(_pointwise_variant(entry, variant, key, suffix, op))
    return kernels


def _pointwise_op(entry: OpEntry, sets: DtypeSets) -> str:
    name = cpp.entry_name(entry.schema)
    rule = entry.promote[0]
    tensors = [a.name for a in entry.schema.tensors]
    promoted = rule.arguments or tensors
    mask = "".join("1" if name in promoted else "0" for name in reversed(tensors))
    dtypes = sets.constant(compute_dtypes(entry))
    loops = [f"kernels::{isa}::{name}_loops" for isa in ("scalar", "avx2", "avx512")]
    promote = f"Promote::{PROMOTE_ENUMERATORS[rule.name]}"
    return (
        f"const kernels::PointwiseOp {name}_op = {{\n"
        f"    {cpp.quoted(entry.name)}, {promote}, {dtypes}, 0b{mask},\n"
        + cpp.listed("{", loops, "}};", indent="    ")
        + "\n"
    )


def _pointwise_variant(entry: OpEntry, variant: Variant, key: str, suffix: str, op: str) -> Kernel:
    schema = variant.schema
    tensors = [cpp.local_name(a.name) for a in entry.schema.tensors]
    scalars = [cpp.local_name(a.name) for a in entry.schema.arguments if a.type.base == "Scalar"]
    op_name = f"{cpp.entry_name(entry.schema)}_op"
    inputs = "{" + ", ".join(f"&{name}" for name in tensors) + "}"
    operands = [inputs, "{" + ", ".join(scalars) + "}"] if scalars else [inputs]
    lines = _argument_check(entry)
    if variant.kind == "functional":
        lines.append(_call(f"return kernels::pointwise{suffix}(", [op_name, *operands]))
    else:
        target = tensors[0] if variant.kind == "inplace" else "out"
        lines.append(f"check_writable({cpp.quoted(schema.name)}, {target});")
        lines.append(
            _call(f"kernels::pointwise_{variant.kind}{suffix}(", [op_name, target, *operands])
        )
        lines += [f"{target}->bump_version();", f"return {target};"]
    return _define(cpp.entry_name(schema) + suffix, schema, (key,), lines, op)


def _argument_check(entry: OpEntry) -> list[str]:
    if entry.check is None:
        return []
    arguments = [cpp.quoted(entry.name), *cpp.names(entry.schema)]
    return [_call(f"checks::{entry.check}(", arguments)]


# ---- structured: shape and dtype rules, then a kernel that fills what was allocated


def _structured(entry: OpEntry, sets: DtypeSets) -> list[Kernel]:
    spec = _spec_function(entry, sets)
    kernels = []
    for variant in entry.dispatched():
        make = {
            "functional": _structured_functional,
            "inplace": _structured_inplace,
            "out": _structured_out,
        }[variant.kind]
        name = cpp.entry_name(variant.schema)
        kernels.append(_define(name, variant.schema, (CPU,), make(entry, variant, True), spec))
        meta = make(entry, variant, False)
        kernels.append(_define(f"{name}_meta", variant.schema, (META,), meta, spec))
    return kernels


def _spec_function(entry: OpEntry, sets: DtypeSets) -> str:
    """`sum_dim_IntList_spec(op, arguments)`: what the results will be, after all checks."""
    schema = entry.schema
    result = _spec_type(entry)
    name = f"{cpp.entry_name(schema)}_spec"
    lines = [_call(f"checks::{entry.check}(", ["op", *cpp.names(schema)])] if entry.check else []
    operands = [cpp.local_name(a.name) for a in schema.arguments if a.type.base == "Tensor"]
    lines.append(_call("Device device = common_device(op, operands(", operands, "));"))
    lines.append(
        _call(f"DimVector sizes = rules::{_shape(entry)}(", ["op", *_shape_arguments(entry)])
    )
    promotes = entry.promote if len(entry.promote) > 1 else entry.promote * len(schema.returns)
    lines += _dtypes(entry, promotes, sets)
    specs = [f"{{sizes, {_dtype_name(entry, i)}, device}}" for i in range(len(promotes))]
    value = specs[0] if len(specs) == 1 else "{{" + ", ".join(specs) + "}}"
    lines.append(f"return {value};")
    body = "\n".join(line if line.startswith(" ") else f"  {line}" for line in lines)
    parameters = [cpp.named_if_used(p, body) for p in cpp.declarations(schema)]
    head = cpp.listed(f"{result} {name}(", ["const char* op", *parameters], ") {")
    return f"{head}\n{body}\n}}\n"


def _spec_type(entry: OpEntry) -> str:
    count = len(entry.schema.returns)
    return "OutputSpec" if count == 1 else f"std::array<OutputSpec, {count}>"


def _shape(entry: OpEntry) -> str:
    assert entry.shape is not None, "checked: a kernel has a shape rule"
    return entry.shape.name


def _shape_arguments(entry: OpEntry) -> list[str]:
    assert entry.shape is not None, "checked: a kernel has a shape rule"
    texts = []
    for name in entry.shape.arguments or ():
        argument = entry.schema.argument(name)
        local = cpp.local_name(name)
        if argument is not None and argument.type.base == "Tensor":
            optional = argument.type.optional or argument.type.is_list
            texts.append(f"sizes_of({local})" if optional else f"{local}.sizes()")
        else:
            texts.append(local)
    return texts


def _dtype_name(entry: OpEntry, index: int) -> str:
    several = len(entry.schema.returns) > 1
    return f"{output_names(entry.schema)[index]}_dtype" if several else "result_dtype"


def _dtypes(entry: OpEntry, promotes: Sequence[RuleCall], sets: DtypeSets) -> list[str]:
    """Promotion of each result, and the check of what the op computes in."""
    allowed = sets.constant(entry.dtypes["cpu"])
    lines = []
    for index, call in enumerate(promotes):
        lines.append(
            _call(f"DType {_dtype_name(entry, index)} = promote::{call.name}(", _promotion(call))
        )
    first = promotes[0]
    if first.name in OPERAND_CHECKED:
        operand = next(a for a in entry.schema.arguments if a.type.is_tensor)
        checked = f"{cpp.local_name(operand.name)}.dtype()"
    else:
        checked = _dtype_name(entry, 0)
    lines.append(f"check_dtype(op, {checked}, {allowed});")
    return lines


def _promotion(call: RuleCall) -> list[str]:
    arguments = list(call.arguments or ())
    if call.name == "fixed":
        return [f"DType::{cpp.DTYPE_ENUMERATORS[arguments[0]]}"]
    names = [cpp.local_name(name) for name in arguments]
    return ["op", *names] if call.name in NAMES_OP else names


def _spec_call(entry: OpEntry, op: str) -> str:
    name = f"{cpp.entry_name(entry.schema)}_spec"
    value = "spec" if len(entry.schema.returns) == 1 else "specs"
    arguments = [cpp.quoted(op), *cpp.names(entry.schema)]
    return _call(f"{_spec_type(entry)} {value} = {name}(", arguments)


def _kernel_call(entry: OpEntry, targets: Sequence[str]) -> str:
    arguments = [*cpp.names(entry.schema), *targets]
    return _call(f"kernels::{entry.implementation.cases['cpu']}(", arguments)


def _structured_functional(entry: OpEntry, variant: Variant, compute: bool) -> list[str]:
    lines = [_spec_call(entry, entry.name)]
    several = len(entry.schema.returns) > 1
    names = output_names(entry.schema) if several else ["result"]
    if not several and not compute:
        return [*lines, f"return allocate({cpp.quoted(entry.name)}, spec);"]
    for index, name in enumerate(names):
        spec = f"specs[{index}]" if several else "spec"
        lines.append(f"Tensor {name} = allocate({cpp.quoted(entry.name)}, {spec});")
    if compute:
        lines.append(_kernel_call(entry, names))
    lines.append(f"return {{{', '.join(names)}}};" if several else f"return {names[0]};")
    return lines


def _operand_list(entry: OpEntry, extra: Sequence[str] = ()) -> str:
    operands = [cpp.local_name(a.name) for a in entry.schema.arguments if a.type.base == "Tensor"]
    return f"operands({', '.join([*operands, *extra])})"


def _structured_inplace(entry: OpEntry, variant: Variant, compute: bool) -> list[str]:
    op = variant.schema.name
    target = cpp.local_name(entry.schema.arguments[0].name)
    arguments = [cpp.quoted(op), target, "spec", _operand_list(entry)]
    lines = [_spec_call(entry, op), _call("Output output = Output::inplace(", arguments)]
    if compute:
        lines.append(_kernel_call(entry, ["output.target()"]))
    return [*lines, "output.finish();", f"return {target};"]


def _structured_out(entry: OpEntry, variant: Variant, compute: bool) -> list[str]:
    outs = _outputs(variant.schema)
    lines = [_spec_call(entry, entry.name)]
    several = len(outs) > 1
    if several:
        lines.append(_call("check_distinct(", [cpp.quoted(entry.name), *outs]))
    targets = []
    for index, out in enumerate(outs):
        name = f"output{index}" if several else "output"
        spec = f"specs[{index}]" if several else "spec"
        others = [other for other in outs if other != out]
        arguments = [cpp.quoted(entry.name), out, spec, _operand_list(entry, others)]
        lines.append(_call(f"Output {name}(", arguments))
        targets.append(name)
    if compute:
        lines.append(_kernel_call(entry, [f"{name}.target()" for name in targets]))
    lines += [f"{name}.finish();" for name in targets]
    lines.append(f"return {{{', '.join(outs)}}};" if several else f"return {outs[0]};")
    return lines


# ---- a kernel that writes self; the functional form runs it on a copy


def _inplace_kernel(entry: OpEntry, sets: DtypeSets) -> list[Kernel]:
    kernels = []
    allowed = sets.constant(entry.dtypes["cpu"])
    for variant in entry.dispatched():
        for key in (CPU, META):
            name = cpp.entry_name(variant.schema) + ("_meta" if key == META else "")
            make = {"functional": _on_copy, "inplace": _on_self, "out": _into}[variant.kind]
            lines = _inplace_checks(entry, variant, allowed) + make(entry, key)
            kernels.append(_define(name, variant.schema, (key,), lines))
    return kernels


def _inplace_checks(entry: OpEntry, variant: Variant, allowed: str) -> list[str]:
    op = cpp.quoted(variant.schema.name)
    lines = _argument_check(entry)
    lines.append(f"common_device({op}, {_operand_list(entry)});")
    lines.append(f"check_dtype({op}, self.dtype(), {allowed});")
    if variant.kind == "inplace":
        lines += [f"check_expands({op}, {name}, self);" for name in entry.broadcast_self]
    return lines


def _on_copy(entry: OpEntry, key: str) -> list[str]:
    source = "self"
    for name in entry.broadcast_self:
        source = f"expanded({cpp.quoted(entry.name)}, {source}, {name})"
    if key == META:
        return [f"return empty_as({cpp.quoted(entry.name)}, {source});"]
    arguments = ["result", *cpp.names(entry.schema)[1:]]
    return [
        f"Tensor result = kernels::cast({source}, self.dtype());",
        _call(f"kernels::{entry.implementation.cases['cpu']}(", arguments),
        "return result;",
    ]


def _into(entry: OpEntry, key: str) -> list[str]:
    """out= is written last of all: it may be an operand."""
    *made, returned = _on_copy(entry, key)
    result = returned.removeprefix("return ").removesuffix(";")
    if result != "result":
        made = [f"Tensor result = {result};"]
    op = cpp.quoted(entry.name)
    return [*made, f"write_result({op}, out, result, Resize::kYes);", "return out;"]


def _on_self(entry: OpEntry, key: str) -> list[str]:
    op = cpp.quoted(f"{entry.name}_")
    lines = [f"check_writable({op}, self);", f"check_no_internal_overlap({op}, self);"]
    if key == CPU:
        arguments = ["self"]
        for argument in entry.schema.arguments[1:]:
            local = cpp.local_name(argument.name)
            if argument.type.is_tensor:
                arguments.append(f"unshared({local}, self)")
            elif argument.type.is_tensor_list:
                lines.append(f"std::vector<Tensor> {local}_apart = unshared({local}, self);")
                arguments.append(f"{local}_apart")
            else:
                arguments.append(local)
        lines.append(_call(f"kernels::{entry.implementation.cases['cpu']}(", arguments))
    return [*lines, "self->bump_version();", "return self;"]


# ---- functions that return the result themselves


def _view(entry: OpEntry, sets: DtypeSets) -> list[Kernel]:
    schema = entry.schema
    call = f"impl::{cpp.local_name(entry.implementation.single)}("
    if "detached" in entry.tags:
        return [_forward(entry, BACKENDS, entry.implementation.single, "")]
    base = cpp.local_name(schema.arguments[0].name)
    result = cpp.result_type(schema.returns)
    mark = "mark_views" if schema.returns[0].type.is_list else "mark_view"
    lines = [
        _call(f"{result} result = {call}", cpp.names(schema)),
        f"{mark}(result, {base});",
        "return result;",
    ]
    return [_define(cpp.entry_name(schema), schema, BACKENDS, lines)]


def _native(entry: OpEntry, sets: DtypeSets) -> list[Kernel]:
    kernels = []
    if set(entry.implementation.cases) == {"composite"}:
        return _made_of_others(entry, f"impl::{entry.implementation.cases['composite']}(")
    for backend, function in entry.implementation.cases.items():
        suffix = "_meta" if backend == "meta" else ""
        kernels.append(_forward(entry, NATIVE_KEYS[backend], function, suffix))
    return kernels


def _forward(entry: OpEntry, keys: tuple[str, ...], function: str, suffix: str) -> Kernel:
    schema = entry.schema
    name = cpp.entry_name(schema) + suffix
    call = f"impl::{cpp.local_name(function)}("
    written = [a.name for a in schema.arguments if a.alias is not None and a.alias.writes]
    if not written:
        return _define(name, schema, keys, [_call(f"return {call}", cpp.names(schema))])
    targets = [cpp.local_name(target) for target in written]
    result = cpp.result_type(schema.returns)
    checks = [f"check_writable({cpp.quoted(schema.name)}, {target});" for target in targets]
    lines = [*checks]
    lines.append(_call(f"{result} result = {call}", cpp.names(schema)))
    lines += [f"{target}->bump_version();" for target in targets]
    return _define(name, schema, keys, [*lines, "return result;"])


# ---- composites: ops made of other ops


def _scope(schema: Schema) -> str:
    """Errors of the ops that it calls are told in its name: csrc/base/op_scope.h."""
    return f"OpScope scope({cpp.quoted(schema.name)});"


def _composite(entry: OpEntry, sets: DtypeSets) -> list[Kernel]:
    return _made_of_others(entry, f"rules::{cpp.local_name(entry.implementation.single)}(")


def _made_of_others(entry: OpEntry, rule: str) -> list[Kernel]:
    kernels = []
    for variant in entry.dispatched():
        schema = variant.schema
        if variant.kind == "functional":
            lines = [_scope(schema), _call(f"return {rule}", cpp.names(entry.schema))]
        else:
            target = "out" if variant.kind == "out" else cpp.local_name(schema.arguments[0].name)
            resize = "Resize::kYes" if variant.kind == "out" else "Resize::kNo"
            op = cpp.quoted(schema.name)
            lines = [
                _scope(schema),
                _call(f"Tensor result = {rule}", cpp.names(entry.schema)),
                f"write_result({op}, {target}, result, {resize});",
                f"return {target};",
            ]
        kernels.append(_define(cpp.entry_name(schema), schema, (COMPOSITE,), lines))
    return kernels


# ---- an op called for every entry of lists


def _each(entry: OpEntry, sets: DtypeSets) -> list[Kernel]:
    lists = [cpp.local_name(a.name) for a in entry.schema.arguments if _is_each_list(a)]
    sizes = ", ".join(f"{name}.size()" for name in lists)
    arguments = [_each_argument(entry, text) for text in entry.each.arguments or ()]
    kernels = []
    for variant in entry.dispatched():
        schema = variant.schema
        inplace = variant.kind == "inplace"
        count = _call("size_t count = each_count(", [cpp.quoted(schema.name), f"{{{sizes}}}"])
        lines = [_scope(schema), count]
        if not inplace:
            lines += ["std::vector<Tensor> results;", "results.reserve(count);"]
        op = f"ops::{entry.each.name}"
        head = f"{op}_(" if inplace else f"results.push_back({op}("
        call = cpp.listed(head, arguments, ");" if inplace else "));", indent="    ")
        lines += ["for (size_t i = 0; i < count; ++i) {", call, "}"]
        lines += [] if inplace else ["return results;"]
        kernels.append(_define(cpp.entry_name(schema), schema, (COMPOSITE,), lines))
    return kernels


def _is_each_list(argument: Argument) -> bool:
    return argument.type.is_list and argument.type.base in ("Tensor", "Scalar")


def _each_argument(entry: OpEntry, text: str) -> str:
    """An argument of the schema, or the entry of its list, as a number's tensor if it says so."""
    if text in EACH_WORDS:
        return EACH_WORDS[text]
    name = text.removeprefix("number(").removesuffix(")")
    argument = entry.schema.argument(name)
    assert argument is not None, "checked: each: names arguments"
    value = cpp.local_name(name) + ("[i]" if _is_each_list(argument) else "")
    return value if name == text else f"wrapped_number({value})"
