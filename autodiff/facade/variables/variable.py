"""The Variable: an array that remembers how it was computed."""

from __future__ import annotations

import sys
import weakref
from collections.abc import Iterator
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from autodiff.facade.graph import drawing
from autodiff.facade.graph.node import VariableNode, new_node
from autodiff.facade.graph.unchain import unchain_backward
from autodiff.facade.settings.mode import taken_out
from autodiff.facade.variables import text
from autodiff.facade.variables.array_methods import ArrayMethods
from autodiff.facade.variables.gradient import check_gradient
from autodiff.trace.errors import ConcretizationError, LeakedTracerError
from autodiff.trace.failures.concretization import remedy_by_library
from autodiff.trace.recording import new_level
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import spec_of
from autodiff.trace.traced import Traced
from autodiff.trace.tracer import Tracer
from autodiff.trace.values.arrays import module_of

COLLECTED = "take v.array where that is wanted, and np.stack or np.concatenate to collect Variables"


class Variable(ArrayMethods, Traced):
    """An array that remembers how it was computed, so that ``backward()`` can compute derivatives.

    The array is held by reference, never copied. Operators, NumPy's functions and the methods below return new
    Variables.

    Args:
        data: a NumPy or CuPy array; None for a Variable that gets its array later.
        name: a name for messages and pictures.
        grad: an initial gradient.
        requires_grad: whether ``backward()`` computes a gradient for it.

    Raises:
        TypeError: if the data are not an array.

    >>> from autodiff import Variable
    >>> x = Variable(np.array([1.0, 2.0]))
    >>> y = x**2 + 1
    >>> y
    variable([2., 5.])
    >>> y.grad = np.ones(2)
    >>> y.backward()
    >>> x.grad
    array([2., 4.])
    """

    __slots__ = ("__dict__", "__weakref__", "_array", "_node")
    __hash__ = None  # type: ignore[assignment]
    __array_priority__ = 200
    _grad: Any = None
    _grad_var: Variable | None = None
    _loss_scale: float | None = None
    _initial_device: Any = None

    def __init__(
        self,
        data: Any = None,
        *,
        name: str | None = None,
        grad: Any = None,
        requires_grad: bool = True,
        **removed: Any,
    ) -> None:
        if removed:
            refuse_keywords(type(self).__name__, removed)
        if type(requires_grad) is not bool:
            raise TypeError(
                f"requires_grad must be True or False, got {requires_grad!r}{at_user_line()}; bool() makes one of it"
            )
        if data is not None and not is_array(data):
            raise TypeError(no_array(data))
        node: VariableNode = new_node(VariableNode, self)
        node.fill_as_root(UNINITIALISED if data is None else spec_of(data), new_level(), requires_grad)
        self._array = data
        self._node = node
        if name is not None:
            node.name = name
        if grad is not None:
            self._grad = grad

    @classmethod
    def _init_unchecked(
        cls,
        data: Any = None,
        device: Any = None,
        name: str | None = None,
        grad: Any = None,
        grad_valid: bool = True,
        requires_grad: bool = True,
    ) -> Variable:
        """A Variable as libraries make it that know its device; ``device`` and ``grad_valid`` are not needed."""
        return cls(data, name=name, grad=grad, requires_grad=requires_grad)

    def seen_from(self, level: int) -> Any:
        """What a Variable that was made inside of a trace holds, and itself where it was made before."""
        return self._array if self.level > level else self

    # What it holds.

    @property
    def array(self) -> Any:
        """The array itself; a new one may be assigned."""
        data = self._array
        return data if type(data) is np.ndarray else taken_out(data)

    @array.setter
    def array(self, array: Any) -> None:
        if isinstance(array, Tracer) and array.level > self.level:
            raise LeakedTracerError(
                f"a value traced by {array.recording.purpose} was assigned to a Variable made before it began"
                f"{at_user_line()}; make the Variable inside of the function that is traced"
            )
        for variable in self.sharing():
            node = variable._node
            node.spec = array.spec if isinstance(array, Tracer) else spec_of_array(array)
            variable._array = array
            if node.data is not None:
                node.data = array

    data = array

    def sharing(self) -> list[Variable]:
        """The Variables that hold the same data cell: this one and its shallow copies."""
        shared = self.__dict__.get("_shared")
        return (
            [self]
            if shared is None
            else [found for found in (reference() for reference in shared) if found is not None]
        )

    node = property(attrgetter("_node"), doc="The place in the graph.")
    level = property(attrgetter("_node.level"))
    spec = property(attrgetter("_node.spec"))
    rank = property(attrgetter("_node.order"), doc="The length of the longest way from a root.")
    requires_grad = property(attrgetter("_node._requires_grad"), doc="Whether backward() computes a gradient.")
    shape = property(attrgetter("_node.spec.shape"), doc="The lengths of the axes.")
    dtype = property(attrgetter("_node.spec.dtype"), doc="The dtype of the array.")
    ndim = property(attrgetter("_node.spec.ndim"), doc="How many axes there are.")
    size = property(attrgetter("_node.spec.size"), doc="How many elements there are.")

    @property
    def xp(self) -> Any:
        """The module of the array: numpy or cupy."""
        data = self._array
        if data is None:
            return np if self._initial_device is None else self._initial_device.xp
        return np if type(data) is np.ndarray else module_of(data)

    @property
    def name(self) -> str | None:
        """What the Variable is called in texts; kept by the node."""
        return self._node.name

    @name.setter
    def name(self, name: str | None) -> None:
        self._node.name = name

    @property
    def label(self) -> str:
        """Shape and dtype as text."""
        if self._array is None:
            raise TypeError(f"a Variable without an array has no label{at_user_line()}; assign to .array first")
        return self._node.label

    # The gradient.

    @property
    def grad(self) -> Any:
        """The gradient as an array; None before ``backward()``."""
        return taken_out(self._grad)

    @grad.setter
    def grad(self, grad: Any) -> None:
        if grad is not None:
            check_gradient(grad, self)
        self._grad, self._grad_var = grad, None

    @property
    def grad_var(self) -> Variable | None:
        """The gradient as a Variable, with a graph after ``backward(enable_double_backprop=True)``."""
        if self._grad_var is None and self._grad is not None:
            self._grad_var = Variable(self._grad)
        return self._grad_var

    @grad_var.setter
    def grad_var(self, grad: Variable | None) -> None:
        if grad is not None:
            if not isinstance(grad, Variable):
                raise AttributeError(
                    f"grad_var must be a Variable, got {type(grad).__name__}{at_user_line()}; assign an array to .grad"
                )
            check_gradient(grad._array, self)
        self._grad, self._grad_var = None if grad is None else grad._array, grad

    # The graph.

    @property
    def creator_node(self) -> Any:
        """The operation that made it, None for a root. None may be assigned, and the same object again."""
        return self._node.creator_node

    @creator_node.setter
    def creator_node(self, function: Any) -> None:
        self._node.creator_node = function

    @property
    def creator(self) -> Any:
        """The same; for functions of the old style the function, not its node."""
        return self._node.creator

    @creator.setter
    def creator(self, function: Any) -> None:
        self._node.creator_node = function

    def set_creator_node(self, fnode: Any) -> None:
        """Make a FunctionNode the creator."""
        self._node.creator_node = fnode

    def set_creator(self, gen_func: Any) -> None:
        """Make a function, of the old style or the new, the creator."""
        self._node.creator_node = gen_func

    def retain_data(self) -> None:
        """Keep the array for as long as the node lives."""
        self._node.retain_data()

    def unchain(self) -> None:
        """Forget the operation that made it."""
        self._node.unchain()

    def unchain_backward(self) -> None:
        """Cut the whole graph behind it, so that what is referred to from nowhere else is freed at once.

        This is how truncated backpropagation through time forgets the past.
        """
        unchain_backward(self._node)

    # Python's protocols.

    if TYPE_CHECKING:  # methods.py, operators.py and placement.py install these

        def backward(
            self, retain_grad: bool = False, enable_double_backprop: bool = False, loss_scale: float | None = None
        ) -> None: ...
        def reshape(self, *shape: Any) -> Variable: ...
        def transpose(self, *axes: Any) -> Variable: ...
        def item(self) -> Any: ...
        def cleargrad(self) -> None: ...
        def zerograd(self) -> None: ...
        def addgrad(self, var: Variable) -> None: ...
        def copydata(self, var: Variable) -> None: ...
        def __getitem__(self, key: Any) -> Variable: ...
        def __iter__(self) -> Iterator[Variable]: ...  # by __getitem__: programs ask hasattr(x, "__iter__") for lists
        def __add__(self, other: Any) -> Variable: ...
        def __radd__(self, other: Any) -> Variable: ...
        def __sub__(self, other: Any) -> Variable: ...
        def __rsub__(self, other: Any) -> Variable: ...
        def __mul__(self, other: Any) -> Variable: ...
        def __rmul__(self, other: Any) -> Variable: ...
        def __truediv__(self, other: Any) -> Variable: ...
        def __rtruediv__(self, other: Any) -> Variable: ...
        def __floordiv__(self, other: Any) -> Variable: ...
        def __rfloordiv__(self, other: Any) -> Variable: ...
        def __pow__(self, other: Any) -> Variable: ...
        def __rpow__(self, other: Any) -> Variable: ...
        def __matmul__(self, other: Any) -> Variable: ...
        def __rmatmul__(self, other: Any) -> Variable: ...
        def __neg__(self) -> Variable: ...
        def __abs__(self) -> Variable: ...

        T: Variable

        def to_device(self, device: Any) -> None: ...
        def to_cpu(self) -> None: ...
        def to_gpu(self, device: int | None = None) -> None: ...
        def to_intel64(self) -> None: ...
        def to_chx(self) -> NoReturn: ...
        def from_chx(self) -> None: ...
        def as_layout(self, layout: Any) -> Variable: ...

        device: Any
        chx_array: Any
        raw_array: Any
        layout: None

    def __len__(self) -> int:
        if self._array is None:
            raise TypeError(f"len() of a Variable without an array{at_user_line()}; assign to .array first")
        if not self.shape:
            raise TypeError(f"len() of a Variable without axes{at_user_line()}; it is one number: v.item()")
        return int(self.shape[0])

    def __pos__(self) -> Variable:
        return self

    def __repr__(self) -> str:
        return text.representation(self, ", ", shape=True)

    def __str__(self) -> str:
        return text.representation(self, " ", shape=False)

    def _repr_svg_(self) -> str | None:
        """The graph that made it, which notebooks show; None where nothing did, or it is too large."""
        return drawing.variable_svg(self)

    def summary(self) -> str:
        """``<variable NAME>``, or its address where it has none."""
        return text.summary(self)

    def debug_print(self) -> str:
        """Seven lines that say what it holds."""
        return text.report(self)

    def __bool__(self) -> bool:
        raise TypeError(f"a Variable has no truth value{at_user_line()}; test its array: if (v.array > 0).all()")

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NoReturn:
        library = remedy_by_library()
        raise ConcretizationError(
            f"a Variable would become a plain NumPy array{at_user_line()} and its derivative would be lost silently"
            + (f". {library}Take v.array where no derivative is wanted." if library else f"; {COLLECTED}")
        )


def is_array(value: Any) -> bool:
    """Whether it is an array that a Variable can hold: of NumPy, of CuPy, or traced."""
    if isinstance(value, (np.ndarray, Tracer)):
        return True
    cupy = sys.modules.get("cupy")
    return cupy is not None and isinstance(value, cupy.ndarray)


def spec_of_array(array: Any) -> Any:
    """The spec of what is assigned to a Variable."""
    if array is None:
        return UNINITIALISED
    if not is_array(array):
        raise AttributeError(no_array(array))
    return spec_of(array)


def no_array(value: Any) -> str:
    """What to say of a value that a Variable cannot hold."""
    remedy = "take its .array" if isinstance(value, Variable) else "wrap a number or a list with np.asarray"
    return f"a Variable holds an array, got {type(value).__name__}{at_user_line()}; {remedy}"


def refuse_keywords(name: str, removed: dict[str, Any]) -> NoReturn:
    """Say what became of keywords that the constructor does not take."""
    if "volatile" in removed:
        raise ValueError(
            f"{name}(volatile=...) is gone{at_user_line()}; use no_backprop_mode(), or "
            "using_config('enable_backprop', False), or run the program with python -m autodiff.chainer --compat v1"
        )
    raise TypeError(
        f"{name} got an unexpected keyword argument {next(iter(removed))!r}{at_user_line()}; it takes data, name, grad "
        "and requires_grad"
    )


class Uninitialised:
    """The spec of a Variable that has no array yet: whatever is asked of it is an error."""

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):
            raise AttributeError(name)
        remedy = "assign to .array, or call initialize(shape) of a Parameter"
        raise AttributeError(f"the Variable has no array yet, hence no {name}{at_user_line()}; {remedy}")

    def __repr__(self) -> str:
        return "not initialised"


UNINITIALISED = Uninitialised()


def revive(node: VariableNode) -> Variable:
    """A new Variable for a node whose Variable is gone."""
    variable: Variable = object.__new__(Variable)
    variable._array = node.data
    variable._node = node
    node._again = weakref.ref(variable)
    return variable


VariableNode.revive = staticmethod(revive)
