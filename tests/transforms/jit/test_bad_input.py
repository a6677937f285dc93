"""Bad input of jit: the whole text of each error, with the user's line."""

import functools
import math
import re
import subprocess
import sys
import threading
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from autodiff import RandomnessWarning, eval_shape, grad, vmap
from autodiff import jit as jit_
from autodiff.trace.recording import _thread, bodies

X = np.array([1.0, -2.0, 3.0])
jit = functools.partial(jit_, backend="numpy")

UNKNOWN = (
    "a traced {spec} would become {wanted} (LINE), but the recording of {name} (LINE) by jit traces with shapes only: "
    "the number is not known. "
)
STATIC = "make the argument that it comes from static (static_argnums, static_argnames): it is known then."
BRANCH = (
    "Select with np.where(condition, a, b), branch with autodiff.cond, loop with autodiff.while_loop; write "
    "(a < x) & (x < b) in place of a < x < b, and np.logical_and, np.logical_or, np.logical_not in place of and, or, "
    f"not. Shapes and dtypes are known: Python may branch on them. Or {STATIC}"
)
INDEX = (
    "Lengths, bounds of slices, positions in lists and numbers of steps must be known: take them from x.shape, or "
    f"{STATIC[:-1]}. Loop with autodiff.fori_loop or autodiff.while_loop, and pick elements with "
    "autodiff.numpy.take(array, index), which needs no number."
)
NUMBER = (
    "Leave the number as it is: call NumPy's functions in place of those of math, x.astype(int) in place of int(x), and "
    f"print with f'{{x}}' in place of '%.3f' % x; or {STATIC}"
)
ARRAY = (
    "Collect traced values with np.stack or np.concatenate, or assign them into np.zeros_like(x) of a traced x; pick "
    "from a plain array with autodiff.numpy.take(array, index) in place of array[index]; call functions that are NumPy's "
    f"own and not SciPy's, or give them a rule with custom_vjp. Or {STATIC}"
)
SWITCH = " With @autodiff.differentiable on the function, np.array, math, float and array[index] take them, too."
ARRAY += " autodiff.numpy.array([[a, b], [c, d]]) makes an array of traced values." + SWITCH
COUNT = (
    "How many elements there are would depend on values. Keep them all and select with np.where(mask, x, 0), or sum with "
    "np.sum(x, where=mask); or call it outside and pass the result as an argument."
)


def halved(x):
    while x.sum() > 0.1:
        x = x / 2
    return x


def unknown(spec, wanted, remedy, name="<lambda>"):
    return UNKNOWN.format(spec=spec, wanted=wanted, name=name) + remedy


MASKED = "Masked arrays are not traced: select with np.where(mask, 0.0, x), or sum with np.sum(x, where=~mask)."
WINDOWS = (
    "np.lib.stride_tricks.as_strided shows memory, which traced arrays have none of: take windows with "
    "np.lib.stride_tricks.sliding_window_view(x, length), every other one by [::2], and repeat with np.broadcast_to."
)

VALUES: dict[str, tuple[Any, tuple[Any, ...], str]] = {
    "if": (lambda x: x if x.sum() > 0 else -x, (X,), unknown("bool[]", "bool", BRANCH)),
    "if of an array": (lambda x: x if x > 0 else -x, (X,), unknown("bool[3]", "bool", BRANCH)),
    "if of a number": (lambda x: 1.0 if x else 2.0, (1.0,), unknown("float", "bool", BRANCH)),
    "while": (halved, (X,), unknown("bool[]", "bool", BRANCH, "halved")),
    "and": (lambda x: x[0] > 0 and x[1] > 0, (X,), unknown("bool[]", "bool", BRANCH)),
    "not": (lambda x: not x[0], (X,), unknown("float64[]", "bool", BRANCH)),
    "a chain of comparisons": (lambda x: 0 < x[0] < 1, (X,), unknown("bool[]", "bool", BRANCH)),
    "max of Python": (lambda x: max(x), (X,), unknown("bool[]", "bool", BRANCH)),
    "in": (lambda x: 1.0 in x, (X,), unknown("bool[]", "bool", BRANCH)),
    "float": (lambda x: float(x[0]), (X,), unknown("float64[]", "float", NUMBER + SWITCH)),
    "int": (lambda x: int(x[0]), (X,), unknown("float64[]", "int", NUMBER)),
    "complex": (lambda x: complex(x[0]), (X,), unknown("float64[]", "complex", NUMBER + SWITCH)),
    "math": (lambda x: math.sin(x), (1.0,), unknown("float", "float", NUMBER + SWITCH)),
    "percent": (lambda x: "%.3f" % x, (1.0,), unknown("float", "float", NUMBER + SWITCH)),  # noqa: UP031 - what users write
    "round": (lambda x: round(x[0]), (X,), unknown("float64[]", "an argument of round", NUMBER)),
    "range": (lambda n: sum(range(n)), (3,), unknown("int", "an index", INDEX)),
    "a length": (lambda n: np.zeros(n), (3,), unknown("int", "an index", INDEX)),
    "a bound of a slice": (lambda x, n: x[:n], (X, 2), unknown("int", "an index", INDEX)),
    "a position in a list": (lambda n: [1.0, 2.0][n], (1,), unknown("int", "an index", INDEX)),
    "reshape": (lambda x, n: x.reshape(n), (X, 3), unknown("int", "an index", INDEX)),
    "an index of a plain array": (lambda n: X[n], (1,), unknown("int", "a plain NumPy array", ARRAY)),
    "asarray": (lambda x: np.asarray(x), (X,), unknown("float64[3]", "a plain NumPy array", ARRAY)),
    "arange": (lambda n: np.arange(n), (3,), unknown("int", "a plain NumPy array", ARRAY)),
    "nonzero": (lambda x: np.nonzero(x), (X,), unknown("float64[3]", "an argument of np.nonzero", COUNT)),
    "where with one argument": (
        lambda x: np.where(x > 0),
        (X,),
        unknown("bool[3]", "an argument of np.nonzero", COUNT),
    ),
    "argwhere": (lambda x: np.argwhere(x), (X,), unknown("float64[3]", "an argument of np.argwhere", COUNT)),
    "flatnonzero": (lambda x: np.flatnonzero(x), (X,), unknown("float64[3]", "an argument of np.flatnonzero", COUNT)),
    "unique": (lambda x: np.unique(x), (X,), unknown("float64[3]", "an argument of np.unique", COUNT)),
    "compress": (lambda x: np.compress(x > 0, x), (X,), unknown("bool[3]", "an argument of np.compress", COUNT)),
    "extract": (lambda x: np.extract(x > 0, x), (X,), unknown("bool[3]", "an argument of np.extract", COUNT)),
    "bincount": (lambda k: np.bincount(k), ([0, 1],), unknown("int64[2]", "an argument of np.bincount", COUNT)),
    "repeat": (
        lambda x, n: np.repeat(x, n),
        (X, 2),
        unknown("int", "an argument of np.repeat", f"Compute it outside, or {STATIC}"),
    ),
    "a masked array": (
        lambda x: np.ma.array(x, mask=[0, 1, 0]),
        (X,),
        unknown("float64[3]", "a plain NumPy array", MASKED),
    ),
    "strides": (
        lambda x: np.lib.stride_tricks.as_strided(x, (2, 2), (8, 8)),
        (X,),
        unknown("float64[3]", "a plain NumPy array", WINDOWS),
    ),
    "a derivative by an integer": (
        lambda x: grad(np.square)(x),
        (3,),
        "grad differentiates with respect to real or complex floating-point numbers and arrays, but argument 0 is int "
        "(LINE). Pass 3.0 in place of 3, x.astype(float) in place of integers; leave other arguments out by argnums.",
    ),
    "a mask": (
        lambda x: x[x > 0],
        (X,),
        "a boolean mask that is traced picks an unknown number of elements (LINE); use np.where(mask, x, 0), or "
        "x[mask] = number, whose shapes are known",
    ),
    "a key of a dictionary": (
        lambda x: {x: 1},
        (X,),
        "unhashable type: a traced float64[3] (LINE) cannot be a key of a dictionary, an element of a set, or an argument "
        "of a cached function; use a name or a position as the key",
    ),
    "a result that is no array": (
        lambda x: "text",
        (X,),
        "jit: <lambda> (LINE) returned str (LINE), which is no array or number. Return arrays, numbers and None, in "
        "tuples, lists, dictionaries and other trees; make what else there is outside.",
    ),
    "a result with something that is no array": (
        lambda x: {"loss": x, "by": [x, x.sum]},
        (X,),
        "jit: <lambda> (LINE) returned method at result['by'][1] (LINE), which is no array or number. Return arrays, "
        "numbers and None, in tuples, lists, dictionaries and other trees; make what else there is outside.",
    ),
    "a generator": (
        lambda x: (part for part in x),
        (X,),
        "jit: <lambda> (LINE) returned generator (LINE), which is no array or number. Return arrays, numbers and None, in "
        "tuples, lists, dictionaries and other trees; make what else there is outside.",
    ),
    "an argument that is no array": (
        lambda x, how: x,
        (X, {"mode": "fast"}),
        "jit: <lambda> (LINE) was called with str at args[1]['mode'] (LINE), which is no array or number. Make the "
        "argument static (static_argnums, static_argnames) if it only says what to compute; make a list of numbers an "
        "array; take apart what else holds arrays, or register its class with autodiff.register_tree.",
    ),
    "a spec": (
        lambda x: x,
        (eval_shape(lambda x: x, X),),
        "jit: <lambda> (LINE) was called with a Spec, float64[3] (LINE), which has no values. Pass an array, or ask for "
        "what depends on shapes alone: .tape(...), .source(...), autodiff.eval_shape",
    ),
}


def text(error: pytest.ExceptionInfo[BaseException]) -> str:
    assert "test_bad_input.py:" in str(error.value)
    return re.sub(r"test_bad_input\.py:\d+", "LINE", str(error.value))


@pytest.mark.parametrize("name", VALUES)
def test_what_depends_on_values(name):
    fun, args, expected = VALUES[name]
    args = tuple(np.array(arg) if isinstance(arg, list) else arg for arg in args)
    jitted = jit(fun)
    for _ in range(2):
        with pytest.raises(Exception) as error:  # noqa: PT011 - the text is what is tested, whatever the type
            jitted(*args)
        assert text(error) in (
            expected,
            f"cannot use 'autodiff.trace.tracer.Tracer' as a dict key ({expected})",
        )  # 3.14
        assert jitted.cache_size() == 0 or name == "a spec"
        assert (bodies, _thread.bodies) == ([], [])


def test_the_line_is_the_users():
    with pytest.raises(Exception, match=f"become bool \\(test_bad_input.py:{halved.__code__.co_firstlineno + 1}\\)"):
        jit(halved)(X)


def test_shapes_are_known():
    @jit
    def f(x):
        total = 0.0
        for k in range(len(x)):
            total = total + x[k] * (2 if x.shape[0] > 2 else 1)
        return total if x.ndim == 1 and x.dtype == np.float64 else x

    assert f(X) == 4.0
    assert f(X[:2]) == -1.0


async def awaited(x):
    return x


def generated(x):
    yield x


class Awaited:
    async def __call__(self, x):
        return x


def named(x, y, n=3):
    return x


def open_ended(*xs, **options):
    return xs


DECLARED = {
    "no function": (lambda: jit(3), "jit needs a function, got int (LINE); write jit(f)(x), not jit(f(x))"),
    "a result": (lambda: jit(np.sin(X)), "jit needs a function, got float64[3] (LINE); write jit(f)(x), not jit(f(x))"),
    "a classmethod": (
        lambda: jit(classmethod(named)),
        "jit needs a function, got classmethod (LINE); put @classmethod above @jit",
    ),
    "a generator function": (
        lambda: jit(generated),
        "jit: generated (LINE) is a generator function (LINE): its body runs after the call, when nothing is recorded any "
        "more. Return a list or a tuple, or loop with autodiff.scan.",
    ),
    "an async function": (
        lambda: jit(awaited),
        "jit: awaited (LINE) is an async function (LINE): its body runs after the call, when nothing is recorded any more. "
        "Let an async function call a jitted one.",
    ),
    "an object that is called asynchronously": (
        lambda: jit(Awaited()),
        "jit: Awaited is an async function (LINE): its body runs after the call, when nothing is recorded any more. Let an "
        "async function call a jitted one.",
    ),
    "a position too far": (
        lambda: jit(named, static_argnums=3),
        "jit: static_argnums has 3, but named (LINE) takes 3 positional arguments (LINE); choose from -3 to 2",
    ),
    "a position too far from the end": (
        lambda: jit(named, donate_argnums=(0, -4)),
        "jit: donate_argnums has -4, but named (LINE) takes 3 positional arguments (LINE); choose from -3 to 2",
    ),
    "no position": (
        lambda: jit(lambda: 1, static_argnums=0),
        "jit: static_argnums has 0, but <lambda> (LINE) takes 0 positional arguments (LINE); there is nothing to choose",
    ),
    "a position from the end of an open list": (
        lambda: jit(open_ended, static_argnums=-1),
        "jit: static_argnums has -1, but open_ended (LINE) takes any number of arguments (LINE), so that there is no last "
        "one; count from the start",
    ),
    "a position twice": (
        lambda: jit(named, static_argnums=(1, -2)),
        "jit: static_argnums=(1, -2) selects argument 1 twice (LINE)",
    ),
    "a name as a position": (
        lambda: jit(named, static_argnums="n"),
        "jit: static_argnums must be an int or a sequence of ints, got 'n' (LINE); static_argnames selects by name",
    ),
    "a flag as a position": (
        lambda: jit(named, donate_argnums=True),
        "jit: donate_argnums must be an int or a sequence of ints, got True (LINE)",
    ),
    "a position as a name": (
        lambda: jit(named, static_argnames=2),
        "jit: static_argnames must be a str or a sequence of strs, got 2 (LINE)",
    ),
    "an unknown name": (
        lambda: jit(named, static_argnames="m"),
        "jit: static_argnames has 'm', but named (LINE) has no such argument (LINE); its arguments are x, y, n",
    ),
    "a name twice": (
        lambda: jit(named, static_argnames=("n", "n")),
        "jit: static_argnames=('n', 'n') selects 'n' twice (LINE)",
    ),
    "static and donated": (
        lambda: jit(named, static_argnames="y", donate_argnums=(0, 1)),
        "jit: argument 1 of named (LINE) is both static and donated (LINE); only arrays can be donated, and static "
        "arguments are none: take it out of one of the two",
    ),
    "an unknown backend": (
        lambda: jit_(named, backend="fast"),
        "jit: there is no backend 'fast' (LINE); choose from 'auto', 'numba', 'numpy', 'cupy'",
    ),
    "a list as a static argument": (
        lambda: jit(named, static_argnums=2)(X, X, [2]),
        "jit: the static argument 2 of named (LINE) is list, which cannot be hashed (LINE); pass a tuple in place of a list, "
        "or let it be traced",
    ),
    "an array as a static argument": (
        lambda: jit(named, static_argnames="n")(X, X, n=X),
        "jit: the static argument 'n' of named (LINE) is float64[3], which cannot be hashed (LINE); pass a tuple in place "
        "of a list, or let it be traced",
    ),
    "a traced static argument": (
        lambda: grad(lambda x: jit(named, static_argnums=2)(X, X, x))(1.0),
        "jit: the static argument 2 of named (LINE) is a traced float (LINE), whose value is not known; make it a static "
        "argument of the function around too, or let it be traced",
    ),
}


@pytest.mark.parametrize("name", DECLARED)
def test_what_jit_is_told(name):
    bad, expected = DECLARED[name]
    with pytest.raises(Exception) as error:  # noqa: PT011 - the text is what is tested, whatever the type
        bad()
    assert text(error) == expected


def test_a_backend_that_is_not_installed(monkeypatch):
    monkeypatch.setattr("autodiff.backends.choice.numba_is_there", lambda: False)
    with pytest.raises(ModuleNotFoundError) as error:
        jit_(named, backend="numba")
    assert text(error) == (
        "jit: backend='numba' needs Numba, which is not installed (LINE): run pip install autodiff[numba], or take "
        "backend='auto', which runs NumPy's functions without it"
    )
    assert jit_(named, backend="auto").options.choice.name == "auto"


LEAKED = (
    "{name}: a traced value was used after the recording of leaky (LINE) by jit that made it had ended (LINE). Return it "
    "from the function that is transformed; do not keep it in a global, an attribute or a closure."
)


def test_leaked_values():
    kept = []

    def leaky(x):
        kept.append(x * 2)
        return x * 3

    jit(leaky)(X)
    assert len(kept) == 1
    assert (repr(kept[0]), f"{kept[0]}", f"{kept[0]:.3f}") == ("Tracer(float64[3])", "float64[3]", "float64[3]")
    for use, name in [
        (lambda: kept[0] + 1, "add"),
        (lambda: np.sum(kept[0]), "sum"),
        (lambda: float(kept[0]), "float"),
        (lambda: bool(kept[0]), "bool"),
        (lambda: np.asarray(kept[0]), "a plain NumPy array"),
        (lambda: jit(lambda x: x)(kept[0]), "jit"),
        (lambda: jit(lambda x: x * kept[0])(X), "jit"),
        (lambda: vmap(lambda x: x * kept[0])(X), "multiply"),
    ]:
        with pytest.raises(RuntimeError) as error:
            use()
        assert text(error) == LEAKED.format(name=name)


def test_side_effects_happen_when_it_is_recorded(capsys):
    seen = []

    @jit
    def f(x):
        print(x, f"{x.sum()}", [x])  # noqa: T201 - what users do
        seen.append(x.shape)
        return 2 * x

    f(X)
    f(X)
    assert capsys.readouterr().out == "float64[3] float64[] [Tracer(float64[3])]\n"
    assert seen == [(3,)]


def test_writing_to_an_argument_leaves_the_callers_array():
    @jit
    def f(x, tree):
        x[0] = 100
        x += 1
        tree["w"][:] = 0
        return x, tree["w"]

    x, w = X.copy(), X.copy()
    for _ in range(3):
        first, second = f(x, {"w": w})
        assert (first.tolist(), second.tolist()) == ([101.0, -1.0, 4.0], [0.0, 0.0, 0.0])
    np.testing.assert_array_equal(x, X)
    np.testing.assert_array_equal(w, X)


def test_random_numbers_are_constants_and_said_to_be():
    def noisy(x):
        return x + np.random.rand(3)  # noqa: NPY002 - what users do

    jitted = jit(noisy)
    with pytest.warns(RandomnessWarning) as caught:
        first = jitted(X)
    assert re.sub(r"test_bad_input\.py:\d+", "LINE", str(caught[0].message)) == (
        "jit: while noisy (LINE) was recorded (LINE), numbers were drawn from np.random. They are constants of the program: "
        "every call uses the same ones. Draw outside and pass the numbers as an argument, or draw with autodiff.random, whose "
        "state is an argument."
    )
    assert caught[0].filename == __file__
    np.testing.assert_array_equal(jitted(X), first)
    generator = np.random.default_rng(0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        jit(lambda x, noise: x + noise)(X, generator.random(3))


def test_other_threads_silence_it_only_where_they_run_code_of_the_users():
    def noisy(x):
        return x + np.random.rand()  # noqa: NPY002 - what users do

    stop = threading.Event()
    for run, expected in ((stop.wait, 1), (lambda: stop.wait(), 0)):
        thread = threading.Thread(target=run)
        thread.start()
        try:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                jit(noisy, backend="numpy")(1.0)
        finally:
            stop.set()
            thread.join()
            stop.clear()
        assert [warning.category for warning in caught] == [RandomnessWarning] * expected


@pytest.mark.parametrize(
    ("drawn", "expected"),
    [
        ("np.random.rand(312)", "['RandomnessWarning']"),  # after so many its place is that of a new one
        ("np.random.seed(0)", "['RandomnessWarning']"),
        ("np.random.default_rng(0).random(312)", "[]"),
        ("np.ones(312)", "[]"),
    ],
)
def test_the_first_random_numbers_of_a_process(drawn, expected):
    program = f"""
import warnings
import autodiff, numpy as np

def noisy(x):
    {drawn}
    return x

with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    autodiff.jit(noisy, backend="numpy")(1.0)
print([warning.category.__name__ for warning in caught])
"""
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert (found.stdout, found.stderr) == (f"{expected}\n", "")


def test_a_call_that_fits_no_signature_is_pythons_own_error():
    with pytest.raises(TypeError, match=r"named\(\) missing 1 required positional argument: 'y'"):
        jit(named)(X)
    with pytest.raises(TypeError, match=r"named\(\) got multiple values for argument 'n'"):
        jit(named, static_argnums=2)(X, X, 3, n=3)


class Model:
    def __init__(self, scale):
        self.w = scale * np.ones(3)

    @jit
    def traced(self, x):
        return self.w * x

    @functools.partial(jit, static_argnums=0)
    def static(self, x):
        return self.w * x

    @classmethod
    @functools.partial(jit, static_argnums=0)
    def of_class(cls, x):
        return len(cls.__name__) * x

    @staticmethod
    @jit
    def twice(x):
        return 2 * x


@dataclass
class Tree:
    w: Any

    @jit
    def __call__(self, x):
        return self.w * x


def test_methods():
    with pytest.raises(TypeError) as error:
        Model(1).traced(X)
    assert text(error) == (
        "jit: traced (LINE) is a method, and self is Model (LINE), which is no tree of arrays. Make self static with "
        "@partial(jit, static_argnums=0): its attributes are taken as they are when the method is recorded. Or make Model a "
        "tree, whose arrays are arguments like others: a dataclass, or autodiff.register_tree."
    )
    one, two = Model(1), Model(2)
    for _ in range(3):
        np.testing.assert_array_equal(one.static(X), X)
        np.testing.assert_array_equal(two.static(X), 2 * X)
    one.w = 5 * X
    np.testing.assert_array_equal(one.static(X), X)
    assert Model.of_class(2.0) == 10.0
    assert Model.twice(2.0) == 4.0
    tree = Tree(X)
    for scale in (1.0, 2.0, 3.0):
        tree.w = scale
        assert tree(2.0) == 2 * scale
    assert Tree.__call__.cache_size() == 1
    np.testing.assert_array_equal(grad(lambda tree, x: tree(x).sum())(tree, X).w, X.sum())
