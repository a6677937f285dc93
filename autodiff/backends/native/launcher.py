"""The native launcher: the one function behind every bound kernel, as text that is compiled once.

CPython calls it with ``self``, a bytes object that describes a launch, and the arguments. The description is a row of
words: ``HEAD``, the block, the shapes that arrays must have, then one ``RECORD`` for each argument. The
language of the text is that of :mod:`~autodiff.backends.native.words`.
"""

from __future__ import annotations

import functools

from autodiff.backends.native import layout

LARGEST_BLOCK = 480  # words: the block lies on the stack, and less than a page needs no probing there

# fmt: off
HEAD = [
    "KERNEL", "COUNT", "WORDS", "RECORDS",           # its address, and the sizes and places of what follows
    "ROWS", "ROWS_WORD", "CHUNK",                    # a ROWS_WORD of -1: the number of rows is ROWS
    "POOL", "SAVE", "RESTORE",                       # of threads, and of Python's functions for its lock; 0: not wanted
    "NONE", "REFUSED", "COUNTED",                    # what is returned, and whether references to it are counted
    "NDARRAY", "FLOAT", "FLOAT64", "FLOAT32", "INT", # types
    "AS_INT",                                        # Python's function from an int to a word
]
RECORD = ["KIND", "WORD", "DTYPE", "SCALAR", "FLAGS", "NDIM", "SHAPE", "STRIDES"]
KINDS = ["IS_ARRAY", "IS_FLOAT", "IS_FLOAT32", "IS_INT"]
POOL = ["POOL_START", "POOL_SHARE", "POOL_MAILBOX"] # the words at POOL; a POOL_START of 0: its threads run
# fmt: on

TEXT = '''
def kernel(self, values, count):
    """One call."""
    head = self + AT_BYTES
    block, overflow = stack(LARGEST_BLOCK), stack(1)
    for k in range(load_int64(head, WORDS)):
        store_int64(block, k, load_int64(head, HEAD_SIZE + k))
    record = head + 8 * load_int64(head, RECORDS)
    fits = count == load_int64(head, COUNT)
    k = 0
    while fits and k < count:
        value = load_int64(values, k)
        kind, word, of = load_int64(record, KIND), load_int64(record, WORD), load_int64(value + AT_TYPE, 0)
        if kind == IS_ARRAY:
            flags = load_int64(record, FLAGS)
            fits = of == load_int64(head, NDARRAY) and load_int32(value + AT_FLAGS, 0) & flags == flags
            if fits:
                dtype = load_int64(value + AT_DTYPE, 0)
                if dtype != load_int64(record, DTYPE):
                    order = load_uint8(dtype + AT_ORDER, 0)
                    native = order == NATIVE or order == NO_ORDER
                    fits = native and load_int64(dtype + AT_SCALAR, 0) == load_int64(record, SCALAR)
            ndim = load_int64(record, NDIM)
            if fits and ndim >= 0:
                fits = load_int32(value + AT_NDIM, 0) == ndim
            if fits and load_int64(record, SHAPE) > 0:
                shape, wanted = load_int64(value + AT_SHAPE, 0), head + 8 * load_int64(record, SHAPE)
                for axis in range(ndim):
                    if load_int64(shape, axis) != load_int64(wanted, axis):
                        fits = 0
            if fits:
                store_int64(block, word, load_int64(value + AT_DATA, 0))
                if load_int64(record, STRIDES) >= 0:
                    strides, first = load_int64(value + AT_STRIDES, 0), load_int64(record, STRIDES)
                    for axis in range(ndim):
                        store_int64(block, first + axis, load_int64(strides, axis))
        elif kind == IS_FLOAT:
            fits = of == load_int64(head, FLOAT) or of == load_int64(head, FLOAT64)
            if fits:
                store_int64(block, word, load_int64(value + AT_VALUE, 0))
        elif kind == IS_FLOAT32:
            fits = of == load_int64(head, FLOAT32)
            if fits:
                store_int64(block, word, load_int32(value + AT_VALUE, 0))
        else:
            fits = of == load_int64(head, INT)
            if fits:
                store_int64(block, word, call(load_int64(head, AS_INT), value, overflow))
                fits = load_int32(overflow, 0) == 0
        record += 8 * RECORD_SIZE
        k += 1

    answer = load_int64(head, REFUSED)
    if fits:
        answer = load_int64(head, NONE)
        rows, chunk, pool = load_int64(head, ROWS), load_int64(head, CHUNK), load_int64(head, POOL)
        if load_int64(head, ROWS_WORD) >= 0:
            rows = load_int64(block, load_int64(head, ROWS_WORD))
        if chunk <= 0 or chunk >= rows:
            chunk, pool = rows, 0
        if pool != 0 and load_int64(pool, POOL_START) != 0:
            call(load_int64(pool, POOL_START))
        state = 0
        if load_int64(head, SAVE) != 0:
            state = call(load_int64(head, SAVE))
        if pool != 0:
            share, mailbox = load_int64(pool, POOL_SHARE), load_int64(pool, POOL_MAILBOX)
            call(share, mailbox, load_int64(head, KERNEL), block, rows, chunk)
        else:
            low = 0
            while low < rows:
                run(load_int64(head, KERNEL), block, low, min(low + chunk, rows))
                low += chunk
        if state != 0:
            call(load_int64(head, RESTORE), state)
    if load_int64(head, COUNTED) != 0:
        store_int64(answer, 0, load_int64(answer, 0) + 1)
    return answer
'''


@functools.cache
def text() -> str:
    """The whole text, with the numbers behind its names."""
    numbers = {"LARGEST_BLOCK": LARGEST_BLOCK, "HEAD_SIZE": len(HEAD), "RECORD_SIZE": len(RECORD)}
    numbers.update(NATIVE=ord("="), NO_ORDER=ord("|"))
    for names in (HEAD, RECORD, KINDS, POOL):
        numbers.update((name, k) for k, name in enumerate(names))
    numbers.update((f"AT_{name}", place) for name, place in layout.PLACES.items())
    return "".join(f"{name} = {number}\n" for name, number in numbers.items()) + TEXT
