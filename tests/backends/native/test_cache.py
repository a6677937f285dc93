"""Object code on disk: whatever happens to a file, what is wrong is never used, and nothing is an error."""

import ctypes
import io
import os
import stat
import time
import warnings

import numpy as np
import pytest

import autodiff
from autodiff.backends import cache
from autodiff.backends.cache import CacheWarning
from autodiff.backends.compiling import kernel_address
from autodiff.backends.native import identity, kernels
from autodiff.backends.native.errors import KernelError
from autodiff.backends.recent import Recent

KEY, OTHER = bytes(range(32)), bytes(32)
CONTENT = bytes(range(256)) * 2
TEXT = """
def kernel(block, lo, hi):
    store_float64(pointer(block, 0), 0, f8(42))
"""
posix = pytest.mark.skipif(os.name != "posix", reason="owners and modes are POSIX's")
as_root = pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root gives files away")


def stored(folder):
    return sorted(each.name for each in folder.iterdir())


def answer(address):
    out = np.zeros(1)
    block = np.array([out.ctypes.data])
    ctypes.CFUNCTYPE(None, *[ctypes.c_int64] * 3)(address)(block.ctypes.data, 0, 1)
    return out[0]


def another_process(monkeypatch):
    """Forget what a new process would not know."""
    monkeypatch.setattr(kernels, "_codes", Recent(kernels.LIMIT))
    monkeypatch.setattr(kernels, "_lasting", {})
    monkeypatch.setattr(kernels, "_counts", {"hits": 0, "misses": 0, "compiled": 0})


def test_what_is_written_is_read(fresh):
    assert cache.read(KEY) is None
    cache.write(KEY, CONTENT)
    assert cache.read(KEY) == CONTENT
    assert cache.read(OTHER) is None
    cache.write(KEY, b"")
    assert cache.read(KEY) == b""
    assert stored(fresh) == [KEY.hex() + ".kernel"]


@posix
def test_folder_and_files_are_the_user_s_alone(fresh):
    before = os.umask(0)
    try:
        cache.write(KEY, CONTENT)
    finally:
        os.umask(before)
    assert stat.S_IMODE(fresh.stat().st_mode) == 0o700
    assert stat.S_IMODE((fresh / (KEY.hex() + ".kernel")).stat().st_mode) == 0o600


def test_a_flipped_byte_anywhere_is_noticed(fresh):
    cache.write(KEY, CONTENT)
    path = fresh / (KEY.hex() + ".kernel")
    whole = path.read_bytes()
    for place in range(len(whole)):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1 << place % 8]) + whole[place + 1 :])
        path.chmod(0o600)
        assert cache.read(KEY) is None
        assert stored(fresh) == []


def test_a_truncated_or_longer_file_is_noticed(fresh):
    cache.write(KEY, CONTENT)
    path = fresh / (KEY.hex() + ".kernel")
    whole = path.read_bytes()
    for damaged in [*(whole[:size] for size in range(len(whole))), whole + b"\0", whole * 2]:
        path.write_bytes(damaged)
        path.chmod(0o600)
        assert cache.read(KEY) is None
        assert stored(fresh) == []


def test_a_whole_file_under_the_key_of_another_is_noticed(fresh):
    cache.write(KEY, CONTENT)
    (fresh / (KEY.hex() + ".kernel")).rename(fresh / (OTHER.hex() + ".kernel"))
    assert cache.read(OTHER) is None
    assert stored(fresh) == []


@posix
@pytest.mark.parametrize("mode", [0o660, 0o602, 0o644])
def test_a_file_that_others_can_open_is_not_used(fresh, mode):
    cache.write(KEY, CONTENT)
    (fresh / (KEY.hex() + ".kernel")).chmod(mode)
    assert cache.read(KEY) is None
    assert stored(fresh) == []


@as_root
def test_a_file_of_another_user_is_not_used(fresh):
    cache.write(KEY, CONTENT)
    os.chown(fresh / (KEY.hex() + ".kernel"), 65534, 65534)
    assert cache.read(KEY) is None
    assert stored(fresh) == []


@posix
@pytest.mark.parametrize("whole", [True, False])
def test_a_link_is_not_followed_and_is_replaced(fresh, tmp_path, whole):
    cache.write(KEY, CONTENT)
    path, elsewhere = fresh / (KEY.hex() + ".kernel"), tmp_path / "elsewhere"
    if whole:
        path.rename(elsewhere)
    path.unlink(missing_ok=True)
    path.symlink_to(elsewhere)
    assert cache.read(KEY) is None
    path.unlink(missing_ok=True)
    path.symlink_to(elsewhere)
    cache.write(KEY, CONTENT)
    assert not path.is_symlink()
    assert cache.read(KEY) == CONTENT


@posix
def test_a_pipe_or_a_folder_in_the_place_of_a_file(fresh):
    cache.write(OTHER, CONTENT)
    path = fresh / (KEY.hex() + ".kernel")
    os.mkfifo(path)
    assert cache.read(KEY) is None
    path.mkdir()
    assert cache.read(KEY) is None
    with pytest.warns(CacheWarning):
        cache.write(KEY, CONTENT)
    assert cache.read(OTHER) == CONTENT


def refused(reason):
    """Check that there is one warning, and that kernels work all the same."""
    with pytest.warns(CacheWarning) as caught:
        assert answer(kernel_address(TEXT)) == 42
    assert [str(each.message) for each in caught] == [f"{reason}; compiled kernels are kept in memory only"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cache.write(KEY, CONTENT)
        assert cache.read(KEY) is None
        info = autodiff.cache_info()
        autodiff.clear_cache()
    assert (info.folder, info.entries, info.bytes, info.compiled) == (None, 0, 0, 1)


@posix
def test_a_folder_that_others_can_enter_is_refused(fresh):
    fresh.mkdir(mode=0o755)
    fresh.chmod(0o755)
    refused(f"the cache folder {fresh} is open to other users (mode 755; chmod go= would close it)")
    assert stored(fresh) == []


@posix
def test_a_folder_of_another_user_is_refused(fresh, monkeypatch):
    fresh.mkdir(mode=0o700)
    owner = fresh.stat().st_uid
    monkeypatch.setattr(os, "geteuid", lambda: owner + 1)
    refused(f"the cache folder {fresh} belongs to user {owner}, not to user {owner + 1}")


@as_root
def test_a_folder_that_was_given_away_is_refused(fresh):
    fresh.mkdir(mode=0o700)
    os.chown(fresh, 65534, 65534)
    refused(f"the cache folder {fresh} belongs to user 65534, not to user 0")


def test_a_file_in_the_place_of_the_folder(fresh):
    fresh.write_text("a file")
    refused(f"the cache folder {fresh} cannot be used (File exists)")


def test_a_folder_that_cannot_be_made(fresh, monkeypatch):
    def mkdir(*args, **keywords):
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(cache.Path, "mkdir", mkdir)
    refused(f"the cache folder {fresh} cannot be used (Read-only file system)")


def test_no_home(fresh, monkeypatch):
    def home():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("AUTODIFF_CACHE_DIR")
    monkeypatch.setattr(cache.Path, "home", home)
    refused("there is no home folder for the cache of kernels (set AUTODIFF_CACHE_DIR)")


@posix
def test_a_home_that_nobody_has(fresh, monkeypatch):
    monkeypatch.setenv("AUTODIFF_CACHE_DIR", "~no-such-user-here/kernels")
    refused("AUTODIFF_CACHE_DIR='~no-such-user-here/kernels' begins with a home folder that this system does not know")


@posix
def test_without_owners_the_folder_must_lie_in_the_profile(fresh, monkeypatch, tmp_path):
    monkeypatch.setattr(cache, "WINDOWS", True)
    for name in ("LOCALAPPDATA", "USERPROFILE"):
        monkeypatch.setenv(name, str(tmp_path / name))
    refused(f"the cache folder {fresh} lies outside of your profile, where others may write to it")
    (tmp_path / "LOCALAPPDATA").mkdir()
    for inside in (tmp_path / "LOCALAPPDATA" / "kernels", tmp_path / "USERPROFILE" / "a" / "b"):
        monkeypatch.setenv("AUTODIFF_CACHE_DIR", str(inside))
        assert cache.folder() == inside
    beside = tmp_path / "LOCALAPPDATA2"
    for outside in (beside, tmp_path / "LOCALAPPDATA" / ".." / "elsewhere", tmp_path / "LOCALAPPDATA" / "link"):
        beside.mkdir(exist_ok=True)
        if outside.name == "link":
            outside.symlink_to(beside)
        monkeypatch.setenv("AUTODIFF_CACHE_DIR", str(outside))
        monkeypatch.setattr(cache, "_warned", set())
        with pytest.warns(CacheWarning, match="lies outside of your profile"):
            assert cache.folder() is None


@posix
@pytest.mark.parametrize("magic", [True, False])
def test_a_file_that_is_too_large_is_not_read(fresh, monkeypatch, magic):
    """It takes no room on the disk, and would take three gigabytes of memory."""
    cache.write(KEY, CONTENT)
    (path,) = fresh.iterdir()
    with open(path, "r+b") as file:
        file.write(cache.MAGIC if magic else b"something else")
        file.truncate(3 * 2**30)
    counts = []
    real = io.BufferedReader.read

    class Counting(io.BufferedReader):
        def read(self, size=-1):
            counts.append(size)
            return real(self, size)

    monkeypatch.setattr(cache, "open", lambda file, mode: Counting(io.FileIO(file)), raising=False)
    assert cache.read(KEY) is None
    assert all(0 <= size <= cache.LARGEST + 1 for size in counts)
    assert stored(fresh) == []


def test_a_content_that_is_too_large_is_not_written(fresh, monkeypatch):
    monkeypatch.setattr(cache, "LARGEST", 100)
    cache.write(KEY, CONTENT)
    assert cache.read(KEY) is None
    monkeypatch.undo()


def test_the_header_is_looked_at_first(fresh, monkeypatch):
    cache.write(KEY, CONTENT)
    cache.write(OTHER, CONTENT)
    first, second = (fresh / (key.hex() + cache.KERNEL) for key in (KEY, OTHER))
    second.replace(first)
    monkeypatch.setattr(cache, "header", lambda key, content: pytest.fail("the content was read"))
    assert cache.read(KEY) is None


def test_a_folder_that_cannot_be_written_to_is_still_read(fresh, monkeypatch):
    cache.write(KEY, CONTENT)
    real = os.open

    def only_read(path, options, *args, **keywords):
        if options & os.O_CREAT:
            raise OSError(30, "Read-only file system")
        return real(path, options, *args, **keywords)

    monkeypatch.setattr(os, "open", only_read)
    with pytest.warns(CacheWarning) as caught:
        assert answer(kernel_address(TEXT)) == 42
    cache.write(OTHER, CONTENT)
    assert [str(each.message) for each in caught] == [
        f"the cache folder {fresh} cannot be written to (Read-only file system); compiled kernels are kept in memory only"
    ]
    assert cache.read(KEY) == CONTENT


def test_a_full_disk_leaves_nothing_behind(fresh, monkeypatch):
    def replace(*args):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", replace)
    with pytest.warns(CacheWarning, match="No space left on device"):
        cache.write(KEY, CONTENT)
    assert stored(fresh) == []


def test_a_writer_that_is_killed_leaves_no_file_that_is_read(fresh, python):
    program = """
        import os, signal
        from autodiff.backends import cache

        os.replace = lambda *args: os.kill(os.getpid(), getattr(signal, "SIGKILL", signal.SIGTERM))
        cache.write(bytes(range(32)), bytes(100_000))
    """
    python(program, fails=True)
    (unfinished,) = stored(fresh)
    assert unfinished.endswith(".part")
    assert cache.read(KEY) is None
    cache.write(OTHER, CONTENT)
    assert stored(fresh) == sorted([unfinished, OTHER.hex() + ".kernel"])  # another process may be writing it
    os.utime(fresh / unfinished, (time.time() - 7200,) * 2)
    cache._sizes.clear()  # as in another process
    cache.write(KEY, CONTENT)
    assert stored(fresh) == sorted([KEY.hex() + ".kernel", OTHER.hex() + ".kernel"])


def test_the_folder_stays_small(fresh, monkeypatch):
    keys = [bytes([k]) * 32 for k in range(6)]
    size = cache.HEADER + 1000
    monkeypatch.setenv("AUTODIFF_CACHE_SIZE", str(3 * size + size // 2))
    for k, key in enumerate(keys[:3]):
        cache.write(key, bytes(1000))
        os.utime(fresh / (key.hex() + ".kernel"), (k, k))
    assert cache.read(keys[0]) is not None  # which makes it the last one used
    cache.write(keys[3], bytes(1000))
    assert [cache.read(key) is not None for key in keys] == [True, False, True, True, False, False]
    cache.write(keys[4], bytes(4 * size))
    assert cache.read(keys[4]) is None
    monkeypatch.setenv("AUTODIFF_CACHE_SIZE", "0")
    cache.write(keys[5], bytes(1000))
    assert cache.read(keys[5]) is None


def test_the_folder_is_looked_through_when_it_may_be_full(fresh, monkeypatch):
    size = cache.HEADER + 1000
    looked = []
    files = cache.files
    monkeypatch.setattr(cache, "files", lambda home: looked.append(home) or files(home))
    monkeypatch.setenv("AUTODIFF_CACHE_SIZE", str(64 * size))
    for k in range(70):
        cache.write(bytes([k]) * 32, bytes(1000))
    assert 60 <= len(stored(fresh)) <= 64
    assert len(looked) < 24
    for k in range(70, 230):  # a full folder is not looked through at every write
        cache.write(bytes([k]) * 32, bytes(1000))
    assert 60 <= len(stored(fresh)) <= 64
    assert len(looked) < 70


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", 512 * 2**20),
        ("1000", 1000),
        ("1000B", 1000),
        ("2KB", 2048),
        ("512MB", 512 * 2**20),
        ("0.5 gb", 2**29),
        ("0", 0),
    ],
)
def test_sizes(monkeypatch, text, expected):
    monkeypatch.setenv("AUTODIFF_CACHE_SIZE", text)
    assert cache.limit() == expected


@pytest.mark.parametrize("text", ["lots", "MB", "5TB", "-"])
def test_a_wrong_size(fresh, monkeypatch, text):
    monkeypatch.setenv("AUTODIFF_CACHE_SIZE", text)
    with pytest.warns(CacheWarning) as caught:
        assert cache.limit() == 0
    assert [str(each.message) for each in caught] == [
        f"AUTODIFF_CACHE_SIZE={text!r} is no size such as 512MB; compiled kernels are kept in memory only"
    ]


@pytest.mark.parametrize(
    ("platform", "environment", "expected"),
    [
        ("linux", {}, "/home/me/.cache/autodiff"),
        ("linux", {"XDG_CACHE_HOME": "/scratch/me"}, "/scratch/me/autodiff"),
        ("linux", {"XDG_CACHE_HOME": "scratch"}, "/home/me/.cache/autodiff"),
        ("darwin", {}, "/home/me/Library/Caches/autodiff"),
        ("win32", {}, "/home/me/AppData/Local/autodiff/cache"),
        ("win32", {"LOCALAPPDATA": "/local"}, "/local/autodiff/cache"),
        ("linux", {"AUTODIFF_CACHE_DIR": "~/kernels"}, "/home/me/kernels"),
        ("linux", {"AUTODIFF_CACHE_DIR": "/kernels"}, "/kernels"),
    ],
)
@posix
def test_where_the_folder_is(monkeypatch, platform, environment, expected):
    for name in ("AUTODIFF_CACHE_DIR", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    for name, value in ({"HOME": "/home/me"} | environment).items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(cache.sys, "platform", platform)
    assert str(cache.location()) == expected


def test_a_kernel_is_compiled_once(fresh, monkeypatch):
    address = kernel_address(TEXT)
    assert kernel_address(TEXT) == address
    info = autodiff.cache_info()
    assert (info.folder, info.entries, info.hits, info.misses, info.compiled) == (str(fresh), 1, 0, 1, 1)
    assert info.bytes == sum(each.stat().st_size for each in fresh.iterdir())
    another_process(monkeypatch)
    again = kernel_address(TEXT)
    assert again != address
    assert answer(again) == answer(address) == 42
    info = autodiff.cache_info()
    assert (info.hits, info.misses, info.compiled) == (1, 0, 0)
    autodiff.clear_cache()
    assert autodiff.cache_info().entries == 0
    assert answer(kernel_address(TEXT)) == answer(address) == 42
    info = autodiff.cache_info()
    assert (info.entries, info.hits, info.misses, info.compiled) == (1, 1, 1, 1)


def test_damaged_object_code_is_compiled_again(fresh, monkeypatch):
    kernel_address(TEXT)
    (path,) = fresh.iterdir()
    whole = path.read_bytes()
    for place in range(0, len(whole), len(whole) // 7):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 255]) + whole[place + 1 :])
        another_process(monkeypatch)
        assert answer(kernel_address(TEXT)) == 42
        assert (kernels._counts["hits"], kernels._counts["compiled"]) == (0, 1)
        assert cache.read(bytes.fromhex(path.stem)) is not None


def test_code_that_calls_what_is_not_there_is_compiled_again(fresh, monkeypatch):
    kernel_address(TEXT)
    another_process(monkeypatch)
    load, calls = kernels.load_object, []

    def load_badly(code):
        calls.append(1)
        if len(calls) == 1:
            raise KernelError("the code of a kernel needs something, which this process does not have")
        return load(code)

    monkeypatch.setattr(kernels, "load_object", load_badly)
    assert answer(kernel_address(TEXT)) == 42
    assert (kernels._counts["hits"], kernels._counts["compiled"]) == (0, 1)


def test_the_key_depends_on_all_that_code_depends_on(monkeypatch):
    import llvmlite.binding

    def with_change(*change, env=False):
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv(*change) if env else patch.setattr(*change)
            identity.surroundings.cache_clear()
            found = identity.key(TEXT, False)
        identity.surroundings.cache_clear()
        return found

    usual = identity.key(TEXT, False)
    keys = [
        usual,
        identity.key(TEXT + " ", False),
        identity.key(TEXT, True),
        with_change(llvmlite.binding, "get_host_cpu_name", lambda: "another"),
        with_change(llvmlite, "__version__", "99"),
        with_change(np, "__version__", "99.0"),
        with_change(identity, "numba_version", lambda: b"99"),
        with_change(identity, "own_sources", lambda: b"other"),
        with_change("NUMBA_OPT", "0", env=True),
    ]
    assert len(set(keys)) == len(keys)
    assert identity.key(TEXT, False) == usual
    assert b"mathematics/library.py" in identity.own_sources().replace(b"\\", b"/")
    assert b"version" in identity.numba_version()


def test_without_numba_the_error_says_what_to_install(fresh, monkeypatch):
    monkeypatch.setattr(identity, "find_spec", lambda name: None)
    with pytest.raises(
        KernelError,
        match=r"^this needs Numba: numba and llvmlite cannot be found \(pip install numba\)$",
    ):
        kernel_address(TEXT)


PROGRAM = """
    import sys
    import numpy as np
    import autodiff
    from autodiff.backends.native.arguments import ArrayArgument
    from autodiff.backends.compiling import kernel_address
    from autodiff.backends.native.launching import bind, launcher_kind

    text = sys.argv[1]
    out = np.zeros(1)
    assert bind(kernel_address(text), [0], [ArrayArgument(0, "f8", writeable=True)], rows=1)(out) is None
    info = autodiff.cache_info()
    print(out[0], launcher_kind(), info.hits, info.compiled, "numba" in sys.modules)
"""


def test_a_second_process_compiles_nothing_and_none_imports_numba(fresh, python):
    assert python(PROGRAM, TEXT) == "42.0 native 0 2 False\n"
    assert python(PROGRAM, TEXT) == "42.0 native 2 0 False\n"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork:DeprecationWarning")
def test_eight_processes_at_once(fresh, monkeypatch):
    kernel_address(TEXT.replace("42", "41"))  # Numba is imported once for all
    autodiff.clear_cache()
    texts = [TEXT.replace("42", str(k)) for k in range(3)]
    begin, end = os.pipe()
    children = []
    for _ in range(8):
        children.append(os.fork())
        if children[-1] == 0:
            code = 1
            try:
                os.close(end)
                os.read(begin, 1)
                code = 0 if [answer(kernel_address(text)) for text in texts] == [0, 1, 2] else 2
            finally:
                os._exit(code)
    os.close(begin)
    os.close(end)
    assert [os.waitpid(child, 0)[1] for child in children] == [0] * 8
    assert len(stored(fresh)) == 3
    another_process(monkeypatch)
    assert [answer(kernel_address(text)) for text in texts] == [0, 1, 2]
    assert kernels._counts == {"hits": 3, "misses": 0, "compiled": 0}


def test_importing_autodiff_imports_little(python):
    program = """
        import sys, autodiff
        late = "numba", "llvmlite", "scipy", "hashlib", "logging", "json", "autodiff.backends.reports.plan"
        print([each for each in late if each in sys.modules])
    """
    assert python(program) == "[]\n"


def test_threads_that_want_one_kernel_compile_it_once(fresh):
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(8) as pool:
        found = set(pool.map(kernel_address, [TEXT] * 8))
    assert len(found) == 1
    assert kernels._counts == {"hits": 0, "misses": 1, "compiled": 1}
