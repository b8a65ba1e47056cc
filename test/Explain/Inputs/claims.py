"""What `distaff explain` claims, against what there is.

A kernel is explained (--format json) and then looked at by those who know nothing
of the log:

    the stages' text   as many to_layout, transfers, reductions and scans as the
                       log has entries
    the SIMT machine   shuffles, barriers, matrix instructions, requests and bytes
                       of both memories, as it counts them while it runs the code
    the emitted text   shuffles, barriers, matrix instructions, and loads and
                       stores by their width

The machine's counts are the log's to the last one, but for code that only some
lanes run for reasons that are data: then they lie between what is run by all who
may and what is run in any case. Loops that the log has once LLVM may have
unrolled, so a count in the text is the log's times a divisor of the trips. Of
random kernels LLVM leaves out what nobody needs and joins or doubles what sides of
a branch do: there the text is held within bounds, and the machine's counts are exact.

    python3 claims.py OUT_DIR --kernels examples|families|random|linalg [--only NAME] [--seeds FIRST:LAST]

With --spoil double|drop|tier every log is damaged before it is compared, and
what is not noticed is what fails.
"""
import argparse
import collections
import concurrent.futures
import copy
import importlib
import itertools
import json
import math
import os
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "ForkServer"))
import fork_server

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Execution" / "Inputs"))
import depth
import suite

SEEDS = suite.taken("--seeds")
ROOT = pathlib.Path(__file__).resolve().parents[3]
COUNTED = {"global": "global", "workgroup": "shared"}
# Ops whose exchanges between lanes are entries of the log.
DECIDING = {"iree_vector_ext.to_layout", "vector.multi_reduction", "vector.reduction", "vector.contract", "distaff.contract", "iree_vector_ext.arg_compare", "vector.scan",
            "vector.expandload", "vector.compressstore"}


def execute(*command):
    return fork_server.run(command, 120)


# What the log says


class Claim:
    """A number between what is run in any case and what may be run at most."""

    def __init__(self):
        self.least, self.most, self.is_known = 0, 0, True

    def add(self, number, is_certain, is_known):
        self.least += number if is_certain and is_known else 0
        self.most += number
        self.is_known &= is_known

    def wrong(self, name, found):
        if found < self.least or (self.is_known and found > self.most):
            return f"{name}: {found}, claimed are {self.least} to {self.most}"
        return None

    @property
    def is_exact(self):
        return self.is_known and self.least == self.most


def dynamic_claims(log, workgroups):
    """By the names of the machine's counters."""
    kernel, claims = log["kernel"], collections.defaultdict(Claim)
    for name in ("shuffles", "barriers", "mma", "global requests", "shared requests", "global bytes read", "global bytes written",
                 "shared bytes read", "shared bytes written"):
        claims[name] = Claim()
    for code in log["code"]:
        times = code["count"] * code["trips"] * workgroups
        is_certain = not code["conditional"] or code["takenBySubgroups"] > 0
        subgroups, lanes = kernel["subgroups"], kernel["workgroupSize"]
        if code["conditional"] and is_certain:
            subgroups, lanes = code["takenBySubgroups"], code["takenByLanes"]

        def add(name, number):
            claims[name].add(number, is_certain, code["tripsKnown"])

        if code["kind"] == "shuffle":
            add("shuffles", times * subgroups)
        elif code["kind"] == "mma":
            add("mma", times * subgroups)
        elif code["kind"] == "barrier":
            add("barriers", times)
        elif code["space"] in COUNTED:
            space = COUNTED[code["space"]]
            add(f"{space} requests", times * subgroups)
            add(f"{space} bytes {'read' if code['kind'] == 'load' else 'written'}", times * lanes * code["bytes"])
    return claims


def static_counts(log, kind):
    """[(count, trips)]"""
    return [(code["count"], code["trips"], code["tripsKnown"]) for code in log["code"] if code["kind"] == kind]


# Who knows nothing of the log


def counters(run):
    return {name: int(value) for name, value in re.findall(r"^([a-z ]+?)\s{2,}(\d+)$", run.stdout, re.MULTILINE)}


def text_counts(text, target):
    if target.startswith("gfx"):
        # One subgroup waits for nobody, and LLVM knows. gfx12 signals and waits.
        return {"barrier": len(re.findall(r"\bs_barrier(?:_wait)?\b", text)), "mma": len(re.findall(r"\bv_mfma_", text))}
    return {"shuffle": len(re.findall(r"\bshfl\.sync", text)), "barrier": len(re.findall(r"\bbar(?:rier)?\.sync", text)),
            "mma": len(re.findall(r"\bmma\.sync", text))}


def ptx_accesses(text):
    """{(space, kind): {bytes: count}}"""
    found = collections.defaultdict(collections.Counter)
    for kind, rest in re.findall(r"^\s*(?:@\S+\s+)?(ld|st)\.([\w.:]+)", text, re.MULTILINE):
        parts = rest.split(".")
        space = next((part.split(":")[0] for part in parts if part.split(":")[0] in ("global", "shared", "const")), None)
        vector = next((int(part[1:]) for part in parts if re.fullmatch(r"v\d", part)), 1)
        bits = int(re.search(r"\d+$", parts[-1])[0])
        if space:
            space = {"shared": "workgroup"}.get(space, "global")
            found[space, "load" if kind == "ld" else "store"][vector * bits // 8] += 1
    return found


def stage_counts(text):
    ops = {"conversions": r"iree_vector_ext\.to_layout ", "accesses": r"(?:vector\.transfer_(?:read|write)|iree_vector_ext\.transfer_(?:gather|scatter)) ",
           "scans": r"vector\.(?:scan|expandload|compressstore) ", "multi_reductions": r"(?:vector\.(?:multi_reduction|reduction)|iree_vector_ext\.arg_compare) ",
           "contractions": r"(?:vector|distaff)\.contract[ <]"}
    return {name: len(re.findall(pattern, text)) for name, pattern in ops.items()}


# The comparisons: each yields what is wrong


def within_a_subgroup(c, shuffles, stores):
    """What the plan of a conversion says of selects and shuffles."""
    if c["tier"] in ("T0", "T1") and (c["selects"] or c["shuffles"]):
        yield f"with {c['selects']} selects and {c['shuffles']} shuffles"
    if c["tier"] == "T1s" and (c["shuffles"] or not c["selects"]):
        yield f"with {c['selects']} selects and {c['shuffles']} shuffles"
    # What nobody asks for is not shuffled.
    if c["tier"] == "T2" and (stores or not c["shuffles"]):
        yield f"{c['shuffles']} shuffles are planned and {len(stores)} stores there"
    if c["shuffles"] < sum(s["count"] for s in shuffles):
        yield f"{c['shuffles']} shuffles are planned, {sum(s['count'] for s in shuffles)} there"


def is_like(one, other):
    return all(one[key] == other[key] for key in ("tier", "from", "to", "bytes"))


def within_the_log(log):
    """What was decided and what was emitted are two stages' entries."""
    def code(source, *kinds):
        return [c for c in log["code"] if c["source"] == source and c["kind"] in kinds]

    def requests(source, kind):
        return sum(c["count"] * c["trips"] * (c["takenBySubgroups"] if c["conditional"] else log["kernel"]["subgroups"])
                   for c in code(source, kind) if c["space"] == "workgroup") // max(1, log["ops"][source]["trips"])

    waiting = collections.Counter(barrier["source"] for barrier in log["barriers"])
    for c in log["conversions"]:
        source, where = c["source"], f"conversion of {log['ops'][c['source']]['name']}: {c['tier']}"
        shuffles, stores = code(source, "shuffle"), [s for s in code(source, "store") if s["space"] == "workgroup"]
        if c["tier"] in ("T0", "T1", "T1s") and (shuffles or stores):
            yield f"{where}, but it exchanges data"
        for wrong in within_a_subgroup(c, shuffles, stores):
            yield f"{where}, {wrong}"
        # Where nobody asks for what was exchanged, the wait for it is left, or that for
        # its like; where it turned out that the op is never run, only the reason for that.
        loads = [l for l in code(source, "load") if l["space"] == "workgroup"]
        if c["tier"] == "T3" and not stores and (loads or not any(waiting[d["source"]] for d in log["conversions"] if is_like(c, d))):
            yield f"{where}, but nothing is stored"
        if c["tier"] in ("T0", "T1") and (c["registerSource"] == sorted(c["registerSource"])) != (c["tier"] == "T0"):
            yield f"{where}, from registers {c['registerSource']}"
        buffers = sum(b["bytes"] for b in log["buffers"] if b["source"] == source)
        if c["bytes"] != buffers:
            yield f"{where}, {c['bytes']} bytes, but the buffer has {buffers}"
        if c["tier"] == "T3" and not c["byElement"] and c["pieces"] == 1:
            for side in ("store", "load"):
                emitted = [s for s in code(source, side) if s["space"] == "workgroup"]
                if emitted and {s["bytes"] for s in emitted} != {c[side]["bytes"]}:
                    yield f"{where}, {side}s of {c[side]['bytes']} bytes are planned, {[s['bytes'] for s in emitted]} there"
                there = requests(source, side)
                if any(s["conditional"] and not s["takenBySubgroups"] for s in emitted):
                    continue
                if there > c[side]["requests"] or (side == "store" and emitted and there != c[side]["requests"]):
                    yield f"{where}, {c[side]['requests']} {side}s are planned, {there} there"
    for r in log["reductions"]:
        source, where = r["source"], f"reduction {log['ops'][r['source']]['name']}"
        if (r["lanesPerResult"] > 1) != (r["rounds"] > 0 or r["inOrder"]):
            yield f"{where}: {r['lanesPerResult']} lanes in {r['rounds']} rounds"
        if (r["subgroupsPerResult"] > 1) != any(b["source"] == source for b in log["buffers"]):
            yield f"{where}: {r['subgroupsPerResult']} subgroups and no buffer, or one for nothing"
    # Who exchanges between lanes has decided to.
    decided = {d["source"] for kind in ("conversions", "reductions", "scans") for d in log[kind]}
    for c in log["code"]:
        if c["kind"] == "shuffle" and c["source"] >= 0 and c["source"] not in decided and log["ops"][c["source"]]["operation"] in DECIDING:
            yield f"{log['ops'][c['source']]['name']} shuffles, and no entry says why"
    for s in log["scans"]:
        if (s["subgroups"] > 1) != any(b["source"] == s["source"] for b in log["buffers"]):
            yield f"scan of {s['subgroups']} subgroups and no buffer, or one for nothing"
    ends = [max(b["offset"], 0) + -(-b["bytes"] // 16) * 16 for b in log["buffers"]]
    total = max(ends) if any(b["offset"] >= 0 for b in log["buffers"]) else sum(ends)
    if log["kernel"]["ownBytes"] % 16 == 0 and log["kernel"]["allocatedBytes"] != log["kernel"]["ownBytes"] + total:
        yield f"{log['kernel']['allocatedBytes']} bytes are allocated, buffers take {total}"
    for source in {c["source"] for c in log["code"] if c["source"] >= 0} & ({c["source"] for c in log["code"] if c["kind"] == "barrier"} | waiting.keys()):
        waits = sum(c["count"] for c in code(source, "barrier"))
        # Of two with nothing left between them one goes.
        if waits > waiting[source]:
            yield f"{waits} barriers for {log['ops'][source]['name']} are there, {waiting[source]} have a reason"


def against_stages(log, text):
    found = stage_counts(text)
    for name in ("conversions", "accesses", "scans"):
        if len(log[name]) != found[name]:
            yield f"{found[name]} {name} in the code, {len(log[name])} in the log"
    # Contractions without matrix instructions reduce too, where lanes share a sum.
    named = collections.Counter(log["ops"][r["source"]]["operation"] in ("vector.contract", "distaff.contract") for r in log["reductions"])
    if named[False] != found["multi_reductions"]:
        yield f"{found['multi_reductions']} reductions in the code, {named[False]} in the log"
    if named[True] > found["contractions"]:
        yield f"{found['contractions']} contractions in the code, {named[True]} of them in the log as reductions"


def against_machine(log, run, workgroups):
    found = counters(run)
    for name, claim in dynamic_claims(log, workgroups).items():
        # What others move nobody claims.
        claim.is_known &= not any(code["kind"] == "other" for code in log["code"])
        if wrong := claim.wrong(f"the machine's {name}", found[name]):
            yield wrong


def unrolled(records):
    """All counts that unrolling may make of records."""
    choices = [[count * times for times in range(1, trips + 1) if trips % times == 0] for count, trips, _ in records]
    return {sum(counts) for counts in itertools.product(*choices)} if len(choices) < 8 else None


def against_text(log, text, target, is_repetitive):
    for kind, found in text_counts(text, target).items():
        if kind == "barrier" and target.startswith("gfx") and log["kernel"]["subgroups"] == 1:
            continue
        records = static_counts(log, kind)
        if not all(is_known for _, _, is_known in records):
            continue
        possible = unrolled(records)
        if possible is None or found in possible:
            continue
        # What no lane needs twice or at all goes, and of two sides of a branch
        # that both wait or exchange the one does it for both.
        kept = 0 if kind == "mma" else sum(code["count"] for code in log["code"] if code["kind"] == kind and not code["conditional"])
        if not is_repetitive or not kept <= found <= max(possible):
            yield f"{found} x {kind} in the text, claimed are {sorted(possible)}"
    if target.startswith("gfx") or any(code["trips"] > 1 or not code["tripsKnown"] or code["kind"] == "other" for code in log["code"]):
        return
    # A side of a branch may come to be there twice, for who comes from where.
    may_be_doubled = is_repetitive and any(code["conditional"] for code in log["code"])
    claimed = collections.defaultdict(collections.Counter)
    for code in log["code"]:
        if code["kind"] in ("load", "store") and code["space"] in COUNTED:
            claimed[code["space"], code["kind"]][code["bytes"]] += code["count"]
    found = ptx_accesses(text)
    for key in claimed.keys() | found.keys():
        # LLVM joins accesses and leaves out loads that nobody needs, and makes
        # none narrower whose bytes are all needed.
        for width in (1, 2, 4, 8, 16):
            def total(counts):
                return sum(bytes * count for bytes, count in counts[key].items() if bytes <= width)
            if total(found) > total(claimed) and not may_be_doubled and (width == 16 or not is_repetitive):
                yield f"{key}: {dict(found[key])} in the text by bytes, claimed are {dict(claimed[key])}"
        if key[1] == "store" and total(found) != total(claimed) and not is_repetitive:
            yield f"{key}: {total(found)} bytes in the text, claimed are {total(claimed)}"


# Kernels


class Case:
    def __init__(self, name, path, target, flags=()):
        self.name, self.path, self.target, self.flags = name, path, target, list(flags)


def examples(out):
    for path in sorted((ROOT / "examples").glob("*.mlir")):
        if path.stem == "matmul_dynamic":
            continue  # how many workgroups and steps there are, only a launch knows
        if path.stem == "transformer_block":
            continue  # several launches, each with an explanation of its own
        given = re.search(r"subgroup_size = (\d+)", path.read_text())
        for target, lanes in (("sm_80", 32), ("sm_90a", 32), ("gfx942", 64)):
            if not given or int(given[1]) == lanes:
                yield Case(f"{path.stem} {target}", path, target)


def imported(folder, name):
    """A module of the execution tests; the kernels that a family makes."""
    made = []
    sys.path.insert(0, str(ROOT / "test" / "Execution" / folder / "Inputs"))
    kernels = importlib.import_module("kernels" if folder == "Distribution" else "programs")
    kernels.main = lambda its, one_in=1: made.extend(its)
    return importlib.import_module(name), made


def written(kernel, out):
    path = out / f"{kernel.name}.mlir"
    path.write_text(kernel.text())
    flags = [flag for i, flag in enumerate(kernel.flags) if "--schedule" not in kernel.flags[max(0, i - 1):i + 1]]
    return Case(kernel.name, path, kernel.target or {32: "sm_80", 64: "gfx942"}[kernel.subgroup], flags)


def families(out):
    """A part of each: the suites run all of them for their values."""
    for family, step in (("conversions", 9), ("reductions", 3), ("scans", 3), ("gathers", 1), ("arg_compares", 12), ("workgroup_memory", 2)):
        for kernel in imported("Distribution", family)[1][::step]:
            yield written(kernel, out)


def random_kernels(out):
    module, _ = imported("Distribution", "random_kernels")
    for seed in SEEDS or range(100):
        yield written(module.Generator(seed).generate(), out)


def linalg(out):
    module, _ = imported("Linalg", "random_programs")
    programs = (module.Generator(seed).generate() for seed in range(60))
    for program in itertools.islice(filter(None, programs), 50):
        path = out / f"{program.name}.mlir"
        path.write_text(program.text())
        yield Case(program.name, path, program.targets[0])


LANES = {
    "loops": """
    %n = arith.constant 5 : index
    %v = memref.load %x[%t] : memref<64xf32>
    %s = scf.for %i = %c0 to %n step %c1 iter_args(%a = %v) -> (f32) {
      %o, %p = gpu.shuffle xor %a, %one, %w : f32
      %b = arith.addf %a, %o : f32
      memref.store %b, %m[%t] : memref<64xf32, #gpu.address_space<workgroup>>
      gpu.barrier
      %r = arith.subi %last, %t : index
      %c = memref.load %m[%r] : memref<64xf32, #gpu.address_space<workgroup>>
      gpu.barrier
      scf.yield %c : f32
    }
    memref.store %s, %x[%t] : memref<64xf32>
    gpu.return""",
    "branches": """
    %v = memref.load %x[%t] : memref<64xf32>
    %p = arith.cmpf ogt, %v, %zero : f32
    cf.cond_br %p, ^then, ^end
  ^then:
    %y = arith.addf %v, %v : f32
    memref.store %y, %x[%t] : memref<64xf32>
    cf.br ^end
  ^end:
    gpu.return""",
}


def lanes(out):
    """What users write for one lane: no stage but the last has seen it."""
    for name, body in LANES.items():
        for target, lanes in (("sm_80", 32), ("gfx942", 64)):
            path = out / f"{name}_{target}.mlir"
            path.write_text(f"""gpu.module @kernels {{
  gpu.func @{name}(%x: memref<64xf32>) kernel attributes {{known_block_size = array<i32: 64, 1, 1>}} {{
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %last = arith.constant 63 : index
    %one = arith.constant 1 : i32
    %w = arith.constant {lanes} : i32
    %zero = arith.constant 0.0 : f32
    %m = memref.alloc() : memref<64xf32, #gpu.address_space<workgroup>>{body}
  }}
}}
""")
            yield Case(f"{name} {target}", path, target)


ONE_IN = {"lanes": 1, "examples": 11, "families": 17, "random": 34, "linalg": 31}
KERNELS = {"lanes": lanes, "examples": examples, "families": families, "random": random_kernels, "linalg": linalg}


# Damage


def spoilt(log, how):
    """Every log that has one entry damaged, or misreports one tier."""
    lists = ("code", "conversions", "reductions", "scans", "accesses", "barriers", "buffers")
    if how == "double":
        for at, code in enumerate(log["code"]):
            if code["space"] != "private":
                other = copy.deepcopy(log)
                other["code"][at]["count"] *= 2
                yield f"code {code} doubled", other
    elif how == "drop":
        for name in lists:
            for at, entry in enumerate(log[name]):
                if entry.get("space") != "private":
                    other = copy.deepcopy(log)
                    del other[name][at]
                    yield f"{name} {entry} dropped", other
    else:
        for at, conversion in enumerate(log["conversions"]):
            for tier in {"T0", "T1", "T1s", "T2", "T3"} - {conversion["tier"]}:
                other = copy.deepcopy(log)
                other["conversions"][at]["tier"] = tier
                yield f"conversion {conversion['source']} as {tier}", other


# Judging


def workgroups_of(text):
    """What a grid function without extents returns."""
    body = re.search(r"func\.func @\w+__grid\(.*?\n  \}", text, re.DOTALL)
    if body is None:
        return 1
    body = body[0]
    constants = {name: int(value) for name, value in re.findall(r"(%\w+) = arith\.constant (\d+) : index", body)}
    return math.prod(constants[name] for name in re.search(r"return (.*) :", body)[1].split(", "))


def look(case, distaff, is_repetitive):
    """(the log, what is wrong with another one, ...) or what is wrong at once."""
    common = [case.path, "--target", case.target]
    explained = execute(distaff, "explain", *common, "--format", "json")
    compiled = execute(distaff, "compile", *common, "--emit", "gcn" if case.target.startswith("gfx") else "ptx")
    stage = execute(distaff, "compile", *common, "--stop-after=assign-layouts")
    if (explained.returncode == 0) != (compiled.returncode == 0):
        return None, f"explain ends in {explained.returncode}, compile in {compiled.returncode}\n{explained.stderr}{compiled.stderr}"
    if explained.returncode != 0:
        return None, None
    run = execute(distaff, "run", *common, "--counters", *case.flags)
    if run.returncode != 0:
        return None, f"exit {run.returncode} of run: {run.stderr}"
    log, workgroups = json.loads(explained.stdout), workgroups_of(stage.stdout)

    def wrongs(log):
        yield from within_the_log(log)
        yield from against_stages(log, stage.stdout)
        yield from against_machine(log, run, workgroups)
        yield from against_text(log, compiled.stdout, case.target, is_repetitive)

    return log, wrongs


def judge(case, options):
    """(how it ended, or how many counts are exact; what is wrong)"""
    # Of random kernels' stores LLVM finds some to be overwritten.
    log, wrongs = look(case, options.distaff, options.kernels == "random")
    if log is None:
        return "wrong" if wrongs else "refused", wrongs
    if options.spoil:
        unseen = [what for how in options.spoil.split(",") for what, other in spoilt(log, how) if not next(wrongs(other), None)]
        return "wrong" if unseen else "right", "\n".join(f"not noticed: {what}" for what in unseen)
    if found := list(wrongs(log)):
        return "wrong", "\n".join(found)
    return sum(claim.is_exact for claim in dynamic_claims(log, workgroups=1).values()), None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--kernels", choices=KERNELS, required=True)
    parser.add_argument("--only", default="")
    parser.add_argument("--distaff", default="distaff")
    parser.add_argument("--spoil", help="of double, drop, tier, with commas between them")
    parser.add_argument("--least", type=int, default=0, help="counts of the machine that must be claimed exactly")
    options = parser.parse_args()
    if options.spoil and not {*options.spoil.split(",")} <= {"double", "drop", "tier"}:
        parser.error(f"unknown way to spoil in {options.spoil}")
    options.out.mkdir(parents=True, exist_ok=True)
    cases = [case for case in KERNELS[options.kernels](options.out) if options.only in case.name]
    every = len(cases)
    cases = depth.some(cases, 7 if options.spoil else 1 if options.only else ONE_IN[options.kernels])
    # Kernels differ in how many counts they have: of a part of them at least half of its share is there.
    least = options.least if len(cases) == every else options.least * len(cases) // every // 2
    ends, exact = collections.Counter(), 0
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for case, (end, wrong) in zip(cases, pool.map(lambda case: judge(case, options), cases)):
            exact += end if isinstance(end, int) else 0
            ends["right" if isinstance(end, int) else end] += 1
            if wrong:
                print(f"FAIL {case.name} ({case.target}): {wrong}")
    print(", ".join(f"{count} {end}" for end, count in sorted(ends.items())) + f" of {len(cases)} kernels, {exact} counts exact")
    sys.exit(ends["wrong"] > 0 or exact < least)


if __name__ == "__main__":
    main()
