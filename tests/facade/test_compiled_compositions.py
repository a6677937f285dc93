"""Compositions that are called often run as programs, and nobody can tell."""

import gc
import subprocess
import sys
import threading
import weakref

import numpy as np
import pytest

import autodiff.chainer.functions as F
from autodiff.backends.choice import numba_is_there
from autodiff.facade import Variable
from autodiff.facade.compiled import costs, tier
from autodiff.facade.compiled import kinds as kinds_of_calls
from autodiff.facade.compiled.identity import Identity
from autodiff.facade.compiled.program import CompiledComposition, CompositionProgram
from autodiff.facade.graph.applying import apply
from autodiff.facade.graph.multi_output import backward_all
from autodiff.facade.graph.observing import FunctionHook
from autodiff.facade.settings.configuration import config, global_config, using_config
from autodiff.facade.settings.mode import no_backprop_mode
from autodiff.trace.forking import renew_locks
from autodiff.transforms.jit.program import Passes
from tests.chainer.recorded.replay import replay
from tests.chainer.recorded.tables import FUNCTION_GROUPS, cases_of

pytestmark = pytest.mark.skipif(not numba_is_there(), reason="compositions run as kernels where Numba is")
FACTOR = 2.0


@pytest.fixture(autouse=True)
def afresh():
    tier.clear()
    with using_config("compile_eager", True):
        yield
    tier.clear()


def kinds(label):
    return [kind for key, kind in kinds_of_calls.kinds.items() if key[0] == label]


def programs(label):
    return [kind.program for kind in kinds(label) if kind.program is not None]


def reason(label):
    return kinds(label)[0].never


def numbers(*shape, dtype="f"):
    return np.random.RandomState(sum(shape)).standard_normal(shape).astype(dtype)


def both(run):
    """What a function gives without programs, and with them."""
    with using_config("compile_eager", False):
        before = run()
    return before, run()


def gradients(function, *arrays):
    """The results' and gradients' arrays, all cotangents different."""
    variables = [Variable(array) for array in arrays]
    results = function(*variables)
    results = results if isinstance(results, tuple) else (results,)
    for k, y in enumerate(results):
        y.grad = np.cos(np.arange(y.size) + k).reshape(y.shape).astype(y.dtype)
    backward_all(results)
    return [y.array for y in results] + [x.grad for x in variables]


def assert_alike(before, now):
    for a, b in zip(before, now, strict=True):
        assert (type(a), a.dtype, a.shape) == (type(b), b.dtype, b.shape)
        np.testing.assert_allclose(b, a, rtol=2e-5 if a.dtype == np.float32 else 1e-12, atol=1e-6)


SAMPLE = [
    ("activation", "elu"), ("activation", "swish"), ("activation", "lstm"),
    ("loss", "softmax_cross_entropy"), ("loss", "hinge"), ("loss", "sigmoid_cross_entropy"),
    ("normalization", "layer_normalization"), ("math", "average"),
]  # fmt: skip


def sampled():
    for group in FUNCTION_GROUPS:
        for wanted, name in SAMPLE:
            found = [case for case in cases_of(group) if group == wanted and case.name.startswith(name)]
            yield from (pytest.param(group, case, id=f"{group}-{case.name}") for case in found[:1])


@pytest.mark.parametrize(("group", "case"), list(sampled()))
def test_values_gradients_and_double_gradients_as_recorded(group, case):
    replay(group, case, "f")


def test_kernels_run():
    x, t = numbers(8, 5), np.arange(8, dtype="i") % 5
    before, now = both(lambda: gradients(lambda x: F.softmax_cross_entropy(x, t), x))
    assert_alike(before, now)
    y = F.softmax_cross_entropy(Variable(x), t)
    assert type(y.node.residuals) is CompiledComposition
    assert len(programs("SoftmaxCrossEntropy")) == 1


@pytest.mark.parametrize("array", [numbers(4, 6).T, numbers(4, 6)[::-1, ::2], np.broadcast_to(numbers(6), (4, 6))])
def test_layouts(array):
    assert_alike(*both(lambda: gradients(F.softplus, array)))


@pytest.mark.parametrize("shape", [(), (0, 3), (1,)])
def test_few_elements(shape):
    assert_alike(*both(lambda: gradients(F.elu, np.full(shape, -0.5, "f"))))


def test_the_graph_is_the_same():
    def look():
        x, c = Variable(numbers(3, 8)), Variable(numbers(3, 2))
        c_next, h = F.lstm(c, x)
        creator = h.creator_node
        graph = [creator.label, creator.rank, h.rank, len(creator.inputs), creator.inputs[0] is c.node]
        retained = [node.data is array for node, array in zip(creator.inputs, (c.array, x.array), strict=True)]
        h.grad = np.ones_like(h.array)
        h.backward(retain_grad=True)
        return (
            *graph,
            *retained,
            c_next.grad,
            [reference() is v.node for reference, v in zip(creator.outputs, (c_next, h))],
        )

    before, now = both(look)
    assert before == now
    assert programs("LSTM")


def test_a_result_without_a_cotangent():
    assert_alike(*both(lambda: gradients(lambda c, x: F.lstm(c, x)[0], numbers(3, 2), numbers(3, 8))))
    assert_alike(*both(lambda: gradients(lambda c, x: F.lstm(c, x)[1], numbers(3, 2), numbers(3, 8))))


def test_masks_that_are_drawn_stay_random():
    def run():
        np.random.seed(0)  # noqa: NPY002 - the generator that dropout draws from
        x = Variable(np.ones((4, 50), "f"))
        results = [F.dropout(x).array for _ in range(3)]
        backward_all([y := F.dropout(x)], [np.ones_like(y.array)])
        return [*results, x.grad]

    before, now = both(run)
    assert_alike(before, now)
    assert programs("Dropout")
    assert not np.array_equal(now[0], now[1])


def test_running_statistics_follow():
    def run():
        mean, var, y = np.zeros(5, "f"), np.ones(5, "f"), None
        for k in range(3):
            x = Variable(numbers(8, 5) + k)
            y = F.batch_normalization(x, np.ones(5, "f"), np.zeros(5, "f"), running_mean=mean, running_var=var)
        return [mean, var, y.array]

    before, now = both(run)
    assert_alike(before, now)
    assert programs("BatchNormalization")


def test_arrays_that_are_closed_over_are_arguments():
    factor = numbers(4)
    run = lambda: apply("Scaled", lambda x: np.tanh(x) * factor, (np.ones(4, "f"),)).array  # noqa: E731
    first = run()
    factor *= 2
    np.testing.assert_array_equal(run(), 2 * first)
    factor = -factor
    np.testing.assert_array_equal(run(), -2 * first)
    assert len(programs("Scaled")) == 1


def test_values_that_are_closed_over_tell_functions_apart(monkeypatch):
    for factor in (1, True, 1.0, 2.0, np.float32(1), None):
        y = apply("By", lambda x, by=factor: np.tanh(x) * (FACTOR if by is None else by), (np.ones(4, "f"),))
        np.testing.assert_allclose(y.array, np.tanh(np.float32(1)) * (2 if factor is None else factor), rtol=1e-6)
    monkeypatch.setitem(globals(), "FACTOR", 3.0)
    y = apply("By", lambda x, by=None: np.tanh(x) * (FACTOR if by is None else by), (np.ones(4, "f"),))
    np.testing.assert_allclose(y.array, np.tanh(np.float32(1)) * 3, rtol=1e-6)


@pytest.mark.parametrize(
    ("a", "b"), [(1, True), (1, 1.0), (0.0, -0.0), ((), []), ("1", 1), ((1, 2), ((1,), 2)), (np.dtype("f"), "f")]
)
def test_keys_differ(a, b):
    keys = []
    for value in (a, b):
        identity = Identity(None)
        identity.add(value)
        keys.append(tuple(identity.key))
    assert keys[0] != keys[1]


def branching(x):
    return np.tanh(x) if x.sum() > 0 else np.exp(x) - 1


def drawing(x):
    return np.tanh(x) * np.random.rand(*x.shape)  # noqa: NPY002 - what is tested


def asking(x):
    return np.tanh(x) * (2 if isinstance(x, np.ndarray) else 1)


def trying(x):
    try:
        return np.tanh(x) * float(x[0])
    except TypeError:
        return np.tanh(x)


counter, calls = np.zeros(1), []


def counting():
    counted, called = counter, calls

    def writing(x):
        counted[0] += 1
        return np.tanh(x) * 2

    def appending(x):
        called.append(1)
        return np.tanh(x) * 2

    return writing, appending


def test_a_branch_on_values_falls_back():
    for sign in (1, -1, 1):
        x = Variable(np.full(3, sign, "f"))
        y = apply("Branching", branching, (x,))
        backward_all([y], [np.ones(3, "f")])
        np.testing.assert_allclose(y.array, np.tanh(1.0) if sign > 0 else np.exp(-1) - 1, rtol=1e-6)
        np.testing.assert_allclose(x.grad, 1 - np.tanh(1.0) ** 2 if sign > 0 else np.exp(-1), rtol=1e-6)
    assert reason("Branching").startswith("ConcretizationError: a traced bool[] would become bool (")


@pytest.mark.parametrize("fun", [drawing, asking, trying])
def test_what_may_do_more_than_compute_is_left_alone(fun):
    np.random.seed(0)  # noqa: NPY002 - the generator that the function draws from
    first = apply("Impure", fun, (np.ones(3),)).array
    np.random.seed(0)  # noqa: NPY002
    np.testing.assert_array_equal(apply("Impure", fun, (np.ones(3),)).array, first)
    assert not kinds("Impure")


def test_side_effects_happen_in_every_call():
    counter[0], calls[:] = 0, []
    for _ in range(3):
        for fun in counting():
            apply(fun.__name__, fun, (np.ones(3, "f"),))
    assert (counter[0], len(calls)) == (3, 3)
    assert reason("writing") == "UnknowableError: it writes to an operand, or to an array that it closes over"
    assert reason("appending") == "UnknowableError: it changes a list or dictionary that it closes over"


def test_results_that_show_an_operand_go_on_doing_so():
    x = Variable(numbers(3, 4))
    assert np.shares_memory(apply("Turned", lambda x: np.transpose(x)[1:], (x,)).array, x.array)
    assert reason("Turned") == "UnknowableError: a result is an operand, or shows its memory"


def test_a_label_that_is_no_class():
    def message():
        with pytest.raises(IndexError) as found:
            F.softmax_cross_entropy(Variable(numbers(3, 4)), np.array([0, 4, 1], "i"))
        return str(found.value)

    for _ in range(4):
        before, now = both(message)
        assert before == now
        assert before.startswith("the label 4 is none of the 4 classes 0 to 3 (")
    assert programs("SoftmaxCrossEntropy")


def test_an_assumption_that_does_not_hold_is_given_up():
    x, t = numbers(4, 3), np.array([0, -1, 2, 1], "i")
    run = lambda: gradients(lambda x: F.softmax_cross_entropy(x, t), x)  # noqa: E731
    with using_config("compile_eager", False):
        wanted = run()
    for _ in range(kinds_of_calls.PATIENCE + 1):
        assert_alike(wanted, run())
    (kind,) = kinds("SoftmaxCrossEntropy")
    assert not kind.assuming
    assert type(F.softmax_cross_entropy(Variable(x), t).node.residuals) is CompiledComposition


def test_double_backpropagation_runs_the_function_again():
    def run():
        x = Variable(numbers(3, 4))
        y = F.elu(x)
        y.grad = np.ones_like(y.array)
        y.backward(enable_double_backprop=True)
        g = x.grad_var
        x.cleargrad()
        F.sum(g * g).backward()
        return [g.array, x.grad]

    assert_alike(*both(run))
    assert programs("ELU")


def test_gradients_without_a_graph_run_too():
    x = Variable(numbers(3, 4))
    with no_backprop_mode():
        y = F.elu(x)
    assert y.creator is None
    assert y.requires_grad
    assert len(programs("ELU")) == 1


def test_hooks_see_the_function_itself():
    class Watching(FunctionHook):
        def __init__(self):
            self.seen = []

        def forward_postprocess(self, function, in_data):
            self.seen.append((function.label, [array.shape for array in in_data]))

    F.elu(Variable(numbers(3, 4)))
    with Watching() as hook:
        y = F.elu(Variable(numbers(3, 4)))
    assert hook.seen == [("ELU", [(3, 4)])]
    assert type(y.node.residuals) is not CompiledComposition


def test_debug_mode_sees_the_function_itself():
    with (
        using_config("debug", True),
        pytest.raises(RuntimeError, match="NaN is detected on forward computation of ELU"),
    ):
        F.elu(Variable(np.full(3, np.nan, "f")))


def test_errors_of_floating_point_are_raised_where_they_are_asked_for():
    run = lambda: apply("Root", lambda x: np.sqrt(x) * 2, (np.full(3, -1.0),))  # noqa: E731
    assert np.isnan(run().array).all()
    assert programs("Root")
    with np.errstate(invalid="raise"), pytest.raises(FloatingPointError):
        run()


def counted_switch(first, each):
    """At which call a function is compiled: first it costs what its inputs say, then what its operations do."""
    call, spent, cost, needed = 0, 0.0, first, costs.RECORDING
    for look in range(1000):
        stride = costs.STRIDES[min(look, len(costs.STRIDES) - 1)]
        call, spent = call + stride, spent + stride * cost
        if spent >= needed and cost == first:
            cost, needed = each, costs.COMPILING
        if spent >= needed and cost == each:
            return call
    return None


def test_the_switch_is_counted(monkeypatch):
    for name, value in {"RECORDING": 1e6, "COMPILING": 5e6, "OPERATION": 0.0, "FIRST": 0.0}.items():
        monkeypatch.setattr(costs, name, value)
    x = numbers(10)
    seen = []
    with using_config("compile_eager", "auto"):
        for _ in range(1000):
            y = F.softplus(Variable(x), beta=2.0)
            seen.append(type(y.node.residuals) is CompiledComposition)
    (kind,) = kinds("Softplus")
    first = costs.CALL + costs.OPERATIONS * x.nbytes * costs.OF_BYTE
    assert seen.index(True) + 1 == counted_switch(first, kind.each) > 100
    assert all(seen[seen.index(True) :])


def test_few_calls_import_no_compiler():
    program = (
        "import sys, numpy as np, autodiff.chainer.functions as F\n"
        "from autodiff.facade import Variable\n"
        "for _ in range(100):\n"
        "    F.softmax_cross_entropy(Variable(np.ones((4, 3), 'f')), np.zeros(4, 'i')).backward()\n"
        "print([name for name in ('numba', 'llvmlite') if name in sys.modules])\n"
    )
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert found.stdout == "[]\n"


def test_never():
    with using_config("compile_eager", False):
        for _ in range(5):
            F.elu(Variable(numbers(3, 4)))
    assert not kinds_of_calls.kinds


def test_without_numba_nothing_changes(monkeypatch):
    monkeypatch.setattr(kinds_of_calls, "numba_is_there", lambda: False)
    before, now = both(lambda: gradients(F.elu, numbers(3, 4)))
    assert_alike(before, now)
    assert reason("ELU") == "Numba is not installed"


def test_other_values_are_refused():
    with pytest.raises(ValueError, match=r"^config.compile_eager must be False, True or 'auto', got 'yes' \("):
        config.compile_eager = "yes"
    assert global_config.compile_eager == "auto"


def test_threads_compile_once(monkeypatch):
    made = []

    class Counted(CompositionProgram):
        def __init__(self, *args):
            made.append(1)
            super().__init__(*args)

    monkeypatch.setattr(kinds_of_calls, "CompositionProgram", Counted)
    x, found, start = numbers(6, 4), [], threading.Barrier(4)

    def work():
        start.wait()
        with using_config("compile_eager", True):
            found.extend(gradients(F.elu, x) for _ in range(20))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 1
    assert len(found) == 80
    for each in found:
        assert_alike(found[0], each)


def test_locks_of_threads_that_are_gone():
    held = threading.Thread(target=tier.compiling.acquire)
    held.start()
    held.join()
    F.elu(Variable(numbers(3, 4)))
    assert not programs("ELU")
    renew_locks()
    F.elu(Variable(numbers(3, 4)))
    assert programs("ELU")


def test_nothing_is_kept_alive():
    x = Variable(numbers(3, 4))
    y = F.elu(x)
    backward_all([y], [np.ones((3, 4), "f")])
    gone = [weakref.ref(value) for value in (x, y, x.array, y.array, x.grad, y.node)]
    composition = weakref.ref(programs("ELU")[0])
    assert composition() is not None
    del x, y
    assert [reference() for reference in gone] == [None] * len(gone)
    tier.clear()
    gc.collect()
    assert composition() is None


def test_a_backward_pass_that_cannot_be_compiled(monkeypatch):
    def broken(self, available, g):
        if self.choice.name == "numpy":
            return pull(self, available, g)
        raise NotImplementedError("no kernel")

    pull = Passes.pull
    before, _ = both(lambda: gradients(F.elu, numbers(3, 4)))
    tier.clear()
    monkeypatch.setattr(Passes, "pull", broken)
    assert_alike(before, gradients(F.elu, numbers(3, 4)))
    assert programs("ELU")
    assert_alike(before, gradients(F.elu, numbers(3, 4)))
    assert reason("ELU") == "NotImplementedError: no kernel"


def test_calls_leave_nothing_behind():
    def step():
        x, t = Variable(numbers(6, 4)), np.arange(6, dtype="i") % 4
        F.softmax_cross_entropy(F.batch_normalization(x, np.ones(4, "f"), np.zeros(4, "f")), t).backward()

    for _ in range(5):
        step()
    gc.collect()
    before = len(gc.get_objects())
    gc.disable()
    try:
        for _ in range(100):
            step()
        assert abs(len(gc.get_objects()) - before) < 50
    finally:
        gc.enable()


def test_kinds_are_bounded(monkeypatch):
    monkeypatch.setattr(kinds_of_calls, "KINDS", 6)
    for length in range(1, 11):
        with using_config("compile_eager", "auto"):
            F.elu(Variable(np.ones(length, "f")))
    assert len(kinds_of_calls.kinds) <= 6
    assert {kind.specs[0].shape for kind in kinds("ELU")} >= {(8,), (9,), (10,)}


def test_programs_are_bounded(monkeypatch):
    monkeypatch.setattr(kinds_of_calls, "PROGRAMS", 2)
    for length in (1, 2, 3):
        F.elu(Variable(np.ones(length, "f")))
    assert {kind.specs[0].shape for kind in kinds("ELU")} == {(2,), (3,)}
