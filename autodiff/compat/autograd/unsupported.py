"""Names of autograd's insides, which have no counterpart here: they can be imported, and refuse to be used."""

from __future__ import annotations

from typing import Any, ClassVar


class Unsupported:
    """A class that cannot be used.

    Raises:
        NotImplementedError: always, with what to use.
    """

    instead: ClassVar[str] = ""

    def __init__(self, *_: Any, **__: Any) -> None:
        raise NotImplementedError(f"autograd's {type(self).__name__} is not here; {self.instead}")


class VJPNode(Unsupported):
    """A node of autograd's graph of reverse mode."""

    instead = "autodiff.make_tape shows what a function records"


class JVPNode(Unsupported):
    """A node of autograd's graph of forward mode."""

    instead = "autodiff.make_tape shows what a function records"


class SparseObject(Unsupported):
    """A cotangent that is added in place."""

    instead = "return an array from the rule: indexing has a rule that adds in place by itself"
