"""What is computed again in a second layout and what is moved there (VX-56): chains of up
to eight ops, of any kind that has no data of its own, if that costs less; and where
what is moved is moved (VX-64): outside of loops that do not change it, and with as few
bits as it has. What layout choice did is read off its to_layout ops, and every kernel
is run after every stage.

    python3 cheap_chains.py OUT_DIR [--only NAME]
"""
import re

from kernels import Kernel, Layout, suite, vector

PAIRS = Layout(1, S=[2], T=[32], E=[2], ss=[1], ts=[1])  # 128
ONES = Layout(1, S=[2], B=[2], T=[32], ss=[1], ts=[1])
EIGHTS = Layout(1, S=[2], T=[32], E=[8], ss=[1], ts=[1])  # 512
BOTH_HALVES = Layout(1, T=[32], E=[16], ts=[1])
ROWS = Layout(2, S=[2, 1], T=[8, 4], E=[1, 4], ss=[1, 0], ts=[4, 1])  # 16x16
COLUMNS = Layout(2, S=[2, 1], T=[8, 4], B=[1, 4], ss=[1, 0], ts=[1, 8])


class Chain(Kernel):
    """`wanted`: op -> how often it is there after layout choice; of `to_layout` two are
    the kernel's own, one converts what is no chain, or lays out what a copy begins with (VX-284)."""

    stage = "assign-layouts"

    def __init__(self, name, wanted):
        super().__init__(name, 64)
        self.wanted = wanted
        self.whole = None

    def used_twice(self, value, shape, element, layouts, combine):
        """Reads and writes `value`'s shape in two layouts, with which it is combined."""
        for name, layout in zip("xy", layouts):
            self.read(f"%{name}", shape, element, layout)
            self.line(f"%{name}_{combine} = arith.{combine} %{name}, {value} : {vector(shape, element)}")
            self.write(f"%{name}_{combine}", shape, element)

    def says(self, text):
        for op, times in self.wanted.items():
            found = len(re.findall(rf"{re.escape(op)}\b", text))
            if found != times:
                return f"{found} {op} instead of {times}\n{text}"
        return None

    def runs(self, chosen):
        path = chosen.out / f"{self.name}.mlir"
        path.write_text(self.text())
        compile_ = [chosen.distaff, "compile", str(path), "--target", "sm_80", f"--stop-after={self.stage}"]
        command = [chosen.distaff, "run", str(path), "--target", "sm_80"]
        yield suite.Run(self.name, command + ["--check", "--every-stage", *self.flags], before=(compile_, self.says))
        yield suite.Run(self.name + "_ptx", command + ["--device", "ptx", "--check", *self.flags], compares=False)


def line(name, ops, copies, link, root="%s", threads_of=1):
    """`ops` links from a scalar; `link` is given the value before and the first."""
    wanted = {link.split()[0]: copies, "to_layout": 3}
    kernel = Chain(name, wanted)
    scalar = kernel.argument("f32", "0.5")
    kernel.line(f"%e0 = vector.broadcast {scalar} : f32 to vector<128xf32>")
    for i in range(ops):
        kernel.line(f"%e{i + 1} = " + link.format(before=f"%e{i}", first="%e0") + " : vector<128xf32>")
    kernel.used_twice(f"%e{ops}", [128], "f32", (PAIRS, ONES), "subf")
    return kernel


def limits():
    """Eight ops are copied, nine are not: each op is one, however often it is used."""
    for ops in (1, 7, 8, 9):
        yield line(f"vx56_{ops}_ops", ops, 2 * ops if ops <= 8 else ops, "arith.mulf {before}, {first}")
        yield line(f"vx56_{ops}_ops_used_twice", ops, 2 * ops if ops <= 8 else ops, "arith.addf {before}, {before}")
    # 6 functions are more than the 2 shuffles that move the result, 3 are less.
    yield line("vx56_3_functions", 3, 6, "math.tanh {before}")
    yield line("vx56_6_functions", 6, 6, "math.tanh {before}")


def root(name, lines, element, combine="addi"):
    """A chain of one op from every op that has no layout."""
    kernel = Chain(f"vx56_from_{name}", {"to_layout": 2 if name == "constant" else 3, "arith.xori": 2})
    for text in lines:
        kernel.line(text)
    kernel.line("%seven = arith.constant dense<7> : vector<128xi32>")
    kernel.line("%e = arith.xori %r, %seven : vector<128xi32>")
    kernel.used_twice("%e", [128], "i32", (PAIRS, ONES), combine)
    return kernel


def roots():
    yield root("step", ["%i = vector.step : vector<128xindex>", "%r = arith.index_cast %i : vector<128xindex> to vector<128xi32>"], "i32")
    yield root("constant", [f"%r = arith.constant dense<{[i * i % 31 for i in range(128)]}> : vector<128xi32>"], "i32")
    for name, bits in (("create_mask", "%n = arith.constant 77 : index\n  %m = vector.create_mask %n : vector<128xi1>"),
                       ("constant_mask", "%m = vector.constant_mask [77] : vector<128xi1>")):
        yield root(name, [*bits.split("\n"), "%r = arith.extui %m : vector<128xi1> to vector<128xi32>"], "i32")


def shapes():
    """Copies have the shapes and layouts of their place in the chain, not of its end."""
    kernel = Chain("vx56_shapes", {"to_layout": 3, "vector.transpose": 2, "vector.shape_cast": 2, "arith.addi": 2 + 2})
    for text in ("%i = vector.step : vector<16xindex>", "%c = arith.index_cast %i : vector<16xindex> to vector<16xi32>",
                 "%d = arith.addi %c, %c : vector<16xi32>", "%w = vector.broadcast %d : vector<16xi32> to vector<4x4x16xi32>",
                 "%v = vector.shape_cast %w : vector<4x4x16xi32> to vector<16x16xi32>", "%t = vector.transpose %v, [1, 0] : vector<16x16xi32> to vector<16x16xi32>"):
        kernel.line(text)
    kernel.used_twice("%t", [16, 16], "i32", (ROWS, COLUMNS), "addi")
    yield kernel


def not_cheap():
    """A chain that goes through memory, or beyond its block, is no chain: it is moved."""
    kernel = Chain("vx56_from_memory", {"to_layout": 3, "arith.mulf": 1})
    kernel.read("%m", [128], "f32")
    kernel.line("%e = arith.mulf %m, %m : vector<128xf32>")
    kernel.line("%f = math.exp2 %e : vector<128xf32>")
    kernel.used_twice("%f", [128], "f32", (PAIRS, ONES), "subf")
    yield kernel
    for inside in (False, True):
        kernel = Chain(f"vx56_{'begun_outside' if inside else 'outside'}_of_the_loop", {"to_layout": 3, "arith.addf": 1 if inside else 2})
        scalar = kernel.argument("f32", "0.5")
        kernel.line(f"%e0 = vector.broadcast {scalar} : f32 to vector<128xf32>")
        kernel.line("%e1 = arith.mulf %e0, %e0 : vector<128xf32>")
        kernel.read("%x", [128], "f32", PAIRS)
        kernel.read("%y", [128], "f32", ONES)
        last = "%e2 = arith.addf %e1, %e0 : vector<128xf32>"
        for text in ["%c1 = arith.constant 1 : index", "%c9 = arith.constant 9 : index"] + [last] * (not inside) + [
                "%r:2 = scf.for %i = %c0 to %c9 step %c1 iter_args(%a = %x, %b = %y) -> (vector<128xf32>, vector<128xf32>) {"] + [last] * inside + [
                "%p = arith.subf %a, %e2 : vector<128xf32>", "%q = arith.mulf %b, %e2 : vector<128xf32>",
                "scf.yield %p, %q : vector<128xf32>, vector<128xf32>", "}"]:
            kernel.line(text)
        kernel.write("%r#0", [128], "f32")
        kernel.write("%r#1", [128], "f32")
        yield kernel


class Moved(Chain):
    """What is converted: lines of to_layout behind the kernel's own, in order, must match."""

    def __init__(self, name, expected, loops=0):
        super().__init__(name, {})
        self.expected, self.loops = expected, loops

    def says(self, text):
        depth, found, own = 0, [], self.own
        for each in text.split("\n"):
            if "scf.for" in each:
                depth += 1
            elif each.strip() == "}" and depth:
                depth -= 1
            elif "to_layout" in each:
                found.append((depth, each.rsplit("x", 1)[-1].rstrip(">")))
        for anchor in own:
            if anchor not in found:
                return f"no {anchor} in {found}\n{text}"
            found.remove(anchor)
        return None if found == self.expected else f"{found} instead of {self.expected}\n{text}"


def in_loop(changes):
    """What the loop does not change is moved once, what it changes in each turn."""
    kernel = Moved(f"vx64_{'changed' if changes else 'kept'}_in_the_loop", [(int(changes), "f32")])
    kernel.own = [(0, "f32"), (0, "f32"), (1, "f32"), (1, "f32")]
    kernel.read("%x", [128], "f32", PAIRS)
    kernel.read("%y", [128], "f32", ONES)
    for text in ["%c1 = arith.constant 1 : index", "%c9 = arith.constant 9 : index", "%k = math.exp2 %x : vector<128xf32>",
                 "%r:2 = scf.for %i = %c0 to %c9 step %c1 iter_args(%a = %y, %b = %k) -> (vector<128xf32>, vector<128xf32>) {",
                 f"%s = arith.addf %a, {'%b' if changes else '%k'} : vector<128xf32>", "%t = math.absf %b : vector<128xf32>"]:
        kernel.line(text)
    # In their layouts to the next turn.
    kernel.layout("%u", "%s", ONES, "vector<128xf32>")
    kernel.layout("%v", "%t", PAIRS, "vector<128xf32>")
    kernel.line("scf.yield %u, %v : vector<128xf32>, vector<128xf32>")
    kernel.line("}")
    kernel.write("%r#0", [128], "f32")
    kernel.write("%r#1", [128], "f32")
    return kernel


def demanded_in_loop():
    """A user's to_layout in a loop, of what the loop does not change, runs once."""
    kernel = Moved("vx64_demanded_in_the_loop", [(0, "f32")])
    kernel.own = [(0, "f32"), (0, "f32")]
    kernel.read("%x", [128], "f32", PAIRS)
    kernel.read("%y", [128], "f32", ONES)
    kernel.line("%c1 = arith.constant 1 : index")
    kernel.line("%c9 = arith.constant 9 : index")
    kernel.line("%r = scf.for %i = %c0 to %c9 step %c1 iter_args(%a = %y) -> (vector<128xf32>) {")
    kernel.layout("%k", "%x", ONES, "vector<128xf32>")
    kernel.line("%s = arith.addf %a, %k : vector<128xf32>")
    kernel.line("scf.yield %s : vector<128xf32>")
    kernel.line("}")
    kernel.write("%r", [128], "f32")
    return kernel


class Narrow(Moved):
    """The same of what the bytes in workgroup memory are, once distributed: an extension is moved before it is made."""
    stage = "distribute"

    def says(self, text):
        found = set(re.findall(r"memref.alloc.*x(\w+), #gpu.address_space<workgroup>", text))
        return None if found == {self.expected} else f"{found} instead of {self.expected}\n{text}"


def narrowed(kind, name, from_, to, op, layouts, expected):
    """`op` makes `to` of `from_`, which is wanted in another layout; the elements that are moved are `expected`."""
    kernel = kind(f"vx64_{name}", expected)
    before, after = layouts
    shape = before.shape()
    kernel.own = [(0, from_), (0, to), (0, to)]
    kernel.read("%x", shape, from_, before, "random:1:0:99" if from_[0] == "i" else None)
    # What is computed is moved through registers, not copied by the hardware.
    kernel.line(f"%v = arith.{'muli' if from_[0] == 'i' else 'mulf'} %x, %x : {vector(shape, from_)}")
    kernel.line(f"%n = arith.{op} %v : {vector(shape, from_)} to {vector(shape, to)}")
    kernel.read("%y", shape, to, after, "random:2:0:99" if to[0] == "i" else None)
    kernel.line(f"%s = arith.{'addi' if to[0] == 'i' else 'addf'} %n, %y : {vector(shape, to)}")
    kernel.layout("%u", "%s", after, vector(shape, to))
    kernel.write("%u", shape, to)
    return kernel


def all_kernels():
    yield from limits()
    yield from roots()
    yield from shapes()
    yield from not_cheap()
    yield in_loop(False)
    yield in_loop(True)
    yield demanded_in_loop()
    many, few = (EIGHTS, BOTH_HALVES), (PAIRS, ONES)
    yield narrowed(Moved, "truncated_first", "f32", "f16", "truncf", many, [(0, "f16")])
    yield narrowed(Moved, "truncated_first_of_integers", "i32", "i8", "trunci", many, [(0, "i8")])
    # Two halves are taken out of one word and put into it: as many shuffles, and more around them.
    yield narrowed(Moved, "truncated_behind_as_it_is_cheaper", "f32", "f16", "truncf", few, [(0, "f32")])
    yield narrowed(Narrow, "extended_behind", "f16", "f32", "extf", many, "f16")
    yield narrowed(Narrow, "extended_behind_of_integers", "i8", "i32", "extsi", many, "i8")
    yield narrowed(Narrow, "extended_behind_without_sign", "i8", "i32", "extui", many, "i8")


chosen = suite.options()
suite.main([run for kernel in all_kernels() for run in kernel.runs(chosen)], chosen)
