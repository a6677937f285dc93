"""Semaphores of the operating system, by the addresses of its functions."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from autodiff.backends.native import lasting


@dataclass(frozen=True)
class Semaphore:
    """What native threads sleep on.

    Args:
        handle: what its functions take first.
        wait: the address of the function that waits; a second argument of -1 means without limit. It returns 0.
        post: the address of the function that lets one thread go; its further arguments are 1 and 0.
        give_way: the address of the function that lets other threads of this core run.
        wake: ``post`` for Python.
    """

    handle: int
    wait: int
    post: int
    give_way: int
    wake: Callable[[], Any]


def new_semaphore() -> Semaphore | None:
    """A new semaphore, which lasts as long as the process; None if this system has none that is known."""
    try:
        return {"linux": posix, "darwin": dispatch, "win32": windows}[sys.platform]()
    except (KeyError, OSError, AttributeError):
        return None


def posix() -> Semaphore:
    """Of Linux."""
    library = ctypes.CDLL(None)
    handle = lasting.words(64)
    if library.sem_init(ctypes.c_void_p(handle), 0, 0):
        raise OSError("sem_init")
    return semaphore(handle, library.sem_wait, library.sem_post, library.sched_yield)


def dispatch() -> Semaphore:
    """Of macOS, whose POSIX semaphores have no memory of their own."""
    library = ctypes.CDLL(None)
    library.dispatch_semaphore_create.restype = ctypes.c_void_p
    handle = library.dispatch_semaphore_create(0) or 0
    return semaphore(handle, library.dispatch_semaphore_wait, library.dispatch_semaphore_signal, library.sched_yield)


def windows() -> Semaphore:
    """Of Windows."""
    library = ctypes.WinDLL("kernel32")  # type: ignore[attr-defined, unused-ignore]
    library.CreateSemaphoreW.restype = ctypes.c_void_p
    handle = library.CreateSemaphoreW(None, 0, 2**31 - 1, None) or 0
    return semaphore(handle, library.WaitForSingleObject, library.ReleaseSemaphore, library.SwitchToThread)


def semaphore(handle: int, wait: Any, post: Any, give_way: Any) -> Semaphore:
    """A semaphore of functions that take integers; those that take fewer than others ignore the rest."""
    if not handle:
        raise OSError("no semaphore")
    wait_at, post_at, give_way_at = map(lasting.address_of, (wait, post, give_way))
    return Semaphore(handle, wait_at, post_at, give_way_at, lambda: post(ctypes.c_void_p(handle), 1, None))
