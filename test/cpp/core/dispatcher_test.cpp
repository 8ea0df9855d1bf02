#include "core/dispatcher.h"

#include "base/op_scope.h"
#include "testing.h"

using namespace ceph;

namespace {

template <class S>
constexpr OperatorEntry::SignatureTag<S> signature;

Tensor on(DeviceKind device) { return empty_tensor({1}, DType::Float32, device); }

using Twice = int64_t(const Tensor&, int64_t);
constexpr const char* kTwice = "twice(Tensor self, int n) -> int";

int64_t cpu_twice(DispatchCtx, const Tensor&, int64_t n) { return 2 * n; }
int64_t meta_twice(DispatchCtx, const Tensor&, int64_t n) { return -n; }

std::shared_ptr<BoxedKernel> boxed(BoxedKernel kernel) {
  return std::make_shared<BoxedKernel>(std::move(kernel));
}

// Leaves n + 1000 on the stack.
void plus_thousand(DispatchCtx, Stack& stack) {
  const int64_t n = std::get<int64_t>(stack[1]);
  stack.clear();
  stack.push_back(Value(n + 1000));
}

// A fallback that lives for one test.
class Fallback {
 public:
  Fallback(DispatchKey key, BoxedKernel kernel) : key_(key) {
    Dispatcher::global().set_fallback(key, boxed(std::move(kernel)));
  }
  ~Fallback() { Dispatcher::global().set_fallback(key_, nullptr); }

 private:
  DispatchKey key_;
};

}  // namespace

TEST(the_backend_of_the_operands_runs) {
  OperatorEntry op(signature<Twice>, "test", kTwice);
  op.impl(DispatchKey::CPU, cpu_twice);
  op.impl(DispatchKey::Meta, meta_twice);
  const TypedOp<Twice> call(op);
  EXPECT_EQ(call.call(on(DeviceKind::CPU), 21), int64_t(42));
  EXPECT_EQ(call.call(on(DeviceKind::Meta), 21), int64_t(-21));
  EXPECT(op.has_kernel(DispatchKey::CPU) && !op.has_kernel(DispatchKey::Python));
}

TEST(a_missing_kernel_is_named) {
  OperatorEntry op(signature<Twice>, "test", kTwice);
  op.impl(DispatchKey::CPU, cpu_twice);
  EXPECT_THROWS(TypedOp<Twice>(op).call(on(DeviceKind::Meta), 1), Error,
                "test::twice: no kernel for Meta; this op has kernels for CPU");
}

TEST(a_backend_does_not_get_operands_of_a_higher_one) {
  using Pair = int64_t(const Tensor&, const Tensor&);
  OperatorEntry op(signature<Pair>, "test", "pair(Tensor a, Tensor b) -> int");
  op.impl(DispatchKey::CPU, +[](DispatchCtx, const Tensor&, const Tensor&) { return int64_t(1); });
  const Tensor cpu = on(DeviceKind::CPU), meta = on(DeviceKind::Meta);
  EXPECT_EQ(TypedOp<Pair>(op).call(cpu, cpu), int64_t(1));
  EXPECT_THROWS(TypedOp<Pair>(op).call(meta, cpu), Error, "test::pair: no kernel for Meta");
  Stack stack{Value(cpu), Value(meta)};
  EXPECT_THROWS(op.call_boxed(stack), Error, "test::pair: no kernel for Meta");
  OperatorEntry other(signature<Pair>, "test", "other(Tensor a, Tensor b) -> int");
  other.impl(
      DispatchKey::Meta, +[](DispatchCtx, const Tensor&, const Tensor&) { return int64_t(2); });
  EXPECT_EQ(TypedOp<Pair>(other).call(cpu, meta), int64_t(2));  // a 0-dim CPU operand is welcome
}

TEST(a_call_without_tensors_goes_to_the_default_device) {
  using Count = int64_t(TensorList);
  OperatorEntry op(signature<Count>, "test", "count(Tensor[] list) -> int");
  op.impl(DispatchKey::CPU, +[](DispatchCtx, TensorList list) { return int64_t(list.size()); });
  EXPECT_EQ(TypedOp<Count>(op).call({}), int64_t(0));
  Stack stack{Value(std::vector<Tensor>())};
  op.call_boxed(stack);
  EXPECT_EQ(std::get<int64_t>(stack.at(0)), int64_t(0));
  set_default_device(DeviceKind::Meta);
  EXPECT_THROWS(TypedOp<Count>(op).call({}), Error, "test::count: no kernel for Meta");
  set_default_device(DeviceKind::CPU);
}

TEST(names_are_found_and_unique) {
  const size_t before = Dispatcher::global().all().size();
  OperatorEntry op(signature<Twice>, "test", "twice.x(Tensor self, int n) -> int");
  EXPECT_EQ(op.qualified_name(), std::string("test::twice.x"));
  EXPECT(Dispatcher::global().find("test::twice.x") == &op);
  EXPECT(Dispatcher::global().find("test::twice") == nullptr);
  EXPECT_THROWS(OperatorEntry(signature<Twice>, "test", "twice.x(Tensor self, int n) -> int"),
                Error, "registered already");
  EXPECT(Dispatcher::global().find("test::twice.x") == &op);
  EXPECT_EQ(Dispatcher::global().all().size(), before + 1);
}

TEST(a_kernel_is_registered_once) {
  OperatorEntry op(signature<Twice>, "test", kTwice);
  op.impl(DispatchKey::CPU, cpu_twice);
  EXPECT_THROWS(op.impl(DispatchKey::CPU, meta_twice), Error,
                "a kernel for CPU is registered already");
}

TEST(a_boxed_kernel_overrides_and_goes_again) {
  OperatorEntry op(signature<Twice>, "test", kTwice);
  op.impl(DispatchKey::CPU, cpu_twice);
  const Tensor x = on(DeviceKind::CPU);
  OperatorEntry::Registered before = op.set_boxed(DispatchKey::CPU, boxed(plus_thousand));
  EXPECT_EQ(TypedOp<Twice>(op).call(x, 5), int64_t(1005));
  op.restore(DispatchKey::CPU, before);
  EXPECT_EQ(TypedOp<Twice>(op).call(x, 5), int64_t(10));
}

TEST(a_kernel_may_take_itself_back) {
  OperatorEntry op(signature<Twice>, "test", kTwice);
  op.impl(DispatchKey::CPU, cpu_twice);
  OperatorEntry::Registered before;
  const std::vector<int64_t> captured(100, 7);  // freed with the kernel
  before =
      op.set_boxed(DispatchKey::CPU, boxed([&op, &before, captured](DispatchCtx, Stack& stack) {
                     op.restore(DispatchKey::CPU, before);
                     stack.clear();
                     stack.push_back(Value(captured[50]));
                   }));
  EXPECT_EQ(TypedOp<Twice>(op).call(on(DeviceKind::CPU), 5), int64_t(7));
  EXPECT_EQ(TypedOp<Twice>(op).call(on(DeviceKind::CPU), 5), int64_t(10));
}

TEST(a_fallback_sees_calls_of_its_key_only) {
  OperatorEntry op(signature<Twice>, "test", kTwice);
  op.impl(DispatchKey::CPU, cpu_twice);
  const Tensor x = on(DeviceKind::CPU);
  const Tensor wrapped = on(DeviceKind::CPU);
  wrapped->set_keys(wrapped.keys() | DispatchKey::Python);
  EXPECT_EQ(TypedOp<Twice>(op).call(wrapped, 5), int64_t(10));  // masked out without a fallback
  const Fallback python(DispatchKey::Python, [](DispatchCtx ctx, Stack& stack) {
    stack[1] = std::get<int64_t>(stack[1]) + 1;
    ctx.op->redispatch_boxed(ctx.keys.below(DispatchKey::Python), stack);
  });
  EXPECT_EQ(TypedOp<Twice>(op).call(wrapped, 5), int64_t(12));
  EXPECT_EQ(TypedOp<Twice>(op).call(x, 5), int64_t(10));
}

TEST(local_keys_include_and_exclude) {
  OperatorEntry op(signature<Twice>, "test", kTwice);
  op.impl(DispatchKey::CPU, cpu_twice);
  const Fallback python(DispatchKey::Python, plus_thousand);
  const Tensor x = on(DeviceKind::CPU);
  {
    const IncludeKeys mode(DispatchKey::Python);
    EXPECT_EQ(TypedOp<Twice>(op).call(x, 5), int64_t(1005));
    const ExcludeKeys off(DispatchKey::Python);
    EXPECT_EQ(TypedOp<Twice>(op).call(x, 5), int64_t(10));
  }
  EXPECT_EQ(TypedOp<Twice>(op).call(x, 5), int64_t(10));
  EXPECT(local_keys.included.empty() && local_keys.excluded.empty());
}

TEST(a_composite_runs_before_the_python_key) {
  OperatorEntry inner(signature<Twice>, "test", kTwice);
  inner.impl(DispatchKey::CPU, cpu_twice);
  static const OperatorEntry* inner_op = nullptr;
  inner_op = &inner;
  OperatorEntry outer(signature<Twice>, "test", "four(Tensor self, int n) -> int");
  outer.impl_composite(+[](DispatchCtx, const Tensor& self, int64_t n) {
    return 2 * TypedOp<Twice>(*inner_op).call(self, n);
  });
  EXPECT(outer.is_composite());
  const Fallback python(DispatchKey::Python, plus_thousand);
  const Tensor wrapped = on(DeviceKind::CPU);
  wrapped->set_keys(wrapped.keys() | DispatchKey::Python);
  EXPECT_EQ(TypedOp<Twice>(outer).call(on(DeviceKind::CPU), 3), int64_t(12));
  EXPECT_EQ(TypedOp<Twice>(outer).call(wrapped, 3), int64_t(2006));
}

TEST(an_autograd_kernel_reaches_the_python_rule_below_it) {
  static std::vector<std::string> passed;
  passed.clear();
  OperatorEntry op(signature<Twice>, "test", kTwice);
  op.impl(DispatchKey::CPU, cpu_twice);
  op.impl(
      DispatchKey::Autograd, +[](DispatchCtx ctx, const Tensor& self, int64_t n) {
        passed.push_back("autograd");
        const DispatchKeySet below = ctx.keys.below(DispatchKey::Autograd);
        return 1 + TypedOp<Twice>(*ctx.op).redispatch(below, self, n);
      });
  const Fallback python(DispatchKey::Python, [](DispatchCtx ctx, Stack& stack) {
    passed.push_back("python");
    EXPECT(std::get<Tensor>(stack.at(0)).keys().has(DispatchKey::Python));
    EXPECT(!ctx.keys.has(DispatchKey::Autograd));
    plus_thousand(ctx, stack);
  });
  const Tensor plain = on(DeviceKind::CPU), wrapper = on(DeviceKind::CPU);
  plain->set_keys(plain.keys() | DispatchKey::Autograd);
  wrapper->set_keys(wrapper.keys() | DispatchKey::Autograd | DispatchKey::Python);
  EXPECT_EQ(TypedOp<Twice>(op).call(plain, 5), int64_t(11));
  EXPECT(passed == std::vector<std::string>({"autograd"}));
  EXPECT_EQ(TypedOp<Twice>(op).call(wrapper, 5), int64_t(1006));
  EXPECT(passed == std::vector<std::string>({"autograd", "autograd", "python"}));
  Stack stack{Value(wrapper), Value(int64_t(6))};
  op.call_boxed(stack);
  EXPECT_EQ(std::get<int64_t>(stack.at(0)), int64_t(1007));
}

TEST(a_composite_speaks_in_its_own_name) {
  OperatorEntry inner(signature<Twice>, "test", kTwice);
  inner.impl(
      DispatchKey::CPU, +[](DispatchCtx, const Tensor&, int64_t n) -> int64_t {
        fail(ErrorKind::kValue, "twice", "n must be small; got ", n);
      });
  static const OperatorEntry* inner_op = nullptr;
  inner_op = &inner;
  OperatorEntry outer(signature<Twice>, "test", "four(Tensor self, int n) -> int");
  outer.impl_composite(+[](DispatchCtx, const Tensor& self, int64_t n) {
    const OpScope scope("four");
    const OpScope within("another");  // the outermost speaks
    return 2 * TypedOp<Twice>(*inner_op).call(self, n);
  });
  const Tensor x = on(DeviceKind::CPU), wrapped = on(DeviceKind::CPU);
  wrapped->set_keys(wrapped.keys() | DispatchKey::Python);
  EXPECT_THROWS(TypedOp<Twice>(outer).call(x, 3), Error, "four: n must be small; got 3");
  EXPECT_THROWS(TypedOp<Twice>(inner).call(x, 3), Error, "twice: n must be small; got 3");
  EXPECT_THROWS(TypedOp<Twice>(outer).call(on(DeviceKind::Meta), 3), Error,
                "test::twice: no kernel for Meta");
  const Fallback python(DispatchKey::Python, [&](DispatchCtx, Stack&) {
    TypedOp<Twice>(inner).call(x, 4);  // a rule's own call
  });
  EXPECT_THROWS(TypedOp<Twice>(outer).call(wrapped, 3), Error, "twice: n must be small; got 4");
}

TEST(boxed_calls_take_the_same_way) {
  OperatorEntry op(signature<Twice>, "test", kTwice);
  op.impl(DispatchKey::CPU, cpu_twice);
  Stack stack{Value(on(DeviceKind::CPU)), Value(int64_t(4))};
  op.call_boxed(stack);
  EXPECT_EQ(std::get<int64_t>(stack.at(0)), int64_t(8));
  Stack short_stack{Value(int64_t(4))};
  EXPECT_THROWS(op.call_boxed(short_stack), Error, "test::twice: expected 2 arguments; got 1");
}

TEST(factories_follow_their_device) {
  using Make = int64_t(std::optional<Device>);
  OperatorEntry op(signature<Make>, "test", "make(Device? device=None) -> int");
  op.impl(DispatchKey::CPU, +[](DispatchCtx, std::optional<Device>) { return int64_t(1); });
  op.impl(DispatchKey::Meta, +[](DispatchCtx, std::optional<Device>) { return int64_t(2); });
  EXPECT_EQ(TypedOp<Make>(op).call(std::nullopt), int64_t(1));
  EXPECT_EQ(TypedOp<Make>(op).call(Device(DeviceKind::Meta)), int64_t(2));
  Stack stack{Value()};
  set_default_device(DeviceKind::Meta);
  EXPECT_EQ(TypedOp<Make>(op).call(std::nullopt), int64_t(2));
  op.call_boxed(stack);
  set_default_device(DeviceKind::CPU);
  EXPECT_EQ(std::get<int64_t>(stack.at(0)), int64_t(2));
}

TEST(library_ops_are_boxed_only) {
  OperatorEntry op("mylib", kTwice);
  Stack stack{Value(on(DeviceKind::CPU)), Value(int64_t(4))};
  EXPECT_THROWS(op.call_boxed(stack), Error,
                "mylib::twice: no kernel for CPU; this op has kernels for none");
  op.set_boxed(DispatchKey::CPU, boxed(plus_thousand));
  op.call_boxed(stack);
  EXPECT_EQ(std::get<int64_t>(stack.at(0)), int64_t(1004));
  EXPECT_THROWS(op.impl(DispatchKey::CPU, cpu_twice), Error, "takes boxed kernels only");
}

TEST(boxing_keeps_every_kind_of_argument) {
  using Mixed =
      std::tuple<Tensor, Tensor>(const Tensor&, TensorList, const Scalar&, IntArrayRef,
                                 std::optional<double>, std::string_view, const Generator&);
  OperatorEntry op(signature<Mixed>, "test",
                   "mixed(Tensor? a, Tensor[] b, Scalar c, int[] d, float? e, str f, Generator? g) "
                   "-> (Tensor, Tensor)");
  op.set_boxed(DispatchKey::CPU, boxed([](DispatchCtx, Stack& stack) {
                 EXPECT(std::holds_alternative<std::monostate>(stack[0]));
                 const Tensor first = std::get<std::vector<Tensor>>(stack[1]).at(0);
                 EXPECT(std::get<Scalar>(stack[2]).equals(1.5));
                 EXPECT(std::get<std::vector<int64_t>>(stack[3]) == std::vector<int64_t>({4, 5}));
                 EXPECT(std::holds_alternative<std::monostate>(stack[4]));
                 EXPECT_EQ(std::get<std::string>(stack[5]), std::string("mode"));
                 EXPECT(std::holds_alternative<std::monostate>(stack[6]));
                 stack.clear();
                 stack.push_back(Value(first));
                 stack.push_back(Value());
               }));
  const Tensor x = on(DeviceKind::CPU);
  const auto [same, none] =
      TypedOp<Mixed>(op).call(Tensor(), {&x, 1}, 1.5, {4, 5}, std::nullopt, "mode", Generator());
  EXPECT(same.is_same(x) && !none.defined());
}
