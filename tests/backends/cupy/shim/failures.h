// Failures of a kernel, memory faults among them, lead back to the call that launched it.
#pragma once
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>

namespace shim {

class Watch;
inline Watch* watching;
inline void fault(int signal, siginfo_t* info, void*);

// While it lives, faults are failures.
class Watch {
 public:
  explicit Watch(Request& request) : request(request), before(watching) {
    watching = this;
    request.message[0] = 0;
    request.address = nullptr;
    stack_t own = {};
    own.ss_sp = handlers;
    own.ss_size = sizeof handlers;
    sigaltstack(&own, &stack_before);
    struct sigaction action = {};
    action.sa_sigaction = fault;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    for (int k = 0; k < SIGNALS; ++k) sigaction(signals[k], &action, &actions_before[k]);
  }
  ~Watch() {
    for (int k = 0; k < SIGNALS; ++k) sigaction(signals[k], &actions_before[k], nullptr);
    sigaltstack(&stack_before, nullptr);
    watching = before;
  }

  sigjmp_buf place;
  Request& request;

 private:
  static constexpr int SIGNALS = 4;
  static constexpr int signals[SIGNALS] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
  Watch* before;
  stack_t stack_before;
  struct sigaction actions_before[SIGNALS];
  inline static char handlers[64 << 10];
};

[[noreturn]] inline void failed(const char* form, ...) {
  va_list values;
  va_start(values, form);
  vsnprintf(watching->request.message, watching->request.room, form, values);
  va_end(values);
  siglongjmp(watching->place, 1);
}

inline void fault(int signal, siginfo_t* info, void*) {
  const char* what = "reaches for memory that it may not touch";
  if (signal == SIGFPE) what = "divides an integer by zero";
  if (signal == SIGILL)
    what = "does what C++ leaves undefined: a misaligned pack, or an index outside of an array of fixed size";
  if (signal == SIGSEGV || signal == SIGBUS) watching->request.address = info->si_addr;
  failed("thread (%u, %u, %u) of block (%u, %u, %u) %s", threadIdx.x, threadIdx.y,
         threadIdx.z, blockIdx.x, blockIdx.y, blockIdx.z, what);
}

}  // namespace shim
