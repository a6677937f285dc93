"""``autodiff.compat.autograd``: autograd's names, its results, programs run as they stand."""

import importlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from autodiff.compat.autograd import grad, names
from autodiff.compat.autograd.builtins import Box, DictBox, SequenceBox
from autodiff.compat.autograd.scipy.integrate import odeint
from autodiff.compat.autograd.test_util import check_grads
from autodiff.trace.errors import DifferentiationError, RuleError
from tests.compat.record_autograd_names import TABLE
from tests.compat.record_autograd_programs import RECORDED, numbers

HERE = Path(__file__).parent
GRAPH = "autograd's own graph: nothing of the kind is here"
RULES = "rules of NumPy's and SciPy's functions, which have theirs here"
SPACES = "containers hold traced values as they are"
INSIDE = {
    "autograd.builtins": SPACES, "autograd.core": GRAPH, "autograd.misc.tracers": GRAPH, "autograd.numpy": RULES,
    "autograd.numpy.fft": RULES, "autograd.numpy.linalg": RULES, "autograd.numpy.numpy_boxes": GRAPH,
    "autograd.numpy.numpy_vjps": RULES, "autograd.numpy.numpy_vspaces": SPACES, "autograd.scipy.integrate": RULES,
    "autograd.scipy.linalg": RULES, "autograd.scipy.signal": RULES, "autograd.scipy.special": RULES,
    "autograd.scipy.stats.beta": RULES, "autograd.scipy.stats.chi2": RULES, "autograd.scipy.stats.gamma": RULES,
    "autograd.scipy.stats.multivariate_normal": RULES, "autograd.scipy.stats.poisson": RULES,
    "autograd.scipy.stats.t": RULES, "autograd.tracer": GRAPH, "autograd.util": GRAPH,
}  # fmt: skip
"""Modules that have more than users call, and why the rest is not here."""
DROPPED = {"row_stack"} - set(dir(np))
"""Names that autograd has from NumPy, which has them no more."""
LEFT_OUT = [
    "VSpace",
    "Box",
    "Meta",
    "Node",
    "SparseObject",
    "grad_",
    "_vjp",
    "_jvp",
    "jvps",
    "vjps",
    "deprecat",
    "adjoint",
    "gradmaker",
    "unbroadcast_einsum",
    "backward_pass",
    "add_outgrads",
    "sum_outgrads",
    "sparse_object",
    "identity_",
    "translate_",
    "check_even",
    "check_no",
    "get_fft",
    "make_rfft",
    "truncate_pad",
    "T",
    "add2d",
    "diff_methods",
    "method_name",
    "trace_primitives_map",
    "nograd_functions",
    "reverse_axis",
    "unpermuter",
    "wrapped_reshape",
    "argnums_unpack",
    "compute_conv_size",
    "einsum_tensordot",
    "flipped_idxs",
    "parse_axes",
    "root_pi",
    "covgrad",
    "generalized_outer_product",
    "TraceStack",
    "SparseBox",
    "fft_grad",
    "trace_stack",
    "box_type",
    "new_box",
    "find_top_boxed_args",
    "notrace_primitives",
    "toposort",
    "fwd_grad",
    "pad_vjp",
    "primitive",
    "solve",
    "trace",
    "primitive_with",
    "sequence_extend",
]


@pytest.fixture
def aliased(monkeypatch: pytest.MonkeyPatch) -> Any:
    """``import autograd`` finds ours, until the end of the test."""
    before = dict(sys.modules)
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
    names.install()
    yield
    for name in set(sys.modules) - set(before):
        if name.split(".")[0] == "autograd" or name == "tests.compat.autograd_programs":
            del sys.modules[name]


def test_names(aliased: Any) -> None:
    """All public names are there; what is left out is inside of autograd."""
    found: dict[str, list[str]] = {}
    for name, wanted in json.loads(TABLE.read_text()).items():
        module = importlib.import_module(name)
        model = sys.modules.get(name.removeprefix("autograd."))
        known = [key for key in wanted if not hasattr(module, key) and key not in DROPPED]
        found[name] = [
            key for key in known if name in ("autograd", "autograd.extend") or hasattr(model, key) or not inside(key)
        ]
        assert not known or name in INSIDE
    assert {name: keys for name, keys in found.items() if keys} == {}


def inside(key: str) -> bool:
    """Whether a name is left out."""
    return any(key == part or (len(part) > 3 and part in key) for part in LEFT_OUT)


@pytest.mark.parametrize("name", json.loads(RECORDED.read_text()))
def test_program(name: str, aliased: Any) -> None:
    """Results are those that autograd gives."""
    program = importlib.import_module("tests.compat.autograd_programs").PROGRAMS[name]
    tolerance = 1e-6 if name == "differential_equation" else 1e-8
    np.testing.assert_allclose(numbers(program()), json.loads(RECORDED.read_text())[name], rtol=tolerance, atol=1e-9)


SCRIPT = """
import sys
import autograd.numpy as np
from autograd import grad
import on_autograd
assert sys.argv[1:] == ["3.0"]
assert grad.__module__.startswith("autodiff.")
print(float(grad(on_autograd.f)(float(sys.argv[1]))))
if len(sys.argv) > 2:
    raise SystemExit(1)
grad(lambda x: x * np.ones(2))(1.0)
"""
LIBRARY = """
from autograd.extend import primitive, defvjp
from autograd.numpy.numpy_vjps import unbroadcast_f
import autograd.numpy as np

@primitive
def f(x):
    return np.float64(x) ** 2

defvjp(f, lambda ans, x: unbroadcast_f(x, lambda g: 2 * g * x))
"""


def test_runner(tmp_path: Path) -> None:
    """The program and the libraries that it imports find ours; errors begin at the program's first line."""
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    (tmp_path / "on_autograd.py").write_text(LIBRARY)
    command = [sys.executable, "-m", "autodiff.compat.autograd", str(script), "3.0"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.stdout == "6.0\n"
    assert done.stderr.splitlines()[1] == f'  File "{script}", line 11, in <module>'
    assert done.stderr.splitlines()[-1] == (
        "autodiff.trace.failures.classes.DifferentiationError: grad needs a function that returns one real number, but <lambda> "
        "returned float64[2] (script.py:11); take jacobian, elementwise_grad or holomorphic_grad"
    )
    missing = subprocess.run([*command[:-2], "no.py"], capture_output=True, text=True, check=False, timeout=300)
    assert "there is no file 'no.py'; -m no.py runs a module" in missing.stderr


def test_errors() -> None:
    from autodiff.compat.autograd import grad, jacobian, make_jvp
    from autodiff.compat.autograd.extend import SparseObject, defvjp, primitive, register_notrace

    @primitive
    def f(x: Any) -> Any:
        return np.asarray(x) * 1.0

    with pytest.raises(
        NotImplementedError, match=r"^the VJP of f is not defined \(test_autograd.py:\d+\); give it one by defvjp"
    ):
        grad(f)(1.0)
    defvjp(f, lambda ans, x: lambda g: np.ones(3))
    with pytest.raises(RuleError, match="for its argument 0, which is"):
        grad(lambda x: np.sum(f(x)))(np.ones(2))
    with pytest.raises(TypeError, match="defvjp_argnum gives rules to functions made by @primitive, got sin"):
        defvjp(np.sin, None)
    with pytest.raises(TypeError, match="argnum must be an int, a tuple or a list, got 'x'"):
        grad(np.sin, "x")
    with pytest.raises(NotImplementedError, match="SparseObject is not here; return an array from the rule"):
        SparseObject(None, None)
    with pytest.raises(NotImplementedError, match="register_notrace is not here"):
        register_notrace(None, np.sin)
    with pytest.raises(DifferentiationError, match="grad needs a function that returns one real number"):
        grad(lambda x: 1j * x)(1.0)
    assert make_jvp(np.sin)(0.0)(2.0) == (0.0, 2.0)
    found = jacobian(lambda x, y: x * np.sum(y), (0, 1))(np.ones(2), np.ones(3))
    assert [part.shape for part in found] == [(2, 2), (2, 3)]


def test_rules_of_forward_mode_alone_have_transposes() -> None:
    from autodiff.compat.autograd import grad, make_jvp
    from autodiff.compat.autograd.extend import def_linear, defjvp, primitive

    @primitive
    def halved(x: Any) -> Any:
        return x / 2

    def_linear(halved)
    assert make_jvp(halved)(2.0)(3.0) == (1.0, 1.5)
    with pytest.raises(NotImplementedError, match="the VJP of halved is not defined"):
        grad(halved)(2.0)

    @primitive
    def product(x: Any, y: Any) -> Any:
        return x * y

    defjvp(product, lambda g, ans, x, y: g * y, lambda g, ans, x, y: g * x)
    assert make_jvp(product, (0, 1))(2.0, 3.0)((1.0, 10.0)) == (6.0, 23.0)
    assert grad(product, (0, 1))(2.0, 3.0) == (3.0, 2.0)


def test_banded_equations() -> None:
    from autodiff.compat.autograd.scipy.linalg import solve_banded
    from autodiff.compat.autograd.test_util import check_grads

    rs = np.random.default_rng(0)
    bands, right = rs.normal(size=(4, 5)) + np.array([[0.0], [0.0], [9.0], [0.0]]), rs.normal(size=5)
    check_grads(lambda a, b: solve_banded((1, 2), a, b), (0, 1), modes=["rev"], order=2)(bands, right)


def test_numbers_and_lists_stay_what_they_are() -> None:
    import autodiff.compat.autograd.numpy as anp

    assert type(anp.where(True, 3.0, 4.0)) is float
    assert anp.where(True, [1, 2], [3, 4]) == [1, 2]
    assert type(anp.where(np.True_, 3.0, 4.0)) is np.ndarray


def test_classes_of_traced_values() -> None:
    """``isinstance`` knows traced values, and containers that hold some; a Box is not made, and takes no classes."""
    seen = []

    def f(x: Any) -> Any:
        holders = (x, {"a": x}, [1.0, (x,)], {"a": 1.0}, [1.0], 1.0)
        seen.extend([isinstance(value, box) for box in (Box, DictBox, SequenceBox)] for value in holders)
        return x

    grad(f)(2.0)
    yes, no = True, False
    assert seen == [[yes, no, no], [no, yes, no], [no, no, yes], [no, no, no], [no, no, no], [no, no, no]]
    with pytest.raises(
        NotImplementedError, match=r"^Box.register\(Path\) is not here; make the values of the class trees"
    ):
        Box.register(Path)
    with pytest.raises(NotImplementedError, match=r"^traced values are made by transformations"):
        Box(1.0)


def test_an_equation_that_depends_on_time() -> None:
    """The times at which a solution is asked for have the right derivative, by a check as libraries write it."""

    def slope(y: Any, t: Any, rate: Any) -> Any:
        return -np.sqrt(t) - y + rate - np.mean(y**2)

    def solution(t: Any) -> Any:
        return odeint(slope, np.array([0.3, -0.8]), t, (1.3,), rtol=1e-11, atol=1e-11)

    check_grads(solution, modes=["rev"], order=1)(np.linspace(0.1, 0.2, 3))


def test_rules_in_the_form_of_old_versions() -> None:
    from autodiff.compat.autograd.core import primitive

    @primitive
    def product(x: Any, y: Any) -> Any:
        return x * y

    def fun(x: Any, y: Any) -> Any:
        return np.sum(product(x, y) ** 2)

    x, y = np.array([1.0, -2.0]), np.array([3.0, 0.5])
    with pytest.warns(DeprecationWarning, match=r"product.defgrad \(.*test_autograd.py:\d+\) is the form of old"):
        product.defgrad(lambda ans, x, y: lambda g: y * g)
    with pytest.raises(NotImplementedError, match="by argument 1 is not defined"):
        grad(fun, 1)(x, y)
    with pytest.warns(DeprecationWarning, match="old versions"):
        product.defgrad(lambda ans, x, y: lambda g: x * g, argnum=1)
    check_grads(fun, (0, 1), modes=["rev"])(x, y)
    with pytest.warns(DeprecationWarning, match="old versions"):
        product.defvjp_is_zero([1])
    assert grad(fun, 1)(x, y).tolist() == [0, 0]
    with pytest.warns(DeprecationWarning, match="old versions"):
        product.defvjp(lambda g, ans, vs, gvs, x, y: g * x * np.ones(vs.shape), argnum=1)
    check_grads(fun, (0, 1), modes=["rev"])(x, y)


def test_classes_of_integers() -> None:
    """They take traced values, whose derivative ends there; otherwise they are NumPy's."""
    import autodiff.compat.autograd.numpy as anp

    def fun(rows: Any) -> Any:
        return rows[:, :2][anp.int64(rows[:, 2])].sum()

    rows = np.array([[1.0, 2.0, 1.0], [3.0, 4.0, 1.0]])
    assert fun(rows) == 14
    assert grad(fun)(rows).tolist() == [[0, 0, 0], [2, 2, 0]]
    assert type(anp.int64("3")) is np.int64
    assert isinstance(np.int8(1), anp.integer)
    assert not isinstance(1.0, anp.integer)
    assert issubclass(np.int8, anp.integer)
    assert np.zeros(1, anp.uint8).dtype == np.uint8 == anp.uint8
    assert anp.iinfo(anp.int16).max == 32767


def test_arguments_of_an_equation_by_their_name() -> None:
    def end(rate: Any) -> Any:
        return odeint(lambda y, t, rate: -rate * y, 1.0, np.array([0.0, 0.5]), args=(rate,))[-1, 0]

    np.testing.assert_allclose(grad(end)(2.0), -0.5 * np.exp(-1.0), rtol=1e-6)


def test_rules_of_a_plain_function() -> None:
    """They are not used: the function is differentiated through its operations. NumPy's functions are refused."""
    from autodiff.compat.autograd.extend import defvjp

    def twice(x: Any) -> Any:
        return 2.0 * x

    with pytest.warns(UserWarning, match=r"defvjp_argnum gives to twice \(.*:\d+\) are not used, since it is no prim"):
        defvjp(twice, lambda ans, x: lambda g: 5.0 * g)
    assert grad(twice)(1.0) == 2
    with pytest.raises(TypeError, match="NumPy's functions have theirs here"):
        defvjp(np.sin, lambda ans, x: lambda g: g)


def test_iterators_and_arrays_of_objects() -> None:
    import autodiff.compat.autograd.numpy as anp

    def fun(x: Any) -> Any:
        rows = anp.stack(x * k for k in (1.0, 2.0))
        return anp.sum(rows) + anp.sum(anp.array([x[0], 3.0], dtype=object).ravel() ** 2)

    assert grad(fun)(np.array([2.0, 1.0])).tolist() == [7, 3]
    assert anp.vstack(iter([np.ones(2), np.zeros(2)])).shape == (2, 2)
