#pragma once

#include <type_traits>
#include <utility>

namespace ceph {

// A callable that somebody else owns, passed down a call: two words, no allocation.
template <class Signature>
class FunctionRef;

template <class R, class... A>
class FunctionRef<R(A...)> {
 public:
  template <class F>
    requires(!std::is_same_v<std::remove_cvref_t<F>, FunctionRef>)
  FunctionRef(F&& f) {
    using Callable = std::remove_reference_t<F>;
    if constexpr (std::is_function_v<Callable>) {
      object_ = reinterpret_cast<void*>(&f);
      call_ = [](void* object, A... args) -> R {
        return reinterpret_cast<Callable*>(object)(std::forward<A>(args)...);
      };
    } else {
      object_ = const_cast<void*>(static_cast<const void*>(&f));
      call_ = [](void* object, A... args) -> R {
        return (*static_cast<Callable*>(object))(std::forward<A>(args)...);
      };
    }
  }

  R operator()(A... args) const { return call_(object_, std::forward<A>(args)...); }

 private:
  void* object_;
  R (*call_)(void*, A...);
};

}  // namespace ceph
