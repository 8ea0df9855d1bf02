#include <algorithm>

#include "base/half.h"
#include "base/overflow.h"
#include "base/thread_pool.h"
#include "kernels/dnn/matmul_plan.h"

namespace ceph::kernels::dnn {

#ifdef CEPHEID_DNNL_LIBRARY

bool library_sgemm(const SGemm& p) {
  const Library* f = library();
  if (!f) return false;
  OneOpenMpThread one;
  auto order = [](bool transposed) { return transposed ? 'T' : 'N'; };
  return f->sgemm(order(p.a_transposed), order(p.b_transposed), p.m, p.n, p.k, p.alpha, p.a,
                  p.a_stride, p.b, p.b_stride, p.beta, p.c, p.c_stride) == dnnl_success;
}

namespace {

// Products that make a piece of work of its own.
constexpr double kPiece = 1 << 21;

int64_t rows_per_piece(int64_t extent, double work) {
  int64_t pieces = std::clamp<int64_t>(static_cast<int64_t>(work / kPiece), 1, 64);
  return ceil_div(std::max<int64_t>(64, ceil_div(extent, pieces)), 32) * 32;
}

bool is_plain(int64_t row, int64_t col, int64_t rows, int64_t cols) {
  return (col == 1 && row >= cols) || (row == 1 && col >= rows);
}

// How a product is cut: along the rows or the columns of c, into pieces of `size` and a rest.
struct Pieces {
  bool by_rows;
  int64_t extent, size;
  std::shared_ptr<const MatmulPlan> plan, last;

  explicit Pieces(const MatmulShape& s) : by_rows(s.m >= s.n), extent(by_rows ? s.m : s.n) {
    double work = static_cast<double>(s.m) * static_cast<double>(s.n) * static_cast<double>(s.k);
    size = std::min(extent, rows_per_piece(extent, work));
    plan = plan_of(s, size);
    last = extent % size == 0 ? plan : plan_of(s, extent % size);
  }

  bool are_there() const { return plan && last; }

 private:
  std::shared_ptr<const MatmulPlan> plan_of(MatmulShape piece, int64_t length) const {
    (by_rows ? piece.m : piece.n) = length;
    return MatmulPlan::find(piece);
  }
};

}  // namespace

bool library_takes_matmul(const MatmulShape& s) {
  return library() && is_plain(s.a_row, s.a_col, s.m, s.k) &&
         is_plain(s.b_row, s.b_col, s.k, s.n) && Pieces(s).are_there();
}

void library_matmul(const char* op, const MatmulShape& s, const void* a, const void* b,
                    const void* bias, void* c) {
  Pieces pieces(s);
  auto at = [](const void* data, int64_t elements) {
    return data ? static_cast<const BFloat16*>(data) + elements : nullptr;
  };
  parallel_for(0, ceil_div(pieces.extent, pieces.size), 1, [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i) {
      int64_t x = i * pieces.size;
      const MatmulPlan& plan = pieces.extent - x < pieces.size ? *pieces.last : *pieces.plan;
      BFloat16* to = static_cast<BFloat16*>(c) + x * (pieces.by_rows ? s.c_row : 1);
      if (pieces.by_rows)
        plan.run(op, at(a, x * s.a_row), b, bias, to);
      else
        plan.run(op, a, at(b, x * s.b_col), at(bias, x), to);
    }
  });
}

#else

bool library_sgemm(const SGemm&) { return false; }

bool library_takes_matmul(const MatmulShape&) { return false; }

void library_matmul(const char*, const MatmulShape&, const void*, const void*, const void*, void*) {
}

#endif

}  // namespace ceph::kernels::dnn
