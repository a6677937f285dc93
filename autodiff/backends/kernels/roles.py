"""What the arguments of a kernel's launch are."""

from __future__ import annotations

Role = tuple[str, int]
"""``("operand", k)``, ``("result", k)``, ``("work", k)``, ``STATUS`` or ``HOOK``."""

STATUS: Role = "status", 0
"""Where the kernel notes the number of an error: zero before and after."""

HOOK: Role = "hook", 0
"""The address of what it calls for operations without a form in kernels."""

NAMES = {"operand": "in", "result": "out", "work": "work"}


def name_of(role: Role) -> str:
    """What an argument is called in the function around the kernel."""
    kind, number = role
    return f"{NAMES[kind]}{number}" if kind in NAMES else kind
