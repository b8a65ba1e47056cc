#!/usr/bin/env python3
"""Runs every test through lit and ends with the line `N passed, N failed, N skipped`.

usage: run_tests.py [--build DIR] [LIT_ARGUMENT ...]

The lit suites are build/test (IR, execution, command line, repository checks)
and build/unittests (GoogleTest binaries). A skipped test is named with its reason.
Exit status 1 when a test failed or when none ran.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

PASSED = {"PASS", "XFAIL", "FLAKYPASS"}
SKIPPED = {"UNSUPPORTED", "SKIPPED", "EXCLUDED"}


def find_lit(build):
    for line in (build / "CMakeCache.txt").read_text().splitlines():
        if line.startswith("DISTAFF_LIT:"):
            return line.split("=", 1)[1]
    sys.exit("error: build/CMakeCache.txt names no lit; is the build configured?")


def reason_of(result):
    lines = [line.strip() for line in result.get("output", "").splitlines() if line.strip()]
    return f": {lines[-1]}" if lines else ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, default=Path("build"))
    arguments, more = parser.parse_known_args()
    suites = [str(arguments.build / name) for name in ("test", "unittests")]
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        command = [sys.executable, find_lit(arguments.build), "-q", "-j", str(os.cpu_count()),
                   "--output", str(report), *(more or suites)]
        subprocess.run(command, check=False)
        if not report.exists():
            print("0 passed, 1 failed, 0 skipped")
            return 1
        results = json.loads(report.read_text())["tests"]
    codes = [result["code"] for result in results]
    passed = sum(code in PASSED for code in codes)
    skipped = sum(code in SKIPPED for code in codes)
    failed = len(codes) - passed - skipped
    for result in results:
        if result["code"] in SKIPPED:
            print(f"skipped: {result['name']}" + reason_of(result))
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed or not passed else 0


sys.exit(main())
