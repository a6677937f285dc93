// Barriers, and what the lanes of a warp do together.
#pragma once

static const int warpSize = 32;

inline void __syncthreads() { shim::wait_for_block(0, "__syncthreads"); }
inline int __syncthreads_count(int yes) { return shim::wait_for_block(yes, "__syncthreads_count"); }
inline int __syncthreads_or(int yes) { return shim::wait_for_block(yes, "__syncthreads_or") != 0; }
inline int __syncthreads_and(int yes) { return shim::wait_for_block(!yes, "__syncthreads_and") == 0; }
inline void __syncwarp(unsigned mask = 0xffffffffu) { shim::wait_for_warp(shim::SYNC, mask, 0, 0, "__syncwarp"); }

inline unsigned __ballot_sync(unsigned mask, int yes) {
  return unsigned(shim::wait_for_warp(shim::BALLOT, mask, yes != 0, 0, "__ballot_sync"));
}
inline int __any_sync(unsigned mask, int yes) {
  return shim::wait_for_warp(shim::BALLOT, mask, yes != 0, 0, "__any_sync") != 0;
}
inline int __all_sync(unsigned mask, int yes) {
  return shim::wait_for_warp(shim::BALLOT, mask, yes == 0, 0, "__all_sync") == 0;
}

namespace shim {
template <class T> inline unsigned long long word_of(T value) {
  static_assert(sizeof(T) <= 8, "a shuffle moves 8 bytes at most");
  unsigned long long word = 0;
  __builtin_memcpy(&word, &value, sizeof(T));
  return word;
}
template <class T> inline T shuffled(unsigned mask, T value, int source, const char* call) {
  const unsigned long long word = wait_for_warp(SHUFFLE, mask, word_of(value), source, call);
  T found;
  __builtin_memcpy(&found, &word, sizeof(T));
  return found;
}
}  // namespace shim

template <class T> inline unsigned __match_any_sync(unsigned mask, T value) {
  return unsigned(shim::wait_for_warp(shim::ANY_MATCH, mask, shim::word_of(value), 0, "__match_any_sync"));
}

// Whoever would read outside of its part of the warp reads from itself.
template <class T> inline T __shfl_sync(unsigned mask, T value, int source, int width = 32) {
  const int first = shim::lane() & ~(width - 1);
  return shim::shuffled(mask, value, first | (source & (width - 1)), "__shfl_sync");
}
template <class T> inline T __shfl_up_sync(unsigned mask, T value, unsigned distance, int width = 32) {
  const int lane = shim::lane(), source = lane - int(distance);
  return shim::shuffled(mask, value, source >= (lane & ~(width - 1)) ? source : lane, "__shfl_up_sync");
}
template <class T> inline T __shfl_down_sync(unsigned mask, T value, unsigned distance, int width = 32) {
  const int lane = shim::lane(), source = lane + int(distance);
  return shim::shuffled(mask, value, source <= (lane | (width - 1)) ? source : lane, "__shfl_down_sync");
}
template <class T> inline T __shfl_xor_sync(unsigned mask, T value, int bits, int width = 32) {
  const int lane = shim::lane(), source = lane ^ bits;
  return shim::shuffled(mask, value, source <= (lane | (width - 1)) ? source : lane, "__shfl_xor_sync");
}
