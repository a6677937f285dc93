// Windows that slide over the last axes of images. What overlaps is added up where it lands, by the thread of that place:
// it knows which windows cover it. So nothing is written twice, orders are fixed, and stores fill lines.

// Loops over boxes; their number is known when the kernel is compiled, so that coordinates stay in registers.
template <int k, int rank> struct Boxes {
  template <class Index, class Body>
  static __device__ __forceinline__ void each(const Index (&low)[rank], const Index (&high)[rank], Index (&at)[rank],
                                              Body& body) {
    for (at[k] = low[k]; at[k] < high[k]; ++at[k]) Boxes<k + 1, rank>::each(low, high, at, body);
  }
};
template <int rank> struct Boxes<rank, rank> {
  template <class Index, class Body>
  static __device__ __forceinline__ void each(const Index (&)[rank], const Index (&)[rank], Index (&at)[rank], Body& body) {
    body(at);
  }
};
template <int rank, class Index, class Body>
__device__ __forceinline__ void each_in_box(const Index (&low)[rank], const Index (&high)[rank], Body body) {
  Index at[rank];
  Boxes<0, rank>::each(low, high, at, body);
}
// The number of an element in C order.
template <int rank, class Index>
__device__ __forceinline__ Index number_of(const Index (&at)[rank], const Index (&lengths)[rank]) {
  Index number = at[0];
#pragma unroll
  for (int k = 1; k < rank; ++k) number = number * lengths[k] + at[k];
  return number;
}

template <int rank, class Index> struct Sliding {
  Index lengths[rank], counts[rank], shape[rank], stride[rank], dilation[rank];

  static __device__ __forceinline__ Index product(const Index (&of)[rank]) {
    Index all = 1;
#pragma unroll
    for (int k = 0; k < rank; ++k) all *= of[k];
    return all;
  }
  // Where the first element of a window lies.
  __device__ __forceinline__ Index corner(const Index image, const Index (&window)[rank]) const {
    Index at[rank];
#pragma unroll
    for (int k = 0; k < rank; ++k) at[k] = window[k] * stride[k];
    return image * product(lengths) + number_of(at, lengths);
  }
  // The windows that may cover an element.
  __device__ __forceinline__ void covering(const Index (&at)[rank], Index (&low)[rank], Index (&high)[rank]) const {
#pragma unroll
    for (int k = 0; k < rank; ++k) {
      const Index before = at[k] - (shape[k] - 1) * dilation[k], last = at[k] / stride[k] + 1;
      low[k] = before <= 0 ? 0 : (before + stride[k] - 1) / stride[k];
      high[k] = last < counts[k] ? last : counts[k];
    }
  }
};

// Each window or element by a thread: its image, its coordinates, its place in the result.
template <int team, int rank, class Index, class Body>
__device__ __forceinline__ void each_place(const Index images, const Index (&lengths)[rank], Body body) {
  Index lines = images;
#pragma unroll
  for (int k = 0; k + 1 < rank; ++k) lines *= lengths[k];
  each_row<team>(lines, [&](const Index line) {
    Index at[rank], image = line;
#pragma unroll
    for (int k = rank - 2; k >= 0; --k) {
      const Index rest = image / lengths[k];
      at[k] = image - rest * lengths[k];
      image = rest;
    }
    each_column<team>(lengths[rank - 1], [&](const Index column) {
      at[rank - 1] = column;
      body(image, at, line * lengths[rank - 1] + column);
    });
  });
}

template <class Op, int team, int rank, class T, class Index>
__device__ __forceinline__ void reduce_windows(const T* x, T* out, const Index images, const Sliding<rank, Index> own) {
  each_place<team>(images, own.counts, [&](const Index image, const Index (&window)[rank], const Index place) {
    const T* first = x + own.corner(image, window);
    const Index low[rank] = {};
    typedef typename Summed<T>::type S;
    S found = static_cast<S>(first[0]);
    bool begun = false;
    each_in_box(low, own.shape, [&](const Index (&at)[rank]) {
      if (begun) found = Op::of(found, static_cast<S>(first[number_of(at, own.lengths)]));
      begun = true;
    });
    out[place] = cast<T>(found);
  });
}

// The number of the first element that equals the extreme; NaN equals NaN. Their number if none does.
template <int team, int rank, class T, class Out, class Index>
__device__ __forceinline__ void find_first(const T* x, const T* extreme, Out* out, const Index images,
                                           const Sliding<rank, Index> own) {
  each_place<team>(images, own.counts, [&](const Index image, const Index (&window)[rank], const Index place) {
    const T* first = x + own.corner(image, window);
    const T sought = extreme[place];
    const Index low[rank] = {};
    Index before = 0;
    bool found = false;
    each_in_box(low, own.shape, [&](const Index (&at)[rank]) {
      const T value = first[number_of(at, own.lengths)];
      found = found || value == sought || (value != value && sought != sought);
      before += !found;
    });
    out[place] = static_cast<Out>(before);
  });
}

template <int team, int rank, class T, class P, class Index>
__device__ __forceinline__ void pick_numbered(const T* x, const P* positions, T* out, const Index images,
                                              const Sliding<rank, Index> own) {
  each_place<team>(images, own.counts, [&](const Index image, const Index (&window)[rank], const Index place) {
    Index at[rank], left = static_cast<Index>(positions[place]);
#pragma unroll
    for (int k = rank - 1; k > 0; --k) {
      const Index rest = left / own.shape[k];
      at[k] = left - rest * own.shape[k];
      left = rest;
    }
    at[0] = left;
    out[place] = left < own.shape[0] ? x[own.corner(image, window) + number_of(at, own.lengths)] : T{};
  });
}

// What windows send to the elements that they cover: to one of them, or the same to all.
template <int team, int rank, bool numbered, class T, class P, class Index>
__device__ __forceinline__ void add_windows(const T* g, const P* positions, T* out, const Index images,
                                            const Sliding<rank, Index> own) {
  each_place<team>(images, own.lengths, [&](const Index image, const Index (&at)[rank], const Index place) {
    Index low[rank], high[rank];
    own.covering(at, low, high);
    const Index first = image * own.product(own.counts);
    typename Summed<T>::type sum = 0;
    each_in_box(low, high, [&](const Index (&window)[rank]) {
      const Index from = first + number_of(window, own.counts);
      if constexpr (numbered) {
        Index inside[rank];
#pragma unroll
        for (int k = 0; k < rank; ++k) inside[k] = at[k] - window[k] * own.stride[k];
        if (static_cast<Index>(positions[from]) != number_of(inside, own.shape)) return;
      }
      sum = Summed<T>::of(sum, g[from]);
    });
    out[place] = cast<T>(sum);
  });
}

// Windows (images, counts, shape) added up where they were taken from. The elements of a window lie together, so a warp
// reads strided words; but its windows use all of each line, one after the other, out of the first cache.
template <int team, int rank, class T, class Index>
__device__ __forceinline__ void overlap_add(const T* g, T* out, const Index images, const Sliding<rank, Index> own) {
  each_place<team>(images, own.lengths, [&](const Index image, const Index (&at)[rank], const Index place) {
    Index low[rank], high[rank];
    own.covering(at, low, high);
    const Index windows = own.product(own.counts), elements = own.product(own.shape);
    typename Summed<T>::type sum = 0;
    each_in_box(low, high, [&](const Index (&window)[rank]) {
      Index inside[rank];
      bool hit = true;
#pragma unroll
      for (int k = 0; k < rank; ++k) {
        inside[k] = at[k] - window[k] * own.stride[k];
        hit = on_places(inside[k], own.dilation[k], own.shape[k]) && hit;
      }
      if (hit) sum = Summed<T>::of(sum, g[(image * windows + number_of(window, own.counts)) * elements + number_of(inside, own.shape)]);
    });
    out[place] = cast<T>(sum);
  });
}
