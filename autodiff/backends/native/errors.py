"""The errors of compiling and loading kernels."""

from __future__ import annotations

from autodiff.trace.errors import AutodiffError


class KernelError(AutodiffError, RuntimeError):
    """A kernel that cannot be compiled or loaded: a bug in what printed it, or a machine that LLVM does not fit."""


class UncheckedKernelError(KernelError):
    """A kernel that does something which ``AUTODIFF_CHECK_KERNELS=1`` cannot check: it is not run."""
