"""A module of names in place of PyTorch, whose package brings gigabytes of libraries
for a GPU; what compilers for kernels need of it, to compile, is the names alone."""
import importlib.machinery
import sys
import types


class Names(types.ModuleType):
    """A module that has every name."""

    def __init__(self, name):
        super().__init__(name)
        self.__path__ = []
        self.__spec__ = importlib.machinery.ModuleSpec(name, None, is_package=True)
        sys.modules[name] = self

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        setattr(self, name, type(name, (), {}))
        return getattr(self, name)


def stand_in_for_torch():
    torch = Names("torch")
    for name in ("utils", "utils.dlpack", "utils.cpp_extension", "cuda", "nn", "nn.functional", "distributed", "version", "backends"):
        module = Names(f"torch.{name}")
        setattr(sys.modules["torch." + name.rpartition(".")[0] if "." in name else "torch"], name.rpartition(".")[2], module)
    Names("torch_c_dlpack_ext")
    torch.__version__, torch.version.cuda, torch.version.hip, torch.cuda.is_available = "2.9.0", "13.0", None, lambda: False
