"""Packages that only a machine with a GPU has, as empty modules of which everything may be imported."""
import importlib.abc
import importlib.machinery
import importlib.metadata
import sys
import types

NAMES = {"transformer_engine", "transformer_engine_torch", "nvidia_resiliency_ext", "modelopt", "fla", "mamba_ssm",
         "causal_conv1d", "flashinfer", "fast_hadamard_transform", "deep_ep", "multistorageclient", "tensorboard",
         "wandb"}
VERSION = "2.9.0"


class Anything(type):
    """A class whose attributes are classes of the kind."""

    def __getattr__(cls, name):
        if name.startswith("__"):
            raise AttributeError(name)
        made = Anything(name, (), {})
        setattr(cls, name, made)
        return made


class Empty(types.ModuleType):
    __version__ = VERSION
    __path__ = []

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        made = Anything(name, (), {})
        setattr(self, name, made)
        return made


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, fullname, path=None, target=None):
        if fullname.split(".")[0] in NAMES:
            return importlib.machinery.ModuleSpec(fullname, self, is_package=True)
        return None

    def create_module(self, spec):
        return Empty(spec.name)

    def exec_module(self, module):
        pass


def install():
    sys.meta_path.insert(0, Finder())
    installed = importlib.metadata.version
    importlib.metadata.version = lambda name: VERSION if name.replace("-", "_") in NAMES else installed(name)
