// Numbers of 16 bits, as cuda_fp16.h and cuda_bf16.h have them. Arithmetic is that of float, rounded: + - * /
// of 16 bits round the same.
#pragma once

namespace shim {

inline unsigned short half_bits(float given) {  // to the nearest, ties to even
  const unsigned bits = __float_as_uint(given), sign = bits >> 16 & 0x8000u, size = bits & 0x7fffffffu;
  if (size > 0x7f800000u) return 0x7fff;
  if (size >= 0x477ff000u) return (unsigned short)(sign | 0x7c00u);
  if (size < 0x38800000u)  // below the normal numbers: as many units of 2**-24
    return (unsigned short)(sign | (unsigned)rintf(__uint_as_float(size) * 16777216.0f));
  return (unsigned short)(sign | ((size - 0x38000000u + 0xfffu + (size >> 13 & 1u)) >> 13));
}
inline float half_value(unsigned short bits) {
  const unsigned sign = (unsigned)(bits & 0x8000u) << 16, size = bits & 0x7fffu;
  if (size >= 0x7c00u) return __uint_as_float(sign | 0x7f800000u | (size & 0x3ffu) << 13);
  if (size < 0x400u) return copysignf((float)size * 5.9604644775390625e-8f, __uint_as_float(sign | 0x3f800000u));
  return __uint_as_float(sign | ((size << 13) + 0x38000000u));
}
inline unsigned short brain_bits(float given) {
  const unsigned bits = __float_as_uint(given);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return 0x7fff;
  return (unsigned short)((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}
inline float brain_value(unsigned short bits) { return __uint_as_float((unsigned)bits << 16); }

}  // namespace shim

// A double becomes the nearest of 16 bits at once, not through a float.
#define SHIM_HALF(T, to, from) \
  struct alignas(2) T { \
    unsigned short bits; \
    T() = default; \
    T(float x) : bits(shim::to(x)) {} \
    T(double x) { \
      float near = (float)x; \
      const float back = fabsf(near); \
      if ((double)back != fabs(x) && isfinite(near)) { /* round to odd, so that the second rounding decides alone */ \
        unsigned word = __float_as_uint(near); \
        if ((double)back > fabs(x)) --word; \
        near = __uint_as_float(word | 1u); \
      } \
      bits = shim::to(near); \
    } \
    T(int x) : T((double)x) {} \
    T(unsigned x) : T((double)x) {} \
    T(long long x) : T((double)x) {} \
    operator float() const { return shim::from(bits); } \
  }; \
  inline T operator+(T x, T y) { return T((float)x + (float)y); } \
  inline T operator-(T x, T y) { return T((float)x - (float)y); } \
  inline T operator*(T x, T y) { return T((float)x * (float)y); } \
  inline T operator/(T x, T y) { return T((float)x / (float)y); } \
  inline T operator-(T x) { x.bits ^= 0x8000u; return x; } \
  inline bool operator==(T x, T y) { return (float)x == (float)y; } \
  inline bool operator!=(T x, T y) { return (float)x != (float)y; } \
  inline bool operator<(T x, T y) { return (float)x < (float)y; } \
  inline bool operator<=(T x, T y) { return (float)x <= (float)y; } \
  inline bool operator>(T x, T y) { return (float)x > (float)y; } \
  inline bool operator>=(T x, T y) { return (float)x >= (float)y; }
SHIM_HALF(__half, half_bits, half_value)
SHIM_HALF(__nv_bfloat16, brain_bits, brain_value)
#undef SHIM_HALF
typedef __half half;
typedef __nv_bfloat16 nv_bfloat16;

inline float __half2float(__half x) { return (float)x; }
inline __half __float2half(float x) { return __half(x); }
inline __half __float2half_rn(float x) { return __half(x); }
inline __half __double2half(double x) { return __half(x); }
inline unsigned short __half_as_ushort(__half x) { return x.bits; }
inline __half __ushort_as_half(unsigned short x) { __half found; found.bits = x; return found; }
inline float __bfloat162float(__nv_bfloat16 x) { return (float)x; }
inline __nv_bfloat16 __float2bfloat16(float x) { return __nv_bfloat16(x); }
inline __nv_bfloat16 __float2bfloat16_rn(float x) { return __nv_bfloat16(x); }
inline __nv_bfloat16 __double2bfloat16(double x) { return __nv_bfloat16(x); }
inline unsigned short __bfloat16_as_ushort(__nv_bfloat16 x) { return x.bits; }
inline __nv_bfloat16 __ushort_as_bfloat16(unsigned short x) { __nv_bfloat16 found; found.bits = x; return found; }
