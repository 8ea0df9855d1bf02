#include "kernels/cpu/reduce_fold.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "base/thread_pool.h"
#include "kernels/copy.h"

namespace ceph::kernels {

namespace {

// Note [Pieces of a reduction]
// The results are cut into jobs of at most Fold::kMaxColumns, and the terms of a job into pieces of
// 64 chunks. A piece is folded by one thread; the pieces of a job are then combined in order. As 64
// is a power of two, this gives the same tree as one walk over all chunks.
constexpr int64_t kChunksPerPiece = 64;
constexpr int64_t kRowsOfJob = 16;  // results whose terms are read one after the other

// Combines items in a balanced tree over their numbers, `width` trees side by side. One is in use
// per thread at a time: they share the memory of the levels.
class Cascade {
 public:
  Cascade(const Fold& fold, int64_t width)
      : fold_(fold), width_(width), bytes_(static_cast<size_t>(width * fold.item_size)) {}

  void push(char* value) {
    int level = 0;
    for (; count_ >> level & 1; ++level) {
      fold_.combine(at(level), value, width_);
      std::memcpy(value, at(level), bytes_);
    }
    ++count_;
    std::memcpy(at(level), value, bytes_);
  }
  void finish(char* result) {
    bool first = true;
    for (int level = 0; count_ >> level != 0; ++level) {
      if (!(count_ >> level & 1)) continue;
      if (!first) fold_.combine(at(level), result, width_);
      std::memcpy(result, at(level), bytes_);
      first = false;
    }
  }

 private:
  char* at(int level) {
    thread_local std::vector<char> levels;
    auto end = static_cast<size_t>(level + 1) * bytes_;
    if (levels.size() < end) levels.resize(2 * end);
    return levels.data() + end - bytes_;
  }

  const Fold& fold_;
  int64_t width_;
  size_t bytes_;
  int64_t count_ = 0;
};

template <size_t kItem>
void gather_as(char* to, const char* from, const int64_t* offsets, int64_t count) {
  for (int64_t i = 0; i < count; ++i) std::memcpy(to + i * kItem, from + offsets[i], kItem);
}
void gather(char* to, const char* from, const int64_t* offsets, int64_t count, size_t item) {
  switch (item) {
  case 1:
    return gather_as<1>(to, from, offsets, count);
  case 2:
    return gather_as<2>(to, from, offsets, count);
  case 4:
    return gather_as<4>(to, from, offsets, count);
  case 8:
    return gather_as<8>(to, from, offsets, count);
  default:
    return gather_as<16>(to, from, offsets, count);
  }
}
template <size_t kItem>
void scatter_as(char* to, const int64_t* offsets, const char* from, int64_t count) {
  for (int64_t i = 0; i < count; ++i) std::memcpy(to + offsets[i], from + i * kItem, kItem);
}
void scatter(char* to, const int64_t* offsets, const char* from, int64_t count, size_t item) {
  switch (item) {
  case 1:
    return scatter_as<1>(to, offsets, from, count);
  case 2:
    return scatter_as<2>(to, offsets, from, count);
  case 4:
    return scatter_as<4>(to, offsets, from, count);
  case 8:
    return scatter_as<8>(to, offsets, from, count);
  default:
    return scatter_as<16>(to, offsets, from, count);
  }
}

class Folding {
 public:
  Folding(const Tensor& self, ArrayRef<uint8_t> reduced, bool keepdim, const Tensor& out,
          DType compute, const Fold& fold, Finish finish)
      : plan_(self, reduced, keepdim, out), fold_(fold), finish_(finish), compute_(compute),
        in_dtype_(self.dtype()), out_dtype_(out.dtype()), in_item_(item_size(self.dtype())),
        in_(static_cast<const char*>(self.data())), out_(static_cast<char*>(out.data())) {
    bool columns = plan_.reading == ReducePlan::Reading::kColumns;
    line_ = columns ? plan_.kept_sizes.back() : plan_.outputs;
    adjoining_results_ = plan_.kept_out.empty() ||
                         (plan_.kept_out.back() == static_cast<int64_t>(item_size(out_dtype_)) &&
                          line_ == plan_.kept_sizes.back());
    bool side_by_side = columns || plan_.reading == ReducePlan::Reading::kTile;
    most_ = side_by_side ? Fold::kMaxColumns : kRowsOfJob;
    jobs_per_line_ = (line_ + most_ - 1) / most_;
    jobs_ = plan_.outputs / line_ * jobs_per_line_;
    piece_ = fold.chunk * kChunksPerPiece;
    pieces_ = (plan_.terms + piece_ - 1) / piece_;
  }

  void run() {
    int64_t cost = std::max<int64_t>(1, std::min(plan_.terms, piece_)) * std::min(line_, most_);
    int64_t grain = std::max<int64_t>(1, kGrain / cost);
    if (pieces_ == 1) {
      parallel_for(0, jobs_, grain, [&](int64_t first, int64_t last) {
        std::vector<char> results(job_bytes());
        for (int64_t job = first; job < last; ++job) {
          fold_piece(job, 0, results.data());
          write(job, results.data());
        }
      });
      return;
    }
    std::vector<char> partial(static_cast<size_t>(jobs_ * pieces_) * job_bytes());
    parallel_for(0, jobs_ * pieces_, grain, [&](int64_t first, int64_t last) {
      for (int64_t unit = first; unit < last; ++unit) {
        fold_piece(unit / pieces_, unit % pieces_, partial.data() + unit * job_bytes());
      }
    });
    for (int64_t job = 0; job < jobs_; ++job) combine_pieces(job, partial);
  }

 private:
  struct Job {
    int64_t output;  // the first result
    int64_t width;
  };
  Job job_at(int64_t job) const {
    int64_t column = job % jobs_per_line_ * most_;
    return {job / jobs_per_line_ * line_ + column, std::min(most_, line_ - column)};
  }
  size_t job_bytes() const { return static_cast<size_t>(most_ * fold_.item_size); }

  void combine_pieces(int64_t job, std::vector<char>& partial) {
    Cascade cascade(fold_, job_at(job).width);
    char* pieces = partial.data() + job * pieces_ * job_bytes();
    for (int64_t piece = 0; piece < pieces_; ++piece) cascade.push(pieces + piece * job_bytes());
    cascade.finish(pieces);
    write(job, pieces);
  }

  void fold_piece(int64_t job, int64_t piece, char* results) {
    Job at = job_at(job);
    int64_t first = piece * piece_, last = std::min(plan_.terms, first + piece_);
    switch (plan_.reading) {
    case ReducePlan::Reading::kColumns:
    case ReducePlan::Reading::kTile:
      return fold_columns(at, first, last, results);
    default:
      break;
    }
    int64_t offsets[Fold::kMaxColumns];
    plan_.input_offsets(at.output, at.width, offsets);
    for (int64_t i = 0; i < at.width; ++i) {
      fold_row(in_ + offsets[i], first, last, results + i * fold_.item_size);
    }
  }

  void fold_row(const char* base, int64_t first, int64_t last, char* result) {
    bool direct = plan_.reading == ReducePlan::Reading::kRow && in_dtype_ == fold_.term;
    if (direct || last - first <= fold_.chunk) {
      return fold_.row(row_terms(base, first, last), last - first, result);
    }
    Cascade cascade(fold_, 1);
    for (int64_t at = first; at < last; at += fold_.chunk) {
      int64_t end = std::min(last, at + fold_.chunk);
      fold_.row(row_terms(base, at, end), end - at, result);
      cascade.push(result);
    }
    cascade.finish(result);
  }

  // Terms [first, last) of the result at `base`, contiguous and in the compute dtype.
  const void* row_terms(const char* base, int64_t first, int64_t last) {
    thread_local std::vector<char> raw, terms;
    thread_local std::vector<int64_t> offsets;
    const char* source = base + first * static_cast<int64_t>(in_item_);
    if (plan_.reading != ReducePlan::Reading::kRow) {
      raw.resize(static_cast<size_t>(fold_.chunk) * in_item_);
      offsets.resize(static_cast<size_t>(fold_.chunk));
      plan_.term_offsets(first, last - first, offsets.data());
      gather(raw.data(), base, offsets.data(), last - first, in_item_);
      source = raw.data();
    }
    if (in_dtype_ == fold_.term) return source;
    terms.resize(static_cast<size_t>(fold_.chunk) * item_size(fold_.term));
    convert_elements(terms.data(), fold_.term, source, in_dtype_, last - first);
    return terms.data();
  }

  void fold_columns(Job job, int64_t first, int64_t last, char* results) {
    if (last - first <= fold_.chunk) return fold_tile(job, first, last, results);
    Cascade cascade(fold_, job.width);
    for (int64_t at = first; at < last; at += fold_.chunk) {
      fold_tile(job, at, std::min(last, at + fold_.chunk), results);
      cascade.push(results);
    }
    cascade.finish(results);
  }

  void fold_tile(Job job, int64_t first, int64_t last, char* results) {
    thread_local std::vector<const char*> rows;
    thread_local std::vector<int64_t> terms;
    const int64_t count = last - first;
    rows.resize(static_cast<size_t>(count));
    terms.resize(static_cast<size_t>(count));
    plan_.term_offsets(first, count, terms.data());
    const char* base = in_;
    if (plan_.reading == ReducePlan::Reading::kColumns) base += plan_.input_offset(job.output);
    for (size_t t = 0; t < rows.size(); ++t) rows[t] = base + terms[t];
    if (plan_.reading == ReducePlan::Reading::kTile) gather_rows(job, rows);
    if (in_dtype_ != fold_.term) convert_rows(job.width, rows);
    fold_.columns(rows.data(), count, job.width, results);
  }

  // Makes the items of each row, which lie at the offsets of the results, adjoin.
  void gather_rows(Job job, std::vector<const char*>& rows) {
    thread_local std::vector<char> raw;
    int64_t offsets[Fold::kMaxColumns];
    plan_.input_offsets(job.output, job.width, offsets);
    const size_t bytes = static_cast<size_t>(job.width) * in_item_;
    raw.resize(rows.size() * bytes);
    for (size_t t = 0; t < rows.size(); ++t) {
      gather(raw.data() + t * bytes, rows[t], offsets, job.width, in_item_);
      rows[t] = raw.data() + t * bytes;
    }
  }

  void convert_rows(int64_t width, std::vector<const char*>& rows) {
    thread_local std::vector<char> converted;
    const auto bytes = static_cast<size_t>(width) * item_size(fold_.term);
    converted.resize(rows.size() * bytes);
    for (size_t t = 0; t < rows.size(); ++t) {
      char* to = converted.data() + t * bytes;
      convert_elements(to, fold_.term, rows[t], in_dtype_, width);
      rows[t] = to;
    }
  }

  void write(int64_t job, char* results) {
    Job at = job_at(job);
    finish_(results, at.width);
    alignas(16) char converted[Fold::kMaxColumns * 16];
    const char* from = results;
    if (out_dtype_ != compute_) {
      convert_elements(converted, out_dtype_, results, compute_, at.width);
      from = converted;
    }
    const size_t item = item_size(out_dtype_);
    if (adjoining_results_) {
      char* to = out_ + plan_.output_offset(at.output);
      std::memcpy(to, from, static_cast<size_t>(at.width) * item);
      return;
    }
    int64_t offsets[Fold::kMaxColumns];
    plan_.output_offsets(at.output, at.width, offsets);
    scatter(out_, offsets, from, at.width, item);
  }

  ReducePlan plan_;
  const Fold& fold_;
  Finish finish_;
  DType compute_, in_dtype_, out_dtype_;
  size_t in_item_;
  const char* in_;
  char* out_;
  int64_t line_;  // results whose jobs are cut together: a line of columns, or all
  bool adjoining_results_;
  int64_t most_;  // results of a job
  int64_t jobs_per_line_, jobs_;
  int64_t piece_, pieces_;  // terms of a piece, pieces of a job
};

}  // namespace

void fold_into(const Tensor& self, ArrayRef<uint8_t> reduced, bool keepdim, const Tensor& out,
               DType compute, const Fold& fold, Finish finish) {
  CEPH_INTERNAL(fold.chunk > 0);
  Folding(self, reduced, keepdim, out, compute, fold, finish).run();
}

}  // namespace ceph::kernels
