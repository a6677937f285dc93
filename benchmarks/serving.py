"""The other end of `interpreter.py`: an object whose methods are called, one JSON line a call.

Runs on Python 3.8 and NumPy 1 as well, where the oldest subjects live.
"""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING, Any

from benchmarks.reason import reason

if TYPE_CHECKING:
    from collections.abc import Callable


def answer(called: Any, request: dict[str, Any], wrong: type[Exception]) -> dict[str, Any]:
    """Do what one line asks; what goes wrong travels back as text."""
    try:
        return {"result": getattr(called, request.pop("call"))(**request)}
    except wrong as error:
        return {"wrong": str(error)}
    except Exception as error:
        return {"failed": reason(error)}


def serve(make: Callable[[], Any], wrong: type[Exception]) -> None:
    """Answer until standard input ends; the first line says whether the object could be made.

    Args:
        make: makes the object, which may import a library that is not there.
        wrong: what its methods raise when a result is wrong.
    """
    pipe = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # a library that prints must not speak into the pipe

    def say(answered: dict[str, Any]) -> None:
        print(json.dumps(answered), file=pipe, flush=True)

    try:
        called = make()
    except Exception as error:
        say({"failed": reason(error)})
        return
    say({"result": "ready"})
    for line in sys.stdin:
        say(answer(called, json.loads(line), wrong))
