"""Rules run as Python and as C++ on the same drawn inputs: same results, same errors.

The C++ side is a small program, compiled once, that reads calls as lines and answers each.
"""

from __future__ import annotations

import importlib.util
import itertools
import math
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tools.codegen.cli import main
from tools.codegen.intrinsics import INTRINSICS
from tools.codegen.registry import Registry
from tools.codegen.rules import Kind

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[3]
RulesModule = Callable[[str], ModuleType]
Rule = tuple[tuple[Kind, ...], Kind]

SIZES = st.lists(st.integers(0, 4), max_size=4).map(tuple)
INTS = st.lists(st.integers(-3, 6), max_size=4).map(tuple)
DRAWS: dict[str, st.SearchStrategy[object]] = {
    "ints": SIZES | INTS,
    "int": st.integers(-5, 5) | st.integers(0, 40),
    "bool": st.booleans(),
    "str": st.just("op"),
    "shapes": st.lists(SIZES, max_size=3).map(tuple),
}
OP = st.just("op")
POSITIVE = st.integers(1, 4)


def sizes(rank: int, least: int = 0) -> st.SearchStrategy[tuple[int, ...]]:
    return st.lists(st.integers(least, 4), min_size=rank, max_size=rank).map(tuple)


@st.composite
def viewed(draw: st.DrawFn) -> tuple[object, ...]:
    """A strided tensor, and other sizes for as many elements."""
    factors = draw(st.lists(st.sampled_from([1, 1, 2, 2, 3]), max_size=6))
    groups = [draw(st.lists(st.integers(0, 5), max_size=5)) for _ in range(2)]
    old, new = (_grouped(factors, sorted(cuts)) for cuts in groups)
    order = draw(st.permutations(range(len(old))))
    strides = [0] * len(old)
    step = draw(st.integers(1, 2))
    for d in order if draw(st.booleans()) else reversed(range(len(old))):
        strides[d] = step if draw(st.integers(0, 9)) else 0
        step *= old[d]
    return old, tuple(strides), new


def _grouped(factors: list[int], cuts: list[int]) -> tuple[int, ...]:
    """Products of the factors between cuts."""
    bounds = [0, *(min(cut, len(factors)) for cut in cuts), len(factors)]
    return tuple(math.prod(factors[a:b]) for a, b in itertools.pairwise(bounds))


@st.composite
def laid_end_to_end(draw: st.DrawFn) -> tuple[object, ...]:
    like = draw(sizes(2))
    dim = draw(st.integers(-2, 1))
    others = draw(st.lists(st.integers(0, 3) | st.none(), min_size=1, max_size=3))
    shapes = [(0,) if n is None else (*like[: dim % 2], n, *like[dim % 2 + 1 :]) for n in others]
    return "op", tuple(shapes), dim


@st.composite
def convolved(draw: st.DrawFn) -> tuple[object, ...]:
    groups, inner, outer = draw(POSITIVE), draw(POSITIVE), draw(POSITIVE)
    batch = draw(sizes(1) | st.just(()))
    image = (*batch, groups * inner, *draw(sizes(2, 3)))
    weight = (groups * outer, inner, *draw(sizes(2, 1)))
    pairs = [draw(st.lists(st.integers(low, 2), min_size=1, max_size=2).map(tuple))
             for low in (1, 0, 1)]  # fmt: skip
    bias = draw(st.none() | st.just((groups * outer,)) | sizes(1))
    return "op", image, weight, bias, *pairs, groups


@st.composite
def of_gradients(draw: st.DrawFn) -> tuple[object, ...]:
    """A convolution's image and weight, and often the shape of its result."""
    groups, batch, inner, outer = (draw(POSITIVE) for _ in range(4))
    sides, kernel = draw(sizes(2, 3)), draw(sizes(2, 1))
    step, pad, gap = (draw(st.integers(low, 2)) for low in (1, 0, 1))
    both = zip(sides, kernel, strict=True)
    made = [(n + 2 * pad - gap * (k - 1) - 1) // step + 1 for n, k in both]
    image, weight = (batch, groups * inner, *sides), (groups * outer, inner, *kernel)
    fits = st.just((batch, groups * outer, *made))
    return "op", image, weight, draw(fits | sizes(4, 1)), (step,), (pad,), (gap,), groups


STRIDES = sizes(2, 1) | st.just(())
PADDINGS = st.lists(st.integers(0, 2), min_size=1, max_size=2).map(tuple)
POOLED = st.tuples(
    OP, sizes(3, 1), sizes(2, 1), STRIDES, PADDINGS, sizes(2, 1), st.booleans()
)  # fmt: skip
REDUCTIONS = st.sampled_from(["mean", "sum", "none", "some"])
ATTENDED = st.builds(
    lambda heads, own, q, k, e, w, gqa: (
        "op", (2, heads, q, e), (2, own, k, e), (1, own, k, w), gqa
    ),
    POSITIVE, POSITIVE, POSITIVE, POSITIVE, POSITIVE, POSITIVE, st.booleans(),
)  # fmt: skip


# Arguments that a rule accepts, or that it may count on because its callers check them.
FITTING: dict[str, st.SearchStrategy[tuple[object, ...]]] = {
    "view_strides": viewed(),
    "cat": laid_end_to_end(),
    "conv2d": convolved(),
    "conv2d_input": of_gradients(),
    "conv2d_weight": of_gradients(),
    "check_gradient": of_gradients(),
    "mm": st.builds(lambda a, m: ("op", a, (a[1], m)), sizes(2), POSITIVE),
    "bmm": st.builds(lambda a, m: ("op", a, (a[0], a[2], m)), sizes(3), POSITIVE),
    "layer_norm": st.builds(lambda a, b: ("op", a + b, b, b, None), sizes(2), sizes(2)),
    "gather": st.builds(lambda a, d, n: ("op", a, d, (*a[:d], n, *a[d + 1 :])),
                        sizes(3, 1), st.integers(0, 2), POSITIVE),
    "without_folded": sizes(3).flatmap(
        lambda a: st.tuples(
            st.just(a), st.lists(st.integers(0, 1), min_size=3, max_size=3).map(tuple),
            st.booleans())
    ),
    "places": st.tuples(OP, st.integers(0, 9), POSITIVE, POSITIVE, st.integers(0, 3), POSITIVE),
    "check_channels": st.tuples(OP, st.integers(0, 8), sizes(4), st.integers(0, 3)),
    "check_bias": st.tuples(OP, sizes(1), sizes(3)),
    "addmm": st.builds(lambda a, m, s: ("op", s, a, (a[1], m)), sizes(2), POSITIVE, sizes(1)),
    "baddbmm": st.builds(
        lambda a, m, s: ("op", s, a, (a[0], a[2], m)), sizes(3), POSITIVE, sizes(1)
    ),
    "diag_embed_shape": st.tuples(
        OP, sizes(2), st.integers(-3, 3),
        st.lists(st.integers(0, 2), min_size=2, max_size=2).map(tuple),
    ),
    "lengthened": st.tuples(
        OP, sizes(3) | sizes(0), st.integers(-4, 3), st.integers(-1, 3),
        st.none() | st.integers(0, 12),
    ),
    "linear": st.builds(
        lambda a, w, b: ("op", a, (*w, a[-1]), w if b else None), sizes(2), sizes(1), st.booleans()
    ),
    "check_classes": st.tuples(OP, sizes(1) | sizes(3), st.none() | sizes(1)),
    "class_loss": st.tuples(OP, sizes(2), REDUCTIONS),
    "nll_loss": st.builds(
        lambda a, c, w, r: ("op", (a[0], c, *a[1:]), a, w, r), sizes(2), POSITIVE,
        st.none() | sizes(1), REDUCTIONS,
    ),
    "check_channels_of": st.tuples(OP, sizes(3), OP, st.none() | sizes(1)),
    "group_norm": st.builds(
        lambda a, n, w: ("op", (a[0], a[1] * n, *a[2:]), n, w, w), sizes(3), POSITIVE,
        st.none() | sizes(1),
    ),
    "rms_norm": st.builds(lambda a, b: ("op", a + b, b, b), sizes(2), sizes(2)),
    "shared_heads": st.tuples(OP, OP, sizes(3), sizes(3)),
    "attended": ATTENDED,
    "attention": st.builds(
        lambda call, mask, causal: (*call[:4], mask, causal, call[4]), ATTENDED,
        st.none() | sizes(2), st.booleans(),
    ),
    "check_pooled": st.tuples(OP, sizes(3), st.just(2)),
    "per_direction": st.tuples(OP, OP, sizes(2), st.just(2), st.integers(0, 2)),
    "pooled_size": st.tuples(
        OP, st.integers(1, 12), POSITIVE, POSITIVE, st.integers(0, 2), POSITIVE, st.booleans()
    ),
    "pooled": st.builds(
        lambda a, *rest: ("op", a, *rest, 2), sizes(3, 1), sizes(2, 1), STRIDES, PADDINGS,
        sizes(2, 1), st.booleans(),
    ),
    "max_pool2d": POOLED,
    "max_pool2d_with_indices": POOLED,
    "avg_pool2d": st.tuples(
        OP, sizes(3, 1), sizes(2, 1), st.none() | STRIDES, PADDINGS, st.booleans(),
        st.none() | st.integers(0, 2),
    ),
    "counted": sizes(3).flatmap(
        lambda a: st.tuples(
            OP, st.just(a), st.lists(st.integers(0, 1), min_size=3, max_size=3).map(tuple))
    ),
    "interleaved": st.builds(lambda a, b: ("op", a, b + a), sizes(2), sizes(1)),
    "moved_order": st.builds(
        lambda p, a, b: ("op", 4, tuple(p)[:a], tuple(p)[::-1][:a] if b else tuple(p)[:a]),
        st.permutations(range(4)), st.integers(0, 4), st.booleans()),
    "unmoved": st.builds(lambda p, n: ("op", 4, tuple(p)[:n]),
                         st.permutations(range(4)), st.integers(0, 4)),
    "repeated_shape": st.builds(lambda a, b, c: ("op", a, b + c), sizes(2), sizes(1), sizes(2)),
    "split_at": st.tuples(OP, st.integers(0, 9), POSITIVE),
    "check_adaptive": st.tuples(OP, sizes(3), INTS, st.just(2)),
    "adaptive_pool2d": st.tuples(OP, sizes(3, 1), sizes(2)),
    "infer_size": st.builds(lambda a, b: ("op", a, abs(math.prod(b))), INTS, sizes(2)),
    "check_sizes": st.tuples(OP, INTS),
    "last_dims": st.tuples(OP, st.integers(0, 5), st.integers(0, 5)),
    "channels_but": st.tuples(OP, st.integers(3, 4)),
    "class_dim": st.tuples(sizes(3)),
    "elements_per_fold": st.tuples(OP, sizes(3), sizes(3)),
    "extent": st.builds(
        lambda a, b, n: ("op", a, (b * len(a))[: len(a)], n), sizes(3), sizes(1, 1),
        st.integers(0, 9)),
    "inverse_order": st.builds(lambda p: ("op", tuple(p)), st.permutations(range(-2, 2))),
}  # fmt: skip
NEEDS_FITTING = (
    "view_strides", "without_folded", "places", "check_channels", "check_bias", "infer_size",
    "check_pooled", "per_direction", "pooled_size", "pooled", "check_adaptive",
    "counted", "interleaved", "moved_order", "unmoved", "split_at", "check_channels_of",
    "diag_embed_shape", "lengthened", "extent", "inverse_order", "elements_per_fold",
)  # fmt: skip

PARSERS = {
    "ints": "ints",
    "int": "integer",
    "bool": "boolean",
    "shapes": "shapes",
}
PROLOGUE = r"""
#include <iostream>
#include <string>
#include <vector>

using namespace ceph;

struct Call {
  std::vector<std::string> words;
  std::vector<DimVector> kept;

  int64_t integer(size_t i) { return std::stoll(words[i]); }
  bool boolean(size_t i) { return words[i] == "True"; }
  DimVector ints(size_t i) { return parse(words[i]); }
  std::vector<IntArrayRef> shapes(size_t i) {
    kept.clear();
    std::string text = words[i].substr(1, words[i].size() - 2);
    for (size_t at = 0; (at = text.find('[', at)) != std::string::npos;) {
      size_t end = text.find(']', at);
      kept.push_back(parse(text.substr(at, end - at + 1)));
      at = end;
    }
    return {kept.begin(), kept.end()};
  }
  static DimVector parse(const std::string& text) {
    DimVector values;
    for (size_t at = 1; at + 1 < text.size();) {
      size_t used = 0;
      values.push_back(std::stoll(text.substr(at), &used));
      at += used + 1;
    }
    return values;
  }
};

template <class T>
void answer(const T& value) { std::cout << "= " << detail::concat(value) << std::endl; }
void answer(const DimVector& value) { answer(IntArrayRef(value)); }
void answer(const std::optional<DimVector>& value) {
  if (value) answer(*value);
  else std::cout << "= None" << std::endl;
}

void run(Call& call);

int main() {
  for (std::string line; std::getline(std::cin, line);) {
    Call call;
    for (size_t at = 0; at < line.size();) {
      size_t end = std::min(line.find(' ', at), line.size());
      call.words.push_back(line.substr(at, end - at));
      at = end + 1;
    }
    try {
      run(call);
    } catch (const Error& error) {
      const char* kinds[] = {"RuntimeError", "TypeError", "ValueError", "IndexError"};
      std::cout << kinds[static_cast<int>(error.kind())] << " " << error.message() << std::endl;
    }
  }
}
"""


def shape_rules(registry: Registry) -> dict[str, Rule]:
    """Everything that takes and gives sizes: rules and the functions of the prelude."""
    found = {
        name: (twin.parameters, twin.returns)
        for name, twin in INTRINSICS.items()
        if all(kind.base in DRAWS for kind in twin.parameters)
    }
    for function in registry.rules.functions.values():
        kinds = tuple(p.kind for p in function.parameters)
        if all(kind.base in DRAWS for kind in kinds):
            found[function.name] = (kinds, function.returns)
    return found


def probe_source(registry: Registry) -> str:
    rules = shape_rules(registry)
    families = sorted({f.family for f in registry.rules.functions.values() if f.name in rules})
    includes = "".join(f'#include "generated/rules/{family}.h"\n' for family in families)
    branches = "".join(_branch(name, *rule) for name, rule in rules.items())
    return (
        f'{includes}#include "ops/rules/support.h"\n{PROLOGUE}\n'
        f"void run(Call& call) {{\n{branches}}}\n"
    )


def _branch(name: str, kinds: tuple[Kind, ...], returns: Kind) -> str:
    locals_, arguments = [], []
    for place, kind in enumerate(kinds, start=1):
        if kind.base == "str":
            arguments.append(f"call.words[{place}].c_str()")
            continue
        value = f"call.{PARSERS[kind.base]}({place})"
        locals_.append(f"auto a{place} = call.words[{place}] == \"None\" ? decltype({value})()"
                       f" : {value};")  # fmt: skip
        given_ = f"IntArrayRef(a{place})" if kind.base == "ints" else f"a{place}"
        if kind.optional:
            inner = "IntArrayRef" if kind.base == "ints" else "int64_t"
            given_ = (
                f'call.words[{place}] == "None" ? std::optional<{inner}>() :'
                f" std::optional<{inner}>({given_})"
            )
        arguments.append(given_)
    called = f"rules::{name}({', '.join(arguments)})"
    result = f"{called}; answer(true)" if returns.base == "None" else f"answer({called})"
    lines = "".join(f"    {line}\n" for line in locals_)
    return f'  if (call.words[0] == "{name}") {{\n{lines}    {result};\n    return;\n  }}\n'


def library() -> Path:
    """The libcepheid.so of the installed package, else the newest one built here."""
    spec = importlib.util.find_spec("cepheid")
    places = list(spec.submodule_search_locations or []) if spec is not None else []
    installed = [Path(place) / "lib" / "libcepheid.so" for place in places]
    built = sorted(ROOT.glob("build/*/lib/libcepheid.so"), key=lambda p: -p.stat().st_mtime)
    found = [path for path in (*installed, *built) if path.exists()]
    assert found, "libcepheid.so isn't built; run tox -e dev first"
    return found[0]


@pytest.fixture(scope="session")
def ask(
    registry: Registry, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[[str], str]]:
    """Sends a call to the compiled rules and gives the answer."""
    folder = tmp_path_factory.mktemp("probe")
    assert main(["--source", str(ROOT / "csrc/ops"), "--out", str(folder / "generated")]) == 0
    (folder / "probe.cpp").write_text(probe_source(registry), "utf-8")
    compiler = shutil.which("c++") or "g++"
    command = [compiler, "-std=c++20", f"-I{ROOT / 'csrc'}", f"-I{folder}",
               str(folder / "probe.cpp"), "-o", str(folder / "probe"), str(library()),
               f"-Wl,-rpath,{library().parent}"]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    process = subprocess.Popen(
        [folder / "probe"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdin is not None and process.stdout is not None

    def call(line: str) -> str:
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(line + "\n")
        process.stdin.flush()
        return process.stdout.readline().rstrip("\n")

    yield call
    process.stdin.close()
    assert process.wait(10) == 0


def written(value: object) -> str:
    """A value as the probe reads and prints it."""
    if isinstance(value, tuple):
        return "[" + ",".join(map(written, value)) + "]"
    return str(value)


def in_python(function: Callable[..., object], arguments: list[object]) -> str:
    try:
        value = function(*arguments)
    except (RuntimeError, TypeError, ValueError, IndexError) as error:
        return f"{type(error).__name__} {error}"
    return f"= {written(True if value is None and function.__name__[:5] == 'check' else value)}"


def names() -> list[str]:
    from_entries = ["scalar_shape", "reduced", "reduced_nonempty", "reduced_one", "reduced_int"]
    from_entries += ["mm", "bmm", "index_select", "gather", "cat", "sort", "same_shape_dim"]
    helpers = ["folded", "without_folded", "is_nothing", "pair", "places", "check_channels"]
    helpers += ["check_sizes", "conv2d", "layer_norm"]
    from_entries += ["addmm", "baddbmm", "linear", "max_pool2d", "max_pool2d_with_indices"]
    from_entries += ["avg_pool2d", "adaptive_pool2d", "embedding", "flip", "take", "kthvalue"]
    from_entries += ["take_along_dim", "topk", "reduced_listed"]
    helpers += ["check_added", "one", "check_bias", "check_pooled", "per_direction"]
    helpers += ["pooled_size", "pooled", "check_adaptive", "checked_shifts", "counted"]
    helpers += ["diag_shape", "interleaved", "moved_order", "narrow_bounds", "repeated_shape"]
    helpers += ["repeats_of_all", "split_at", "unflattened", "unmoved", "whole_nonempty"]
    helpers += ["check_classes", "class_loss", "check_channels_of", "batch_of", "shared_heads"]
    helpers += ["attended", "attention", "nll_loss", "group_norm", "rms_norm"]
    helpers += ["beside_ones", "diag_embed_shape", "kron_shape", "lengthened", "new_dim"]
    helpers += ["plane", "quarters", "repeats_shown", "last_dims", "channels_but", "class_dim"]
    helpers += ["elements_per_fold", "extent", "inverse_order", "check_gradient"]
    helpers += ["conv2d_input", "conv2d_weight"]
    return sorted({*from_entries, *helpers, *INTRINSICS} - {"number_dtype"})


def test_every_rule_over_sizes_is_drawn(registry: Registry) -> None:
    assert sorted(shape_rules(registry)) == names()


@pytest.mark.parametrize("name", names())
def test_both_forms_agree(
    name: str, registry: Registry, rules_module: RulesModule, ask: Callable[[str], str]
) -> None:
    kinds, _ = shape_rules(registry)[name]
    rule = registry.rules.functions.get(name)
    function = getattr(rules_module(rule.family if rule else "prelude"), name)
    answers: set[str] = set()

    @settings(max_examples=250)
    @given(calls(name, kinds))
    def agree(arguments: tuple[object, ...]) -> None:
        expected = in_python(function, list(arguments))
        answer = ask(" ".join([name, *map(written, arguments)]))
        if name == "view_strides":
            answer, expected = (_without_free_strides(t, arguments) for t in (answer, expected))
        assert answer.replace(", ", ",") == expected.replace(", ", ",")
        answers.add(answer)

    agree()
    assert name == "scalar_shape" or len(answers) > 1  # the draws tell results apart


def _without_free_strides(answer: str, arguments: tuple[object, ...]) -> str:
    """The stride of a dimension of size 1 may be anything."""
    sizes_ = arguments[2]
    assert isinstance(sizes_, tuple)
    strides = answer[3:-1].split(",")
    if answer == "= None" or len(strides) != len(sizes_):
        return answer
    return str(["any" if n == 1 else int(x) for n, x in zip(sizes_, strides, strict=True)])


def calls(name: str, kinds: tuple[Kind, ...]) -> st.SearchStrategy[tuple[object, ...]]:
    """Arguments of a rule: those made to fit, where it is rare or needed that they do."""
    made = FITTING.get(name)
    if name in NEEDS_FITTING and made is not None:
        return made
    free = st.tuples(*map(drawn, kinds))
    return free if made is None else made | free


def drawn(kind: Kind) -> st.SearchStrategy[object]:
    strategy = DRAWS[kind.base]
    return st.none() | strategy if kind.optional else strategy
