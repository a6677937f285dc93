"""Mistakes with links, optimizers, files, data and trainers."""

from __future__ import annotations

import io
import tempfile
from typing import Any

import numpy as np

from tests.chainer.mistakes.table import LABELS, ONES, F, L, O, chainer, enter, gradient_check, link_hooks

training, serializers, iterators, datasets = chainer.training, chainer.serializers, chainer.iterators, chainer.datasets
extensions, triggers = training.extensions, training.triggers


def archived(link: Any, **keywords: Any) -> Any:
    """The file that a link is saved to."""
    file = io.BytesIO()
    serializers.save_npz(file, link, **keywords)
    file.seek(0)
    return file


def updated(optimizer: Any = None, model: Any = None, x: Any = ONES, t: Any = LABELS) -> Any:
    model = model or L.Classifier(L.Linear(3, 2))
    return (optimizer or O.SGD()).setup(model).update(model, x, t)


def trainer(stop: Any = (1, "iteration"), data: Any = None, **keywords: Any) -> Any:
    model = L.Classifier(L.Linear(3, 2))
    data = list(zip(ONES, LABELS)) if data is None else data
    updater = training.StandardUpdater(iterators.SerialIterator(data, 2), O.SGD().setup(model), **keywords)
    return training.Trainer(updater, stop, out=tempfile.mkdtemp())


def extended(extension: Any, **keywords: Any) -> Any:
    found = trainer()
    found.extend(extension, **keywords)
    return found.run(show_loop_exception_msg=False)


# Links and optimizers
enter(
    link_without_init=lambda: type("N", (chainer.Chain,), {"__init__": lambda self: None})()(1),
    link_in_a_scope_before_init=lambda: type("N", (chainer.Chain,), {"__init__": lambda self: self.init_scope().__enter__()})(),
    link_without_a_forward=lambda: chainer.Chain()(ONES),
    link_that_is_there=lambda: chainer.Chain(a=L.Linear(2)).add_link("a", L.Linear(2)),
    link_that_is_a_number=lambda: chainer.Chain(a=1),
    link_that_is_not_there=lambda: chainer.Chain(a=L.Linear(2))["b"],
    link_of_a_list_that_is_a_number=lambda: chainer.ChainList(1),
    link_of_a_list_out_of_range=lambda: chainer.ChainList(L.Linear(2))[3],
    layer_that_cannot_be_called=lambda: chainer.Sequential(1),
    parameter_that_is_there=lambda: parameter_added_twice(),
    parameters_of_other_links=lambda: L.Linear(3, 2).copyparams(chainer.Chain()),
    parameters_of_other_shapes=lambda: L.Linear(3, 2).copyparams(L.Linear(4, 2)),
    gradients_of_other_shapes=lambda: added_gradients(),
    copy_of_an_unknown_mode=lambda: L.Linear(3, 2).copy("deep"),
    initializer_of_a_shape=lambda: L.Linear(3, 2, initialW=ONES),
    initializer_of_a_text=lambda: L.Linear(3, 2, initialW="normal"),
    label_of_a_classifier=lambda: L.Classifier(L.Linear(3, 2), label_key="t")(ONES, LABELS),
    label_of_a_classifier_out_of_range=lambda: L.Classifier(L.Linear(3, 2), label_key=4)(ONES, LABELS),
    label_of_a_classifier_of_a_kind=lambda: L.Classifier(L.Linear(3, 2), label_key=1.5),
    optimizer_of_a_list=lambda: O.SGD().setup([L.Linear(2)]),
    optimizer_of_a_parameter=lambda: O.SGD().setup(chainer.Parameter(ONES)),
    optimizer_without_setup=lambda: O.SGD().update(),
    optimizer_with_an_unknown_keyword=lambda: O.SGD(rate=1),
    hook_without_setup=lambda: O.SGD().add_hook(chainer.optimizer_hooks.WeightDecay(0.1)),
    hook_of_a_number=lambda: O.SGD().setup(L.Linear(2, 2)).add_hook(1),
    hook_that_is_there=lambda: hook_added_twice(),
    hook_that_is_not_there=lambda: O.SGD().setup(L.Linear(2, 2)).remove_hook("x"),
    hook_of_an_unknown_time=lambda: O.SGD().setup(L.Linear(2, 2)).add_hook(lambda o: o, "n", timing="later"),
    update_without_gradients=lambda: O.SGD().setup(L.Linear(2, 2)).update(),
    update_of_what_is_no_loss=lambda: O.SGD().setup(L.Linear(2, 2)).update(lambda: 1.0),
    update_of_many_losses=lambda: O.SGD().setup(L.Linear(3, 2)).update(L.Linear(3, 2), ONES),
    update_of_a_parameter_without_shape=lambda: updated(model=L.Classifier(chainer.Sequential(L.Linear(2))), x=ONES, t=LABELS),
    update_with_wrong_labels=lambda: updated(t=np.zeros(5, "i")),
    adam_of_a_vanishing_eps=lambda: updated(O.Adam(eps=1e-300)),
    hyperparameter_that_is_not_there=lambda: O.SGD().hyperparam.momentum,
    loss_scale_of_a_text=lambda: O.SGD().setup(L.Linear(2, 2)).set_loss_scale("x"),
)  # fmt: skip


def parameter_added_twice() -> None:
    link = chainer.Link()
    link.add_param("W", (2,))
    link.add_param("W", (2,))


def added_gradients() -> None:
    a, b = L.Linear(3, 2), L.Linear(4, 2)
    for link in (a, b):
        link.W.grad, link.b.grad = np.ones_like(link.W.array), np.ones_like(link.b.array)
    a.addgrads(b)


def hook_added_twice() -> None:
    optimizer = O.SGD().setup(L.Linear(2, 2))
    optimizer.add_hook(chainer.optimizer_hooks.WeightDecay(0.1))
    optimizer.add_hook(chainer.optimizer_hooks.WeightDecay(0.1))


# Files, data, training
enter(
    file_without_a_key=lambda: serializers.load_npz(archived(L.Linear(3, 2, nobias=True)), L.Linear(3, 2)),
    file_of_other_shapes=lambda: serializers.load_npz(archived(L.Linear(3, 2)), L.Linear(4, 2)),
    file_that_is_not_there=lambda: serializers.load_npz("/no/such/file.npz", L.Linear(3, 2)),
    file_of_another_kind=lambda: serializers.load_npz(io.BytesIO(b"text"), L.Linear(3, 2)),
    file_of_a_path_that_is_not_there=lambda: serializers.load_npz(archived(L.Linear(3, 2)), L.Linear(3, 2), path="updater/"),
    examples_of_shapes=lambda: chainer.dataset.concat_examples([ONES, ONES[:1]]),
    examples_of_nothing=lambda: chainer.dataset.concat_examples([]),
    examples_of_counts=lambda: chainer.dataset.concat_examples([(ONES, 1), (ONES,)]),
    examples_of_keys=lambda: chainer.dataset.concat_examples([{"a": ONES}, {"b": ONES}]),
    examples_with_wrong_padding=lambda: chainer.dataset.concat_examples([(ONES, 1)], padding=(0,)),
    tuples_of_counts=lambda: datasets.TupleDataset(ONES, LABELS[:1]),
    tuples_of_nothing=lambda: datasets.TupleDataset(),
    dictionary_of_counts=lambda: datasets.DictDataset(a=ONES, b=LABELS[:1]),
    example_out_of_range=lambda: datasets.SubDataset([1, 2, 3], 0, 2)[2],
    split_beyond_the_end=lambda: datasets.split_dataset([1, 2], 3),
    split_by_a_float=lambda: datasets.split_dataset([1, 2], 0.5),
    images_that_are_not_there=lambda: datasets.ImageDataset(["/no/such.png"])[0],
    folds_too_many=lambda: datasets.get_cross_validation_datasets([1, 2], 1)[3],
    iterator_that_ended=lambda: ended_iterator(),
    iterator_of_two_orders=lambda: iterators.SerialIterator([1], 1, shuffle=True, order_sampler=lambda order, position: None),
    updater_without_an_optimizer=lambda: trainer(data=[]).updater.get_optimizer("other"),
    updater_without_an_iterator=lambda: trainer().updater.get_iterator("other"),
    updater_of_a_loss=lambda: trainer(loss_func=lambda x: x).run(show_loop_exception_msg=False),
    updater_of_a_device=lambda: trainer(device="@cupy:0"),
    trainer_of_a_word=lambda: trainer(stop=(1, "second")),
    trainer_run_twice=lambda: trainer_run_twice(),
    time_before_training=lambda: trainer().elapsed_time,
    extension_that_is_not_there=lambda: trainer().get_extension("LogReport"),
    extension_that_is_a_number=lambda: extended(1),
    extension_that_fails=lambda: extended(lambda trainer: 1 / 0),
    extension_of_an_unknown_trigger=lambda: extended(extensions.LogReport(), trigger="epoch"),
    extension_of_a_trigger_of_three=lambda: extended(extensions.LogReport(), trigger=(1, 2, 3)),
    report_to_an_unknown_observer=lambda: extended(lambda trainer: chainer.report({"a": 1}, L.Linear(2))),
    printed_without_a_log=lambda: extended(extensions.PrintReport(["epoch"]), trigger=(1, "iteration")),
    shift_of_an_attribute=lambda: extended(extensions.ExponentialShift("alpha", 0.5), trigger=(1, "iteration")),
    shift_by_a_negative_rate=lambda: extensions.ExponentialShift("lr", -1),
    shift_below_zero=lambda: extensions.PolynomialShift("lr", -1, 0),
    evaluator_of_an_empty_iterator=lambda: extended(extensions.Evaluator(iterators.SerialIterator([], 1, repeat=False), L.Classifier(L.Linear(3, 2))), trigger=(1, "iteration")),
    observers_of_one_name=lambda: chainer.reporter.Reporter().add_observers("a", 1),
    summary_of_texts=lambda: chainer.reporter.Summary().add("a"),
    gradient_check_of_shapes=lambda: gradient_check.check_backward(lambda x: x * 2, ONES, ONES.T),
    numerical_gradient_of_integers=lambda: gradient_check.numerical_grad(lambda: (LABELS,), (LABELS,), (LABELS,)),
    walker_of_negatives=lambda: chainer.utils.WalkerAlias([]),
    hdf5_of_an_object=lambda: serializers.load_hdf5("/no/such/file.h5", L.Linear(3, 2)),
    attribute_that_a_module_lacks=lambda: chainer.functions.no_such_function,
    link_that_a_module_lacks=lambda: chainer.links.Lineer,
    taps_of_zoneout=lambda: F.zoneout(ONES, ONES, ratio=2.0),
    prelu_of_shapes=lambda: L.PReLU((4,))(ONES),
    spectral_norm_without_a_weight=lambda: chainer.Chain(l=L.Linear(2, 2)).add_hook(link_hooks.SpectralNormalization()),
)  # fmt: skip


def ended_iterator() -> None:
    iterator = iterators.SerialIterator([1], 1, repeat=False)
    next(iterator)
    next(iterator)


def trainer_run_twice() -> None:
    found = trainer()
    found.run()
    found.run()
