// What CUDA C++ gives a kernel, for a host compiler: so the same text runs on a processor.
// Nothing is included but these files: a kernel sees no name that CUDA does not know.
#pragma once
#pragma GCC system_header

#define __global__
#define __device__
#define __host__
#define __constant__ static const
#define __shared__ thread_local
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __align__(n) alignas(n)
#define __grid_constant__
#define CUDA_HOST_SHIM 1

#include "shim/runtime.h"
#include "shim/launch.h"
#include "shim/warps.h"
#include "shim/bits.h"
#include "shim/memory.h"
#include "shim/mathematics.h"
#include "shim/halves.h"
