// Entries in the order of their keys, those of one key in their own order.

constexpr int digit_bits = 8, digits = 1 << digit_bits;
constexpr int rounds = 8, sorted_tile = rounds * block_threads, warps_of_block = block_threads / 32;

template <int shift> __device__ __forceinline__ uint32 digit_of(const int32 key) {
  return static_cast<uint32>(key) >> shift & (digits - 1);
}

// Few entries: each finds its rank by looking at all others, a tile of which the block keeps in shared memory.
template <class Index>
__device__ __forceinline__ void rank_entries(const int32* keys, int32* sorted, int32* order, const Index entries) {
  __shared__ int32 others[block_threads];
  const Index entry = Index(blockIdx.x) * block_threads + threadIdx.x;
  const int32 key = entry < entries ? keys[entry] : 0;
  Index rank = 0;
  for (Index first = 0; first < entries; first += block_threads) {
    __syncthreads();
    if (first + threadIdx.x < entries) others[threadIdx.x] = keys[first + threadIdx.x];
    __syncthreads();
    const int here = entries - first < block_threads ? static_cast<int>(entries - first) : block_threads;
    for (int k = 0; k < here; ++k) rank += others[k] < key || (others[k] == key && first + k < entry);
  }
  if (entry < entries) {
    sorted[rank] = key;
    order[rank] = static_cast<int32>(entry);
  }
}

// Many: digit after digit, the last one first. A pass counts the digits of each tile, adds the counts up along the tiles,
// and moves the entries; blocks of a pass wait for nobody.
template <int shift> __device__ __forceinline__ void count_digits(const int32* keys, uint32* counts, const int64 entries) {
  __shared__ uint32 own[digits];
  own[threadIdx.x] = 0;
  __syncthreads();
  for (int k = 0; k < rounds; ++k) {
    const int64 entry = int64(blockIdx.x) * sorted_tile + k * block_threads + threadIdx.x;
    if (entry < entries) atomicAdd(&own[digit_of<shift>(keys[entry])], 1u);
  }
  __syncthreads();
  counts[threadIdx.x * gridDim.x + blockIdx.x] = own[threadIdx.x];
}

// A block for each digit: how many entries of it the tiles before have, and how many there are.
__device__ __forceinline__ void add_counts(uint32* counts, uint32* totals, const int64 tiles) {
  uint32 carry = 0, all;
  for (int64 first = 0; first < tiles; first += block_threads) {
    const int64 tile = first + threadIdx.x;
    uint32* own = counts + blockIdx.x * tiles + tile;
    const uint32 count = tile < tiles ? *own : 0;
    const uint32 before = before_in_team<Sums<uint32>, block_threads>(count, all);
    if (tile < tiles) *own = carry + before;
    carry += all;
  }
  if (threadIdx.x == 0) totals[blockIdx.x] = carry;
}

// The lanes of this warp that have the same digit: what all votes on its bits leave.
__device__ __forceinline__ uint32 peers_of(const uint32 digit, const bool there) {
  const uint32 some = __ballot_sync(0xffffffffu, there);
  uint32 peers = there ? some : ~some;
#pragma unroll
  for (int bit = 0; bit < digit_bits; ++bit) {
    const bool set = digit >> bit & 1;
    const uint32 votes = __ballot_sync(0xffffffffu, set);
    peers &= set ? votes : ~votes;
  }
  return peers;
}

template <int shift, bool first>
__device__ __forceinline__ void move_entries(const int32* keys, const int32* order, const uint32* counts,
                                             const uint32* totals, int32* sorted, int32* moved, const int64 entries) {
  __shared__ uint32 next[warps_of_block][digits];  // how many of a digit a warp has met, then where its first one goes
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  uint32 all;
  uint32 place = before_in_team<Sums<uint32>, block_threads>(totals[threadIdx.x], all);
  place += counts[threadIdx.x * gridDim.x + blockIdx.x];
#pragma unroll
  for (int k = 0; k < warps_of_block; ++k) next[k][threadIdx.x] = 0;
  __syncthreads();
  const int64 begin = int64(blockIdx.x) * sorted_tile + warp * rounds * 32 + lane;
  int32 own[rounds];
  uint32 rank[rounds];
#pragma unroll
  for (int k = 0; k < rounds; ++k) {
    const bool there = begin + k * 32 < entries;
    own[k] = there ? keys[begin + k * 32] : 0;
    const uint32 digit = digit_of<shift>(own[k]);
    const uint32 peers = peers_of(digit, there), below = peers & ((1u << lane) - 1);
    rank[k] = next[warp][digit] + __popc(below);
    __syncwarp();
    if (there && below == 0) next[warp][digit] += __popc(peers);
    __syncwarp();
  }
  __syncthreads();
#pragma unroll
  for (int k = 0; k < warps_of_block; ++k) {
    const uint32 count = next[k][threadIdx.x];
    next[k][threadIdx.x] = place;
    place += count;
  }
  __syncthreads();
#pragma unroll
  for (int k = 0; k < rounds; ++k) {
    const int64 entry = begin + k * 32;
    if (entry < entries) {
      const uint32 to = next[warp][digit_of<shift>(own[k])] + rank[k];
      sorted[to] = own[k];
      moved[to] = first ? static_cast<int32>(entry) : order[entry];
    }
  }
}
