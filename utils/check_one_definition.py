#!/usr/bin/env python3
"""Finds classes and inline functions that two files define differently under one name.

usage: check_one_definition.py (--build DIR | OBJECT ...)

C++ takes any one of the definitions for all of them and reports nothing. Without
optimisation, an inline member has the same code in each object that has it, and so the
same size: objects in which a weak symbol has several sizes come from two definitions.
Of a build, those objects are compared that were compiled with -O0. Exit status 1 if
there is such a symbol, or if there was nothing to compare.
"""
import argparse
import collections
import json
import subprocess
import sys
from pathlib import Path

NM, DEMANGLE = "llvm-nm-22", "llvm-cxxfilt-22"


def unoptimised_objects(build):
    """The objects of a build that were compiled with -O0 in the end, and are there."""
    listed = subprocess.run(["ninja", "-C", build, "-t", "compdb"], capture_output=True, text=True, check=True)
    for entry in json.loads(listed.stdout):
        levels = [word for word in entry["command"].split() if word.startswith("-O")]
        path = Path(build, entry["output"])
        if levels[-1:] == ["-O0"] and path.suffix == ".o" and path.exists():
            yield path


def weak_sizes(objects):
    """By weak symbol, the objects that define it by the size that it has there."""
    sizes = collections.defaultdict(lambda: collections.defaultdict(list))
    for path in objects:
        listed = subprocess.run([NM, "-S", "--defined-only", "--no-sort", path], capture_output=True, text=True, check=True)
        for line in listed.stdout.splitlines():
            words = line.split()
            if len(words) == 4 and words[2] in ("W", "V"):
                sizes[words[3]][int(words[1], 16)].append(path)
    return sizes


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path)
    parser.add_argument("objects", nargs="*", type=Path)
    options = parser.parse_args()
    objects = [*options.objects, *(unoptimised_objects(options.build) if options.build else ())]
    if len(objects) < 2:
        sys.exit("error: there are no two objects without optimisation to compare")
    several = {symbol: by_size for symbol, by_size in weak_sizes(objects).items() if len(by_size) > 1}
    for symbol, by_size in sorted(several.items()):
        name = subprocess.run([DEMANGLE, symbol], capture_output=True, text=True, check=True).stdout.strip()
        print(f"{name} has several definitions:")
        for size, paths in sorted(by_size.items()):
            print(f"  {size} bytes in {', '.join(map(str, paths))}")
    print(f"{len(objects)} objects compared, {len(several)} symbols of several definitions")
    return bool(several)


sys.exit(main())
