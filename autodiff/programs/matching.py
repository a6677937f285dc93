"""``case np.ndarray():`` and ``case float(v):``, which a traced value matches as the array or number would.

Python asks for the class itself and calls nothing of ours. So the pattern becomes one that gives the value a name, and
the case gets a condition: ``case __autodiff_matched_0 if isinstance(__autodiff_matched_0, np.ndarray):``.
"""

from __future__ import annotations

import ast

ANY, INSTANCE = "__autodiff_any__", "__autodiff_instance__"
MATCHED = "__autodiff_matched_{}"
NUMBERS = frozenset(("float", "complex"))
"""Python's classes that a traced value can be of; one positional pattern inside of them is for the value itself."""


class Classes:
    """The classes that the patterns of one case ask for.

    Args:
        names: names that may stand for a class of NumPy's, or for one of its parents.

    Attributes:
        conditions: what is true if the values are of these classes.
    """

    def __init__(self, names: frozenset[str]) -> None:
        self.names = names
        self.conditions: list[ast.expr] = []

    def without(self, pattern: ast.pattern | None) -> ast.pattern | None:
        """The pattern without them."""
        if isinstance(pattern, ast.MatchOr) and self.are_one_of(pattern.patterns):
            return self.named(None, ast.Tuple([part.cls for part in pattern.patterns], ast.Load()))  # type: ignore[attr-defined]
        if isinstance(pattern, ast.MatchAs):
            pattern.pattern = self.without(pattern.pattern)
        elif isinstance(pattern, (ast.MatchSequence, ast.MatchMapping)):
            pattern.patterns = self.all_without(pattern.patterns)
        elif isinstance(pattern, ast.MatchClass):
            return self.without_class(pattern)
        return pattern

    def all_without(self, patterns: list[ast.pattern]) -> list[ast.pattern]:
        """Several patterns without them."""
        return [self.without(part) for part in patterns]  # type: ignore[misc]

    def without_class(self, pattern: ast.MatchClass) -> ast.pattern:
        """A pattern of a class, if a traced value may be of it, as a condition; the patterns inside remain."""
        pattern.patterns = self.all_without(pattern.patterns)
        pattern.kwd_patterns = self.all_without(pattern.kwd_patterns)
        if not self.may_be_traced(pattern.cls):
            return pattern
        if not pattern.patterns:
            inside = ast.MatchClass(ast.Name(ANY, ast.Load()), [], pattern.kwd_attrs, pattern.kwd_patterns)
            return self.named(inside if pattern.kwd_attrs else None, pattern.cls)
        of_number = isinstance(pattern.cls, ast.Name) and pattern.cls.id in NUMBERS and len(pattern.patterns) == 1
        return self.named(pattern.patterns[0], pattern.cls) if of_number and not pattern.kwd_attrs else pattern

    def named(self, pattern: ast.pattern | None, classes: ast.expr) -> ast.pattern:
        """The pattern for a value of some classes."""
        name = MATCHED.format(len(self.conditions))
        asked = ast.Name(INSTANCE, ast.Load())
        self.conditions.append(ast.Call(asked, [ast.Name(name, ast.Load()), classes], []))
        return ast.MatchAs(pattern, name)

    def are_one_of(self, patterns: list[ast.pattern]) -> bool:
        """Whether alternatives are nothing but classes, and a traced value may be of one of them."""
        only = [
            part.cls
            for part in patterns
            if isinstance(part, ast.MatchClass) and not part.patterns and not part.kwd_attrs
        ]
        return len(only) == len(patterns) and any(map(self.may_be_traced, only))

    def may_be_traced(self, cls: ast.expr) -> bool:
        """Whether a class is a number's, or comes from what was imported."""
        root = cls
        while isinstance(root, ast.Attribute):
            root = root.value
        return isinstance(root, ast.Name) and root.id in self.names | NUMBERS
