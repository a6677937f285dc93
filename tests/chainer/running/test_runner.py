import numpy as np
import pytest

from autodiff import chainer
from autodiff.chainer.running.errors import show_error
from tests.chainer.running.process import run, written


def test_a_script_finds_itself_as_under_python(tmp_path):
    script = written(
        tmp_path,
        "folder/script.py",
        """
        import sys, inspect
        import beside
        def annotated(x: int): pass
        print(__name__, __file__, sys.argv, sys.path[0])
        print(sys.modules["__main__"].__dict__ is globals(), inspect.getsource(beside.f).strip(), annotated.__annotations__)
        """,
    )
    written(tmp_path, "folder/beside.py", "def f(): return 1")
    out, err = run("folder/script.py", "--compat", "v1", "-m", cwd=tmp_path)
    assert out.splitlines() == [
        f"__main__ {script} ['folder/script.py', '--compat', 'v1', '-m'] {script.parent}",
        "True def f(): return 1 {'x': <class 'int'>}",
    ]
    assert err == ""


def test_a_module_finds_itself_as_under_python(tmp_path):
    module = written(tmp_path, "package/program.py", "import sys; print(__name__, __package__, sys.argv, sys.path[0])")
    out, _ = run("-m", "package.program", "-x", cwd=tmp_path)
    assert out == f"__main__ package ['{module}', '-x'] {tmp_path}\n"


def test_old_calls_in_modules_of_a_program_that_is_run_as_a_module(tmp_path):
    package = tmp_path / "package"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "data.py").write_text("import numpy as np\nROWS = np.array([[1, 2], [3]])\n")
    (package / "program.py").write_text("from package import data\nprint(data.ROWS.dtype)\n")
    assert run("-m", "package.program", cwd=tmp_path)[0] == "object\n"


def test_modules_of_earlier_versions_are_attributes_without_an_import(tmp_path):
    script = written(
        tmp_path,
        "script.py",
        """
        import chainer
        import chainer.functions as F
        import chainer.links as L
        cell = L.StatelessLSTM(2, 2)
        a, i, f, o = F.activation.lstm._extract_gates(cell.upward.b.array.reshape(1, 8, 1))
        f[...] = 3
        print(cell.upward.b.array)
        print(F.activation.slstm is F.rnn.slstm, F.connection.n_step_lstm is F.rnn.n_step_lstm)
        print(L.connection.gru is L.rnn.gru, chainer.training.triggers.interval.IntervalTrigger.__name__)
        """,
    )
    out, _ = run(script)
    assert out.splitlines() == ["[0. 0. 3. 0. 0. 0. 3. 0.]", "True True", "True IntervalTrigger"]


def test_modules_of_chainer_1_by_their_names(tmp_path):
    script = written(
        tmp_path,
        "script.py",
        """
        import numpy as np
        import chainer.functions.basic_math as M
        from chainer.functions import caffe, linear
        from chainer.functions.caffe import CaffeFunction
        from chainer.functions.caffe.caffe_function import CaffeFunction as other
        from chainer.functions.pooling_2d import AveragePooling2D, MaxPooling2D
        import chainer.functions as F
        import chainer.links as L
        print(M is F.math.basic_math, caffe is L.caffe, CaffeFunction is other is L.caffe.CaffeFunction)
        print(MaxPooling2D(2, 2)(np.arange(4.0).reshape(1, 1, 2, 2)).array, F.linear is linear, callable(linear))
        """,
    )
    out, _ = run("--compat", "v1", script)
    assert out.splitlines() == ["True True True", "[[[[3.]]]] True True"]


def test_chainer_is_autodiff_chainer_under_both_names(tmp_path):
    script = written(
        tmp_path,
        "script.py",
        """
        import sys
        import chainer, chainer.cuda, chainerx, chainermn
        import chainer.functions as F
        from chainer.functions.activation.relu import relu
        from chainer import backends, Variable
        import autodiff.chainer
        assert chainer is autodiff.chainer and chainer.__name__ == "autodiff.chainer"
        assert chainer.__spec__.name == "autodiff.chainer" and chainer.functions is F
        assert sys.modules["chainer.functions"] is sys.modules["autodiff.chainer.functions"]
        assert sys.modules["chainer.functions.activation.relu"].relu is relu is F.relu
        assert chainer.cuda is backends.cuda
        from chainer.functions.activation import lstm  # where Chainer 1 to 5 had it
        from chainer.links.connection.n_step_rnn import argsort_list_descent, permutate_list
        from chainer.links.connection import n_step_gru, n_step_lstm, n_step_rnn
        assert all(each.permutate_list is permutate_list for each in (n_step_gru, n_step_lstm, n_step_rnn))
        assert n_step_lstm.argsort_list_descent is n_step_gru.argsort_list_descent is argsort_list_descent
        import chainer.training.triggers.interval
        assert lstm is sys.modules["autodiff.chainer.functions.rnn.lstm"] and lstm.lstm is F.lstm
        assert sys.modules["chainer.links.connection.n_step_rnn"] is sys.modules["autodiff.chainer.links.rnn.n_step_rnn"]
        assert not chainerx.is_available() and chainer.__version__ == "7.8.1"
        try:
            import chainer.nothing
        except ModuleNotFoundError as error:
            print(error)
        """,
    )
    assert run(script)[0] == "No module named 'chainer.nothing'\n"


def test_an_installed_chainer_is_outranked_also_in_children(tmp_path):
    written(tmp_path, "site/chainer/__init__.py", "raise RuntimeError('the installed Chainer was imported')")
    script = written(
        tmp_path,
        "script.py",
        """
        import subprocess, sys
        sys.path.insert(0, "site")
        import chainer
        print(chainer.__name__)
        code = "import chainer, numpy; print(chainer.__name__, numpy.float)"
        print(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout)
        """,
    )
    out, _ = run(script, cwd=tmp_path)
    assert out.split("\n") == ["autodiff.chainer", "autodiff.chainer <class 'float'>", "", ""]


CHILDREN = """
    import multiprocessing
    import numpy as np
    TWO = np.BEFORE(2)
    import chainer
    import chainer.functions as F

    def work(x):
        import autodiff.chainer, sys
        assert chainer is autodiff.chainer and sys.modules["chainer.functions"] is F
        assert isinstance(x, chainer.Variable)
        return float(F.sum(x * TWO).array), __name__, hasattr(chainer, "ON")

    if __name__ == "__main__":
        context = multiprocessing.get_context("METHOD")
        with context.Pool(1) as pool:
            print(pool.apply_async(work, (chainer.Variable(np.ones(3, np.float32)),)).get(timeout=300))
"""


@pytest.mark.parametrize(
    ("method", "compat", "name"),
    [("fork", "", "__main__"), ("spawn", "", "__mp_main__"), ("forkserver", "v1", "__mp_main__")],
)
def test_children_have_the_same_modules(tmp_path, method, compat, name):
    script = written(tmp_path, "script.py", CHILDREN.replace("METHOD", method).replace("BEFORE", "float"))
    out, _ = run(*(["--compat", compat] if compat else []), script, PYTHONWARNINGS="ignore")
    assert out == f"(6.0, '{name}', {bool(compat)})\n"


def test_spawned_children_of_a_module_have_the_same_modules(tmp_path):
    written(tmp_path, "package/program.py", CHILDREN.replace("METHOD", "spawn").replace("BEFORE", "float32"))
    assert run("-m", "package.program", cwd=tmp_path)[0] == "(6.0, '__mp_main__', False)\n"


def test_an_uncaught_error_shows_the_lines_of_the_program_alone(tmp_path):
    script = written(
        tmp_path,
        "script.py",
        """
        import chainer
        def f():
            raise ValueError("wrong")
        f()
        """,
    )
    _, err, code = run(script, check=False)
    assert code == 1
    lines = [line for line in err.splitlines() if not set(line) <= set(" ^~")]
    assert lines == [
        "Traceback (most recent call last):",
        f'  File "{script}", line 5, in <module>',
        "    f()",
        f'  File "{script}", line 4, in f',
        '    raise ValueError("wrong")',
        "ValueError: wrong",
    ]


def test_what_chainer_brought_along_is_named(capsys):
    show_error(ModuleNotFoundError, ModuleNotFoundError("No module named 'six'", name="six"), None)
    assert capsys.readouterr().err == (
        "ModuleNotFoundError: No module named 'six'\nChainer brought six along and autodiff does not: pip install six\n"
    )


def test_numbers_of_numpy_that_made_an_array_float64_are_named(capsys):
    with pytest.raises(chainer.utils.type_check.InvalidType) as caught:
        chainer.links.Linear(3, 2)(np.sqrt(2) * np.ones((2, 3), np.float32))
    show_error(caught.type, caught.value, None)
    assert capsys.readouterr().err.endswith(
        "Actual: float32 != float64\nSince NumPy 2, a float32 array times a number of NumPy's own, such as np.sqrt(2), is "
        "a float64 array.\nIf that is the cause, make it a number of Python's: float(np.sqrt(2))\n"
    )


def test_a_syntax_error_shows_its_line(tmp_path):
    script = written(tmp_path, "script.py", "x = = 1\n")
    _, err, code = run(script, check=False)
    assert code == 1
    assert err.splitlines()[0] == f'  File "{script}", line 1'
    assert err.splitlines()[-1] == "SyntaxError: invalid syntax"


def test_the_exit_code_is_the_program_s(tmp_path):
    assert run(written(tmp_path, "script.py", "raise SystemExit(7)"), check=False)[2] == 7


def test_a_missing_script_is_an_error_of_the_command_line(tmp_path):
    _, err, code = run("nothing.py", cwd=tmp_path, check=False)
    assert code == 2
    assert err.splitlines()[-1] == (
        "python -m autodiff.chainer: error: there is no file 'nothing.py'; -m nothing.py runs a module"
    )


def test_old_names_of_numpy_are_there_unless_refused(tmp_path):
    script = written(tmp_path, "script.py", "import numpy as np; print(np.zeros(1, np.float), np.asscalar(np.ones(1)))")
    assert run(script)[0] == "[0.] 1.0\n"
    _, err, code = run("--no-numpy-aliases", script, check=False)
    assert code == 1
    assert "AttributeError: module 'numpy' has no attribute 'float'" in err


def test_without_the_switch_old_keywords_are_refused(tmp_path):
    script = written(
        tmp_path,
        "script.py",
        """
        import numpy as np, chainer
        import chainer.functions as F
        x = np.ones(2, np.float32)
        for call in (lambda: chainer.Variable(x, volatile=True), lambda: F.dropout(x, train=False)):
            try:
                call()
            except ValueError as error:
                print(error)
        print(hasattr(chainer, "ON"), hasattr(F, "Convolution2D"), len(chainer.Variable(np.ones((2, 3)))))
        """,
    )
    assert run(script)[0].splitlines() == [
        "Variable(volatile=...) is gone (script.py:5); use no_backprop_mode(), or using_config('enable_backprop', False)"
        ", or run the program with python -m autodiff.chainer --compat v1",
        "train= is gone; use chainer.using_config('train', value) (script.py:5), or run the program with python -m "
        "autodiff.chainer --compat v1",
        "False False 2",
    ]


def test_chainermn_without_mpiexec_is_one_process(tmp_path):
    script = written(
        tmp_path,
        "script.py",
        """
        import numpy as np, chainer, chainermn
        import chainermn.links
        comm = chainermn.create_communicator("naive")
        assert (comm.rank, comm.size, comm.intra_rank) == (0, 1, 0)
        data = chainermn.scatter_dataset(list(range(9)), comm, shuffle=True, seed=0)
        print(sorted(data), comm.allreduce_obj(3), comm.gather_obj(1), comm.bcast_obj("x"))
        try:
            comm.send(np.ones(1), 1)
        except ValueError as error:
            print(error)
        model = chainermn.links.create_mnbn_model(chainer.Sequential(chainer.links.BatchNormalization(2)), comm)
        optimizer = chainermn.create_multi_node_optimizer(chainer.optimizers.SGD(), comm).setup(model)
        for _ in range(2):
            optimizer.update(lambda: chainer.functions.sum(model(np.arange(6, dtype="f").reshape(3, 2))))
        print(type(model[0]).__name__, optimizer.t)
        """,
    )
    out, err = run(script)
    assert out.splitlines() == [
        "[0, 1, 2, 3, 4, 5, 6, 7, 8] 3 [1] x",
        "process 0 of 1 has no partner 1 (script.py:9): messages go to another one",
        "MultiNodeBatchNormalization 1",
    ]
    assert not err


def test_chainerx_is_not_there(tmp_path):
    script = written(
        tmp_path,
        "script.py",
        """
        import chainerx
        print(chainerx.is_available(), isinstance(1, chainerx.ndarray))
        print(hasattr(chainerx, "ones"))
        for call in (lambda: chainerx.ndarray((2,)), lambda: chainerx.ones((2,))):
            try:
                call()
            except RuntimeError as error:
                print("ChainerX is not available" in str(error))
        """,
    )
    assert run(script)[0].splitlines() == ["False False", "False", "True", "True"]


def test_the_classes_of_functions_are_where_chainer_2_to_4_had_them(tmp_path):
    script = written(
        tmp_path,
        "script.py",
        """
        import chainer
        import chainer.functions as F
        import numpy as np
        from chainer.functions.activation.relu import ReLU
        x = chainer.Variable(np.arange(16, dtype=np.float32).reshape(1, 1, 4, 4))
        pooling = F.MaxPooling2D(2, 2)
        y = pooling.apply((x,))[0]
        print(pooling.indexes.tolist(), F.upsampling_2d(y, pooling.indexes, pooling.kh, pooling.sy, pooling.ph).shape)
        assert F.ReLU is ReLU and isinstance(F.relu(x).creator, F.ReLU)
        try:
            F.Nothing
        except AttributeError as error:
            print(error)
        """,
    )
    assert run(script)[0].splitlines() == [
        "[[[[3, 3], [3, 3]]]] (1, 1, 3, 3)",
        "module 'autodiff.chainer.functions' has no attribute 'Nothing'; Chainer 1 had classes: run a program that "
        "needs them with --compat v1",
    ]
