// The functions of the kernel language that CUDA does not have, or has otherwise; each gives the type that it is given.
//
// How far they may be from the exact value, in units of the last place, where exp, log, log1p and pow are exact within
// one (CUDA's are within 1 or 2, pow of floats within 4):
//   logistic 3, softplus 2.5, digamma 7 (below zero: of the largest of the result, digamma(1 - x), and 1),
//   log_gamma and power as CUDA's lgamma and pow. All others are exact.

template <class T> __device__ __forceinline__ T absolute(T x) { return x < T(0) ? T(-x) : x; }
__device__ __forceinline__ float absolute(float x) { return fabsf(x); }
__device__ __forceinline__ double absolute(double x) { return fabs(x); }
__device__ __forceinline__ bool absolute(bool x) { return x; }
__device__ __forceinline__ uint8 absolute(uint8 x) { return x; }
__device__ __forceinline__ uint32 absolute(uint32 x) { return x; }

// The larger and the smaller of two; NaN if one of them is. Of 0 and -0 the second.
template <class T> __device__ __forceinline__ T maximum(T x, T y) { return x > y || x != x ? x : y; }
template <class T> __device__ __forceinline__ T minimum(T x, T y) { return x < y || x != x ? x : y; }
// C++ makes integers of what & | ^ are of booleans.
__device__ __forceinline__ int32 maximum(bool x, int32 y) { return x ? 1 : y; }
__device__ __forceinline__ int32 maximum(int32 x, bool y) { return y ? 1 : x; }
__device__ __forceinline__ int32 minimum(bool x, int32 y) { return x ? y : 0; }
__device__ __forceinline__ int32 minimum(int32 x, bool y) { return y ? x : 0; }

// Of whole numbers: a quotient rounded down, and what it leaves, of the sign of y; both are 0 where y is. The one quotient
// that is too large wraps around.
__device__ __forceinline__ int64 floored_quotient(int64 x, int64 y) {
  if (y == 0 || y == -1) return y == 0 ? 0 : int64(0ull - static_cast<unsigned long long>(x));
  const int64 found = x / y;
  return found - (found * y != x && (x < 0) != (y < 0));
}
__device__ __forceinline__ int64 floored_remainder(int64 x, int64 y) {
  if (y == 0 || y == -1) return 0;
  const int64 left = x % y;
  return left != 0 && (left < 0) != (y < 0) ? left + y : left;
}

// Nothing overflows, and what is small keeps all its digits.
template <class T> __device__ __forceinline__ T logistic(T x) {
  const T small = exp(-absolute(x));
  return (x < T(0) ? small : T(1)) / (T(1) + small);
}
template <class T> __device__ __forceinline__ T softplus(T x) { return maximum(x, T(0)) + log1p(exp(-absolute(x))); }
template <class T> __device__ __forceinline__ T power(T x, T y) { return pow(x, y); }

// Of -infinity as SciPy has it.
template <class T> __device__ __forceinline__ T log_gamma(T x) { return x == -infinity<T>() ? x : lgamma(x); }

template <class T> __device__ __forceinline__ T polynomial(T, T last) { return last; }
template <class T, class... Rest> __device__ __forceinline__ T polynomial(T x, T first, Rest... rest) {
  return fma(x, polynomial(x, rest...), first);
}

// A quotient that is rounded to 16 bits later, by a divisor of many numbers: the product with its reciprocal, which is
// within two units of the last place of float. Divisors without a normal reciprocal divide.
__device__ __forceinline__ float quotient(float x, float divisor) {
  const float size = fabsf(divisor), reciprocal = 1.0f / divisor;
  return size >= 1.17549435e-38f && size <= 8.5070592e37f ? x * reciprocal : x / divisor;
}
