# OpenBLAS and oneDNN come from PyPI wheels of the build environment: headers for compiling, and
# stripped copies of the libraries beside libcepheid. Neither is linked: both are opened at the
# first use through libcepheid's RUNPATH ($ORIGIN), so that importing costs nothing.
# Sets CEPHEID_BLAS_INCLUDE, CEPHEID_DNNL_INCLUDE and the target cepheid_libraries (headers and the
# names to open as CEPHEID_BLAS_LIBRARY, CEPHEID_DNNL_LIBRARY, CEPHEID_GOMP_LIBRARY).

set(CEPHEID_LIBRARY_DIR "${CMAKE_BINARY_DIR}/lib")
add_library(cepheid_libraries INTERFACE)

execute_process(
  COMMAND "${Python_EXECUTABLE}" "${CMAKE_CURRENT_SOURCE_DIR}/cmake/find_libraries.py"
  OUTPUT_VARIABLE found
  OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
foreach(line IN LISTS found)
  string(REGEX MATCH "^([A-Z_]+)=(.*)$" matched "${line}")
  set(${CMAKE_MATCH_1} "${CMAKE_MATCH_2}")
endforeach()

# Copies one library under its soname, stripped, and installs it. An unchanged copy is left alone.
# An editable install opens the copies in the build folder: packing 70 MB takes four seconds.
function(cepheid_bundle library soname)
  set(copy "${CEPHEID_LIBRARY_DIR}/${soname}")
  if("${library}" IS_NEWER_THAN "${copy}")
    file(MAKE_DIRECTORY "${CEPHEID_LIBRARY_DIR}")
    execute_process(COMMAND "${CMAKE_STRIP}" --strip-unneeded -o "${copy}" "${library}"
                    COMMAND_ERROR_IS_FATAL ANY)
  endif()
  if(NOT SKBUILD_STATE STREQUAL "editable")
    install(FILES "${copy}" DESTINATION cepheid/lib)
  endif()
endfunction()

cepheid_bundle("${BLAS_LIBRARY}" libscipy_openblas.so)
target_include_directories(cepheid_libraries SYSTEM INTERFACE "${BLAS_INCLUDE}")
target_compile_definitions(cepheid_libraries INTERFACE
                           CEPHEID_BLAS_LIBRARY="libscipy_openblas.so")

if(DNNL_LIBRARY)
  execute_process(COMMAND "${CMAKE_CXX_COMPILER}" -print-file-name=libgomp.so.1
                  OUTPUT_VARIABLE gomp OUTPUT_STRIP_TRAILING_WHITESPACE
                  COMMAND_ERROR_IS_FATAL ANY)
  if(NOT IS_ABSOLUTE "${gomp}")
    message(FATAL_ERROR "oneDNN needs libgomp.so.1, which ${CMAKE_CXX_COMPILER} does not have; "
                        "install the compiler's OpenMP run time")
  endif()
  file(REAL_PATH "${gomp}" gomp)
  cepheid_bundle("${DNNL_LIBRARY}" libdnnl.so.3)
  cepheid_bundle("${gomp}" libgomp.so.1)
  target_include_directories(cepheid_libraries SYSTEM INTERFACE "${DNNL_INCLUDE}")
  target_compile_definitions(
    cepheid_libraries INTERFACE CEPHEID_DNNL_LIBRARY="libdnnl.so.3"
                                CEPHEID_GOMP_LIBRARY="libgomp.so.1")
endif()
