// Blocks one after the other; the threads of a block as fibers, each of which runs until it waits or ends.
#include "runtime.h"

#include <link.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "failures.h"
#include "fibers.h"

uint3 threadIdx, blockIdx;
dim3 blockDim, gridDim;

namespace shim {
namespace {

enum State { NEW, READY, AT_BLOCK, AT_WARP, ENDED };
struct Thread {
  State state;
  void* place;       // where its stack goes on
  const char* call;  // that it waits in
  Kind kind;
  unsigned mask;     // of the lanes that it waits for
  int source;        // the lane whose word it wants
  uint64_t word;     // what it brings to its warp, and then what it gets
  int yes;           // what it says to its block
};

constexpr int MOST = 1024, DYNAMIC = 227 << 10, STACK = 128 << 10, GUARD = 64 << 10;
Thread threads[MOST];
int sequence[MOST];              // in which threads run
int count, current, begun, over, at_block, agreed;
char* stacks[MOST];              // where they end
void* scheduler;
void (*body)(void*);
void* given;
char* memory;                    // dynamic shared memory, and what must stay as it is behind it

void place_thread(int thread) {
  current = thread;
  threadIdx = {thread % blockDim.x, thread / blockDim.x % blockDim.y, thread / (blockDim.x * blockDim.y)};
}

char* new_stack() {
  const int kind = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  void* found = mmap(nullptr, STACK + GUARD, PROT_READ | PROT_WRITE, kind, -1, 0);
  if (found == MAP_FAILED) failed("there is no memory for the stacks of threads");
  mprotect(found, GUARD, PROT_NONE);
  return static_cast<char*>(found) + GUARD + STACK;
}

void let_block_go() {
  if (at_block == 0 || at_block + over < count) return;
  agreed = 0;
  for (int t = 0; t < count; ++t)
    if (threads[t].state == AT_BLOCK) agreed += threads[t].yes;
  for (int t = 0; t < count; ++t)
    if (threads[t].state == AT_BLOCK) threads[t].state = READY;
  at_block = 0;
}

// What each lane of a mask gets, once all of them are here.
void exchange(int first, unsigned here) {
  uint64_t found[32];
  for (int k = 0; k < 32; ++k) {
    if (!(here >> k & 1)) continue;
    Thread& own = threads[first + k];
    found[k] = 0;
    if (own.kind == SHUFFLE) {
      if (!(here >> own.source & 1))
        failed("%s: lane %d reads from lane %d, which is not among those that take part, 0x%08x", own.call, k, own.source,
               here);
      found[k] = threads[first + own.source].word;
    } else {
      for (int other = 0; other < 32; ++other) {
        const uint64_t word = threads[first + other].word;
        if (here >> other & 1 && (own.kind == BALLOT ? word != 0 : word == own.word)) found[k] |= uint64_t(1) << other;
      }
    }
  }
  for (int k = 0; k < 32; ++k)
    if (here >> k & 1) threads[first + k].word = found[k], threads[first + k].state = READY;
}

// Lets those lanes go on who wait with one mask for each other; lanes that have ended are waited for no more.
void let_warp_go(int first, unsigned mask) {
  unsigned here = 0;
  const Thread* one = nullptr;
  for (int k = 0; k < 32 && first + k < count; ++k) {
    Thread& thread = threads[first + k];
    if (!(mask >> k & 1) || thread.state == ENDED) continue;
    if (thread.state != AT_WARP || thread.mask != mask) return;
    if (one && one->kind != thread.kind)
      failed("lanes of one warp, 0x%08x, meet in %s and in %s", mask, one->call, thread.call);
    one = &thread;
    here |= 1u << k;
  }
  if (here) exchange(first, here);
}

void end_thread() {
  threads[current].state = ENDED;
  ++over;
  let_block_go();
  const int first = current / 32 * 32;
  for (int k = first; k < first + 32 && k < count; ++k)
    if (threads[k].state == AT_WARP && threads[k].mask >> (current - first) & 1) let_warp_go(first, threads[k].mask);
}

// One fiber runs thread after thread; the one that waits keeps it, and the next fiber takes the threads that are left.
void run_threads() {
  do {
    place_thread(sequence[begun++]);
    body(given);
    end_thread();
  } while (begun < count);
  void* left;
  shim_switch(&left, scheduler);
}

void wait() {
  shim_switch(&threads[current].place, scheduler);
}

// A walk through the threads that meets each once: a step shares no divisor with a number up to 1024.
void mix(uint32_t& seed) {
  static const unsigned steps[] = {1031, 1033, 1039, 1049, 1051, 1061, 1063, 1069};
  seed = seed * 1664525u + 1013904223u;
  const unsigned step = steps[seed >> 29], start = seed >> 8;
  for (int k = 0; k < count; ++k) sequence[k] = int((start + uint64_t(step) * k) % count);
}

void report_deadlock() {
  int waiting = 0, lane = -1, block = -1;
  for (int t = 0; t < count; ++t) {
    if (threads[t].state == AT_BLOCK) block = t;
    if (threads[t].state == AT_WARP && waiting++ == 0) lane = t;
  }
  char text[256] = "";
  int used = 0;
  if (block >= 0) used = snprintf(text, sizeof text, ", %d wait in %s", at_block, threads[block].call);
  if (lane >= 0)
    snprintf(text + used, sizeof text - used, ", %d wait in calls of warps: thread %d in %s for the lanes 0x%08x", waiting,
             lane, threads[lane].call, threads[lane].mask);
  failed("deadlock in block (%u, %u, %u): of %d threads %d have ended%s", blockIdx.x, blockIdx.y, blockIdx.z, count, over,
         text);
}

void run_block(unsigned order, uint32_t& seed) {
  begun = over = at_block = 0;
  for (int t = 0; t < count; ++t) threads[t].state = NEW, sequence[t] = order == 1 ? count - 1 - t : t;
  if (order == 2) mix(seed);
  for (int used = 0; begun < count; ++used) {
    if (!stacks[used]) stacks[used] = new_stack();
    shim_switch(&scheduler, fresh_stack(stacks[used], run_threads));
  }
  while (over < count) {
    bool went_on = false;
    if (order == 2) mix(seed);
    for (int k = 0; k < count; ++k) {
      const int thread = sequence[k];
      if (threads[thread].state != READY) continue;
      went_on = true;
      place_thread(thread);
      shim_switch(&scheduler, threads[thread].place);
    }
    if (!went_on) report_deadlock();
  }
}

// The shared memory that a kernel declares is thread-local memory of its library: there is one thread.
struct Local {
  void (*body)(void*);
  void* start;
  size_t size;
};

int find_local(dl_phdr_info* info, size_t, void* wanted) {
  Local& local = *static_cast<Local*>(wanted);
  const uintptr_t place = reinterpret_cast<uintptr_t>(local.body);
  bool inside = false;
  size_t size = 0;
  for (int k = 0; k < info->dlpi_phnum; ++k) {
    const auto& part = info->dlpi_phdr[k];
    const uintptr_t start = info->dlpi_addr + part.p_vaddr;
    if (part.p_type == PT_LOAD && place >= start && place < start + part.p_memsz) inside = true;
    if (part.p_type == PT_TLS) size = part.p_memsz;
  }
  if (!inside) return 0;
  local.start = info->dlpi_tls_data;
  local.size = local.start ? size : 0;
  return 1;
}

constexpr int BEHIND = 64;
constexpr unsigned char MARK = 0x3c;

void run_blocks(Request& request) {
  uint32_t seed = request.seed;
  Local local{body, nullptr, 0};
  dl_iterate_phdr(find_local, &local);
  const unsigned blocks = gridDim.x * gridDim.y * gridDim.z;
  const uint64_t step = 2147483647u % blocks;  // a prime, so that every block is met
  for (unsigned k = 0; k < blocks; ++k) {
    unsigned b = request.order == 1 ? blocks - 1 - k : k;
    if (request.order == 2 && step) b = unsigned((step * k + 1) % blocks);
    blockIdx = {b % gridDim.x, b / gridDim.x % gridDim.y, b / (gridDim.x * gridDim.y)};
    memset(local.start, int(request.poison), local.size);
    memset(memory, int(request.poison), request.shared);
    memset(memory + request.shared, MARK, BEHIND);
    run_block(request.order, seed);
    for (int m = 0; m < BEHIND; ++m)
      if (static_cast<unsigned char>(memory[request.shared + m]) != MARK)
        failed("block (%u, %u, %u) writes behind the %llu bytes of its dynamic shared memory", blockIdx.x, blockIdx.y,
               blockIdx.z, request.shared);
  }
}

void check(const Request& r) {
  const uint64_t size = uint64_t(r.block[0]) * r.block[1] * r.block[2];
  if (size == 0 || size > MOST || r.block[2] > 64)
    failed("a block of (%u, %u, %u) threads", r.block[0], r.block[1], r.block[2]);
  if (r.bound && size > r.bound) failed("a block of %d threads, but __launch_bounds__ says %u", int(size), r.bound);
  const bool empty = r.grid[0] == 0 || r.grid[1] == 0 || r.grid[2] == 0;
  if (empty || r.grid[0] > 2147483647u || r.grid[1] > 65535 || r.grid[2] > 65535)
    failed("a grid of (%u, %u, %u) blocks", r.grid[0], r.grid[1], r.grid[2]);
  if (r.shared > DYNAMIC) failed("%llu bytes of dynamic shared memory", r.shared);
}

}  // namespace

int run(Request& request, void (*wanted)(void*), void* passed) {
  Watch watch(request);
  if (sigsetjmp(watch.place, 1)) return 1;
  check(request);
  body = wanted;
  given = passed;
  gridDim = {request.grid[0], request.grid[1], request.grid[2]};
  blockDim = {request.block[0], request.block[1], request.block[2]};
  count = int(blockDim.x * blockDim.y * blockDim.z);
  dynamic();
  run_blocks(request);
  return 0;
}

int wait_for_block(int yes, const char* call) {
  Thread& own = threads[current];
  own.state = AT_BLOCK;
  own.call = call;
  own.yes = yes != 0;
  ++at_block;
  let_block_go();
  wait();
  return agreed;
}

unsigned long long wait_for_warp(Kind kind, unsigned mask, unsigned long long word, int source, const char* call) {
  Thread& own = threads[current];
  if (!(mask >> lane() & 1)) failed("%s: lane %d is not in its own mask, 0x%08x", call, lane(), mask);
  own.state = AT_WARP;
  own.call = call;
  own.kind = kind;
  own.mask = mask;
  own.word = word;
  own.source = source;
  let_warp_go(current - lane(), mask);
  wait();
  return own.word;
}

int lane() { return current % 32; }

void* dynamic() {
  if (!memory) {
    void* found = mmap(nullptr, DYNAMIC + (64 << 10), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (found == MAP_FAILED) failed("there is no memory for shared memory");
    memory = static_cast<char*>(found);
  }
  return memory;
}

}  // namespace shim
