"""Attributes that are computed when they are first read, without locks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

Owner = TypeVar("Owner")
Value = TypeVar("Value")


class cached_property(Generic[Owner, Value]):
    """An attribute that a method computes when it is first read.

    That of functools holds a lock in Python 3.11, one for all objects of a class: threads that make different objects
    wait for each other, and a process that is forked meanwhile waits for a thread that it does not have. Here two
    threads that read at once may both compute; both get what was computed first.

    >>> class Square:
    ...     @cached_property
    ...     def area(self):
    ...         print("computed")
    ...         return 4.0
    >>> square = Square()
    >>> square.area + square.area
    computed
    8.0
    """

    def __init__(self, compute: Callable[[Owner], Value]) -> None:
        self.compute = compute
        self.name = compute.__name__
        self.__doc__ = compute.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, instance: None, owner: type) -> cached_property[Owner, Value]: ...

    @overload
    def __get__(self, instance: Owner, owner: type) -> Value: ...

    def __get__(self, instance: Owner | None, owner: type) -> Any:
        if instance is None:
            return self
        return instance.__dict__.setdefault(self.name, self.compute(instance))
