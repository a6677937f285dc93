"""The log: the means of the reported values at regular intervals, as a JSON file."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Callable, Iterable
from typing import Any

from autodiff.chainer.reporter import DictSummary
from autodiff.chainer.serializer import Serializer, stored_json
from autodiff.chainer.training.extension import Extension
from autodiff.chainer.training.extensions.writing import whole_file
from autodiff.chainer.training.triggers.argument import get_trigger

DEFAULT_NAME = "log"


class LogReport(Extension):
    """Averages what is reported, and writes a list of dicts to a file in the trainer's folder.

    Each entry of the log has ``epoch``, ``iteration`` and ``elapsed_time`` besides the values.

    Args:
        keys: the names of the values; all if None.
        trigger: when to add an entry. The extension itself must be called in each iteration.
        postprocess: called with each new entry; it may change it.
        filename: the file's name; values stand in braces, as in ``log_{epoch}``. ``log`` by default.
        log_name: an old spelling of ``filename``. If it is None no file is written.
    """

    def __init__(
        self,
        keys: Iterable[str] | None = None,
        trigger: Any = (1, "epoch"),
        postprocess: Callable[[dict[str, Any]], Any] | None = None,
        filename: str | None = None,
        *,
        log_name: str | None = DEFAULT_NAME,
    ) -> None:
        self._keys = None if keys is None else list(keys)
        self._trigger = get_trigger(trigger)
        self._postprocess = postprocess
        self._log_name = filename or log_name
        self._log: list[dict[str, Any]] = []
        self._init_summary()

    def _init_summary(self) -> None:
        """Forget what was reported; programs' own reports call it too."""
        self._summary = DictSummary()

    @property
    def log(self) -> list[dict[str, Any]]:
        """The entries so far."""
        return self._log

    def __call__(self, trainer: Any) -> None:
        observation = trainer.observation
        if self._keys is not None:
            observation = {key: observation[key] for key in self._keys if key in observation}
        self._summary.add(observation)
        if trainer.is_before_training or self._trigger(trainer):
            self._add_entry(trainer)

    def _add_entry(self, trainer: Any) -> None:
        entry: dict[str, Any] = {name: float(mean) for name, mean in self._summary.compute_mean().items()}
        entry["epoch"] = trainer.updater.epoch
        entry["iteration"] = trainer.updater.iteration
        entry["elapsed_time"] = trainer.elapsed_time
        if self._postprocess is not None:
            self._postprocess(entry)
        self._log.append(entry)
        self._init_summary()
        if self._log_name is not None:
            self._write(os.path.join(trainer.out, self._log_name.format(**entry)))

    def _write(self, path: str) -> None:
        with whole_file(path) as temporary, open(temporary, "w") as file:
            json.dump(self._log, file, indent=4)

    def serialize(self, serializer: Any) -> None:
        """Save or restore the log, and what was reported since its last entry."""
        if hasattr(self._trigger, "serialize"):
            self._trigger.serialize(serializer["_trigger"])
        try:
            self._summary.serialize(serializer["_summary"])
        except KeyError:
            warnings.warn(
                "the snapshot does not hold what was reported since the last entry of the log; "
                "the next entry is the mean of what comes after it",
                stacklevel=2,
            )
        if isinstance(serializer, Serializer):
            serializer("_log", json.dumps(self._log))
        else:
            self._log = stored_json("_log", as_text(serializer("_log", "")), list)


def as_text(value: Any) -> str:
    """The text in what a deserializer returns."""
    value = value.item() if hasattr(value, "item") else value
    return value.decode() if isinstance(value, bytes) else str(value)
