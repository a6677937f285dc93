"""`python -m autodiff.testing.gpu.worker MODULE [--stand-in]`: runs the items of one module, as it is asked.

One line of JSON comes for each item, and one is answered. The first line that it says names the device and the items.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
from importlib import import_module
from typing import Any

from autodiff.backends import gpu
from autodiff.testing.gpu.device import described
from autodiff.testing.gpu.item import Given, Item, Items, LeftOutError
from autodiff.testing.gpu.stages import CHECKOUT

STANDIN, STANDS_IN = "--stand-in", "tests.standin.module"
LONGEST = 6000
"""So many letters of an error are kept: of a longer one those at its beginning and at its end."""


def greeting(standin: bool, module: str) -> tuple[dict[str, Any], Items]:
    """The first line, and the items."""
    if standin:
        sys.modules.update(import_module(STANDS_IN).build())
    cupy, reason = gpu.found()
    if cupy is None:
        return {"no device": reason}, {}
    items: Items = import_module(module).ITEMS
    return {"device": described(cupy, standin), "names": list(items)}, items


def answer(item: Item, given: Given) -> dict[str, Any]:
    """What an item says, or how it failed."""
    try:
        return {"said": item(given)}
    except LeftOutError as reason:
        return {"left out": str(reason)}
    except Exception as error:  # of whatever kind: the next item has another process
        trace = traceback.format_exc().replace(f"{CHECKOUT}{os.sep}", "")
        return {"failed": shortened(f"{type(error).__name__}: {error}"), "trace": trace[-LONGEST:]}


def shortened(text: str) -> str:
    """A text without its middle, where it is long: an error may show whole arrays."""
    return text if len(text) <= LONGEST else f"{text[: LONGEST // 2]} [...] {text[-LONGEST // 2 :]}"


def main(module: str, standin: bool) -> None:
    """Answer until standard input ends. What libraries print goes where errors go."""
    pipe = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())

    def say(line: dict[str, Any]) -> None:
        pipe.write(json.dumps(line) + "\n")
        pipe.flush()

    first, items = greeting(standin, module)
    say(first)
    for line in sys.stdin:
        asked = json.loads(line)
        say(answer(items[asked["item"]], Given(asked["seconds"], standin)))


if __name__ == "__main__":
    main(sys.argv[1], STANDIN in sys.argv)
