"""Runs random programs and says what was in them: outcomes, refusals by reason, and
how many programs have each op, element type, combining kind and conversion tier.

    SCRIPT OUT_DIR [--seeds A:B] [--tiers] [--ptx] [--share PERCENT]
    SCRIPT OUT_DIR --shrink SEED [--ptx]

A program that is refused is counted and named by its reason; one that is wrong makes
the exit status 1, and so does a refusal in the suite's own seeds. --ptx runs what has
32 lanes on the PTX machine too, --tiers asks for remarks on the conversions, and
--share lists what is in fewer of the programs.
"""
import collections
import concurrent.futures
import dataclasses
import re
import sys

from kernels import runs, suite

ELEMENTS = re.compile(r"[<x](i\d+|index|bf16|f8E4M3FN|f8E5M2|f\d+)>")
KINDS = re.compile(r"(?:kind<|reduction <|scan <)(\w+)>")
OPS = re.compile(r"(?:^|[={] ?|\} )((?:arith|vector|scf|math|ub|func|memref|iree_vector_ext|distaff)\.[a-z_]+)", re.MULTILINE)
WHOLE = re.compile(r"--input (arg\d+=whole:[-:.\d]+)")
TIERS = re.compile(r"remark: conversion from .*?: (T0|T1s?|T2|T3) ")


@dataclasses.dataclass
class Options:
    out: object
    distaff: str
    only: str = None
    strict_fp: bool = False


def features(kernel):
    """What a program has, each once."""
    text = kernel.text()
    text = re.sub(r"^ +", "", text, flags=re.MULTILINE)
    found = {f"op {op}" for op in OPS.findall(text)} | {f"type {t}" for t in ELEMENTS.findall(text)}
    found |= {f"kind {k}" for k in KINDS.findall(text)}
    if "vector.mask" in text:
        found |= {f"masked {op}" for op in re.findall(r"vector\.mask [^{\n]*\{ ([a-z_.]+)", text)}
    found |= {"passthru"} & {"passthru" for _ in re.findall(r"vector\.mask %\w+(?:#\d)?, %", text)}
    return found


def reason(seen):
    """An error without what is of one program: what repeats is one reason."""
    line = next((line for line in seen.splitlines() if "error:" in line), seen[:200])
    line = line[line.index("error:") + 7:] if "error:" in line else line
    return re.sub(r"[0-9]+", "N", re.sub(r"<[^>]*>|⟨[^⟩]*⟩|sg\(.*", "<..>", line))[:200]


class Report:
    def __init__(self):
        self.outcomes, self.refusals, self.features = collections.Counter(), collections.Counter(), collections.Counter()
        self.failures, self.counted, self.examples = [], 0, {}

    def add(self, kernel, ends, tiers):
        """`ends`: (name, kind, seen) of each run."""
        for name, kind, seen in ends:
            self.outcomes[kind] += 1
            if kind == "wrong":
                self.failures.append(name)
                print(f"FAIL {name}: {seen}", flush=True)
            elif kind != "right":
                why = f"{kind}: {reason(seen)}"
                self.refusals[why] += 1
                self.examples.setdefault(why, name)
        if all(kind == "right" for _, kind, _ in ends):
            self.counted += 1
            self.features.update(features(kernel) | {f"tier {tier}" for tier in tiers})

    def print(self, share):
        kinds = ("right", "undecided", "refused", "wrong")
        print(", ".join(f"{self.outcomes[kind]} {kind}" for kind in kinds) + f" of {sum(self.outcomes.values())} runs")
        for why, count in self.refusals.most_common():
            print(f"  {count} {why} ({self.examples[why]})")
        for feature, count in sorted(self.features.items()):
            percent = 100 * count / max(1, self.counted)
            print(f"  {percent:6.2f} %  {feature}" + (f"   under {share} %" if percent < share else ""))


def decided(run):
    """The run's outcome; where the bound is too wide, that with the whole numbers it asks for."""
    kind, seen = suite.outcome(run)
    named = WHOLE.findall(seen) if kind == "undecided" else []
    if not named:
        return kind, seen
    flags = [part for name in named for part in ("--input", name)]
    return suite.outcome(suite.Run(run.name, run.command + flags, exact=True))


def judged(kernel, options, ptx):
    """The kernel's runs and how they ended; on the PTX machine, if it may."""
    kernel_runs = list(runs(kernel, options))
    ends = [(run.name, *decided(run)) for run in kernel_runs]
    if ptx and kernel.subgroup == 32 and all(kind == "right" for _, kind, _ in ends):
        command = [part for part in kernel_runs[0].command if part != "--every-stage"] + ["--device", "ptx"]
        done = suite.execute(command)
        seen = f"exit {done.returncode}\n{done.stdout[-800:]}{done.stderr[:1500]}"
        right = done.returncode == 0 and " ok" in done.stdout
        refused = done.returncode == 1 and "error:" in done.stderr
        refused &= "MISMATCH" not in done.stdout and "in the emitted PTX" not in done.stderr
        ends.append((kernel.name + "_ptx", "right" if right else "refused" if refused else "wrong", seen))
    return ends


def tiers_of(kernel, options):
    path = options.out / f"{kernel.name}.mlir"
    target = kernel.target or {32: "sm_80", 64: "gfx942"}[kernel.subgroup]
    command = [options.distaff, "compile", str(path), "--target", target, "--stop-after=distribute", "--remarks", "-o", "/dev/null"]
    return set(TIERS.findall(suite.execute(command).stderr))


def run_all(make, seeds, options, flags):
    report = Report()

    def one(seed):
        kernel = make(seed)
        ends = judged(kernel, options, flags.ptx)
        tiers = tiers_of(kernel, options) if flags.tiers else set()
        if all(kind == "right" for _, kind, _ in ends) and not flags.keep:
            (options.out / f"{kernel.name}.mlir").unlink()
        return kernel, ends, tiers

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for at in range(0, len(seeds), 256):  # so that few kernels are alive at once
            for kernel, ends, tiers in pool.map(one, seeds[at:at + 256]):
                report.add(kernel, ends, tiers)
    return report


def blocks(lines):
    """Parts that may go together, longest first: a line, or an op with its regions."""
    found = []
    for start, line in enumerate(lines):
        depth = 0
        for end in range(start, len(lines)):
            depth += lines[end].count("{") - lines[end].count("}")
            if depth <= 0:
                break
        if depth == 0:
            found.append((start, end + 1))
    return sorted(found, key=lambda part: part[0] - part[1])


def shrink(make, seed, options, ptx):
    """Fewer ops while it fails, then fewer lines."""
    def fails(kernel):
        return any(kind == "wrong" for _, kind, _ in judged(kernel, options, ptx))

    kernel = make(seed)
    if not fails(kernel):
        return print(f"seed {seed} does not fail")
    kernel = next(smaller for smaller in (make(seed, most) for most in range(13)) if fails(smaller))
    changed = True
    while changed:
        changed = False
        for start, end in blocks(kernel.lines):
            whole = list(kernel.lines)
            if end > len(whole):
                break
            del kernel.lines[start:end]
            if fails(kernel):
                changed = True
                break
            kernel.lines = whole
    fails(kernel)
    print(kernel.text())
    print("\n".join(f"{name}: {kind}: {seen}" for name, kind, seen in judged(kernel, options, ptx)))


def main(make, own):
    import argparse
    import pathlib
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--seeds", type=lambda text: range(*map(int, text.split(":"))))
    parser.add_argument("--shrink", type=int)
    parser.add_argument("--distaff", default="distaff")
    parser.add_argument("--strict-fp", action="store_true")
    parser.add_argument("--tiers", action="store_true")
    parser.add_argument("--ptx", action="store_true")
    parser.add_argument("--keep", action="store_true", help="the texts of programs that are right too")
    parser.add_argument("--share", type=float, default=0.5)
    flags = parser.parse_args()
    flags.out.mkdir(parents=True, exist_ok=True)
    options = Options(flags.out, flags.distaff, strict_fp=flags.strict_fp)
    if flags.shrink is not None:
        return shrink(make, flags.shrink, options, flags.ptx)
    report = run_all(make, flags.seeds or own, options, flags)
    report.print(flags.share)
    for name in report.failures:
        print(f"to make it smaller: --shrink {name.split('_')[1]}")
    sys.exit(bool(report.failures or (not flags.seeds and report.refusals) or not report.counted))
