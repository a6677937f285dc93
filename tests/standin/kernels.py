"""Kernels of the user's own in CUDA C++: they can be made, and say so when they are called."""


def missing(name):
    """A class of kernels that nothing runs."""

    class Kernel:
        def __init__(self, *args, **kwargs):
            self.args, self.kwargs = args, kwargs
            self.name = kwargs.get("name") or (args[-1] if args and isinstance(args[-1], str) else name)

        def __call__(self, *args, **kwargs):
            raise NotImplementedError(f"the stand-in for CuPy runs no {name}: {self.name}")

        def get_function(self, function):
            return Kernel(function)

        def compile(self, *args, **kwargs):
            raise NotImplementedError(f"the stand-in for CuPy compiles no {name}: {self.name}")

    Kernel.__name__ = Kernel.__qualname__ = name
    Kernel.__module__ = "cupy"
    return Kernel


ElementwiseKernel, ReductionKernel, RawKernel, RawModule = map(
    missing, ("ElementwiseKernel", "ReductionKernel", "RawKernel", "RawModule")
)


def fuse(*args, **kwargs):
    """A function runs operation by operation."""
    return args[0] if args and callable(args[0]) else lambda function: function
