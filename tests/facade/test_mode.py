"""no_backprop_mode and force_backprop_mode."""

import threading

import numpy as np

from autodiff.facade import Variable, force_backprop_mode, no_backprop_mode
from autodiff.facade.settings.configuration import config, deviations, global_config, using_config


def recorded():
    return (Variable(np.ones(2)) * 2.0).creator is not None


def test_modes_nest():
    assert recorded()
    with no_backprop_mode():
        assert not recorded()
        with force_backprop_mode():
            assert recorded()
            with no_backprop_mode():
                assert not recorded()
            assert recorded()
        assert not recorded()
    assert recorded()
    assert not deviations


def test_modes_end_with_exceptions_and_may_be_entered_again():
    mode = no_backprop_mode()
    for _ in range(2):
        try:
            with mode:
                assert not recorded()
                raise KeyError
        except KeyError:
            assert recorded()


def test_modes_decorate():
    assert no_backprop_mode()(recorded)() is False


def test_other_threads_are_not_concerned():
    found = []
    with no_backprop_mode():
        thread = threading.Thread(target=lambda: found.append(recorded()))
        thread.start()
        thread.join()
    assert found == [True]


def test_an_entry_of_the_global_configuration():
    with using_config("entry_for_all_threads", 1, global_config):
        assert config.entry_for_all_threads == 1
    assert not hasattr(config, "entry_for_all_threads")
