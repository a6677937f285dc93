// tape(a: float32[256,1000], b: int64[256]):
//     c: float32[256,1000], d: float32[] = device_kernel(a, b, kind='grid', shape=(256, 1000), epilogue=2)  # test_golden.py:36
//         tape(a: float32[256,1000], b: int64[256]):
//             c: float32[256] = max(a, axes=(-1,))                                       # programs.py:17
//             d: float32[256,1] = reshape(c, shape=(256, 1))                             # programs.py:17
//             e: float32[256,1000] = subtract(a, d)                                      # programs.py:17
//             f: float32[256,1000] = exp(e)                                              # programs.py:18
//             g: float32[256] = sum(f, axes=(-1,))                                       # programs.py:18
//             h: float32[256] = log(g)                                                   # programs.py:18
//             i: float32[256,1] = reshape(h, shape=(256, 1))                             # programs.py:18
//             j: float32[256,1000] = subtract(e, i)                                      # programs.py:18
//             k: bool[256] = less(b, 0)                                                  # programs.py:19
//             l: int64[256] = add(b, 1000)                                               # programs.py:19
//             m: int64[256] = where(k, l, b)                                             # programs.py:19
//             n: bool[256] = less(m, 0)                                                  # programs.py:19
//             o: bool[256] = greater_equal(m, 1000)                                      # programs.py:19
//             p: bool[256] = bitwise_or(n, o)                                            # programs.py:19
//             q: int64[256] = where(p, 256000, m)                                        # programs.py:19
//             r: int64[256,1] = reshape(q, shape=(256, 1))                               # programs.py:19
//             s: float32[256,1] = pick(j, r, axis=-1)                                    # programs.py:19
//             t: float32[256] = reshape(s, shape=(256,))                                 # programs.py:19
//             u: float32[] = sum(t, axes=(-1,))                                          # programs.py:19
//             v: float32[256,1] = broadcast_to(np.float32(-0.00390625), shape=(256, 1))  # test_golden.py:36
//             w: float32[256,1000] = place(v, r, axis=-1, length=1000)                   # test_golden.py:36
//             x: float32[256] = divide(0.00390625, g)                                    # test_golden.py:36
//             y: float32[256,1] = reshape(x, shape=(256, 1))                             # test_golden.py:36
//             z: float32[256,1000] = multiply(y, f)                                      # test_golden.py:36
//             ba: float32[256,1000] = add(w, z)                                          # test_golden.py:36
//             bb: float32[] = divide(u, 256)                                             # programs.py:19
//             bc: float32[] = negative(bb)                                               # programs.py:19
//             return ba, bc
//     return d, c

// kernel: 256 x 1 blocks of 256
extern "C" __global__ void __launch_bounds__(256) kernel(const float* __restrict__ in0, const int64* __restrict__ in1, float* __restrict__ out26, float* __restrict__ out28, double* __restrict__ part20, uint32* __restrict__ counter, int32* __restrict__ status, const int64 rows_64, const int64 columns_64, const int64 number0, const int64 number1, const int64 number2, const float number3, const float number4, const float number5) {
  typedef int32 Index;
  const Index rows = rows_64, columns = columns_64;
  float total20 = 0.0f;
  const int lane = threadIdx.x;
  const Index team = Index(blockIdx.x);
  const Index teams = Index(gridDim.x);
  auto row = [&](auto pack_width, const Index r) {
    constexpr int width = decltype(pack_width)::value;
    const Index at = r * columns;
    float row0[4];
    float row5[4];
    auto v1 = in1[r];
    auto v10 = v1 < 0LL;
    auto v11 = cast<int64>(v1 + number0);
    auto v12 = v10 ? v11 : v1;
    auto v13 = v12 < 0LL;
    auto v14 = v12 >= number1;
    auto v15 = v13 | v14;
    auto v16 = v15 ? number2 : v12;
    auto v17 = v16;
    auto column17 = (v17 < 0) ? (v17 + columns) : v17;
    if ((column17 < 0) | (column17 >= columns)) {
      status[0] = 1;
      column17 = 0LL;
    }
    float sum2 = (-infinity<float>());
    #pragma unroll
    for (int k = 0; k < 4 / width; ++k) {
      const Index first = (lane + Index(k) * 256) * width;
      if (first < columns) {
        const Index begin = at + first;
        const auto pack0 = load_pack<width>(in0 + begin);
        #pragma unroll
        for (int e = 0; e < width; ++e) {
          const int i = k * width + e;
          auto v0 = pack0[e];
          row0[i] = v0;
          sum2 = maximum(sum2, v0);
        }
      }
    }
    sum2 = reduce_team<Largest, 256>(sum2);
    auto v3 = sum2;
    float sum6 = 0.0f;
    #pragma unroll
    for (int k = 0; k < 4 / width; ++k) {
      const Index first = (lane + Index(k) * 256) * width;
      if (first < columns) {
        #pragma unroll
        for (int e = 0; e < width; ++e) {
          const int i = k * width + e;
          auto v0 = row0[i];
          auto v4 = v0 - v3;
          auto v5 = exp(v4);
          row5[i] = v5;
          sum6 = sum6 + v5;
        }
      }
    }
    sum6 = reduce_team<Sum, 256>(sum6);
    auto v0_column17 = in0[at + column17];
    auto v4_column17 = v0_column17 - v3;
    auto v7 = log(sum6);
    auto v8 = v7;
    auto v9_column17 = v4_column17 - v8;
    auto v18 = v9_column17;
    auto v19 = v18;
    if (lane == 0) {
      total20 = total20 + v19;
    }
    auto v21 = number3;
    auto v23 = number4 / sum6;
    auto v24 = v23;
    #pragma unroll
    for (int k = 0; k < 4 / width; ++k) {
      const Index first = (lane + Index(k) * 256) * width;
      if (first < columns) {
        const Index begin = at + first;
        Pack<float, width> result26;
        #pragma unroll
        for (int e = 0; e < width; ++e) {
          const Index j = first + e;
          const int i = k * width + e;
          auto v22 = (j == column17) ? v21 : 0.0f;
          auto v5 = row5[i];
          auto v25 = v24 * v5;
          auto v26 = v22 + v25;
          result26[e] = v26;
        }
        store_pack(out26 + begin, result26);
      }
    }
  };
  const bool whole = columns % 4 == 0 && aligned<4>(in0) && aligned<4>(out26);
  if (whole)
    for (Index r = team; r < rows; r += teams) row(Width<4>{}, r);
  else
    for (Index r = team; r < rows; r += teams) row(Width<1>{}, r);
  total20 = reduce_team<Sum, 256>(total20);
  if (threadIdx.x == 0) part20[block_number()] = total20;
  if (last_block(counter)) {
    const auto v20 = finish_total<float, Sum, 256>(part20, static_cast<double>(0.0));
    if (threadIdx.x == 0) {
      auto v27 = v20 / number5;
      auto v28 = -v27;
      out28[0] = v28;
    }
  }
}
