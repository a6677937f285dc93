// A function of a kernel as one that takes its arguments as CUDA's driver does: as pointers to values.
#pragma once

namespace shim {

template <int... k> struct Numbers {};
template <int n, int... k> struct Counted : Counted<n - 1, n - 1, k...> {};
template <int... k> struct Counted<0, k...> { typedef Numbers<k...> type; };
template <class T> struct Plain { typedef T type; };
template <class T> struct Plain<const T> { typedef T type; };

template <class... P> struct Call {
  void (*kernel)(P...);
  void** arguments;
  template <int... k> void with(Numbers<k...>) { kernel(*static_cast<typename Plain<P>::type*>(arguments[k])...); }
  static void run(void* call) { static_cast<Call*>(call)->with(typename Counted<sizeof...(P)>::type()); }
};
static thread_local volatile int touched;  // where the shared memory of this library is known from
template <class... P> int launch(Request& request, void (*kernel)(P...), void** arguments) {
  touched = 1;
  Call<P...> call{kernel, arguments};
  return run(request, Call<P...>::run, &call);
}
template <class... P> int sizes(void (*)(P...), unsigned* found) {
  unsigned k = 0;
  ((found[k++] = sizeof(P)), ...);
  return int(k);
}

}  // namespace shim

#define SHIM_EXPORT(name, most) \
  extern "C" int shim_launch_##name(shim::Request* request, void** arguments) { \
    request->bound = most; \
    return shim::launch(*request, &name, arguments); \
  } \
  extern "C" int shim_sizes_##name(unsigned* found) { return shim::sizes(&name, found); }
