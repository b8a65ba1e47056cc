"""Vectors that registers do not hold, through LLVM's intrinsics and in other orders: values, and how much code (VX-215 to VX-218).

    python3 large_intrinsics.py OUT_DIR [--only NAME] [--distaff PATH]

A kernel has one array of an integer or a float type, and writes one array per result. Each runs as compiled for this CPU, and
on the SIMT machine for targets where the ops have a form. The expected values are computed here, element by element. A vector
of 4096 elements is less code than as many instructions: the object file says so.
"""
import math
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import npy
import suite

TARGETS = [("host", ["--target", "host", "--device", "host"]), ("simt", ["--target", "host", "--check"]), ("sm_80", ["--target", "sm_80", "--check"]),
           ("gfx942", ["--target", "gfx942", "--check"])]
BYTES = 48 * 1024  # of an object file; a table of 4096 positions takes 16 KB of them


def wrapped(value, width):
    return (value + (1 << width - 1)) % (1 << width) - (1 << width - 1)


class Kernel:
    """One input %x, vector<N x element>, and results that are written and compared."""

    def __init__(self, name, extent, element, values, targets=TARGETS):
        self.name, self.extent, self.element, self.values = name, extent, element, values
        self.lines, self.results, self.targets = [], [], targets

    def type(self, element=None):
        return f"vector<{self.extent}x{element or self.element}>"

    def add(self, text):
        self.lines.append(text)

    def store(self, value, element, expected, shape=None):
        shape = shape or [len(expected)]
        extents = "x".join(map(str, shape))
        at, zeros = len(self.results), ", ".join(["%c0"] * len(shape))
        bounds = ", ".join(["true"] * len(shape))
        self.add(f"vector.transfer_write {value}, %o{at}[{zeros}] {{in_bounds = [{bounds}]}} : vector<{extents}x{element}>, memref<{extents}x{element}>")
        self.results.append((f"memref<{extents}x{element}>", element, expected))

    def text(self):
        n, e = self.extent, self.element
        zero = "0.0" if e.startswith("f") else "0"
        arguments = [f"%a: memref<{n}x{e}>", "%n: i32", *(f"%o{i}: {type}" for i, (type, _, _) in enumerate(self.results))]
        lines = ["%c0 = arith.constant 0 : index", f"%z = arith.constant {zero} : {e}",
                 f"%x = vector.transfer_read %a[%c0], %z {{in_bounds = [true]}} : memref<{n}x{e}>, {self.type()}", *self.lines]
        return f"func.func @k({', '.join(arguments)}) {{\n  " + "\n  ".join(lines) + "\n  return\n}\n"


def same(x, y):
    return x == y or (isinstance(x, float) and math.isnan(x) and math.isnan(y))


def runs_of(chosen, kernel, length=0):
    path, source, code = (chosen.out / f"{kernel.name}{end}" for end in (".mlir", ".npy", ".o"))
    path.write_text(kernel.text())
    npy.write(source, kernel.element, [kernel.extent], kernel.values)
    for target, flags in kernel.targets:
        outputs = [chosen.out / f"{kernel.name}_{target}_{i}.npy" for i in range(len(kernel.results))]

        def wrong(outputs=outputs):
            for i, (file, (_, element, expected)) in enumerate(zip(outputs, kernel.results)):
                for at, (x, y) in enumerate(zip(npy.read(file, element), expected, strict=True)):
                    if not same(x, y):
                        return f"result {i}: element {at} is {x}, not {y}"
            return None

        def small(_):
            return None if code.stat().st_size < BYTES else f"{code.stat().st_size} bytes of code"

        before = ([chosen.distaff, "compile", path, "--target", "host", "--emit", "obj", "-o", code], small) if target == "host" else None
        yield suite.Run(f"{kernel.name}_{target}", [chosen.distaff, "run", path, *flags, f"--input=arg0={source}", f"--input=arg1={length}",
                                                    *(f"--output=arg{2 + i}={file}" for i, file in enumerate(outputs))],
                        before=before, after=wrong, compares=False)


def integers(extent, width, rng):
    least, most = -(1 << width - 1), (1 << width - 1) - 1
    special = [0, 1, -1, least, most, least + 1, most - 1, most // 2 + 1, -2]
    return [rng.choice(special) if rng.random() < 0.6 else rng.randint(least, most) for _ in range(extent)]


def overflows(extent, width, rng):
    """Both parts of each intrinsic, of x and x reversed (VX-216)."""
    values = integers(extent, width, rng)
    kernel = Kernel(f"overflow_i{width}_{extent}", extent, f"i{width}", values)
    number, bits = kernel.type(), kernel.type("i1")
    kernel.add(f'%y = llvm.call_intrinsic "llvm.vector.reverse.v{extent}i{width}"(%x) : ({number}) -> {number}')
    for at, (name, function) in enumerate({"add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b}.items()):
        for sign in "su":
            struct = f"!llvm.struct<({number}, {bits})>"
            kernel.add(f'%s{at}{sign} = "llvm.intr.{sign}{name}.with.overflow"(%x, %y) : ({number}, {number}) -> {struct}')
            kernel.add(f"%f{at}{sign} = llvm.extractvalue %s{at}{sign}[0] : {struct}")
            kernel.add(f"%b{at}{sign} = llvm.extractvalue %s{at}{sign}[1] : {struct}")
            kernel.add(f"%w{at}{sign} = arith.extui %b{at}{sign} : {bits} to {kernel.type('i8')}")
            pairs = [(a, b) if sign == "s" else (a % (1 << width), b % (1 << width)) for a, b in zip(values, reversed(values))]
            exact = [function(a, b) for a, b in pairs]
            low = -(1 << width - 1) if sign == "s" else 0
            kernel.store(f"%f{at}{sign}", f"i{width}", [wrapped(value, width) for value in exact])
            kernel.store(f"%w{at}{sign}", "i8", [int(not low <= value < low + (1 << width)) for value in exact])
    return kernel


def roundings(extent, rng):
    values = [rng.choice([0.5, -0.5, 1.5, 2.5, -2.5, 0.25, -0.75, 1e6 + 0.5, -0.0]) if rng.random() < 0.5 else rng.randint(-80000, 80000) / 16 for _ in range(extent)]
    kernel = Kernel(f"rounding_{extent}", extent, "f32", values)
    for at, name in enumerate(("lrint", "llrint", "lround", "llround")):
        to = "i64" if name.startswith("ll") else "i32"
        call = (f"%r{at} = llvm.intr.{name}(%x) : ({kernel.type()}) -> {kernel.type(to)}" if not name.startswith("ll") else
                f'%r{at} = llvm.call_intrinsic "llvm.{name}.v{extent}i64.v{extent}f32"(%x) : ({kernel.type()}) -> {kernel.type(to)}')
        kernel.add(call)
        kernel.store(f"%r{at}", to, [round(v) if "rint" in name else int(math.copysign(math.floor(abs(v) + 0.5), v)) for v in values])
    return kernel


def without_forms(extent, rng):
    """Intrinsics that stay LLVM's: slices of them, and of what a struct has (VX-215)."""
    values = [rng.choice([0.0, 1.0, -3.0, 0.375, 1e30, -1e-30, 5e9]) if rng.random() < 0.5 else rng.randint(-4000, 4000) / 8 for _ in range(extent)]
    values = [npy.from_bytes(npy.to_bytes([v], "f32"), "f32")[0] for v in values]
    kernel = Kernel(f"elementwise_{extent}", extent, "f32", values, targets=TARGETS[:1])
    number, whole = kernel.type(), kernel.type("i32")
    struct = f"!llvm.struct<({number}, {whole})>"
    kernel.add(f'%s = llvm.call_intrinsic "llvm.frexp.v{extent}f32.v{extent}i32"(%x) : ({number}) -> {struct}')
    kernel.add(f"%f = llvm.extractvalue %s[0] : {struct}")
    kernel.add(f"%e = llvm.extractvalue %s[1] : {struct}")
    kernel.add(f'%t = llvm.call_intrinsic "llvm.fptosi.sat.v{extent}i32.v{extent}f32"(%x) : ({number}) -> {whole}')
    kernel.add(f'%c = "llvm.intr.is.fpclass"(%x) <{{bit = {0x60} : i32}}> : ({number}) -> {kernel.type("i1")}')
    kernel.add(f"%cw = arith.extui %c : {kernel.type('i1')} to {kernel.type('i8')}")
    kernel.store("%f", "f32", [math.frexp(v)[0] for v in values])
    kernel.store("%e", "i32", [math.frexp(v)[1] for v in values])
    kernel.store("%t", "i32", [max(-2**31, min(2**31 - 1, math.trunc(v))) for v in values])
    kernel.store("%cw", "i8", [int(v == 0) for v in values])  # zeros of either sign
    return kernel


def shuffled(extent, rng):
    """Any rows, neighbours, steps, and what is poison (VX-217)."""
    values = [float(i) for i in range(extent)]
    # Workgroup memory has no room for as many.
    kernel = Kernel(f"shuffle_{extent}", extent, "f32", values, TARGETS if extent < 2000 else TARGETS[:2])
    kernel.add(f"%one = arith.constant dense<0.5> : {kernel.type()}")
    kernel.add(f"%y = arith.addf %x, %one : {kernel.type()}")
    both = values + [v + 0.5 for v in values]
    masks = {"any": [rng.randrange(2 * extent) for _ in range(extent)], "longer": [rng.randrange(2 * extent) for _ in range(extent + 3)],
             "rotated": [(i + extent // 3) % extent for i in range(extent)], "joined": list(range(extent // 2, extent)) + list(range(extent, extent + extent // 2)),
             "strided": list(range(1, 2 * extent, 2)), "reversed": list(range(extent))[::-1], "one": [7 % extent] * extent}
    for at, (name, mask) in enumerate(masks.items()):
        kernel.add(f"%m{at} = vector.shuffle %x, %y {mask} : {kernel.type()}, {kernel.type()}")
        kernel.store(f"%m{at}", "f32", [both[i] for i in mask])
    return kernel


def shuffled_rows(rng):
    rows, columns = 96, 65
    values = list(range(-3000, -3000 + rows * columns))
    kernel = Kernel("shuffle_rows", rows * columns, "i32", values)
    kernel.add(f"%r = vector.shape_cast %x : {kernel.type()} to vector<{rows}x{columns}xi32>")
    for at, mask in enumerate(([rng.randrange(2 * rows) for _ in range(70)], list(range(40, 96)) + list(range(40)))):
        kernel.add(f"%m{at} = vector.shuffle %r, %r {mask} : vector<{rows}x{columns}xi32>, vector<{rows}x{columns}xi32>")
        kernel.store(f"%m{at}", "i32", [values[row % rows * columns + c] for row in mask for c in range(columns)], [len(mask), columns])
    return kernel


def parts(extent, offset, size, rng):
    """Parts that begin anywhere, put anywhere (VX-217)."""
    values = integers(extent, 32, rng)
    kernel = Kernel(f"parts_{extent}_{offset}_{size}", extent, "i32", values)
    to = extent - size - 1
    kernel.add(f"%p = vector.extract_strided_slice %x {{offsets = [{offset}], sizes = [{size}], strides = [1]}} : {kernel.type()} to vector<{size}xi32>")
    kernel.add(f"%q = vector.insert_strided_slice %p, %x {{offsets = [{to}], strides = [1]}} : vector<{size}xi32> into {kernel.type()}")
    kernel.add(f"%q2 = vector.insert_strided_slice %p, %q {{offsets = [1], strides = [1]}} : vector<{size}xi32> into {kernel.type()}")
    part = values[offset:offset + size]
    once = values[:to] + part + values[to + size:]
    kernel.store("%p", "i32", part)
    kernel.store("%q", "i32", once)
    kernel.store("%q2", "i32", once[:1] + part + once[1 + size:])
    return kernel


def masked_accesses(extent, length, rng):
    """Pointers into an array, by ops and by names, under a mask and a number of elements (VX-218)."""
    values = [rng.randint(-99, 99) for _ in range(extent)]
    kernel = Kernel(f"masked_{extent}_{length}", extent, "i32", values)
    n, whole, bits, pointers = extent, kernel.type(), kernel.type("i1"), f"vector<{extent}x!llvm.ptr>"
    first = 2  # %o0 and %o1 are written by pointers
    kernel.results = [(f"memref<{n}xi32>", "i32", None), (f"memref<{n}xi32>", "i32", None)]
    kernel.add(f"%zero = arith.constant dense<0> : {whole}")
    kernel.add(f"%mask = arith.cmpi sgt, %x, %zero : {whole}")
    for name in ("a", "o0", "o1"):
        kernel.add(f"%i{name} = memref.extract_aligned_pointer_as_index %{name} : memref<{n}xi32> -> index")
        kernel.add(f"%j{name} = arith.index_cast %i{name} : index to i64")
        kernel.add(f"%p{name} = llvm.inttoptr %j{name} : i64 to !llvm.ptr")
    kernel.add(f"%step = vector.step : vector<{n}xindex>")
    kernel.add(f"%up = arith.index_cast %step : vector<{n}xindex> to {whole}")
    kernel.add(f"%last = arith.constant dense<{n - 1}> : {whole}")
    kernel.add(f"%back = arith.subi %last, %up : {whole}")
    kernel.add(f"%ps = llvm.getelementptr %pa[%back] : (!llvm.ptr, {whole}) -> {pointers}, i32")
    kernel.add(f"%qs = llvm.getelementptr %po1[%back] : (!llvm.ptr, {whole}) -> {pointers}, i32")
    kernel.add(f'%l = "llvm.intr.vp.load"(%pa, %mask, %n) : (!llvm.ptr, {bits}, i32) -> {whole}')
    kernel.add(f'%g = llvm.call_intrinsic "llvm.vp.gather.v{n}i32.v{n}p0"(%ps, %mask, %n) : ({pointers}, {bits}, i32) -> {whole}')
    kernel.add(f"%s = arith.addi %l, %g : {whole}")
    kernel.add(f"%ml = llvm.intr.masked.load %pa, %mask, %last {{alignment = 1 : i32}} : (!llvm.ptr, {bits}, {whole}) -> {whole}")
    kernel.add(f"%mg = llvm.intr.masked.gather %ps, %mask, %last {{alignment = 1 : i32}} : ({pointers}, {bits}, {whole}) -> {whole}")
    kernel.store("%ml", "i32", [v if v > 0 else n - 1 for v in values])
    kernel.store("%mg", "i32", [w if v > 0 else n - 1 for v, w in zip(values, reversed(values))])
    assert len(kernel.results) == first + 2
    kernel.add(f"%fill = vector.broadcast %z : i32 to {whole}")
    for at in (0, 1):
        kernel.add(f"vector.transfer_write %fill, %o{at}[%c0] {{in_bounds = [true]}} : {whole}, memref<{n}xi32>")
    kernel.add(f'"llvm.intr.vp.store"(%s, %po0, %mask, %n) : ({whole}, !llvm.ptr, {bits}, i32) -> ()')
    kernel.add(f'llvm.call_intrinsic "llvm.vp.scatter.v{n}i32.v{n}p0"(%s, %qs, %mask, %n) : ({whole}, {pointers}, {bits}, i32) -> ()')
    taken = [v > 0 and i < length for i, v in enumerate(values)]
    sums = [v + w if is_taken else 0 for v, w, is_taken in zip(values, reversed(values), taken)]
    kernel.results[0] = (*kernel.results[0][:2], sums)
    kernel.results[1] = (*kernel.results[1][:2], sums[::-1])
    return kernel


def main():
    chosen = suite.options()
    rng = random.Random(215)
    kernels = [(overflows(4096, 32, rng), 0), (overflows(37, 8, rng), 0), (overflows(1, 16, rng), 0), (overflows(4099, 64, rng), 0), (roundings(4096, rng), 0), (roundings(61, rng), 0),
               (without_forms(4096, rng), 0), (without_forms(4111, rng), 0), (without_forms(5, rng), 0), (shuffled(4096, rng), 0), (shuffled(1024, rng), 0), (shuffled(37, rng), 0),
               (shuffled_rows(rng), 0), (parts(4096, 17, 1000, rng), 0), (parts(4099, 1, 4096, rng), 0), (parts(40, 3, 7, rng), 0)]
    kernels += [(masked_accesses(extent, length, rng), length) for extent, length in ((4096, 3000), (4096, 0), (4099, 4099), (16, 9))]
    suite.main([run for kernel, length in kernels for run in runs_of(chosen, kernel, length)], chosen, one_in=3)


main()
