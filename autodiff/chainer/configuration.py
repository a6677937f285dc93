"""The configuration: see :mod:`autodiff.facade.settings.configuration`."""

from autodiff.facade.settings.configuration import GlobalConfig, LocalConfig, config, global_config, using_config

__all__ = ["GlobalConfig", "LocalConfig", "config", "global_config", "using_config"]
