"""Reading and writing parts of arrays: slices with their transposes, and gathering with scattering.

Basic indexing is one operation, ``slice_of``, whose key names the last axes. Advanced indexing is brought to one
form: one integer array that picks along one axis.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from types import EllipsisType
from typing import Any

import numpy as np

from autodiff.ops.masked import masked
from autodiff.ops.on_chunks import shapes as in_chunks
from autodiff.ops.on_chunks.itself import itself
from autodiff.ops.on_gpu import indexing
from autodiff.ops.shape import broadcast_to, transpose
from autodiff.trace.facts import ALL_OPERANDS, FIRST, Facts
from autodiff.trace.parameters import FLAG, KEY, LENGTH, SHAPE, check_array, require, same
from autodiff.trace.primitive import Primitive, general, linear
from autodiff.trace.spec import Spec, result_spec, spec, spec_of
from autodiff.trace.values.arrays import module_of, on_gpu, placed, zeros
from autodiff.trace.values.layout import writable

Triple = tuple[int | None, int | None, int | None]
Key = tuple[int | Triple | EllipsisType | None, ...]
"""A basic key as a hashable value: integers, slices as triples, None for a new axis. A last Ellipsis says that the
result is an array even where no axis is left."""


def consumed(key: Key) -> int:
    """How many axes a key takes."""
    return sum(isinstance(part, (int, tuple)) for part in key)


@lru_cache(4096)
def plain_key(key: Key, ndim: int) -> tuple[Any, ...]:
    """The key as NumPy understands it, for an array with leading axes that it does not touch."""
    lead = ndim - consumed(key)
    return (*(slice(None),) * lead, *(slice(*part) if isinstance(part, tuple) else part for part in key))


def check_key(key: Key, ndim: int) -> None:
    """Refuse a key that takes more axes than there are."""
    require(consumed(key) <= ndim, f"a key of {consumed(key)} axes is no key of an operand that has {ndim}")


def _check_slice(x: Spec, *, key: Key) -> None:
    check_array(x)
    check_key(key, x.ndim)


def _check_part(part: Spec, whole: Spec, key: Key) -> None:
    """Refuse what does not fit in the place of whole[key]."""
    check_key(key, whole.ndim)
    same("the shapes of part and place", part.shape, _slice_spec(whole, key=key).shape)


def _slice_spec(x: Spec, *, key: Key) -> Spec:
    shape = np.broadcast_to(np.empty((), bool), x.shape)[plain_key(key, x.ndim)].shape
    return spec(shape, x.dtype) if key and key[-1] is Ellipsis else result_spec(shape, x.dtype)


def _evaluate_slice_of(x: Any, *, key: Key) -> Any:
    whole = x if hasattr(x, "ndim") else np.asarray(x)  # numbers of Python have no items
    return whole[plain_key(key, whole.ndim)]


slice_of: Primitive = linear(
    "slice_of",
    ("x",),
    _evaluate_slice_of,
    _slice_spec,
    {"x": lambda g, x_spec, key: slice_into(g, key=key, shape=x_spec.shape)},
    params={"key": KEY},
    check=_check_slice,
    view=True,
    moves=True,
    on_chunks=itself,
    facts=Facts(copies=FIRST, label="GetItem"),
)
"""x[key]."""


def _evaluate_slice_into(g: Any, *, key: Key, shape: tuple[int, ...]) -> Any:
    out = (np if isinstance(g, np.ndarray) else module_of(g)).zeros(shape, dtype=spec_of(g).dtype)
    out[plain_key(key, len(shape))] = g
    return out


def _batch_slice_into(values: Sequence[Any], batched: Sequence[bool], params: Mapping[str, Any]) -> Any:
    (g,) = values
    return slice_into(g, key=params["key"], shape=(g.shape[0], *params["shape"]))


slice_into: Primitive = linear(
    "slice_into",
    ("g",),
    _evaluate_slice_into,
    lambda g, *, key, shape: spec(shape, g.dtype),
    {"g": lambda g, key: slice_of(g, key=key)},
    params={"key": KEY, "shape": SHAPE},
    check=lambda g, *, key, shape: _check_part(g, spec(shape, g.dtype), key),
    batch=_batch_slice_into,
    moves=True,
    on_chunks=in_chunks.slice_into,
    facts=Facts(exact=True, new=True),
)
"""Zeros of a shape, with ``g`` at the key: the transpose of :data:`slice_of`."""


def _evaluate_slice_set(x: Any, v: Any, *, key: Key) -> Any:
    out = indexing.copied(x) if on_gpu(x) else writable(np.asarray(x))
    out[plain_key(key, out.ndim)] = v
    return out


def _check_slice_set(x: Spec, v: Spec, *, key: Key) -> None:
    _check_part(v, x, key)
    same("the dtypes of part and whole", v.dtype, x.dtype)


slice_set: Primitive = linear(
    "slice_set",
    ("x", "v"),
    _evaluate_slice_set,
    lambda x, v, *, key: x,
    {
        "x": lambda g, v_spec, key: slice_set(g, zeros(spec(v_spec.shape, spec_of(g).dtype), g), key=key),
        "v": lambda g, key: slice_of(g, key=key),
    },
    adds=True,
    params={"key": KEY},
    check=_check_slice_set,
    on_chunks=in_chunks.slice_set,
    facts=Facts(copies=ALL_OPERANDS, new=True),
)
"""``x`` with ``v``, of the shape and dtype of x[key], in the place of x[key]."""


def lead_index(shape: tuple[int, ...], lead: int, rank: int) -> tuple[Any, ...]:
    """Integer arrays that run along the first ``lead`` axes of a shape, beside an index of further ``rank`` axes."""
    return tuple(np.arange(shape[k]).reshape((*(1,) * k, shape[k], *(1,) * (lead - k - 1 + rank))) for k in range(lead))


def _evaluate_gather(x: Any, i: Any, *, rest: int, chosen: bool) -> Any:
    lead = np.ndim(x) - 1 - rest
    if lead == 0:
        return x[i]
    return x[(*lead_index(x.shape, lead, np.ndim(i) - lead), i)]


def _gather_spec(x: Spec, i: Spec, *, rest: int, chosen: bool) -> Spec:
    lead = x.ndim - 1 - rest
    return result_spec((*x.shape[:lead], *i.shape[lead:], *x.shape[lead + 1 :]), x.dtype)


def check_index(i: Spec) -> None:
    """Refuse an index that is not made of integers."""
    require(i.dtype.kind in "iu", f"an index is made of integers, and not of {i.dtype}")


def _check_gather(x: Spec, i: Spec, *, rest: int, chosen: bool) -> None:
    check_index(i)
    lead = x.ndim - 1 - rest
    require(lead >= 0, f"an operand with {x.ndim} axes has no axis before its last {rest}")
    same("the leading lengths of operand and index", x.shape[:lead], i.shape[:lead])


def _gather_rule(g: Any, i: Any, x_spec: Spec, rest: int, chosen: bool) -> Any:
    axis = x_spec.ndim - 1 - rest
    rank = spec_of(i).ndim - axis
    length = x_spec.shape[axis]
    back = scatter_add(g, i, length=length, rest=rest, rank=rank)
    if not chosen:
        return back
    hit = scatter_add(module_of(g, i).ones(spec_of(i).shape, dtype=bool), i, length=length, rest=0, rank=rank)
    return masked(back, np.reshape(hit, (*spec_of(hit).shape, *(1,) * rest)))


def last_to_front(x: Any) -> Any:
    """The last axis moved to the front."""
    ndim = spec_of(x).ndim
    return transpose(x, axes=(-1, *range(-ndim, -1)))


def front_to_last(x: Any) -> Any:
    """The first axis moved to the end."""
    ndim = spec_of(x).ndim
    return transpose(x, axes=(*range(1 - ndim, 0), -ndim))


def _batch_gather(values: Sequence[Any], batched: Sequence[bool], params: Mapping[str, Any]) -> Any:
    x, i = values
    rest, chosen = params["rest"], params["chosen"]
    if not batched[1]:  # the batch is one more axis that comes along
        return last_to_front(gather(front_to_last(x), i, rest=rest + 1, chosen=chosen))
    if not batched[0] and spec_of(x).ndim - 1 - rest > 0:
        x = broadcast_to(x, shape=(i.shape[0], *spec_of(x).shape))
    return gather(x, i, rest=rest, chosen=chosen)


gather: Primitive = linear(
    "gather",
    ("x", "i"),
    _evaluate_gather,
    _gather_spec,
    {"x": _gather_rule},
    params={"rest": LENGTH, "chosen": FLAG},
    check=_check_gather,
    batch=_batch_gather,
    on_gpu=indexing.gather,
    adds="selected",
    on_chunks=in_chunks.gather,
    facts=Facts(copies=FIRST, label="GetItem"),
)
"""Elements of ``x`` picked by the integers ``i`` along one axis.

``x`` has axes (lead, length, rest) and ``i`` has axes (lead, picked); the result has (lead, picked, rest). ``rest``
says how many axes come last. With ``chosen`` the cotangent is masked: what was not picked contributes exactly nothing.
"""


def _evaluate_scatter_add(g: Any, i: Any, *, length: int, rest: int, rank: int) -> Any:
    shape = np.shape(g)
    lead = len(shape) - rest - rank
    out = np.zeros((*shape[:lead], length, *shape[lead + rank :]), np.asarray(g).dtype)
    if lead == 0 and rest and type(g) is np.ndarray and g.size > FEW:
        add_rows(out, np.asarray(i), g)
    else:
        np.add.at(out, (*lead_index(shape, lead, rank), i), g)
    return out


FEW, LONG = 256, 512
"""``np.add.at`` is for few elements; rows that long are added one by one."""


def add_rows(out: Any, i: Any, g: Any) -> None:
    """``out[i] += g`` for rows, as often as a row occurs, in order: some times faster than ``np.add.at``."""
    rows, own = out.reshape(len(out), -1), g.reshape(i.size, -1)
    length = rows.shape[1]
    if length < LONG:
        first = i.reshape(-1, 1).astype(np.intp) * length  # in the index's own dtype, such as uint8, it may overflow
        np.add.at(rows.reshape(-1), (first + np.arange(length)).reshape(-1), own.reshape(-1))
        return
    for place, row in zip(i.reshape(-1).tolist(), own):
        rows[place] += row


def _batch_scatter_add(values: Sequence[Any], batched: Sequence[bool], params: Mapping[str, Any]) -> Any:
    g, i = values
    if not batched[1]:
        return last_to_front(scatter_add(front_to_last(g), i, **{**params, "rest": params["rest"] + 1}))
    if not batched[0]:
        g = broadcast_to(g, shape=(i.shape[0], *spec_of(g).shape))
    lead = spec_of(g).ndim - params["rest"] - params["rank"]
    i = broadcast_to(i, shape=(*spec_of(g).shape[:lead], *i.shape[1:])) if i.ndim < lead + params["rank"] else i
    return scatter_add(g, i, **params)


def _scatter_add_spec(g: Spec, i: Spec, *, length: int, rest: int, rank: int) -> Spec:
    lead = g.ndim - rest - rank
    return spec((*g.shape[:lead], length, *g.shape[lead + rank :]), g.dtype)


def _check_scatter_add(g: Spec, i: Spec, *, length: int, rest: int, rank: int) -> None:
    check_index(i)
    require(rest + rank <= g.ndim, f"an operand with {g.ndim} axes has no {rest} last ones behind {rank}")
    same("the lengths of operand and index", g.shape[: g.ndim - rest], i.shape)


scatter_add: Primitive = linear(
    "scatter_add",
    ("g", "i"),
    _evaluate_scatter_add,
    _scatter_add_spec,
    {"g": lambda g, i, rest: gather(g, i, rest=rest, chosen=False)},
    params={"length": LENGTH, "rest": LENGTH, "rank": LENGTH},
    check=_check_scatter_add,
    batch=_batch_scatter_add,
    on_gpu=indexing.scatter_add,
    adds=True,
    facts=Facts(each=True, new=True),
)
"""Zeros of the given length, to which ``g`` is added at ``i``: the transpose of :data:`gather`."""


def _evaluate_put(x: Any, i: Any, v: Any) -> Any:
    out = np.array(x, copy=True, order="K")
    lead = out.ndim - 1
    out[(*lead_index(out.shape, lead, 1), i)] = v
    return out


def _put_dv(g: Any, i: Any) -> Any:
    return masked(gather(g, i, rest=0, chosen=False), last_writes(placed(i, g), length=spec_of(g).shape[-1]))


def _check_put(x: Spec, i: Spec, v: Spec) -> None:
    check_index(i)
    require(x.ndim > 0, "a number has no places to put something in")
    same("the shapes of index and values", i.shape, v.shape)
    same("the leading lengths of operand and index", x.shape[:-1], i.shape[:-1])
    same("the numbers of axes of operand and index", x.ndim, i.ndim)
    same("the dtypes of operand and values", x.dtype, v.dtype)


put: Primitive = linear(
    "put",
    ("x", "i", "v"),
    _evaluate_put,
    lambda x, i, v: x,
    {
        "x": lambda g, i: masked(g, unwritten(placed(i, g), length=spec_of(g).shape[-1])),
        "v": _put_dv,
    },
    check=_check_put,
    on_gpu=indexing.put,
    adds=True,
    facts=Facts(exact=True, new=True),
)
"""``x`` with ``v`` in the places ``i`` of its last axis; of values for one place the last one stays."""


def _evaluate_last_writes(i: Any, *, length: int) -> Any:
    lead = np.ndim(i) - 1
    count = np.shape(i)[-1]
    winner = np.zeros((*np.shape(i)[:-1], length), np.int64)
    place = (*lead_index(np.shape(i), lead, 1), i)
    winner[place] = np.arange(count)
    return winner[place] == np.arange(count)


def _evaluate_unwritten(i: Any, *, length: int) -> Any:
    module, shape = module_of(i), np.shape(i)
    return put(module.ones((*shape[:-1], length), bool), i, module.zeros(shape, bool))


def _check_writes(i: Spec) -> None:
    check_index(i)
    require(i.ndim > 0, "a single index is no sequence of writes")


unwritten: Primitive = general(
    "unwritten",
    ("i",),
    _evaluate_unwritten,
    lambda i, *, length: spec((*i.shape[:-1], length), bool),
    {},
    params={"length": LENGTH},
    check=lambda i, *, length: _check_writes(i),
)
"""In which places of a length nothing is written, if it is written to the places ``i``."""


last_writes: Primitive = general(
    "last_writes",
    ("i",),
    _evaluate_last_writes,
    lambda i, *, length: spec(i.shape, bool),
    {},
    params={"length": LENGTH},
    check=lambda i, *, length: _check_writes(i),
    on_gpu=indexing.last_writes,
)
"""Which of the writes to the places ``i`` are not overwritten by a later one."""
