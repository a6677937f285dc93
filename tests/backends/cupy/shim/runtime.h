// What kernels ask of the runtime, which is compiled once and holds all threads, barriers and memory of a block.
#pragma once

struct uint3 { unsigned x, y, z; };
struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};
extern uint3 threadIdx, blockIdx;
extern dim3 blockDim, gridDim;

namespace shim {

constexpr unsigned TOGETHER = 4;  // blocks at most that run side by side

enum Kind { SHUFFLE, BALLOT, ANY_MATCH, SYNC };  // what the lanes of a warp do together

struct Request {
  unsigned grid[3], block[3];
  unsigned bound;             // threads that a block has at most, by __launch_bounds__; 0 where nothing is said
  unsigned order;             // of threads and blocks: 0 forwards, 1 backwards, 2 mixed
  unsigned poison;            // of which byte shared memory is full before each block
  unsigned seed;              // of the mixed order
  unsigned long long shared;  // bytes of dynamic shared memory
  unsigned long long room;    // for the message
  char* message;              // why it failed
  void* address;              // where it reached for memory that it may not touch
  const unsigned long long* late;  // where memory begins whose stores become visible late, and its bytes, in turn
  unsigned lates;                  // how much memory of that kind there is
  unsigned together;               // so many blocks run side by side, by turns: one of them whenever its threads wait
};

int run(Request& request, void (*body)(void*), void* given);  // 0 where all went well
int wait_for_block(int yes, const char* call);                // how many threads of the block said yes
unsigned long long wait_for_warp(Kind kind, unsigned mask, unsigned long long word, int source, const char* call);
[[noreturn]] void failed(const char* form, ...);
void* dynamic();                                              // dynamic shared memory
void publish();                                               // what this block has stored is visible to others
void publish(const void* place, unsigned size);               // what it has just stored there is
int lane();

}  // namespace shim
