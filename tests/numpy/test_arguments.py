"""Every optional argument of NumPy's functions, written out: values, dtypes and errors are NumPy's own."""

from functools import partial

import numpy as np
import pytest

import autodiff
from autodiff.trace.failures.classes import AutodiffError, ConcretizationError
from tests.numpy.arguments import CALLS, known_as, options_of


def leaves(result):
    """The arrays and numbers of a result, and what holds them."""
    if not isinstance(result, (tuple, list)):
        return [result]
    return [(type(result).__name__, len(result)), *(leaf for part in result for leaf in leaves(part))]


def outcome(run):
    """The results, or the error."""
    try:
        return run(), None
    except Exception as error:
        return None, error


def difference(ours, theirs):
    """What is not as NumPy has it; None if nothing is."""
    for one, other in zip(leaves(ours), leaves(theirs), strict=True):
        if isinstance(one, tuple) or isinstance(other, tuple):
            if one != other:
                return f"{one}, not {other}"
            continue
        one, other = np.asarray(one), np.asarray(other)
        if (one.shape, one.dtype) != (other.shape, other.dtype):
            return f"{one.dtype}{one.shape}, not {other.dtype}{other.shape}"
        tolerance = 1e-5 if one.dtype.char in "efF" else 1e-9
        if not np.allclose(one, other, rtol=tolerance, atol=tolerance, equal_nan=True):
            return f"{one}, not {other}"
    return None


def parts_of(args):
    """The arrays among arguments, and what makes arguments of them again."""
    found = []

    def part(value):
        if isinstance(value, np.ndarray) and value.dtype.kind == "f":
            found.append(value)
            k = len(found) - 1
            return lambda arrays: arrays[k]
        if isinstance(value, (tuple, list)) and value and not isinstance(value[0], int):
            makers = [part(each) for each in value]
            return lambda arrays: type(value)(make(arrays) for make in makers)
        return lambda _: value

    makers = [part(value) for value in args]
    return found, lambda arrays: [make(arrays) for make in makers]


def known(fun, arrays):
    return autodiff.vjp(fun, *arrays)[0]


def unknown(fun, arrays):
    return autodiff.eval_tape(autodiff.make_tape(fun)(*arrays), *arrays)


def verdict(run, expected, error):
    """What is wrong with a mode; None if nothing is. Refusals of ours are documented, and no error is hidden."""
    ours, our_error = outcome(run)
    if isinstance(our_error, ConcretizationError) or (error is None and isinstance(our_error, AutodiffError)):
        return None
    if error is not None:
        return None if our_error is not None else f"no error; NumPy raises {type(error).__name__}: {error}"
    return f"raises {our_error!r}" if our_error is not None else difference(ours, expected)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("call", CALLS, ids=known_as)
def test_every_argument(call):
    arrays, arguments = parts_of(call.args)
    wrong = []
    for options in options_of(call):

        def fun(*arrays, options=options):
            return call.function(*arguments(arrays), **options)

        expected, error = outcome(lambda: fun(*[x.copy() for x in arrays]))
        for mode in (known, unknown):
            found = verdict(partial(mode, fun, [x.copy() for x in arrays]), expected, error)
            wrong += [f"{options} ({mode.__name__}): {found}"] if found else []
    assert not wrong, "\n".join(wrong)
