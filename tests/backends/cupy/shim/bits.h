// Integers, and numbers as the bits that they are made of.
#pragma once

namespace shim {
template <class To, class From> inline To bits(From value) {
  static_assert(sizeof(To) == sizeof(From), "as many bits");
  To found;
  __builtin_memcpy(&found, &value, sizeof(To));
  return found;
}
}  // namespace shim

inline int __float_as_int(float x) { return shim::bits<int>(x); }
inline unsigned __float_as_uint(float x) { return shim::bits<unsigned>(x); }
inline float __int_as_float(int x) { return shim::bits<float>(x); }
inline float __uint_as_float(unsigned x) { return shim::bits<float>(x); }
inline long long __double_as_longlong(double x) { return shim::bits<long long>(x); }
inline double __longlong_as_double(long long x) { return shim::bits<double>(x); }
inline int __double2hiint(double x) { return int(shim::bits<unsigned long long>(x) >> 32); }
inline int __double2loint(double x) { return int(shim::bits<unsigned long long>(x)); }
inline double __hiloint2double(int high, int low) {
  return shim::bits<double>((unsigned long long)(unsigned)high << 32 | (unsigned)low);
}

inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
inline int __clz(int x) { return x ? __builtin_clz(unsigned(x)) : 32; }
inline int __clzll(long long x) { return x ? __builtin_clzll((unsigned long long)x) : 64; }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __ffsll(long long x) { return __builtin_ffsll(x); }
inline unsigned __umulhi(unsigned x, unsigned y) { return unsigned((unsigned long long)x * y >> 32); }
inline int __mulhi(int x, int y) { return int((long long)x * y >> 32); }
inline unsigned long long __umul64hi(unsigned long long x, unsigned long long y) {
  return (unsigned long long)((unsigned __int128)x * y >> 64);
}
inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned by) {
  return unsigned(((unsigned long long)high << 32 | low) << (by & 31) >> 32);
}
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned by) {
  return unsigned(((unsigned long long)high << 32 | low) >> (by & 31));
}
