"""Snapshots that were changed: each is refused by an error that says so, or loads what fits."""

from __future__ import annotations

import io
import pickle
import zipfile
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from autodiff.chainer.serializers import load_npz, save_npz
from tests.hostile.mutation import changed_bytes

FOLDER = Path(__file__).parents[1] / "chainer" / "serializers" / "snapshots"

CLEAR = (ValueError, TypeError, KeyError, pickle.UnpicklingError)
"""What :func:`load_npz` says that it raises."""

Members = dict[str, bytes]


class Values:
    """An object whose values are attributes."""

    def __init__(self, **values: Any) -> None:
        self.__dict__.update(values)

    def serialize(self, serializer: Any) -> None:
        for name, value in self.__dict__.items():
            setattr(self, name, serializer(name, value))


def template() -> dict[str, Any]:
    """What the object has before it is loaded: arrays, numbers, texts, and what is not initialized."""
    return {
        "weights": np.zeros((3, 4), np.float32), "moments": np.zeros(5), "order": np.zeros(7, np.int64),
        "mask": np.zeros((2, 2), bool), "spectrum": np.zeros(3, np.complex64), "empty": np.zeros((0, 3)),
        "steps": 0, "rate": 0.0, "text": "", "flag": False, "lazy": None, "nothing": 1, "objects": None,
    }  # fmt: skip


def stored() -> dict[str, Any]:
    """What is in the file."""
    objects = np.array([None, 1, 2**70, -1.5, "two", b"three", [4, [5]], {"six": (7, 8)}, (9,), True], object)
    objects[6] = [np.arange(3, dtype=np.float32), np.array([None, "inner"], object), np.array(["ab", "c"])]
    return {
        "weights": np.arange(12, dtype=np.float32).reshape(3, 4), "moments": np.linspace(0, 1, 5),
        "order": np.arange(7), "mask": np.eye(2, dtype=bool), "spectrum": np.array([1j, 2, 3], np.complex64),
        "empty": np.zeros((0, 3)), "steps": 12, "rate": 0.25, "text": "abc", "flag": True,
        "lazy": np.asfortranarray(np.arange(6.0).reshape(2, 3)), "nothing": None, "objects": objects,
    }  # fmt: skip


@cache
def corpus() -> tuple[bytes, ...]:
    """Snapshots made here, with and without compression, and those that Chainer has made."""
    made = []
    for compression in (True, False):
        file = io.BytesIO()
        save_npz(file, Values(**stored()), compression=compression)
        made.append(file.getvalue())
    return (*made, *(path.read_bytes() for path in sorted(FOLDER.glob("*.npz"))))


def mutant(seed: int, _: Any = None) -> bytes:
    """A snapshot with random changes: of its bytes, or of the files in it, whose checksums are right then."""
    random = Random(seed)
    data = random.choice(corpus())
    if random.random() < 0.3:
        return changed_bytes(data, random)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    for _ in range(random.choice([1, 1, 2])):
        change(members, random)
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", random.choice([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return file.getvalue()


HEADERS = [
    (b"'<f4'", b"'|O'"), (b"'<f8'", b"'|O'"), (b"'|O'", b"'<f8'"), (b"'<f4'", b"'<f8'"), (b"'<f8'", b"'>f8'"),
    (b"'<i8'", b"'<U2'"), (b"False", b"True"), (b"(3, 4)", b"(4, 3)"), (b"(3, 4)", b"(3, 2**60)"), (b"(5,)", b"(500,)"),
    (b"()", b"(1,)"), (b"()", b"(1000000000000,)"), (b"(3, 4)", b"(-3, -4)"), (b"'<f8'", b"[('a', '<f8')]"),
    (b"shape", b"__import__"), (b"(7,)", b"(3, 3)"), (b"'<f8'", b"'<f16'"), (b"'<f8'", b"'<M8[s]'"), (b"(", b"(" * 99),
    (b"'<f8'", b"'|S0'"), (b"'<U3'", b"'<U0'"), (b"'<U3'", b"'<U99999999'"),
]  # fmt: skip
PICKLES = [
    (b"_reconstruct", b"scalar"), (b"ndarray", b"dtype"), (b"cnumpy\ndtype", b"cos\nsystem"), (b"R", b"b"), (b"b", b"R"),
    (b"O8", b"f8"), (b"O8", b"V8"), (b"N", b"]"), (b"(", b")"), (b"e", b"h\x00e"), (b"K\x01", b"K\xff"), (b"q", b"r"),
    (b"\x85", b"\x86"), (b"R", b"R2b"), (b".", b"b."), (b"N", b"\x8e\xff\xff\xff\xff\xff\xff\xff\x7f"), (b"]", b"]2a"),
]  # fmt: skip


def change(members: Members, random: Random) -> None:
    """Change one of the files."""
    name = random.choice(list(members) or ["weights.npy"])
    content = members.get(name, b"")
    match random.choice(["bytes", "bytes", "header", "header", "pickle", "swap", "drop", "rename", "program"]):
        case "bytes":
            members[name] = changed_bytes(content, random)
        case "header":
            members[name] = replaced(content, random.choice(HEADERS), random)
        case "pickle":
            name = random.choice([own for own in members if b"reconstruct" in members[own]] or [name])
            members[name] = replaced(members[name], random.choice(PICKLES), random)
        case "swap":
            other = random.choice(list(members))
            members[name], members[other] = members[other], content
        case "drop":
            members.pop(name, None)
        case "rename":
            members[random.choice(["lazy.npy", "objects.npy", "../" + name, name * 50])] = content
        case _:
            members["objects.npy"] = object_file(random_program(random))


def replaced(content: bytes, pair: tuple[bytes, bytes], random: Random) -> bytes:
    """The content with one occurrence of something replaced."""
    old, new = pair
    parts = content.split(old)
    if len(parts) < 2:
        return changed_bytes(content, random)
    place = random.randrange(1, len(parts))
    return old.join(parts[:place]) + new + old.join(parts[place:])


def object_file(program: bytes) -> bytes:
    """An ``.npy`` file of one object, with a pickle of our own behind its header."""
    file = io.BytesIO()
    np.lib.format.write_array_header_1_0(file, {"descr": "|O", "fortran_order": False, "shape": ()})
    return file.getvalue() + program


WORDS = [
    b"N", b"\x88", b"K\x05", b"]", b"}", b")", b"\x8f", b"(", b"0", b"1", b"2", b"a", b"e", b"s", b"u", b"t", b"\x85",
    b"\x86", b"\x87", b"l", b"d", b"\x90", b"\x91", b"R", b"b", b"\x93", b"\x94", b"q\x00", b"q\x01", b"h\x00", b"h\x01",
    b"cnumpy\ndtype\n", b"cnumpy\nndarray\n", b"cnumpy.core.multiarray\n_reconstruct\n", b"c_codecs\nencode\n",
    b"X\x02\x00\x00\x00f8", b"X\x02\x00\x00\x00O8", b"X\x06\x00\x00\x00latin1", b"C\x01b", b"C\x08AAAAAAAA", b"K\x01\x85",
    b"K\x00\x85", b"(K\x03X\x01\x00\x00\x00<NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00t", b"\x89\x88\x87", b"cos\nsystem\n",
]  # fmt: skip


def random_program(random: Random) -> bytes:
    """Random instructions of a pickle, often so many that they would grow without end."""
    words = [random.choice(WORDS) for _ in range(random.randrange(60))]
    if random.random() < 0.3:
        words = words[:8] * random.choice([2, 100, 5000])
    return b"\x80\x02" + b"".join(words) + b"."


def tried(data: bytes, _: bool = False) -> str:
    """What becomes of a snapshot: in short what happened, or, beginning with FAULT, what should not have."""
    wanted, values = template(), Values(**template())
    try:
        load_npz(io.BytesIO(data), values, strict=False)
    except CLEAR as error:
        return f"refused: {type(error).__name__}"
    except Exception as error:
        return f"FAULT loading raises {type(error).__name__}: {error}"
    for name, before in wanted.items():
        problem = problem_of(before, getattr(values, name))
        if problem:
            return f"FAULT {name} has become {problem}"
    return "loaded"


def problem_of(before: Any, after: Any) -> str:
    """What is wrong with a value that was loaded; empty where nothing is."""
    if isinstance(before, np.ndarray) and after is not None:
        if (after.shape, after.dtype) != (before.shape, before.dtype):
            return f"{after.dtype}{after.shape}"
    elif before is not None and after is not None and type(after) is not type(before):
        return type(after).__name__
    repr(after)  # of arrays of objects, too: each of them must be there
    return ""
