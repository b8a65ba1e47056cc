"""Random sequences of accesses in the code of lanes: the SIMT machine finds a race where one is, and only there.

    python3 simt_races.py OUT_DIR [--only NAME] [--distaff PATH] [--seeds A:B]

A seed is a sequence, a kernel of its own, as the first fault ends a run. Orders are
gpu.barrier alone, barriers of some subgroups and such that some only arrive at, and barriers that
only make threads wait, between fences of which some are missing, too near or on the wrong side;
accesses are loads and stores of elements and of pairs, and asynchronous copies. What the machine
says under two schedules is compared with what sequences.py finds by the definition of a race.
"""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import suite
from sequences import Access, Barrier, Case, Copy, Draw, Fence, LaneWaitingBarrier, Landed, main, races

SUBGROUPS = 3
KINDS = {"barriers": dict(orders=["all"], wide=True),
         "named": dict(orders=["all", "some", "arrive"], wide=True),
         "fences": dict(orders=["fences"]),
         "mixed": dict(orders=["all", "fences", "fences"], wide=True),
         "copies": dict(orders=["all", "all", "some"], copies=True)}
SHARED = "memref<8xi32, #gpu.address_space<workgroup>>"


class Emitter:
    def __init__(self, lanes):
        self.lanes, self.text, self.count, self.barrier = lanes, [], 0, 0
        self.out = f"memref<{SUBGROUPS * lanes}xi32>"
        for i in range(8):
            self.emit(f"%c{i} = arith.constant {i} : index")
        self.emit("%id = gpu.thread_id x", f"%size = arith.constant {lanes} : index", "%subgroup = arith.divui %id, %size : index",
                  f"%m = memref.alloc() : {SHARED}", "%first = arith.cmpi ult, %id, %c2 : index", "%start = arith.constant 77 : i32",
                  "scf.if %first {", f"  memref.store %start, %m[%id] : {SHARED}", "}", "gpu.barrier")

    def emit(self, *lines):
        self.text += [f"    {line}" for line in lines]

    def name(self):
        self.count += 1
        return f"%v{self.count}"

    def guarded(self, what, number, lines):
        constant, is_it = self.name(), self.name()
        self.emit(f"{constant} = arith.constant {number} : index", f"{is_it} = arith.cmpi eq, {what}, {constant} : index",
                  f"scf.if {is_it} {{", *(f"  {line}" for line in lines), "}")

    def access(self, step):
        value, read, pair = self.name(), self.name(), step.bytes == 8
        constant = f"dense<{self.count}> : vector<2xi32>" if pair else f"{self.count} : i32"
        op, type = ("vector.", ", vector<2xi32>") if pair else ("memref.", "")
        place = f"%m[%c{step.word}] : {SHARED}{type}"
        # What is read is used, or it is not read.
        use = [f"{value} = vector.extract {read}[0] : i32 from vector<2xi32>"] if pair else []
        use.append(f"memref.store {value if pair else read}, %out[%id] : {self.out}")
        self.guarded("%id", step.thread, [f"{read} = {op}load {place}", *use] if step.kind == "read" else
                     [f"{value} = arith.constant {constant}", f"{op}store {value}, {place}"])

    def barrier_of(self, step):
        if step.is_all:
            return self.emit("gpu.barrier")
        self.barrier = self.barrier % 15 + 1
        number, threads = self.name(), self.name()
        self.emit(f"{number} = arith.constant {self.barrier} : i32", f"{threads} = arith.constant {self.lanes * len(step.waits + step.arrives)} : i32")
        for subgroup in step.arrives + step.waits:
            op = "nvvm.barrier.arrive" if subgroup in step.arrives else "nvvm.barrier"
            self.guarded("%subgroup", subgroup, [f"{op} id = {number} number_of_threads = {threads}"])

    def step(self, step):
        if isinstance(step, Access):
            self.access(step)
        elif isinstance(step, Barrier):
            self.barrier_of(step)
        elif isinstance(step, Fence):
            self.guarded("%subgroup", step.subgroup, [f"iree_gpu.fence {step.kind} {step.reach}"])
        elif isinstance(step, LaneWaitingBarrier):
            self.guarded("%subgroup", step.subgroup, ["iree_gpu.lane_barrier"])
        elif isinstance(step, Copy):
            token = self.name()
            self.guarded("%id", step.thread, [f"{token} = nvgpu.device_async_copy %in[%c{step.word}], %m[%c{step.word}], 1 : memref<8xi32> to {SHARED}",
                                              f"{self.name()} = nvgpu.device_async_create_group {token}"])
        elif isinstance(step, Landed):
            group = self.name()
            self.guarded("%id", step.thread, [f"{group} = nvgpu.device_async_create_group", f"nvgpu.device_async_wait {group} {{numGroups = 0 : i32}}"])
        else:
            self.emit("iree_gpu.global_subgroup_barrier")

    def module(self):
        threads, shared = SUBGROUPS * self.lanes, self.name()
        self.emit("gpu.barrier", "%low = arith.remui %id, %c2 : index", f"{shared} = memref.load %m[%low] : {SHARED}",
                  f"memref.store {shared}, %out[%id] : {self.out}")
        return "\n".join([f"gpu.module @m {{", f"  gpu.func @f(%in: memref<8xi32>, %out: {self.out}) kernel attributes {{",
                          f"      known_block_size = array<i32: {threads}, 1, 1>, translation_info = #iree_codegen.translation_info<subgroup_size = {self.lanes}>}} {{",
                          *self.text, "    gpu.return", "  }", "}", ""])


def judged(steps, lanes, done):
    pairs, shown = races(steps, SUBGROUPS * lanes, lanes), "".join(f"\n    {step}" for step in steps)
    faults = re.findall(r"error: '[\w.]+' op (.*)", done.stderr)
    if any(not fault.startswith("race: ") for fault in faults) or done.returncode != (1 if faults else 0):
        return f"exit {done.returncode}: {done.stderr[:600]}"
    if bool(pairs) == bool(faults):
        return ""
    return (f"steps {pairs[0]} race and the machine says nothing" if pairs else f"the machine says {faults[0][:200]}, and all is in order") + shown


def cases(chosen, seeds):
    for kind, options in KINDS.items():
        for seed in seeds:
            target, lanes = ("gfx942", 64) if kind in ("barriers", "fences", "mixed") and seed % 3 == 0 else ("sm_80", 32)
            steps, emitter = Draw(f"{kind} {seed}", SUBGROUPS, lanes, **options).sequence(), Emitter(lanes)
            for step in steps:
                emitter.step(step)
            path = chosen.out / f"{kind}_{seed}.mlir"
            command = [chosen.distaff, "run", str(path), "--target", target, "--schedule", str(seed % 7), "--stop-after=distribute"]
            yield Case(path, emitter.module(), command, lambda done, steps=steps, lanes=lanes: judged(steps, lanes, done), 1)


if __name__ == "__main__":
    seeds = suite.taken("--seeds") or range(400)
    options = suite.options()
    main(cases(options, seeds), options, one_in=7)
