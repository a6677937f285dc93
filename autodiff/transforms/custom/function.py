"""What ``custom_vjp`` and ``custom_jvp`` have in common."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial, update_wrapper
from typing import Any

from autodiff.trace.errors import RuleError, described
from autodiff.trace.source import at_user_line
from autodiff.trace.trees.tree import TreeDef
from autodiff.transforms.custom.arguments import Layout, laid_out, place_of, positional
from autodiff.transforms.custom.call import CustomCall, call_with_rule
from autodiff.transforms.custom.results import result_leaves
from autodiff.transforms.custom.rule import CustomRule
from autodiff.transforms.transformed import DECORATED


class CustomFunction:
    """A function with a derivative rule of its own.

    Attributes:
        fun: the function.
        nondiff_argnums: positions of its static arguments.
        call: the primitive of its calls.
        usage: how its rule is given, for error texts.
    """

    call: CustomCall
    usage: str

    def __new__(cls, fun: Callable[..., Any] = DECORATED, *_: Any, **options: Any) -> Any:
        return partial(cls, **options) if fun is DECORATED else super().__new__(cls)

    def __init__(self, fun: Callable[..., Any] = DECORATED, nondiff_argnums: Sequence[int] = ()) -> None:
        if not callable(fun):
            raise TypeError(f"{type(self).__name__} needs a function, got {described(fun)}")
        update_wrapper(self, fun)
        self.fun = fun
        self.nondiff_argnums = tuple(nondiff_argnums)

    @property
    def ready(self) -> bool:
        """Whether the rule was given."""
        raise NotImplementedError

    @property
    def how_to_give_it(self) -> str:
        """What to write so that there is a rule."""
        name = getattr(self, "__name__", "f")
        if name.isidentifier():
            return f"call {name}.{self.usage}"
        return f"bind it to a name, f = {type(self).__name__}(...), and call f.{self.usage}"

    def rule_for(self, layout: Layout) -> UserRule:
        """The rule for arguments of one layout."""
        raise NotImplementedError

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if not self.ready:
            raise RuleError(
                f"{place_of(self.fun)} is a {type(self).__name__} without a rule{at_user_line()}; "
                f"{self.how_to_give_it} before the function"
            )
        layout, operands = laid_out(self.fun, positional(self.fun, args, kwargs), self.nondiff_argnums)
        rule = self.rule_for(layout)
        outs = call_with_rule(self.call, rule.plain, rule, operands)
        assert rule.results is not None
        return rule.results.unflatten(outs)


class UserRule(CustomRule):
    """The rule of a function for arguments of one layout; rules are equal where both are.

    Attributes:
        results: the structure of the results, once they are known.
    """

    def __init__(self, function: CustomFunction, layout: Layout) -> None:
        self.function: Any = function
        self.layout = layout
        self.results: TreeDef | None = None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, UserRule) and (self.function, self.layout.key) == (other.function, other.layout.key)

    def __hash__(self) -> int:
        return hash((self.function, self.layout.key))

    def __repr__(self) -> str:
        return f"<rule of {self.name}>"

    @property
    def name(self) -> str:
        return place_of(self.function.fun)

    @property
    def count(self) -> int:
        return len(self.layout.operands)

    def plain(self, *values: Any) -> tuple[Any, ...]:
        """The function itself, on leaves."""
        outs, self.results = result_leaves(self.name, self.function.fun(*self.layout.full(values)))
        return outs
