file(MAKE_DIRECTORY "${CMAKE_BINARY_DIR}/licenses")
# The licences of the bundled libraries ship beside them.
file(COPY_FILE "${BLAS_LICENSE}" "${CMAKE_BINARY_DIR}/licenses/OpenBLAS.txt" ONLY_IF_DIFFERENT)
set(license_files "${CMAKE_BINARY_DIR}/licenses/OpenBLAS.txt")
if(DNNL_LIBRARY)
  file(COPY_FILE "${DNNL_LICENSE}" "${CMAKE_BINARY_DIR}/licenses/oneDNN.txt" ONLY_IF_DIFFERENT)
  list(APPEND license_files "${CMAKE_BINARY_DIR}/licenses/oneDNN.txt"
       "${CMAKE_CURRENT_SOURCE_DIR}/cmake/licenses/libgomp.txt")
endif()
install(FILES ${license_files} DESTINATION cepheid/lib/licenses)
