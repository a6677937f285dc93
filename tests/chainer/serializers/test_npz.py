import gc
import io
import pickle
import re
import zipfile

import numpy as np
import pytest

from autodiff.chainer.serializer import AbstractSerializer, Deserializer, Serializer
from autodiff.chainer.serializers import DictionarySerializer, NpzDeserializer, load_npz, save_npz
from autodiff.chainer.serializers.npz import serialize
from autodiff.facade import Variable

STORED = {
    "a": np.arange(3),
    "none": np.array(None),
    "text": np.array("text"),
    "half": np.float64(3.5),
    "three": np.array(3),
    "c/w": np.ones(2),
}


class Values:
    """An object whose values are attributes."""

    def __init__(self, **values):
        self.__dict__.update(values)

    def serialize(self, serializer):
        for name, value in self.__dict__.items():
            setattr(self, name, serializer(name, value))


def saved(**values):
    file = io.BytesIO()
    save_npz(file, Values(**values))
    file.seek(0)
    return file


def test_a_dictionary_gets_arrays_by_path():
    serializer = DictionarySerializer()
    array = np.ones(3)
    assert serializer("a", array) is array
    assert serializer["/c/"]("/w", 2) == 2
    assert serializer["c"]["d"].path == "c/d/"
    serializer("none", None)
    serializer("text", "abc")
    assert serializer.target["a"] is array
    assert list(serializer.target) == ["a", "c/w", "none", "text"]
    assert [value.shape for value in serializer.target.values()] == [(3,), (), (), ()]
    assert [value.dtype.kind for value in serializer.target.values()] == ["f", "i", "O", "U"]
    assert serializer.target["none"][()] is None


@pytest.mark.parametrize("value", [Variable(np.ones(2, np.float32)), {"a": 1}])
def test_only_arrays_numbers_and_texts_are_saved(value):
    with pytest.raises(TypeError, match=r"takes arrays, got (Variable|dict)"):
        DictionarySerializer()("key", value)


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        ("text", "", "text"),
        ("half", 1.0, 3.5),
        ("three", 2, 3),
        ("three", 1.5, 3.0),
        ("three", None, 3),
        ("none", None, None),
        ("none", 3, None),
        ("none", np.zeros(2), None),
        ("/three", 0, 3),
        ("a", [9], [0, 1, 2]),
    ],
)
def test_values_keep_their_type(key, value, expected):
    loaded = NpzDeserializer(STORED)(key, value)
    assert loaded == expected
    assert value is None or expected is None or type(loaded) is type(value)


def test_arrays_are_filled_in_place():
    array = np.zeros(3, np.float32)
    assert NpzDeserializer(STORED)("a", array) is array
    assert array.tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    ("key", "value", "error", "text"),
    [
        ("half", 1, TypeError, "half is float64 in the file and does not fit into int"),
        ("three", True, TypeError, "three is int64 in the file and does not fit into bool"),
        ("a", 5, TypeError, "a has shape (3,) in the file and is one int in the object"),
        ("a", np.zeros(4), ValueError, "a has shape (3,) in the file and (4,) in the object"),
        ("a", np.zeros((3, 1)), ValueError, "a has shape (3,) in the file and (3, 1) in the object"),
        ("text", np.zeros(()), TypeError, "text is <U4 in the file and float64 in the object"),
        ("missing", 1, KeyError, "missing is not a file in the archive; strict=False leaves such values as they are"),
    ],
)
def test_what_does_not_fit_is_an_error(key, value, error, text):
    with pytest.raises(error, match=re.escape(text)):
        NpzDeserializer(STORED)(key, value)


def test_without_strict_missing_values_stay():
    deserializer = NpzDeserializer(STORED, strict=False)
    assert deserializer("missing", 3) == 3
    assert deserializer["c"]("missing", 4) == 4


@pytest.mark.parametrize(
    "ignored", ["c/w", ["c/w"], ("c/w",), lambda key: key.endswith("w"), ["a", lambda key: key == "c/w"]]
)
def test_ignored_names_stay(ignored):
    assert NpzDeserializer(STORED, ignore_names=ignored)["c"]("w", 3) == 3


def test_wrong_ignored_names_are_an_error():
    with pytest.raises(ValueError, match=r"ignore_names is a key, a function of keys, or a list of these, got \[5\]"):
        NpzDeserializer(STORED, ignore_names=[5])


def test_a_path_is_what_keys_begin_with():
    assert NpzDeserializer(STORED, path="c/")("w", None).tolist() == [1, 1]


@pytest.mark.parametrize("compression", [True, False])
def test_save_and_load(compression, tmp_path):
    path = tmp_path / "without.extension"
    save_npz(path, Values(a=np.arange(3), none=None, text="abc", number=2), compression=compression)
    loaded = Values(a=np.zeros(3), none=5, text="", number=0)
    load_npz(str(path), loaded)
    assert loaded.a.tolist() == [0, 1, 2]
    assert (loaded.none, loaded.text, loaded.number) == (None, "abc", 2)


def test_strict_names_what_is_missing():
    with pytest.raises(KeyError, match="b is not a file in the archive"):
        load_npz(saved(a=1), Values(b=0))


def test_load_without_strict_and_with_ignored_names():
    loaded = Values(a=0, b=0)
    load_npz(saved(a=1), loaded, strict=False)
    assert (loaded.a, loaded.b) == (1, 0)
    loaded = Values(a=0)
    load_npz(saved(a=1), loaded, ignore_names="a")
    assert loaded.a == 0


class Evil:
    def __reduce__(self):
        return print, ("code of the file runs",)


def evil():
    file = io.BytesIO()
    array = np.empty((), object)
    array[()] = Evil()
    np.savez(file, a=array)
    file.seek(0)
    return file


def test_code_in_a_file_never_runs(capsys):
    with pytest.raises(pickle.UnpicklingError, match=r"the file wants to load builtins\.print"):
        load_npz(evil(), Values(a=None))
    assert capsys.readouterr().out == ""


def test_code_in_a_file_runs_when_it_is_asked_for(capsys):
    load_npz(evil(), Values(a=None), allow_pickle=True)
    assert capsys.readouterr().out == "code of the file runs\n"


def test_object_arrays_of_plain_objects_load():
    array = np.array([None, 1, "two", [3.0]], dtype=object)
    loaded = Values(a=None)
    load_npz(saved(a=array), loaded)
    assert loaded.a.tolist() == array.tolist()


def test_a_deserializer_takes_what_numpy_has_opened():
    with np.load(saved(a=None, b=1)) as npz:
        assert NpzDeserializer(npz)("a", 3) is None
        assert NpzDeserializer(npz)("b", 0) == 1


def test_a_deserializer_holds_what_nobody_else_holds():
    """NumPy closes the file as soon as the object that it gave is gone."""
    deserializer = NpzDeserializer(np.load(saved(**{"a/b": 1})))["a"]
    gc.collect()
    assert deserializer("b", 0) == 1


@pytest.mark.parametrize("content", [b"something else", b""])
def test_another_kind_of_file_is_an_error(content, tmp_path):
    path = tmp_path / "file.npz"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"is not a snapshot of save_npz: it is no \.npz archive"):
        load_npz(str(path), Values())


def test_save_and_load_call_serialize():
    calls = []

    class Recording:
        def serialize(self, serializer):
            calls.append(serializer)

    serializer, deserializer = DictionarySerializer(), NpzDeserializer({})
    serializer.save(Recording())
    deserializer.load(Recording())
    assert calls == [serializer, deserializer]
    assert isinstance(serializer, Serializer)
    assert isinstance(deserializer, Deserializer)


@pytest.mark.parametrize("use", [lambda s: s("key", 1), lambda s: s["key"]])
def test_the_abstract_serializer_does_nothing(use):
    with pytest.raises(NotImplementedError, match="AbstractSerializer does not define"):
        use(AbstractSerializer())


def test_none_is_written_for_numpy_1_too():
    with zipfile.ZipFile(saved(none=None)) as archive:
        assert b"cnumpy.core.multiarray\n_reconstruct" in archive.read("none.npy")
    with np.load(saved(none=None), allow_pickle=True) as npz:
        assert npz["none"].shape == ()
        assert npz["none"][()] is None


def test_a_dict_of_what_would_be_saved():
    class Thing:
        def serialize(self, serializer):
            serializer["a"]("b", np.ones(2))

    saved = serialize(Thing())
    assert list(saved) == ["a/b"]
    np.testing.assert_array_equal(saved["a/b"], [1, 1])
