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


def program(number):
    r = random.Random(11600 + number)
    subgroups, element = r.choice([2, 3, 4]), r.choice(["f32", "f32", "i32", "f16"])
    rows, turns = r.choice([1, 2, 4]), r.choice([0, 0, 1, 2, 5])
    width = 16 * subgroups * r.choice([1, 2])
    layout = Layout(2, S=[1, subgroups], B=[rows // min(rows, 2), 1], T=[min(rows, 2), 16], E=[1, width // (16 * subgroups)],
                    ss=[0, 1], ts=[16 if rows > 1 else 0, 1])
    kernel = Kernel(f"meetings_{number}", 32 * subgroups)
    shape, kept = [rows, width], [rows]
    kernel.line("%c1 = arith.constant 1 : index")
    kernel.line(f"%turns = arith.constant {turns} : index")
    init = {"f32": "0.0", "f16": "0.0", "i32": "0"}[element]
    kernel.line(f"%z = arith.constant dense<{init}> : {vector(kept, element)}")
    kernel.read("%x", shape, element, layout, "random:3:-2:2" if element != "i32" else None)
    add, mul = ("arith.addi", "arith.muli") if element == "i32" else ("arith.addf", "arith.mulf")
    if turns:
        kernel.line(f"%loop = scf.for %i = %c0 to %turns step %c1 iter_args(%carried = %z) -> ({vector(kept, element)}) {{")
    meetings, results, reread = Meetings(), [], False
    for at in range(r.choice([1, 2, 3, 4])):
        needs = r.sample(results, min(len(results), r.choice([0, 0, 1, 2])))
        source = "%x"
        if r.random() < 0.5:
            kernel.line(f"%f{at} = {mul} {source}, {source} : {vector(shape, element)}" if element == "i32"
                        else f"%f{at} = arith.negf {source} : {vector(shape, element)}")
            source = f"%f{at}"
        if r.random() < 0.3:  # more of what is in memory, read late
            kernel.read(f"%more{at}", shape, element, layout, "random:4:-2:2" if element != "i32" else None)
            kernel.line(f"%g{at} = {add} {source}, %more{at} : {vector(shape, element)}")
            source = f"%g{at}"
        for n in needs:
            kernel.line(f"%b{at}_{n[2:]} = vector.broadcast {n} : {vector(kept, element)} to {vector([width, rows], element)}")
            kernel.line(f"%t{at}_{n[2:]} = vector.transpose %b{at}_{n[2:]}, [1, 0] : {vector([width, rows], element)} to {vector(shape, element)}")
            kernel.line(f"%h{at}_{n[2:]} = {add} {source}, %t{at}_{n[2:]} : {vector(shape, element)}")
            source = f"%h{at}_{n[2:]}"
        initial = "%carried" if turns and not at and r.random() < 0.5 else "%z"
        kind = r.choice(KINDS[element])
        name = f"%r{at}"
        kernel.line(f"{name} = vector.multi_reduction <{kind}>, {source}, {initial} [1] : {vector(shape, element)} to {vector(kept, element)}")
        meetings.add(name, needs)
        results.append(name)
        if r.random() < 0.15:  # a large buffer, with which all others share bytes
            other = Layout(2, S=[1, 1], B=[rows, 1], T=[1, 16], E=[1, width // 16], ts=[0, 1])
            kernel.line(f"%a{at} = iree_vector_ext.to_layout %x to layout({other}) {{shared_memory_conversion}} : {vector(shape, element)}")
            kernel.line(f"%o{at} = iree_vector_ext.to_layout %a{at} to layout({layout}) {{shared_memory_conversion}} : {vector(shape, element)}")
            kernel.line(f"%q{at} = vector.multi_reduction <{kind}>, %o{at}, %z [1] : {vector(shape, element)} to {vector(kept, element)}")
            kernel.line(f"%k{at} = {add} %q{at}, {name} : {vector(kept, element)}")
            meetings.number[f"%k{at}"] = meetings.number[name]
            results[-1] = name = f"%k{at}"
            reread = True
        if not turns and r.random() < 0.5:
            kernel.write(name, kept, element)
            if r.random() < 0.25:  # of what others wrote
                memory = re.search(r"%arg\d+(?=\[)", kernel.lines[-1])[0]
                kernel.line(f"%pad_w{at} = arith.constant {init} : {element}")
                kernel.line(f"%w{at} = vector.transfer_read {memory}[%c0], %pad_w{at} {{in_bounds = [true]}} : memref<{rows}x{element}>, {vector(kept, element)}")
                kernel.line(f"%v{at} = vector.broadcast %w{at} : {vector(kept, element)} to {vector([width, rows], element)}")
                kernel.line(f"%u{at} = vector.transpose %v{at}, [1, 0] : {vector([width, rows], element)} to {vector(shape, element)}")
                kernel.line(f"%x{at} = {add} %u{at}, %x : {vector(shape, element)}")
                kernel.layout(f"%y{at}", f"%x{at}", layout, vector(shape, element))
                kernel.line(f"%r{at}w = vector.multi_reduction <{kind}>, %y{at}, %z [1] : {vector(shape, element)} to {vector(kept, element)}")
                kernel.write(f"%r{at}w", kept, element)
                reread = True
    total = results[0]
    for at, name in enumerate(results[1:]):
        kernel.line(f"%s{at} = {add} {total}, {name} : {vector(kept, element)}")
        total = f"%s{at}"
    if turns:
        kernel.line(f"scf.yield {total} : {vector(kept, element)}")
        kernel.line("}")
        total = "%loop"
    kernel.write(total, kept, element)
    kernel.barriers = None if reread else meetings.count * max(turns, 1)
    return kernel


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


kernels = [program(number) for number in suite.taken("--programs") or range(40)]
chosen = suite.options()
suite.main([run for kernel in kernels for run in all_runs(kernel, chosen)], chosen)
