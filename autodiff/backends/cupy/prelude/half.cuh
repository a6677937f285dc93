// Numbers of 16 bits. They are loaded and stored, and computed as float; no header of CUDA's is needed for that.

struct float16 {
  unsigned short bits;
  __device__ __forceinline__ operator float() const {
#ifdef __CUDA_ARCH__
    float found;
    asm("cvt.f32.f16 %0, %1;" : "=f"(found) : "h"(bits));
    return found;
#else
    const uint32 sign = (bits & 0x8000u) << 16, rest = bits & 0x7fffu;
    if (rest >= 0x7c00u) return __int_as_float(static_cast<int>(sign | 0x7f800000u | (rest & 0x3ffu) << 13));
    const float size = __int_as_float(static_cast<int>(rest << 13)) * 0x1p112f;  // as if the exponent began at -127
    return sign ? -size : size;
#endif
  }
};

struct bfloat16 {
  unsigned short bits;
  __device__ __forceinline__ operator float() const {
    return __int_as_float(static_cast<int>(static_cast<uint32>(bits) << 16));
  }
};

// To the nearest; of two equally near ones to the even one.
__device__ __forceinline__ float16 to_float16(float x) {
  float16 found;
#ifdef __CUDA_ARCH__
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(found.bits) : "f"(x));
#else
  const uint32 bits = static_cast<uint32>(__float_as_int(x)), sign = bits >> 16 & 0x8000u;
  uint32 rest = bits & 0x7fffffffu;
  if (rest > 0x7f800000u) {
    found.bits = 0x7fff;
    return found;
  }
  if (rest >= 0x477ff000u) {
    rest = 0x7c00u;
  } else if (rest < 0x38800000u) {  // 0.5 has as many units as the smallest float16 is long
    const float shifted = __int_as_float(static_cast<int>(rest)) + 0.5f;
    rest = static_cast<uint32>(__float_as_int(shifted)) - 0x3f000000u;
  } else {
    rest = (rest - 0x38000000u + 0xfffu + (rest >> 13 & 1u)) >> 13;
  }
  found.bits = static_cast<unsigned short>(sign | rest);
#endif
  return found;
}

__device__ __forceinline__ bfloat16 to_bfloat16(float x) {
  bfloat16 found;
#ifdef __CUDA_ARCH__
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(found.bits) : "f"(x));
#else
  const uint32 bits = static_cast<uint32>(__float_as_int(x));
  const bool number = (bits & 0x7fffffffu) <= 0x7f800000u;
  found.bits = static_cast<unsigned short>(number ? (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16 : 0x7fffu);
#endif
  return found;
}

// A double as a float that every shorter number is on the same side of: rounding it again rounds the double.
__device__ __forceinline__ float to_odd(double x) {
  const float near = static_cast<float>(x);
  const double again = static_cast<double>(near);
  if (again == x) return near;
  int bits = __float_as_int(near);
  if ((again < 0 ? -again : again) > (x < 0 ? -x : x)) bits -= 1;
  return __int_as_float(bits | 1);
}

__device__ __forceinline__ float once_rounded(float x) { return x; }
__device__ __forceinline__ float once_rounded(float16 x) { return x; }
__device__ __forceinline__ float once_rounded(bfloat16 x) { return x; }
template <class S> __device__ __forceinline__ float once_rounded(S x) { return to_odd(static_cast<double>(x)); }

template <> struct Converted<float16> {
  template <class S> static __device__ __forceinline__ float16 of(S x) { return to_float16(once_rounded(x)); }
};
template <> struct Converted<bfloat16> {
  template <class S> static __device__ __forceinline__ bfloat16 of(S x) { return to_bfloat16(once_rounded(x)); }
};
