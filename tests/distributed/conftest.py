"""What is collected here: not the programs of users, who have `chainer` and `chainermn` where they are run."""

collect_ignore = ["examples"]
