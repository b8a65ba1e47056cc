"""How the file tests run: RUN lines, with our tools and LLVM's on the path.

Substitutions: %python, %s and %t as everywhere in lit, %examples for the
folder of example kernels, %test_sync for the dialect that only tests have, %DEPTH is QUICK
or FULL, a prefix for FileCheck.
Features: `ptxas` where it is installed, `sanitized`, `mutants` where the tool
that lists mutants is built (`make test-all` does).
"""
import os
import shutil
import sys

import lit.formats

config.name = "Distaff"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.distaff_binary_dir, "test")

config.environment["PATH"] = os.pathsep.join(
    [os.path.join(config.distaff_binary_dir, "bin"),
     config.llvm_tools_dir, os.environ["PATH"]])

# Long suites take a part of their cases, unless all are asked for (Execution/Inputs/depth.py).
config.environment["DISTAFF_TEST_DEPTH"] = os.environ.get("DISTAFF_TEST_DEPTH", "quick")
config.substitutions.append(("%DEPTH", config.environment["DISTAFF_TEST_DEPTH"].upper()))
if "DISTAFF_CASES" in os.environ:
    config.environment["DISTAFF_CASES"] = os.environ["DISTAFF_CASES"]

# What a sanitizer reserves is not what a kernel takes, and all is slower: tests without limits on address space look here.
if config.sanitized:
    config.environment["DISTAFF_SANITIZED"] = "1"

config.substitutions.append(("%python", sys.executable))
config.substitutions.append(("%source", config.distaff_source_dir))
config.substitutions.append(("%build", config.distaff_binary_dir))
config.substitutions.append(("%test_sync", os.path.join(config.distaff_binary_dir, "lib", "libTestSync.so")))
config.substitutions.append(("%fake_cuda", os.path.join(config.distaff_binary_dir, "lib", "libfake-cuda.so")))
config.substitutions.append(
    ("%examples", os.path.join(config.distaff_source_dir, "examples")))

if config.sanitized:
    config.available_features.add("sanitized")
if shutil.which("ptxas"):
    config.available_features.add("ptxas")
if os.path.exists(os.path.join(config.distaff_binary_dir, "bin", "distaff-mutants")):
    config.available_features.add("mutants")
