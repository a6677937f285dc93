"""Extensions of the trainer for several processes."""

from autodiff.chainermn.extensions.checkpoint import create_multi_node_checkpointer
from autodiff.chainermn.extensions.evaluation import GenericMultiNodeEvaluator, create_multi_node_evaluator
from autodiff.chainermn.extensions.observation import (
    AllreducePersistent,
    MultiNodeEarlyStoppingTrigger,
    ObservationAggregator,
)
from autodiff.chainermn.extensions.snapshot import multi_node_snapshot

__all__ = [
    "AllreducePersistent",
    "GenericMultiNodeEvaluator",
    "MultiNodeEarlyStoppingTrigger",
    "ObservationAggregator",
    "create_multi_node_checkpointer",
    "create_multi_node_evaluator",
    "multi_node_snapshot",
]
