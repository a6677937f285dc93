// What jit(fast_math=True) makes of float: quotients are approximate by an option of the compiler (2 units in the last
// place), exp and tanh by these functions. Without it nothing of this is there.
//
// How far they may be from the exact value, in units of the last place:
//   exp 2 + 1.173 |x| (CUDA's own bound; results below 1.2e-38 may be 0), tanh 8.
#ifdef AUTODIFF_FAST_MATH
__device__ __forceinline__ float quick_exp(float x) { return __expf(x); }
__device__ __forceinline__ double quick_exp(double x) { return exp(x); }

// By an exponential that cannot overflow; near 0, where that would lose digits, by a series.
__device__ __forceinline__ float quick_tanh(float x) {
  const float size = fabsf(x), square = x * x;
  float series = fmaf(-1382.0f / 155925, square, 62.0f / 2835);
  series = fmaf(fmaf(fmaf(series, square, -17.0f / 315), square, 2.0f / 15), square, -1.0f / 3);
  const float small = __expf(-2.0f * size);
  const float large = copysignf((1.0f - small) / (1.0f + small), x);
  return size < 0.35f ? x * fmaf(series, square, 1.0f) : large;
}
__device__ __forceinline__ double quick_tanh(double x) { return tanh(x); }
#define exp quick_exp
#define tanh quick_tanh
#endif
