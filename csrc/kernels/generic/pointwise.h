// The loop of a pointwise op, instantiated by generated units.

template <class Functor, class Compute, class Out, class... In>
struct PointwiseBlock;

template <class Functor, class Compute, class Out, class A>
struct PointwiseBlock<Functor, Compute, Out, A> {
  static void run(char* const* data, int64_t count, const void* scalars) {
    const Functor f(static_cast<const arithmetic_t<Compute>*>(scalars));
    Out* out = reinterpret_cast<Out*>(data[0]);
    const A* a = reinterpret_cast<const A*>(data[1]);
#pragma GCC ivdep
    for (int64_t i = 0; i < count; ++i) store(out + i, f(load(a + i)));
  }
};
template <class Functor, class Compute, class Out, class A, class B>
struct PointwiseBlock<Functor, Compute, Out, A, B> {
  static void run(char* const* data, int64_t count, const void* scalars) {
    const Functor f(static_cast<const arithmetic_t<Compute>*>(scalars));
    Out* out = reinterpret_cast<Out*>(data[0]);
    const A* a = reinterpret_cast<const A*>(data[1]);
    const B* b = reinterpret_cast<const B*>(data[2]);
#pragma GCC ivdep
    for (int64_t i = 0; i < count; ++i) store(out + i, f(load(a + i), load(b + i)));
  }
};
template <class Functor, class Compute, class Out, class A, class B, class C>
struct PointwiseBlock<Functor, Compute, Out, A, B, C> {
  static void run(char* const* data, int64_t count, const void* scalars) {
    const Functor f(static_cast<const arithmetic_t<Compute>*>(scalars));
    Out* out = reinterpret_cast<Out*>(data[0]);
    const A* a = reinterpret_cast<const A*>(data[1]);
    const B* b = reinterpret_cast<const B*>(data[2]);
    const C* c = reinterpret_cast<const C*>(data[3]);
#pragma GCC ivdep
    for (int64_t i = 0; i < count; ++i) store(out + i, f(load(a + i), load(b + i), load(c + i)));
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
