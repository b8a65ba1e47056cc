"""Kernels whose extents no tile divides: masked loads and stores, and the right neutral element where a reduction is masked (VX-118).

usage: ragged_extents.py OUT_DIR [options of suite.py]

Extents are known to the compiler, unknown, or unknown with a bound that the kernel asserts; or a static array holds as
many elements as a number of the launch says, which masks of vectors or a condition on the position cut. Data are whole
numbers, so that results are exact. They are compared with the program as it is written and with plain Python; reads and
writes beyond an array are faults, on the CPU by protected pages; and what a mask excludes keeps its old value.
"""
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import guarded
import npy
import references
import suite

TARGETS = ("sm_80", "gfx942", "gfx1201")
EXTENTS = [(1, 1, 1), (7, 33, 5), (31, 65, 17), (129, 17, 33), (2, 1025, 3), (0, 5, 3), (5, 0, 3), (4, 3, 0)]
BOUND = 2048


class Kernel:
    """`operands` are (loops, element, lowest, highest) of the arguments, `out` those of the result. `body` makes %y from
    the elements %x0, %x1 and, for a reduction, what %o holds so far, which begins as `start`; `value` is the result in Python."""

    def __init__(self, name, operands, out, body, value, start=None):
        self.name, self.operands, self.out, self.body, self.value, self.start = name, operands, out, body, value, start

    def loops(self):
        return list(dict.fromkeys(self.out[0] + "".join(loops for loops, *_ in self.operands)))

    def text(self, extents, form):
        def type_of(loops, element):
            return "tensor<" + "".join(f"{extents[loop] if form == 'known' else '?'}x" for loop in loops) + f"{element}>"

        types = [type_of(loops, element) for loops, element, *_ in self.operands]
        out, element = type_of(*self.out), self.out[1]
        lines = [f"%c{at} = arith.constant {at} : index" for at in range(2)] + [f"%bound = arith.constant {BOUND} : index"]
        for loop in self.loops() if form != "known" else ():
            operand = next(at for at, (loops, *_) in enumerate(self.operands) if loop in loops)
            lines.append(f"%{loop} = tensor.dim %a{operand}, %c{self.operands[operand][0].index(loop)} : {types[operand]}")
            if form == "bounded":
                lines += [f"%{loop}_ok = arith.cmpi ule, %{loop}, %bound : index", f'cf.assert %{loop}_ok, "extent beyond the bound"']
        sizes = ", ".join(f"%{loop}" for loop in self.out[0]) if form != "known" else ""
        lines.append(f"%e = tensor.empty({sizes}) : {out}")
        begin = "%e"
        if self.start:
            lines += [f"%s = arith.constant {self.start} : {element}", f"%f = linalg.fill ins(%s : {element}) outs(%e : {out}) -> {out}"]
            begin = "%f"
        maps = ", ".join(f"affine_map<({', '.join(self.loops())}) -> ({', '.join(loops)})>" for loops, *_ in [*self.operands, self.out])
        kinds = ", ".join('"parallel"' if loop in self.out[0] else '"reduction"' for loop in self.loops())
        inputs = ", ".join(f"%x{at}: {operand[1]}" for at, operand in enumerate(self.operands))
        lines += [f"%r = linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]}}",
                  f"    ins({', '.join(f'%a{at}' for at in range(len(types)))} : {', '.join(types)}) outs({begin} : {out}) {{",
                  f"^bb0({inputs}, %o: {element}):", *self.body, f"  linalg.yield %y : {element} }} -> {out}", f"return %r : {out}"]
        arguments = ", ".join(f"%a{at}: {type_}" for at, type_ in enumerate(types))
        return f"func.func @{self.name}({arguments}) -> {out} {{\n  " + "\n  ".join(lines) + "\n}\n"


def shape(loops, extents):
    return [extents[loop] for loop in loops]


def rows(values, width):
    return [values[at:at + width] for at in range(0, len(values), width)] if width else []


def reduced(function, start, of_columns=False):
    """Each row, or column, of an array reduced."""
    def value(extents, x):
        lines = [x[j::extents["n"]] for j in range(extents["n"])] if of_columns else [x[i * extents["n"]:(i + 1) * extents["n"]] for i in range(extents["m"])]
        results = []
        for line in lines:
            result = start
            for number in line:
                result = function(result, number)
            results.append(result)
        return results
    return value


KERNELS = [
    Kernel("scaled_rows", [("mn", "f32", -99, 99), ("n", "f32", -99, 99)], ("mn", "f32"), ["  %p = arith.mulf %x0, %x1 : f32", "  %y = arith.subf %p, %x1 : f32"],
           lambda e, x, b: [v * w - w for row in rows(x, e["n"]) for v, w in zip(row, b)]),
    Kernel("wrapped_sums", [("mn", "i8", -128, 127), ("m", "i8", -128, 127)], ("mn", "i8"), ["  %y = arith.addi %x0, %x1 : i8"],
           lambda e, x, b: [(v + w + 128) % 256 - 128 for row, w in zip(rows(x, e["n"]), b) for v in row]),
    Kernel("transposed", [("mn", "f16", -99, 99)], ("nm", "f16"), ["  %y = arith.negf %x0 : f16"],
           lambda e, x: [-x[i * e["n"] + j] for j in range(e["n"]) for i in range(e["m"])]),
    Kernel("row_sums", [("mn", "f32", -9, 9)], ("m", "f32"), ["  %y = arith.addf %o, %x0 : f32"], reduced(lambda a, b: a + b, 0), "0.0"),
    Kernel("column_sums", [("mn", "f32", -9, 9)], ("n", "f32"), ["  %y = arith.addf %o, %x0 : f32"], reduced(lambda a, b: a + b, 0, True), "0.0"),
    # Of negative numbers padding by 0 is the largest, of positive ones the least, and of factors it makes 0.
    Kernel("row_maxima", [("mn", "f32", -99, -1)], ("m", "f32"), ["  %y = arith.maximumf %o, %x0 : f32"], reduced(max, float("-inf")), "0xFF800000"),
    Kernel("column_minima", [("mn", "i32", 1, 99)], ("n", "i32"), ["  %y = arith.minsi %o, %x0 : i32"], reduced(min, 2 ** 31 - 1, True), str(2 ** 31 - 1)),
    Kernel("row_signs", [("mn", "f32", -1, 1)], ("m", "f32"), ["  %z = arith.constant 0.0 : f32", "  %c = arith.cmpf oge, %x0, %z : f32",
           "  %l = arith.constant 1.0 : f32", "  %k = arith.constant -1.0 : f32", "  %t = arith.select %c, %l, %k : f32", "  %y = arith.mulf %o, %t : f32"],
           reduced(lambda a, b: a * (1 if b >= 0 else -1), 1), "1.0"),
    Kernel("product", [("mk", "f16", -3, 3), ("kn", "f16", -3, 3)], ("mn", "f32"), ["  %u = arith.extf %x0 : f16 to f32", "  %v = arith.extf %x1 : f16 to f32",
           "  %p = arith.mulf %u, %v : f32", "  %y = arith.addf %o, %p : f32"],
           lambda e, a, b: references.matmul(a, b, e["m"], e["n"], e["k"]) if e["k"] else [0] * (e["m"] * e["n"]), "0.0"),
]


def difference(found, wanted):
    if len(found) != len(wanted):
        return f"{len(found)} elements, not {len(wanted)}"
    return next((f"element {at} is {is_}, not {want}" for at, (is_, want) in enumerate(zip(found, wanted)) if is_ != want), None)


def whole(rng, count, operand):
    return [rng.randint(*operand[2:]) for _ in range(count)]


def runs_of(kernel, triple, form, chosen):
    extents = dict(zip("mnk", triple))
    label = f"{kernel.name}_{'x'.join(str(extents[loop]) for loop in kernel.loops())}_{form}"
    path = chosen.out / f"{label}.mlir"
    path.write_text(kernel.text(extents, form))
    rng = random.Random(label)
    arrays, flags = [], []
    for at, operand in enumerate(kernel.operands):
        sizes = shape(operand[0], extents)
        count = 1
        for size in sizes:
            count *= size
        arrays.append(whole(rng, count, operand))
        flags += ["--input", f"arg{at}={npy.write(chosen.out / f'{label}_arg{at}.npy', operand[1], sizes, arrays[-1])}"]
    wanted, element = kernel.value(extents, *arrays), kernel.out[1]

    def run(name, more, after=None, **about):
        out = chosen.out / f"{label}_{name}.npy"
        command = [chosen.distaff, "run", str(path), *more, *flags, "--output", f"res0={out}", "--check"]
        return suite.Run(f"{label}_{name}", command, after=lambda: difference(npy.read(out, element), wanted) or (after and after()), **about)

    def between_pages():
        numbers = [extents[loop] for operand in kernel.operands for loop in operand[0]] if form != "known" else []
        found, wrong = guarded.results(chosen.distaff, path, kernel.name, chosen.out / f"{label}_pages",
                                       [npy.to_bytes(values, operand[1]) for values, operand in zip(arrays, kernel.operands)],
                                       [len(wanted) * npy.size_of(element)], numbers)
        return wrong or difference(npy.from_bytes(found[0], element), wanted)

    for target in TARGETS:
        yield run(target, ["--target", target, "--every-stage"])
    yield run("ptx", ["--target", "sm_80", "--device", "ptx"], compares=False)
    yield run("pages", ["--target", "host", "--device", "host"], between_pages, compares=False)


# As many elements of a row of 128 as a number of the launch says, whatever it says. The rest of the rows of %y stays.
MASKED_VECTORS = """func.func @masked_vectors(%x: memref<6x128xf32>, %y: memref<6x128xf32>, %z: memref<6xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c128 = arith.constant 128 : index
  %pad = arith.constant 0.0 : f32
  %least = arith.constant dense<0xFF800000> : vector<2xf32>
  %m = arith.minui %n, %c128 : index
  scf.forall (%t) in (3) {
    %i = arith.muli %t, %c2 : index
    %mask = vector.create_mask %c2, %m : vector<2x128xi1>
    %v = vector.transfer_read %x[%i, %c0], %pad, %mask {in_bounds = [true, true]} : memref<6x128xf32>, vector<2x128xf32>
    %w = arith.addf %v, %v : vector<2x128xf32>
    vector.transfer_write %w, %y[%i, %c0], %mask {in_bounds = [true, true]} : vector<2x128xf32>, memref<6x128xf32>
    %r = vector.mask %mask { vector.multi_reduction <maximumf>, %v, %least [1] : vector<2x128xf32> to vector<2xf32> } : vector<2x128xi1> -> vector<2xf32>
    vector.transfer_write %r, %z[%i] {in_bounds = [true]} : vector<2xf32>, memref<6xf32>
  } {mapping = [#gpu.block<x>]}
  return
}
"""
MASKED_POSITIONS = """func.func @masked_positions(%x: tensor<6x128xf32>, %n: index) -> tensor<6xf32> {
  %least = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<6xf32>
  %f = linalg.fill ins(%least : f32) outs(%e : tensor<6xf32>) -> tensor<6xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<6x128xf32>) outs(%f : tensor<6xf32>) {
  ^bb0(%a: f32, %o: f32):
    %j = linalg.index 1 : index
    %in = arith.cmpi ult, %j, %n : index
    %v = arith.select %in, %a, %least : f32
    %y = arith.maximumf %o, %v : f32
    linalg.yield %y : f32 } -> tensor<6xf32>
  return %r : tensor<6xf32>
}
"""


def masked(chosen):
    rng = random.Random(118)
    numbers = [rng.randint(-99, -1) for _ in range(6 * 128)]
    poison = [rng.randint(1000, 2000) for _ in range(6 * 128)]
    npy.write(chosen.out / "x.npy", "f32", (6, 128), numbers)
    npy.write(chosen.out / "y.npy", "f32", (6, 128), poison)
    for name, text in (("masked_vectors", MASKED_VECTORS), ("masked_positions", MASKED_POSITIONS)):
        path = chosen.out / f"{name}.mlir"
        path.write_text(text)
        for count in (0, 1, 33, 63, 127, 128, 1000):
            maxima = [max(row[:count], default=float("-inf")) for row in rows(numbers, 128)]
            doubled = [2 * value if at % 128 < count else old for at, (value, old) in enumerate(zip(numbers, poison))]
            for target in (*TARGETS, "host", "ptx"):
                yield masked_run(chosen, path, count, target, maxima, doubled)


def masked_run(chosen, path, count, target, maxima, doubled):
    base = chosen.out / f"{path.stem}_{count}_{target}"
    file = lambda name: base.with_name(f"{base.name}_{name}.npy")
    target_flags = {"ptx": ["--target", "sm_80", "--device", "ptx"], "host": ["--target", "host", "--device", "host"]}
    command = [chosen.distaff, "run", str(path), *target_flags.get(target, ["--target", target, "--every-stage"]), "--check", "--input", f"arg0={chosen.out}/x.npy"]
    if path.stem == "masked_vectors":
        command += ["--input", f"arg1={chosen.out}/y.npy", "--input", f"arg3={count}", "--output", f"arg1={file('y')}", "--output", f"arg2={file('z')}"]
        after = lambda: difference(npy.read(file("y"), "f32"), doubled) or difference(npy.read(file("z"), "f32"), maxima)
    else:
        command += ["--input", f"arg1={count}", "--output", f"res0={file('z')}"]
        after = lambda: difference(npy.read(file("z"), "f32"), maxima)
    return suite.Run(base.name, command, after=after, compares=target not in target_flags)


def all_runs(chosen):
    for kernel in KERNELS:
        for triple in EXTENTS:
            for form in ("known", "unknown", "bounded"):
                yield from runs_of(kernel, triple, form, chosen)
    yield from masked(chosen)


if __name__ == "__main__":
    chosen = suite.options()
    suite.main(list(all_runs(chosen)), chosen, one_in=29)
