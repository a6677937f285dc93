"""Serializers: visitors that carry the state of an object to storage, or from storage into the object."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from autodiff.trace.source import at_user_line


class AbstractSerializer:
    """What every serializer does. An object offers ``serialize(serializer)``, one method for saving and loading.

    >>> class Counter:
    ...     count = 3
    ...
    ...     def serialize(self, serializer):
    ...         self.count = serializer("count", self.count)
    """

    def __getitem__(self, key: str) -> AbstractSerializer:
        """The serializer of a part of the object.

        Args:
            key: the name of the part, which comes before the names of its values: ``part/value``.
        """
        raise NotImplementedError(f"{type(self).__name__} does not define __getitem__, which serializes a part")

    def __call__(self, key: str, value: Any) -> Any:
        """Save the value, or load one in its place.

        Args:
            key: its name.
            value: an array, a number, a string, or None. When loading, an array is filled in place, None takes
                whatever is stored.

        Returns:
            The value that the object has from now on.
        """
        raise NotImplementedError(f"{type(self).__name__} does not define __call__, which serializes a value")


class Serializer(AbstractSerializer):
    """A serializer that saves."""

    def save(self, obj: Any) -> None:
        """Save an object: anything with a method ``serialize``, or the dict of a ``DictionarySerializer``."""
        if not isinstance(obj, dict):
            obj.serialize(self)
            return
        for key, value in obj.items():
            self(key, value.item() if is_wrapped(value) else value)


def is_wrapped(value: Any) -> bool:
    """Whether it is a text or None in an array without axes."""
    return isinstance(value, np.ndarray) and value.ndim == 0 and value.dtype.kind in "OSU"


class Deserializer(AbstractSerializer):
    """A serializer that loads."""

    def load(self, obj: Any) -> None:
        """Load into an object: anything with a method ``serialize``."""
        obj.serialize(self)


def stored_json(key: str, text: str, kind: type) -> Any:
    """The list or dict that a text in a snapshot holds as JSON.

    Args:
        key: the name of the entry, for error texts.
        text: the text.
        kind: ``list`` or ``dict``.

    Raises:
        ValueError: if it holds something else, or is nested too deep.
    """
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{key} in the snapshot is damaged: {error}{at_user_line()}") from None
    if type(found) is not kind:
        raise ValueError(f"{key} in the snapshot is damaged: it is no {kind.__name__}{at_user_line()}")
    return found
