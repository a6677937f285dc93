// Where the first largest or smallest element stands along an axis; NaN comes before all others.

template <class T> struct Standing {
  T value;
  int64 place;  // -1 where there is none
};
template <class T> struct Carried { typedef typename Word<T>::type type; };  // from lane to lane
template <> struct Carried<int8> { typedef int type; };
template <> struct Carried<int16> { typedef int type; };
template <> struct Carried<uint16> { typedef int type; };
template <> struct Carried<float16> { typedef float type; };
template <> struct Carried<bfloat16> { typedef float type; };

template <bool largest, class T> __device__ __forceinline__ bool beats(const T x, const T y) {
  return (largest ? x > y : x < y) || (x != x && y == y);
}
template <bool largest, class T>
__device__ __forceinline__ Standing<T> first_of(const Standing<T> x, const Standing<T> y) {
  if (x.place < 0 || y.place < 0) return x.place < 0 ? y : x;
  if (beats<largest>(x.value, y.value)) return x;
  return beats<largest>(y.value, x.value) || y.place < x.place ? y : x;
}

template <bool largest, int team, class T> __device__ __forceinline__ Standing<T> first_in_team(Standing<T> own) {
  typedef typename Carried<T>::type W;
  const uint32 mask = team_mask<team>();
#pragma unroll
  for (int distance = (team < 32 ? team : 32) / 2; distance > 0; distance /= 2) {
    const W value = __shfl_xor_sync(mask, static_cast<W>(own.value), distance);
    const int64 place = __shfl_xor_sync(mask, own.place, distance);
    own = first_of<largest>(own, Standing<T>{cast<T>(value), place});
  }
  if constexpr (team > 32) {
    constexpr int warps = team / 32;
    __shared__ Standing<T> parts[warps];
    __syncthreads();
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = own;
    __syncthreads();
    own = parts[0];
#pragma unroll
    for (int k = 1; k < warps; ++k) own = first_of<largest>(own, parts[k]);
  }
  return own;
}

// Rows in `parts` stretches, a team for each: its threads take every so-manieth element, neighbours neighbouring ones.
template <bool largest, int team, class T, class Index>
__device__ __forceinline__ void find_in_rows(const T* x, T* values, int64* places, const Index rows, const Index length,
                                             const Index stretch, const Index parts) {
  each_row<team>(rows * parts, [&](const Index part) {
    const Index row = parts == 1 ? part : part / parts, begin = (part - row * parts) * stretch;
    const Index end = begin + stretch < length ? begin + stretch : length;
    Standing<T> own{T{}, -1};
#pragma unroll 4
    for (Index k = begin + threadIdx.x % team; k < end; k += team) {
      const T value = x[row * length + k];
      if (own.place < 0 || beats<largest>(value, own.value)) own = Standing<T>{value, k};
    }
    own = first_in_team<largest, team>(own);
    if (threadIdx.x % team == 0) {
      if (parts > 1) values[part] = own.value;
      places[part] = own.place;
    }
  });
}

// Axes (outer, length, inner): a thread goes along the axis, its neighbours along the next one.
template <bool largest, class T, class Index>
__device__ __forceinline__ void find_in_lines(const T* x, T* values, int64* places, const Index outer,
                                              const Index length, const Index inner, const Index stretch,
                                              const Index parts) {
  each_element(outer * parts * inner, [&](const Index line) {
    const Index part = line / inner, row = part / parts, begin = (part - row * parts) * stretch;
    const Index end = begin + stretch < length ? begin + stretch : length;
    const T* first = x + row * length * inner + (line - part * inner);
    Standing<T> own{T{}, -1};
#pragma unroll 4
    for (Index k = begin; k < end; ++k) {
      const T value = first[k * inner];
      if (own.place < 0 || beats<largest>(value, own.value)) own = Standing<T>{value, k};
    }
    if (parts > 1) values[line] = own.value;
    places[line] = own.place;
  });
}

// The first of what the stretches (outer, parts, inner) have found.
template <bool largest, class T, class Index>
__device__ __forceinline__ void find_among(const T* values, const int64* found, int64* places, const Index outer,
                                           const Index parts, const Index inner) {
  each_element(outer * inner, [&](const Index line) {
    const Index row = line / inner, first = row * parts * inner + (line - row * inner);
    Standing<T> own{T{}, -1};
    for (Index k = 0; k < parts; ++k)
      own = first_of<largest>(own, Standing<T>{values[first + k * inner], found[first + k * inner]});
    places[line] = own.place;
  });
}
