#!/usr/bin/env python3
"""Writes docs/generated: pages of passes and dialects from their .td files.

usage: generate_docs.py [--build DIR] [--check]

With --check nothing is written; exit status 1 if a page is stale.
"""
import argparse
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGES = {
    "ConfigurePasses.md": ("Configure/Passes.td", ["-gen-pass-doc"]),
    "TransformsPasses.md": ("Transforms/Passes.td", ["-gen-pass-doc"]),
    "DistributionPasses.md": ("Distribution/Passes.td", ["-gen-pass-doc"]),
    "LowerPasses.md": ("Lower/Passes.td", ["-gen-pass-doc"]),
    "ConversionPasses.md": ("Conversion/Passes.td", ["-gen-pass-doc"]),
    "VectorExtDialect.md": ("Dialect/VectorExt/VectorExt.td", ["-gen-dialect-doc", "-dialect=iree_vector_ext"]),
    "IREECodegenDialect.md": ("Dialect/Compat/IREECodegen.td", ["-gen-dialect-doc", "-dialect=iree_codegen"]),
    "IREEGPUDialect.md": ("Dialect/Compat/IREEGPU.td", ["-gen-dialect-doc", "-dialect=iree_gpu"]),
}


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
    lines = [line.rstrip() for line in text.splitlines() if not line.startswith("Source: ")]
    return "\n".join(lines).strip() + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, default=Path("build"))
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    folder, stale = ROOT / "docs" / "generated", 0
    for page, (source, flags) in PAGES.items():
        text = generate(arguments.build, source, flags)
        path = folder / page
        if path.exists() and path.read_text() == text:
            continue
        if arguments.check:
            stale += 1
            print(f"docs/generated/{page} is stale: run `make docs`")
        else:
            path.write_text(text)
            print(f"wrote docs/generated/{page}")
    return stale > 0


sys.exit(main())
