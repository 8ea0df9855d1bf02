#pragma once

#include <functional>
#include <span>

#include "autograd/node.h"

namespace ceph::autograd {

struct BackwardOptions {
  bool keep_graph = false;                                // leave what was saved for another pass
  bool create_graph = false;                              // record the pass itself
  std::function<void(const char* stage)> told = nullptr;  // of the stages of flow 6, docs/flows.md
};

// One backward pass: runs the nodes that `roots` lead to, each once all gradients of its results
// have come in. `gradients` are those of the roots. With `inputs`, only what they need is run, and
// the gradients that reach them are returned (undefined where none does); without, the leaves keep
// theirs and nothing is returned.
// Called without the interpreter lock. An error of a node ends the pass and is thrown here.
CEPH_API Gradients run_backward(std::span<const Edge> roots, Gradients gradients,
                                std::span<const Edge> inputs, BackwardOptions options);

// Runs `body` on a thread that the engine started, so that it may call the interpreter and that an
// exception of Python crosses to the thread that waits. The binding sets it when it loads.
extern CEPH_API void (*around_thread)(const std::function<void()>& body);

// Runs `callback` when the pass that this thread is in has ended. RuntimeError outside of one.
CEPH_API void queue_callback(std::function<void()> callback);

// Of the pass that this thread is in: its number, whether it is for some inputs alone, and whether
// it runs a node or asks for what reaches it. RuntimeError outside of one.
CEPH_API uint64_t current_pass();
CEPH_API bool wants_inputs();
CEPH_API bool will_run(const Node& node);

// Tells whoever listens to the pass that this thread is in.
void reached(const char* stage);

// `grad` made fit for a result: summed over what was broadcast, of its dtype, real where it is.
CEPH_API Tensor fitted(const char* op, Tensor grad, const Expected& expected);

}  // namespace ceph::autograd
