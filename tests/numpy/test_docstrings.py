"""The examples in NumPy's docstrings, with traced arrays: they give NumPy's results, or an error that says why not."""

import copy
import re

import numpy as np
import pytest

import autodiff
import autodiff.numpy
import autodiff.programs
from autodiff.trace.failures.classes import AutodiffError
from autodiff.trace.traced import Traced
from tests.numpy.docstrings import Space, run, sources

pytestmark = [
    pytest.mark.skipif(not np.__version__.startswith("2.4."), reason="the examples of other versions are others"),
    pytest.mark.filterwarnings("ignore"),
]
EXPLAINED = re.compile(r"\(\S+:\d+\)")
"""The line of the user, which our errors name."""

DIFFERENT = {
    "np.broadcast": "a class, which asks nobody",
    "np.mintypecode": "looks at Python objects",
    "np.ndarray": "makes arrays of memory",
}


def numbers(value):
    """The arrays and numbers in a value, as plain ones."""
    if isinstance(value, (tuple, list)):
        return [leaf for part in value for leaf in numbers(part)]
    if isinstance(value, Traced):
        return [np.asarray(autodiff.stop_gradient(value))]
    plain = isinstance(value, (np.ndarray, np.generic, bool, int, float, complex)) and type(value) is not np.matrix
    return [np.array(value)] if plain and np.asarray(value).dtype.kind in "biufc" else []


def kept(outcomes):
    """What examples gave, as it was then: later ones may write to it."""
    return [
        outcome if isinstance(outcome, Exception) else {name: numbers(value) for name, value in outcome.items()}
        for outcome in outcomes
    ]


def difference(ours, theirs):
    """What is not as NumPy has it; None if nothing is."""
    if isinstance(theirs, Exception):
        return None if isinstance(ours, Exception) else f"no error; NumPy raises {theirs!r}"
    if isinstance(ours, Exception):
        return None if isinstance(ours, AutodiffError) or EXPLAINED.search(str(ours)) else f"raises {ours!r}"
    for name, expected in theirs.items():
        for one, other in zip(ours[name], expected, strict=True):
            if (one.shape, one.dtype) != (other.shape, other.dtype):
                return f"{name}: {one.dtype}{one.shape}, not {other.dtype}{other.shape}"
            tolerance = 1e-5 if one.dtype.char in "efF" else 1e-9
            if not np.allclose(one, other, rtol=tolerance, atol=tolerance, equal_nan=True):
                return f"{name}: {one}, not {other}"
    return None


EXAMPLES = sources()


@pytest.mark.parametrize(("name", "examples"), EXAMPLES.items(), ids=EXAMPLES)
def test_examples(name, examples):
    if name in DIFFERENT:
        pytest.skip(DIFFERENT[name])
    with np.printoptions(), np.errstate():  # some examples change them, for the whole process
        wrong = what_is_wrong(examples)
    assert not wrong, "\n".join(wrong)


def what_is_wrong(examples):
    """Each example that gives something else when arrays are traced."""
    made = []

    def remembered(array):
        made.append(array.copy())
        return array

    def snapshots(outcomes):
        for outcome in outcomes:
            variables.append({} if isinstance(outcome, Exception) else copied(outcome))
            yield outcome

    variables = []
    expected = kept(snapshots(run(examples, Space(np, remembered))))

    def traced(*arrays):
        rest = iter(arrays)
        space = Space(autodiff.numpy, lambda array: next(rest))
        return np.zeros(()), kept(run(examples, space, variables))

    if not made:
        return []
    ours = autodiff.vjp(traced, *made, has_aux=True)[-1]
    return [f"{e.strip()}: {d}" for e, d in zip(examples, map(difference, ours, expected), strict=True) if d]


def copied(results):
    """Copies of what was assigned, where there can be copies."""
    return {
        name: copy.deepcopy(value) for name, value in results.items() if isinstance(value, (np.ndarray, np.generic))
    }


def test_settings_of_examples_end_with_them():
    before = np.get_printoptions()
    test_examples("np.settings", ["np.set_printoptions(precision=3)", "x = np.linspace(0, 1, 4)", "x * 2"])
    assert np.get_printoptions() == before
