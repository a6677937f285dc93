"""Checkpoints of several processes: each writes a part, and any number of processes reads them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import sha256
from os import PathLike
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np

from autodiff.distributed.communicator import Communicator, world
from autodiff.distributed.data_parallel import bounds, differences
from autodiff.distributed.errors import MismatchError
from autodiff.saving.atomic import replacing
from autodiff.saving.formats import format_of
from autodiff.saving.trees import like, nested, plain, saved_names
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import spec_of
from autodiff.trace.trees.tree import flatten
from autodiff.trace.values.leaves import as_leaf

INDEX, VERSION = "index.json", 1


def save(
    folder: str | PathLike[str], tree: Any, axes: Mapping[str, int] | None = None, comm: Communicator | None = None
) -> None:
    """Write a tree to a folder: each process writes a part. All processes have to call it.

    What all processes have is written once, by one of them; the bytes are shared out. The checkpoint before, if the
    folder has one, is whole until this one is: readers find the old one or the new one, whenever somebody fails.

    Args:
        folder: on a disk that all processes see; it is made.
        tree: arrays and numbers, equal in all processes, but for those that ``axes`` names.
        axes: of leaves of which each process has a piece, by their names (:func:`autodiff.tree.names`) the axis along
            which the pieces of all, in the order of ranks, are one array.
        comm: who takes part; all processes if None.

    Raises:
        MismatchError: if a leaf that is not named by ``axes`` differs between processes.
        ValueError: if ``axes`` names a leaf that there is not.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(folder, {"w": np.ones(2), "step": 3})
    ...     load(folder, {"step": 0, "w": np.zeros(2)})
    {'step': 3, 'w': array([1., 1.])}
    """
    comm, folder, axes = world() if comm is None else comm, Path(folder), dict(axes or {})
    names = saved_names(tree)
    arrays = dict(zip(names, map(plain, names, flatten(tree)[0]), strict=True))
    unknown = sorted(axes.keys() - arrays.keys())
    if unknown:
        raise ValueError(
            f"distributed.save: axes names {unknown[0]!r}{at_user_line()}; the tree has {', '.join(names)}"
        )
    refuse_unequal({name: array for name, array in arrays.items() if name not in axes}, comm)
    writers = shared_out({name: array.nbytes for name, array in arrays.items() if name not in axes}, comm.size)
    own = {name: array for name, array in arrays.items() if name in axes or writers[name] == comm.rank}
    if comm.rank == 0:
        folder.mkdir(parents=True, exist_ok=True)
    file = f"part-{comm.broadcast_object(uuid4().hex)}-{comm.rank}.npz"
    with replacing(folder / file) as opened:
        format_of(Path(file)).write(opened, own)
    found = {name: [list(array.shape), array.dtype.str] for name, array in own.items()}
    parts = comm.gather_objects({"file": file, "sha256": checksum(folder / file), "leaves": found})
    if comm.rank == 0:
        index = {"version": VERSION, "processes": comm.size, "axes": axes, "names": names, "parts": parts}
        with replacing(folder / INDEX) as opened:
            opened.write(json.dumps(index, indent=1).encode())
        for old in set(folder.glob("part-*.npz")) - {folder / own["file"] for own in parts}:
            old.unlink()
    comm.gather_objects(None)  # whoever goes on finds it whole


def refuse_unequal(arrays: Mapping[str, Any], comm: Communicator) -> None:
    """Refuse leaves that should be equal in all processes and are not.

    Raises:
        MismatchError: in all of them, naming leaves and processes.
    """
    texts = differences(arrays, comm)
    if texts:
        raise MismatchError(
            f"distributed.save: leaves differ from those of process 0{at_user_line()}: {texts}. Name those of which "
            "each process has a piece, as of the state of shard_optimizer, axes={name: 0}; make the others equal by "
            "distributed.broadcast"
        )


def shared_out(sizes: Mapping[str, int], count: int) -> dict[str, int]:
    """Who writes what: the largest first, to whoever has the least."""
    bytes_of = [0] * count
    writers = {}
    for name in sorted(sizes, key=lambda name: (-sizes[name], name)):
        writers[name] = bytes_of.index(min(bytes_of))
        bytes_of[writers[name]] += sizes[name]
    return writers


def checksum(path: Path) -> str:
    """The SHA-256 of a file."""
    found = sha256()
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            found.update(block)
    return found.hexdigest()


def load(folder: str | PathLike[str], template: Any = None, comm: Communicator | None = None) -> Any:
    """Read what :func:`save` wrote, with any number of processes.

    Args:
        folder: the folder.
        template: a tree of the structure and dtypes that it has to have; None for dictionaries by the parts of names.
        comm: who takes part; all processes if None.

    Returns:
        the tree, the same in all processes. Of leaves that were in pieces each process gets the piece that it wrote, or
        one of as many equal pieces as there are processes now, where that is another number.

    Raises:
        FileNotFoundError: if there is no checkpoint, or a part is missing.
        ValueError: if a part is damaged, naming it; or if names or shapes are not those of the template.
        TypeError: if a dtype is not that of the template.
    """
    comm, folder = world() if comm is None else comm, Path(folder)
    index = index_of(folder)
    pieces: dict[str, list[Any]] = {}
    for part in index["parts"]:
        for name, array in arrays_of(folder / part["file"], part).items():
            pieces.setdefault(name, []).append(array)
    arrays = {name: own_piece(name, pieces[name], index, comm) for name in index["names"]}
    if template is None:
        return nested(arrays)
    leaves, structure = flatten(template)
    names = saved_names(template)
    if set(names) != set(arrays):
        differing = ", ".join(sorted(set(names) ^ set(arrays))[:5])
        raise ValueError(f"the checkpoint {folder.name} and the template differ in {differing}{at_user_line()}")
    for name, leaf in zip(names, leaves, strict=True):
        check_like(name, arrays[name], leaf, name in index["axes"])
    return structure.unflatten([like(arrays[name], leaf) for name, leaf in zip(names, leaves, strict=True)])


def index_of(folder: Path) -> Any:
    """What the index of a checkpoint says."""
    if not (folder / INDEX).exists():
        raise FileNotFoundError(f"there is no checkpoint in {folder}{at_user_line()}: it has no {INDEX}")
    try:
        index = json.loads((folder / INDEX).read_bytes())
        version = index["version"]
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{folder / INDEX} is damaged{at_user_line()}: {error}") from None
    if version != VERSION:
        raise ValueError(f"{folder / INDEX} has version {version!r}{at_user_line()}; {VERSION} can be read")
    return index


def arrays_of(path: Path, part: Mapping[str, Any]) -> dict[str, Any]:
    """The arrays of a part, once its checksum is right."""
    if not path.exists():
        raise FileNotFoundError(f"the checkpoint has no {path.name}{at_user_line()}: that part is missing")
    if checksum(path) != part["sha256"]:
        raise ValueError(f"{path.name} is damaged{at_user_line()}: its checksum is not that of the index")
    with format_of(path).open(path) as reader:
        return {name: reader.read(name, lambda shape, dtype: None) for name in part["leaves"]}


def own_piece(name: str, pieces: list[Any], index: Mapping[str, Any], comm: Communicator) -> Any:
    """What this process has of a leaf."""
    axis = index["axes"].get(name)
    if axis is None:
        return pieces[0]
    if len(pieces) == comm.size:
        return pieces[comm.rank]
    whole = np.moveaxis(np.concatenate(pieces, axis), axis, 0)
    first, last = bounds(len(whole), comm.size)[comm.rank]
    return np.ascontiguousarray(np.moveaxis(whole[first:last], 0, axis))


def check_like(name: str, array: Any, leaf: Any, cut: bool) -> None:
    """Refuse an array that is not like a leaf of the template."""
    own = spec_of(as_leaf(leaf))
    if array.dtype != own.dtype:
        raise TypeError(f"{name} is {array.dtype} in the checkpoint and {own.dtype} in the template{at_user_line()}")
    if array.shape != own.shape and not cut:
        raise ValueError(
            f"{name} has shape {array.shape} in the checkpoint and {own.shape} in the template{at_user_line()}"
        )
