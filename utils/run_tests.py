#!/usr/bin/env python3
"""Runs tests through lit and ends with the line `N passed, N failed, N skipped`.

usage: run_tests.py [--build DIR] [--depth check|test|all] [--host-level LEVEL] [LIT_ARGUMENT ...]

The lit suites are build/test (IR, execution, command line, repository checks) and
build/unittests (GoogleTest binaries). Three depths:

    check  all but SLOW, in about two minutes, for every commit
    test   everything, of long suites a part of their cases, which is said
    all    every case, after every stage (test/Execution/Inputs/depth.py)

Before them, but for `check`, the assembler that instructions are counted with is
installed from the package index, once (utils/assembler.py). A test that fails prints
what it ran and saw; a skipped test is named with its reason; the tests that took
longest are named at the end. With --host-level=avx2 the target `host` of all tests is
that level of this CPU, and tests of better ones are skipped. Arguments of lit are a test's path, as test/Dialect/x.mlir, or --filter REGEX. Exit status 1 when a test failed or when none ran.
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree
from pathlib import Path

import assembler

PASSED = {"PASS", "XFAIL", "FLAKYPASS"}
# What runs kernels by the hundred, or programs on damaged input: folders of build/test, binaries of build/unittests.
SLOW = ("Distaff :: (Docs|Execution|Explain|ForkServer|Fuzz|Mutants|Sweep|Tools)/", "Distaff-Unit :: [.]/(PtxTests|RewriteTests|TargetOpsTests)/")
SLOWEST = 10
SUITES = ("test", "unittests")


def find_lit(build):
    for line in (build / "CMakeCache.txt").read_text().splitlines():
        if line.startswith("DISTAFF_LIT:"):
            return line.split("=", 1)[1]
    sys.exit("error: build/CMakeCache.txt names no lit; is the build configured?")


def skipped_tests(report):
    """Name and reason of each. lit's JSON leaves out what a GoogleTest skipped
    itself, whose reason the binary alone knows; its XML takes that for an interrupt."""
    for test in xml.etree.ElementTree.parse(report).iter("testcase"):
        skipped = test.find("skipped")
        if skipped is None or skipped.get("message").startswith("Test not selected"):
            continue
        reason = skipped.get("message").replace("User interrupt", "its GTEST_SKIP says why")
        yield f"{test.get('classname')} :: {test.get('name')}", reason


def in_build(argument, build):
    """lit knows a test's source, test/Dialect/x.mlir, by its place in the build."""
    path = Path(argument)
    is_source = path.exists() and path.parts and path.parts[0] in SUITES
    return str(build / path) if is_source else argument


def run_lit(options, more, folder):
    """Runs lit; returns what it reports of each test, and which were skipped."""
    report = folder / "report.json"
    command = [sys.executable, find_lit(options.build), "-j", str(len(os.sched_getaffinity(0))), "--diagnostic-level=error",
               "--print-result-after=failed", "--test-output=failed", "--output", str(report), "--xunit-xml-output", str(report.with_suffix(".xml"))]
    if options.depth == "check":
        command += ["--filter-out", f"^({'|'.join(SLOW)})"]
    environment = {**os.environ, "DISTAFF_TEST_DEPTH": "full" if options.depth == "all" else "quick", "DISTAFF_CASES": str(folder / "cases")}
    if options.host_level:
        environment["DISTAFF_HOST_LEVEL"] = options.host_level
    more = [in_build(argument, options.build) for argument in more]
    names_tests = any(Path(argument).is_relative_to(options.build) for argument in more)
    suites = [] if names_tests else [str(options.build / name) for name in SUITES]
    if suites:
        # A test that reads what only a former run wrote would pass.
        for written in list((options.build / SUITES[0]).rglob("Output")):
            if written.exists():  # not within one that is gone
                shutil.rmtree(written)
    subprocess.run([*command, *more, *suites], check=False, env=environment)
    if not report.exists():
        return [], []
    return json.loads(report.read_text())["tests"], list(skipped_tests(report.with_suffix(".xml")))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, default=Path("build"))
    parser.add_argument("--depth", choices=("check", "test", "all"), default="test")
    parser.add_argument("--host-level", help="what this CPU is taken for: avx2")
    options, more = parser.parse_known_args()
    if options.depth != "check":
        tools, reason = assembler.install(options.build / "assembler")
        if not tools:
            print(f"no assembler to count SASS with: {reason}")
    with tempfile.TemporaryDirectory() as folder:
        cases = Path(folder) / "cases"
        cases.touch()
        results, skipped = run_lit(options, more, Path(folder))
        taken, there_are = (sum(column) for column in zip((0, 0), *(map(int, line.split()) for line in cases.read_text().splitlines())))
    results = [result for result in results if result["code"] not in ("UNSUPPORTED", "SKIPPED", "EXCLUDED")]
    passed = sum(result["code"] in PASSED for result in results)
    failed = len(results) - passed if results else 1
    for name, reason in skipped:
        print(f"skipped: {name}: {reason}")
    if taken < there_are:
        print(f"of long suites {taken} of {there_are} cases; `make test-all` runs all")
    print("slowest:")
    for result in sorted(results, key=lambda result: -(result.get("elapsed") or 0))[:SLOWEST]:
        print(f"{result.get('elapsed') or 0:8.1f} s  {result['name']}")
    print(f"{passed} passed, {failed} failed, {len(skipped)} skipped")
    return 1 if failed or not passed else 0


sys.exit(main())
