"""Trees in files: what comes back, what is refused, and that nobody sees half a file."""

import io
import random
import zipfile
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

import autodiff
import autodiff.chainer as chainer
import autodiff.chainer.links as L
from autodiff import optimize, tree
from autodiff.chainer.serializers import load_npz, save_npz
from autodiff.chainer.serializers.npz import serialize
from autodiff.saving import archive

X = np.array([0.3, -0.8, 1.1])
FORMATS = ["npz", "safetensors"]


@dataclass
class Dense:
    weight: Any
    scale: float
    activation: str = "tanh"


TREE = {
    "layers": [Dense(np.ones((2, 3), np.float32), 2.0), (np.arange(4), None)],
    "flag": True,
    "count": np.int64(7),
    "half": np.float16(0.5),
    "empty": np.zeros((0, 3)),
    "zero": np.array(1.5),
    "space": SimpleNamespace(x=np.array([[1, 2], [3, 4]], np.uint8).T),
}


def ready(format: str) -> None:
    if format == "safetensors":
        pytest.importorskip("safetensors")


def equal(a: Any, b: Any) -> None:
    assert tree.structure(a) == tree.structure(b)
    for one, other in zip(tree.leaves(a), tree.leaves(b), strict=True):
        assert type(one) is type(other)
        assert np.asarray(one).dtype == np.asarray(other).dtype
        assert np.asarray(other).dtype.name == "bfloat16" or np.asarray(one).dtype is np.asarray(other).dtype
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("format", FORMATS)
def test_a_tree_comes_back(format: str, tmp_path: Path) -> None:
    ready(format)
    file = tmp_path / f"tree.{format}"
    autodiff.save(file, TREE)
    equal(autodiff.load(file, TREE), TREE)
    plain = autodiff.load(str(file))
    assert list(plain) == ["count", "empty", "flag", "half", "layers", "space", "zero"]
    np.testing.assert_array_equal(plain["layers"]["0"]["weight"], np.ones((2, 3)))
    assert plain["layers"]["1"]["0"].tolist() == [0, 1, 2, 3]
    autodiff.save(file, X)
    np.testing.assert_array_equal(autodiff.load(file), X)
    np.testing.assert_array_equal(autodiff.load(file, X), X)


ARRAYS = npst.arrays(
    st.one_of(npst.floating_dtypes(), npst.integer_dtypes(), npst.complex_number_dtypes(sizes=(64, 128)), npst.boolean_dtypes()),
    npst.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=3),
)  # fmt: skip


@given(
    st.dictionaries(
        st.text(st.characters(codec="utf-8", exclude_characters="/\x00"), min_size=1, max_size=5), ARRAYS, max_size=4
    )
)
def test_any_arrays_come_back(tmp_path_factory: Any, arrays: dict[str, Any]) -> None:
    file = tmp_path_factory.getbasetemp() / "any.npz"
    autodiff.save(file, arrays)
    found = autodiff.load(file, arrays)
    for name, array in arrays.items():
        np.testing.assert_array_equal(found[name], array)
        assert found[name].dtype == array.dtype
        assert found[name].flags.writeable


@pytest.mark.parametrize("format", FORMATS)
def test_the_state_of_an_optimizer_is_a_tree(format: str, tmp_path: Path) -> None:
    ready(format)
    params = {"w": X, "b": 0.0}
    optimizer = optimize.adamw(0.1)
    state = optimizer.init(params)
    for _ in range(3):
        updates, state = optimizer.update(params, state, params)
        params = optimize.apply_updates(params, updates)
    autodiff.save(tmp_path / f"all.{format}", {"params": params, "state": state})
    again = autodiff.load(tmp_path / f"all.{format}", {"params": params, "state": optimizer.init(params)})
    equal(again, {"params": params, "state": state})


def test_a_template_of_specs(tmp_path: Path) -> None:
    file = tmp_path / "w.npz"
    autodiff.save(file, {"w": X})
    specs = autodiff.eval_shape(lambda x: {"w": 2 * x}, X)
    np.testing.assert_array_equal(autodiff.load(file, specs)["w"], X)


def test_other_byte_orders_are_read_in_ours(tmp_path: Path) -> None:
    np.savez(tmp_path / "w.npz", w=X.astype(">f8"))
    found = autodiff.load(tmp_path / "w.npz", {"w": X})["w"]
    assert found.dtype.isnative
    np.testing.assert_array_equal(found, X)


@pytest.mark.parametrize("format", FORMATS)
def test_what_does_not_fit_is_refused(format: str, tmp_path: Path) -> None:
    ready(format)
    file = tmp_path / f"w.{format}"
    autodiff.save(file, {"w": X, "b": 1.0})
    at = r" \(test_saving.py:\d+\)"
    with pytest.raises(ValueError, match=rf"^w has shape \(3,\) in the file and \(4,\) in the template{at}$"):
        autodiff.load(file, {"w": np.zeros(4), "b": 1.0})
    with pytest.raises(
        TypeError,
        match=rf"^w is float64 in the file and float32 in the template{at}; give a template of the file's dtypes, and "
        r"convert what is loaded with tree\.map$",
    ):
        autodiff.load(file, {"w": np.zeros(3, np.float32), "b": 1.0})
    with pytest.raises(ValueError, match=rf"^w\.{format} has no c{at}; it has b, w$"):
        autodiff.load(file, {"w": X, "b": 1.0, "c": 1.0})
    with pytest.raises(
        ValueError, match=rf"^w\.{format} has b, which the template has not{at}; strict=False leaves them out$"
    ):
        autodiff.load(file, {"w": X})
    np.testing.assert_array_equal(autodiff.load(file, {"w": X}, strict=False)["w"], X)
    with pytest.raises(ValueError, match=rf"^no name in w\.{format} begins with 'model/'{at}; it has b, w$"):
        autodiff.load(file, {"w": X}, prefix="model/")
    with pytest.raises(FileNotFoundError):
        autodiff.load(tmp_path / f"nowhere.{format}", {"w": X})
    file.write_bytes(b"nothing of the kind")
    with pytest.raises(ValueError, match=r"is no (\.npz archive|file of safetensors)"):
        autodiff.load(file, {"w": X})


def test_what_cannot_be_saved_is_refused(tmp_path: Path) -> None:
    at = r" \(test_saving.py:\d+\)"
    file = tmp_path / "w.npz"
    with pytest.raises(
        ValueError, match=rf"^w\.pickle ends neither in \.npz nor in \.safetensors{at}; the end of a name says"
    ):
        autodiff.save(tmp_path / "w.pickle", X)
    with pytest.raises(ValueError, match=rf"^two leaves have the name a/b{at}; rename a key of the tree$"):
        autodiff.save(file, {"a/b": 1.0, "a": {"b": 2.0}})
    with pytest.raises(TypeError, match=rf"^save: w is a traced value{at}; call save outside of transformations$"):
        autodiff.grad(lambda w: autodiff.save(file, {"w": w}))(1.0)
    with pytest.raises(
        TypeError, match=rf"^save: w is str{at}, and only arrays and numbers are saved; leave it out, by"
    ):
        autodiff.save(file, {"w": "text"})
    assert list(tmp_path.iterdir()) == []


def test_dtypes_that_a_format_does_not_have(tmp_path: Path) -> None:
    ml_dtypes = pytest.importorskip("ml_dtypes")
    pytest.importorskip("safetensors")
    brief = X.astype(ml_dtypes.bfloat16)
    with pytest.raises(TypeError, match=r"w is bfloat16 .*, which \.npz files have no code for; use \.safetensors"):
        autodiff.save(tmp_path / "w.npz", {"w": brief})
    autodiff.save(tmp_path / "w.safetensors", {"w": brief})
    equal(autodiff.load(tmp_path / "w.safetensors", {"w": brief}), {"w": brief})
    with pytest.raises(TypeError, match=r"w is complex128 .*, which \.safetensors files do not have; use \.npz"):
        autodiff.save(tmp_path / "w.safetensors", {"w": 1j * X})


def test_the_library_of_safetensors_is_asked_for(tmp_path: Path, monkeypatch: Any) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "safetensors", None)
    with pytest.raises(ModuleNotFoundError, match=r"install it with: pip install 'autodiff\[safetensors\]'"):
        autodiff.save(tmp_path / "w.safetensors", {"w": X})


@pytest.mark.parametrize("format", FORMATS)
def test_nobody_sees_half_a_file(format: str, tmp_path: Path, monkeypatch: Any) -> None:
    ready(format)
    from autodiff.saving import formats

    file = tmp_path / f"w.{format}"
    autodiff.save(file, {"w": X})

    def fail(file: Any, arrays: Any) -> None:
        file.write(b"half")
        raise KeyboardInterrupt

    monkeypatch.setitem(formats.FORMATS, f".{format}", formats.FORMATS[f".{format}"]._replace(write=fail))
    with pytest.raises(KeyboardInterrupt):
        autodiff.save(file, {"w": 2 * X})
    np.testing.assert_array_equal(autodiff.load(file)["w"], X)
    assert list(tmp_path.iterdir()) == [file]


# Files of others.


def test_files_of_numpy_and_of_others(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", w=X, text=np.array(["one"]))
    assert autodiff.load(tmp_path / "a.npz")["text"].tolist() == ["one"]
    np.savez(tmp_path / "b.npz", **{"a": X, "a/b": X})
    with pytest.raises(ValueError, match="a/b is beside an array whose name is a part of it"):
        autodiff.load(tmp_path / "b.npz")
    np.savez(tmp_path / "c.npz", w=np.array([None, {}], dtype=object))
    for template in (None, {"w": X}):
        with pytest.raises(TypeError, match=r"w holds Python objects .*, which only a pickle could restore"):
            autodiff.load(tmp_path / "c.npz", template)


def test_a_small_file_that_becomes_large(tmp_path: Path, monkeypatch: Any) -> None:
    file = tmp_path / "bomb.npz"
    np.savez_compressed(file, w=np.zeros(2**22))
    monkeypatch.setattr(archive, "read_data", lambda *_: pytest.fail("it was unpacked"))
    with pytest.raises(ValueError, match=r"w has shape \(4194304,\) in the file and \(3,\) in the template"):
        autodiff.load(file, {"w": X})
    monkeypatch.setattr(archive, "ROOM", 0)
    monkeypatch.setattr(archive, "TIMES", 1)
    with pytest.raises(
        ValueError, match=r"w takes 33554432 bytes, and \d+ are left for values of unknown size .*give a temp"
    ):
        autodiff.load(file)


def test_files_changed_at_random_are_refused_or_read(tmp_path: Path) -> None:
    draw = random.Random(0)
    buffer = io.BytesIO()
    np.savez(buffer, **{"w": X, "l/b": np.float32(2)})
    template = {"w": X, "l": {"b": np.float32(0)}}
    file = tmp_path / "changed.npz"
    refused = 0
    for _ in range(150):
        content = bytearray(buffer.getvalue())
        for _ in range(draw.randint(1, 4)):
            content[draw.randrange(len(content))] = draw.randrange(256)
        file.write_bytes(bytes(content[: draw.choice([len(content), draw.randrange(len(content))])]))
        try:
            found = autodiff.load(file, template)
        except (ValueError, TypeError):
            refused += 1
        else:
            assert found["w"].shape == (3,)
    assert refused > 75


# Chainer.


def network() -> Any:
    return chainer.Sequential(L.Linear(3, 4), L.BatchNormalization(4), L.Linear(4, 2))


def test_snapshots_of_chainer_are_loaded(tmp_path: Path) -> None:
    link = network()
    link(np.random.default_rng(0).normal(size=(5, 3)).astype(np.float32))
    save_npz(tmp_path / "model.npz", link)
    _, params = autodiff.functional(network())
    found = autodiff.load(tmp_path / "model.npz", params, strict=False)  # the file has running means besides
    equal(found, autodiff.functional(link)[1])
    whole = autodiff.load(tmp_path / "model.npz")
    np.testing.assert_array_equal(whole["2"]["avg_mean"], link[1].avg_mean)


def test_chainer_loads_what_is_saved(tmp_path: Path) -> None:
    link = chainer.Sequential(L.Linear(3, 4), L.Linear(4, 2))
    f, params = autodiff.functional(link)
    params = tree.map(lambda p: p + 1, params)
    autodiff.save(tmp_path / "params.npz", params)
    load_npz(tmp_path / "params.npz", link)
    equal(f.read(), params)


@pytest.mark.parametrize("format", FORMATS)
def test_whole_snapshots_go_both_ways(format: str, tmp_path: Path) -> None:
    ready(format)
    link, other = network(), network()
    link(np.random.default_rng(0).normal(size=(5, 3)).astype(np.float32))
    autodiff.save(tmp_path / f"model.{format}", serialize(link))
    autodiff.save(tmp_path / "again.npz", autodiff.load(tmp_path / f"model.{format}"))
    load_npz(tmp_path / "again.npz", other)
    for name, array in serialize(link).items():
        np.testing.assert_array_equal(serialize(other)[name], array)


def test_the_model_in_a_snapshot_of_a_trainer(tmp_path: Path) -> None:
    link = L.Classifier(L.Linear(3, 2))
    data = chainer.datasets.TupleDataset(np.zeros((4, 3), np.float32), np.zeros(4, np.int32))
    optimizer = chainer.optimizers.SGD().setup(link)
    updater = chainer.training.updaters.StandardUpdater(chainer.iterators.SerialIterator(data, 2), optimizer)
    trainer = chainer.training.Trainer(updater, (1, "epoch"), out=str(tmp_path))
    trainer.run()
    save_npz(tmp_path / "trainer.npz", trainer)
    _, params = autodiff.functional(L.Linear(3, 2))
    found = autodiff.load(tmp_path / "trainer.npz", params, prefix="updater/model:main/predictor/")
    equal(found, autodiff.functional(link.predictor)[1])


def test_archives_are_what_numpy_reads(tmp_path: Path) -> None:
    autodiff.save(tmp_path / "tree.npz", TREE)
    with np.load(tmp_path / "tree.npz", allow_pickle=False) as found:
        assert sorted(found) == sorted(tree.names(TREE))
    with zipfile.ZipFile(tmp_path / "tree.npz") as file:
        assert file.testzip() is None


# What is refused, and what the texts say to do.


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize(
    "leaf", [np.array(["a"]), np.array(["2020"], "M8[Y]"), np.zeros(2, [("x", float)]), 2**70], ids=str
)
def test_what_no_format_has_is_left_out(format: str, leaf: Any, tmp_path: Path) -> None:
    ready(format)
    with pytest.raises(TypeError, match=r"leave it out, by autodiff\.tree\.partition"):
        autodiff.save(tmp_path / f"tree.{format}", {"a": leaf})


def test_variables_are_saved_as_their_arrays(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match=r"a is a Variable .*; save its array, x\.array"):
        autodiff.save(tmp_path / "tree.npz", {"a": autodiff.Variable(X)})


def test_files_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"save: there is no folder .*nowhere \(.*\); make it first"):
        autodiff.save(tmp_path / "nowhere" / "tree.npz", X)
    with pytest.raises(TypeError, match="save: the file is dict"):
        autodiff.save({"a": X}, "tree.npz")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="is no tape"):
        autodiff.save_tape(autodiff.grad(np.sum), tmp_path / "tape.json")  # type: ignore[arg-type]
