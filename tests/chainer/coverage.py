"""Which of Chainer's public names and attributes are there, and whose signatures differ.

``python -m tests.chainer.coverage`` writes ``docs/chainer-coverage.md`` from what was recorded of Chainer, and from the
reasons in ``left_out.py``.
"""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from tests.chainer.left_out import SET_IN_A_LOOP, reason, reason_of_attribute
from tests.chainer.names import (
    CLASSES,
    FUNCTIONS,
    MODULES,
    Name,
    attributes,
    has_own_gradient,
    missing_attributes,
    names,
)
from tests.chainer.signatures import UNKNOWN, agree, own_signature, parameters, shown

PAGE = Path(__file__).parents[2] / "docs" / "chainer-coverage.md"
KINDS = ("implemented", "differs", "refused", "left out", "missing")


@cache
def status(name: Name) -> str:
    """implemented, differs (in its signature or attributes), refused (raises NotImplementedError), left out, missing."""
    if not name.there:
        return "missing" if reason(name) is None else "left out"
    if refuses(name.object):
        return "refused"
    return "differs" if any(differences(name)) else "implemented"


def refuses(found: Any) -> bool:
    """Whether all that a function does, or a class when it is made, is to raise NotImplementedError."""
    function = found.__dict__.get("__init__") if inspect.isclass(found) else found
    if not inspect.isfunction(function):
        return False
    tree = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    body = [
        line
        for line in getattr(tree, "body", [])
        if not (isinstance(line, ast.Expr) and isinstance(line.value, ast.Constant))
    ]
    error = body[0].exc if body and isinstance(body[0], ast.Raise) else None
    return isinstance(error, ast.Call) and getattr(error.func, "id", "") == "NotImplementedError"


def differences(name: Name) -> Iterator[str]:
    """What differs from Chainer: the arguments of a function, of a class, of its methods; and missing attributes."""
    found, place = name.object, name.place
    short = place.rpartition(".")[2]
    signature = FUNCTIONS.get(place) or CLASSES.get(place, {}).get("signature", "")
    own = own_signature(found)
    if own is not None and signature not in UNKNOWN and not agree(parameters(signature), own):
        yield f"`{short}{signature}` is `{shown(own)}`"
    if place in CLASSES:
        for path in lacking(short, place, found):
            yield f"`{path}` is missing"
        for method, signature in CLASSES[place]["attributes"].items():
            if signature and not has_own_gradient(place):  # whose methods nobody calls by keywords
                yield from differences_of_method(f"{short}.{method}", signature, getattr(found, method, None))


def lacking(short: str, place: str, found: Any) -> list[str]:
    """The attributes of a class that are not there."""
    paths = (f"{short}.{name}" for name in missing_attributes(place, found))
    return [path for path in paths if not re.fullmatch(SET_IN_A_LOOP, path)]


def differences_of_method(name: str, signature: str, found: Any) -> Iterator[str]:
    """What differs in the arguments of a method that is there."""
    if found is None:
        return
    if not callable(found):
        yield f"`{name}` is no method"
        return
    own, expected = own_signature(found), parameters(signature)
    bound = not inspect.isfunction(found) or expected[:1] not in ([("self", None)], [("x", None)])
    start = 0 if bound else 1  # the name of the first argument of a method does not matter
    if own is not None and signature not in UNKNOWN and not agree(expected[start:], own[start:]):
        yield f"`{name}{signature}` is `{shown(own)}`"


def page() -> str:
    """The page of the documentation."""
    found = [(name, status(name)) for name in names()]
    packages = list(dict.fromkeys(package_of(name) for name, _ in found))
    lines = [
        "# What there is of Chainer 7.8.1",
        "",
        "Written by `python -m tests.chainer.coverage` from all names in all of Chainer's modules and the attributes of all",
        "of its classes, which `tests/chainer/recorded/record_names.py` has recorded. A name that can be imported from several",
        "modules counts in each. Behaviour that differs is in [chainer-differences.md](chainer-differences.md).",
        "",
        f"Of {len(CLASSES)} classes {sum(len(attributes(place)) for place in CLASSES)} public attributes were recorded.",
        "",
        "| modules | names | implemented | signature or attributes differ | raises NotImplementedError | left out | missing |",
        "|---|---|---|---|---|---|---|",
        row("all", (kind for _, kind in found)),
        *(row(f"`{each}`", (kind for name, kind in found if package_of(name) == each)) for each in packages),
    ]
    lines += ["", "## Raise NotImplementedError", "", *listed(name for name, kind in found if kind == "refused")]
    lines += ["", "## Missing", "", *listed(name for name, kind in found if kind == "missing")]
    lines += ["", "## Left out", "", *reasons(name for name, kind in found if kind == "left out")]
    lines += ["", "## Signatures and attributes that differ", ""]
    lines += differing({name.place: name for name, kind in found if kind == "differs"}.values())
    return "\n".join(lines) + "\n"


def package_of(name: Name) -> str:
    """The module of a name, or the package that its module is in."""
    parts = name.module.split(".")
    return name.module if len(parts) < 3 or name.module in packages_of_modules() else ".".join(parts[:-1])


@cache
def packages_of_modules() -> set[str]:
    """The modules that hold modules."""
    return {module.rpartition(".")[0] for module in MODULES}


def differing(found: Iterable[Name]) -> list[str]:
    """What differs, and the attributes that are left out, by reason."""
    by_reason: dict[str | None, list[str]] = {}
    for name in found:
        for text in differences(name):
            path = text.split("`")[1]
            why = reason_of_attribute(path, has_own_gradient(name.place)) if text.endswith("missing") else None
            by_reason.setdefault(why, []).append(text)
    lines = [f"- {text}" for text in by_reason.pop(None, [])]
    return lines + [
        f"- missing, since {why}: {', '.join(text.removesuffix(' is missing') for text in texts)}"
        for why, texts in by_reason.items()
    ]


def row(title: str, kinds: Iterable[str]) -> str:
    """A row of the table."""
    counts = Counter(kinds)
    return f"| {title} | {' | '.join(map(str, [counts.total(), *(counts[kind] for kind in KINDS)]))} |"


def listed(found: Iterable[Name]) -> list[str]:
    """The names as a list."""
    return [f"- `{name.path}`" for name in found] or ["None."]


def reasons(found: Iterable[Name]) -> list[str]:
    """The names that are left out, by reason."""
    by_reason: dict[str, list[str]] = {}
    for name in found:
        by_reason.setdefault(str(reason(name)), []).append(f"`{name.path}`")
    return [f"- {why}: {', '.join(paths)}" for why, paths in by_reason.items()]


if __name__ == "__main__":
    PAGE.write_text(page())
