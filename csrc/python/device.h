#pragma once

#include "base/device.h"
#include "python/py_util.h"

namespace ceph::python {

struct DeviceObject {
  PyObject_HEAD;
  Device value;
};
extern PyTypeObject DeviceType;

inline bool is_device(PyObject* o) { return Py_TYPE(o) == &DeviceType; }
// What `device=` takes: a device, "cpu" or "cuda:1", or the index of an accelerator.
bool accepts_device(PyObject* o);
Device to_device(PyObject* o);
PyObject* wrap_device(Device device);

// layout and memory_format: closed lists with one object per value.
extern PyTypeObject LayoutType;
extern PyTypeObject MemoryFormatType;
PyObject* layout_object(Layout layout);               // borrowed
PyObject* memory_format_object(MemoryFormat format);  // borrowed
Layout to_layout(PyObject* o);
MemoryFormat to_memory_format(PyObject* o);

void init_device(PyObject* module);
void init_enums(PyObject* module);

}  // namespace ceph::python
