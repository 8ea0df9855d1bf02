#include "ops/structured.h"

#include "generated/ops/add.h"
#include "generated/ops/arange.h"
#include "generated/ops/argmax.h"
#include "generated/ops/cat.h"
#include "generated/ops/clamp.h"
#include "generated/ops/copy_.h"
#include "generated/ops/empty.h"
#include "generated/ops/equal.h"
#include "generated/ops/expand.h"
#include "generated/ops/full.h"
#include "generated/ops/index_select.h"
#include "generated/ops/masked_fill.h"
#include "generated/ops/matmul.h"
#include "generated/ops/reshape.h"
#include "generated/ops/slice.h"
#include "generated/ops/sort.h"
#include "generated/ops/sum.h"
#include "generated/ops/transpose.h"
#include "generated/ops/zeros.h"
#include "testing.h"

// What generated registrations add around kernels: outputs, overlap, refusals that change nothing.

using namespace ceph;

namespace {

Tensor range(IntArrayRef sizes, DType dtype = DType::Float32) {
  return ops::reshape(ops::arange(checked_numel(sizes, "range"), dtype), sizes);
}
Tensor numbers(IntArrayRef values) {
  Tensor t = ops::empty(IntArrayRef{static_cast<int64_t>(values.size())}, DType::Int64);
  std::copy(values.begin(), values.end(), t.data_as<int64_t>());
  return t;
}
bool same(const Tensor& a, const Tensor& b) {
  return a.sizes() == b.sizes() && a.dtype() == b.dtype() && ops::equal(a, b);
}

}  // namespace

TEST(out_is_resized_and_cast) {
  Tensor x = range({2, 3});
  Tensor out = ops::empty(IntArrayRef{0}, DType::Float64);
  Tensor result = ops::sum_out(out, x, IntArrayRef{0});
  EXPECT(result.is_same(out));
  EXPECT(out.sizes() == IntArrayRef{3});
  EXPECT(same(out, ops::sum(x, IntArrayRef{0}, false, DType::Float64)));
  EXPECT_EQ(out->version(), 1u);
}

TEST(an_output_that_is_refused_is_unchanged) {
  Tensor x = range({2, 3});
  Tensor whole = ops::zeros({4}, DType::Int64);
  EXPECT_THROWS(ops::sum_out(whole, x, IntArrayRef{0}), Error, "sum");
  EXPECT(whole.sizes() == IntArrayRef{4});
  EXPECT_EQ(whole->version(), 1u);  // that of zeros' fill

  Tensor out = ops::zeros({7});
  EXPECT_THROWS(ops::index_select_out(out, x, 0, numbers({0, 5})), Error, "index_select");
  EXPECT(out.sizes() == IntArrayRef{7});
  EXPECT(same(out, ops::zeros({7})));
}

TEST(an_output_that_is_an_operand_is_read_first) {
  Tensor x = range({3, 3});
  Tensor expected = ops::matmul(x, x);
  ops::matmul_out(x, x, x);
  EXPECT(same(x, expected));
}

TEST(an_output_that_shares_part_of_an_operand_is_refused) {
  Tensor x = range({6});
  Tensor head = ops::slice(x, 0, 0, 3), tail = ops::slice(x, 0, 2, 5);
  EXPECT_THROWS(ops::sum_out(ops::reshape(head, {3}), ops::reshape(tail, {1, 3}), IntArrayRef{0}),
                Error, "must not share part of its memory");
  EXPECT(same(x, range({6})));
}

TEST(an_output_with_two_elements_in_one_place_is_refused) {
  Tensor out = ops::expand(ops::zeros({1}), {3});
  EXPECT_THROWS(ops::sum_out(out, range({2, 3}), IntArrayRef{0}), Error, "clone it first");
}

TEST(several_outputs_are_written_and_kept_apart) {
  Tensor x = numbers({3, 1, 2});
  Tensor values = ops::empty(IntArrayRef{0}, DType::Int64);
  Tensor indices = ops::empty(IntArrayRef{0}, DType::Int64);
  ops::sort_out(values, indices, x);
  EXPECT(same(values, numbers({1, 2, 3})));
  EXPECT(same(indices, numbers({1, 2, 0})));
  EXPECT_THROWS(ops::sort_out(values, values, x), Error, "the outputs must not share memory");
}

TEST(unsupported_dtypes_are_named) {
  Tensor x = ops::zeros({2}, DType::Complex64);
  EXPECT_THROWS(ops::sort(x), Error, "sort: dtype complex64 is not supported; convert to one of");
}

TEST(meta_tensors_get_shape_and_dtype_only) {
  Tensor x = ops::empty({2, 3}, DType::Int32, std::nullopt, Device(DeviceKind::Meta));
  Tensor total = ops::sum(x, IntArrayRef{1}, true);
  EXPECT(total.device().is_meta());
  EXPECT(total.sizes() == (IntArrayRef{2, 1}));
  EXPECT(total.dtype() == DType::Int64);
  EXPECT_THROWS(ops::sum(x, IntArrayRef{2}), Error, "sum");
  EXPECT_THROWS(ops::matmul(x, ops::zeros({3, 2}, DType::Int32)), Error, "one device");
}

TEST(in_place_on_an_operand_of_another_shape_is_refused) {
  Tensor x = ops::zeros({3});
  Tensor mask = ops::full({2, 3}, true);
  EXPECT_THROWS(ops::masked_fill_(x, mask, 1), Error, "the result must have self's shape");
  EXPECT_EQ(x->version(), 1u);
  EXPECT(same(ops::masked_fill(x, mask, 1), ops::full({2, 3}, 1.0)));
  ops::masked_fill_(x, ops::full({1}, true), 2);
  EXPECT(same(x, ops::full({3}, 2.0)));
  EXPECT_EQ(x->version(), 2u);
}

TEST(read_only_memory_is_refused_before_anything_is_written) {
  float data[] = {0, 1, 2, 3};
  auto storage = make_intrusive<StorageImpl>(
      data, sizeof(data), Device(), [](void*) {}, nullptr, /*writable=*/false);
  Tensor x(make_intrusive<TensorImpl>(storage, DType::Float32, Device(), DispatchKey::CPU));
  x->set_contiguous({4});
  const char* message = "has read-only memory; clone it first";
  EXPECT_THROWS(ops::add_(x, x), Error, message);
  EXPECT_THROWS(ops::copy_(x, ops::zeros({4})), Error, message);
  EXPECT_THROWS(ops::clamp_(x, Scalar(1), std::nullopt), Error, message);
  EXPECT_THROWS(ops::masked_fill_(x, ops::full({4}, true), 1), Error, message);
  EXPECT_THROWS(ops::sum_out(x, range({2, 4}), IntArrayRef{0}), Error, message);
  EXPECT(same(x, range({4})));
}

TEST(composites_write_through_copies) {
  Tensor x = range({4});
  ops::clamp_(x, Scalar(1), Scalar(2));
  EXPECT(same(x, ops::clamp(range({4}), Scalar(1), Scalar(2))));
  EXPECT_EQ(x->version(), 1u);
  Tensor integers = numbers({0, 9});
  EXPECT_THROWS(ops::clamp_(integers, Scalar(0.5), std::nullopt), Error, "clamp_");
  EXPECT(same(integers, numbers({0, 9})));
  Tensor out = ops::empty(IntArrayRef{0});
  ops::clamp_out(out, range({4}), Scalar(1), std::nullopt);
  EXPECT(same(out, ops::clamp(range({4}), Scalar(1), std::nullopt)));
}

TEST(matmul_takes_every_rank) {
  Tensor v = range({3}), m = range({3, 4}), b = range({2, 5, 3});
  EXPECT(ops::matmul(v, v).sizes() == IntArrayRef{});
  EXPECT(ops::matmul(v, m).sizes() == IntArrayRef{4});
  EXPECT(ops::matmul(b, m).sizes() == (IntArrayRef{2, 5, 4}));
  EXPECT(ops::matmul(b, v).sizes() == (IntArrayRef{2, 5}));
  EXPECT(ops::matmul(v, ops::transpose(b, 1, 2)).sizes() == (IntArrayRef{2, 5}));
  Tensor batched = ops::matmul(b, ops::expand(m, {2, 3, 4}));
  EXPECT(same(batched, ops::matmul(b, m)));
  EXPECT_THROWS(ops::matmul(m, m), Error,
                "matmul: inner sizes must agree; got self [3, 4] and other [3, 4]");
}

TEST(a_list_of_operands_is_promoted_and_joined) {
  Tensor a = numbers({1, 2}), b = ops::full({1}, 0.5);
  Tensor both[] = {a, b};
  Tensor joined = ops::cat(TensorList(both, 2), 0);
  EXPECT(joined.dtype() == DType::Float32);
  EXPECT(joined.sizes() == IntArrayRef{3});
  EXPECT_THROWS(ops::cat(TensorList(), 0), Error, "cat: at least one tensor is needed");
}

TEST(an_output_in_place_keeps_its_shape) {
  Tensor x = ops::zeros({3});
  const auto spec = [](IntArrayRef sizes) {
    return ops::OutputSpec{sizes, DType::Float32, Device(DeviceKind::CPU)};
  };
  const char* message = "cumsum_: the result must have self's shape";
  EXPECT_THROWS(ops::Output::inplace("cumsum_", x, spec({4}), ops::operands(x)), Error, message);
  EXPECT(ops::Output::inplace("cumsum_", x, spec({3}), {}).target().is_same(x));
  const Tensor grown = ops::full({4, 3}, 1.0);
  message = "div_: the result must have self's shape";
  EXPECT_THROWS((ops::write_result("div_", x, grown, ops::Resize::kNo), 0), Error, message);
  EXPECT(x.sizes() == IntArrayRef{3});
  EXPECT(same(x, ops::zeros({3})));
  ops::write_result("div", x, grown, ops::Resize::kYes);
  EXPECT(same(x, grown));
}
