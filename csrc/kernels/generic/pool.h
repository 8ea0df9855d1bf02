// Pooling of one plane: each window's rows into one line, then the line's elements into one number.

// A window that lies wholly in the padding keeps the neutral element.
struct PoolMaximum {
  template <class T>
  CEPH_INLINE static T neutral() {
    if constexpr (std::is_floating_point_v<T>)
      return -T(__builtin_inf());
    else
      return std::is_signed_v<T> ? static_cast<T>(T(1) << (8 * sizeof(T) - 1)) : T(0);
  }
  template <class T>
  CEPH_INLINE static T combine(T a, T b) {
    return maximum(a, b);
  }
  template <class T>
  CEPH_INLINE static T finish(T value, int64_t) {
    return value;
  }
};
struct PoolAverage {
  template <class T>
  CEPH_INLINE static T neutral() {
    return T(0);
  }
  template <class T>
  CEPH_INLINE static T combine(T a, T b) {
    return a + b;
  }
  template <class T>
  CEPH_INLINE static T finish(T value, int64_t divisor) {
    return value / static_cast<T>(divisor);
  }
};

template <class Op, class T>
CEPH_INLINE void fold_rows(const T* in, const PoolWindows& rows, int64_t width, int64_t window,
                           T* line) {
  for (int64_t x = 0; x < width; ++x) line[x] = Op::template neutral<T>();
  for (int64_t y = rows.first[window]; y < rows.last[window]; y += rows.step) {
    const T* row = in + y * width;
#pragma GCC ivdep
    for (int64_t x = 0; x < width; ++x) line[x] = Op::combine(line[x], row[x]);
  }
}

template <class Op, class T>
static void pool_plane(const void* in, const PoolWindows& rows, const PoolWindows& columns,
                       void* line_memory, void* out) {
  T* line = static_cast<T*>(line_memory);
  T* to = static_cast<T*>(out);
  for (int64_t i = 0; i < rows.count; ++i, to += columns.count) {
    fold_rows<Op>(static_cast<const T*>(in), rows, columns.size, i, line);
    for (int64_t j = 0; j < columns.count; ++j) {
      T value = Op::template neutral<T>();
      for (int64_t x = columns.first[j]; x < columns.last[j]; x += columns.step) {
        value = Op::combine(value, line[x]);
      }
      to[j] = Op::finish(value, rows.divisor[i] * columns.divisor[j]);
    }
  }
}

static constexpr PoolTable make_pool_table() {
  PoolTable table{};
  table.maximum[static_cast<int>(DType::UInt8)] = &pool_plane<PoolMaximum, uint8_t>;
  table.maximum[static_cast<int>(DType::Int8)] = &pool_plane<PoolMaximum, int8_t>;
  table.maximum[static_cast<int>(DType::Int16)] = &pool_plane<PoolMaximum, int16_t>;
  table.maximum[static_cast<int>(DType::Int32)] = &pool_plane<PoolMaximum, int32_t>;
  table.maximum[static_cast<int>(DType::Int64)] = &pool_plane<PoolMaximum, int64_t>;
  table.maximum[static_cast<int>(DType::Float32)] = &pool_plane<PoolMaximum, float>;
  table.maximum[static_cast<int>(DType::Float64)] = &pool_plane<PoolMaximum, double>;
  table.average[static_cast<int>(DType::Float32)] = &pool_plane<PoolAverage, float>;
  table.average[static_cast<int>(DType::Float64)] = &pool_plane<PoolAverage, double>;
  return table;
}
extern constexpr PoolTable pool_table = make_pool_table();
