"""Links made of links: items 149, 150, 152, 153 of the contract."""

import copy
import pickle
import re

import numpy as np
import pytest
from models import Linear, Loader, Model, Plain, Recorder

from autodiff.chainer.link import Chain, ChainList, Link
from autodiff.facade import Parameter


def at_any_line(text):
    return "^" + re.escape(text).replace(re.escape("{}"), r"test_chain.py:\d+") + "$"


EXISTS = "cannot register a new link {!r} ({{}}): the attribute exists; choose another name, or delete it first"


def test_contract_149_chains():
    model = Model()
    assert [name for name, _ in model.namedparams()] == ["/z", "/l1/W", "/l1/b", "/l2/W", "/l2/b"]
    assert [name for name, _ in model.namedparams(include_uninit=False)] == ["/z", "/l1/b", "/l2/W", "/l2/b"]
    assert [param.name for param in model.params()] == ["z", "W", "b", "W", "b"]
    assert [name for name, _ in model.namedlinks()] == ["/", "/l1", "/l2"]
    assert [name for name, _ in Chain(a=model).namedlinks(skipself=True)] == ["/a", "/a/l1", "/a/l2"]
    assert list(model.links()) == [model, model.l1, model.l2]
    assert list(model.links(skipself=True)) == list(model.children()) == [model.l1, model.l2]


def test_contract_149_lists():
    links = ChainList(Linear(1, 2), ChainList(Plain()))
    with links.init_scope():
        links.p = Parameter(0, 2)
    assert [name for name, _ in links.namedparams()] == ["/p", "/0/W", "/0/b", "/1/0/W", "/1/0/late"]
    assert [name for name, _ in links.namedlinks()] == ["/", "/0", "/1", "/1/0"]
    assert list(links.links()) == [links, links[0], links[1], links[1][0]]


def test_contract_150_registering():
    model = Model()
    assert model.l1.name == "l1"
    assert model["l1"] is model.l1
    model.l3 = Linear(1, 1)
    model.add_link("l4", Linear(1, 1))
    assert [link.name for link in model.children()] == ["l1", "l2", "l4"]
    for name in ("l1", "l3", "z", "number"):
        with pytest.raises(AttributeError, match=at_any_line(EXISTS.format(name))):
            model.add_link(name, Linear(1, 1))
    with pytest.raises(AttributeError, match=at_any_line(EXISTS.format("l1"))), model.init_scope():
        model.l1 = Linear(1, 1)
    with pytest.raises(TypeError, match=at_any_line("cannot register a non-link object as a child, got int ({})")):
        Chain(a=3)
    del model.l1
    assert [link.name for link in model.children()] == ["l2", "l4"]
    with pytest.raises(AttributeError, match="'Model' object has no attribute 'nope'"):
        model["nope"]
    replaced = model.l2 = Linear(5, 5)
    assert next(model.children()) is replaced


def test_contract_150_chainlist_is_a_list():
    links = ChainList(Plain(), Plain())
    third, fourth = Plain(), Plain()
    links.append(third)
    links.insert(0, fourth)
    assert [link.name for link in links] == ["0", "1", "2", "3"]
    assert (links[0], links[-1], links[1:3]) == (fourth, third, list(links)[1:3])
    links.remove(third)
    links += [third]
    links.extend([Plain()])
    links.reverse()
    assert links.index(third) == 1
    assert links.pop().name == "4"
    links[0] = fourth
    links[1:2] = [third, Plain()]
    del links[2]
    assert (len(links), fourth.name, third.name) == (4, "0", "1")
    links.clear()
    assert not links
    text = "a ChainList registers no link by name ({}), got 'a' within init_scope(); append it, or use a Chain"
    with pytest.raises(TypeError, match=at_any_line(text)), links.init_scope():
        links.a = Plain()
    for use in (ChainList, links.append, lambda link: links.insert(0, link), links.add_link):
        with pytest.raises(TypeError, match=at_any_line("a ChainList holds links, got int ({})")):
            use(3)
    with pytest.raises(IndexError):
        links[3]


def test_contract_150_lists_of_links_are_not_tracked():
    chain = Chain()
    with chain.init_scope():
        chain.layers = [Linear(1, 1)]
    assert list(chain.params()) == []


@pytest.mark.parametrize("make", [lambda: Chain(a=Linear(3, 2), b=Plain()), lambda: ChainList(Linear(3, 2), Plain())])
def test_contract_152_copies(make):
    model = make()
    model.name = "model"
    first = next(model.children())
    shared, copied, again = model.copy(), model.copy("copy"), model.copy("init")
    assert [link.name for link in shared.children()] == [link.name for link in model.children()]
    assert next(shared.children()) is not first
    assert next(shared.children()).W.array is first.W.array
    assert (shared.name, copied.name) == (None, "model")
    assert next(copied.children()).W.array is not first.W.array
    assert np.isnan(next(again.children()).W.grad).all()
    assert shared._children is not model._children
    with pytest.raises(ValueError, match=r"^the mode of a copy is"):
        model.copy("x")
    for other in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        np.testing.assert_equal(next(other.children()).W.array, first.W.array)
    assert next(copy.copy(model).children()) is first


def test_contract_153_gradients_and_parameters():
    for make in (lambda: Chain(a=Linear(3, 2)), lambda: ChainList(Linear(3, 2))):
        model, other = make(), make()
        for param in other.params():
            param.grad = np.ones_like(param.array)
            param.array[...] = 9
        model.cleargrads()
        model.addgrads(other)
        model.addgrads(other)
        model.copyparams(other)
        assert all((param.grad == 2).all() and (param.array == 9).all() for param in model.params())


def test_contract_153_text():
    model = ChainList(Linear(3, 2), Model(), ChainList(Plain()), ChainList(), Chain())
    assert str(model) == (
        "ChainList(\n"
        "  (0): Linear(in_size=3, out_size=2),\n"
        "  (1): Model(\n"
        "    (l1): Linear(in_size=None, out_size=4),\n"
        "    (l2): Linear(in_size=3, out_size=2),\n"
        "  ),\n"
        "  (2): ChainList(\n"
        "    (0): Plain(),\n"
        "  ),\n"
        "  (3): ChainList(),\n"
        "  (4): Chain(),\n"
        ")"
    )


def test_contract_157_keys():
    recorder = Recorder()
    Chain(a=Model(), b=ChainList(Linear(1, 1))).serialize(recorder)
    assert [name for name, _ in recorder.notes] == [
        "a/z", "a/l1/W", "a/l1/b", "a/l2/W", "a/l2/b", "b/0/W", "b/0/b",
    ]  # fmt: skip
    model = Model()
    values = {name: None if value is None else value + 1 for name, value in Recorder().notes or []}
    values.update({"z": 3, "l1/W": np.ones((4, 6)), "l1/b": 1, "l2/W": 2, "l2/b": 3})
    model.serialize(Loader(values))
    assert model.l1.W.shape == (4, 6)
    assert model.l2.W.array[0, 0] == 2


def test_a_link_within_a_link_is_no_child():
    link = Link()
    with link.init_scope():
        link.inner = Linear(1, 1)
    assert list(link.params()) == []
    assert link.inner.name is None
