"""Locks of processes that are forked: a child has none of its parent's threads, so nobody would release theirs."""

from __future__ import annotations

import os
import threading
import weakref
from typing import Any

_locks: dict[tuple[int, str], weakref.ref[Any]] = {}

importing = threading.RLock()
"""Held while a module is imported late, and at every fork: a child could not finish what a thread has begun."""


def lock_of(owner: Any, name: str) -> threading.RLock:
    """A new lock for an attribute of an object or module; a forked process finds another one there, which is open.

    What the lock protects must be of use at any moment: the child may have been forked in the middle of a change.

    Args:
        owner: whose attribute it becomes.
        name: of the attribute.
    """
    key = id(owner), name
    _locks[key] = weakref.ref(owner, lambda _: _locks.pop(key, None))
    return threading.RLock()


def renew_locks() -> None:
    """Open what other threads have locked; what this thread holds it will release itself."""
    for (_, name), reference in list(_locks.items()):
        owner = reference()
        lock = getattr(owner, name, None)
        if lock is not None and not lock._is_owned():
            setattr(owner, name, threading.RLock())


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=renew_locks)
    os.register_at_fork(before=importing.acquire, after_in_parent=importing.release, after_in_child=importing.release)
