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

// Combines items in a balanced tree over their numbers, `width` trees side by side.
class Cascade {
 public:
  Cascade(const Fold& fold, int64_t width)
      : fold_(fold), width_(width), bytes_(static_cast<size_t>(width * fold.item_size)) {}

  void push(char* value) {
    int level = 0;
    for (; count_ >> level & 1; ++level) {
      fold_.combine(levels_[level].data(), value, width_);
      std::memcpy(value, levels_[level].data(), bytes_);
    }
    if (levels_.size() == static_cast<size_t>(level)) levels_.emplace_back(bytes_);
    std::memcpy(levels_[level].data(), value, bytes_);
    ++count_;
  }
  void finish(char* result) {
    bool first = true;
    for (size_t level = 0; level < levels_.size(); ++level) {
      if (!(count_ >> level & 1)) continue;
      if (!first) fold_.combine(levels_[level].data(), result, width_);
      std::memcpy(result, levels_[level].data(), bytes_);
      first = false;
    }
  }

 private:
  const Fold& fold_;
  int64_t width_;
  size_t bytes_;
  int64_t count_ = 0;
  std::vector<std::vector<char>> levels_;
};

void gather(char* to, const char* from, int64_t stride, int64_t count, size_t item) {
  for (int64_t i = 0; i < count; ++i) std::memcpy(to + i * item, from + i * stride, item);
}
void gather_items(char* to, const char* from, int64_t stride, int64_t count, size_t item) {
  switch (item) {
  case 1:
    return gather(to, from, stride, count, 1);
  case 2:
    return gather(to, from, stride, count, 2);
  case 4:
    return gather(to, from, stride, count, 4);
  case 8:
    return gather(to, from, stride, count, 8);
  default:
    return gather(to, from, stride, count, 16);
  }
}

class Folding {
 public:
  Folding(const Tensor& self, ArrayRef<uint8_t> reduced, bool keepdim, const Tensor& out,
          DType compute, const Fold& fold, Finish finish)
      : plan_(self, reduced, keepdim, out), fold_(fold), finish_(finish), compute_(compute),
        in_dtype_(self.dtype()), out_dtype_(out.dtype()), in_item_(item_size(self.dtype())),
        in_(static_cast<const char*>(self.data())), out_(static_cast<char*>(out.data())) {
    bool wide = plan_.reading == ReducePlan::Reading::kColumns ||
                plan_.reading == ReducePlan::Reading::kTile;
    line_ = wide ? (plan_.reading == ReducePlan::Reading::kColumns ? plan_.kept_sizes.back()
                                                                   : plan_.outputs)
                 : plan_.outputs;
    jobs_per_line_ = (line_ + Fold::kMaxColumns - 1) / Fold::kMaxColumns;
    jobs_ = plan_.outputs / line_ * jobs_per_line_;
    piece_ = fold.chunk * kChunksPerPiece;
    pieces_ = (plan_.terms + piece_ - 1) / piece_;
  }

  void run() {
    int64_t cost =
        std::max<int64_t>(1, std::min(plan_.terms, piece_)) * std::min(line_, Fold::kMaxColumns);
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
    int64_t column = job % jobs_per_line_ * Fold::kMaxColumns;
    return {job / jobs_per_line_ * line_ + column, std::min(Fold::kMaxColumns, line_ - column)};
  }
  size_t job_bytes() const { return static_cast<size_t>(Fold::kMaxColumns * fold_.item_size); }

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
    for (int64_t i = 0; i < at.width; ++i) {
      const char* base = in_ + plan_.input_offset(at.output + i);
      fold_row(base, first, last, results + i * fold_.item_size);
    }
  }

  void fold_row(const char* base, int64_t first, int64_t last, char* result) {
    if (last - first <= fold_.chunk)
      return fold_.row(row_terms(base, first, last), last - first, result);
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
    bool direct = plan_.reading == ReducePlan::Reading::kRow;
    if (direct && in_dtype_ == compute_) return base + first * static_cast<int64_t>(in_item_);
    thread_local std::vector<char> raw, terms;
    const char* source = base + first * static_cast<int64_t>(in_item_);
    if (!direct) {
      raw.resize(static_cast<size_t>(fold_.chunk) * in_item_);
      for (int64_t t = first; t < last;) {
        int64_t run = std::min(last - t, plan_.run_length(t));
        gather_items(raw.data() + (t - first) * in_item_, base + plan_.term_offset(t),
                     plan_.reduced_in.empty() ? 0 : plan_.reduced_in.back(), run, in_item_);
        t += run;
      }
      source = raw.data();
      if (in_dtype_ == compute_) return source;
    }
    terms.resize(static_cast<size_t>(fold_.chunk * fold_.item_size));
    convert_elements(terms.data(), compute_, source, in_dtype_, last - first);
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
    thread_local std::vector<char> raw, terms;
    const int64_t row_bytes = job.width * fold_.item_size;
    bool columns = plan_.reading == ReducePlan::Reading::kColumns;
    bool same = in_dtype_ == compute_;
    rows.resize(static_cast<size_t>(last - first));
    if (!columns) raw.resize(static_cast<size_t>((last - first) * job.width) * in_item_);
    if (!same) terms.resize(static_cast<size_t>((last - first) * row_bytes));
    int64_t offsets[Fold::kMaxColumns];
    for (int64_t i = 0; i < (columns ? 1 : job.width); ++i) {
      offsets[i] = plan_.input_offset(job.output + i);
    }
    for (int64_t t = first; t < last; ++t) {
      const char* row = in_ + offsets[0] + plan_.term_offset(t);
      if (!columns) {
        char* to = raw.data() + (t - first) * job.width * static_cast<int64_t>(in_item_);
        gather_row(to, in_ + plan_.term_offset(t), offsets, job.width);
        row = to;
      }
      if (!same) {
        char* to = terms.data() + (t - first) * row_bytes;
        convert_elements(to, compute_, row, in_dtype_, job.width);
        row = to;
      }
      rows[static_cast<size_t>(t - first)] = row;
    }
    fold_.columns(rows.data(), last - first, job.width, results);
  }

  template <size_t kItem>
  static void gather_at(char* to, const char* from, const int64_t* offsets, int64_t count) {
    for (int64_t i = 0; i < count; ++i) std::memcpy(to + i * kItem, from + offsets[i], kItem);
  }
  void gather_row(char* to, const char* from, const int64_t* offsets, int64_t count) const {
    switch (in_item_) {
    case 1:
      return gather_at<1>(to, from, offsets, count);
    case 2:
      return gather_at<2>(to, from, offsets, count);
    case 4:
      return gather_at<4>(to, from, offsets, count);
    case 8:
      return gather_at<8>(to, from, offsets, count);
    default:
      return gather_at<16>(to, from, offsets, count);
    }
  }

  void write(int64_t job, char* results) {
    Job at = job_at(job);
    finish_(results, at.width);
    char converted[Fold::kMaxColumns * 16];
    const char* from = results;
    auto item = static_cast<int64_t>(item_size(out_dtype_));
    if (out_dtype_ != compute_) {
      convert_elements(converted, out_dtype_, results, compute_, at.width);
      from = converted;
    }
    for (int64_t i = 0; i < at.width; ++i) {
      std::memcpy(out_ + plan_.output_offset(at.output + i), from + i * item,
                  static_cast<size_t>(item));
    }
  }

  ReducePlan plan_;
  const Fold& fold_;
  Finish finish_;
  DType compute_, in_dtype_, out_dtype_;
  size_t in_item_;
  const char* in_;
  char* out_;
  int64_t line_;  // results whose jobs are cut together: a line of columns, or all
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
