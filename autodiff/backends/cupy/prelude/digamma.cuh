// The derivative of the logarithm of the gamma function: polynomials up to 6, which are multiplied by what makes the
// zero, and beyond a series.

// x (x + 1) digamma(x) / (x - zero) around 1.75 on [1, 2.5] and around 4.25 on [2.5, 6], and
// x^2 (log x - 1 / (2 x) - digamma(x)) as a function of 1 / x^2 from 6 on, minimax for the relative error.
__device__ __forceinline__ float digamma_low(float x) {
  return polynomial(
      x, 4.130007f, 2.2917242f, 0.14617729f, -0.01521519f, 0.0024342549f, -0.00046435796f, 0.000104213235f,
      -3.0289975e-05f);
}
__device__ __forceinline__ double digamma_low(double x) {
  return polynomial(
      x, 4.130006732420316, 2.291724080453089, 0.14617793722654762, -0.015213502121085992, 0.002433311804483398,
      -0.00047049967147844255, 0.00010103227160150087, -2.3141665754337327e-05, 5.53002249362115e-06,
      -1.3604387356125799e-06, 3.418775568849775e-07, -8.701789792407855e-08, 2.168303434455009e-08,
      -5.891536902664838e-09, 2.716001811937677e-09, -3.323685775468757e-10, -9.4396406117175e-10,
      -5.786643351879054e-11, 3.96618615722752e-10);
}
__device__ __forceinline__ float digamma_high(float x) {
  return polynomial(
      x, 10.600105f, 2.8331835f, 0.08263143f, -0.0047353674f, 0.00041322465f, -4.411064e-05f, 6.0001857e-06f,
      -7.333327e-07f);
}
__device__ __forceinline__ double digamma_high(double x) {
  return polynomial(
      x, 10.600105816475207, 2.833183600407459, 0.0826294823429087, -0.00473545626161746, 0.0004152070470179216,
      -4.415859994941191e-05, 5.248794109304751e-06, -6.703850833634294e-07, 8.999511636656235e-08,
      -1.2526078170595408e-08, 1.79158227880487e-09, -2.615011429388424e-10, 3.868878178366064e-11,
      -5.869596495983158e-12, 9.286133337357609e-13, -1.2647708723292943e-13, 1.3495064355294771e-14,
      -4.691703593564311e-15, 1.1457074600411619e-15);
}
__device__ __forceinline__ float digamma_tail(float x) {
  return polynomial(x, 0.08333333f, -0.00833073f, 0.0037645907f);
}
__device__ __forceinline__ double digamma_tail(double x) {
  return polynomial(
      x, 0.08333333333333333, -0.008333333333322668, 0.003968253961095676, -0.00416666448834564, 0.0075753976338380664,
      -0.021057538138545974, 0.08120203185056142, -0.3630593612935381, 1.1986775522486242);
}

// The positive zero, and by how much it is more than that.
__device__ __forceinline__ float from_zero(float x) { return (x - 1.4616321325302124f) - 1.243815e-08f; }
__device__ __forceinline__ double from_zero(double x) { return (x - 1.4616321449683622) - 9.549995429965697e-17; }

template <class T> __device__ __forceinline__ T positive_digamma(T x) {
  if (x >= T(6)) {
    const T inverse = T(1) / x, square = inverse * inverse;
    return x < infinity<T>() ? log(x) - fma(digamma_tail(square), square, T(0.5) * inverse) : x;
  }
  const bool below = x < T(1);  // psi(x) = psi(x + 1) - 1 / x
  const T y = below ? x + T(1) : x, both = y * (y + T(1));
  const T near = from_zero(y) * (y < T(2.5) ? digamma_low(y - T(1.75)) : digamma_high(y - T(4.25)));
  return below ? fma(near, x, -both) / (both * x) : near / both;
}

template <class T> __device__ __forceinline__ T digamma(T x) {
  if (!(x < T(0))) return x == x ? positive_digamma(x) : x;
  const T beside = x - rint(x);  // from the nearest pole, where the sign is not known
  const T turned = T(3.141592653589793) * cospi(beside) / (beside == T(0) ? quiet_nan<T>() : sinpi(beside));
  return positive_digamma(T(1) - x) - turned;
}
