#!/usr/bin/env python3
"""Runs every test through lit and ends with the line `N passed, N failed, N skipped`.

usage: run_tests.py [--build DIR] [--all] [--host-level LEVEL] [LIT_ARGUMENT ...]

The lit suites are build/test (IR, execution, command line, repository checks)
and build/unittests (GoogleTest binaries). A skipped test is named with its reason. Long suites take a
part of their cases, which is said, or with --all every one (test/Execution/Inputs/depth.py).
With --host-level=avx2 the target `host` of all tests is that level of this CPU, and tests of better ones are skipped.
Exit status 1 when a test failed or when none ran.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree
from pathlib import Path

PASSED = {"PASS", "XFAIL", "FLAKYPASS"}


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


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, default=Path("build"))
    parser.add_argument("--all", action="store_true", help="every case of long suites")
    parser.add_argument("--host-level", help="what this CPU is taken for: avx2")
    arguments, more = parser.parse_known_args()
    suites = [str(arguments.build / name) for name in ("test", "unittests")]
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        command = [sys.executable, find_lit(arguments.build), "-q", "-j", str(os.cpu_count()),
                   "--output", str(report), "--xunit-xml-output", str(report.with_suffix(".xml")), *(more or suites)]
        cases = Path(folder) / "cases"
        cases.touch()
        environment = {**os.environ, "DISTAFF_TEST_DEPTH": "full" if arguments.all else "quick", "DISTAFF_CASES": str(cases)}
        if arguments.host_level:
            environment["DISTAFF_HOST_LEVEL"] = arguments.host_level
        subprocess.run(command, check=False, env=environment)
        if not report.exists():
            print("0 passed, 1 failed, 0 skipped")
            return 1
        results = json.loads(report.read_text())["tests"]
        skipped = list(skipped_tests(report.with_suffix(".xml")))
        taken, there_are = (sum(column) for column in zip((0, 0), *(map(int, line.split()) for line in cases.read_text().splitlines())))
    codes = [result["code"] for result in results if result["code"] != "UNSUPPORTED"]
    passed = sum(code in PASSED for code in codes)
    failed = len(codes) - passed
    for name, reason in skipped:
        print(f"skipped: {name}: {reason}")
    if taken < there_are:
        print(f"of long suites {taken} of {there_are} cases; `make test-all` runs all")
    print(f"{passed} passed, {failed} failed, {len(skipped)} skipped")
    return 1 if failed or not passed else 0


sys.exit(main())
