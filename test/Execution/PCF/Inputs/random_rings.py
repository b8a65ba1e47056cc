"""Loops that fill panels and read them, made at random, many of them not legal to
rewrite. What pcf-multi-buffer and pcf-separate-producers take must give the same
numbers after as before, with no race, under every interleaving tried. It must have been
right before: pcf-multi-buffer proves so; pcf-separate-producers proves that there is no
race between producers and consumers.

    python3 random_rings.py OUT_DIR [--programs N] [--seed S] [--distaff PATH] [--distaff-opt PATH]
"""
import argparse
import pathlib
import random
import struct
import sys
from collections import Counter

ROOT = pathlib.Path(__file__).resolve().parents[4]
sys.path.insert(0, str(ROOT / "test" / "ForkServer"))
import fork_server

parser = argparse.ArgumentParser()
parser.add_argument("out", type=pathlib.Path)
parser.add_argument("--programs", type=int, default=20)
parser.add_argument("--seed", type=int, default=1)
parser.add_argument("--distaff", default="distaff")
parser.add_argument("--distaff-opt", default="distaff-opt")
options = parser.parse_args()
options.out.mkdir(parents=True, exist_ok=True)

SIZE, MOST_STEPS = 8, 5
SEPARATE, SLOTS, THREE = "--pcf-separate-producers=producers=2 add-workers=false", "--pcf-multi-buffer", "--pcf-multi-buffer=depth=3"
WAYS = {"slots": [SLOTS], "3 slots": [THREE], "producers": [SEPARATE], "slots, producers": [SLOTS, SEPARATE], "producers, 3 slots": [SEPARATE, THREE]}
LEVELS = [[], ["--pcf-distribute", "--pcf-resolve-clusters"]]


class Loop:
    """A loop over phases: lists of (kind, what) that render() writes down."""

    def __init__(self, rng):
        self.rng = rng
        self.panels = rng.randint(1, 3)
        self.step, self.lower = rng.choice([1, 2, 8]), rng.choice([0, 0, 3])
        self.isNested = rng.random() < 0.2
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
        for _ in range(rng.choice([0, 0, 1, 1, 2])):
            self.spoil()

    def spoil(self):
        """Something that may make it wrong, or only different."""
        rng, panel = self.rng, self.rng.randrange(self.panels)
        at = rng.randrange(len(self.body))
        barriers = [i for i, (kind, _) in enumerate(self.body) if kind == "barrier"]
        choice = rng.randrange(12)
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
        else:
            self.body.insert(at, ("both", [panel]))

    def access(self, panel):
        return (f"%v{panel}", "!V") if self.views[panel] else (f"%p{panel}", "!P")

    def fill(self, panel, lines):
        ref, kind = self.access(panel)
        for number, (offset, size) in enumerate(self.pieces[panel]):
            source, at, type = "%x", f"%at{panel}_{number}", "!X"
            if self.source[panel] == "x":
                lines.append(f"{at} = affine.apply affine_map<(d0) -> (d0 + {offset + panel})>(%k)")
            else:
                source, at, type = f"%{self.source[panel]}", str(offset), "!P"
            name = f"%a{panel}_{number}"
            lines.append(f"{name} = pcf.read_slice {source}[{at}] [{size}] [1] : {type} to tensor<{size}xi32>")
            lines.append(f"pcf.write_slice {name} into {ref}[{offset}] [{size}] [1] : tensor<{size}xi32> into {kind}")

    def render(self):
        refs = [f"%p{panel}" for panel in range(self.panels)]
        types = ", ".join(["!P"] * self.panels)
        uses, carried = 0, "%t"
        lines, count = [], 0

        def phase(kind, panels, indent, carried):
            nonlocal count
            count += 1
            body = []
            if kind in ("fill", "both"):
                for panel in panels:
                    own = []
                    self.fill(panel, own)
                    body += ["scf.if %odd {", *own, "}"] if self.guarded[panel] else own
            if kind in ("use", "both"):
                last = "%acc"
                for panel in panels:
                    ref, type = self.access(panel)
                    offset, size = self.taken[panel]
                    body.append(f"%r{panel} = pcf.read_slice {ref}[{offset}] [{size}] [1] : {type} to tensor<{size}xi32>")
                    body.append(f"%q{panel} = tensor.pad %r{panel} low[0] high[{SIZE - size}] {{ ^bb0(%i: index): tensor.yield %one : i32 }} : tensor<{size}xi32> to tensor<{SIZE}xi32>")
                    body.append(f"%m{panel} = arith.muli {last}, %three : !A")
                    body.append(f"%s{panel} = arith.addi %m{panel}, %q{panel} : !A")
                    last = f"%s{panel}"
                lines.append(f"{indent}%t{count} = pcf.shared_executor.run_cluster({carried})[] (%acc: !A) {{")
                lines.append(f"{indent}  %three = arith.constant dense<3> : !A")
                lines.extend(f"{indent}  {line}" for line in body)
                lines.append(f"{indent}  pcf.cluster_yield {last} : !A")
                lines.append(f"{indent}}} : (!T) -> !T")
                return f"%t{count}"
            lines.append(f"{indent}pcf.shared_executor.run_cluster(%tg)[] () {{")
            lines.extend(f"{indent}  {line}" for line in body)
            lines.append(f"{indent}  pcf.cluster_yield")
            lines.append(f"{indent}}} : (!TG)")
            return carried

        def items(body, indent, carried):
            for kind, panels in body:
                if kind == "barrier":
                    fenced = [self.access(panel) for panel in panels]
                    clause = f" fence({', '.join(name for name, _ in fenced)}) : {', '.join(type for _, type in fenced)}" if fenced else ""
                    lines.append(f"{indent}pcf.barrier(#sg){clause}")
                else:
                    carried = phase(kind, panels, indent, carried)
            return carried

        indent, start = "    ", "%t0"
        if self.isNested:
            lines.append(f"{indent}%outer = scf.for %rep = %c0 to %c2 step %c1 iter_args(%tr = %t0) -> (!T) {{")
            indent, start = "      ", "%tr"
        lines.append(f"{indent}%tn = scf.for %k = %lo to %n step %step iter_args(%t = {start}) -> (!T) {{")
        lines.append(f"{indent}  %rem = arith.remui %k, %c2 : index")
        lines.append(f"{indent}  %odd = arith.cmpi eq, %rem, %c0 : index")
        last = items(self.body, indent + "  ", "%t")
        lines.append(f"{indent}  scf.yield {last} : !T")
        lines.append(f"{indent}}}")
        last = "%tn"
        if self.isNested:
            lines.append(f"{indent}scf.yield %tn : !T")
            lines.append("    }")
            last = "%outer"
        last = items(self.after, "    ", last)
        views = "".join(f"    %v{panel} = pcf.subview %p{panel}[0] [{SIZE}] [1] : !P to !V\n" for panel in range(self.panels) if self.views[panel])
        body = "\n".join(lines)
        allocs = "  ".join(f"%a{panel} = pcf.alloc() : !P" for panel in range(self.panels))
        return f"""#sg = #iree_gpu.subgroup_scope
!P = !pcf.sref<{SIZE + 1}xi32, #sg>
!V = !pcf.sref<{SIZE}xi32, #sg>
!X = !pcf.sref<?xi32, #sg>
!O = !pcf.sref<{SIZE}xi32, sync(#sg)>
!A = tensor<{SIZE}xi32>
!TG = !pcf.threadgroup<#sg>
!T = !pcf.threadgroup<#sg, {{!A}}>
func.func @loop(%in: tensor<?xi32>, %out: !A, %n: index) -> !A attributes {{translation_info = #iree_codegen.translation_info<workgroup_size = [128, 1, 1] subgroup_size = 32>}} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %lo = arith.constant {self.lower} : index
  %step = arith.constant {self.step} : index
  %one = arith.constant 1 : i32
  %r = pcf.shared_executor scope(#sg)
    initialize {{ {allocs}  pcf.yield {", ".join(f"%a{panel}" for panel in range(self.panels))} : {types} }} -> ({", ".join(f"{ref}: !P" for ref in refs)})
    execute(%x <- %in : tensor<?xi32>, %o = %out)[%tg: !TG] : (!X, !O) -> (!A) {{
{views}    %t0 = pcf.shared_executor.run_cluster(%tg)[] () {{
      %z = arith.constant dense<1> : !A
      pcf.cluster_yield %z : !A
    }} : (!TG) -> !T
{body}
    pcf.shared_executor.run_cluster({last})[] (%acc: !A) {{
      pcf.write_slice %acc into %o[0] [{SIZE}] [1] : !A into !O
      pcf.cluster_yield
    }} : (!T)
    pcf.return
  }}
  return %r : !A
}}
"""


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
    rng, failures, counts = random.Random(options.seed), 0, Counter()
    for number in range(options.programs):
        loop = Loop(rng)
        text = loop.render()
        made, said = optimize(text, [])
        assert made, (said, text)
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
