"""How the execution tests run programs, and how they count what comes of them.

A suite is a script that makes runs, each of one program on one target with one
set of inputs. A run ends in one of

    right      every stage was compared with the source, and agrees with it
    undecided  the error bound is too wide to tell (exit 3)
    refused    the compiler says no (exit 1), and nothing was found to be wrong
    wrong      all else: a mismatch, a fault of what ran, a crash, a hang, an op
               that is not modelled, or a run that compared nothing

and passes when it is right, or ends as the suite expects and says why: `expected`
is ("undecided", "the reason") or ("refused", "text of the error"). What is listed
and comes out right after all fails too, so that the lists stay short. The four are
counted apart. Of a run that does not pass, its name is printed, what was seen, the
command that repeats it, and, where not every stage was compared, the first that is wrong.
"""
import argparse
import collections
import concurrent.futures
import os
import pathlib
import re
import shlex
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "ForkServer"))
import fork_server

import depth

SECONDS = 120
# An error that a machine found, not the compiler.
FAULT = re.compile(r"error: (?:'[\w.]+' op (?:race|divergent barrier|out of bounds|unwritten|misaligned|deadlock|misuse|"
                   r"undefined|assertion|endless|out of memory|not modelled): |in the emitted PTX: )")


class Run:
    def __init__(self, name, command, expected=None, exact=False, prepare=None, before=None, after=None, compares=True):
        self.name, self.command, self.expected = name, command, expected
        self.exact = exact  # the inputs are whole numbers, which leave no bound
        self.prepare = prepare  # writes the files that the command reads
        self.before = before  # a command whose output must satisfy a function
        self.after = after  # a function that says what is wrong with the files written
        self.compares = compares  # False: `after` judges, not --check


def execute(command):
    try:
        return fork_server.run(command, SECONDS)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, 124, "", f"no end after {SECONDS} s\n")


def distaff(chosen, *arguments):
    """A run of the tool that the script was given, with these arguments."""
    return execute([chosen.distaff, *map(str, arguments)])


def compared(command, stdout):
    """Whether a run says of the last stages, value by value, that they are right."""
    last = depth.last_stages(command)
    last, least = (("distribute", *last), 6) if depth.EVERY_STAGE in command else (last, len(last))
    return all(f"\n{stage} " in "\n" + stdout for stage in last) and stdout.count(" ok") >= least


def outcome(run):
    """(right | undecided | refused | wrong, what was seen)."""
    if run.before:
        command, says = run.before
        done = execute(command)
        if wrong := f"exit {done.returncode}\n{done.stderr[:1500]}" if done.returncode else says(done.stdout):
            return "wrong", wrong
    command = depth.stages(run.command)
    done = execute(command)
    seen = f"exit {done.returncode}\n{done.stdout[-800:]}{done.stderr[:1500]}"
    if done.returncode == 3 and " undecided" in done.stdout:
        return "undecided", seen
    if done.returncode == 1 and "MISMATCH" not in done.stdout and "error:" in done.stderr and not FAULT.search(done.stderr):
        return "refused", seen
    if done.returncode != 0:
        return "wrong", seen
    if run.compares and not compared(command, done.stdout):
        return "wrong", "nothing was compared\n" + seen
    if run.exact and "bound 0.00e+00" not in done.stdout.splitlines()[-1]:
        return "wrong", "whole numbers have a bound\n" + seen
    if run.after and (wrong := run.after()):
        return "wrong", wrong
    return "right", seen


def judge(run, kind, seen):
    """What is wrong with how a run ended, or None."""
    if not run.expected:
        return None if kind == "right" else f"{kind}: {seen}"
    wanted, reason = run.expected
    if kind != wanted:
        return f"{kind}, and listed as {wanted} ({reason}): {seen}"
    if wanted == "refused" and reason not in seen:
        return f"no error `{reason}`: {seen}"
    return None


def repeat(run):
    """The command that repeats a run alone, and what every stage of it says where not all were looked at."""
    text = f"\nrepeat: {shlex.join(str(part) for part in run.command)}"
    if depth.stages(run.command) != run.command:
        done = execute(run.command)
        text += f"\nevery stage: exit {done.returncode}\n{done.stdout[-1200:]}{done.stderr[:800]}"
    return text


def options():
    """OUT_DIR [--only NAME] [--distaff PATH] [--strict-fp] [--host]; makes the folder."""
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--only")
    parser.add_argument("--distaff", default="distaff")
    parser.add_argument("--strict-fp", action="store_true")
    parser.add_argument("--host", action="store_true", help="on this CPU, under 1, 2 and 5 threads, instead of each target")
    chosen = parser.parse_args()
    chosen.out.mkdir(parents=True, exist_ok=True)
    return chosen


def target_flags(target, seed, chosen):
    """The target of a seed, or this CPU with one of three numbers of threads."""
    if not chosen.host:
        return ["--target", target]
    return ["--target", "host", "--device", "host", "--threads", str((1, 2, 5)[seed % 3])]


def taken(flag):
    """The range A:B that a flag of the suite's own gives, taken off the line."""
    if flag not in sys.argv:
        return None
    at = sys.argv.index(flag)
    first, last = map(int, sys.argv[at + 1].split(":"))
    del sys.argv[at:at + 2]
    return range(first, last)


def main(runs, chosen, one_in=1):
    """Runs all, or as many as depth.py says; ends with an error when one does not pass."""
    runs = [run for run in runs if not chosen.only or chosen.only in run.name]
    names = [run.name for run in runs]
    twice = [name for name, count in collections.Counter(names).items() if count > 1]
    assert not twice, f"two runs of one name: {', '.join(sorted(twice))}"
    runs = depth.some(runs, 1 if chosen.only else one_in)
    for run in runs:
        if run.prepare:
            run.prepare()
    counts = dict.fromkeys(("right", "undecided", "refused", "wrong"), 0)
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for run, (kind, seen) in zip(runs, pool.map(outcome, runs)):
            counts[kind] += 1
            if wrong := judge(run, kind, seen):
                failed += 1
                print(f"FAIL {run.name}: {wrong}{repeat(run)}")
            elif kind == "undecided":
                print(f"undecided: {run.name}: {run.expected[1]}")
    print(", ".join(f"{count} {kind}" for kind, count in counts.items()) + f" of {len(runs)} runs")
    sys.exit(failed > 0 or not runs)
