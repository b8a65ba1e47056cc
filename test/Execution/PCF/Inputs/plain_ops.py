"""Plain ops of a group, outside of phases, that need whole what others share out: random
programs of products, sums and maxima along rows and columns, transposes and ops on
elements, on square matrices of whole numbers. Each is written three ways,

    group    the ops of a workgroup's subgroups
    loop     the same, with a loop around the latter half that carries a matrix and a row
    workers  the ops of each subgroup, on rows of its own

with extents that are known or that only the run knows, and gives two results. Values are
compared with what Python computes, after every stage by the SIMT machine, and by the PTX
machine for sm_80.

    python3 plain_ops.py OUT_DIR [--seeds FIRST:LAST] [options of suite.py]
"""
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import npy
import suite

TARGETS = {"sm_80": 32, "gfx942": 64, "gfx1100": 32}
SUBGROUPS = 4
WAYS = ("group", "loop", "workers")
EXTENTS = (16, 8, 5, 1, 32, 12)


def wrap(number):
    return (number + 2**31) % 2**32 - 2**31


def square(function, n):
    return [[wrap(function(i, j)) for j in range(n)] for i in range(n)]


class Program:
    """Steps (result, op, operands) on matrices; those of the latter half are repeated `n` times in a loop."""

    def __init__(self, seed):
        rng = random.Random(seed)
        self.name, self.extent = f"plain_{seed}", EXTENTS[seed % len(EXTENTS)]
        self.trips, self.known = rng.randint(0, 2), rng.random() < 0.7
        # Of a dynamic extent, elements behind the end.
        self.size = self.extent if self.known else rng.randint(1, self.extent)
        self.head = self.steps(rng, ["a", "b"], "h", rng.randint(2, 4))
        made = ["a", "b", *(result for result, *_ in self.head)]
        self.body = self.steps(rng, [*made, "x"], "t", rng.randint(2, 4))

    def steps(self, rng, names, prefix, count):
        steps = []
        for number in range(count):
            kind = rng.choice(["matmul", "matmul", "sum", "max", "addi", "muli", "maxsi", "subi", "turn", "scale"])
            result = f"{prefix}{number}"
            steps.append((result, kind, rng.choice(names[-3:]), rng.choice(names), rng.randint(0, 1)))
            names = [*names, result]
        return steps

    def run(self, steps, env):
        n = self.size
        for result, kind, left, right, dim in steps:
            a, b = env[left], env[right]
            if kind == "matmul":
                env[result] = square(lambda i, j: sum(a[i][k] * b[k][j] for k in range(n)), n)
            elif kind in ("sum", "max"):
                fold = sum if kind == "sum" else max
                lines = [fold(a[i]) for i in range(n)] if dim else [fold(row[j] for row in a) for j in range(n)]
                env[result] = square(lambda i, j: wrap(lines[i if dim else j]) + b[i][j], n)
            elif kind == "turn":
                env[result] = square(lambda i, j: a[j][i], n)
            elif kind == "scale":
                env[result] = square(lambda i, j: 3 * a[i][j] - 1, n)
            else:
                op = {"addi": lambda p, q: p + q, "muli": lambda p, q: p * q, "maxsi": max, "subi": lambda p, q: p - q}[kind]
                env[result] = square(lambda i, j: op(a[i][j], b[i][j]), n)

    def evaluate(self, a, b, looped):
        env = {"a": a, "b": b}
        self.run(self.head, env)
        env["x"], n = env[self.head[-1][0]], self.size
        rows = [0] * n
        for _ in range(self.trips if looped else 1):
            self.run(self.body, env)
            last = env[self.body[-1][0]]
            rows = [wrap(row + sum(line)) for row, line in zip(rows, last)]
            env["x"] = last
        return env["x"], rows


class Writer:
    def __init__(self, program, way, lanes):
        self.program, self.way, self.lanes = program, way, lanes
        n = program.extent
        self.matrix, self.row = (f"tensor<{n}x{n}xi32>", f"tensor<{n}xi32>") if program.known else ("tensor<?x?xi32>", "tensor<?xi32>")
        self.number = 0

    def step(self, result, kind, left, right, dim):
        m, r = self.matrix, self.row
        if kind == "matmul":
            return [f"%z_{result} = linalg.fill ins(%zero : i32) outs(%e : {m}) -> {m}",
                    f"%{result} = linalg.matmul ins(%{left}, %{right} : {m}, {m}) outs(%z_{result} : {m}) -> {m}"]
        if kind in ("sum", "max"):
            op, start = ("addi", "%zr") if kind == "sum" else ("maxsi", "%lr")
            return [f"%r_{result} = linalg.reduce {{ arith.{op} }} ins(%{left} : {m}) outs({start} : {r}) dimensions = [{dim}]",
                    f"%b_{result} = linalg.broadcast ins(%r_{result} : {r}) outs(%e : {m}) dimensions = [{dim}]",
                    f"%{result} = arith.addi %b_{result}, %{right} : {m}"]
        if kind == "turn":
            return [f"%{result} = linalg.transpose ins(%{left} : {m}) outs(%e : {m}) permutation = [1, 0]"]
        if kind == "scale":
            return [f"%{result} = linalg.map ins(%{left} : {m}) outs(%e : {m})", "  (%one_of: i32, %unused: i32) {", "    %p = arith.muli %one_of, %three : i32",
                    "    %q = arith.subi %p, %one : i32", "    linalg.yield %q : i32", "  }"]
        return [f"%{result} = arith.{kind} %{left}, %{right} : {m}"]

    def body(self, own):
        p, m, r = self.program, self.matrix, self.row
        size = [p.extent, p.extent] if p.known else ["%s", "%s"]
        at = "%from" if own else "0"
        lines = [f"%a = pcf.read_slice %A[{at}, 0] [{size[0]}, {size[1]}] [1, 1] : !A to {m}",
                 f"%b = pcf.read_slice %B[{at}, 0] [{size[0]}, {size[1]}] [1, 1] : !A to {m}",
                 f"%e = tensor.empty({'' if p.known else '%s, %s'}) : {m}", f"%er = tensor.empty({'' if p.known else '%s'}) : {r}",
                 f"%zr = linalg.fill ins(%zero : i32) outs(%er : {r}) -> {r}", f"%lr = linalg.fill ins(%low : i32) outs(%er : {r}) -> {r}"]
        if not p.known:
            # What lies behind the end is written, too.
            lines += [line for ref, number, shape, at_all in (("O", -7, f"{p.extent}x{p.extent}", f"[{at}, 0] [{p.extent}, {p.extent}] [1, 1]"),
                                                              ("R", -9, f"{p.extent}", f"[{at}] [{p.extent}] [1]"))
                      for line in (f"%all{ref} = arith.constant dense<{number}> : tensor<{shape}xi32>",
                                   f"pcf.write_slice %all{ref} into %{ref}{at_all} : tensor<{shape}xi32> into !{ref}")]
        for step in p.head:
            lines += self.step(*step)
        first, last = f"%{p.head[-1][0]}", f"%{p.body[-1][0]}"
        inner = [line for step in p.body for line in self.step(*step)]
        inner += [f"%sums = linalg.reduce {{ arith.addi }} ins({last} : {m}) outs(%y : {r}) dimensions = [1]"]
        if self.way == "loop":
            lines += [f"%res:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = {first}, %y = %zr) -> ({m}, {r}) {{", *("  " + line for line in inner),
                      f"  scf.yield {last}, %sums : {m}, {r}", "}"]
            x, y = "%res#0", "%res#1"
        else:
            lines += [line.replace("%x ", f"{first} ").replace("%x,", f"{first},").replace("%y ", "%zr ") for line in inner]
            x, y = last, "%sums"
        lines += [f"pcf.write_slice {x} into %O[{at}, 0] [{size[0]}, {size[1]}] [1, 1] : {m} into !O",
                  f"pcf.write_slice {y} into %R[{at}] [{size[0]}] [1] : {r} into !R"]
        return lines

    def text(self):
        p, own = self.program, self.way == "workers"
        n, rows = p.extent, p.extent * (SUBGROUPS if own else 1)
        sg = "#iree_gpu.subgroup_scope"
        matrix, row = f"tensor<{rows}x{n}xi32>", f"tensor<{rows}xi32>"
        ids = "[%id: index, %count: index]" if own else f"[%tg: !pcf.threadgroup<{sg}>]"
        lines = [f"#launch = #iree_codegen.translation_info<workgroup_size = [{SUBGROUPS * self.lanes}, 1, 1] subgroup_size = {self.lanes}>",
                 f"!A = !pcf.sref<{rows}x{n}xi32, {sg}>", f"!O = !pcf.sref<{rows}x{n}xi32, sync({sg})>", f"!R = !pcf.sref<{rows}xi32, sync({sg})>",
                 f"func.func @k(%in: {matrix}, %in2: {matrix}, %out: {matrix}, %out2: {row}, %n: index, %given: index) -> ({matrix}, {row}) attributes {{translation_info = #launch}} {{",
                 "  %c0 = arith.constant 0 : index", "  %c1 = arith.constant 1 : index", f"  %extent = arith.constant {n} : index",
                 "  %s = arith.minui %given, %extent : index",
                 "  %zero = arith.constant 0 : i32", "  %one = arith.constant 1 : i32", "  %three = arith.constant 3 : i32", "  %low = arith.constant -2147483648 : i32",
                 f"  %r:2 = pcf.{'generic' if own else 'shared_executor'} scope({sg})",
                 f"    execute(%A <- %in : {matrix}, %B <- %in2 : {matrix}, %O = %out, %R = %out2){ids} : (!A, !A, !O, !R) -> ({matrix}, {row}) {{"]
        if own:
            lines.append(f"    %from = arith.muli %id, %extent : index")
        lines += ["    " + line for line in self.body(own)]
        return "\n".join([*lines, "    pcf.return", "  }", f"  return %r#0, %r#1 : {matrix}, {row}", "}"]) + "\n"


def runs(seed, chosen):
    program = Program(seed)
    rng, n, size = random.Random(seed + 1), program.extent, program.size
    parts = [[[[rng.randint(-4, 4) for _ in range(n)] for _ in range(n)] for _ in range(2)] for _ in range(SUBGROUPS)]
    for number, way in enumerate(WAYS):
        count = SUBGROUPS if way == "workers" else 1
        shape = (count * n, n)
        out = ([-7] * (count * n * n), [-9] * (count * n))
        files = []
        for operand in range(2):
            files.append(npy.write(chosen.out / f"{program.name}-{way}-{operand}.npy", "i32", shape, [v for part in parts[:count] for row in part[operand] for v in row]))
        for operand, values in enumerate(out):
            files.append(npy.write(chosen.out / f"{program.name}-{way}-out{operand}.npy", "i32", shape[:2 - operand], values))
        for part in range(count):
            corner = [[row[:size] for row in matrix[:size]] for matrix in parts[part]]
            x, rows = program.evaluate(*corner, way == "loop")
            for i in range(size):
                out[0][(part * n + i) * n:(part * n + i) * n + size] = x[i]
                out[1][part * n + i] = rows[i]
        for target, lanes in TARGETS.items():
            base = chosen.out / f"{program.name}-{way}-{target}"
            path = base.with_suffix(".mlir")
            path.write_text(Writer(program, way, lanes).text())
            for device, flags in (("simt", ["--pipeline", "run-cluster", "--every-stage", "--schedule", str(seed)]), ("ptx", ["--device", "ptx"])):
                # Each way has its turn on the other targets.
                if target != "sm_80" and (device == "ptx" or number != seed % len(WAYS)):
                    continue
                made = [base.with_suffix(f".{device}{result}.npy") for result in range(2)]

                def after(made=made, out=out):
                    wrong = [f"result {number}" for number, file in enumerate(made) if npy.read(file, "i32") != out[number]]
                    return f"{' and '.join(wrong)} has other values" if wrong else None

                given = [flag for number, file in enumerate(files) for flag in ("--input", f"arg{number}={file}")]
                yield suite.Run(f"{base.name} {device}", [chosen.distaff, "run", str(path), "--target", target, "--check", *flags, *given,
                                                          "--input", f"arg4={program.trips}", "--input", f"arg5={size}",
                                                          "--output", f"res0={made[0]}", "--output", f"res1={made[1]}"], after=after, compares=False)


seeds = suite.taken("--seeds") or range(24)
chosen = suite.options()
suite.main([run for seed in seeds for run in runs(seed, chosen)], chosen, 17)
