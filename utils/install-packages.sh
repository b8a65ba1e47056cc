#!/usr/bin/env bash
# Installs the Debian packages that building and testing need, those named as
# arguments too, and only those that are missing, so that it needs no network
# once everything is there.
set -euo pipefail
packages=(cmake ninja-build ccache clang-22 clang-format-22 lld-22 llvm-22-dev llvm-22-tools
          libmlir-22-dev mlir-22-tools libgtest-dev libbenchmark-dev
          nlohmann-json3-dev libjemalloc-dev libmpfr-dev python3 "$@")
missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f '${Status}' "$package" 2>/dev/null |
    grep -q 'install ok installed' || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0
echo "installing: ${missing[*]}"
as_root=()
[ "$(id -u)" -eq 0 ] || as_root=(sudo)
export DEBIAN_FRONTEND=noninteractive
"${as_root[@]}" apt-get -qq update
"${as_root[@]}" apt-get -qq install -y --no-install-recommends "${missing[@]}"
