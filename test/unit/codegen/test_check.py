"""Every mistake in the entries is a problem with op, field, file and line, all in one run."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Problems = Callable[..., list[str]]

POINTWISE = """\
- op: "hypot(Tensor self, Tensor other) -> Tensor"
  variants: [function, method, inplace, out]
  tags: [pointwise]
  dtypes: {cpu: floating}
  shape: broadcast
  promote: default
  scalar: hypot(self, other)
  oracle: hypot
  samples: binary
  errors: [broadcast_mismatch]
"""
KERNEL = """\
- op: "top(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor"
  variants: [function, out]
  dtypes: {cpu: [float32]}
  shape: same_shape_dim(self, dim)
  promote: accumulate(self, dtype)
  kernel: {cpu: top}
  oracle: top
  samples: top
  errors: [none]
"""
VIEW = """\
- op: "tip(Tensor(a) self) -> Tensor(a)"
  variants: [method]
  tags: [view]
  dtypes: {cpu: storage}
  view: tip
  oracle: tip
  samples: tip
  errors: [none]
"""
NATIVE = """\
- op: "draw(int n, *, Generator? generator=None) -> Tensor"
  variants: [function]
  tags: [random]
  dtypes: {cpu: real}
  native: {cpu: draw, meta: draw_meta}
  oracle: {none: "its values are checked by the draws of uniform_"}
  samples: draw
  errors: [none]
"""
COMPOSITE = """\
- op: "twice(Tensor self) -> Tensor"
  variants: [function]
  dtypes: {cpu: real}
  composite: twice
  oracle: twice
  samples: twice
  errors: [none]
"""
INPLACE = """\
- op: "fill_where(Tensor self, Tensor mask) -> Tensor"
  variants: [function, inplace]
  dtypes: {cpu: real}
  inplace_kernel: {cpu: fill_where}
  broadcast_self: [mask]
  oracle: fill_where
  samples: fill_where
  errors: [none]
"""
SHAPES = """\
from .prelude import Shape, wrap_dim


def same_shape_dim(op: str, self: Shape, dim: int) -> Shape:
    wrap_dim(op, dim, len(self))
    return self
"""
TWICE = """\
from .prelude import Tensor, ops


def twice(self: Tensor) -> Tensor:
    return ops.hypot(self, self)
"""
SHAPE = {"rules__scan_dot_py": SHAPES}
FILES = {**SHAPE, "rules__pointwise_dot_py": TWICE}
ALL = POINTWISE + KERNEL + VIEW + NATIVE + COMPOSITE + INPLACE


def test_good_entries_have_no_problem(problems: Problems) -> None:
    assert problems(ALL, **FILES) == []


CASES = [
    (POINTWISE, "  oracle: hypot\n", "",
     "pointwise.yaml:1: hypot: no oracle; every op needs one, name a function of"
     " oracle/pointwise.py"),
    (POINTWISE, "samples: binary", "sample: binary",
     "pointwise.yaml:9: hypot: unknown field 'sample'"),
    (POINTWISE, "tags: [pointwise]", "tags: [pointwize]",
     "pointwise.yaml:3: hypot: unknown tag pointwize"),
    (POINTWISE, "{cpu: floating}", "{cpu: floats}",
     "pointwise.yaml:4: hypot: cpu: unknown set or dtype floats"),
    (POINTWISE, "{cpu: floating}", "{tpu: floating}",
     "pointwise.yaml:4: hypot: unknown backend tpu"),
    (POINTWISE, "{cpu: floating}", "{cpu: []}", "pointwise.yaml:4: hypot: cpu: no dtype"),
    (POINTWISE, "method, inplace", "metod, inplace",
     "pointwise.yaml:2: hypot: unknown variant metod"),
    (POINTWISE, "method, inplace", "inplace, inplace",
     "pointwise.yaml:2: hypot: a variant is listed twice"),
    (POINTWISE, "  scalar: hypot(self, other)\n", "",
     "pointwise.yaml:1: hypot: no implementation; give one of scalar, kernel"),
    (POINTWISE, "  oracle", "  view: hypot\n  oracle",
     "pointwise.yaml:8: hypot: more than one implementation (scalar, view)"),
    (POINTWISE, "shape: broadcast", "shape: reduced(self)",
     "pointwise.yaml:5: hypot: a scalar op has shape: broadcast"),
    (POINTWISE, "promote: default", "promote: same(self)",
     "pointwise.yaml:6: hypot: a scalar op has promote: one of default"),
    (POINTWISE, "promote: default", "promote: default(self, alpha)",
     "pointwise.yaml:6: hypot: alpha isn't an operand; operands are self, other"),
    (POINTWISE, "hypot(self, other)\n", "hypot(self, that)\n",
     "pointwise.yaml:7: hypot: unknown name that; operands are self, other"),
    (POINTWISE, "hypot(self, other)\n", "{bool: self, reel: other}\n",
     "pointwise.yaml:7: hypot: scalar must be given per class of dtype"),
    (POINTWISE, "samples: binary", "numbers: [alpha]\n  samples: binary",
     "pointwise.yaml:9: hypot: numbers: alpha isn't a Tensor operand"),
    (POINTWISE, "oracle: hypot", "oracle: none",
     "pointwise.yaml:8: hypot: oracle: none needs a reason"),
    (POINTWISE, "oracle: hypot", "oracle: {none: }",
     "pointwise.yaml:8: hypot: oracle must be a function's name or {none: why}"),
    (POINTWISE, "[broadcast_mismatch]", "[none, broadcast_mismatch]",
     "pointwise.yaml:10: hypot: errors must name functions, or be [none] alone"),
    (POINTWISE, "samples: binary", "samples: binary\n  samples: other",
     "pointwise.yaml:10: hypot: samples is given twice"),
    (POINTWISE, "samples: binary", "samples: [binary]",
     "pointwise.yaml:9: hypot: samples must be one word"),
    (POINTWISE, "Tensor other)", "Tensor self)",
     "pointwise.yaml:1: hypot: argument self is declared twice"),
    (POINTWISE, "Tensor self, Tensor other", "Tensor self, int a=1, int b",
     "pointwise.yaml:1: hypot: b has no default but follows one that has"),
    (POINTWISE, "Tensor self", "Tenor self", "pointwise.yaml:1: hypot: unknown type 'Tenor'"),
    (KERNEL, "  shape: same_shape_dim(self, dim)\n", "",
     "pointwise.yaml:1: top: a kernel needs shape"),
    (KERNEL, "same_shape_dim(self, dim)", "narrow(self)",
     "pointwise.yaml:4: top: unknown shape rule narrow"),
    (KERNEL, "same_shape_dim(self, dim)", "gather(self, dim, self)",
     "pointwise.yaml:4: top: no function gather in rules/"),
    (KERNEL, "same_shape_dim(self, dim)", "same_shape_dim(self)",
     "pointwise.yaml:4: top: same_shape_dim takes (self, dim); got (self)"),
    (KERNEL, "same_shape_dim(self, dim)", "same_shape_dim(self, axis)",
     "pointwise.yaml:4: top: axis isn't an operand"),
    (KERNEL, "accumulate(self, dtype)", "double(self)",
     "pointwise.yaml:5: top: unknown promotion rule double"),
    (KERNEL, "accumulate(self, dtype)", "accumulate(self)",
     "pointwise.yaml:5: top: accumulate takes (Tensor, ScalarType?); got (self)"),
    (KERNEL, "accumulate(self, dtype)", "accumulate(self, dim)",
     "pointwise.yaml:5: top: dim must be ScalarType?; it is int"),
    (KERNEL, "accumulate(self, dtype)", "fixed(int65)",
     "pointwise.yaml:5: top: fixed: int65 isn't a dtype"),
    (KERNEL, "accumulate(self, dtype)", "[same(self), same(self)]",
     "pointwise.yaml:5: top: a kernel needs promote: one rule, or one per result"),
    (KERNEL, "{cpu: top}", "{gpu: top}",
     "pointwise.yaml:6: top: kernel must be given per backend"),
    (VIEW, "[method]", "[method, inplace]",
     "pointwise.yaml:2: tip: inplace: the result is a view of an operand"),
    (VIEW, "tags: [view]", "tags: [internal]",
     "pointwise.yaml:3: tip: view or maybe_view goes with a result that is Tensor(a)"),
    (VIEW, "tags: [view]", "tags: [maybe_view]",
     "pointwise.yaml:3: tip: an op given by view: carries the tag view"),
    (VIEW, "view: tip", "shape: broadcast\n  view: tip",
     "pointwise.yaml:5: tip: shape has no meaning beside view"),
    (VIEW, "view: tip", "view: {cpu: tip}", "pointwise.yaml:5: tip: view takes one name"),
    (NATIVE, "[function]", "[function, method]",
     "pointwise.yaml:2: draw: a method needs a Tensor as its first argument"),
    (NATIVE, "[function]", "[function, out]",
     "pointwise.yaml:2: draw: a native op has no derived inplace or out"),
    (NATIVE, "tags: [random]", "tags: [random, varargs]",
     "pointwise.yaml:3: draw: varargs: the schema has no int[] argument"),
    (NATIVE, "tags: [random]", "tags: [random, factory]",
     "pointwise.yaml:3: draw: factory: no option device, dtype, layout, pin_memory"),
    (NATIVE, "tags: [random]", "tags: [internal]",
     "pointwise.yaml:3: draw: random goes with a generator argument"),
    (NATIVE, "tags: [random]", "tags: [random, mutates]",
     "pointwise.yaml:3: draw: mutates goes with an argument that is Tensor(a!)"),
    (NATIVE, "{cpu: draw, meta: draw_meta}", "{cpu: draw, all: draw_meta}",
     "pointwise.yaml:5: draw: all and composite serve every backend"),
    (NATIVE, "{cpu: draw, meta: draw_meta}", "{chip: draw}",
     "pointwise.yaml:5: draw: native must be given per backend"),
    (COMPOSITE, "composite: twice", "composite: thrice",
     "pointwise.yaml:4: twice: no function thrice in rules/pointwise.py"),
    (COMPOSITE, "Tensor self)", "Tensor input)",
     "pointwise.yaml:4: twice: twice of rules/pointwise.py: parameters must be (input: Tensor)"),
    (INPLACE, "broadcast_self: [mask]", "broadcast_self: [that]",
     "pointwise.yaml:5: fill_where: broadcast_self: that isn't a Tensor operand"),
    (INPLACE, "broadcast_self: [mask]", "promote: default",
     "pointwise.yaml:5: fill_where: promote has no meaning beside inplace_kernel"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("entry", "old", "new", "message"), CASES, ids=[c[3].split(": ", 1)[-1][:60] for c in CASES]
)
def test_a_mistake_is_named(
    problems: Problems, entry: str, old: str, new: str, message: str
) -> None:
    """`entry` with `old` replaced by `new`."""
    assert old in entry
    text = entry.replace(old, new, 1)
    found = problems(text + POINTWISE, **FILES) if entry is COMPOSITE else problems(text, **SHAPE)
    assert any(line.startswith(message) for line in found), found


def test_a_kernel_may_be_written_in_place(problems: Problems) -> None:
    assert problems(KERNEL.replace("[function, out]", "[function, method, inplace]"), **SHAPE) == []


def test_all_mistakes_are_named_in_one_run(problems: Problems) -> None:
    broken = POINTWISE.replace("oracle: hypot", "oracel: hypot") + VIEW.replace("[view]", "[vew]")
    found = problems(broken, rules__pointwise_dot_py=TWICE.replace("hypot", "hypo"))
    assert [line.split(": ")[0] for line in found] == [
        "pointwise.yaml:1",  # no oracle
        "pointwise.yaml:8",  # an unknown field
        "pointwise.yaml:13",  # an unknown tag
        "pointwise.yaml:13",  # no view tag beside Tensor(a)
        "pointwise.yaml:13",  # nor beside view:
        "rules/pointwise.py:5",  # a call of an op that doesn't exist
    ]


def test_a_file_that_is_not_yaml_is_named_with_its_line(problems: Problems) -> None:
    found = problems(KERNEL.replace("{cpu: top}", "{cpu: top}}"))
    assert len(found) == 1
    assert found[0].startswith("pointwise.yaml:6: not YAML: ")


def test_names_are_unique_over_derived_entries(problems: Problems) -> None:
    rival = POINTWISE.replace("hypot(Tensor self", "hypot_(Tensor self", 1)
    found = problems(POINTWISE + rival.replace("[function, method, inplace, out]", "[function]"))
    assert len(found) == 1
    assert found[0].startswith("pointwise.yaml:11: hypot_: hypot_ is declared already at ")
    assert found[0].endswith("pointwise.yaml:1; rename or drop one")
