"""Random phases that read and write one memory several times, for lanes and for subgroups,
as a threadgroup's and as clusters'. What is accepted must return, under many schedules,
what the phase returned and what a few lines of Python here say; members that do to memory
what the group did one after the other would race. What is refused must say so. Phases
that each member runs on elements of its own, and on slices apart, must be accepted.

    python3 phase_races.py OUT_DIR [--programs N] [--first SEED] [--distaff PATH] [--distaff-opt PATH]
"""
import pathlib
import random
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "ForkServer"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import depth
import fork_server
import npy
from pipeline_passes import read_flags

options = read_flags(programs=60, first=0)

ROWS, COLUMNS = 24, 32
ONES = ("#iree_vector_ext.nested_layout<subgroup_tile=[1,1],batch_tile=[1,1],outer_tile=[1,1],thread_tile=[1,1],"
        "element_tile=[1,1],subgroup_strides=[0,0],thread_strides=[0,0]>")
REASON = "nothing makes members wait inside of a phase"
# What the way by layouts may say besides: it inserts barriers where it can.
REASONS = (REASON, "cannot wait for each other inside of a phase", "threads", "members", "no phase determines the distribution")


def tensor_of(shape):
    return "x".join(map(str, shape)) + "xi32"


class Slice:
    """A place in memory: rows and columns where it begins, each a number, or one and the argument %p."""

    def __init__(self, row, column, of_p=False):
        self.row, self.column, self.of_p = row, column, of_p

    def at(self, p):
        return self.row + (p if self.of_p else 0), self.column

    def text(self):
        row = f"%p{self.row}" if self.of_p else str(self.row)
        return f"[{row}, {self.column}]"


class Program:
    KINDS = ("in place", "apart", "any", "mixed", "any", "turned", "guarded", "carried")

    def __init__(self, seed):
        rng = random.Random(seed)
        self.kind = self.KINDS[seed % len(self.KINDS)]
        self.lanes = rng.random() < 0.6
        self.split = rng.choice((None, None, 2, "dynamic")) if not self.lanes else None
        self.shape = rng.choice([(8, 8), (4, 16), (8, 16), (8, 4)] if self.kind != "any" else [(8, 8), (4, 16), (6, 5), (1, 7)])
        if self.kind == "turned":
            self.shape = (8, 8)
        self.p = rng.randrange(5)
        self.steps = []  # (where read, where written, turned, added, guarded: None or a bool, shape)
        rows, columns = self.shape
        place = lambda: Slice(rng.randrange(ROWS - rows - 4), rng.randrange(COLUMNS - columns + 1), rng.random() < 0.4)
        here = place()
        for step in range(rng.choice((1, 2, 2, 3))):
            shape = self.shape
            if self.kind == "mixed":
                # Of the first every few members have the same.
                shape, source = [((8, 4), Slice(0, 4)), ((8, 16), Slice(9, 0))][step % 2]
                dest = source
            elif self.kind in ("in place", "carried"):
                source, dest = here, here
            elif self.kind == "apart":
                left, right = Slice(here.row, 0, here.of_p), Slice(here.row, columns, here.of_p)
                source, dest = left, right
                if step:
                    break
            else:
                source, dest = rng.choice((here, place())), rng.choice((here, place()))
                if rng.random() < 0.2:
                    source = None
            turned = self.kind == "turned" and rng.random() < 0.6
            guarded = rng.random() < 0.5 if self.kind == "guarded" else None
            self.steps.append((source, dest, turned, rng.randrange(1, 9), guarded, shape))
        # Every member has elements of its own.
        self.must_work = self.kind in ("in place", "apart") and self.split != "dynamic" and (rows * columns) % 32 == 0

    def reference(self, data):
        memory = [list(row) for row in data]
        for source, dest, turned, added, guarded, (rows, columns) in self.steps:
            if guarded is False:
                continue
            values = [[0] * columns for _ in range(rows)]
            if source:
                r0, c0 = source.at(self.p)
                values = [row[c0:c0 + columns] for row in memory[r0:r0 + rows]]
            if turned:
                values = [list(column) for column in zip(*values)]
            r0, c0 = dest.at(self.p)
            for r in range(rows):
                for c in range(columns):
                    memory[r0 + r][c0 + c] = values[r][c] + added
        if self.kind == "carried":
            for r in range(rows):
                memory[ROWS - rows + r][:columns] = [x + added for x in values[r]]
        return memory

    @staticmethod
    def step_text(number, source, dest, turned, added, guarded, shape, ref):
        tensor, n = tensor_of(shape), number
        lines = [f"%x{n} = arith.constant dense<0> : tensor<{tensor}>"]
        if source:
            lines = [f"%x{n} = pcf.read_slice %o{source.text()} {list(shape)} [1, 1] : {ref} to tensor<{tensor}>"]
        if turned:
            lines.append(f"%e{n} = tensor.empty() : tensor<{tensor}>")
            lines.append(f"%t{n} = linalg.transpose ins(%x{n} : tensor<{tensor}>) outs(%e{n} : tensor<{tensor}>) permutation = [1, 0]")
        lines.append(f"%c{n} = arith.constant dense<{added}> : tensor<{tensor}>")
        lines.append(f"%y{n} = arith.addi {'%t' if turned else '%x'}{n}, %c{n} : tensor<{tensor}>")
        lines.append(f"pcf.write_slice %y{n} into %o{dest.text()} {list(shape)} [1, 1] : tensor<{tensor}> into {ref}")
        if guarded is not None:
            lines = [f"scf.if {'%true' if guarded else '%false'} {{", *lines, "}"]
        return "".join(f"      {line}\n" for line in lines)

    def text(self):
        scope = "lane" if self.lanes else "subgroup"
        threads = 32 if self.lanes else 128
        ref = f"!pcf.sref<{ROWS}x{COLUMNS}xi32, sync(#s)>"
        group, ranges, kind = "%tg", "", "!G"
        open_group, close_group = "", ""
        if self.split:
            point = "%two" if self.split == 2 else "%q"
            open_group = (f"    pcf.shared_executor.tile_group %tg ns(g) split [[{point}]] (%left: !pcf.cluster<#s, (0 -> d0), g.left>, "
                          "%right: !pcf.cluster<#s, (d0 -> s0), g.right>) {\n")
            close_group = "    pcf.return\n    } : !G\n"
            group, ranges, kind = "%left", point, "!pcf.cluster<#s, (0 -> d0), g.left>"
        body = "".join(self.step_text(i, *step, ref) for i, step in enumerate(self.steps))
        result, yielded, kind_of_result, rest = "", "", "", ""
        if self.kind == "carried":
            tensor, last = tensor_of(self.shape), f"%y{len(self.steps) - 1}"
            of = f"!pcf.threadgroup<#s, {{tensor<{tensor}>}}>" if group == "%tg" else f"!pcf.cluster<#s, (0 -> d0), shared: {{tensor<{tensor}>}}, g.left>"
            result, yielded = "%h = ", f" {last} : tensor<{tensor}>"
            kind_of_result = f" -> {of}"
            rest = (f"    pcf.barrier(#s) fence(%o) : {ref}\n    pcf.shared_executor.run_cluster(%h)[{ranges}] (%v: tensor<{tensor}>) {{\n"
                    f"      pcf.write_slice %v into %o[{ROWS - self.shape[0]}, 0] {list(self.shape)} [1, 1] : tensor<{tensor}> into {ref}\n"
                    f"      pcf.cluster_yield\n    }} : ({of})\n")
        sums = "".join(f"  %k{i} = arith.constant {i} : index\n  %p{i} = arith.addi %p, %k{i} : index\n" for i in range(ROWS))
        return f"""#s = #iree_gpu.{scope}_scope
#launch = #iree_codegen.translation_info<workgroup_size = [{threads}, 1, 1] subgroup_size = 32>
!G = !pcf.threadgroup<#s>
func.func @f(%a: tensor<{ROWS}x{COLUMNS}xi32>, %p: index, %q: index, %n: i32) -> tensor<{ROWS}x{COLUMNS}xi32> attributes {{translation_info = #launch}} {{
{sums}  %two = arith.constant 2 : index
  %zero = arith.constant 0 : i32
  %true = arith.cmpi ne, %n, %zero : i32
  %false = arith.cmpi eq, %n, %zero : i32
  %r = pcf.shared_executor scope(#s) execute(%o = %a)[%tg: !G] : ({ref}) -> (tensor<{ROWS}x{COLUMNS}xi32>) {{
{open_group}    {result}pcf.shared_executor.run_cluster({group})[{ranges}] () {{
{body}      pcf.cluster_yield{yielded}
    }} : ({kind}){kind_of_result}
{rest}{close_group}    pcf.return
  }}
  return %r : tensor<{ROWS}x{COLUMNS}xi32>
}}
"""


def run(path, program, data, seed):
    result = options.out / "result.npy"
    result.unlink(missing_ok=True)
    source = npy.write(options.out / "a.npy", "i32", (ROWS, COLUMNS), [x for row in data for x in row])
    done = fork_server.run([options.distaff, "run", path, "--target", "sm_80", "--schedule", str(seed), "--input", f"arg0={source}",
                            "--input", f"arg1={program.p}", "--input", "arg2=3", "--input", "arg3=1", "--output", f"res0={result}"])
    if done.returncode:
        return done.stderr.strip().splitlines()[0]
    count = ROWS * COLUMNS
    found = list(struct.unpack(f"<{count}i", result.read_bytes()[-4 * count:]))
    expected = [x for row in program.reference(data) for x in row]
    wrong = [i for i in range(count) if found[i] != expected[i]]
    return f"element {wrong[0]} is {found[wrong[0]]}, not {expected[wrong[0]]}; {len(wrong)} are wrong" if wrong else None


def check(seed):
    """Verdicts by way, and what is wrong."""
    program, rng = Program(seed), random.Random(seed)
    data = [[rng.randrange(-99, 99) for _ in range(COLUMNS)] for _ in range(ROWS)]
    path = options.out / f"{seed}.mlir"
    path.write_text(program.text())
    said = run(path, program, data, 0)
    if said:
        return {}, f"{seed} ({program.kind}) as it is: {said}"
    verdicts = {}
    for way, impl in (("boxes", "#pcf.tensor_tiling"), ("layouts", ONES)):
        after = options.out / f"{seed}-{way}.mlir"
        done = fork_server.run([options.distaff_opt, path, f"--pcf-distribute=impl={impl}", "-o", after])
        verdicts[way] = "refused" if done.returncode else "accepted"
        if done.returncode:
            message = (done.stderr.strip().splitlines() or ['nothing'])[0]
            if done.returncode != 1:
                return verdicts, f"{seed} ({program.kind}) {way} ends with {done.returncode}: {message}"
            if way == "layouts" and not any(reason in message for reason in REASONS):
                return verdicts, f"{seed} ({program.kind}) {way} says: {message}"
            if way == "boxes" and program.must_work:
                return verdicts, f"{seed} ({program.kind}) {way} refuses: {message}"
            if way == "boxes" and REASON not in message and "in boxes at the same places" not in message and "is needed as" not in message:
                return verdicts, f"{seed} ({program.kind}) {way} says: {message}"
            continue
        for schedule in range(3):
            said = run(after, program, data, schedule)
            if said:
                return verdicts, f"{seed} ({program.kind}) {way}, schedule {schedule}: {said}"
    return verdicts, None


def main():
    failures, counts = 0, {}
    for seed in depth.some(range(options.first, options.first + options.programs), 3):
        verdicts, said = check(seed)
        for way, verdict in verdicts.items():
            counts[way, verdict] = counts.get((way, verdict), 0) + 1
        if said:
            print("FAIL", said)
            failures += 1
    print(", ".join(f"{count} {verdict} by {way}" for (way, verdict), count in sorted(counts.items())))
    print(f"{failures} failures")
    return failures != 0


sys.exit(main())
