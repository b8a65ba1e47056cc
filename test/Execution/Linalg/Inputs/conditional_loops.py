"""scf.while and scf.index_switch over tensors, in and around scf.for and scf.if: random programs on
two matrices of whole numbers, with a product in front of them and sums of rows behind. The outermost
loops may run as often as the launch says, and halve, count down or count up; those inside them
and those with products run a number of times that is known. Values are compared with what Python
computes, after every stage on GPUs and on the host, by the PTX machine and by this CPU.

    python3 conditional_loops.py OUT_DIR [--seeds FIRST:LAST] [options of suite.py]
"""
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import npy
import suite

OPS = {"addi": lambda a, b: a + b, "subi": lambda a, b: a - b, "muli": lambda a, b: a * b, "xori": lambda a, b: a ^ b, "maxsi": max}
SHAPES = ((6, 5), (37, 9), (1, 3), (16, 16))
# A counter: what it begins with, what says that it goes on, and what follows it.
COUNTERS = {"up": (lambda n: 0, lambda i, n: i < n, lambda i: i + 1), "down": (lambda n: n, lambda i, n: i > 0, lambda i: i - 1),
            "half": (lambda n: n, lambda i, n: i > 0, lambda i: i // 2)}


def wrap(number):
    return (number + 2**31) % 2**32 - 2**31


class Program:
    def __init__(self, seed):
        self.rng = rng = random.Random(seed)
        self.name, (self.rows, self.columns) = f"loops_{seed}", SHAPES[seed % len(SHAPES)]
        self.number, self.lines = 0, []
        self.n, self.m = rng.randint(0, 6), rng.randint(0, 3)
        self.body = [statement for _ in range(rng.randint(1, 2)) for statement in self.block(2, None, ["while", "while", "switch", "if"], False)]

    def block(self, depth, counter, kinds, counted):
        """`counted`: around it is a loop of which only the launch knows how often it runs."""
        rng = self.rng
        statements = [("op", rng.choice("ab"), rng.choice(list(OPS)), rng.choice("abx"), rng.choice("abx"))]
        if not counted and rng.random() < 0.3:
            statements.append(("product", rng.choice("ab"), rng.choice("ab")))
        for kind in [rng.choice(kinds)] if depth else []:
            inner = ["while", "switch", "if", "for"]
            if kind in ("while", "for"):
                open_ended = kind == "while" and depth == 2 and rng.random() < 0.6
                self.number += 1
                name = f"i{self.number}"
                mode = rng.choice(list(COUNTERS)) if kind == "while" else "up"
                ahead = [("op", rng.choice("ab"), "addi", rng.choice("abx"), rng.choice("abx"))] if kind == "while" and rng.random() < 0.5 else []
                statements.append((kind, name, mode, "n" if open_ended else rng.randint(0, 3), ahead, self.block(depth - 1, name, inner, counted or open_ended)))
            else:
                on = counter if counter and rng.random() < 0.7 else "m"
                ways = [self.block(depth - 1, counter, inner, counted) for _ in range(2 if kind == "if" else 3)]
                statements.append((kind, on, ways))
        return statements

    # What it computes.
    def run(self, statements, env):
        for kind, *rest in statements:
            if kind == "op":
                to, op, left, right = rest
                env[to] = [wrap(OPS[op](a, b)) for a, b in zip(env[left], env[right])]
            elif kind == "product":
                to, left = rest
                c = self.columns
                env[to] = [wrap(sum(env[left][i * c + k] * env["w"][k * c + j] for k in range(c))) for i in range(self.rows) for j in range(c)]
            elif kind == "if":
                self.run(rest[1][0 if env[rest[0]] % 2 == 0 else 1], env)
            elif kind == "switch":
                self.run(rest[1][env[rest[0]] if env[rest[0]] < 2 else 2], env)
            else:
                name, mode, end, ahead, inside = rest
                begin, goes, after = COUNTERS[mode]
                n = self.n if end == "n" else end
                i = begin(n)
                while True:
                    self.run(ahead, env)
                    if not goes(i, n):
                        break
                    env[name] = i
                    self.run(inside, env)
                    i = after(i)

    def evaluate(self, x, w):
        env = {"x": x, "w": w, "a": x, "n": self.n, "m": self.m}
        self.run([("product", "a", "x")], env)
        env["b"] = [wrap(v + 1) for v in x]
        self.run(self.body, env)
        sums = [wrap(sum(env["a"][i * self.columns:(i + 1) * self.columns])) for i in range(self.rows)]
        return env["b"], sums

    # The same as a kernel.
    def fresh(self):
        self.number += 1
        return f"%v{self.number}"

    def write(self, statements, env):
        t = f"tensor<{self.rows}x{self.columns}xi32>"
        both, lines = f"{t}, {t}", []
        for kind, *rest in statements:
            if kind == "op":
                to, op, left, right = rest
                name = self.fresh()
                lines.append(f"{name} = arith.{op} {env[left]}, {env[right]} : {t}")
                env[to] = name
            elif kind == "product":
                to, left = rest
                name = self.fresh()
                lines += [f"{name}e = tensor.empty() : {t}", f"{name}z = linalg.fill ins(%zero : i32) outs({name}e : {t}) -> {t}",
                          f"{name} = linalg.matmul ins({env[left]}, %w : {t}, tensor<{self.columns}x{self.columns}xi32>) outs({name}z : {t}) -> {t}"]
                env[to] = name
            elif kind in ("if", "switch"):
                on, ways = rest
                name, scalar = self.fresh(), env[on]
                if kind == "if":
                    lines += [f"{name}r = arith.remui {scalar}, %c2 : index", f"{name}c = arith.cmpi eq, {name}r, %c0 : index", f"{name}:2 = scf.if {name}c -> ({both}) {{"]
                    heads = ["", "} else {"]
                else:
                    lines.append(f"{name}:2 = scf.index_switch {scalar} -> {both}")
                    heads = ["case 0 {", "} case 1 {", "} default {"]
                for head, way in zip(heads, ways):
                    own = dict(env)
                    lines += [head, *self.write(way, own), f"scf.yield {own['a']}, {own['b']} : {both}"]
                lines.append("}")
                env["a"], env["b"] = f"{name}#0", f"{name}#1"
            else:
                lines += self.write_loop(kind, rest, env, t)
        return lines

    def write_loop(self, kind, rest, env, t):
        counter, mode, end, ahead, inside = rest
        name, n = self.fresh(), "%n" if end == "n" else f"%c{end}"
        own = {**env, "a": f"{name}a", "b": f"{name}b", counter: f"%{counter}"}
        if kind == "for":
            lines = [f"{name}:2 = scf.for %{counter} = %c0 to {n} step %c1 iter_args({name}a = {env['a']}, {name}b = {env['b']}) -> ({t}, {t}) {{",
                     *self.write(inside, own), f"scf.yield {own['a']}, {own['b']} : {t}, {t}", "}"]
            env["a"], env["b"] = f"{name}#0", f"{name}#1"
            return lines
        begin, goes, step = {"up": ("%c0", f"arith.cmpi ult, {name}i, {n} : index", "arith.addi {}, %c1 : index"),
                             "down": (n, f"arith.cmpi ugt, {name}i, %c0 : index", "arith.subi {}, %c1 : index"),
                             "half": (n, f"arith.cmpi ne, {name}i, %c0 : index", "arith.divui {}, %c2 : index")}[mode]
        # The numbers and the tensors in another order behind the question.
        lines = [f"{name}:3 = scf.while ({name}i = {begin}, {name}a = {env['a']}, {name}b = {env['b']}) : (index, {t}, {t}) -> ({t}, index, {t}) {{",
                 *self.write(ahead, own), f"{name}go = {goes}", f"scf.condition({name}go) {own['a']}, {name}i, {own['b']} : {t}, index, {t}", "} do {",
                 f"^bb0({name}x: {t}, %{counter}: index, {name}y: {t}):"]
        own = {**own, "a": f"{name}x", "b": f"{name}y"}
        lines += [*self.write(inside, own), f"{name}next = {step.format('%' + counter)}", f"scf.yield {name}next, {own['a']}, {own['b']} : index, {t}, {t}", "}"]
        env["a"], env["b"] = f"{name}#0", f"{name}#2"
        return lines

    def text(self):
        t, r = f"tensor<{self.rows}x{self.columns}xi32>", f"tensor<{self.rows}xi32>"
        env = {"x": "%x", "a": "%x", "b": "%b0", "m": "%m", "n": "%n"}
        lines = self.write([("product", "a", "x"), *self.body], env)
        return "\n".join([f"func.func @k(%x: {t}, %w: tensor<{self.columns}x{self.columns}xi32>, %n: index, %m: index) -> ({t}, {r}) {{",
                          *(f"%c{n} = arith.constant {n} : index" for n in range(4)), "%zero = arith.constant 0 : i32", f"%ones = arith.constant dense<1> : {t}",
                          f"%b0 = arith.addi %x, %ones : {t}", *lines, f"%er = tensor.empty() : {r}", f"%zr = linalg.fill ins(%zero : i32) outs(%er : {r}) -> {r}",
                          f"%sums = linalg.reduce {{ arith.addi }} ins({env['a']} : {t}) outs(%zr : {r}) dimensions = [1]", f"return {env['b']}, %sums : {t}, {r}", "}"]) + "\n"


def runs(seed, chosen):
    program = Program(seed)
    rng = random.Random(seed + 1)
    x = [rng.randint(-9, 9) for _ in range(program.rows * program.columns)]
    w = [rng.randint(-3, 3) for _ in range(program.columns**2)]
    expected = program.evaluate(x, w)
    path = chosen.out / f"{program.name}.mlir"
    path.write_text(program.text())
    files = [npy.write(path.with_suffix(f".{name}.npy"), "i32", shape, values)
             for name, shape, values in (("x", (program.rows, program.columns), x), ("w", (program.columns,) * 2, w))]
    for number, (device, target, flags) in enumerate((("simt", "sm_80", ["--every-stage"]), ("ptx", "sm_80", ["--device", "ptx"]), ("cpu", "host", ["--device", "host"]),
                                                      ("simt", "gfx942", ["--every-stage"]), ("simt", "gfx1100", ["--every-stage"]), ("simt", "host", ["--every-stage"]))):
        if number > 2 and number - 3 != seed % 3:
            continue
        made = [path.with_suffix(f".{device}-{target}{result}.npy") for result in range(2)]

        def after(made=made):
            wrong = [f"result {number}" for number, file in enumerate(made) if npy.read(file, "i32") != list(expected[number])]
            return f"{' and '.join(wrong)} has other values" if wrong else None

        yield suite.Run(f"{program.name} {target} {device}", [chosen.distaff, "run", str(path), "--target", target, "--check", *flags, "--input", f"arg0={files[0]}",
                                                              "--input", f"arg1={files[1]}", "--input", f"arg2={program.n}", "--input", f"arg3={program.m}",
                                                              "--output", f"res0={made[0]}", "--output", f"res1={made[1]}"], after=after, compares=False)


seeds = suite.taken("--seeds") or range(24)
chosen = suite.options()
suite.main([run for seed in seeds for run in runs(seed, chosen)], chosen, 11)
