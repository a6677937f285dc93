"""Python around the arrays: operators, builtins, loops, branches, containers, classes, printing, assertions."""

# ruff: noqa: B009, PIE804, RUF007, RUF015, RUF021, UP031, UP032 - what users write is what is tested

from __future__ import annotations

import copy
import functools
import io
import itertools
import math
import operator
from collections import namedtuple
from dataclasses import dataclass, field

import numpy as np
import pytest

import autodiff
from tests.programs.programs import Programs, check

programs = Programs()

V = np.array([0.9, -0.4, 1.3, 0.25])
P = np.abs(V) + 0.3
X = np.array([[0.3, -1.2, 0.7], [1.6, 0.45, -0.8]])
S = 0.7

programs.table(
    {
        "numpy_scalar_left": (lambda x: np.float64(2) * x + np.float64(1) - np.float64(3) / x, V),
        "numpy_integer_left": (lambda x: np.int64(2) * x + np.int32(3) ** x, V),
        "plain_array_left": (lambda x: V * x + V - x - V / x + P**x, V),
        "plain_array_left_mod": (lambda x: (10.3 + 0 * V) % x + (10.3 + V) // x, P),
        "list_left": (lambda x: [1.0, 2.0, 3.0, 4.0] * x + [1, 1, 1, 1] - x, V),
        "list_right": (lambda x: x * [1.0, 2.0, 3.0, 4.0] / [1, 2, 3, 4] - [1, 1, 1, 1], V),
        "tuple_operand": (lambda x: x * (1.0, 2.0, 3.0, 4.0) + (1, 2, 3, 4) * x, V),
        "python_numbers": (lambda x: 2**x + x**2 / 3 - 1 + -x + +x + abs(x), V),
        "mod": (lambda x: x % 2 + x // 1 * x + 7 % P, V),
        "builtin_divmod": (lambda x: divmod(x, 0.7)[1] * divmod(3.1, P + 0 * x)[1], V),
        "builtin_round": (lambda x: x * round(x[0] * 3) + round(x[0] * x[1], 2) * x[2], V),
        "builtin_pow": (lambda x: pow(x, 3) + pow(2.0, x), V),
        "builtin_abs": (lambda x: abs(x) + abs(x[1]), V),
        "builtin_sum": (lambda x: sum(x) + sum(x**2, start=1.0) + sum([x[0], 2, x[1]]), V),
        "builtin_sum_of_rows": (lambda x: sum(x), X),
        "builtin_sum_generator": (lambda x: sum(a * b for a, b in zip(x, x[1:])), V),
        "builtin_max_min": (lambda x: max(x) * min(x) + max(x[0], 0.5) + min(x[1], x[2], 3), V),
        "builtin_max_of_list": (lambda x: max([x[0], x[1] * 2, 1.0]) + min(x[0], 0), V),
        "builtin_max_of_numbers": (lambda x: max(1e-9, x[0], x[0] * x[1]) + min((x[2], 3.0)) + max(2, 3), V),
        "builtin_max_key": (lambda x: max(x, key=lambda v: -v) * min(range(4), key=lambda i: x[i]), V),
        "builtin_sorted": (lambda x: sorted(x)[1] * sorted(x, reverse=True)[0], V),
        "builtin_reversed": (lambda x: np.stack(list(reversed(x))), V),
        "builtin_map_filter": (lambda x: sum(map(np.sin, filter(lambda v: v > 0, x))), V),
        "builtin_any_all": (lambda x: x * 2 if any(x > 1) and not all(x > 0) else x, V),
        "builtin_enumerate_zip": (lambda x, y: sum(k * a * b for k, (a, b) in enumerate(zip(x, y))), V, P),
        "functools_reduce": (lambda x: functools.reduce(lambda a, b: a * b + 1, x), V),
        "itertools_accumulate": (lambda x: list(itertools.accumulate(x, operator.mul)), V),
        "itertools_combinations": (lambda x: sum((a - b) ** 2 for a, b in itertools.combinations(x, 2)), V),
        "operator_module": (lambda x: operator.add(x, operator.mul(x, 2)) - operator.itemgetter(1)(x), V),
        "unpacking": (lambda x: (lambda a, b, *rest: a * b + rest[1])(*x), V),
        "unpack_rows": (lambda x: (lambda a, b: a @ b)(*x), X),
        "len_and_shape": (lambda x: x.sum() / len(x) / x.shape[1] / x.ndim / x.size, X),
        "star_in_list": (lambda x: np.stack([*x, x[0] * 2]), V),
        "list_comprehension_stack": (lambda x: np.stack([v**k for k, v in enumerate(x)]), V),
        "list_comprehension_array": (lambda x: np.array([np.sin(v) for v in x], like=x), V),
        "nested_list_array": (lambda x: np.array([[x[0], 1.0], [2, x[1] * x[2]]], like=x), V),
        "array_of_rows": (lambda x: np.array([row / row.sum() for row in x], like=x), X),
        "asarray_like": (lambda x: np.asarray([x[0], x[1]], like=x) * np.asarray(2.0), V),
        "rotation_matrix": (
            lambda t: np.array([[np.cos(t), -np.sin(t)], [np.sin(t), np.cos(t)]], like=t) @ np.array([1.0, 2.0]),
            np.array(0.3),
        ),
        "rotation_matrix_of_scalar": (
            lambda t: np.stack([np.stack([np.cos(t), -np.sin(t)]), np.stack([np.sin(t), np.cos(t)])]),
            0.3,
        ),
        "concatenate": (lambda x: np.concatenate([x[:2], [1.0, 2.0], x[None, 0], np.zeros(2)]), V),
        "hstack_vstack": (lambda x: np.vstack([x, np.hstack([x[:1], P[1:]])]), V),
        "column_stack_dstack": (lambda x: np.column_stack([np.ones(4), x, x**2]) @ np.dstack([x, x])[0].T[0][:3], V),
        "append": (lambda x: np.append(x, x[0] ** 2), V),
        "append_in_loop": (lambda x: [x := np.append(x, x[-1] + x[-2]) for _ in range(3)][-1], V),
        "list_append_then_stack": (
            lambda x: np.stack((lambda out: [out.append(out[-1] * v) for v in x] and out)([x[0]])),
            V,
        ),
        "split": (lambda x: [a.sum() * k for k, a in enumerate(np.split(x, 2))], V),
        "array_split_unpack": (lambda x: (lambda a, b: a[:1] * b)(*np.array_split(x, [1])), V),
        "tolist": (lambda x: x.tolist()[0] * x.tolist()[1], V),
        "list_of_array": (lambda x: list(x)[0] * tuple(x)[1], V),
        "iterate_rows": (lambda x: sum(np.prod(row) for row in x), X),
        "iterate_nested": (lambda x: sum(v**2 for row in x for v in row), X),
        "iterate_transposed": (lambda x: [c @ c for c in x.T], X),
        "iterate_flat": (lambda x: sum(v**2 for v in x.flat), X),
        "conditional_expression": (lambda x: x[0] ** 2 if x[0] > 0 else -x[0], V),
        "if_np_any": (lambda x: np.where(x > 1, 1.0, x) if np.any(x > 1) else x, V),
        "if_isnan_any": (lambda x: x * np.nan if np.isnan(x).any() else x * 2, V),
        "if_max": (lambda x: x / x.max() if x.max() > 1 else x, V),
        "if_isfinite_all": (lambda x: np.log(P) * x if np.isfinite(x).all() else x, V),
        "if_allclose": (lambda x: x if np.allclose(x, 0) else x**2, V),
        "if_array_equal": (lambda x: x if np.array_equal(x, x + 1) else x**2, V),
        "if_norm": (lambda x: x / np.linalg.norm(x) if np.linalg.norm(x) > 1e-8 else x, V),
        "if_truthy_scalar": (lambda x: x[0] * 2 if x[0] else x[1], V),
        "and_or_not": (lambda x: x[0] if x[0] > 0 and not x[1] > 0 or x[2] < 0 else x[3], V),
        "comparison_chain": (lambda x: x[0] if 0 < x[0] < 1 else x[1], V),
        "is_none_and_isinstance": (lambda x, y=None: x * (1 if y is None else 2) * (1 if isinstance(x, str) else 3), V),
        "match_on_shape": (lambda x: match_on_shape(x), X),
        "while_loop": (lambda x: while_halving(x), V),
        "newton_square_root": (lambda a: newton(lambda y: y * y - a, lambda y: 2 * y, a), 2.3),
        "bisection_then_newton": (lambda a: bisection_then_newton(a), 0.4),
        "fixed_point": (lambda a: fixed_point(lambda t: np.cos(a * t), 0.5), 0.9),
        "recursion": (lambda x: power_by_squaring(x, 11), V),
        "horner": (lambda c, t: functools.reduce(lambda s, k: s * t + k, c, 0.0), V, 0.3),
        "fft_by_recursion": (lambda x: recursive_fft(x).real + recursive_fft(x).imag, V),
        "continued_fraction": (lambda x: functools.reduce(lambda s, a: a + 1 / s, x[::-1]), P),
        "closure": (lambda x: compose(np.sin, lambda v: v * x.sum(), np.exp)(x), V),
        "partial": (lambda x: functools.partial(np.power, x)(3), V),
        "default_arguments": (lambda x: scaled(x) + scaled(x, power=2), V),
        "star_kwargs": (lambda x: scaled(**{"x": x, "power": 3}), V),
        "generator_function": (lambda x: sum(np.sin(v) for v in pairs(x)), V),
        "try_except": (lambda x: tried(x), V),
        "lambda_table": (lambda x: sum(f(x).sum() for f in (np.sin, np.cos, np.tanh, lambda v: v**2)), V),
        "global_constants": (lambda x: np.pi * x + np.e * x**2 - np.inf * (x > 100).sum() if 0 else np.pi * x, V),
        "dictionary_parameters": (lambda p: p["w"] @ np.tanh(p["b"]) + p["scale"], {"w": X, "b": V[:3], "scale": 0.3}),
        "list_parameters": (
            lambda ps: functools.reduce(lambda h, wb: np.tanh(h @ wb[0] + wb[1]), ps, np.ones(2)),
            [(X, V[:3]), (X.T, V[:2])],
        ),
        "nested_dictionary": (
            lambda p: sum(np.sum(v**2) * k for k, layer in enumerate(p.values()) for v in layer.values()),
            {"a": {"w": X, "b": V}, "z": {"w": P}},
        ),
        "returns_dictionary": (lambda x: {"loss": x.sum(), "terms": [x[0], (x[1] * 2,)], "name": None}, V),
        "returns_tuple_with_constants": (lambda x: (x * 2, V, 3.0, 7), V),
        "named_tuple": (lambda p: p.mean * p.scale**2, namedtuple("Normal", "mean scale")(V, 0.4)),
        "integer_argument": (lambda x, n: x**n * n, V, 3),
        "integer_array_argument": (lambda x, n: x * n + x[n[:2]].sum(), V, np.array([1, 2, 0, 3])),
        "boolean_argument": (lambda x, flag: x * 2 if flag else x, V, True),
        "scalar_arguments": (lambda a, b: a * b + np.sin(a) / b, 0.7, 1.9),
        "zero_dimensional_argument": (lambda x: x * x + x[()], np.array(0.7)),
        "float32_scalar": (lambda x: x * 2 + np.float32(1.5), np.float32(0.5)),
        "scalar_methods": (lambda x: x[0].sum() + x[0].mean() * x[1].max() + x[0].reshape(1, 1)[0, 0] + x[0].copy(), V),
        "scalar_attributes": (lambda x: x[0].real * x[0].conj() + x[0].T * x[0].size, V),
        "astype": (lambda x: x.astype(np.float64) * x.astype(float, copy=False), V),
        "astype_complex": (lambda x: np.abs(x.astype(complex) + 1j), V),
        "astype_int_index": (lambda x: x[(np.abs(x) * 2).astype(int)], V),
        "astype_bool": (lambda x: x * (x > 0).astype(float), V),
        "int_of_comparison": (lambda x: x * int(x[0] > 0) + float(np.sum(x > 0)) * x, V),
        "stacked_transpose": (lambda x: x.T.T.transpose(1, 0).T.swapaxes(0, 1).reshape(-1), X),
        "reshape_forms": (
            lambda x: x.reshape(3, 2) @ x.reshape((2, 3)) + x.reshape(-1)[0] + np.reshape(x, (3, -1)).sum(),
            X,
        ),
        "reshape_fortran": (
            lambda x: x.reshape(3, 2, order="F") + x.ravel("F").reshape(3, 2) + x.flatten(order="F")[:2],
            X,
        ),
        "squeeze_expand": (
            lambda x: np.expand_dims(x, 0).squeeze() + np.squeeze(x[None], axis=0) + np.atleast_2d(x),
            X,
        ),
        "broadcast_to": (lambda x: np.broadcast_to(x, (2, 4)) * np.arange(8).reshape(2, 4), V),
        "broadcast_arrays": (lambda x, y: operator.mul(*np.broadcast_arrays(x, y[:, None])), V, P),
        "meshgrid": (lambda x, y: (lambda a, b: np.sin(a) * b)(*np.meshgrid(x, y)), V, P),
        "meshgrid_ij": (
            lambda x: np.sum(np.meshgrid(x, x, indexing="ij"), axis=0) if 0 else np.meshgrid(x, x, indexing="ij")[0],
            V,
        ),
        "mgrid_constants": (lambda x: (np.mgrid[0:4, 0:4] * x).sum(axis=0) + np.ogrid[0:4] * x, V),
        "linspace_traced": (lambda a, b: np.linspace(a, b, 5) ** 2, 0.3, 1.9),
        "arange_scaled": (lambda h: np.sin(np.arange(5) * h), 0.3),
        "vander_style": (lambda x: x[:, None] ** np.arange(4), V),
        "outer_difference": (lambda x: np.subtract.outer(x, x) ** 2, V),
        "errstate": (lambda x: quiet_log(x), V),
        "print_and_format": (lambda x: printed(x), V),
        "assertions": (lambda x: asserted(x), V),
        "np_testing": (lambda x: verified(x), V),
        "isinstance_number": (lambda x: x * (2 if np.isscalar(3.0) else 1), V),
        "ndim_shape_size_functions": (lambda x: x * np.ndim(x) * np.size(x) + np.shape(x)[0], X),
        "iscomplexobj": (lambda x: x if np.iscomplexobj(x) else 2 * x, X),
        "result_type": (lambda x: np.zeros(2, dtype=np.result_type(x, np.float32)) + x[0, 0], X),
        "zeros_of_dtype": (lambda x: np.zeros(x.shape, x.dtype) + x + np.ones(x.shape[1:], dtype=x.dtype), X),
        "eye_of_size": (lambda x: np.eye(len(x)) * x + np.identity(x.shape[0]), V),
        "string_dispatch": (lambda x: getattr(np, "tanh")(x) + getattr(x, "sum")(), V),
        "cached_inner_results": (
            lambda x: (lambda cache: [cache.setdefault(k % 2, x[k] ** 2) for k in range(4)])({}),
            V,
        ),
        "counter_in_closure": (lambda x: counted(x), V),
        "complex_intermediate": (lambda x: np.real(np.exp(1j * x) * np.conj(1 + 1j * x)), V),
        "complex_modulus": (lambda x, y: np.abs(x + 1j * y) * np.angle(x + 1j * y), P, V),
        "python_complex_constants": (lambda x: ((x * (2 + 3j)) ** 2).imag + (1j * x).imag, V),
        "emath_sqrt": (lambda x: np.emath.sqrt(x).imag + np.emath.sqrt(x * x), V),
        "emath_others": (lambda x: np.emath.log(x).real + np.emath.arccos(2 * x).imag + np.emath.power(x, 0.5).real, V),
        "copy_then_write": (lambda x: copy_then_write(x), X),
        "sliding_windows": (lambda x: np.stack([x[k : k + 2] for k in range(3)]).max(axis=1), V),
        "einsum_path_by_lists": (lambda x: np.sum([[1.0, 2.0], [3.0, 4.0]] @ x[:2]), V),
        "vectorize_free_loop": (lambda x: np.stack([np.sin(v) if v > 0 else np.cos(v) for v in x]), V),
        "double_use": (lambda x: (lambda y: y * y + y)(x * x), V),
        "unused_argument": (lambda x, y: x * 2, V, P),
        "constant_branch": (lambda x: x * 0 + 1, V),
        "identity": (lambda x: x, V),
        "identity_pair": (lambda x: (x, x), V),
        "copy_module": (lambda x: __import__("copy").copy(x) * 2, V),
        "deepcopy_module": (lambda x: __import__("copy").deepcopy([x, {"a": x}])[1]["a"] * x, V),
    }
)


@dataclass
class Spring:
    stiffness: np.ndarray
    length: float

    def energy(self, x):
        return np.sum(0.5 * self.stiffness * (x - self.length) ** 2)


class Model:
    """A class with arrays as attributes, set from outside."""

    def __init__(self, weights):
        self.weights = weights
        self.history = []

    def __call__(self, x):
        for w in self.weights:
            x = np.tanh(w * x)
            self.history.append(x)
        return x

    @property
    def penalty(self):
        return sum((w**2).sum() for w in self.weights)


class Dual:
    """A user's own number class around arrays."""

    def __init__(self, value):
        self.value = value

    def __add__(self, other):
        return Dual(self.value + other.value)

    def __mul__(self, other):
        return Dual(self.value * other.value)


@programs(Spring(P, 0.4), V)
def dataclass_parameters(spring, x):
    return spring.energy(x)


@programs([V, P], X[0, 0])
def class_with_arrays(weights, x):
    model = Model(weights)
    return model(x) + model.penalty + sum(h.sum() for h in model.history)


@programs(V, P)
def own_number_class(x, y):
    return (Dual(x) * Dual(y) + Dual(x)).value


@programs(V)
def nested_functions_with_state(x):
    total = 0.0

    def visit(k):
        nonlocal total
        total = total + x[k] * x[(k + 1) % 4]
        if k < 3:
            visit(k + 1)

    visit(0)
    return total


@programs(V)
def early_returns(x):
    for k, v in enumerate(x):
        if v < 0:
            return v * k + x.sum()
    return x[0]


@programs(V)
def loop_with_break_and_else(x):
    total = x[0]
    for v in x[1:]:
        if v > 1.2:
            break
        total = total * v
    else:
        total = total * 100
    return total


def match_on_shape(x):
    match x.shape:
        case (n, 3):
            return x.sum() * n
        case _:
            return x


def while_halving(x):
    n = 0
    while np.abs(x).max() > 0.3:
        x = x / 2
        n += 1
    return x * n


def newton(f, df, start):
    y = start
    for _ in range(20):
        step = f(y) / df(y)
        y = y - step
        if abs(step) < 1e-14:
            break
    return y


def bisection_then_newton(a):
    low, high = 0.0, 2.0
    for _ in range(30):
        middle = (low + high) / 2
        if middle**3 + middle > a:
            high = middle
        else:
            low = middle
    y = low
    for _ in range(3):
        y = y - (y**3 + y - a) / (3 * y**2 + 1)
    return y


def fixed_point(f, start):
    y = start
    for _ in range(200):
        new = f(y)
        if abs(new - y) < 1e-15:
            return new
        y = new
    return y


def power_by_squaring(x, n):
    if n == 0:
        return np.ones_like(x)
    half = power_by_squaring(x, n // 2)
    return half * half * (x if n % 2 else 1)


def recursive_fft(x):
    n = len(x)
    if n == 1:
        return x + 0j
    even, odd = recursive_fft(x[::2]), recursive_fft(x[1::2])
    turned = np.exp(-2j * np.pi * np.arange(n // 2) / n) * odd
    return np.concatenate([even + turned, even - turned])


def compose(*functions):
    return lambda x: functools.reduce(lambda value, f: f(value), functions, x)


def scaled(x, factor=2.0, *, power=1):
    return factor * x**power


def pairs(x):
    for a, b in zip(x[:-1], x[1:]):
        yield a * b


def tried(x):
    try:
        return x.no_such_attribute
    except AttributeError:
        pass
    try:
        return x + np.ones(7)
    except ValueError:
        return x * 2


def quiet_log(x):
    with np.errstate(invalid="ignore", divide="ignore"):
        y = np.log(x)
    return np.where(x > 0, y, x)


def printed(x):
    stream = io.StringIO()
    print("x =", x, f"{x[0]:.3f} {x.sum()} {x}", "%s" % x[0], "{:.2e}".format(x[1]), str(x), repr(x), file=stream)
    assert "x = " in stream.getvalue()
    return x * len(str(x[0])) / len(str(x[0]))


def asserted(x):
    assert x.shape == (4,), x.shape
    assert x.dtype.kind == "f"
    assert x.ndim == 1
    assert (x > -10).all()
    assert np.all(np.isfinite(x))
    assert not np.isnan(x.sum())
    assert np.isclose(x[0], x[0])
    assert x[0] != x[1]
    assert x[0] == x[0]
    return x**2


def verified(x):
    np.testing.assert_allclose(x * 2, x + x)
    np.testing.assert_array_equal(x, x)
    np.testing.assert_array_less(x, 100)
    np.testing.assert_equal(x.shape, (4,))
    np.testing.assert_almost_equal(x[0], x[0])
    np.testing.assert_array_almost_equal(x, x)
    return x**2


def copy_then_write(x):
    y = copy.copy(x[0])
    z = copy.deepcopy(x)
    y[0] = 5.0
    z[1] = y
    return x * 2 + z


def counted(x):
    calls = 0

    def f(v):
        nonlocal calls
        calls += 1
        return v * calls

    return f(x) + f(x) * f(x)


@pytest.mark.parametrize("name", programs)
def test_program(name):
    check(programs[name])


@autodiff.differentiable
def largest_and_smallest(x):
    return 2.0 * max(1e-9, x[0], x[1]) + min([x[2], x[3], x[2]]) + 3.0 * max(x) - min(x) + max(2, 3)


@pytest.mark.parametrize("x", [V, -V, np.array([1.0, 1.0, 2.0, 2.0]), np.zeros(4)])
def test_which_is_largest_where_only_shapes_are_known(x):
    expected, slope = largest_and_smallest(x), autodiff.grad(largest_and_smallest)(x)
    assert autodiff.jit(largest_and_smallest)(x) == expected
    np.testing.assert_array_equal(autodiff.jit(autodiff.grad(largest_and_smallest))(x), slope)
    np.testing.assert_array_equal(autodiff.vmap(autodiff.grad(largest_and_smallest))(np.stack([x, V]))[0], slope)


class Degrees:
    """An angle that NumPy's functions take, as the guide of its protocols has it."""

    def __init__(self, value):
        self.value = value

    def __array_ufunc__(self, ufunc, method, *inputs, **options):
        values = [each.value if isinstance(each, Degrees) else each for each in inputs]
        if ufunc in (np.sin, np.cos) or ufunc is np.tan or {np.arctan: True}.get(ufunc):
            values = [np.pi / 180 * value for value in values]
        assert ufunc is not np.hypot
        return getattr(ufunc, method)(*values, **options)

    def __array_function__(self, function, types, args, options):
        assert (function is np.sum) == (function == np.sum)
        assert function is not np.mean
        return {np.sum: 1.5}[function] * self.value


def test_functions_of_numpy_are_known_by_their_identity():
    def turned(x):
        return sum(f(Degrees(x)) for f in (np.sin, np.tan, np.arctan, np.exp)) + np.sum(Degrees(x))

    x = 3.0
    before = turned(x), autodiff.grad(turned)(x)
    autodiff.differentiable(Degrees)
    assert (turned(x), autodiff.grad(turned)(x)) == before


def test_names_of_a_module_as_a_dictionary():
    @autodiff.differentiable
    def program(x):
        return vars(math)["sin"](x[0]) * eval("exp(x) + pi", {"x": x[1], **vars(np)}) * np.__dict__["cos"](x[2])

    expected = math.sin(V[0]) * (np.exp(V[1]) + np.pi) * np.cos(V[2])
    assert program(V) == expected
    np.testing.assert_allclose(autodiff.grad(program)(V)[0], expected / math.tan(V[0]), rtol=1e-14)


@dataclass
class Cell:
    mass: object
    moments: object = field(default_factory=lambda: np.zeros(2))

    def __post_init__(self):
        self.moments[0] = self.mass


def test_what_a_data_class_makes_by_default_is_written_to():
    autodiff.differentiable(Cell)
    assert autodiff.grad(lambda m: np.sum(Cell(m).moments) ** 2)(3.0) == 6.0
