// Reductions of what the threads of a team, or of a block, hold. Every order is fixed: the same numbers give the same bits.

struct Sum { template <class T> static __device__ __forceinline__ T of(T x, T y) { return x + y; } };
struct Product { template <class T> static __device__ __forceinline__ T of(T x, T y) { return x * y; } };
struct Largest { template <class T> static __device__ __forceinline__ T of(T x, T y) { return maximum(x, y); } };
struct Smallest { template <class T> static __device__ __forceinline__ T of(T x, T y) { return minimum(x, y); } };
struct Any { template <class T> static __device__ __forceinline__ T of(T x, T y) { return x || y; } };
struct All { template <class T> static __device__ __forceinline__ T of(T x, T y) { return x && y; } };

template <class T> struct Word { typedef T type; };  // what a shuffle can move
template <> struct Word<bool> { typedef int type; };
template <> struct Word<uint8> { typedef int type; };

// The lanes of this thread's team in its warp; teams of 32 threads and less are parts of one warp.
template <int team> __device__ __forceinline__ uint32 team_mask() {
  return team >= 32 ? 0xffffffffu : ((1u << team) - 1u) << (threadIdx.x % 32 / team * team);
}

template <class Op, int team, class T> __device__ __forceinline__ T reduce_lanes(T value) {
  const uint32 mask = team_mask<team>();
#pragma unroll
  for (int distance = (team < 32 ? team : 32) / 2; distance > 0; distance /= 2)
    value = Op::of(value, static_cast<T>(__shfl_xor_sync(mask, static_cast<typename Word<T>::type>(value), distance)));
  return value;
}

// The reduction over a team of neighbouring threads; every one of them gets it. A team of more than one warp is a block.
template <class Op, int team, class T> __device__ __forceinline__ T reduce_team(T value) {
  value = reduce_lanes<Op, team>(value);
  if constexpr (team > 32) {
    constexpr int warps = team / 32;
    __shared__ T parts[warps];
    __syncthreads();  // the parts of the reduction before have been read
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = value;
    __syncthreads();
    value = parts[0];
#pragma unroll
    for (int k = 1; k < warps; ++k) value = Op::of(value, parts[k]);
  }
  return value;
}

__device__ __forceinline__ int block_number() { return blockIdx.y * gridDim.x + blockIdx.x; }
__device__ __forceinline__ int block_count() { return gridDim.y * gridDim.x; }

// Whether this block is the last one that comes here; it sees what the others have written. The counter is left zero.
__device__ __forceinline__ bool last_block(uint32* counter) {
  __shared__ bool last;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) {
    last = atomicAdd(counter, 1u) == block_count() - 1u;
    if (last) *counter = 0;
  }
  __syncthreads();
  __threadfence();
  return last;
}

// The sums of all blocks in one, in the order of the blocks. Every block leaves its own in `parts`; every thread of the
// last one gets the total.
template <class Out, class Op, int threads, class T>
__device__ __forceinline__ Out finish_total(const T* parts, T start) {
  T value = start;
  for (int k = threadIdx.x; k < block_count(); k += threads) value = Op::of(value, static_cast<const volatile T*>(parts)[k]);
  return cast<Out>(reduce_team<Op, threads>(value));
}

// Memory of a block for a word of each element that a thread has.
template <int threads, int each, class T> __device__ __forceinline__ T* memory_of_columns() {
  __shared__ T all[threads * each];
  return all;
}

// The sums of columns that threads hold, to where the block leaves them. Packs are `width` columns; a team has a row.
template <int width, int team, int threads, int each, class T, class Index>
__device__ __forceinline__ void leave_columns(const T (&mine)[each], T* left, Index start, Index columns) {
  T* all = nullptr;
  if constexpr (threads > team) {
    all = memory_of_columns<threads, each, T>();
    for (int i = 0; i < each; ++i) all[i * threads + threadIdx.x] = mine[i];
    __syncthreads();
  }
  const int lane = threadIdx.x % team;
  if (threadIdx.x < team) {
#pragma unroll
    for (int i = 0; i < each; ++i) {
      T total = threads == team ? mine[i] : all[i * threads + lane];
#pragma unroll 8
      for (int other = team; other < threads; other += team) total += all[i * threads + other + lane];
      const Index j = start + (lane + Index(i / width) * team) * width + i % width;
      if (j < columns) left[j] = total;
    }
  }
  if (threads > team) __syncthreads();  // the memory may be used again
}

// The sums of what blocks left of each column: some threads for each of a block's columns, in a fixed order.
template <int threads, int across, class T, class Index>
__device__ __forceinline__ void sum_columns(const T* left, Index blocks, Index columns, T* out) {
  constexpr int along = threads / across;
  __shared__ T parts[threads];
  const Index j = Index(blockIdx.x) * across + threadIdx.x % across;
  T total = 0;
  if (j < columns)
    for (Index k = threadIdx.x / across; k < blocks; k += along) total += left[k * columns + j];
  parts[threadIdx.x] = total;
  __syncthreads();
  if (threadIdx.x < across && j < columns) {
    for (int k = 1; k < along; ++k) total += parts[k * across + threadIdx.x];
    out[j] = total;
  }
  __syncthreads();  // the memory may be used again
}
