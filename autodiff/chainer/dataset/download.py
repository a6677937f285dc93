"""Where datasets are kept, and how they get there."""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
from collections.abc import Callable, Iterator
from typing import Any

_dataset_root = os.environ.get("CHAINER_DATASET_ROOT", os.path.join(os.path.expanduser("~"), ".chainer", "dataset"))


def get_dataset_root() -> str:
    """The folder of all datasets: ``CHAINER_DATASET_ROOT``, or ``~/.chainer/dataset``."""
    return _dataset_root


def set_dataset_root(path: str) -> None:
    """Keep datasets in another folder.

    Args:
        path: the folder; it is made when something is put there.
    """
    global _dataset_root
    _dataset_root = path


def get_dataset_directory(dataset_name: str, create_directory: bool = True) -> str:
    """The folder of one dataset.

    Args:
        dataset_name: its name, with slashes between folders.
        create_directory: whether to make the folder.
    """
    path = os.path.join(_dataset_root, dataset_name)
    if create_directory:
        os.makedirs(path, exist_ok=True)
    return path


def cached_download(url: str) -> str:
    """The path of a file with the content of a URL, which is downloaded once.

    Args:
        url: what to download.

    Raises:
        OSError: if it cannot be downloaded; the text says where to put the file by hand.
    """
    folder = os.path.join(_dataset_root, "_dl_cache")
    path = os.path.join(folder, hashlib.md5(url.encode(), usedforsecurity=False).hexdigest())
    if not os.path.exists(path):
        os.makedirs(folder, exist_ok=True)
        with written_at_once(path) as temporary:
            download(url, temporary, path)
    return path


def download(url: str, temporary: str, path: str) -> None:
    """Download to a temporary file; an answer that is shorter than announced is an error too."""
    from urllib.error import URLError  # noqa: PLC0415 - many programs download nothing
    from urllib.request import urlretrieve  # noqa: PLC0415

    try:
        urlretrieve(url, temporary)
    except URLError as error:
        raise OSError(f"{url} cannot be downloaded ({error}); get the file by hand and save it as {path}") from error


@contextlib.contextmanager
def written_at_once(path: str) -> Iterator[str]:
    """A temporary path whose file comes to ``path`` when it is complete: other processes never see half of it."""
    with tempfile.TemporaryDirectory(dir=os.path.dirname(path) or ".") as folder:
        temporary = os.path.join(folder, os.path.basename(path))
        yield temporary
        os.replace(temporary, path)


def cache_or_load_file(path: str, creator: Callable[[str], Any], loader: Callable[[str], Any]) -> Any:
    """What is in a file, which is made if it does not exist.

    Args:
        path: the file.
        creator: a function that writes a file to the path it is given and returns its content.
        loader: a function that reads a file.

    Returns:
        What ``loader`` or ``creator`` returned.
    """
    if os.path.exists(path):
        return loader(path)
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with written_at_once(path) as temporary:
        return creator(temporary)
