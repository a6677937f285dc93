from tests.chainer.running.process import run, written

VALUES = """
    np.int is int, np.float is float, np.complex is complex, np.object is object, np.str is str,
    np.bool8 is np.bool_, np.float_ is np.float64, np.complex_ is np.complex128, np.unicode is str,
    np.unicode_ is np.str_, np.string_ is np.bytes_, np.singlecomplex is np.complex64, np.cfloat is np.complex128,
    np.Inf == np.infty == np.Infinity == np.PINF == np.inf == -np.NINF, np.isnan(np.NaN), np.PZERO == np.NZERO == 0,
    np.product([2, 3]) == 6, np.cumproduct([2, 3])[1] == 6, np.alltrue([1, 1]), np.sometrue([0, 1]),
    np.round_(1.2) == 1, np.trapz([1.0, 1.0]) == 1, np.in1d([1, 2], [2])[1],
    np.asfarray([1]).dtype == np.float64, np.asfarray([1], np.int32).dtype == np.float64, np.mat([1]).shape == (1, 1),
    np.asfarray([1], np.float32).dtype == np.float32, np.asscalar(np.ones(1)) == 1, np.msort([2, 1])[0] == 1,
    np.find_common_type([np.float32], [np.float64]) == np.float32,
    np.find_common_type([np.int64], [np.float32]) == np.float32,
    np.int0 is np.intp, np.uint0 is np.uintp, np.object0 is np.object_, np.typeDict["float32"] is np.float32,
    np.cast["f"](1).dtype == np.float32, np.cast[np.int32]([1.5, 2]).tolist() == [1, 2], np.math.pi == np.pi,
    issubclass(np.VisibleDeprecationWarning, UserWarning), issubclass(np.ComplexWarning, RuntimeWarning),
    issubclass(np.RankWarning, Warning), issubclass(np.TooHardError, RuntimeError), np.warnings.warn,
    np.AxisError is np.exceptions.AxisError, issubclass(np.ModuleDeprecationWarning, DeprecationWarning),
    np.lib.pad is np.pad, np.lib.unique is np.unique, np.lib.stride_tricks.as_strided, np.lib.r_ is np.r_,
    np.linalg.linalg.norm is np.linalg.norm, np.core.multiarray.array is np.array, np.core.numeric.asarray is np.asarray,
"""

PYTHONS = """
    time.clock() <= time.clock(), [fractions.gcd(*pair) for pair in ((12, 18), (6, -4), (-6, 4), (5, 0))] == [6, -2, 2, 5],
    base64.encodestring(b"a") == b"YQ==\\n", base64.decodestring(b"YQ==") == b"a",
    threading.Thread().isAlive() is False,
"""


def test_numpy_has_its_former_names(tmp_path):
    script = written(tmp_path, "script.py", f"import numpy as np\nassert all(found := [{VALUES}]), found")
    assert "numpy.core" not in run(script)[1]


def test_python_has_former_functions(tmp_path):
    modules = "base64, fractions, threading, time"
    run(written(tmp_path, "script.py", f"import {modules}\nassert all(found := [{PYTHONS}]), found"))


def test_numpys_former_modules_can_be_imported(tmp_path):
    script = written(
        tmp_path,
        "script.py",
        """
        from numpy.linalg.linalg import norm
        from numpy.core.multiarray import ndarray
        import numpy.linalg.linalg as linalg
        print(norm([3, 4]), ndarray.__name__, linalg.LinAlgError.__name__)
        """,
    )
    assert run(script) == ("5.0 ndarray LinAlgError\n", "")


def test_the_first_overflow_of_a_number_says_what_may_have_caused_it(tmp_path):
    script = written(
        tmp_path,
        "script.py",
        """
        import numpy as np
        image = np.full((2, 2), 200, np.uint8)
        print(image[0, 0] * 2)
        print(sum(image[0]))
        np.array([1e300]) * 1e300
        """,
    )
    out, err = run(script)
    assert out == "144\n144\n"
    assert err.count("overflow encountered") == 3
    assert err.count("int(img[0, 0]) * 2") == 1
    assert "Since NumPy 2" not in run("--no-numpy-aliases", script)[1]


def test_arrays_of_one_element_are_numbers_to_old_programs_and_modules_beside_them(tmp_path):
    """Wherever Python itself still takes what NumPy made of them."""
    written(tmp_path, "beside.py", "import numpy as np\ndef f(x): return float(x), int(*[x.item()])")
    script = written(
        tmp_path,
        "script.py",
        """
        import numpy as np
        import beside
        x = np.array([[3]], "f")
        print(int(x), float("1.5"), complex(x), int("11", 2), beside.f(x), int is type(1))
        print([np.float32(1.5)], repr(np.int64(3)))
        print(np.stack(a for a in (np.ones(2), np.zeros(2))).shape, np.vstack([[1], [2]]).shape)
        """,
    )
    assert run(script)[0].splitlines() == ["3 1.5 (3+0j) 3 (3.0, 3) True", "[1.5] 3", "(2, 2) (2, 1)"]


def test_python_has_its_former_names(tmp_path):
    script = written(
        tmp_path,
        "script.py",
        """
        import collections, inspect
        from collections import Iterable, Mapping
        print(isinstance([], Iterable), Mapping is collections.abc.Mapping)
        print(*inspect.getargspec(lambda a, b=1, *c, **d: 0))
        try:
            inspect.getargspec(lambda *, a: 0)
        except ValueError as error:
            print(error)
        """,
    )
    assert run(script)[0].splitlines() == [
        "True True",
        "['a', 'b'] c d (1,)",
        "the function has keyword-only arguments or annotations; use inspect.signature",
    ]


def test_without_former_names_python_and_numpy_are_as_they_are(tmp_path):
    script = written(
        tmp_path,
        "script.py",
        """
        import collections
        import numpy as np
        print(hasattr(collections, "Iterable"), [np.float32(1.5)])
        """,
    )
    assert run("--no-numpy-aliases", script)[0] == "False [np.float32(1.5)]\n"
