"""Runs random programs and says what was in them: outcomes, refusals by reason, and
how many programs have each op, element type, combining kind and conversion tier.

    SCRIPT OUT_DIR [--seeds A:B] [--tiers] [--ptx] [--share PERCENT]
    SCRIPT OUT_DIR --shrink SEED [--ptx]

A program that is refused is counted and named by its reason; one that is wrong makes
the exit status 1, and so does a refusal in the suite's own seeds. --ptx runs what has
32 lanes on the PTX machine too, after all stages, --tiers asks for remarks on the
conversions. What the specification names and is in fewer of the programs than --share
makes the exit status 1 too.
"""
import collections
import concurrent.futures
import dataclasses
import os
import re
import sys

from kernels import runs, suite

ELEMENTS = re.compile(r"[<x](i\d+|index|bf16|f8E\w+|f\d+)>")
KINDS = re.compile(r"(?:kind<|reduction <|scan <|distaff\.contract <)(\w+)[>,]")
OPS = re.compile(r"(?:^|[={] ?|\} )((?:arith|vector|scf|math|ub|func|memref|iree_vector_ext|distaff)\.[a-z_]+)", re.MULTILINE)
# What the specification names: the ops of its tables 6.2 to 6.5 and 5.3, the kinds of 6.4 and 10.3, the tiers of 4.1.
NAMED_OPS = """
    arith.constant ub.poison arith.select math.fma vector.fma vector.transpose vector.broadcast vector.shape_cast vector.bitcast
    vector.interleave vector.deinterleave vector.shuffle vector.from_elements vector.to_elements vector.extract vector.insert
    vector.extract_strided_slice vector.insert_strided_slice vector.step vector.create_mask vector.constant_mask vector.mask
    vector.outerproduct vector.transfer_read vector.transfer_write vector.load vector.store vector.maskedload vector.maskedstore
    vector.gather vector.scatter iree_vector_ext.transfer_gather iree_vector_ext.transfer_scatter vector.expandload
    vector.compressstore vector.multi_reduction vector.reduction vector.contract vector.scan iree_vector_ext.arg_compare
    iree_vector_ext.to_layout scf.for scf.if scf.while scf.index_switch
    scf.execute_region func.call distaff.contract""".split()
NAMED_KINDS = "add mul minsi maxsi minui maxui and or xor minimumf maximumf minnumf maxnumf logsumexp".split()
NAMED_TYPES = "i1 i4 i8 i16 i32 i64 index f8E4M3FN f8E5M2 f8E4M3FNUZ f8E5M2FNUZ f16 bf16 f32 f64".split()
NAMED_TIERS = "T0 T1 T1s T2 T3".split()
NAMED_MASKED = ("vector.transfer_read vector.transfer_write vector.gather vector.multi_reduction vector.reduction "
                "vector.contract distaff.contract vector.outerproduct").split()
WHOLE = re.compile(r"--input (arg\d+=whole:[-:.\d]+)")
THREE_SIZES = re.compile(r"workgroup_size = \[\d+, (?:1, (?!1\])|(?!1,))\d+")
TIERS = re.compile(r"remark: conversion from .*?: (T0|T1s?|T2|T3) ")
INSTRUCTION = re.compile(r"remark: contraction: \w+ [^,]+, subgroups")


@dataclasses.dataclass
class Options:
    out: object
    distaff: str
    only: str = None
    strict_fp: bool = False


def named(tiers):
    """The features that must occur."""
    groups = {"op": NAMED_OPS, "kind": NAMED_KINDS, "type": NAMED_TYPES, "masked": NAMED_MASKED, "tier": NAMED_TIERS if tiers else []}
    return {f"{group} {name}" for group, names in groups.items() for name in names} | {"passthru", "MMA"}


def features(kernel):
    """What a program has, each once."""
    text = kernel.text()
    text = re.sub(r"^ +", "", text, flags=re.MULTILINE)
    found = {f"op {op}" for op in OPS.findall(text)} | {f"type {t}" for t in ELEMENTS.findall(text)}
    found |= {f"kind {k}" for k in KINDS.findall(text)}
    if "vector.mask" in text:
        found |= {f"masked {op}" for op in re.findall(r"vector\.mask [^{\n]*\{ ([a-z_.]+)", text)}
    found |= {"workgroup of three sizes" for sizes in THREE_SIZES.findall(text)}
    found |= {"passthru"} & {"passthru" for _ in re.findall(r"vector\.mask %\w+(?:#\d)?, %", text)}
    return found


def reason(seen):
    """An error without what is of one program: what repeats is one reason."""
    line = next((line for line in seen.splitlines() if "error:" in line), seen[:200])
    line = line[line.index("error:") + 7:] if "error:" in line else line
    return re.sub(r"[0-9]+", "N", re.sub(r"<[^>]*>|⟨[^⟩]*⟩|sg\(.*", "<..>", line))[:200]


class Report:
    def __init__(self, flags):
        self.flags = flags
        self.outcomes, self.refusals, self.features = collections.Counter(), collections.Counter(), collections.Counter()
        self.failures, self.counted, self.examples = [], 0, {}

    def add(self, kernel, ends, found):
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
            self.features.update(features(kernel) | found)

    def print(self):
        """The features that are named and too rare."""
        kinds = ("right", "undecided", "refused", "wrong")
        print(", ".join(f"{self.outcomes[kind]} {kind}" for kind in kinds) + f" of {sum(self.outcomes.values())} runs")
        for why, count in self.refusals.most_common():
            print(f"  {100 * count / sum(self.outcomes.values()):.2f} % {count} {why} ({self.examples[why]})")
        rare = []
        wanted = named(self.flags.tiers)
        for feature in sorted(wanted | set(self.features)):
            percent = 100 * self.features[feature] / max(1, self.counted)
            if feature in wanted and percent < self.flags.share:
                rare.append(feature)
            print(f"  {percent:6.2f} %  {feature}" + (f"   under {self.flags.share} %" if feature in rare else ""))
        return rare


def decided(run):
    """The run's outcome; where the bound is too wide, that with the whole numbers it asks for."""
    kind, seen = suite.outcome(run)
    named = WHOLE.findall(seen) if kind == "undecided" else []
    if not named:
        return kind, seen
    flags = [part for name in named for part in ("--input", name)]
    return suite.outcome(suite.Run(run.name, run.command + flags, exact=True))


def judged(kernel, options, flags):
    """How the kernel's runs ended, and what remarks say was in it. With --ptx the
    PTX machine runs what it can, after all stages."""
    ptx = flags.ptx and (kernel.target or "sm_80").startswith("sm_") and kernel.subgroup == 32
    ends, found = [], set()
    for run in runs(kernel, options):
        run.command += ["--device", "ptx"] * ptx + ["--remarks"] * flags.tiers
        kind, seen = decided(run)
        if kind == "right" and ptx and "\nptx " not in seen:
            kind = "wrong"
        ends.append((run.name, kind, seen))
        found |= {f"tier {tier}" for tier in TIERS.findall(seen)} | {"MMA" for _ in INSTRUCTION.findall(seen)}
    return ends, found


def run_all(make, seeds, options, flags):
    report = Report(flags)

    def one(seed):
        kernel = make(seed)
        ends, found = judged(kernel, options, flags)
        if all(kind == "right" for _, kind, _ in ends) and not flags.keep:
            (options.out / f"{kernel.name}.mlir").unlink()
        return kernel, ends, found

    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for at in range(0, len(seeds), 256):  # so that few kernels are alive at once
            for kernel, ends, found in pool.map(one, seeds[at:at + 256]):
                report.add(kernel, ends, found)
            if flags.progress:
                print(f"{at + len(seeds[at:at + 256])} of {len(seeds)}: {dict(report.outcomes)}", file=sys.stderr, flush=True)
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


def shrink(make, seed, options, flags):
    """Fewer ops while it fails, then fewer lines."""
    def fails(kernel):
        return any(kind == "wrong" for _, kind, _ in judged(kernel, options, flags)[0])

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
    print("\n".join(f"{name}: {kind}: {seen}" for name, kind, seen in judged(kernel, options, flags)[0]))


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
    parser.add_argument("--share", type=float, default=0, metavar="PERCENT")
    parser.add_argument("--progress", action="store_true")
    flags = parser.parse_args()
    flags.out.mkdir(parents=True, exist_ok=True)
    options = Options(flags.out, flags.distaff, strict_fp=flags.strict_fp)
    if flags.shrink is not None:
        return shrink(make, flags.shrink, options, flags)
    report = run_all(make, suite.depth.some(flags.seeds or own, 9), options, flags)
    rare = report.print()
    for name in report.failures:
        print(f"to make it smaller: --shrink {name.split('_')[1]}")
    sys.exit(bool(report.failures or rare or (not flags.seeds and report.refusals) or not report.counted))
