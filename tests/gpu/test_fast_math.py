"""Approximate mathematics, where it is asked for: options of the compiler, and the functions of the prelude."""

import pickle

import numpy as np
import pytest

import autodiff
from autodiff import grad, jit, profile
from autodiff.backends import cache
from autodiff.backends.cupy.kernels.kernel import Launch
from autodiff.backends.cupy.prelude import prelude
from autodiff.backends.cupy.runtime import compiling, modules
from tests.backends.cupy.hosting import Hosted, needs_compiler
from tests.backends.cupy.nvrtc import compiled, needs_nvrtc, resources
from tests.backends.cupy.running import Programs
from tests.standin import nvrtc

X = np.linspace(-3, 3, 20, dtype=np.float32)


def bent(x):
    return np.sum(np.tanh(x) / (1 + np.exp(-x)))


@pytest.fixture
def told(cupy, monkeypatch):
    """The options with which texts are compiled, from now on."""
    seen, compile_program = [], nvrtc.compileProgram
    monkeypatch.setattr(
        cupy.cuda.nvrtc,
        "compileProgram",
        lambda program, options: (seen.append(set(options)), compile_program(program, options)),
    )
    monkeypatch.setattr(cache, "read", lambda key: None)
    modules.forget_modules()
    return seen


@needs_compiler
@pytest.mark.parametrize("fast", [False, True])
def test_the_compiler_is_told_where_it_was_asked_for(cupy, told, fast):
    program, x = jit(bent, fast_math=fast), cupy.asarray(X)
    np.testing.assert_allclose(program(x).get(), bent(X), rtol=1e-5)
    np.testing.assert_allclose(grad(program)(x).get(), grad(bent)(X), rtol=1e-4, atol=1e-6)
    with profile():
        program(x)
    assert len(told) >= 2
    assert all(set(compiling.FAST) <= each if fast else each.isdisjoint(compiling.FAST) for each in told)


@needs_compiler
def test_both_ways_live_side_by_side(cupy, told):
    x = cupy.asarray(X)
    for fast in (False, True, False, True):
        jit(bent, fast_math=fast)(x)
    assert len(told) == 2


def test_nothing_changes_on_cpus():
    assert jit(bent, fast_math=True)(X) == jit(bent)(X)


def test_it_is_an_option_like_others():
    assert jit(fast_math=True)(bent).options.fast_math
    assert pickle.loads(pickle.dumps(jit(np.exp, fast_math=True))).options.fast_math
    with pytest.raises(TypeError, match=r"^jit: fast_math must be True or False, got 1 \(test_fast_math\.py:\d+\)$"):
        autodiff.jit(bent, fast_math=1)


@needs_nvrtc
def test_what_it_makes_of_a_kernel():
    text = Programs({"": (lambda x: np.tanh(x) / (1 + np.exp(-x)), X)}).module.source
    exact, quick = (compiled(text, "compute_90", *options)[0] for options in ((), compiling.FAST))
    assert b"div.rn.f32" in exact
    assert b"div.rn.f32" not in quick
    assert b"div.full.f32" in quick
    assert b".ftz" not in quick.replace(b"ex2.approx.ftz", b"")  # small numbers stay
    for architecture in ("sm_80", "sm_90", "sm_100"):
        define = f"#define {compiling.FAST[0].removeprefix('-D')} 1\n"
        assert all(own.spills == 0 for own in resources(define + text, architecture).values())


TEXT = """extern "C" __global__ void both(const float* x, float* exponential, float* tangent) {
  exponential[threadIdx.x] = exp(x[threadIdx.x]);
  tangent[threadIdx.x] = tanh(x[threadIdx.x]);
}
"""


def units(found, exact):
    """How far numbers are from the exact ones, in units of the last place."""
    return np.abs(found.astype(np.float64) - exact) / np.spacing(np.abs(exact).astype(np.float32)).astype(np.float64)


@needs_compiler
def test_functions_on_the_host():
    """There __expf is the host's own, so what is seen are the errors of what is made of it."""
    spread = np.geomspace(1e-6, 20, 480).astype(np.float32)
    x = np.concatenate([spread, -spread, np.array([0.0, -0.0, 80, -80], np.float32)])
    found, tangent = np.zeros_like(x), np.zeros_like(x)
    Hosted(f"#define AUTODIFF_FAST_MATH 1\n{prelude()}\n{TEXT}").run(
        Launch("both", (1, 1), x.size), [x, found, tangent], constant=(0,)
    )
    wide = x.astype(np.float64)
    assert np.all(units(found, np.exp(wide)) <= 1.5)
    assert np.all(units(tangent, np.tanh(wide)) <= 4)
    np.testing.assert_array_equal(np.signbit(tangent), np.signbit(x))


def test_tanh_is_within_what_is_said_with_the_worst_exponential_and_quotient():
    """Errors of __expf and of quotients as large as CUDA allows, in all directions."""
    x = np.linspace(0.35, 12, 200_001).astype(np.float32)
    exact, power = np.tanh(x.astype(np.float64)), np.exp(-2 * x.astype(np.float64))
    for sign in (-1, 1):
        off = sign * (2 + np.floor(1.173 * 2 * x)) * np.spacing(power.astype(np.float32)).astype(np.float64)
        small = (power + off).astype(np.float32)
        quotient = ((1 - small).astype(np.float64)) / (1 + small)
        for direction in (-2, 2):
            found = quotient + direction * np.spacing(quotient.astype(np.float32)).astype(np.float64)
            assert np.max(units(found.astype(np.float32), exact)) <= 8
