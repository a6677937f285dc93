"""The line that errors name: the user's, whatever libraries lie between."""

from __future__ import annotations

import inspect
import os
import statistics
import threading

import numpy as np
import pytest

import autodiff
from autodiff import Variable
from autodiff.trace.errors import ConcretizationError
from autodiff.trace.source import user_line

SITE = "/somewhere/lib/python3.11/site-packages"


def library(name, source, folder=SITE):
    """A module that is installed under a name."""
    scope = {"__name__": f"{name}.core", "user_line": user_line, "np": np}
    exec(compile(source, f"{folder}/{name}/core.py", "exec"), scope)
    return scope


ASKING = library("tables", "def convert(x):\n    return np.asarray(x)\n\ndef apply(f, x):\n    return f(x)\n")


def test_the_line_of_the_user_is_named_where_a_library_asks():
    with pytest.raises(ConcretizationError) as error:
        autodiff.grad(lambda x: np.sum(ASKING["convert"](x)))(np.ones(2))
    line = test_the_line_of_the_user_is_named_where_a_library_asks.__code__.co_firstlineno + 2
    assert str(error.value) == (
        f"a traced float64[2] would become a plain NumPy array (test_source.py:{line}) and its derivative would be lost "
        'silently. tables makes plain arrays of what it is given: autodiff.differentiable("tables") rewrites its modules, '
        "of which core.py:2 asks here, and often suffices; take the numbers of its objects, such as x.to_numpy() or "
        "x.magnitude, before they meet traced values, and give what it computes itself a rule with custom_vjp or "
        "custom_jvp. Where no derivative is wanted, wrap the value in autodiff.stop_gradient."
    )


def test_the_line_of_a_function_that_a_library_calls():
    def own(_):
        return user_line()

    assert ASKING["apply"](own, 0) == f"test_source.py:{own.__code__.co_firstlineno + 1}"


@pytest.mark.parametrize(
    "folder", [SITE, "/usr/lib/python3/dist-packages", os.path.dirname(os.__file__)], ids=["site", "dist", "python"]
)
def test_whose_code_it_is_by_where_it_lies(folder):
    between = library("between", "def ask():\n    return user_line()\n", folder)
    line = inspect.currentframe().f_lineno + 1
    assert between["ask"]() == f"test_source.py:{line}"


def test_a_program_that_is_installed_as_a_library_has_its_own_line():
    program = library("program", "def main(found):\n    found.append(user_line())\n")
    found = []
    thread = threading.Thread(target=program["main"], args=(found,))
    thread.start()
    thread.join()
    assert found == ["core.py:2"]


def test_a_library_that_asks_a_variable():
    with pytest.raises(
        ConcretizationError, match=r"tables makes plain arrays of what it is given: .* Take v\.array where"
    ):
        ASKING["convert"](Variable(np.ones(2)))


def test_python_s_own_modules_are_no_users():
    with pytest.raises(ConcretizationError, match=r"\(test_source\.py:\d+\).*statistics makes plain arrays"):
        autodiff.grad(lambda x: statistics.correlation(x, [1.0, 2.0, 4.0]))(np.ones(3))
