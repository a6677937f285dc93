"""Typical mistakes with functions and Variables, by name: each is a function that makes one.

They are made with two interpreters: one where Chainer 7.8.1 runs, which records what it raises, and ours.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from tests.chainer.recorded.names import namespace as chainer

F, L, O, D = chainer.functions, chainer.links, chainer.optimizers, chainer.distributions  # noqa: E741 - the customary letter
gradient_check, testing, link_hooks = (
    import_module(f"{chainer.__name__}.{name}") for name in ("gradient_check", "testing", "link_hooks")
)
ONES = np.ones((2, 3), "f")
LABELS = np.array([0, 1], "i")
MISTAKES: dict[str, Callable[[], Any]] = {}


def enter(**functions: Callable[[], Any]) -> None:
    """Enter mistakes of one line."""
    MISTAKES.update(functions)


class Doubled(chainer.FunctionNode):
    """A function whose output and gradients are given."""

    def __init__(self, out: Any = None, grads: Any = None) -> None:
        self.out, self.grads = out, grads

    def forward(self, inputs: Any) -> Any:
        return (inputs[0] * 2,) if self.out is None else self.out

    def backward(self, indexes: Any, grad_outputs: Any) -> Any:
        return self.grads


def back(**keywords: Any) -> Any:
    x = chainer.Variable(ONES)
    return F.sum(Doubled(**keywords).apply((x,))[0]).backward()


# Functions
enter(
    linear_of_wrong_width=lambda: L.Linear(4, 2)(ONES),
    linear_of_doubles=lambda: L.Linear(3, 2)(ONES.astype("d")),
    linear_of_integers=lambda: L.Linear(3, 2)(LABELS[None]),
    linear_of_a_list=lambda: L.Linear(3, 2)([[1.0, 2.0, 3.0]]),
    linear_of_none=lambda: L.Linear(3, 2)(None),
    linear_without_an_input=lambda: L.Linear(3, 2)(),
    linear_of_two_inputs=lambda: L.Linear(3, 2)(ONES, ONES, ONES),
    linear_with_a_keyword_too_many=lambda: L.Linear(3, 2, wscale=1),
    sum_of_shapes=lambda: chainer.Variable(ONES) + np.ones((2, 4), "f"),
    sum_of_dtypes=lambda: chainer.Variable(ONES) + ONES.astype("d"),
    sum_with_a_text=lambda: chainer.Variable(ONES) + "1",
    sum_with_none=lambda: chainer.Variable(ONES) + None,
    power_with_none=lambda: chainer.Variable(ONES) ** None,
    matmul_of_shapes=lambda: F.matmul(ONES, ONES),
    concat_of_shapes=lambda: F.concat([ONES, ONES.T], axis=0),
    concat_of_nothing=lambda: F.concat([]),
    concat_of_an_array=lambda: F.concat(ONES),
    stack_of_shapes=lambda: F.stack([ONES, ONES.T]),
    reshape_of_sizes=lambda: F.reshape(ONES, (4, 2)),
    reshape_with_two_unknowns=lambda: F.reshape(ONES, (-1, -1)),
    transpose_of_axes=lambda: F.transpose(ONES, (0, 0)),
    split_unequally=lambda: F.split_axis(ONES, 2, axis=1),
    split_by_a_text=lambda: F.split_axis(ONES, "2", axis=1),
    squeeze_of_a_long_axis=lambda: F.squeeze(ONES, axis=1),
    broadcast_to_fewer=lambda: F.broadcast_to(ONES, (3,)),
    index_out_of_range=lambda: chainer.Variable(ONES)[5],
    index_by_a_text=lambda: chainer.Variable(ONES)["a"],
    indexes_too_many=lambda: chainer.Variable(ONES)[0, 0, 0],
    two_ellipses=lambda: F.get_item(ONES, (Ellipsis, Ellipsis)),
    cross_entropy_of_float_labels=lambda: F.softmax_cross_entropy(ONES, np.zeros(2, "f")),
    cross_entropy_of_columns=lambda: F.softmax_cross_entropy(ONES, np.zeros((2, 1), "i")),
    cross_entropy_of_other_counts=lambda: F.softmax_cross_entropy(ONES, np.zeros(3, "i")),
    cross_entropy_of_an_unknown_reduction=lambda: F.softmax_cross_entropy(ONES, LABELS, reduce="sum"),
    cross_entropy_of_double_weights=lambda: F.softmax_cross_entropy(ONES, LABELS, class_weight=np.ones(3)),
    cross_entropy_of_weights_in_a_table=lambda: F.softmax_cross_entropy(ONES, LABELS, class_weight=np.ones((3, 1), "f")),
    cross_entropy_of_weights_in_a_list=lambda: F.softmax_cross_entropy(ONES, LABELS, class_weight=[1, 1, 1]),
    sigmoid_cross_entropy_of_floats=lambda: F.sigmoid_cross_entropy(ONES, ONES),
    sigmoid_cross_entropy_of_shapes=lambda: F.sigmoid_cross_entropy(ONES, LABELS),
    squared_error_of_shapes=lambda: F.mean_squared_error(ONES, ONES.T),
    squared_error_of_dtypes=lambda: F.mean_squared_error(ONES, ONES.astype("d")),
    accuracy_of_shapes=lambda: F.accuracy(ONES, np.zeros(5, "i")),
    embedding_of_floats=lambda: L.EmbedID(3, 2)(ONES),
    embedding_out_of_range=lambda: embedding_in_debug_mode(),
    convolution_of_channels=lambda: L.Convolution2D(3, 2, 3)(np.ones((1, 4, 5, 5), "f")),
    convolution_of_rank=lambda: L.Convolution2D(3, 2, 3)(np.ones((3, 5, 5), "f")),
    convolution_that_is_too_large=lambda: L.Convolution2D(3, 2, 7)(np.ones((1, 3, 5, 5), "f")),
    convolution_of_groups=lambda: L.Convolution2D(3, 2, 3, groups=2),
    convolution_without_a_size=lambda: L.Convolution2D(3, 2)(np.ones((1, 3, 5, 5), "f")),
    deconvolution_of_channels=lambda: L.Deconvolution2D(3, 2, 3)(np.ones((1, 4, 5, 5), "f")),
    pooling_of_rank=lambda: F.max_pooling_2d(ONES, 2),
    pooling_of_integers=lambda: F.average_pooling_2d(np.ones((1, 1, 4, 4), "i"), 2),
    normalization_of_channels=lambda: L.BatchNormalization(4)(ONES),
    normalization_without_a_size=lambda: L.BatchNormalization(),
    dropout_of_a_ratio=lambda: F.dropout(ONES, 1.5),
    dropout_with_train=lambda: F.dropout(ONES, 0.5, train=True),
    relu_of_integers=lambda: F.relu(LABELS),
    log_of_integers=lambda: F.log(LABELS),
    sum_over_a_missing_axis=lambda: F.sum(ONES, axis=2),
    where_of_floats=lambda: F.where(ONES, ONES, ONES),
    clip_of_bounds=lambda: F.clip(ONES, 2.0, 1.0),
    lstm_of_three_gates=lambda: F.lstm(ONES, np.ones((2, 9), "f")),
    recurrent_layers_of_an_array=lambda: L.NStepLSTM(1, 3, 2, 0.0)(None, None, ONES),
    recurrent_layers_of_unsorted_widths=lambda: L.NStepLSTM(1, 3, 2, 0.0)(None, None, [np.ones((2, 4), "f")]),
    recurrent_state_of_a_number=lambda: L.LSTM(3, 2).set_state(1, 2),
    ctc_of_a_blank=lambda: F.connectionist_temporal_classification([ONES, ONES], np.ones((2, 1), "i"), 7),
    one_grad_for_cast=lambda: F.cast(ONES, "no dtype"),
    triplet_of_shapes=lambda: F.triplet(ONES, ONES, ONES.T),
    einsum_of_letters=lambda: F.einsum("ij,jk->il", ONES, ONES.T),
    tensordot_of_axes=lambda: F.tensordot(ONES, ONES, axes=1),
    pad_of_a_mode=lambda: F.pad(ONES, 1, "nothing"),
    space_of_channels=lambda: F.depth2space(np.ones((1, 3, 2, 2), "f"), 2),
    inverse_of_a_singular_matrix=lambda: F.inv(np.zeros((2, 2), "f")),
    inverse_of_a_rectangle=lambda: F.inv(ONES),
    normal_of_negative_scale=lambda: D.Normal(np.zeros(2, "f")),
    divergence_of_kinds=lambda: chainer.kl_divergence(D.Normal(ONES, ONES), D.Gumbel(ONES, ONES)),
)  # fmt: skip


def embedding_in_debug_mode() -> None:
    with chainer.using_config("debug", True):
        L.EmbedID(3, 2)(np.array([5], "i"))


# Variables and gradients
enter(
    variable_of_a_list=lambda: chainer.Variable([1.0, 2.0]),
    variable_of_a_number=lambda: chainer.Variable(1.0),
    variable_of_a_variable=lambda: chainer.Variable(chainer.Variable(ONES)),
    variable_with_an_unknown_keyword=lambda: chainer.Variable(ONES, gradient=1),
    variable_with_volatile=lambda: chainer.Variable(ONES, volatile=True),
    truth_of_a_variable=lambda: bool(chainer.Variable(ONES)),
    variables_compared=lambda: chainer.Variable(ONES) < 1,
    variable_as_a_key=lambda: {chainer.Variable(ONES): 1},
    float_of_many=lambda: float(chainer.Variable(ONES)),
    assigned_item=lambda: chainer.Variable(ONES).__setitem__(0, 1),
    gradient_of_a_list=lambda: setattr(chainer.Variable(ONES), "grad", [1]),
    gradient_of_a_shape=lambda: setattr(chainer.Variable(ONES), "grad", ONES.T),
    gradient_of_a_dtype=lambda: setattr(chainer.Variable(ONES), "grad", ONES.astype("d")),
    gradient_variable_of_an_array=lambda: setattr(chainer.Variable(ONES), "grad_var", ONES),
    data_of_a_list=lambda: setattr(chainer.Variable(ONES), "array", [1]),
    creator_of_an_object=lambda: chainer.Variable(ONES).set_creator(1),
    reshape_of_a_variable=lambda: chainer.Variable(ONES).reshape(5),
    gradient_before_a_parameter_is=lambda: chainer.Parameter().grad,
    dtype_before_a_parameter_is=lambda: chainer.Parameter(chainer.initializers.Normal()).dtype,
    grad_of_arrays=lambda: chainer.grad(ONES, [chainer.Variable(ONES)]),
    grad_of_one_variable=lambda: chainer.grad(F.sum(chainer.Variable(ONES)), chainer.Variable(ONES)),
    grads_of_another_count=lambda: chainer.grad([chainer.Variable(ONES)], [chainer.Variable(ONES)], [None, None]),
    backward_of_old_functions_twice=lambda: old_twice(),
    forward_that_gives_an_array=lambda: Doubled(ONES).apply((ONES,)),
    forward_that_gives_numbers=lambda: Doubled((1.0,)).apply((ONES,)),
    forward_that_gives_a_list=lambda: Doubled([ONES]).apply((ONES,)),
    inputs_that_are_numbers=lambda: Doubled().apply((1.0,)),
    inputs_that_are_no_tuple=lambda: Doubled().apply(1.0),
    backward_that_gives_too_many=lambda: back(grads=(chainer.Variable(ONES),) * 2),
    backward_that_gives_an_array=lambda: back(grads=(ONES,)),
    backward_that_gives_one=lambda: back(grads=chainer.Variable(ONES)),
    backward_of_another_shape=lambda: back(grads=(chainer.Variable(ONES.T.copy()),)),
    backward_of_another_dtype=lambda: back(grads=(chainer.Variable(ONES.astype("d")),)),
    node_without_a_backward=lambda: F.sum(type("N", (chainer.FunctionNode,), {"forward": lambda self, x: x})().apply((chainer.Variable(ONES),))[0]).backward(),
    node_without_a_forward=lambda: chainer.FunctionNode().apply((ONES,)),
    hook_twice=lambda: hook_entered_twice(),
    hook_of_a_node_that_is_none=lambda: Doubled().add_hook(1),
    nan_in_debug_mode=lambda: nan_in_debug_mode(),
    unknown_setting=lambda: chainer.config.no_such_setting,
    unknown_device=lambda: chainer.get_device("@nothing"),
    unknown_device_of_an_object=lambda: chainer.get_device([]),
    gpu_of_a_link=lambda: L.Linear(3, 2).to_gpu(),
    gpu_of_a_variable=lambda: chainer.Variable(ONES).to_gpu(),
    gpu_of_an_array=lambda: chainer.cuda.to_gpu(ONES),
    chainerx_of_a_link=lambda: L.Linear(3, 2).to_chx(),
    chainerx_of_a_variable=lambda: chainer.Variable(ONES).to_chx(),
    intel_of_a_link=lambda: L.Linear(3, 2).to_intel64(),
    device_of_a_name=lambda: L.Linear(3, 2).to_device("@cupy:0"),
    gradients_that_are_wrong=lambda: gradient_check.check_backward(lambda x: Doubled(grads=(chainer.Variable(ONES),)).apply((x,))[0], ONES, ONES),
    values_that_are_far=lambda: testing.assert_allclose(ONES, 2 * ONES),
)  # fmt: skip


def old_twice() -> None:
    class Old(chainer.Function):
        def forward(self, x: Any) -> Any:
            return (x[0] * 2,)

        def backward(self, x: Any, g: Any) -> Any:
            return (g[0] * 2,)

    x = chainer.Variable(ONES)
    (g,) = chainer.grad([Old()(x)], [x], [chainer.Variable(ONES)], enable_double_backprop=True)
    chainer.grad([F.sum(g)], [x])


def hook_entered_twice() -> None:
    with chainer.function_hooks.TimerHook(), chainer.function_hooks.TimerHook():
        pass


def nan_in_debug_mode() -> None:
    with chainer.using_config("debug", True):
        F.log(-ONES)
