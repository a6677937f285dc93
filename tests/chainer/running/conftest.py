"""What is run in a process that is switched to Chainer 1, by ``test_v1.py``, is not collected here."""

from autodiff.facade.settings.configuration import deviations
from autodiff.facade.settings.volatility import SWITCH

collect_ignore_glob = [] if SWITCH in deviations else ["v1_*.py"]
