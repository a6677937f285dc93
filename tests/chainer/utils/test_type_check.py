"""Expressions of conditions on operands: their texts and values."""

from __future__ import annotations

import pytest

from autodiff.chainer.utils import type_check
from autodiff.chainer.utils.type_check import Call, Constant, GetAttr, GetItem, InvalidType, Variable, prod

x, y = Variable(6, "x"), Variable(2, "y")
shape = Variable((2, 3, 4), "s")


@pytest.mark.parametrize(
    ("expression", "text", "value"),
    [
        (x << y | 1, "x << y | 1", 25),
        ((x & 3) ^ ~y, "x & 3 ^ ~y", -1),
        (x >> (y & 1), "x >> (y & 1)", 6),
        (+x % (1 | y), "+x % (1 | y)", 0),
        (2**x**y, "2 ** x ** y", 2**36),
        ((x**y) ** y, "(x ** y) ** y", 6**4),
        (-(x**y), "-x ** y", -36),
        ((-x) ** y, "(-x) ** y", 36),
        (x - (y - 1), "x - (y - 1)", 5),
        (shape == (y, 3, x - y), "s == (y, 3, x - y)", True),
        (GetItem(Variable({"a": 7}, "d"), "a"), "d['a']", 7),
        (GetAttr(x, Constant("real")), "x.real", 6),
        (Call(Variable(sorted, "sorted"), ([x, y],)), "sorted([x, y])", [2, 6]),
        (Constant(["a", (1,)]), "['a', (1,)]", ["a", (1,)]),
        (prod(shape[1:]), "prod(s[1:])", 12),
        (prod([x, 2]), "prod([x, 2])", 12),
    ],
)
def test_texts_and_values(expression, text, value):
    assert (str(expression), type_check.eval(expression)) == (text, value)


def test_conditions_in_lists_of_what_is_compared():
    assert prod((2, 3)) == 6
    type_check.expect(shape[:2] == (y, 3))
    with pytest.raises(InvalidType, match=r"Expect: s\[:2\] == \(x, 3\)\nActual: \(2, 3\) != \(6, 3\)"):
        type_check.expect(shape[:2] == (x, 3))
