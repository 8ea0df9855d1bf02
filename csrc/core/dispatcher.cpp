#include "core/dispatcher.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "base/op_scope.h"

namespace ceph {

struct Dispatcher::State {
  mutable std::mutex mutex;
  std::unordered_map<std::string, OperatorEntry*> ops;
  std::array<std::shared_ptr<BoxedKernel>, kNumDispatchKeys> fallbacks;
};

namespace {

constexpr size_t index_of(DispatchKey key) { return static_cast<size_t>(key); }

// "add.Tensor(...) -> ..." -> {"add", "Tensor"}, without parsing the rest.
std::pair<std::string, std::string> split_name(std::string_view schema) {
  const size_t open = schema.find('(');
  CEPH_CHECK(open != std::string_view::npos && open > 0, ErrorKind::kValue, "schema",
             "expected a name and '('; got '", schema, "'");
  const std::string_view full = schema.substr(0, open);
  const size_t dot = full.find('.');
  if (dot == std::string_view::npos) return {std::string(full), ""};
  return {std::string(full.substr(0, dot)), std::string(full.substr(dot + 1))};
}

DispatchKeySet keys_of_value(const Value& value) {
  if (const auto* t = std::get_if<Tensor>(&value)) return detail::keys_of(*t);
  if (const auto* list = std::get_if<std::vector<Tensor>>(&value))
    return detail::keys_of(TensorList(*list));
  if (const auto* device = std::get_if<Device>(&value)) return detail::keys_of(*device);
  return {};
}

// See Note [Composites speak in their own name].
std::shared_ptr<BoxedKernel> outside_ops(std::shared_ptr<BoxedKernel> kernel) {
  if (!kernel) return nullptr;
  return std::make_shared<BoxedKernel>([kernel = std::move(kernel)](DispatchCtx ctx, Stack& stack) {
    const OutsideOps outside;
    (*kernel)(ctx, stack);
  });
}

std::string key_names(DispatchKeySet keys) {
  std::string out;
  for (int k = 0; k < kNumDispatchKeys; ++k) {
    const auto key = static_cast<DispatchKey>(k);
    if (!keys.has(key)) continue;
    out += (out.empty() ? "" : ", ") + std::string(name_of(key));
  }
  return out.empty() ? "none" : out;
}

}  // namespace

OperatorEntry::OperatorEntry(std::string_view ns, std::string_view schema)
    : OperatorEntry(ns, schema, nullptr, nullptr) {}

OperatorEntry::OperatorEntry(std::string_view ns, std::string_view schema, void* thunk,
                             FromStack from_stack)
    : ns_(ns), schema_text_(schema), thunk_(thunk), from_stack_(from_stack) {
  std::tie(name_, overload_) = split_name(schema);
  Dispatcher::State& all = Dispatcher::global().state_;
  const std::lock_guard lock(all.mutex);
  const bool fresh = all.ops.emplace(qualified_name(), this).second;
  CEPH_CHECK(fresh, ErrorKind::kRuntime, qualified_name(), "this op is registered already");
  rebuild();
}

OperatorEntry::~OperatorEntry() {
  Dispatcher::State& all = Dispatcher::global().state_;
  const std::lock_guard lock(all.mutex);
  all.ops.erase(qualified_name());
}

std::string OperatorEntry::qualified_name() const {
  return ns_ + "::" + name_ + (overload_.empty() ? "" : "." + overload_);
}

const OpSchema& OperatorEntry::schema() const {
  std::call_once(schema_once_,
                 [this] { schema_ = std::make_unique<OpSchema>(OpSchema::parse(schema_text_)); });
  return *schema_;
}

void OperatorEntry::set_kernel(DispatchKey key, void* fn) {
  const std::lock_guard lock(Dispatcher::global().state_.mutex);
  CEPH_CHECK(thunk_ && !own_[index_of(key)], ErrorKind::kRuntime, qualified_name(), "a kernel for ",
             name_of(key), " is registered already, or this op takes boxed kernels only");
  own_[index_of(key)] = fn;
  rebuild();
}

void OperatorEntry::set_composite(void* fn) {
  const std::lock_guard lock(Dispatcher::global().state_.mutex);
  CEPH_CHECK(thunk_ && !composite_, ErrorKind::kRuntime, qualified_name(),
             "a composite kernel is registered already, or this op takes boxed kernels only");
  composite_ = true;
  composite_kernel_ = fn;
  rebuild();
}

OperatorEntry::Registered OperatorEntry::set_boxed(DispatchKey key,
                                                   std::shared_ptr<BoxedKernel> kernel) {
  CEPH_INTERNAL(kernel && *kernel);
  const std::lock_guard lock(Dispatcher::global().state_.mutex);
  Registered before{own_[index_of(key)], std::move(own_boxed_[index_of(key)])};
  own_[index_of(key)] = nullptr;
  own_boxed_[index_of(key)] = outside_ops(std::move(kernel));
  rebuild();
  return before;
}

void OperatorEntry::restore(DispatchKey key, Registered before) {
  const std::lock_guard lock(Dispatcher::global().state_.mutex);
  own_[index_of(key)] = before.kernel;
  own_boxed_[index_of(key)] = std::move(before.boxed);
  rebuild();
}

bool OperatorEntry::has_kernel(DispatchKey key) const {
  return own_[index_of(key)] || own_boxed_[index_of(key)] || composite_;
}

std::shared_ptr<BoxedKernel> OperatorEntry::boxed(DispatchKey key) const {
  const std::shared_ptr<BoxedKernel>& own = own_boxed_[index_of(key)];
  return own ? own : Dispatcher::global().fallback(key);
}

// A slot holds, in this order: a boxed kernel of its own (an override from Python), a kernel, the
// composite, the key's fallback. A key with none of them is masked out.
void OperatorEntry::rebuild() {
  const auto& fallbacks = Dispatcher::global().state_.fallbacks;
  mask_ = {};
  for (size_t k = 0; k < kNumDispatchKeys; ++k) {
    void* typed = own_boxed_[k] ? nullptr : own_[k] ? own_[k] : composite_kernel_;
    const bool boxed = own_boxed_[k] || (!typed && fallbacks[k]);
    table_[k] = typed ? typed : boxed ? thunk_ : nullptr;
    if (typed || boxed) mask_ = mask_ | static_cast<DispatchKey>(k);
  }
}

void OperatorEntry::call_boxed(Stack& stack) const {
  const std::vector<Argument>& args = schema().args;
  CEPH_CHECK(stack.size() == args.size(), ErrorKind::kRuntime, qualified_name(), "expected ",
             args.size(), " arguments; got ", stack.size());
  DispatchKeySet keys;
  for (size_t i = 0; i < args.size(); ++i) {
    const bool no_device =
        args[i].type == ArgType::Device && std::holds_alternative<std::monostate>(stack[i]);
    keys = keys |
           (no_device ? DispatchKeySet(backend_key(default_device())) : keys_of_value(stack[i]));
  }
  redispatch_boxed(detail::with_local_keys(keys), stack);
}

void OperatorEntry::redispatch_boxed(DispatchKeySet keys, Stack& stack) const {
  if (from_stack_) {
    from_stack_(*this, keys, stack);
    return;
  }
  const DispatchKeySet left = runnable(keys);
  const std::shared_ptr<BoxedKernel> kernel = boxed(left.highest());
  (*kernel)(DispatchCtx{this, left}, stack);
}

void OperatorEntry::throw_no_kernel(DispatchKeySet keys) const {
  // In its own name, within a composite too: which kernel is missing is what has to be said.
  throw Error(ErrorKind::kNotImplemented,
              detail::concat(qualified_name(), ": no kernel for ",
                             key_names((keys - mask_) & kBackendKeys), "; this op has kernels for ",
                             key_names(mask_ & kBackendKeys)));
}

Dispatcher::Dispatcher() : state_(*new State) {}

// Never destroyed: entries are static objects of other units and leave it when they die.
Dispatcher& Dispatcher::global() {
  static Dispatcher& dispatcher = *new Dispatcher;
  return dispatcher;
}

OperatorEntry* Dispatcher::find(std::string_view qualified_name) const {
  const std::lock_guard lock(state_.mutex);
  const auto found = state_.ops.find(std::string(qualified_name));
  return found == state_.ops.end() ? nullptr : found->second;
}

std::vector<OperatorEntry*> Dispatcher::all() const {
  std::vector<OperatorEntry*> out;
  {
    const std::lock_guard lock(state_.mutex);
    for (const auto& [name, entry] : state_.ops) out.push_back(entry);
  }
  std::sort(out.begin(), out.end(), [](const OperatorEntry* a, const OperatorEntry* b) {
    return a->qualified_name() < b->qualified_name();
  });
  return out;
}

void Dispatcher::set_fallback(DispatchKey key, std::shared_ptr<BoxedKernel> fallback) {
  const std::lock_guard lock(state_.mutex);
  state_.fallbacks[index_of(key)] = outside_ops(std::move(fallback));
  for (auto& [name, entry] : state_.ops) entry->rebuild();
}

const std::shared_ptr<BoxedKernel>& Dispatcher::fallback(DispatchKey key) const {
  return state_.fallbacks[index_of(key)];
}

}  // namespace ceph
