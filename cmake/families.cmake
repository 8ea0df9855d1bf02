# The families of ops and the instruction sets: the build names these and never an op.
# A family has the same name in every layer (csrc/ops/<family>.yaml, csrc/kernels/generic/<family>.h,
# csrc/kernels/cpu/<family>.cpp, ...).
set(CEPHEID_FAMILIES pointwise reduce matmul view index sort scan creation random norm conv pool loss
    attention foreach)

# Sets CEPHEID_ISAS: the ISA names that this processor family has.
include("${CMAKE_CURRENT_SOURCE_DIR}/csrc/kernels/isa_list.cmake")

file(GLOB entry_files CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/csrc/ops/*.yaml")
foreach(entry_file IN LISTS entry_files)
  get_filename_component(family "${entry_file}" NAME_WE)
  if(NOT family IN_LIST CEPHEID_FAMILIES AND NOT family MATCHES "^(tags|rules)$")
    message(FATAL_ERROR "csrc/ops/${family}.yaml: family '${family}' is not named in "
                        "cmake/families.cmake; add it there")
  endif()
endforeach()
foreach(family IN LISTS CEPHEID_FAMILIES)
  if(NOT EXISTS "${CMAKE_CURRENT_SOURCE_DIR}/csrc/ops/${family}.yaml")
    message(FATAL_ERROR "cmake/families.cmake names '${family}', but csrc/ops/${family}.yaml "
                        "does not exist")
  endif()
endforeach()
