"""Einstein sums: products of any number of operands, summed over the labels that the result does not have.

The primitives know one form: every axis has a letter, no operand has a letter twice (diagonals are taken before), and
the result's letters are written out. Derivatives of Einstein sums are Einstein sums again.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from math import prod
from string import ascii_letters
from typing import Any

import numpy as np

from autodiff.ops.on_chunks import products
from autodiff.ops.shape import broadcast_to, reshape
from autodiff.trace.errors import OperandError
from autodiff.trace.facts import Facts
from autodiff.trace.parameters import LENGTH, Domain, each, one_of, require, unless_left_out
from autodiff.trace.primitive import Primitive, linear, multilinear
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import Spec, result_spec, spec_of

MANY = 2**15
"""From so many multiplications on a gradient is contracted pair by pair, by BLAS."""


def split(subscripts: str) -> tuple[list[str], str]:
    """The letters of each operand, and those of the result."""
    inputs, out = subscripts.split("->")
    return inputs.split(","), out


def lengths(terms: Sequence[str], specs: Sequence[Spec]) -> dict[str, int]:
    """How long the axes of each letter are; an axis of length one broadcasts."""
    found: dict[str, int] = {}
    for term, own in zip(terms, specs, strict=True):
        for letter, length in zip(term, own.shape, strict=True):
            known = found.get(letter, 1)
            if length not in (1, known) and known != 1:
                raise ValueError(f"label {letter!r} has the lengths {known} and {length}; they must be equal")
            found[letter] = known if length == 1 else length
    return found


def _einsum_spec(*specs: Spec, subscripts: str, optimize: Any = False) -> Spec:
    terms, out = split(subscripts)
    sizes = lengths(terms, specs)
    return result_spec(tuple(sizes[letter] for letter in out), np.result_type(*(s.dtype for s in specs)))


SUBSCRIPTS = Domain(
    "letters of operands, separated by commas, then -> and the letters of the result",
    lambda value, operands: type(value) is str and re.fullmatch("[A-Za-z]*(,[A-Za-z]*)*->[A-Za-z]*", value) is not None,
)
PATH = each(each(LENGTH, 1))


def _is_path(value: Any, operands: Sequence[Spec]) -> bool:
    """Whether it is what einsum_path finds: a name, then which operands are contracted in each step."""
    return type(value) is tuple and value[:1] == ("einsum_path",) and PATH.holds(value[1:], operands)


SWITCH = one_of(True, False, "greedy", "optimal")
OPTIMIZE = Domain(
    "True, False, 'greedy', 'optimal' or a path of einsum_path",
    lambda value, operands: SWITCH.holds(value, operands) or _is_path(value, operands),
)
PARAMS = {"subscripts": SUBSCRIPTS, "optimize": unless_left_out(OPTIMIZE)}


def _check_einsum(*xs: Spec, subscripts: str, optimize: Any = False) -> None:
    terms, out = split(subscripts)
    require(len(terms) == len(xs), f"{subscripts} speaks of {len(terms)} operands, and there are {len(xs)}")
    require(all(len(term) == x.ndim for term, x in zip(terms, xs)), f"{subscripts} needs a letter for every axis")
    require(len(set(out)) == len(out), f"a letter is twice in the result of {subscripts}")
    require(set(out) <= set("".join(terms)), f"no operand has every letter of the result of {subscripts}")


def contracted(operands: Sequence[Any], terms: Sequence[str], slot: Spec, term: str, sizes: Mapping[str, int]) -> Any:
    """The product of operands as an array with the letters of ``term`` and the shape of ``slot``.

    Letters that no operand has are new axes; those of which the slot has length one are summed.
    """
    wanted = tuple(
        letter for letter, length in zip(term, slot.shape, strict=True) if length == sizes[letter] or length != 1
    )
    found = "".join(letter for letter in wanted if any(letter in other for other in terms))
    work = 1
    for letter in set("".join(terms)):
        work *= sizes[letter]
    product = einsum(*operands, subscripts=f"{','.join(terms)}->{found}", optimize=work > MANY)
    own = lengths(terms, [spec_of(operand) for operand in operands])  # of what broadcasts, shorter
    aligned = tuple(own[letter] if letter in found else 1 for letter in term)
    if spec_of(product).shape != aligned:
        product = reshape(product, shape=aligned)
    return product if aligned == slot.shape else broadcast_to(product, shape=slot.shape)


def _einsum_rule(g: Any, xs: Sequence[Any], index: int, subscripts: str) -> Any:
    terms, out = split(subscripts)
    specs = [spec_of(x) for x in xs]
    others = [k for k in range(len(xs)) if k != index]
    return contracted(
        [g, *(xs[k] for k in others)],
        [out, *(terms[k] for k in others)],
        specs[index],
        terms[index],
        lengths(terms, specs),
    )


def fresh_letter(subscripts: str) -> str:
    """A letter that the subscripts do not use."""
    for letter in reversed(ascii_letters):
        if letter not in subscripts:
            return letter
    raise OperandError(f"einsum has no letter left for one more axis{at_user_line()}; use fewer than 52 labels")


def _batch_einsum(values: Sequence[Any], batched: Sequence[bool], params: Mapping[str, Any]) -> Any:
    terms, out = split(params["subscripts"])
    letter = fresh_letter(params["subscripts"])
    labelled = [letter + term if b else term for term, b in zip(terms, batched, strict=True)]
    subscripts = f"{','.join(labelled)}->{letter}{out}"
    if len(values) == 1:
        return sum_labels(*values, subscripts=subscripts)
    return einsum(*values, subscripts=subscripts, optimize=_pathless(params["optimize"]))


def _pathless(optimize: Any) -> Any:
    return optimize if isinstance(optimize, (bool, str)) else True


def _evaluate_einsum(*xs: Any, subscripts: str, optimize: Any = False) -> Any:
    path = list(optimize) if isinstance(optimize, tuple) else optimize
    out = np.einsum(subscripts, *xs, optimize=path)
    return out if getattr(out, "base", None) is None else out.copy()


def of_labels(given: Sequence[Spec], out: Spec, params: dict[str, Any]) -> float:
    """Multiplications of a sum over labels, in one go over all of them."""
    terms, _ = split(params["subscripts"])
    return prod(lengths(terms, given).values()) * max(len(terms) - 1, 1)


einsum: Primitive = multilinear(
    "einsum",
    ("*xs",),
    _evaluate_einsum,
    _einsum_spec,
    {"xs": _einsum_rule},
    params=PARAMS,
    check=_check_einsum,
    batch=_batch_einsum,
    on_chunks=products.einsum,
    facts=Facts(multiplications=of_labels, new=True),
)
"""The sum of products that ``subscripts`` describes."""


def _sum_labels_rule(g: Any, x_spec: Spec, subscripts: str) -> Any:
    (term,), out = split(subscripts)
    return contracted([g], [out], x_spec, term, lengths([term], [x_spec]))


sum_labels: Primitive = linear(
    "sum_labels",
    ("x",),
    _evaluate_einsum,
    _einsum_spec,
    {"x": _sum_labels_rule},
    params=PARAMS,
    check=_check_einsum,
    batch=_batch_einsum,
    adds=True,
    on_chunks=products.einsum,
    facts=Facts(new=True),
)
"""An Einstein sum of one operand, of which nothing is kept."""
