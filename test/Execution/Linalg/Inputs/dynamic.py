"""Contractions on dynamic extents, for extents around those of the tiles.

usage: dynamic.py OUT_DIR [--sweep FIRST:LAST] [options of suite.py]

A kernel is compiled for extents that nobody knows, and run for some: every stage
against the source, and the emitted PTX on the second machine. Accesses beyond an
extent are faults there, so that padding is never data. `--sweep` takes the triples
(m, n, k) of EXTENTS by number, with a seed each; without it FEW are run.
"""
import itertools
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import npy
import suite

TARGETS = ("sm_80", "sm_90a", "gfx942")
EXTENTS = (1, 17, 64, 129, 300)
SWEEP = list(itertools.product(EXTENTS, repeat=3))
FEW = [(1, 1, 1), (17, 33, 65), (64, 64, 64), (129, 17, 1), (65, 130, 31), (1, 300, 17)]


class Kernel:
    """A linalg.generic of two tensors, which are given by the loops along them, such as "mk".

    `static` gives loops a constant extent: {"k": 64}. What the sums start from is a
    number, or None for an argument.
    """

    def __init__(self, name, lhs="mk", rhs="kn", out="mn", types=("f16", "f16", "f32"), static=None, start=0, config=None):
        self.name, self.operands, self.types = name, (lhs, rhs, out), types
        self.loops = "".join(dict.fromkeys(out + lhs + rhs))
        self.static, self.start, self.config = static or {}, start, config

    def tensor(self, operand):
        extents = (str(self.static.get(loop, "?")) + "x" for loop in self.operands[operand])
        return f"tensor<{''.join(extents)}{self.types[operand]}>"

    def text(self):
        lhs, rhs, out = map(self.tensor, range(3))
        acc = self.types[2]
        kind = "f" if "f" in acc else "i"
        maps = ", ".join(f"affine_map<({', '.join(self.loops)}) -> ({', '.join(operand)})>" for operand in self.operands)
        iterators = ", ".join(f'"{"parallel" if loop in self.operands[2] else "reduction"}"' for loop in self.loops)
        lines = []
        if self.start is None:
            begin = "%start"
        else:
            sizes = []
            for at, loop in enumerate(self.operands[2]):
                if loop in self.static:
                    continue
                source = 0 if loop in self.operands[0] else 1
                lines += [f"%c{at} = arith.constant {self.operands[source].index(loop)} : index",
                          f"%d{at} = tensor.dim %{'ab'[source]}, %c{at} : {self.tensor(source)}"]
                sizes.append(f"%d{at}")
            value = f"{float(self.start)}" if kind == "f" else f"{self.start}"
            lines += [f"%value = arith.constant {value} : {acc}", f"%e = tensor.empty({', '.join(sizes)}) : {out}",
                      f"%f = linalg.fill ins(%value : {acc}) outs(%e : {out}) -> {out}"]
            begin = "%f"
        config = f", lowering_config = #iree_gpu.lowering_config<{self.config}>" if self.config else ""
        body = []
        for name, element in zip("xy", self.types):
            extend = "arith.extf" if kind == "f" else "arith.extsi"
            body.append(f"%{name}e = {extend} %{name} : {element} to {acc}" if element != acc else "")
        names = [f"%{name}e" if element != acc else f"%{name}" for name, element in zip("xy", self.types)]
        lines += [f"%r = linalg.generic {{indexing_maps = [{maps}], iterator_types = [{iterators}]{config}}}",
                  f"    ins(%a, %b : {lhs}, {rhs}) outs({begin} : {out}) {{",
                  f"^bb0(%x: {self.types[0]}, %y: {self.types[1]}, %s: {acc}):", *filter(None, body),
                  f"  %p = arith.mul{kind} {', '.join(names)} : {acc}", f"  %q = arith.add{kind} %s, %p : {acc}",
                  f"  linalg.yield %q : {acc}", f"}} -> {out}", f"return %r : {out}"]
        start = f", %start: {out}" if self.start is None else ""
        return f"func.func @{self.name}(%a: {lhs}, %b: {rhs}{start}) -> {out} {{\n  " + "\n  ".join(lines) + "\n}\n"

    def flags(self, extents, seed):
        """--shape and --input of every argument; small numbers, so that bounds stay narrow."""
        flags = []
        for number in range(3 if self.start is None else 2):
            shape = [self.static.get(loop, extents[loop]) for loop in self.operands[number]]
            if any(loop not in self.static for loop in self.operands[number]):
                flags += ["--shape", f"arg{number}={'x'.join(map(str, shape))}"]
            kind = "random" if "f" in self.types[number] else "whole"
            flags += ["--input", f"arg{number}={kind}:{seed + number}:1:3"]
        return flags


KERNELS = [
    Kernel("matmul"),
    Kernel("transposed_rhs", rhs="nk"),
    Kernel("transposed_result", out="nm", types=("bf16", "bf16", "f32")),
    Kernel("integers", types=("i8", "i8", "i32")),
    Kernel("no_instruction", types=("f32", "f32", "f32")),
    Kernel("accumulates", start=None),
    Kernel("starts_from_a_number", start=1.5),
    Kernel("static_k", static={"k": 48}),
    Kernel("static_m_and_k", static={"m": 33, "k": 7}),
    Kernel("only_k_is_dynamic", static={"m": 64, "n": 32}),
    Kernel("batches", "bmk", "bkn", "bmn"),
    # Four loops share the three dimensions of a grid.
    Kernel("batches_of_batches", "bcmk", "cbkn", "bcmn"),
    Kernel("two_loops_of_k", "mkl", "lkn"),
    Kernel("tiles_of_the_user", config="{workgroup = [48, 20, 0], reduction = [0, 0, 12]}"),
    # Static extents are cut where the user's tiles do not divide them.
    Kernel("static_rests", static={"m": 100, "n": 70, "k": 50}, config="{workgroup = [48, 32, 0], reduction = [0, 0, 16]}"),
    Kernel("static_and_dynamic_rests", static={"m": 33, "k": 50}, config="{workgroup = [16, 32, 0], reduction = [0, 0, 16]}"),
    # One workgroup has more than the whole result.
    Kernel("tiles_beyond_the_extents", config="{workgroup = [128, 64, 0], reduction = [0, 0, 64]}"),
]


def extents_of(m, n, k):
    return {"m": m, "n": n, "k": k, "b": 3, "c": 2, "l": 5}


def write(kernel, out):
    path = out / f"{kernel.name}.mlir"
    path.write_text(kernel.text())
    return path


def runs_of(kernel, triple, seed, chosen, targets=TARGETS):
    path = write(kernel, chosen.out)
    flags = kernel.flags(extents_of(*triple), seed)
    label = f"{kernel.name} {'x'.join(map(str, triple))}"
    for target in targets:
        command = [chosen.distaff, "run", str(path), "--target", target, "--check"]
        yield suite.Run(f"{label} {target}", [*command, "--every-stage", *flags])
        if target == "sm_80":
            yield suite.Run(f"{label} ptx", [*command, "--device", "ptx", *flags], compares=False)


def sums_of_nothing(chosen):
    """With k = 0 the result is what the sums start from."""
    for name in ("matmul", "starts_from_a_number", "accumulates"):
        kernel = next(kernel for kernel in KERNELS if kernel.name == name)
        yield from runs_of(kernel, (17, 65, 0), 3, chosen)


def infinities(chosen):
    """An infinity in the last row, column and step of k meets padding, which makes NaN of it in no element that is stored."""
    m, n, k = 17, 33, 19
    lhs, rhs = [0.5] * (m * k), [0.25] * (k * n)
    lhs[-1], lhs[3], rhs[-1], rhs[5] = float("inf"), float("-inf"), float("inf"), float("-inf")
    a, b = npy.write(chosen.out / "a.npy", "f16", (m, k), lhs), npy.write(chosen.out / "b.npy", "f16", (k, n), rhs)
    path = write(KERNELS[0], chosen.out)
    for target in TARGETS:
        for device in ("simt", "ptx") if target == "sm_80" else ("simt",):
            yield suite.Run(f"infinities {target} {device}", [chosen.distaff, "run", str(path), "--target", target, "--device", device, "--check",
                            "--input", f"arg0={a}", "--input", f"arg1={b}"], compares=False)


WRITTEN_LOOP = """func.func @written_loop(%a: memref<?xf32>, %b: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %n = memref.dim %a, %c0 : memref<?xf32>
  %tiles = arith.ceildivui %n, %c64 : index
  scf.forall (%i) in (%tiles) {
    %at = arith.muli %i, %c64 : index
    %v = vector.transfer_read %a[%at], %zero : memref<?xf32>, vector<64xf32>
    %w = arith.addf %v, %v : vector<64xf32>
    vector.transfer_write %w, %b[%at] : vector<64xf32>, memref<?xf32>
  } {mapping = [#gpu.block<x>]}
  return
}
"""


def written_loops(chosen):
    """Vectors on memrefs may stick out, in as many workgroups as the author's loop has."""
    path = chosen.out / "written_loop.mlir"
    path.write_text(WRITTEN_LOOP)
    for extent in (1, 63, 64, 200):
        flags = ["--shape", f"arg0={extent}", "--shape", f"arg1={extent}"]
        for target in TARGETS:
            yield suite.Run(f"written_loop {extent} {target}", [chosen.distaff, "run", str(path), "--target", target, "--check", "--every-stage", *flags])
        yield suite.Run(f"written_loop {extent} ptx", [chosen.distaff, "run", str(path), "--target", "sm_80", "--device", "ptx", "--check", *flags],
                        compares=False)


def all_runs(chosen, sweep):
    if sweep is not None:
        for number in sweep:
            yield from runs_of(KERNELS[0], SWEEP[number], number, chosen)
        return
    for number, triple in enumerate(FEW):
        yield from runs_of(KERNELS[0], triple, number, chosen)
    for number, kernel in enumerate(KERNELS[1:]):
        for triple in (FEW[1 + number % 5], (2, 9, 70)):
            yield from runs_of(kernel, triple, number, chosen, TARGETS[number % 2::2])
    yield from sums_of_nothing(chosen)
    yield from infinities(chosen)
    yield from written_loops(chosen)


if __name__ == "__main__":
    sweep = suite.taken("--sweep")
    chosen = suite.options()
    suite.main(list(all_runs(chosen, sweep)), chosen, one_in=9)
