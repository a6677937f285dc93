"""Snapshots that somebody has made to do harm: refused by an error that says why, before they take time or memory."""

import io
import pickle
import zipfile

import numpy as np
import pytest

from autodiff.chainer.reporter import DictSummary
from autodiff.chainer.serializers import load_hdf5, load_npz, pickles
from autodiff.chainer.serializers.pickle_machine import KEYS
from autodiff.chainer.serializers.pickles import STEPS, load_plain
from autodiff.saving import archive, npy

RECONSTRUCT = b"cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nK\x00\x85C\x01b\x87R"
STATE = b"(K\x03X\x01\x00\x00\x00<NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00t"  # of a dtype
F8 = b"cnumpy\ndtype\nX\x02\x00\x00\x00f8\x89\x88\x87R" + STATE + b"b"
O8 = b"cnumpy\ndtype\nX\x02\x00\x00\x00O8\x89\x88\x87R" + STATE.replace(b"<", b"|") + b"b"


class Values:
    """An object whose values are attributes."""

    def __init__(self, **values):
        self.__dict__.update(values)

    def serialize(self, serializer):
        for name, value in self.__dict__.items():
            setattr(self, name, serializer(name, value))


def pickled(program):
    """What a pickle of protocol 4 holds, of which the instructions are given."""
    return load_plain(io.BytesIO(b"\x80\x04" + program + b"."), 2**20)


def array(state):
    """The instructions of an array with the given state."""
    return RECONSTRUCT + state + b"b"


def file_of(members, compression=zipfile.ZIP_DEFLATED):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", compression) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    file.seek(0)
    return file


def header(descr, shape):
    file = io.BytesIO()
    np.lib.format.write_array_header_1_0(file, {"descr": descr, "fortran_order": False, "shape": shape})
    return file.getvalue()


def object_file(program):
    return file_of({"a.npy": header("|O", ()) + b"\x80\x04" + program + b"."})


# Pickles.


def test_arrays_and_plain_objects_are_read():
    assert pickled(array(b"(K\x01K\x02\x85" + F8 + b"\x89C\x10" + np.array([1.0, -2.5]).tobytes() + b"t")).tolist() == [
        1,
        -2.5,
    ]
    assert pickled(array(b"(K\x01)" + O8 + b"\x89]Nat"))[()] is None
    for value in (
        None, True, -5, 2**90, 1.5, "text", b"bytes", [1, [2, (3,)]], {"a": {1: None}}, (), (1, 2),
        {"x": [1] * 3},
    ):  # fmt: skip
        for protocol in (2, 3, 4, 5):
            assert load_plain(io.BytesIO(pickle.dumps(value, protocol)), 2**20) == value
    for value in ({1, 2}, frozenset({3})):  # which older protocols call classes for
        assert load_plain(io.BytesIO(pickle.dumps(value, 4)), 2**20) == value


@pytest.mark.parametrize("protocol", [2, 3, 4])
@pytest.mark.parametrize(
    "values",
    [
        np.arange(6.0).reshape(2, 3), np.asfortranarray(np.arange(6).reshape(2, 3)), np.zeros((1, 3), np.float16),
        np.array(["ab", "c"]), np.array([b"x", b"yz"]), np.array([True, False]), np.array(1 + 2j), np.arange(3, dtype=">i4"),
    ],
)  # fmt: skip
def test_arrays_inside_of_arrays_are_read(values, protocol):
    outer = np.array([None, values, [values]], dtype=object)
    found = load_plain(io.BytesIO(pickle.dumps(outer, protocol)), 2**20)
    for inner in (found[1], found[2][0]):
        np.testing.assert_array_equal(inner, values)
        assert (inner.dtype, inner.shape, inner.flags.f_contiguous) == (
            values.dtype,
            values.shape,
            values.flags.f_contiguous,
        )


DOUBLED = b"]q\x00" + b"0](h\x00h\x00eq\x00" * 40
"""The instructions of a list that holds two lists, that hold two lists, ..., which are the same."""

HARMFUL = {
    "a dtype that is changed after the array": (
        array(b"(K\x01K\x01\x85" + F8 + b"\x94\x89C\x08AAAAAAAAt") + b"0h\x00" + STATE.replace(b"NNN", b"N(t}", 1) + b"b",
        "it changes an object that is finished",
    ),
    "an array that is changed": (
        array(b"(K\x01)" + O8 + b"\x89]Nat") + b"(K\x01)" + O8 + b"\x89]Natb",
        "it changes an object that is finished",
    ),
    "objects over bytes": (array(b"(K\x01K\x01\x85" + O8 + b"\x89C\x08AAAAAAAAt"), "an array of shape (1,) needs a list"),
    "a dtype with fields": (
        b"cnumpy\ndtype\nX\x02\x00\x00\x00V8\x89\x88\x87R(K\x03X\x01\x00\x00\x00|N(X\x01\x00\x00\x00at}K\x08K\x01K\x1btb",
        "V8 is no dtype of numbers, texts or objects",
    ),
    "texts of no letters": (
        b"cnumpy\ndtype\nX\x02\x00\x00\x00S0\x89\x88\x87R" + STATE + b"b", "S0 is the dtype of nothing",
    ),
    "too few bytes": (array(b"(K\x01K\x02\x85" + F8 + b"\x89C\x08AAAAAAAAt"), "an array of shape (2,) and dtype float64 needs"),
    "a negative length": (array(b"(K\x01J\xff\xff\xff\xff\x85" + F8 + b"\x89C\x08AAAAAAAAt"), "an array without a shape or dtype"),
    "a shape of a list": (array(b"(K\x01]" + F8 + b"\x89C\x08AAAAAAAAt"), "an array without a shape or dtype"),
    "an array without an end": (RECONSTRUCT, "it leaves an array unfinished"),
    "a list that doubles": (DOUBLED, f"it stands for more than {STEPS} objects, or contains itself"),
    "a list of itself": (b"]\x94h\x00a", f"it stands for more than {STEPS} objects, or contains itself"),
    "bytes that double": (b"c_codecs\nencode\nC\x01aX\x03\x00\x00\x00hex\x86R", "it calls something that makes no array"),
    "texts that grow": (
        b"c_codecs\nencode\nX\x01\x00\x00\x00aX\x0e\x00\x00\x00unicode_escape\x86R", "it calls something that makes no array",
    ),
    "a call of a number": (b"K\x05)R", "it calls something that makes no array"),
    "more than there is": (b"K\x01\x87", "it takes more than there is"),
    "nothing": (b"", "it does not leave one object"),
    "two objects": (b"NN", "it does not leave one object"),
    "an object of a class": (b"cnumpy\nndarray\n)\x81", "it has the instruction NEWOBJ"),
    "something outside": (b"K\x01Q", "it has the instruction BINPERSID"),
    "a memo that is not there": (b"h\x05", "KeyError: 5"),
    "bytes that are not there": (b"\x8e\xff\xff\xff\xff\xff\xff\xff\x7fAA", "it is longer than a pickle of plain data is"),
    "an int without an end": (b"\x8b\x00\x00\x01\x00" + b"\x7f" * 2**16, "an int of more than 2048 bytes"),
    "keys that collide": (b"}(" + b"K\x01N" * (KEYS + 1) + b"u", f"more than {KEYS} keys are no texts"),
    "a list as a key": (b"}]Ns", "TypeError: unhashable type: 'list'"),
    "items of a list": (b"]K\x01Ns", "it sets items of a list"),
}  # fmt: skip


@pytest.mark.parametrize("name", HARMFUL)
def test_harmful_pickles(name):
    program, reason = HARMFUL[name]
    with pytest.raises(pickle.UnpicklingError) as error:
        pickled(program)
    assert reason in str(error.value)
    assert str(error.value).startswith("the pickle is damaged, or no plain data")


@pytest.mark.parametrize(
    "name", ["numpy.core.multiarray scalar", "builtins eval", "os system", "numpy load", "copyreg _reconstructor"]
)
def test_other_names_are_not_known(name):
    module, _, function = name.partition(" ")
    for program in (
        f"c{module}\n{function}\n".encode(),
        pickle.dumps(module)[11:-1] + pickle.dumps(function)[11:-1] + b"\x93",
    ):
        with pytest.raises(pickle.UnpicklingError, match=rf"the file wants to load {module}\.{function} \(|it calls"):
            pickled(program)


def test_long_pickles_end_early(monkeypatch):
    monkeypatch.setattr(pickles, "STEPS", 1000)
    with pytest.raises(pickle.UnpicklingError, match="more than 1000 instructions"):
        pickled(b"N0" * 600)
    with pytest.raises(pickle.UnpicklingError, match="more than 1000 objects"):
        pickled(b"](" + b"(NNNNNNNNNt" + b"2" * 200 + b"e")


# Archives.


def test_a_small_file_that_becomes_large_is_not_unpacked(monkeypatch):
    file = file_of({"a.npy": header("<f8", (2**22,)) + bytes(2**25)})
    assert len(file.getvalue()) < 2**16
    monkeypatch.setattr(archive, "read_data", lambda *_: pytest.fail("it was unpacked"))
    with pytest.raises(ValueError, match=r"a has shape \(4194304,\) in the file and \(3,\) in the object"):
        load_npz(file, Values(a=np.zeros(3)))
    file.seek(0)
    with pytest.raises(TypeError, match=r"a has shape \(4194304,\) in the file and is one float in the object"):
        load_npz(file, Values(a=0.5))


def test_values_of_unknown_size_are_bounded_together(monkeypatch):
    file = file_of({name: header("<f8", (1000,)) + bytes(8000) for name in ("a.npy", "b.npy")})
    monkeypatch.setattr(archive, "TIMES", 0)
    for room, complaint in (
        (7999, r"a takes 8000 bytes, and 7999 are left"),
        (8000, r"b takes 8000 bytes, and 0 are left"),
    ):
        file.seek(0)
        monkeypatch.setattr(archive, "ROOM", room)
        with pytest.raises(ValueError, match=complaint):
            load_npz(file, Values(a=None, b=None))
    file.seek(0)
    loaded = Values(a=None, b=np.ones(1000))  # what the object has an array for counts for nothing
    load_npz(file, loaded)
    assert loaded.a.shape == loaded.b.shape == (1000,)


def test_a_size_that_is_only_said_takes_no_memory():
    with pytest.raises(
        ValueError, match=r"a takes 8000000000000 bytes, and 10737\d* are left for values of unknown size"
    ):
        load_npz(file_of({"a.npy": header("<f8", (10**12,))}), Values(a=None))
    with pytest.raises(ValueError, match="a in the snapshot is damaged: it ends too early"):
        load_npz(file_of({"a.npy": header("<f8", (10**6,))}), Values(a=None))


HEADERS = {
    "a list of fields": ("{'descr': [('x', '<f8')], 'fortran_order': False, 'shape': (3,), }", "is not that of an array"),
    "objects of a class": ("{'descr': '|O', 'fortran_order': False, 'shape': __import__('os'), }", "is not that of an array"),
    "many parentheses": ("(" * 9000, "is not that of an array"),
    "a shape that no array has": ("{'descr': '<f8', 'fortran_order': False, 'shape': (9999999999999999999,), }", "there is no array"),
    "a dtype that is none": ("{'descr': '<f7', 'fortran_order': False, 'shape': (), }", "'<f7' is no dtype"),
    "times": ("{'descr': '<M8[s]', 'fortran_order': False, 'shape': (), }", "'<M8[s]' is no dtype of numbers, texts or objects"),
    "texts of no letters": (
        "{'descr': '|S0', 'fortran_order': False, 'shape': (1000000000000,), }", "'|S0' is the dtype of nothing",
    ),
    "one key twice": ("{'descr': '<f8', 'shape': (), 'shape': (), }", "is not that of an array"),
    "another key": ("{'descr': '<f8', 'fortran_order': False, 'shape': (), 'x': 1, }", "is not that of an array"),
    "too much": (" " * 10001, "its header has 10001 characters"),
}  # fmt: skip


@pytest.mark.parametrize("name", HEADERS)
def test_harmful_headers(name):
    text, reason = HEADERS[name]
    content = npy.MAGIC + b"\x02\x00" + len(text).to_bytes(4, "little") + text.encode()
    with pytest.raises(ValueError, match="a in the snapshot is damaged") as error:
        load_npz(file_of({"a.npy": content + bytes(64)}), Values(a=None))
    assert reason in str(error.value)


@pytest.mark.parametrize(
    "text",
    [
        "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }",
        '{"shape":(2L,3L),"fortran_order":False,"descr":"<f8"}',
        "{'fortran_order': False, 'descr': '<f8', 'shape': (2, 3)}\n",
    ],
)
def test_headers_as_others_write_them(text):
    assert npy.parsed(text) == ((2, 3), np.dtype("<f8"), False)


def test_an_object_that_is_not_what_its_header_says():
    with pytest.raises(pickle.UnpicklingError, match="a holds something else than the array that it announces"):
        load_npz(object_file(b"]"), Values(a=None))
    with pytest.raises(pickle.UnpicklingError, match="a holds something else than the array that it announces"):
        load_npz(object_file(array(b"(K\x01K\x01\x85" + O8 + b"\x89]Nat")), Values(a=None))


def test_objects_in_the_place_of_numbers():
    with pytest.raises(TypeError, match="a is object in the file and float64 in the object"):
        load_npz(
            file_of({"a.npy": header("|O", (1,)) + pickle.dumps(np.array([1.0], object), 4)}), Values(a=np.zeros(1))
        )


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_other_compressions_which_unpack_without_bounds(method):
    file = file_of({"a.npy": header("<f8", ()) + bytes(8)}, method)
    with pytest.raises(ValueError, match="it is compressed in another way than NumPy's files are"):
        load_npz(file, Values(a=0.0))


@pytest.mark.parametrize("place", range(0, 300, 7))
def test_damaged_archives(place):
    data = bytearray(file_of({"a.npy": header("<f8", (3,)) + np.ones(3).tobytes()}).getvalue())
    data[place % len(data)] ^= 0xFF
    loaded = Values(a=np.zeros(3))
    try:
        load_npz(io.BytesIO(data), loaded)
    except (ValueError, KeyError):
        return
    assert loaded.a.tolist() == [1, 1, 1]  # what was changed does not matter


def test_what_is_no_archive_is_not_read():
    for content in (
        npy.MAGIC + b"\x01\x00\x76\x00" + b"{'descr': '<f8', 'fortran_order': False, 'shape': (10**12,), }",
        b"PK\x03\x04",
    ):
        with pytest.raises(ValueError, match=r"it is no \.npz archive"):
            load_npz(io.BytesIO(content), Values())


@pytest.mark.parametrize("order", ["<", ">"])
def test_characters_that_there_are_not(order):
    content = header(f"{order}U2", ()) + np.array([65, 0x110000], f"{order}u4").tobytes()
    with pytest.raises(ValueError, match="a in the snapshot is damaged: it has a character of the number 1114112"):
        load_npz(file_of({"a.npy": content}), Values(a=""))
    text = Values(a="")
    load_npz(file_of({"a.npy": header(f"{order}U2", ()) + np.array([65, 0x10FFFF], f"{order}u4").tobytes()}), text)
    assert text.a == "A\U0010ffff"
    u1 = b"cnumpy\ndtype\nX\x02\x00\x00\x00U1\x89\x88\x87R" + STATE + b"b"
    with pytest.raises(pickle.UnpicklingError, match="it has a character of the number 1094795585"):
        pickled(array(b"(K\x01K\x01\x85" + u1 + b"\x89C\x04AAAAt"))


# HDF5.


@pytest.fixture
def h5(tmp_path):
    """A function that makes a file and loads it."""
    h5py = pytest.importorskip("h5py")

    def load(make, **values):
        with h5py.File(tmp_path / "snapshot.h5", "w") as file:
            make(file)
        loaded = Values(**values)
        load_hdf5(tmp_path / "snapshot.h5", loaded)
        return loaded

    return load


def test_hdf5_of_elements_that_were_never_written(h5):
    def make(file):
        file.create_dataset("a", shape=(10**11,), dtype="f8", chunks=(10**6,), compression=4)

    with pytest.raises(ValueError, match=r"a has shape \(100000000000,\) in the file and \(3,\) in the object"):
        h5(make, a=np.zeros(3))
    with pytest.raises(ValueError, match="a takes 800000000000 bytes, more than"):
        h5(make, a=None)


def test_hdf5_that_leads_elsewhere(h5, tmp_path):
    import h5py

    with h5py.File(tmp_path / "other.h5", "w") as other:
        other["a"] = 1.0

    def virtual(file):
        layout = h5py.VirtualLayout(shape=(), dtype="f8")
        layout[...] = h5py.VirtualSource(tmp_path / "other.h5", "a", shape=())
        file.create_virtual_dataset("a", layout)

    def external(file):
        file.create_dataset("a", shape=(1,), dtype="u1", external=[(tmp_path / "other.h5", 0, 1)])

    links = {
        "a in the HDF5 file is a link to somewhere else": [
            lambda file: file.update(a=h5py.ExternalLink(str(tmp_path / "other.h5"), "a")),
            lambda file: file.update(a=h5py.SoftLink("/b"), b=1.0),
        ],
        "a in the HDF5 file is no array of its own": [virtual, external, lambda file: file.create_group("a")],
    }
    for reason, makers in links.items():
        for make in makers:
            with pytest.raises(ValueError, match=reason):
                h5(make, a=None)


def test_hdf5_of_other_elements(h5):
    import h5py

    def make(dtype, shape=(2,)):
        return lambda file: file.create_dataset("a", shape=shape, dtype=dtype)

    for dtype in (h5py.vlen_dtype(np.float64), np.dtype([("x", "f8")]), h5py.ref_dtype, h5py.string_dtype()):
        with pytest.raises(TypeError, match="a in the HDF5 file is neither an array of numbers nor one text"):
            h5(make(dtype), a=None)


# What objects make of texts.


@pytest.mark.parametrize("text", ["[" * 100_000, "{", "3", '{"a": 1}'])
def test_texts_that_are_no_lists(text):
    with pytest.raises(ValueError, match="_names in the snapshot is damaged"):
        load_npz(
            file_of({"_names.npy": header("<U100000", ()) + text.ljust(100_000, "\0").encode("utf-32-le")}),
            DictSummary(),
        )
