// A switch between stacks that keeps what a function call keeps, and asks nothing of the system.
#pragma once

extern "C" void shim_switch(void** here, void* there);

#if defined(__x86_64__)
asm(R"(
.text
.type shim_switch, @function
shim_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size shim_switch, .-shim_switch
)");
enum { KEPT = 8, GOES_ON = 6 };  // words on a fresh stack, and which of them says where it goes on
#elif defined(__aarch64__)
asm(R"(
.text
.type shim_switch, %function
shim_switch:
  sub sp, sp, #160
  stp x29, x30, [sp, #0]
  stp x19, x20, [sp, #16]
  stp x21, x22, [sp, #32]
  stp x23, x24, [sp, #48]
  stp x25, x26, [sp, #64]
  stp x27, x28, [sp, #80]
  stp d8, d9, [sp, #96]
  stp d10, d11, [sp, #112]
  stp d12, d13, [sp, #128]
  stp d14, d15, [sp, #144]
  mov x9, sp
  str x9, [x0]
  mov sp, x1
  ldp x29, x30, [sp, #0]
  ldp x19, x20, [sp, #16]
  ldp x21, x22, [sp, #32]
  ldp x23, x24, [sp, #48]
  ldp x25, x26, [sp, #64]
  ldp x27, x28, [sp, #80]
  ldp d8, d9, [sp, #96]
  ldp d10, d11, [sp, #112]
  ldp d12, d13, [sp, #128]
  ldp d14, d15, [sp, #144]
  add sp, sp, #160
  ret
.size shim_switch, .-shim_switch
)");
enum { KEPT = 20, GOES_ON = 1 };
#else
#error "the host shim can switch fibers on x86-64 and aarch64 alone"
#endif

// A stack on which `begin` starts when it is switched to.
inline void* fresh_stack(char* end, void (*begin)()) {
  void** place = reinterpret_cast<void**>(end) - KEPT;
  for (int k = 0; k < KEPT; ++k) place[k] = nullptr;
  place[GOES_ON] = reinterpret_cast<void*>(begin);
  return place;
}
