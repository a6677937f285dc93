"""Texts of traced numbers."""

from __future__ import annotations

from typing import Any

from autodiff.trace.errors import ConcretizationError
from autodiff.trace.recording import is_recording
from autodiff.trace.source import at_user_line


class NumberText(str):
    """The text of a traced number or array, which does not become a number again while it is traced, nor do its parts.

    What reads text by itself, such as ``eval``, ``json.loads`` and ``np.fromstring``, asks nobody.

    Raises:
        ConcretizationError: by ``float`` and ``int``.
    """

    __slots__ = ()

    def __float__(self) -> float:
        return float(self.as_constant("float"))

    def __int__(self) -> int:
        return int(self.as_constant("int"))

    def as_constant(self, kind: str) -> str:
        """The text, where no derivative is lost."""
        if not is_recording():
            return str(self)
        raise ConcretizationError(
            f"the text {str(self)!r} of a traced number would become {kind}{at_user_line()} and its derivative would "
            "be lost silently. Take the number itself, np.round(x, digits) of it to round. Where no derivative is "
            "wanted, write autodiff.stop_gradient(x)."
        )

    def __getitem__(self, key: Any) -> NumberText:
        return NumberText(super().__getitem__(key))

    def strip(self, chars: str | None = None, /) -> NumberText:
        """Without characters at the ends."""
        return NumberText(super().strip(chars))

    def lstrip(self, chars: str | None = None, /) -> NumberText:
        """Without characters at the beginning."""
        return NumberText(super().lstrip(chars))

    def rstrip(self, chars: str | None = None, /) -> NumberText:
        """Without characters at the end."""
        return NumberText(super().rstrip(chars))

    def replace(self, *how: Any, **named: Any) -> NumberText:
        """With another part in place of one."""
        return NumberText(super().replace(*how, **named))

    def split(self, sep: str | None = None, maxsplit: Any = -1) -> list[Any]:
        """The parts between separators."""
        return [NumberText(part) for part in super().split(sep, maxsplit)]
