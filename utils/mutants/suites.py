"""The tests of a build: file tests, which lit runs, and the cases of GoogleTest binaries.

A test is a name: `test/Lower/cut.mlir`, or `unit:LayoutTests:Digits.AreSorted`.
"""
import concurrent.futures
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import lit_recording

MEMORY = 10 << 30
UNIT = "unit:"
# What `make test` takes of long tests.
QUICK = {"DISTAFF_TEST_DEPTH": "quick"}


class Hangs(Exception):
    pass


class NoTests(Exception):
    pass


def wait_for(process, seconds):
    """Its output. Raises Hangs. While this program is stopped itself, no time passes."""
    while seconds > 0:
        begun = time.monotonic()
        try:
            return process.communicate(timeout=min(seconds, 1))[0]
        except subprocess.TimeoutExpired:
            seconds -= min(time.monotonic() - begun, 2)
    raise Hangs


def run(command, seconds, environment, folder, core=None):
    """(exit code, output). Ends all that the command has started. Raises Hangs."""
    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        if core is not None:
            os.sched_setaffinity(0, {core})

    with subprocess.Popen(["nice", *map(str, command)], cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, start_new_session=True, preexec_fn=limit) as process:
        try:
            output = wait_for(process, seconds)
        finally:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        return process.returncode, output.decode(errors="replace")


class Result:
    def __init__(self, passed, seconds, reached):
        self.passed, self.seconds, self.reached = passed, seconds, reached


class Suites:
    """\\pre `build` is built, or of it the GoogleTest binaries that are used, and no file test is."""

    def __init__(self, build, work, size, has_files):
        self.build, self.work, self.size, self.has_files = build, work, size, has_files
        self.threads = []
        self.binaries = {path.name: path for path in sorted((build / "unittests").rglob("*Tests")) if os.access(path, os.X_OK) and path.is_file()}
        self.suite = work / "suite"
        self.lit = self.find_lit()
        if (build / "test" / "lit.site.cfg.py").exists():
            lit_recording.write_suite(self.suite, build)

    def find_lit(self):
        for line in (self.build / "CMakeCache.txt").read_text().splitlines():
            if line.startswith("DISTAFF_LIT:"):
                return line.split("=", 1)[1]
        return shutil.which("lit") or "lit"

    def tests(self):
        return self.file_tests() + [test for binary in self.binaries for test in self.cases(binary)]

    def cases(self, binary):
        code, output = run([self.binaries[binary], "--gtest_list_tests"], 60, {**QUICK, **os.environ}, self.build)
        if code:
            raise NoTests(f"{binary} does not list its tests:\n{output}")
        suite, found = "", []
        for line in output.splitlines():
            name = line.split("#")[0].rstrip()
            if re.fullmatch(r"[\w/]+\.", name):
                suite = name
            elif re.fullmatch(r"  \S+", name) and "DISABLED_" not in suite + name:
                found.append(f"{UNIT}{binary}:{suite}{name.strip()}")
        return found

    def file_tests(self):
        if not self.has_files or not self.suite.exists():
            return []
        code, output = run([sys.executable, self.lit, "--show-tests", self.suite], 600, self.environment(self.work / "scratch"), self.work)
        if code:
            raise NoTests(f"{self.lit} does not list the tests:\n{output}")
        return [f"test/{found}" for found in re.findall(r"^  \S.* :: (\S+)$", output, re.MULTILINE)]

    def core(self):
        """A core for what a thread runs, as test/one_core.py has one for each of lit's workers, which would all take the same here."""
        thread, cores = threading.get_ident(), sorted(os.sched_getaffinity(0))
        if thread not in self.threads:
            self.threads.append(thread)
        return cores[self.threads.index(thread) % len(cores)]

    def environment(self, scratch, **more):
        return {**os.environ, lit_recording.SCRATCH: str(scratch), **more}

    #===--------------------------------------------------------------------===#
    # With nothing selected
    #===--------------------------------------------------------------------===#

    def record(self, tests, jobs, seconds, done):
        """Runs each test once; calls done(test, Result)."""
        files = [test for test in tests if not test.startswith(UNIT)]
        for at in range(0, len(files), 64):
            self.record_files(files[at:at + 64], jobs, 64 * seconds, done)
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            units = [test for test in tests if test.startswith(UNIT)]
            for test, result in zip(units, pool.map(lambda test: self.record_case(test, seconds), units)):
                done(test, result)

    def record_case(self, test, seconds):
        record = lit_recording.new_record(self.work / "reached" / lit_recording.file_name(test), self.size)
        begun = time.monotonic()
        try:
            passed = self.run_cases([test], {"DISTAFF_MUTANTS_REACHED": record}, seconds, self.work / "scratch") is None
        except Hangs:
            passed = False
        return Result(passed, time.monotonic() - begun, lit_recording.read_record(record))

    def record_files(self, tests, jobs, seconds, done):
        folder, report = self.work / "reached", self.work / "scratch" / "record.json"
        report.parent.mkdir(parents=True, exist_ok=True)
        environment = self.environment(self.work / "scratch", **{lit_recording.FOLDER: str(folder), lit_recording.BYTES: str(self.size)})
        paths = [self.suite / test.removeprefix("test/") for test in tests]
        report.unlink(missing_ok=True)
        try:
            run([sys.executable, self.lit, "-q", f"-j{jobs}", "--output", report, *paths], seconds, environment, self.work)
        except Hangs:
            pass
        found = self.read_report(report)
        for test in tests:
            code, elapsed = found.get(test, ("none", 0))
            path = folder / lit_recording.file_name(test.removeprefix("test/"))
            done(test, Result(code in ("PASS", "XFAIL"), elapsed, lit_recording.read_record(path) if path.exists() else []))

    @staticmethod
    def read_report(path):
        """test -> (code, seconds)"""
        if not path.exists():
            return {}
        return {"test/" + entry["name"].split(" :: ", 1)[1]: (entry["code"], entry["elapsed"] or 0)
                for entry in json.loads(path.read_text())["tests"]}

    #===--------------------------------------------------------------------===#
    # With a mutant selected
    #===--------------------------------------------------------------------===#

    def first_failure(self, tests, number, seconds):
        """Runs tests of one kind with a mutant selected (0: none). The first that fails, or None. Raises Hangs."""
        scratch = self.work / f"scratch-{threading.get_ident()}"
        if tests[0].startswith(UNIT):
            return self.run_cases(tests, {"DISTAFF_MUTANT": str(number)}, seconds, scratch)
        report = scratch / "report.json"
        report.parent.mkdir(parents=True, exist_ok=True)
        report.unlink(missing_ok=True)
        paths = [self.suite / test.removeprefix("test/") for test in tests]
        code, _ = run([sys.executable, self.lit, "-q", "-j1", "--order=lexical", "--max-failures=1", "--output", report, *paths],
                      seconds, self.environment(scratch, DISTAFF_MUTANT=str(number)), self.work, self.core())
        failed = [test for test, (code, _) in self.read_report(report).items() if code not in ("PASS", "XFAIL", "SKIPPED", "UNSUPPORTED")]
        return failed[0] if failed else tests[0] if code else None

    def run_cases(self, tests, environment, seconds, scratch):
        """\\pre the tests are cases of one binary."""
        binary, names = tests[0].split(":")[1], [test.split(":", 2)[2] for test in tests]
        scratch.mkdir(parents=True, exist_ok=True)
        flags = scratch / f"gtest-flags-{threading.get_ident()}"
        flags.write_text(f"--gtest_filter={':'.join(names)}\n--gtest_fail_fast=1\n--gtest_color=no\n")
        code, output = run([self.binaries[binary], f"--gtest_flagfile={flags}"], seconds, {**QUICK, **os.environ, **environment},
                           self.build, self.core())
        if code == 0 and "[==========] Running 0 tests" not in output:
            return None
        failed = re.search(r"^\[  FAILED  \] ([^\s,]+)", output, re.MULTILINE)
        started = re.findall(r"^\[ RUN      \] (\S+)", output, re.MULTILINE)
        return f"{UNIT}{binary}:{failed.group(1) if failed else started[-1] if started else names[0]}"


def batches(tests, results, kills):
    """Lists of tests to run one after the other: cheap ones, those that have killed many mutants, and those that reach
    few first; the lists of one kind each, and of about twice the seconds of the one before."""
    kind = lambda test: test.split(":")[1] if test.startswith(UNIT) else ""
    tests = sorted(tests, key=lambda test: (results[test].seconds / (1 + kills.get(test, 0)), len(results[test].reached), test))
    seconds = 0.5
    while tests:
        size, total = 1, results[tests[0]].seconds
        while size < len(tests) and total + results[tests[size]].seconds <= seconds:
            total += results[tests[size]].seconds
            size += 1
        chosen, tests = tests[:size], tests[size:]
        for one in dict.fromkeys(map(kind, chosen)):
            yield [test for test in chosen if kind(test) == one]
        seconds *= 2
