"""Random sequences of accesses in PTX: the machine finds a race where one is, and only there.

    python3 ptx_races.py OUT_DIR [--only NAME] [--distaff PATH] [--seeds A:B]

A seed is a kernel of sequences, one after the other, each on words of its own; what the machine says
of the lines of a sequence is compared with what sequences.py finds by the definition of a race. Orders
are barriers of all threads, of some subgroups, such that some only arrive at, and of the lanes
that a mask names; accesses are of words, of bytes and pairs, plain, strong and atomic, and asynchronous
copies. This finds a forgotten reader, a writer that hides another, an order that is taken for a
wider one, and sizes that are mixed up.
"""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import suite
from sequences import Access, Case, Copy, Draw, LaneBarrier, Landed, main, races

LANES, SUBGROUPS = 32, 3
SEQUENCES = 6  # of a kernel: the machine notes 16 faults
KINDS = {"barriers": dict(orders=["all", "some", "arrive"], bytes=True, wide=True),
         "lanes": dict(orders=["lanes", "all lanes", "some"], bytes=True),
         "strong": dict(orders=["all", "some", "arrive", "all lanes"], strong=True),
         "copies": dict(orders=["all", "some", "all lanes"], copies=True)}
HEAD = f""".version 8.0
.target sm_80
.address_size 64

.visible .entry k(.param .u64 p)
{{
  .reg .pred %p<9>;
  .reg .b16 %h<4>;
  .reg .b32 %r<9>;
  .reg .b64 %rd<9>;
  .shared .align 16 .b8 s[{8 * SEQUENCES}];
  ld.param.u64 %rd1, [p];
  cvta.to.global.u64 %rd1, %rd1;
  mov.u32 %r1, %tid.x;
  shr.u32 %r2, %r1, 5;
  and.b32 %r3, %r1, 31;
  mov.u32 %r4, 0x87868584;
  setp.lt.u32 %p1, %r1, {2 * SEQUENCES};
  mov.u64 %rd2, s;
  mul.wide.u32 %rd3, %r1, 4;
  add.s64 %rd3, %rd2, %rd3;
  @%p1 st.shared.b32 [%rd3], %r4;
  bar.sync 0;
"""


class Emitter:
    def __init__(self, space):
        self.space, self.lines, self.barrier, self.value = space, HEAD.splitlines(), 0, 0
        self.base = "s" if space == "shared" else "%rd1"

    def emit(self, *lines):
        self.lines += [f"  {line}" for line in lines]

    def number(self):
        """Another one each time, in every byte, and none that memory begins with."""
        self.value = self.value % 127 + 1
        return 0x01010101 * self.value

    def access(self, step, at):
        place = f"[{self.base}+{at + 4 * step.word + step.first}]"
        self.emit(f"setp.eq.u32 %p1, %r1, {step.thread};", f"mov.u32 %r4, {self.number():#x};", "cvt.u16.u32 %h1, %r4;")
        if step.kind == "update":
            self.emit(f"@%p1 atom.{self.space}.{'add.u32' if self.value % 2 else 'exch.b32'} %r5, {place}, %r4;")
        elif step.strong:
            words = ("volatile", "relaxed.gpu")[self.value % 2]
            self.emit(f"@%p1 ld.{words}.{self.space}.b32 %r5, {place};" if step.kind == "read" else f"@%p1 st.{words}.{self.space}.b32 {place}, %r4;")
        elif step.bytes == 8:
            self.emit(f"@%p1 ld.{self.space}.v2.b32 {{%r5, %r6}}, {place};" if step.kind == "read" else f"@%p1 st.{self.space}.v2.b32 {place}, {{%r4, %r4}};")
        else:
            type, register = {4: ("b32", "%r5"), 2: ("b16", "%h2"), 1: ("b8", "%h2")}[step.bytes]
            source = "%r4" if step.bytes == 4 else "%h1"
            self.emit(f"@%p1 ld.{self.space}.{type} {register}, {place};" if step.kind == "read" else f"@%p1 st.{self.space}.{type} {place}, {source};")

    def order(self, step):
        if isinstance(step, LaneBarrier):
            mask = sum(1 << lane for lane in step.lanes)
            self.emit(f"mov.u32 %r4, {mask:#x};", "shr.u32 %r5, %r4, %r3;", "and.b32 %r5, %r5, 1;", "setp.eq.u32 %p1, %r5, 1;",
                      f"setp.eq.and.u32 %p2, %r2, {step.subgroup}, %p1;", "@%p2 bar.warp.sync %r4;")
        elif step.is_all:
            self.emit("bar.sync 0;")
        else:
            self.barrier = self.barrier % 15 + 1
            for subgroup in step.arrives + step.waits:
                word = "arrive" if subgroup in step.arrives else "sync"
                self.emit(f"setp.eq.u32 %p1, %r2, {subgroup};", f"@%p1 bar.{word} {self.barrier}, {LANES * len(step.waits + step.arrives)};")

    def sequence(self, steps, at):
        for step in steps:
            if isinstance(step, Access):
                self.access(step, at)
            elif isinstance(step, Copy):
                self.emit(f"setp.eq.u32 %p1, %r1, {step.thread};", f"@%p1 cp.async.ca.shared.global [s+{at}], [%rd1+{at}], 4;")
            elif isinstance(step, Landed):
                self.emit(f"setp.eq.u32 %p1, %r1, {step.thread};", "@%p1 cp.async.wait_all;")
            else:
                self.order(step)
        self.emit("bar.sync 0;")


def judged(kernel, lines_of, done):
    """What the machine missed or invented, by sequence."""
    said = {int(line) for line in re.findall(r"line (\d+): .*: race: ", done.stderr)}
    others = [line for line in done.stderr.splitlines() if re.search(r"line \d+: ", line) and ": race: " not in line]
    if others or done.returncode != (1 if said else 0):
        return f"exit {done.returncode}: {done.stderr[:600]}"
    wrong = []
    for number, (steps, lines) in enumerate(zip(kernel, lines_of)):
        pairs, seen = races(steps, SUBGROUPS * LANES, LANES), bool(said & set(lines))
        if bool(pairs) != seen:
            wrong.append(f"sequence {number} (lines {lines[0]} to {lines[-1]}): " + (f"steps {pairs[0]} race and the machine says nothing" if pairs else "the machine says race, and all is in order")
                         + "".join(f"\n    {step}" for step in steps))
    return "\n".join(wrong)


def cases(chosen, seeds):
    for kind, options in KINDS.items():
        for seed in seeds:
            space = "shared" if kind == "copies" or seed % 2 else "global"
            draw = Draw(f"{kind} {seed}", SUBGROUPS, LANES, **options)
            kernel, emitter, lines_of = [draw.sequence() for _ in range(SEQUENCES)], Emitter(space), []
            for number, steps in enumerate(kernel):
                first = len(emitter.lines) + 1
                emitter.sequence(steps, 8 * number)
                lines_of.append(range(first, len(emitter.lines)))
            path = chosen.out / f"{kind}_{seed}.ptx"
            command = [chosen.distaff, "run", str(path), "--target", "sm_80", "--grid", "1", "--block", str(SUBGROUPS * LANES), "--schedule", str(seed % 5),
                       "--shape", f"arg0={2 * SEQUENCES}xi32", "--input", "arg0=whole:3:-2000000000:-1900000000"]
            text = "\n".join([*emitter.lines, "  ret;", "}", ""])
            yield Case(path, text, command, lambda done, kernel=kernel, lines_of=lines_of: judged(kernel, lines_of, done), len(kernel))


if __name__ == "__main__":
    seeds = suite.taken("--seeds") or range(120)
    options = suite.options()
    main(cases(options, seeds), options, one_in=5)
