#pragma once

#include <cstdint>

#include "python/py_util.h"

// The DLPack ABI, versions 0.x (DLManagedTensor, capsule "dltensor") and 1.x
// (DLManagedTensorVersioned, capsule "dltensor_versioned"). Layouts are fixed by the exchange
// format's specification.

namespace ceph::python {

namespace dlpack {

enum DeviceType : int32_t { kCPU = 1, kCUDA = 2, kCUDAHost = 3 };
enum TypeCode : uint8_t {
  kInt = 0,
  kUInt = 1,
  kFloat = 2,
  kBfloat = 4,
  kComplex = 5,
  kBool = 6,
  kFloat8E4M3FN = 10,
  kFloat8E5M2 = 12
};
inline constexpr uint64_t kReadOnly = 1;
inline constexpr uint64_t kIsCopied = 2;

struct DLDevice {
  int32_t type;
  int32_t id;
};
struct DLDataType {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
};
struct DLTensor {
  void* data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t* shape;
  int64_t* strides;  // in elements; null for contiguous
  uint64_t byte_offset;
};
struct Managed {
  DLTensor tensor;
  void* context;
  void (*deleter)(Managed*);
};
struct Version {
  uint32_t major;
  uint32_t minor;
};
struct ManagedVersioned {
  Version version;
  void* context;
  void (*deleter)(ManagedVersioned*);
  uint64_t flags;
  DLTensor tensor;
};

}  // namespace dlpack

void init_dlpack(PyObject* module);

}  // namespace ceph::python
