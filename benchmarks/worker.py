"""The other end of `remote.py`: one entrant in an interpreter of its own, one JSON line a call.

Runs on Python 3.8 and NumPy 1 as well, where the oldest subjects live.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any, TextIO

from benchmarks.case import Case
from benchmarks.entrant import Entrant
from benchmarks.reason import reason
from benchmarks.subjects import load
from benchmarks.verify import WrongGradientError


def answer(entrant: Entrant, request: dict[str, Any]) -> dict[str, Any]:
    """Do what one line asks; what goes wrong travels back as text."""
    arguments = [Case(**request["case"])] if "case" in request else []
    try:
        return {"result": getattr(entrant, request["call"])(*arguments)}
    except WrongGradientError as error:
        return {"wrong": str(error)}
    except Exception as error:
        return {"failed": reason(error)}


def serve(name: str, requests: TextIO, answers: TextIO) -> None:
    """Answer until the pipe closes; the first line says whether the library could be imported."""

    def say(answered: dict[str, Any]) -> None:
        print(json.dumps(answered), file=answers, flush=True)

    try:
        entrant = Entrant(load(name))
    except Exception as error:
        say({"failed": reason(error)})
        return
    say({"result": "ready"})
    for line in requests:
        say(answer(entrant, json.loads(line)))


if __name__ == "__main__":
    pipe = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # a library that prints must not speak into the pipe
    serve(sys.argv[1], sys.stdin, pipe)
