// Stores that other blocks see late: when the block has asked for a fence, or when the kernel ends. Memory holds what the
// block sees that runs now; beside it lies what everybody sees.
#pragma once
#include <stdlib.h>
#include <string.h>

namespace shim {

class LateStores {
 public:
  void begin(const Request& request) {
    forget();
    count = request.lates;
    ranges = static_cast<Range*>(calloc(count ? count : 1, sizeof(Range)));
    for (unsigned k = 0; k < count; ++k) {
      Range& range = ranges[k];
      range.memory = reinterpret_cast<unsigned char*>(request.late[2 * k]);
      range.size = request.late[2 * k + 1];
      range.seen = static_cast<unsigned char*>(malloc(range.size + 1));
      memcpy(range.seen, range.memory, range.size);
    }
  }
  void publish() {
    for (unsigned k = 0; k < count; ++k) memcpy(ranges[k].seen, ranges[k].memory, ranges[k].size);
  }
  void publish(const void* place, unsigned size) {
    const unsigned char* start = static_cast<const unsigned char*>(place);
    for (unsigned k = 0; k < count; ++k) {
      const Range& range = ranges[k];
      if (start >= range.memory && start + size <= range.memory + range.size)
        memcpy(range.seen + (start - range.memory), start, size);
    }
  }
  void leave(unsigned place) {  // what is not visible yet is set aside: until the block runs again, or the kernel ends
    Stores& own = stores[place];
    for (unsigned k = 0; k < count; ++k) {
      Range& range = ranges[k];
      for (unsigned long long b = 0; b < range.size; ++b) {
        if (range.memory[b] == range.seen[b]) continue;
        own.add({range.memory + b, range.memory[b]});
        range.memory[b] = range.seen[b];
      }
    }
  }
  void enter(unsigned place) { stores[place].apply(); }
  void end_kernel() {
    stores[TOGETHER].apply();
    forget();
  }

 private:
  struct Range { unsigned char *memory, *seen; unsigned long long size; };
  struct Store { unsigned char* place; unsigned char value; };
  struct Stores {
    Store* all = nullptr;
    unsigned long long count = 0, room = 0;
    void add(Store store) {
      if (count == room) all = static_cast<Store*>(realloc(all, (room = 2 * room + 1024) * sizeof(Store)));
      all[count++] = store;
    }
    void apply() {
      for (unsigned long long k = 0; k < count; ++k) *all[k].place = all[k].value;
      count = 0;
    }
  };
  void forget() {
    for (unsigned k = 0; k < count; ++k) free(ranges[k].seen);
    free(ranges);
    ranges = nullptr;
    count = 0;
    for (Stores& own : stores) own.count = 0;
  }
  Range* ranges = nullptr;
  unsigned count = 0;
  Stores stores[TOGETHER + 1];  // of the blocks that run, and of those that have ended
};

}  // namespace shim
