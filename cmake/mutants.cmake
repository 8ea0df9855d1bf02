# A test build with mutants (docs/decisions/0009): the sources and what was generated are copied with
# switches in them, and this build compiles the copies. Other builds compile the sources themselves.

set(CEPHEID_CSRC "${CMAKE_CURRENT_SOURCE_DIR}/csrc")
if(NOT CEPHEID_MUTANTS)
  return()
endif()

set(mutated "${CMAKE_BINARY_DIR}/mutated")
file(GLOB_RECURSE mutation_inputs CONFIGURE_DEPENDS
     "${CMAKE_CURRENT_SOURCE_DIR}/csrc/*.cpp" "${CMAKE_CURRENT_SOURCE_DIR}/csrc/*.h"
     "${CMAKE_CURRENT_SOURCE_DIR}/tools/mutate/*")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${mutation_inputs})
execute_process(COMMAND "${Python_EXECUTABLE}" -m tools.mutate.generate
                        --csrc csrc --generated "${CEPHEID_GENERATED}" --out "${mutated}"
                        --share "${CEPHEID_MUTANTS}" --dropped tools/mutate/not_cpp.txt
                WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}"
                COMMAND_ERROR_IS_FATAL ANY)
set(CEPHEID_CSRC "${mutated}/csrc")
set(CEPHEID_GENERATED "${mutated}/generated")

# Before all others: a file that both trees have is the mutated one.
include_directories(BEFORE "${mutated}" "${mutated}/csrc")
add_compile_options(-include mutant.h -w)
set(CMAKE_CXX_FLAGS_RELEASE "-O1")
set(CEPHEID_KERNEL_FLAGS -O1)
