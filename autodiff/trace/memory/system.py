"""What the system's allocator does with memory of arrays that are freed.

Derivatives keep intermediate results, so that arrays of a few hundred kilobytes are allocated one after another and
freed together. glibc maps each of them anew, and gives the pages back to the system when they are freed: the next
gradient waits for fresh pages, several times longer than it computes. glibc changes that by itself as soon as a program
frees a larger array: from then on it takes arrays of up to that size from memory that it keeps, twice that size at the
most. Here one of the largest size that counts is freed, whose pages nobody has touched.
"""

from __future__ import annotations

from contextlib import suppress

import numpy as np

from autodiff.trace.memory.recycling import pool

LARGEST = (32 << 20) - (8 << 10)
"""Bytes of the largest array of which glibc takes note, with what it adds to it."""


def keep_freed_memory() -> None:
    """Let the allocator keep up to 64 MB of what is freed; ``AUTODIFF_POOL_SIZE=0`` keeps nothing."""
    if pool.limit:
        with suppress(MemoryError):
            np.empty(LARGEST, np.uint8)
