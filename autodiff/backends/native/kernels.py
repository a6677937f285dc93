"""From the text of a kernel to its address: kept in memory, found on disk, or compiled."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from dataclasses import dataclass

from autodiff.backends import cache
from autodiff.backends.native.checks import Checks
from autodiff.backends.native.errors import KernelError
from autodiff.backends.native.identity import key, unavailable
from autodiff.backends.native.loading import Code, free_unused, load_object
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


def kernel_address(text: str, checks: Checks | None, compiled: Callable[[str, Checks | None], bytes]) -> int:
    """The address of the function ``kernel`` that a text defines. The function is there for as long as the result is.

    Args:
        text: of the kernel.
        checks: what is known of its block, where each access to memory is checked.
        compiled: what makes object code of them, if nothing on disk is.

    Raises:
        KernelError: if the text cannot be compiled, or Numba is missing.
        UncheckedKernelError: if there is something in it that cannot be checked.
    """
    code = _codes.get((text, checks))
    if code is None:
        with _lock:
            code = _codes.get((text, checks))
            if code is None:
                code = found_or_made(key(text, False, checks), lambda: compiled(text, checks))
                _codes.put((text, checks), code)
            free_unused()
    found = Address(code.address)
    found.code = code
    return found


def words_address(text: str) -> int:
    """The address of a function of whole numbers that threads run, or CPython: it is never freed.

    Args:
        text: in the language of :func:`~autodiff.backends.native.words.compile_words`.

    Raises:
        KernelError: if the text cannot be compiled, or Numba is missing.
    """
    found = _lasting.get(text)
    if found is None:
        with _lock:
            found = _lasting.get(text)
            if found is None:
                found = _lasting[text] = found_or_made(key(text, True), lambda: made_of_words(text)).lasts()
    return found


def made_of_words(text: str) -> bytes:
    """The object code of a text of whole numbers."""
    from autodiff.backends.native.words import compile_words  # noqa: PLC0415 - not needed where it is on disk

    return compile_words(text)


def found_or_made(name: bytes, made: Callable[[], bytes]) -> Code:
    """The code of a kernel that this process has not met, or has forgotten.

    Args:
        name: its key on disk.
        made: what compiles it.
    """
    reason = unavailable()
    if reason:
        raise KernelError(f"this needs Numba: {reason}")
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
    code = made()
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
