# The single list of ISAs: each has a folder csrc/kernels/<isa>/ with begin.h, vec.h and end.h.
# `scalar` is the fallback and the reference for the others.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
  set(CEPHEID_ISAS scalar avx2 avx512)
else()
  set(CEPHEID_ISAS scalar)
endif()
