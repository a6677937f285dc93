"""The first contacts with a device, met by the stand-in: what they ask is right there, and they notice what is not."""

import numpy as np
import pytest

from autodiff.testing.gpu.contacts import first, library, peaks, races
from autodiff.testing.gpu.contacts.comparing import compared
from autodiff.testing.gpu.item import FaultError, Given, LeftOutError
from tests.backends.cupy.hosting import needs_compiler
from tests.standin import streams
from tests.standin.fixture import cupy

__all__ = ["cupy"]
pytestmark = needs_compiler
GIVEN = Given(60.0, standin=True)
ITEMS = {**library.ITEMS, **first.ITEMS, **peaks.ITEMS}


@pytest.mark.parametrize("name", ITEMS)
def test_a_contact(cupy, name):
    try:
        assert ITEMS[name](GIVEN) is not None
    except LeftOutError as reason:
        pytest.skip(str(reason))


@pytest.mark.parametrize("name", races.ITEMS)
def test_races_where_work_is_late(cupy, name):
    with streams.late():
        assert races.ITEMS[name](GIVEN)


def test_batches_are_copied_while_the_gpu_computes(cupy):
    from autodiff.testing.gpu.checkout import transfers

    with streams.late():
        assert transfers.ITEMS["batches of a converter"](GIVEN) == "20 batches"


def test_a_name_that_is_missing(cupy, monkeypatch):
    monkeypatch.delattr(cupy.cuda, "using_allocator")
    with pytest.raises(FaultError, match=r"^CuPy 14\S* has no cuda.using_allocator$"):
        library.names(GIVEN)


def test_names_are_read_off_the_text():
    used = set(library.names_used())
    assert {("cuda", "Stream"), ("cuda", "runtime", "getDevice"), ("cuda", "using_allocator")} <= used


def test_a_wrong_dtype_is_named(cupy, monkeypatch):
    monkeypatch.setattr(library, "BINARY", (np.add,))
    monkeypatch.setattr(cupy, "add", lambda *args: cupy.ones(2, np.float32))
    with pytest.raises(FaultError, match=r"add\(bool, bool\) is float32, not bool"):
        library.dtypes(GIVEN)


def test_a_wrong_number_is_named(cupy):
    calls = []
    with pytest.raises(FaultError, match=r"^call 1 is off by 1, allowed 2e-05$"):
        compared(lambda x: x * (1 if calls.append(1) or len(calls) == 1 else 2), np.ones(3, np.float32))
