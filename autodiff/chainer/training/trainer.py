"""The training loop: update, then call the extensions whose triggers fire, until the stop trigger fires."""

from __future__ import annotations

import os
import sys
import time
import traceback
from collections.abc import Callable, Iterable
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from typing import Any

from autodiff.chainer.reporter import Reporter
from autodiff.chainer.serializer import Serializer
from autodiff.chainer.training.extension import PRIORITY_READER, Extension, refuse_removed
from autodiff.chainer.training.triggers.argument import get_trigger
from autodiff.trace.source import at_user_line

FINALIZING = "Will finalize trainer extensions and updater before reraising the exception.\n"


@dataclass
class _ExtensionEntry:
    """An extension as a trainer keeps it."""

    extension: Any
    trigger: Callable[[Any], bool]
    priority: int
    call_before_training: bool


class Trainer:
    """Repeats the updates of an updater, and calls extensions in between.

    An iteration is one update, followed by the extensions in order of priority. What links report meanwhile is in
    :attr:`observation`.

    Args:
        updater: makes one update of the parameters: see ``StandardUpdater``.
        stop_trigger: when to stop, as ``(20, "epoch")``; never if None.
        out: the folder that extensions write to; it is created.
        extensions: a list of extensions to begin with.

    Raises:
        RuntimeError: if an optimizer was not set up.

    Attributes:
        observation: the values that were reported in this iteration, by name.
        reporter: the reporter that collects them.

    >>> import os, tempfile
    >>> import numpy as np
    >>> from autodiff.chainer import Link
    >>> from autodiff.chainer.iterators import SerialIterator
    >>> from autodiff.chainer.optimizers import SGD
    >>> from autodiff.chainer.training import StandardUpdater, extensions
    >>> from autodiff import Parameter
    >>> class Line(Link):
    ...     def __init__(self):
    ...         super().__init__()
    ...         with self.init_scope():
    ...             self.w = Parameter(np.zeros(1, np.float32))
    ...
    ...     def forward(self, x, t):
    ...         return ((self.w * x - t) ** 2).mean()
    >>> line = Line()
    >>> data = [(np.float32(x), np.float32(2 * x)) for x in range(4)]
    >>> updater = StandardUpdater(SerialIterator(data, 2), SGD(0.1).setup(line))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     trainer = Trainer(updater, (10, "epoch"), out=folder)
    ...     trainer.extend(extensions.LogReport())
    ...     trainer.run()
    ...     os.listdir(folder)
    ['log']
    >>> line.w.array.round(2)
    array([2.], dtype=float32)
    """

    def __init__(
        self, updater: Any, stop_trigger: Any = None, out: str = "result", extensions: Iterable[Any] | None = None
    ) -> None:
        self.updater = updater
        self.stop_trigger = get_trigger(stop_trigger)
        self.observation: dict[str, Any] = {}
        self.out = out
        self.reporter = Reporter()
        for name, optimizer in updater.get_all_optimizers().items():
            if optimizer.target is None:
                raise RuntimeError(
                    f"the optimizer {name!r} has no model{at_user_line()}; call optimizer.setup(model) first"
                )
            self.reporter.add_observer(name, optimizer.target)
            self.reporter.add_observers(name, optimizer.target.namedlinks(skipself=True))
        updater.connect_trainer(self)

        self._extensions: dict[str, _ExtensionEntry] = {}
        self._done = False
        self._start_at: float | None = None
        self._snapshot_elapsed_time = 0.0
        self._final_elapsed_time = 0.0
        for extension in extensions or ():
            self.extend(extension)

    @property
    def elapsed_time(self) -> float:
        """The seconds that training took so far, those before a loaded snapshot included.

        Raises:
            RuntimeError: before :meth:`run`.
        """
        if self._done:
            return self._final_elapsed_time
        if self._start_at is None:
            raise RuntimeError(f"training has not been started yet{at_user_line()}; elapsed_time counts from run()")
        return time.perf_counter() - self._start_at + self._snapshot_elapsed_time

    @property
    def is_before_training(self) -> bool:
        """Whether there was no update yet."""
        return bool(self.updater.iteration == 0)

    def extend(
        self,
        extension: Any,
        name: str | None = None,
        trigger: Any = None,
        priority: int | None = None,
        *,
        call_before_training: bool = False,
        **removed: Any,
    ) -> None:
        """Add an extension: an ``Extension``, or any function of the trainer.

        Args:
            extension: what is called with this trainer.
            name: its name; ``extension.name``, ``extension.default_name`` or its ``__name__`` by default. A name
                that is taken gets a number: ``validation_1``.
            trigger: when to call it; ``extension.trigger`` by default, or every iteration.
            priority: extensions of higher priority come earlier; ``extension.priority`` by default.
            call_before_training: whether to call it once before the first update as well; not when training is resumed.
            removed: keywords of old versions, which raise.

        Raises:
            ValueError: if the name is ``training``, or a keyword is of an old version.
            TypeError: if there is no name to be found.
        """
        refuse_removed("Trainer.extend", removed)
        name = self._free_name(name or name_of(extension))
        if trigger is None:
            trigger = getattr(extension, "trigger", (1, "iteration"))
        if priority is None:
            priority = getattr(extension, "priority", PRIORITY_READER)
        with suppress(AttributeError):  # methods and built-in functions have no attributes of their own
            extension.name = name
        self._extensions[name] = _ExtensionEntry(extension, get_trigger(trigger), priority, call_before_training)

    def _free_name(self, name: str) -> str:
        if name == "training":
            raise ValueError(
                f'the name "training" is prohibited as an extension name{at_user_line()}; give name= another one'
            )
        free, count = name, 0
        while free in self._extensions:
            count += 1
            free = f"{name}_{count}"
        return free

    def get_extension(self, name: str) -> Any:
        """The extension of that name.

        Raises:
            ValueError: if there is none.
        """
        if name not in self._extensions:
            present = ", ".join(self._extensions) or "none"
            raise ValueError(f"extension {name} not found{at_user_line()}; the trainer has: {present}")
        return self._extensions[name].extension

    def run(self, show_loop_exception_msg: bool = True) -> None:
        """Train until the stop trigger fires. A trainer runs once.

        When the loop raises, the extensions' ``on_error`` are called, then everything is finalized, and the
        exception goes on. What comes before the loop is not covered: ``initialize``, and the calls before training.

        Args:
            show_loop_exception_msg: whether to print an exception to standard error before anything is finalized.

        Raises:
            RuntimeError: if training was done already.
        """
        if self._done:
            raise RuntimeError(f"cannot run training loop multiple times{at_user_line()}; make a new Trainer to go on")
        os.makedirs(self.out, exist_ok=True)
        entries = sorted(self._extensions.values(), key=lambda entry: entry.priority, reverse=True)
        self._start_at = time.perf_counter()
        for initialize in methods([entry for entry in entries if not is_finished(entry)], "initialize"):
            initialize(self)
        if self.is_before_training:
            self._call_before_training(entries)

        with ExitStack() as finalizers:
            finalizers.callback(self.updater.finalize)
            for finalize in reversed(methods(entries, "finalize")):
                finalizers.callback(finalize)
            try:
                self._loop(entries)
            except Exception as error:
                if show_loop_exception_msg:
                    show_exception("Exception in main training loop", error)
                    sys.stderr.write(FINALIZING)
                self._tell(entries, error)
                raise
        self._final_elapsed_time = self.elapsed_time
        self._done = True

    def _call_before_training(self, entries: list[_ExtensionEntry]) -> None:
        self.observation = {}
        with self.reporter.scope(self.observation):
            for entry in entries:
                if entry.call_before_training:
                    entry.extension(self)

    def _loop(self, entries: list[_ExtensionEntry]) -> None:
        while not self.stop_trigger(self):
            self.observation = {}
            with self.reporter.scope(self.observation):
                self.updater.update()
                for entry in entries:
                    if entry.trigger(self):
                        entry.extension(self)

    def _tell(self, entries: list[_ExtensionEntry], error: Exception) -> None:
        """Call every on_error; what they raise is printed, so that all of them are called."""
        for on_error in methods(entries, "on_error"):
            try:
                on_error(self, error, error.__traceback__)
            except Exception as another:
                show_exception("Exception in error handler", another)

    def serialize(self, serializer: Any) -> None:
        """Save or restore the updater, the triggers, the extensions and the elapsed time."""
        self.updater.serialize(serializer["updater"])
        if hasattr(self.stop_trigger, "serialize"):
            self.stop_trigger.serialize(serializer["stop_trigger"])
        extensions, triggers = serializer["extensions"], serializer["extension_triggers"]
        for name, entry in self._extensions.items():
            if has_state(entry.extension):
                entry.extension.serialize(extensions[name])
            if hasattr(entry.trigger, "serialize"):
                entry.trigger.serialize(triggers[name])
        if isinstance(serializer, Serializer):
            serializer("_snapshot_elapsed_time", self.elapsed_time)
        else:
            self._snapshot_elapsed_time = float(serializer("_snapshot_elapsed_time", 0.0))


def name_of(extension: Any) -> str:
    """What an extension is called where nobody says.

    Raises:
        TypeError: if it has no name.
    """
    for attribute in ("name", "default_name", "__name__"):
        name = getattr(extension, attribute, None)
        if name:
            return str(name)
    raise TypeError(f"name is not given for the extension {extension!r}{at_user_line()}; pass name= to extend()")


def has_state(extension: Any) -> bool:
    """Whether an extension has anything to serialize: a part without values need not be in a snapshot."""
    inherited = getattr(type(extension), "serialize", None) is Extension.serialize
    return hasattr(extension, "serialize") and not inherited


def is_finished(entry: _ExtensionEntry) -> bool:
    """Whether the trigger of an extension never fires again, as after a snapshot of a training that it had fired in."""
    return bool(getattr(entry.trigger, "finished", False))


def methods(entries: list[_ExtensionEntry], name: str) -> list[Callable[..., Any]]:
    """The methods of that name of all extensions that have one."""
    return [method for entry in entries if (method := getattr(entry.extension, name, None)) is not None]


def show_exception(title: str, error: Exception) -> None:
    """Print an exception to standard error."""
    sys.stderr.write(f"{title}: {error}\nTraceback (most recent call last):\n")
    traceback.print_tb(error.__traceback__, file=sys.stderr)
