"""The native side of the pool of threads, as text that is compiled once.

Threads meet in a mailbox, a row of words in which each group has a cache line of its own. Who has work publishes a
kernel, its block and the number of chunks, and opens a *ticket*: a number that names the run in its upper half and the
next chunk in its lower half. A thread claims a chunk by exchanging the ticket for the next one, which fails if anything
happened since it was read. So a thread that comes late finds nothing to do, the caller never waits for a thread that
has not started, and which thread runs a chunk changes nothing in the result.

The language of the text is that of :mod:`~autodiff.backends.native.words`.
"""

from __future__ import annotations

import functools

LINE = 128  # bytes; two cache lines, since processors fetch them in pairs

# fmt: off
MAILBOX = {  # bytes from its start
    "TICKET": 0,
    "DONE":   1 * LINE,                          # chunks of this run that are done
    "ASLEEP": 2 * LINE,                          # threads that wait for the semaphore, or are about to
    "KERNEL": 3 * LINE, "BLOCK": 3 * LINE + 8,   # the run
    "ROWS":   3 * LINE + 16, "CHUNK": 3 * LINE + 24, "CHUNKS": 3 * LINE + 32,
    "BUSY":   4 * LINE,                          # whether a run is going on
    "WAIT":   5 * LINE, "POST": 5 * LINE + 8,    # functions of the semaphore, and the semaphore
    "SEMAPHORE": 5 * LINE + 16,
    "YIELD":  5 * LINE + 24,                     # the function that lets other threads of this core run
    "STOP":   5 * LINE + 32,
}
# fmt: on
MAILBOX_SIZE = 6 * LINE
SPINS = 2000  # looks at the ticket before a thread sleeps: less than 0.1 ms, in which a program often comes back
PATIENCE = 100  # looks at the chunks of others before the caller lets them have its core
CLOSED = 2**32 - 1  # a chunk number that no run reaches

TEXT = '''
def work(mailbox):
    """Claim chunks and run them until none is left."""
    while 1:
        ticket = atomic_load(mailbox + TICKET)
        chunk = ticket & CLOSED
        if chunk >= atomic_load(mailbox + CHUNKS):
            return
        kernel_, block = atomic_load(mailbox + KERNEL), atomic_load(mailbox + BLOCK)
        rows, size = atomic_load(mailbox + ROWS), atomic_load(mailbox + CHUNK)
        if compare_exchange(mailbox + TICKET, ticket, ticket + 1) != 0:
            run(kernel_, block, chunk * size, min(chunk * size + size, rows))
            atomic_add(mailbox + DONE, 1)


def wake(mailbox):
    """Wake two sleeping threads if there are chunks left; each wakes two more."""
    for turn in range(2):
        asleep = atomic_load(mailbox + ASLEEP)
        if asleep <= 0 or atomic_load(mailbox + TICKET) & CLOSED >= atomic_load(mailbox + CHUNKS):
            return
        if compare_exchange(mailbox + ASLEEP, asleep, asleep - 1) != 0:
            call(atomic_load(mailbox + POST), atomic_load(mailbox + SEMAPHORE), 1, 0)


def live(mailbox):
    """The life of a thread: work, look for more for a while, sleep."""
    while atomic_load(mailbox + STOP) == 0:
        looks = 0
        while atomic_load(mailbox + TICKET) & CLOSED >= atomic_load(mailbox + CHUNKS) and looks < SPINS:
            looks += 1
            pause()
        if looks == SPINS:
            sleep = 1
            atomic_add(mailbox + ASLEEP, 1)
            work_is_there = atomic_load(mailbox + TICKET) & CLOSED < atomic_load(mailbox + CHUNKS)
            if work_is_there or atomic_load(mailbox + STOP) != 0:
                asleep = atomic_load(mailbox + ASLEEP)
                while sleep and asleep > 0:  # work came meanwhile: take the name off the list, if nobody has
                    sleep = compare_exchange(mailbox + ASLEEP, asleep, asleep - 1) == 0
                    asleep = atomic_load(mailbox + ASLEEP)
            if sleep:
                while call(atomic_load(mailbox + WAIT), atomic_load(mailbox + SEMAPHORE), -1) & CLOSED != 0:
                    pause()
                wake(mailbox)
        work(mailbox)


def kernel(mailbox, kernel_, block, rows, size):
    """Run a kernel for all rows, with the threads that are there; without a kernel, be one of them."""
    if kernel_ == 0:
        live(mailbox)
        return
    chunks = (rows + size - 1) // size
    alone = chunks >= CLOSED or exchange(mailbox + BUSY, 1) != 0
    if alone:
        low = 0
        while low < rows:
            run(kernel_, block, low, min(low + size, rows))
            low += size
        return
    generation = (atomic_load(mailbox + TICKET) >> 32) + 1
    atomic_store(mailbox + TICKET, generation << 32 | CLOSED)
    atomic_store(mailbox + KERNEL, kernel_)
    atomic_store(mailbox + BLOCK, block)
    atomic_store(mailbox + ROWS, rows)
    atomic_store(mailbox + CHUNK, size)
    atomic_store(mailbox + DONE, 0)
    atomic_store(mailbox + CHUNKS, chunks)
    atomic_store(mailbox + TICKET, generation << 32)
    wake(mailbox)
    work(mailbox)
    looks = 0
    while atomic_load(mailbox + DONE) != chunks:
        looks += 1
        if looks > PATIENCE:
            call(atomic_load(mailbox + YIELD))
        else:
            pause()
    atomic_store(mailbox + BUSY, 0)
'''


@functools.cache
def text() -> str:
    """The whole text, with the numbers behind its names."""
    numbers = {**MAILBOX, "SPINS": SPINS, "PATIENCE": PATIENCE, "CLOSED": CLOSED}
    return "".join(f"{name} = {number}\n" for name, number in numbers.items()) + TEXT
