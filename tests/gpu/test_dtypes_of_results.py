"""What CuPy's functions return beside what the tape says of it."""

import numpy as np
import pytest

from autodiff import jit
from autodiff.backends.cupy.runtime.agreeing import ResultError
from autodiff.backends.cupy.straight import DeviceStraight
from tests.backends.cupy.hosting import needs_compiler

pytestmark = needs_compiler


def calling(monkeypatch, cupy, name, own):
    """Let a function of CuPy be another one; the names of what programs call are noted."""
    kept = getattr(cupy, name)
    monkeypatch.setattr(cupy, name, lambda *args, **kwargs: own(kept(*args, **kwargs)))


def test_a_result_of_another_dtype_is_cast_before_a_kernel_reads_it(cupy, monkeypatch):
    x = np.array([3.0, -1.0, 2.0, 0.5], np.float32)
    calling(monkeypatch, cupy, "argsort", lambda out: out.astype(np.int32))
    program = jit(lambda x: np.sort(x) * x)
    for _ in range(3):
        np.testing.assert_array_equal(program(cupy.asarray(x)).get(), np.sort(x) * x)


def test_results_are_looked_at_once(cupy, monkeypatch):
    names = []
    of_function = DeviceStraight.executed

    def executed(self, scope):
        names.append(scope)
        return of_function(self, scope)

    monkeypatch.setattr(DeviceStraight, "executed", executed)
    program, x = jit(lambda x: np.sort(x) + 1), cupy.asarray(np.arange(4.0))
    program(x)
    called = [type(own).__name__ for scope in names[-1:] for name, own in scope.items() if name.startswith("argsort")]
    assert called
    assert "FirstResults" not in called


def test_a_result_of_another_shape_is_refused_by_name(cupy, monkeypatch):
    calling(monkeypatch, cupy, "argsort", lambda out: out[1:])
    with pytest.raises(ResultError, match=r"^argsort.*: CuPy gives an array of shape \(3,\), where NumPy gives \(4,\)"):
        jit(lambda x: np.sort(x) + 1)(cupy.asarray(np.arange(4.0)))
