#pragma once

#include <atomic>

#include "autograd/node.h"

namespace ceph::autograd {

// Anomaly mode: nodes remember where in the program they were made, a node that fails tells, and a
// gradient that is nan is a failure. It holds for all threads. The binding, which knows where the
// program is, sets the functions when it loads.
struct Anomaly {
  std::atomic<bool> enabled{false};
  std::atomic<bool> check_nan{true};
  // Where the program is, and which node is being run there.
  intrusive_ptr<RefCounted> (*trace)() = nullptr;
  // Tells where `node`, whose exception is in flight, was made.
  void (*report)(const Node& node) = nullptr;
};
extern CEPH_API Anomaly anomaly;

// The node that this thread's backward pass runs; null outside of one.
CEPH_API Node* running_node();

// RuntimeError when a gradient that `node` made has a nan.
void refuse_nan(const Node& node, const Gradients& made);

}  // namespace ceph::autograd
