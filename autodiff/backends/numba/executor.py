"""Chunks shared by threads of Python's own, where native threads have nothing to sleep on."""

from __future__ import annotations

import functools
import itertools
import os
import threading
from collections.abc import Callable
from typing import Any

from autodiff.backends.numba.threads import get_num_threads

_busy = threading.Lock()


@functools.lru_cache(maxsize=1)
def pool(count: int) -> Any:
    """Threads; they start when they are needed."""
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415 - rarely needed

    return ThreadPoolExecutor(count, thread_name_prefix="autodiff")


def share(run: Callable[[int], None], count: int, parallel: bool) -> None:
    """Call a function with the numbers below ``count``.

    Args:
        run: releases Python's lock while it runs.
        count: how many chunks there are.
        parallel: whether threads help. If they help somebody else just now, the caller works alone.
    """
    threads = min(get_num_threads(), count) - 1 if parallel else 0
    if threads <= 0 or not _busy.acquire(blocking=False):
        for k in range(count):
            run(k)
        return
    try:
        claim = itertools.count()

        def work() -> None:
            while (k := next(claim)) < count:
                run(k)

        helpers = [pool(get_num_threads() - 1).submit(work) for _ in range(threads)]
        work()
        for helper in helpers:
            if not helper.cancel():  # one that has not started is not waited for
                helper.result()
    finally:
        _busy.release()


def in_child() -> None:
    """A forked process has no threads but the one that forked."""
    global _busy
    _busy = threading.Lock()
    pool.cache_clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=in_child)
