"""Hooks of links: item 153 of the contract, and the hooks that Chainer brings."""

import io
import re
import threading

import numpy as np
import pytest
from models import Linear, Model, Plain

from autodiff.chainer.link import Chain, Link
from autodiff.chainer.link_hook import LinkHook, active, get_link_hooks
from autodiff.chainer.link_hooks import SpectralNormalization, TimerHook, WeightStandardization
from autodiff.facade import Parameter
from autodiff.facade.settings.configuration import using_config


def at_any_line(text):
    return re.escape(text).replace(re.escape("{}"), r"test_hooks.py:\d+")


class Noting(LinkHook):
    name = "Noting"

    def __init__(self):
        self.notes = []

    def added(self, link):
        self.notes.append(("added", link))

    def deleted(self, link):
        self.notes.append(("deleted", link))

    def forward_preprocess(self, args):
        self.notes.append(("pre", type(args.link).__name__, args.forward_name, args.args, args.kwargs))

    def forward_postprocess(self, args):
        self.notes.append(("post", type(args.link).__name__, args.args, args.out))


class Outer(Chain):
    def __init__(self):
        super().__init__(inner=Plain())

    def forward(self, x):
        return self.inner(x=x) + 1


def test_hooks_of_the_thread():
    with Noting() as hook:
        assert list(get_link_hooks()) == ["Noting"]
        assert Outer()(1) == 3
        seen = []
        thread = threading.Thread(target=lambda: seen.append((Plain()(1), dict(get_link_hooks()))))
        thread.start()
        thread.join()
    assert seen == [(2, {})]
    assert not active
    assert hook.notes == [
        ("added", None),
        ("pre", "Outer", "forward", (1,), {}),
        ("pre", "Plain", "forward", (), {"x": 1}),
        ("post", "Plain", (), 2),
        ("post", "Outer", (1,), 3),
        ("deleted", None),
    ]
    text = "this thread has a link hook 'Noting' already ({}); give it another name"
    with Noting(), pytest.raises(KeyError, match=at_any_line(text)), Noting():
        pass


def test_hooks_of_one_link():
    hook, link = Noting(), Plain()
    assert link.local_link_hooks == {}
    assert link.add_hook(hook) is link
    link.add_hook(hook, name="again")
    assert list(link.local_link_hooks) == ["Noting", "again"]
    assert link(1) == 2
    assert [note[0] for note in hook.notes] == ["added", "added", "pre", "pre", "post", "post"]
    assert link.copy().local_link_hooks == link.local_link_hooks
    link.delete_hook("again")
    link.delete_hook("Noting")
    assert hook.notes[-1] == ("deleted", link)
    with pytest.raises(KeyError, match=at_any_line("the link has no hook 'Noting' ({}); it has []")):
        link.delete_hook("Noting")
    link.add_hook(hook)
    with pytest.raises(KeyError, match=at_any_line("the link has a hook 'Noting' already ({}); give this one a name=")):
        link.add_hook(hook)
    with pytest.raises(TypeError, match=at_any_line("add_hook takes a LinkHook, got int ({})")):
        link.add_hook(3)


def test_hooks_around_a_mixin():
    class Mixin:
        def __call__(self, x):
            return 2 * x

    class Mixed(Link, Mixin):
        pass

    with Noting() as hook:
        assert Mixed()(3) == 6
    assert [note[0] for note in hook.notes] == ["added", "pre", "post", "deleted"]


def test_what_a_hook_is_told_as_text():
    told = []

    class Telling(LinkHook):
        def forward_postprocess(self, args):
            told.append(repr(args))

    with Telling():
        Plain()(1)
    assert told == [
        "<autodiff.chainer.link_hook.ForwardPostprocessCallbackArgs link=Plain() forward_name=forward args=(1,) "
        "kwargs={} out=2>"
    ]


def linear(weight):
    link = Linear(3, 2)
    link.W.array[...] = weight
    link.cleargrads()
    return link


SIX = np.arange(6, dtype=np.float32).reshape(2, 3)


def test_spectral_normalization_has_the_values_of_chainer():
    hook = SpectralNormalization()
    link = linear(SIX).add_hook(hook)
    assert link.W_u.shape == (2,)
    assert link._persistent == {"W_u"}
    link.W_u[:] = [0.6, 0.8]
    ones = np.ones((1, 3), np.float32)
    np.testing.assert_allclose(link(ones).array, [[0.4087904, 1.6351616]], rtol=1e-6)
    np.testing.assert_allclose(link.W_u, [0.28152218, 0.9595546], rtol=1e-6)
    with using_config("train", False):
        np.testing.assert_allclose(link(ones).array, [[0.40824857, 1.6329943]], rtol=1e-6)
    np.testing.assert_allclose(link.W_u, [0.28152218, 0.9595546], rtol=1e-6)
    np.sum(link(np.array([[1, 2, 3]], np.float32))).backward()
    expected = [[0.06829034, 0.17514583, 0.28200135], [-0.10107322, -0.06723532, -0.03339747]]
    np.testing.assert_allclose(link.W.grad, expected, rtol=1e-5)
    assert isinstance(link.W, Parameter)
    assert link.W.grad.dtype == np.float32
    link.delete_hook("SpectralNormalization")
    assert not hasattr(link, "W_u")


def test_spectral_normalization_factor_and_steps():
    hook = SpectralNormalization(n_power_iteration=2, factor=3.0)
    link = linear(SIX / 10).add_hook(hook)
    link.W_u[:] = [1, 0]
    expected = [[0, 0.408265, 0.81653], [1.224795, 1.63306, 2.0413249]]
    np.testing.assert_allclose(hook.normalize_weight(link).array, expected, rtol=1e-6)
    np.testing.assert_allclose(link.W_u, [0.27587464, 0.9611922], rtol=1e-6)


def test_spectral_normalization_gamma():
    link = linear(SIX).add_hook(SpectralNormalization(use_gamma=True))
    np.testing.assert_allclose(link.gamma.array, 7.3484693, rtol=1e-6)
    assert link.gamma.shape == ()
    assert [name for name, _ in link.namedparams()] == ["/W", "/b", "/gamma"]
    np.sum(link(np.ones((1, 3), np.float32))).backward()
    assert link.gamma.grad.shape == ()
    link.delete_hook("SpectralNormalization")
    assert [name for name, _ in link.namedparams()] == ["/W", "/b"]


@pytest.mark.parametrize("kind", [SpectralNormalization, WeightStandardization])
def test_a_weight_that_waits(kind):
    link = Linear(2).add_hook(kind())
    assert link(np.array([[1, 2, 3]], np.float32)).shape == (1, 2)
    assert link.W.shape == (2, 3)

    class Waiting(Link):
        def __init__(self):
            super().__init__()
            with self.init_scope():
                self.W = Parameter()

    text = (
        "the weight of Waiting has no array when the link is called ({}); initialise it before, or define "
        "_initialize_params(in_size)"
    )
    link = Waiting().add_hook(kind())
    link.forward = abs
    with pytest.raises(RuntimeError, match=at_any_line(text)):
        link(np.ones((1, 2)))


def test_the_axis_of_deconvolutions():
    class Deconvolution2D(Link):
        def __init__(self):
            super().__init__()
            with self.init_scope():
                self.W = Parameter(1.0, (2, 3, 4))

    hook = SpectralNormalization()
    link = Deconvolution2D().add_hook(hook)
    assert hook.axis == 1
    assert link.W_u.shape == (3,)
    assert hook.reshape_W(link.W.array).shape == (3, 8)
    assert SpectralNormalization().reshape_W(link.W.array).shape == (2, 12)


def test_the_weight_comes_back_after_an_error():
    link = linear(SIX).add_hook(WeightStandardization())
    with pytest.raises(Exception, match="shape"):
        link(np.ones((1, 4), np.float32))
    first = link(np.ones((1, 3), np.float32)).array
    assert isinstance(link.W, Parameter)
    np.testing.assert_equal(link(np.ones((1, 3), np.float32)).array, first)


def test_weight_standardization_has_the_values_of_chainer():
    link = linear(SIX**2).add_hook(WeightStandardization())
    y = link(np.array([[1, 2, 3]], np.float32))
    np.testing.assert_allclose(y.array, [[2.35339, 2.4431362]], rtol=1e-6)
    np.sum(y * np.array([[1, -2]], np.float32)).backward()
    expected = [[-0.13577394, 0.18102935, -0.04525542], [0.01424107, -0.02531745, 0.01107646]]
    np.testing.assert_allclose(link.W.grad, expected, rtol=2e-4)
    hook = WeightStandardization(eps=0.5, name="other")
    assert hook.name == "other"
    mean, variance = (SIX**2).mean(1, keepdims=True), (SIX**2).var(1, keepdims=True)
    np.testing.assert_allclose(
        hook.replacement(linear(SIX**2)).array, (SIX**2 - mean) / np.sqrt(variance + 0.5), rtol=1e-6
    )


@pytest.mark.parametrize("kind", [SpectralNormalization, WeightStandardization])
def test_weights_that_are_not_there(kind):
    text = "the link Linear has no weight 'nope' ({}); give the hook the right weight_name="
    link = Linear(3, 2)
    with pytest.raises(ValueError, match=at_any_line(text)):
        link.add_hook(kind(weight_name="nope"))
    assert link.local_link_hooks == {}
    text = "the weight 'W' of Linear has no elements, shape (0, 3) ({}); give each axis a length of at least 1"
    with pytest.raises(ValueError, match=at_any_line(text)):
        Linear(3, 0).add_hook(kind())
    text = f"{kind.__name__} belongs to one link ({{}}); register it by link.add_hook(hook)"
    with pytest.raises(NotImplementedError, match=at_any_line(text)), kind():
        pass


def test_power_iteration_takes_a_step():
    with pytest.raises(ValueError, match=at_any_line("power iteration takes at least one step, got 0 ({})")):
        SpectralNormalization(n_power_iteration=0)


def report(history, *arguments):
    hook, file = TimerHook(), io.StringIO()
    hook.call_history = history
    hook.print_report(*arguments, file=file)
    return file.getvalue()


HISTORY = [("A", 1.5), ("A", 0.25), ("Bcd", 2e-3)]


@pytest.mark.parametrize(
    ("unit", "times"),
    [
        ("auto", ("   1.75sec", "   0.00sec")),
        ("sec", ("   1.75sec", "   0.00sec")),
        ("ms", (" 1750.00ms", "    2.00ms")),
        ("auto_foreach", ("   1.75sec", "    2.00ms")),
    ],
)
def test_reports_of_the_timer(unit, times):
    first, second = (time.rjust(11) for time in times)
    assert report(HISTORY, unit) == (
        f"LinkName  ElapsedTime  Occurrence\n       A  {first}           2\n     Bcd  {second}           1\n"
    )


def test_more_reports_of_the_timer():
    assert report([("A", 1e-10), ("B", 3e3)], "auto_foreach").splitlines()[1:] == [
        "       A       0.10ns           1",
        "       B   3000.00sec           1",
    ]
    assert report(HISTORY, "us").splitlines()[1] == "       A  1750000.00us           2"
    assert report([]) == "LinkName  ElapsedTime  Occurrence\n"
    with pytest.raises(ValueError, match=r"^there is no unit 'x'; use sec, ms, us, ns, auto or auto_foreach$"):
        report(HISTORY, "x")


def test_the_timer():
    with TimerHook() as hook:
        Outer()(1)
        Plain()(1)
    assert [name for name, _ in hook.call_history] == ["Plain", "Outer", "Plain"]
    assert {name: record["occurrence"] for name, record in hook.summary().items()} == {"Plain": 2, "Outer": 1}
    inner, outer, last = (elapsed for _, elapsed in hook.call_history)
    assert inner <= outer
    assert hook.total_time() == outer + last
    assert Model().add_hook(hook).local_link_hooks == {"TimerHook": hook}


def test_power_iteration_is_not_repeated_when_a_call_is_repeated():
    link = linear(SIX).add_hook(SpectralNormalization())
    hook = link.local_link_hooks["SpectralNormalization"]
    x = np.ones((1, 3))
    expected, v, u = link(x).array, hook.v, link.W_u.copy()
    with using_config("in_recomputing", True):
        np.testing.assert_array_equal(link(x).array, expected)
    assert hook.v is v
    np.testing.assert_array_equal(link.W_u, u)
    assert hook.original_weight is link.W
