"""forget: computed again for the gradients."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import autodiff
import autodiff.chainer.functions as F
from autodiff import Variable
from autodiff.facade.settings.configuration import config


def test_it_is_one_node_that_runs_again_for_gradients() -> None:
    runs: list[bool] = []

    def function(x: Any) -> Any:
        runs.append(config.in_recomputing)
        return x * x

    x = Variable(np.array([1.0, 2.0]))
    y = F.forget(function, x)
    assert (y.creator.label, runs) == ("Forget", [False])
    y.grad = np.ones(2)
    y.backward()
    assert (x.grad.tolist(), runs) == ([2, 4], [False, True])


def test_several_results_and_parameters_inside() -> None:
    x, w = Variable(np.array([1.0, 2.0])), Variable(np.array([3.0, 4.0]))
    y, z = F.forget(lambda x: (x * x * w, x + w), x)
    np.sum(2 * y + z).backward()
    assert x.grad.tolist() == [13, 33]
    assert w.grad.tolist() == [3, 9]


def test_a_result_that_is_not_used_and_one_that_is_given_twice() -> None:
    x = Variable(np.array([1.0, 2.0]))
    y, z = F.forget(lambda x: (x, x), x)
    np.sum(y + 2 * z).backward()
    assert x.grad.tolist() == [3, 3]
    x.cleargrad()
    np.sum(F.forget(lambda x: (x * x, x), x)[1]).backward()
    assert x.grad.tolist() == [1, 1]


def test_traced_values_go_through() -> None:
    found = autodiff.grad(lambda x: np.sum(F.forget(lambda x: x * x, x)))(np.array([1.0, 2.0]))
    assert found.tolist() == [2, 4]


# fmt: off
ERRORS = [
    (TypeError, lambda x: F.forget(3, x), "forget() needs a function that it can call, got 3"),
    (RuntimeError, lambda x: F.forget(lambda x: [x], x),
        "the function given to forget() must return a Variable or a tuple of them, got <class 'list'>"),
    (RuntimeError, lambda x: np.sum(F.forget(lambda x: x * x, x)).backward(enable_double_backprop=True),
        "forget() does not allow double backpropagation: what it computes again is not part of the graph; "
        "autodiff.checkpoint can be differentiated any number of times"),
]
# fmt: on


@pytest.mark.parametrize(("error", "call", "text"), ERRORS)
def test_errors(error: Any, call: Any, text: str) -> None:
    with pytest.raises(error) as caught:
        call(Variable(np.ones(2)))
    assert re.sub(r" \(\w+\.py:\d+\)", "", str(caught.value)) == text
