# shellcheck shell=bash
# Installs the packages of a finding and compares what was seen with what was
# described. To be sourced by a finding; expects bash on Linux x86-64.
#
#   debian NAME=VERSION...    unpacks Debian packages; their files lie in $debian
#   pypi NAME==VERSION...     installs PyPI packages; their files lie in $pypi
#   llvm                      unpacks LLVM and MLIR 22.1.8 and puts their tools on PATH
#   tilelang                  installs TileLang 0.1.15 for Python; scripts import torch_names first
#   ptxas                     installs ptxas and nvdisasm 13.5 and puts them on PATH
#   expect WHAT SEEN WANTED   prints what was seen; ends with 1 if it is not WANTED
#
# A script ends with 0 if all is as its header says, with 1 if not, with 2 if a
# package could not be installed. Packages are unpacked in a temporary folder that
# goes away with the script, or in the folder that FINDINGS_CACHE names, which
# stays and is used again.

set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
packages=$(realpath -m "${FINDINGS_CACHE:-$work/packages}")

notInstalled() {
  echo "not installed: $*" >&2
  exit 2
}

# Installs the packages $2 in $packages/$1 by the command "$3...", unless they are there.
installOnce() {
  local folder=$packages/$1 wanted=$2
  shift 2
  if [[ ! -e $folder/installed || $(<"$folder/installed") != "$wanted" ]]; then
    rm -rf "$folder"
    mkdir -p "$folder"
    (cd "$folder" && "$@") >&2 || notInstalled "$wanted"
    echo "$wanted" >"$folder/installed"
  fi
}

unpackDebian() {
  apt-get -qq -o APT::Sandbox::User=root download "$@" && for archive in *.deb; do
    dpkg -x "$archive" . && rm "$archive" || return
  done
}

debian() {
  installOnce "debian-$(echo "$*" | cksum | cut -d ' ' -f 1)" "$*" unpackDebian "$@"
  debian=$packages/debian-$(echo "$*" | cksum | cut -d ' ' -f 1)
}

installPyPI() {
  python3 -m pip install --quiet --disable-pip-version-check --no-deps \
    --root-user-action=ignore --target . "$@"
}

pypi() {
  installOnce "pypi-$(echo "$*" | cksum | cut -d ' ' -f 1)" "$*" installPyPI "$@"
  pypi=$packages/pypi-$(echo "$*" | cksum | cut -d ' ' -f 1)
}

llvm() {
  local version=1:22.1.8-1~deb12u1 prefix
  debian {mlir-22-tools,libmlir-22,llvm-22,llvm-22-runtime,libllvm22}="$version"
  prefix=$debian/usr/lib
  export PATH=$prefix/llvm-22/bin:$PATH
  export LD_LIBRARY_PATH=$prefix/llvm-22/lib:$prefix/x86_64-linux-gnu
  # Their versions do not matter, so they are the distribution's.
  if ldd "$prefix/llvm-22/bin/"{mlir-opt,llc} | grep 'not found' >&2; then
    debian libbsd0 libedit2 libffi8 libicu72 libmd0 libxml2 libz3-4 libzstd1
    LD_LIBRARY_PATH+=:$debian/usr/lib/x86_64-linux-gnu
  fi
}

ptxas() {
  pypi nvidia-cuda-nvcc==13.5.37 nvidia-cuda-nvdisasm==13.5.37
  export PATH=$pypi/nvidia/cu13/bin:$PATH
  unset -f ptxas
}

# TileLang imports PyTorch, whose package brings gigabytes, and needs nothing of it to
# compile; so torch_names stands for it, a module that has every name.
tilelang() {
  pypi tilelang==0.1.15 apache-tvm-ffi==0.1.12 z3-solver==4.15.4.0 cloudpickle==3.1.3 psutil==7.2.2 tqdm==4.70.1 \
    ml-dtypes==0.6.0 typing-extensions==4.16.0 numpy==2.4.6
  cat >"$work/torch_names.py" <<'PYTHON'
import importlib.machinery
import sys
import types


class Names(types.ModuleType):
    def __init__(self, name):
        super().__init__(name)
        self.__path__, self.__spec__ = [], importlib.machinery.ModuleSpec(name, None, is_package=True)
        sys.modules[name] = self

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        setattr(self, name, type(name, (), {}))
        return getattr(self, name)


torch = Names("torch")
for part in ("utils", "utils.dlpack", "utils.cpp_extension", "cuda", "nn", "nn.functional", "distributed", "version", "backends"):
    above, _, last = f"torch.{part}".rpartition(".")
    setattr(sys.modules[above], last, Names(f"torch.{part}"))
Names("torch_c_dlpack_ext")
torch.__version__, torch.version.cuda, torch.version.hip, torch.cuda.is_available = "2.9.0", "13.0", None, lambda: False
PYTHON
  export PYTHONPATH=$pypi:$work
}

expect() {
  echo "$1: $2"
  if [[ $2 != "$3" ]]; then
    echo "changed; it was: $3"
    exit 1
  fi
}
