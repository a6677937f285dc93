"""Snapshots, how they are written, and how training goes on from them."""

import os
import pickle
import threading
from unittest.mock import MagicMock

import numpy as np
import pytest

from autodiff.chainer.serializers import load_npz, save_npz
from autodiff.chainer.training import extensions
from autodiff.chainer.training.extensions import _snapshot, snapshot_writers

WRITERS = [
    snapshot_writers.SimpleWriter,
    snapshot_writers.ThreadWriter,
    snapshot_writers.ProcessWriter,
    snapshot_writers.ThreadQueueWriter,
    snapshot_writers.ProcessQueueWriter,
]


def files(trainer):
    return sorted(os.listdir(trainer.out))


def run(trainer, *extended, **keywords):
    for extension in extended:
        trainer.extend(extension, **keywords)
    trainer.run(show_loop_exception_msg=False)
    return trainer


def test_once_in_an_epoch(make_trainer):
    assert files(run(make_trainer(), extensions.snapshot())) == ["snapshot_iter_3", "snapshot_iter_6"]


def test_keys(make_trainer):
    trainer = make_trainer()
    for extension in (extensions.LogReport(["main/loss"]), extensions.observe_lr(), extensions.snapshot()):
        trainer.extend(extension)
    trainer.run()
    with np.load(os.path.join(trainer.out, "snapshot_iter_6")) as saved:
        assert sorted(saved) == [
            "_snapshot_elapsed_time",
            "extension_triggers/LogReport/previous_epoch_detail",
            "extension_triggers/LogReport/previous_iteration",
            "extension_triggers/_Snapshot/previous_epoch_detail",
            "extension_triggers/_Snapshot/previous_iteration",
            "extension_triggers/_observe_value/previous_epoch_detail",
            "extension_triggers/_observe_value/previous_iteration",
            "extensions/LogReport/_log",
            "extensions/LogReport/_summary/_names",
            "extensions/LogReport/_trigger/previous_epoch_detail",
            "extensions/LogReport/_trigger/previous_iteration",
            "stop_trigger/previous_epoch_detail",
            "stop_trigger/previous_iteration",
            "updater/iteration",
            "updater/iterator:main/current_position",
            "updater/iterator:main/epoch",
            "updater/model:main/w",
            "updater/optimizer:main/epoch",
            "updater/optimizer:main/t",
            "updater/optimizer:main/w/t",
        ]


def test_training_goes_on(make_trainer, line):
    trainer = run(make_trainer(), extensions.snapshot())
    resumed = make_trainer((4, "epoch"), model=line, extensions=[extensions.snapshot()])
    load_npz(os.path.join(trainer.out, "snapshot_iter_6"), resumed)
    assert resumed.updater.iteration == 6
    resumed.run()
    whole = run(make_trainer((4, "epoch"), out=trainer.out + "_whole"))
    np.testing.assert_array_equal(line.w.array, whole.updater.get_optimizer("main").target.w.array)
    assert resumed.elapsed_time > trainer.elapsed_time
    assert files(resumed) == ["snapshot_iter_12", "snapshot_iter_3", "snapshot_iter_6", "snapshot_iter_9"]


def test_a_trainer_that_has_not_begun_cannot_be_saved(make_trainer, tmp_path):
    with pytest.raises(RuntimeError, match=r"^training has not been started yet"):
        save_npz(tmp_path / "file", make_trainer())


def test_an_object(make_trainer, line):
    extension = extensions.snapshot_object(line, "model_{.updater.epoch}")
    trainer = run(make_trainer(model=line), extension)
    assert files(trainer) == ["model_1", "model_2"]
    other = type(line)()
    load_npz(os.path.join(trainer.out, "model_2"), other)
    np.testing.assert_array_equal(other.w.array, line.w.array)


def test_a_name_made_by_a_function(make_trainer, line):
    extension = extensions.snapshot_object(line, lambda trainer: f"at_{trainer.updater.iteration}.npz")
    assert files(run(make_trainer(model=line), extension)) == ["at_3.npz", "at_6.npz"]


def test_only_some_are_kept(make_trainer):
    trainer = run(make_trainer((4, "epoch")), extensions.snapshot(n_retains=2))
    assert files(trainer) == ["snapshot_iter_12", "snapshot_iter_9"]


def test_former_name_of_the_number_of_files(make_trainer, line):
    with pytest.warns(DeprecationWarning, match="num_retain is deprecated; use n_retains"):
        extension = extensions.snapshot(num_retain=2)
    assert files(run(make_trainer((4, "epoch")), extension)) == ["snapshot_iter_12", "snapshot_iter_9"]
    with pytest.warns(DeprecationWarning, match="num_retain is deprecated; use n_retains"):
        extension = extensions.snapshot_object(line, "line_{.updater.epoch}", num_retain=1)
    trainer = run(make_trainer(model=line), extension)
    assert [name for name in files(trainer) if name.startswith("line")] == ["line_2"]


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
@pytest.mark.parametrize("writer", WRITERS)
def test_writers(make_trainer, line, writer):
    trainer = run(make_trainer(model=line), extensions.snapshot(writer=writer(), n_retains=1))
    assert files(trainer) == ["snapshot_iter_6"]
    other = type(line)()
    load_npz(os.path.join(trainer.out, "snapshot_iter_6"), other, path="updater/model:main/")
    np.testing.assert_array_equal(other.w.array, line.w.array)


@pytest.mark.parametrize("writer", [snapshot_writers.ThreadWriter, snapshot_writers.ThreadQueueWriter])
def test_arrays_that_change_while_a_thread_writes(tmp_path, writer):
    begin, saved = threading.Event(), []

    def slowly(path, target):
        begin.wait(10)
        saved.append(target["w"].copy())
        open(path, "w").close()

    array = np.zeros(2)
    instance = writer(slowly)
    instance("file", str(tmp_path), {"w": array})
    array += 1  # as an optimizer does
    begin.set()
    instance.finalize()
    np.testing.assert_array_equal(saved, [[0, 0]])


def test_a_queue_goes_on_after_an_error(tmp_path, capsys):
    def fail_at_first(path, target):
        if target == 1:
            raise ValueError("disk full")
        open(path, "w").close()

    writer = snapshot_writers.ThreadQueueWriter(fail_at_first)
    writer("a", str(tmp_path), 1)
    writer("b", str(tmp_path), 2)
    writer.finalize()
    assert os.listdir(tmp_path) == ["b"]
    assert "ValueError: disk full" in capsys.readouterr().err


def test_a_queue_of_mocks():
    item, queue = MagicMock(), MagicMock()
    queue.get.side_effect = [item, item, None]
    snapshot_writers.QueueWriter().consume(queue)
    assert (item[0].call_count, queue.task_done.call_count) == (2, 3)


def test_keywords_for_the_save_function(tmp_path):
    def save(path, target, mode):
        with open(path, "w") as file:
            file.write(mode)

    snapshot_writers.SimpleWriter(save, mode="fast")("file", str(tmp_path), {})
    assert (tmp_path / "file").read_text() == "fast"


def test_an_error_leaves_the_file_of_before(tmp_path):
    def fail(path, target):
        with open(path, "w") as file:
            file.write("half")
        raise ValueError("disk full")

    (tmp_path / "file").write_text("whole")
    with pytest.raises(ValueError, match="disk full"):
        snapshot_writers.SimpleWriter(fail)("file", str(tmp_path), {})
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    assert (tmp_path / "file").read_text() == "whole"


def test_abstract_writers(tmp_path):
    with pytest.raises(NotImplementedError, match=r"^StandardWriter must define create_worker"):
        snapshot_writers.StandardWriter()("file", str(tmp_path), {})
    with pytest.raises(NotImplementedError, match=r"^QueueWriter must define create_queue"):
        snapshot_writers.QueueWriter()("file", str(tmp_path), {})
    with pytest.raises(NotImplementedError, match=r"^Writer must define __call__"):
        snapshot_writers.Writer()("file", str(tmp_path), {})


def test_condition(make_trainer):
    wanted = iter([False, True])
    assert files(run(make_trainer(), extensions.snapshot(condition=lambda: next(wanted)))) == ["snapshot_iter_6"]


@pytest.mark.parametrize(
    ("wanted", "names"), [(False, ["snapshot_iter_3"]), (True, ["snapshot_iter_3", "snapshot_iter_4"])]
)
def test_on_error(make_trainer, wanted, names):
    def fail(trainer):
        raise ValueError("boom")

    trainer = make_trainer()
    trainer.extend(fail, trigger=(4, "iteration"))
    with pytest.raises(ValueError, match="boom"):
        run(trainer, extensions.snapshot(snapshot_on_error=wanted))
    assert files(trainer) == names


def test_autoload(make_trainer, line):
    run(make_trainer((1, "epoch")), extensions.snapshot(autoload=True))
    trainer = run(make_trainer((2, "epoch"), model=line), extensions.snapshot(autoload=True))
    assert files(trainer) == ["snapshot_iter_3", "snapshot_iter_6"]
    assert trainer.updater.get_optimizer("main").t == 6


def test_autoload_of_an_object(make_trainer, line):
    trainer = run(make_trainer((1, "epoch")), extensions.snapshot_object(line, "model", autoload=True))
    line.w.array[:] = 5
    save_npz(os.path.join(trainer.out, "model"), line)
    other = type(line)()
    run(make_trainer(lambda trainer: True), extensions.snapshot_object(other, "model", autoload=True))
    np.testing.assert_array_equal(other.w.array, [5])


@pytest.mark.parametrize("keywords", [{"autoload": True}, {"n_retains": 1}])
def test_files_whose_names_a_function_makes_cannot_be_found(keywords):
    with pytest.raises(TypeError) as caught:
        extensions.snapshot(filename=lambda trainer: "name", **keywords)
    assert str(caught.value) == (
        "autoload and n_retains look for files by their name; give filename as a format, such as "
        "'snapshot_iter_{.updater.iteration}', not as a function"
    )


def test_two_ways_to_write():
    with pytest.raises(TypeError) as caught:
        extensions.snapshot(save_npz, writer=snapshot_writers.SimpleWriter())
    assert str(caught.value) == "savefun and writer cannot be specified together; pass savefun to the writer"


def test_files_by_format_and_time(tmp_path):
    names = ["snapshot_iter_1", "snapshot_iter_10", "snapshot_iter_2", "tmp-snapshot_iter_3", "xsnapshot_iter_5", "log"]
    for time, name in enumerate(names):
        (tmp_path / name).touch()
        os.utime(tmp_path / name, (time, time))
    pattern = "snapshot_iter_{.updater.iteration}"
    assert [name for _, name in _snapshot._find_snapshot_files(pattern, tmp_path)] == names[:3]
    assert _snapshot._find_latest_snapshot(pattern, tmp_path) == "snapshot_iter_2"
    assert _snapshot._find_stale_snapshots(pattern, tmp_path, 1) == names[:2]
    assert _snapshot._find_latest_snapshot("model_{.updater.epoch}.npz", tmp_path) is None


def test_hdf5(make_trainer, line):
    pytest.importorskip("h5py")
    from autodiff.chainer.serializers import load_hdf5, save_hdf5

    trainer = make_trainer(extensions=[extensions.LogReport(), extensions.snapshot(save_hdf5)])
    trainer.run()
    resumed = make_trainer(
        (3, "epoch"), model=line, extensions=[extensions.LogReport(), extensions.snapshot(save_hdf5)]
    )
    load_hdf5(os.path.join(trainer.out, "snapshot_iter_6"), resumed)
    assert (resumed.updater.iteration, len(resumed.get_extension("LogReport").log)) == (6, 2)


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
@pytest.mark.parametrize("writer", WRITERS)
def test_writers_travel_to_processes_that_are_not_forked(make_trainer, writer):
    instance = writer()
    run(make_trainer(), extensions.snapshot(writer=instance, n_retains=1))
    copy = pickle.loads(pickle.dumps(instance))
    assert type(copy) is writer
    assert len(copy._post_save_hooks) == 1
