# The single list of ISAs: each has a header csrc/kernels/<isa>/begin.h that opens its target region.
# `scalar` is the fallback and the reference for the others.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
  set(CEPHEID_ISAS scalar avx2 avx512)
else()
  set(CEPHEID_ISAS scalar)
endif()
