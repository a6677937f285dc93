// SciPy's functions of single numbers, as far as they follow from what CUDA has; the others are CUDA's own.
//
// How far they may be from the exact value, in units of the last place, beside the errors of CUDA's functions in them
// (erfinv 2, erfcinv 4 to 7, normcdfinv 5 to 8, erfcx 4 to 6, j0 to y1 of an absolute 1e-5 at most in float):
//   logit 4, log_ndtr 6, cosm1 3, rgamma 2 more than tgamma, rel_entr 4 and kl_div of the largest term,
//   huber 2, pseudo_huber 4.

// Near 1/2 the logarithm of a quotient near 1 would keep few digits.
template <class T> __device__ __forceinline__ T logit(T x) {
  const T centred = x - T(0.5);
  return absolute(centred) < T(0.25) ? T(2) * atanh(T(2) * centred) : log(x / (T(1) - x));
}

// Where the distribution function is tiny its logarithm is taken of what is left after exp(-x * x / 2).
template <class T> __device__ __forceinline__ T log_ndtr(T x) {
  const T scaled = x * T(0.70710678118654752440);
  return x < T(-1) ? log(erfcx(-scaled) / T(2)) - scaled * scaled : log1p(erfc(scaled) / T(-2));
}

// A difference of two numbers near 1, as a square.
template <class T> __device__ __forceinline__ T cosm1(T x) {
  const T half = sin(x / T(2));
  return T(-2) * half * half;
}

// Zero at the poles of gamma.
template <class T> __device__ __forceinline__ T rgamma(T x) {
  return x <= T(0) && x == floor(x) ? T(0) : T(1) / tgamma(x);
}

template <class T> __device__ __forceinline__ T rel_entr(T x, T y) {
  if (x != x || y != y) return x + y;
  return x > T(0) && y > T(0) ? x * log(x / y) : x == T(0) && y >= T(0) ? T(0) : infinity<T>();
}

template <class T> __device__ __forceinline__ T kl_div(T x, T y) {
  if (x != x || y != y) return x + y;
  return x > T(0) && y > T(0) ? x * log(x / y) - x + y : x == T(0) && y >= T(0) ? y : infinity<T>();
}

template <class T> __device__ __forceinline__ T huber(T delta, T r) {
  const T size = absolute(r);
  return delta < T(0) ? infinity<T>() : size <= delta ? r * r / T(2) : delta * (size - delta / T(2));
}

// expm1 of half the logarithm is sqrt(1 + v * v) - 1 with all its digits.
template <class T> __device__ __forceinline__ T pseudo_huber(T delta, T r) {
  const T slope = r / delta;
  const T value = delta * delta * expm1(log1p(slope * slope) / T(2));
  return delta < T(0) ? infinity<T>() : delta == T(0) || r == T(0) ? T(0) : value;
}
