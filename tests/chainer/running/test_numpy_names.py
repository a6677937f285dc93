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
"""


def test_numpy_has_its_former_names(tmp_path):
    script = written(tmp_path, "script.py", f"import numpy as np\nassert all(found := [{VALUES}]), found")
    run(script)
