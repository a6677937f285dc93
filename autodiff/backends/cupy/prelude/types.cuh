// The types of elements, and conversions between them.

typedef unsigned char uint8;
typedef int int32;
typedef unsigned int uint32;
typedef long long int64;
typedef unsigned long long uint64;

template <int n> struct Width { static constexpr int value = n; };

template <class T> __device__ __forceinline__ T infinity();
template <> __device__ __forceinline__ float infinity<float>() { return __int_as_float(0x7f800000); }
template <> __device__ __forceinline__ double infinity<double>() { return __longlong_as_double(0x7ff0000000000000LL); }
template <class T> __device__ __forceinline__ T quiet_nan();
template <> __device__ __forceinline__ float quiet_nan<float>() { return __int_as_float(0x7fc00000); }
template <> __device__ __forceinline__ double quiet_nan<double>() { return __longlong_as_double(0x7ff8000000000000LL); }

template <class T> struct Converted {
  template <class S> static __device__ __forceinline__ T of(S x) { return static_cast<T>(x); }
};
template <> struct Converted<uint8> {  // through the longest integer: bits are cut off, as NumPy does
  template <class S> static __device__ __forceinline__ uint8 of(S x) { return static_cast<uint8>(static_cast<int64>(x)); }
};
template <class T, class S> __device__ __forceinline__ T cast(S x) { return Converted<T>::of(x); }
