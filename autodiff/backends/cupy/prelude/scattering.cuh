// Rows added to targets in an order that is always the same.

// In which type terms are added.
template <class T> struct Summed {
  typedef T type;
  static __device__ __forceinline__ T of(T sum, T x) { return sum + x; }
};
template <> struct Summed<float16> {
  typedef float type;
  static __device__ __forceinline__ float of(float sum, float16 x) { return sum + static_cast<float>(x); }
};
template <> struct Summed<bfloat16> {
  typedef float type;
  static __device__ __forceinline__ float of(float sum, bfloat16 x) { return sum + static_cast<float>(x); }
};
template <> struct Summed<bool> {
  typedef int32 type;
  static __device__ __forceinline__ int32 of(int32 sum, bool x) { return sum | int32(x); }
};

// Few entries, each of which every target looks at: one launch, in the order in which NumPy adds.
template <int team, class T, class I, class Index>
__device__ __forceinline__ void add_matching(const T* g, const I* i, T* out, int32* status, const Index targets,
                                             const Index picked, const Index length, const Index columns) {
  each_row<team>(targets, [&](const Index target) {
    const Index lead = target / length, own = target - lead * length, first = lead * picked;
    each_column<team>(columns, [&](const Index column) {
      typename Summed<T>::type sum = 0;
#pragma unroll 4
      for (Index k = first; k < first + picked; ++k)
        if (place_of(i[k], length, status) == own) sum = Summed<T>::of(sum, g[k * columns + column]);
      out[target * columns + column] = cast<T>(sum);
    });
  });
}
// Indices that are in range or not, where nothing is added.
template <class I, class Index>
__device__ __forceinline__ void look_at(const I* i, int32* status, const Index entries, const Index length) {
  each_element(entries, [&](const Index entry) { place_of(i[entry], length, status); });
}

// The targets of entries as keys; those out of range come behind all others.
template <class I, class Index>
__device__ __forceinline__ void keys_of(const I* i, int32* keys, int32* status, const Index entries, const Index picked,
                                        const Index length, const Index targets) {
  each_element(entries, [&](const Index entry) {
    const Index place = place_of(i[entry], length, status);
    keys[entry] = static_cast<int32>(place < 0 ? targets : (picked == entries ? 0 : entry / picked) * length + place);
  });
}

// Entries in the order of their targets, in chunks: a target whose entries lie in one chunk is done, of others the chunk
// leaves the sum with which it begins in `heads` and the one with which it ends in `tails`. So a target that has most of
// the entries, as a word that pads sentences does, keeps nobody waiting.
template <int team, class T, class S, class Index>
__device__ __forceinline__ void add_sorted(const T* g, const int32* keys, const int32* order, T* out, S* heads, S* tails,
                                           const Index entries, const Index columns, const Index targets,
                                           const Index chunk) {
  each_row<team>((entries + chunk - 1) / chunk, [&](const Index part) {
    const Index begin = part * chunk, end = begin + chunk < entries ? begin + chunk : entries;
    each_column<team>(columns, [&](const Index column) {
      int32 key = keys[begin];
      bool begun = begin > 0 && keys[begin - 1] == key;
      S sum = 0;
#pragma unroll 4
      for (Index k = begin; k < end; ++k) {
        const int32 own = keys[k];
        if (own != key) {
          if (begun) heads[part * columns + column] = sum;
          else out[key * columns + column] = cast<T>(sum);
          key = own;
          begun = false;
          sum = 0;
        }
        if (own < targets) sum = Summed<T>::of(sum, g[order[k] * columns + column]);
      }
      if (begun) heads[part * columns + column] = sum;
      else if (end < entries && keys[end] == key) tails[part * columns + column] = sum;
      else if (key < targets) out[key * columns + column] = cast<T>(sum);
    });
  });
}

// The chunk in which a target begins adds what the chunks behind it have of it.
template <int team, class T, class S, class Index>
__device__ __forceinline__ void add_heads(const int32* keys, T* out, const S* heads, const S* tails, const Index entries,
                                          const Index columns, const Index targets, const Index chunk) {
  each_row<team>((entries + chunk - 1) / chunk, [&](const Index part) {
    const Index begin = part * chunk, end = begin + chunk;
    if (end >= entries) return;
    const int32 key = keys[end - 1];
    if (key >= targets || keys[end] != key || (begin > 0 && keys[begin - 1] == key)) return;
    each_column<team>(columns, [&](const Index column) {
      S sum = tails[part * columns + column];
      for (Index next = part + 1; next * chunk < entries && keys[next * chunk] == key; ++next)
        sum += heads[next * columns + column];
      out[key * columns + column] = cast<T>(sum);
    });
  });
}
