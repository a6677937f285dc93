import re
import sys

import numpy as np
import pytest

from autodiff.chainer.serializers import HDF5Deserializer, HDF5Serializer, load_hdf5, save_hdf5


class Values:
    def __init__(self, **values):
        self.__dict__.update(values)

    def serialize(self, serializer):
        for name, value in self.__dict__.items():
            if isinstance(value, Values):
                value.serialize(serializer[name])
            else:
                setattr(self, name, serializer(name, value))


@pytest.fixture
def h5py():
    return pytest.importorskip("h5py")


@pytest.fixture
def file(h5py, tmp_path):
    with h5py.File(tmp_path / "file.h5", "w") as file:
        yield file


def test_datasets_are_as_chainers(h5py, file):
    serializer = HDF5Serializer(file, compression=3)
    serializer("none", None)
    serializer("number", 3)
    serializer("array", np.arange(4, dtype=np.float32))
    serializer("empty", np.zeros(0))
    serializer["/part/"]["l1"]("/W", np.ones((2, 2)))
    assert file["none"].shape is None
    assert file["none"].dtype == np.float32
    assert (file["number"].shape, file["number"].dtype) == ((), np.int64)
    assert (file["array"].compression, file["array"].compression_opts) == ("gzip", 3)
    assert file["empty"].compression is None
    assert file["part/l1/W"].shape == (2, 2)


def test_save_and_load(h5py, tmp_path):
    path = tmp_path / "file.h5"
    save_hdf5(path, Values(a=np.arange(3), none=None, text="abc", number=2, flag=True, part=Values(b=1.5)))
    loaded = Values(a=np.zeros(3), none=5, text="", number=0, flag=False, part=Values(b=0.0))
    load_hdf5(path, loaded)
    assert loaded.a.tolist() == [0, 1, 2]
    assert (loaded.none, loaded.text, loaded.number, loaded.flag, loaded.part.b) == (None, "abc", 2, True, 1.5)


@pytest.mark.parametrize(
    ("key", "value", "error", "text"),
    [
        ("missing", 3, KeyError, "missing is not in the HDF5 file; strict=False leaves such values as they are"),
        ("a", np.zeros(2), ValueError, "a has shape (3,) in the file and (2,) in the object"),
        ("half", 1, TypeError, "half is float64 in the file and does not fit into int"),
    ],
)
def test_what_does_not_fit_is_an_error(file, key, value, error, text):
    HDF5Serializer(file)("a", np.arange(3))
    HDF5Serializer(file)("half", 0.5)
    with pytest.raises(error, match=re.escape(text)):
        HDF5Deserializer(file)(key, value)


def test_a_missing_part_is_an_error(file):
    file.create_group("part")
    with pytest.raises(KeyError, match="part/missing is not in the HDF5 file"):
        HDF5Deserializer(file)["part"]["missing"]


def test_without_strict_missing_values_stay(file):
    deserializer = HDF5Deserializer(file, strict=False)
    assert deserializer("missing", 3) == 3
    assert deserializer["no"]["part"]("missing", 4) == 4


def test_without_h5py_the_error_names_the_extra(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "h5py", None)
    for function in (save_hdf5, load_hdf5):
        with pytest.raises(RuntimeError, match=re.escape("pip install 'autodiff[hdf5]'")):
            function(tmp_path / "file.h5", Values())
