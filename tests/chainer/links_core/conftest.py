import importlib.util
import pathlib
import sys

# Links are pickled by the name of their module, which tests of this folder share.
SPEC = importlib.util.spec_from_file_location("models", pathlib.Path(__file__).with_name("models.py"))
sys.modules["models"] = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(sys.modules["models"])
