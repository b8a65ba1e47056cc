#!/usr/bin/env python3
"""Measures the tests by mutants: plants small changes, and says which no test notices.

usage: mutants.py [FOLDER_OR_FILE ...] [--diff REV] [--mutants FILE] [--sample N] [--seed S]
                  [--work DIR] [--limit SECONDS] [--each SECONDS] [--page FILE] [--list]

The mutants are those of the sources named (of lib, include and tools where none
is), of the lines that differ from REV, or those whose keys FILE lists; of them N
are drawn. They are planted all at once in a copy of the tree (planting.py),
which is built once; one that does not compile is taken out again, and counted.
With none selected every test runs once, and it is recorded which mutants it
reaches and how long it takes; tests that fail then are not used. Then, for each
mutant, the tests that reach it run, cheap ones first, until one fails: it is
killed. `lib/Layout` stands for include/distaff/Layout too.

A mutant that lives needs an entry in equivalent.toml with the reason why no test
can tell; one that has an entry and is killed needs none. What is done is kept in
DIR/state.json, and a run goes on where the last one ended (`--limit` ends it). With
`--each` those that live long are left for later: a look at them is cheaper. With
`--new-tests` it goes on with the tests as they are now: those that have changed are
recorded again, and what lived or was killed by one of them is decided again.

Exit status: 0 when all are killed or have a reason, 1 when one lives, 2 when the
tree does not build, 3 when some are undecided.
"""
import argparse
import collections
import concurrent.futures
import datetime
import json
import os
import random
import re
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

import planting
import report
import suites

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
EVERYTHING = ("lib", "include", "tools")
TESTS = ("test/", "unittests/", "examples/")
MOST_ROUNDS = 30
# What a test takes under a mutant is compared with what it takes without.
TIMES_SLOWER, SECONDS_MORE = 10, 20
SECONDS_TO_RECORD = 900


class DoesNotBuild(Exception):
    pass


def command(*parts, folder=None):
    """Runs what must succeed; returns its stdout."""
    done = subprocess.run([str(part) for part in parts], cwd=folder, capture_output=True, text=True)
    if done.returncode:
        raise DoesNotBuild(f"{parts[0]} fails:\n{(done.stdout + done.stderr)[-4000:]}")
    return done.stdout


#===------------------------------------------------------------------------===#
# The copy of the tree
#===------------------------------------------------------------------------===#

class Copy:
    def __init__(self, root, work, options):
        self.root, self.tree, self.build, self.options = root, work / "tree", work / "build", options
        self.switch = work / "switch"

    def files(self):
        listed = command("git", "ls-files", "-co", "--exclude-standard", folder=self.root)
        return [file for file in listed.splitlines() if (self.root / file).is_file()]

    def update(self, file):
        (self.tree / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(self.root / file, self.tree / file)

    def update_tests(self):
        """Makes tests, which are in folders where no mutant is, what they are now. Returns the files that differed."""
        now = {file for file in self.files() if file.startswith(TESTS)}
        before = {str(path.relative_to(self.tree)) for folder in TESTS for path in (self.tree / folder).rglob("*")
                  if path.is_file() and "__pycache__" not in path.parts}
        changed = {file for file in now & before if (self.tree / file).read_bytes() != (self.root / file).read_bytes()}
        for file in changed | now - before:
            self.update(file)
        for file in before - now:
            (self.tree / file).unlink()
        return changed | now ^ before

    def make(self):
        """Copies the tree as it is, and configures a build of it."""
        for file in self.files():
            self.update(file)
        self.switch.mkdir(exist_ok=True)
        shutil.copy2(HERE / "Switch.h", self.switch)
        switch = self.switch / "Switch.o"
        command("clang++-22", "-O2", "-fPIC", "-c", HERE / "Switch.cpp", "-o", switch)
        flags = [f"-DCMAKE_{kind}_LINKER_FLAGS=-fuse-ld=lld {switch}" for kind in ("EXE", "SHARED", "MODULE")]
        command("cmake", "--preset", self.options.preset, "-B", self.build, "-DCMAKE_CXX_FLAGS=-w -ferror-limit=0 -fno-color-diagnostics", *flags,
                *self.options.cmake, folder=self.tree)

    def list_mutants(self, places):
        """The mutants of places, from the tool; what it needs is built."""
        targets = sorted(set(self.precompiled_headers(places)))
        known = command("ninja", "-C", self.build, "-t", "targets", "all")
        targets += [name for name in ("distaff-generated", "distaff-mutants") if f"\n{name}: phony" in known]
        if targets:
            command("nice", "ninja", "-C", self.build, "-j", self.options.jobs, *targets)
        tool = self.options.tool or self.build / "bin" / "distaff-mutants"
        if not Path(tool).exists():
            raise DoesNotBuild("no distaff-mutants; is libclang-22-dev installed?")
        return json.loads(command(tool, "-p", self.build, "--root", self.tree, *places))

    def precompiled_headers(self, places):
        """Those of sources in places, and of unity batches that include such sources."""
        for entry in json.loads((self.build / "compile_commands.json").read_text()):
            file = Path(entry["file"])
            text = file.read_text() if file.name.startswith("unity_") else f'"{file}'
            if not any(f'"{self.tree / place}' in text for place in places):
                continue
            for header in re.findall(r"-include-pch -Xclang (\S+)", entry["command"]):
                if not re.match(r"(test|unittests|benchmark)/", os.path.relpath(header, self.build)):
                    yield os.path.relpath(header, self.build)

    def plant(self, mutants):
        """Writes the sources with mutants in them. Returns what has been planted."""
        planted = planting.plant(mutants, self.root_texts(), self.switch / "Switch.h")
        for file, text in planted.items():
            if (self.tree / file).read_bytes() != text.text:
                (self.tree / file).write_bytes(text.text)
        return planted

    def root_texts(self):
        """The folder with the sources as they were, which planting reads."""
        kept = self.tree.with_name("original")
        if not kept.exists():
            for top in EVERYTHING:
                if (self.tree / top).exists():
                    shutil.copytree(self.tree / top, kept / top)
        return kept

    def restore(self, file):
        shutil.copy2(self.root_texts() / file, self.tree / file)

    def ninja(self):
        """What the compiler said when the build fails, else nothing."""
        done = subprocess.run(["nice", "ninja", "-C", str(self.build), "-j", str(self.options.jobs), "-k", "0", *self.options.targets], capture_output=True, text=True)
        return "" if done.returncode == 0 else done.stdout + done.stderr


#===------------------------------------------------------------------------===#
# A run
#===------------------------------------------------------------------------===#

def read_equivalent(path):
    """key -> reason"""
    import tomllib
    return {entry["key"]: entry["reason"] for entry in tomllib.loads(path.read_text()).get("equivalent", [])} if path.exists() else {}


def changed_lines(root, revision):
    """file -> ranges of lines that differ from a revision."""
    lines, file = {}, None
    for line in command("git", "diff", "-U0", "--no-color", revision, "--", *EVERYTHING, folder=root).splitlines():
        if line.startswith("+++ "):
            file = line[6:] if line.startswith("+++ b/") else None
        elif file and (found := re.match(r"@@ -\S+ \+(\d+)(?:,(\d+))? @@", line)):
            first, count = int(found.group(1)), int(found.group(2) or 1)
            if count:
                lines.setdefault(file, []).append((first, first + count - 1))
    return lines


def may_read(test, file):
    """Whether a test is the file, is compiled from it, or may read it: what is in Inputs, tests in the folder that has them and
    below; examples, all; of other tests, none."""
    if file.startswith("examples/"):
        return True
    if test.startswith(suites.UNIT) or file.startswith("unittests/"):
        return test.startswith(suites.UNIT) and file.startswith("unittests/")
    if "/Inputs/" in file:
        return test.startswith(file.split("/Inputs/")[0] + "/")
    if file.endswith((".mlir", ".test")):
        return test == file
    # Tools for tests, which the build has, and lit's configurations.
    return file.endswith((".cpp", ".h", ".txt")) or test.startswith(os.path.dirname(file) + "/")


class Run:
    def __init__(self, options):
        self.options, self.work = options, options.work
        self.copy = Copy(options.root, options.work, options)
        self.path = options.work / "state.json"
        self.state = json.loads(self.path.read_text()) if self.path.exists() else {}
        self.deadline = time.monotonic() + options.limit if options.limit else None
        self.lock = threading.Lock()

    def save(self):
        temporary = self.path.with_suffix(".new")
        temporary.write_text(json.dumps(self.state, indent=1))
        temporary.replace(self.path)

    def is_over(self):
        return self.deadline is not None and time.monotonic() > self.deadline

    @property
    def mutants(self):
        """number -> mutant, of those that build"""
        return {i + 1: m for i, m in enumerate(self.state["mutants"]) if m["key"] not in self.state["dropped"]}

    def places(self):
        """What the tool reads, of what was asked for."""
        options = self.options
        if options.diff:
            return sorted(changed_lines(options.root, options.diff))
        if options.mutants:
            return sorted({key.split("::")[0] for key in options.mutants.read_text().split("\n") if key})
        places = [place.rstrip("/") for place in options.places or EVERYTHING]
        places += [place.replace("lib/", "include/distaff/", 1) for place in places if place.startswith("lib/")]
        return [place for place in places if (options.root / place).exists()]

    def selection(self):
        options = self.options
        return {"places": options.places, "diff": options.diff, "mutants": str(options.mutants or ""), "sample": options.sample,
                "seed": options.seed, "targets": options.targets}

    def shown_command(self):
        """What draws the same mutants again."""
        options = self.options
        flags = [*options.places, *(["--diff", options.diff] if options.diff else []), *(["--mutants", options.mutants.name] if options.mutants else []),
                 *(["--sample", options.sample, "--seed", options.seed] if options.sample else [])]
        return " ".join(map(str, ["python3 utils/mutants/mutants.py", *flags]))

    def draw(self, mutants):
        """The mutants that are asked for, of all in the places."""
        options = self.options
        if options.diff:
            lines = changed_lines(options.root, options.diff)
            mutants = [m for m in mutants if any(first <= m["last_line"] and m["line"] <= last for first, last in lines.get(m["file"], []))]
        if options.mutants:
            wanted = [key for key in options.mutants.read_text().split("\n") if key]
            found = {m["key"]: m for m in mutants}
            if missing := [key for key in wanted if key not in found]:
                raise DoesNotBuild("no mutant has the key " + ", ".join(missing))
            mutants = [found[key] for key in wanted]
        if options.sample and options.sample < len(mutants):
            chosen = set(random.Random(options.seed).sample(range(len(mutants)), options.sample))
            mutants = [m for i, m in enumerate(mutants) if i in chosen]
        return mutants

    def commit(self):
        return subprocess.run(["git", "rev-parse", "--short=10", "HEAD"], cwd=self.options.root, capture_output=True, text=True).stdout.strip()

    def begin(self):
        if self.state:
            if self.state["selection"] != self.selection():
                sys.exit(f"error: {self.work} has another run, of {self.state['selection']}; give another --work, or remove it")
            return
        self.work.mkdir(parents=True, exist_ok=True)
        if not self.copy.tree.exists():
            self.copy.make()
        places = self.places()
        everything = self.copy.list_mutants(places) if places else []
        drawn = self.draw(everything)
        files = {m["file"] for m in everything}
        stale = [key for key in read_equivalent(self.options.equivalent) if key.split("::")[0] in files and
                 key not in {m["key"] for m in everything}]
        self.state = {"selection": self.selection(), "commit": self.commit(), "date": datetime.date.today().isoformat(), "generated": len(everything),
                      "mutants": drawn, "dropped": {}, "stale": stale, "built": False, "tests": {}, "verdicts": {}}
        self.save()
        print(f"{len(everything)} mutants, {len(drawn)} drawn", flush=True)

    #===--------------------------------------------------------------------===#
    # Building
    #===--------------------------------------------------------------------===#

    def build(self):
        """Builds the copy with all that is drawn, less what does not compile."""
        for _ in range(MOST_ROUNDS):
            planted = self.copy.plant(self.mutants)
            for file in {m["file"] for m in self.state["mutants"]} - set(planted):
                self.copy.restore(file)
            said = self.copy.ninja()
            if not said:
                self.state["built"] = True
                return self.save()
            found = planting.culprits(said, planted, self.copy.tree)
            if not found:
                break
            for number, message in found.items():
                mutant = self.state["mutants"][number - 1]
                self.state["dropped"][mutant["key"]] = message
                print(f"does not build: {mutant['key']}: {message}", flush=True)
            self.save()
        raise DoesNotBuild("the tree with its mutants does not build:\n" + said[-4000:])

    #===--------------------------------------------------------------------===#
    # Testing
    #===--------------------------------------------------------------------===#

    def forget(self, changed):
        """Forgets what is known of tests that may read files which have changed, and verdicts by them."""
        stale = {test for test in self.state["tests"] if any(may_read(test, file) for file in changed)}
        self.state["tests"] = {test: result for test, result in self.state["tests"].items() if test not in stale}
        self.state["verdicts"] = {key: found for key, found in self.state["verdicts"].items() if found["verdict"] == "killed" and found["by"] not in stale}
        self.save()

    def record(self):
        """Runs the tests that have not run yet, with nothing selected."""
        left = [test for test in self.suites.tests() if test not in self.state["tests"] and re.search(self.options.tests, test)]
        print(f"{len(self.state['tests'])} tests are recorded, {len(left)} to go", flush=True)

        def done(test, result):
            self.state["tests"][test] = {"passed": result.passed, "seconds": round(result.seconds, 3), "reached": result.reached}
            if not result.passed:
                print(f"fails with nothing planted, and is not used: {test}", flush=True)

        for at in range(0, len(left), 256):
            if self.is_over():
                return False
            self.suites.record(left[at:at + 256], self.options.jobs, SECONDS_TO_RECORD, done)
            self.save()
        return True

    def killer_of(self, number):
        """(verdict, by whom); None where the time for each is over."""
        reaching = [test for test, result in self.results.items() if number in self.reached[test]]
        if not reaching:
            return "not reached", ""
        with self.lock:
            kills = collections.Counter(done["by"] for done in self.state["verdicts"].values())
        seconds = 0
        for tests in suites.batches(reaching, self.results, kills):
            if self.options.each and seconds > self.options.each:
                return None, f"lives after {seconds:.0f} s of tests"
            if by := self.killer_among(tests, number):
                return "killed", by
            seconds += sum(self.results[test].seconds for test in tests)
        return "survived", f"{len(reaching)} tests reach it"

    def killer_among(self, tests, number):
        """The first test that fails, and passes with nothing selected; None where there is none."""
        while tests:
            try:
                by = self.suites.first_failure(tests, number, self.seconds_of(tests))
            except suites.Hangs:
                if len(tests) == 1:
                    return tests[0] + ", which does not end" if self.is_reliable(tests[0]) else None
                return next(filter(None, (self.killer_among([test], number) for test in tests)), None)
            if not by or self.is_reliable(by):
                return by
            tests = [test for test in tests if test != by]
        return None

    def seconds_of(self, tests):
        return SECONDS_MORE + TIMES_SLOWER * sum(self.results[test].seconds for test in tests)

    def is_reliable(self, test):
        """Whether a test passes with nothing selected now."""
        try:
            if not self.suites.first_failure([test], 0, self.seconds_of([test])):
                return True
        except suites.Hangs:
            pass
        print(f"fails with nothing selected too, but not always: {test}", flush=True)
        return False

    def decide(self, number):
        if self.is_over():
            return
        mutant, begun = self.state["mutants"][number - 1], time.monotonic()
        verdict, by = self.killer_of(number)
        with self.lock:
            print(f"{verdict or 'undecided':12} {mutant['key']}: {by}", flush=True)
            if verdict:
                self.state["verdicts"][mutant["key"]] = {"verdict": verdict, "by": by, "seconds": round(time.monotonic() - begun, 1)}
                self.save()

    def test(self):
        self.results = {test: suites.Result(**result) for test, result in self.state["tests"].items() if result["passed"]}
        self.reached = {test: set(result.reached) for test, result in self.results.items()}
        left = [number for number, mutant in self.mutants.items() if mutant["key"] not in self.state["verdicts"]]
        with concurrent.futures.ThreadPoolExecutor(self.options.jobs) as pool:
            for _ in pool.map(self.decide, left):
                pass

    def run(self):
        self.begin()
        if self.options.list:
            for mutant in self.state["mutants"]:
                print(report.change_of(mutant))
            return 0
        if self.options.new_tests and self.state["built"]:
            self.forget(self.copy.update_tests())
            self.state["tests_commit"] = self.commit()
            self.state["built"] = False
        if not self.state["built"]:
            self.build()
        self.suites = suites.Suites(self.copy.build, self.work, len(self.state["mutants"]) + 1, has_files=not self.options.targets)
        if self.record():
            self.test()
        return self.conclude()

    def conclude(self):
        result = report.Report(self.state, read_equivalent(self.options.equivalent), self.shown_command())
        print(result.summary())
        if self.options.page:
            self.options.page.write_text(result.page())
        return result.exit_code()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("places", nargs="*", metavar="FOLDER_OR_FILE")
    parser.add_argument("--diff", metavar="REV", help="only lines that differ from REV")
    parser.add_argument("--mutants", type=Path, metavar="FILE", help="the keys of the mutants to run, one a line")
    parser.add_argument("--sample", type=int, metavar="N", help="draw N of them")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--work", type=Path, help="default: build-mutants")
    parser.add_argument("--limit", type=float, metavar="SECONDS", help="begin nothing after that time")
    parser.add_argument("--each", type=float, metavar="SECONDS", help="leave a mutant undecided that lives after tests of that time")
    parser.add_argument("--new-tests", action="store_true", help="go on with the tests as they are now")
    parser.add_argument("--page", type=Path, metavar="FILE", help="write the result as a page")
    parser.add_argument("--list", action="store_true", help="print the mutants drawn; build and test nothing")
    parser.add_argument("--jobs", type=int, choices=(1, 2), default=2)
    parser.add_argument("--tests", default="", metavar="REGEX", help="use only tests whose names match")
    parser.add_argument("--targets", nargs="*", default=[], help="build only these GoogleTest binaries, and use no other tests")
    parser.add_argument("--equivalent", type=Path, default=HERE / "equivalent.toml", metavar="FILE")
    parser.add_argument("--root", type=Path, default=ROOT, help=argparse.SUPPRESS)
    parser.add_argument("--tool", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--preset", default="dev")
    parser.add_argument("--cmake", nargs="*", default=[], metavar="-D...", help=argparse.SUPPRESS)
    options = parser.parse_args()
    options.root = options.root.resolve()
    options.work = (options.work or options.root / "build-mutants").resolve()
    try:
        return Run(options).run()
    except (DoesNotBuild, suites.NoTests) as error:
        print(f"error: {error}")
        return 2


if __name__ == "__main__":
    sys.exit(main())
