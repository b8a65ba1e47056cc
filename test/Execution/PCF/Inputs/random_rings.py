"""Loops that fill panels and read them, made at random, many of them not legal to
rewrite. What pcf-multi-buffer and pcf-specialize-producers take must give the same
numbers after as before, with no race, under every interleaving tried. It must have been
right before: pcf-multi-buffer proves so; pcf-specialize-producers proves that there is no
race between producers and consumers.

    python3 random_rings.py OUT_DIR [--programs N] [--seed S] [--distaff PATH] [--distaff-opt PATH]
"""
import pathlib
import random
import struct
import sys
from collections import Counter

ROOT = pathlib.Path(__file__).resolve().parents[4]
sys.path += [str(ROOT / "test" / "ForkServer"), str(ROOT / "test" / "Execution" / "Inputs")]
import depth
import fork_server
from pipeline_passes import read_flags

options = read_flags(programs=20, seed=1)

SIZE, MOST_STEPS = 8, 5
SEPARATE, SLOTS, THREE = "--pcf-specialize-producers=producers=2 add-workers=false", "--pcf-multi-buffer", "--pcf-multi-buffer=depth=3"
WAYS = {"slots": [SLOTS], "3 slots": [THREE], "producers": [SEPARATE], "slots, producers": [SLOTS, SEPARATE], "producers, 3 slots": [SEPARATE, THREE]}
LEVELS = [[], ["--pcf-distribute", "--pcf-resolve-clusters"]]


START = ["%t0 = pcf.shared_executor.run_cluster(%tg)[] () {", "%z = arith.constant dense<1> : !A", "pcf.cluster_yield %z : !A", "} : (!TG) -> !T"]
SCRATCH = ["pcf.shared_executor.run_cluster(%tg)[] () {", f"%w = pcf.read_slice %x[1] [{SIZE + 1}] [1] : !X to tensor<{SIZE + 1}xi32>",
           f"pcf.write_slice %w into %s[0] [{SIZE + 1}] [1] : tensor<{SIZE + 1}xi32> into !P", "pcf.cluster_yield", "} : (!TG)"]
FRAME = """#sg = #iree_gpu.subgroup_scope
#launch = #iree_codegen.translation_info<workgroup_size = [128, 1, 1] subgroup_size = 32>
!P = !pcf.sref<{padded}xi32, #sg>
!V = !pcf.sref<{size}xi32, #sg>
!X = !pcf.sref<?xi32, #sg>
!O = !pcf.sref<{size}xi32, sync(#sg)>
!A = tensor<{size}xi32>
!TG = !pcf.threadgroup<#sg>
!T = !pcf.threadgroup<#sg, {{!A}}>
func.func @loop(%in: tensor<?xi32>, %out: !A, %n: index) -> !A attributes {{translation_info = #launch}} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c40 = arith.constant 40 : index
  %none = arith.shrui %n, %c40 : index
  %knownLo = arith.constant {lower} : index
  %knownStep = arith.constant {step} : index
  %lo = arith.addi %knownLo, {none} : index
  %step = arith.addi %knownStep, {none} : index
  %one = arith.constant 1 : i32
  %r = pcf.shared_executor scope(#sg)
    initialize {{ {allocs}  pcf.yield {yields} }} -> ({refs})
    execute(%x <- %in : tensor<?xi32>, %o = %out)[%tg: !TG] : (!X, !O) -> (!A) {{
    {body}
    pcf.shared_executor.run_cluster({last})[] (%acc: !A) {{
      pcf.write_slice %acc into %o[0] [{size}] [1] : !A into !O
      pcf.cluster_yield
    }} : (!T)
    pcf.return
  }}
  return %r : !A
}}
"""


class Loop:
    """A loop over phases: lists of (kind, what) that render() writes down."""

    def __init__(self, rng):
        self.rng = rng
        self.panels = rng.randint(1, 3)
        self.step, self.lower = rng.choice([1, 2, 8]), rng.choice([0, 0, 3])
        self.isNested = rng.random() < 0.2
        self.isKnown, self.compares = rng.random() < 0.6, rng.choice(["", "", "unsigned "])
        self.after = []
        fills, reads = [[panel] for panel in range(self.panels)], list(range(self.panels))
        if rng.random() < 0.5:
            fills = [sum(fills, [])]
        rng.shuffle(reads)
        self.body = [("fill", list(panels)) for panels in fills] + [("barrier", list(range(self.panels)))]
        while reads:
            some = [reads.pop() for _ in range(rng.randint(1, len(reads)))]
            self.body.append(("use", some))
        self.body.append(("barrier", list(range(self.panels))))
        # Pieces that a fill writes, and that a use reads, per panel.
        self.pieces = [rng.choice([[(0, SIZE)], [(0, SIZE)], [(0, 3), (3, SIZE - 3)], [(4, 4), (0, 5)]]) for _ in range(self.panels)]
        self.taken = [rng.choice([(0, SIZE), (0, SIZE), (2, 4)]) for _ in range(self.panels)]
        self.views = [rng.random() < 0.3 for _ in range(self.panels)]
        self.source = ["x"] * self.panels
        self.guarded = [False] * self.panels
        # Where a panel is filled from memory that is written before the loop: what stands behind that.
        self.before = None
        for _ in range(rng.choice([0, 0, 1, 1, 2])):
            self.spoil()

    def spoil(self):
        """Something that may make it wrong, or only different."""
        rng, panel = self.rng, self.rng.randrange(self.panels)
        at = rng.randrange(len(self.body))
        barriers = [i for i, (kind, _) in enumerate(self.body) if kind == "barrier"]
        choice = rng.randrange(14)
        if choice == 0 and barriers:
            del self.body[rng.choice(barriers)]
        elif choice == 1:
            self.body.insert(at, ("barrier", rng.sample(range(self.panels), rng.randint(0, self.panels))))
        elif choice == 2 and barriers:
            i = rng.choice(barriers)
            self.body[i] = ("barrier", rng.sample(range(self.panels), rng.randint(0, self.panels)))
        elif choice == 3:
            self.body.insert(at, self.body.pop(rng.randrange(len(self.body))))
        elif choice == 4:
            rotation = rng.randrange(len(self.body))
            self.body = self.body[rotation:] + self.body[:rotation]
        elif choice == 5:
            self.pieces[panel] = [(0, SIZE - 1)]
        elif choice == 6:
            self.guarded[panel] = True
        elif choice == 7:
            self.after.append(("use", [panel]))
        elif choice == 8:
            self.body.insert(at, ("use", [panel]))
        elif choice == 9:
            self.body.insert(at, ("fill", [panel]))
        elif choice == 10 and self.panels > 1:
            # A phase that reads what it writes itself cannot be distributed.
            fills = {i: i for i in range(self.panels)} | {i: number for number, (kind, panels) in enumerate(self.body) if kind == "fill" for i in panels}
            other = rng.randrange(self.panels)
            if fills[other] != fills[panel]:
                self.source[panel] = f"p{other}"
        elif choice in (11, 12):
            self.source[panel] = "s"
            self.before = [("barrier", ["s"])] if choice == 11 else []
            if choice == 12:
                self.body.insert(0, ("barrier", ["s"]))
        else:
            self.body.insert(at, ("both", [panel]))

    def access(self, panel):
        if panel == "s":
            return "%s", "!P"
        return (f"%v{panel}", "!V") if self.views[panel] else (f"%p{panel}", "!P")

    def fill(self, panel):
        (ref, kind), lines = self.access(panel), []
        for number, (offset, size) in enumerate(self.pieces[panel]):
            source, at, type = "%x", f"%at{panel}_{number}", "!X"
            if self.source[panel] == "x":
                lines.append(f"{at} = affine.apply affine_map<(d0) -> (d0 + {offset + panel})>(%k)")
            else:
                source, at, type = f"%{self.source[panel]}", str(offset), "!P"
            name = f"%a{panel}_{number}"
            lines.append(f"{name} = pcf.read_slice {source}[{at}] [{size}] [1] : {type} to tensor<{size}xi32>")
            lines.append(f"pcf.write_slice {name} into {ref}[{offset}] [{size}] [1] : tensor<{size}xi32> into {kind}")
        return lines

    def read(self, panel, last):
        """Lines that add what a use reads of a panel to a value; and the sum's name."""
        (ref, type), (offset, size) = self.access(panel), self.taken[panel]
        return [
            f"%r{panel} = pcf.read_slice {ref}[{offset}] [{size}] [1] : {type} to tensor<{size}xi32>",
            f"%q{panel} = tensor.pad %r{panel} low[0] high[{SIZE - size}] {{ ^bb0(%i: index): tensor.yield %one : i32 }} : tensor<{size}xi32> to tensor<{SIZE}xi32>",
            f"%m{panel} = arith.muli {last}, %three : !A",
            f"%s{panel} = arith.addi %m{panel}, %q{panel} : !A",
        ], f"%s{panel}"

    def phase(self, kind, panels, carried):
        """The lines of a phase, and the handle that carries payload after it."""
        self.count += 1
        body, last = [], "%acc"
        for panel in panels if kind in ("fill", "both") else []:
            fill = self.fill(panel)
            body += ["scf.if %odd {", *fill, "}"] if self.guarded[panel] else fill
        if kind == "fill":
            return ["pcf.shared_executor.run_cluster(%tg)[] () {", *body, "pcf.cluster_yield", "} : (!TG)"], carried
        for panel in panels:
            lines, last = self.read(panel, last)
            body += lines
        result = f"%t{self.count}"
        return [f"{result} = pcf.shared_executor.run_cluster({carried})[] (%acc: !A) {{", "%three = arith.constant dense<3> : !A", *body,
                f"pcf.cluster_yield {last} : !A", "} : (!T) -> !T"], result

    def items(self, body, carried):
        """The lines of phases and barriers, and the handle after them."""
        lines = []
        for kind, panels in body:
            if kind == "barrier":
                fenced = [self.access(panel) for panel in panels]
                clause = f" fence({', '.join(name for name, _ in fenced)}) : {', '.join(type for _, type in fenced)}" if fenced else ""
                lines.append(f"pcf.barrier(#sg){clause}")
            else:
                more, carried = self.phase(kind, panels, carried)
                lines += more
        return lines, carried

    def loop(self):
        """The lines of the loop, nested or not, and what follows it, and the last handle."""
        self.count = 0
        body, last = self.items(self.body, "%t")
        lines = [f"%tn = scf.for {self.compares}%k = %lo to %n step %step iter_args(%t = {'%tr' if self.isNested else '%t0'}) -> (!T) {{",
                 "%rem = arith.remui %k, %c2 : index", "%odd = arith.cmpi eq, %rem, %c0 : index", *body, f"scf.yield {last} : !T", "}"]
        last = "%tn"
        if self.isNested:
            lines = ["%outer = scf.for %rep = %c0 to %c2 step %c1 iter_args(%tr = %t0) -> (!T) {", *lines, "scf.yield %tn : !T", "}"]
            last = "%outer"
        before, after = [], []
        if self.before is not None:
            before, _ = self.items(self.before, "%t0")
            before = SCRATCH + before
        after, last = self.items(self.after, last)
        return before + lines + after, last

    def render(self):
        panels = range(self.panels)
        types = ", ".join(["!P"] * (self.panels + 1))
        views = [f"%v{panel} = pcf.subview %p{panel}[0] [{SIZE}] [1] : !P to !V" for panel in panels if self.views[panel]]
        lines, last = self.loop()
        return FRAME.format(size=SIZE, padded=SIZE + 1, lower=self.lower, step=self.step, none="%c0" if self.isKnown else "%none", last=last, body="\n    ".join(views + START + lines),
                            allocs="  ".join(f"%a{panel} = pcf.alloc() : !P" for panel in [*panels, "s"]),
                            yields=", ".join(f"%a{panel}" for panel in [*panels, "s"]) + f" : {types}",
                            refs=", ".join([*(f"%p{panel}: !P" for panel in panels), "%s: !P"]))


def optimize(text, passes):
    path, result = options.out / "program.mlir", options.out / "result.mlir"
    path.write_text(text)
    done = fork_server.run([options.distaff_opt, path, *passes, "-o", result])
    return (result.read_text(), "") if done.returncode == 0 else (None, done.stderr.strip().splitlines()[0])


def run(text, bound, seed):
    """The numbers that a program returns, or what it says."""
    path, result = options.out / "run.mlir", options.out / "result.npy"
    path.write_text(text)
    result.unlink(missing_ok=True)
    length = 8 * MOST_STEPS + 3 + 2 * SIZE
    done = fork_server.run([options.distaff, "run", path, "--target", "sm_80", "--schedule", str(seed), "--input", "arg0=iota", "--input", "arg1=zeros",
                            "--shape", f"arg0={length}", "--input", f"arg2={bound}", "--output", f"res0={result}"])
    if done.returncode:
        return done.stderr.strip().splitlines()[0]
    return struct.unpack(f"<{SIZE}i", result.read_bytes()[-4 * SIZE:])


def main():
    rng, failures, counts, turn = random.Random(options.seed), 0, Counter(), depth.Turns(5)
    for number in range(options.programs):
        loop = Loop(rng)
        if not turn():
            continue
        text = loop.render()
        text, said = optimize(text, ["--canonicalize"])
        assert text, said
        bounds = [loop.lower + steps * loop.step for steps in (0, 1, 2, MOST_STEPS)]
        before = [run(text, bound, seed) for bound in bounds for seed in (0, 1)]
        faults = [one for one in before if not isinstance(one, tuple)]
        counts["wrong before"] += bool(faults)
        for way, passes in WAYS.items():
            made, said = optimize(text, passes)
            counts[f"{way} {'taken' if made else 'refused'}"] += 1
            if not made:
                if "cannot" not in said:
                    failures += 1
                    print("FAIL", number, way, said)
                continue
            for level in LEVELS:
                lowered, said = optimize(made, level)
                # Members that share pieces out differently may both write what is in two.
                if not lowered and "that other members may write" in said and any(a + n > b and b + m > a for pieces in loop.pieces for (a, n), (b, m) in zip(pieces, pieces[1:])):
                    counts[f"{way} not distributed"] += 1
                    break
                after = [run(lowered, bound, seed) if lowered else said for bound in bounds for seed in (0, 1)]
                if after == before and not faults:
                    continue
                # What was wrong before may be wrong, but not between the two.
                between = [one for one in after if "race" in one and "ws.prod" in one and "ws.cons" in one]
                if faults and way == "producers" and not between:
                    break
                failures += 1
                kept = options.out / f"fail-{number}.mlir"
                kept.write_text(text)
                print("FAIL", number, way, "distributed" if level else "", kept, "before", before, "after", after)
                break
    for what, count in sorted(counts.items()):
        print(what, count)
    print(failures, "failures")
    sys.exit(failures > 0)


main()
