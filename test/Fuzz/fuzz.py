#!/usr/bin/env python3
"""Feeds damaged inputs to the tools and reports what no input may cause.

usage: fuzz.py KIND[=COUNT]... [--bin DIR] [--seed N] [--jobs N] [--only I] [--sanitized]

KIND is mlir, npy, package or flags. Every command must end in under 20 s of CPU time and 2 GiB, by no signal, with an exit code of 0 to
3 that is not 0 without an `error` on stderr, and must leave no output file behind when it fails. A case is a function of
kind, seed and number alone: a failure prints what repeats it, and leaves its inputs in the folder that it names. Crashes that
the driver contains are counted apart and named by where they happened; with a function of ours on the stack they are failures.
A kernel of which the compiler has warned that it does not compile in seconds has five times the time; what runs out of
memory under the limit on address space runs again with more, to see whether it takes it or asks for what no machine has.
`--sanitized` is for tools built with sanitizers: no limit on address space, which those reserve, and a longer time; the tests
of such a build have it by the environment variable DISTAFF_SANITIZED.
"""
import argparse
import itertools
import math
import multiprocessing
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter, namedtuple
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "Execution" / "Inputs"))
import depth
import flags
import mlir_text
import npy_files
import packages

KINDS = {"mlir": mlir_text, "npy": npy_files, "package": packages, "flags": flags}
SOURCE = Path(__file__).resolve().parents[2]
SECONDS, BYTES = 20, 2 << 30
SLOW, PATIENCE = "that compile in seconds", 5
SYMBOLIZER = os.environ.get("LLVM_SYMBOLIZER_PATH", "/usr/lib/llvm-22/bin/llvm-symbolizer")
# How a command may end: with an output; with an error; with `run --check` saying no; with neither of these said (exit 3); with
# an error after upstream's code crashed and the driver contained that. And how it may not.
FINE = ["accepted", "refused", "differed", "undecided", "contained"]
WRONG = ["crashed", "hung", "over memory", "silent", "left output"]
Case = namedtuple("Case", "kind number code ending detail seconds megabytes folder")
Limits = namedtuple("Limits", "seconds megabytes sanitized keep")


class Tools:
    """What a generator may know: where the tools and sources are, and a folder for what all cases share."""

    def __init__(self, bin_dir, shared):
        self.bin, self.source, self.shared = bin_dir, SOURCE, shared
        self.driver = bin_dir.parent / "lib" / "libfake-cuda.so"


def environment_of_tools():
    """What every command runs in: contained crashes show where they happened, sanitizers end what they find."""
    return {**os.environ, "DISTAFF_SHOW_CONTAINED": "1", "LLVM_SYMBOLIZER_PATH": SYMBOLIZER}


def run_limited(command, environment, folder, limits, address_space=2 * BYTES):
    """Runs `command` and returns (exit code, CPU seconds, MiB), killed when it takes longer than it may: other programs may take
    most of the machine, so by the clock it has more time, and what waits for ever ends there."""
    def limit():
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        most = math.ceil(PATIENCE * limits.seconds) + 1
        resource.setrlimit(resource.RLIMIT_CPU, (most, most + 1))
        if not limits.sanitized:
            resource.setrlimit(resource.RLIMIT_AS, (address_space, address_space))

    with open(folder / "stdout", "wb") as out, open(folder / "stderr", "wb") as err:
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=err, preexec_fn=limit, cwd=folder,
                                 env={**environment_of_tools(), **environment})
        signal.signal(signal.SIGALRM, lambda *_: child.kill())
        started, by_the_clock = time.monotonic(), 10 * PATIENCE * limits.seconds
        signal.setitimer(signal.ITIMER_REAL, by_the_clock)
        _, status, usage = os.wait4(child.pid, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
        child.returncode = status  # wait4 has reaped it
    elapsed = time.monotonic() - started
    seconds = elapsed if elapsed > by_the_clock else usage.ru_utime + usage.ru_stime
    return os.waitstatus_to_exitcode(status), seconds, usage.ru_maxrss // 1024


def is_of_upstream(name):
    """Whether a function of a program of ours is a template of upstream's, with arguments of upstream's."""
    return bool(re.search(r"(^| )(llvm|mlir|std)::", name)) and not re.search(r"distaff|\$_", name)


def crash_frames(message):
    """The named functions of the stack in `message`, innermost first, from where it crashed to where that was contained; and
    those of them that are ours, less what the driver runs contained. Libraries are .so files and headers under /usr; their
    templates may be compiled into a program of ours, and be named by nothing of ours."""
    stack = message[message.index(" #0 0x"):].splitlines()
    frames = [line for line in stack if re.match(r" *#\d+ 0x", line)]
    inner = list(itertools.takewhile(lambda line: "RunSafely" not in line, frames))
    inner = [line for line in inner if not re.search(r"llvm::sys::(PrintStackTrace|RunSignalHandlers|CleanupOnSignal)|callback_fn<|(KernelInput|Emit|Containment)\.cpp", line)]
    if inner and re.search(r"::\$_\d+::operator\(\)", inner[-1]):
        inner.pop()  # the lambda that is run contained, where it was not inlined
    named = [(re.sub(r"^ *#\d+ 0x\w+ ", "", line).split("(")[0].strip(), not re.search(r"\.so|/usr/", line)) for line in inner]
    ours = [name for name, is_ours in named if is_ours and name and not re.search("__interceptor|__asan|__ubsan|__sanitizer", name) and not is_of_upstream(name)]
    return [name for name, _ in named if "::" in name], ours


def judge(command, code, seconds, megabytes, output, folder, limits):
    """Returns (how it ended, what there is to say about that)."""
    message = (folder / "stderr").read_text(errors="replace")
    if seconds > limits.seconds * (PATIENCE if SLOW in message else 1):
        return "hung", "no answer in %d s" % seconds
    if code not in (0, 1, 2, 3) or "Sanitizer" in message or "runtime error:" in message:
        return "crashed", "ended with %d" % code
    if megabytes > limits.megabytes:
        return "over memory", "took %d MiB" % megabytes
    # What upstream's command line of distaff-opt says about flags has no `error`.
    said = "error" in message or Path(command[0]).name == "distaff-opt" and message
    differs = "MISMATCH" in (folder / "stdout").read_text(errors="replace")
    if code and not said and not differs:
        return "silent", "ended with %d and no error" % code
    if code and output and output.exists():
        return "left output", "failed and left an output file"
    if " #0 0x" in message:
        frames, ours = crash_frames(message)
        if ours:
            return "crashed", "contained, with %s on the stack" % ", ".join(ours[:3])
        return "contained", " < ".join(frames[:2]) or "unnamed"
    return ("accepted" if code == 0 else "differed" if differs else "undecided" if code == 3 else "refused"), ""


def run_case(job):
    kind, seed, number, bin_dir, shared, limits = job
    folder = Path(tempfile.mkdtemp(prefix="fuzz-%s-%d-%d-" % (kind, seed, number)))
    generator = random.Random("%s:%d:%d" % (kind, seed, number))
    command, output, environment = KINDS[kind].case(generator, folder, Tools(bin_dir, shared))
    words = [str(word) for word in command]
    code, seconds, megabytes = run_limited(words, environment, folder, limits)
    if "out of memory" in (folder / "stderr").read_text(errors="replace"):
        code, seconds, megabytes = run_limited(words, environment, folder, limits, address_space=6 * BYTES)
    ending, detail = judge(words, code, seconds, megabytes, output, folder, limits)
    if ending in FINE and not limits.keep:
        shutil.rmtree(folder, ignore_errors=True)
    else:
        (folder / "command").write_text(" ".join(words) + "\n")
    return Case(kind, number, code, ending, detail, seconds, megabytes, folder)


def report(case, seed):
    stderr = (case.folder / "stderr").read_text(errors="replace").strip().splitlines()
    print("FAIL %s=%d --seed %d --only %d: %s: %s (%s)" % (case.kind, case.number, seed, case.number, case.detail,
                                                      stderr[-1][:160] if stderr else "", case.folder), flush=True)


def print_table(cases):
    """How the inputs ended, kind by kind, as the page under benchmark/results has it, and where what was contained crashed."""
    endings = FINE + WRONG
    print("| kind | inputs | %s | slowest | most memory |" % " | ".join(endings))
    print("| --- " * (len(endings) + 4) + "|")
    for kind in KINDS:
        mine = [case for case in cases if case.kind == kind]
        if not mine:
            continue
        counts = Counter(case.ending for case in mine)
        slow, big = max(mine, key=lambda case: case.seconds), max(mine, key=lambda case: case.megabytes)
        print("| %s | %d | %s | %.1f s (%d) | %d MiB (%d) |" % (kind, len(mine), " | ".join(str(counts[ending]) for ending in endings),
                                                              slow.seconds, slow.number, big.megabytes, big.number))
    contained = [case for case in cases if case.ending == "contained"]
    for where, count in Counter(case.detail for case in contained).most_common():
        print("contained %d times in %s, first in %d" % (count, where, min(case.number for case in contained if case.detail == where)))


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kinds", nargs="+")
    parser.add_argument("--bin", type=Path, default=SOURCE / "build" / "bin")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--only", type=int, help="the number of the one case to run")
    parser.add_argument("--seconds", type=float, default=SECONDS)
    parser.add_argument("--keep", action="store_true", help="leave the inputs of every case")
    parser.add_argument("--sanitized", action="store_true", default="DISTAFF_SANITIZED" in os.environ)
    options = parser.parse_args()
    for text in options.kinds:
        if text.partition("=")[0] not in KINDS:
            parser.error("unknown kind '%s', known are %s" % (text, ", ".join(KINDS)))
    factor = 5 if options.sanitized else 1
    options.limits = Limits(options.seconds * factor, (BYTES >> 20) * (3 if options.sanitized else 1), options.sanitized, options.keep)
    return options


def main():
    options = parse_options()
    shared = Path(tempfile.mkdtemp(prefix="fuzz-shared-"))
    jobs = []
    for kind, _, count in (text.partition("=") for text in options.kinds):
        numbers = depth.some(range(int(count or 100)), 3) if options.only is None else [options.only]
        KINDS[kind].prepare(Tools(options.bin.resolve(), shared))
        jobs += [(kind, options.seed, n, options.bin.resolve(), shared, options.limits) for n in numbers]

    # An interrupted run says what it has seen, one in the background of a shell too.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    cases, interrupted = [], False
    with multiprocessing.Pool(options.jobs, signal.signal, (signal.SIGINT, signal.SIG_IGN)) as pool:
        try:
            for case in pool.imap_unordered(run_case, jobs, chunksize=4):
                cases.append(case)
                if case.ending in WRONG:
                    report(case, options.seed)
        except KeyboardInterrupt:
            interrupted = True
    shutil.rmtree(shared, ignore_errors=True)
    print_table(cases)
    failures = sum(case.ending in WRONG for case in cases)
    print("%d failed%s" % (failures, ", interrupted" if interrupted else ""))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
