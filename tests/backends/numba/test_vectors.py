"""Loops as vectors against the same loops as Numba compiles them, between pages that must not be touched."""

import ctypes
import mmap
import random
import sys

import numpy as np
import pytest

numba = pytest.importorskip("numba")

from autodiff.backends.numba import mathematics, vectors  # noqa: E402
from autodiff.backends.numba.compiling import ENTRY, namespace  # noqa: E402
from autodiff.backends.numba.mathematics.library import FUNCTIONS  # noqa: E402
from autodiff.backends.numba.products.machine import Machine  # noqa: E402

MACHINES = {
    "512 bits": Machine(bits=512, registers=32, masks=True),
    "256 bits": Machine(bits=256, registers=16, masks=True),
    "128 bits": Machine(bits=128, registers=16, masks=False),
}
NAMES = {"b1": "bool", "u1": "uint8", "i4": "int32", "i8": "int64", "f4": "float32", "f8": "float64"}
COUNTS = [*range(71), 127, 128, 129, 1000]


def compiled(text, machine=None, plain=False):
    """The function of a text, as loops of vectors or as Numba's loops."""
    names = namespace()
    if plain:
        exec(text, names)
    else:
        assert not [loop for loop in vectors.found_loops(text) if loop.reason], text
        exec(vectors.compiled(text, names, machine), names)
    return numba.cfunc("void(int64, int64, int64)", error_model="numpy")(names[ENTRY])


class Fence:
    """Memory between two pages that nobody may read or write, where the system can protect pages."""

    def __init__(self, pages=8):
        size = mmap.PAGESIZE
        self.memory = mmap.mmap(-1, (pages + 2) * size)
        self.inside = np.frombuffer(self.memory, np.uint8)[size:-size]
        if sys.platform != "win32":
            protect = ctypes.CDLL(None, use_errno=True).mprotect
            protect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
            for page in (self.inside.ctypes.data - size, self.inside.ctypes.data + pages * size):
                assert protect(page, size, 0) == 0

    def array(self, values, at_end):
        """A copy of values next to a protected page; the first or last elements of the page hold other numbers."""
        flat = self.inside.view(values.dtype)
        flat[...] = 77
        found = flat[len(flat) - len(values) :] if at_end else flat[: len(values)]
        found[...] = values
        return found


@pytest.fixture(scope="module")
def fences():
    return [Fence() for _ in range(12)]


def run(function, arrays, count, fences, at_end):
    """The arrays after a call, with all that is around them."""
    placed = [fence.array(values, at_end) for fence, values in zip(fences, arrays)]
    block = np.array([each.ctypes.data for each in placed], np.int64)
    function.ctypes(block.ctypes.data, 0, count)
    return [fence.inside.view(values.dtype).copy() for fence, values in zip(fences, arrays)]


def same(first, second):
    """Whether arrays are equal to the bit, but for what a NaN has in its bits."""
    for one, other in zip(first, second, strict=True):
        np.testing.assert_array_equal(one, other)
        if one.dtype.kind == "f":
            number = ~np.isnan(one)
            np.testing.assert_array_equal(np.signbit(one[number]), np.signbit(other[number]))


def values(type_, count, seed):
    """Numbers of a type, the special ones among them."""
    generator = np.random.default_rng(seed)
    if type_ == "b1":
        return generator.random(count) < 0.5
    if type_ in ("u1", "i4", "i8"):
        found = generator.integers(-40, 40, count).astype(NAMES[type_])
        limits = np.iinfo(found.dtype)
        found[: 6 * (count // 6)].reshape(-1, 6)[:, 0] = generator.choice([limits.min, limits.max], count // 6)
        return found
    found = (generator.normal(size=count) * 4).astype(NAMES[type_])
    special = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1e-39, 1.0, -1.0, 2.0], found.dtype)
    places = generator.random(count) < 0.3
    found[places] = generator.choice(special, places.sum())
    return found


# ---------------------------------------------------------------------------------------------------- elementwise


class Writer:
    """Random statements: every operation on every type."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.names = {type_: [f"x_{type_}"] for type_ in NAMES}

    def some(self, type_):
        return self.random.choice(self.names[type_][-6:] + [self.number(type_)])

    def number(self, type_):
        pick = self.random.choice
        if type_ == "b1":
            return pick(["True", "False"])
        if type_ in ("f4", "f8"):
            return f"{type_}({pick(['inf', '-inf', 'nan', '0.0', '-0.0', '1.3', '-2.75', '1e-3'])})"
        return f"{type_}({self.random.randrange(0 if type_ == 'u1' else -50, 50)})"

    def expression(self, type_):
        one, two = self.some(type_), self.some(type_)
        pick = self.random.choice
        other = pick([each for each in NAMES if each != type_])
        made = [f"where({self.some('b1')}, {one}, {two})", f"maximum({one}, {two})", f"minimum({one}, {two})"]
        if type_ == "b1":
            kind = pick(list(NAMES))
            first, second = self.some(kind), self.some(kind)
            made += [f"{first} {pick(['<', '<=', '>', '>=', '==', '!='])} {second}"] * 5
            made += [f"{one} {pick('&|^')} {two}", f"not {one}", f"b1({self.some(other)})"]
            return pick(made)
        if type_ in ("f4", "f8"):
            made += [f"{one} {pick('+-*/')} {two}"] * 5
            made += [f"-{one}", f"absolute({one})", f"fmax({one}, {two})", f"fmin({one}, {two})", f"copysign({one}, {two})"]
            made += [f"{pick(['sqrt', 'floor', 'ceil', 'trunc', 'rint'])}({one})", f"fma({one}, {two}, {one})"]
            made += [f"{type_}({self.some(other)})"] * 2
            return pick(made)
        made += [f"{type_}({one} {pick(['+', '-', '*', '&', '|', '^'])} {two})"] * 5
        made += [f"{type_}({self.some(pick([each for each in NAMES if each not in ('f4', 'f8')]))})"]
        if type_ != "u1":
            made += [f"{type_}(-{one})", f"absolute({one})", f"{type_}({one} {pick(['//', '%'])} {two})"]
        return pick(made)

    def text(self, statements, head):
        """A kernel that stores all that it computes."""
        lines = [f"    x{k} = pointer(block, {k})" for k in range(12)] + [f"    for i in {head}:"]
        for k, (type_, name) in enumerate(NAMES.items()):
            lines.append(f"        x_{type_} = load_{name}(x{k}, i)")
        for number in range(statements):
            type_ = self.random.choice(list(NAMES))
            lines.append(f"        v{number} = {self.expression(type_)}")
            self.names[type_].append(f"v{number}")
        for k, (type_, name) in enumerate(NAMES.items(), 6):
            for place, each in enumerate(self.names[type_][-3:]):
                lines.append(f"        store_{name}(x{k}, i * 3 + {place}, {each})")
        return "\n".join(["def kernel(block, lo, hi):", *lines])


def elements(count, seed):
    return [values(type_, count, seed) for type_ in NAMES] + [np.full(3 * count, 5, name) for name in NAMES.values()]


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("seed", range(3))
def test_statements(machine, seed, fences):
    """The results of every statement are those of Numba's loop to the bit, and nothing else is touched."""
    text = Writer(seed).text(60, "range(lo, hi)")
    ours, plain = compiled(text, MACHINES[machine]), compiled(text, plain=True)
    for count in COUNTS:
        arrays = elements(count, count)
        at_end = bool(count % 2)
        same(run(ours, arrays, count, fences, at_end), run(plain, arrays, count, fences, at_end))
