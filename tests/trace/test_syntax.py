"""Syntax trees, also where several threads ask for one."""

import ast
import gc
import sys
import threading

import pytest

from autodiff.trace.syntax import parse

TEXT = "\n".join(f"a{i} = (b{i} + {i}) * (c{i} - f(x, y[{i}]))" for i in range(50))


class Cycle:
    """An object that only a collection finds, which then runs Python's code: another thread takes over there."""

    def __init__(self):
        self.own = self

    def __del__(self):
        sum(range(100))


@pytest.fixture
def restless():
    """Threads that take turns all the time, and collections in the middle of everything."""
    interval, thresholds = sys.getswitchinterval(), gc.get_threshold()
    sys.setswitchinterval(1e-6)
    gc.set_threshold(10)
    yield
    sys.setswitchinterval(interval)
    gc.set_threshold(*thresholds)


def test_threads_that_parse_at_once_all_get_their_tree(restless):
    wanted = ast.dump(ast.parse(TEXT))
    found, wrong = [], []

    def work():
        try:
            for _ in range(25):
                Cycle()
                tree = parse(TEXT)
            found.append(ast.dump(tree))
        except SystemError as error:
            wrong.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert found == [wanted] * 4


def test_other_errors_of_the_parser_are_passed_on():
    with pytest.raises(SyntaxError):
        parse("x +")
    assert isinstance(parse("x + 1", mode="eval").body, ast.BinOp)
