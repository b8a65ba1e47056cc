"""Products in registers that hold matrices, which this machine may lack.

    python3 matrices.py OUT_DIR [--only NAME] [--distaff PATH]

Kernels are compiled for the levels of the instruction set that have AMX, which is emulated (emulation.py). Results must equal sums
that Python computes, of integers that wrap, of floats of whole numbers that are exact in f32.
"""
import array
import ctypes
import dataclasses
import itertools
import pathlib
import random
import re
import struct
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import depth
import suite

from emulation import build

INTEGERS = {"": "tdpbssd", "a": "tdpbusd", "b": "tdpbsud", "ab": "tdpbuud"}
UNTOUCHED = 12345  # in results before a call
FLOATS = {"bf16": "tdpbf16ps", "f16": "tdpfp16ps"}


@dataclasses.dataclass
class Case:
    element: str
    m: int
    n: int
    k: int
    unsigned: str = ""  # operands without a sign
    columns: str = ""  # operands with their steps in columns of memory, a from the start and b not
    batch: int = 0
    dynamic: bool = False
    epilogue: bool = False  # twice the sum, less one
    level: str = "amx"
    swapped: bool = False  # the product has the right side first

    @property
    def name(self):
        words = [self.level, self.element, self.unsigned or "signed", f"{self.m}x{self.n}x{self.k}"]
        words += [f"columns_{self.columns}"] if self.columns else []
        words += [f"batch{self.batch}"] if self.batch else []
        return "_".join(words + [word for word in ("dynamic", "epilogue", "swapped") if getattr(self, word)])

    @property
    def instruction(self):
        return INTEGERS[self.unsigned] if self.element == "i8" else FLOATS[self.element]

    def order(self):
        """The loops along each operand's dims, but for a batch."""
        return {"a": "km" if "a" in self.columns else "mk", "b": "nk" if "b" in self.columns else "kn", "c": "mn"}

    def kernel(self):
        """The program: c[m, n] + sum over k of a[m, k] * b[k, n], with the operands as they lie in memory."""
        acc, f = ("i32", "i") if self.element == "i8" else ("f32", "f")
        extend = {x: "arith.extf" if f == "f" else "arith.extui" if x in self.unsigned else "arith.extsi" for x in "ab"}
        order = self.order()
        extent = {x: "?" if self.dynamic else str(getattr(self, x)) for x in "mnk"}
        if self.batch:
            order = {x: "z" + dims for x, dims in order.items()}
            extent["z"] = str(self.batch)
        loops = ("z" if self.batch else "") + "mnk"
        types = {x: f"tensor<{''.join(extent[d] + 'x' for d in order[x])}{acc if x == 'c' else self.element}>" for x in "abc"}
        maps = ", ".join(f"affine_map<({', '.join(loops)}) -> ({', '.join(order[x])})>" for x in "abc")
        iterators = ", ".join('"reduction"' if d == "k" else '"parallel"' for d in loops)
        factors = "%w, %v" if self.swapped else "%v, %w"
        text = f"""func.func @k(%a: {types["a"]}, %b: {types["b"]}, %c: {types["c"]}) -> {types["c"]} {{
  %r = linalg.generic {{indexing_maps = [{maps}], iterator_types = [{iterators}]}} ins(%a, %b : {types["a"]}, {types["b"]}) outs(%c : {types["c"]}) {{
  ^bb0(%x: {self.element}, %y: {self.element}, %s: {acc}):
    %v = {extend["a"]} %x : {self.element} to {acc}
    %w = {extend["b"]} %y : {self.element} to {acc}
    %p = arith.mul{f} {factors} : {acc}
    %t = arith.add{f} %s, %p : {acc}
    linalg.yield %t : {acc}
  }} -> {types["c"]}
"""
        if not self.epilogue:
            return text + f"  return %r : {types['c']}\n}}\n"
        one = "1.0" if f == "f" else "1"
        plain = f"affine_map<({', '.join(order['c'])}) -> ({', '.join(order['c'])})>"
        return text + f"""  %one = arith.constant {one} : {acc}
  %e = linalg.generic {{indexing_maps = [{plain}, {plain}], iterator_types = [{', '.join(['"parallel"'] * len(order["c"]))}]}}
      ins(%r : {types["c"]}) outs(%c : {types["c"]}) {{
  ^bb0(%x: {acc}, %o: {acc}):
    %d = arith.add{f} %x, %x : {acc}
    %u = arith.sub{f} %d, %one : {acc}
    linalg.yield %u : {acc}
  }} -> {types["c"]}
  return %e : {types["c"]}
}}
"""


# Whole tiles, cut ones in each direction, steps that end within a word and within a row of 16 of them, several blocks of steps.
CASES = [Case("i8", 64, 96, 128), Case("i8", 70, 101, 45, "a"), Case("i8", 97, 66, 131, "b", "b"), Case("i8", 65, 130, 67, "ab", "a"),
         Case("i8", 96, 64, 1601, "a", "ab"), Case("i8", 70, 101, 77, "b", batch=3), Case("i8", 81, 99, 203, dynamic=True),
         Case("i8", 66, 70, 90, "a", epilogue=True), Case("i8", 70, 67, 70, "b", swapped=True), Case("i8", 40, 300, 64, "a"),
         Case("i8", 300, 40, 61, "b"), Case("bf16", 64, 64, 64), Case("bf16", 67, 103, 45), Case("bf16", 98, 65, 801, columns="b"),
         Case("bf16", 69, 77, 83, columns="a", epilogue=True), Case("bf16", 70, 71, 72, dynamic=True), Case("bf16", 65, 66, 33, batch=2),
         Case("f16", 67, 103, 45, level="amxfp16"), Case("f16", 98, 65, 161, columns="ab", level="amxfp16"),
         Case("i8", 65, 66, 80, "ab", level="amxfp16")]


def bits_of(element, number):
    if element == "i8":
        return number & 255
    return struct.unpack("<H", struct.pack("<e", number))[0] if element == "f16" else struct.unpack("<I", struct.pack("<f", number))[0] >> 16


def data(case, rng):
    """Buffers and extents to call a case's function with, and the sums that it is to write."""
    bounds = {x: (0, 255) if x in case.unsigned else (-128, 127) if case.element == "i8" else (-9, 9) for x in "ab"}

    def numbers(count, low, high):
        return [rng.choice((low, high, rng.randint(low, high), rng.randint(low, high))) for _ in range(count)]

    m, n, k, batches = case.m, case.n, case.k, case.batch or 1
    a, b = numbers(batches * m * k, *bounds["a"]), numbers(batches * k * n, *bounds["b"])
    c = numbers(batches * m * n, -1000, 1000)
    sums = []
    for z in range(batches):
        rows = [[a[z * m * k + (x * m + i if "a" in case.columns else i * k + x)] for x in range(k)] for i in range(m)]
        columns = [[b[z * k * n + (j * k + x if "b" in case.columns else x * n + j)] for x in range(k)] for j in range(n)]
        for i, j in itertools.product(range(m), range(n)):
            sum_of = c[(z * m + i) * n + j] + sum(map(int.__mul__, rows[i], columns[j]))
            sums.append(2 * sum_of - 1 if case.epilogue else sum_of)
    kind, sums_kind = ("B", "i") if case.element == "i8" else ("H", "f")
    buffers = [array.array(kind, [bits_of(case.element, x) for x in each]) for each in (a, b)]
    buffers += [array.array(sums_kind, c), array.array(sums_kind, [UNTOUCHED] * len(sums))]
    extents = [getattr(case, d) for x in "abc" for d in case.order()[x]] if case.dynamic else []
    return buffers, extents, sums


def call(function, buffers, extents):
    return function(*[ctypes.c_void_p(each.buffer_info()[0]) for each in buffers], *map(ctypes.c_int64, extents), None)


def compare(case, status, result, sums):
    wrong = [i for i, (x, y) in enumerate(zip(result, sums)) if x != y]
    if status == 0 and not wrong:
        return None
    seen = f", at {divmod(wrong[0], case.n)} {result[wrong[0]]} for {sums[wrong[0]]}" if wrong else ""
    return f"{case.name}: returned {status}, {len(wrong)} of {len(sums)} differ{seen}"


def check(chosen, case, rng):
    function, found = build(chosen, case.name, case.level, case.kernel())
    if case.instruction not in found:
        return f"{case.name}: no {case.instruction} among {sorted(found)}"
    buffers, extents, sums = data(case, rng)
    return compare(case, call(function, buffers, extents), buffers[3], sums)


def check_lent(chosen, case, rng):
    """The function as it is: it asks the system for the registers, and writes nothing where there are none."""
    source, compiled, shared = (chosen.out / f"lent{suffix}" for suffix in (".mlir", ".o", ".so"))
    source.write_text(case.kernel())
    subprocess.run([chosen.distaff, "compile", str(source), "--target", f"host:{case.level}", "--emit", "obj", "-o", str(compiled)], check=True)
    subprocess.run(["cc", "-shared", str(compiled), "-o", str(shared), "-lm"], check=True)
    buffers, extents, sums = data(case, rng)
    status = call(ctypes.CDLL(str(shared)).k, buffers, extents)
    # ARCH_REQ_XCOMP_PERM of XFEATURE_XTILEDATA: the system has them, and lends them.
    if "amx_int8" in pathlib.Path("/proc/cpuinfo").read_text() and ctypes.CDLL(None).syscall(158, 0x1023, 18) == 0:
        return compare(case, status, buffers[3], sums)
    if status == -1 and set(buffers[3]) == {UNTOUCHED}:
        return None
    return f"{case.name}: returned {status} where there are no such registers"


# Products of which a tile of matrices is chosen if they are packed for it, and only then: larger tiles than vectors hold would be
# put on the stack. The operands, what is made of them before the product, which of them is then %l, in the product's body, and
# whether there are matrices.
FORMS = {
    "weights": ("%a: tensor<70x80xi8>", f"%b = arith.constant dense<{[[(7 * i + 5 * j) % 251 - 125 for j in range(101)] for i in range(80)]}> : tensor<80x101xi8>", "%a", "70x80xi8", True),
    "slice": ("%whole: tensor<90x99xi8>, %b: tensor<80x101xi8>", "%a = tensor.extract_slice %whole[3, 5] [70, 80] [1, 1] : tensor<90x99xi8> to tensor<70x80xi8>",
              "%a", "70x80xi8", False),
    "cut": ("%whole: tensor<3x70x80xi8>, %b: tensor<80x101xi8>",
            "%a = tensor.extract_slice %whole[1, 0, 0] [1, 70, 80] [1, 1, 1] : tensor<3x70x80xi8> to tensor<70x80xi8>", "%a", "70x80xi8", False),
    "computed": ("%a: tensor<70x80xi8>, %b: tensor<80x101xi8>", "%d = arith.addi %a, %a : tensor<70x80xi8>", "%d", "70x80xi8", False),
    "converted": ("%a: tensor<70x80xf32>, %b: tensor<80x101xbf16>", "", "%a", "70x80xf32", False),
    "one_row": ("%a: tensor<16x80xi8>, %b: tensor<80x101xi8>", "", "%a", "16x80xi8", False)}


def check_form(chosen, name):
    """The choice against the code."""
    arguments, before, left, type, has = FORMS[name]
    rows, element, f = type.split("x")[0], type.split("x")[2], "f" if "f" in type else "i"
    acc, other = ("f32", "bf16") if f == "f" else ("i32", "i8")
    body = "%h = arith.truncf %x : f32 to bf16\n    %v = arith.extf %h : bf16 to f32" if f == "f" else "%v = arith.extsi %x : i8 to i32"
    c = f"tensor<{rows}x101x{acc}>"
    path = chosen.out / f"form_{name}.mlir"
    path.write_text(f"""func.func @k({arguments}, %c: {c}) -> {c} {{
  {before}
  %r = linalg.generic {{indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]}} ins({left}, %b : tensor<{type}>, tensor<80x101x{other}>) outs(%c : {c}) {{
  ^bb0(%x: {element}, %y: {other}, %s: {acc}):
    {body}
    %w = arith.ext{"f" if f == "f" else "si"} %y : {other} to {acc}
    %p = arith.mul{f} %v, %w : {acc}
    %t = arith.add{f} %s, %p : {acc}
    linalg.yield %t : {acc}
  }} -> {c}
  return %r : {c}
}}
""")
    said, code = (subprocess.run([chosen.distaff, *words], capture_output=True, text=True, check=True).stdout
                  for words in (["explain", str(path), "--target", "host:amx"],
                                ["compile", str(path), "--target", "host:amx", "--emit", "llvm", "-o", "-"]))
    isChosen, isThere = (bool(re.search(*where)) for where in ((r"tile sizes .*?: tile [\dx]+, tdp", said), ("llvm.x86.tdp", code)))
    if (isChosen, isThere) == (has, has):
        return None
    return f"{name}: matrices are {'' if isChosen else 'not '}chosen, {'' if isThere else 'not '}in the code, and should {'' if has else 'not '}be"


def main():
    chosen = suite.options()
    rng = random.Random(7)
    cases = [case for case in CASES if not chosen.only or chosen.only in case.name]
    for case in cases:
        (chosen.out / f"{case.name}.mlir").write_text(case.kernel())
    runs = [lambda case=case: check(chosen, case, rng) for case in depth.some(cases, 7)]
    runs += [lambda name=name: check_form(chosen, name) for name in FORMS]
    runs += [lambda: check_lent(chosen, CASES[0], rng)]
    failures = [failure for run in runs if (failure := run())]
    print("\n".join(failures + [f"{len(runs) - len(failures)} right, {len(failures)} wrong of {len(runs)}"]))
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
