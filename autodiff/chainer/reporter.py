"""Reporters collect what a program observes."""

from __future__ import annotations

import contextlib
import copy
import threading
from collections.abc import Iterator
from typing import Any

from autodiff.chainer.summary import DictSummary, Summary
from autodiff.facade.settings.configuration import config
from autodiff.facade.variables.variable import Variable
from autodiff.trace.source import at_user_line

__all__ = ["DictSummary", "Reporter", "Summary", "get_current_reporter", "report", "report_scope"]


class _Thread(threading.local):
    def __init__(self) -> None:
        self.reporters: list[Reporter] = []


_thread = _Thread()


class Reporter:
    """A dict of observed values, which :func:`report` fills while the reporter is entered.

    Attributes:
        observation: the values by name.

    >>> reporter, model = Reporter(), object()
    >>> reporter.add_observer("main", model)
    >>> with reporter:
    ...     report({"loss": 0.5}, model)
    >>> reporter.observation
    {'main/loss': 0.5}
    """

    def __init__(self) -> None:
        self._observer_names: dict[int, str] = {}
        self.observation: dict[str, Any] = {}

    def __enter__(self) -> Reporter:
        _thread.reporters.append(self)
        return self

    def __exit__(self, *_: object) -> None:
        _thread.reporters.pop()

    @contextlib.contextmanager
    def scope(self, observation: dict[str, Any]) -> Iterator[None]:
        """A context in which it is the current reporter and fills another dict."""
        with self:
            before, self.observation = self.observation, observation
            try:
                yield
            finally:
                self.observation = before

    def add_observer(self, name: str, observer: Any) -> None:
        """Give a name to an object that reports.

        Args:
            name: what its values begin with.
            observer: the object, which must stay alive: it is known by its identity.
        """
        self._observer_names[id(observer)] = name

    def add_observers(self, prefix: str, observers: Any) -> None:
        """Give names to several objects.

        Args:
            prefix: what their names begin with.
            observers: pairs of a name and an object, as ``link.namedlinks()`` gives.
        """
        for name, observer in observers:
            self.add_observer(prefix + name, observer)

    def report(self, values: dict[str, Any], observer: Any = None) -> None:
        """Record values.

        Args:
            values: the values by name.
            observer: the object that reports, whose name comes before theirs.

        Variables are cut off from their graph, unless ``config.keep_graph_on_report``.

        Raises:
            KeyError: if the observer has no name here.
        """
        if not config.keep_graph_on_report:
            values = {name: off_graph(value) for name, value in values.items()}
        prefix = "" if observer is None else self.name_of(observer) + "/"
        self.observation.update({prefix + name: value for name, value in values.items()})

    def name_of(self, observer: Any) -> str:
        """The name of an object that reports."""
        if id(observer) not in self._observer_names:
            raise KeyError(
                f"the reporter has no name for this {type(observer).__name__}{at_user_line()}; "
                "call reporter.add_observer(name, observer)"
            )
        return self._observer_names[id(observer)]


def off_graph(value: Any) -> Any:
    """The value; of a Variable, one with the same array and gradient and without a graph."""
    if not isinstance(value, Variable):
        return value
    copied = copy.copy(value)
    copied.unchain()
    return copied


def get_current_reporter() -> Reporter:
    """The reporter that this thread has entered last.

    Raises:
        IndexError: if there is none.
    """
    if not _thread.reporters:
        raise IndexError(f"no reporter is entered in this thread{at_user_line()}; use: with Reporter() as reporter")
    return _thread.reporters[-1]


def report(values: dict[str, Any], observer: Any = None) -> None:
    """Record values in the current reporter; nothing happens if there is none.

    Args:
        values: the values by name.
        observer: the object that reports, usually the link itself: ``report({"loss": loss}, self)``.

    Raises:
        KeyError: if the current reporter does not know the observer.
    """
    if _thread.reporters:
        _thread.reporters[-1].report(values, observer)


@contextlib.contextmanager
def unreported() -> Iterator[None]:
    """A context in which this thread has no reporter."""
    before, _thread.reporters = _thread.reporters, []
    try:
        yield
    finally:
        _thread.reporters = before


def report_scope(observation: dict[str, Any]) -> contextlib.AbstractContextManager[None]:
    """A context in which the current reporter fills another dict.

    Args:
        observation: the dict.

    Raises:
        IndexError: if there is no current reporter.

    >>> observation = {}
    >>> with Reporter(), report_scope(observation):
    ...     report({"loss": 0.5})
    >>> observation
    {'loss': 0.5}
    """
    return get_current_reporter().scope(observation)
