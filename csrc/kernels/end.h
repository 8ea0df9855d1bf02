// Closes what <isa>/begin.h opened.
}  // namespace
#pragma GCC pop_options
#undef CEPH_REGION_FMA
#undef CEPH_REGION_BYTES
