"""How the file tests run: RUN lines, with our tools and LLVM's on the path.

Substitutions: %python, %s and %t as everywhere in lit, %examples for the
folder of example kernels, %test_sync for the dialect that only tests have, %DEPTH is QUICK
or FULL, a prefix for FileCheck, %quick the flag of benchmark/hot_loops/check.py.
Features: `ptxas` where it is installed, `assembler` where utils/assembler.py has installed the one that instructions are
counted with, `sanitized`, `mutants` where the tool that lists mutants is built (`make test-all` does), and `host-avx2` for
each level of the target host that this CPU has, or the one that DISTAFF_HOST_LEVEL narrows it to.
"""
import os
import shutil
import subprocess
import sys

import lit.formats

sys.path.insert(0, os.path.dirname(__file__))
from one_core import OnOneCore

config.name = "Distaff"
config.test_format = OnOneCore(lit.formats.ShTest(execute_external=False))
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
# The stages that test/Execution/Inputs/depth.py compares at this depth, and those of a CPU.
is_quick = config.environment["DISTAFF_TEST_DEPTH"] == "quick"
config.substitutions.append(("%stages", "--stages=lower,convert" if is_quick else "--every-stage"))
config.substitutions.append(("%host_stages", "--stages=lower" if is_quick else "--every-stage"))
if not is_quick:
    config.available_features.add("full")
if "DISTAFF_CASES" in os.environ:
    config.environment["DISTAFF_CASES"] = os.environ["DISTAFF_CASES"]

# What a sanitizer reserves is not what a kernel takes, and all is slower: tests without limits on address space look here.
if config.sanitized:
    config.environment["DISTAFF_SANITIZED"] = "1"

# Of the rows that counts are held of, those that are not like another one.
config.substitutions.append(("%quick", "--quick" if is_quick else ""))

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
sys.path.insert(0, os.path.join(config.distaff_source_dir, "utils"))
import assembler  # noqa: E402

if assembler.programs(os.path.join(config.distaff_binary_dir, "assembler")):
    config.available_features.add("assembler")
if os.path.exists(os.path.join(config.distaff_binary_dir, "bin", "distaff-mutants")):
    config.available_features.add("mutants")

if "DISTAFF_HOST_LEVEL" in os.environ:
    config.environment["DISTAFF_HOST_LEVEL"] = os.environ["DISTAFF_HOST_LEVEL"]
listed = subprocess.run([os.path.join(config.distaff_binary_dir, "bin", "distaff"), "targets"], env=config.environment, capture_output=True, text=True)
if listed.returncode:
    lit_config.fatal(f"distaff targets: {listed.stderr}")
config.available_features.update(line.split()[0].replace(":", "-") for line in listed.stdout.splitlines()
                                 if line.startswith("host:") and "not on this CPU" not in line)
