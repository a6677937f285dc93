"""Loops as vectors against the same loops as Numba compiles them, between pages that must not be touched."""

import ctypes
import mmap
import random
import sys

import numpy as np
import pytest

numba = pytest.importorskip("numba")

from autodiff.backends.compiling import kernel_address  # noqa: E402
from autodiff.backends.language.mathematics import FUNCTIONS  # noqa: E402
from autodiff.backends.language.reading import read  # noqa: E402
from autodiff.backends.llvm import vectors  # noqa: E402
from autodiff.backends.llvm.products.machine import Machine  # noqa: E402
from autodiff.backends.llvm.vectors import lowering  # noqa: E402
from autodiff.backends.llvm.vectors.interleaving import filled  # noqa: E402
from autodiff.backends.native.loading import ENTRY  # noqa: E402
from autodiff.backends.numba.compiling import namespace, with_vectors  # noqa: E402

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
        exec(with_vectors(text, names, machine), names)
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


def unfenced(function, arrays, count):
    """The arrays after a call, which may be longer than what lies between fences."""
    block = np.array([each.ctypes.data for each in arrays], np.int64)
    function.ctypes(block.ctypes.data, 0, count)
    return arrays


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
        return self.random.choice([*self.names[type_][-6:], self.number(type_)])

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
            made += [
                f"-{one}",
                f"absolute({one})",
                f"fmax({one}, {two})",
                f"fmin({one}, {two})",
                f"copysign({one}, {two})",
            ]
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


@pytest.mark.parametrize("type_", ["f4", "f8"])
def test_mathematics(type_, fences):
    """Every function gives in a vector what it gives alone."""
    name = NAMES[type_]
    lines = [f"        v{k} = {each}({', '.join('xy'[:arity])})" for k, (each, arity) in enumerate(FUNCTIONS.items())]
    lines += [f"        store_{name}(c, i * {len(lines)} + {k}, v{k})" for k in range(len(lines))]
    head = ["a = pointer(block, 0)", "b = pointer(block, 1)", "c = pointer(block, 2)", "for i in range(lo, hi):"]
    loop = [f"        x = load_{name}(a, i)", f"        y = load_{name}(b, i)", *lines]
    text = "\n".join(["def kernel(block, lo, hi):", *(f"    {line}" for line in head), *loop])
    ours, plain = compiled(text), compiled(text, plain=True)
    for count in (1, 15, 90):
        arrays = [values(type_, count, 1), values(type_, count, 2), np.zeros(count * len(FUNCTIONS), name)]
        same(run(ours, arrays, count, fences, True), run(plain, arrays, count, fences, True))


def test_casts_to_whole_numbers(fences):
    text = """
def kernel(block, lo, hi):
    a = pointer(block, 0)
    b = pointer(block, 1)
    u = pointer(block, 2)
    v = pointer(block, 3)
    w = pointer(block, 4)
    for i in range(lo, hi):
        x = load_float32(a, i)
        y = load_float64(b, i)
        store_int64(u, i, i8(x) + i8(y) * i)
        store_int32(v, i, i4(i4(x) * i4(y)))
        store_uint8(w, i, u1(absolute(x)))
        store_float32(a, i, f4(i))
"""
    ours, plain = compiled(text), compiled(text, plain=True)
    for count in (0, 3, 50):
        arrays = [np.linspace(-200, 200, count).astype("f4"), np.linspace(-3e9, 4e9, count) / 7]
        arrays += [np.zeros(count, "i8"), np.zeros(count, "i4"), np.zeros(count, "u1")]
        same(run(ours, arrays, count, fences, True), run(plain, arrays, count, fences, True))


@pytest.mark.parametrize("machine", MACHINES)
def test_known_counts(machine, fences):
    """Loops of lengths that are in the text."""
    body = """
    for i in range({start}, {stop}):
        x = load_float64(a, i - {start})
        v = tanh(x)
        total = reduce_add(total, v)
        store_float64(b, i + {at}, v + f8(i))
    store_float64(c, {number}, total)
    total = f8(0.5)
"""
    counts = [4, 5, 7, 8, 9, 14, 15, 16, 17, 24, 30, 31, 32, 33, 40, 63, 64, 65, 100]
    text = "def kernel(block, lo, hi):\n    a = pointer(block, 0)\n    b = pointer(block, 1)\n    c = pointer(block, 2)\n    total = f8(0.5)\n"
    at = 0
    for number, count in enumerate(counts):
        start = number % 3
        text += body.format(start=start, stop=start + count, at=at - start, number=number)
        at += count
    ours, plain = compiled(text, MACHINES[machine]), compiled(text, plain=True)
    arrays = [values("f8", 100, 5), np.zeros(at), np.zeros(len(counts))]
    arrays[0][~np.isfinite(arrays[0])] = 0.25
    for at_end in (False, True):
        first, second = (run(each, arrays, 0, fences, at_end) for each in (ours, plain))
        same(first[:2], second[:2])
        np.testing.assert_allclose(first[2], second[2], rtol=1e-13)


# ---------------------------------------------------------------------------------------------------- reductions

REDUCTIONS = """
def kernel(block, lo, hi):
    x = pointer(block, 0)
    y = pointer(block, 1)
    n = pointer(block, 2)
    m = pointer(block, 3)
    u = pointer(block, 4)
    c = pointer(block, 5)
    reals = pointer(block, 6)
    wholes = pointer(block, 7)
    s0 = f4(1.5)
    s1 = f8(-0.0)
    s2 = f8(1.0)
    s3 = f4(-inf)
    s4 = f8(inf)
    s5 = i8(3)
    s6 = i4(2)
    s7 = i8(1)
    s8 = i4(-2147483648)
    s9 = u1(255)
    s10 = False
    s11 = True
    s12 = 0
    s13 = f8(2.0)
    s14 = u1(250)
    s15 = i8(-9223372036854775808)
    for i in range(lo, hi):
        a = load_float32(x, i)
        b = load_float64(y, i)
        k = load_int64(n, i)
        l = load_int32(m, i)
        w = load_uint8(u, i)
        t = load_bool(c, i)
        s0 = reduce_add(s0, a)
        s1 = reduce_add(s1, b * f8(a))
        s2 = reduce_multiply(s2, f8(1.0) + b * f8(0.001))
        s3 = reduce_maximum(s3, a)
        s4 = reduce_minimum(s4, b)
        s5 = i8(s5 + k)
        s6 = i4(s6 + l)
        s7 = i8(s7 * (k | 1))
        s8 = reduce_maximum(s8, l)
        s9 = reduce_minimum(s9, w)
        s10 = s10 | (a > f4(9.0))
        s11 = s11 & (t | (b < f8(8.0)))
        s12 += l
        s13 = reduce_add(s13, f8(a))
        s13 = reduce_add(s13, where(t, b, f8(0.0)))
        s14 = u1(s14 + w)
        s15 = maximum(s15, k)
"""
for number, name in enumerate(["s0", "s1", "s2", "s3", "s4", "s13"]):
    REDUCTIONS += f"    store_float64(reals, {number}, f8({name}))\n"
for number, name in enumerate(["s5", "s6", "s7", "s8", "s9", "s10", "s11", "s12", "s14", "s15"]):
    REDUCTIONS += f"    store_int64(wholes, {number}, i8({name}))\n"


@pytest.mark.parametrize("machine", MACHINES)
def test_reductions(machine, fences):
    """Sums are the same up to their order, all else exactly; none depends on where arrays lie."""
    ours, plain = compiled(REDUCTIONS, MACHINES[machine]), compiled(REDUCTIONS, plain=True)
    for count in COUNTS:
        arrays = [values(type_, count, count) for type_ in ("f4", "f8", "i8", "i4", "u1", "b1")]
        for each in arrays[:2]:
            each[~np.isfinite(each)] = 0.25
        arrays += [np.zeros(6), np.zeros(10, np.int64)]
        first, second = run(ours, arrays, count, fences, False), run(plain, arrays, count, fences, True)
        again = run(ours, arrays, count, fences, True)
        assert first[6][:6].tobytes() == again[6][-6:].tobytes()
        np.testing.assert_array_equal(first[7][:10], second[7][-10:], f"{count} numbers")
        scale = 1e-4 + np.abs(arrays[0], dtype=float).sum()
        np.testing.assert_allclose(first[6][0], second[6][-6], rtol=0, atol=3e-7 * scale)
        np.testing.assert_allclose(first[6][1:6], second[6][-5:], rtol=1e-12, atol=1e-14 * scale)
        np.testing.assert_array_equal(first[6][3:5], second[6][-3:-1])


@pytest.mark.parametrize("place", [0, 1, 7, 8, 40, 63, 66])
def test_special_numbers_in_reductions(place, fences):
    """NaN stays, infinities cancel to NaN, a sum of negative zeros is one."""
    plain, ours = compiled(REDUCTIONS, plain=True), compiled(REDUCTIONS)
    for special in (np.nan, np.inf, -np.inf, -0.0):
        arrays = [values(type_, 67, 3) for type_ in ("f4", "f8", "i8", "i4", "u1", "b1")]
        for each in arrays[:2]:
            each[...] = -0.0 if special == 0 else 0.25
            each[place] = special
        arrays += [np.zeros(6), np.zeros(10, np.int64)]
        first, second = (run(each, arrays, 67, fences, True)[6][-6:] for each in (ours, plain))
        np.testing.assert_allclose(first, second, rtol=1e-12)
        np.testing.assert_array_equal(np.signbit(first[1]), np.signbit(second[1]))


# ---------------------------------------------------------------------------------------------------- memory


def test_strides(fences):
    """Places that stand still, go backwards, in steps, by a size, or anywhere; and a vector over itself."""
    text = """
def kernel(block, lo, hi):
    a = pointer(block, 0)
    b = pointer(block, 1)
    c = pointer(block, 2)
    d = pointer(block, 3)
    n = pointer(block, 4)
    e = shifted(pointer(block, 5), 8)
    size = hi - lo
    two = 2
    for r in range(2):
        at = r * size
        for i in range(size):
            k = load_int64(n, i)
            x = load_float64(a, 0) + load_float64(a, size - 1 - i)
            y = load_float64(b, i * two + r) + load_float64(b, k) + load_float64(b, i // 3 * 2 % size)
            z = load_float32(c, at + i)
            q = z + load_float32(c, i * 2)
            store_float32(d, at + i, q)
            w = load_float32(d, at + i) * z
            store_float32(d, at + i, w)
            store_int64(e, at + i, i8(b1(x + y)))
"""
    ours, plain = compiled(text), compiled(text, plain=True)
    for count in (0, 1, 2, 8, 9, 31, 70):
        arrays = [values("f8", count, 1), values("f8", 2 * count + 1, 2), values("f4", 2 * count, 3)]
        arrays += [
            np.zeros(2 * count, "f4"),
            np.random.default_rng(0).integers(0, count + 1, count),
            np.zeros(2 * count + 1, int),
        ]
        for at_end in (False, True):
            same(run(ours, arrays, count, fences, at_end), run(plain, arrays, count, fences, at_end))


FEW_APART = """
def kernel(block, lo, hi):
    a = pointer(block, 0)
    b = pointer(block, 1)
    c = pointer(block, 2)
    d = pointer(block, 3)
    e = pointer(block, 4)
    n = {length}
    for i in range(n):
        x = load_float32(a, 2 * i) - load_float32(a, i * 2 + 1)
        y = load_float64(b, i * 3 + 2)
        z = load_bool(c, i * 4 + 1)
        store_float32(d, i * 2 + 1, where(z, x, load_float32(d, i * 2 + 1)))
        store_float32(d, i * 2, load_float32(d, i * 2) + f4(y))
        store_bool(e, i * 4 + 3, z)
        store_bool(e, i * 4, x < y)
        store_bool(e, i * 4 + 2, not z)
        store_bool(e, i * 4 + 1, x > y)
"""


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("length", ["hi - lo", "4", "7", "14", "61"])
def test_elements_a_few_apart(machine, length, fences):
    """Whole vectors are loaded, and stored where stores fill memory together: nothing beyond is touched."""
    text = FEW_APART.format(length=length)
    ours, plain = compiled(text, MACHINES[machine]), compiled(text, plain=True)
    for count in (0, 1, 2, 3, 7, 8, 15, 16, 17, 33, 64, 70) if length == "hi - lo" else (int(length),):
        arrays = [values("f4", 2 * count, 1), values("f8", 3 * count, 2), values("b1", 4 * count, 3)]
        arrays += [values("f4", 2 * count, 4), values("b1", 4 * count, 5)]
        for at_end in (False, True):
            same(run(ours, arrays, count, fences, at_end), run(plain, arrays, count, fences, at_end))


TOGETHER = {
    # what a round stores, and whether it fills memory
    "store_float32(d, i * 2, x)\nstore_float32(d, i * 2 + 1, y)": True,
    "store_float32(d, i * 3, x)\nstore_float32(d, i * 3 + 1, y)": False,
    "store_float32(d, i * 2 + 1, x)\nstore_float32(d, i * 2 + 2, y)": True,
    "store_float32(d, i * 4, x)\nstore_float32(d, i * 4 + 2, y)": False,
    "store_float32(d, i * 2, x)\nstore_float32(d, i * 2 + 1, load_float32(d, i * 2) + y)": False,
    "store_float32(d, i * 2, x)\nstore_float32(d, i * 2 + 1, load_float32(d, i * 2 + 1) + y)": True,
    "store_float32(d, i * 2, x)\nz = load_float32(e, i * 2)\nstore_float32(d, i * 2 + 1, z)": False,
    "store_float32(d, i * 2, x)\nz = load_float32(b, i * 2)\nstore_float32(d, i * 2 + 1, z)": True,
    "z = load_float32(e, i * 2)\nstore_float32(d, i * 2, x)\nstore_float32(d, i * 2 + 1, z)": True,
    "store_float32(d, i * 2, x)\nstore_float32(f, i * 2 + 1, y)": False,
}


@pytest.mark.parametrize("stores", TOGETHER)
def test_which_stores_wait_for_each_other(stores, fences):
    body = stores.replace("\n", "\n        ")
    text = f"""
def kernel(block, lo, hi):
    a = pointer(block, 0)
    b = pointer(block, 1)
    d = pointer(block, 2)
    e = shifted(pointer(block, 2), 0)
    f = pointer(block, 3)
    for i in range(lo, hi):
        x = load_float32(a, i)
        y = load_float32(b, i)
        {body}
"""
    (plan,) = (plan for _, plan in lowering.plans(read(text)))
    assert bool(filled(plan)) == TOGETHER[stores]
    arrays = [values("f4", 200, seed) for seed in range(4)]
    same(run(compiled(text), arrays, 45, fences, True), run(compiled(text, plain=True), arrays, 45, fences, True))


CONFLICTS = {
    # what is in the loop, and why it is left as it is
    "store_float64(m, i, load_float64(m, i + 1))": "a round may touch what another one stores to m",
    "store_float64(m, i + 1, load_float64(m, i))": "a round may touch what another one stores to m",
    "store_float64(m, i, load_float64(m, i) + load_float64(m, 30))": "",
    "store_float64(m, i, load_float64(m, 29))": "a round may touch what another one stores to m",
    "store_float64(m, i, load_float64(m, i + 30))": "",
    "store_float64(m, i, load_float64(m, i + 29))": "a round may touch what another one stores to m",
    "store_float64(m, i * 2, load_float64(m, i * 2 + 1))": "",
    "store_float64(m, i * 2, load_float64(m, i * 2 + 2))": "a round may touch what another one stores to m",
    "store_float64(m, 29 - i, load_float64(m, i))": "a round may touch what another one stores to m",
    "store_float64(m, 29 - i, load_float64(m, 29 - i))": "",
    "store_float32(m, i, f4(load_float64(m, i)))": "a round may touch what another one stores to m",
    "store_float64(m, 3, load_float64(a, i))": "it stores to the same place, or to no known one, of m in every round",
    "store_float64(m, i // 2, load_float64(a, i))": "it stores to the same place, or to no known one, of m in every round",
    "store_float64(m, i, load_float64(a, i // 2))": "",
    "store_float64(m, i, load_float64(near, i))": "a round may touch what another one stores to m",
    "store_float64(m, i, load_float64(far, i))": "",
    "store_float64(m, i, load_float64(n, i // 2))": "",
    "store_float64(m, i, load_float64(later, i))": "",
    "store_float64(later, i, load_float64(later, i + t))": "a round may touch what another one stores to later",
    "store_float64(later, i, load_float64(sooner, i))": "",
    "store_float64(later, i, load_float64(n, i * 7 + 630))": "",
    "store_float64(later, i, load_float64(n, i * 8))": "a round may touch what another one stores to later",
    "store_float64(p, i, load_float64(a, i))": "a round may touch what another one stores to p",
    "store_float64(p, i, 1.0)": "",
    "store_float64(p, t + i, load_float64(p, i + t))": "",
    "store_float64(a, i, load_float64(memory, i))": "",
    "store_float64(m, i, load_float64(memory, i))": "a round may touch what another one stores to m",
    "store_float64(m, t, 1.0)": "it stores to the same place, or to no known one, of m in every round",
    "store_float64(m, i * t, 1.0)": "a round may touch what another one stores to m",
    "x = load_float64(a, i) + x": "x passes from round to round, and is no sum",
    "x = x + load_float64(a, i)": "the order of the sum x is fixed",
    "x = reduce_add(x, x)": "x passes from round to round, and is no sum",
    "x = load_float64(a, i)": "x is read after it",
    "y = load_float64(a, i)": "it does nothing",
    "store_float64(m, i, y)\n            y = load_float64(a, i)": "y passes from round to round, and is no sum",
    "x = reduce_add(x, load_float64(a, i))": "",
    "x = reduce_add(x, load_float64(a, i))\n            x = reduce_maximum(x, 2.0)": "x passes from round to round, and is no sum",
    "x = reduce_add(x, load_float64(a, i))\n            store_float64(m, i, x)": "x passes from round to round, and is no sum",
    "if lo == 3:\n                store_float64(m, i, 1.0)": "it has 'if lo == 3:'",
    "later = shifted(n, i)\n            store_float64(later, i, 1.0)": "it has 'shifted(n, i)'",
    "store_float64(m, i, scipy_erfinv(y))": "it has 'scipy_erfinv(y)'",
}


@pytest.mark.parametrize(("inside", "reason"), CONFLICTS.items())
def test_what_is_left_alone(inside, reason):
    """Loops whose rounds depend on each other, and what is no loop of elements."""
    text = f"""
def kernel(block, lo, hi):
    a = pointer(block, 0)
    memory = pointer(block, 1)
    p = word(block, 2)
    m = shifted(memory, 64)
    n = shifted(memory, 6400)
    far = shifted(m, 30 * 8)
    near = shifted(m, 29 * 8)
    x = f8(0.0)
    y = f8(1.0)
    for t in range(20, -1, -1):
        later = shifted(n, t * 240)
        sooner = shifted(n, t * 240 + 240)
        for i in range(30):
            {inside}
    store_float64(a, 0, x)
"""
    (loop,) = vectors.found_loops(text)
    assert loop.reason == reason
    assert loop.head == "for i in range(30):"
    assert loop.line == 15


def test_loops_over_short_loops(fences):
    """What goes through memory element by element is the loop around; those in it are written out."""
    text = """
def kernel(block, lo, hi):
    a = pointer(block, 0)
    b = pointer(block, 1)
    c = pointer(block, 2)
    for i in range(90):
        total = f8(0.5)
        for j in range(4):
            x = load_float64(a, j * 90 + i)
            total = reduce_add(total, x)
            for k in range(3):
                store_float64(b, (j * 3 + k) * 90 + i, x + f8(k))
        store_float64(c, i, total)
    for i in range(30):
        for j in range(5):
            store_float64(a, i * 5 + j, load_float64(a, i * 5 + j) * f8(2.0))
"""
    assert [(loop.line, loop.reason) for loop in vectors.found_loops(text)] == [(6, ""), (15, "")]
    arrays = [values("f8", 360, 1), np.zeros(1080), np.zeros(90)]
    arrays[0][~np.isfinite(arrays[0])] = 0.25
    first, second = (run(each, arrays, 0, fences, True) for each in (compiled(text), compiled(text, plain=True)))
    same(first[:2], second[:2])
    np.testing.assert_allclose(first[2], second[2], rtol=1e-14)
    changed = text.replace("range(90)", "range(lo, hi)")  # as far as is known, rounds may then meet in b
    assert [(loop.line, loop.reason) for loop in vectors.found_loops(changed)] == [
        (11, "it is so short that LLVM writes it out"),
        (15, ""),
    ]


def test_short_loops_that_load_the_same_in_all_rounds():
    """A name that a loop written out assigns again has a value of its own each time."""
    text = """
def kernel(block, lo, hi):
    in0 = pointer(block, 0)
    out = pointer(block, 1)
    for i in range(6):
        total = f8(0.0)
        for j in range(6):
            first = load_float64(in0, i)
            second = load_float64(in0, j)
            change = first - second
            total = reduce_add(total, change)
        store_float64(out, i, total)
"""
    arrays = [2.0 ** np.arange(6), np.zeros(6)]
    found = unfenced(compiled(text), [each.copy() for each in arrays], 0)
    np.testing.assert_array_equal(found[1], 6 * arrays[0] - arrays[0].sum())


@pytest.mark.parametrize("type_", ["f4", "f8"])
@pytest.mark.parametrize("machine", MACHINES)
def test_quotients_by_what_is_the_same_in_all_rounds(type_, machine):
    """Products with a reciprocal are the rounded quotients, but for the last place where x or they are tiny."""
    name = NAMES[type_]
    text = f"""
def kernel(block, lo, hi):
    a = pointer(block, 0)
    b = pointer(block, 1)
    c = pointer(block, 2)
    for k in range(37):
        y = load_{name}(b, k)
        for i in range(lo, hi):
            x = load_{name}(a, i)
            store_{name}(c, k * hi + i, x / y)
"""
    function = compiled(text, MACHINES[machine])
    generator = np.random.default_rng(0)
    limits = np.finfo(name)
    least = limits.smallest_subnormal
    special = [
        0.0,
        np.inf,
        np.nan,
        1.0,
        3.0,
        limits.max,
        limits.tiny,
        least,
        3 * least,
        limits.tiny * 0.75,
        limits.max / 3,
    ]
    normal = np.exp2(generator.uniform(-20, 20, 200)) * generator.choice([-1, 1], 200)
    wide = np.exp2(generator.uniform(limits.minexp, limits.maxexp, 60))
    x = np.array([*special, *normal, *wide, *np.negative(special)], name)
    y = np.array([*special, *np.negative(special), *normal[:8], *wide[:7]], name)
    _, _, found = unfenced(function, [x, y, np.zeros((37, len(x)), name)], len(x))
    with np.errstate(all="ignore"):
        wanted = x / y[:, None]
    tiny = (np.abs(wanted) < 2 * limits.tiny) | (np.abs(x) < limits.tiny / limits.eps)
    np.testing.assert_array_equal(found[~tiny], wanted[~tiny])
    finite = np.isfinite(wanted)
    np.testing.assert_array_equal(found[~finite], wanted[~finite])
    near = tiny & finite
    assert np.all(np.abs(found[near] - wanted[near]) <= np.spacing(np.abs(wanted[near])))
    number = ~np.isnan(wanted)
    np.testing.assert_array_equal(np.signbit(found[number]), np.signbit(wanted[number]))


@pytest.mark.parametrize("type_", ["f4", "f8"])
def test_instructions_for_vectors_give_what_numbers_give(type_):
    """Powers of two and the ends of logarithms: the same bits, also where results are denormal or infinite."""
    name = NAMES[type_]
    functions = ["exp", "exp2", "logistic", "softplus", "erfc", "log", "log2", "log10", "log1p"]
    lines = [f"        store_{name}(b, i * {len(functions)} + {k}, {each}(x))" for k, each in enumerate(functions)]
    head = ["    a = pointer(block, 0)", "    b = pointer(block, 1)", "    for i in range(lo, hi):"]
    text = "\n".join(["def kernel(block, lo, hi):", *head, f"        x = load_{name}(a, i)", *lines])
    ours, plain = compiled(text), compiled(text, plain=True)
    generator, limits = np.random.default_rng(1), np.finfo(name)
    top = limits.maxexp * np.log(2)
    ends = np.concatenate([generator.uniform(-1.2 * top, 1.2 * top, 200), generator.uniform(-1.1, 1.1, 100)])
    whole = np.exp2(generator.uniform(limits.minexp - 20, limits.maxexp, 100))
    special = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, limits.max, -limits.max, limits.tiny, -1e-39]
    x = np.concatenate([ends, whole, -whole, special]).astype(name)
    found, wanted = (unfenced(each, [x, np.zeros(len(functions) * len(x), name)], len(x)) for each in (ours, plain))
    same(found, wanted)


STORED = [
    ("bool", "copysign(f8(1.0), v) < f8(0.0)", 1),
    ("float32", "f4(v) * f4(2.0)", 4),
    ("int32", "i4(v)", 4),
    ("float64", "v + f8(1.0)", 8),
]


@pytest.mark.parametrize("bound", ["hi", "length"])
@pytest.mark.parametrize(("kind", "expression", "size"), STORED, ids=[each[0] for each in STORED])
def test_nothing_is_written_beyond_the_last_element(kind, expression, size, bound):
    """The last round has a mask; of one lane LLVM would make a store of eight bytes, whatever the element."""
    for length in (1, 2, 7, 8, 9, 15, 17, 31, 33, 65):
        text = (
            "def kernel(block, lo, hi):\n    a = pointer(block, 0)\n    b = pointer(block, 1)\n"
            f"    for i in range({length if bound == 'length' else bound}):\n"
            f"        v = load_float64(a, i)\n        store_{kind}(b, i, {expression})\n"
        )
        x = np.linspace(-1, 1, length)
        memory = np.full(length * size + 128, 0x5A, np.uint8)
        block = np.array([x.ctypes.data, memory.ctypes.data + 64], np.int64)
        kernel = ctypes.CFUNCTYPE(None, ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)(kernel_address(text))
        kernel(block.ctypes.data, 0, length)
        assert (memory[:64] == 0x5A).all()
        assert (memory[64 + length * size :] == 0x5A).all(), length
