"""The file of a run: written anew after each item, and read again by the next run, which goes on where it ends."""

from __future__ import annotations

import json
import os
import threading
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from autodiff.testing.gpu.process import LEFT_OUT, RIGHT, WRONG, Answer

SAME = ("gpu", "driver", "CUDA of the driver", "CUDA of CuPy", "NVRTC", "CuPy")
"""What all runs of one file must have in common."""


START = "(start)"
"""The item of a stage whose process did not start; it goes when one does."""


class OtherDeviceError(Exception):
    """A file holds what was found out elsewhere; the text says what differs."""


class Journal:
    """What is known so far.

    Args:
        file: where it is kept; None for nowhere.
    """

    def __init__(self, file: Path | None) -> None:
        self.file, self.lock = file, threading.Lock()
        self.content: dict[str, Any] = {"runs": [], "names": {}, "left out": {}, "items": {}}
        if file is not None and file.exists():
            self.content = json.loads(file.read_text(encoding="utf-8"))

    def begin(self, device: dict[str, Any], seconds: float) -> None:
        """A run begins on this device.

        Raises:
            OtherDeviceError: if the file is of another one.
        """
        for before in self.content["runs"]:
            other = [key for key in SAME if before["device"].get(key) != device.get(key)]
            if other:
                said = "; ".join(f"{key} {before['device'].get(key)}, here {device.get(key)}" for key in other)
                raise OtherDeviceError(f"{self.file} was written elsewhere ({said}): give another file")
        now = datetime.now(UTC).isoformat(timespec="seconds")
        self.content["runs"].append({"date": now, "seconds": seconds, "device": device})
        self.write()

    def left_out(self, stage: str, reason: str) -> None:
        """A whole stage cannot run here."""
        with self.lock:
            self.content["left out"][stage] = reason
            self.write()

    def named(self, stage: str, names: list[str]) -> None:
        """A stage has these items."""
        with self.lock:
            self.content["left out"].pop(stage, None)
            self.content["names"][stage] = names
            self.content["items"].get(stage, {}).pop(START, None)
            self.write()

    def open(self, stage: str, again: bool) -> list[str]:
        """The items of a stage that have not run, and if asked those that went wrong."""
        done = self.content["items"].get(stage, {})
        return [
            name
            for name in self.content["names"].get(stage, [])
            if name not in done or (again and done[name]["outcome"] in WRONG)
        ]

    def enter(self, stage: str, name: str, answer: Answer) -> None:
        """An item has ended."""
        with self.lock:
            found = {**answer.plain(), "run": len(self.content["runs"]) - 1}
            self.content["items"].setdefault(stage, {})[name] = found
            self.write()

    def write(self) -> None:
        """Replace the file as a whole: whoever reads it finds the old one or the new one."""
        if self.file is None:
            return
        self.file.parent.mkdir(parents=True, exist_ok=True)
        beside = self.file.with_name(f".{self.file.name}.{os.getpid()}")
        beside.write_text(json.dumps(self.content, indent=1) + "\n", encoding="utf-8")
        beside.replace(self.file)

    def counts(self, stage: str) -> dict[str, int]:
        """How many items of a stage are right, wrong, left out and open."""
        outcomes = [item["outcome"] for item in self.content["items"].get(stage, {}).values()]
        return {
            "right": outcomes.count(RIGHT),
            "wrong": sum(outcome in WRONG for outcome in outcomes),
            "left out": outcomes.count(LEFT_OUT),
            "open": len(self.open(stage, again=False)),
        }
