"""``np.einsum`` in all its notations, brought to the one that the primitive knows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from string import ascii_letters, ascii_lowercase, ascii_uppercase
from typing import Any

import numpy as np

from autodiff.numpy.algebra.products import finished
from autodiff.numpy.arrays.outline import outline
from autodiff.numpy.arrays.views import always, viewing
from autodiff.numpy.dispatch import as_operand, implements
from autodiff.ops.elementwise import cast
from autodiff.ops.matrices.diagonal import diagonal
from autodiff.ops.matrices.einsum import einsum as product_sum
from autodiff.ops.matrices.einsum import sum_labels
from autodiff.ops.shape import transpose
from autodiff.trace.errors import OperandError
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import spec_of
from autodiff.trace.values.leaves import as_leaf


@implements(np.einsum)
def einsum(
    *operands: Any,
    out: Any = None,
    optimize: Any = False,
    dtype: Any = None,
    order: str = "K",
    casting: Any = "safe",
) -> Any:
    """The sum of products that the subscripts describe: ``einsum("ij,jk->ik", a, b)``."""
    subscripts, arrays = written_out(operands)
    arrays = [as_operand(x) for x in arrays]
    arrays = [x if hasattr(x, "dtype") else np.asarray(as_leaf(x)) for x in arrays]
    if dtype is not None:
        for k, x in enumerate(arrays):
            if not np.can_cast(x.dtype, dtype, casting):
                raise TypeError(
                    f"Iterator operand {k} dtype could not be cast from {x.dtype!r} to {np.dtype(dtype)!r} according "
                    f"to the rule {casting!r}{at_user_line()}"
                )
        arrays = [cast(x, dtype=np.dtype(dtype)) for x in arrays]
    terms, result = explicit(subscripts, [spec_of(x).ndim for x in arrays])
    if len(arrays) == 1 and dtype is None and sorted(set(terms[0])) == sorted(result):
        return finished(rearranged(arrays[0], terms[0], result), out)
    pairs = [without_repeats(x, term) for x, term in zip(arrays, terms, strict=True)]
    return finished(_contracted([x for x, _ in pairs], [term for _, term in pairs], result, _fixed(optimize)), out)


def _contracted(arrays: Sequence[Any], terms: Sequence[str], result: str, optimize: Any) -> Any:
    subscripts = f"{','.join(terms)}->{result}"
    if len(arrays) > 1:
        return product_sum(*arrays, subscripts=subscripts, optimize=optimize)
    (x,), (term,) = arrays, terms
    return sum_labels(x, subscripts=subscripts) if sorted(term) != sorted(result) else rearranged(x, term, result)


def _rearranged(x: Any, term: str, result: str) -> Any:
    x, term = without_repeats(x, term)
    return x if term == result else transpose(x, axes=tuple(term.index(k) - len(term) for k in result))


rearranged = viewing(_rearranged, always)
"""The axes of one operand in another order, or the diagonal of some of them: a view, as NumPy returns it."""


def _fixed(optimize: Any) -> Any:
    """What ``optimize=`` says as a hashable value."""
    if isinstance(optimize, (list, tuple)):
        return tuple(tuple(step) if isinstance(step, (list, tuple)) else step for step in optimize)
    return optimize


# Notations.


def written_out(operands: Sequence[Any]) -> tuple[str, list[Any]]:
    """Subscripts as text and the arrays, from ``("ij,jk", a, b)`` or ``(a, [0, 1], b, [1, 2])``."""
    if not operands:
        raise ValueError(f"einsum needs subscripts and operands, got nothing{at_user_line()}")
    if isinstance(operands[0], str):
        return operands[0].replace(" ", ""), list(operands[1:])
    arrays = list(operands[: len(operands) // 2 * 2 : 2])
    subscripts = ",".join(map(_as_text, operands[1::2]))
    if len(operands) % 2:
        subscripts += "->" + _as_text(operands[-1])
    return subscripts, arrays


LETTERS = ascii_uppercase + ascii_lowercase
"""Labels that are numbers, in whose order axes of results come: sorting letters puts capital ones first."""


def _as_text(labels: Sequence[Any]) -> str:
    return "".join("..." if label is Ellipsis else LETTERS[label] for label in labels)


def explicit(subscripts: str, ranks: Sequence[int]) -> tuple[list[str], str]:
    """The letters of each operand and of the result, with letters for what the ellipses stand for."""
    inputs, arrow, result = subscripts.partition("->")
    terms = inputs.split(",")
    if len(terms) != len(ranks):
        raise OperandError(
            f"einsum({subscripts!r}) has {len(terms)} terms and {len(ranks)} operands{at_user_line()}; give as many"
        )
    spare = [letter for letter in reversed(ascii_letters) if letter not in subscripts]
    hidden = [_hidden(subscripts, term, rank) for term, rank in zip(terms, ranks, strict=True)]
    rank = max(hidden)
    dots = "".join(spare[:rank])
    if len(dots) < rank:
        raise OperandError(f"einsum({subscripts!r}) needs more than 52 labels{at_user_line()}")
    full = [term.replace("...", dots[rank - own :]) for term, own in zip(terms, hidden, strict=True)]
    if not arrow:
        counts = Counter("".join(term.replace("...", "") for term in terms))
        result = "..." + "".join(sorted(letter for letter, count in counts.items() if count == 1))
    elif rank and "..." not in result:
        raise OperandError(f"einsum({subscripts!r}) has an ellipsis that its result lacks{at_user_line()}; write ...")
    final = result.replace("...", dots)
    _check_result(subscripts, full, final)
    return full, final


def _hidden(subscripts: str, term: str, rank: int) -> int:
    """How many axes of an operand the ellipsis of its term stands for."""
    named = len(term.replace("...", ""))
    if named > rank or (named < rank and "..." not in term):
        raise OperandError(
            f"einsum({subscripts!r}) has the term {term!r} for an operand of {rank} axes{at_user_line()}; give one "
            "label for each axis"
        )
    return rank - named if "..." in term else 0


def _check_result(subscripts: str, terms: Sequence[str], result: str) -> None:
    known = "".join(terms)
    for letter in result:
        if letter not in known or result.count(letter) > 1 or letter not in ascii_letters:
            raise OperandError(
                f"einsum({subscripts!r}) has the label {letter!r} in its result{at_user_line()}; it must be there "
                "once, and in an operand"
            )


def without_repeats(x: Any, term: str) -> tuple[Any, str]:
    """The diagonal of an operand along axes of one letter, until every letter stands there once."""
    for letter in dict.fromkeys(term):
        while term.count(letter) > 1:
            first, second = _places(term, letter)
            rest = [k for k in range(len(term)) if k not in (first, second)]
            lengths = spec_of(x).shape[first], spec_of(x).shape[second]
            if lengths[0] != lengths[1]:
                raise OperandError(
                    f"einsum takes the diagonal of axes of lengths {lengths[0]} and {lengths[1]}{at_user_line()}, both "
                    f"labelled {letter!r}; they must be equal"
                )
            x = diagonal(transpose(x, axes=tuple(k - len(term) for k in (*rest, first, second))), offset=0)
            term = "".join(term[k] for k in rest) + letter
    return x, term


def _places(term: str, letter: str) -> tuple[int, int]:
    first = term.index(letter)
    return first, term.index(letter, first + 1)


@implements(np.einsum_path)
def einsum_path(*operands: Any, optimize: Any = "greedy", einsum_call: bool = False) -> Any:
    """The order in which a product of many operands is best computed: only shapes count."""
    subscripts, arrays = written_out(operands)
    outlines = [outline(as_operand(x)) for x in arrays]
    find: Any = np.einsum_path
    return find(subscripts, *outlines, optimize=optimize, einsum_call=einsum_call)
