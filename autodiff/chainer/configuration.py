"""The configuration: see :mod:`autodiff.facade.configuration`."""

from autodiff.facade.configuration import GlobalConfig, LocalConfig, config, global_config, using_config

__all__ = ["GlobalConfig", "LocalConfig", "config", "global_config", "using_config"]
