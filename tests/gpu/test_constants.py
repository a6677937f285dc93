"""Constants that are copied to a GPU once, and read in every stream."""

import numpy as np
import pytest

from autodiff.trace.values.arrays import placed_constants, uploaded


@pytest.fixture
def late(cupy, monkeypatch):
    """Copies to the GPU arrive when somebody waits for the stream in which they were asked for."""
    arriving, asarray = {}, cupy.asarray

    def begin(host):
        found = asarray(np.full_like(host, np.nan))
        arriving.setdefault(cupy.cuda.get_current_stream().ptr, []).append((found, asarray(host)))
        return found

    def wait(stream):
        for found, content in arriving.pop(stream.ptr, ()):
            found[...] = content

    monkeypatch.setattr(cupy, "asarray", begin)
    monkeypatch.setattr(cupy.cuda.Stream, "synchronize", wait)
    return cupy


def constant():
    made = np.arange(3.0)
    made.flags.writeable = False
    return made


def test_a_constant_has_arrived_before_another_stream_reads_it(late):
    host = constant()
    with late.cuda.Stream():
        found = uploaded(host, late)
    with late.cuda.Stream():
        assert uploaded(host, late) is found
        np.testing.assert_array_equal((found + 1).get(), [1, 2, 3])


def test_constants_are_waited_for_once(cupy, monkeypatch):
    waits = []
    monkeypatch.setattr(cupy.cuda.Stream, "synchronize", lambda stream: waits.append(stream.ptr))
    host, x = constant(), cupy.ones(3)
    for _ in range(3):
        placed_constants((host,), (x,))
    assert len(waits) == 1


def test_a_constant_of_a_capture_stays_there(cupy):
    host, stream = constant(), cupy.cuda.Stream(non_blocking=True)
    with stream:
        stream.begin_capture()
        first = uploaded(host, cupy)
        stream.end_capture()
    assert uploaded(host, cupy) is not first
