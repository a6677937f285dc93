// tape(
//     a: float32[8,16],
//     b: float32[16],
//     c: float32[16,3],
//     d: float32[3],
//     e: float32[32,8],
//     f: float32[32,3],
// ):
//     g: float32[32,16] = matmul(e, a)                                                                                # programs.py:34
//     h: float32[32,16], i: bool[32,16], j: bool[32,16] = device_kernel(g, b, kind='grid', shape=(32, 16))            # test_golden.py:36
//         tape(a: float32[32,16], b: float32[16]):
//             c: float32[32,16] = add(a, b)      # programs.py:34
//             d: float32[32,16] = maximum(c, 0)  # programs.py:34
//             e: bool[32,16] = equal(c, 0)       # test_golden.py:36
//             f: bool[32,16] = less(c, 0)        # test_golden.py:36
//             return d, e, f
//     k: float32[32,3] = matmul(h, c)                                                                                 # programs.py:36
//     l: float32[32,3], m: float32[3], n: float32[] = device_kernel(k, d, f, kind='grid', shape=(32, 3), epilogue=1)  # test_golden.py:36
//         tape(a: float32[32,3], b: float32[3], c: float32[32,3]):
//             d: float32[32,3] = add(a, b)                          # programs.py:36
//             e: float32[32,3] = subtract(d, c)                     # programs.py:36
//             f: float32[32,3] = square(e)                          # programs.py:36
//             g: float32[] = sum(f, axes=(-2, -1))                  # programs.py:36
//             h: float32[32,3] = multiply(2.0, e)                   # test_golden.py:36
//             i: float32[32,3] = multiply(0.010416666977107525, h)  # test_golden.py:36
//             j: float32[3] = sum(i, axes=(-2,))                    # test_golden.py:36
//             k: float32[] = divide(g, 96)                          # programs.py:36
//             return i, j, k
//     o: float32[3,16] = transpose(c, axes=(-1, -2))                                                                  # test_golden.py:36
//     p: float32[32,16] = matmul(l, o)                                                                                # test_golden.py:36
//     q: float32[16,32] = transpose(h, axes=(-1, -2))                                                                 # test_golden.py:36
//     r: float32[16,3] = matmul(q, l)                                                                                 # test_golden.py:36
//     s: float32[32,16], t: float32[16] = device_kernel(p, i, j, kind='grid', shape=(32, 16))                         # test_golden.py:36
//         tape(a: float32[32,16], b: bool[32,16], c: bool[32,16]):
//             d: float32[32,16] = multiply(0.5, a)  # test_golden.py:36
//             e: float32[32,16] = where(b, d, a)    # test_golden.py:36
//             f: float32[32,16] = where(c, 0, e)    # test_golden.py:36
//             g: float32[16] = sum(f, axes=(-2,))   # test_golden.py:36
//             return f, g
//     u: float32[8,32] = transpose(e, axes=(-1, -2))                                                                  # test_golden.py:36
//     v: float32[8,16] = matmul(u, s)                                                                                 # test_golden.py:36
//     return n, v, t, r, m

// kernel: 1 x 1 blocks of 256
extern "C" __global__ void __launch_bounds__(256) kernel(const float* __restrict__ in0, const float* __restrict__ in1, float* __restrict__ out3, bool* __restrict__ out4, bool* __restrict__ out5, const int64 rows_64, const int64 columns_64) {
  typedef int32 Index;
  const Index rows = rows_64, columns = columns_64;
  const int lane = threadIdx.x % 4;
  const Index team = Index(blockIdx.x) * 64 + threadIdx.x / 4;
  const Index teams = Index(gridDim.x) * 64;
  auto row = [&](auto pack_width, const Index r) {
    constexpr int width = decltype(pack_width)::value;
    const Index at = r * columns;
    #pragma unroll
    for (int k = 0; k < 4 / width; ++k) {
      const Index first = (lane + Index(k) * 4) * width;
      if (first < columns) {
        const Index begin = at + first;
        const auto pack0 = load_pack<width>(in0 + begin);
        const auto pack1 = load_pack<width>(in1 + first);
        Pack<float, width> result3;
        Pack<bool, width> result4;
        Pack<bool, width> result5;
        #pragma unroll
        for (int e = 0; e < width; ++e) {
          auto v0 = pack0[e];
          auto v1 = pack1[e];
          auto v2 = v0 + v1;
          auto v3 = maximum(v2, 0.0f);
          result3[e] = v3;
          auto v4 = v2 == 0.0f;
          result4[e] = v4;
          auto v5 = v2 < 0.0f;
          result5[e] = v5;
        }
        store_pack(out3 + begin, result3);
        store_pack(out4 + begin, result4);
        store_pack(out5 + begin, result5);
      }
    }
  };
  const bool whole = columns % 4 == 0 && aligned<4>(in0) && aligned<4>(in1) && aligned<4>(out3) && aligned<4>(out4) && aligned<4>(out5);
  if (whole)
    for (Index r = team; r < rows; r += teams) row(Width<4>{}, r);
  else
    for (Index r = team; r < rows; r += teams) row(Width<1>{}, r);
}


// kernel: 1 x 1 blocks of 256
extern "C" __global__ void __launch_bounds__(256) kernel(const float* __restrict__ in0, const float* __restrict__ in1, const float* __restrict__ in2, float* __restrict__ out8, float* __restrict__ out9, float* __restrict__ out10, double* __restrict__ part6, float* __restrict__ part9, uint32* __restrict__ counter, const int64 rows_64, const int64 columns_64, const int64 blocks_64, const float number0, const float number1) {
  typedef int32 Index;
  const Index rows = rows_64, columns = columns_64, blocks = blocks_64;
  float total6 = 0.0f;
  float* const mine9 = Index(gridDim.x) == 1 ? out9 : part9 + Index(blockIdx.x) * columns;
  float column_total9[4] = {};
  const int lane = threadIdx.x % 1;
  const Index team = Index(blockIdx.x) * 256 + threadIdx.x / 1;
  const Index teams = Index(gridDim.x) * 256;
  auto row = [&](auto pack_width, const Index r) {
    constexpr int width = decltype(pack_width)::value;
    const Index at = r * columns;
    #pragma unroll
    for (int k = 0; k < 4 / width; ++k) {
      const Index first = (lane + Index(k) * 1) * width;
      if (first < columns) {
        const Index begin = at + first;
        const auto pack0 = load_pack<width>(in0 + begin);
        const auto pack1 = load_pack<width>(in1 + first);
        const auto pack2 = load_pack<width>(in2 + begin);
        Pack<float, width> result8;
        #pragma unroll
        for (int e = 0; e < width; ++e) {
          const int i = k * width + e;
          auto v0 = pack0[e];
          auto v1 = pack1[e];
          auto v3 = v0 + v1;
          auto v2 = pack2[e];
          auto v4 = v3 - v2;
          auto v5 = v4 * v4;
          total6 = total6 + v5;
          auto v7 = 2.0f * v4;
          auto v8 = number0 * v7;
          result8[e] = v8;
          column_total9[i] = column_total9[i] + v8;
        }
        store_pack(out8 + begin, result8);
      }
    }
  };
  const bool whole = columns % 4 == 0 && aligned<4>(in0) && aligned<4>(in1) && aligned<4>(in2) && aligned<4>(out8);
  if (whole)
    for (Index r = team; r < rows; r += teams) row(Width<4>{}, r);
  else
    for (Index r = team; r < rows; r += teams) row(Width<1>{}, r);
  if (whole) leave_columns<4, 1, 256, 4>(column_total9, mine9, Index(0) * 4, columns);
  else leave_columns<1, 1, 256, 4>(column_total9, mine9, Index(0) * 4, columns);
  total6 = reduce_team<Sum, 256>(total6);
  if (threadIdx.x == 0) part6[block_number()] = total6;
  if (last_block(counter)) {
    const auto v6 = finish_total<float, Sum, 256>(part6, static_cast<double>(0.0));
    if (threadIdx.x == 0) {
      auto v10 = v6 / number1;
      out10[0] = v10;
    }
  }
}


// kernel: 1 x 1 blocks of 256
extern "C" __global__ void __launch_bounds__(256) kernel(const float* __restrict__ in0, const bool* __restrict__ in1, const bool* __restrict__ in2, float* __restrict__ out5, float* __restrict__ out6, float* __restrict__ part6, const int64 rows_64, const int64 columns_64, const int64 blocks_64) {
  typedef int32 Index;
  const Index rows = rows_64, columns = columns_64, blocks = blocks_64;
  float* const mine6 = Index(gridDim.x) == 1 ? out6 : part6 + Index(blockIdx.x) * columns;
  float column_total6[4] = {};
  const int lane = threadIdx.x % 4;
  const Index team = Index(blockIdx.x) * 64 + threadIdx.x / 4;
  const Index teams = Index(gridDim.x) * 64;
  auto row = [&](auto pack_width, const Index r) {
    constexpr int width = decltype(pack_width)::value;
    const Index at = r * columns;
    #pragma unroll
    for (int k = 0; k < 4 / width; ++k) {
      const Index first = (lane + Index(k) * 4) * width;
      if (first < columns) {
        const Index begin = at + first;
        const auto pack0 = load_pack<width>(in0 + begin);
        const auto pack1 = load_pack<width>(in1 + begin);
        const auto pack2 = load_pack<width>(in2 + begin);
        Pack<float, width> result5;
        #pragma unroll
        for (int e = 0; e < width; ++e) {
          const int i = k * width + e;
          auto v2 = pack2[e];
          auto v1 = pack1[e];
          auto v0 = pack0[e];
          auto v3 = 0.5f * v0;
          auto v4 = v1 ? v3 : v0;
          auto v5 = v2 ? 0.0f : v4;
          result5[e] = v5;
          column_total6[i] = column_total6[i] + v5;
        }
        store_pack(out5 + begin, result5);
      }
    }
  };
  const bool whole = columns % 4 == 0 && aligned<4>(in0) && aligned<4>(in1) && aligned<4>(in2) && aligned<4>(out5);
  if (whole)
    for (Index r = team; r < rows; r += teams) row(Width<4>{}, r);
  else
    for (Index r = team; r < rows; r += teams) row(Width<1>{}, r);
  if (whole) leave_columns<4, 4, 256, 4>(column_total6, mine6, Index(0) * 16, columns);
  else leave_columns<1, 4, 256, 4>(column_total6, mine6, Index(0) * 16, columns);
}
