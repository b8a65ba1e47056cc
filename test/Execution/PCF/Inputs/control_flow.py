"""Tensors through every kind of control flow: random programs of branches, loops that
count, loops that ask, switches and blocks, in each other, that change two tensors of
whole numbers. Each is written five ways,

    phases      the payload of a threadgroup
    clusters    the payloads of two clusters, each of which has half of the rows
    collective  plain tensors of a group, outside of phases
    grouped     the same in a tile_group
    workers     each subgroup's own tensors, whose rows are only known at run time

and compared with what Python computes, at the end and after every stage: by the SIMT
machine, and by the PTX machine for sm_80.

    python3 control_flow.py OUT_DIR [--seeds FIRST:LAST] [options of suite.py]
"""
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import npy
import suite

OPS = {"addi": lambda a, b: a + b, "subi": lambda a, b: a - b, "muli": lambda a, b: a * b, "xori": lambda a, b: a ^ b,
       "minsi": min, "maxsi": max}
# Rows and columns, and how many subgroups there are; some have no rows then.
SHAPES = ((8, 8), (6, 5), (2, 1), (64, 4), (16, 3), (34, 8))
WAYS = ("phases", "clusters", "collective", "grouped", "workers")
TARGETS = {"sm_80": 32, "gfx942": 64}


def wrap(number):
    return (number + 2**31) % 2**32 - 2**31


class Program:
    """A tree of statements over the tensors a, b and the input x, which no statement changes."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.name, self.n = f"flow_{seed}", self.rng.randint(0, 3)
        self.rows, self.columns = SHAPES[seed % len(SHAPES)]
        self.body = [*self.block(3, []), *self.statements(1, [], ["if", "while", "switch", "blocks"][seed % 4:][:1])]

    def block(self, depth, counters):
        kinds = ["op", "op"] + ["if", "for", "while", "switch", "blocks"] * (depth > 0)
        return self.statements(depth, counters, [self.rng.choice(kinds) for _ in range(self.rng.randint(1, 2))])

    def statements(self, depth, counters, kinds):
        rng, body = self.rng, []
        for kind in kinds:
            below = lambda more=(): self.block(depth - 1, [*counters, *more])
            counter = f"i{len(counters)}"
            if kind == "op":
                body.append(("op", rng.choice("ab"), rng.choice([*OPS, "divsi"]), rng.choice("abx"), rng.choice("abx")))
            elif kind == "if":
                body.append(("if", rng.choice(["n", *counters]), below(), below()))
            elif kind == "switch":
                body.append(("switch", rng.choice(["n", *counters]), [below() for _ in range(3)]))
            else:
                ahead = self.statements(0, counters, ["op"]) if kind == "while" else []
                body.append((kind, counter, rng.randint(0, 2), ahead, below([counter])))
        return body

    def run(self, body, env):
        for kind, *rest in body:
            if kind == "op":
                to, op, left, right = rest
                if op == "divsi":
                    env[to] = [wrap(abs(a) // x * (1 if a >= 0 else -1)) for a, x in zip(env[left], env["x"])]
                else:
                    env[to] = [wrap(OPS[op](a, b)) for a, b in zip(env[left], env[right])]
            elif kind == "if":
                self.run(rest[1] if env[rest[0]] % 2 else rest[2], env)
            elif kind == "switch":
                self.run(rest[1][env[rest[0]] if env[rest[0]] < 2 else 2], env)
            else:
                counter, more, ahead, inside = rest
                for env[counter] in range(self.n + more):
                    self.run(ahead, env)
                    self.run(inside, env)
                self.run(ahead, env)

    def evaluate(self, values):
        env = {"x": values, "a": list(values), "b": [7] * len(values), "n": self.n}
        self.run(self.body, env)
        return [wrap(a + 3 * b) for a, b in zip(env["a"], env["b"])]


class Writer:
    """The program written one way."""

    def __init__(self, program, way, lanes):
        self.program, self.way, self.lanes, self.lines, self.count = program, way, lanes, [], 0
        self.isPhases = way in ("phases", "clusters")
        self.sides = ("l", "r") if way == "clusters" else ("",)
        rows = program.rows // len(self.sides)
        self.tensor = f"tensor<{'?' if way == 'workers' else rows}x{program.columns}xi32>"

    def new(self):
        self.count += 1
        return f"%t{self.count}"

    def type(self, side):
        return f"!H{side}" if self.isPhases else self.tensor

    def add(self, line):
        self.lines.append(line)

    def phase(self, side, sources, work, result="%w"):
        """A phase of payload x, y; in code without phases its work alone. `work` is lines, and %w what they make."""
        name = self.new()
        if not self.isPhases:
            names = dict(zip(("%x", "%y"), sources))
            for line in work:
                for old, new in {**names, "%w": name, "%z": name + "z"}.items():
                    line = line.replace(old + " ", new + " ").replace(old + ",", new + ",")
                self.add(line)
            return name
        group, ranges = {"": ("%tg", ""), "l": ("%cl", "%c1"), "r": ("%cr", "%c1")}[side]
        handle = {"": "!TG", "l": "!L", "r": "!R"}[side]
        arguments = ", ".join(f"{argument}: {self.tensor}" for argument, _ in zip(("%x", "%y"), sources))
        taken = ", ".join([self.type(side)] * len(sources)) or handle
        self.add((f"{name} = " if result else "") + f"pcf.shared_executor.run_cluster({', '.join(sources) or group})[{ranges}] ({arguments}) {{")
        self.lines += ["  " + line for line in work]
        self.add(f"  pcf.cluster_yield {result} : {self.tensor}" if result else "  pcf.cluster_yield")
        self.add(f"}} : ({taken})" + (f" -> {self.type(side)}" if result else ""))
        return name

    def condition(self, what, env):
        bit, odd = self.new(), self.new()
        self.add(f"{bit} = arith.remui {env[what]}, %c2 : index")
        self.add(f"{odd} = arith.cmpi eq, {bit}, %c1 : index")
        return odd

    def state(self, env):
        """The names that control flow hands on, and their types."""
        keys = [(key, side) for key in "ab" for side in self.sides]
        return keys, [env[key] for key in keys], ", ".join(self.type(side) for _, side in keys)

    def branch(self, body, env):
        inner = dict(env)
        self.write(body, inner)
        _, names, types = self.state(inner)
        self.add(f"scf.yield {', '.join(names)} : {types}")

    def write(self, body, env):
        for kind, *rest in body:
            if kind == "op":
                to, op, left, right = rest
                right = "x" if op == "divsi" else right
                env |= {(to, side): self.phase(side, [env[left, side], env[right, side]], [f"%w = arith.{op} %x, %y : {self.tensor}"])
                        for side in self.sides}
                continue
            keys, names, types = self.state(env)
            results = [f"{self.new()}" for _ in keys]
            if kind == "if":
                odd = self.condition(rest[0], env)
                self.add(f"{', '.join(results)} = scf.if {odd} -> ({types}) {{")
                self.branch(rest[1], env)
                self.add("} else {")
                self.branch(rest[2], env)
                self.add("}")
            elif kind == "switch":
                self.add(f"{', '.join(results)} = scf.index_switch {env[rest[0]]} -> {types}")
                for number, case in enumerate(rest[1]):
                    self.add(f"case {number} {{" if number < 2 else "default {")
                    self.branch(case, env)
                    self.add("}")
            else:
                self.loop(kind, rest, env, keys, names, types, results)
            env |= dict(zip(keys, results))

    def loop(self, kind, rest, env, keys, names, types, results):
        counter, more, ahead, inside = rest
        end, i, next_ = self.new(), self.new(), self.new()
        self.add(f"{end} = arith.addi %n, %c{more} : index")
        carried = [f"{self.new()}" for _ in keys]
        inner = {**env, **dict(zip(keys, carried)), counter: i}
        pairs = ", ".join(f"{name} = {value}" for name, value in zip(carried, names))
        if kind == "for":
            self.add(f"{', '.join(results)} = scf.for {i} = %c0 to {end} step %c1 iter_args({pairs}) -> ({types}) {{")
            self.branch(inside, inner)
            self.add("}")
            return
        arguments = ", ".join(f"{name}: {type}" for name, type in zip(carried, types.split(", ")))
        isLess, last = self.new(), self.new()
        if kind == "while":
            self.add(f"{last}, {', '.join(results)} = scf.while ({i} = %c0, {pairs}) : (index, {types}) -> (index, {types}) {{")
            self.write(ahead, inner)
            self.add(f"{isLess} = arith.cmpi ult, {i}, {end} : index")
            self.add(f"scf.condition({isLess}) {i}, {', '.join(self.state(inner)[1])} : index, {types}")
            self.add("} do {")
            after = [f"{self.new()}" for _ in keys]
            j = self.new()
            arguments = ", ".join(f"{name}: {type}" for name, type in zip(after, types.split(", ")))
            self.add(f"^bb0({j}: index, {arguments}):")
            inner = {**env, **dict(zip(keys, after)), counter: j}
            self.add(f"{next_} = arith.addi {j}, %c1 : index")
            self.write(inside, inner)
            self.add(f"scf.yield {next_}, {', '.join(self.state(inner)[1])} : index, {types}")
            self.add("}")
            return
        label = f"^l{self.count}"
        self.add(f"{', '.join(results)} = scf.execute_region -> ({types}) {{")
        self.add(f"cf.br {label}head(%c0, {', '.join(names)} : index, {types})")
        self.add(f"{label}head({i}: index, {arguments}):")
        self.add(f"{isLess} = arith.cmpi ult, {i}, {end} : index")
        self.add(f"cf.cond_br {isLess}, {label}body, {label}end")
        self.add(f"{label}body:")
        self.write(inside, inner)
        self.add(f"{next_} = arith.addi {i}, %c1 : index")
        self.add(f"cf.br {label}head({next_}, {', '.join(self.state(inner)[1])} : index, {types})")
        self.add(f"{label}end:")
        self.add(f"scf.yield {', '.join(carried)} : {types}")
        self.add("}")

    def text(self):
        program, columns = self.program, self.program.columns
        sizes = "%s" if self.way == "workers" else str(program.rows // len(self.sides))
        first = {"": "%first" if self.way == "workers" else "0", "l": "0", "r": str(program.rows // 2)}
        filled = [f"%z = tensor.empty({'%s' if self.way == 'workers' else ''}) : {self.tensor}",
                  f"%w = linalg.fill ins(%c7 : i32) outs(%z : {self.tensor}) -> {self.tensor}"]
        env = {"n": "%n"}
        for side in self.sides:
            at = f"[{first[side]}, 0] [{sizes}, {columns}] [1, 1]"
            env["x", side] = self.phase(side, [], [f"%w = pcf.read_slice %in{at} : !X to {self.tensor}"])
            env["a", side] = env["x", side]
            env["b", side] = self.phase(side, [], filled)
        self.write(program.body, env)
        for side in self.sides:
            at = f"[{first[side]}, 0] [{sizes}, {columns}] [1, 1]"
            b = self.phase(side, [env["b", side]], [f"%z = arith.addi %x, %x : {self.tensor}", f"%w = arith.addi %z, %x : {self.tensor}"])
            self.phase(side, [env["a", side], b], [f"%w = arith.addi %x, %y : {self.tensor}",
                                                   f"pcf.write_slice %w into %o{at} : {self.tensor} into !O"], result="")
        return "\n".join([*self.head(), *("    " + line for line in self.lines), *self.tail(), ""])

    def head(self):
        whole = f"{self.program.rows}x{self.program.columns}xi32"
        group = ["!TG = !pcf.threadgroup<#sg>", f"!H = !pcf.threadgroup<#sg, {{{self.tensor}}}>",
                 "!L = !pcf.cluster<#sg, (0 -> d0), left>", "!R = !pcf.cluster<#sg, (d0 -> s0), right>",
                 f"!Hl = !pcf.cluster<#sg, (0 -> d0), shared: {{{self.tensor}}}, left>",
                 f"!Hr = !pcf.cluster<#sg, (d0 -> s0), shared: {{{self.tensor}}}, right>"]
        owner, workers = ("generic", "%id: index, %count: index") if self.way == "workers" else ("shared_executor", "%tg: !TG")
        lines = ["#sg = #iree_gpu.subgroup_scope",
                 f"#launch = #iree_codegen.translation_info<workgroup_size = [{4 * self.lanes}, 1, 1] subgroup_size = {self.lanes}>",
                 f"!X = !pcf.sref<{whole}, #sg>", f"!O = !pcf.sref<{whole}, sync(#sg)>", *group,
                 f"func.func @{self.program.name}(%a: tensor<{whole}>, %n: index, %out: tensor<{whole}>) -> tensor<{whole}> attributes {{translation_info = #launch}} {{",
                 *(f"  %c{i} = arith.constant {i} : index" for i in (0, 1, 2)), "  %c7 = arith.constant 7 : i32",
                 f"  %res = pcf.{owner} scope(#sg) execute(%in <- %a : tensor<{whole}>, %o = %out)[{workers}] : (!X, !O) -> (tensor<{whole}>) {{"]
        if self.way == "workers":
            lines += [f"    %all = arith.constant {self.program.rows} : index", "    %rows = arith.ceildivui %all, %count : index",
                      "    %from = arith.muli %id, %rows : index", "    %first = arith.minui %from, %all : index",
                      "    %left = arith.subi %all, %first : index", "    %s = arith.minui %rows, %left : index"]
        if self.way in ("clusters", "grouped"):
            lines.append("    pcf.shared_executor.tile_group %tg split [[%c1]] (%cl: !L, %cr: !R) {")
        return lines

    def tail(self):
        whole = f"{self.program.rows}x{self.program.columns}xi32"
        ends = ["    pcf.return", "    } : !TG"] if self.way in ("clusters", "grouped") else []
        return [*ends, "    pcf.return", "  }", f"  return %res : tensor<{whole}>", "}"]


def runs(seed, chosen):
    program = Program(seed)
    rng = random.Random(seed + 1)
    values = [rng.randint(1, 9) for _ in range(program.rows * program.columns)]
    expected = program.evaluate(values)
    source = npy.write(chosen.out / f"{program.name}.npy", "i32", (program.rows, program.columns), values)
    for number, way in enumerate(WAYS):
        for target, lanes in TARGETS.items():
            base = chosen.out / f"{program.name}-{way}-{target}"
            path = base.with_suffix(".mlir")
            path.write_text(Writer(program, way, lanes).text())
            for device, flags in (("simt", ["--pipeline", "run-cluster", "--every-stage"]), ("ptx", ["--device", "ptx"])):
                # Each way has its turn on the other target, and the SIMT machine runs no writes of several clusters together.
                if (device == "ptx" and target != "sm_80") or (target != "sm_80" and number != seed % len(WAYS)) or (way == "grouped" and device == "simt"):
                    continue
                check = [] if way == "grouped" else ["--check"]
                file = base.with_suffix(f".{device}.npy")

                def after(file=file):
                    return None if npy.read(file, "i32") == expected else "the result has other values"

                yield suite.Run(f"{base.name} {device}", [chosen.distaff, "run", str(path), "--target", target, *check, *flags,
                                                          "--input", f"arg0={source}", "--input", f"arg1={program.n}", "--output", f"res0={file}"],
                                after=after, compares=False)


seeds = suite.taken("--seeds") or range(24)
chosen = suite.options()
suite.main([run for seed in seeds for run in runs(seed, chosen)], chosen, 5)
