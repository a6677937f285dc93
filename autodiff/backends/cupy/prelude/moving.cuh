// Elements at other places: copies of views, parts laid into arrays, arrays joined. Places are sums of coordinates times
// steps; what lies along the last axis of the result is neighbouring threads', so that stores fill lines. Loads do too
// where the view's last step is 1; where another axis has that step, tiles are turned in shared memory.

template <int team, int rank, class T, class Index>
__device__ __forceinline__ void copy_view(const T* x, T* out, const Index (&lengths)[rank], const Index (&steps)[rank],
                                          const Index rows) {
  each_row<team>(rows, [&](const Index row) {
    const Index columns = lengths[rank - 1], step = steps[rank - 1];
    const T* from = x;
    Index left = row;
#pragma unroll
    for (int k = rank - 2; k >= 0; --k) {
      const Index rest = k == 0 ? 0 : left / lengths[k];
      from += (left - rest * lengths[k]) * steps[k];
      left = rest;
    }
    each_column<team>(columns, [&](const Index column) { out[row * columns + column] = from[column * step]; });
  });
}

// The axis `across` has step 1 in x, the axis `along` in the result; tiles are one element wider than they are, so that
// columns lie in different banks.
template <int rank, class T, class Index>
__device__ __forceinline__ void turn_tiles(const T* x, T* out, const Index across, const Index along,
                                           const Index step_across, const Index step_along,
                                           const Index (&lengths)[rank], const Index (&steps)[rank],
                                           const Index (&steps_out)[rank], const Index others) {
  __shared__ T tile[32][33];
  const int lane = threadIdx.x % 32, line = threadIdx.x / 32;
  const Index tiles = (across + 31) / 32 * ((along + 31) / 32);
  for (Index other = blockIdx.y; other < others; other += gridDim.y) {
    Index at[rank];
    coordinates(other, lengths, at);
    const T* from = x + inner(at, steps);
    T* to = out + inner(at, steps_out);
    for (Index number = blockIdx.x; number < tiles; number += gridDim.x) {
      const Index down = number / ((across + 31) / 32) * 32, right = number % ((across + 31) / 32) * 32;
      __syncthreads();  // the tile before has been read
      for (int k = line; k < 32; k += block_threads / 32)
        if (down + k < along && right + lane < across) tile[k][lane] = from[(down + k) * step_along + right + lane];
      __syncthreads();
      for (int k = line; k < 32; k += block_threads / 32)
        if (right + k < across && down + lane < along) to[(right + k) * step_across + down + lane] = tile[lane][k];
    }
  }
}

// Whether a coordinate lies on one of `count` places, `step` apart; it becomes the number of that place.
template <class Index> __device__ __forceinline__ bool on_places(Index& at, const Index step, const Index count) {
  const Index number = step == 1 ? at : at / step;
  const bool found = at >= 0 && number * step == at && number < count;
  at = number;
  return found;
}

// `g` at regular places of an array; elsewhere the elements of `x`, or zeros if it is null.
template <int team, int rank, class T, class Index>
__device__ __forceinline__ void lay(const T* g, const T* x, T* out, const Index (&lengths)[rank],
                                    const Index (&starts)[rank], const Index (&apart)[rank],
                                    const Index (&counts)[rank], const Index (&steps)[rank], const Index rows) {
  each_row<team>(rows, [&](const Index row) {
    bool inside = true;
    Index from = 0, left = row;
#pragma unroll
    for (int k = rank - 2; k >= 0; --k) {
      const Index rest = k == 0 ? 0 : left / lengths[k];
      Index at = left - rest * lengths[k] - starts[k];
      inside = on_places(at, apart[k], counts[k]) && inside;
      from += at * steps[k];
      left = rest;
    }
    const Index columns = lengths[rank - 1];
    each_column<team>(columns, [&](const Index column) {
      Index at = column - starts[rank - 1];
      const bool here = on_places(at, apart[rank - 1], counts[rank - 1]) && inside;
      const Index to = row * columns + column;
      out[to] = here ? g[from + at * steps[rank - 1]] : x != nullptr ? x[to] : T{};
    });
  });
}

// Elements moved on along axes; what leaves at an end comes in at the other.
template <int team, int rank, class T, class Index>
__device__ __forceinline__ void roll(const T* x, T* out, const Index (&lengths)[rank], const Index (&shifts)[rank],
                                     const Index (&steps)[rank], const Index rows) {
  each_row<team>(rows, [&](const Index row) {
    Index from = 0, left = row;
#pragma unroll
    for (int k = rank - 2; k >= 0; --k) {
      const Index rest = k == 0 ? 0 : left / lengths[k], at = left - rest * lengths[k] - shifts[k];
      from += (at < 0 ? at + lengths[k] : at) * steps[k];
      left = rest;
    }
    const Index columns = lengths[rank - 1];
    each_column<team>(columns, [&](const Index column) {
      const Index at = column - shifts[rank - 1];
      out[row * columns + column] = x[from + (at < 0 ? at + columns : at)];
    });
  });
}

// One part of joined arrays: rows of `width` elements, `whole` apart in the result. Threads go through the part as it
// lies, in the longest words that fit.
template <class T, class Out, class Index>
__device__ __forceinline__ void join_elements(const T* part, Out* out, const Index rows, const Index width,
                                              const Index start, const Index whole) {
  each_element(rows * width, [&](const Index k) {
    const Index row = rows == 1 ? 0 : k / width;
    out[row * whole + start + (k - row * width)] = cast<Out>(part[k]);
  });
}
template <int words, class T, class Index>
__device__ __forceinline__ void join_words(const T* part, T* out, const Index rows, const Index width, const Index start,
                                           const Index whole) {
  typedef Pack<T, words> Words;
  if (aligned<words>(part) && aligned<words>(out)) {
    const Words* from = reinterpret_cast<const Words*>(part);
    Words* to = reinterpret_cast<Words*>(out);
    const Index wide = width / words;
    each_element(rows * wide, [&](const Index k) {
      const Index row = rows == 1 ? 0 : k / wide;
      to[row * (whole / words) + start / words + (k - row * wide)] = from[k];
    });
  } else {
    join_elements(part, out, rows, width, start, whole);
  }
}
