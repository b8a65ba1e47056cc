"""Products of quantized numbers, whose zero points are taken off beside the product.

    python3 zero_points.py OUT_DIR [--only NAME] [--distaff PATH]

Named ops and generic ones, zero points of a tensor, of a row or a column, of one side or both, constant or passed, with elements with
a sign and without, in sums that wrap. Each runs on GPUs' machine at every stage and on this CPU, and must be exact; the plan must
have an instruction for the product.
"""
import dataclasses
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import suite

# Whether there is an instruction that pays is asked of a level of the CPU that the test names, and not of the CPU at hand: at others
# some of these are cheaper without.
PLANNED = {"host": "host:avx2"}
INSTRUCTIONS = {"sm_80": r"m\d+n\d+k\d+ [iu]8", "gfx942": r"m\d+n\d+k\d+ i8", "host": r"products \(line"}


def named(op, a, b, c, extra=""):
    return f"""func.func @k(%a: tensor<{a}>, %b: tensor<{b}>, %z: i32, %w: i32, %c: tensor<{c}>) -> tensor<{c}> {{
  %r = linalg.{op} {extra} ins(%a, %b, %z, %w : tensor<{a}>, tensor<{b}>, i32, i32) outs(%c : tensor<{c}>) -> tensor<{c}>
  return %r : tensor<{c}>
}}
"""


@dataclasses.dataclass
class Generic:
    """c[m, n] + sum over k of (a[m, k] - z)(b[k, n] - w); where each zero point is: "s"calar, "r"ow m, "c"olumn n, "7" or "0" in the body, or absent."""
    m: int
    n: int
    k: int
    z: str = ""
    w: str = ""
    element: str = "i8"
    sum: str = "i32"
    unsigned: str = ""  # of a, b
    dynamic: bool = False
    swapped: bool = False  # b first
    narrow: bool = False  # zero points are of the elements' type, and extended with them
    start: str = "%c"

    def text(self):
        size = lambda dims: "".join(("?" if self.dynamic else str(getattr(self, d))) + "x" for d in dims)
        a, b, c = f"tensor<{size('mk')}{self.element}>", f"tensor<{size('kn')}{self.element}>", f"tensor<{size('mn')}{self.sum}>"
        of = self.element if self.narrow else self.sum
        kinds = {"s": ("", of), "r": ("m", f"tensor<{size('m')}{of}>"), "c": ("n", f"tensor<{size('n')}{of}>")}
        passed = [(x, *kinds[kind]) for x, kind in (("z", self.z), ("w", self.w)) if kind in kinds and kind]
        maps = ["(m, n, k) -> (m, k)", "(m, n, k) -> (k, n)"] + [f"(m, n, k) -> ({dims})" for _, dims, _ in passed] + ["(m, n, k) -> (m, n)"]
        body, factors = "", {}
        for x, name, kind in (("x", "z", self.z), ("y", "w", self.w)):
            extend = "arith.extui" if {"x": "a", "y": "b"}[x] in self.unsigned else "arith.extsi"
            body += f"    %{x}e = {extend} %{x} : {self.element} to {self.sum}\n"
            factors[x] = f"%{x}e"
            if not kind:
                continue
            zero = f"%{name}i"
            if kind in "70":
                body += f"    {zero} = arith.constant {kind} : {self.sum}\n"
            elif self.narrow:
                body += f"    %{name}w = {extend} %{name}i : {self.element} to {self.sum}\n"
                zero = f"%{name}w"
            body += f"    %{x}d = arith.subi %{x}e, {zero} : {self.sum}\n"
            factors[x] = f"%{x}d"
        order = ("y", "x") if self.swapped else ("x", "y")
        arguments = "".join(f", %{x}: {type}" for x, _, type in passed)
        operands = "".join(f", %{x}" for x, _, _ in passed), "".join(f", {type}" for _, _, type in passed)
        block = "".join(f", %{x}i: {of}" for x, _, _ in passed)
        return f"""func.func @k(%a: {a}, %b: {b}, %c: {c}{arguments}) -> {c} {{
  %r = linalg.generic {{indexing_maps = [{", ".join(f"affine_map<{text}>" for text in maps)}], iterator_types = ["parallel", "parallel", "reduction"]}}
      ins(%a, %b{operands[0]} : {a}, {b}{operands[1]}) outs(%c : {c}) {{
  ^bb0(%x: {self.element}, %y: {self.element}{block}, %o: {self.sum}):
{body}    %p = arith.muli {factors[order[0]]}, {factors[order[1]]} : {self.sum}
    %s = arith.addi %o, %p : {self.sum}
    linalg.yield %s : {self.sum}
  }} -> {c}
  return %r : {c}
}}
"""

    def shapes(self):
        if not self.dynamic:
            return []
        flags = [f"arg0={self.m}x{self.k}", f"arg1={self.k}x{self.n}", f"arg2={self.m}x{self.n}"]
        flags += [f"arg{3 + i}={getattr(self, 'm' if kind == 'r' else 'n')}" for i, kind in enumerate(x for x in (self.z, self.w) if x and x in "src")
                  if kind in "rc"]
        return [word for flag in flags for word in ("--shape", flag)]


KERNELS = {
    "matmul": named("quantized_matmul", "64x96xi8", "96x80xi8", "64x80xi32"),
    "batch_matmul": named("quantized_batch_matmul", "3x40x33xi8", "3x33x48xi8", "3x40x48xi32"),
    "convolution": named("conv_2d_nhwc_hwcf_q", "2x9x11x16xi8", "3x3x16x32xi8", "2x7x9x32xi32",
                         "{dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}"),
    "both": Generic(67, 73, 131, "s", "s"), "left": Generic(64, 64, 64, "s"), "right": Generic(61, 59, 128, "", "s"),
    "of_rows": Generic(70, 65, 96, "r"), "of_columns": Generic(48, 80, 100, "", "c"), "of_both": Generic(72, 40, 64, "r", "c"),
    "across": Generic(65, 66, 64, "c", ""), "rows_and_all": Generic(33, 64, 160, "r", "s"), "constants": Generic(80, 64, 65, "7", "7"),
    "constant": Generic(64, 96, 64, "7", "s"), "unsigned": Generic(64, 72, 64, "s", "s", unsigned="ab"),
    "mixed": Generic(96, 64, 63, "s", "c", unsigned="ab", swapped=True), "narrow": Generic(65, 67, 69, "s", "s", narrow=True),
    "narrow_unsigned": Generic(64, 64, 80, "r", "c", narrow=True, unsigned="ab"), "swapped": Generic(40, 96, 64, "s", "c", swapped=True),
    "dynamic": Generic(51, 62, 73, "s", "s", dynamic=True), "dynamic_columns": Generic(64, 50, 47, "r", "c", dynamic=True)}
# No instruction has elements of these, or sums.
WIDE = {"wide": Generic(16, 24, 40, "s", "s", element="i16", sum="i64"), "narrow_sums": Generic(24, 16, 40, "s", "s", sum="i16")}
# Those of 0 are none, in the body or passed.
NONE = {"none": Generic(64, 72, 64, "0", "0"), "one": Generic(64, 72, 64, "s", "0"), "other": Generic(64, 72, 64, "0", "c"),
        "passed": KERNELS["matmul"].replace("%z: i32, %w: i32, ", "").replace("{\n", "{\n  %z = arith.constant 0 : i32\n  %w = arith.constant 0 : i32\n", 1)}
# One that depends on the other side's rows is taken off where it is, beside one of the other side; so are those of few rows, or columns.
IN_ONE = {"crossed": Generic(20, 21, 22, "s", "r"), "few_rows": Generic(3, 64, 64, "s", "s"), "few_columns": Generic(64, 7, 64, "s", "s")}


def plan_of(name, target, unsigned):
    """What says of a kernel's plan that it lacks an instruction, or has launches of its own for what is one."""
    has = INSTRUCTIONS[target]
    # Of gfx942 only bytes with a sign. Nor has the convolution without zero points any there, or on a CPU.
    if name not in {**KERNELS, **NONE} or target != "sm_80" and name == "convolution" or target == "gfx942" and unsigned:
        has = ""

    def judge(text):
        most = 1 if name in IN_ONE or name in ("none", "passed") else 2
        launches = int(found[1]) if (found := re.search(r"launches of @k: (\d+) launches", text)) else 1
        if launches > most and name in {**NONE, **IN_ONE}:
            return f"{launches} launches, and needs {most}\n{text[:1500]}"
        return "" if re.search(has, text) else f"no {has} in\n{text[:1500]}"
    return judge


def runs(chosen):
    for name, kernel in {**KERNELS, **NONE, **WIDE, **IN_ONE}.items():
        text, shapes = (kernel, []) if isinstance(kernel, str) else (kernel.text(), kernel.shapes())
        for target in INSTRUCTIONS:
            path = chosen.out / f"{name}_{target}.mlir"
            path.write_text(text)
            explain = [chosen.distaff, "explain", str(path), "--target", PLANNED.get(target, target)]
            plan = plan_of(name, target, getattr(kernel, "unsigned", ""))
            command = [chosen.distaff, "run", str(path), "--target", target, "--check", *shapes]
            if target == "host":
                yield suite.Run(path.stem, [*command, "--device", "host", "--threads", "2"], before=(explain, plan), compares=False)
            else:
                yield suite.Run(path.stem, [*command, "--every-stage"], before=(explain, plan), exact=True)


if __name__ == "__main__":
    options = suite.options()
    suite.main(list(runs(options)), options, one_in=11)
