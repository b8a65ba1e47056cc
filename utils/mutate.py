#!/usr/bin/env python3
"""Plants the bugs of mutations/ in a copy of the tree, and says which live.

usage: mutate.py [NAME ...] [--work DIR] [--limit SECONDS] [--again] [--no-suite]
       mutate.py --check           every pattern matches exactly once (no build)
       mutate.py --table FILE      writes the page from what has been decided

Mutations that are expressions or statements are planted all at once, each
behind a switch that a file turns on, so that one build serves them all:

    gcd(a, b)   =>   (distaff_mutant("gcd-of-one") ? (a) : (gcd(a, b)))

The others (`as = "alone"`: declarations, tables, headers) are built one by one.
With nothing planted every killer must pass. Then for each mutation its killer
runs, and where it passes the whole suite. What has been decided is kept in
DIR/mutate.json, so a run goes on where the last one ended (`--limit` ends it);
`--again` forgets what was decided of the mutations named. Exit status: 0 when
all are killed or equivalent, 1 when one lives, 3 when some are undecided.

An entry of mutations/FOLDER.toml, or FOLDERSUBFOLDER.toml, for the folder that its file is in:

    [[mutation]]
    name = "gcd-of-one"                  # unique; kebab-case
    file = "lib/Layout/Digits.cpp"
    find = "std::gcd(a, b)"              # occurs exactly once in the file
    put = "a"
    killer = "test/Execution/Distribution/shapes.test"
                                         # or "unit:LayoutTests:Digits.*"
    as = "expression"                    # the default; statement, alone
    equivalent = "why no test can tell"  # instead of a killer
"""
import argparse
import datetime
import hashlib
import json
import os
import re
import resource
import subprocess
import sys
import time
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(__file__).resolve().with_name("mutations")
KEYS = {"name", "file", "find", "put", "killer", "as", "equivalent"}
MINUTES = 60
LEVELS = ["?", "||", "&&", "|", "^", "&", "== !=", "< > <= >=", "<< >>", "+ -", "* / %"]
PRECEDENCE = {op: at for at, ops in enumerate(LEVELS) for op in ops.split()}
BINARY = r"(\|\||&&|==|!=|<=|>=|<<|>>|[?|^&+\-*/%](?!=)|(?<=\s)[<>](?=\s))"
HEADER = """#pragma once
#include <cstdio>
#include <cstring>
// The name of the bug that is in effect is what the file says.
[[maybe_unused]] static bool distaff_mutant(const char *name) {
  static char planted[256];
  static const bool known = [] {
    if (std::FILE *file = std::fopen("%s", "r")) {
      planted[std::fread(planted, 1, sizeof(planted) - 1, file)] = 0;
      std::fclose(file);
    }
    return true;
  }();
  return known && !std::strcmp(planted, name);
}
// Read before `main`: a test may take the right to open files away.
[[maybe_unused]] static const bool distaff_mutant_is_known = distaff_mutant("");
"""


#===------------------------------------------------------------------------===#
# The data
#===------------------------------------------------------------------------===#

def read_mutations(data=DATA):
    """The entries of a file, or of all files of a folder."""
    files = sorted(data.glob("*.toml")) if data.is_dir() else [data]
    return [entry for file in files for entry in tomllib.loads(file.read_text())["mutation"]]


def is_whole(text, kind):
    """Whether brackets close what they open, statements, and only they, end as one does, and an expression is one."""
    pairs, opened, is_list = {")": "(", "]": "[", "}": "{"}, [], text.startswith("{")
    for c in re.sub(r'"[^"]*"|<[\w:, ]*>', "", text):
        is_list |= c == "," and not opened
        if c in pairs.values():
            opened.append(c)
        elif c in pairs and (not opened or opened.pop() != pairs[c]):
            return False
    text = text.rstrip()
    if kind == "statement":
        return not opened and (not text or text[-1] in ";}")
    return not opened and not is_list and not text.endswith(";") and not re.match(r"(if|for|while|switch) *\(", text)


def is_torn(text, begin, end):
    """Whether an operator beside the expression takes only a part of it: of `a || b` in `a || b && c`, say."""
    own, shorter = re.sub(r'"[^"]*"|<[\w:, *]*>', "_", text[begin:end]), ""
    while own != shorter:
        own, shorter = re.sub(r"\([^()]*\)|\[[^][]*\]|\{[^{}]*\}", "_", own), own
    loosest = min((PRECEDENCE[op] for op in re.findall(r"(?<=[\w\"])\s*" + BINARY, own)), default=len(LEVELS))
    sides = re.search(r"[\w)\]]\s*" + BINARY + r"\s*$", text[max(0, begin - 80):begin]), re.match(r"\s*" + BINARY, text[end:end + 80])
    declares = re.match(r"\w+ =(?!=)", own) and re.search(r"\w +$", text[max(0, begin - 80):begin])
    return own.endswith("?") or bool(declares) or any(side and PRECEDENCE[side.group(1)] > loosest for side in sides)


def problems_of(mutations):
    """What is wrong with the data, one line each."""
    names, spans = set(), {}
    for m in mutations:
        name = m.get("name", "?")
        if extra := set(m) - KEYS:
            yield f"{name}: unknown keys {sorted(extra)}"
        if missing := {"name", "file", "find", "put"} - set(m):
            yield f"{name}: no {sorted(missing)}"
            continue
        if name in names:
            yield f"{name}: twice"
        names.add(name)
        if ("killer" in m) == ("equivalent" in m):
            yield f"{name}: needs a killer, or why it is equivalent"
        killer = m.get("killer", "unit:")
        if not killer.startswith("unit:") and not (ROOT / killer).exists():
            yield f"{name}: no test {killer}"
        text = (ROOT / m["file"]).read_text() if (ROOT / m["file"]).exists() else ""
        if (count := text.count(m["find"])) != 1:
            yield f"{name}: {m['find']!r} occurs {count} times in {m['file']}"
            continue
        if m.get("as") != "alone":
            for part in (m["find"], m["put"]):
                if not is_whole(part, m.get("as", "expression")):
                    yield f"{name}: {part!r} is no {m.get('as', 'expression')} by itself; it stands alone"
            begin = text.index(m["find"])
            if m.get("as", "expression") == "expression" and is_torn(text, begin, begin + len(m["find"])):
                yield f"{name}: {m['find']!r} is a part of another expression; take more of it, or let it stand alone"
            for other, (first, last) in spans.get(m["file"], {}).items():
                if begin < last and first < begin + len(m["find"]):
                    yield f"{name}: overlaps {other}; one of them stands alone"
            spans.setdefault(m["file"], {})[name] = (begin, begin + len(m["find"]))


def switched(m):
    name = f'distaff_mutant("{m["name"]}")'
    if m.get("as", "expression") == "statement":
        return f"{{ if ({name}) {{ {m['put']} }} else {{ {m['find']} }} }}"
    return f"({name} ? ({m['put']}) : ({m['find']}))"


#===------------------------------------------------------------------------===#
# The copy
#===------------------------------------------------------------------------===#

def write_if_changed(path, data):
    if not path.exists() or path.read_bytes() != data:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


class Copy:
    """A tree of its own, with its own build folder."""

    def __init__(self, folder):
        self.folder, self.build = folder, folder / "build"
        self.switch = self.build / "mutant"

    def sync(self, texts):
        """Makes the copy the tree as it is, but for `texts` (file -> text)."""
        listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True, check=True)
        files = [f for f in listed.stdout.splitlines() if (ROOT / f).is_file()]
        manifest = self.folder / ".mutate-files"
        known = manifest.read_text().splitlines() if manifest.exists() else []
        for gone in set(known) - set(files):
            (self.folder / gone).unlink(missing_ok=True)
        for file in files:
            data = texts[file].encode() if file in texts else (ROOT / file).read_bytes()
            write_if_changed(self.folder / file, data)
            (self.folder / file).chmod((ROOT / file).stat().st_mode)
        write_if_changed(manifest, "\n".join(files).encode())
        write_if_changed(self.folder / "distaff-mutant.h", (HEADER % self.switch).encode())

    def make(self):
        """Builds everything. Returns what the compiler said when that fails."""
        if not (self.build / "build.ninja").exists():
            subprocess.run(["cmake", "--preset", "release", "-B", str(self.build)], cwd=self.folder, check=True, stdout=subprocess.DEVNULL)
        done = subprocess.run(["ninja", "-C", str(self.build)], capture_output=True, text=True)
        return "" if done.returncode == 0 else "\n".join(line for line in done.stdout.splitlines() if "error:" in line or "FAILED" in line)

    def plant(self, name):
        self.switch.write_text(name)

    def run(self, command, seconds):
        """(passed, output); what hangs or eats all memory has not passed."""
        limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (20 << 30, 20 << 30))
        try:
            done = subprocess.run(["nice", *command], cwd=self.folder, capture_output=True, text=True, timeout=seconds, preexec_fn=limit)
        except subprocess.TimeoutExpired:
            return False, "hangs"
        return done.returncode == 0, done.stdout + done.stderr

    def passes(self, killer):
        if killer.startswith("unit:"):
            _, binary, pattern = killer.split(":", 2)
            passed, output = self.run([str(self.build / "unittests" / binary), f"--gtest_filter={pattern}"], 5 * MINUTES)
            return passed and "[  PASSED  ] 0 tests" not in output
        return self.lit([str(self.build / killer)], 5 * MINUTES)[0]

    def lit(self, arguments, seconds):
        return self.run([sys.executable, "utils/run_tests.py", "--build", str(self.build), "--all", *arguments], seconds)

    def suite(self):
        """The first test that fails, or nothing. How sources look is not asked: they have switches."""
        passed, output = self.lit([str(self.build / "test"), str(self.build / "unittests"), "--max-failures=1", "--filter-out=Repository/"],
                                  30 * MINUTES)
        if passed:
            return None
        found = re.search(r"Distaff(?:-Unit)? :: (\S+)", output)
        return found.group(1) if found else "the suite"


#===------------------------------------------------------------------------===#
# A run
#===------------------------------------------------------------------------===#

def fingerprint(m):
    return hashlib.sha256(json.dumps(m, sort_keys=True).encode()).hexdigest()[:16]


class Run:
    def __init__(self, options):
        self.options, self.copy = options, Copy(options.work)
        self.path = options.work / "mutate.json"
        self.state = json.loads(self.path.read_text()) if self.path.exists() else {}
        self.deadline = time.monotonic() + options.limit if options.limit else None
        self.baseline = {}

    def known(self, m):
        """What has been decided of this very entry."""
        if "equivalent" in m:
            return {"verdict": "equivalent", "by": m["equivalent"]}
        found = self.state.get(m["name"])
        return found if found and found["entry"] == fingerprint(m) else None

    def decide(self, m, verdict, by):
        self.state[m["name"]] = {"entry": fingerprint(m), "verdict": verdict, "by": by, "date": datetime.date.today().isoformat()}
        self.path.write_text(json.dumps(self.state, indent=1))
        print(f"{verdict:10} {m['name']}: {by}", flush=True)

    def is_over(self):
        return self.deadline is not None and time.monotonic() > self.deadline

    def try_killer(self, m):
        """\\pre the copy is built with m in it, behind its switch or not."""
        if m["killer"] not in self.baseline:
            self.copy.plant("")
            self.baseline[m["killer"]] = self.copy.passes(m["killer"])
        if not self.baseline[m["killer"]]:
            return self.decide(m, "bad killer", f"{m['killer']} fails with nothing planted")
        self.copy.plant("" if m.get("as") == "alone" else m["name"])
        if not self.copy.passes(m["killer"]):
            return self.decide(m, "killed", m["killer"])
        if self.options.no_suite:
            return self.decide(m, "undecided", f"{m['killer']} passes")
        by = self.copy.suite()
        self.decide(m, "killed" if by else "LIVES", by or "the whole suite passes")

    def run_switched(self, mutations, alone):
        if not mutations and not alone:
            return True
        self.copy.sync(self.switched_texts())
        if said := self.copy.make():
            print(f"error: the tree with its switches does not build:\n{said}")
            return False
        self.copy.plant("")
        for killer in {m["killer"] for m in alone}:
            self.baseline[killer] = self.copy.passes(killer)
        for m in mutations:
            if self.is_over():
                break
            self.try_killer(m)
        self.copy.plant("")
        return True

    def switched_texts(self):
        """Every file that has mutations, with all of them behind switches."""
        texts = {}
        for m in read_mutations(self.options.data):
            if m.get("as") != "alone" and "killer" in m:
                text = texts.get(m["file"]) or f'#include "{self.copy.folder}/distaff-mutant.h"\n' + (ROOT / m["file"]).read_text()
                texts[m["file"]] = text.replace(m["find"], switched(m))
        return texts

    def run_alone(self, mutations):
        for m in mutations:
            if self.is_over():
                break
            # The other files stay as they are built, with nothing turned on.
            text = (ROOT / m["file"]).read_text().replace(m["find"], m["put"])
            self.copy.sync({**self.switched_texts(), m["file"]: text})
            if said := self.copy.make():
                self.decide(m, "bad entry", "does not build: " + said[:300])
            else:
                self.try_killer(m)

    def run(self, mutations):
        if self.options.again:
            for m in mutations:
                self.state.pop(m["name"], None)
        todo = [m for m in mutations if not self.known(m) or self.known(m)["verdict"] not in ("killed", "equivalent")]
        print(f"{len(mutations) - len(todo)} of {len(mutations)} are decided")
        self.options.work.mkdir(parents=True, exist_ok=True)
        alone = [m for m in todo if m.get("as") == "alone"]
        if not self.run_switched([m for m in todo if m.get("as") != "alone"], alone):
            return 2
        self.run_alone(alone)
        verdicts = [(self.known(m) or {"verdict": "undecided"})["verdict"] for m in mutations]
        print(", ".join(f"{verdicts.count(v)} {v}" for v in dict.fromkeys(verdicts)))
        return 1 if "LIVES" in verdicts else 0 if set(verdicts) <= {"killed", "equivalent"} else 3


def write_table(run, mutations, page):
    folders = {}
    for m in mutations:
        folders.setdefault(m["file"].split("/")[1], []).append(m)
    results = [run.known(m) or {"verdict": "undecided", "by": ""} for m in mutations]
    count = lambda verdict: sum(r["verdict"] == verdict for r in results)
    dates = [r["date"] for r in results if "date" in r]
    lines = ["# Planted bugs", "",
             "How good the tests are is measured by bugs planted on purpose, one at a time. Each is an entry of",
             "[utils/mutations](../utils/mutations): a file, a text that occurs in it once, what to put there, and the test",
             "that is expected to fail. [utils/mutate.py](../utils/mutate.py) plants them in a copy of the tree.", "",
             f"`python3 utils/mutate.py`: {len(mutations)} planted, {count('killed')} killed, {count('equivalent')} equivalent, "
             f"{len(mutations) - count('killed') - count('equivalent')} alive or undecided.",
             "Run last: " + ", ".join(f"{dates.count(date)} on {date}" for date in sorted(set(dates), reverse=True)) + ".", ""]
    for folder in sorted(folders):
        lines += [f"## {folder}", "", "| file | killed by | bugs |", "| --- | --- | --- |"]
        rows = {}
        for m in folders[folder]:
            known = run.known(m) or {"verdict": "undecided", "by": ""}
            by = known["by"].removeprefix("test/").removeprefix("unit:").replace("|", "\\|")
            by = f"`{by}`" if known["verdict"] == "killed" else f"{known['verdict']}: {by}"
            rows.setdefault(f"| {'/'.join(m['file'].split('/')[2:])} | {by} |", []).append(m["name"])
        lines += [f"{row} {', '.join(names)} |" for row, names in rows.items()]
        lines.append("")
    page.write_text("\n".join(lines))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="names or beginnings of names; none: all")
    parser.add_argument("--work", type=Path, default=ROOT / "build-mutate")
    parser.add_argument("--limit", type=float, help="seconds after which no other one is begun")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--no-suite", action="store_true", help="leave those that pass their killer undecided")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--data", type=Path, default=DATA, help=argparse.SUPPRESS)
    parser.add_argument("--table", type=Path)
    options = parser.parse_args()
    options.work = options.work.resolve()
    mutations = read_mutations(options.data)
    problems = list(problems_of(mutations))
    for line in problems:
        print("error:", line)
    if problems or options.check:
        print(f"{len(mutations)} mutations, {len(problems)} problems")
        return 1 if problems else 0
    if options.table:
        write_table(Run(options), mutations, options.table)
        return 0
    chosen = [m for m in mutations if not options.names or any(m["name"].startswith(n) for n in options.names)]
    if not chosen:
        parser.error("no mutation has such a name")
    return Run(options).run(chosen)


if __name__ == "__main__":
    sys.exit(main())
