"""Who is here: subjects of this interpreter, and Chainer in a second one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.entrant import Entrant
from benchmarks.reason import reason
from benchmarks.remote import Remote, RemoteError
from benchmarks.subjects import load

if TYPE_CHECKING:
    from collections.abc import Sequence


def gather(names: Sequence[str], chainer_python: str | None) -> tuple[list[Entrant | Remote], dict[str, str]]:
    """Those who could be loaded, and for the others the reason why not."""
    present: list[Entrant | Remote] = []
    absent: dict[str, str] = {}
    for name in names:
        try:
            if name == "chainer" and chainer_python is not None:
                present.append(Remote(name, chainer_python))
            else:
                present.append(Entrant(load(name)))
        except RemoteError as error:
            absent[name] = str(error)
        except Exception as error:  # an import may raise anything
            absent[name] = reason(error)
    return present, absent
