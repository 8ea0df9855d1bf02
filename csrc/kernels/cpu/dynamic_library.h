#pragma once

#include <string>

namespace ceph::kernels {

// A shared library that is opened at its first use and stays open. Libraries lie beside libcepheid,
// whose own search path finds them by their plain names; their symbols stay local.
class DynamicLibrary {
 public:
  explicit DynamicLibrary(const char* name);

  bool is_open() const { return handle_ != nullptr; }
  const std::string& error() const { return error_; }  // why it could not be opened
  // The symbol's address; a missing one closes the whole library (is_open turns false).
  template <class Fn>
  Fn* find(const char* symbol) {
    return reinterpret_cast<Fn*>(address(symbol));
  }

 private:
  void* address(const char* symbol);

  void* handle_;
  std::string error_;
};

// Sets a variable of the environment for as long as it lives: for libraries that read theirs while
// they are opened.
class ScopedEnvironment {
 public:
  ScopedEnvironment(const char* name, const char* value);
  ~ScopedEnvironment();
  ScopedEnvironment(const ScopedEnvironment&) = delete;
  ScopedEnvironment& operator=(const ScopedEnvironment&) = delete;

 private:
  const char* name_;
  std::string before_;
  bool was_set_;
};

}  // namespace ceph::kernels
