#pragma once

// Marks what libcepheid.so offers to _C, to C++ programs and to ahead-of-time packages.
#define CEPH_API __attribute__((visibility("default")))

// A global that is made before those without this mark, which may use it while they are made.
#define CEPH_EARLY __attribute__((init_priority(1000)))
