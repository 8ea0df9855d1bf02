#pragma once

#include <cstdint>

namespace ceph::kernels {

// A loop over contiguous elements: data[0] is the output, the others are inputs.
using BlockLoop = void (*)(char* const* data, int64_t count, const void* scalars);

// What one instance of a pointwise loop is: the loop, and the item size of each operand.
struct BlockKernel {
  static constexpr int kMaxOperands = 8;
  BlockLoop loop;
  int operand_count;
  int64_t item_sizes[kMaxOperands];
};

// Runs a block loop over strided operands (strides as TensorIterator::Loop): directly where all are
// contiguous, else through small buffers that inputs are gathered into and results scattered from.
// So there is one loop for every layout, and an element's bits don't depend on it.
void run_blocks(const BlockKernel& kernel, char* const* data, const int64_t* strides, int64_t size0,
                int64_t size1, const void* scalars);

}  // namespace ceph::kernels
