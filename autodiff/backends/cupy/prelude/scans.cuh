// Running sums, products, extremes and recurrences: scans of states along an axis. Orders are fixed, so the same numbers
// give the same bits: totals of chunks first, then what comes before each chunk, then the scan itself. To look back at
// what other blocks have done so far would read elements once, not twice, but in an order that depends on time.

template <class T> struct Sums {
  typedef T State;
  static __device__ __forceinline__ T none() { return T(0); }
  static __device__ __forceinline__ T of(T before, T own) { return before + own; }
  template <class X> static __device__ __forceinline__ T lifted(X x) { return cast<T>(x); }
  template <class Out> static __device__ __forceinline__ Out value(T state) { return cast<Out>(state); }
};
template <class T> struct Products {
  typedef T State;
  static __device__ __forceinline__ T none() { return T(1); }
  static __device__ __forceinline__ T of(T before, T own) { return before * own; }
  template <class X> static __device__ __forceinline__ T lifted(X x) { return cast<T>(x); }
  template <class Out> static __device__ __forceinline__ Out value(T state) { return cast<Out>(state); }
};
template <class T, class Op> struct Extremes {
  typedef T State;
  static __device__ __forceinline__ T none();
  static __device__ __forceinline__ T of(T before, T own) { return Op::of(before, own); }
  template <class X> static __device__ __forceinline__ T lifted(X x) { return cast<T>(x); }
  template <class Out> static __device__ __forceinline__ Out value(T state) { return cast<Out>(state); }
};
#define EXTREMES_BEGIN(T, least, most)                                                            \
  template <> __device__ __forceinline__ T Extremes<T, Largest>::none() { return least; }         \
  template <> __device__ __forceinline__ T Extremes<T, Smallest>::none() { return most; }
EXTREMES_BEGIN(float, -infinity<float>(), infinity<float>())
EXTREMES_BEGIN(double, -infinity<double>(), infinity<double>())
EXTREMES_BEGIN(int64, -9223372036854775807LL - 1, 9223372036854775807LL)
EXTREMES_BEGIN(uint64, 0, 18446744073709551615ULL)
#undef EXTREMES_BEGIN

// A number with an exponent of its own: products of parts of a row neither overflow nor vanish where the whole does not,
// so zero times a later part is zero.
struct Scaled {
  double part;
  int32 power, unused;
};
__device__ __forceinline__ Scaled scaled(const double x) {
  int power = 0;
  const double part = x == 0 || isinf(x) || x != x ? x : frexp(x, &power);
  return Scaled{part, power, 0};
}
__device__ __forceinline__ Scaled times(const Scaled x, const Scaled y) {
  const double part = x.part * y.part;
  const bool small = fabs(part) < 0.5;
  return Scaled{small ? 2 * part : part, x.power + y.power - small, 0};
}
__device__ __forceinline__ double unscaled(const Scaled x) {
  return x.part == 0 || isinf(x.part) || x.part != x.part ? x.part : ldexp(x.part, x.power);
}
struct ScaledProducts {
  typedef Scaled State;
  static __device__ __forceinline__ Scaled none() { return Scaled{0.5, 1, 0}; }
  static __device__ __forceinline__ Scaled of(Scaled before, Scaled own) { return times(before, own); }
  template <class X> static __device__ __forceinline__ Scaled lifted(X x) { return scaled(cast<double>(x)); }
  template <class Out> static __device__ __forceinline__ Out value(Scaled state) { return cast<Out>(unscaled(state)); }
};

// s = b + a s': a state is what a stretch of places makes of the s before it.
struct Linear {
  Scaled a;
  double b;
};
struct Recurrences {
  typedef Linear State;
  static __device__ __forceinline__ Linear none() { return Linear{Scaled{0.5, 1, 0}, 0.0}; }
  static __device__ __forceinline__ Linear of(Linear before, Linear own) {
    return Linear{times(before.a, own.a), own.b + unscaled(times(own.a, scaled(before.b)))};
  }
  template <class Out> static __device__ __forceinline__ Out value(Linear state) { return cast<Out>(state.b); }
};

// Where states come from: one array, or the two of a recurrence, whose first coefficient counts for nothing.
template <class Op, class T> struct Lifted {
  const T* x;
  __device__ __forceinline__ typename Op::State operator()(int64 at, bool first) const { return Op::lifted(x[at]); }
};
template <class B, class A> struct LiftedPair {
  const B* b;
  const A* a;
  __device__ __forceinline__ Linear operator()(int64 at, bool first) const {
    return Linear{first ? Scaled{0.0, 0, 0} : scaled(cast<double>(a[at])), cast<double>(b[at])};
  }
};
template <class Op, class T> __device__ __forceinline__ Lifted<Op, T> lifted(const T* x) { return Lifted<Op, T>{x}; }
template <class B, class A> __device__ __forceinline__ LiftedPair<B, A> lifted_pair(const B* b, const A* a) {
  return LiftedPair<B, A>{b, a};
}

template <class T> __device__ __forceinline__ T from_below(uint32 mask, T state, int distance, int lanes) {
  return __shfl_up_sync(mask, state, distance, lanes);
}
__device__ __forceinline__ Scaled from_below(uint32 mask, Scaled state, int distance, int lanes) {
  return Scaled{from_below(mask, state.part, distance, lanes), from_below(mask, state.power, distance, lanes), 0};
}
__device__ __forceinline__ Linear from_below(uint32 mask, Linear state, int distance, int lanes) {
  return Linear{from_below(mask, state.a, distance, lanes), from_below(mask, state.b, distance, lanes)};
}
template <class T> __device__ __forceinline__ T from_lane(uint32 mask, T state, int lane, int lanes) {
  return __shfl_sync(mask, state, lane, lanes);
}
__device__ __forceinline__ Scaled from_lane(uint32 mask, Scaled state, int lane, int lanes) {
  return Scaled{from_lane(mask, state.part, lane, lanes), from_lane(mask, state.power, lane, lanes), 0};
}
__device__ __forceinline__ Linear from_lane(uint32 mask, Linear state, int lane, int lanes) {
  return Linear{from_lane(mask, state.a, lane, lanes), from_lane(mask, state.b, lane, lanes)};
}

// What the threads of a team before this one hold together; `all` becomes what the whole team does.
template <class Op, int team, class State> __device__ __forceinline__ State before_in_team(const State own, State& all) {
  constexpr int lanes = team < 32 ? team : 32;
  const uint32 mask = team_mask<team>();
  const int lane = threadIdx.x % lanes;
  State upto = own;
#pragma unroll
  for (int distance = 1; distance < lanes; distance *= 2) {
    const State other = from_below(mask, upto, distance, lanes);
    if (lane >= distance) upto = Op::of(other, upto);
  }
  const State other = from_below(mask, upto, 1, lanes);
  State before = lane == 0 ? Op::none() : other;
  if constexpr (team > 32) {
    constexpr int warps = team / 32;
    __shared__ State ends[warps];
    __syncthreads();  // the ends of the scan before have been read
    if (lane == 31) ends[threadIdx.x / 32] = upto;
    __syncthreads();
    State below = Op::none();
    all = ends[0];
#pragma unroll
    for (int k = 1; k < warps; ++k) {
      if (k == threadIdx.x / 32) below = all;
      all = Op::of(all, ends[k]);
    }
    if (threadIdx.x >= 32) before = lane == 0 ? below : Op::of(below, before);
  } else {
    all = from_lane(mask, upto, lanes - 1, lanes);
  }
  return before;
}

constexpr int scanned = 4;  // neighbouring elements of a thread: their loads share the lines that the first one brings

// A stretch [begin, end) of a row by a team; results are stored if `out` is there. Returns what the stretch makes of `carry`.
template <class Op, int team, bool reverse, bool exclusive, class Source, class Out, class Index>
__device__ __forceinline__ typename Op::State scan_stretch(Source source, Out* out, const Index row, const Index length,
                                                           const Index begin, const Index end,
                                                           typename Op::State carry) {
  typedef typename Op::State State;
  for (Index start = begin; start < end; start += team * scanned) {
    State own[scanned], sum = Op::none(), all;
    const Index mine = start + Index(threadIdx.x % team) * scanned;
#pragma unroll
    for (int k = 0; k < scanned; ++k) {
      const Index place = mine + k;
      own[k] = Op::none();
      if (place < end) own[k] = source(row * length + (reverse ? length - 1 - place : place), place == 0);
      sum = k == 0 ? own[0] : Op::of(sum, own[k]);
    }
    State before = Op::of(carry, before_in_team<Op, team>(sum, all));
    carry = Op::of(carry, all);
    if (out == nullptr) continue;
#pragma unroll
    for (int k = 0; k < scanned; ++k) {
      const Index place = mine + k;
      const State upto = Op::of(before, own[k]);
      if (place < end) out[row * length + (reverse ? length - 1 - place : place)] = Op::template value<Out>(exclusive ? before : upto);
      before = upto;
    }
  }
  return carry;
}

// Rows that are done by one team each.
template <class Op, int team, bool reverse, bool exclusive, class Source, class Out, class Index>
__device__ __forceinline__ void scan_rows(Source source, Out* out, const Index rows, const Index length) {
  each_row<team>(rows, [&](const Index row) {
    scan_stretch<Op, team, reverse, exclusive>(source, out, row, length, Index(0), length, Op::none());
  });
}

// Rows in chunks, each of which is done by a block: first only what each makes of what is before it, then all.
template <class Op, bool reverse, bool exclusive, bool last, class Source, class Out, class Index>
__device__ __forceinline__ void scan_chunks(Source source, Out* out, double* words, const Index rows, const Index length,
                                            const Index chunk, const Index chunks) {
  typename Op::State* states = reinterpret_cast<typename Op::State*>(words);
  for (Index part = blockIdx.x; part < rows * chunks; part += gridDim.x) {
    const Index row = part / chunks, begin = (part - row * chunks) * chunk;
    const Index end = begin + chunk < length ? begin + chunk : length;
    const typename Op::State carry = last ? states[part] : Op::none();
    const typename Op::State found = scan_stretch<Op, block_threads, reverse, exclusive>(
        source, last ? out : static_cast<Out*>(nullptr), row, length, begin, end, carry);
    if (!last && threadIdx.x == 0) states[part] = found;
  }
}

// States of chunks (outer, chunks, inner) become those before each of them; a block takes one line after the other.
template <class Op, class Index>
__device__ __forceinline__ void carry_chunks(double* words, const Index outer, const Index chunks, const Index inner) {
  typedef typename Op::State State;
  State* states = reinterpret_cast<State*>(words);
  for (Index line = blockIdx.x; line < outer * inner; line += gridDim.x) {
    const Index first = line / inner * chunks * inner + line % inner;
    State carry = Op::none(), all;
    for (Index start = 0; start < chunks; start += block_threads) {
      const Index chunk = start + threadIdx.x;
      const State own = chunk < chunks ? states[first + chunk * inner] : Op::none();
      const State before = Op::of(carry, before_in_team<Op, block_threads>(own, all));
      if (chunk < chunks) states[first + chunk * inner] = before;
      carry = Op::of(carry, all);
    }
  }
}

// Axes (outer, length, inner): a thread goes along the axis, its neighbours along the next one. Chunks as above.
template <class Op, bool reverse, bool exclusive, bool first, bool last, class Source, class Out, class Index>
__device__ __forceinline__ void scan_lines(Source source, Out* out, double* words, const Index outer, const Index length,
                                           const Index inner, const Index chunk, const Index chunks) {
  typedef typename Op::State State;
  State* states = reinterpret_cast<State*>(words);
  each_element(outer * chunks * inner, [&](const Index line) {
    const Index part = line / inner, row = part / chunks, begin = (part - row * chunks) * chunk;
    const Index end = begin + chunk < length ? begin + chunk : length;
    const Index base = row * length * inner + (line - part * inner);
    State state = first ? Op::none() : states[line];
#pragma unroll 4
    for (Index place = begin; place < end; ++place) {
      const Index at = base + (reverse ? length - 1 - place : place) * inner;
      const State upto = Op::of(state, source(at, place == 0));
      if (last) out[at] = Op::template value<Out>(exclusive ? state : upto);
      state = upto;
    }
    if (!last) states[line] = state;
  });
}
