#include "kernels/cpu/dynamic_library.h"

#include <dlfcn.h>

#include <cstdlib>

namespace ceph::kernels {
namespace {

std::string last_error() {
  const char* text = dlerror();
  return text ? text : "unknown error";
}

}  // namespace

DynamicLibrary::DynamicLibrary(const char* name) : handle_(dlopen(name, RTLD_NOW | RTLD_LOCAL)) {
  if (!handle_) error_ = last_error();
}

void* DynamicLibrary::address(const char* symbol) {
  if (!handle_) return nullptr;
  void* at = dlsym(handle_, symbol);
  if (!at) {
    error_ = last_error();
    dlclose(handle_);
    handle_ = nullptr;
  }
  return at;
}

ScopedEnvironment::ScopedEnvironment(const char* name, const char* value) : name_(name) {
  const char* before = std::getenv(name);
  was_set_ = before != nullptr;
  if (before) before_ = before;
  setenv(name, value, 1);
}

ScopedEnvironment::~ScopedEnvironment() {
  if (was_set_) {
    setenv(name_, before_.c_str(), 1);
  } else {
    unsetenv(name_);
  }
}

}  // namespace ceph::kernels
