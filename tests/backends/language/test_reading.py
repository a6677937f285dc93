"""Texts of kernels as typed trees: what they say again, what is refused, and what is no one's to change."""

import dataclasses

import pytest

from autodiff.backends.compiling import compile_object
from autodiff.backends.language import tree
from autodiff.backends.language.conversion import substituted
from autodiff.backends.language.errors import Unsuited
from autodiff.backends.language.names import changing, read_after_loops, uses_of
from autodiff.backends.language.reading import read, read_lines
from autodiff.backends.language.tree import expressions, statements
from autodiff.backends.language.types import SIZES, Pointer
from tests.backends.kernels.test_golden import FOLDER


def kernel(*lines):
    return read("\n".join(["def kernel(block, lo, hi):", *(f"    {line}" for line in lines)]))


def golden_texts():
    for file in sorted(FOLDER.glob("*.txt")):
        for text in file.read_text(encoding="utf-8").split("\ndef kernel(")[1:]:
            lines = text.split("\n")
            end = next((k for k, line in enumerate(lines[1:], 1) if line and not line.startswith("    ")), len(lines))
            yield pytest.param("def kernel(" + "\n".join(lines[:end]) + "\n", id=file.stem)


@pytest.mark.parametrize("text", list(golden_texts()))
def test_a_kernel_says_what_was_read(text):
    """Printed and read again, a kernel is the same; and every operation has operands of its type."""
    found = read(text)
    assert str(read(str(found))) == str(found)
    for node in expressions(*statements(found.body)):
        assert node.type in SIZES or isinstance(node.type, Pointer)
        match node:
            case tree.Binary(_, left, right, type_):
                assert left.type == right.type == type_
            case tree.Compare(_, left, right):
                assert left.type == right.type
            case tree.Unary(_, operand, type_):
                assert operand.type == type_
    for node in statements(found.body):
        if isinstance(node, tree.Store):
            assert node.value.type == {"float32": "f4", "float64": "f8", "int64": "i8", "bool": "b1"}[node.element]


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("x = (lo + hi) * 2 - (lo - (hi - 1))", "x = (lo + hi) * 2 - (lo - (hi - 1))"),
        ("x = -(lo + 1) * -hi", "x = -(lo + 1) * -hi"),
        ("x = not (lo < hi and hi == 3)", "x = not (lo < hi and hi == 3)"),
        (
            "x = lo if (lo < hi or hi < 2) else (hi if lo == 3 else 1)",
            "x = lo if lo < hi or hi < 2 else hi if lo == 3 else 1",
        ),
        ("x = (lo if lo < hi else hi) + 1", "x = (lo if lo < hi else hi) + 1"),
        ("x = (lo < hi) & (hi < 3) | (lo == 1)", "x = (lo < hi) & (hi < 3) | (lo == 1)"),
        ("x = f4(0.1) + f8(2)", "x = 0.10000000149011612 + 2.0"),
        ("x = i4(4294967297)", "x = i4(1)"),
        ("x = u1(-1) + u1(lo)", "x = u1(255) + u1(lo)"),
        ("x = f4(-0.0)", "x = f4(-0.0)"),
        ("x = f8(-inf)", "x = -inf"),
        ("lo += hi * 2", "lo = lo + hi * 2"),
        ("lo, hi = hi, lo", "lo, hi = hi, lo"),
        ("for i in range(hi - 1, -1, -1): lo = i", "for i in range(hi - 1, -1, -1):\n        lo = i"),
    ],
)
def test_texts_of_expressions(line, text):
    found = kernel(line)
    assert "\n    ".join(str(found).rstrip().split("\n    ")[1:]) == text
    assert str(read(str(found))) == str(found)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("x = [1.0]", "it has '[1.0]'"),
        ("x = undefined", "nothing is known of undefined"),
        ("x = lo ** hi", "it has 'lo ** hi'"),
        ("x = lo / hi", "the type of 'lo / hi' is not known"),
        ("x = u1(3) + 2.0", "the type of 'u1(3) + 2.0' is not known"),
        ("x = f8(u1(lo) + u1(hi))", "it makes a float of whole numbers without sign"),
        ("x = f8(pointer(block, 0))", "it makes a number of type f8 of an address"),
        ("x = pointer(block, lo)", "it has a pointer of no literal word"),
        ("x = shifted(1.0, 8)", "'1.0' is no address"),
        ("x = load_float64(block, 1.0)", "'1.0' is no index"),
        ("x = lo < hi < 3", "it has 'lo < hi < 3'"),
        ("x = lo if hi else 3", "'hi' is no b1"),
        ("x = lo if lo < hi else 3.0", "'lo if lo < hi else 3.0' has two types"),
        ("x = hypot(1.0, f4(2.0))", "it has 'hypot(1.0, f4(2.0))'"),
        ("x = sqrt(lo)", "it has 'sqrt(lo)'"),
        ("x = min(lo, 1.0)", "it has 'min(lo, 1.0)'"),
        ("x = abs(-1.0)", "it has 'abs(-1.0)'"),
        ("lo = 1.0", "the type of lo is not known"),
        ("block[0] = 1", "it has 'block[0] = 1'"),
        ("store_float64(block, lo)", "it has 'store_float64(block, lo)'"),
        ("unheard_of(lo)", "it has 'unheard_of(lo)'"),
        ("call_out(lo, block, lo, hi, hi)", "'hi' is no number in the text"),
        ("gather_panel_float32(block, 1.0, 1, 1, 1)", "'1.0' is no address"),
        ("multiply_panels_float16(block)", "it has 'multiply_panels_float16(block)'"),
        ("for i in range(lo, hi, hi): pass", "'hi' is no number in the text"),
        ("for i in range(lo, hi, 0): pass", "it goes over 'range(lo, hi, 0)'"),
        ("for i in range(1.0): pass", "'1.0' is no i8"),
        ("for i in range(hi): pass\n    else: pass", "it has 'for i in range(hi):'"),
        ("while lo: pass", "'lo' is no b1"),
        ("return lo", "it has 'return lo'"),
        ("assert lo == 0", "it has 'assert lo == 0'"),
    ],
)
def test_what_is_no_part_of_the_language(line, reason):
    with pytest.raises(Unsuited) as caught:
        kernel(line)
    assert str(caught.value) == reason


def test_one_function_and_no_more():
    with pytest.raises(Unsuited, match="more than one function"):
        read("def twice(x):\n    return\n\ndef kernel(block, lo, hi):\n    return\n")


def test_nodes_never_change_and_compare():
    found = kernel("x = f8(lo) * 2.0", "y = f8(lo) * 2.0")
    one, other = (each.values[0] for each in found.body)
    assert one == other
    assert one is not other
    assert hash(one) == hash(other)
    assert one != found.body[0]
    with pytest.raises(dataclasses.FrozenInstanceError):
        one.sign = "+"
    assert found.types == {"block": "i8", "lo": "i8", "hi": "i8", "x": "f8", "y": "f8"}


def test_lines_one_after_the_other():
    types = {"x": "f4"}
    read_lines(["y = x * f4(2.0)"], types)
    (found,) = read_lines(["z = f8(y) + 1.0"], types)
    assert types == {"x": "f4", "y": "f4", "z": "f8"}
    assert str(found) == "z = f8(y) + 1.0"


def test_numbers_in_place_of_names_are_converted_at_once():
    (found,) = read_lines(["y = f4(i) + load_float32(p, i * 2)"], {"i": "i8", "p": "i8"})
    assert str(substituted(found.values[0], {"i": tree.Number(3, "i8")})) == "f4(3.0) + load_float32(p, 3 * 2)"


FLOW = [
    "total = 0.0",
    "k = lo",
    "for i in range(lo, hi):",
    "    if k < i:",
    "        k = i",
    "        continue",
    "    a = f8(k)",
    "    total = total + a",
    "store_float64(block, 0, total)",
]


def test_what_statements_do_with_names():
    found = kernel(*FLOW)
    uses, (_, _, loop, store) = uses_of(found), found.body
    use = uses.of(loop)
    assert use.reads == {"lo", "hi", "k", "i", "a", "total"}
    assert use.assigned == {"i", "k", "a", "total"}
    assert use.certain == set()
    assert use.read_first == {"lo", "hi", "k", "total"}
    assert uses.reads(store) == {"block", "total"}
    assert read_after_loops(found) == {loop: {"block", "total"}}
    assert changing(found) == {"total", "k"}


def test_other_lines_in_place_of_statements():
    found = kernel(*FLOW)
    text = found.text({found.body[2]: "total = loop(lo, hi)"})
    assert text.splitlines()[3:] == ["    total = loop(lo, hi)", "    store_float64(block, 0, total)"]


def test_trees_are_freed_once_a_kernel_is_compiled():
    """The tree of a long kernel takes many times the memory of its text."""
    text = "def kernel(block, lo, hi):\n    for i in range(lo, hi):\n        store_int64(block, 0, i)\n"
    uses_of(read(text)).of(read(text).body[0])
    compile_object(text)
    assert read.cache_info().currsize == uses_of.cache_info().currsize == 0
