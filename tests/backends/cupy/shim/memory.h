// Loads, stores, atomics, and the vectors of CUDA. Threads take turns, so what is plain is atomic.
#pragma once

template <class T> inline T __ldg(const T* place) { return *place; }
template <class T> inline T __ldca(const T* place) { return *place; }
template <class T> inline T __ldcg(const T* place) { return *place; }
template <class T> inline T __ldcs(const T* place) { return *place; }
template <class T> inline T __ldcv(const T* place) { return *place; }
template <class T> inline void __stcg(T* place, T value) { *place = value; }
template <class T> inline void __stcs(T* place, T value) { *place = value; }
template <class T> inline void __stwt(T* place, T value) { *place = value; }

inline void __threadfence() { shim::publish(); }
inline void __threadfence_block() {}
inline void __threadfence_system() { shim::publish(); }
inline void __trap() {
  shim::failed("thread (%u, %u, %u) of block (%u, %u, %u) calls __trap", threadIdx.x, threadIdx.y, threadIdx.z, blockIdx.x,
               blockIdx.y, blockIdx.z);
}

namespace shim {
template <class T> struct Same { typedef T type; };
template <class T> inline void atomic_of(const T* place) {
  static_assert(sizeof(T) >= 2, "CUDA has no atomics of bytes");
  if ((unsigned long long)place % sizeof(T)) failed("an atomic operation on a misaligned address");
}
}  // namespace shim

#define SHIM_ATOMIC(name, result) \
  template <class T> inline T name(T* place, typename shim::Same<T>::type value) { \
    shim::atomic_of(place); \
    const T before = *place; \
    *place = result; \
    shim::publish(place, sizeof(T)); \
    return before; \
  }
SHIM_ATOMIC(atomicAdd, T(before + value))
SHIM_ATOMIC(atomicSub, T(before - value))
SHIM_ATOMIC(atomicExch, value)
SHIM_ATOMIC(atomicMax, before < value ? value : before)
SHIM_ATOMIC(atomicMin, value < before ? value : before)
SHIM_ATOMIC(atomicAnd, before & value)
SHIM_ATOMIC(atomicOr, before | value)
SHIM_ATOMIC(atomicXor, before ^ value)
SHIM_ATOMIC(atomicInc, before >= value ? T(0) : T(before + 1))
SHIM_ATOMIC(atomicDec, before == 0 || before > value ? value : T(before - 1))
#undef SHIM_ATOMIC
template <class T>
inline T atomicCAS(T* place, typename shim::Same<T>::type wanted, typename shim::Same<T>::type value) {
  shim::atomic_of(place);
  const T before = *place;
  if (before == wanted) *place = value;
  shim::publish(place, sizeof(T));
  return before;
}

#define SHIM_VECTORS(name, T, align2, align4) \
  struct alignas(align2) name##2 { T x, y; }; \
  struct name##3 { T x, y, z; }; \
  struct alignas(align4) name##4 { T x, y, z, w; }; \
  inline name##2 make_##name##2(T x, T y) { return {x, y}; } \
  inline name##3 make_##name##3(T x, T y, T z) { return {x, y, z}; } \
  inline name##4 make_##name##4(T x, T y, T z, T w) { return {x, y, z, w}; }
SHIM_VECTORS(float, float, 8, 16)
SHIM_VECTORS(int, int, 8, 16)
SHIM_VECTORS(double, double, 16, 16)
SHIM_VECTORS(longlong, long long, 16, 16)
SHIM_VECTORS(ulonglong, unsigned long long, 16, 16)
#undef SHIM_VECTORS
struct alignas(8) uint2 { unsigned x, y; };
struct alignas(16) uint4 { unsigned x, y, z, w; };
inline uint2 make_uint2(unsigned x, unsigned y) { return {x, y}; }
inline uint3 make_uint3(unsigned x, unsigned y, unsigned z) { return {x, y, z}; }
inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) { return {x, y, z, w}; }
