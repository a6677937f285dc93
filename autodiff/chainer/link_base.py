"""The Link: parameters with a function that uses them."""

from __future__ import annotations

import copy
from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import Any, ClassVar, Self

from autodiff.chainer.backend import copyto
from autodiff.chainer.device_resident import DeviceResidentsVisitor
from autodiff.chainer.link_hook import LinkHook, active, call_with_hooks
from autodiff.chainer.registering import Registering, check_initialised, shape_and_dtype, warn
from autodiff.facade.variables.parameter import Parameter
from autodiff.facade.variables.variable import is_array
from autodiff.trace.source import at_user_line

UNKNOWN = {"": LinkHook()}
"""Stands for the hooks of a link that may not be initialised, so that calls look twice."""


class Link(Registering):
    """Parameters with a function that uses them: a layer, or a part of one.

    A subclass makes its Parameters within :meth:`init_scope` in its constructor and defines ``forward``, which a call
    of the link runs.

    Args:
        params: names of parameters with their shapes, or with pairs of a shape and a dtype.

    Attributes:
        name: what the link is called in the one that it belongs to; None if it belongs to none.

    >>> import numpy as np
    >>> class Scale(Link):
    ...     def __init__(self, size):
    ...         super().__init__()
    ...         with self.init_scope():
    ...             self.W = Parameter(2.0, (size,))
    ...
    ...     def forward(self, x):
    ...         return x * self.W
    >>> scale = Scale(3)
    >>> scale(np.ones(3, np.float32))
    variable([2., 2., 2.])
    >>> [name for name, _ in scale.namedparams()]
    ['/W']
    """

    name: str | None
    _local_link_hooks: Any = UNKNOWN
    repeat: ClassVar[Callable[..., Any]]

    def __init__(self, **params: Any) -> None:  # what stands behind Link in a class is not initialised, as in Chainer
        self._params = set()
        self._persistent = set()
        self._local_link_hooks = None
        self.name = None
        for name, value in params.items():
            self.add_param(name, *shape_and_dtype(value))

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        behind = cls.__mro__[cls.__mro__.index(Link) + 1 :]
        if cls.__call__ is Link.__call__ and any("__call__" in vars(base) for base in behind):
            cls.__call__ = call_of_mixin  # type: ignore[method-assign]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """``forward(*args, **kwargs)``, with hooks around it."""
        if active or self._local_link_hooks:
            check_initialised(self)
        forward = getattr(self, "forward", None)
        if forward is None:
            raise AttributeError(
                f"{type(self).__name__!r} object has no attribute 'forward'{at_user_line()}; define forward(self, ...)"
            )
        if active or self._local_link_hooks:
            return call_with_hooks(self, forward, args, kwargs)
        return forward(*args, **kwargs)

    # Hooks.

    @property
    def local_link_hooks(self) -> OrderedDict[str, LinkHook]:
        """The hooks of this link by their names."""
        if self._local_link_hooks is UNKNOWN:
            check_initialised(self)
            self._local_link_hooks = None
        if self._local_link_hooks is None:
            return OrderedDict()
        return self._local_link_hooks  # type: ignore[no-any-return]

    def add_hook(self, hook: LinkHook, name: str | None = None) -> Self:
        """Register a hook for the calls of this link.

        Args:
            hook: what is registered.
            name: by what; by the name of the hook if None.

        Returns:
            the link itself.
        """
        if not isinstance(hook, LinkHook):
            raise TypeError(f"add_hook takes a LinkHook, got {type(hook).__name__}{at_user_line()}")
        name = hook.name if name is None else name
        hooks = self.local_link_hooks
        if name in hooks:
            raise KeyError(f"the link has a hook {name!r} already{at_user_line()}; give this one a name=")
        hook.added(self)
        hooks[name] = hook
        self._local_link_hooks = hooks
        return self

    def delete_hook(self, name: str) -> None:
        """Forget a hook.

        Args:
            name: by what it is registered.
        """
        hooks = self.local_link_hooks
        if name not in hooks:
            raise KeyError(f"the link has no hook {name!r}{at_user_line()}; it has {list(hooks)}")
        hooks[name].deleted(self)
        del hooks[name]

    # What belongs to it.

    def params(self, include_uninit: bool = True) -> Iterator[Parameter]:
        """All Parameters, sorted by name, those of the links in it behind.

        Args:
            include_uninit: whether also those without an array.
        """
        attributes = self.__dict__
        for name in sorted(self._params):
            param = attributes[name]
            if param is not None and (include_uninit or param.array is not None):
                yield param

    def namedparams(self, include_uninit: bool = True) -> Iterator[tuple[str, Parameter]]:
        """All Parameters with their paths, such as ``"/l1/W"``.

        Args:
            include_uninit: whether also those without an array.
        """
        attributes = self.__dict__
        for name in sorted(self._params):
            param = attributes[name]
            if param is not None and (include_uninit or param.array is not None):
                yield "/" + name, param

    def links(self, skipself: bool = False) -> Iterator[Link]:
        """This link and all links in it.

        Args:
            skipself: whether to leave out this one.
        """
        if not skipself:
            yield self

    def namedlinks(self, skipself: bool = False) -> Iterator[tuple[str, Link]]:
        """This link and all links in it with their paths; its own is ``"/"``.

        Args:
            skipself: whether to leave out this one.
        """
        if not skipself:
            yield "/", self

    def children(self) -> Iterator[Link]:
        """The links directly in it."""
        yield from ()

    def count_params(self) -> int:
        """How many numbers its Parameters hold; it warns of those without an array."""
        size = 0
        for path, param in self.namedparams():
            if param.array is None:
                warn(f"Parameter {path!r} has not been initialized, so its elements are not counted", UserWarning)
            else:
                size += param.size
        return size

    # Gradients and updates.

    def cleargrads(self) -> None:
        """Forget the gradients of all Parameters."""
        for param in self.params():
            param.cleargrad()

    def zerograds(self) -> None:
        """Make the gradients of all Parameters zeros. Deprecated: use :meth:`cleargrads`."""
        warn("zerograds() is deprecated; use cleargrads()")
        for param in self.params():
            param.zerograd()

    def addgrads(self, link: Link) -> None:
        """Add the gradients of another link of the same structure.

        Args:
            link: the other one.
        """
        for name in sorted(self._params):
            self.__dict__[name].addgrad(counterpart(link, name))

    def copyparams(self, link: Link, copy_persistent: bool = True) -> None:
        """Copy the elements of the Parameters of another link of the same structure.

        Args:
            link: the other one.
            copy_persistent: whether persistent values are copied too.
        """
        own = self.__dict__
        for name in sorted(self._params):
            own[name].copydata(counterpart(link, name))
        for name in sorted(self._persistent) if copy_persistent else ():
            value = counterpart(link, name)
            if is_array(own[name]):
                copyto(own[name], value)
            else:
                own[name] = copy.deepcopy(value)

    @property
    def update_enabled(self) -> bool:
        """Whether an optimizer updates at least one Parameter."""
        return any(param.update_rule is not None and param.update_rule.enabled for param in self.params())

    def enable_update(self) -> None:
        """Let optimizers update all Parameters."""
        self._set_update(True)

    def disable_update(self) -> None:
        """Keep optimizers from updating any Parameter."""
        self._set_update(False)

    def _set_update(self, enabled: bool) -> None:
        for param in self.params():
            if param.update_rule is not None:
                param.update_rule.enabled = enabled

    # Copies, devices, files, text.

    def copy(self, mode: str = "share") -> Self:
        """A copy of the link and of all links in it.

        Args:
            mode: ``"share"`` for new Parameters with the same arrays and without gradients, ``"copy"`` for copied
                arrays and gradients, ``"init"`` for arrays that the initializers fill anew.
        """
        if mode == "share":
            return self._shared()
        if mode not in ("copy", "init"):
            raise ValueError(f"the mode of a copy is 'share', 'copy' or 'init', got {mode!r}{at_user_line()}")
        copied = copy.deepcopy(self)
        if mode == "init":
            copied._draw()
        return copied

    def _draw(self) -> None:
        """Fill all Parameters anew, which takes as many random numbers as in Chainer."""
        for param in self.params(include_uninit=False):
            param._first_grad = "nan"
            param.initialize(param.shape)

    def _shared(self) -> Self:
        copied = copy.copy(self)
        attributes = copied.__dict__
        attributes.update(name=None, _params=set(self._params), _persistent=set(self._persistent))
        if self._local_link_hooks:
            attributes["_local_link_hooks"] = OrderedDict(self._local_link_hooks)
        for name in self._params:
            attributes[name] = param = copy.copy(attributes[name])
            if param is not None:
                param.grad = None
        return copied

    @classmethod
    def from_params(cls, *args: Any, **kwargs: Any) -> Self:
        """A link made of arrays of parameters, where its class says how."""
        raise NotImplementedError(f"{cls.__name__} cannot be made of parameters: it has no from_params()")

    def device_resident_accept(self, visitor: DeviceResidentsVisitor) -> None:
        super().device_resident_accept(visitor)
        attributes = self.__dict__
        for name in self._params:
            if attributes[name] is not None:
                visitor.visit_variable(attributes[name])
        for name in self._persistent:
            if is_array(attributes[name]):
                attributes[name] = visitor.visit_array(attributes[name])

    def serialize(self, serializer: Any) -> None:
        """Save or load Parameters and persistent values.

        Args:
            serializer: it is called with a name and what is to be saved, and returns what was loaded.
        """
        attributes = self.__dict__
        for name in sorted(self._params):
            param = attributes[name]
            if param is not None:
                serialize_param(serializer, name, param)
        for name in sorted(self._persistent):
            attributes[name] = serializer(name, attributes[name])

    @property
    def printable_specs(self) -> Iterator[tuple[str, Any]]:
        """Names and values that the text of the link shows."""
        yield from ()

    def __str__(self) -> str:
        specs = ", ".join(f"{name}={value}" for name, value in self.printable_specs)
        return f"{type(self).__name__}({specs})"


def call_of_mixin(self: Any, *args: Any, **kwargs: Any) -> Any:
    """A call of a link whose class inherits ``__call__`` from a class behind Link."""
    call = super(Link, self).__call__
    if active or self._local_link_hooks:
        return call_with_hooks(self, call, args, kwargs)
    return call(*args, **kwargs)


def serialize_param(serializer: Any, name: str, param: Parameter) -> None:
    """Save or load a Parameter; where it has no array it gets the shape of what was loaded."""
    loaded = serializer(name, param.array)
    if param.array is None and loaded is not None:
        param.initialize(loaded.shape)
        copyto(param.array, loaded)


def counterpart(link: Link, name: str) -> Any:
    """What another link has of that name."""
    try:
        return link.__dict__[name]
    except KeyError:
        raise KeyError(f"{type(link).__name__} has no {name!r}{at_user_line()}; both links must be alike") from None
