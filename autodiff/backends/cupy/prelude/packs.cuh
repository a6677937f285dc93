// Several neighbouring elements that are loaded and stored together, 16 bytes at a time.

template <class T, int n> struct alignas(sizeof(T) * n < 16 ? sizeof(T) * n : 16) Pack {
  T elements[n];
  __device__ __forceinline__ T& operator[](int k) { return elements[k]; }
  __device__ __forceinline__ const T& operator[](int k) const { return elements[k]; }
};

template <int n, class T> __device__ __forceinline__ bool aligned(const T* first) {
  return reinterpret_cast<uint64>(first) % alignof(Pack<T, n>) == 0;
}
template <int n, class T> __device__ __forceinline__ Pack<T, n> load_pack(const T* first) {
  return *reinterpret_cast<const Pack<T, n>*>(first);
}
template <int n, class T> __device__ __forceinline__ void store_pack(T* first, const Pack<T, n>& pack) {
  *reinterpret_cast<Pack<T, n>*>(first) = pack;
}

// The first whole pack behind so many elements in shared memory.
template <class T, class Index> __device__ __forceinline__ unsigned char* stage_end(T* begin, Index count) {
  return reinterpret_cast<unsigned char*>(begin) + (count * Index(sizeof(T)) + 15) / 16 * 16;
}
