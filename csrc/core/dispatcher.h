#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "core/local_keys.h"
#include "core/op_schema.h"
#include "core/value.h"

// Note [How a call travels]
// ops::add(a, b) holds a TypedOp bound to one OperatorEntry. `call` ORs the keys of its tensor
// arguments (and of a factory's device), adds and takes away the thread's local keys, masks out
// what has nothing to run for this op, and calls the pointer in the slot of the highest key left.
// Every slot is always callable: where no kernel of the op's own signature is registered it holds a
// typed thunk that boxes the arguments and calls the slot's boxed function (a Python kernel, the
// Python key's rule), or one that throws "no kernel for this device".

namespace ceph {

class OperatorEntry;

struct DispatchCtx {
  const OperatorEntry* op;
  DispatchKeySet keys;  // those still to run, the running one included
};

// Takes its arguments from the stack and leaves its results there.
using BoxedKernel = std::function<void(DispatchCtx, Stack&)>;

namespace detail {
template <class Signature>
struct Thunks;
}

// One op variant (`add.Tensor`, `add_.Tensor`, `add.Tensor_out`), a global made by generated code
// or an object made by cepheid.library. Registered in the Dispatcher for its lifetime.
class CEPH_API OperatorEntry {
 public:
  // Generated code: OperatorEntry entry(signature<Tensor(const Tensor&)>, "aten", "neg(Tensor self)
  // -> Tensor");
  template <class Signature>
  struct SignatureTag {};

  template <class Signature>
  OperatorEntry(SignatureTag<Signature>, std::string_view ns, std::string_view schema)
      : OperatorEntry(ns, schema, reinterpret_cast<void*>(&detail::Thunks<Signature>::boxed),
                      &detail::Thunks<Signature>::call_from_stack) {}
  // An op of cepheid.library: reached boxed only.
  OperatorEntry(std::string_view ns, std::string_view schema);
  ~OperatorEntry();
  OperatorEntry(const OperatorEntry&) = delete;
  OperatorEntry& operator=(const OperatorEntry&) = delete;

  const std::string& ns() const { return ns_; }
  const std::string& name() const { return name_; }          // "add"
  const std::string& overload() const { return overload_; }  // "Tensor"
  std::string qualified_name() const;                        // "aten::add.Tensor"
  const OpSchema& schema() const;                            // parsed at first use
  bool is_composite() const { return composite_; }

  // A kernel of the op's own signature with a leading DispatchCtx: R fn(DispatchCtx, args...).
  template <class Fn>
  void impl(DispatchKey key, Fn* fn) {
    set_kernel(key, reinterpret_cast<void*>(fn));
  }
  // The kernel of every key that has none of its own: other ops do the work, dispatched anew.
  template <class Fn>
  void impl_composite(Fn* fn) {
    set_composite(reinterpret_cast<void*>(fn));
  }
  // A boxed kernel (Python); returns the one it replaces so that it can be put back.
  struct Registered {
    void* kernel = nullptr;
    std::shared_ptr<BoxedKernel> boxed;
  };
  Registered set_boxed(DispatchKey key, std::shared_ptr<BoxedKernel> kernel);
  void restore(DispatchKey key, Registered before);
  bool has_kernel(DispatchKey key) const;

  DispatchKeySet mask() const { return mask_; }
  void* kernel(DispatchKey key) const { return table_[static_cast<int>(key)]; }
  // The boxed function of a slot: the kernel registered there, else the key's fallback, else null.
  // Shared, since a kernel may take its own registration back while it runs.
  std::shared_ptr<BoxedKernel> boxed(DispatchKey key) const;

  // Calls with boxed arguments through the same table.
  void call_boxed(Stack& stack) const;
  void redispatch_boxed(DispatchKeySet keys, Stack& stack) const;
  // Of `keys`, those that have something to run; NotImplementedError where that is none, or only a
  // backend below one that an operand is on: its kernel can't read that operand.
  DispatchKeySet runnable(DispatchKeySet keys) const {
    const DispatchKeySet left = keys & mask_, missing = (keys - mask_) & kBackendKeys;
    if (left.empty()) [[unlikely]]
      throw_no_kernel(keys);
    if (!missing.empty() && left.highest() < missing.highest()) [[unlikely]]
      throw_no_kernel(keys);
    return left;
  }
  [[noreturn]] void throw_no_kernel(DispatchKeySet keys) const;

 private:
  friend class Dispatcher;
  using FromStack = void (*)(const OperatorEntry&, DispatchKeySet, Stack&);

  OperatorEntry(std::string_view ns, std::string_view schema, void* thunk, FromStack from_stack);
  void set_kernel(DispatchKey key, void* fn);
  void set_composite(void* fn);
  void rebuild();  // table_ and mask_ from what is registered

  std::string ns_, name_, overload_, schema_text_;
  mutable std::once_flag schema_once_;
  mutable std::unique_ptr<OpSchema> schema_;
  void* thunk_ = nullptr;  // typed entry to boxed functions
  FromStack from_stack_ = nullptr;
  bool composite_ = false;
  void* composite_kernel_ = nullptr;
  void* own_[kNumDispatchKeys] = {};
  std::shared_ptr<BoxedKernel> own_boxed_[kNumDispatchKeys];
  void* table_[kNumDispatchKeys] = {};
  DispatchKeySet mask_;
};

class CEPH_API Dispatcher {
 public:
  static Dispatcher& global();

  // Null when there is no such op. Name with namespace and overload: "aten::add.Tensor".
  OperatorEntry* find(std::string_view qualified_name) const;
  std::vector<OperatorEntry*> all() const;  // sorted by name
  // What a key does for ops without a kernel of their own there (the Python key's rule).
  void set_fallback(DispatchKey key, std::shared_ptr<BoxedKernel> fallback);
  const std::shared_ptr<BoxedKernel>& fallback(DispatchKey key) const;

 private:
  friend class OperatorEntry;
  struct State;
  Dispatcher();
  State& state_;
};

// ---- typed calls
// -----------------------------------------------------------------------------------

namespace detail {

template <class T>
constexpr DispatchKeySet keys_of(const T&) {
  return {};
}
inline DispatchKeySet keys_of(const Tensor& t) { return t.defined() ? t.keys() : DispatchKeySet(); }
inline DispatchKeySet keys_of(const TensorList& list) {
  DispatchKeySet keys;
  for (const Tensor& t : list) keys = keys | keys_of(t);
  return keys;
}
inline DispatchKeySet keys_of(const std::optional<Device>& d) {
  return backend_key(d ? *d : default_device());
}
inline DispatchKeySet keys_of(const Device& d) { return backend_key(d); }

// A call without a tensor or device (an empty list) goes to the default device, whose kernel can
// say what is missing.
inline DispatchKeySet with_local_keys(DispatchKeySet keys) {
  if (keys.empty()) [[unlikely]]
    keys = backend_key(default_device());
  return (keys | local_keys.included) - local_keys.excluded;
}

template <class R, class... A>
struct Thunks<R(A...)> {
  using Kernel = R (*)(DispatchCtx, A...);

  static R run(const OperatorEntry& op, DispatchKeySet keys, A... args) {
    const DispatchKeySet left = op.runnable(keys);
    return reinterpret_cast<Kernel>(op.kernel(left.highest()))(DispatchCtx{&op, left},
                                                               std::forward<A>(args)...);
  }
  // Sits in slots whose function is boxed.
  static R boxed(DispatchCtx ctx, A... args) {
    const std::shared_ptr<BoxedKernel> kernel = ctx.op->boxed(ctx.keys.highest());
    CEPH_INTERNAL(kernel != nullptr);
    Stack stack;
    stack.reserve(sizeof...(A));
    (stack.push_back(Boxed<std::remove_cvref_t<A>>::wrap(args)), ...);
    (*kernel)(ctx, stack);
    return BoxedResult<R>::pop(stack);
  }
  static void call_from_stack(const OperatorEntry& op, DispatchKeySet keys, Stack& stack) {
    from_stack(op, keys, stack, std::index_sequence_for<A...>());
  }

 private:
  template <size_t... I>
  static void from_stack(const OperatorEntry& op, DispatchKeySet keys, Stack& stack,
                         std::index_sequence<I...>) {
    CEPH_INTERNAL(stack.size() == sizeof...(A));
    Stack args = std::move(stack);
    stack.clear();
    if constexpr (std::is_void_v<R>) {
      run(op, keys, Boxed<std::remove_cvref_t<A>>::unwrap(args[I])...);
    } else {
      R result = run(op, keys, Boxed<std::remove_cvref_t<A>>::unwrap(args[I])...);
      BoxedResult<R>::push(stack, std::move(result));
    }
  }
};

}  // namespace detail

// What generated headers call through. Signature: R(args...) of the op, without the DispatchCtx.
template <class Signature>
class TypedOp;

template <class R, class... A>
class TypedOp<R(A...)> {
 public:
  explicit constexpr TypedOp(const OperatorEntry& entry) : entry_(entry) {}

  R call(A... args) const {
    DispatchKeySet keys = (DispatchKeySet() | ... | detail::keys_of(args));
    return detail::Thunks<R(A...)>::run(entry_, detail::with_local_keys(keys),
                                        std::forward<A>(args)...);
  }
  // From inside a kernel of `ctx.keys.highest()`: on to the keys below it.
  R redispatch(DispatchKeySet keys, A... args) const {
    return detail::Thunks<R(A...)>::run(entry_, keys, std::forward<A>(args)...);
  }

 private:
  const OperatorEntry& entry_;
};

}  // namespace ceph
