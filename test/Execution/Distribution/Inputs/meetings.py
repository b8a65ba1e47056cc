"""How often subgroups wait for each other (VX-82, VX-116).

Kernels with several reductions over subgroups, straight or in a loop. One may need
the result of an earlier one; those that do not store before anybody waits, so the
kernel waits once for each of them in a row that needs another, and so does a turn of
a loop. Every stage has the right values, in several schedules and without a race, and
after `lower` the machine counts the barriers that these lines of Python say. In some
kernels what a reduction reads was written in between, by other threads, or larger
exchanges come in between: there only the values are judged.
"""
import random
import re
import sys

from kernels import Kernel, Layout, suite, vector

KINDS = {"f32": ["add", "maximumf", "minnumf"], "i32": ["add", "maxsi", "xor"], "f16": ["maximumf", "minnumf"]}


class Meetings:
    """As Distribution has them: a reduction joins the last ones if it needs none of them."""

    def __init__(self):
        self.number = {}  # of the meeting, by result
        self.count = 0

    def add(self, name, needs):
        joins = self.count and all(self.number[n] < self.count for n in needs)
        self.count += not joins
        self.number[name] = self.count


class Program:
    """One kernel, line by line; `expected` barriers, or None where only values are judged."""

    def __init__(self, number):
        self.r = r = random.Random(11600 + number)
        subgroups, self.element = r.choice([2, 3, 4]), r.choice(["f32", "f32", "i32", "f16"])
        self.rows, self.turns = r.choice([1, 2, 4]), r.choice([0, 0, 1, 2, 5])
        self.width = 16 * subgroups * r.choice([1, 2])
        self.layout = Layout(2, S=[1, subgroups], B=[self.rows // min(self.rows, 2), 1], T=[min(self.rows, 2), 16],
                             E=[1, self.width // (16 * subgroups)], ss=[0, 1], ts=[16 if self.rows > 1 else 0, 1])
        self.kernel = Kernel(f"meetings_{number}", 32 * subgroups)
        self.shape, self.kept = [self.rows, self.width], [self.rows]
        self.whole, self.part = vector(self.shape, self.element), vector(self.kept, self.element)
        self.add, self.mul = ("arith.addi", "arith.muli") if self.element == "i32" else ("arith.addf", "arith.mulf")
        self.zero = "0" if self.element == "i32" else "0.0"
        self.meetings, self.results, self.only_values = Meetings(), [], False
        self.write()
        self.kernel.barriers = None if self.only_values else self.meetings.count * max(self.turns, 1)

    def line(self, text):
        self.kernel.line(text)

    def read(self, name, seed):
        self.kernel.read(name, self.shape, self.element, self.layout, f"random:{seed}:-2:2" if self.element != "i32" else None)

    def plus(self, name, a, b, type_):
        self.line(f"{name} = {self.add} {a}, {b} : {type_}")
        return name

    def reduce(self, name, kind, source, initial="%z"):
        self.line(f"{name} = vector.multi_reduction <{kind}>, {source}, {initial} [1] : {self.whole} to {self.part}")

    def spread(self, name, value):
        """A value per row, along the rows."""
        across = vector([self.width, self.rows], self.element)
        self.line(f"{name}_across = vector.broadcast {value} : {self.part} to {across}")
        self.line(f"{name} = vector.transpose {name}_across, [1, 0] : {across} to {self.whole}")
        return name

    def source(self, at, needs):
        """What reduction `at` reduces: of x, of more memory, of earlier results."""
        source = "%x"
        if self.r.random() < 0.5:
            self.line(f"%f{at} = {self.mul} %x, %x : {self.whole}" if self.element == "i32" else f"%f{at} = arith.negf %x : {self.whole}")
            source = f"%f{at}"
        if self.r.random() < 0.3:  # read late
            self.read(f"%more{at}", 4)
            source = self.plus(f"%g{at}", source, f"%more{at}", self.whole)
        for n, need in enumerate(needs):
            source = self.plus(f"%h{at}_{n}", source, self.spread(f"%b{at}_{n}", need), self.whole)
        return source

    def large(self, at, kind, name):
        """A large buffer, with which all others share bytes."""
        other = Layout(2, S=[1, 1], B=[self.rows, 1], T=[1, 16], E=[1, self.width // 16], ts=[0, 1])
        self.line(f"%a{at} = iree_vector_ext.to_layout %x to layout({other}) {{shared_memory_conversion}} : {self.whole}")
        self.line(f"%o{at} = iree_vector_ext.to_layout %a{at} to layout({self.layout}) {{shared_memory_conversion}} : {self.whole}")
        self.reduce(f"%q{at}", kind, f"%o{at}")
        self.only_values = True
        return self.plus(f"%k{at}", f"%q{at}", name, self.part)

    def reread(self, at, kind):
        """A reduction of what others wrote."""
        memory = re.search(r"%arg\d+(?=\[)", self.kernel.lines[-1])[0]
        self.line(f"%pad_w{at} = arith.constant {self.zero} : {self.element}")
        self.line(f"%w{at} = vector.transfer_read {memory}[%c0], %pad_w{at} {{in_bounds = [true]}} : memref<{self.rows}x{self.element}>, {self.part}")
        self.plus(f"%x{at}", self.spread(f"%u{at}", f"%w{at}"), "%x", self.whole)
        self.kernel.layout(f"%y{at}", f"%x{at}", self.layout, self.whole)
        self.reduce(f"%r{at}w", kind, f"%y{at}")
        self.kernel.write(f"%r{at}w", self.kept, self.element)
        self.only_values = True

    def step(self, at):
        r = self.r
        needs = r.sample(self.results, min(len(self.results), r.choice([0, 0, 1, 2])))
        source, name, kind = self.source(at, needs), f"%r{at}", r.choice(KINDS[self.element])
        self.reduce(name, kind, source, "%carried" if self.turns and not at and r.random() < 0.5 else "%z")
        self.meetings.add(name, needs)
        if r.random() < 0.15:
            larger = self.large(at, kind, name)
            self.meetings.number[larger] = self.meetings.number[name]
            name = larger
        self.results.append(name)
        if not self.turns and r.random() < 0.5:
            self.kernel.write(name, self.kept, self.element)
            if r.random() < 0.25:
                self.reread(at, kind)

    def write(self):
        self.line("%c1 = arith.constant 1 : index")
        self.line(f"%turns = arith.constant {self.turns} : index")
        self.line(f"%z = arith.constant dense<{self.zero}> : {self.part}")
        self.read("%x", 3)
        if self.turns:
            self.line(f"%loop = scf.for %i = %c0 to %turns step %c1 iter_args(%carried = %z) -> ({self.part}) {{")
        for at in range(self.r.choice([1, 2, 3, 4])):
            self.step(at)
        total = self.results[0]
        for at, name in enumerate(self.results[1:]):
            total = self.plus(f"%s{at}", total, name, self.part)
        if self.turns:
            self.line(f"scf.yield {total} : {self.part}")
            self.line("}")
            total = "%loop"
        self.kernel.write(total, self.kept, self.element)


def all_runs(kernel, chosen):
    path = chosen.out / f"{kernel.name}.mlir"
    path.write_text(kernel.text())
    command = [chosen.distaff, "run", str(path), "--target", "sm_80", *kernel.flags]

    def says(stdout):
        found = int(re.search(r"^barriers +(\d+)$", stdout, re.M)[1])
        if kernel.barriers is not None and found != kernel.barriers:
            return f"{found} barriers instead of {kernel.barriers}"
        return None

    for schedule in (1, 2, 3):
        check = [*command, "--check", "--every-stage", "--schedule", str(schedule)]
        yield suite.Run(f"{kernel.name}_{schedule}", check, before=([*command, "--counters"], says) if schedule == 1 else None)
    yield suite.Run(f"{kernel.name}_ptx", [*command, "--check", "--device", "ptx"], compares=False)


kernels = [Program(number).kernel for number in suite.taken("--programs") or range(40)]
chosen = suite.options()
suite.main([run for kernel in kernels for run in all_runs(kernel, chosen)], chosen, one_in=4)
