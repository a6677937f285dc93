"""From the text of a kernel to its address: kept in memory, found on disk, or compiled."""

from __future__ import annotations

import os
import threading
from dataclasses import dataclass

from autodiff.backends import cache
from autodiff.backends.numba.checks import Checks
from autodiff.backends.numba.errors import KernelError
from autodiff.backends.numba.identity import key, unavailable
from autodiff.backends.numba.loading import Code, free_unused, load_object
from autodiff.backends.recent import Recent

LIMIT = 256
"""So many kernels stay loaded although nothing uses them."""

_codes: Recent[Code] = Recent(LIMIT)  # by text and checks
_lasting: dict[str, int] = {}  # of the launcher and the pool of threads, which threads are in
_lock = threading.RLock()
_counts = {"hits": 0, "misses": 0, "compiled": 0}

if hasattr(os, "register_at_fork"):  # a child must not find LLVM in the middle of what another thread was doing
    os.register_at_fork(before=_lock.acquire, after_in_parent=_lock.release, after_in_child=_lock.release)


@dataclass(frozen=True)
class CacheInfo:
    """Compiled kernels.

    Args:
        folder: where they are on disk; None if they are kept in memory only.
        entries: how many are on disk.
        bytes: their size.
        hits: how many this process found on disk.
        misses: how many it looked for there and did not find.
        compiled: how many it compiled.
    """

    folder: str | None
    entries: int
    bytes: int
    hits: int
    misses: int
    compiled: int


class Address(int):
    """An address that keeps the code there from being freed.

    Attributes:
        code: what lies there.
    """

    code: Code


def kernel_address(text: str, native: bool = False, checks: Checks | None = None) -> int:
    """The address of the function ``kernel`` that a text defines. The function is there for as long as the result is.

    Args:
        text: in the language of :func:`compiling.compile_object`.
        native: whether it is in the language of :func:`native.compile_native`, which Numba is not needed for. Such a
            function stays for as long as the process lives.
        checks: what is known of its block, where each access to memory is checked.

    Raises:
        KernelError: if the text cannot be compiled, or Numba is missing.
        UncheckedKernelError: if there is something in it that cannot be checked.
    """
    if native:
        return lasting_address(text)
    code = _codes.get((text, checks))
    if code is None:
        with _lock:
            code = _codes.get((text, checks)) or _codes.put((text, checks), found_or_made(text, native, checks))
            free_unused()
    found = Address(code.address)
    found.code = code
    return found


def lasting_address(text: str) -> int:
    """The address of a function that threads run, or CPython: it is never freed."""
    found = _lasting.get(text)
    if found is None:
        with _lock:
            found = _lasting.get(text)
            if found is None:
                found = _lasting[text] = found_or_made(text, native=True).lasts()
    return found


def found_or_made(text: str, native: bool, checks: Checks | None = None) -> Code:
    """The code of a kernel that this process has not met, or has forgotten."""
    reason = unavailable()
    if reason:
        raise KernelError(f"this needs Numba: {reason}")
    name = key(text, native, checks)
    code = cache.read(name)
    if code is not None:
        try:
            found = load_object(code)
        except KernelError:  # it calls a library that was there when it was compiled
            code = None
        else:
            _counts["hits"] += 1
            return found
    _counts["misses"] += 1
    return made(text, native, name, checks)


def made(text: str, native: bool, name: bytes, checks: Checks | None) -> Code:
    """The code of a kernel that is compiled now."""
    from autodiff.backends.numba.compiling import compile_object  # noqa: PLC0415 - nothing of these is needed on a hit
    from autodiff.backends.numba.native import compile_native  # noqa: PLC0415

    code = compile_native(text) if native else compile_object(text, checks)
    _counts["compiled"] += 1
    found = load_object(code)
    cache.write(name, code)
    return found


def cache_info() -> CacheInfo:
    """What is known of compiled kernels, in this process and on disk.

    >>> import autodiff
    >>> autodiff.cache_info().compiled >= 0
    True
    """
    home = cache.folder()
    found = [] if home is None else [each for each in cache.files(home) if each[2].endswith(cache.KERNEL)]
    size = sum(each for _, each, _ in found)
    return CacheInfo(None if home is None else str(home), len(found), size, **_counts)


def clear_cache() -> None:
    """Forget all compiled kernels, on disk and in this process. What uses one keeps it.

    >>> import autodiff
    >>> autodiff.clear_cache()  # doctest: +SKIP
    """
    with _lock:
        _codes.clear()
        _lasting.clear()
        cache.clear()
