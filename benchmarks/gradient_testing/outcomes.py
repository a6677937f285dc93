"""What each gradient check says of each planted fault and of each right function."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from typing import Any
from zlib import crc32

import numpy as np

import autodiff
from autodiff.testing import Domain, GradientMismatch, Undecided, domains, fill, laws
from benchmarks.gradient_testing.faults import FAULTS
from benchmarks.gradient_testing.peers import Check
from benchmarks.gradient_testing.planted import Planted
from benchmarks.gradient_testing.right import RIGHT, Right

DRAWS = 10
"""Peers take the arguments that they are given: so many draws from where the function is defined."""

TABLE = (2, 3)
Outcome = dict[str, Any]


def ours(seed: int, names: Sequence[str], known: Collection[tuple[str, str]] = ()) -> Iterator[Outcome]:
    """What `laws` says with default arguments; the kinds and names that are `known` are left out."""
    for fault in chosen(FAULTS, names):
        if ("fault", fault.name) not in known:
            found = said("fault", fault.name, partial(laws, fault.planted(), seed=seed, **fault.laws_options()))
            yield found | {"seed": seed}
    for right in chosen(RIGHT, names):
        if ("right", right.name) not in known:
            found = said("right", right.name, partial(laws, right.fun, name=right.name, seed=seed, **right.options))
            yield found | {"seed": seed}


def theirs(check: Check, seed: int, names: Sequence[str], real_only: bool = False) -> Iterator[Outcome]:
    """What another library says, given some arguments of each function."""
    for fault in chosen(FAULTS, names):
        if fault.autodiff_only or (real_only and is_complex(fault.given)):
            yield {"kind": "fault", "name": fault.name, "word": "none"}
            continue
        pullback = fault.pullback
        yield said("fault", fault.name, lambda f=fault, p=pullback: several(check, f.value, p, arguments(f, seed)))
    for right in chosen(RIGHT, names):
        if real_only and is_complex(right.options):
            continue

        def pulled(g: Any, *args: Any, fun: Any = right.fun) -> Any:
            return autodiff.vjp(fun, *args)[1](np.asarray(g)[()])

        yield said("right", right.name, lambda r=right, p=pulled: several(check, r.fun, p, arguments(r, seed)))


def chosen(rows: Sequence[Any], names: Sequence[str]) -> Iterator[Any]:
    """The rows of these names; all where none is given."""
    return (row for row in rows if not names or row.name in names)


def is_complex(options: Mapping[str, Any]) -> bool:
    """Whether a function is to be tested with complex numbers."""
    return "complex128" in options.get("dtypes", ())


def several(check: Check, fun: Any, pullback: Any, draws: Sequence[Sequence[Any]]) -> None:
    """Check at each of the draws."""
    for args in draws:
        check(fun, pullback, args)


def said(kind: str, name: str, check: Callable[[], Any]) -> Outcome:
    """How a check ended: "passed", "blamed" with its words, or "undecided"."""
    begin = time.process_time()
    found: Outcome = {"kind": kind, "name": name, "word": "passed", "law": "", "text": ""}
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            check()
    except Undecided as reason:
        found |= {"word": "undecided", "text": str(reason)}
    except GradientMismatch as mismatch:
        found |= {"word": "blamed", "law": mismatch.law, "text": str(mismatch)}
    except (ConnectionError, EOFError):  # a checker in another process has died, and says nothing
        raise
    except Exception as error:  # what a check raises is what it says
        found |= {"word": "blamed", "text": f"{type(error).__name__}: {error}"}
    return found | {"seconds": time.process_time() - begin}


def arguments(row: Planted | Right, seed: int) -> list[list[Any]]:
    """Arguments as an author draws them: ordinary numbers from where the function is defined, in double precision."""
    options: Mapping[str, Any] = row.given if isinstance(row, Planted) else row.options
    domain = options.get("domain", [domains.real] * (row.arity if isinstance(row, Planted) else 1))
    each = [domain] if isinstance(domain, Domain) else list(domain)
    shapes = options.get("shapes", [TABLE if len(each) == 1 else (TABLE,) * len(each)])
    random = np.random.default_rng((crc32(row.name.encode()), seed))
    found = []
    for draw in range(DRAWS):
        shape = shapes[draw % len(shapes)]
        sizes = [shape] if len(each) == 1 else shape
        dtype = "complex128" if is_complex(options) else "float64"
        found.append([fill(size, dtype, one, random) for one, size in zip(each, sizes, strict=True)])
    return found
