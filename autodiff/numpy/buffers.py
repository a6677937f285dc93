"""Arrays that are plain until a traced value is written to them, as ``out`` is in ``out = np.zeros(n)``.

NumPy's array cannot become a traced one. So what programs make while they are traced, to be filled later, is an object
that holds the array and behaves as it does. A traced value that is written to it makes a traced array of what it holds,
and every view of it follows. See :mod:`autodiff.numpy.namespace` for who makes them.
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

import numpy as np

from autodiff.numpy.dispatch import CREATION, WRITING, as_operand, contains_traced
from autodiff.numpy.items.assignment import point, put_at, where_masked, write_out
from autodiff.numpy.items.flat import compare_elements
from autodiff.numpy.items.indexing import index
from autodiff.numpy.items.picked import split
from autodiff.numpy.traced_arguments import is_variable, method_of_array, newest_of, plain_call
from autodiff.ops.elementwise import cast
from autodiff.ops.operators import BINARY, COMPARISONS, UNARY
from autodiff.trace.primitive import Primitive
from autodiff.trace.recording import is_recording
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import Spec, spec_of
from autodiff.trace.traced import Traced
from autodiff.trace.tracer import Tracer
from autodiff.trace.values.sparse_operands import is_operand_of_sparse, no_array
from autodiff.trace.view import UNKNOWN, View

Function = Callable[..., Any]

WRITERS = frozenset((np.copyto, np.put, np.place, np.putmask, np.fill_diagonal, np.put_along_axis))
"""Functions of NumPy that write to their first argument."""

VIEWS = frozenset((
    "T", "atleast_1d", "atleast_2d", "atleast_3d", "broadcast_to", "diagonal", "expand_dims", "flip", "fliplr",
    "flipud", "imag", "mT", "matrix_transpose", "moveaxis", "permute_dims", "ravel", "real", "reshape", "rollaxis",
    "rot90", "squeeze", "swapaxes", "transpose", "view",
))  # fmt: skip
"""What may show the memory of its argument: Variables do not say whether it does."""

WRITING_METHODS = frozenset(("fill", "put", "sort", "partition"))


class Buffer(Traced):
    """An array that traced values may be written to.

    Attributes:
        held: the plain array, or the traced one that has taken its place.
        parent: of a view the buffer that it shows; None of others.
        function: gives the view from what the parent holds.
        key: the key of a view ``parent[key]``.
        seen: what the parent held when the view was made last.
    """

    __slots__ = ("__weakref__", "function", "held", "key", "parent", "seen")
    __hash__ = None  # type: ignore[assignment]
    __array_priority__ = 300
    level = sys.maxsize
    """It is asked before all recordings, and hands over what it holds."""

    def __init__(self, held: Any, parent: Buffer | None = None, function: Any = None, key: Any = None) -> None:
        self.held = held
        self.parent = parent
        self.function = function
        self.key = key
        self.seen = None if parent is None else parent.now

    @property
    def now(self) -> Any:
        """The array as it is now."""
        if self.parent is not None:
            now = self.parent.now
            if now is not self.seen or is_stale(self.held):
                self.seen, self.held = now, self.function(now)
        return self.held

    array = now

    @property
    def spec(self) -> Spec:
        return spec_of(self.now)

    @property
    def shape(self) -> tuple[int, ...]:
        return self.now.shape  # type: ignore[no-any-return]

    @shape.setter
    def shape(self, shape: Any) -> NoReturn:
        raise AttributeError(
            f"the shape of an array cannot be assigned to while values are traced{at_user_line()}; write "
            f"x = x.reshape{shape}"
        )

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.now.dtype  # type: ignore[no-any-return]

    def seen_from(self, level: int) -> Any:
        now = self.now
        return now.seen_from(level) if isinstance(now, Traced) else now

    def settled(self) -> Any:
        return self.now

    def record(self, primitive: Primitive, operands: Any, params: Any, apply: Function | None = None) -> Any:
        return (apply or primitive)(*map(settled, operands), **params)

    # Writing.

    def root(self) -> Buffer:
        """The buffer whose memory it shows."""
        found = self
        while found.parent is not None:
            found = found.parent
        return found

    def places(self) -> Any:
        """Where its elements are in the flattened root."""
        if self.parent is None:
            return np.arange(self.held.size).reshape(self.held.shape)
        return self.function(self.parent.places())

    def make_room(self, values: Any) -> None:
        """Hold what can take these values: where one of them is traced, by a newer recording, a traced array.

        The plain array is not read again. It is filled with NaN for those who have kept it behind our back.
        """
        newest, root = newest_of(values), self.root()
        if newest is None or (isinstance(root.held, Tracer) and newest.level <= root.held.level):
            return
        plain = root.held
        made = CREATION[np.array](newest, plain)
        # Beside what does not move in forward mode, such as an empty selection, a new array stays plain.
        root.held = newest.recording.lift(made) if isinstance(newest, Tracer) and not isinstance(made, Traced) else made
        if isinstance(plain, np.ndarray) and plain.dtype.kind in "fc" and plain.flags.writeable:
            plain.fill(np.nan)

    def write(self, function: Function, values: Any) -> Any:
        """Let a function write values to the array that it is called with."""
        self.make_room(values)
        return function(self.now)

    def __setitem__(self, key: Any, value: Any) -> None:
        if type(value) is Buffer and value.parent is self and value.key is not None and value.key == basic(key):
            return  # x[key] += v has written through the view already
        key, value = settled(key), settled(value)
        masked = split(key)
        if masked is not None:
            key, value = masked[1], where_masked(self.now[masked[1]], masked[0], value)
        if self.dtype.kind not in "fc" and contains_traced((value,)):
            value = cast(as_operand(value), dtype=self.dtype)
        newest = newest_of((key, value))
        root = self.root()
        if isinstance(newest, Tracer) or isinstance(root.held, Tracer):
            self.make_room((key, value))
            self.write_traced(root, key, value)
        elif newest is None and not isinstance(root.held, Traced):
            self.now[key] = value
        else:  # Variables, which are not written to
            root.held = put_at(root.held, index(self.places(), key), value)

    def write_traced(self, root: Buffer, key: Any, value: Any) -> None:
        """Write where the root is traced by now. That a reshaped array shows it is known from when it was plain."""
        now = self.now
        if type(now) is View and now.sharing == UNKNOWN:
            whole = Tracer(root.held.primal, root.held.recording, root.held.slot)
            point(root.held, put_at(whole, index(self.places(), key), value))
        else:
            now[key] = value

    # Reading.

    def __getitem__(self, key: Any) -> Any:
        key, now = settled(key), self.now
        if type(now) is np.ndarray and contains_traced((key,)):
            return index(now, key)
        return handed_out(now[key], self, operator.itemgetter(key), basic(key), view=True)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(f"'numpy.ndarray' object has no attribute {name!r}")
        found = getattr(self.now, name, getattr(np, name, None))  # Variables have few methods
        if not callable(found) or not hasattr(np.ndarray, name):
            found = getattr(self.now, name)
            return handed_out(found, self, operator.attrgetter(name), view=name in VIEWS)

        def method(*args: Any, **kwargs: Any) -> Any:
            if name in WRITING_METHODS:
                return self.write(lambda now: getattr(now, name)(*settled(args), **settled(kwargs)), args)
            args, kwargs = settled((args, kwargs))

            def call(now: Any) -> Any:
                return method_of_array(name, now, args, kwargs)

            return handed_out(call(self.now), self, call, view=name in VIEWS)

        return method

    def __len__(self) -> int:
        return len(self.now)

    def __iter__(self) -> Iterator[Any]:
        return (self[k] for k in range(len(self)))

    def __contains__(self, value: Any) -> bool:
        return settled(value) in self.now

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        if isinstance(self.now, Traced) and is_operand_of_sparse(self):
            return no_array()
        return np.array(self.now, dtype, copy=copy)

    def __repr__(self) -> str:
        return repr(self.now)

    def __str__(self) -> str:
        return str(self.now)

    def __format__(self, format_spec: str) -> str:
        return format(self.now, format_spec)

    def __reduce__(self) -> Any:
        return np.asarray, (np.asarray(self.now),)

    def __copy__(self) -> Any:
        return self.copy()

    def __deepcopy__(self, memo: Any) -> Any:
        return self.copy()

    def __bool__(self) -> bool:
        return bool(self.now)

    def __float__(self) -> float:
        return float(self.now)

    def __int__(self) -> int:
        return int(self.now)

    def __complex__(self) -> complex:
        return complex(self.now)

    def __index__(self) -> int:
        return operator.index(self.now)

    # What NumPy asks.

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        if method == "at" and isinstance(inputs[0], Buffer):
            rest = settled(inputs[1:])
            return inputs[0].write(lambda now: ufunc.at(now, *rest), rest)
        outs = kwargs.pop("out", None)
        inputs, kwargs = settled((inputs, kwargs))
        inputs = tuple(map(in_one, inputs))
        run = getattr(ufunc, method)
        if outs is None:
            return handed_out(run(*inputs, **kwargs))
        if not contains_traced((*inputs, *settled(outs))):
            run(*inputs, **kwargs, out=settled(outs))
        else:
            mask = kwargs.pop("where", True)
            found = run(*inputs, **kwargs)
            for out, part in zip(outs, found if isinstance(found, tuple) else (found,), strict=True):
                write_to(out, part if mask is True else np.where(mask, part, out))
        return outs[0] if len(outs) == 1 else outs

    def __array_function__(self, function: Function, types: Any, args: Any, kwargs: Any) -> Any:
        return call_function(function, args, kwargs)


def is_stale(value: Any) -> bool:
    """Whether it is a reshaped array that does not know what was written since."""
    return type(value) is View and value.sharing == UNKNOWN and value.base.slot is not value.seen


def call_function(function: Function, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A function of NumPy, some arguments of which are buffers."""
    if function in WRITERS and args and isinstance(args[0], Buffer):
        rest, named = settled((args[1:], kwargs))
        return args[0].write(lambda now: function(now, *rest, **named), (rest, named))
    out = kwargs.get("out")
    if isinstance(out, Buffer):
        found = plain_call(function, settled(args), settled({k: v for k, v in kwargs.items() if k != "out"}))
        write_to(out, found)
        return out
    sources = list(buffers_in((args, kwargs)))

    def call(source: Any, now: Any) -> Any:
        own = replaced(args, source, now)
        return plain_call(function, own, replaced(kwargs, source, now))

    found = call(None, None)
    source = next((one for one in sources if shares_memory(found, one)), sources[0] if sources else None)
    if type(found) is np.ndarray and found.base is not None and not shares_with_any(found, (args, kwargs)):
        return Buffer(found) if found.dtype.kind in "fc" else found
    return handed_out(found, source, lambda now: call(source, now), view=function.__name__ in VIEWS)


def buffers_in(tree: Any) -> Iterator[Buffer]:
    """The buffers in nested lists, tuples and dictionaries."""
    if isinstance(tree, Buffer):
        yield tree
    elif isinstance(tree, (list, tuple)):
        for part in tree:
            yield from buffers_in(part)
    elif isinstance(tree, dict):
        yield from buffers_in(list(tree.values()))


def replaced(tree: Any, source: Any, now: Any) -> Any:
    """Arguments with a value in the place of one buffer, and what they hold in the places of the others."""
    if isinstance(tree, Buffer):
        return now if tree is source else tree.now
    if type(tree) in (list, tuple):
        return type(tree)(replaced(part, source, now) for part in tree)
    if type(tree) is dict:
        return {name: replaced(part, source, now) for name, part in tree.items()}
    return tree


def shares_memory(found: Any, buffer: Buffer) -> bool:
    """Whether an array, or one of several, shows memory of a buffer."""
    if isinstance(found, (list, tuple)):
        return any(shares_memory(part, buffer) for part in found)
    return type(found) is np.ndarray is type(buffer.now) and np.may_share_memory(found, buffer.now)


def shares_with_any(found: Any, tree: Any) -> bool:
    """Whether an array shows memory of one in nested lists, tuples and dictionaries."""
    parts = tree.values() if isinstance(tree, dict) else tree
    return any(
        shares_with_any(found, part)
        if isinstance(part, (list, tuple, dict))
        else type(settled(part)) is np.ndarray and np.may_share_memory(found, settled(part))
        for part in parts
    )


def write_to(out: Any, result: Any) -> Any:
    """Write a result into the array given as ``out=``, as far as its dtype allows."""
    if not isinstance(out, Buffer):
        return write_out(out, result)
    if isinstance(result, Tracer) or isinstance(out.now, Tracer):
        out.write(lambda now: write_out(now, result), (result,))
    else:
        out[...] = result
    return out


WRITING["out"] = write_to


def settled(tree: Any) -> Any:
    """Arguments with what buffers hold in the places of the buffers."""
    return replaced(tree, None, None)


def in_one(operand: Any) -> Any:
    """A list with traced values in it, which NumPy would not ask, as an array of them."""
    return as_operand(operand) if isinstance(operand, (list, tuple)) and contains_traced(operand) else operand


def basic(key: Any) -> Any:
    """A key that is made of numbers and slices, as one that can be compared; None for others."""
    parts = key if isinstance(key, tuple) else (key,)
    if all(isinstance(part, (int, np.integer, slice)) or part is None or part is Ellipsis for part in parts):
        return tuple((part.start, part.stop, part.step) if isinstance(part, slice) else part for part in parts)
    return None


def handed_out(
    result: Any, source: Buffer | None = None, function: Any = None, key: Any = None, view: bool = False
) -> Any:
    """A result as the program gets it: what shares memory with a buffer is a view of it, a new array is a buffer."""
    if type(result) is np.ndarray:
        if source is not None and shares_memory(result, source):
            return source if result is source.now else Buffer(result, source, function, key)
        return Buffer(result) if result.base is None and result.dtype.kind in "fc" else result
    if is_variable(result):  # where NumPy would show memory it is a view, too, so that it can be written to
        shown = view and source is not None and is_variable(source.now) and shows_memory(function, source.places())
        return Buffer(result, source, function, key) if shown else result
    if isinstance(result, (tuple, list)):
        parts = [
            handed_out(part, source, lambda now, k=k: function(now)[k] if function else None)
            for k, part in enumerate(result)
        ]
        return type(result)(*parts) if hasattr(result, "_fields") else type(result)(parts)
    return result


def fresh(value: Any) -> Any:
    """A new array of floats as one that traced values can be written to, while something is traced."""
    is_new = type(value) is np.ndarray and value.base is None and value.dtype.kind in "fc" and is_recording()
    return Buffer(value) if is_new else value


def shows_memory(function: Function, array: Any) -> bool:
    """Whether a function gives an array that shows part of another one."""
    found = function(array)
    return isinstance(found, np.ndarray) and np.may_share_memory(found, array)


def attribute(name: str) -> property:
    """An attribute of arrays that programs assign to, ``z.real = x``."""

    def read(self: Buffer) -> Any:
        return self.__getattr__(name)

    def assign(self: Buffer, value: Any) -> None:
        value = settled(value)
        self.write(lambda now: setattr(now, name, value), (value,))

    return property(read, assign)


class Elements:
    """``flat`` of a plain array that traced values may be written to; all else is as NumPy's.

    Attributes:
        buffer: the array.
        plain: NumPy's iterator.
    """

    def __init__(self, buffer: Buffer, plain: np.flatiter[Any]) -> None:
        self.buffer, self.plain = buffer, plain

    def __setitem__(self, key: Any, value: Any) -> None:
        key, value = settled(key), settled(value)
        self.buffer.write(lambda now: operator.setitem(now.flat, key, value), (key, value))

    def __getitem__(self, key: Any) -> Any:
        return self.buffer.now.flat[settled(key)]

    def __getattr__(self, name: str) -> Any:
        return getattr(self.plain, name)

    def __len__(self) -> int:
        return len(self.plain)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.buffer.now.flat)

    def __next__(self) -> Any:
        return next(self.plain)

    def __array__(self, *args: Any, **options: Any) -> Any:
        return np.asarray(self.buffer.now.flat, *args, **options)


compare_elements(Elements)


def flat_attribute() -> property:
    """``flat``, of what the buffer holds by then."""
    plain = attribute("flat")

    def read(self: Buffer) -> Any:
        found = self.now.flat
        return Elements(self, found) if isinstance(found, np.flatiter) else found

    return property(read, plain.fset)


def install() -> None:
    """Give buffers the attributes that are assigned to, and Python's operators."""
    for name in ("imag", "real"):
        setattr(Buffer, name, attribute(name))
    setattr(Buffer, "flat", flat_attribute())  # noqa: B010 - as the others are
    for name, (primitive, operation) in (BINARY | {"matmul": (None, operator.matmul)} | COMPARISONS).items():

        def forward(self: Buffer, other: Any, operation: Any = operation) -> Any:
            return handed_out(operation(self.now, in_one(settled(other))))

        def reflected(self: Buffer, other: Any, operation: Any = operation) -> Any:
            return handed_out(operation(in_one(settled(other)), self.now))

        ufunc = np.matmul if primitive is None else getattr(np, primitive.name)

        def in_place(self: Buffer, other: Any, ufunc: np.ufunc = ufunc) -> Any:
            return self.__array_ufunc__(ufunc, "__call__", self, other, out=(self,))

        setattr(Buffer, f"__{name}__", forward)
        if name not in COMPARISONS:
            setattr(Buffer, f"__r{name}__", reflected)
            setattr(Buffer, f"__i{name}__", in_place)
    for name, (_, operation) in UNARY.items():
        setattr(Buffer, f"__{name}__", lambda self, operation=operation: handed_out(operation(self.now)))
    setattr(Buffer, "__divmod__", lambda self, other: divmod(self.now, settled(other)))  # noqa: B010 - see above
    setattr(Buffer, "__rdivmod__", lambda self, other: divmod(settled(other), self.now))  # noqa: B010


install()
