#!/usr/bin/env python3
"""Writes docs/generated: pages of passes and dialects from their .td files, of rules from who names them, of the aliases
of passes, and of a pipeline from a kernel that goes it.

usage: generate_docs.py [--build DIR] [--check] [--tests DIR] [--page NAME ...]

A pass names its example, `**Example:** test/FOLDER/TEST.mlir, @FUNCTION`: the
page shows that function before and after the pass, as distaff-opt prints it with
the flags of the test's first RUN line. With --check nothing is written; exit
status 1 if a page is stale. --tests is where the folder test/ is; --page names
pages, of which there is no other then.
"""
import argparse
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

import alias_page
import conformance
import conversion_pages
import elision
import stage_pages
import fork_server  # in the folder that stage_pages adds to sys.path

ROOT = Path(__file__).resolve().parent.parent
PAGES = {
    "LaunchesPasses.md": ("Launches/Passes.td", ["-gen-pass-doc"]),
    "ConfigurePasses.md": ("Configure/Passes.td", ["-gen-pass-doc"]),
    "ImportPasses.md": ("Import/Passes.td", ["-gen-pass-doc"]),
    "TilingPasses.md": ("Tiling/Passes.td", ["-gen-pass-doc"]),
    "LayoutsPasses.md": ("Layouts/Passes.td", ["-gen-pass-doc"]),
    "PCFPasses.md": ("PCF/Passes.td", ["-gen-pass-doc"]),
    "DistributionPasses.md": ("Distribution/Passes.td", ["-gen-pass-doc"]),
    "StagingPasses.md": ("Staging/Passes.td", ["-gen-pass-doc"]),
    "LowerPasses.md": ("Lower/Passes.td", ["-gen-pass-doc"]),
    "CpuPasses.md": ("Cpu/Passes.td", ["-gen-pass-doc"]),
    "ConversionPasses.md": ("Conversion/Passes.td", ["-gen-pass-doc"]),
    "VectorExtDialect.md": ("Dialect/VectorExt/VectorExt.td", ["-gen-dialect-doc", "-dialect=iree_vector_ext"]),
    "DistaffDialect.md": ("Dialect/Distaff/Distaff.td", ["-gen-dialect-doc", "-dialect=distaff"]),
    "PCFDialect.md": ("Dialect/PCF/PCF.td", ["-gen-dialect-doc", "-dialect=pcf"]),
    "HALDialect.md": ("Dialect/Dispatch/HAL.td", ["-gen-dialect-doc", "-dialect=hal"]),
    "IREELinalgExtDialect.md": ("Dialect/Dispatch/LinalgExt.td", ["-gen-dialect-doc", "-dialect=iree_linalg_ext"]),
    "IREETensorExtDialect.md": ("Dialect/Dispatch/TensorExt.td", ["-gen-dialect-doc", "-dialect=iree_tensor_ext"]),
    "UtilDialect.md": ("Dialect/Dispatch/Util.td", ["-gen-dialect-doc", "-dialect=util"]),
    "IREECodegenDialect.md": ("Dialect/IREE/IREECodegen.td", ["-gen-dialect-doc", "-dialect=iree_codegen"]),
    "IREEGPUDialect.md": ("Dialect/IREE/IREEGPU.td", ["-gen-dialect-doc", "-dialect=iree_gpu"]),
}
# What Dialect/AttributeDictionary.td expands to stands for MLIR's directives.
ATTRIBUTE_DICTIONARY = re.compile(r'`` custom<AttributeDictionary>\(attr-dict, .*?, "(true|false)"\)')


def cache(build, name):
    for line in (build / "CMakeCache.txt").read_text().splitlines():
        if line.startswith(name + ":"):
            return line.split("=", 1)[1]
    sys.exit(f"error: {name} is not in {build}/CMakeCache.txt")


def generate(build, source, flags):
    mlir = Path(cache(build, "MLIR_DIR")).parents[2]
    command = [mlir / "bin" / "mlir-tblgen", *flags, f"-I{ROOT / 'include'}", f"-I{mlir / 'include'}",
               ROOT / "include" / "distaff" / source]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    # Source paths and trailing blanks differ between machines and versions.
    text = ATTRIBUTE_DICTIONARY.sub(lambda match: "prop-dict attr-dict" + ("-with-keyword" if match[1] == "true" else ""), text)
    lines = [line.rstrip() for line in text.splitlines() if not line.startswith("Source: ")]
    return "\n".join(lines).strip() + "\n"


def sections(text):
    """A test's parts, without what only FileCheck and lit read."""
    kept = [line for line in text.splitlines() if not re.match(r"\s*//(?! -----)", line)]
    return "\n".join(kept).split("// -----")


def top_level(section):
    """The lines of each op or alias of a section that begins in its first column."""
    ops = []
    for line in section.splitlines():
        if line and line[0] not in " }":
            ops.append([])
        if ops:
            ops[-1].append(line)
    return [op for op in ops if op]


def pick(op, name):
    """The op, if it is the function of that name; of a gpu.module, that function alone."""
    if re.search(rf"@{name}\(", op[0]):
        return op
    if not op[0].startswith("gpu.module"):
        return None
    inner = ["\n".join(function) for function in
             top_level("\n".join(line[2:] for line in op[1:-1])) if re.search(rf"@{name}\(", function[0])]
    return [op[0], *("  " + line if line else "" for line in inner[0].splitlines()), "}"] if inner else None


def called(section, text):
    """The private functions of a section that the text calls, and those that they call."""
    found = []
    for op in top_level(section) * 2:
        private = re.match(r"func\.func private @(\w+)\(.*{$", op[0])
        function = "\n".join(op).strip()
        if private and function not in found and re.search(rf"call @{private[1]}\(", "\n".join([text, *found])):
            found.append(function)
    return found


def resources(section, text):
    """The data behind a section, if the text names any."""
    return re.findall(r"^\{-#.*?#-\}$", section, re.DOTALL | re.MULTILINE) if "dense_resource<" in text else []


def example(text, name):
    """The text of one function of a test, with the aliases before it, what it calls and its data."""
    for section in sections(text):
        aliases = []
        for op in top_level(section):
            picked = pick(op, name)
            if picked:
                needed = "\n".join(picked).strip()
                for alias in reversed(aliases):
                    if re.search(re.escape(alias.split(" ")[0]) + r"\b", needed):
                        needed = alias + "\n" + needed
                return "\n".join([needed, *called(section, needed), *resources(section, needed)])
            if op[0].startswith(("#", "!")):
                aliases.append("\n".join(op).strip())
    return None


def optimize(build, flags, text):
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
        file.write(text)
        file.flush()
        command = [(build / "bin" / "distaff-opt").resolve(), *flags, file.name]
        done = fork_server.run(command)
    if done.returncode:
        sys.exit(f"error: {' '.join(map(str, command))}: {done.stderr}")
    lines = [line for line in done.stdout.splitlines() if line]
    data = lines[lines.index("{-#"):] if "{-#" in lines else []
    lines = lines[:len(lines) - len(data)]
    if lines and lines[0].startswith("module"):
        return lines[1:-1] + data
    at = next((i for i, line in enumerate(lines) if line.startswith("module")), None)
    return lines if at is None else lines[:at] + lines[at + 1:-1]


def snippet(title, lines):
    # The printer indents what stands in a module.
    body = [line[2:] if line.startswith("  ") and title else line for line in lines]
    return ["", f"{title}:", "```mlir", *body, "```"]


def show_example(build, tests, argument, path, name):
    """Before and after `argument`, a pass's flag: the lines of its example."""
    text = (tests / path).read_text()
    source, run = re.search(r"RUN: distaff-opt (\S+) (.*?) *(?:\||$)", text, re.M).groups()
    if source.startswith("%examples/"):
        text = (ROOT / "examples" / source.split("/")[1]).read_text()
    function = example(text, name)
    if not function:
        sys.exit(f"error: the test {path} has no function @{name}")
    flags = [flag for flag in shlex.split(run) if not flag.startswith(("--split-input-file", "--verify-diagnostics"))]
    at = next((i for i, flag in enumerate(flags) if argument.lstrip("-") in flag), None)
    if at is None:
        sys.exit(f"error: the first RUN line of {path} does not run {argument}")
    before = optimize(build, flags[:at], function)
    after = optimize(build, flags[:at + 1] + ["--canonicalize"] * ("--canonicalize" in flags), function)
    return snippet("Before", elision.folded(before)) + snippet("After", elision.folded(elision.changed(before, after)))


def missing_parts(page):
    """The passes of a page that do not say what holds before and after, or have no example."""
    for section in re.split(r"^### ", page, flags=re.MULTILINE)[1:]:
        for part in ("**Before:**", "**After:**", "**Example:**"):
            if re.match(r"`-", section) and f"\n{part}" not in section:
                yield f"{section.split(chr(96))[1]} has no {part}"


def add_examples(build, tests, page_name, page):
    if missing := list(missing_parts(page)):
        sys.exit(f"error: {page_name}: " + "; ".join(missing))
    lines, argument = [], ""
    for line in page.splitlines():
        heading = re.match(r"### `(-[\w-]+)`", line)
        argument = heading.group(1) if heading else argument
        lines.append(line)
        named = re.match(r"\*\*Example:\*\* (\S+), @([\w.$-]+)", line)
        if line.startswith("**Example:**") and not named:
            sys.exit(f"error: {page_name}: '{line}' names no `TEST.mlir, @FUNCTION`")
        if named:
            lines += show_example(build, tests, argument, *named.groups())
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, default=Path("build"))
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--tests", type=Path, default=ROOT)
    parser.add_argument("--page", action="append", help="only this page")
    arguments = parser.parse_args()
    folder, stale = ROOT / "docs" / "generated", 0
    pages = {page: lambda page=page, row=row: add_examples(arguments.build, arguments.tests, page,
                                                           generate(arguments.build, *row))
             for page, row in PAGES.items()}
    pages["Conformance.md"] = lambda: conformance.page(ROOT)
    pages["PassAliases.md"] = lambda: alias_page.page(arguments.build)
    pages["Conversions.md"] = lambda: conversion_pages.page(arguments.build)
    pages["RunClusterWalkthrough.md"] = lambda: stage_pages.page(arguments.build, ROOT, "examples/matmul_dynamic.mlir", "sm_80", "run-cluster")
    for page, write in pages.items():
        if arguments.page and page not in arguments.page:
            continue
        text = write()
        path = folder / page
        if path.exists() and path.read_text() == text:
            continue
        if arguments.check:
            stale += 1
            print(f"docs/generated/{page} is stale: run `make docs`")
        else:
            path.write_text(text)
            print(f"wrote docs/generated/{page}")
    for problem in conformance.untested(ROOT):
        stale += 1
        print(problem)
    return stale > 0


if __name__ == "__main__":
    sys.exit(main())
