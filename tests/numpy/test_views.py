"""What is written to one array is seen in another one where NumPy's share memory, and nowhere else.

Each function of an array is followed by a write, to the array, to the result or to a reshaped result; everything is
compared with what NumPy makes of it, under every transformation and however the array lies in memory. Where only shapes
are known the layout of an argument is not: then a refusal is right, too, a wrong number never.
"""

from __future__ import annotations

import numpy as np
import pytest

import autodiff
from autodiff.trace.errors import AliasingError, ConcretizationError
from autodiff.trace.values import layout
from tests.numpy.layouts import LAYOUTS, REPEATED
from tests.numpy.view_cases import COPIES, IF_MEMORY_ALLOWS, VIEWS

X = np.random.default_rng(4).normal(size=(4, 4, 4))
REFUSED = {"broadcast_arrays"}
"""Views that NumPy lets users write to with a warning, and that are read-only here."""
CASES = {
    **VIEWS,
    **IF_MEMORY_ALLOWS,
    **COPIES,
    "real of complex numbers": lambda x: np.real(1j * x),
    "imag": lambda x: np.imag(x + 1j * x),
}


def then_write_the_argument(function):
    def program(x):
        y = function(x)
        x[...] = 2 * x + 1
        return 1.0 * y

    return program


def then_write_the_result(function):
    def program(x):
        y = function(x)
        y[...] = 3 * y - 1
        return 1.0 * x

    return program


def then_write_the_reshaped_result(*shape, order="C"):
    def of(function):
        def program(x):
            y = function(x)
            z = y.reshape(*shape, order=order) if shape else y.ravel(order)
            z[..., :2] = 7.0
            return 1.0 * y

        return program

    return of


def then_read_the_reshaped_result(function):
    def program(x):
        y = function(x)
        z = y.reshape(-1)
        y[...] = 3 * y
        return 1.0 * z

    return program


def then_read_by_memory(function):
    return lambda x: 1.0 * function(x).ravel("K")


def then_read_what_was_written(*shape, order="C"):
    def of(function):
        def program(x):
            z = function(x).reshape(*shape, order=order) if shape else function(x).ravel(order)
            z[..., :2] = 7.0
            z *= 3
            return z[::-1] + 0.0

        return program

    return of


PROGRAMS = {
    "written argument": then_write_the_argument,
    "written result": then_write_the_result,
    "written through reshape(-1)": then_write_the_reshaped_result(-1),
    "written through reshape(2, -1)": then_write_the_reshaped_result(2, -1),
    "written through reshape(2, -1, order='F')": then_write_the_reshaped_result(2, -1, order="F"),
    "written through ravel": then_write_the_reshaped_result(),
    "written through ravel('K')": then_write_the_reshaped_result(order="K"),
    "reshape(2, -1) is written and read": then_read_what_was_written(2, -1),
    "reshape(-1, 2, order='F') is written and read": then_read_what_was_written(-1, 2, order="F"),
    "ravel is written and read": then_read_what_was_written(),
    "reshaped before a write": then_read_the_reshaped_result,
    "read by ravel('K')": then_read_by_memory,
}


def outcome(run, x):
    """What a program gives, or the error."""
    try:
        return np.asarray(run(x))
    except (ValueError, AliasingError, ConcretizationError) as error:
        return error


def ones(x):
    return np.ones_like(x)


VALUES_KNOWN = {
    "vjp": lambda program: lambda x: autodiff.vjp(program, x)[0],
    "jvp": lambda program: lambda x: autodiff.jvp(program, (x,), (ones(x),))[0],
    "linearize": lambda program: lambda x: autodiff.linearize(program, x)[0],
    "vjp of checkpoint": lambda program: lambda x: autodiff.vjp(autodiff.checkpoint(program), x)[0],
    "jvp of vjp": lambda program: lambda x: autodiff.jvp(lambda x: autodiff.vjp(program, x)[0], (x,), (ones(x),))[0],
}
SHAPES_KNOWN = {
    "jit": lambda program: autodiff.jit(program, backend="numpy"),
    "vmap": lambda program: lambda x: autodiff.vmap(program)(np.stack([x, x]))[0],
    "make_tape": lambda program: lambda x: autodiff.eval_tape(autodiff.make_tape(program)(x), x),
}


OVERLAPPING = pytest.mark.filterwarnings("ignore:Numpy has detected that you:DeprecationWarning")


@OVERLAPPING
@pytest.mark.parametrize("name", CASES)
def test_writes_are_seen_where_numpy_sees_them(name):
    for lay_out in (np.array, *LAYOUTS[:5]):
        x = lay_out(X)
        all_of_them = lay_out is LAYOUTS[1] and name not in COPIES
        transformations = list(VALUES_KNOWN.items())[: None if all_of_them else 2]
        for label, follow in PROGRAMS.items():
            program = follow(CASES[name])
            expected = outcome(program, layout.copied(x))
            for transformation, transformed in transformations:
                where = f"{lay_out.__name__}, {label}, {transformation}"
                found = outcome(transformed(program), x)
                if isinstance(found, ValueError) and name in REFUSED and "read-only" in str(found):
                    continue
                assert isinstance(found, Exception) == isinstance(expected, Exception), (where, found)
                if not isinstance(expected, Exception):
                    np.testing.assert_allclose(found, expected, rtol=1e-12, err_msg=where)
        np.testing.assert_array_equal(x, lay_out(X))


@OVERLAPPING
@pytest.mark.parametrize("name", CASES)
def test_where_only_shapes_are_known_nothing_is_wrong(name):
    x = np.asfortranarray(X)
    for label, follow in PROGRAMS.items():
        program = follow(CASES[name])
        expected = outcome(program, layout.copied(x))
        for transformation, transformed in SHAPES_KNOWN.items():
            found = outcome(transformed(program), x)
            if not isinstance(found, Exception):
                assert not isinstance(expected, Exception)
                np.testing.assert_allclose(found, expected, rtol=1e-12, err_msg=f"{label}, {transformation}")


@pytest.mark.parametrize("size", [3, 12, 300])
@pytest.mark.parametrize("lay_out", LAYOUTS)
def test_gradients_of_large_and_small_arguments_that_are_reshaped_and_written(lay_out, size):
    def loss(x):
        y = np.sin(x)
        flat = x.reshape(-1)
        flat[::2] = 0.5 * flat[::2]
        lines = y.reshape(size, -1)
        lines[1:] *= lines[:-1]
        return np.sum(x * np.cos(x)) + np.sum(y * x.ravel("K").reshape(y.shape))

    rng = np.random.default_rng(size)
    x = lay_out(rng.normal(size=(size, 4)))
    direction = rng.normal(size=x.shape)

    def moved(step):
        there = layout.copied(x)
        there += step * direction
        return loss(there)

    gradient = autodiff.grad(loss)(x)
    slope = (moved(1e-6) - moved(-1e-6)) / 2e-6
    np.testing.assert_allclose(np.sum(gradient * direction), slope, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(autodiff.jvp(loss, (x,), (direction,))[1], np.sum(gradient * direction), rtol=1e-10)


@pytest.mark.parametrize("lay_out", REPEATED)
@pytest.mark.parametrize("transform", [autodiff.vjp, autodiff.linearize])
def test_a_write_to_elements_that_share_memory_is_refused(lay_out, transform):
    def f(x):
        x.T[0] = 5.0
        return x

    with pytest.raises(AliasingError) as caught:
        transform(f, lay_out(X[0]))
    entry = next(entry for entry in caught.traceback if entry.name == "f")
    assert str(caught.value) == (
        f"a write to float64[4,4] (test_views.py:{entry.lineno + 1}), several elements of which are one and the same "
        "piece of memory, as np.broadcast_to makes them; copy it before"
    )


def test_variables_are_read_as_they_lie():
    for name, function in COPIES.items():
        for lay_out in (np.array, *LAYOUTS, *REPEATED):
            if name == "inv" and lay_out in REPEATED:
                continue
            variable = autodiff.Variable(lay_out(X))
            try:
                found = function(variable)
            except (AttributeError, TypeError):  # Variables lack some methods and operators of arrays
                continue
            expected = function(lay_out(X)).ravel("K")
            np.testing.assert_allclose(np.ravel(found, "K").array, expected, rtol=1e-6, err_msg=name)


@pytest.mark.parametrize("transformation", SHAPES_KNOWN)
def test_axes_that_are_split_are_views_however_the_array_lies(transformation):
    def program(x):
        matrix = x[::2].reshape(2, 3)
        matrix -= 1.0
        corner = x[1::2].reshape((3, 1, 2), order="F")
        corner[:, 0, 1] = 7.0
        x[:2] = 5.0
        return matrix, corner, x

    run = SHAPES_KNOWN[transformation](lambda x: np.concatenate([np.ravel(part) for part in program(x)]))
    x = np.arange(12.0)
    expected = np.concatenate([part.ravel() for part in program(x.copy())])
    np.testing.assert_allclose(run(x), expected)


@pytest.mark.parametrize("transformation", SHAPES_KNOWN)
def test_what_was_reshaped_from_a_temporary_array_can_be_written(transformation):
    def program(x):
        flat = (2.0 * x.T).ravel()
        flat[0] = 7.0
        rows = flat.reshape(2, -1)
        rows[1] -= flat.mean()
        return flat

    x = np.arange(12.0).reshape(3, 4)
    np.testing.assert_allclose(SHAPES_KNOWN[transformation](program)(x), program(x))


@pytest.mark.parametrize("transformation", SHAPES_KNOWN)
def test_new_arrays_in_c_order_are_written_through_reshaped_ones(transformation):
    def program(x):
        own, made = x.copy(), np.zeros((3, 4), like=x)
        own.ravel()[::2] *= 3.0
        made.reshape(-1)[:5] = x[0, 0]
        made[1].ravel()[1] = x[1, 2]
        made.T.ravel()[0] = 100.0  # a copy
        made.T.ravel("F")[1] = 7.0 * x[1, 1]
        return own + made

    x = np.asfortranarray(np.arange(12.0).reshape(3, 4))
    np.testing.assert_allclose(SHAPES_KNOWN[transformation](program)(x), program(x))


def test_what_a_reshaped_array_was_made_from_is_not_read_after_a_write():
    def program(x):
        flat, turned = x.ravel(), x.T
        flat[0] = 7.0
        return flat + turned.sum()

    with pytest.raises(AliasingError, match=r"read after a write to an array that was reshaped from it \(test_views"):
        autodiff.jit(program)(np.ones((3, 4)))


def test_what_was_reshaped_from_a_read_only_array_is_not_written():
    def program(x):
        flat = np.broadcast_to(x, (2, 3)).reshape(-1)
        flat[0] = 7.0
        return flat

    with pytest.raises(AliasingError, match="reshaped from a read-only one"):
        autodiff.jit(program)(np.ones(3))


def real_of_temporary(x):
    u = np.real(np.fft.ifft(np.fft.fft(x)))
    u[0] = 0.0
    u *= 2
    u += x
    return np.sum(u**2)


def parts_in_place(x):
    z = np.fft.fft(x)
    z.real[0] = 3.0
    z.imag *= 2
    part = z.real.reshape(2, 2)
    part[1] *= x[0]
    return np.sum(np.abs(z) ** 2)


def parts_assigned(x):
    z = np.fft.fft(x)
    z.real = x
    z.imag[0] = x[1]
    shown = z.imag
    z[2] = 5j * x[3]
    return np.sum(np.abs(z) ** 2) + np.sum(shown)


def parts_sorted(x):
    v = np.linalg.eig(np.outer(x, x) + np.diag(x))[0].real
    v.sort()
    v[0] = 0
    return np.sum(v**2)


@pytest.mark.parametrize("fun", [real_of_temporary, parts_in_place, parts_assigned, parts_sorted])
def test_writes_to_parts_of_complex_arrays_go_to_the_array(fun):
    x = np.array([1.0, 2.0, 4.0, 3.0])
    slopes = [(fun(x + 1e-6 * e) - fun(x - 1e-6 * e)) / 2e-6 for e in np.eye(4)]
    np.testing.assert_allclose(autodiff.grad(fun)(x), slopes, rtol=1e-6)
    np.testing.assert_allclose(autodiff.jit(autodiff.grad(fun))(x), slopes, rtol=1e-6)
    np.testing.assert_allclose(autodiff.jvp(fun, (x,), (np.ones(4),))[1], np.sum(slopes), rtol=1e-6)
    np.testing.assert_allclose(autodiff.jit(fun)(x), fun(x))


def test_plain_parts_of_complex_arrays_take_traced_values_in_rewritten_programs():
    @autodiff.differentiable
    def fun(x):
        u = np.fft.fft(np.ones(3)).real
        u += x
        return np.sum(u**2)

    np.testing.assert_allclose(autodiff.grad(fun)(np.array([1.0, 2.0, 3.0])), [8.0, 4.0, 6.0], atol=1e-12)
