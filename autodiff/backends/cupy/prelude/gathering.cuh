// What is picked by indices, and what is put at them. A value out of range is never read or written.

// Rows (lead, length, columns) picked by (lead, picked): each index is loaded once for a row, which is then copied in
// the longest words that fit, neighbouring threads taking neighbouring words.
template <int team, class T, class I, class Index>
__device__ __forceinline__ void gather_words(const T* x, const I* i, T* out, int32* status, const Index rows,
                                             const Index picked, const Index length, const Index columns) {
  each_row<team>(rows, [&](const Index row) {
    const Index place = place_of(i[row], length, status);
    const Index lead = picked == rows ? 0 : row / picked;
    const T* from = x + (lead * length + place) * columns;
    T* to = out + row * columns;
    each_column<team>(columns, [&](const Index column) { to[column] = place < 0 ? T{} : from[column]; });
  });
}
template <int team, int width, class T, class I, class Index>
__device__ __forceinline__ void gather_rows(const T* x, const I* i, T* out, int32* status, const Index rows,
                                            const Index picked, const Index length, const Index columns) {
  if constexpr (width > 1) {
    typedef Pack<T, width> Words;
    if (aligned<width>(x) && aligned<width>(out)) {
      gather_words<team>(reinterpret_cast<const Words*>(x), i, reinterpret_cast<Words*>(out), status, rows, picked, length,
                         columns / width);
      return;
    }
  }
  gather_words<team>(x, i, out, status, rows, picked, length, columns);
}

// Elements (outer, length, inner) picked by (outer, picked, inner), each by an index of its own.
template <int team, class T, class I, class Index>
__device__ __forceinline__ void pick_elements(const T* x, const I* i, T* out, int32* status, const Index rows,
                                              const Index picked, const Index length, const Index inner) {
  each_row<team>(rows, [&](const Index row) {
    const T* from = x + (picked == rows ? 0 : row / picked) * length * inner;
    each_column<team>(inner, [&](const Index column) {
      const Index place = place_of(i[row * inner + column], length, status);
      out[row * inner + column] = place < 0 ? T{} : from[place * inner + column];
    });
  });
}

// The transpose of it where no place occurs twice; the zeros are there already.
template <int team, class T, class I, class Index>
__device__ __forceinline__ void place_elements(const T* g, const I* i, T* out, int32* status, const Index rows,
                                               const Index picked, const Index length, const Index inner) {
  each_row<team>(rows, [&](const Index row) {
    T* to = out + (picked == rows ? 0 : row / picked) * length * inner;
    each_column<team>(inner, [&](const Index column) {
      const Index place = place_of(i[row * inner + column], length, status);
      if (place >= 0) to[place * inner + column] = g[row * inner + column];
    });
  });
}

// The last entry that names each target: the largest number wins whatever the order of threads.
template <class I, class Index>
__device__ __forceinline__ void note_winners(const I* i, int32* winners, int32* status, const Index entries,
                                             const Index picked, const Index length) {
  each_element(entries, [&](const Index entry) {
    const Index place = place_of(i[entry], length, status);
    if (place >= 0) atomicMax(winners + entry / picked * length + place, static_cast<int32>(entry));
  });
}
template <class T, class Index>
__device__ __forceinline__ void take_winners(const T* x, const T* v, const int32* winners, T* out, const Index size) {
  each_element(size, [&](const Index k) { out[k] = winners[k] < 0 ? x[k] : v[winners[k]]; });
}
template <class I, class Index>
__device__ __forceinline__ void are_winners(const I* i, const int32* winners, bool* out, int32* status,
                                            const Index entries, const Index picked, const Index length) {
  each_element(entries, [&](const Index entry) {
    const Index place = place_of(i[entry], length, status);
    out[entry] = place >= 0 && winners[entry / picked * length + place] == static_cast<int32>(entry);
  });
}
