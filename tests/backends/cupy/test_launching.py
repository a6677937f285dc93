"""How kernels are called: the printed functions, and the memory that kernels work in."""

import numpy as np
import pytest

from autodiff import make_tape
from autodiff.backends.cupy.kernels.call import kernel_of
from autodiff.backends.cupy.kernels.kernel import DeviceKernel, Launch, Parameter
from autodiff.backends.cupy.runtime import states
from autodiff.backends.cupy.runtime.calls import Call, running
from autodiff.backends.cupy.runtime.launching import Scratch, launch_scope, launch_text, scratch_of
from autodiff.backends.cupy.runtime.scratch import ScratchPool
from autodiff.backends.cupy.schedule import schedule_for_gpu
from autodiff.backends.kernels.call import IndexRangeError
from autodiff.backends.reference import run_tape
from autodiff.trace.spec import spec
from tests.backends.cupy.hosting import needs_compiler
from tests.standin.fixture import cupy

__all__ = ["cupy"]

F4, I4, U4 = map(np.dtype, ("float32", "int32", "uint32"))
KERNEL = DeviceKernel(
    (),
    (
        Parameter("in0", "input", 0, F4),
        Parameter("in1", "number", 1, F4),
        Parameter("out0", "output", 0, F4),
        Parameter("part", "partial", 0, F4, 12),
        Parameter("counter", "counter", dtype=U4, value=2),
        Parameter("status", "status", dtype=I4),
        Parameter("columns", "size", dtype=I4, value=64),
        Parameter("rows", "size", value=128),
    ),
    (Launch("kernel", (64, 2), 256, 16), Launch("kernel_columns", (2, 1), 128)),
    (spec((128, 64), np.float32),),
)


def test_the_text_of_a_launch():
    text = launch_text(KERNEL, ("kernel_1", "kernel_columns_1"), (0,))
    given = "in0, in1, out0, scratch0, scratch1, scratch2, size_6, size_7"
    assert text.source == (
        "def launch(in0, in1, scratch0, scratch1, scratch2):\n"
        "    if not in0.flags.c_contiguous or in0.data.ptr & 3:\n"
        "        in0 = copied(in0)\n"
        "    in1 = number_1(in1)\n"
        "    out0 = empty((128, 64), dtype_0)\n"
        f"    kernel_1((64, 2), (256,), ({given},), 16)\n"
        f"    kernel_columns_1((2, 1), (128,), ({given},), 0)\n"
        "    return (out0, )\n"
    )
    assert text.functions == ("kernel_1", "kernel_columns_1")
    assert "if not" not in launch_text(KERNEL, ("kernel_1", "kernel_columns_1"), ()).source


def test_what_it_is_launched_with(cupy):
    scope = launch_scope(KERNEL)
    assert [type(scope[name]) for name in ("size_6", "size_7")] == [np.int32, np.int64]
    assert scope["number_1"] is np.float32
    assert scratch_of(KERNEL) == (Scratch("partial", 12, F4), Scratch("counter", 2, U4), Scratch("status", 1, I4))


def addresses(own):
    """Where scratch memory lies."""
    return [int(each) if isinstance(each, np.uintp) else each.data.ptr for each in own]


def test_calls_in_turn_share_memory_and_calls_at_once_do_not(cupy):
    own = ScratchPool(scratch_of(KERNEL), (None,))
    with Call(own) as call:
        first = call.own()
        with Call(own) as inner:
            second = inner.own()
        assert call.own() is not second
        assert running.taken is call.taken
    assert running.taken is None
    assert addresses(first) != addresses(second)
    with Call(own) as call:
        again = call.own()
    assert addresses(again) in (addresses(first), addresses(second))
    with cupy.cuda.Stream(), Call(own) as call:
        elsewhere = call.own()
    assert elsewhere[0].data.ptr not in (first[0].data.ptr, second[0].data.ptr)
    assert [(array.shape, array.dtype) for array in first[:2]] == [((12,), F4), ((2,), U4)]
    assert not first[1].get().any()
    assert type(first[2]) is np.uintp  # where a word of the host's memory lies


def test_memory_of_a_call_that_failed_is_not_used_again(cupy):
    own = ScratchPool(scratch_of(KERNEL), (None,))

    def fail():
        with Call(own) as call:
            call.own()[1][...] = 5
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert own.idle == {}
    with Call(own) as call:
        assert not call.own()[1].get().any()


def mark(call, own):
    """What a kernel does that meets an index which is out of range."""
    call.own()
    call.taken[id(own)][1][-1].words[0] = 1


def test_a_state_that_is_set_is_an_error_once(cupy):
    own = ScratchPool(scratch_of(KERNEL), (None,))
    with Call(own) as call:
        mark(call, own)
        with pytest.raises(IndexRangeError, match="a program on a GPU: an index is out of range"):
            call.check()
        call.check()


def test_words_outlive_their_program(cupy):
    own = ScratchPool(scratch_of(KERNEL), (None,))
    words = own.take(0)[-1].words
    del own
    assert any(each is words for each in states._retired)


def test_a_state_that_was_set_behind_a_call_is_an_error_of_the_next_one(cupy):
    own = ScratchPool(scratch_of(KERNEL), (None,))
    with Call(own) as call:
        mark(call, own)
    with (
        pytest.raises(IndexRangeError, match="; this was a call before, which nobody has waited for"),
        Call(own) as call,
    ):
        call.own()
    with Call(own) as call:
        call.own()


@needs_compiler
def test_kernels_on_a_tape_run_by_themselves(cupy):
    fun = lambda x, i: (np.exp(x)[i] * 2, np.sum(x))  # noqa: E731
    x, i = np.linspace(0, 1, 12, dtype=np.float32).reshape(4, 3), np.array([0, 3])
    tape = schedule_for_gpu(make_tape(fun)(x, i))
    assert {equation.primitive.name for equation in tape.equations} == {"device_kernel"}
    for equation in tape.equations:
        assert kernel_of(**dict(equation.params)).launches
    found = run_tape(tape, (cupy.asarray(x), cupy.asarray(i)))
    for one, other in zip(found, fun(x, i), strict=True):
        np.testing.assert_allclose(one.get(), other, rtol=1e-6)
    with pytest.raises(IndexRangeError):
        run_tape(tape, (cupy.asarray(x), cupy.asarray(np.array([0, 4]))))
