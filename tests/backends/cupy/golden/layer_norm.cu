// tape(a: float32[1024,256], b: float32[256], c: float32[256]):
//     d: float32[1024,256] = device_kernel(a, b, c, kind='grid', shape=(1024, 256))  # programs.py:25
//         tape(a: float32[1024,256], b: float32[256], c: float32[256]):
//             d: float32[1024] = sum(a, axes=(-1,))             # programs.py:23
//             e: float32[1024] = multiply(d, 0.00390625)        # programs.py:23
//             f: float32[1024,1] = reshape(e, shape=(1024, 1))  # programs.py:23
//             g: float32[1024,256] = subtract(a, f)             # programs.py:23
//             h: float32[1024,256] = square(g)                  # programs.py:24
//             i: float32[1024] = sum(h, axes=(-1,))             # programs.py:24
//             j: float32[1024] = multiply(i, 0.00390625)        # programs.py:24
//             k: float32[1024] = add(j, 1e-05)                  # programs.py:25
//             l: float32[1024] = sqrt(k)                        # programs.py:25
//             m: float32[1024] = divide(1.0, l)                 # programs.py:25
//             n: float32[1024,1] = reshape(m, shape=(1024, 1))  # programs.py:25
//             o: float32[1024,256] = multiply(g, n)             # programs.py:25
//             p: float32[1024,256] = multiply(o, b)             # programs.py:25
//             q: float32[1024,256] = add(p, c)                  # programs.py:25
//             return q
//     return d

// kernel: 1024 x 1 blocks of 64
extern "C" __global__ void __launch_bounds__(64) kernel(const float* __restrict__ in0, const float* __restrict__ in1, const float* __restrict__ in2, float* __restrict__ out16, const int64 rows_64, const int64 columns_64, const float number0, const float number1, const float number2) {
  typedef int32 Index;
  const Index rows = rows_64, columns = columns_64;
  const int lane = threadIdx.x;
  const Index team = Index(blockIdx.x);
  const Index teams = Index(gridDim.x);
  auto row = [&](auto pack_width, const Index r) {
    constexpr int width = decltype(pack_width)::value;
    const Index at = r * columns;
    float row0[4];
    float sum3 = 0.0f;
    #pragma unroll
    for (int k = 0; k < 4 / width; ++k) {
      const Index first = (lane + Index(k) * 64) * width;
      if (first < columns) {
        const Index begin = at + first;
        const auto pack0 = load_pack<width>(in0 + begin);
        #pragma unroll
        for (int e = 0; e < width; ++e) {
          const int i = k * width + e;
          auto v0 = pack0[e];
          row0[i] = v0;
          sum3 = sum3 + v0;
        }
      }
    }
    sum3 = reduce_team<Sum, 64>(sum3);
    auto v4 = sum3 * number0;
    auto v5 = v4;
    float sum8 = 0.0f;
    #pragma unroll
    for (int k = 0; k < 4 / width; ++k) {
      const Index first = (lane + Index(k) * 64) * width;
      if (first < columns) {
        #pragma unroll
        for (int e = 0; e < width; ++e) {
          const int i = k * width + e;
          auto v0 = row0[i];
          auto v6 = v0 - v5;
          auto v7 = v6 * v6;
          sum8 = sum8 + v7;
        }
      }
    }
    sum8 = reduce_team<Sum, 64>(sum8);
    auto v9 = sum8 * number1;
    auto v10 = v9 + number2;
    auto v11 = sqrt(v10);
    auto v12 = 1.0f / v11;
    auto v13 = v12;
    #pragma unroll
    for (int k = 0; k < 4 / width; ++k) {
      const Index first = (lane + Index(k) * 64) * width;
      if (first < columns) {
        const Index begin = at + first;
        const auto pack1 = load_pack<width>(in1 + first);
        const auto pack2 = load_pack<width>(in2 + first);
        Pack<float, width> result16;
        #pragma unroll
        for (int e = 0; e < width; ++e) {
          const int i = k * width + e;
          auto v0 = row0[i];
          auto v6 = v0 - v5;
          auto v14 = v6 * v13;
          auto v1 = pack1[e];
          auto v15 = v14 * v1;
          auto v2 = pack2[e];
          auto v16 = v15 + v2;
          result16[e] = v16;
        }
        store_pack(out16 + begin, result16);
      }
    }
  };
  const bool whole = columns % 4 == 0 && aligned<4>(in0) && aligned<4>(in1) && aligned<4>(in2) && aligned<4>(out16);
  if (whole)
    for (Index r = team; r < rows; r += teams) row(Width<4>{}, r);
  else
    for (Index r = team; r < rows; r += teams) row(Width<1>{}, r);
}
