// The loop of a pointwise op, instantiated by generated units.

#include "kernels/generic/half_blocks.h"

template <class F, class Out, class... In>
CEPH_INLINE void for_common_elements(F f, int64_t count, Out* out, const In*... in) {
#pragma GCC ivdep
  for (int64_t i = 0; i < count; ++i) store(out + i, f(load(in + i)...));
}

// Note [Rare elements]
// A functor may name elements that it is right for only by a slower way (`rare`), such as angles of
// many turns. A block without one goes through the common loop; in another every element goes the
// way that it would go alone, so that its bits don't depend on its neighbours.
template <class F, class Out, class... In>
static void for_some_rare(F f, int64_t count, Out* out, const In*... in) {
  for (int64_t i = 0; i < count; ++i) {
    store(out + i, f.is_rare(load(in + i)...) ? f.rare(load(in + i)...) : f(load(in + i)...));
  }
}

template <class F, class Out, class... In>
CEPH_INLINE void for_elements(F f, int64_t count, Out* out, const In*... in) {
  if constexpr (requires { f.is_rare(load(in)...); }) {
    constexpr int64_t kBlock = 512;
    for (int64_t first = 0; first < count; first += kBlock) {
      const int64_t length = count - first < kBlock ? count - first : kBlock;
      int any = 0;
      for (int64_t i = first; i < first + length; ++i) any |= f.is_rare(load(in + i)...);
      if (any != 0) [[unlikely]]
        for_some_rare(f, length, out + first, in + first...);
      else
        for_common_elements(f, length, out + first, in + first...);
    }
  } else {
    for_common_elements(f, count, out, in...);
  }
}

// One operand of a block: where the loop reads it, float16 converted into the buffer.
template <class M>
CEPH_INLINE const auto* read_block(const char* at, int64_t first, int64_t count, float* buffer) {
  const M* from = reinterpret_cast<const M*>(at) + first;
  if constexpr (std::is_same_v<M, Half>) {
    widen_block(from, buffer, count);
    return static_cast<const float*>(buffer);
  } else {
    return from;
  }
}
template <class M>
CEPH_INLINE auto* result_block(char* at, int64_t first, float* buffer) {
  if constexpr (std::is_same_v<M, Half>)
    return buffer;
  else
    return reinterpret_cast<M*>(at) + first;
}

template <class Functor, class Compute, class Out, class... In>
struct PointwiseBlock {
  static void run(char* const* data, int64_t count, const void* scalars) {
    const Functor f(static_cast<const arithmetic_t<Compute>*>(scalars));
    run_operands(f, data, count, std::index_sequence_for<In...>());
  }

 private:
  static constexpr bool kHasHalf = std::is_same_v<Out, Half> || (std::is_same_v<In, Half> || ...);

  template <size_t... I>
  CEPH_INLINE static void run_operands(const Functor& f, char* const* data, int64_t count,
                                       std::index_sequence<I...>) {
    if constexpr (!kHasHalf) {
      for_elements(f, count, reinterpret_cast<Out*>(data[0]),
                   reinterpret_cast<const In*>(data[I + 1])...);
    } else {
      constexpr int64_t kBlock = 512;
      alignas(64) float buffers[1 + sizeof...(In)][kBlock];
      for (int64_t first = 0; first < count; first += kBlock) {
        const int64_t length = count - first < kBlock ? count - first : kBlock;
        for_elements(f, length, result_block<Out>(data[0], first, buffers[0]),
                     read_block<In>(data[I + 1], first, length, buffers[I + 1])...);
        if constexpr (std::is_same_v<Out, Half>) {
          narrow_block(buffers[0], reinterpret_cast<Half*>(data[0]) + first, length);
        }
      }
    }
  }
};

// F: the functor, constructed from the scalars. Compute, Out, In: memory types.
template <class Functor, class Compute, class Out, class... In>
static void pointwise_loop(char* const* data, const int64_t* strides, int64_t size0, int64_t size1,
                           const void* scalars) {
  static constexpr BlockKernel kKernel = {&PointwiseBlock<Functor, Compute, Out, In...>::run,
                                          1 + sizeof...(In),
                                          {sizeof(Out), sizeof(In)...}};
  run_blocks(kKernel, data, strides, size0, size1, scalars);
}
