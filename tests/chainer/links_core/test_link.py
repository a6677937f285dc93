"""Links alone: items 138, 148, 149, 151, 152, 153 of the contract."""

import copy
import pickle
import re
import types

import numpy as np
import pytest
from models import Linear, Loader, Model, Plain, Recorder

from autodiff.chainer import links, optimizers
from autodiff.chainer.link import Chain, ChainList, Link
from autodiff.chainer.sequential import Sequential
from autodiff.facade import Parameter, Variable


def at_any_line(text):
    return "^" + re.escape(text).replace(re.escape("{}"), r"test_link.py:\d+") + "$"


class Bad(Link):
    def __init__(self):
        pass


@pytest.mark.parametrize(
    "use",
    [
        lambda link: link(1),
        lambda link: link.init_scope(),
        lambda link: link.add_param("W", 2),
        lambda link: link.add_persistent("p", 2),
    ],
)
def test_contract_148_init_must_have_run(use):
    text = "Link.__init__() has not been called ({}): Bad.__init__ must begin with super().__init__()"
    with pytest.raises(RuntimeError, match=at_any_line(text)):
        use(Bad())


class Mixin:
    def __call__(self, x):
        return ("mixin", x)


def test_contract_148_calls():
    class Behind(Link, Mixin):
        def forward(self, x):
            return "forward"

    class Below(Behind):
        pass

    class Before(Mixin, Link):
        pass

    class Own(Link):
        def __call__(self, x):
            return ("own", x)

    assert Plain()(1) == 2
    assert Behind()(1) == Below()(1) == Before()(1) == ("mixin", 1)
    assert Own()(1) == ("own", 1)
    with pytest.raises(AttributeError, match="'Link' object has no attribute 'forward'"):
        Link()(1)
    link = Plain()
    link.forward = lambda x: 7
    assert link(1) == 7


def test_the_constructor_behind_link_is_not_called():
    class Demanding:
        def __init__(self, size):
            self.size = size

    class Both(Link, Demanding):
        pass

    assert not hasattr(Both(), "size")


def test_contract_138_assigning_within_init_scope():
    link = Link()
    assert not link.within_init_scope
    with link.init_scope():
        assert link.within_init_scope
        link.W = Parameter(0.0, 2)
        with link.init_scope():
            link.v = Variable(np.ones(2))
        link.b = Parameter(1.0, 2)
    assert not link.within_init_scope
    link.outside = Parameter(0.0, 2)
    assert (link.W.name, link.b.name, link.outside.name) == ("W", "b", None)
    assert [name for name, _ in link.namedparams()] == ["/W", "/b"]
    with pytest.raises(ZeroDivisionError), link.init_scope():
        1 / 0  # noqa: B018
    assert not link.within_init_scope
    with link.init_scope():
        link.W = None
    assert list(link.params()) == [link.b]
    del link.b
    assert list(link.params()) == []


def test_contract_149_alone():
    link = Plain()
    assert list(link.params()) == [link.W, link.late]
    assert list(link.params(include_uninit=False)) == [link.W]
    assert list(link.namedparams()) == [("/W", link.W), ("/late", link.late)]
    assert list(link.namedparams(include_uninit=False)) == [("/W", link.W)]
    assert list(link.links()) == [link]
    assert list(link.namedlinks()) == [("/", link)]
    assert list(link.links(skipself=True)) == list(link.namedlinks(skipself=True)) == list(link.children()) == []


def test_contract_151_parameters_of_the_constructor():
    link = Link(W=(2, 3), b=3, c=((2,), "d"), u=None)
    np.testing.assert_equal(link.W.array, np.full((2, 3), np.nan, np.float32))
    assert (link.W.dtype, link.b.shape, link.c.dtype) == (np.float32, (3,), np.float64)
    assert np.isnan(link.W.grad).all()
    assert link.u.array is None
    text = (
        "a parameter is given by its shape, or by (shape, dtype), got ndarray ({}); an array or a Parameter is assigned "
        "within init_scope()"
    )
    with pytest.raises(TypeError, match=at_any_line(text)):
        Link(W=np.zeros(3))


def test_contract_151_add_param():
    link = Link()
    link.add_param("W", (2,))
    link.add_param("d", dtype="d")
    link.add_param("c", (2,), initializer=3)
    link.add_param("f", 2, initializer=lambda array: array.fill(2))
    assert np.isnan(link.W.array).all()
    assert link.d.array is None
    assert link.d.dtype == np.float64
    np.testing.assert_equal(link.c.array, np.full(2, 3, np.float32))
    np.testing.assert_equal(link.f.array, np.full(2, 2, np.float32))
    text = "cannot register a new parameter 'W' ({}): the attribute exists; choose another name, or delete it first"
    with pytest.raises(AttributeError, match=at_any_line(text)):
        link.add_param("W", (2,))


def test_contract_151_persistent_values():
    link = Link(W=2)
    link.add_persistent("p", 3)
    link.q = 4
    link.register_persistent("q")
    link.register_persistent("W")
    assert link.p == 3
    assert link._persistent == {"p", "q", "W"}
    assert list(link.params()) == []
    del link.p
    assert link._persistent == {"q", "W"}
    text = (
        "cannot register a new persistent value 'q' ({}): the attribute exists; choose another name, or delete it first"
    )
    with pytest.raises(AttributeError, match=at_any_line(text)):
        link.add_persistent("q", 1)
    text = "there is no attribute 'nope' to make persistent ({}); assign it first"
    with pytest.raises(AttributeError, match=at_any_line(text)):
        link.register_persistent("nope")


def test_spellings_of_chainer_1():
    link = Link()
    with pytest.warns(DeprecationWarning, match=r"^add_uninitialized_param\(\) is deprecated"):
        link.add_uninitialized_param("W")
    with pytest.warns(DeprecationWarning, match=r"^has_uninitialized_params is deprecated"):
        assert link.has_uninitialized_params
    param = link.W
    link.add_param("W", (2, 3), initializer=1.5)
    assert link.W is param
    np.testing.assert_equal(link.W.array, np.full((2, 3), 1.5, np.float32))
    with pytest.warns(DeprecationWarning, match=r"^has_uninitialized_params is deprecated"):
        assert not link.has_uninitialized_params
    with pytest.raises(AttributeError, match="cannot register a new parameter 'W'"):
        link.add_param("W", (2, 3))


@pytest.mark.parametrize("make", [Plain, lambda: Model().l2])
def test_contract_152_sharing(make):
    link = make()
    link.name = "link"
    link.W.grad = np.ones_like(link.W.array)
    other = link.copy()
    assert other.W is not link.W
    assert other.W.array is link.W.array
    assert (other.name, other.W.name, other.W.grad) == (None, "W", None)
    assert link.W.grad is not None
    assert other._params == link._params
    assert other._params is not link._params


def test_contract_152_a_shared_parameter_is_initialised_with_its_copy():
    link = Linear(2)
    other = link.copy()
    other.W.initialize((2, 3))
    assert link.W.array is other.W.array


def test_contract_152_copying():
    link = Plain()
    link.W.grad = np.ones(3, np.float32)
    for other in (link.copy("copy"), copy.deepcopy(link), pickle.loads(pickle.dumps(link))):
        assert other.W.array is not link.W.array
        np.testing.assert_equal(other.W.array, link.W.array)
        np.testing.assert_equal(other.W.grad, link.W.grad)
        assert other.mean is not link.mean


def test_contract_152_initialising_again():
    link = Linear(3, 2)
    link.W.array[...] = 7
    link.cleargrads()
    other = link.copy("init")
    np.testing.assert_equal(other.W.array, np.full((2, 3), 0.5, np.float32))
    assert np.isnan(other.W.grad).all()
    assert Linear(2).copy("init").W.array is None
    np.testing.assert_equal(Plain().copy("init").W.array, np.arange(3, dtype=np.float32))
    with pytest.raises(ValueError, match=at_any_line("the mode of a copy is 'share', 'copy' or 'init', got 'x' ({})")):
        link.copy("x")


def test_contract_152_repeat():
    link = Linear(2, 2)
    layers = link.repeat(3)
    assert type(layers) is Sequential
    assert len(layers) == 3
    assert not any(layer.W.array is link.W.array for layer in layers)
    assert all(layer.W.array is link.W.array for layer in link.repeat(2, "share"))
    assert len(link.repeat(0)) == len(link.repeat(-1)) == 0


def test_contract_153_gradients():
    link, other = Linear(3, 2), Linear(3, 2)
    link.cleargrads()
    assert link.W.grad is link.b.grad is None
    other.W.grad = np.ones((2, 3), np.float32)
    other.b.cleargrad()
    link.addgrads(other)
    link.addgrads(other)
    np.testing.assert_equal(link.W.grad, np.full((2, 3), 2, np.float32))
    assert link.b.grad is None
    with pytest.warns(DeprecationWarning, match="zerograd"):
        link.zerograds()
    np.testing.assert_equal(link.b.grad, np.zeros(2, np.float32))
    text = "Link has no 'late' ({}); both links must be alike"
    with pytest.raises(KeyError, match=re.escape(text).replace(re.escape("{}"), r"test_link.py:\d+")):
        Plain().addgrads(Link(W=3))


def test_contract_153_copyparams():
    link, other = Plain(), Plain()
    other.W.array[...] = 7
    other.mean[...] = 9
    other.count = 6
    array, mean = link.W.array, link.mean
    link.copyparams(other, copy_persistent=False)
    np.testing.assert_equal(link.W.array, np.full(3, 7, np.float32))
    assert link.W.array is array
    assert (link.mean[0], link.count) == (1, 4)
    link.copyparams(other)
    assert link.mean is mean
    assert (link.mean[0], link.count) == (9, 6)
    late = Linear(2)
    late.copyparams(Linear(3, 2))
    assert late.W.shape == (2, 3)


def test_contract_153_count_params():
    assert Linear(3, 2).count_params() == 8
    text = r"^Parameter '/late' has not been initialized, so its elements are not counted$"
    with pytest.warns(UserWarning, match=text):
        assert Plain().count_params() == 3


def test_contract_153_updates():
    link = Linear(3, 2)
    assert not link.update_enabled
    for param in link.params():
        param.update_rule = types.SimpleNamespace(enabled=True)
    assert link.update_enabled
    link.disable_update()
    assert not link.update_enabled
    link.enable_update()
    assert link.W.update_rule.enabled


def test_contract_153_text():
    link = Linear(3, 2)
    assert str(link) == "Linear(in_size=3, out_size=2)"
    assert str(Plain()) == "Plain()"
    assert list(Plain().printable_specs) == []
    assert repr(link) == object.__repr__(link)


def test_from_params():
    with pytest.raises(NotImplementedError, match=r"^Plain cannot be made of parameters: it has no from_params\(\)$"):
        Plain.from_params(1)


def test_contract_157_saving_and_loading():
    link, recorder = Plain(), Recorder()
    link.serialize(recorder)
    assert [name for name, _ in recorder.notes] == ["W", "late", "count", "mean"]
    assert recorder.notes[1][1] is None
    array = link.W.array
    link.serialize(Loader({"W": np.full(3, 7.0), "late": np.ones(5), "count": 8, "mean": np.zeros(2)}))
    assert link.W.array is array
    np.testing.assert_equal(array, np.full(3, 7, np.float32))
    np.testing.assert_equal(link.late.array, np.ones(5, np.float32))
    assert link.count == 8
    late = Plain()
    late.serialize(Loader({"W": np.zeros(3), "late": None, "count": 0, "mean": np.zeros(2)}))
    assert late.late.array is None


def test_devices():
    link = Plain()
    array = link.W.array
    assert link.xp is np
    assert link.to_device("@numpy") is link.to_device(-1) is link.from_chx() is link
    assert link.W.array is array
    with pytest.warns(DeprecationWarning, match=r"^to_cpu\(\) is deprecated; use to_device\('@numpy'\)$"):
        assert link.to_cpu() is link
    with pytest.raises(RuntimeError, match=r"^ChainerX is not available "):
        link.to_chx()
    with pytest.raises(RuntimeError, match=r"^iDeep is not available "):
        link.to_intel64()


def test_visitors_meet_what_a_link_holds():
    met = []

    class Holder(Link):
        def __init__(self):
            super().__init__()
            self.own = np.zeros(2)

        def device_resident_accept(self, visitor):
            met.append(type(visitor).__name__)
            super().device_resident_accept(visitor)
            self.own = visitor.visit_array(self.own)

    ChainList(Holder()).to_device("@numpy")
    Holder().from_chx()
    assert met == ["ToDeviceVisitor", "StayingVisitor"]


def test_classes_that_override_to_cpu():
    calls = []
    text = r"^Old overrides to_cpu\(\), which is deprecated; override device_resident_accept\(\)$"
    with pytest.warns(DeprecationWarning, match=text):

        class Old(Link):
            def to_cpu(self):
                calls.append(self)
                return super().to_cpu()

    link = Old()
    with pytest.warns(DeprecationWarning, match=r"^to_cpu"):
        link.to_device("@numpy")
    with pytest.warns(DeprecationWarning, match=r"^to_cpu"):
        ChainList(link).to_device("@numpy")
    with pytest.warns(DeprecationWarning, match=r"^to_cpu"):
        link.to_cpu()
    assert calls == [link, link, link]


def test_drawing_anew_takes_as_many_random_numbers_as_in_chainer():
    """A Chain draws for all that is in it and then lets each child draw again; a ChainList draws once."""

    def drawn(link):
        before = calls[0]
        link.copy("init")
        return calls[0] - before

    calls = [0]

    def fill(array):
        calls[0] += 1
        array[...] = calls[0]

    def linear():
        return links.Linear(2, 2, initialW=fill)

    assert drawn(linear()) == 1
    assert drawn(ChainList(linear(), linear())) == 2
    assert drawn(Chain(a=linear(), b=linear())) == 4
    assert drawn(Chain(a=Chain(b=linear()))) == 3
    assert drawn(Sequential(Chain(a=linear()))) == 2


def without_constructor(base):
    def __init__(self):
        """Call no constructor of the base class."""

    return type("Forgotten", (base,), {"__init__": __init__})()


FORGOTTEN = "Link.__init__() has not been called ({}): Forgotten.__init__ must begin with super().__init__()"


@pytest.mark.parametrize("base", [Link, Chain, ChainList, Sequential])
@pytest.mark.parametrize(
    "use",
    [
        lambda link: list(link.params()),
        lambda link: list(link.namedparams()),
        lambda link: link.cleargrads(),
        lambda link: link.serialize(None),
        lambda link: link.register_persistent("__class__"),
        lambda link: link.copy(),
        lambda link: link.to_device("@numpy"),
        lambda link: optimizers.SGD().setup(link),
        lambda link: Chain(child=link).cleargrads(),
    ],
)
def test_whatever_needs_the_constructor_says_that_it_has_not_run(base, use):
    with pytest.raises(RuntimeError, match=at_any_line(FORGOTTEN)):
        use(without_constructor(base))


@pytest.mark.parametrize("base", [ChainList, Sequential])
@pytest.mark.parametrize(
    "use",
    [
        lambda link: link.add_link(Link()),
        lambda link: link.append(Link()),
        lambda link: link.insert(0, Link()),
        len,
        list,
        lambda link: link[0],
    ],
)
def test_so_do_lists_of_links(base, use):
    with pytest.raises(RuntimeError, match=at_any_line(FORGOTTEN)):
        use(without_constructor(base))


def test_attributes_that_are_no_links_may_be_set_before_the_constructor_runs():
    class Early(ChainList):
        def __init__(self):
            self.n = 2
            super().__init__(*(Link(W=k + 1) for k in range(self.n)))

    assert [p.shape for p in Early().params()] == [(1,), (2,)]
