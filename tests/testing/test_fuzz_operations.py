"""Operations of users in random programs: right ones pass, and a fault is found wherever it shows, in a few lines."""

import re
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from autodiff import custom_jvp, custom_vjp
from autodiff.facade.functions.function_node import FunctionNode
from autodiff.testing import domains
from autodiff.testing.fuzz import Operation, ProgramMismatch, fuzz, generate, printed
from autodiff.testing.fuzz.generate import calls
from autodiff.testing.fuzz.operations import named, within
from autodiff.trace.primitive import Primitive
from autodiff.trace.spec import result_spec
from autodiff.trace.tracer import concrete


def with_rule(fun: Any, pull: Any) -> Any:
    """A function of one array with a rule for its cotangent."""
    made = custom_vjp(fun)
    made.defvjp(lambda x: (fun(x), x), lambda x, g: (pull(g, x),))
    return made


@custom_vjp
def cube(x):
    return x**3


cube.defvjp(lambda x: (x**3, x), lambda x, g: (3 * x * x * g,))


@custom_jvp
def gate(x, y):
    return np.tanh(x) * y


@gate.defjvp
def gate_rule(primals, tangents):
    (x, y), (a, b) = primals, tangents
    t = np.tanh(x)
    return t * y, (1 - t * t) * y * a + t * b


def log_root(x):
    return np.log(x) * np.sqrt(x)


def gram(x):
    return x @ x.T


sigmoid = Primitive(
    "users sigmoid", "elementwise", ("x",), lambda x: 1 / (1 + np.exp(-x)), lambda x: result_spec(x.shape, x.dtype),
    rules={"x": lambda g, out: g * out * (1 - out)}, register=False, params=None,
)  # fmt: skip


class Cosine(FunctionNode):
    def forward(self, inputs):
        self.retain_inputs((0,))
        return (np.cos(inputs[0]),)

    def backward(self, indexes, grad_outputs):
        (x,) = self.get_retained_inputs()
        return (-np.sin(x) * grad_outputs[0],)


def cosine(x):
    return Cosine().apply((x,))[0]


RIGHT = [
    [cube],
    [gate],
    [Operation(log_root, domains.positive)],
    [Operation(gram, text="{name}({p}.reshape(-1, {p}.shape[-1]))")],
    [sigmoid],
    [cosine],
    [cube, gate, Operation(np.arcsin, domains.unit)],
]


@pytest.mark.parametrize("operations", RIGHT)
def test_right_operations_pass(operations):
    found = fuzz(operations, programs=12, seed=1)
    assert found.programs == 12
    assert found.skipped < 0.35


def in_place(g, x):
    array = concrete(g)
    if isinstance(array, np.ndarray) and array.flags.writeable:
        array *= 0.5
        return g * 2 * np.cos(x)
    return g * np.cos(x)


kept: dict[str, Any] = {}


def remembering(x):
    kept["x"] = concrete(x)
    return np.sin(x)


def stale(g, x):
    old = kept.get("x")
    return g * np.cos(old if isinstance(old, np.ndarray) and old.shape == np.shape(x) else x)


def order_of_memory(g, x):
    value = concrete(x)
    if not isinstance(value, np.ndarray):
        return g * np.cos(x)
    return g * np.cos(np.ravel(value, order="K").reshape(value.shape))


FAULTS = {
    "factor": (with_rule(np.sin, lambda g, x: 1.001 * g * np.cos(x)), "law"),
    "sign of the second derivative": (with_rule(np.sin, lambda g, x: g * with_rule(np.cos, lambda g, x: g * np.sin(x))(x)), "law"),
    "looks into arrays": (with_rule(np.sin, lambda g, x: g * np.cos(np.asarray(x))), "raises"),
    "branches on values": (with_rule(np.sin, lambda g, x: g * (np.cos(x) if np.sum(np.abs(x)) > 1 else np.cos(x) + 0)), "raises"),
    "another shape": (with_rule(np.sin, lambda g, x: np.ravel(g * np.cos(x))), "raises"),
    "harm in place": (with_rule(np.sin, in_place), ""),
    "order of memory": (with_rule(np.sin, order_of_memory), ""),
    "residual of another call": (with_rule(remembering, stale), ""),
    "batched in the wrong order": (
        Primitive(
            "users tanh", "general", ("x",), np.tanh, lambda x: result_spec(x.shape, x.dtype),
            rules={"x": lambda g, out: g * (1 - out * out)}, register=False, params=None,
            batch=lambda values, batched, params: np.tanh(values[0][::-1]),
        ),
        "value",
    ),
    "wrong where only shapes are known": (
        lambda x: np.sin(x) if isinstance(concrete(x), np.ndarray | np.generic | float) else np.cos(x), ""
    ),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", FAULTS)
def test_a_planted_fault_is_found_and_shrunk(name):
    fault, kind = FAULTS[name]
    with pytest.raises(ProgramMismatch) as error:
        fuzz([fault], programs=40, trials=120)
    found = error.value.mismatch
    assert found.finding.kind.startswith(kind)
    body = error.value.program.partition("def f(")[2].partition("\nargs =")[0]
    assert calls(generate(found.seed, named([fault])).main, named([fault]))
    assert len(body.splitlines()) <= 7


def test_a_mismatch_is_told_as_a_file_that_shows_it_again(tmp_path):
    with pytest.raises(ProgramMismatch) as error:
        fuzz([doubled], programs=40)
    path = tmp_path / "again.py"
    path.write_text(error.value.program)
    done = subprocess.run(
        [sys.executable, str(path)], env={"PYTHONPATH": ":".join(filter(None, sys.path))},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert "breaks the law 'forward'" in done.stderr
    numbered = re.sub(r"\b[xv]\d+\b", "v", error.value.program)
    assert numbered == (
        "import numpy as np\nimport autodiff\nfrom autodiff.scipy import special\n"
        "from autodiff.testing import check_laws\n"
        f"from {__name__} import doubled\n"
        "def f(v):\n"
        "    v = doubled(v)\n"
        "    return v\n"
        "args = (np.array([1.0], dtype='float64'), )\n"
        "check_laws(f, args, only=('forward', 'reverse', 'adjoint'))\n"
    )


@custom_vjp
def doubled(x):
    return np.sin(x)


doubled.defvjp(lambda x: (np.sin(x), x), lambda x, g: (2 * g * np.cos(x),))


def test_other_seeds_make_other_programs_that_call_the_operations():
    own = named([cube, gate])
    first, second = ([printed(generate(seed + part, own)) for seed in range(20)] for part in (0, 1000))
    assert first != second
    assert first == [printed(generate(seed, own)) for seed in range(20)]
    called = [calls(generate(seed, own).main, own) for seed in range(40)]
    assert sum(map(bool, called)) >= 36
    assert set().union(*called) == {"cube", "gate"}


def test_names_that_programs_give_to_something_else_are_changed():
    def x1(a):
        return a * 2

    assert list(named([x1, lambda a: a, np.sin, cube])) == ["operation0", "operation1", "sin", "cube"]
    assert list(named([cube, cube])) == ["cube", "operation1"]


DOMAINS = [domains.real, domains.positive, domains.negative, domains.unit, domains.greater_than_one, domains.nonzero]


@pytest.mark.parametrize("domain", DOMAINS)
def test_any_number_is_brought_into_a_domain(domain):
    x = np.array([-1e6, -3.0, -0.2, 0.0, 0.2, 3.0, 1e6])
    brought = eval(within(domain, "p").format(p="x"), {"np": np, "x": x})
    assert all(map(domain.is_smooth, brought))


def refusing(x):
    raise ValueError("only on Sundays")


REFUSED = [
    ({"operations": []}, "there are no operations; python -m autodiff.testing.fuzz tries those of the library"),
    (
        {"operations": [cube], "skip": ["jvp"]},
        "there is nothing named 'jvp'; there is value, gradient, compiled gradient, tangent, compiled tangent, batch, "
        "compiled batch, batch of gradient, curvature, tape, checkpoint, variables, differences, second differences",
    ),
    ({"operations": [cube], "size": "huge"}, "size is one of small, edges, large, and 'huge' arrived"),
    (
        {"operations": [refusing], "programs": 2},
        "none of 2 programs calls refusing: called with arrays of shape (3,) it raised ValueError: only on Sundays",
    ),
]


@pytest.mark.parametrize(("given", "text"), REFUSED)
def test_what_says_nothing_is_refused(given, text):
    with pytest.raises(ValueError, match=r"^(there|size|none)") as error:
        fuzz(**given)
    assert str(error.value) == text


def test_a_number_of_operands_that_is_not_known_is_refused():
    with pytest.raises(ValueError, match="operands") as error:
        fuzz([lambda *xs: xs[0]])
    assert str(error.value) == (
        "<lambda> takes an unknown number of operands; give arity=, from 1 to 3, and a function that fixes all else"
    )


def test_a_rule_that_is_not_linear_may_leave_forward_mode_out():
    clipped = with_rule(np.sin, lambda g, x: np.clip(g, -1e3, 1e3) * np.cos(x))
    with pytest.raises(ProgramMismatch):
        fuzz([clipped], programs=40)
    forward = ("tangent", "compiled tangent", "curvature", "differences", "second differences")
    assert fuzz([clipped], programs=10, skip=forward).programs == 10
