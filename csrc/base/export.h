#pragma once

// Marks what libcepheid.so offers to _C, to C++ programs and to ahead-of-time packages.
#define CEPH_API __attribute__((visibility("default")))
