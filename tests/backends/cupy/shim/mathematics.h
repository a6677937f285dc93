// The functions of CUDA's mathematics, of double and of float, by those of the host.
#pragma once

extern "C" {
#define SHIM_1(name) double name(double) noexcept; float name##f(float) noexcept;
#define SHIM_2(name) double name(double, double) noexcept; float name##f(float, float) noexcept;
#define SHIM_ALL \
  SHIM_1(sqrt) SHIM_1(cbrt) SHIM_1(exp) SHIM_1(exp2) SHIM_1(exp10) SHIM_1(expm1) SHIM_1(log) SHIM_1(log2) SHIM_1(log10) \
  SHIM_1(log1p) \
  SHIM_1(sin) SHIM_1(cos) SHIM_1(tan) SHIM_1(asin) SHIM_1(acos) SHIM_1(atan) SHIM_1(sinh) SHIM_1(cosh) SHIM_1(tanh) \
  SHIM_1(asinh) SHIM_1(acosh) SHIM_1(atanh) SHIM_1(erf) SHIM_1(erfc) SHIM_1(tgamma) \
  SHIM_1(fabs) SHIM_1(floor) SHIM_1(ceil) SHIM_1(trunc) SHIM_1(rint) SHIM_1(nearbyint) SHIM_1(round) \
  SHIM_2(atan2) SHIM_2(hypot) SHIM_2(pow) SHIM_2(fmod) SHIM_2(remainder) SHIM_2(copysign) SHIM_2(fmax) SHIM_2(fmin) \
  SHIM_2(fdim) SHIM_2(nextafter)
SHIM_ALL
double fma(double, double, double) noexcept;
float fmaf(float, float, float) noexcept;
double ldexp(double, int) noexcept;
float ldexpf(float, int) noexcept;
double frexp(double, int*) noexcept;
float frexpf(float, int*) noexcept;
double modf(double, double*) noexcept;
float modff(float, float*) noexcept;
double lgamma_r(double, int*) noexcept;
float lgammaf_r(float, int*) noexcept;
void sincos(double, double*, double*) noexcept;
void sincosf(float, float*, float*) noexcept;
}
#undef SHIM_1
#undef SHIM_2
#define SHIM_1(name) inline float name(float x) { return name##f(x); }
#define SHIM_2(name) inline float name(float x, float y) { return name##f(x, y); }
SHIM_ALL
#undef SHIM_1
#undef SHIM_2
#undef SHIM_ALL

inline float fma(float x, float y, float z) { return fmaf(x, y, z); }
inline float ldexp(float x, int by) { return ldexpf(x, by); }
inline float frexp(float x, int* exponent) { return frexpf(x, exponent); }
inline float modf(float x, float* whole) { return modff(x, whole); }
inline double lgamma(double x) { int sign; return lgamma_r(x, &sign); }
inline float lgammaf(float x) { int sign; return lgammaf_r(x, &sign); }
inline float lgamma(float x) { return lgammaf(x); }

inline double rsqrt(double x) { return 1.0 / sqrt(x); }
inline float rsqrtf(float x) { return float(1.0 / sqrt(double(x))); }
inline float rsqrt(float x) { return rsqrtf(x); }
inline double sinpi(double x) {
  const double turn = fmod(x, 2.0), quarters = rint(2.0 * turn);
  const double angle = 3.141592653589793238462643 * (turn - 0.5 * quarters);
  switch ((int)quarters & 3) {
    case 0: return sin(angle);
    case 1: return cos(angle);
    case 2: return -sin(angle);
    default: return -cos(angle);
  }
}
inline float sinpif(float x) { return float(sinpi(double(x))); }
inline float sinpi(float x) { return sinpif(x); }
inline double cospi(double x) { return sinpi(0.5 - fmod(fabs(x), 2.0)); }
inline float cospif(float x) { return float(cospi(double(x))); }
inline float cospi(float x) { return cospif(x); }
inline void sincospi(double x, double* s, double* c) { *s = sinpi(x), *c = cospi(x); }
inline void sincospif(float x, float* s, float* c) { *s = sinpif(x), *c = cospif(x); }

// Functions that the host has under another name, or not at all: roots of those that it has.
extern "C" {
#define SHIM_BESSEL(name) double name(double) noexcept; float name##f(float) noexcept;
SHIM_BESSEL(j0) SHIM_BESSEL(j1) SHIM_BESSEL(y0) SHIM_BESSEL(y1)
#undef SHIM_BESSEL
long double erfcl(long double) noexcept;
long double expl(long double) noexcept;
}
#define SHIM_FLOAT(name) \
  inline float name##f(float x) { return float(name(double(x))); } \
  inline float name(float x) { return name##f(x); }
inline float j0(float x) { return j0f(x); }
inline float j1(float x) { return j1f(x); }
inline float y0(float x) { return y0f(x); }
inline float y1(float x) { return y1f(x); }

// exp(x * x) erfc(x); far out, by the continued fraction.
inline long double shim_erfcx(long double x) {
  if (x < 8) return expl(x * x) * erfcl(x);
  long double below = x;
  for (int k = 60; k > 0; --k) below = x + 0.5L * k / below;
  return 0.564189583547756286948079451560772586L / below;
}
inline double erfcx(double x) { return double(shim_erfcx(x)); }

// Newton's iterations for log erfc(x) = log y, which is nearly a parabola, from where it is known.
inline double erfcinv(double y) {
  if (!(y >= 0 && y <= 2)) return __builtin_nan("");
  if (y == 0 || y == 2) return y == 0 ? __builtin_inf() : -__builtin_inf();
  if (y > 1) return -erfcinv(2 - y);
  long double x = y < 0.5 ? sqrt(-log(y)) : (1 - y) * 0.886226925452758013649L;
  for (int k = 0; k < 60; ++k) {
    const long double tail = shim_erfcx(x), wanted = (long double)y * expl(x * x);
    x += tail / 1.128379167095512573896158903121545172L * (tail > wanted ? __builtin_logl(tail / wanted) : -__builtin_logl(wanted / tail));
  }
  return double(x);
}
inline double erfinv(double x) {
  if (x < 0) return -erfinv(-x);
  if (x > 0.5) return x > 1 ? __builtin_nan("") : erfcinv(1 - x);
  long double root = 0.886226925452758013649L * x;
  for (int k = 0; k < 20; ++k) root -= (__builtin_erfl(root) - x) * expl(root * root) * 0.886226925452758013649L;
  return double(root);
}
inline double normcdfinv(double p) { return -1.41421356237309504880168872420969808 * erfcinv(2 * p); }

// The power series, all of whose terms are positive.
inline double shim_bessel_i(int order, double x) {
  if (x != x) return x;
  long double term = order ? fabs(x) / 2.0L : 1.0L, sum = term;
  for (int k = 1; k < 2000 && term > sum * 1e-22L; ++k) sum += term *= 0.25L * x * x / ((long double)k * (k + order));
  return x == __builtin_inf() || x == -__builtin_inf() ? x * x : double(sum);
}
inline double cyl_bessel_i0(double x) { return shim_bessel_i(0, x); }
inline double cyl_bessel_i1(double x) { return copysign(shim_bessel_i(1, x), x); }
SHIM_FLOAT(erfcx) SHIM_FLOAT(erfcinv) SHIM_FLOAT(erfinv) SHIM_FLOAT(normcdfinv)
SHIM_FLOAT(cyl_bessel_i0) SHIM_FLOAT(cyl_bessel_i1)
#undef SHIM_FLOAT

inline bool isnan(float x) { return __builtin_isnan(x); }
inline bool isnan(double x) { return __builtin_isnan(x); }
inline bool isinf(float x) { return __builtin_isinf(x); }
inline bool isinf(double x) { return __builtin_isinf(x); }
inline bool isfinite(float x) { return __builtin_isfinite(x); }
inline bool isfinite(double x) { return __builtin_isfinite(x); }
inline bool signbit(float x) { return __builtin_signbit(x); }
inline bool signbit(double x) { return __builtin_signbit(x); }

inline int abs(int x) { return x < 0 ? -x : x; }
inline long long abs(long long x) { return x < 0 ? -x : x; }
inline long long llabs(long long x) { return abs(x); }
inline float abs(float x) { return fabsf(x); }
inline double abs(double x) { return fabs(x); }

#define SHIM_EXTREMES(T) \
  inline T max(T x, T y) { return x < y ? y : x; } \
  inline T min(T x, T y) { return y < x ? y : x; }
SHIM_EXTREMES(int)
SHIM_EXTREMES(unsigned)
SHIM_EXTREMES(long long)
SHIM_EXTREMES(unsigned long long)
#undef SHIM_EXTREMES
inline float max(float x, float y) { return fmaxf(x, y); }
inline float min(float x, float y) { return fminf(x, y); }
inline double max(double x, double y) { return fmax(x, y); }
inline double min(double x, double y) { return fmin(x, y); }

// Operations with a way of rounding are never contracted.
inline float __fmul_rn(float x, float y) { return x * y; }
inline float __fadd_rn(float x, float y) { return x + y; }
inline float __fsub_rn(float x, float y) { return x - y; }
inline float __fdiv_rn(float x, float y) { return x / y; }
inline float __fsqrt_rn(float x) { return sqrtf(x); }
inline float __fmaf_rn(float x, float y, float z) { return fmaf(x, y, z); }
inline float __frcp_rn(float x) { return 1.0f / x; }
inline double __dmul_rn(double x, double y) { return x * y; }
inline double __dadd_rn(double x, double y) { return x + y; }
inline double __dsub_rn(double x, double y) { return x - y; }
inline double __ddiv_rn(double x, double y) { return x / y; }
inline double __fma_rn(double x, double y, double z) { return fma(x, y, z); }
inline float __expf(float x) { return expf(x); }
inline float __logf(float x) { return logf(x); }
inline float __fdividef(float x, float y) { return x / y; }
