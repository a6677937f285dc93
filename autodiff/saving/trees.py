"""Trees in files: each leaf under its name, such as ``layers/0/W``."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from autodiff.backends.gpu import is_gpu_array
from autodiff.saving.archive import Check
from autodiff.saving.atomic import replacing
from autodiff.saving.formats import Reader, format_of, path_of
from autodiff.trace.errors import described
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import Spec, spec_of
from autodiff.trace.traced import Traced
from autodiff.trace.trees.tree import flatten
from autodiff.trace.values.arrays import placed
from autodiff.trace.values.foreign import remedy
from autodiff.trace.values.leaves import as_leaf, is_leaf
from autodiff.tree import names as names_of

ALONE = "value"
"""The name of a leaf that is a whole tree."""


def save(path: str | PathLike[str], tree: Any) -> None:
    """Write a tree of arrays and numbers to a file, each leaf under its name: ``layers/0/W``.

    Writing is atomic, and the file contains no pickle. NumPy reads ``.npz`` files, and so does Chainer if the tree is
    that of a link (:func:`autodiff.functional`).

    Args:
        path: the file, which is replaced. Its suffix chooses the format: ``.npz``, or ``.safetensors``, which needs the
            extra of that name.
        tree: the tree. Only leaves are saved, not container classes, static fields or None.

    Raises:
        ValueError: if the file has another suffix, or two leaves have the same name.
        FileNotFoundError: if there is no folder for the file.
        TypeError: if a leaf is not an array or number, is traced, or has a dtype that the format does not support.
        ModuleNotFoundError: if the library of the format is not installed.

    >>> import tempfile
    >>> params = {"layers": [{"W": np.ones((2, 2))}], "scale": 2.0}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(f"{folder}/params.npz", params)
    ...     again = load(f"{folder}/params.npz", params)
    >>> again
    {'layers': [{'W': array([[1., 1.],
           [1., 1.]])}], 'scale': 2.0}
    """
    path = path_of(path, "save")
    own = format_of(path)
    found = dict(zip(saved_names(tree), map(plain, saved_names(tree), flatten(tree)[0]), strict=True))
    with replacing(path) as file:
        own.write(file, found)


def load(path: str | PathLike[str], template: Any = None, *, prefix: str = "", strict: bool = True) -> Any:
    """Read a tree that :func:`save` wrote, or any file of arrays in these formats. No code in the file is run.

    Args:
        path: the file.
        template: a tree with the expected structure, shapes and dtypes, of arrays or of specs, as from
            ``autodiff.eval_shape``. Leaves are loaded to the devices of the template's. None returns nested
            dictionaries, split at the slashes of names.
        prefix: load only leaves whose names start with this, such as ``"updater/model:main/"`` in a snapshot of a
            Chainer trainer.
        strict: whether additional leaves in the file are an error.

    Returns:
        a tree like the template, or dictionaries of arrays.

    Raises:
        FileNotFoundError: if there is no file.
        ValueError: if the file is damaged, a leaf is missing or unexpected, or a shape differs; or, without a template,
            if the arrays need more than 1 GiB and 16 times the size of the file.
        TypeError: if a dtype differs, or the file contains Python objects.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(f"{folder}/params.npz", {"l1": {"b": np.zeros(2)}})
    ...     load(f"{folder}/params.npz")
    {'l1': {'b': array([0., 0.])}}
    """
    path = Path(path)
    with format_of(path).open(path) as reader:
        inside = {name.removeprefix(prefix): name for name in reader.names if name.startswith(prefix)}
        if prefix and not inside:
            raise ValueError(f"no name in {path.name} begins with {prefix!r}{at_user_line()}; {listing(reader.names)}")
        if template is None:
            return nested({name: reader.read(inside[name], None) for name in inside})
        return filled(path.name, reader, inside, template, strict)


def filled(file: str, reader: Reader, inside: dict[str, str], template: Any, strict: bool) -> Any:
    """The template with the leaves that a file has.

    Raises:
        ValueError: naming what is missing, or there is too much.
    """
    leaves, structure = flatten(template)
    wanted = saved_names(template)
    missing = [name for name in wanted if name not in inside]
    if missing:
        raise ValueError(f"{file} has no {listed(missing)}{at_user_line()}; {listing(list(inside))}")
    more = sorted(inside.keys() - set(wanted))
    if more and strict:
        raise ValueError(
            f"{file} has {listed(more)}, which the template has not{at_user_line()}; strict=False leaves them out"
        )
    pairs = zip(wanted, leaves, strict=True)
    return structure.unflatten([like(reader.read(inside[n], fitting(n, leaf)), leaf) for n, leaf in pairs])


def fitting(name: str, leaf: Any) -> Check:
    """What refuses an array that is not like a leaf of the template."""
    own = spec_of(as_leaf(leaf))

    def check(shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
        if shape != own.shape:
            raise ValueError(f"{name} has shape {shape} in the file and {own.shape} in the template{at_user_line()}")
        if dtype.newbyteorder("=") != own.dtype.newbyteorder("="):
            raise TypeError(
                f"{name} is {dtype} in the file and {own.dtype} in the template{at_user_line()}; give a template of "
                "the file's dtypes, and convert what is loaded with tree.map"
            )

    return check


def like(array: Any, leaf: Any) -> Any:
    """A loaded array as a leaf like that of the template: an array beside it, or a number of its class."""
    own = spec_of(as_leaf(leaf))
    array = array.astype(own.dtype, copy=False)
    if own.kind == "python":
        return array.item()
    if own.kind == "scalar":
        return array[()]
    return array if isinstance(leaf, Spec) else placed(array, leaf)


def plain(name: str, leaf: Any) -> np.ndarray[Any, Any]:
    """A leaf as an array on the CPU.

    Raises:
        TypeError: if it is none.
    """
    if isinstance(leaf, Traced) and hasattr(leaf, "array"):
        raise TypeError(f"save: {name} is a {type(leaf).__name__}{at_user_line()}; save its array, x.array")
    if isinstance(leaf, (Traced, Spec)):
        raise TypeError(f"save: {name} is a traced value{at_user_line()}; call save outside of transformations")
    if not is_leaf(leaf):
        raise TypeError(
            f"save: {name} is {described(leaf)}{at_user_line()}, and only arrays and numbers are saved; "
            f"{remedy(leaf) or 'leave it out, by autodiff.tree.partition'}"
        )
    leaf = as_leaf(leaf)
    return leaf.get() if is_gpu_array(leaf) else np.asarray(leaf)


def saved_names(tree: Any) -> list[str]:
    """The names of the leaves, which must differ.

    Raises:
        ValueError: naming those that do not.
    """
    found = [name or ALONE for name in names_of(tree)]
    twice = sorted({name for name in found if found.count(name) > 1}) if len(set(found)) < len(found) else []
    if twice:
        raise ValueError(f"two leaves have the name {listed(twice)}{at_user_line()}; rename a key of the tree")
    return found


def nested(arrays: dict[str, Any]) -> Any:
    """Dictionaries by the parts of names; the array itself where it is alone.

    Raises:
        ValueError: if a name is that of an array and of a dictionary.
    """
    if list(arrays) == [ALONE]:
        return arrays[ALONE]
    found: dict[str, Any] = {}
    for name, array in arrays.items():
        *above, last = name.split("/")
        at: Any = found
        for part in above:
            at = at.setdefault(part, {}) if isinstance(at, dict) else at
        if not isinstance(at, dict) or last in at:
            raise ValueError(
                f"{name} is beside an array whose name is a part of it{at_user_line()}; load the file with a template"
            )
        at[last] = array
    return found


def listed(names: list[str]) -> str:
    """Some names, as a text."""
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")


def listing(names: list[str]) -> str:
    """What there is instead."""
    return f"it has {listed(sorted(names))}" if names else "it has nothing"
