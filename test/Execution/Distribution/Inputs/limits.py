"""Numbers at a limit itself, one below and one beyond it.

    python3 limits.py OUT_DIR [--only NAME] [--distaff PATH]

Vectors with as many elements as there are lanes, subgroups or threads, in ops that cross lanes; shuffles as far as
their width; loops of as many turns as buffers have slots; buffers that take all of workgroup
memory; positions at the limits of 32 bits. A comparison that should have been with or without
the equal case gives other numbers, or is refused. Numbers are whole, and Python computes them.
"""
import functools
import math
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import npy
import suite
from rotations import EXPECTED, TARGETS, Later, Program, TensorProgram, text_of

MEMORY = {"sm_80": 166912, "gfx942": 65536}  # bytes of workgroup memory


# What exceeds a limit, and what is said then.
EXPECTED.update({f"memory_left_0_{target}": ("refused", f"'s {size} the kernel's own buffers take {size}") for target, size in MEMORY.items()})


class Sized(Program):
    """A program of vectors, for a workgroup of so many threads."""

    def __init__(self, name, target, threads, element="i32"):
        super().__init__(name, target, element)
        self.threads = threads

    def text(self):
        lanes = TARGETS[self.target]
        return super().text().replace(f"workgroup_size = [{2 * lanes}, 1, 1]", f"workgroup_size = [{self.threads}, 1, 1]").replace(
            "  %zero_f32", "  %zero_i32 = arith.constant 0 : i32\n  %zero_f32", 1)


def whole_sum(p, extent):
    x, data = p.argument([extent])
    p.whole(x, [extent], "i32", "%x")
    p.line(f"%s = vector.multi_reduction <add>, %x, %zero_i32 [0] : vector<{extent}xi32> to i32", "%v = vector.broadcast %s : i32 to vector<1xi32>")
    p.result("%v", [1], [sum(data)])


def sums_so_far(p, extent):
    x, data = p.argument([1, extent])
    p.whole(x, [1, extent], "i32", "%x")
    p.line("%z = arith.constant dense<0> : vector<1xi32>",
           f"%s, %last = vector.scan <add>, %x, %z {{inclusive = true, reduction_dim = 1 : i64}} : vector<1x{extent}xi32>, vector<1xi32>")
    p.result("%s", [1, extent], [sum(data[:i + 1]) for i in range(extent)])


def least_and_spread(p, extent):
    """What all lanes need of all others."""
    x, data = p.argument([extent])
    p.whole(x, [extent], "i32", "%x")
    p.line(f"%big = arith.constant {2**31 - 1} : i32", f"%s = vector.multi_reduction <minsi>, %x, %big [0] : vector<{extent}xi32> to i32",
           f"%v = vector.broadcast %s : i32 to vector<{extent}xi32>", f"%r = arith.subi %x, %v : vector<{extent}xi32>")
    p.result("%r", [extent], [v - min(data) for v in data])


def moved_by(p, extent):
    """Slices that begin at the last element but one, and at the first but one."""
    x, data = p.argument([extent])
    p.whole(x, [extent], "i32", "%x")
    for name, offset, size in (("%a", 0, extent - 1), ("%b", 1, extent - 1), ("%c", extent - 1, 1)):
        p.line(f"{name} = vector.extract_strided_slice %x {{offsets = [{offset}], sizes = [{size}], strides = [1]}} : vector<{extent}xi32> to vector<{size}xi32>")
    p.line(f"%d = arith.subi %b, %a : vector<{extent - 1}xi32>")
    p.result("%d", [extent - 1], [b - a for a, b in zip(data, data[1:])])
    p.result("%c", [1], data[-1:])


def past_the_end(p, extent):
    """A read of which as much lies beyond memory as makes it whole."""
    x, data = p.argument([extent])
    size = 64
    p.line("%pad = arith.constant -7 : i32", f"%x = vector.transfer_read {x}[%c0], %pad : memref<{extent}xi32>, vector<{size}xi32>",
           f"%y = arith.addi %x, %x : vector<{size}xi32>")
    p.result("%y", [size], [2 * v for v in (data + [-7] * size)[:size]])


def vectors(target):
    lanes = TARGETS[target]
    for threads in (lanes, 2 * lanes, 1024):
        for limit in sorted({lanes, threads, 2 * threads}):
            for extent in (limit - 1, limit, limit + 1):
                for make in (whole_sum, sums_so_far, least_and_spread, moved_by):
                    p = Sized(f"{make.__name__}_{extent}_by_{threads}", target, threads)
                    p.pending = functools.partial(make, p, extent)
                    yield p
    for extent in (1, 31, 32, 33, 63, 64, 65):
        p = Sized(f"past_the_end_{extent}", target, lanes)
        p.pending = functools.partial(past_the_end, p, extent)
        yield p


def steps_of_product(p, k):
    (a, x), (b, y) = p.argument([32, k]), p.argument([k, 48])
    p.line("%zero = arith.constant 0.0 : f32", "%e = tensor.empty() : tensor<32x48xf32>", "%f = linalg.fill ins(%zero : f32) outs(%e : tensor<32x48xf32>) -> tensor<32x48xf32>",
           f"%r = linalg.matmul ins({a}, {b} : tensor<32x{k}xf16>, tensor<{k}x48xf16>) outs(%f : tensor<32x48xf32>) -> tensor<32x48xf32>")
    p.result("%r", [32, 48], [sum(x[i * k + c] * y[c * 48 + j] for c in range(k)) for i in range(32) for j in range(48)], "f32")


def turns(target):
    """A product whose steps are as many as a ring has slots, with a rest or without."""
    for k in (1, 15, 16, 17, 31, 32, 33, 48, 49, 64, 65, 80):
        for name, flags in (("vector", ["--pipeline", "vector-distribute", "--config", "reduction=0x0x16", "--config", "promote_operands=0,1"]),
                            ("cluster", ["--pipeline", "run-cluster"]), ("producers", ["--pipeline", "run-cluster", "--specialize", "producer-consumer"]),
                            ("ping_pong", ["--pipeline", "run-cluster", "--specialize", "ping-pong"])):
            p = TensorProgram(f"turns_{k}_{name}", target, "f16")
            p.pending, p.flags = functools.partial(steps_of_product, p, k), flags
            yield p


def loops(target):
    """Loops of no turn, one, and some more, by a constant and by an argument, with an exchange in each."""
    lanes = TARGETS[target]
    for count in range(6):
        for known in (True, False):
            p = Sized(f"loop_{count}_{'known' if known else 'passed'}", target, 2 * lanes)
            x, data = p.argument([8, lanes])
            p.whole(x, [8, lanes], "i32", "%x")
            end = f"%end = arith.constant {count} : index"
            if not known:
                n, _ = p.argument([1], "i32", [count])
                end = f"%n = memref.load {n}[%c0] : memref<1xi32>\n  %end = arith.index_cast %n : i32 to index"
            type = f"vector<8x{lanes}xi32>"
            p.line("%c1 = arith.constant 1 : index", end, "%z = arith.constant dense<0> : vector<8xi32>", f"%mask = arith.constant dense<255> : {type}",
                   f"%r = scf.for %i = %c0 to %end step %c1 iter_args(%v = %x) -> ({type}) {{", f"%s = vector.multi_reduction <add>, %v, %z [1] : {type} to vector<8xi32>",
                   f"%b = vector.broadcast %s : vector<8xi32> to vector<{lanes}x8xi32>", f"%t = vector.transpose %b, [1, 0] : vector<{lanes}x8xi32> to {type}",
                   f"%d = arith.subi %t, %v : {type}", f"%w = arith.andi %d, %mask : {type}", f"scf.yield %w : {type}", "}")
            rows = [data[r * lanes:(r + 1) * lanes] for r in range(8)]
            for _ in range(count):
                rows = [[(sum(row) - v) & 255 for v in row] for row in rows]
            p.result("%r", [8, lanes], sum(rows, []))
            yield p


def memory(target):
    """A kernel's own buffer and what a conversion needs, together all there is; a byte more is refused."""
    lanes = TARGETS[target]
    ones = "subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [1, 1]"
    layouts = [f"#iree_vector_ext.nested_layout<{ones}, thread_tile = {tile}, element_tile = {rest}, subgroup_strides = [0, 0], thread_strides = {strides}>"
               for tile, rest, strides in (([lanes // 4, 4], [1, lanes // 4], [4, 1]), ([4, lanes // 4], [lanes // 16, 4], [1, 4]))]
    shape = [lanes // 4, lanes]
    for left in (0, 16, 64, 4 * math.prod(shape) - 16, 4 * math.prod(shape), 4 * math.prod(shape) + 16):
        p = Sized(f"memory_left_{left}", target, lanes)
        own = f"memref<{MEMORY[target] - left}xi8, #gpu.address_space<workgroup>>"
        x, data = p.argument(shape)
        p.line("%one = arith.constant 1 : i8", f"%own = memref.alloc() : {own}", f"memref.store %one, %own[%c0] : {own}", f"%back = memref.load %own[%c0] : {own}",
               "%wide = arith.extsi %back : i8 to i32", f"%add = vector.broadcast %wide : i32 to {text_of('vector', shape, 'i32')}")
        p.whole(x, shape, "i32", "%x")
        p.line(f"%a = iree_vector_ext.to_layout %x to layout({layouts[0]}) : {text_of('vector', shape, 'i32')}", f"%u = arith.addi %a, %add : {text_of('vector', shape, 'i32')}",
               f"%b = iree_vector_ext.to_layout %u to layout({layouts[1]}) {{shared_memory_conversion}} : {text_of('vector', shape, 'i32')}")
        p.result("%b", shape, [v + 1 for v in data])
        yield p


def positions(target):
    """Sums and products of positions at and beyond what 32 bits hold."""
    lanes = TARGETS[target]
    for factor in (1, 2**31 - 1, 2**31, 2**32 - 1, 2**32 + 1):
        for plus in (0, 2**31 - 1, -2**31, -2**31 - 1):
            p = Sized(f"positions_{factor}_{'minus_' * (plus < 0)}{abs(plus)}", target, lanes)
            type = f"vector<{lanes}xindex>"
            p.line(f"%s = vector.step : {type}", f"%f = arith.constant dense<{factor}> : {type}", f"%p = arith.constant dense<{plus}> : {type}", f"%m = arith.muli %s, %f : {type}",
                   f"%q = arith.addi %m, %p : {type}", f"%r = arith.index_cast %q : {type} to vector<{lanes}xi64>",
                   f"%limit = arith.constant dense<{2**31 - 1}> : {type}", f"%c = arith.cmpi sgt, %q, %limit : {type}", f"%one = arith.extui %c : vector<{lanes}xi1> to vector<{lanes}xi32>")
            p.result("%r", [lanes], [i * factor + plus for i in range(lanes)], "i64")
            p.result("%one", [lanes], [int(i * factor + plus > 2**31 - 1) for i in range(lanes)], "i32")
            yield p


class Shuffles:
    """gpu.shuffle of each mode by as much as its width, as it is written and as each stage makes it."""

    def __init__(self, target, mode, width, by, constant):
        self.name, self.target = f"shuffle_{mode}_{by}_of_{width}_{'known' if constant else 'passed'}_{target}", target
        self.mode, self.width, self.by, self.constant = mode, width, by, constant

    def text(self):
        lanes = TARGETS[self.target]
        by = f"%by = arith.constant {self.by} : i32" if self.constant else f"%by = memref.load %n[%c0] : memref<1xi32>"
        return (f"gpu.module @m {{\n  gpu.func @k(%n: memref<1xi32>, %x: memref<{lanes}xi32>, %o: memref<{lanes}xi32>, %p: memref<{lanes}xi32>) kernel attributes {{"
                f"known_block_size = array<i32: {lanes}, 1, 1>, translation_info = #iree_codegen.translation_info<subgroup_size = {lanes}>}} {{\n"
                f"    %c0 = arith.constant 0 : index\n    %id = gpu.thread_id x\n    {by}\n    %width = arith.constant {self.width} : i32\n    %none = arith.constant 0 : i32\n"
                f"    %v = memref.load %x[%id] : memref<{lanes}xi32>\n    %r, %in = gpu.shuffle {self.mode} %v, %by, %width : i32\n"
                f"    %k = arith.select %in, %r, %none : i32\n    %flag = arith.extui %in : i1 to i32\n"
                f"    memref.store %k, %o[%id] : memref<{lanes}xi32>\n    memref.store %flag, %p[%id] : memref<{lanes}xi32>\n    gpu.return\n  }}\n}}\n")

    def source(self, lane):
        at = {"xor": lane ^ self.by, "idx": self.by, "up": lane - self.by, "down": lane + self.by}[self.mode]
        return at if lane < self.width and 0 <= at < self.width else None

    def runs(self, chosen):
        lanes, path = TARGETS[self.target], chosen.out / f"{self.name}.mlir"
        path.write_text(self.text())
        data = [1000 + 7 * i for i in range(lanes)]
        files = [npy.write(chosen.out / f"{self.name}.n.npy", "i32", [1], [self.by]), npy.write(chosen.out / f"{self.name}.x.npy", "i32", [lanes], data)]
        for how, flags in (("written", ["--stop-after=distribute"]), ("lower", ["--stop-after=lower"]), ("convert", []), *([("ptx", ["--device", "ptx"])] if self.target == "sm_80" else [])):
            results = [chosen.out / f"{self.name}.{how}.{i}.npy" for i in range(2)]

            def after(results=results):
                moved, flags = (npy.read(file, "i32") for file in results)
                for lane in range(self.width):
                    at = self.source(lane)
                    if flags[lane] != (at is not None) or moved[lane] != (data[at] if at is not None else 0):
                        return f"lane {lane} has {moved[lane]}, valid {flags[lane]}; lane {at} is its source"
                return None
            command = [chosen.distaff, "run", str(path), "--target", self.target, *flags, *(f"--input=arg{i}={file}" for i, file in enumerate(files)),
                       *(f"--output=arg{i + 2}={file}" for i, file in enumerate(results))]
            yield suite.Run(f"{self.name}_{how}", command, compares=False, after=after)


def shuffles(target):
    lanes = TARGETS[target]
    for mode in ("up", "down", "xor", "idx"):
        for width in (lanes, lanes // 2, 2):
            for by in sorted({0, 1, width - 1, width, width + 1} - ({width, width + 1} if mode == "xor" and width == lanes else set())):
                for constant in (True, False):
                    yield Shuffles(target, mode, width, by, constant)


if __name__ == "__main__":
    options = suite.options()
    programs = [p for target in TARGETS for family in (vectors, turns, loops, memory, positions) for p in family(target)]
    runs = [Later(p.name, functools.partial(p.run, options)) for p in programs]
    runs += [run for target in TARGETS for p in shuffles(target) for run in p.runs(options)]
    suite.main(runs, options, one_in=29)
