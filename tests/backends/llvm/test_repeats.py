"""Loops that a long kernel has often are printed once, and give the same bits."""

import numpy as np
import pytest

pytest.importorskip("numba")

from autodiff import grad, jit
from autodiff.backends.kernels import effort
from autodiff.backends.language.reading import read
from autodiff.backends.llvm.products.machine import machine_of
from autodiff.backends.llvm.statements import repeats
from autodiff.backends.llvm.statements.target import compiled, printed, processor
from autodiff.backends.llvm.vectors import choice, lowering
from autodiff.backends.native.loading import target
from tests.backends.llvm.test_statements import run


def kernel(*lines):
    head = [
        "def kernel(block, lo, hi):",
        "    x = pointer(block, 0)",
        "    y = pointer(block, 1)",
        "    z = pointer(block, 2)",
    ]
    return "\n".join([*head, *(f"    {line}" for line in lines)]) + "\n"


def loop(name, source, sink, factor="2.0", places="j", stop="40"):
    """A loop over elements whose value is the sum of what it reads."""
    return [
        f"{name} = f8(0.0)",
        f"for j in range({stop}):",
        f"    v = load_float64({source}, {places}) * f8({factor})",
        f"    store_float64({sink}, j, v + f8(1.0))",
        f"    {name} = reduce_add({name}, v)",
        f"store_float64({sink}, 40, {name})",
    ]


def functions(text):
    return printed(text).count("define internal void @loop_") + printed(text).count("define internal double @loop_")


@pytest.fixture
def short(monkeypatch):
    """Few statements make a long kernel."""
    monkeypatch.setattr(repeats, "LONG", 10)


@pytest.mark.parametrize(
    ("lines", "count"),
    [
        ([loop("a", "x", "y"), loop("b", "x", "y"), loop("c", "x", "y")], 1),
        ([loop("a", "x", "y"), loop("b", "x", "y")], 0),  # too few
        ([loop("a", "x", "y"), loop("b", "y", "z"), loop("c", "z", "x")], 0),  # words of other arrays
        ([loop("a", "x", "y"), loop("b", "x", "y", "3.0"), loop("c", "x", "y")], 0),  # another number
        ([loop("a", "x", "y"), loop("b", "x", "y", places="39 - j"), loop("c", "x", "y")], 0),  # other places
        ([loop("a", "x", "y"), loop("b", "x", "y", stop="39"), loop("c", "x", "y")], 0),  # another length
        ([loop(name, "x", "y", places="j" if k % 2 else "39 - j") for k, name in enumerate("abcdef")], 2),
    ],
)
def test_which_loops_are_printed_once(lines, count, short, monkeypatch):
    text = kernel(*(line for each in lines for line in each))
    assert functions(text) == count
    arrays = [np.random.default_rng(k).normal(size=41) for k in range(3)]
    found = run(compiled(text), arrays, 1)
    monkeypatch.setattr(repeats, "LONG", 10**9)
    assert functions(text) == 0
    assert [each.tobytes() for each in found] == [each.tobytes() for each in run(compiled(text), arrays, 1)]


def test_a_stride_that_is_known_at_one_place_alone(short):
    """Vectors depend on what is known of a number where a loop begins."""
    lines = [line for name in "abc" for line in loop(name, "x", "y", places="j * w")]
    text = kernel("w = 1", *lines, "w2 = lo + 1", *[line.replace(" w)", " w2)") for line in lines])
    assert functions(text) == 2


def test_loops_that_read_places_of_their_own(short, monkeypatch):
    """Unrolled steps differ in numbers that are added to places: those are arguments of one function."""
    lines = [
        line for k in range(5) for line in loop("abcde"[k], "x", "y", places=f"{k} + j" if k else "j + 0", stop="30")
    ]
    lines = [line.replace("(y, 40", f"(z, {k}") for k, line in enumerate(lines)]
    text = kernel(*lines).replace("load_float64(x, j + 0)", "load_float64(x, 0 + j)")
    assert functions(text) == 1
    assert printed(text).count("call double @loop_") == 5
    arrays = [np.random.default_rng(k).normal(size=41) for k in range(3)]
    found = run(compiled(text), arrays, 1)
    monkeypatch.setattr(repeats, "LONG", 10**9)
    assert [each.tobytes() for each in found] == [each.tobytes() for each in run(compiled(text), arrays, 1)]


def test_loops_without_rounds_leave_their_result_as_it_was(short):
    """What a loop gives a name that it does not read is what was there where it has no round."""
    lines = []
    for k in range(3):
        lines += [f"last{k} = f8({k + 5})", "for j in range(lo, hi):", f"    last{k} = load_float64(x, j)"]
        lines += [f"    store_float64(y, j, last{k})", f"store_float64(z, {k}, last{k})"]
    text = kernel(*lines)
    assert functions(text) == 1
    arrays = [np.arange(41.0) for _ in range(3)]
    assert run(compiled(text), arrays, 0)[2][:3].tolist() == [5, 6, 7]
    assert run(compiled(text), arrays, 9)[2][:3].tolist() == [8, 8, 8]


def test_numbers_that_are_no_places_stay(short):
    """A number that a place is multiplied with is a stride: vectors depend on it."""
    lines = [line for k in range(3) for line in loop("abc"[k], "x", "y", places=f"j * {k + 1}", stop="13")]
    assert functions(kernel(*lines)) == 0
    written_out = [line for k in range(3) for line in loop("abc"[k], "x", "y", places=f"{k} + j * 2", stop="13")]
    assert functions(kernel(*written_out)) == 1


def test_loops_that_leave_the_kernel_or_give_several_values_stay(short):
    leaving = [
        "for j in range(40):",
        "    if load_float64(x, j) > 3.0:",
        "        return",
        "    store_float64(y, j, 1.0)",
    ]
    assert functions(kernel(*leaving * 3)) == 0
    two = ["a, b = 0.0, 0.0", "for j in range(40):", "    a = reduce_add(a, load_float64(x, j))",
           "    b = reduce_maximum(b, load_float64(x, j))", "store_float64(y, 0, a)", "store_float64(y, 1, b)"]  # fmt: skip
    assert functions(kernel(*two * 3)) == 0


def test_loops_in_loops_and_names_that_change(short):
    body = [
        "for k in range(lo, hi):",
        *[f"    {line}" for name in "abc" for line in loop(name, "x", "y", stop="hi + 3")],
    ]
    text = kernel("t = f8(0.0)", *body, "    t = t + a", "store_float64(z, 0, t)")
    assert functions(text) == 1
    arrays = [np.random.default_rng(k).normal(size=41) for k in range(3)]
    found = run(compiled(text), arrays, 4)
    sums = 2 * np.sum(arrays[0][:7])
    np.testing.assert_allclose(found[2][0], 4 * sums, rtol=1e-14)
    np.testing.assert_allclose(found[1][40], sums, rtol=1e-14)


def test_a_network_of_equal_layers(monkeypatch):
    """As long kernels are made of programs."""

    def loss(weights, x):
        for w in weights:
            x = np.tanh(x @ w)
            x = (x - x.mean(-1, keepdims=True)) / (x.std(-1, keepdims=True) + 1e-5)
        return np.sum(x * x)

    generator = np.random.default_rng(3)
    weights, x = (
        [generator.normal(size=(12, 12)) for _ in range(9)],
        generator.normal(size=(20, 12)),
    )  # too large to stack
    gradient = jit(grad(loss))
    for one, other in zip(gradient(weights, x), grad(loss)(weights, x), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-12)
    text = str(gradient.kernels(weights, x))
    calls = printed(text).count("call void @loop_")
    assert calls >= 3 * functions(text) > 0
    monkeypatch.setattr(repeats, "LONG", 10**9)
    assert functions(text) == 0


def test_repeats_are_counted_once_for_all_processes(short, monkeypatch, tmp_path):
    monkeypatch.setenv("AUTODIFF_CACHE_DIR", str(tmp_path / "cache"))
    text = kernel(*(line for name in "abcd" for line in loop(name, "x", "y")))
    assert effort.repeated(text) == (12, 3)  # three loops more, of four statements with themselves
    found = effort.repeats_of(text, 30, 20)
    assert found == (0.4, 0.15)
    assert found.cost(100, 30, 20) == (effort.estimated_cost(88, 18, 17) + effort.REPEATED * 12, 17)
    monkeypatch.setattr(effort, "repeated", None)
    assert effort.repeats_of(text, 30, 20) == found
    effort.cache.clear()
    with pytest.raises(TypeError):
        effort.repeats_of(text, 30, 20)


def test_unrolled_steps_are_one_kernel():
    """Each step is a loop or two over elements; LLVM sees two or three of them."""

    def loss(u):
        for _ in range(80):
            u = u + 0.1 * (np.roll(u, 1) - 2 * u + np.roll(u, -1))
        return np.sum(u**2)

    u, gradient = np.random.default_rng(0).normal(size=64), jit(grad(loss))
    assert gradient.explain(u).reason == ""
    np.testing.assert_allclose(gradient(u), grad(loss)(u), rtol=1e-12)


def test_statements_of_innermost_loops_are_counted():
    lines = [
        "a = 1",
        "for i in range(3):",
        "    b = 2",
        "    for j in range(2):",
        "        c = 3",
        "        d = 4",
        "e = 5",
    ]
    assert effort.inner_statements([]) == 0
    assert effort.inner_statements(lines) == 2
    assert effort.inner_statements([*lines, "while True:", "    if a:", "        break"]) == 4


@pytest.mark.parametrize("factors", [("2.0", "2.0", "2.0"), ("2.0", "3.0", "4.0")])
def test_crowded_kernels_keep_short_loops_and_count_those_once_that_are_there_often(factors, short, monkeypatch):
    text = kernel(*(line for name, factor in zip("abc", factors, strict=True) for line in loop(name, "x", "y", factor)))
    arrays = [np.random.default_rng(k).normal(size=41) for k in range(2)]
    assert "vectors.next" not in printed(text)
    found = run(compiled(text), arrays, 1)
    plans = [plan for _, plan in lowering.plans(read(text))]
    size, _, vectors = choice.work_of(plans[0], machine_of(target().triple, processor()[1]))
    monkeypatch.setattr(choice, "CROWDED", 2 * size * vectors)
    monkeypatch.setattr(choice, "STRAIGHT_IN_CROWD", 0)
    assert ("vectors.next" in printed(text)) == (len(set(factors)) == 3)
    for one, other in zip(found, run(compiled(text), arrays, 1), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)


def test_loops_of_one_outline_may_be_there_often(short):
    inner = "".join(f"        for j in range(40):\n            store_float64(y, j, f8({k}.0))\n" for k in range(3))
    text = "def kernel(block, lo, hi):\n    x = pointer(block, 0)\n    y = pointer(block, 1)\n"
    text += "".join(f"    for i in range({n}):\n{inner}" for n in (2, 3))
    text += "".join(f"    store_float64(x, {k}, 1.0)\n" for k in range(5))
    found = repeats.loops_in(read(text))
    assert len(found) == 6  # those inside; of the loops around there are two
    assert all(loop.name == "j" for loop in found)
