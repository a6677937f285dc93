// Sums whose terms are added in the order in which threads come, by the hardware where it can, else by compare-and-swap.

__device__ __forceinline__ void atomic_add(float* at, float value) { atomicAdd(at, value); }
__device__ __forceinline__ void atomic_add(double* at, double value) { atomicAdd(at, value); }
__device__ __forceinline__ void atomic_add(int32* at, int32 value) { atomicAdd(at, value); }
__device__ __forceinline__ void atomic_add(uint32* at, uint32 value) { atomicAdd(at, value); }
__device__ __forceinline__ void atomic_add(uint64* at, uint64 value) { atomicAdd(at, value); }
__device__ __forceinline__ void atomic_add(int64* at, int64 value) {
  atomicAdd(reinterpret_cast<uint64*>(at), static_cast<uint64>(value));
}
__device__ __forceinline__ void atomic_add(bool* at, bool value) {  // sums of truth: who writes, writes the same
  if (value) *at = true;
}

// Rows (entries, columns) added to the targets that indices name; the zeros are there already.
template <int team, class T, class I, class Index>
__device__ __forceinline__ void add_rows(const T* g, const I* i, T* out, int32* status, const Index entries,
                                         const Index picked, const Index length, const Index columns) {
  each_row<team>(entries, [&](const Index entry) {
    const Index place = place_of(i[entry], length, status);
    if (place < 0) return;
    const Index target = (picked == entries ? 0 : entry / picked) * length + place;
    each_column<team>(columns, [&](const Index column) {
      atomic_add(out + target * columns + column, g[entry * columns + column]);
    });
  });
}
