// A few blocks side by side, by turns; the threads of a block as fibers, each of which runs until it waits or ends.
#include "runtime.h"

#include <link.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "failures.h"
#include "fibers.h"
#include "late.h"

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
struct Block {
  Thread threads[MOST];
  int sequence[MOST];            // in which they run
  int begun, over, at_block, agreed;
  char* stacks[MOST];            // where they end
  uint3 index;
  char *local, *dynamic;         // its shared memory while another block runs
};
Block places[TOGETHER];
Block* block = places;           // that runs now
int count, current;              // threads of a block, and which one runs
void* scheduler;
void (*body)(void*);
void* given;
LateStores late;
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
  if (block->at_block == 0 || block->at_block + block->over < count) return;
  block->agreed = 0;
  for (int t = 0; t < count; ++t)
    if (block->threads[t].state == AT_BLOCK) block->agreed += block->threads[t].yes;
  for (int t = 0; t < count; ++t)
    if (block->threads[t].state == AT_BLOCK) block->threads[t].state = READY;
  block->at_block = 0;
}

// What each lane of a mask gets, once all of them are here.
void exchange(int first, unsigned here) {
  uint64_t found[32];
  for (int k = 0; k < 32; ++k) {
    if (!(here >> k & 1)) continue;
    Thread& own = block->threads[first + k];
    found[k] = 0;
    if (own.kind == SHUFFLE) {
      if (!(here >> own.source & 1))
        failed("%s: lane %d reads from lane %d, which is not among those that take part, 0x%08x", own.call, k, own.source,
               here);
      found[k] = block->threads[first + own.source].word;
    } else {
      for (int other = 0; other < 32; ++other) {
        const uint64_t word = block->threads[first + other].word;
        if (here >> other & 1 && (own.kind == BALLOT ? word != 0 : word == own.word)) found[k] |= uint64_t(1) << other;
      }
    }
  }
  for (int k = 0; k < 32; ++k)
    if (here >> k & 1) block->threads[first + k].word = found[k], block->threads[first + k].state = READY;
}

// Lets those lanes go on who wait with one mask for each other; lanes that have ended are waited for no more.
void let_warp_go(int first, unsigned mask) {
  unsigned here = 0;
  const Thread* one = nullptr;
  for (int k = 0; k < 32 && first + k < count; ++k) {
    Thread& thread = block->threads[first + k];
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
  block->threads[current].state = ENDED;
  ++block->over;
  let_block_go();
  const int first = current / 32 * 32;
  for (int k = first; k < first + 32 && k < count; ++k)
    if (block->threads[k].state == AT_WARP && block->threads[k].mask >> (current - first) & 1) let_warp_go(first, block->threads[k].mask);
}

// One fiber runs thread after thread; the one that waits keeps it, and the next fiber takes the threads that are left.
void run_threads() {
  do {
    place_thread(block->sequence[block->begun++]);
    body(given);
    end_thread();
  } while (block->begun < count);
  void* left;
  shim_switch(&left, scheduler);
}

void wait() {
  shim_switch(&block->threads[current].place, scheduler);
}

// A walk through the threads that meets each once: a step shares no divisor with a number up to 1024.
void mix(uint32_t& seed) {
  static const unsigned steps[] = {1031, 1033, 1039, 1049, 1051, 1061, 1063, 1069};
  seed = seed * 1664525u + 1013904223u;
  const unsigned step = steps[seed >> 29], start = seed >> 8;
  for (int k = 0; k < count; ++k) block->sequence[k] = int((start + uint64_t(step) * k) % count);
}

void report_deadlock() {
  int waiting = 0, lane = -1, thread = -1;
  for (int t = 0; t < count; ++t) {
    if (block->threads[t].state == AT_BLOCK) thread = t;
    if (block->threads[t].state == AT_WARP && waiting++ == 0) lane = t;
  }
  char text[256] = "";
  int used = 0;
  if (thread >= 0)
    used = snprintf(text, sizeof text, ", %d wait in %s", block->at_block, block->threads[thread].call);
  if (lane >= 0)
    snprintf(text + used, sizeof text - used, ", %d wait in calls of warps: thread %d in %s for the lanes 0x%08x", waiting,
             lane, block->threads[lane].call, block->threads[lane].mask);
  failed("deadlock in block (%u, %u, %u): of %d threads %d have ended%s", blockIdx.x, blockIdx.y, blockIdx.z, count, block->over,
         text);
}

// Every thread until it waits for the first time.
void begin_block(unsigned order, uint32_t& seed) {
  block->begun = block->over = block->at_block = 0;
  for (int t = 0; t < count; ++t) {
    block->threads[t].state = NEW;
    block->sequence[t] = order == 1 ? count - 1 - t : t;
  }
  if (order == 2) mix(seed);
  for (int used = 0; block->begun < count; ++used) {
    if (!block->stacks[used]) block->stacks[used] = new_stack();
    shim_switch(&scheduler, fresh_stack(block->stacks[used], run_threads));
  }
}

// Every thread that may go on, until it waits again.
void go_on(unsigned order, uint32_t& seed) {
  bool went_on = false;
  if (order == 2) mix(seed);
  for (int k = 0; k < count; ++k) {
    const int thread = block->sequence[k];
    if (block->threads[thread].state != READY) continue;
    went_on = true;
    place_thread(thread);
    shim_switch(&scheduler, block->threads[thread].place);
  }
  if (!went_on) report_deadlock();
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

// The shared memory of the block that runs is where kernels look for it; that of the others is kept beside it.
class Blocks {
 public:
  Blocks(Request& request, const Local& local) : request(request), local(local) {
    if (request.together < 2) return;
    for (unsigned k = 0; k < request.together; ++k) {
      free(places[k].local);
      free(places[k].dynamic);
      places[k].local = static_cast<char*>(malloc(local.size + 1));
      places[k].dynamic = static_cast<char*>(malloc(request.shared + BEHIND));
    }
  }
  void begin(unsigned place, unsigned b) {
    block = places + place;
    blockIdx = block->index = {b % gridDim.x, b / gridDim.x % gridDim.y, b / (gridDim.x * gridDim.y)};
    memset(local.start, int(request.poison), local.size);
    memset(memory, int(request.poison), request.shared);
    memset(memory + request.shared, MARK, BEHIND);
    begin_block(request.order, seed());
    leave(place);
  }
  bool run(unsigned place) {  // whether it has ended
    enter(place);
    if (block->over < count) go_on(request.order, seed());
    const bool ended = block->over == count;
    if (ended) end();
    else leave(place);
    return ended;
  }
  uint32_t& seed() { return request.seed; }

 private:
  void enter(unsigned place) {
    block = places + place;
    blockIdx = block->index;
    late.enter(place);
    if (request.together < 2) return;
    memcpy(local.start, block->local, local.size);
    memcpy(memory, block->dynamic, request.shared + BEHIND);
  }
  void leave(unsigned place) {
    late.leave(place);
    if (request.together < 2) return;
    memcpy(block->local, local.start, local.size);
    memcpy(block->dynamic, memory, request.shared + BEHIND);
  }
  void end() {
    late.leave(TOGETHER);
    for (int m = 0; m < BEHIND; ++m)
      if (static_cast<unsigned char>(memory[request.shared + m]) != MARK)
        failed("block (%u, %u, %u) writes behind the %llu bytes of its dynamic shared memory", blockIdx.x, blockIdx.y,
               blockIdx.z, request.shared);
  }
  Request& request;
  const Local& local;
};

void run_blocks(Request& request) {
  Local local{body, nullptr, 0};
  dl_iterate_phdr(find_local, &local);
  Blocks all(request, local);
  const unsigned blocks = gridDim.x * gridDim.y * gridDim.z;
  const uint64_t step = 2147483647u % blocks;  // a prime, so that every block is met
  bool runs[TOGETHER] = {};
  unsigned next = 0, running = 0;
  while (next < blocks || running) {
    for (unsigned place = 0; place < request.together; ++place) {
      if (!runs[place] && next < blocks) {
        unsigned b = request.order == 1 ? blocks - 1 - next : next;
        if (request.order == 2 && step) b = unsigned((step * next + 1) % blocks);
        ++next;
        ++running;
        runs[place] = true;
        all.begin(place, b);
      } else if (runs[place] && all.run(place)) {
        runs[place] = false;
        --running;
      }
    }
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
  if (r.together == 0 || r.together > TOGETHER) failed("%u blocks side by side", r.together);
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
  block = places;
  dynamic();
  late.begin(request);
  run_blocks(request);
  late.end_kernel();
  return 0;
}

int wait_for_block(int yes, const char* call) {
  Thread& own = block->threads[current];
  own.state = AT_BLOCK;
  own.call = call;
  own.yes = yes != 0;
  ++block->at_block;
  let_block_go();
  wait();
  return block->agreed;
}

unsigned long long wait_for_warp(Kind kind, unsigned mask, unsigned long long word, int source, const char* call) {
  Thread& own = block->threads[current];
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

void publish() { late.publish(); }

void publish(const void* place, unsigned size) { late.publish(place, size); }

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
