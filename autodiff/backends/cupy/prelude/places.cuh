// Who does what in kernels that move elements: a team of neighbouring threads takes a row, blocks along y take further
// columns of it. Neighbouring threads have neighbouring columns and neighbouring teams neighbouring rows, so a warp loads
// and stores whole lines of 128 bytes however short rows are.

typedef signed char int8;
typedef short int16;
typedef unsigned short uint16;

constexpr int block_threads = 256;

template <int team, class Index, class Body> __device__ __forceinline__ void each_row(const Index rows, Body body) {
  constexpr int teams = block_threads / team;
  const Index step = Index(gridDim.x) * teams;
  for (Index row = Index(blockIdx.x) * teams + threadIdx.x / team; row < rows; row += step) body(row);
}
template <int team, class Index, class Body> __device__ __forceinline__ void each_column(const Index columns, Body body) {
  const Index step = Index(gridDim.y) * team;
  for (Index column = Index(blockIdx.y) * team + threadIdx.x % team; column < columns; column += step) body(column);
}
template <class Index, class Body> __device__ __forceinline__ void each_element(const Index size, Body body) {
  each_row<1>(size, body);
}

template <class T, class Index> __device__ __forceinline__ void fill(T* out, const T value, const Index size) {
  constexpr int width = sizeof(T) < 16 ? 16 / sizeof(T) : 1;
  const Index packs = aligned<width>(out) ? size / width : 0;
  Pack<T, width> pack;
#pragma unroll
  for (int k = 0; k < width; ++k) pack[k] = value;
  each_element(packs, [&](const Index k) { store_pack(out + k * width, pack); });
  each_element(size - packs * width, [&](const Index k) { out[packs * width + k] = value; });
}

// The place that an index means, counted from the end where it is negative; -1 and a status of 1 where there is none.
template <class Index, class I>
__device__ __forceinline__ Index place_of(const I given, const Index length, int32* status) {
  const int64 index = static_cast<int64>(given);
  const int64 place = index < 0 ? index + length : index;
  if (place >= 0 && place < length) return static_cast<Index>(place);
  *status = 1;
  return -1;
}

// The coordinates of a row among axes; lengths are known when the kernel is launched, their number when it is compiled.
template <int rank, class Index>
__device__ __forceinline__ void coordinates(Index row, const Index (&lengths)[rank], Index (&at)[rank]) {
#pragma unroll
  for (int k = rank - 1; k > 0; --k) {
    const Index rest = row / lengths[k];
    at[k] = row - rest * lengths[k];
    row = rest;
  }
  at[0] = row;
}
template <int rank, class Index>
__device__ __forceinline__ Index inner(const Index (&at)[rank], const Index (&steps)[rank]) {
  Index sum = 0;
#pragma unroll
  for (int k = 0; k < rank; ++k) sum += at[k] * steps[k];
  return sum;
}
