"""Layouts and the history of a program (VX-53). Random programs without control flow

  * come out of assign-layouts alike, letter by letter, under other names of values,
  * and their lines, put in other orders that values and memory allow, are accepted;
    hardly one, of which two candidates are as good or too many to keep, gets other
    layouts then: candidates are in the order of their anchors (chapter 5).

An op of the result is its text, its operands replaced by the ops that they come from and
aliases by what they stand for; two results are equal if they have the same ops, as often.

    python3 permuted.py OUT_DIR [--distaff FILE]
"""
import argparse
import collections
import concurrent.futures
import hashlib
import os
import pathlib
import random
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "ForkServer"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import depth
import fork_server

import random_kernels

TARGETS = {32: "sm_80", 64: "gfx942"}
ORDERS = 3
MOST_OTHER = 0.2  # of the programs
NAME = re.compile(r"%[\w$.-]+(?:#\d+)?")
STRAIGHT = re.compile(r"scf\.|func\.call|\{$|^\s*\}", re.M)
MEMORY = re.compile(r"transfer_|load|store|gather|scatter|memref\.|barrier|alloc")


def base(name):
    return name.split("#")[0]


def depends(earlier, later):
    """Whether a line has to stay behind another."""
    results = set(NAME.findall(earlier.split(" = ")[0])) if earlier.strip().startswith("%") else set()
    return bool(results & {base(name) for name in NAME.findall(later)} or (MEMORY.search(earlier) and MEMORY.search(later)))


def shuffled(rng, lines):
    """The lines in another order; memory is used in the one there was."""
    waits = [{at for at in range(to) if depends(lines[at], lines[to])} for to in range(len(lines))]
    order = []
    while len(order) < len(lines):
        order.append(rng.choice([at for at in range(len(lines)) if at not in order and waits[at] <= set(order)]))
    return [lines[at] for at in order]


def ops(text):
    """Digests of all ops, and how often there is each."""
    aliases = dict(re.findall(r"^(#[\w.]+) = (.*)$", text, re.M))
    for _ in range(2):
        text = re.sub(r"#[\w.]+", lambda match: aliases.get(match[0], match[0]), text)
    known, found = {}, collections.Counter()
    for line in text.splitlines():
        if line.startswith("#"):
            continue
        results, equals, body = line.strip().partition(" = ") if re.match(r"\s*%", line) else ("", "", line.strip())
        body = NAME.sub(lambda match: known.get(base(match[0]), base(match[0])) + match[0][len(base(match[0])):], body)
        digest = hashlib.sha1(body.encode()).hexdigest()[:12]
        known.update((base(name), "%" + digest) for name in NAME.findall(results))
        found[digest, body] += 1
    return found


def assigned(path, text, target, distaff):
    path.write_text(text)
    done = fork_server.run([distaff, "compile", str(path), "--target", target, "--stop-after=assign-layouts"])
    return done.stdout, done.stderr[:800] if done.returncode else None


def judge(job):
    """What is wrong, what orders get other layouts, and how many lines have moved."""
    kernel, out, distaff = job
    target, lines, rng, moved, others = TARGETS[kernel.subgroup], list(kernel.lines), random.Random(kernel.name), 0, []
    text = kernel.text()
    wanted, error = assigned(out / f"{kernel.name}.mlir", text, target, distaff)
    if error:
        return error, others, moved
    renamed = NAME.sub(lambda match: f"%n{hashlib.sha1(base(match[0]).encode()).hexdigest()[:8]}{match[0][len(base(match[0])):]}", text)
    if assigned(out / f"{kernel.name}_renamed.mlir", renamed, target, distaff) != (wanted, None):
        return "other names get other layouts", others, moved
    for number in range(ORDERS):
        kernel.lines = shuffled(rng, lines)
        moved += sum(a != b for a, b in zip(lines, kernel.lines))
        found, error = assigned(out / f"{kernel.name}_{number}.mlir", kernel.text(), target, distaff)
        if error:
            return f"order {number}: {error}", others, moved
        if ops(found) != ops(wanted):
            others.append(number)
    return None, others, moved


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--distaff", default="distaff")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    kernels = [random_kernels.Generator(seed).generate() for seed in depth.some(range(150), 11)]
    jobs = [(kernel, options.out, options.distaff) for kernel in kernels if not STRAIGHT.search("\n".join(kernel.lines))]
    failed = moved = 0
    others = []
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for job, (wrong, orders, lines) in zip(jobs, pool.map(judge, jobs)):
            moved += lines
            others += [job[0].name] if orders else []
            if wrong:
                failed += 1
                print(f"FAIL {job[0].name}: {wrong}")
    print(f"{len(jobs) - failed} of {len(jobs)} programs, {moved} lines moved; other layouts in another order: {', '.join(others) or 'none'}")
    sys.exit(failed > 0 or 150 * moved < 500 * len(kernels) or len(others) > MOST_OTHER * len(jobs))


main()
