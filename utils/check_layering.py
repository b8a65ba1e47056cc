#!/usr/bin/env python3
"""Checks every #include against the table in docs/Architecture.md.

usage: check_layering.py [ROOT]

Prints each include that the table does not allow, with file and line; exit
status 1 if there is one, or if a library does what is a tool's to do: print,
open files, parse flags, end the process, or applies patterns of MLIR without
the guards of lib/Rewrite. Also holds Runtime and Ptx free of MLIR and LLVM, Layout, Target and
Draw free of MLIR, and tools to the Driver and to what registering needs.
Headers of include/distaff itself belong to no folder: everything may include
them, so CheckedSize.h is held free of both. What a folder must never reach is
followed through every header of ours on the way.
"""
import functools
import re
import sys
from pathlib import Path

INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]')
FOREIGN = {"Runtime": ("mlir/", "llvm/"), "Ptx": ("mlir/", "llvm/"), "Layout": ("mlir/",), "Target": ("mlir/",),
           "Draw": ("mlir/",)}
# An oracle that sees the tables of what it judges agrees with their bugs.
NEVER = {"Simt": {"Layout", "Target"}}
# What is a tool's to do: a library returns structs and diagnostics.
TOOLS_WORK = re.compile(r"\bllvm::(?:outs|errs|dbgs)\b|\bstd::(?:cout|cerr|clog)\b|\bcl::(?:opt|list|bits)\b"
                        r"|\b(?:v?f?printf|f?puts|fputc|putchar|_?exit|_Exit|abort)\(")
FILE_WORK = re.compile(r"\braw_fd_ostream\b|\bMemoryBuffer::get(?:File|STDIN)\w*|\bllvm::sys::fs\b|\bstd::[io]?fstream\b|\bf?open\(")
# Arrays and packages in files; tools outside LLVM, which work on temporary ones.
FILES_IN = ("lib/Runtime/", "lib/Pipelines/EmitTools.cpp")
# Patterns of MLIR are applied under the guards of lib/Rewrite, which know those that miscompile.
UNGUARDED = re.compile(r"\b(?:createCanonicalizerPass|FrozenRewritePatternSet)\(|\b(?:applyPatternsGreedily|applyOpPatternsGreedily"
                       r"|walkAndApplyPatterns|FrozenRewritePatternSet(?:\s+(?!guarded\b)\w+)?)\s*[({](?:(?!guarded\()[^;])*?"
                       r"(?:std::move\(|RewritePatternSet\()")
# distaff-opt registers dialects and passes; distaff-launch is built on Runtime alone.
TOOLS = {"Driver", "Dialect", "Kernel", "Target", "Launches", "Configure", "Import", "Tiling", "Layouts", "PCF", "Distribution", "Staging",
         "Lower", "Cpu", "Conversion", "Pipelines", "Runtime"}


def read_table(page):
    rows, inside = {}, False
    for line in page.read_text().splitlines():
        if line.startswith("#"):
            inside = line == "## Who may include whom"
        elif inside and line.startswith("| ") and not line.startswith(("| folder", "| ---")):
            folder, allowed = (cell.strip() for cell in line.strip("|").split("|"))
            rows[folder] = {name.strip() for name in allowed.split(",") if name.strip()}
    return rows


def folder_of(path, root):
    parts = path.relative_to(root).parts
    if parts[0] == "tools":
        return "tools"
    return parts[2] if parts[:2] == ("include", "distaff") else parts[1]


@functools.cache
def includes_of(path):
    lines = enumerate(path.read_text().splitlines(), 1)
    return [(number, match.group(1)) for number, line in lines if (match := INCLUDE.match(line))]


@functools.cache
def header_file(header, includer, root):
    """The file of ours that an include names; None for another's or a generated one."""
    for candidate in (root / "include" / header, includer.parent / header):
        if candidate.is_file():
            return candidate.resolve()
    return None


def reached(path, root):
    """Every header of ours that path reaches, each with the headers on the way to it."""
    ways, waiting = {}, [(path, ())]
    while waiting:
        includer, way = waiting.pop()
        for _, header in includes_of(includer):
            found = header_file(header, includer, root)
            if found and found not in ways:
                ways[found] = (*way, found)
                waiting.append((found, ways[found]))
    return ways


def never_reached(path, folder, root):
    """One message per header that path reaches only through others and never may."""
    for header, way in sorted(reached(path, root).items()):
        if len(way) > 1 and folder_of(header, root) in NEVER[folder]:
            through = ", ".join(str(step.relative_to(root)) for step in way[:-1])
            yield f"{path.relative_to(root)}: {folder} reaches {header.relative_to(root)} through {through}"


def tools_work(path, root):
    """One message per line on which a library prints, opens a file, parses flags or ends the process."""
    name = str(path.relative_to(root))
    refused = [TOOLS_WORK] if name.startswith(FILES_IN) else [TOOLS_WORK, FILE_WORK]
    text = path.read_text()
    refused = [pattern for pattern in refused if pattern.search(text)]
    for number, line in enumerate(text.splitlines() if refused else (), 1):
        for match in filter(None, (pattern.search(line.split("//")[0]) for pattern in refused)):
            yield f"{name}:{number}: a library does what is a tool's to do: {match.group().rstrip('(')}"


def unguarded(path, root):
    """One message per place where a library applies patterns that did not go through `guarded`."""
    name, text = str(path.relative_to(root)), path.read_text()
    if not name.startswith(("lib/Rewrite/", "tools/")):
        for match in UNGUARDED.finditer(text):
            yield f"{name}:{text.count(chr(10), 0, match.start()) + 1}: patterns that did not go through distaff::guarded"


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent.parent).resolve()
    table = read_table(root / "docs" / "Architecture.md")
    if not table:
        sys.exit("docs/Architecture.md has no include table")
    sources = [path for pattern in ("include/distaff/*/**/*", "lib/*/**/*", "tools/*/**/*")
               for path in root.glob(pattern) if path.suffix in (".h", ".cpp", ".c")]
    errors = []
    for path in root.glob("include/distaff/CheckedSize.h"):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            match = INCLUDE.match(line)
            if match and match.group(1).startswith(("mlir/", "llvm/", "distaff/")):
                errors.append(f"{path.relative_to(root)}:{number}: Runtime includes {match.group(1)}")
    for path in sorted(sources):
        folder = folder_of(path, root)
        if folder != "tools" and folder not in table:
            errors.append(f"{path.relative_to(root)}: folder {folder} is not in the table")
            continue
        allowed = TOOLS if folder == "tools" else table[folder] | {folder}
        if folder != "tools":
            errors += tools_work(path, root)
            errors += unguarded(path, root)
        if folder in NEVER:
            errors += never_reached(path, folder, root)
        for number, header in includes_of(path):
            where = f"{path.relative_to(root)}:{number}: {folder} includes {header}"
            ours = header.split("/")
            if ours[0] == "distaff" and len(ours) > 2 and ours[1] not in allowed:
                errors.append(where)
            elif header.startswith(FOREIGN.get(folder, ("\0",))):
                errors.append(where)
            elif folder in ("Simt", "Ptx") and ours[:2] == ["distaff", "Runtime"] and ours[-1] not in ("Npy.h", "ScalarType.h"):
                errors.append(where)
    for error in errors:
        print(error)
    print(f"{len(sources)} files, {len(errors)} things that a folder may not do")
    return 1 if errors or not sources else 0


sys.exit(main())
