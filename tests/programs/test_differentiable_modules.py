"""Modules, packages and scripts by name, and the command that runs them."""

from __future__ import annotations

import contextlib
import importlib
import math
import subprocess
import sys
import textwrap
import types
from importlib.machinery import ExtensionFileLoader

import numpy as np
import pytest

import autodiff
from autodiff import differentiable, grad
from autodiff.programs import compiling
from autodiff.trace.errors import ConcretizationError, DifferentiationError
from autodiff.trace.source import REWRITTEN

X = np.array([0.7, -0.4, 1.2])


SOURCE = """
import math
import numpy as np
from robot_parts.lengths import LENGTHS


def reach(q):
    out = np.zeros(2)
    for length, angle in zip(LENGTHS, q):
        out += np.array([math.cos(angle), math.sin(angle)]) * length
    return math.sqrt(out[0] ** 2 + out[1] ** 2)


SLOT = reach
"""


@pytest.fixture
def robot(tmp_path, monkeypatch):
    """A package in a folder of its own."""
    folder = tmp_path / "robot_parts"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    (folder / "lengths.py").write_text("LENGTHS = [1.0, 0.5]\n")
    (folder / "arm.py").write_text(SOURCE)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield tmp_path
    for name in [name for name in sys.modules if name.startswith("robot_parts")]:
        sys.modules.pop(name)


Q = np.array([0.3, 0.9])
SLOPE = np.array([0.5 * math.sin(0.6), -0.5 * math.sin(0.6)]) / math.sqrt(1.25 + math.cos(0.6))


def test_packages_by_name(robot):
    with differentiable("robot_parts") as switch:
        arm = importlib.import_module("robot_parts.arm")
    np.testing.assert_allclose(grad(arm.reach)(Q), SLOPE)
    assert repr(switch) == "<differentiable robot_parts>"
    assert switch not in sys.meta_path
    assert (robot / "robot_parts" / "arm.py").read_text() == SOURCE
    assert not list((robot / "robot_parts").glob("__pycache__/arm*"))


def test_functions_that_a_loaded_module_has_compiled_stay(robot):
    pytest.importorskip("numba")
    source = """
    from numba import njit, vectorize

    def half(x):
        return float(x) / 2

    def third(x):
        return max(x / 3, 0.0)

    def sixth(x):
        return third(half(x))

    for name in ("half", "third"):
        globals()[name] = {"half": njit, "third": vectorize}[name](globals()[name])
    """
    (robot / "robot_parts" / "parts.py").write_text(textwrap.dedent(source))
    parts = importlib.import_module("robot_parts.parts")
    differentiable(parts)
    assert parts.sixth(3.0) == 0.5
    assert parts.sixth.__code__.co_filename == str(robot / "robot_parts" / "parts.py")


def test_functions_that_numba_compiles_by_other_names_stay(robot):
    pytest.importorskip("numba")
    sources = {
        "compilers": """
            import numba

            jit = numba.njit

            def quickly(function):
                return numba.njit(cache=False)(function)
            """,
        "fast": """
            import numpy as np
            from robot_parts.compilers import jit, quickly

            @jit
            def turn(x):
                return np.array([np.cos(x), np.sin(x)]) * 2.0

            @quickly
            def length(x):
                return turn(x).sum() + float(x)

            def both(x):
                return length(x) + jit(lambda t: np.ones(2)[:1].sum() * t)(x)
            """,
    }
    for name, source in sources.items():
        (robot / "robot_parts" / f"{name}.py").write_text(textwrap.dedent(source))
    with differentiable("robot_parts"):
        fast = importlib.import_module("robot_parts.fast")
    assert fast.both(0.0) == 2.0
    importlib.import_module("autodiff.numba")
    assert grad(fast.both)(0.3) == pytest.approx(2.0 * (math.cos(0.3) - math.sin(0.3)) + 2.0)


class Lazy:
    """A module that is imported when somebody looks at it, and is not there."""

    def __getattribute__(self, name):
        raise ImportError("not there")


def test_modules_that_cannot_be_looked_at_and_names_that_are_no_modules(robot, monkeypatch):
    source = "import sys\nmissing = sys.modules['robot_parts.lazy']\n" + SOURCE
    (robot / "robot_parts" / "arm.py").write_text(source)
    monkeypatch.setitem(sys.modules, "robot_parts.lazy", Lazy())
    monkeypatch.setitem(sys.modules, "robot_parts.blocked", None)
    monkeypatch.setitem(sys.modules, "robot_parts.made", types.ModuleType("robot_parts.made"))
    arm = importlib.import_module("robot_parts.arm")
    with differentiable("robot_parts"):
        np.testing.assert_allclose(grad(arm.reach)(Q), SLOPE)
    with pytest.raises(DifferentiationError, match="robot_parts.made has no function whose source is known"):
        differentiable(sys.modules["robot_parts.made"])


class cython_function_or_method:
    """As Cython's are: arguments are arrays of NumPy's and nothing else."""

    __module__, __name__ = "robot_parts.fast", "total"

    def __call__(self, values):
        if type(values) is not np.ndarray:
            raise TypeError(f"Argument 'values' has incorrect type (expected numpy.ndarray, got {type(values)})")
        values += 1.0
        return values.sum()


def test_compiled_functions_get_plain_arrays_and_refuse_traced_ones(robot, monkeypatch):
    fast = types.ModuleType("robot_parts.fast")
    fast.__loader__ = ExtensionFileLoader("robot_parts.fast", "fast.so")
    fast.total = total = cython_function_or_method()
    monkeypatch.setitem(sys.modules, "robot_parts.fast", fast)
    source = """
    import numpy as np
    from robot_parts import fast
    from robot_parts.fast import total

    def program(x, scale=1.0):
        values = np.ones(3) * scale
        found = total(values) + fast.total(values)
        values[0] = x[0]
        return values.sum() * found + x[1]
    """
    (robot / "robot_parts" / "parts.py").write_text(textwrap.dedent(source))
    monkeypatch.setattr(importlib.import_module("robot_parts"), "fast", fast, raising=False)
    parts = importlib.import_module("robot_parts.parts")
    plain = parts.program(Q)
    differentiable(parts)
    assert autodiff.value_and_grad(parts.program)(Q)[0] == parts.program(Q) == plain
    np.testing.assert_array_equal(grad(parts.program)(Q), [15.0, 1.0])
    with pytest.raises(DifferentiationError) as caught:
        grad(lambda scale: parts.program(Q, scale))(2.0)
    line = source.splitlines().index("        found = total(values) + fast.total(values)")
    assert str(caught.value) == (
        f"robot_parts.fast.total is compiled code, and does not take a traced float64[3] (parts.py:{line + 1}); give "
        "it a rule with custom_vjp or custom_jvp, or pass autodiff.stop_gradient(x) where no derivative is wanted"
    )
    assert total is fast.total


def test_modules_that_are_loaded_already(robot):
    arm = importlib.import_module("robot_parts.arm")
    with pytest.raises(ConcretizationError):
        grad(arm.reach)(Q)
    assert differentiable(arm) is arm
    np.testing.assert_allclose(grad(arm.reach)(Q), SLOPE)
    np.testing.assert_allclose(grad(arm.SLOT)(Q), SLOPE)
    with contextlib.closing(SwitchOff(differentiable("robot_parts"))):
        np.testing.assert_allclose(grad(arm.reach)(Q), SLOPE)


class SwitchOff:
    def __init__(self, switch):
        self.close = switch.off


SCRIPT = """
import sys
import numpy as np
from autodiff import grad
from helper import turn
if __name__ == "__main__":
    f = lambda a: (turn(a) @ np.array([a, 1.0]))[0]
    print(sys.argv[1:], __name__, round(float(grad(f)(0.5)), 6))
    if len(sys.argv) > 2:
        raise SystemExit(int(sys.argv[2]))
    1 / 0
"""
HELPER = """
import numpy as np
def turn(a):
    return np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]])
"""


def run(folder, *arguments):
    command = [sys.executable, "-m", "autodiff", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=100, check=False)


def test_scripts(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", autodiff.__path__[0].rpartition("/")[0])
    (tmp_path / "script.py").write_text(SCRIPT)
    (tmp_path / "helper.py").write_text(HELPER)
    done = run(tmp_path, "script.py", "one")
    slope = math.cos(0.5) - 0.5 * math.sin(0.5) - math.cos(0.5)
    assert done.stdout == f"['one'] __main__ {slope:.6f}\n"
    assert done.stderr == textwrap.dedent(f"""\
        Traceback (most recent call last):
          File "{tmp_path / "script.py"}", line 11, in <module>
            1 / 0
            ~~^~~
        ZeroDivisionError: division by zero
    """)
    by_name = run(tmp_path, "-m", "script", "one", "3")
    assert (by_name.stdout, by_name.returncode) == (f"['one', '3'] __main__ {slope:.6f}\n", 3)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["missing.py"], "'missing.py' is neither a file nor one of the commands demo, info"),
        (["-m"], "-m is followed by the name of a module"),
    ],
)
def test_command_line_mistakes(arguments, text, capsys):
    from autodiff.__main__ import main  # noqa: PLC0415 - a program, which imports the demo

    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    assert text in capsys.readouterr().err


LONG = "import math\n\n\ndef f(x):\n    return math.sin(x)\n" + "# a comment\n" * 500


def test_long_modules_are_rewritten_once_and_kept_on_disk(tmp_path, monkeypatch):
    monkeypatch.setenv("AUTODIFF_CACHE_DIR", str(tmp_path / "kept"))
    first = compiling.compiled(LONG, "long.py")
    assert len(list((tmp_path / "kept").glob("*.program"))) == 1
    monkeypatch.setattr(compiling, "rewritten", None)  # nobody calls it again
    again = compiling.compiled(LONG.encode(), "long.py")
    assert again == first
    assert again is not first
    assert all(id(part) in REWRITTEN for part in compiling.all_code(again))
    for source, name, bound in (LONG + "#", "long.py", ()), (LONG, "other.py", ()), (LONG, "long.py", ("np",)):
        with pytest.raises(TypeError):  # another source, or another place for errors to name, or other names
            compiling.compiled(source, name, frozenset(bound))
    with pytest.raises(TypeError):  # which depends on other modules
        compiling.compiled("from numpy import *\n" + LONG, "long.py")
