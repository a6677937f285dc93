"""Functions and classes in whatever form they come, what is left alone, and what is said where it cannot be done."""

from __future__ import annotations

import ast
import cmath
import importlib
import linecache
import math
import numbers
import sys
import traceback
from collections import abc
from functools import cached_property, lru_cache, partial, reduce, wraps
from math import hypot as length_of
from math import sin

import numpy as np
import numpy.linalg as la
import pytest
import scipy.fft
import scipy.linalg
from numpy import array as make
from numpy import float64, zeros
from scipy.stats import norm

from autodiff import Variable, differentiable, grad, jit, jvp, vjp, vmap
from autodiff.numpy.namespace import KNOWN
from autodiff.programs.rewriting import rewritten
from autodiff.trace.errors import ConcretizationError, DifferentiationError
from tests.programs.test_refusals import LOSING, V

X = np.array([0.7, -0.4, 1.2])
STAYS_REFUSED = {
    "int", "index", "slice_bound", "mgrid", "masked_array", "nditer",
    "as_strided", "pickled", "text", "percent_text", "part_of_a_text", "parts_of_a_text", "integer_of_a_text",
}  # fmt: skip


@pytest.mark.parametrize("name", LOSING)
def test_what_is_refused_without_the_switch(name):
    function = differentiable(LOSING[name][0])
    if name in STAYS_REFUSED:
        with pytest.raises(
            (ConcretizationError, DifferentiationError, IndexError, TypeError), match=r"test_refusals\.py:"
        ):
            jvp(function, (V,), (V,))
        return
    with np.errstate(invalid="ignore"):
        value, tangent = jvp(function, (V,), (V,))
        plain = LOSING[name][0]
        before, after = plain(V - 1e-6 * V), plain(V + 1e-6 * V)
        if value is None:  # a program that only writes
            return
        expected = first(plain(V))
        of_objects = getattr(expected, "dtype", None) == object
        np.testing.assert_allclose(first(value), expected.astype(float) if of_objects else expected, rtol=1e-12)
    if np.asarray(first(value)).dtype.kind == "f":
        np.testing.assert_allclose(
            first(tangent),
            (np.asarray(first(after), float) - np.asarray(first(before), float)) / 2e-6,
            rtol=1e-5,
            atol=1e-8,
        )


def first(result):
    return result[0] if isinstance(result, tuple) else result


def power(base):
    def decorator(function):
        @wraps(function)
        def call(x):
            return math.pow(float(function(x)), base)

        return call

    return decorator


class Model:
    scale = 2.0

    def __init__(self, weights):
        self.weights = make([w for w in weights])

    @property
    def total(self):
        return math.fsum(self.weights)

    @cached_property
    def squares(self):
        out = np.zeros(3)
        for i, w in enumerate(self.weights):
            out[i] = w**2
        return out

    @staticmethod
    def turned(x):
        return np.array([x[1], -x[0]])

    @classmethod
    def double(cls, x):
        return cls.scale * np.sum([x[0], x[2]])

    class Inner:
        def value(self, x):
            return float64(x[0]) * sin(x[1])

    def value(self):
        return self.total * self.squares.sum() + self.turned(self.weights)[0] + self.double(self.weights)


def by_generator(x):
    def terms():
        for i in range(3):
            yield math.exp(x[i]) if i else float(x[i])

    return sum(terms()) + np.sum([t**2 for t in terms()])


def by_closure(x):
    buffer = zeros(3)

    def fill(i):
        buffer[i] = x[i] ** 2

    for i in range(3):
        fill(i)
    return buffer @ buffer


def by_local_import(x):
    import cmath  # noqa: PLC0415
    from math import exp as e  # noqa: PLC0415

    return e(x[0]) + abs(cmath.sqrt(x[1])) + cmath.phase(complex(x[0], x[2])) + cmath.rect(x[2], 0.3).real


def by_aliases(x):
    f, lib = np.array, np
    steps = [math.sin, math.cos, lambda t: t * t]
    values = [g(t) for g, t in zip(steps, x)]
    return lib.sum(f(values)) + sum(map(float, x)) + sum(map(math.tanh, x)) + length_of(x[0], x[1], x[2])


def by_views(x):
    out = np.zeros((3, 4))
    row, column, flat = out[1], out[:, 2], out.reshape(-1)
    row[:3] = x
    column += x[0] * x
    flat[0] = x[1] ** 2
    out.T[3][:] = -x
    np.fill_diagonal(out[:, :3], x[2])
    np.add.at(out, (0, [1, 1]), x[0])
    out[0] *= 2.0
    np.multiply(out, 0.5, out=out)
    np.copyto(out[2], np.sin(out[2]))
    return np.sum(out**2) + out.max() + la.norm(out) + out.mean(axis=0)[1] + float(flat[6]) + len(out) * row.sum()


def by_types(x):
    assert isinstance(x, np.ndarray)
    assert type(x) is np.ndarray
    assert isinstance(x[0], (np.floating, float))
    assert isinstance(float(x[0]), float)
    assert isinstance(np.zeros(3), np.ndarray)
    assert not isinstance(x, (list, float))
    return float(x[0]) * np.float64(1.0) + np.float64(x).sum() + np.complex128(x[1]).real


def by_types_in_variables(x, kind=np.float64, way=math.exp):
    def inside(y):
        return kind(y) * way(y[0])

    make = [float, np.float32][len(x) == 0]
    return (inside(x) * make(x[1]) + x.dtype.type(x)).sum()


def by_texts(x):
    text = "%.2f and %.1f" % (x[0], x[1])  # noqa: UP031
    assert text == "0.70 and -0.4"
    assert "%(x).1f of %(n)d, %(names)s" % {"x": x[0], "n": 3, "names": ["a"]} == "0.7 of 3, ['a']"  # noqa: UP031
    return x[0] * len(text)


def by_arrays_of_many_kinds(x):
    a = np.full(3, x[0])
    a[1] = x[1]
    b = np.asarray([x, 2 * x])
    c = np.ones_like(b)
    c[0] = b[1]
    d = np.array(x, ndmin=2)
    e = np.linspace(0.0, 1.0, 3)
    e[-1] = x[2]
    f = e.copy()
    f[0] = x[0] * x[1]
    g = np.arange(3.0) * 2
    g[1:] *= x[1]
    h = np.eye(3)
    h[0] = x
    i = np.array([[1.0, 2.0, 3.0], x, np.zeros(3)])
    return sum(np.sum(part**2) for part in (a, b, c, d, e, f, g, h, i))


def by_scipy(x):
    normal = norm(x[0], np.exp(x[1]))
    return normal.logpdf(0.3) + norm.cdf(x[2]) + reduce(lambda a, b: a * b, [norm.pdf(t) for t in x])


class Transforms:
    """Hands on what its module has, and keeps functions in attributes and containers."""

    def __init__(self):
        self.exponential = scipy.linalg.expm
        self.by_name = {"expm": scipy.linalg.expm, "sine": math.sin}

    def __getattr__(self, name):
        return getattr(scipy.fft, name)


TRANSFORMS = Transforms()


def by_attributes(x):
    matrices = TRANSFORMS.exponential(np.outer(x, x)) + TRANSFORMS.by_name["expm"](np.diag(x))
    return np.sum(np.abs(TRANSFORMS.fft(x)) ** 2) + np.sum(matrices) + TRANSFORMS.by_name["sine"](x[0])


def by_wrappers(x):
    @power(2)
    def inner(t):
        return np.array([t[0], t[1]]).sum()

    return inner(x) + partial(np.array, dtype=float)([x[0], x[2]]).prod()


def by_abstract_classes(x):
    if (
        isinstance(x[0], abc.Iterable | abc.Sized)
        or isinstance(x, abc.Hashable)
        or isinstance(x[0], (list, abc.Sequence))
    ):
        return 0.0
    assert isinstance(x[0], abc.Hashable)
    assert isinstance(x, abc.Iterable)
    return x[0] * x[1] if isinstance(x[0], numbers.Real) and isinstance(x, (abc.Sized, str)) else 0.0


def by_common_shapes(x):
    rows = np.broadcast(x, x[:2, None], 2.0)
    out = np.empty(np.broadcast(np.ones(2)[:, None], x).shape)
    out.flat = [a * b**2 * c for a, b, c in rows]
    assert (rows.shape, rows.size, rows.nd, rows.numiter, rows.index) == ((2, 3), 6, 2, 3, 6)
    rows.reset()
    return out[1, 0] + next(rows)[1] + rows.iters[0][4]


FORMS = {
    function.__name__: function
    for function in (
        by_generator, by_closure, by_local_import, by_aliases, by_views, by_types, by_types_in_variables, by_arrays_of_many_kinds,
        by_attributes, by_scipy, by_texts, by_wrappers, by_common_shapes,
        by_abstract_classes,
    )
}  # fmt: skip


def slope(function, x, v):
    return (function(x + 1e-6 * v) - function(x - 1e-6 * v)) / 2e-6


@pytest.mark.parametrize("name", FORMS)
def test_forms(name):
    plain, own = FORMS[name], differentiable(FORMS[name])
    helpers = differentiable(power)
    own.__globals__["power"], before = helpers, power
    try:
        assert own(X) == plain(X)
        gradient = grad(own)(X)
        for direction in np.eye(3):
            np.testing.assert_allclose(gradient @ direction, slope(plain, X, direction), rtol=1e-6, atol=1e-7)
        np.testing.assert_allclose(jvp(own, (X,), (X,))[1], gradient @ X)
        if name != "by_texts":  # asks for numbers
            np.testing.assert_allclose(vmap(grad(own))(np.stack([X, X]))[1], gradient, rtol=1e-12)
            np.testing.assert_allclose(jit(own, backend="numpy")(X), plain(X), rtol=1e-12)
    finally:
        own.__globals__["power"] = before


@pytest.mark.parametrize("name", ["by_closure", "by_aliases", "by_generator"])
def test_forms_with_variables(name):
    x = Variable(X)
    differentiable(FORMS[name])(x).backward()
    np.testing.assert_allclose(x.grad, grad(differentiable(FORMS[name]))(X))


def test_classes():
    with pytest.raises(ConcretizationError):
        grad(lambda x: Model(x).value())(X)
    assert differentiable(Model) is Model
    assert Model(X).value() == pytest.approx(by_hand(X))
    np.testing.assert_allclose(grad(lambda x: Model(x).value())(X) @ X, slope(by_hand, X, X), rtol=1e-6)
    np.testing.assert_allclose(grad(lambda x: Model.Inner().value(x))(X), [sin(X[1]), X[0] * math.cos(X[1]), 0.0])


def by_hand(x):
    return sum(x) * sum(x * x) + x[1] + 2.0 * (x[0] + x[2])


def test_functions_that_numba_compiles_stay():
    source = """
import numpy as np
import numba as nb
from numba import extending, njit

@nb.vectorize
def double(x):
    return float(x) * np.float64(2)

class Sums:

    @staticmethod
    @njit(cache=True)
    def total(x):
        out = np.zeros(3)
        out[:] = x
        return out.sum()

@extending.overload(double)
def doubled(x):
    return lambda x: np.multiply(x, 2)

def last(x, out):
    out[0] = np.ones(3)[x[0]]
fast = nb.guvectorize([], '(n)->()')(last)
""".strip()

    def bodies(tree):
        return [ast.dump(node) for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]

    assert bodies(rewritten(ast.parse(source))) == bodies(ast.parse(source))
    other = source.replace("numba", "other")
    assert all(a != b for a, b in zip(bodies(rewritten(ast.parse(other))), bodies(ast.parse(other)), strict=True))


class Labelled(np.ndarray):
    def __new__(cls, values, label):
        made = super().__new__(cls, values.shape, float, values)
        made.label = label
        return made


def test_arrays_are_made_by_their_class_and_none_of_a_class_derived_from_it_is_traced():
    def program(x):
        out = np.ndarray((3,))
        out[:2], out[2] = x[1:], x[0] * Labelled(np.ones(2), "ones").sum()
        return out

    differentiable(Labelled)
    np.testing.assert_array_equal(differentiable(program)(X), program(X))
    np.testing.assert_array_equal(jvp(differentiable(program), (X,), (X,))[1], program(X))
    with pytest.raises(TypeError, match=r"a traced float64\[3\] cannot become an array of the class Labelled"):
        grad(lambda x: Labelled(x, "x").sum())(X)


def test_plain_programs_see_numpys_own():
    @differentiable
    def program(x):
        out = np.zeros(3)
        out[0] = x[0]
        return (
            out,
            np.array([1, 2]),
            np.asarray(x),
            np.r_[x, 1.0],
            float(x[0]),
            np.float64(1.0),
            math.sin(0.5),
            x[np.array([0])],
        )

    found = program(X)
    expected = (np.array([0.7, 0, 0]), np.array([1, 2]), X, np.r_[X, 1.0], 0.7, np.float64(1.0), math.sin(0.5), X[:1])
    for one, other in zip(found, expected, strict=True):
        assert type(one) is type(other)
        np.testing.assert_array_equal(one, other)
    assert found[2] is X


def test_numpy_itself_is_not_changed():
    names = {"array": np.array, "zeros": np.zeros, "sin": math.sin}
    grad(differentiable(by_aliases))(X)
    assert names == {"array": np.array, "zeros": np.zeros, "sin": math.sin}
    assert np.array.__module__ == "numpy"
    assert KNOWN[id(np)][1] is not np
    with pytest.raises(ConcretizationError):
        grad(by_aliases)(X)


def test_tracebacks_show_the_users_line():
    @differentiable
    def program(x):
        y = np.array([x[0], 2.0])
        return undefined_name + y  # noqa: F821

    with pytest.raises(NameError) as caught:
        grad(program)(X)
    last = traceback.extract_tb(caught.value.__traceback__)[-1]
    assert last.filename == __file__
    assert last.line == "return undefined_name + y  # noqa: F821"
    assert last.name == "program"


def test_errors_of_rewritten_programs_do_not_name_the_switch():
    function = differentiable(lambda x: int(x[0]) * x)
    with pytest.raises(ConcretizationError, match="would become int") as caught:
        grad(function)(X)
    assert "autodiff.differentiable" not in str(caught.value)


def test_functions_without_a_source_are_refused():
    names = {"np": np}
    exec("def f(x):\n    return np.array([x])", names)
    with pytest.raises(DifferentiationError) as caught:
        differentiable(names["f"])
    text = str(caught.value)
    assert text.startswith("the source of f is not there (test_differentiable.py:")
    assert text.endswith(
        "): it was made by exec, or typed into an interpreter that forgets (<string>); write it into a file or a notebook"
    )


def test_functions_that_are_no_longer_in_their_file_are_refused(tmp_path, monkeypatch):
    file = tmp_path / "changed_later.py"
    file.write_text("def f(x):\n    return x\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    module = importlib.import_module("changed_later")
    file.write_text("\n\n\ndef g(x):\n    return x\n")
    linecache.checkcache()
    with pytest.raises(
        DifferentiationError, match=r"f is not in its source, .*changed_later\.py, line 1 .*: the file has changed"
    ):
        differentiable(module.f)
    sys.modules.pop("changed_later")


@pytest.mark.parametrize("thing", [len, 3.0, lru_cache(by_aliases), jit(by_aliases)])
def test_what_is_no_program_is_refused(thing):
    with pytest.raises(
        TypeError, match=r"differentiable takes a function, a class, a module or its name, got .*test_differentiable"
    ):
        differentiable(thing)


def test_a_function_stays_what_it_was():
    def program(x, *, factor=2.0, power=1):
        """Doc."""
        return factor * np.sum([x[0], x[1]]) ** power

    program.note = "kept"
    own = differentiable(program)
    assert own is not program
    assert (own.__doc__, own.note, own.__name__, own.__kwdefaults__) == (
        "Doc.",
        "kept",
        "program",
        program.__kwdefaults__,
    )
    np.testing.assert_allclose(grad(own)(X), [2.0, 2.0, 0.0])
    assert differentiable(own).__code__ is own.__code__
    bound = differentiable(Model([1.0, 2.0, 3.0]).value)
    assert bound() == by_hand(np.array([1.0, 2.0, 3.0]))


def test_functions_made_in_passing_are_not_remembered():
    @differentiable
    def total(x, parts):
        append = parts.append
        for k in range(3):
            each = lambda y, k=k: y**k  # noqa: E731
            append(each(x))
        return parts[0] + parts[1] + parts[2]

    grad(total)(0.7, [])
    before = len(KNOWN)
    assert grad(total)(0.7, []) == 1 + 2 * 0.7
    assert len(KNOWN) == before


@differentiable
def complex_numbers(x, y):
    return [
        complex(x, y), complex(x), complex(imag=y), complex(real=y, imag=x), complex(complex(x, 1.0), y),
        complex(x, complex(2.0, y)), np.complex128(complex(x, y)), cmath.rect(1.5, y),
    ]  # fmt: skip


@pytest.mark.filterwarnings("ignore:complex\\(\\) argument:DeprecationWarning")  # Python 3.14 wants real parts
@pytest.mark.parametrize("x", [0.0, -0.0, 1.5, -np.inf])
@pytest.mark.parametrize("y", [0.0, -0.0, 0.7, -2.5])
def test_the_parts_of_complex_numbers_stay_apart(x, y):
    """``x + 1j * y`` has other zeros, on the other side of a branch cut, and NaN beside infinities."""
    expected = complex_numbers(x, y)
    for found in (vjp(complex_numbers, x, y)[0], jit(complex_numbers)(x, y)):
        for own, theirs in zip(found, expected, strict=True):
            np.testing.assert_allclose([own.real, own.imag], [theirs.real, theirs.imag], rtol=1e-14)
            if np.isfinite(x):
                assert np.signbit([own.real, own.imag]).tolist() == np.signbit([theirs.real, theirs.imag]).tolist()
    assert grad(lambda x: complex_numbers(x, 2.0)[3].imag)(3.0) == 1.0


@differentiable
def beside_the_cut(x, y, name):
    return getattr(cmath, name)(complex(x, y))


@pytest.mark.parametrize(
    "name", ["sqrt", "log", "log10", "acos", "asin", "acosh", "atanh", "atan", "asinh", "exp", "tan"]
)
@pytest.mark.parametrize("x", [-2.5, -0.3, 2.5])
@pytest.mark.parametrize("y", [0.0, -0.0])
def test_complex_functions_on_both_sides_of_their_cuts(name, x, y):
    expected = getattr(cmath, name)(complex(x, y))
    assert vjp(lambda x: beside_the_cut(x, y, name), x)[0] == pytest.approx(expected)
    assert jit(lambda x, y: beside_the_cut(x, y, name))(x, y) == pytest.approx(expected)
    assert vjp(lambda y: beside_the_cut(x, y, name), y)[0] == pytest.approx(expected)
