"""What a program that is wrong hears: the type of the error and its whole text."""

import re

import pytest

STACK = "Stacktrace of the function is below:\n"
NO_GPU = re.compile(r"CUDA is not correctly set up \(.*\) \(")


def heard(bad):
    """The type of the error that a function raises, a colon, and its text.

    LINE stands for the file and line of the test, STACK for all lines of a stack of the test's, REASON for why there is
    no GPU.
    """
    with pytest.raises(Exception) as error:  # noqa: PT011 - the type is what is asked
        bad()
    text = error.value.args[0] if isinstance(error.value, KeyError) else str(error.value)
    text, _, stack = text.partition(STACK)
    if stack:
        assert re.search(r'File ".*test_error_texts_\w+\.py", line \d+, in ', stack)
        text += "STACK"
    text = NO_GPU.sub("CUDA is not correctly set up (REASON) (", text)
    return f"{type(error.value).__name__}: " + re.sub(r"test_\w+\.py:\d+", "LINE", text)
