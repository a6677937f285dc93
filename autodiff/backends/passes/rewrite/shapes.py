"""Operations that only move elements: what undoes itself, does nothing, or can be done in one step."""

from __future__ import annotations

from math import prod

from autodiff.backends.passes.rewrite.rewriting import Builder, Rules, for_all
from autodiff.ops.elementwise import add, cast
from autodiff.ops.shape import broadcast_to, reshape, transpose
from autodiff.trace.tape import Equation, Literal, Operand

Shape = tuple[int, ...]


def shape_of(builder: Builder, operand: Operand) -> Shape:
    """The shape of an operand."""
    return builder.spec(operand).shape


def nothing(builder: Builder, equation: Equation) -> Operand | None:
    """The operand itself, where the result has its spec: for operations that leave the elements as they are."""
    return equation.operands[0]


def filled(builder: Builder, equation: Equation) -> Operand | None:
    """full(x, y) is y, where that has its shape and dtype already."""
    return equation.operands[1]


def without_leading_ones(shape: Shape) -> Shape:
    """A shape without the axes of length one that it begins with."""
    start = next((k for k, length in enumerate(shape) if length != 1), len(shape))
    return shape[start:]


def reshape_again(builder: Builder, equation: Equation) -> Operand | None:
    """reshape(reshape(x)): one is enough, and none where the shape is the first one again."""
    (x,) = equation.operands
    inner = builder.made(x, "reshape")
    source = inner.operands[0] if inner else x
    if builder.spec(source) == equation.specs[0]:
        return source
    return builder.emit(reshape, source, shape=equation.specs[0].shape) if inner else None


def reshape_repeated(builder: Builder, equation: Equation) -> Operand | None:
    """reshape(broadcast_to(x)) of a single element is that element repeated."""
    inner = builder.made(equation.operands[0], "broadcast_to")
    if inner is None or prod(shape_of(builder, inner.operands[0])) != 1 or not equation.specs[0].shape:
        return None
    return repeated(builder, inner.operands[0], equation.specs[0].shape)


def repeated(builder: Builder, element: Operand, shape: Shape) -> Operand:
    """An array of one element, whatever its shape, repeated to a shape."""
    own = shape_of(builder, element)
    if len(own) > len(shape):
        element = builder.emit(reshape, element, shape=own[: len(shape)])
    return builder.emit(broadcast_to, element, shape=shape)


def broadcast_again(builder: Builder, equation: Equation) -> Operand | None:
    """broadcast_to(x): x where that has the shape; of something broadcast, or with new leading axes, in one step."""
    (x,) = equation.operands
    shape = equation.specs[0].shape
    if builder.spec(x) == equation.specs[0]:
        return x
    inner = builder.made(x, "broadcast_to")
    if inner is not None:
        return builder.emit(broadcast_to, inner.operands[0], shape=shape)
    inner = builder.made(x, "reshape")
    if inner is not None:
        source = inner.operands[0]
        if without_leading_ones(shape_of(builder, x)) == without_leading_ones(shape_of(builder, source)) and len(
            shape_of(builder, source)
        ) <= len(shape):
            return builder.emit(broadcast_to, source, shape=shape)
    return None


def transpose_again(builder: Builder, equation: Equation) -> Operand | None:
    """transpose(x): x where no axis moves, a reshape where only axes of length one do; two of them in one step."""
    (x,) = equation.operands
    own = shape_of(builder, x)
    order = full_order(equation, len(own))
    if order == tuple(range(-len(own), 0)):
        return x
    inner = builder.made(x, "transpose")
    if inner is not None:
        first = full_order(inner, len(own))
        axes = tuple(first[k] for k in order)
        source = inner.operands[0]
        return source if axes == tuple(range(-len(own), 0)) else builder.emit(transpose, source, axes=axes)
    moving = [k for k in order if own[k] != 1]
    if moving == sorted(moving):
        return builder.emit(reshape, x, shape=equation.specs[0].shape)
    inner = builder.made(x, "broadcast_to")
    if inner is not None and prod(shape_of(builder, inner.operands[0])) == 1:
        return repeated(builder, inner.operands[0], equation.specs[0].shape)
    return None


def full_order(equation: Equation, ndim: int) -> tuple[int, ...]:
    """The order of all axes that a transposition gives, as negative numbers."""
    axes: tuple[int, ...] = dict(equation.params)["axes"]
    return (*range(-ndim, -len(axes)), *(k % len(axes) - len(axes) for k in axes)) if axes else tuple(range(-ndim, 0))


def slice_all(builder: Builder, equation: Equation) -> Operand | None:
    """slice_of(x, key) with nothing but whole axes, new ones and ones of length one is a reshape."""
    (x,) = equation.operands
    key = dict(equation.params)["key"]
    own, shape = shape_of(builder, x), equation.specs[0].shape
    if whole(key, own):
        return builder.emit(reshape, x, shape=shape) if shape != own else x
    inner = builder.made(x, "broadcast_to")
    if inner is not None and prod(shape_of(builder, inner.operands[0])) == 1 and shape:
        return repeated(builder, inner.operands[0], shape)
    return None


def place_all(builder: Builder, equation: Equation) -> Operand | None:
    """slice_into(g, key) that leaves no place empty is a reshape."""
    params = dict(equation.params)
    return builder.emit(reshape, equation.operands[0], shape=params["shape"]) if whole(**params) else None


def whole(key: tuple[object, ...], shape: Shape) -> bool:
    """Whether a basic key takes all elements of an array, in their order."""
    parts = [part for part in key if part is not None and part is not Ellipsis]
    return all(
        part in (0, -1) and length == 1
        if isinstance(part, int)
        else isinstance(part, tuple) and part[0] in (None, 0) and part[2] in (None, 1)
        and (part[1] is None or part[1] >= length)
        for part, length in zip(parts, shape[len(shape) - len(parts) :], strict=True)
    )  # fmt: skip


def reduce_single(builder: Builder, equation: Equation) -> Operand | None:
    """An extreme, a product, ``any`` or ``all`` along no axes, or axes of length one, is a reshape."""
    (x,) = equation.operands
    own = builder.spec(x)
    if any(own.shape[k] != 1 for k in dict(equation.params)["axes"]):
        return None
    if own.dtype != equation.specs[0].dtype:
        x = builder.emit(cast, x, dtype=equation.specs[0].dtype)
    return builder.emit(reshape, x, shape=equation.specs[0].shape) if own.shape != equation.specs[0].shape else x


def sum_single(builder: Builder, equation: Equation) -> Operand | None:
    """A sum along axes of length one is a reshape; the sum of -0.0 alone is 0.0."""
    (x,) = equation.operands
    own, out = builder.spec(x), equation.specs[0]
    axes = dict(equation.params)["axes"]
    if any(own.shape[k] != 1 for k in axes) or not out.shape:
        return None
    if own.dtype != out.dtype:
        x = builder.emit(cast, x, dtype=out.dtype)
    if not axes:
        return x
    moved = builder.emit(reshape, x, shape=out.shape)
    return moved if out.dtype.kind in "biu" else builder.emit(add, moved, Literal(0.0))


def concatenate_one(builder: Builder, equation: Equation) -> Operand | None:
    """concatenate([x]) is x."""
    return equation.operands[0] if len(equation.operands) == 1 else None


def concatenate_some(builder: Builder, equation: Equation) -> Operand | None:
    """What has no elements is left out, if something else is there: ``np.pad`` joins ends of no width."""
    params = dict(equation.params)
    own = [builder.spec(x) for x in equation.operands]
    left = [k for k, one in enumerate(own) if one.size]
    if len(left) == len(own) or not left or any(one.dtype != equation.specs[0].dtype for one in own):
        return None
    ends = tuple(params["ends"][k] for k in left)
    return builder.emit(equation.primitive, *(equation.operands[k] for k in left), axis=params["axis"], ends=ends)


def place_nothing(builder: Builder, equation: Equation) -> Operand | None:
    """Zeros around no elements are zeros."""
    own, out = builder.spec(equation.operands[0]), equation.specs[0]
    if own.size or own.kind != "array" or out.dtype.kind not in "biufc":
        return None
    return builder.emit(broadcast_to, Literal(out.dtype.type(0)), shape=out.shape)


SHAPES: Rules = {
    "reshape": (reshape_again, reshape_repeated),
    "broadcast_to": (broadcast_again,),
    "transpose": (transpose_again,),
    "slice_of": (slice_all,),
    "slice_into": (place_all, place_nothing),
    "concatenate": (concatenate_one, concatenate_some),
    "sum": (sum_single,),
    "sum_as": (sum_single,),
    **for_all(("max", "min", "prod", "any", "all"), reduce_single),
    **for_all(("copy", "stop_gradient"), nothing),
    "full": (filled,),
}
