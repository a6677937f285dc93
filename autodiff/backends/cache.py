"""Compiled code on disk, in a folder that belongs to the user alone.

A folder or file that anybody else could have written is never used. Whatever goes wrong with the disk, kernels are
compiled and kept in memory: a warning says so once.

Owners and modes say whose a file is. Windows has neither: there the folder must lie in the user's profile, of which
Windows itself keeps others out.
"""

from __future__ import annotations

import os
import stat
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

MAGIC = b"autodiff kernel\n"
HEADER = len(MAGIC) + 32 + 32  # the key, and the hash of the key and what follows
KERNEL, PROOF, COUNT, PROGRAM, UNFINISHED = ".kernel", ".proof", ".count", ".program", ".part"
"""What names of files end with: compiled kernels; what says of one that it stays within its memory; what was counted in
its text; modules of Python that were rewritten."""

LIMIT = 512 * 2**20
LARGEST = 64 * 2**20
"""The most bytes of one content: a hundred times the largest kernel that was seen."""

WINDOWS = os.name == "nt"
UNITS = {"": 1, "B": 1, "KB": 2**10, "MB": 2**20, "GB": 2**30}
DAY, HOUR = 86400, 3600


class CacheWarning(RuntimeWarning):
    """Compiled kernels are not kept on disk, so that each process compiles them again."""


_warned: set[str] = set()


def warn(text: str) -> None:
    """Warn, once in a process."""
    if text not in _warned:
        _warned.add(text)
        warnings.warn(f"{text}; compiled kernels are kept in memory only", CacheWarning, stacklevel=2)


def location() -> Path | None:
    """The folder: ``AUTODIFF_CACHE_DIR``, or ``autodiff`` where this system keeps caches; None without a home."""
    named = os.environ.get("AUTODIFF_CACHE_DIR")
    try:
        if named:
            return Path(named).expanduser()
        home = Path.home()
    except RuntimeError:  # of a user whom this system does not know, or who has no home
        return None
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local") / "autodiff" / "cache"
    if sys.platform == "darwin":
        return home / "Library" / "Caches" / "autodiff"
    chosen = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(chosen) if os.path.isabs(chosen) else home / ".cache") / "autodiff"


def folder() -> Path | None:
    """The folder, made if need be; None if it cannot be used."""
    found = location()
    if found is None:
        named = os.environ.get("AUTODIFF_CACHE_DIR")
        if named:
            warn(f"AUTODIFF_CACHE_DIR={named!r} begins with a home folder that this system does not know")
        else:
            warn("there is no home folder for the cache of kernels (set AUTODIFF_CACHE_DIR)")
        return None
    try:
        found.mkdir(mode=0o700, parents=True, exist_ok=True)
        refusal = foreign(os.stat(found), stat.S_ISDIR) or (outside_profile(found) if WINDOWS else "")
    except OSError as error:
        refusal = f"cannot be used ({error.strerror})"
    if refusal:
        warn(f"the cache folder {found} {refusal}")
        return None
    return found


def outside_profile(folder: Path) -> str:
    """Why a folder is not this user's alone where files have no owners and modes; empty if it is.

    Links are followed first.
    """
    place = os.path.normcase(os.path.realpath(folder))
    for name in ("LOCALAPPDATA", "USERPROFILE"):
        profile = os.environ.get(name)
        own = os.path.normcase(os.path.realpath(profile)) if profile else ""
        if own and place.startswith(own.rstrip(os.sep) + os.sep):
            return ""
    return "lies outside of your profile, where others may write to it"


def foreign(found: os.stat_result, kind: Callable[[int], bool]) -> str:
    """Why a folder or file is not this user's alone; empty if it is, or if this system does not say."""
    if not kind(found.st_mode):
        return "is something else"
    if WINDOWS:
        return ""
    if found.st_uid != os.geteuid():
        return f"belongs to user {found.st_uid}, not to user {os.geteuid()}"
    if found.st_mode & 0o077:
        return f"is open to other users (mode {stat.S_IMODE(found.st_mode):o}; chmod go= would close it)"
    return ""


def read(key: bytes, kind: str = KERNEL) -> bytes | None:
    """What was stored under a key, if it is there and whole. What is not is removed."""
    home = folder()
    if home is None:
        return None
    path = home / (key.hex() + kind)
    try:
        content = contents(path, key)
    except FileNotFoundError:
        return None
    except OSError:  # a link, or a file that this user may not read
        content = None
    if content is None:
        discard(path)
    return content


def contents(path: Path, key: bytes) -> bytes | None:
    """What a file holds for a key; None if it is foreign or damaged."""
    options = sum(getattr(os, name, 0) for name in ("O_RDONLY", "O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_BINARY"))
    with open(os.open(path, options), "rb") as file:
        found = os.fstat(file.fileno())
        if foreign(found, stat.S_ISREG) or not HEADER <= found.st_size <= HEADER + LARGEST:
            return None
        start = file.read(HEADER)
        if not start.startswith(MAGIC + key):
            return None
        content = file.read(LARGEST + 1)
    if len(content) > LARGEST or start != header(key, content):
        return None
    if time.time() - found.st_mtime > DAY:  # what was used last is removed last
        with suppress(OSError):
            os.utime(path)
    return content


def header(key: bytes, content: bytes) -> bytes:
    """What precedes a content."""
    import hashlib  # noqa: PLC0415 - slow to import, and not needed before the first kernel

    return MAGIC + key + hashlib.sha256(key + content).digest()


def write(key: bytes, content: bytes, kind: str = KERNEL) -> None:
    """Store a content, whole or not at all, whatever other processes do."""
    home, most = folder(), limit()
    if home is None or len(content) > min(most, LARGEST):
        return
    path = home / (key.hex() + kind)
    unfinished = home / f"{key.hex()}.{os.getpid()}.{os.urandom(4).hex()}{UNFINISHED}"
    options = sum(getattr(os, name, 0) for name in ("O_WRONLY", "O_CREAT", "O_EXCL", "O_CLOEXEC", "O_BINARY"))
    try:
        with removed_on_error(unfinished):
            with open(os.open(unfinished, options, 0o600), "wb") as file:
                file.write(header(key, content) + content)
            os.replace(unfinished, path)
        if grown(home, HEADER + len(content), most):
            trim(home, most)
    except OSError as error:
        warn(f"the cache folder {home} cannot be written to ({error.strerror})")


@contextmanager
def removed_on_error(path: Path) -> Iterator[None]:
    """Leave no unfinished file behind."""
    try:
        yield
    except BaseException:
        discard(path)
        raise


def discard(path: Path | str) -> None:
    """Remove a file, if that is possible."""
    with suppress(OSError):
        os.unlink(path)


def limit() -> int:
    """The most bytes that files may have together."""
    text = os.environ.get("AUTODIFF_CACHE_SIZE", "").strip()
    number = text.rstrip("kmgbKMGB")
    if not text:
        return LIMIT
    try:
        return int(float(number) * UNITS[text[len(number) :].upper()])
    except (ValueError, KeyError, OverflowError):
        warn(f"AUTODIFF_CACHE_SIZE={text!r} is no size such as 512MB")
        return 0


def files(home: Path) -> list[tuple[float, int, str]]:
    """When each stored file was last used, its size, and its place."""
    found = []
    with suppress(OSError), os.scandir(home) as entries:
        for entry in entries:
            with suppress(OSError):
                facts = entry.stat(follow_symlinks=False)
                if entry.name.endswith((KERNEL, PROOF, COUNT)):
                    found.append((facts.st_mtime, facts.st_size, entry.path))
                elif entry.name.endswith(UNFINISHED) and time.time() - facts.st_mtime > HOUR:
                    discard(entry.path)  # its writer was killed
    return found


_sizes: dict[Path, tuple[int, int]] = {}
"""The bytes that each folder had when it was last looked through, and those that were written since."""


def grown(home: Path, size: int, most: int) -> bool:
    """Whether a folder is to be looked through, now that so many bytes more are in it.

    That takes the longer the more files there are: it waits until they may be too many, which other processes hasten.
    """
    found = _sizes.get(home)
    if found is None:
        return True
    before, written = found[0], found[1] + size
    _sizes[home] = before, written
    return before + written > most or written > most // 16


def trim(home: Path, most: int) -> None:
    """If there is too much, remove what was not used for longest, a sixteenth more than need be.

    Otherwise a full folder would be looked through at every write.
    """
    found = files(home)
    size = sum(each for _, each, _ in found)
    if size > most:
        for _, each, path in sorted(found):
            if size <= most - most // 16:
                break
            discard(path)
            size -= each
    _sizes[home] = size, 0


def clear() -> None:
    """Remove all files that were stored."""
    home = folder()
    for _, _, path in files(home) if home is not None else ():
        discard(path)
