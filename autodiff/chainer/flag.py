"""The flags of Chainer 1: ON, OFF, and AUTO, which gives way to either.

Programs that run under ``python -m autodiff.chainer --compat v1`` find them as ``chainer.ON`` and so on.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar, NoReturn

from autodiff.facade.settings.volatility import together

SPELLINGS: dict[Any, str] = {
    "on": "ON", "ON": "ON", True: "ON",
    "off": "OFF", "OFF": "OFF", False: "OFF",
    "auto": "AUTO", "AUTO": "AUTO", None: "AUTO",
}  # fmt: skip


class Flag:
    """One of the three flags, for any of its spellings.

    Args:
        name: ``"on"``, ``"ON"`` or True; ``"off"``, ``"OFF"`` or False; ``"auto"``, ``"AUTO"`` or None; or a flag.

    Raises:
        KeyError: for anything else.

    >>> Flag("on") is ON, Flag(None), ON == "on"
    (True, AUTO, True)
    """

    _known: ClassVar[dict[str, Flag]] = {}
    name: str

    def __new__(cls, name: Any = None) -> Flag:
        if isinstance(name, Flag):
            return name
        name = SPELLINGS[name]
        if name not in cls._known:
            cls._known[name] = object.__new__(cls)
            cls._known[name].name = name
        return cls._known[name]

    @property
    def value(self) -> bool | None:
        """True, False or None."""
        return {"ON": True, "OFF": False, "AUTO": None}[self.name]

    def __eq__(self, other: object) -> bool:
        return self is Flag(other)

    def __ne__(self, other: object) -> bool:
        return self is not Flag(other)

    def __hash__(self) -> int:
        return hash(self.name)

    def __bool__(self) -> bool:
        if self.value is None:
            raise ValueError("the flag AUTO is neither true nor false; compare it: flag == 'auto'")
        return self.value

    def _no_order(self, other: object) -> NoReturn:
        raise RuntimeError("there is no order between flags; compare them with == or !=")

    __lt__ = __le__ = __gt__ = __ge__ = _no_order

    def __repr__(self) -> str:
        return self.name

    def __reduce__(self) -> tuple[type[Flag], tuple[str]]:
        return Flag, (self.name,)


ON = Flag("on")
OFF = Flag("off")
AUTO = Flag("auto")


def aggregate_flags(flags: Iterable[Any]) -> Flag:
    """ON if one of the flags is ON, OFF if one is OFF, AUTO if all are.

    Args:
        flags: flags in any spelling.

    Raises:
        ValueError: if one is ON and another OFF.

    >>> aggregate_flags([ON, "auto"])
    ON
    """
    return Flag(together(Flag(flag).value for flag in flags))
