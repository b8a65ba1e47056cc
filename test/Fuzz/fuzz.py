#!/usr/bin/env python3
"""Feeds damaged inputs to the tools and reports what no input may cause.

usage: fuzz.py KIND[=COUNT]... [--bin DIR] [--seed N] [--jobs N] [--only I] [--sanitized]

KIND is mlir, npy, package or flags. Every command must end in under 20 s and 2 GiB, by no signal, with an exit code of 0 to
3 that is not 0 without an `error` on stderr, and must leave no output file behind when it fails. A case is a function of
kind, seed and number alone: a failure prints what repeats it, and leaves its inputs in the folder that it names.
`--sanitized` is for tools built with sanitizers: no limit on address space, which those reserve, and a longer time.
"""
import argparse
import multiprocessing
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import flags
import mlir_text
import npy_files
import packages

KINDS = {"mlir": mlir_text, "npy": npy_files, "package": packages, "flags": flags}
SOURCE = Path(__file__).resolve().parents[2]
SECONDS, BYTES = 20, 2 << 30


class Tools:
    """What a generator may know: where the tools and sources are, and a folder for what all cases share."""

    def __init__(self, bin_dir, shared):
        self.bin, self.source, self.shared = bin_dir, SOURCE, shared
        self.driver = bin_dir.parent / "lib" / "libfake-cuda.so"


def verdict(command, output, environment, folder, sanitized):
    """Runs `command`; returns (exit code, None or what is wrong with how it ended)."""
    def limit():
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if not sanitized:
            resource.setrlimit(resource.RLIMIT_AS, (2 * BYTES, 2 * BYTES))

    with open(folder / "stdout", "wb") as out, open(folder / "stderr", "wb") as err:
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=err, preexec_fn=limit, cwd=folder,
                                 env={**os.environ, **environment})
        signal.signal(signal.SIGALRM, lambda *_: child.kill())
        started = time.monotonic()
        signal.alarm(SECONDS * (5 if sanitized else 1))
        _, status, usage = os.wait4(child.pid, 0)
        signal.alarm(0)
        child.returncode = status  # wait4 has reaped it
    seconds, code = time.monotonic() - started, os.waitstatus_to_exitcode(status)
    message = (folder / "stderr").read_text(errors="replace")
    if seconds > SECONDS * (5 if sanitized else 1):
        return code, "no answer in %d s" % seconds
    if code not in (0, 1, 2, 3) or "Sanitizer" in message or "runtime error:" in message:
        return code, "ended with %d" % code
    if usage.ru_maxrss * 1024 > BYTES * (3 if sanitized else 1):
        return code, "took %d MiB" % (usage.ru_maxrss // 1024)
    # What upstream's command line of distaff-opt says about flags has no `error`.
    said = "error" in message or Path(command[0]).name == "distaff-opt" and message
    if code and not said and "MISMATCH" not in (folder / "stdout").read_text(errors="replace"):
        return code, "ended with %d and no error" % code
    if code and output and output.exists():
        return code, "failed and left an output file"
    return code, None


def run_case(job):
    kind, seed, number, bin_dir, shared, sanitized = job
    folder = Path(tempfile.mkdtemp(prefix="fuzz-%s-%d-%d-" % (kind, seed, number)))
    generator = random.Random("%s:%d:%d" % (kind, seed, number))
    command, output, environment = KINDS[kind].case(generator, folder, Tools(bin_dir, shared))
    code, wrong = verdict([str(word) for word in command], output, environment, folder, sanitized)
    if wrong:
        (folder / "command").write_text(" ".join(str(word) for word in command) + "\n")
    else:
        shutil.rmtree(folder, ignore_errors=True)
    return kind, number, code, wrong, folder


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kinds", nargs="+")
    parser.add_argument("--bin", type=Path, default=SOURCE / "build" / "bin")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--only", type=int, help="the number of the one case to run")
    parser.add_argument("--sanitized", action="store_true")
    options = parser.parse_args()
    shared = Path(tempfile.mkdtemp(prefix="fuzz-shared-"))
    jobs = []
    for text in options.kinds:
        kind, _, count = text.partition("=")
        if kind not in KINDS:
            parser.error("unknown kind '%s', known are %s" % (kind, ", ".join(KINDS)))
        numbers = range(int(count or 100)) if options.only is None else [options.only]
        KINDS[kind].prepare(Tools(options.bin.resolve(), shared))
        jobs += [(kind, options.seed, n, options.bin.resolve(), shared, options.sanitized) for n in numbers]

    codes, failures = {kind: Counter() for kind in KINDS}, 0
    with multiprocessing.Pool(options.jobs) as pool:
        for kind, number, code, wrong, folder in pool.imap_unordered(run_case, jobs, chunksize=4):
            codes[kind][code] += 1
            if not wrong:
                continue
            failures += 1
            stderr = (folder / "stderr").read_text(errors="replace").strip().splitlines()
            print("FAIL %s=%d --seed %d --only %d: %s: %s (%s)" % (kind, number, options.seed, number, wrong,
                                                              stderr[-1][:160] if stderr else "", folder), flush=True)
    shutil.rmtree(shared, ignore_errors=True)
    for kind, counter in codes.items():
        if counter:
            print("%s: %d inputs, by exit code: %s" % (kind, sum(counter.values()),
                                                      ", ".join("%d: %d" % item for item in sorted(counter.items()))))
    print("%d failed" % failures)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
