"""Every primitive on GPU arrays: values, vector-Jacobian products, Jacobian-vector products, second order."""

from __future__ import annotations

import numpy as np
import pytest

import autodiff
import autodiff.scipy.special
from autodiff.trace.errors import AutodiffError
from autodiff.trace.primitive import PRIMITIVES, Primitive
from autodiff.trace.trees.tree import flatten
from tests.gpu.programs import different, in_host_memory, on_gpu

NOT_ON_GPUS = {"erfi", "dawsn", "yv", "kv", "kve", "exprel"}
"""Functions that CuPy does not have, or of whose orders or derivatives it has only some: see docs/gpu.md."""

ELSEWHERE = {  # whole functions as one operation, and what tests of its own reach
    "checkpoint", "custom_jvp", "custom_vjp", "jit", "scan", "switch", "while_loop", "while_loop_backwards",
    "stop_gradient", "rectifier", "pure_callback", "in_c_order",
}  # fmt: skip
TOLERANCES = {"e": 1e-2, "f": 1e-4, "F": 1e-4}
UNLIKE_NUMPY = (AutodiffError, ValueError, TypeError)
"""What NumPy's arrays raise where a function is not differentiable: then there is nothing to compare."""


def same(found, expected, cupy, what):
    """Check that results are those of NumPy, in value, shape and dtype, and that arrays did not leave the GPU."""
    for a, b in zip(flatten(found)[0], flatten(expected)[0], strict=True):
        if isinstance(b, np.ndarray) and b.shape:
            assert isinstance(a, cupy.ndarray), what
        a, b = np.asarray(in_host_memory(a)), np.asarray(b)
        assert (a.shape, a.dtype) == (b.shape, b.dtype), what
        exact = np.complex128 if b.dtype.kind == "c" else np.float64
        tolerance = TOLERANCES.get(b.dtype.char, 1e-9)
        np.testing.assert_allclose(a.astype(exact), b.astype(exact), tolerance, tolerance, err_msg=str(what))


def seeded(value, random):
    """Numbers of the shape and dtype of a value."""
    its = np.asarray(value)
    drawn = random.standard_normal(its.shape).astype(its.dtype if its.dtype.kind in "fc" else bool)
    drawn = drawn if its.dtype.kind in "fc" else np.zeros(its.shape, its.dtype)
    return drawn if isinstance(value, np.ndarray) else drawn[()]


def total(fun):
    """One real number of all results."""

    def summed(*args):
        outs = [out for out in flatten(fun(*args))[0] if getattr(out, "dtype", np.dtype(bool)).kind in "fc"]
        return sum((np.sum(np.real(out) * 1.0) + np.sum(np.imag(out)) for out in outs), 0.0)

    return summed


class Pair:
    """One function on NumPy's arrays and on those of the GPU."""

    def __init__(self, tape, args, cupy):
        moved = on_gpu(tape, cupy)
        self.host = lambda *values: autodiff.eval_tape(tape, *values)
        self.device = lambda *values: autodiff.eval_tape(moved, *values)
        self.args = args
        leaves, structure = flatten(args)
        self.moved = structure.unflatten([on_gpu(leaf, cupy) for leaf in leaves])
        self.cupy = cupy

    def check_value(self, what):
        same(self.device(*self.moved), self.host(*self.args), self.cupy, what)

    def check_reverse(self, what, random):
        out, pull = autodiff.vjp(self.host, *self.args)
        leaves, structure = flatten(out)
        cotangents = structure.unflatten([seeded(leaf, random) for leaf in leaves])
        expected = pull(cotangents)
        found, pull = autodiff.vjp(self.device, *self.moved)
        same(found, out, self.cupy, what)
        moved = [on_gpu(np.asarray(ct), self.cupy) for ct in flatten(cotangents)[0]]
        moved = [
            ct if isinstance(leaf, self.cupy.ndarray) else in_host_memory(ct)[()]
            for ct, leaf in zip(moved, flatten(found)[0], strict=True)
        ]
        same(pull(structure.unflatten(moved)), expected, self.cupy, what)

    def check_forward(self, what, random):
        tangents = tuple(seeded(arg, random) for arg in self.args)
        expected = autodiff.jvp(self.host, self.args, tangents)[1]
        moved = tuple(on_gpu(tangent, self.cupy) for tangent in tangents)
        same(autodiff.jvp(self.device, self.moved, moved)[1], expected, self.cupy, what)

    def check_second(self, what):
        positions = tuple(range(len(self.args)))
        expected = autodiff.grad(total(autodiff.grad(total(self.host), positions)), positions)(*self.args)
        found = autodiff.grad(total(autodiff.grad(total(self.device), positions)), positions)(*self.moved)
        same(found, expected, self.cupy, what)


def comparable(check, *args):
    """Run a check; where NumPy itself cannot, say so."""
    try:
        check(*args)
    except UNLIKE_NUMPY as error:
        if "GPU" in str(error) or "cupy" in str(error).lower() or "Unsupported type" in str(error):
            raise
        return False
    return True


def checked(pair, args, names, random, twice):
    """Compare values and derivatives; the operations of which second derivatives were compared."""
    pair.check_value(names)
    leaves, structure = flatten(args)
    if not all(np.asarray(arg).dtype.kind in "fc" for arg in leaves) or structure.count != len(args):
        return set()
    if not comparable(pair.check_reverse, names, random):
        return set()
    comparable(pair.check_forward, names, random)
    return names if not names <= twice and comparable(pair.check_second, names) else set()


@pytest.mark.filterwarnings("ignore")  # of values that are not computed for their own sake here
def test_every_primitive(cupy, monkeypatch):
    reached: set[str] = set()
    run = Primitive.__call__

    def noting(self, *operands, **params):
        if any(isinstance(operand, cupy.ndarray) for operand in operands):
            reached.add(self.name)
        return run(self, *operands, **params)

    monkeypatch.setattr(Primitive, "__call__", noting)
    twice: set[str] = set()
    refused: set[str] = set()
    random = np.random.default_rng(0)
    for tape, args, names in different(set()):
        if names & NOT_ON_GPUS:
            continue
        pair = Pair(tape, args, cupy)
        try:
            twice |= checked(pair, args, names, random, twice)
        except NotImplementedError as error:
            if "CuPy has" not in str(error):
                raise
            refused |= names
    with_rules = {name for name, primitive in PRIMITIVES.items() if any(primitive.rules)}
    # What CuPy has under SciPy's name is asked of it by name, and what it has not is refused: each by one function.
    of_scipy = ("named.", "refused.")
    refused |= {n for n in with_rules if getattr(PRIMITIVES[n].on_gpu, "__qualname__", "").startswith(of_scipy)}
    kernels = {name for name in with_rules if name.startswith(("kernel", "device"))}
    missing = with_rules - reached - refused - NOT_ON_GPUS - ELSEWHERE - kernels
    assert sorted(missing) == [], sorted(missing)


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("erfi", lambda special, x: special.erfi(x)),
        ("dawsn", lambda special, x: special.dawsn(x)),
        ("hyp1f1", lambda special, x: special.exprel(x)),
    ],
)
def test_what_cupy_does_not_have_says_so(cupy, name, call):
    import scipy.special

    with pytest.raises(NotImplementedError) as caught:
        autodiff.grad(lambda x: np.sum(call(scipy.special, x)))(cupy.arange(1.0, 3.0))
    assert name in str(caught.value)
    assert "CuPy has no such function; compute it in host memory, with x.get()" in str(caught.value)
