// tape(a: float32[1024,256], b: float32[256], c: float32[256], d: float32[1024,256]):
//     e: float32[256], f: float32[256], g: float32[1024,256] = device_kernel(a, d, b, kind='grid', shape=(1024, 256))  # programs.py:29
//         tape(a: float32[1024,256], b: float32[1024,256], c: float32[256]):
//             d: float32[1024] = sum(a, axes=(-1,))               # programs.py:23
//             e: float32[1024] = multiply(d, 0.00390625)          # programs.py:23
//             f: float32[1024,1] = reshape(e, shape=(1024, 1))    # programs.py:23
//             g: float32[1024,256] = subtract(a, f)               # programs.py:23
//             h: float32[1024,256] = square(g)                    # programs.py:24
//             i: float32[1024] = sum(h, axes=(-1,))               # programs.py:24
//             j: float32[1024] = multiply(i, 0.00390625)          # programs.py:24
//             k: float32[1024] = add(j, 1e-05)                    # programs.py:25
//             l: float32[1024] = sqrt(k)                          # programs.py:25
//             m: float32[1024] = divide(1.0, l)                   # programs.py:25
//             n: float32[1024,1] = reshape(m, shape=(1024, 1))    # programs.py:25
//             o: float32[1024,256] = multiply(g, n)               # programs.py:25
//             p: float32[256] = sum(b, axes=(-2,))                # programs.py:29
//             q: float32[1024,256] = multiply(b, c)               # programs.py:29
//             r: float32[1024,256] = multiply(b, o)               # programs.py:29
//             s: float32[256] = sum(r, axes=(-2,))                # programs.py:29
//             t: float32[1024,256] = multiply(q, n)               # programs.py:29
//             u: float32[1024,256] = multiply(q, o)               # programs.py:29
//             v: float32[1024,256] = multiply(u, n)               # programs.py:29
//             w: float32[1024] = sum(v, axes=(-1,))               # programs.py:29
//             x: float32[1024] = subtract(0.0, w)                 # programs.py:29
//             y: float32[1024] = multiply(2.0, l)                 # programs.py:29
//             z: float32[1024] = divide(x, y)                     # programs.py:29
//             ba: float32[1024] = multiply(z, 0.00390625)         # programs.py:29
//             bb: float32[1024,1] = reshape(ba, shape=(1024, 1))  # programs.py:29
//             bc: float32[1024,256] = multiply(bb, g)             # programs.py:29
//             bd: float32[1024,256] = add(t, bc)                  # programs.py:29
//             be: float32[1024,256] = add(bd, bc)                 # programs.py:29
//             bf: float32[1024] = sum(t, axes=(-1,))              # programs.py:29
//             bg: float32[1024] = sum(g, axes=(-1,))              # programs.py:29
//             bh: float32[1024] = multiply(bg, ba)                # programs.py:29
//             bi: float32[1024] = add(bf, bh)                     # programs.py:29
//             bj: float32[1024] = add(bi, bh)                     # programs.py:29
//             bk: float32[1024] = subtract(0.0, bj)               # programs.py:29
//             bl: float32[1024] = multiply(bk, 0.00390625)        # programs.py:29
//             bm: float32[1024,1] = reshape(bl, shape=(1024, 1))  # programs.py:29
//             bn: float32[1024,256] = add(be, bm)                 # programs.py:29
//             return p, s, bn
//     return g, f, e

// kernel: 1024 x 1 blocks of 64
// kernel_columns: 32 x 1 blocks of 256
extern "C" __global__ void __launch_bounds__(64) kernel(const float* __restrict__ in0, const float* __restrict__ in1, const float* __restrict__ in2, float* __restrict__ out15, float* __restrict__ out18, float* __restrict__ out39, float* __restrict__ part15, float* __restrict__ part18, const int64 rows_64, const int64 columns_64, const int64 blocks_64, const float number0, const float number1, const float number2, const float number3, const float number4) {
  typedef int32 Index;
  const Index rows = rows_64, columns = columns_64, blocks = blocks_64;
  float* const mine15 = Index(gridDim.x) == 1 ? out15 : part15 + Index(blockIdx.x) * columns;
  float column_total15[4] = {};
  float* const mine18 = Index(gridDim.x) == 1 ? out18 : part18 + Index(blockIdx.x) * columns;
  float column_total18[4] = {};
  const int lane = threadIdx.x;
  const Index team = Index(blockIdx.x);
  const Index teams = Index(gridDim.x);
  auto row = [&](auto pack_width, const Index r) {
    constexpr int width = decltype(pack_width)::value;
    const Index at = r * columns;
    float row0[4];
    float row1[4];
    float sum3 = 0.0f;
    #pragma unroll
    for (int k = 0; k < 4 / width; ++k) {
      const Index first = (lane + Index(k) * 64) * width;
      if (first < columns) {
        const Index begin = at + first;
        const auto pack0 = load_pack<width>(in0 + begin);
        const auto pack1 = load_pack<width>(in1 + begin);
        #pragma unroll
        for (int e = 0; e < width; ++e) {
          const int i = k * width + e;
          auto v0 = pack0[e];
          row0[i] = v0;
          sum3 = sum3 + v0;
          auto v1 = pack1[e];
          row1[i] = v1;
          column_total15[i] = column_total15[i] + v1;
        }
      }
    }
    sum3 = reduce_team<Sum, 64>(sum3);
    auto v4 = sum3 * number0;
    auto v5 = v4;
    float sum8 = 0.0f;
    float sum32 = 0.0f;
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
          sum32 = sum32 + v6;
        }
      }
    }
    sum8 = reduce_team<Sum, 64>(sum8);
    sum32 = reduce_team<Sum, 64>(sum32);
    auto v9 = sum8 * number1;
    auto v10 = v9 + number2;
    auto v11 = sqrt(v10);
    auto v12 = 1.0f / v11;
    auto v13 = v12;
    float sum22 = 0.0f;
    float sum31 = 0.0f;
    #pragma unroll
    for (int k = 0; k < 4 / width; ++k) {
      const Index first = (lane + Index(k) * 64) * width;
      if (first < columns) {
        const auto pack2 = load_pack<width>(in2 + first);
        #pragma unroll
        for (int e = 0; e < width; ++e) {
          const int i = k * width + e;
          auto v1 = row1[i];
          auto v0 = row0[i];
          auto v6 = v0 - v5;
          auto v14 = v6 * v13;
          auto v17 = v1 * v14;
          column_total18[i] = column_total18[i] + v17;
          auto v2 = pack2[e];
          auto v16 = v1 * v2;
          auto v20 = v16 * v14;
          auto v21 = v20 * v13;
          sum22 = sum22 + v21;
          auto v19 = v16 * v13;
          sum31 = sum31 + v19;
        }
      }
    }
    sum22 = reduce_team<Sum, 64>(sum22);
    sum31 = reduce_team<Sum, 64>(sum31);
    auto v23 = 0.0f - sum22;
    auto v24 = 2.0f * v11;
    auto v25 = v23 / v24;
    auto v26 = v25 * number3;
    auto v27 = v26;
    auto v33 = sum32 * v26;
    auto v34 = sum31 + v33;
    auto v35 = v34 + v33;
    auto v36 = 0.0f - v35;
    auto v37 = v36 * number4;
    auto v38 = v37;
    #pragma unroll
    for (int k = 0; k < 4 / width; ++k) {
      const Index first = (lane + Index(k) * 64) * width;
      if (first < columns) {
        const Index begin = at + first;
        const auto pack2 = load_pack<width>(in2 + first);
        Pack<float, width> result39;
        #pragma unroll
        for (int e = 0; e < width; ++e) {
          const int i = k * width + e;
          auto v1 = row1[i];
          auto v2 = pack2[e];
          auto v16 = v1 * v2;
          auto v19 = v16 * v13;
          auto v0 = row0[i];
          auto v6 = v0 - v5;
          auto v28 = v27 * v6;
          auto v29 = v19 + v28;
          auto v30 = v29 + v28;
          auto v39 = v30 + v38;
          result39[e] = v39;
        }
        store_pack(out39 + begin, result39);
      }
    }
  };
  const bool whole = columns % 4 == 0 && aligned<4>(in0) && aligned<4>(in1) && aligned<4>(in2) && aligned<4>(out39);
  if (whole)
    for (Index r = team; r < rows; r += teams) row(Width<4>{}, r);
  else
    for (Index r = team; r < rows; r += teams) row(Width<1>{}, r);
  if (whole) leave_columns<4, 64, 64, 4>(column_total15, mine15, Index(0) * 256, columns);
  else leave_columns<1, 64, 64, 4>(column_total15, mine15, Index(0) * 256, columns);
  if (whole) leave_columns<4, 64, 64, 4>(column_total18, mine18, Index(0) * 256, columns);
  else leave_columns<1, 64, 64, 4>(column_total18, mine18, Index(0) * 256, columns);
}

extern "C" __global__ void __launch_bounds__(256) kernel_columns(const float* __restrict__ in0, const float* __restrict__ in1, const float* __restrict__ in2, float* __restrict__ out15, float* __restrict__ out18, float* __restrict__ out39, float* __restrict__ part15, float* __restrict__ part18, const int64 rows_64, const int64 columns_64, const int64 blocks_64, const float number0, const float number1, const float number2, const float number3, const float number4) {
  typedef int32 Index;
  const Index rows = rows_64, columns = columns_64, blocks = blocks_64;
  sum_columns<256, 8>(part15, blocks, columns, out15);
  sum_columns<256, 8>(part18, blocks, columns, out18);
}
