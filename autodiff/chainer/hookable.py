"""The hooks of optimizers and of update rules: functions called before or after each update."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from autodiff.trace.source import at_user_line

TIMINGS = ("pre", "post", "auto")


class Hooks:
    """Hooks by name, those before an update and those after it, in the order in which they were added."""

    def __init__(self) -> None:
        self.by_timing: dict[str, dict[str, Callable[..., Any]]] = {"pre": {}, "post": {}}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take over what was pickled, by Chainer too, which keeps those before and those after in two attributes."""
        found = state.get("by_timing") or {"pre": state["_pre_update_hooks"], "post": state["_post_update_hooks"]}
        self.by_timing = {timing: dict(hooks) for timing, hooks in found.items()}

    @property
    def _pre_update_hooks(self) -> dict[str, Callable[..., Any]]:
        """Those before an update, by the name under which programs look for them."""
        return self.by_timing["pre"]

    @property
    def _post_update_hooks(self) -> dict[str, Callable[..., Any]]:
        """Those after it."""
        return self.by_timing["post"]

    def add(self, hook: Any, name: str | None, timing: str) -> None:
        """Add a hook.

        Raises:
            TypeError: if it is not callable.
            ValueError: for a wrong timing, and if the hook has no name.
            KeyError: if there is one of that name.
        """
        if not callable(hook):
            raise TypeError(f"hook function must be callable, got {type(hook).__name__}{at_user_line()}")
        if timing not in TIMINGS:
            raise ValueError(f"timing must be one of {TIMINGS}, got {timing!r}{at_user_line()}")
        hooks = self.by_timing[resolved(hook) if timing == "auto" else timing]
        name = name_of(hook) if name is None else name
        if any(name in present for present in self.by_timing.values()):
            raise KeyError(f'hook "{name}" already exists{at_user_line()}; give this one a name=')
        hooks[name] = hook

    def remove(self, name: str) -> None:
        """Forget a hook."""
        for hooks in self.by_timing.values():
            if name in hooks:
                del hooks[name]
                return
        known = sorted(name for hooks in self.by_timing.values() for name in hooks)
        raise KeyError(f"no hook {name!r}{at_user_line()}; there are {known}")

    def at(self, timing: str) -> list[Callable[..., Any]]:
        """The hooks to be called now."""
        if timing not in self.by_timing:
            raise ValueError(f"timing must be either 'pre' or 'post', got {timing!r}{at_user_line()}")
        return list(self.by_timing[timing].values())


def resolved(hook: Any) -> str:
    """When a hook wants to be called: as its attribute ``timing`` says, else before."""
    timing = getattr(hook, "timing", "auto")
    if timing not in TIMINGS:
        warnings.warn(f"the timing of a hook must be one of {TIMINGS}, got {timing!r}: taken as 'pre'", stacklevel=4)
    return "post" if timing == "post" else "pre"


def name_of(hook: Any) -> str:
    """The name of a hook, or of a function."""
    name = getattr(hook, "name", None) or getattr(hook, "__name__", None)
    if name is None:
        raise ValueError(f"the name of the hook function is not specified{at_user_line()}; pass name=, or set its name")
    return str(name)
