#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/tensor.h"

// Note [The graph]
// A Node is one recorded operation. Its edges lead to where the gradients of its operands go: to
// the nodes that made these, or to the AccumulateGrad of a leaf. Edges point from results towards
// leaves; a tensor owns the node that made it, and a node never owns its results, so that a graph
// is freed with the last tensor that needs it.

namespace ceph::autograd {

class Node;

// A slot of a node that takes a gradient; without a node the gradient isn't wanted.
struct Edge {
  intrusive_ptr<Node> node;
  uint32_t input = 0;

  explicit operator bool() const { return static_cast<bool>(node); }
};

// One gradient per slot; an undefined one stands for zeros.
using Gradients = std::vector<Tensor>;

// What the gradient of a result looks like. An undefined result takes none.
struct Expected {
  DimVector sizes;
  DType dtype = DType::Float32;
  Device device;

  explicit Expected(const Tensor& result) {
    if (!result.defined()) return;
    sizes = result.sizes();
    dtype = result.dtype();
    device = result.device();
  }
  CEPH_API Tensor zeros() const;
};

// Called with the gradients before a node runs, or with what it made of them afterwards. Owns
// whatever of the binding it calls.
class CEPH_API Hook : public RefCounted {
 public:
  // May replace gradients. `made` are those that the node made, null before it ran.
  virtual void call(Gradients& gradients, const Gradients* made) = 0;
  // Whether it was taken away, so that its list may forget it.
  virtual bool removed() const { return false; }
};

// Lists of hooks are added to under one lock, and a pass calls a copy: other threads, and hooks
// themselves, may register more meanwhile.
using HookList = std::vector<intrusive_ptr<Hook>>;
using SlotHookList = std::vector<std::pair<uint32_t, intrusive_ptr<Hook>>>;
CEPH_API void add_to(HookList& list, intrusive_ptr<Hook> hook);
CEPH_API void add_to(SlotHookList& list, uint32_t slot, intrusive_ptr<Hook> hook);
CEPH_API HookList copy_of(const HookList& list);
CEPH_API SlotHookList copy_of(const SlotHookList& list);

class CEPH_API Node : public RefCounted {
 public:
  Node();

  virtual const char* name() const = 0;
  // The gradients of the edges from those of the results. Called without recording, unless the
  // backward pass itself is to be differentiated.
  virtual Gradients apply(Gradients gradients) = 0;
  // Lets go of what was saved for `apply`, which from then on refuses to run.
  virtual void release_saved() {}

  // Counts the nodes of a thread: of those that could run, the engine takes the one made last.
  uint64_t sequence() const { return sequence_; }
  const std::vector<Edge>& edges() const { return edges_; }
  void set_edges(std::vector<Edge> edges) { edges_ = std::move(edges); }
  void set_edge(size_t i, Edge edge) { edges_[i] = std::move(edge); }
  bool wants(size_t edge) const { return static_cast<bool>(edges_[edge]); }
  bool wants_any(size_t first, size_t count) const {
    for (size_t i = first; i < first + count; ++i) {
      if (wants(i)) return true;
    }
    return false;
  }

  // One for each result; the position is the slot of its gradient.
  uint32_t add_result(const Tensor& result);
  const std::vector<Expected>& results() const { return results_; }
  std::vector<Expected>& results() { return results_; }

  struct Hooks {
    SlotHookList tensors;   // of the gradient in a slot
    SlotHookList retained;  // after the others
    HookList before, after;
    intrusive_ptr<RefCounted> trace;  // where the program was, in anomaly mode
  };
  Hooks& hooks();
  const Hooks* hooks_if_any() const { return hooks_.get(); }
  // Those of the tensors whose gradients came in.
  virtual void call_tensor_hooks(Gradients& gradients) const;

  // Guards what several backward passes over one graph change: saved values, accumulation.
  // A hook of a saved value may come back to the node.
  std::recursive_mutex& mutex() const { return mutex_; }

  void release() const {
    if (drop_known()) destroy();
  }

  // The Python object that shows the node: it owns the node, unless the node owns it (Note [Python
  // object of a node]). Guarded by the interpreter lock.
  void* pyobj = nullptr;
  bool owns_pyobj = false;

  static void* operator new(size_t size);
  static void operator delete(void* at, size_t size);

 protected:
  ~Node() override;
  void destroy() const override;

 private:
  uint64_t sequence_;
  std::vector<Edge> edges_;
  std::vector<Expected> results_;
  std::unique_ptr<Hooks> hooks_;
  mutable std::recursive_mutex mutex_;
};

}  // namespace ceph::autograd
