"""Threads that share the chunks of a launch: how many, and when they start and end.

They are Python threads that stay in one native function, where they need no lock of Python's (see
:mod:`~autodiff.backends.native.pool`). They start with the first parallel launch. A forked child has none of its
parent's threads and starts its own, with a mailbox of its own: a run that another thread of the parent was in does not
concern it.
"""

from __future__ import annotations

import ctypes
import functools
import os
import threading
from dataclasses import dataclass
from typing import Any

from autodiff.backends.native import lasting, launcher, pool
from autodiff.backends.native.kernels import words_address
from autodiff.backends.native.semaphore import Semaphore, new_semaphore

FUNCTION = ctypes.CFUNCTYPE(None, *[ctypes.c_int64] * 5)
START = ctypes.PYFUNCTYPE(ctypes.c_int64)


@dataclass
class Threads:
    """Threads that run, or will when they are first needed.

    Args:
        count: how many work on a launch, the one that calls among them; None until somebody asks.
        mailbox: where they meet; 0 before they have started.
        semaphore: what they sleep on.
    """

    count: int | None = None
    mailbox: int = 0
    semaphore: Semaphore | None = None


_threads = Threads()
_lock = threading.RLock()


def get_num_threads() -> int:
    """The number of threads that work on a large kernel.

    That is what :func:`set_num_threads` said, or else the environment variable ``AUTODIFF_NUM_THREADS`` or
    ``OMP_NUM_THREADS``, or else the number of processor cores that this process may use. Results do not depend on it.

    >>> import autodiff
    >>> autodiff.get_num_threads() >= 1
    True

    Raises:
        ValueError: if ``AUTODIFF_NUM_THREADS`` is no number of threads.
    """
    if _threads.count is None:
        _threads.count = number_from_environment()
    return _threads.count


def set_num_threads(n: int) -> None:
    """Set the number of threads that work on a large kernel.

    >>> import autodiff
    >>> before = autodiff.get_num_threads()
    >>> autodiff.set_num_threads(1)
    >>> autodiff.get_num_threads()
    1
    >>> autodiff.set_num_threads(before)

    Args:
        n: at least 1, which means that the calling thread does all the work.

    Raises:
        TypeError: if it is no whole number.
        ValueError: if it is less than 1.
    """
    if not isinstance(n, int) or isinstance(n, bool):
        raise TypeError(f"set_num_threads takes a whole number of at least 1, not {n!r} of type {type(n).__name__}")
    if n < 1:
        raise ValueError(f"set_num_threads takes a whole number of at least 1, not {n}; 1 means no further threads")
    with _lock:
        if n != _threads.count:
            dismiss()
            _threads.count = n


def number_from_environment() -> int:
    """What the environment says, or the number of cores."""
    named = os.environ.get("AUTODIFF_NUM_THREADS", "").strip()
    if named:
        if not named.isdecimal() or int(named) < 1:
            raise ValueError(
                f"AUTODIFF_NUM_THREADS={named!r} is not a number of threads; set it to a whole number of at least 1, "
                "or leave it out"
            )
        return int(named)
    common = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()  # a list is for nested regions
    return int(common) if common.isdecimal() and int(common) else cores()


def cores() -> int:
    """The processor cores that this process may use."""
    if hasattr(os, "process_cpu_count"):  # from Python 3.13 on
        return os.process_cpu_count() or 1
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@functools.cache
def native() -> bool:
    """Whether threads can sleep in native code on this system."""
    return new_semaphore() is not None


@functools.cache
def shared() -> int:
    """The words that launches look at: what starts the threads if there are none, how to share work, and where."""
    found = lasting.words(8 * len(launcher.POOL))
    put(found, "POOL_SHARE", words_address(pool.text()))
    put(found, "POOL_START", lasting.address_of(START_THREADS))
    return found


def put(words: int, name: str, value: int) -> None:
    """Write one of the words of ``launcher.POOL``."""
    lasting.put(words + 8 * launcher.POOL.index(name), value)


def start() -> int:
    """Start the threads, as the launcher asks for where there are none."""
    with _lock:
        if not _threads.mailbox:
            _threads.semaphore = new_semaphore()
            _threads.mailbox = new_mailbox(_threads.semaphore)
            begin(get_num_threads() - 1, _threads.mailbox)
        put(shared(), "POOL_MAILBOX", _threads.mailbox)
        put(shared(), "POOL_START", 0)
    return 0


START_THREADS = START(start)  # it is called by its address, so it must live


def new_mailbox(semaphore: Any) -> int:
    """A mailbox without work."""
    found = lasting.words(pool.MAILBOX_SIZE)
    contents = {
        "TICKET": pool.CLOSED,
        "SEMAPHORE": semaphore.handle,
        "WAIT": semaphore.wait,
        "POST": semaphore.post,
        "YIELD": semaphore.give_way,
    }
    for name, value in contents.items():
        lasting.put(found + pool.MAILBOX[name], value)
    return found


def begin(count: int, mailbox: int) -> None:
    """Start threads that look for work in a mailbox. Where no more can be started, those that run do the work."""
    if not count:
        return
    work = FUNCTION(words_address(pool.text()))
    for k in range(count):
        thread = threading.Thread(target=work, args=(mailbox, 0, 0, 0, 0), name=f"autodiff-{k + 1}", daemon=True)
        try:
            thread.start()
        except RuntimeError:  # the system has no more threads, or Python is about to end
            return


def dismiss() -> None:
    """End the threads; a run that is going on ends as it would. The next launch starts others."""
    if _threads.mailbox:
        lasting.put(_threads.mailbox + pool.MAILBOX["STOP"], 1)
        for _ in range(_threads.count or 0):
            _threads.semaphore.wake()  # type: ignore[union-attr]
    forget()


def forget() -> None:
    """Let the next launch start threads."""
    _threads.mailbox, _threads.semaphore = 0, None
    if shared.cache_info().currsize:
        put(shared(), "POOL_START", lasting.address_of(START_THREADS))


def in_child() -> None:
    """A forked process has no threads but the one that forked, and nobody will release their locks."""
    global _lock
    _lock = threading.RLock()
    forget()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=in_child)
