"""What a trainer calls besides the updates: the base class, and a decorator for functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from autodiff.trace.source import at_user_line

if TYPE_CHECKING:
    from autodiff.chainer.training.trainer import Trainer

PRIORITY_WRITER = 300
"""For extensions that write to ``trainer.observation``: they come first."""
PRIORITY_EDITOR = 200
"""For extensions that change what others wrote."""
PRIORITY_READER = 100
"""For extensions that only read."""

Function = TypeVar("Function", bound=Callable[..., Any])


class Extension:
    """Something that a :class:`~autodiff.chainer.training.Trainer` calls whenever its trigger fires.

    Attributes:
        trigger: when to call it, unless ``Trainer.extend`` says otherwise: see ``get_trigger``.
        priority: extensions of higher priority are called earlier in an iteration.
        name: its name in the trainer, set by ``Trainer.extend``.

    >>> class Hello(Extension):
    ...     def __call__(self, trainer):
    ...         print("iteration", trainer.updater.iteration)
    >>> Hello().default_name
    'Hello'
    """

    trigger: Any = (1, "iteration")
    priority: int = PRIORITY_READER
    name: str | None = None

    @property
    def default_name(self) -> str:
        """The name that it gets where nobody gives one: that of its class."""
        return type(self).__name__

    def __call__(self, trainer: Trainer) -> Any:
        """Do the work; the current values are in ``trainer.observation``."""
        raise NotImplementedError(f"the extension {type(self).__name__} must define __call__(self, trainer)")

    def initialize(self, trainer: Trainer) -> None:
        """Called once before the training loop, also after a snapshot was loaded."""

    def on_error(self, trainer: Trainer, exc: Exception, tb: Any) -> None:
        """Called when the training loop raised, before :meth:`finalize`."""

    def finalize(self) -> None:
        """Called once after the training loop, also when it raised."""

    def serialize(self, serializer: Any) -> None:
        """Save or restore the state that a snapshot shall keep."""


def make_extension(
    trigger: Any = None,
    default_name: str | None = None,
    priority: int | None = None,
    finalizer: Callable[[], Any] | None = None,
    initializer: Callable[[Any], Any] | None = None,
    on_error: Callable[[Any, Exception, Any], Any] | None = None,
    **removed: Any,
) -> Callable[[Function], Function]:
    """A decorator that gives a function the attributes of an extension.

    Args:
        trigger: when to call it; every iteration by default.
        default_name: its name; that of the function by default.
        priority: extensions of higher priority are called earlier.
        finalizer: called after the training loop.
        initializer: called with the trainer before the training loop.
        on_error: called with the trainer, the exception and its traceback when the loop raised.
        removed: keywords of old versions, which raise.

    >>> @make_extension(trigger=(1, "epoch"))
    ... def announce(trainer):
    ...     print("epoch", trainer.updater.epoch)
    >>> announce.trigger, announce.default_name
    ((1, 'epoch'), 'announce')
    """
    refuse_removed("make_extension", removed)

    def decorate(function: Function) -> Function:
        attributes = {
            "trigger": Extension.trigger if trigger is None else trigger,
            "default_name": function.__name__ if default_name is None else default_name,
            "priority": Extension.priority if priority is None else priority,
            "finalize": finalizer,
            "on_error": on_error,
            "initialize": initializer,
        }
        for name, value in attributes.items():
            setattr(function, name, value)
        return function

    return decorate


def refuse_removed(function: str, keywords: dict[str, Any]) -> None:
    """Say what became of keywords of old versions.

    Raises:
        ValueError: if ``invoke_before_training`` is among them.
        TypeError: if there are any others.
    """
    if "invoke_before_training" in keywords:
        raise ValueError(
            f"{function}(invoke_before_training=...) has been removed since Chainer v2.0.0{at_user_line()}; "
            "use initializer=, or define initialize(trainer)"
        )
    if keywords:
        raise TypeError(f"{function}() got an unexpected keyword argument {next(iter(keywords))!r}{at_user_line()}")
