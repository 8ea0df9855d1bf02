#include "core/tensor.h"

#include <cstring>

#include "core/layout.h"
#include "testing.h"

using namespace ceph;

namespace {
constexpr Device kCpu{DeviceKind::CPU};
constexpr Device kMeta{DeviceKind::Meta};

DimVector v(std::initializer_list<int64_t> list) { return list; }
}  // namespace

TEST(empty_tensors_have_their_geometry) {
  const Tensor t = empty_tensor({2, 3}, DType::Float64, kCpu);
  EXPECT(t.sizes() == v({2, 3}) && t.strides() == v({3, 1}));
  EXPECT_EQ(t.numel(), int64_t(6));
  EXPECT_EQ(t->storage()->nbytes(), size_t(48));
  EXPECT(t.is_contiguous() && t.keys() == DispatchKeySet(DispatchKey::CPU));
  const Tensor none = empty_tensor({3, 0, 2}, DType::Float32, kCpu);
  EXPECT(none.strides() == v({2, 2, 1}) && none.data() == nullptr && none.numel() == 0);
  const Tensor scalar = empty_tensor({}, DType::Bool, kCpu);
  EXPECT(scalar.dim() == 0 && scalar.numel() == 1 && scalar.data() != nullptr);
}

TEST(sizes_are_checked_before_anything_is_allocated) {
  EXPECT_THROWS(empty_tensor({-1}, DType::Float32, kCpu), Error,
                "empty: sizes must not be negative");
  EXPECT_THROWS(empty_tensor({int64_t(1) << 62}, DType::Float32, kCpu), Error,
                "need more than 2^63 bytes");
  EXPECT_THROWS(empty_tensor({int64_t(1) << 40, int64_t(1) << 40}, DType::UInt8, kMeta), Error,
                "overflows");
  EXPECT_THROWS(empty_tensor({1}, DType::UInt8, DeviceKind::CUDA), Error,
                "device cuda is not part");
}

TEST(there_is_one_cpu_and_one_meta) {
  EXPECT(empty_tensor({1}, DType::UInt8, Device(DeviceKind::CPU, 0)).device() == kCpu);
  EXPECT(empty_tensor({1}, DType::UInt8, Device(DeviceKind::Meta, 2)).device() == kMeta);
}

TEST(meta_tensors_can_be_huge) {
  const Tensor t = empty_tensor({int64_t(1) << 33, 16}, DType::Float64, kMeta);
  EXPECT_EQ(t.numel(), int64_t(1) << 37);
  EXPECT(!t->storage()->data() && t.keys() == DispatchKeySet(DispatchKey::Meta));
  const Tensor view = view_of(t, {1 << 20}, {int64_t(1) << 17}, 5);
  EXPECT_EQ(view.storage_offset(), int64_t(5));
}

TEST(views_share_storage_and_version) {
  const Tensor base = empty_tensor({4, 4}, DType::Float32, kCpu);
  const Tensor view = view_of(base, {2, 4}, {8, 1}, 4);
  EXPECT(base->storage() == view->storage());
  EXPECT_EQ(static_cast<char*>(view.data()) - static_cast<char*>(base.data()), std::ptrdiff_t(16));
  view->bump_version();
  EXPECT_EQ(base->version(), uint32_t(1));
  base->bump_version();
  EXPECT_EQ(view->version(), uint32_t(2));
  const Tensor other = view_of(base, {16}, {1}, 0);
  other->set_version_counter(make_intrusive<VersionCounter>());
  other->bump_version();
  EXPECT_EQ(base->version(), uint32_t(2));
  EXPECT_EQ(view_of(other, {1}, {1}, 0)->version(), uint32_t(1));
}

TEST(views_stay_inside_the_storage) {
  const Tensor base = empty_tensor({10}, DType::Float32, kCpu);
  EXPECT_EQ(view_of(base, {5}, {2}, 1).numel(), int64_t(5));
  EXPECT_THROWS(view_of(base, {3}, {4}, 2), Error, "need 44 bytes, but the storage has 40");
  EXPECT_THROWS(view_of(base, {2}, {int64_t(1) << 62}, 0), Error, "overflows");
  EXPECT_THROWS(view_of(base, {1}, {1}, -1), Error, "offset must not be negative");
  EXPECT_EQ(view_of(base, {0}, {1}, 1000).numel(), int64_t(0));
  EXPECT(view_of(base, {0}, {1}, 1000).data() == nullptr);
}

TEST(storages_resize_and_keep_their_bytes) {
  const Tensor t = empty_tensor({4}, DType::Int32, kCpu);
  for (int i = 0; i < 4; ++i) t.data_as<int32_t>()[i] = i;
  resize_output("add", t, {3, 100});
  EXPECT(t.sizes() == v({3, 100}) && t->storage()->nbytes() == 1200);
  EXPECT_EQ(t.data_as<int32_t>()[3], 3);
  resize_output("add", t, {2});
  EXPECT_EQ(t->storage()->nbytes(), size_t(1200));
  resize_output("add", t, {0, 7});
  EXPECT_EQ(t.numel(), int64_t(0));
}

TEST(memory_that_went_away_is_not_touched) {
  const Tensor t = empty_tensor({1000}, DType::Float32, kCpu);
  const Tensor head = view_of(t, {2}, {1}, 0);
  const Storage storage = t->storage();
  storage->resize(8);
  EXPECT_THROWS(t.data(), Error, "needs 4000 bytes of its storage, which has 8");
  EXPECT(head.data() == storage->data());
  storage->resize(0);
  EXPECT_THROWS(head.data(), Error, "needs 8 bytes");
  storage->resize(4000);
  EXPECT(t.data() == storage->data());
}

TEST(foreign_memory_is_not_resized_and_is_released_once) {
  static int released = 0;
  float memory[4] = {1, 2, 3, 4};
  {
    auto storage = make_intrusive<StorageImpl>(
        memory, sizeof memory, kCpu, [](void* count) { ++*static_cast<int*>(count); }, &released,
        true);
    const Tensor t(make_intrusive<TensorImpl>(storage, DType::Float32, kCpu, DispatchKey::CPU));
    t->set_contiguous({4});
    EXPECT_THROWS(resize_output("add", t, {5}), Error, "belongs to somebody else");
    EXPECT(t.sizes() == v({4}) && t.data_as<float>()[3] == 4.0f);
  }
  EXPECT_EQ(released, 1);
}

TEST(wrapped_numbers_keep_their_value) {
  EXPECT_EQ(*wrapped_number(Scalar(1.5)).data_as<double>(), 1.5);
  EXPECT_EQ(*wrapped_number(Scalar(true)).data_as<bool>(), true);
  const Tensor big = wrapped_number(Scalar(uint64_t(1) << 63));
  EXPECT_EQ(*big.data_as<uint64_t>(), uint64_t(1) << 63);
  EXPECT(big->is_wrapped_number() && big.dim() == 0);
  EXPECT(*wrapped_number(Scalar(std::complex<double>(1, 2))).data_as<std::complex<double>>() ==
         std::complex<double>(1, 2));
}

TEST(the_last_handle_frees_the_tensor) {
  static int released = 0;
  pyobject_hooks.release = [](void* object) { released += *static_cast<int*>(object); };
  int object = 7;
  {
    const Tensor t = empty_tensor({1}, DType::Float32, kCpu);
    const Tensor copy = t;
    t->pyobj = &object;
    t->owns_pyobj = true;
    EXPECT_EQ(t->use_count(), uint32_t(2));
  }
  EXPECT_EQ(released, 7);
  pyobject_hooks.release = nullptr;
}

TEST(pinned_memory_stays_where_it_is) {
  const Tensor t = empty_tensor({4}, DType::Float32, kCpu);
  const Storage storage = t->storage();
  void* const at = storage->data();
  storage->pin();
  storage->pin();
  storage->unpin();
  EXPECT(!storage->resizable());
  EXPECT_THROWS(storage->resize(64), Error, "DLPack capsule points into this storage's memory");
  EXPECT_THROWS(resize_output("add", t, {16}), Error, "points into this storage's memory");
  EXPECT(storage->data() == at && storage->nbytes() == 16 && t.sizes() == v({4}));
  storage->unpin();
  resize_output("add", t, {16});
  EXPECT(t.sizes() == v({16}) && storage->nbytes() == 64);
}

TEST(a_tensor_without_storage_has_no_data) {
  const Tensor wrapper(make_intrusive<TensorImpl>(Storage(), DType::Float32, kCpu,
                                                  DispatchKeySet(DispatchKey::Python)));
  EXPECT(wrapper.data() == nullptr);  // empty
  wrapper->set_contiguous({2});
  EXPECT_THROWS(wrapper.data(), Error, "a wrapper subclass has no data of its own");
  const Tensor meta = empty_tensor({2}, DType::Float32, kMeta);
  EXPECT_THROWS(meta.data(), Error, "a meta tensor has no elements");
  EXPECT(empty_tensor({0}, DType::Float32, kMeta).data() == nullptr);
}
