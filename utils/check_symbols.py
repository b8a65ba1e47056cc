#!/usr/bin/env python3
"""Checks that Simt's objects reference nothing of what they judge.

usage: check_symbols.py BUILD [LIBRARY]

LIBRARY, DistaffSimt unless given, must mention no symbol that DistaffLayout or
DistaffTarget defines, no type of their headers, and none of the dialects'
functions that hand over to them. Prints each with its object; exit status 1 if
there is one. What no #include shows is seen here: a method of an attribute that
answers from its layout compiles without the layout's header.
"""
import re
import subprocess
import sys
from pathlib import Path

JUDGED = ("Layout", "Target")
HAND_OVER = r"vector_ext::(VectorLayoutInterface|NestedLayoutAttr|DigitLayoutAttr|layout_defaults)\b" \
            r"|iree::MmaLayoutAttr::getRow\b"
TYPE = re.compile(r"^(?:class|struct|enum class|enum) (\w+)\b[^;]*$", re.MULTILINE)


def symbols(library, *flags):
    """(object, kind, name) of every symbol; nm's own words for kinds."""
    command = ["nm", "-A", "-C", *flags, str(library)]
    for line in subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines():
        found = re.match(r"[^ ]*?([^:/ ]+\.o):[0-9a-f ]{16,17} *([A-Za-z]) (.*)", line)
        if found:
            yield found.groups()


def main():
    build = Path(sys.argv[1])
    library = build / "lib" / f"lib{sys.argv[2] if len(sys.argv) > 2 else 'DistaffSimt'}.a"
    root = Path(__file__).resolve().parent.parent
    defined, types = set(), set()
    for folder in JUDGED:
        archive = build / "lib" / f"libDistaff{folder}.a"
        # Weak ones are templates of LLVM's that anyone may instantiate.
        defined |= {name for _, kind, name in symbols(archive, "--defined-only") if kind in "TDBR"}
        for header in sorted((root / "include" / "distaff" / folder).glob("*.h")):
            types |= set(TYPE.findall(header.read_text()))
    if not defined or not types:
        sys.exit(f"{', '.join(JUDGED)} define no symbol or no type, so nothing was checked")
    mentions = re.compile(r"\bdistaff::(%s)\b|%s" % ("|".join(sorted(types)), HAND_OVER))
    number, errors = 0, []
    for where, kind, name in symbols(library):
        number += 1
        if (kind == "U" and name in defined) or mentions.search(name):
            errors.append(f"{library.stem.removeprefix('libDistaff')}: {where} references {name}")
    for error in sorted(set(errors)):
        print(error)
    print(f"{number} symbols, {len(set(errors))} of {' and '.join(JUDGED)}")
    return 1 if errors or not number else 0


sys.exit(main())
